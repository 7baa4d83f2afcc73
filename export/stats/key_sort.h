/* key_sort.h - the columns of the key-averaged table by name, and sorting by them. */
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
};

/* Sorts descending (names: ascending). Equal rows are ordered by the other totals, then by name:
 * the order is the same on every run and every machine. */
void key_sort(struct key_averages *averages, enum key_column column);

/* Finds a column by its name here ("self_cpu"), in torch.profiler ("self_cpu_time_total") or in
 * --json ("self_cpu_total_ns"). Returns false when there is none. */
bool key_sort_find(const char *name, enum key_column *column);

/* "name, self_cpu, ..." for messages. */
const char *key_sort_columns(void);

#endif
