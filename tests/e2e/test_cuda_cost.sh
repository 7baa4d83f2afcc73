#!/usr/bin/env bash
# What recording cost: start-up is stated as time and is not in the share, and no time is counted twice. The test slows start-up
# down within CUDA calls whose callbacks are measured: posix_fallocate() sleeps while the file is created, and the device is slow
# when it is probed. It compares with times measured outside: the time slept and the wall time of the process.
. "$(dirname "$0")/cuda_common.sh"

cat >slow.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

int posix_fallocate(int fd, off_t offset, off_t bytes)
{
    int (*next)(int, off_t, off_t) = (int (*)(int, off_t, off_t))dlsym(RTLD_NEXT, "posix_fallocate");
    if (offset == 0)
        usleep(1000000);
    return next(fd, offset, bytes);
}
C
cat >few.c <<'C' # so few calls that each of their callbacks is timed, and stands for no other
#include "cuda_test.h"

int main(void)
{
    cuda_check(cudaFree(NULL), "context");
    launch_work(1, NULL);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return 0;
}
C
"$CC" -shared -fPIC slow.c -o slow.so -ldl
"$CC" -std=gnu17 -I"$cuda_programs" few.c -o few -L"$SIM_LIB" -l:libcudart.so.13 -l:libcuda.so.1

slept_ns=$((1000000000 + 20000000)) # the file, and what the probe waits at most
began_ns=$(date +%s%N)
env LD_LIBRARY_PATH="$SIM_LIB" LD_PRELOAD="$lib $here/slow.so" SIM_LAUNCH_NS=50000000 PROF_OUTPUT=slow.prof ./few
wall_ns=$(($(date +%s%N) - began_ns))
expect_cuda slow.prof -- "facts['cost']['begin_ns'] >= $slept_ns" \
    "facts['cost']['taken_ns'] <= $wall_ns - $slept_ns" \
    "sum(facts['cost'][part] for part in ('taken_ns', 'begin_ns', 'end_ns')) <= $wall_ns" \
    "{p['name'] for p in facts['cost']['parts'] if p['of'] == 'begin' and p['count']} == {'space', 'cuda'}"
no_violations "a slow start"
