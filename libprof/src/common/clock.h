/* clock.h - the recorder's clock: raw ticks in the records, samples of three clocks in META.
 *
 * Ticks are the processor's counter where the kernel itself trusts it, or counter.h does (0.85 of
 * the cost floor for two readings, against 2 for clock_gettime), else CLOCK_MONOTONIC nanoseconds.
 * Readers convert.
 */
#ifndef PROF_CLOCK_H
#define PROF_CLOCK_H

#include "arch.h"
#include "atomic.h"
#include "recorder.h"

#include <time.h>

/* Written by clock_choose(), before the first record. */
extern uint32_t clock_kind;

/* Chooses the clock. Idempotent. Returns why this clock. Threads: any. */
const char *clock_choose(void);

/* Reads the three clocks as close together as it can: the best of some attempts. */
void clock_sample(struct prof_rec_clock *sample);

/* Any of the system's clocks, in nanoseconds. */
uint64_t clock_gettime_ns(clockid_t id);
uint64_t clock_monotonic_ns(void);

/* Lets other threads go on for so many microseconds, below a million. No cancellation point, unlike
 * nanosleep(): we are in the program's threads. Safe in signal handlers; keeps errno. */
void clock_pause(uint32_t us);

/* Waits for another thread in a loop: `attempt` counts from 0. Gives way first, then sleeps, as the
 * other one may have a lower priority than we have, and the same processor. */
void clock_wait(int attempt);

static inline uint64_t clock_read(void)
{
    if (__builtin_expect(load_relaxed(&clock_kind) == ARCH_CLOCK_KIND &&
                             ARCH_CLOCK_KIND != PROF_CLOCK_MONOTONIC,
                         1))
        return arch_ticks();
    return clock_monotonic_ns();
}

#endif
