/* cost.h - measures the overhead of recording while the program runs.
 *
 * No time is counted twice. Costs nest: a callback may create the file, record a call stack or
 * probe a device. cost_clock() is a per-thread clock that excludes time already charged, so each
 * part is charged without the parts inside it.
 *
 * Frequent work (callbacks, call stacks) is sampled: one in some dozens is timed and represents
 * those since the last timed one; the others cost a thread-local decrement. All of a thread's first
 * ones are timed, so that short runs are measured, too. Pushes and pops cost about as much as
 * reading the clock, so they are neither timed nor counted here: a thread of libprof calibrates the
 * cost of one, and readers count them in the logs.
 *
 * Not measured: the time that CUPTI spends before a callback and when it writes records, and the
 * effect on caches.
 */
#ifndef PROF_COST_H
#define PROF_COST_H

#include "recorder.h"

#include <time.h>

#define COST_TIMED_FIRST 16u
#define COST_GAP_MIN 32u /* of gaps that vary, so that no pattern of calls can hide in them */
#define COST_GAP_VARIES 64u

/* Of one thread and one thing; zero is its beginning. Signal handlers may blur it. */
struct cost_sampler {
    uint32_t left; /* until the next timed one, itself included */
    uint32_t gap;  /* what that one stands for */
    uint32_t seen;
};

/* Ticks of the calling thread that are already charged to a part. */
extern __thread uint64_t cost_charged
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Ticks of the calling thread that are not charged to any part. After clock_choose(). */
static inline uint64_t cost_clock(void)
{
    return clock_now() - cost_charged;
}

/* Charges a part with one occurrence on the calling thread that began at `began` by
 * cost_clock(). */
void cost_charge(enum prof_cost_part part, uint64_t began);
/* The same for one that stands for `stood_for`. */
void cost_charge_sampled(enum prof_cost_part part, uint32_t stood_for, uint64_t began);

/* How many occurrences the sampler's next timed one stands for. */
static inline uint32_t cost_stands_for(const struct cost_sampler *sampler)
{
    return sampler->gap ? sampler->gap : 1;
}

/* The cost_clock() at which an occurrence began, or 0: this one is not timed. */
static inline uint64_t cost_begin(struct cost_sampler *sampler)
{
    if (__builtin_expect(sampler->left > 1, 1)) {
        sampler->left--;
        return 0;
    }
    return cost_clock();
}

/* Drops the occurrences since the last timed one; times the next one. */
static inline void cost_restart(struct cost_sampler *sampler)
{
    sampler->left = sampler->gap = 0;
}

/* Ends a timed occurrence: charges the part with it and those it stands for. */
void cost_end(struct cost_sampler *sampler, enum prof_cost_part part, uint64_t began);

/* Adds time measured by another clock; it must not overlap time that is charged. Threads: any. */
void cost_add_ns(enum prof_cost_part part, uint64_t count, uint64_t ns);
void cost_add_launches(uint64_t count);

/* CPU time of the calling thread. */
static inline uint64_t cost_thread_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- for the recorder ---- */

/* Recording went on or off. One thread at a time. */
void cost_recording(bool on);
/* It has been on for as long as the process is there. No system call. */
void cost_recording_from_start(void);
/* Call before costs arise: forgets those of a parent. */
void cost_claim(void);
/* A chunk of so many words was filled. */
void cost_count_words(uint64_t words);
/* On the writer thread, now and then and when it ends. Calibrates the first time: not when the
 * thread begins, since others wait for the space it makes. */
void cost_writer(void);

/* States the cost in the file; `now`: also when that is not due. Any thread. */
void cost_emit(bool now);

/* Sums so far, for the governor. */
struct cost_sums {
    uint64_t recorded_ns, cpu_ns;
    uint64_t taken_ns; /* from the program's threads; events by the chunk */
    uint64_t own_ns;   /* CPU time of libprof's threads */
    uint64_t activity; /* things recorded, of whatever kind */
};
void cost_sum(struct cost_sums *sums);

/* Of what `taken_ns` is a share: wall time, or CPU time where several threads ran at once. */
static inline uint64_t cost_base_ns(uint64_t recorded_ns, uint64_t cpu_ns)
{
    return cpu_ns > recorded_ns ? cpu_ns : recorded_ns;
}

#endif
