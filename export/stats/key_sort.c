/* key_sort.c - a table of columns: how each is called, and which number it has. */
#define _GNU_SOURCE
#include "key_sort.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 7

static const struct {
    enum key_column column;
    const char *names[NAMES_MAX]; /* ours first */
} columns[] = {
    {KEY_BY_NAME, {"name", "key"}},
    {KEY_BY_SELF_CPU,
     {"self_cpu", "self_cpu_total", "self_cpu_time_total", "self_cpu_total_ns",
      "self_cpu_percent"}},
    {KEY_BY_CPU_TOTAL, {"cpu_total", "cpu_time_total", "cpu_total_ns", "cpu_total_percent"}},
    {KEY_BY_CPU_AVG, {"cpu_avg", "cpu_time", "cpu_time_avg"}},
    {KEY_BY_SELF_CUDA,
     {"self_cuda", "self_cuda_total", "self_cuda_time_total", "self_cuda_total_ns",
      "self_cuda_percent", "self_device_time_total", "self_device"}},
    {KEY_BY_CUDA_TOTAL,
     {"cuda_total", "cuda_time_total", "cuda_total_ns", "device_time_total", "device_total"}},
    {KEY_BY_CUDA_AVG, {"cuda_avg", "cuda_time", "cuda_time_avg", "device_time", "device_time_avg"}},
    {KEY_BY_COUNT, {"count", "calls"}},
    {KEY_BY_MIN, {"min", "min_ns"}},
    {KEY_BY_MAX, {"max", "max_ns"}},
    {KEY_BY_MEAN, {"mean", "avg", "mean_ns"}},
    {KEY_BY_STDDEV, {"stddev", "stddev_ns"}},
    {KEY_BY_P10, {"p10", "p10_ns"}},
    {KEY_BY_P50, {"p50", "p50_ns", "median"}},
    {KEY_BY_P90, {"p90", "p90_ns"}},
    {KEY_BY_P99, {"p99", "p99_ns"}},
    {KEY_BY_COLD, {"cold", "cold_avg", "cold_avg_ns"}},
    {KEY_BY_WARM, {"warm", "warm_avg", "warm_avg_ns"}},
    {KEY_BY_PROJECTED, {"projected", "projected_ns"}},
    {KEY_BY_PROJECTED_AVG, {"projected_avg", "projected_avg_ns"}},
    {KEY_BY_BYTES, {"bytes"}},
    {KEY_BY_RATE, {"rate", "gb_per_s"}},
    {KEY_BY_CPU_MEMORY, {"cpu_memory", "cpu_memory_usage"}},
    {KEY_BY_SELF_CPU_MEMORY, {"self_cpu_memory", "self_cpu_memory_usage"}},
    {KEY_BY_CUDA_MEMORY, {"cuda_memory", "cuda_memory_usage", "device_memory_usage"}},
    {KEY_BY_SELF_CUDA_MEMORY,
     {"self_cuda_memory", "self_cuda_memory_usage", "self_device_memory_usage"}},
};

bool key_sort_find(const char *name, enum key_column *column)
{
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        for (size_t n = 0; n < NAMES_MAX && columns[i].names[n]; n++)
            if (strcmp(columns[i].names[n], name) == 0) {
                *column = columns[i].column;
                return true;
            }
    return false;
}

const char *key_sort_columns(void)
{
    return "name, self_cpu, cpu_total, cpu_avg, self_cuda, cuda_total, cuda_avg, count, min, max, "
           "mean, stddev, p10, p50, p90, p99, cold, warm, projected, projected_avg, bytes, rate, "
           "cpu_memory, self_cpu_memory, cuda_memory, self_cuda_memory";
}

bool key_column_needs_spread(enum key_column column)
{
    return column >= KEY_BY_MIN && column <= KEY_BY_WARM;
}

static double ratio(int64_t sum, uint64_t count)
{
    return count ? (double)sum / (double)count : 0;
}

