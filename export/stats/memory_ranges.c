/* memory_ranges.c - amounts gathered per slice, handed up from the innermost to the outermost, and
 * added up by name. */
#include "memory_ranges.h"

#include "memory_curve.h"
#include "memory_use.h"

#include <stdlib.h>

struct amounts {
    struct memory_amounts side[MEMORY_SIDES];
};

struct gathering {
    const struct timeline *timeline;
    struct memory_ranges *ranges;
    struct amounts *self, *total; /* by slice */
    uint32_t *open;               /* by key: how many ranges of it are around the slice at hand */
    uint32_t capacity;
};

static void add(struct memory_amounts *to, const struct memory_amounts *from)
{
    to->allocations += from->allocations;
    to->frees += from->frees;
    to->allocated_bytes += from->allocated_bytes;
    to->freed_bytes += from->freed_bytes;
}

static void add_sides(struct memory_amounts to[MEMORY_SIDES], const struct amounts *from)
{
    for (int side = 0; side < MEMORY_SIDES; side++)
        add(&to[side], &from->side[side]);
}

static bool is_empty(const struct amounts *amounts)
{
    return !amounts->side[MEMORY_CPU].allocations && !amounts->side[MEMORY_CPU].frees &&
           !amounts->side[MEMORY_CUDA].allocations && !amounts->side[MEMORY_CUDA].frees;
}

static uint32_t range_around(const struct timeline *timeline, uint32_t slice)
{
    while (slice != TL_NONE && timeline->slices.at[slice].kind == TL_API)
        slice = timeline->slices.at[slice].parent;
    return slice;
}

static void take_event(struct gathering *gathering, const struct tl_memory_event *event)
{
    const struct timeline *timeline = gathering->timeline;
    const struct tl_memory *memory = &timeline->memories.at[event->memory];
    int side = memory_is_cuda(&timeline->heaps.at[memory->heap]) ? MEMORY_CUDA : MEMORY_CPU;
    uint32_t slice = range_around(timeline, event->is_end ? memory->end_slice : memory->slice);
    struct memory_amounts *to =
        slice == TL_NONE ? &gathering->ranges->outside[side] : &gathering->self[slice].side[side];
    to->allocations += !event->is_end;
    to->frees += event->is_end;
    to->allocated_bytes += event->is_end ? 0 : memory->bytes;
    to->freed_bytes += event->is_end ? memory->bytes : 0;
}

/* Parents stand before their children. */
static void hand_up(struct gathering *gathering)
{
    for (uint32_t i = gathering->timeline->slices.count; i-- > 0;) {
        uint32_t parent = gathering->timeline->slices.at[i].parent;
        add_sides(gathering->total[i].side, &gathering->self[i]);
        if (parent != TL_NONE && !is_empty(&gathering->total[i]))
            add_sides(gathering->total[parent].side, &gathering->total[i]);
    }
}

static uint32_t key_of(const struct gathering *gathering, uint32_t slice)
{
    return key_names_of(&gathering->ranges->keys, gathering->timeline->slices.at[slice].name);
}

static bool is_range(const struct timeline *timeline, uint32_t slice)
{
    return timeline->slices.at[slice].kind != TL_API &&
           !(timeline->slices.at[slice].flags & TL_INTERNAL);
}

/* From the slice `from` and what is around it to what is around `slice`, which comes later: a slice stands
 * before what is inside it, so each is opened once and closed once. */
static void move_to(struct gathering *gathering, uint32_t from, uint32_t slice)
{
    const struct tl_slice *slices = gathering->timeline->slices.at;
    for (; from != TL_NONE && from != slices[slice].parent; from = slices[from].parent)
        if (is_range(gathering->timeline, from))
            gathering->open[key_of(gathering, from)]--;
}

/* NULL: no memory. */
static struct memory_range *row_of(struct gathering *gathering, uint32_t key)
{
    struct memory_ranges *ranges = gathering->ranges;
    if (ranges->row_of_key[key])
        return &ranges->rows[ranges->row_of_key[key] - 1];
    if (ranges->count == gathering->capacity) {
        uint32_t capacity = gathering->capacity ? gathering->capacity * 2 : 64;
        struct memory_range *rows = realloc(ranges->rows, capacity * sizeof *rows);
        if (!rows)
            return NULL;
        ranges->rows = rows;
        gathering->capacity = capacity;
    }
    ranges->rows[ranges->count] = (struct memory_range){.key = key};
    ranges->row_of_key[key] = ++ranges->count;
    return &ranges->rows[ranges->count - 1];
}

