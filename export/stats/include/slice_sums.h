/* slice_sums.h - self time and device time of slices, and totals by call stack. */
#ifndef PROF_SLICE_SUMS_H
#define PROF_SLICE_SUMS_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct slice_sums {
    int64_t self_ns; /* duration without the slices directly inside */
    /* Of the operations launched inside, however deep; of a range that CUDA events timed the
     * time between the two */
    int64_t device_ns;
    int64_t self_device_ns; /* of a range, of those whose innermost range it is; 0 of a call */
};

/* By slice; free() it. A slice that is not shown hands what is inside of it to the one around it.
 * NULL: no memory. */
struct slice_sums *slice_sums_create(const struct timeline *timeline);

/* A call or range that was cut is counted once. These add what its later segments have to its first
 * one: */

/* By slice: when it ended, with the segments that continue it. free() it. NULL: no memory. */
int64_t *slice_ends_create(const struct timeline *timeline);
/* Adds the sums of later segments to those of the first one. */
void slice_sums_join(struct slice_sums *sums, const struct timeline *timeline);

/* Whether outputs show the slice: not what libprof did, nor calls that are only known because they
 * failed. */
static inline bool slice_is_shown(const struct timeline *timeline, const struct tl_slice *slice)
{
    bool failed_only = slice->kind == TL_API && timeline->apis.at[slice->api].failed_only;
    return !(slice->flags & TL_INTERNAL) && !failed_only;
}

/* Device time of what a slice itself launched. */
int64_t slice_launched_ns(const struct timeline *timeline, const struct tl_slice *slice);

/* ---- by call stack: calls and times of what was launched there ---- */

struct stack_total {
    uint64_t calls;    /* CUDA calls made there */
    uint64_t ranges;   /* opened there */
    int64_t device_ns; /* of the device operations that the calls launched */
    int64_t cpu_ns;    /* of the calls */
    uint64_t samples;  /* taken there */
    int64_t run_ns;    /* CPU time that they stand for */
    int64_t wait_ns;   /* of waits there */
};

struct stack_totals {
    struct stack_total *at; /* by stack, or by group of stacks; so are the next two */
    uint32_t *order;        /* stacks by device time, CPU time, calls, ranges; largest first */
    uint32_t *sampled;      /* stacks of samples by run_ns, wait_ns; largest first */
    uint32_t count, sampled_count; /* of order, of sampled: a stack may be in both */
    int64_t device_ns;             /* of all */
    int64_t run_ns, wait_ns;
};

/* One pass over what has a stack. What libprof did itself is left out.
 *
 * group_of  by stack: which of `groups` it counts for. NULL: each stack is a group; `groups` is not
 *           read.
 * Returns   false: no memory; fini is not needed then.
 */
bool stack_totals_init(struct stack_totals *totals, const struct timeline *timeline,
                       const uint32_t *group_of, uint32_t groups);
void stack_totals_fini(struct stack_totals *totals);

/* Of the run as a whole. */
struct stack_facts {
    uint64_t stacks, modules;
    uint64_t cut;       /* stacks that were deeper than the limit */
    uint64_t untaken;   /* stacks that were wanted and could not be taken */
    uint64_t missing;   /* references to stacks that are not in the file */
    const char *method; /* "tables", "frames", "mixed", "none" */
};

void stack_facts_init(struct stack_facts *facts, const struct timeline *timeline);

#ifdef __cplusplus
}
#endif
#endif
