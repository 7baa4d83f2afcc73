/* block_mismatch.c - what is not the same in two iterations of a block. */
#include "blocks.h"
#include "maps.h"

static uint32_t event_name(const struct timeline *timeline, const struct tl_block *block,
                           uint32_t index)
{
    return timeline->asyncs.at[timeline->block_events.at[block->first_event + index].async].name;
}

static enum block_difference compare_events(const struct timeline *timeline,
                                            const struct tl_block *a, const struct tl_block *b,
                                            uint32_t *index)
{
    *index = 0;
    if (a->event_count != b->event_count)
        return BLOCK_EVENT_COUNT;
    for (; *index < a->event_count; ++*index)
        if (event_name(timeline, a, *index) != event_name(timeline, b, *index))
            return BLOCK_EVENT_NAME;
    return BLOCK_SAME;
}

static enum block_difference compare_allocs(const struct timeline *timeline,
                                            const struct tl_block *a, const struct tl_block *b,
                                            uint32_t *index)
{
    *index = 0;
    if (a->alloc_count != b->alloc_count)
        return BLOCK_ALLOC_COUNT;
    for (; *index < a->alloc_count; ++*index) {
        const struct tl_block_alloc *left = &timeline->block_allocs.at[a->first_alloc + *index];
        const struct tl_block_alloc *right = &timeline->block_allocs.at[b->first_alloc + *index];
        if (left->heap != right->heap)
            return BLOCK_ALLOCATOR;
        if (left->bytes != right->bytes)
            return BLOCK_ALLOC_BYTES;
    }
    return BLOCK_SAME;
}

enum block_difference block_compare(const struct timeline *timeline, const struct tl_block *first,
                                    const struct tl_block *second, uint32_t *index)
{
    enum block_difference events = compare_events(timeline, first, second, index);
    return events == BLOCK_SAME ? compare_allocs(timeline, first, second, index) : events;
}

/* Two tables from (process, name): the latest block, and how many there were. */
uint32_t blocks_mismatch(const struct timeline *timeline, uint32_t from,
                         struct block_mismatch *mismatch, bool *enough_memory)
{
    struct keymap latest = {0}, counts = {0};
    uint32_t found = 0;
    *enough_memory = true;
    for (uint32_t i = 0; i < timeline->blocks.count && !found && *enough_memory; i++) {
        const struct tl_block *block = &timeline->blocks.at[i];
        uint64_t key = (uint64_t)block->process << 32 | block->name;
        uint32_t before = keymap_find(&latest, key);
        uint32_t number = before == KEYMAP_NONE ? 0 : keymap_find(&counts, key);
        uint32_t index = 0;
        enum block_difference kind = BLOCK_SAME;
        if (i >= from && before != KEYMAP_NONE)
            kind = block_compare(timeline, &timeline->blocks.at[before], block, &index);
        if (kind != BLOCK_SAME) {
            *mismatch = (struct block_mismatch){kind, before, i, number, index};
            found = i + 1;
        }
        *enough_memory = keymap_set(&latest, key, i) && keymap_set(&counts, key, number + 1);
    }
    keymap_fini(&latest);
    keymap_fini(&counts);
    return found;
}
