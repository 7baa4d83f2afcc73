/* build_pools.c - memory pools: made, used, trimmed, gone. A pool made at the address of one that
 * is gone is another pool. */
#include "build_memory.h"

#include "build.h"
#include "radix.h"

#include <stdlib.h>

enum { POOL_CREATED = 1, POOL_DESTROYED = 2, POOL_TRIMMED = 3 };

static struct tl_pool *add_pool(struct builder *builder, const struct build_pool_state *state)
{
    struct timeline *timeline = builder->timeline;
    struct tl_pool *pool = ARRAY_ADD(&timeline->pools);
    if (!pool || !keymap_set(&builder->memory.living, state->address, timeline->pools.count - 1)) {
        builder->failed = true;
        return NULL;
    }
    *pool = (struct tl_pool){.process = builder->process,
                             .device = state->device,
                             .address = state->address,
                             .start_ns = INT64_MIN,
                             .end_ns = INT64_MAX,
                             .type = state->type};
    return pool;
}

uint32_t build_pool_at(const struct builder *builder, uint64_t address)
{
    uint32_t found = keymap_find(&builder->memory.living, address);
    return found == KEYMAP_NONE ? TL_NONE : found;
}

/* NULL: no memory. */
static struct tl_pool *pool_of(struct builder *builder, const struct build_pool_state *state)
{
    uint32_t known = build_pool_at(builder, state->address);
    bool is_gone = known != TL_NONE && builder->timeline->pools.at[known].end_ns != INT64_MAX;
    if (known != TL_NONE && !(is_gone && state->operation == POOL_CREATED))
        return &builder->timeline->pools.at[known];
    return add_pool(builder, state);
}

static void take_state(struct builder *builder, const struct build_pool_state *state)
{
    struct tl_pool *pool = pool_of(builder, state);
    if (!pool)
        return;
    if (state->operation == POOL_CREATED)
        pool->start_ns = state->time_ns;
    if (state->operation == POOL_DESTROYED)
        pool->end_ns = state->time_ns;
    pool->trims += state->operation == POOL_TRIMMED;
    pool->release_threshold = state->release_threshold;
    pool->last_bytes = state->bytes;
    pool->last_used_bytes = state->used_bytes;
    if (state->bytes > pool->peak_bytes)
        pool->peak_bytes = state->bytes;
    if (state->used_bytes > pool->peak_used_bytes)
        pool->peak_used_bytes = state->used_bytes;
}

bool build_pools(struct builder *builder)
{
    uint32_t count = builder->memory.pools.count;
    struct radix_item *items = malloc((count + (size_t)1) * sizeof *items);
    for (uint32_t i = 0; i < count && items; i++)
        items[i] = (struct radix_item){radix_key(builder->memory.pools.at[i].time_ns), i};
    bool sorted = items && radix_sort(items, count);
    for (uint32_t i = 0; i < count && sorted && !builder->failed; i++)
        take_state(builder, &builder->memory.pools.at[items[i].value]);
    free(items);
    return sorted && !builder->failed;
}
