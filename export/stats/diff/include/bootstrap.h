/* bootstrap.h - whether two sets of measurements differ by more than their noise.
 *
 * The percentile bootstrap (Efron, "Bootstrap methods: another look at the jackknife", 1979): draw
 * as many values as there are from each set, with replacement, take the ratio of the two medians,
 * do that `resamples` times; the middle 95 % of the ratios are the interval. Nothing is assumed of
 * how the values are spread.
 *
 * The median of n values drawn from n sorted ones is one of these, or the mean of two. Which one
 * does not depend on the values: its rank is n times an order statistic of n uniform numbers, and
 * those follow a beta distribution (Maritz and Jarrett, "A note on estimating the variance of the
 * sample median", 1978). So a resample costs one draw of a rank, whatever n is, and the ranks are
 * drawn once for each n.
 *
 * Draws have fixed seeds: the same sets give the same interval, and swapped sets its inverse.
 *
 * What an interval does not know: calls of one run share its clocks, temperature and neighbours, so
 * two runs of the same program can differ by more than the noise within each.
 */
#ifndef PROF_BOOTSTRAP_H
#define PROF_BOOTSTRAP_H

#include "maps.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BOOTSTRAP_RESAMPLES_MIN 100u
#define BOOTSTRAP_RESAMPLES_MAX 1000000u

struct bootstrap_ranks; /* of resampled medians of one n */

struct bootstrap {
    uint32_t resamples;
    double confidence;     /* above 0, below 1 */
    struct keymap of_size; /* n and stream -> which of `kept` */
    struct bootstrap_ranks *kept, *scratch;
    uint32_t kept_count, kept_most;
    double *lows, *highs; /* ratios */
};

/* Sorted, ascending; `tick_ns` is what its clock counts in: each value is that much unsure. */
struct bootstrap_set {
    const int64_t *sorted_ns;
    size_t count;
    double tick_ns;
};

/* A sum of values and the standard deviation that chance gives it. */
struct bootstrap_sum {
    double total, deviation;
};

/* `high` may be infinite. */
struct bootstrap_interval {
    double ratio, low, high;
    bool known; /* false: too few values, or a ratio to nothing; the numbers are NaN */
};

/* False: no memory; fini is not needed then. */
bool bootstrap_init(struct bootstrap *bootstrap, uint32_t resamples, double confidence);
void bootstrap_fini(struct bootstrap *bootstrap);

/* Below so many values nothing can be said: of n values all lie on one side of what they are a
 * sample of with probability 2^(1-n), so even from the least to the greatest is not an interval of
 * this confidence. 6 for 95 %. */
size_t bootstrap_least(double confidence);

/* The median of `right` over that of `left`. False: no memory. */
bool bootstrap_medians(struct bootstrap *bootstrap, const struct bootstrap_set *left,
                       const struct bootstrap_set *right, struct bootstrap_interval *interval);

/* The median of one set: `ratio` is the median itself, in nanoseconds. False: no memory. */
bool bootstrap_median_of(struct bootstrap *bootstrap, const struct bootstrap_set *set,
                         struct bootstrap_interval *interval);

/* The ratio of two sums of many values, whose resampled sums are normal (central limit theorem). */
void bootstrap_sums(struct bootstrap *bootstrap, const struct bootstrap_sum *left,
                    const struct bootstrap_sum *right, struct bootstrap_interval *interval);

/* Sorts nanoseconds as sets and bootstrap_median() want them. */
void bootstrap_sort(int64_t *ns, size_t count);

/* NaN of nothing. */
double bootstrap_median(const int64_t *sorted_ns, size_t count);

#ifdef __cplusplus
}
#endif
#endif
