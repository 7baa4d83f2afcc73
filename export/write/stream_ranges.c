/* stream_ranges.c - for each stream, what each range launched on it, which operation that starts
 * with, and lanes. */
#include "stream_ranges.h"

#include "around.h"
#include "array.h"
#include "maps.h"

#include <stdlib.h>

/* More lanes than this are not drawn: nobody could look at them, and each range is compared with
 * all. */
#define LANES_MAX 64u
/* Ranges in each other that all launch on many streams have a projection for each pair. Beyond so
 * many for each slice and operation, those of outer ranges are left out. */
#define PROJECTIONS_EACH 16u

struct build {
    struct stream_ranges *ranges;
    uint32_t *around;  /* by slice: the innermost projected range at or around it, TL_NONE */
    uint32_t *last;    /* by slice: its projection that was made last, TL_NONE */
    uint32_t *tops;    /* by lane, in lists of each stream: the innermost that is open, TL_NONE */
    uint32_t *further; /* by lane: the stream's next lane, TL_NONE */
    uint32_t *lanes;   /* by stream: its first, TL_NONE */
    struct radix_item *order; /* of a stream's projections */
    uint32_t order_capacity;
    uint32_t lane_count, lane_capacity;
};

static bool is_projected(const struct timeline *timeline, const struct tl_gpu *op)
{
    return tl_is_work(op) && op->slice < timeline->slices.count && op->stream != TL_NONE;
}

static bool has_projection(void *timeline, uint32_t slice)
{
    const struct tl_slice *at = &((const struct timeline *)timeline)->slices.at[slice];
    return at->kind == TL_RANGE && !(at->flags & TL_INTERNAL);
}

static uint32_t around(const struct build *build, uint32_t slice)
{
    return slice == TL_NONE ? TL_NONE : build->around[slice];
}

static uint32_t parent_of(const struct build *build, uint32_t slice)
{
    return around(build, build->ranges->timeline->slices.at[slice].parent);
}

/* Onto the current stream, the latest; TL_NONE: there is none. */
static uint32_t find(const struct build *build, uint32_t slice, uint32_t stream)
{
    uint32_t at = slice == TL_NONE ? TL_NONE : build->last[slice];
    return at != TL_NONE && build->ranges->all.at[at].stream == stream ? at : TL_NONE;
}

static bool has_room(const struct stream_ranges *ranges)
{
    const struct timeline *timeline = ranges->timeline;
    return ranges->all.count / PROJECTIONS_EACH <= timeline->slices.count + timeline->gpus.count;
}

/* Projections of the range and of those around it that have none on the stream yet, without
 * operations. False: no memory. */
static bool add(struct build *build, uint32_t slice, uint32_t stream)
{
    struct stream_ranges *ranges = build->ranges;
    for (; slice != TL_NONE && find(build, slice, stream) == TL_NONE && has_room(ranges);
         slice = parent_of(build, slice)) {
        struct stream_range *range = ARRAY_ADD(&ranges->all);
        if (!range)
            return false;
        *range = (struct stream_range){.start_ns = INT64_MAX,
                                       .end_ns = INT64_MIN,
                                       .slice = slice,
                                       .stream = stream,
                                       .next = TL_NONE};
        build->last[slice] = ranges->all.count - 1;
    }
    return true;
}

static void widen(struct stream_range *range, const struct stream_range *by)
{
    range->operations += by->operations;
    if (by->end_ns > range->end_ns)
        range->end_ns = by->end_ns;
    if (by->start_ns < range->start_ns) {
        range->start_ns = by->start_ns;
        range->first = by->first;
    }
}

static bool add_operation(struct build *build, uint32_t op_index)
{
    const struct tl_gpu *op = &build->ranges->timeline->gpus.at[op_index];
    uint32_t slice = around(build, op->slice);
    if (slice == TL_NONE)
        return true;
    if (!add(build, slice, op->stream))
        return false;
    uint32_t at = find(build, slice, op->stream);
    if (at != TL_NONE)
        widen(&build->ranges->all.at[at], &(struct stream_range){.start_ns = op->start_ns,
                                                                 .end_ns = op->end_ns,
                                                                 .operations = 1,
                                                                 .first = op_index});
    return true;
}

/* The projections from `first` on, those of one stream, by slice. False: no memory. */
static bool sort_stream(struct build *build, uint32_t first)
{
    const struct stream_ranges *ranges = build->ranges;
    uint32_t count = ranges->all.count - first;
    if (count > build->order_capacity) {
        struct radix_item *order = realloc(build->order, count * sizeof *order);
        if (!order)
            return false;
        build->order = order;
        build->order_capacity = count;
    }
    for (uint32_t i = 0; i < count; i++)
        build->order[i] =
            (struct radix_item){.key = ranges->all.at[first + i].slice, .value = first + i};
    return radix_sort(build->order, count);
}

/* From the innermost out, each is added to the one around it. Those that start with one operation
 * are of one thread, so the one that comes last is the outermost. */