static bool add_rows(struct gathering *gathering)
{
    const struct timeline *timeline = gathering->timeline;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        move_to(gathering, i ? i - 1 : TL_NONE, i);
        if (!is_range(timeline, i))
            continue;
        uint32_t key = key_of(gathering, i);
        bool outermost = gathering->open[key]++ == 0;
        if (is_empty(&gathering->total[i]))
            continue;
        struct memory_range *row = row_of(gathering, key);
        if (!row)
            return false;
        add_sides(row->self, &gathering->self[i]);
        if (outermost)
            add_sides(row->total, &gathering->total[i]);
    }
    return true;
}

/* Every range of a name that has a row, whether or not this one allocated. */
static bool add_peaks(struct gathering *gathering)
{
    const struct timeline *timeline = gathering->timeline;
    struct memory_ranges *ranges = gathering->ranges;
    struct memory_curve curve;
    if (!memory_curve_init(&curve, timeline))
        return false;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        uint32_t row = is_range(timeline, i) ? ranges->row_of_key[key_of(gathering, i)] : 0;
        if (!row)
            continue;
        struct memory_range *range = &ranges->rows[row - 1];
        range->count++;
        memory_curve_peak(&curve, i, range->peak_bytes);
    }
    memory_curve_fini(&curve);
    return true;
}

static uint64_t allocated(const struct memory_range *row)
{
    return row->total[MEMORY_CPU].allocated_bytes + row->total[MEMORY_CUDA].allocated_bytes;
}

static int compare_rows(const void *left, const void *right)
{
    const struct memory_range *a = left, *b = right;
    if (allocated(a) != allocated(b))
        return allocated(a) < allocated(b) ? 1 : -1;
    return a->key < b->key ? -1 : a->key > b->key;
}

static void sort_rows(struct memory_ranges *ranges)
{
    if (ranges->count > 1)
        qsort(ranges->rows, ranges->count, sizeof *ranges->rows, compare_rows);
    for (uint32_t i = 0; i < ranges->count; i++)
        ranges->row_of_key[ranges->rows[i].key] = i + 1;
}

static bool gather(struct gathering *gathering)
{
    const struct timeline *timeline = gathering->timeline;
    for (uint32_t i = 0; i < timeline->memory_events.count; i++)
        take_event(gathering, &timeline->memory_events.at[i]);
    hand_up(gathering);
    if (!add_rows(gathering) || (gathering->ranges->count && !add_peaks(gathering)))
        return false;
    sort_rows(gathering->ranges);
    return true;
}

bool memory_ranges_init(struct memory_ranges *ranges, const struct timeline *timeline)
{
    struct gathering gathering = {.timeline = timeline, .ranges = ranges};
    *ranges = (struct memory_ranges){0};
    if (!key_names_init(&ranges->keys, timeline))
        return false;
    size_t slices = timeline->slices.count + (size_t)1;
    ranges->row_of_key = calloc(ranges->keys.key_count + (size_t)1, sizeof *ranges->row_of_key);
    gathering.self = calloc(slices, sizeof *gathering.self);
    gathering.total = calloc(slices, sizeof *gathering.total);
    gathering.open = calloc(ranges->keys.key_count + (size_t)1, sizeof *gathering.open);
    bool done = ranges->row_of_key && gathering.self && gathering.total && gathering.open &&
                gather(&gathering);
    free(gathering.self);
    free(gathering.total);
    free(gathering.open);
    if (!done)
        memory_ranges_fini(ranges);
    return done;
}

void memory_ranges_fini(struct memory_ranges *ranges)
{
    key_names_fini(&ranges->keys);
    free(ranges->rows);
    free(ranges->row_of_key);
    ranges->rows = NULL;
    ranges->row_of_key = NULL;
}

const struct memory_range *memory_ranges_find(const struct memory_ranges *ranges, uint32_t key)
{
    uint32_t row = key < ranges->keys.key_count ? ranges->row_of_key[key] : 0;
    return row ? &ranges->rows[row - 1] : NULL;
}
