/* step_times.h - how the thread of each step spent it: on a processor, queued for one, or off. From
 * samples (PROF_SAMPLE), whose weights are the thread's CPU time and schedstat counters between two
 * of them.
 *
 * A running sample stands for all CPU time since the one before it, without the waits that lie
 * between. Its weight is spread evenly over that time, so a step is accurate to about one period of
 * sampling, and the sum over all of the time is exact.
 */
#ifndef PROF_STEP_TIMES_H
#define PROF_STEP_TIMES_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct step_time {
    uint32_t slice;      /* the step; its first segment */
    int64_t end_ns;      /* of its last segment */
    int64_t run_ns;      /* on a processor */
    int64_t queued_ns;   /* it could run, but had none */
    int64_t off_cpu_ns;  /* the rest: it waited in the kernel */
    int64_t longest_ns;  /* of the recorded waits, as far as inside the step */
    uint32_t wait_stack; /* where that was; TL_NONE: no wait was recorded */
};

/* Steps of threads that have samples, by thread, then in order. */
struct step_times {
    struct step_time *at;
    uint32_t count;
};

/* False: no memory; fini is not needed then. */
bool step_times_init(struct step_times *times, const struct timeline *timeline);
void step_times_fini(struct step_times *times);

#ifdef __cplusplus
}
#endif
#endif
