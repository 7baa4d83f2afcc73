/* operation_totals.h - what devices did, by name, by launch and by sequence.
 *
 * Totals are by name: how often, how long, how fast, how long after the launch.
 *
 * It is the kernel breakdown and the memory bandwidth summary of HolisticTraceAnalysis, and the
 * launch and execution summary of nsys (cuda_kern_exec_sum).
 */
#ifndef PROF_OPERATION_TOTALS_H
#define PROF_OPERATION_TOTALS_H

#include "finding_steps.h"
#include "key_averages.h"
#include "temporal_breakdown.h"
#include "timeline.h"

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

/* Of the whole call, also where it was cut because what was around it ended. `call` is in the
 * timeline. */
int64_t operation_call_end_ns(const struct timeline *timeline, const struct tl_slice *call);

/* Whether it copies from or to pageable memory. */
bool operation_is_pageable_copy(const struct timeline *timeline, const struct tl_gpu *operation);

/* Bytes per ns of all that took time; NaN: none did. */
double operation_total_rate(const struct operation_total *total);

/* ---- launches ----
 *
 * What launching cost, for each device: of operations whose call is in the trace and
 * launched nothing else, so without those of graphs.
 *
 * As HolisticTraceAnalysis' launch statistics: calls that took long, starts that came late after
 * the call's end, operations shorter than the call that launched them. `starved` is not there:
 * starts that came late though the stream had nothing else to do since the call ended.
 */

/* HolisticTraceAnalysis' defaults. */
#define LAUNCH_SLOW_CALL_NS 50000
#define LAUNCH_LATE_START_NS 100000

struct launch_some {
    uint64_t count;
    int64_t excess_ns; /* beyond the limit; of `shorter`: what the calls took longer */
    uint32_t worst;    /* operation, into gpus[]; TL_NONE */
    int64_t worst_ns;
    struct finding_parts parts; /* by step of the launch: count, cost_ns the excess */
};

struct launch_row {
    uint32_t process;
    uint32_t device;                        /* ordinal in its process; TL_NONE unknown */
    uint64_t launched;                      /* operations whose call is known */
    uint64_t others;                        /* of graphs, or their call is not in the trace */
    int64_t call_ns, delay_ns, duration_ns; /* sums over these */
    struct launch_some slow;                /* calls longer than `slow_call_ns` */
    struct launch_some late;                /* started later than `late_start_ns` after the call */
    struct launch_some starved;             /* of these, though the stream had been free as long */
    struct launch_some shorter;             /* took less time than the call */
};

struct launch_stats {
    struct launch_row *at; /* devices with operations */
    uint32_t count;
};

/* Linear. `steps` NULL: nothing by step. False: no memory; fini is not needed then. */
bool launch_stats_init(struct launch_stats *stats, const struct timeline *timeline,
                       int64_t slow_call_ns, int64_t late_start_ns, struct finding_steps *steps);
void launch_stats_fini(struct launch_stats *stats);

/* ---- sequences ----
 *
 * Which ranges have the device do the same things in the same order.
 *
 * Of the outermost ranges whose name holds a text, what each launched, itself and within, in the
 * order in which it was launched, is one sequence: the names of kernels, copies and sets. Ranges of
 * one name with equal sequences are one pattern. As HolisticTraceAnalysis' frequent kernel
 * sequences, which takes operations in the order in which they ran.
 */

#define KERNEL_SEQUENCE_LEAST 3u /* shorter ones are not patterns */

struct kernel_sequence {
    uint64_t hash;
    uint32_t example;           /* the first range of it */
    uint32_t key;               /* of its name */
    uint32_t length;            /* operations */
    uint32_t count;             /* ranges */
    int64_t device_ns;          /* of the operations */
    int64_t range_ns;           /* of the ranges */
    int64_t call_ns;            /* of it, in the calls that launched */
    struct finding_parts parts; /* by step in which the range began: count, cost_ns of call_ns */
};

struct kernel_sequences {
    struct kernel_sequence *at; /* most frequent first, then longest on the device */
    uint32_t count, capacity;
    uint32_t ranges; /* examined, including shorter ones */
};

/* Ranges whose name contains `part`; NULL: steps. Linear. False: no memory; fini is not needed
 * then. */
bool kernel_sequences_init(struct kernel_sequences *sequences, const struct timeline *timeline,
                           const struct key_names *keys, const char *part, uint32_t least,
                           struct finding_steps *steps);
void kernel_sequences_fini(struct kernel_sequences *sequences);

/* Names of its operations, at most `most`; returns how many were given. */
uint32_t kernel_sequence_names(const struct timeline *timeline,
                               const struct kernel_sequence *sequence, uint32_t *names,
                               uint32_t most);

#ifdef __cplusplus
}
#endif
#endif
