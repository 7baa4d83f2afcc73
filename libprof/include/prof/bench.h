/* bench.h - measures how long one call of GPU code takes on the device, from CUPTI's records.
 *
 *     #include <prof/bench.h>
 *
 *     struct prof_bench_options options;
 *     struct prof_bench_result result = {sizeof result};
 *     prof_bench_options_default(&options);
 *     options.name = "gemm";
 *     if (prof_bench_begin(&options) != PROF_OK)
 *         return;
 *     while (prof_bench_next())
 *         gemm<<<grid, block>>>(a, b, c);
 *     if (prof_bench_end(&result) == PROF_OK)
 *         printf("%.0f ns, 95 %%: %.0f to %.0f\n", result.device.median_ns, result.device.low_ns,
 *                result.device.high_ns);
 *     else
 *         puts(result.reason);
 *
 * Each pass of the loop is one call: first `warmup` passes that are not measured, then the measured
 * ones, each in a range "bench NAME". Between measured calls, prof_bench_next() waits until the
 * devices are idle and clears their L2 caches. Numbers are those of `profdump bench --range "bench
 * NAME"`. They are given only if the recording supports them; `reason` says why there are none.
 *
 * libprof.so cannot read recordings: prof_bench_end() loads libprofdump.so, as prof_table() does.
 * So the statistics exist once, and there is neither another library to link nor a process to
 * start.
 *
 * Within a recording that is on, the calls become part of it. Otherwise prof_bench_begin() starts
 * recording and prof_bench_end() stops it. One benchmark at a time: what a call launches on other
 * threads belongs to it. Threads: all three functions on the same thread.
 */
#ifndef PROF_BENCH_H
#define PROF_BENCH_H

#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Call prof_bench_options_default() before setting fields. */
struct prof_bench_options {
    size_t size_bytes;
    const char *name;     /* copied, at most 200 bytes */
    uint64_t warmup;      /* calls that are not measured, at least 1 */
    uint64_t repeats;     /* measured calls; 0: 20 to 10,000, until `min_time_ms` have passed */
    uint64_t min_time_ms; /* of the measured calls and what is between them */
    uint64_t cold_l2;     /* nonzero: before each call, set twice the bytes of each device's L2 */
    double max_relative_error; /* of the median device time; above it there are no numbers */
    uint64_t allow_varying;    /* nonzero: calls may launch different operations; the numbers are
                                  of the calls with the most frequent sequence */
    double flops, bytes;       /* of one call, for its rates; 0: not known */
    /* Called before each call, outside of its range, and before the L2 caches are cleared; NULL:
     * nothing is. */
    void (*before_each)(void *user);
    void *user;
};

/* Over the measured calls, in nanoseconds. `low_ns` to `high_ns` is the 95 % interval of the
 * median, by bootstrap with a fixed seed. */
struct prof_bench_time {
    double median_ns, mean_ns, p10_ns, p90_ns, min_ns, max_ns;
    double low_ns, high_ns;
    double relative_error; /* half of that interval, over the median; NaN unknown */
};

/* One operation of a call. */
struct prof_bench_operation {
    char name[256]; /* cut at the end */
    double time_ns; /* median */
    double share;   /* of the times of all operations */
    double gap_ns;  /* median of the time before it in which none ran; NaN: it is the first */
    uint32_t grid[3], block[3]; /* 0: it is not a kernel */
    uint32_t registers;
    uint64_t shared_bytes;
    int32_t occupancy_percent; /* -1 unknown */
    uint32_t reserved;
    uint64_t copied_bytes; /* of copies and sets */
};

#define PROF_BENCH_OPERATIONS 64

/* Set size_bytes to sizeof(struct prof_bench_result) before the call. */
struct prof_bench_result {
    size_t size_bytes;
    uint64_t calls;                /* measured */
    struct prof_bench_time device; /* while at least one operation of the call ran */
    struct prof_bench_time span;   /* from its first operation's start to its last one's end */
    struct prof_bench_time gaps;   /* span - device */
    struct prof_bench_time host;   /* of the range, on the calling thread */
    double flop, bytes;            /* of one call; NaN unknown */
    uint64_t kernels, copies, copied_bytes; /* of one call */
    uint64_t sequences;                  /* different ones; more than 1 only with `allow_varying` */
    uint64_t sequence_calls;             /* calls of which the numbers are */
    double clock_min_mhz, clock_max_mhz; /* of the multiprocessors meanwhile; NaN unknown */
    const char *cache;                   /* "cold", "warm", "mixed" or "unknown" */
    const char *launch;                  /* "eager", "graph" or "mixed" */
    char device_name[128];
    uint64_t simulated;  /* nonzero: on the simulated CUDA */
    uint64_t operations; /* of one call */
    char reason[1024];   /* why there are no numbers, sentences separated by "; "; else empty */
    struct prof_bench_operation operation[PROF_BENCH_OPERATIONS]; /* the first ones */
};

PROF_DECLARE(prof_status, prof_bench_begin, (const struct prof_bench_options *options));
PROF_DECLARE(bool, prof_bench_next, (void));
PROF_DECLARE(prof_status, prof_bench_end, (struct prof_bench_result * result));

/* The same numbers of a range in any trace. `options` may be NULL; `name` in it is not used.
 *
 * Returns  PROF_OK; PROF_INCONCLUSIVE: the recording does not support numbers, `result->reason`
 *          says why; PROF_INVALID: a wrong argument; PROF_FAILED: no memory.
 */
PROF_TRACE_API prof_status prof_trace_bench(struct prof_trace *trace, const char *range,
                                            const struct prof_bench_options *options,
                                            struct prof_bench_result *result);

#ifndef PROF_IMPLEMENTATION

static inline void prof_bench_options_default(struct prof_bench_options *options)
{
    options->size_bytes = sizeof *options;
    options->name = "call";
    options->warmup = 3;
    options->repeats = 0;
    options->min_time_ms = 200;
    options->cold_l2 = 1;
    options->max_relative_error = 0.05;
    options->allow_varying = 0;
    options->flops = options->bytes = 0;
    options->before_each = 0;
    options->user = 0;
}

/* Begins a benchmark. Returns PROF_OK; PROF_INVALID: wrong options; PROF_BUSY: another one has not
 * ended in this process; PROF_ABSENT. */
static inline prof_status prof_bench_begin(const struct prof_bench_options *options)
{
    return PROF_PRESENT(prof_bench_begin) ? PROF_CALL(prof_bench_begin)(options) : PROF_ABSENT;
}

/* Ends the call before and begins the next one. False: that was the last one. Also false without a
 * benchmark, and in a forked child. */
static inline bool prof_bench_next(void)
{
    return PROF_PRESENT(prof_bench_next) && PROF_CALL(prof_bench_next)();
}

/* Ends the benchmark, also before its last call, and waits until the devices are idle.
 *
 * result   filled but for `size_bytes`; NULL: the calls are only recorded.
 * Returns  PROF_OK; PROF_INCONCLUSIVE: see `result->reason`; PROF_NOTHING: no benchmark has begun;
 *          PROF_INVALID: a wrong argument, or a forked child; PROF_FAILED: libprofdump.so or the
 *          trace file cannot be read.
 */
static inline prof_status prof_bench_end(struct prof_bench_result *result)
{
    return PROF_PRESENT(prof_bench_end) ? PROF_CALL(prof_bench_end)(result) : PROF_ABSENT;
}

#endif

#ifdef __cplusplus
}
#endif
#endif
