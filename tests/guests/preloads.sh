# other preloaded libraries: allocators, faked times, a faked root, unbuffered output, fsync left out; and ltrace
# packages: libjemalloc2 libtcmalloc-minimal4 faketime fakeroot eatmydata coreutils ltrace gcc
# commands: faketime fakeroot eatmydata stdbuf ltrace gcc

version() { echo "faketime $(faketime --version 2>&1 | grep -oE '[0-9.]+[0-9]' | head -n 1), $(fakeroot --version)"; }

prepare() {
    cat >guest.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *argument)
{
    char *kept[64] = {0};
    for (size_t i = 0; i < 40000; i++) {
        free(kept[i % 64]);
        kept[i % 64] = malloc(1 + i * 7919 % 5000);
        memset(kept[i % 64], 1, 1);
    }
    for (int i = 0; i < 64; i++)
        free(kept[i]);
    return argument;
}

int main(void)
{
    pthread_t threads[6];
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 6; i++)
            pthread_create(&threads[i], NULL, work, NULL);
        for (int i = 0; i < 6; i++)
            pthread_join(threads[i], NULL);
        if (fork() == 0) {
            work(NULL);
            _exit(round);
        }
        int status;
        wait(&status);
        printf("%d ", WEXITSTATUS(status));
    }
    puts("");
    return 5;
}
C
    gcc -O1 -pthread guest.c -o guest
}

# preload LIBRARY COMMAND...: before and behind libprof
preload() {
    local library=$1
    shift
    LD_PRELOAD="$library${LD_PRELOAD:+:$LD_PRELOAD}" "$@"
    echo "status $?"
    LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$library" "$@"
    echo "status $?"
}

workload() {
    preload libjemalloc.so.2 ./guest
    preload libtcmalloc_minimal.so.4 ./guest
    preload libjemalloc.so.2 sh -c 'seq 3000 | sort -rn | head -n 1; exit 3'
    faketime -f '@2001-02-03 04:05:06' date -u +%F
    faketime -f '@2001-02-03 04:05:06 x10' sh -c 'sleep 2; date -u +%F; exit 4'
    echo "status $?"
    faketime -f '-3d' ./guest
    echo "status $?"
    fakeroot sh -c 'id -u; : >made; chown 12:34 made; stat -c %u:%g made; exit 6'
    echo "status $?"
    rm -f made
    eatmydata sh -c 'dd if=/dev/zero of=synced bs=4k count=50 conv=fsync status=none; sync synced; exit 7'
    echo "status $?"
    stdbuf -oL sh -c 'seq 5 | uniq | cat'
    stdbuf -o0 ./guest
    echo "status $?"
    ltrace -e malloc+free -o "$GUEST_DATA/calls" seq 3
    echo "status $?"
}
