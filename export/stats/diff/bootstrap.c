/* bootstrap.c - see bootstrap.h. */
#include "bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ranks that are kept, in all. */
#define KEPT_BYTES (UINT64_C(16) << 20)

/* The two values whose mean is a resampled median, by rank from 0; one twice where n is odd. */
struct bootstrap_ranks {
    uint32_t below, above;
};

/* ---- random numbers ---- */

struct random {
    uint64_t state;
    double spare; /* a normal number that was drawn together with another; NaN none */
};

static struct random random_seeded(uint64_t size, uint64_t stream)
{
    return (struct random){size * UINT64_C(0x9e3779b97f4a7c15) ^ (stream + 1) << 56, NAN};
}

/* splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). */
static uint64_t random_bits(struct random *random)
{
    uint64_t bits = random->state += UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return bits ^ bits >> 31;
}

/* Above 0, below 1. */
static double random_uniform(struct random *random)
{
    return ((double)(random_bits(random) >> 12) + 0.5) / 4503599627370496.0;
}

/* Marsaglia's polar method. */
static double random_normal(struct random *random)
{
    double x, y, square, spare = random->spare;
    random->spare = NAN;
    if (!isnan(spare))
        return spare;
    do {
        x = 2 * random_uniform(random) - 1;
        y = 2 * random_uniform(random) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    double scale = sqrt(-2 * log(square) / square);
    random->spare = y * scale;
    return x * scale;
}

/* Marsaglia and Tsang, "A simple method for generating gamma variables", 2000; shape >= 1. */
static double random_gamma(struct random *random, double shape)
{
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = random_normal(random), root = 1 + c * x;
        if (root <= 0)
            continue;
        double v = root * root * root;
        if (log(random_uniform(random)) < 0.5 * x * x + d - d * v + d * log(v))
            return d * v;
    }
}

static double random_beta(struct random *random, double a, double b)
{
    double x = random_gamma(random, a);
    return x / (x + random_gamma(random, b));
}

/* ---- ranks ---- */

static uint32_t rank_at(double place, size_t count)
{
    size_t rank = (size_t)(place * (double)count);
    return (uint32_t)(rank < count ? rank : count - 1);
}

/* Of `count` uniform numbers the k-th is beta(k, count + 1 - k); below a given one, the next lower
 * of m is that times the m-th root of a uniform number. */
static struct bootstrap_ranks draw_ranks(struct random *random, size_t count)
{
    size_t middle = count / 2 + 1;
    double above = random_beta(random, (double)middle, (double)(count + 1 - middle));
    double below = above;
    if (count % 2 == 0)
        below *= pow(random_uniform(random), 1 / (double)(middle - 1));
    return (struct bootstrap_ranks){rank_at(below, count), rank_at(above, count)};
}

static void fill_ranks(struct bootstrap_ranks *ranks, uint32_t resamples, size_t count,
                       unsigned stream)
{
    struct random random = random_seeded(count, stream);
    for (uint32_t i = 0; i < resamples; i++)
        ranks[i] = draw_ranks(&random, count);
}

/* Two streams, so that two sets of one size are not drawn alike. NULL: no memory. */
static const struct bootstrap_ranks *ranks_of(struct bootstrap *bootstrap, size_t count,
                                              unsigned stream)
{
    uint64_t key = (uint64_t)count << 1 | stream;
    uint32_t known = keymap_find(&bootstrap->of_size, key);
    if (known != KEYMAP_NONE)
        return bootstrap->kept + (size_t)known * bootstrap->resamples;
    struct bootstrap_ranks *ranks = bootstrap->scratch + (size_t)stream * bootstrap->resamples;
    if (bootstrap->kept_count < bootstrap->kept_most) {
        if (!keymap_set(&bootstrap->of_size, key, bootstrap->kept_count))
            return NULL;
        ranks = bootstrap->kept + (size_t)bootstrap->kept_count++ * bootstrap->resamples;
    }
    fill_ranks(ranks, bootstrap->resamples, count, stream);
    return ranks;
}

bool bootstrap_init(struct bootstrap *bootstrap, uint32_t resamples, double confidence)
{
    *bootstrap = (struct bootstrap){.resamples = resamples, .confidence = confidence};
    bootstrap->kept_most = (uint32_t)(KEPT_BYTES / (resamples * sizeof(struct bootstrap_ranks)));
    bootstrap->kept =
        malloc((size_t)(bootstrap->kept_most + 1) * resamples * sizeof(struct bootstrap_ranks));
    bootstrap->scratch = malloc(2 * (size_t)resamples * sizeof(struct bootstrap_ranks));
    bootstrap->lows = malloc(resamples * sizeof *bootstrap->lows);
    bootstrap->highs = malloc(resamples * sizeof *bootstrap->highs);
    if (bootstrap->kept && bootstrap->scratch && bootstrap->lows && bootstrap->highs)
        return true;
    bootstrap_fini(bootstrap);
    return false;
}

void bootstrap_fini(struct bootstrap *bootstrap)
{
    keymap_fini(&bootstrap->of_size);
    free(bootstrap->kept);
    free(bootstrap->scratch);
    free(bootstrap->lows);
    free(bootstrap->highs);
    *bootstrap = (struct bootstrap){0};
}

/* ---- intervals ---- */

size_t bootstrap_least(double confidence)
{
    size_t count = 1;
    for (double chance = 1; chance > 1 - confidence && count < 64; chance /= 2)
        count++;
    return count;
}

