/* memory_curve.c - a tree of maxima: leaf `leaves + i` is what is in use after event i, every other
 * node the larger of its two children, so a stretch of n events costs the logarithm of n. */
#include "memory_curve.h"

#include "memory_use.h"

#include <stdlib.h>

static uint32_t process_of(const struct timeline *timeline, uint32_t event)
{
    uint32_t memory = timeline->memory_events.at[event].memory;
    return timeline->heaps.at[timeline->memories.at[memory].heap].process;
}

/* Events are grouped by process, in the processes' order. */
static void fill_first(struct memory_curve *curve)
{
    const struct timeline *timeline = curve->timeline;
    uint32_t event = 0;
    for (uint32_t process = 0; process <= timeline->processes.count; process++) {
        while (event < timeline->memory_events.count && process_of(timeline, event) < process)
            event++;
        curve->first[process] = event;
    }
}

static void fill_leaves(struct memory_curve *curve)
{
    const struct timeline *timeline = curve->timeline;
    uint64_t live[MEMORY_SIDES] = {0};
    for (uint32_t i = 0; i < curve->leaves; i++) {
        const struct tl_memory_event *event = &timeline->memory_events.at[i];
        const struct tl_memory *memory = &timeline->memories.at[event->memory];
        int changed = memory_is_cuda(&timeline->heaps.at[memory->heap]) ? MEMORY_CUDA : MEMORY_CPU;
        if (i && process_of(timeline, i) != process_of(timeline, i - 1))
            live[MEMORY_CPU] = live[MEMORY_CUDA] = 0;
        live[changed] += event->is_end ? -memory->bytes : memory->bytes;
        for (int side = 0; side < MEMORY_SIDES; side++)
            curve->tallest[side][curve->leaves + i] = live[side];
    }
}

static void fill_tree(struct memory_curve *curve)
{
    for (int side = 0; side < MEMORY_SIDES; side++)
        for (uint32_t i = curve->leaves; i-- > 1;) {
            uint64_t left = curve->tallest[side][2 * i], right = curve->tallest[side][2 * i + 1];
            curve->tallest[side][i] = left > right ? left : right;
        }
}

bool memory_curve_init(struct memory_curve *curve, const struct timeline *timeline)
{
    *curve = (struct memory_curve){.timeline = timeline, .leaves = timeline->memory_events.count};
    curve->first = calloc(timeline->processes.count + (size_t)1, sizeof *curve->first);
    bool ready = curve->first != NULL;
    for (int side = 0; side < MEMORY_SIDES; side++) {
        curve->tallest[side] = calloc(2 * (size_t)curve->leaves + 2, sizeof **curve->tallest);
        ready &= curve->tallest[side] != NULL;
    }
    if (!ready) {
        memory_curve_fini(curve);
        return false;
    }
    fill_first(curve);
    fill_leaves(curve);
    fill_tree(curve);
    return true;
}

void memory_curve_fini(struct memory_curve *curve)
{
    free(curve->first);
    for (int side = 0; side < MEMORY_SIDES; side++)
        free(curve->tallest[side]);
    *curve = (struct memory_curve){0};
}

/* The process's first event after `time_ns`. */
static uint32_t first_after(const struct memory_curve *curve, uint32_t process, int64_t time_ns)
{
    uint32_t low = curve->first[process], high = curve->first[process + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (curve->timeline->memory_events.at[middle].time_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t tallest(const struct memory_curve *curve, int side, uint32_t from, uint32_t end)
{
    const uint64_t *tree = curve->tallest[side];
    uint64_t most = 0;
    size_t low = (size_t)from + curve->leaves, high = (size_t)end + curve->leaves;
    for (; low < high; low /= 2, high /= 2) {
        if (low & 1) {
            most = tree[low] > most ? tree[low] : most;
            low++;
        }
        if (high & 1) {
            high--;
            most = tree[high] > most ? tree[high] : most;
        }
    }
    return most;
}

void memory_curve_peak(const struct memory_curve *curve, uint32_t slice,
                       uint64_t peak[MEMORY_SIDES])
{
    const struct tl_slice *open = &curve->timeline->slices.at[slice];
    uint32_t process = curve->timeline->threads.at[open->thread].process;
    uint32_t from = first_after(curve, process, open->start_ns);
    uint32_t end = first_after(curve, process, open->end_ns);
    /* What was in use when it began is what the event before left. */
    if (from > curve->first[process])
        from--;
    for (int side = 0; side < MEMORY_SIDES; side++) {
        uint64_t most = tallest(curve, side, from, end);
        peak[side] = most > peak[side] ? most : peak[side];
    }
}
