/* stream_ranges.c - three passes: what each range launched on each stream, which operation each projection starts with,
 * and lanes.
 *
 * Operations stand grouped by stream, so of a range with several streams the projection that was met last is nearly
 * always the one that is looked for.
 */
#include "stream_ranges.h"

#include <stdlib.h>

struct build {
    struct stream_ranges *ranges;
    uint32_t *last;    /* by slice: its projection that was made last, TL_NONE */
    uint32_t *tops;    /* by lane, in lists of each stream: the innermost that is open, TL_NONE */
    uint32_t *further; /* by lane: the stream's next lane, TL_NONE */
    uint32_t *lanes;   /* by stream: its first, TL_NONE */
    uint32_t lane_count, lane_capacity;
};

static bool is_projected(const struct timeline *timeline, const struct tl_gpu *op)
{
    return tl_is_work(op) && op->slice < timeline->slices.count && op->stream != TL_NONE;
}

static uint32_t find(const struct build *build, uint32_t slice, uint32_t stream)
{
    uint32_t at = build->last[slice];
    while (at != TL_NONE && build->ranges->all.at[at].stream != stream)
        at = build->ranges->all.at[at].older;
    return at;
}

static bool grow(struct stream_ranges *ranges)
{
    uint32_t capacity = ranges->all.capacity ? ranges->all.capacity * 2 : 256;
    struct stream_range *at = realloc(ranges->all.at, capacity * sizeof *at);
    if (!at)
        return false;
    ranges->all.at = at;
    ranges->all.capacity = capacity;
    return true;
}

/* Returns NULL when memory is short. */
static struct stream_range *find_or_add(struct build *build, uint32_t slice, uint32_t op_index)
{
    struct stream_ranges *ranges = build->ranges;
    const struct tl_gpu *op = &ranges->timeline->gpus.at[op_index];
    uint32_t at = find(build, slice, op->stream);
    if (at != TL_NONE)
        return &ranges->all.at[at];
    if (ranges->all.count == ranges->all.capacity && !grow(ranges))
        return NULL;
    at = ranges->all.count++;
    ranges->all.at[at] = (struct stream_range){
        .start_ns = op->start_ns,
        .end_ns = op->end_ns,
        .slice = slice,
        .stream = op->stream,
        .next = TL_NONE,
        .older = build->last[slice],
        .first = op_index,
    };
    build->last[slice] = at;
    return &ranges->all.at[at];
}

static void widen(struct stream_range *range, const struct tl_gpu *op, uint32_t op_index)
{
    range->operations++;
    if (op->end_ns > range->end_ns)
        range->end_ns = op->end_ns;
    if (op->start_ns < range->start_ns) {
        range->start_ns = op->start_ns;
        range->first = op_index;
    }
}

static bool project(struct build *build, uint32_t op_index)
{
    const struct timeline *timeline = build->ranges->timeline;
    const struct tl_gpu *op = &timeline->gpus.at[op_index];
    for (uint32_t i = op->slice; i != TL_NONE; i = timeline->slices.at[i].parent) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (slice->kind != TL_RANGE || (slice->flags & TL_INTERNAL))
            continue;
        struct stream_range *range = find_or_add(build, i, op_index);
        if (!range)
            return false;
        widen(range, op, op_index);
    }
    return true;
}

static bool project_all(struct build *build)
{
    const struct timeline *timeline = build->ranges->timeline;
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        if (is_projected(timeline, &timeline->gpus.at[i]) && !project(build, i))
            return false;
    return true;
}

static uint16_t depth_of(const struct stream_ranges *ranges, uint32_t range)
{
    return ranges->timeline->slices.at[ranges->all.at[range].slice].depth;
}

/* Those that start with one operation are of one thread: the outermost comes first. Inner ones were made first, so
 * nearly every one is put in front. */
static void link_by_op(struct stream_ranges *ranges)
{
    for (uint32_t i = 0; i < ranges->all.count; i++) {
        uint32_t *at = &ranges->by_op[ranges->all.at[i].first];
        while (*at != TL_NONE && depth_of(ranges, *at) < depth_of(ranges, i))
            at = &ranges->all.at[*at].next;
        ranges->all.at[i].next = *at;
        *at = i;
    }
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

static bool assign_lane(struct build *build, uint32_t index)
{
    struct stream_range *range = &build->ranges->all.at[index];
    uint32_t lane = build->lanes[range->stream], before = TL_NONE;
    while (lane < build->lane_count && !fits(build, lane, range)) {
        before = lane;
        lane = build->further[lane];
        range->lane++;
    }
    if (lane >= build->lane_count) {
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
    for (uint32_t op = 0; op < ranges->timeline->gpus.count; op++)
        for (uint32_t i = ranges->by_op[op]; i != TL_NONE; i = ranges->all.at[i].next)
            if (!assign_lane(build, i))
                return false;
    return true;
}

static uint32_t *none_of(uint32_t count)
{
    uint32_t *array = malloc(((size_t)count + 1) * sizeof *array);
    for (uint32_t i = 0; array && i < count; i++)
        array[i] = TL_NONE;
    return array;
}

static bool arrange(struct build *build)
{
    struct stream_ranges *ranges = build->ranges;
    ranges->by_op = none_of(ranges->timeline->gpus.count);
    build->lanes = none_of(ranges->timeline->streams.count);
    if (!ranges->by_op || !build->lanes)
        return false;
    link_by_op(ranges);
    return assign_lanes(build);
}

bool stream_ranges_init(struct stream_ranges *ranges, const struct timeline *timeline)
{
    struct build build = {.ranges = ranges};
    *ranges = (struct stream_ranges){.timeline = timeline};
    if (timeline->gpus.count == 0)
        return true;
    build.last = none_of(timeline->slices.count);
    bool done = build.last && project_all(&build);
    free(build.last);
    if (done && ranges->all.count)
        done = arrange(&build);
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
