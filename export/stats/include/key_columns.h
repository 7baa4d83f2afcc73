/* key_columns.h - every column of the key averages, in one table: a new one is one row.
 *
 *     X(ID, GROUP, name, title, key, form, rank, known, value, also...)
 *
 * ID, GROUP   KEY_BY_ID; when the column is there: enum key_column_group
 * name        for --sort and --columns
 * title       above the table, in CUDA's words
 * key         in JSON and separated values
 * form        how its number is written: enum key_form
 * rank        which columns a narrow table leaves out first, from 1 on; 0: the last of all
 * known       whether `row` has a number; `is_total`: it is the row of totals
 * value       the number of `row`: nanoseconds, bytes or a count
 * also        other names for --sort: those of torch.profiler, of older files, and what people try
 */
#ifndef PROF_KEY_COLUMNS_H
#define PROF_KEY_COLUMNS_H

#include "key_averages.h"

#ifdef __cplusplus
extern "C" {
#endif

enum key_form {
    KEY_FORM_TIME,
    KEY_FORM_COUNT,
    KEY_FORM_BYTES,
    KEY_FORM_RATE,       /* bytes per nanosecond, which is GB/s */
    KEY_FORM_CPU_SHARE,  /* nanoseconds, as a share of the sum of self CPU */
    KEY_FORM_CUDA_SHARE, /* ... of self CUDA */
};

enum key_column_group {
    KEY_GROUP_USUAL,
    KEY_GROUP_SPREAD, /* if --columns has it; needs key_options.spread */
    KEY_GROUP_MORE,   /* if --columns has it */
    KEY_GROUP_MEMORY, /* needs key_average.memory_bytes */
};

#define KEY_COLUMN_TABLE(X)                                                                        \
    X(NAME, USUAL, "name", "Name", "name", COUNT, 0, true, 0, "key")                               \
    X(SELF_CPU, USUAL, "self_cpu", "Self CPU", "self_cpu_total_ns", TIME, 17, true,                \
      (double)row->self_cpu_total_ns, "self_cpu_total", "self_cpu_time_total", "self_cpu_percent") \
    X(CPU_TOTAL, USUAL, "cpu_total", "CPU total", "cpu_total_ns", TIME, 14, true,                  \
      (double)row->cpu_total_ns, "cpu_time_total", "cpu_total_percent", "cpu", "total_cpu")        \
    X(CPU_AVG, USUAL, "cpu_avg", "CPU time avg", "cpu_avg_ns", TIME, 5, row->count > 0,            \
      ratio(row->cpu_total_ns, row->outer_count), "cpu_time", "cpu_time_avg")                      \
    X(SELF_CUDA, USUAL, "self_cuda", "Self CUDA", "self_cuda_total_ns", TIME, 18, true,            \
      (double)row->self_cuda_total_ns, "self_cuda_total", "self_cuda_time_total",                  \
      "self_cuda_percent", "self_device_time_total", "self_device", "self_gpu")                    \
    X(CUDA_TOTAL, USUAL, "cuda_total", "CUDA total", "cuda_total_ns", TIME, 16, true,              \
      (double)row->cuda_total_ns, "cuda_time_total", "device_time_total", "device_total", "cuda",  \
      "device", "gpu", "gpu_total", "gpu_time")                                                    \
    X(CUDA_AVG, USUAL, "cuda_avg", "CUDA time avg", "cuda_avg_ns", TIME, 6, row->count > 0,        \
      ratio(row->cuda_total_ns, row->outer_count), "cuda_time", "cuda_time_avg", "device_time",    \
      "device_time_avg")                                                                           \
    X(COUNT, USUAL, "count", "# of Calls", "count", COUNT, 15, true, (double)row->count, "calls",  \
      "num_calls", "#_of_calls")                                                                   \
    X(MIN, SPREAD, "min", "Min", "min_ns", TIME, 2, row->spread.count > 0,                         \
      (double)row->spread.min_ns, "")                                                              \
    X(MAX, SPREAD, "max", "Max", "max_ns", TIME, 3, row->spread.count > 0,                         \
      (double)row->spread.max_ns, "")                                                              \
    X(MEAN, SPREAD, "mean", "Mean", "mean_ns", TIME, 0, row->spread.count > 0,                     \
      key_spread_mean(&row->spread), "avg")                                                        \
    X(STDDEV, SPREAD, "stddev", "StdDev", "stddev_ns", TIME, 1, row->spread.count > 1,             \
      row->spread.stddev_ns, "")                                                                   \
    X(P10, SPREAD, "p10", "P10", "p10_ns", TIME, 0, row->spread.count > 0,                         \
      row->spread.percentile_ns[0], "")                                                            \
    X(P50, SPREAD, "p50", "P50", "p50_ns", TIME, 4, row->spread.count > 0,                         \
      row->spread.percentile_ns[1], "median")                                                      \
    X(P90, SPREAD, "p90", "P90", "p90_ns", TIME, 0, row->spread.count > 0,                         \
      row->spread.percentile_ns[2], "")                                                            \
    X(P99, SPREAD, "p99", "P99", "p99_ns", TIME, 0, row->spread.count > 0,                         \
      row->spread.percentile_ns[3], "")                                                            \
    X(COLD, SPREAD, "cold", "Cold avg", "cold_avg_ns", TIME, 0, row->spread.cold_count > 0,        \
      key_spread_cold(&row->spread), "cold_avg")                                                   \
    X(WARM, SPREAD, "warm", "Warm avg", "warm_avg_ns", TIME, 0,                                    \
      row->spread.count > row->spread.cold_count, key_spread_warm(&row->spread), "warm_avg")       \
    /* GPU-projected time: in total, and of a call that launched something */                      \
    X(PROJECTED, MORE, "projected", "GPU proj", "projected_ns", TIME, 0, row->projected_count > 0, \
      (double)row->projected_ns, "")                                                               \
    X(PROJECTED_AVG, MORE, "projected_avg", "GPU proj avg", "projected_avg_ns", TIME, 7,           \
      row->projected_count > 0, ratio(row->projected_ns, row->projected_count), "")                \
    X(BYTES, MORE, "bytes", "Bytes", "bytes", BYTES, 12, has_bytes(row, is_total),                 \
      (double)row->bytes, "")                                                                      \
    X(RATE, MORE, "rate", "GB/s", "gb_per_s", RATE, 13,                                            \
      has_bytes(row, is_total) && row->cuda_total_ns > 0,                                          \
      row->cuda_total_ns > 0 ? (double)row->bytes / (double)row->cuda_total_ns : 0, "")            \
    X(FLOPS, MORE, "flops", "FLOPs", "flops", COUNT, 0, row->has_flops, row->flops, "total_flops") \
    X(CPU_MEMORY, MEMORY, "cpu_memory", "CPU Mem", "cpu_memory_bytes", BYTES, 0, true,             \
      (double)row->memory_bytes[0], "cpu_memory_usage")                                            \
    X(SELF_CPU_MEMORY, MEMORY, "self_cpu_memory", "Self CPU Mem", "self_cpu_memory_bytes", BYTES,  \
      0, true, (double)row->memory_bytes[1], "self_cpu_memory_usage")                              \
    X(CUDA_MEMORY, MEMORY, "cuda_memory", "CUDA Mem", "cuda_memory_bytes", BYTES, 0, true,         \
      (double)row->memory_bytes[2], "cuda_memory_usage", "device_memory_usage")                    \
    X(SELF_CUDA_MEMORY, MEMORY, "self_cuda_memory", "Self CUDA Mem", "self_cuda_memory_bytes",     \
      BYTES, 0, true, (double)row->memory_bytes[3], "self_cuda_memory_usage",                      \
      "self_device_memory_usage")

/* Shares stand beside the columns that they are of. Nobody sorts by one. */
#define KEY_SHARE_TABLE(X)                                                                  \
    X(SELF_CPU_SHARE, USUAL, "", "Self CPU %", "self_cpu_percent", CPU_SHARE, 9, true,      \
      (double)row->self_cpu_total_ns, "")                                                   \
    X(CPU_TOTAL_SHARE, USUAL, "", "CPU total %", "cpu_total_percent", CPU_SHARE, 8, true,   \
      (double)row->cpu_total_ns, "")                                                        \
    X(SELF_CUDA_SHARE, USUAL, "", "Self CUDA %", "self_cuda_percent", CUDA_SHARE, 11, true, \
      (double)row->self_cuda_total_ns, "")                                                  \
    X(CUDA_TOTAL_SHARE, USUAL, "", "CUDA %", "cuda_total_percent", CUDA_SHARE, 10, true,    \
      (double)row->cuda_total_ns, "")

enum key_column {
    KEY_BY_DEFAULT, /* cuda_total where there is device data, else cpu_total */
#define X(id, ...) KEY_BY_##id,
    KEY_COLUMN_TABLE(X) KEY_COLUMNS,
    KEY_BY_FIRST_SHARE = KEY_COLUMNS - 1,
    KEY_SHARE_TABLE(X) KEY_COLUMNS_AND_SHARES
#undef X
};

#define KEY_NAMES_MAX 9

struct key_column_info {
    const char *name, *title, *key;
    enum key_form form;
    enum key_column_group group;
    uint8_t rank;
    const char *also[KEY_NAMES_MAX];
};

/* Of KEY_BY_DEFAULT all is NULL or 0. */
extern const struct key_column_info key_columns[KEY_COLUMNS_AND_SHARES];

/* A row's number in a column. Of KEY_BY_NAME and KEY_BY_DEFAULT 0. */
double key_column_value(const struct key_average *row, enum key_column column);

/* Whether the row has one: what a row does not have is not zero. */
bool key_column_known(const struct key_average *row, enum key_column column, bool is_total);

/* Finds a column by its name ("self_cpu"), in torch.profiler ("self_cpu_time_total"), in --json
 * ("self_cpu_total_ns") or above the table ("Self CPU"); "time" is KEY_BY_DEFAULT. Returns false
 * when there is none. */
bool key_column_find(const char *name, enum key_column *column);

/* Whether --columns can add it. */
static inline bool key_column_is_extra(enum key_column column)
{
    return key_columns[column].group == KEY_GROUP_SPREAD ||
           key_columns[column].group == KEY_GROUP_MORE;
}

/* Sorts descending (names: ascending). Equal rows are ordered by the other totals, then by name and
 * by group: the order is the same on every run and every machine. */
void key_sort(struct key_averages *averages, enum key_column column);

#ifdef __cplusplus
}
#endif
#endif
