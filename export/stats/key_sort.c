/* key_sort.c - a table of columns: how each is called, and which number it sorts by. */
#include "key_sort.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    enum key_column column;
    const char *names[5]; /* ours first */
} columns[] = {
    {KEY_BY_NAME, {"name"}},
    {KEY_BY_SELF_CPU,
     {"self_cpu", "self_cpu_total", "self_cpu_time_total", "self_cpu_total_ns",
      "self_cpu_percent"}},
    {KEY_BY_CPU_TOTAL, {"cpu_total", "cpu_time_total", "cpu_total_ns", "cpu_total_percent"}},
    {KEY_BY_CPU_AVG, {"cpu_avg", "cpu_time", "cpu_time_avg"}},
    {KEY_BY_SELF_CUDA,
     {"self_cuda", "self_cuda_total", "self_cuda_time_total", "self_cuda_total_ns",
      "self_cuda_percent"}},
    {KEY_BY_CUDA_TOTAL, {"cuda_total", "cuda_time_total", "cuda_total_ns", "device_time_total"}},
    {KEY_BY_CUDA_AVG, {"cuda_avg", "cuda_time", "cuda_time_avg", "device_time"}},
    {KEY_BY_COUNT, {"count", "calls"}},
};

bool key_sort_find(const char *name, enum key_column *column)
{
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        for (size_t n = 0; n < 5 && columns[i].names[n]; n++)
            if (strcmp(columns[i].names[n], name) == 0) {
                *column = columns[i].column;
                return true;
            }
    return false;
}

const char *key_sort_columns(void)
{
    return "name, self_cpu, cpu_total, cpu_avg, self_cuda, cuda_total, cuda_avg, count";
}

static int by_number(int64_t a, int64_t b)
{
    return a < b ? 1 : a > b ? -1 : 0;
}

static int by_average(int64_t a_ns, uint64_t a_count, int64_t b_ns, uint64_t b_count)
{
    double a = a_count ? (double)a_ns / (double)a_count : 0;
    double b = b_count ? (double)b_ns / (double)b_count : 0;
    return a < b ? 1 : a > b ? -1 : 0;
}

static int by_text(struct text a, struct text b)
{
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common ? memcmp(a.bytes, b.bytes, common) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int by_everything(const struct key_average *a, const struct key_average *b)
{
    int order = by_number(a->cuda_total_ns, b->cuda_total_ns);
    if (!order)
        order = by_number(a->cpu_total_ns, b->cpu_total_ns);
    if (!order)
        order = by_text(a->name, b->name);
    return order ? order : (int)a->kind - (int)b->kind;
}

/* One comparator per column: qsort() passes no context. */
#define COMPARATOR(function, expression)                     \
    static int function(const void *left, const void *right) \
    {                                                        \
        const struct key_average *a = left, *b = right;      \
        int order = (expression);                            \
        return order ? order : by_everything(a, b);          \
    }

COMPARATOR(compare_name, by_text(a->name, b->name))
COMPARATOR(compare_self_cpu, by_number(a->self_cpu_total_ns, b->self_cpu_total_ns))
COMPARATOR(compare_cpu_total, by_number(a->cpu_total_ns, b->cpu_total_ns))
COMPARATOR(compare_cpu_avg, by_average(a->cpu_total_ns, a->count, b->cpu_total_ns, b->count))
COMPARATOR(compare_self_cuda, by_number(a->self_cuda_total_ns, b->self_cuda_total_ns))
COMPARATOR(compare_cuda_total, by_number(a->cuda_total_ns, b->cuda_total_ns))
COMPARATOR(compare_cuda_avg, by_average(a->cuda_total_ns, a->count, b->cuda_total_ns, b->count))
COMPARATOR(compare_count, by_number((int64_t)a->count, (int64_t)b->count))

void key_sort(struct key_averages *averages, enum key_column column)
{
    static int (*const compare[])(const void *, const void *) = {
        [KEY_BY_NAME] = compare_name,           [KEY_BY_SELF_CPU] = compare_self_cpu,
        [KEY_BY_CPU_TOTAL] = compare_cpu_total, [KEY_BY_CPU_AVG] = compare_cpu_avg,
        [KEY_BY_SELF_CUDA] = compare_self_cuda, [KEY_BY_CUDA_TOTAL] = compare_cuda_total,
        [KEY_BY_CUDA_AVG] = compare_cuda_avg,   [KEY_BY_COUNT] = compare_count,
    };
    if (column == KEY_BY_DEFAULT)
        column = averages->has_device ? KEY_BY_CUDA_TOTAL : KEY_BY_CPU_TOTAL;
    if (averages->count > 1)
        qsort(averages->rows, averages->count, sizeof *averages->rows, compare[column]);
}