static bool end_stream(struct build *build, uint32_t first)
{
    struct stream_ranges *ranges = build->ranges;
    if (!sort_stream(build, first))
        return false;
    for (uint32_t i = ranges->all.count - first; i-- > 0;) {
        uint32_t index = build->order[i].value;
        struct stream_range *range = &ranges->all.at[index];
        uint32_t outer = find(build, parent_of(build, range->slice), range->stream);
        if (outer != TL_NONE)
            widen(&ranges->all.at[outer], range);
        range->next = ranges->by_op[range->first];
        ranges->by_op[range->first] = index;
    }
    return true;
}

/* Operations stand grouped by stream. */
static bool project_all(struct build *build)
{
    const struct timeline *timeline = build->ranges->timeline;
    uint32_t first = 0, stream = TL_NONE;
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *op = &timeline->gpus.at[i];
        if (!is_projected(timeline, op))
            continue;
        if (op->stream != stream) {
            if (!end_stream(build, first))
                return false;
            first = build->ranges->all.count;
            stream = op->stream;
        }
        if (!add_operation(build, i))
            return false;
    }
    return end_stream(build, first);
}

/* Returns TL_NONE when memory is short. */
static uint32_t add_lane(struct build *build)
{
    if (build->lane_count == build->lane_capacity) {
        uint32_t capacity = build->lane_capacity ? build->lane_capacity * 2 : 64;
        uint32_t *tops = realloc(build->tops, capacity * sizeof *tops);
        build->tops = tops ? tops : build->tops;
        uint32_t *further = realloc(build->further, capacity * sizeof *further);
        build->further = further ? further : build->further;
        if (!tops || !further)
            return TL_NONE;
        build->lane_capacity = capacity;
    }
    build->tops[build->lane_count] = build->further[build->lane_count] = TL_NONE;
    return build->lane_count++;
}

/* Whether the range may be drawn in the lane: it is inside of all that is open there. */
static bool fits(struct build *build, uint32_t lane, const struct stream_range *range)
{
    const struct stream_range *all = build->ranges->all.at;
    uint32_t *top = &build->tops[lane];
    while (*top != TL_NONE && all[*top].end_ns <= range->start_ns)
        *top = all[*top].older;
    return *top == TL_NONE || all[*top].end_ns >= range->end_ns;
}

/* Into the first lane that it fits; `*drawn`: there is one. False: no memory. */
static bool assign_lane(struct build *build, uint32_t index, bool *drawn)
{
    struct stream_range *range = &build->ranges->all.at[index];
    uint32_t lane = build->lanes[range->stream], before = TL_NONE;
    while (lane < build->lane_count && !fits(build, lane, range)) {
        before = lane;
        lane = build->further[lane];
        range->lane++;
    }
    *drawn = lane < build->lane_count || range->lane < LANES_MAX;
    if (!*drawn)
        return true;
    if (lane >= build->lane_count) { /* TL_NONE */
        lane = add_lane(build);
        if (lane == TL_NONE)
            return false;
        *(before == TL_NONE ? &build->lanes[range->stream] : &build->further[before]) = lane;
    }
    range->older = build->tops[lane];
    build->tops[lane] = index;
    return true;
}

static bool assign_lanes(struct build *build)
{
    struct stream_ranges *ranges = build->ranges;
    bool drawn;
    for (uint32_t op = 0; op < ranges->timeline->gpus.count; op++)
        for (uint32_t *at = &ranges->by_op[op]; *at != TL_NONE;) {
            if (!assign_lane(build, *at, &drawn))
                return false;
            uint32_t *next = &ranges->all.at[*at].next;
            if (drawn)
                at = next;
            else
                *at = *next;
        }
    return true;
}

static uint32_t *none_of(uint32_t count)
{
    uint32_t *array = malloc(((size_t)count + 1) * sizeof *array);
    for (uint32_t i = 0; array && i < count; i++)
        array[i] = TL_NONE;
    return array;
}

static bool reserve(struct build *build)
{
    struct stream_ranges *ranges = build->ranges;
    const struct timeline *timeline = ranges->timeline;
    build->around = around_innermost(timeline, has_projection, (void *)(uintptr_t)timeline);
    build->last = none_of(timeline->slices.count);
    build->lanes = none_of(timeline->streams.count);
    ranges->by_op = none_of(timeline->gpus.count);
    return build->around && build->last && build->lanes && ranges->by_op;
}

bool stream_ranges_init(struct stream_ranges *ranges, const struct timeline *timeline)
{
    struct build build = {.ranges = ranges};
    *ranges = (struct stream_ranges){.timeline = timeline};
    if (timeline->gpus.count == 0)
        return true;
    bool done = reserve(&build) && project_all(&build) && assign_lanes(&build);
    free(build.around);
    free(build.last);
    free(build.order);
    free(build.lanes);
    free(build.further);
    free(build.tops);
    if (!done)
        stream_ranges_fini(ranges);
    return done;
}

void stream_ranges_fini(struct stream_ranges *ranges)
{
    free(ranges->all.at);
    free(ranges->by_op);
    *ranges = (struct stream_ranges){0};
}
