/* steps.h - the steps of each process, in order of time, and how their threads spent them.
 *
 * A step is one of the program's, so those of the first thread that has any count; what other
 * threads and devices do meanwhile belongs to it.
 */
#ifndef PROF_STEPS_H
#define PROF_STEPS_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct step {
    int64_t start_ns, end_ns;
    uint32_t name;  /* into names[] */
    uint32_t slice; /* its first segment */
};

struct steps {
    TL_ARRAY(struct step) at; /* by process, then start */
    uint32_t *first;          /* by process: its first step; one more at the end */
};

/* Linear in slices, but for sorting. False: no memory; fini is not needed then. */
bool steps_init(struct steps *steps, const struct timeline *timeline);
void steps_fini(struct steps *steps);

/* The step of a process at a time, TL_NONE: none. Its end is not part of it. */
uint32_t steps_find(const struct steps *steps, uint32_t process, int64_t time_ns);

/* The first step of the process that begins later than that; first[process + 1]: none does. */
uint32_t steps_first_after(const struct steps *steps, uint32_t process, int64_t time_ns);

/* ---- how the thread of each step spent it: on a processor, queued for one, or off ----
 *
 * From samples (PROF_SAMPLE), whose weights are the thread's CPU time and schedstat counters
 * between two of them.
 *
 * A running sample stands for all CPU time since the one before it, without the waits that lie
 * between. Its weight is spread evenly over that time, so a step is accurate to about one period of
 * sampling, and the sum over all of the time is exact.
 */
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
