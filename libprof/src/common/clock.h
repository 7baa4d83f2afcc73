/* clock.h - the recorder's clock: raw ticks in the records, samples of three clocks in META.
 *
 * Ticks are the processor's counter where the kernel itself trusts it, or counter.c does (0.85 of
 * the cost floor for two readings, against 2 for clock_gettime), else CLOCK_MONOTONIC nanoseconds.
 * Readers convert.
 */
#ifndef PROF_CLOCK_H
#define PROF_CLOCK_H

#include "arch.h"
#include "atomic.h"
#include "recorder.h"

#include "prof/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

/* ---- CPU time of any thread of the process ---- */

/* The kernel's number of a thread's CPU clock; pthread_getcpuclockid() derives it from the thread's
 * number as well. */
static inline clockid_t thread_clock(uint32_t tid)
{
    return (clockid_t)(~tid << 3 | 6u);
}

/* 0: the thread is gone. While it waits, the value does not change: two equal readings mean that it
 * did nothing between. */
static inline uint64_t thread_clock_ns(uint32_t tid)
{
    struct timespec now;
    if (clock_gettime(thread_clock(tid), &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- how well the kernel's clock agrees with true time ---- */

/* Reads what chrony, ntpd or PTP's phc2sys have told the kernel; sets no clock. False: it cannot be
 * had, as in a sandbox (seccomp), and `state` is as before. Threads: any. errno stays. */
bool system_clock_read(struct prof_rec_system_clock *state);

/* ---- counter.c: whether the processor's counter is reliable ---- */

/* Whether a kernel that keeps time by `clocksource` may have a good counter: one of those
 * clocks. */
bool counter_may_be_good(const char *clocksource);

/* Takes a sample on each processor that the calling thread may run on, sixteen of them at most, and
 * returns whether the counter never stops and they agree. Takes about 50 us for each. The thread is
 * not moved: a child is. Before: signals are blocked (signals_block). Not in signal handlers. */
bool counter_is_in_step(void);

/* Whether samples, taken one after the other, lie on one line of ticks against CLOCK_MONOTONIC,
 * each as closely as it was taken. The first and the last one must be of the same processor. */
bool counter_samples_agree(const struct prof_rec_clock *samples, size_t count);

/* What the watch remembers: zero at first. */
struct counter_watch {
    struct prof_rec_clock last;
    uint64_t ticks, ns; /* between the last two samples; 0 not known */
};

/* Whether the counter went on since the last sample as it did before that one: no faster, no slower
 * and not back. Virtual machines move to other processors, and suspended ones lose their counter.
 * True when there is too little to tell. */
bool counter_goes_on(struct counter_watch *watch, const struct prof_rec_clock *sample);

#endif
