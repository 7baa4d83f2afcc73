/* key_spread.c - durations by row, then by size, without a second copy of them. */
#include "key_spread.h"

#include <math.h>
#include <stdlib.h>

#define FEW 24u

const unsigned key_percentile_ranks[KEY_PERCENTILES] = {10, 50, 90, 99};

static double share(int64_t sum_ns, uint64_t count)
{
    return count ? (double)sum_ns / (double)count : 0;
}

double key_spread_mean(const struct key_spread *spread)
{
    return share(spread->sum_ns, spread->count);
}

double key_spread_cold(const struct key_spread *spread)
{
    return share(spread->cold_ns, spread->cold_count);
}

double key_spread_warm(const struct key_spread *spread)
{
    return share(spread->sum_ns - spread->cold_ns, spread->count - spread->cold_count);
}

bool key_samples_init(struct key_samples *samples, size_t capacity)
{
    *samples = (struct key_samples){
        .ns = malloc((capacity + 1) * sizeof *samples->ns),
        .row = malloc((capacity + 1) * sizeof *samples->row),
        .capacity = capacity,
    };
    if (samples->ns && samples->row)
        return true;
    key_samples_fini(samples);
    return false;
}

void key_samples_fini(struct key_samples *samples)
{
    free(samples->ns);
    free(samples->row);
    *samples = (struct key_samples){0};
}

/* starts[r] and next[r]: where row r begins. */
static void find_starts(const struct key_samples *samples, size_t *starts, size_t *next,
                        uint32_t rows)
{
    for (size_t i = 0; i < samples->count; i++)
        starts[samples->row[i] + 1]++;
    for (uint32_t row = 0; row < rows; row++) {
        next[row] = starts[row];
        starts[row + 1] += starts[row];
    }
}

/* Swaps each duration to its row until all are there. */
static void group(struct key_samples *samples, const size_t *starts, size_t *next, uint32_t rows)
{
    for (uint32_t row = 0; row < rows; row++)
        while (next[row] < starts[row + 1]) {
            size_t here = next[row], there = next[samples->row[here]]++;
            uint32_t belongs = samples->row[here];
            int64_t ns = samples->ns[here];
            samples->row[here] = samples->row[there];
            samples->ns[here] = samples->ns[there];
            samples->row[there] = belongs;
            samples->ns[there] = ns;
        }
}

static void sort_few(int64_t *ns, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        int64_t value = ns[i];
        size_t to = i;
        for (; to > 0 && ns[to - 1] > value; to--)
            ns[to] = ns[to - 1];
        ns[to] = value;
    }
}

/* Where each byte's part begins and ends. Returns whether one byte has them all. */
static bool count_bytes(const int64_t *ns, size_t count, unsigned shift, size_t next[256],
                        size_t ends[256])
{
    size_t counts[256] = {0}, at = 0;
    for (size_t i = 0; i < count; i++)
        counts[(uint64_t)ns[i] >> shift & 255]++;
    for (unsigned byte = 0; byte < 256; byte++) {
        next[byte] = at;
        at += counts[byte];
        ends[byte] = at;
    }
    return counts[(uint64_t)ns[0] >> shift & 255] == count;
}

static void spread_bytes(int64_t *ns, unsigned shift, size_t next[256], const size_t ends[256])
{
    for (unsigned byte = 0; byte < 256; byte++)
        while (next[byte] < ends[byte]) {
            int64_t *here = &ns[next[byte]], value = *here;
            int64_t *there = &ns[next[(uint64_t)value >> shift & 255]++];
            *here = *there;
            *there = value;
        }
}

/* Durations are not negative. By bytes, most significant first. */
static void sort_ns(int64_t *ns, size_t count, unsigned shift)
{
    size_t next[256], ends[256], first = 0;
    if (count <= FEW) {
        sort_few(ns, count);
        return;
    }
    if (!count_bytes(ns, count, shift, next, ends))
        spread_bytes(ns, shift, next, ends);
    for (unsigned byte = 0; byte < 256 && shift; first = ends[byte++])
        sort_ns(ns + first, ends[byte] - first, shift - 8);
}

static unsigned highest_shift(const int64_t *ns, size_t count)
{
    uint64_t bits = 0;
    unsigned shift = 0;
    for (size_t i = 0; i < count; i++)
        bits |= (uint64_t)ns[i];
    while (shift < 56 && bits >> shift >> 8)
        shift += 8;
    return shift;
}

static void sort_row(int64_t *ns, size_t count)
{
    sort_ns(ns, count, highest_shift(ns, count));
}

size_t *key_samples_sort(struct key_samples *samples, uint32_t rows)
{
    size_t *starts = calloc((size_t)rows + 1, sizeof *starts);
    size_t *next = calloc((size_t)rows + 1, sizeof *next);
    if (!starts || !next) {
        free(starts);
        free(next);
        return NULL;
    }
    find_starts(samples, starts, next, rows);
    group(samples, starts, next, rows);
    free(next);
    for (uint32_t row = 0; row < rows; row++)
        sort_row(samples->ns + starts[row], starts[row + 1] - starts[row]);
    return starts;
}

static double percentile(const int64_t *sorted_ns, size_t count, unsigned rank)
{
    double place = (double)(count - 1) * rank / 100;
    size_t below = (size_t)place;
    double low = (double)sorted_ns[below];
    if (below + 1 >= count)
        return low;
    return low + ((double)sorted_ns[below + 1] - low) * (place - (double)below);
}

void key_spread_measure(struct key_spread *spread, const int64_t *sorted_ns, size_t count)
{
    double mean = key_spread_mean(spread), sum = 0;
    if (!count)
        return;
    for (size_t i = 0; i < count; i++)
        sum += ((double)sorted_ns[i] - mean) * ((double)sorted_ns[i] - mean);
    spread->stddev_ns = count > 1 ? sqrt(sum / (double)(count - 1)) : 0;
    for (unsigned i = 0; i < KEY_PERCENTILES; i++)
        spread->percentile_ns[i] = percentile(sorted_ns, count, key_percentile_ranks[i]);
}
