# valgrind, and programs built with sanitizers for addresses and undefined behaviour
# packages: valgrind gcc libasan8 libubsan1
# commands: valgrind gcc
# differs: sample
# why: Valgrind counts memory as lost if its address stands nowhere. It may still stand in the copy of a stack that a sample is.

version() { echo "$(valgrind --version), $(gcc --version | head -n 1)"; }

prepare() {
    cat >guest.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *racy)
{
    for (int i = 0; i < 1000; i++) {
        if (!racy)
            pthread_mutex_lock(&lock);
        shared++;
        if (!racy)
            pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[4];
    char kind = argc > 1 ? argv[1][0] : ' ';
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, kind == 'r' ? &shared : NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    if (fork() == 0)
        _exit(3);
    int status;
    wait(&status);
    printf("child %d\n", WEXITSTATUS(status));
    fflush(stdout);
    char *memory = malloc(10);
    memset(memory, 1, 10);
    if (kind == 'o')
        printf("%d\n", ((volatile char *)memory)[10] == 77);
    if (kind == 'u')
        printf("%d\n", (0x7fffffff + argc) % 7);
    if (kind == 'l')
        memory = NULL;
    free(memory);
    return system("exit 4") == 4 << 8 ? 5 : 6;
}
C
    gcc -g -O0 -pthread guest.c -o plain
    gcc -g -O0 -pthread -fsanitize=address -static-libasan guest.c -o address
    gcc -g -O0 -pthread -fsanitize=undefined -fno-sanitize-recover=all guest.c -o undefined
}

workload() {
    local kind
    for kind in none out_of_bounds leak; do
        valgrind -q --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=9 --log-file="$GUEST_DATA/log" ./plain $kind
        echo "valgrind $kind $?"
        grep -oE 'Invalid read of size 1|[0-9]+ bytes in [0-9]+ blocks are definitely lost' "$GUEST_DATA/log"
    done
    for kind in none out_of_bounds; do
        ASAN_OPTIONS=detect_leaks=0 ./address $kind 2>"$GUEST_DATA/log"
        echo "address $kind $?"
        grep -oE 'ERROR: .*Sanitizer: [a-z-]+' "$GUEST_DATA/log"
    done
    for kind in none undefined; do
        ./undefined $kind 2>"$GUEST_DATA/log"
        echo "undefined $kind $?"
        grep -oE 'runtime error: .*' "$GUEST_DATA/log"
    done
}
