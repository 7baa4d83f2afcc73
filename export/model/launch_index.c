/* launch_index.c - see launch_index.h. */
#include "launch_index.h"

#include "radix.h"

#include <stdlib.h>
#include <string.h>

static struct radix_item *sort_launches(const struct builder *builder)
{
    uint32_t count = builder->launches.count;
    struct radix_item *items = calloc(count + 1, sizeof *items);
    bool sorted = items != NULL;
    for (uint32_t i = 0; i < count && sorted; i++)
        items[i] = (struct radix_item){
            radix_key(builder->timeline->slices.at[builder->launches.at[i].slice].start_ns), i};
    sorted = sorted && radix_sort(items, count);
    for (uint32_t i = 0; i < count && sorted; i++)
        items[i].key = builder->launches.at[items[i].value].correlation;
    sorted = sorted && radix_sort(items, count);
    if (sorted)
        return items;
    free(items);
    return NULL;
}

static void fill_entries(struct launch_index *index, const struct builder *builder,
                         const struct radix_item *items)
{
    for (uint32_t i = 0; i < index->count; i++) {
        const struct build_launch *launch = &builder->launches.at[items[i].value];
        index->entries[i] = (struct launch_entry){
            .correlation = launch->correlation,
            .slice = launch->slice,
            .start_ns = builder->timeline->slices.at[launch->slice].start_ns,
        };
    }
}

static uint32_t bucket_of(const struct launch_index *index, uint32_t correlation)
{
    return (correlation - index->least) >> index->shift;
}

/* As many buckets as entries, or a few more. */
static bool fill_buckets(struct launch_index *index)
{
    if (index->count == 0)
        return true;
    index->least = index->entries[0].correlation;
    uint32_t span = index->entries[index->count - 1].correlation - index->least;
    while ((uint64_t)(span >> index->shift) >= (uint64_t)index->count * 2)
        index->shift++;
    index->buckets = (span >> index->shift) + 1;
    index->starts = calloc((size_t)index->buckets + 1, sizeof *index->starts);
    if (!index->starts)
        return false;
    for (uint32_t i = 0; i < index->count; i++)
        index->starts[bucket_of(index, index->entries[i].correlation) + 1]++;
    for (uint32_t i = 0; i < index->buckets; i++)
        index->starts[i + 1] += index->starts[i];
    return true;
}

bool launch_index_init(struct launch_index *index, const struct builder *builder)
{
    memset(index, 0, sizeof *index);
    index->count = builder->launches.count;
    struct radix_item *items = sort_launches(builder);
    index->entries = calloc((size_t)index->count + 1, sizeof *index->entries);
    bool ready = items && index->entries;
    if (ready) {
        fill_entries(index, builder, items);
        ready = fill_buckets(index);
    }
    free(items);
    if (!ready)
        launch_index_fini(index);
    return ready;
}

void launch_index_fini(struct launch_index *index)
{
    free(index->entries);
    free(index->starts);
    memset(index, 0, sizeof *index);
}

/* The first entry in [low, high) that is not ordered before (correlation, start_ns). */
static uint32_t lower_bound(const struct launch_index *index, uint32_t low, uint32_t high,
                            uint32_t correlation, int64_t start_ns)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct launch_entry *entry = &index->entries[middle];
        bool before = entry->correlation < correlation ||
                      (entry->correlation == correlation && entry->start_ns < start_ns);
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
    uint32_t after = lower_bound(index, first, end, correlation, latest_ns + 1);
    uint32_t best = after;
    if (after > first && index->entries[after - 1].correlation == correlation)
        best = after - 1;
    if (best == end || index->entries[best].correlation != correlation)
        return TL_NONE;
    return index->entries[best].slice;
}
