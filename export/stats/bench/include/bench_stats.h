/* bench_stats.h - statistics of the calls of a range (bench_calls.h), or why there are none.
 *
 *     device time   while at least one operation of the call ran, on any stream of any device
 *     span          from the start of its first operation to the end of its last one
 *     gaps          span - device time: no operation of the call ran
 *     host time     of the range: what the calling thread took, launches included
 *
 * Numbers are given only if the recording supports them: bench_stats_init() lists every reason that
 * speaks against them. With one, there are no groups.
 *
 * The relative error is half the width of the median's interval, over the median. The interval is
 * the bootstrap's (bootstrap.h) and has a fixed seed: the same recording gives the same numbers.
 */
#ifndef PROF_BENCH_STATS_H
#define PROF_BENCH_STATS_H

#include "bench_calls.h"
#include "diff.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_RESAMPLES 1000u
#define BENCH_CONFIDENCE 0.95
#define BENCH_RELATIVE_ERROR 0.05 /* the default limit */

enum bench_measure { BENCH_DEVICE, BENCH_SPAN, BENCH_GAPS, BENCH_HOST, BENCH_MEASURES };

/* Nanoseconds, over the calls of a group. */
struct bench_spread {
    double median, mean, p10, p90, min, max;
    double low, high;      /* interval of the median; NaN: too few calls */
    double relative_error; /* NaN likewise */
};

/* One place of a sequence, over the calls of a group. */
struct bench_operation {
    uint32_t gpu;          /* of the group's first call */
    double time_ns;        /* median */
    double share;          /* of all of these times; NaN: they are 0 */
    double gap_ns;         /* median of the time before it in which none ran; NaN: the first one */
    int occupancy_percent; /* -1 unknown */
    double flop, bytes;    /* by the formulas of operators, of the first call; NaN unknown */
};

/* Calls with one sequence. */
struct bench_group {
    uint32_t sequence; /* into calls.sequences[] */
    uint32_t calls;
    uint32_t kernels, copies; /* of one call; copies and sets */
    uint64_t copied_bytes;
    double flop, bytes; /* of one call; NaN: not known of all kernels */
    struct bench_spread spread[BENCH_MEASURES];
    int64_t *device_ns; /* of all calls, ascending */
    TL_ARRAY(struct bench_operation) operations;
};

/* Cold: on each device that it uses, the last work before the call is a set of at least twice the
 * size of the L2 cache. */
enum bench_cache { BENCH_UNKNOWN, BENCH_WARM, BENCH_COLD, BENCH_MIXED };
enum bench_launch { BENCH_EAGER, BENCH_GRAPH, BENCH_BOTH };

#define BENCH_REASON_BYTES 400u
#define BENCH_REASONS 12u

/* What counters called "... SM clock ..." or "... GPC Clock Frequency ..." recorded, during the
 * calls. */
struct bench_clock {
    double min, max;
    uint32_t samples; /* 0: none */
};

struct bench_options {
    const char *range;
    double max_relative_error;
    bool allow_varying; /* several sequences are several groups */
};

struct bench_stats {
    const struct timeline *timeline;
    struct bench_options options;
    struct bench_calls calls;
    TL_ARRAY(struct bench_group) groups; /* by sequence */
    TL_ARRAY(uint32_t) devices;          /* that calls used, into timeline.devices[] */
    enum bench_cache cache;
    enum bench_launch launch;
    struct bench_clock clock;
    char reasons[BENCH_REASONS][BENCH_REASON_BYTES]; /* sentences without a full stop */
    unsigned reason_count;                           /* not 0: there are no groups */
};

/* The timeline and the range must outlive it. False: no memory; fini is not needed then. */
bool bench_stats_init(struct bench_stats *stats, const struct timeline *timeline,
                      const struct bench_options *options);
void bench_stats_fini(struct bench_stats *stats);

/* ---- two ranges, or one range of two recordings ---- */

struct bench_comparison {
    struct bootstrap_interval ratio; /* of medians of device time: `right` over `left` */
    enum diff_verdict verdict;       /* UNKNOWN: a side has no numbers, or several groups */
};

/* False: no memory. */
bool bench_compare(struct bench_comparison *comparison, const struct bench_stats *left,
                   const struct bench_stats *right);

/* "warm" ..., "eager" ..., "device_time" ...; "faster", "slower", "same", "inconclusive" */
const char *bench_cache_name(enum bench_cache cache);
const char *bench_launch_name(enum bench_launch launch);
const char *bench_measure_name(enum bench_measure measure);
const char *bench_verdict_name(enum diff_verdict verdict);

#ifdef __cplusplus
}
#endif
#endif
