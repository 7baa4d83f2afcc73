/* prometheus.h - metrics for Prometheus: their names, types and help. The recorder writes them
 * while the program runs (PROF_PROMETHEUS), profdump writes them from a recording: where both have
 * a metric, it means the same.
 *
 * Each series has the labels host, pid, run (when the recording began, milliseconds since the
 * epoch), and rank in a parallel job. So those of several processes and runs never collide.
 */
#ifndef PROF_PROMETHEUS_H
#define PROF_PROMETHEUS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PROF_METRICS_PREFIX "libprof_"

/* X(symbol, name, type, who has it: LIVE, DUMP or BOTH, labels of its own, help) */
#define PROF_METRICS(X)                                                                           \
    X(INFO, "info", "gauge", BOTH, "program, version, simulated",                                 \
      "The program and the libprof that recorded it; always 1.")                                  \
    X(RUNNING, "running", "gauge", LIVE, "",                                                      \
      "1 while the process runs, 0 once it has ended; a process that was killed leaves 1.")       \
    X(WRITTEN, "written_timestamp_seconds", "gauge", LIVE, "",                                    \
      "When the file was written, Unix time.")                                                    \
    X(RECORDING, "recording", "gauge", LIVE, "", "1 while recording is on, 0 while it is off.")   \
    X(SILENT, "seconds_without_progress", "gauge", LIVE, "",                                      \
      "Time since a step, range, CUDA call or device operation ended; 0 while recording is off.") \
    X(RECORDED, "recorded_seconds_total", "counter", BOTH, "",                                    \
      "Time during which recording was on.")                                                      \
    X(STEPS, "steps_total", "counter", BOTH, "", "Steps that ended.")                             \
    X(STEP_SECONDS, "step_seconds", "histogram", BOTH, "le", "Duration of a step.")               \
    X(STEP_PARTS, "step_part_seconds_total", "counter", LIVE, "part",                             \
      "Time of steps by what ran: only collectives (communication), or the rank's own work.")     \
    X(BUSY, "device_busy_seconds_total", "counter", BOTH, "device",                               \
      "Time in which the device ran at least one operation.")                                     \
    X(LAUNCHES, "launches_total", "counter", BOTH, "",                                            \
      "CUDA calls that launch device operations.")                                                \
    X(OPERATIONS, "operations_total", "counter", BOTH, "kind",                                    \
      "Device operations that completed.")                                                        \
    X(COPIED, "copied_bytes_total", "counter", BOTH, "direction", "Bytes that copies moved.")     \
    X(COLLECTIVES, "collectives_total", "counter", BOTH, "function",                              \
      "NCCL calls that began: collectives, sends and receives.")                                  \
    X(MEMORY, "memory_bytes", "gauge", BOTH, "device, memory",                                    \
      "Memory of CUDA and of the program's allocators that is allocated and not freed.")          \
    X(MEMORY_PEAK, "memory_peak_bytes", "gauge", BOTH, "device, memory",                          \
      "Peak of libprof_memory_bytes.")                                                            \
    X(LOST, "lost_total", "counter", BOTH, "cause", "Losses while recording.")                    \
    X(UNSEEN, "unseen_chunks_total", "counter", LIVE, "",                                         \
      "Parts of the recording that a ring overwrote before they were counted here.")              \
    X(COST, "cost_seconds_total", "counter", BOTH, "of",                                          \
      "Cost of recording: time of the program's threads, and CPU time of libprof's own threads.")

enum prof_metric {
#define PROF_METRIC_ENUM(symbol, name, type, who, labels, help) PROF_METRIC_##symbol,
    PROF_METRICS(PROF_METRIC_ENUM)
#undef PROF_METRIC_ENUM
        PROF_METRIC_COUNT
};

struct prof_metric_info {
    const char *name, *type, *help;
};

static inline struct prof_metric_info prof_metric_describe(enum prof_metric metric)
{
#define PROF_METRIC_INFO(symbol, name, type, who, labels, help) \
    {PROF_METRICS_PREFIX name, type, help},
    static const struct prof_metric_info all[] = {PROF_METRICS(PROF_METRIC_INFO)};
#undef PROF_METRIC_INFO
    return all[metric];
}

/* ---- the histogram of steps ---- */

#define PROF_METRICS_BUCKETS 16u /* of which the last one is +Inf */

