#!/usr/bin/env bash
# A program of another libc starts as if the library were not preloaded, and records nothing.
. "$(dirname "$0")/common.sh"

# the symbols that musl's loader would miss, also where no musl is installed
missing=$(nm -D --undefined-only "$lib" | awk '$1 == "U" { print $2 }' | sed 's/@.*//' |
    grep -xE 'dlvsym|__register_atfork|__cxa_at_quick_exit|gnu_get_libc_version|__.*_chk|__cxa_thread_atexit_impl|__isoc[0-9]+_.*' || true)
same "strong references to what musl lacks" "" "$missing"

command -v musl-gcc >/dev/null || skip "musl-gcc is missing (Debian: musl-tools); only the symbols were compared"
cat >host.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *thread(void *unused)
{
    puts("thread");
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t made;
    int status = 0;
    if (argc > 1)
        return 9;
    pthread_create(&made, NULL, thread, NULL);
    pthread_join(made, NULL);
    fflush(stdout);
    if (fork() == 0)
        execl(argv[0], argv[0], "again", (char *)NULL);
    wait(&status);
    printf("%d\n", WEXITSTATUS(status));
    return 3;
}
C
musl-gcc -w -O1 host.c -o host
same "status" 3 "$(record run.prof ./host >out.txt 2>err.txt || echo $?)"
same "output" $'thread\n9' "$(cat out.txt)"
same "messages" "" "$(cat err.txt)"
same "files" "" "$(find . -name '*.prof')"
