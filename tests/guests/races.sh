# helgrind, drd, and sanitizers for threads and leaks: tools that judge all code of a process
# packages: valgrind gcc libasan8 libtsan2
# commands: valgrind gcc
# differs: recording stacks control hang sample
# why: Helgrind, drd and the thread sanitizer know nothing of libprof's atomic operations, and call them races. The thread sanitizer ends a forked child that starts a thread, as libprof's control thread. The leak sanitizer of GCC 12 sometimes fails if a thread uses thread-local memory of a library that was opened late, as libunwind is.

version() { echo "$(valgrind --version), $(gcc --version | head -n 1)"; }

prepare() {
    cat >guest.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *argument) { return malloc((size_t)argument); }

int main(int argc, char **argv)
{
    pthread_t thread;
    void *result;
    (void)argv;
    pthread_create(&thread, NULL, work, (void *)10);
    pthread_join(thread, &result);
    if (argc == 1)
        free(result);
    result = NULL;
    if (fork() == 0)
        _exit(3);
    int status;
    wait(&status);
    printf("child %d\n", WEXITSTATUS(status));
    return 5;
}
C
    gcc -g -O0 -pthread guest.c -o plain
    gcc -g -O0 -pthread -fsanitize=address -static-libasan guest.c -o leak
    gcc -g -O0 -pthread -fsanitize=thread -static-libtsan guest.c -o thread
}

workload() {
    local tool
    for tool in helgrind drd; do
        valgrind -q --tool=$tool --error-exitcode=9 --log-file="$GUEST_DATA/log" ./plain
        echo "$tool $?"
    done
    ./thread 2>/dev/null
    echo "thread $?"
    ./leak
    echo "leak $?"
    ./leak leak 2>/dev/null
    echo "leak $?"
}