/* Upper limits, also as they are written. */
static inline int64_t prof_metrics_bucket_ns(unsigned bucket, const char **text)
{
    static const struct {
        int64_t ns;
        const char *text;
    } all[PROF_METRICS_BUCKETS] = {
        {1000000, "0.001"},    {2500000, "0.0025"},   {5000000, "0.005"},    {10000000, "0.01"},
        {25000000, "0.025"},   {50000000, "0.05"},    {100000000, "0.1"},    {250000000, "0.25"},
        {500000000, "0.5"},    {1000000000, "1.0"},   {2500000000, "2.5"},   {5000000000, "5.0"},
        {10000000000, "10.0"}, {30000000000, "30.0"}, {60000000000, "60.0"}, {INT64_MAX, "+Inf"}};
    if (text)
        *text = all[bucket].text;
    return all[bucket].ns;
}

struct prof_metrics_histogram {
    uint64_t buckets[PROF_METRICS_BUCKETS]; /* each by itself; written added up */
    uint64_t count, sum_ns;
};

static inline void prof_metrics_observe(struct prof_metrics_histogram *histogram, int64_t ns)
{
    unsigned bucket = 0;
    while (ns > prof_metrics_bucket_ns(bucket, NULL))
        bucket++;
    histogram->buckets[bucket]++;
    histogram->count++;
    histogram->sum_ns += ns > 0 ? (uint64_t)ns : 0;
}

/* ---- values of labels ---- */

enum {
    PROF_METRICS_KERNEL,
    PROF_METRICS_MEMCPY,
    PROF_METRICS_MEMSET,
    PROF_METRICS_GRAPH,
    PROF_METRICS_KINDS
};

static inline const char *prof_metrics_kind(unsigned kind)
{
    static const char *const names[PROF_METRICS_KINDS] = {"kernel", "memcpy", "memset", "graph"};
    return names[kind];
}

/* Parts of a step. They add up to its duration, as in prof_rec_summary_step. */
enum {
    PROF_METRICS_COMPUTE,
    PROF_METRICS_COMMUNICATION,
    PROF_METRICS_COPY,
    PROF_METRICS_IDLE_HOST,
    PROF_METRICS_IDLE_DEVICE,
    PROF_METRICS_STEP_PARTS
};

static inline const char *prof_metrics_step_part(unsigned part)
{
    static const char *const names[PROF_METRICS_STEP_PARTS] = {"compute", "communication", "copy",
                                                               "idle_host", "idle_device"};
    return names[part];
}

#define PROF_METRICS_DIRECTIONS 6u

/* Of CUpti_ActivityMemcpyKind; arrays are of the device. */
static inline unsigned prof_metrics_direction(unsigned copy_kind)
{
    static const uint8_t directions[] = {0, 1, 2, 1, 2, 3, 3, 3, 3, 4, 5};
    return copy_kind < sizeof directions ? directions[copy_kind] : 0;
}

static inline const char *prof_metrics_direction_name(unsigned direction)
{
    static const char *const names[PROF_METRICS_DIRECTIONS] = {"unknown",        "host_to_device",
                                                               "device_to_host", "device_to_device",
                                                               "host_to_host",   "peer_to_peer"};
    return names[direction];
}

/* By CUpti_ActivityMemoryKind, as in MEMORY records. */
static inline const char *prof_metrics_memory(unsigned kind)
{
    static const char *const names[] = {"unknown", "pageable", "pinned",        "device",
                                        "array",   "managed",  "device static", "managed static"};
    return names[kind < sizeof names / sizeof *names ? kind : 0];
}

/* Such memory is of no device. */
static inline int prof_metrics_memory_is_host(unsigned kind)
{
    return kind == 1 || kind == 2;
}

#define PROF_METRICS_FUNCTIONS 11u

static inline const char *prof_metrics_function(unsigned function)
{
    static const char *const names[PROF_METRICS_FUNCTIONS] = {
        "ncclAllGather",     "ncclAllReduce", "ncclAllToAll", "ncclAlltoAll",
        "ncclBroadcast",     "ncclGather",    "ncclRecv",     "ncclReduce",
        "ncclReduceScatter", "ncclScatter",   "ncclSend"};
    return names[function];
}

/* Which function a range of that name is a call of; PROF_METRICS_FUNCTIONS: none. */
static inline unsigned prof_metrics_function_of(const char *name, size_t bytes)
{
    unsigned function = 0;
    if (bytes < 8 || memcmp(name, "nccl", 4) != 0)
        return PROF_METRICS_FUNCTIONS;
    while (function < PROF_METRICS_FUNCTIONS &&
           (strlen(prof_metrics_function(function)) != bytes ||
            memcmp(prof_metrics_function(function), name, bytes) != 0))
        function++;
    return function;
}

#endif