double key_column_value(const struct key_average *row, enum key_column column)
{
    switch (column) {
    case KEY_BY_SELF_CPU:
        return (double)row->self_cpu_total_ns;
    case KEY_BY_CPU_TOTAL:
        return (double)row->cpu_total_ns;
    case KEY_BY_CPU_AVG:
        return ratio(row->cpu_total_ns, row->outer_count);
    case KEY_BY_SELF_CUDA:
        return (double)row->self_cuda_total_ns;
    case KEY_BY_CUDA_TOTAL:
        return (double)row->cuda_total_ns;
    case KEY_BY_CUDA_AVG:
        return ratio(row->cuda_total_ns, row->outer_count);
    case KEY_BY_COUNT:
        return (double)row->count;
    case KEY_BY_MIN:
        return (double)row->spread.min_ns;
    case KEY_BY_MAX:
        return (double)row->spread.max_ns;
    case KEY_BY_MEAN:
        return key_spread_mean(&row->spread);
    case KEY_BY_STDDEV:
        return row->spread.stddev_ns;
    case KEY_BY_P10:
    case KEY_BY_P50:
    case KEY_BY_P90:
    case KEY_BY_P99:
        return row->spread.percentile_ns[column - KEY_BY_P10];
    case KEY_BY_COLD:
        return key_spread_cold(&row->spread);
    case KEY_BY_WARM:
        return key_spread_warm(&row->spread);
    case KEY_BY_PROJECTED:
        return (double)row->projected_ns;
    case KEY_BY_PROJECTED_AVG:
        return ratio(row->projected_ns, row->projected_count);
    case KEY_BY_BYTES:
        return (double)row->bytes;
    case KEY_BY_RATE:
        return row->cuda_total_ns > 0 ? (double)row->bytes / (double)row->cuda_total_ns : 0;
    case KEY_BY_CPU_MEMORY:
    case KEY_BY_SELF_CPU_MEMORY:
    case KEY_BY_CUDA_MEMORY:
    case KEY_BY_SELF_CUDA_MEMORY:
        return (double)row->memory_bytes[column - KEY_BY_CPU_MEMORY];
    case KEY_BY_DEFAULT:
    case KEY_BY_NAME:
    case KEY_COLUMNS:
        break;
    }
    return 0;
}

static int by_number(double a, double b)
{
    return a < b ? 1 : a > b ? -1 : 0;
}

/* The last tie: there are no two rows of one name, kind and group. */
static int by_group(const struct key_group *a, const struct key_group *b)
{
    const uint32_t left[] = {a->process, a->rank,  a->thread, a->device,
                             a->stream,  a->shape, a->stack,  a->path};
    const uint32_t right[] = {b->process, b->rank,  b->thread, b->device,
                              b->stream,  b->shape, b->stack,  b->path};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int by_everything(const struct key_average *a, const struct key_average *b)
{
    int order = by_number((double)a->cuda_total_ns, (double)b->cuda_total_ns);
    if (!order)
        order = by_number((double)a->cpu_total_ns, (double)b->cpu_total_ns);
    if (!order)
        order = text_compare(a->name, b->name);
    if (!order)
        order = (int)a->kind - (int)b->kind;
    return order ? order : by_group(&a->group, &b->group);
}

static int compare(const void *left, const void *right, void *user)
{
    const struct key_average *a = left, *b = right;
    enum key_column column = *(const enum key_column *)user;
    int order = column == KEY_BY_NAME
                    ? text_compare(a->name, b->name)
                    : by_number(key_column_value(a, column), key_column_value(b, column));
    return order ? order : by_everything(a, b);
}

void key_sort(struct key_averages *averages, enum key_column column)
{
    if (column == KEY_BY_DEFAULT)
        column = averages->has_device ? KEY_BY_CUDA_TOTAL : KEY_BY_CPU_TOTAL;
    if (averages->count > 1)
        qsort_r(averages->rows, averages->count, sizeof *averages->rows, compare, &column);
}
