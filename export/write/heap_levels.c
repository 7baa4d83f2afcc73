/* heap_levels.c - see heap_levels.h. */
#include "heap_levels.h"

#include "memory_use.h"

#include <stdlib.h>

bool heap_levels_init(struct heap_levels *levels, const struct timeline *timeline)
{
    size_t heaps = timeline->heaps.count + (size_t)1, pools = timeline->pools.count + (size_t)1;
    *levels = (struct heap_levels){
        .timeline = timeline,
        .bytes = calloc(heaps, sizeof *levels->bytes),
        .changed = calloc(heaps, sizeof *levels->changed),
        .idle = calloc(heaps, sizeof *levels->idle),
        .pool_used = calloc(pools, sizeof *levels->pool_used),
        .pool_idle = calloc(pools, sizeof *levels->pool_idle),
    };
    return levels->bytes && levels->changed && levels->idle && levels->pool_used &&
           levels->pool_idle;
}

void heap_levels_fini(struct heap_levels *levels)
{
    free(levels->bytes);
    free(levels->changed);
    free(levels->idle);
    free(levels->pool_used);
    free(levels->pool_idle);
    *levels = (struct heap_levels){0};
}

/* What the pool has reserved and nobody uses. */
static void note_pool(struct heap_levels *levels, const struct tl_memory_event *event,
                      const struct tl_memory *memory, int64_t change)
{
    if (memory->pool == TL_NONE)
        return;
    int64_t *used = &levels->pool_used[memory->pool], *idle = &levels->pool_idle[memory->pool];
    *used += change;
    int64_t now = (int64_t)event->pool_bytes > *used ? (int64_t)event->pool_bytes - *used : 0;
    levels->idle[memory->heap] += now - *idle;
    *idle = now;
}

struct heap_change heap_levels_apply(struct heap_levels *levels, uint32_t index)
{
    const struct tl_memory_event *event = &levels->timeline->memory_events.at[index];
    const struct tl_memory *memory = &levels->timeline->memories.at[event->memory];
    int64_t change = event->is_end ? -(int64_t)memory->bytes : (int64_t)memory->bytes;
    levels->bytes[memory->heap] += change;
    levels->changed[memory->heap] = true;
    note_pool(levels, event, memory, change);
    return (struct heap_change){
        .memory = memory,
        .bytes = change,
        .allocated = levels->bytes[memory->heap],
        .reserved = levels->bytes[memory->heap] + levels->idle[memory->heap],
        .thread = event->is_end ? memory->end_thread : memory->thread,
    };
}

unsigned heap_levels_device_type(const struct tl_heap *heap)
{
    return memory_is_cuda(heap) ? 1 : 0;
}

int64_t heap_levels_device(const struct tl_heap *heap)
{
    return memory_is_cuda(heap) && heap->device != TL_NONE ? (int64_t)heap->device : -1;
}
