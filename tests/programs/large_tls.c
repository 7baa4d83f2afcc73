/* large_tls.c - computes, then stands still in a range; its thread-local variables are larger than most threads' stacks. */
#include <prof/prof.h>

#include <time.h>
#include <unistd.h>

static _Thread_local volatile char large[4 << 20];
static volatile unsigned long sink;

static void __attribute__((noinline)) compute(clock_t time)
{
    for (clock_t end = clock() + time; clock() < end;)
        for (int i = 0; i < 100000; i++)
            sink += (unsigned long)i ^ (sink >> 3);
}

int main(void)
{
    large[sizeof large - 1] = 1;
    prof_range_push("compute");
    compute(CLOCKS_PER_SEC / 2);
    prof_range_pop();
    prof_range_push("stuck");
    for (;;)
        pause();
}
