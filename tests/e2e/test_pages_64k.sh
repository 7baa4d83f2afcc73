#!/usr/bin/env bash
# Kernels with pages of 16 and 64 KiB, as Grace's have: chunks, guard pages, and file sizes. QEMU's user-mode emulation stands in for such a
# kernel; its version 7.2 fails in the loader when several libraries are preloaded, Debian's own too, so only libprof is.
. "$(dirname "$0")/common.sh"

bytes() { QEMU_PAGESIZE=$1 getconf PAGESIZE 2>/dev/null || true; }
[[ $(bytes 65536) == 65536 ]] || skip "pages have one size here: no QEMU user-mode emulation"

cat >pages.c <<'PROGRAM'
#include "prof/prof.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void *push(void *count)
{
    for (long i = 0; i < (long)count; i++) {
        prof_range_push("range");
        prof_range_pop();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, push, (void *)atol(argv[1]));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    if (argc > 2)
        kill(getpid(), SIGKILL);
    return 0;
}
PROGRAM
"$CC" -I"$include" pages.c -o pages -pthread
for size in 4096 16384 65536; do
    QEMU_PAGESIZE=$size record all-$size.prof ./pages 20000
    expect all-$size.prof "count['range'] == 60000"
    QEMU_PAGESIZE=$size record killed-$size.prof ./pages 20000 killed || true
    expect killed-$size.prof "count['range'] == 60000"
    QEMU_PAGESIZE=$size PROF_FULL=ring PROF_MAX_MB=1 record ring-$size.prof ./pages 60000
    "$PROF_BIN/profdump" check ring-$size.prof >check.txt || fail "$size: $(cat check.txt)"
done
