/* launch_index.c - a sort in place, and a table of buckets.
 *
 * The sort is by bytes, most significant first, moving items within their array: of millions of
 * calls there is no second copy, and the time is linear whatever the ids are.
 */
#include "launch_index.h"

#include "radix.h"

#include <stdlib.h>
#include <string.h>

#define CORRELATION_BYTES 4u
#define KEY_BYTES (CORRELATION_BYTES + 8u) /* the id, then the call's start */
#define FEW 16u

/* What is sorted, and what its starts are looked up in. */
struct calls {
    struct build_launch *at;
    const struct tl_slice *slices;
};

static int64_t start_of(const struct calls *calls, const struct build_launch *launch)
{
    return calls->slices[launch->slice].start_ns;
}

static bool is_before(const struct calls *calls, const struct build_launch *a,
                      const struct build_launch *b)
{
    if (a->correlation != b->correlation)
        return a->correlation < b->correlation;
    int64_t start_a = start_of(calls, a), start_b = start_of(calls, b);
    return start_a != start_b ? start_a < start_b : a->slice < b->slice;
}

static bool is_sorted(const struct calls *calls, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (is_before(calls, &calls->at[i], &calls->at[i - 1]))
            return false;
    return true;
}

static void sort_few(const struct calls *calls, uint32_t first, uint32_t end)
{
    for (uint32_t i = first + 1; i < end; i++) {
        struct build_launch launch = calls->at[i];
        uint32_t to = i;
        for (; to > first && is_before(calls, &launch, &calls->at[to - 1]); to--)
            calls->at[to] = calls->at[to - 1];
        calls->at[to] = launch;
    }
}

static unsigned key_byte(const struct calls *calls, const struct build_launch *launch,
                         unsigned place)
{
    if (place < CORRELATION_BYTES)
        return launch->correlation >> 8 * (CORRELATION_BYTES - 1 - place) & 255;
    return (unsigned)(radix_key(start_of(calls, launch)) >> 8 * (KEY_BYTES - 1 - place)) & 255;
}

/* Brings each item to the part of its byte; ends[] are then where the parts end. */
static void spread(const struct calls *calls, uint32_t first, uint32_t end, unsigned place,
                   uint32_t ends[256])
{
    uint32_t next[256], counts[256] = {0};
    for (uint32_t i = first; i < end; i++)
        counts[key_byte(calls, &calls->at[i], place)]++;
    for (uint32_t byte = 0, at = first; byte < 256; byte++) {
        next[byte] = at;
        at += counts[byte];
        ends[byte] = at;
    }
    for (uint32_t byte = 0; byte < 256; byte++)
        while (next[byte] < ends[byte]) {
            struct build_launch *here = &calls->at[next[byte]];
            unsigned belongs = key_byte(calls, here, place);
            struct build_launch moved = *here;
            *here = calls->at[next[belongs]];
            calls->at[next[belongs]++] = moved;
        }
}

/* Recursion ends after KEY_BYTES levels. */
static void sort_part(const struct calls *calls, uint32_t first, uint32_t end, unsigned place)
{
    uint32_t ends[256];
    if (end - first <= FEW) {
        sort_few(calls, first, end);
        return;
    }
    if (place == KEY_BYTES)
        return;
    spread(calls, first, end, place, ends);
    for (uint32_t byte = 0; byte < 256; first = ends[byte++])
        sort_part(calls, first, ends[byte], place + 1);
}

static uint32_t bucket_of(const struct launch_index *index, uint32_t correlation)
{
    return (correlation - index->least) >> index->shift;
}

/* Two to four calls a bucket where ids are dense. */
static bool fill_buckets(struct launch_index *index)
{
    if (index->count == 0)
        return true;
    index->least = index->launches[0].correlation;
    uint32_t span = index->launches[index->count - 1].correlation - index->least;
    while ((uint64_t)(span >> index->shift) >= index->count / 2 + 1)
        index->shift++;
    index->buckets = (span >> index->shift) + 1;
    index->starts = calloc((size_t)index->buckets + 1, sizeof *index->starts);
    if (!index->starts)
        return false;
    for (uint32_t i = 0; i < index->count; i++)
        index->starts[bucket_of(index, index->launches[i].correlation) + 1]++;
    for (uint32_t i = 0; i < index->buckets; i++)
        index->starts[i + 1] += index->starts[i];
    return true;
}

bool launch_index_init(struct launch_index *index, struct builder *builder)
{
    struct calls calls = {builder->launches.at, builder->timeline->slices.at};
    *index = (struct launch_index){
        .launches = calls.at, .slices = calls.slices, .count = builder->launches.count};
    if (!is_sorted(&calls, index->count))
        sort_part(&calls, 0, index->count, 0);
    return fill_buckets(index);
}

void launch_index_fini(struct launch_index *index)
{
    free(index->starts);
    memset(index, 0, sizeof *index);
}

/* The first call in [low, high) that is not ordered before (correlation, start_ns). */
static uint32_t lower_bound(const struct launch_index *index, uint32_t low, uint32_t high,
                            uint32_t correlation, int64_t start_ns)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct build_launch *launch = &index->launches[middle];
        bool before =
            launch->correlation < correlation || (launch->correlation == correlation &&
                                                  index->slices[launch->slice].start_ns < start_ns);
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t launch_index_find(const struct launch_index *index, uint32_t correlation,
                           int64_t latest_ns)
{
    if (!index->count || correlation < index->least ||
        bucket_of(index, correlation) >= index->buckets)
        return TL_NONE;
    uint32_t bucket = bucket_of(index, correlation);
    uint32_t first = index->starts[bucket], end = index->starts[bucket + 1];
    int64_t beyond_ns = latest_ns < INT64_MAX ? latest_ns + 1 : latest_ns;
    uint32_t after = lower_bound(index, first, end, correlation, beyond_ns);
    uint32_t best = after;
    if (after > first && index->launches[after - 1].correlation == correlation)
        best = after - 1;
    if (best == end || index->launches[best].correlation != correlation)
        return TL_NONE;
    return index->launches[best].slice;
}
