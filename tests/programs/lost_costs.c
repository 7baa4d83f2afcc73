/* lost_costs [N]: prints the processor time, in ns per pair, of N pairs that are recorded (until the limit is
 * near) and of N that are not, and then how many events there were. */
#include <prof/prof.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long events;

static double pairs(long count)
{
    struct timespec from, to;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (long i = 0; i < count; i++) {
        prof_range_push("pair");
        prof_range_pop();
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    events += 2 * count;
    return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
           (double)count;
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 1000000;
    pairs(1000);
    double recorded = pairs(50000);
    pairs(500000);
    double lost = pairs(count);
    printf("%.1f %.1f %ld\n", recorded, lost, events);
    return 0;
}
