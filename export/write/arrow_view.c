/* arrow_view.c - see arrow_view.h. */
#include "arrow_view.h"

#include "arrow_attrs.h"
#include "heap_levels.h"
#include "memory_use.h"

#include <stdlib.h>

const char *const arrow_words[ARROW_WORDS] = {
    "range",  "step",   "call",  "async",   "mark",   "kernel",
    "memcpy", "memset", "graph", "counter", "memory", "(unnamed)",
};

/* ---- rows of events ---- */

static bool number_events(struct arrow_view *view)
{
    const struct timeline *timeline = view->timeline;
    uint32_t count = timeline->slices.count, groups = count / 64 + 1, seen = 0;
    view->is_event = calloc(groups, sizeof *view->is_event);
    view->events_before = calloc(groups, sizeof *view->events_before);
    if (!view->is_event || !view->events_before)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (slice_is_shown(timeline, &timeline->slices.at[i]))
            view->is_event[i / 64] |= UINT64_C(1) << i % 64;
    for (uint32_t i = 0; i < groups; i++) {
        view->events_before[i] = seen;
        seen += (uint32_t)__builtin_popcountll(view->is_event[i]);
    }
    return true;
}

int64_t arrow_view_row_around(const struct arrow_view *view, uint32_t slice)
{
    while (slice != TL_NONE && !arrow_view_is_event(view, slice))
        slice = view->timeline->slices.at[slice].parent;
    return slice == TL_NONE ? -1 : arrow_view_row(view, slice);
}

uint32_t arrow_view_range(const struct timeline *timeline, uint32_t slice)
{
    while (slice != TL_NONE && timeline->slices.at[slice].kind == TL_API)
        slice = timeline->slices.at[slice].parent;
    if (slice == TL_NONE)
        return TL_NONE;
    const struct tl_slice *range = &timeline->slices.at[slice];
    return tl_shown_name(timeline, range->name, tl_slice_label(range));
}

uint32_t arrow_view_launched(const struct timeline *timeline, const struct tl_slice *slice)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < slice->gpu_count; i++)
        count += tl_is_work(&timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + i]]);
    return count;
}

/* ---- memory ---- */

static enum memory_side side_of(const struct tl_heap *heap)
{
    return memory_is_cuda(heap) ? MEMORY_CUDA : MEMORY_CPU;
}

static bool find_heaps(struct arrow_view *view)
{
    const struct timeline *timeline = view->timeline;
    for (uint32_t i = 0; i < timeline->heaps.count; i++) {
        const struct tl_heap *heap = &timeline->heaps.at[i];
        enum memory_side side = side_of(heap);
        if (!view->has_memory[side]) {
            view->has_memory[side] = calloc(timeline->processes.count + (size_t)1, sizeof(bool));
            view->memory_bytes[side] =
                calloc(timeline->slices.count + (size_t)1, sizeof *view->memory_bytes[side]);
        }
        if (!view->has_memory[side] || !view->memory_bytes[side])
            return false;
        view->has_memory[side][heap->process] = true;
    }
    return true;
}

static bool add_up_memory(struct arrow_view *view)
{
    const struct timeline *timeline = view->timeline;
    if (!find_heaps(view))
        return false;
    for (uint32_t i = 0; i < timeline->memory_events.count; i++) {
        const struct tl_memory_event *event = &timeline->memory_events.at[i];
        const struct tl_memory *memory = &timeline->memories.at[event->memory];
        uint32_t slice = event->is_end ? memory->end_slice : memory->slice;
        int64_t bytes = event->is_end ? -(int64_t)memory->bytes : (int64_t)memory->bytes;
        if (slice != TL_NONE)
            view->memory_bytes[side_of(&timeline->heaps.at[memory->heap])][slice] += bytes;
    }
    for (int side = 0; side < MEMORY_SIDES; side++)
        for (uint32_t i = timeline->slices.count; view->memory_bytes[side] && i-- > 0;)
            if (timeline->slices.at[i].parent != TL_NONE)
                view->memory_bytes[side][timeline->slices.at[i].parent] +=
                    view->memory_bytes[side][i];
    return true;
}

static bool find_levels(struct arrow_view *view)
{
    const struct timeline *timeline = view->timeline;
    struct heap_levels levels;
    view->levels = calloc(timeline->memory_events.count + (size_t)1, sizeof *view->levels);
    bool ready = heap_levels_init(&levels, timeline) && view->levels;
    for (uint32_t i = 0; ready && i < timeline->memory_events.count; i++)
        view->levels[i] = heap_levels_take(&levels, i).allocated;
    heap_levels_fini(&levels);
    return ready;
}

bool arrow_view_init(struct arrow_view *view, const struct timeline *timeline,
                     enum arrow_table table)
{
    *view = (struct arrow_view){.timeline = timeline};
    if (!number_events(view))
        return false;
    if (table == ARROW_COUNTERS)
        return find_levels(view);
    if (table != ARROW_EVENTS)
        return true;
    view->sums = slice_sums_create(timeline);
    return view->sums && add_up_memory(view) && arrow_attrs_init(view);
}

void arrow_view_fini(struct arrow_view *view)
{
    arrow_attrs_fini(view);
    for (int side = 0; side < MEMORY_SIDES; side++) {
        free(view->memory_bytes[side]);
        free(view->has_memory[side]);
    }
    free(view->is_event);
    free(view->events_before);
    free(view->sums);
    free(view->levels);
    *view = (struct arrow_view){0};
}
