/* key_sort.h - the columns of the key-averaged table by name, their numbers, and sorting by them. */
#ifndef PROF_KEY_SORT_H
#define PROF_KEY_SORT_H

#include "key_averages.h"

enum key_column {
    KEY_BY_DEFAULT, /* cuda_total where there is device data, else cpu_total */
    KEY_BY_NAME,
    KEY_BY_SELF_CPU,
    KEY_BY_CPU_TOTAL,
    KEY_BY_CPU_AVG,
    KEY_BY_SELF_CUDA,
    KEY_BY_CUDA_TOTAL,
    KEY_BY_CUDA_AVG,
    KEY_BY_COUNT,
    KEY_BY_MIN, /* from here on: see key_spread.h */
    KEY_BY_MAX,
    KEY_BY_MEAN,
    KEY_BY_STDDEV,
    KEY_BY_P10,
    KEY_BY_P50,
    KEY_BY_P90,
    KEY_BY_P99,
    KEY_BY_COLD,
    KEY_BY_WARM,
    KEY_BY_PROJECTED,     /* GPU-projected time, in total */
    KEY_BY_PROJECTED_AVG, /* of a call that launched something */
    KEY_BY_BYTES,
    KEY_BY_RATE, /* bytes per nanosecond, which is GB/s */
    KEY_BY_CPU_MEMORY,
    KEY_BY_SELF_CPU_MEMORY,
    KEY_BY_CUDA_MEMORY,
    KEY_BY_SELF_CUDA_MEMORY,
    KEY_COLUMNS
};

/* Sorts descending (names: ascending). Equal rows are ordered by the other totals, then by name and
 * by group: the order is the same on every run and every machine. */
void key_sort(struct key_averages *averages, enum key_column column);

/* Finds a column by its name here ("self_cpu"), in torch.profiler ("self_cpu_time_total") or in
 * --json ("self_cpu_total_ns"). Returns false when there is none. */
bool key_sort_find(const char *name, enum key_column *column);

/* A row's number in a column; nanoseconds, bytes or a count. Of KEY_BY_NAME and KEY_BY_DEFAULT 0. */
double key_column_value(const struct key_average *row, enum key_column column);

/* Whether the column needs key_options.spread. */
bool key_column_needs_spread(enum key_column column);

/* "name, self_cpu, ..." for messages. */
const char *key_sort_columns(void);

#endif
