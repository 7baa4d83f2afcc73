/* percentile.h - what a set of measurements looks like. */
#ifndef PROF_PERCENTILE_H
#define PROF_PERCENTILE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct percentile_summary {
    uint32_t count; /* 0: the rest is NaN */
    double p10, p50, p90, mean, min, max;
};

/* Sorts the values, none of which is NaN. */
void percentile_sort(double *values, size_t count);

/* Of sorted values: interpolated between the two nearest ranks, as numpy.percentile does by
 * default. NaN of none. `percent` is from 0 to 100. */
double percentile_of(const double *sorted, size_t count, double percent);

/* Leaves out NaNs; sorts the values, NaNs last. */
struct percentile_summary percentile_summarize(double *values, size_t count);

#ifdef __cplusplus
}
#endif
#endif
