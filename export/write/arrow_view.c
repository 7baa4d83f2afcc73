/* arrow_view.c - sums go from the innermost slices to the outermost: children stand behind their parents, so
 * one pass from the end is enough. */
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

static bool is_event(const struct timeline *timeline, const struct tl_slice *slice)
{
    bool failed_only = slice->kind == TL_API && timeline->apis.at[slice->api].failed_only;
    return !(slice->flags & TL_INTERNAL) && !failed_only;
}

static bool number_events(struct arrow_view *view)
{
    const struct timeline *timeline = view->timeline;
    uint32_t count = timeline->slices.count, groups = count / 64 + 1, seen = 0;
    view->is_event = calloc(groups, sizeof *view->is_event);
    view->events_before = calloc(groups, sizeof *view->events_before);
    if (!view->is_event || !view->events_before)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (is_event(timeline, &timeline->slices.at[i]))
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

/* ---- sums ---- */

static int64_t duration(int64_t start_ns, int64_t end_ns)
{
    return end_ns > start_ns ? end_ns - start_ns : 0;
}

uint32_t arrow_view_launched(const struct timeline *timeline, const struct tl_slice *slice)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < slice->gpu_count; i++)
        count += tl_is_work(&timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + i]]);
    return count;
}

int64_t arrow_view_launched_ns(const struct timeline *timeline, const struct tl_slice *slice)
{
    int64_t sum_ns = 0;
    for (uint32_t i = 0; i < slice->gpu_count; i++) {
        const struct tl_gpu *gpu =
            &timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + i]];
        sum_ns += tl_is_work(gpu) ? duration(gpu->start_ns, gpu->end_ns) : 0;
    }
    return sum_ns;
}

/* The range's time is its own interval; of that the timed ranges inside, which have been subtracted already,
 * are not its own. The next timed range around it on the same device loses it in turn. */
static void use_timing(struct arrow_view *view, const struct tl_timing *timing)
{
    const struct timeline *timeline = view->timeline;
    struct arrow_sums *sums = &view->sums[timing->slice];
    int64_t total_ns = duration(timing->start_ns, timing->end_ns);
    sums->device_ns = total_ns;
    sums->self_device_ns = total_ns + sums->self_device_ns;
    if (sums->self_device_ns < 0)
        sums->self_device_ns = 0;
    uint32_t up = timeline->slices.at[timing->slice].parent;
    for (; up != TL_NONE; up = timeline->slices.at[up].parent) {
        uint32_t around = timeline_timing_of(timeline, up);
        if (around == TL_NONE || timeline->timings.at[around].device != timing->device)
            continue;
        view->sums[up].self_device_ns -= total_ns;
        return;
    }
}

/* What has no row hands up what is inside of it. A call's device time is that of the range around it. */
static void hand_up(struct arrow_view *view, uint32_t index)
{
    const struct tl_slice *slice = &view->timeline->slices.at[index];
    struct arrow_sums *sums = &view->sums[index];
    int64_t inside_ns = -sums->self_ns, cpu_ns = duration(slice->start_ns, slice->end_ns);
    bool is_row = arrow_view_is_event(view, index), is_range = slice->kind != TL_API;
    sums->self_ns = duration(inside_ns, cpu_ns);
    if (slice->parent != TL_NONE) {
        struct arrow_sums *to = &view->sums[slice->parent];
        to->self_ns -= is_row ? cpu_ns : inside_ns;
        to->device_ns += sums->device_ns;
        to->self_device_ns += is_row && is_range ? 0 : sums->self_device_ns;
    }
    if (!is_range)
        sums->self_device_ns = 0;
}

static bool add_up(struct arrow_view *view)
{
    const struct timeline *timeline = view->timeline;
    uint32_t timing = timeline->timings.count;
    view->sums = calloc(timeline->slices.count + (size_t)1, sizeof *view->sums);
    if (!view->sums)
        return false;
    for (uint32_t i = timeline->slices.count; i-- > 0;) {
        int64_t own_ns = arrow_view_launched_ns(timeline, &timeline->slices.at[i]);
        view->sums[i].device_ns += own_ns;
        view->sums[i].self_device_ns += own_ns;
        while (timing && timeline->timings.at[timing - 1].slice > i)
            timing--;
        if (timing && timeline->timings.at[timing - 1].slice == i)
            use_timing(view, &timeline->timings.at[timing - 1]);
        hand_up(view, i);
    }
    return true;
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
    return table != ARROW_EVENTS || (add_up(view) && add_up_memory(view) && arrow_attrs_init(view));
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
