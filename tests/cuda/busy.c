/* busy.c - busy MS [DEPTH]: for so long, launches and calls that launch nothing, as fast as it goes and DEPTH calls deep, so
 * that a call stack costs something. Prints what it did: launches, synchronisations. */
#include "cuda_test.h"

#include <prof/prof.h>

#include <stdlib.h>
#include <time.h>

static unsigned long turns;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static __attribute__((noinline)) int turn(int depth)
{
    if (depth > 0) {
        return turn(depth - 1) + 1;
    }
    prof_range_push("turn");
    launch_work(1, NULL);
    cuda_check(cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
    prof_range_pop();
    turns++;
    return 0;
}

int main(int argc, char **argv)
{
    double duration_ms = argc > 1 ? atof(argv[1]) : 1000;
    volatile int depth = argc > 2 ? atoi(argv[2]) : 20;
    cuda_check(cudaFree(NULL), "context");
    for (double begun_ms = now_ms(); now_ms() - begun_ms < duration_ms;) {
        turn(depth);
    }
    printf("%lu\n", turns);
    return 0;
}
