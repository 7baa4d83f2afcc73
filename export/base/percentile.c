#include "percentile.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void percentile_sort(double *values, size_t count)
{
    if (count > 1)
        qsort(values, count, sizeof *values, compare);
}

/* From the nearer end, as numpy does: the result never lies outside of the two. */
static double between(double low, double high, double part)
{
    double difference = high - low;
    return part >= 0.5 ? high - difference * (1 - part) : low + difference * part;
}

double percentile_of(const double *sorted, size_t count, double percent)
{
    if (count == 0)
        return (double)NAN;
    double rank = percent / 100 * (double)(count - 1);
    size_t below = (size_t)rank;
    if (below + 1 >= count)
        return sorted[count - 1];
    return between(sorted[below], sorted[below + 1], rank - (double)below);
}

static size_t move_nans_last(double *values, size_t count)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) {
            double value = values[i];
            values[i] = values[known];
            values[known++] = value;
        }
    return known;
}

struct percentile_summary percentile_summarize(double *values, size_t count)
{
    size_t known = move_nans_last(values, count);
    double sum = 0;
    percentile_sort(values, known);
    for (size_t i = 0; i < known; i++)
        sum += values[i];
    return (struct percentile_summary){
        .count = (uint32_t)known,
        .p10 = percentile_of(values, known, 10),
        .p50 = percentile_of(values, known, 50),
        .p90 = percentile_of(values, known, 90),
        .mean = known ? sum / (double)known : (double)NAN,
        .min = known ? values[0] : (double)NAN,
        .max = known ? values[known - 1] : (double)NAN,
    };
}
