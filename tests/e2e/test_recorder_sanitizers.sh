#!/usr/bin/env bash
# Programs with sanitizers or below valgrind are recorded, find what they look for, and do not die of us.
# long: valgrind is slow
. "$(dirname "$0")/common.sh"

cat >host.c <<'C'
#include <prof/prof.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *unused)
{
    for (int i = 0; i < 100; i++) {
        prof_range_push("work");
        free(malloc(100));
        prof_range_pop();
    }
    return unused;
}

static void thread(void)
{
    pthread_t made;
    if (pthread_create(&made, NULL, work, NULL) == 0)
        pthread_join(made, NULL);
}

int main(int argc, char **argv)
{
    thread();
    if (argc > 1 && strcmp(argv[1], "overflow") == 0)
        ((char *volatile)malloc(10))[10] = 1;
    for (int i = 0; i < 3; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            thread();
            exit(4);
        }
        waitpid(child, &status, 0);
        printf("%d ", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
        fflush(stdout);
    }
    return 0;
}
C
# the sanitizers of gcc 12 cannot live with the address randomisation of newer kernels
fixed=()
if setarch "$(uname -m)" -R true 2>/dev/null; then fixed=(setarch "$(uname -m)" -R); fi

build() { "$CC" -w -g -O1 -fsanitize="$1" -I"$include" host.c -o "$1" -pthread 2>/dev/null && "${fixed[@]}" "./$1" >/dev/null 2>&1; }

tried=0
for stacks in off range; do
    if build thread; then
        tried=1
        same "a program with ThreadSanitizer, stacks $stacks" "4 4 4 " \
            "$(PROF_STACKS=$stacks record "thread-$stacks-%p.prof" "${fixed[@]}" ./thread 2>err.txt)"
        same "its traces" 4 "$(find . -name "thread-$stacks-*.prof" | wc -l)"
    fi
    if build address; then
        tried=1
        same "a program with AddressSanitizer, stacks $stacks" "4 4 4 " \
            "$(PROF_STACKS=$stacks "$PROF_BIN/profrun" -q -o "address-$stacks-%p.prof" -- "${fixed[@]}" ./address 2>err.txt)"
        same "its traces" 4 "$(find . -name "address-$stacks-*.prof" | wc -l)"
    fi
done
for file in *.prof; do
    [[ ! -e $file ]] || expect "$file" 'count["work"] >= 100' 'not any(raw.loss)'
done
if [[ -e address ]]; then
    "$PROF_BIN/profrun" -q -o overflow.prof -- "${fixed[@]}" ./address overflow >out.txt 2>err.txt && fail "the overflow was not found"
    found heap-buffer-overflow <err.txt || fail "says: $(cat err.txt)"
fi
# valgrind has nothing to say about us, whichever way stacks are taken.
if command -v valgrind >/dev/null && "$CC" -w -g -O1 -I"$include" host.c -o plain -pthread; then
    for method in auto tables frames; do
        tried=1
        same "a program below valgrind, stacks by $method" "4 4 4 " "$(PROF_STACKS=range PROF_STACK_METHOD=$method \
            record "valgrind-$method-%p.prof" valgrind -q --log-file=valgrind.txt ./plain 2>err.txt)"
        same "what valgrind says, stacks by $method" "" "$(cat valgrind.txt)"
    done
fi
((tried)) || skip "this compiler's sanitizers do not work here"
