/* memory_use.c - one pass over the events of memory. */
#include "memory_use.h"

#include <stdlib.h>

static void begin(struct memory_heap_use *use, const struct tl_memory *memory, uint32_t event)
{
    use->allocations++;
    use->allocated_bytes += memory->bytes;
    use->live++;
    use->live_bytes += memory->bytes;
    if (use->live_bytes <= use->peak_bytes)
        return;
    use->peak_bytes = use->live_bytes;
    use->peak_ns = memory->start_ns;
    use->peak_event = event;
}

static void end(struct memory_heap_use *use, const struct tl_memory *memory)
{
    use->frees++;
    use->freed_bytes += memory->bytes;
    use->live--;
    use->live_bytes -= memory->bytes;
}

bool memory_use_init(struct memory_use *use, const struct timeline *timeline)
{
    use->heaps = calloc(timeline->heaps.count + (size_t)1, sizeof *use->heaps);
    if (!use->heaps)
        return false;
    for (uint32_t i = 0; i < timeline->heaps.count; i++)
        use->heaps[i].peak_event = TL_NONE;
    for (uint32_t i = 0; i < timeline->memory_events.count; i++) {
        const struct tl_memory_event *event = &timeline->memory_events.at[i];
        const struct tl_memory *memory = &timeline->memories.at[event->memory];
        if (event->is_end)
            end(&use->heaps[memory->heap], memory);
        else
            begin(&use->heaps[memory->heap], memory, i);
    }
    return true;
}

void memory_use_fini(struct memory_use *use)
{
    free(use->heaps);
    use->heaps = NULL;
}

bool memory_is_cuda(const struct tl_heap *heap)
{
    enum { PAGEABLE = 1, PINNED = 2 };
    return heap->allocator == 0 && heap->kind != PAGEABLE && heap->kind != PINNED;
}