static int compare_ns(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

void bootstrap_sort(int64_t *ns, size_t count)
{
    qsort(ns, count, sizeof *ns, compare_ns);
}

double bootstrap_median(const int64_t *sorted_ns, size_t count)
{
    if (count == 0)
        return NAN;
    size_t below = (count - 1) / 2, above = count / 2;
    return ((double)sorted_ns[below] + (double)sorted_ns[above]) / 2;
}

static double median_at(const struct bootstrap_set *set, struct bootstrap_ranks ranks)
{
    return ((double)set->sorted_ns[ranks.below] + (double)set->sorted_ns[ranks.above]) / 2;
}

/* Puts the smallest values up to that of rank k in front (Hoare's "Find") and returns that one. */
static double select_rank(double *values, size_t count, size_t k)
{
    size_t first = 0, last = count - 1;
    while (first < last) {
        double pivot = values[k];
        size_t up = first, down = last;
        do {
            while (values[up] < pivot)
                up++;
            while (pivot < values[down])
                down--;
            if (up <= down) {
                double value = values[up];
                values[up++] = values[down];
                values[down] = value;
                if (down-- == 0)
                    break;
            }
        } while (up <= down);
        if (down + 1 <= k)
            first = up;
        if (k < up)
            last = down;
    }
    return values[k];
}

/* From either end the same number of ratios is left out, so swapping the sides inverts the ends. */
static void cut_ends(struct bootstrap *bootstrap, struct bootstrap_interval *interval)
{
    double tail = (1 - bootstrap->confidence) / 2 * bootstrap->resamples;
    size_t out = tail > 1 ? (size_t)ceil(tail - 1e-9) - 1 : 0;
    interval->low = select_rank(bootstrap->lows, bootstrap->resamples, out);
    interval->high =
        select_rank(bootstrap->highs, bootstrap->resamples, bootstrap->resamples - 1 - out);
    interval->known = true;
}

/* Whatever is compared with whatever, the same set of two draws from the first stream. */
static bool comes_first(const struct bootstrap_set *left, const struct bootstrap_set *right)
{
    if (left->count != right->count)
        return left->count < right->count;
    for (size_t i = 0; i < left->count; i++)
        if (left->sorted_ns[i] != right->sorted_ns[i])
            return left->sorted_ns[i] < right->sorted_ns[i];
    return true;
}

static double over(double right, double left)
{
    return left > 0 ? (right > 0 ? right : 0) / left : INFINITY;
}

static void draw_ratios(struct bootstrap *bootstrap, const struct bootstrap_set *left,
                        const struct bootstrap_set *right, const struct bootstrap_ranks *of_left,
                        const struct bootstrap_ranks *of_right)
{
    double left_ns = left->tick_ns / 2, right_ns = right->tick_ns / 2;
    for (uint32_t i = 0; i < bootstrap->resamples; i++) {
        double before = median_at(left, of_left[i]), after = median_at(right, of_right[i]);
        bootstrap->lows[i] = over(after - right_ns, before + left_ns);
        bootstrap->highs[i] = over(after + right_ns, before - left_ns);
    }
}

static const struct bootstrap_interval unknown = {NAN, NAN, NAN, false};

bool bootstrap_medians(struct bootstrap *bootstrap, const struct bootstrap_set *left,
                       const struct bootstrap_set *right, struct bootstrap_interval *interval)
{
    size_t least = bootstrap_least(bootstrap->confidence);
    double before = bootstrap_median(left->sorted_ns, left->count);
    double after = bootstrap_median(right->sorted_ns, right->count);
    *interval = unknown;
    if (before > 0 && after >= 0)
        interval->ratio = after / before;
    if (left->count < least || right->count < least || !(before > 0) || !(after > 0))
        return true;
    unsigned stream = comes_first(left, right) ? 0 : 1;
    const struct bootstrap_ranks *of_left = ranks_of(bootstrap, left->count, stream);
    const struct bootstrap_ranks *of_right = ranks_of(bootstrap, right->count, 1 - stream);
    if (!of_left || !of_right)
        return false;
    draw_ratios(bootstrap, left, right, of_left, of_right);
    cut_ends(bootstrap, interval);
    return true;
}

bool bootstrap_median_of(struct bootstrap *bootstrap, const struct bootstrap_set *set,
                         struct bootstrap_interval *interval)
{
    *interval = unknown;
    interval->ratio = bootstrap_median(set->sorted_ns, set->count);
    if (set->count < bootstrap_least(bootstrap->confidence))
        return true;
    const struct bootstrap_ranks *ranks = ranks_of(bootstrap, set->count, 0);
    if (!ranks)
        return false;
    for (uint32_t i = 0; i < bootstrap->resamples; i++) {
        double median = median_at(set, ranks[i]);
        bootstrap->lows[i] = median - set->tick_ns / 2;
        bootstrap->highs[i] = median + set->tick_ns / 2;
    }
    cut_ends(bootstrap, interval);
    return true;
}

void bootstrap_sums(struct bootstrap *bootstrap, const struct bootstrap_sum *left,
                    const struct bootstrap_sum *right, struct bootstrap_interval *interval)
{
    bool swapped = left->total > right->total;
    struct random first = random_seeded(0, swapped), second = random_seeded(0, !swapped);
    *interval = unknown;
    if (!(left->total > 0))
        return;
    interval->ratio = right->total / left->total;
    if (isnan(left->deviation) || isnan(right->deviation))
        return;
    for (uint32_t i = 0; i < bootstrap->resamples; i++) {
        double before = left->total + random_normal(&first) * left->deviation;
        double after = right->total + random_normal(&second) * right->deviation;
        bootstrap->lows[i] = bootstrap->highs[i] = over(after, before);
    }
    cut_ends(bootstrap, interval);
}
