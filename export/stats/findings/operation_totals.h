/* operation_totals.h - what each device did, by name: how often, how long, how fast, how long after its
 * launch.
 *
 * It is the kernel breakdown and the memory bandwidth summary of HolisticTraceAnalysis, and the launch
 * and execution summary of nsys (cuda_kern_exec_sum).
 */
#ifndef PROF_OPERATION_TOTALS_H
#define PROF_OPERATION_TOTALS_H

#include "work_classes.h"

#ifdef __cplusplus
extern "C" {
#endif

struct operation_total {
    uint32_t process;
    uint32_t device; /* ordinal in its process; TL_NONE unknown */
    uint32_t name;   /* into names[], TL_NONE */
    enum work_class class_of;
    uint64_t count;
    int64_t sum_ns, min_ns, max_ns;
    double stddev_ns; /* of a sample: divided by count - 1; NaN of one */
    /* Copies and sets. A rate is of those that took time; 1 byte per ns is 1 GB/s. */
    uint64_t bytes;
    uint64_t timed_bytes;
    int64_t timed_ns;
    double least_rate, most_rate; /* NaN: none took time */
    /* Those whose call is in the trace and launched nothing else. */
    uint64_t launched;
    int64_t call_ns;      /* durations of the calls */
    int64_t delay_ns;     /* from the end of the call to the start, 0 where it started before */
    double mean, squares; /* working: Welford's running mean and sum of squares */
};

struct operation_totals {
    struct operation_total *at; /* by process, device, class; longest first */
    uint32_t count, capacity;
};

/* Linear, and the sort of the rows. False: no memory; fini is not needed then. */
bool operation_totals_init(struct operation_totals *totals, const struct timeline *timeline,
                           const struct work_classes *classes);
void operation_totals_fini(struct operation_totals *totals);

/* The call that launched this operation alone; NULL: it is not in the trace, or was a graph's. */
const struct tl_slice *operation_call(const struct timeline *timeline,
                                      const struct tl_gpu *operation);

/* Of the whole call, also where it was cut because what was around it ended. `call` is in the timeline. */
int64_t operation_call_end_ns(const struct timeline *timeline, const struct tl_slice *call);

/* From the end of the call to the start; 0 where it started before. */
int64_t operation_delay_ns(const struct timeline *timeline, const struct tl_gpu *operation,
                           const struct tl_slice *call);

/* Bytes per ns of all that took time; NaN: none did. */
double operation_total_rate(const struct operation_total *total);

#ifdef __cplusplus
}
#endif
#endif
