/* build_frames.c - calls of Python functions brought together by thread, and cut so that they nest
 * with slices.
 *
 *     a range begins in f and outlives it      f |----|         f |-|-|     the second segment is
 *                                          range   |------|         |------|   in the range
 *     and ends in g, called later              g       |----|           |-|-|
 *
 * A range that a function pushes and another pops, as the two methods of a context manager do,
 * crosses both: that is the rule, not an accident. Both lists are trees in the order of time, so
 * one walk with a stack of what is open does it. On that stack, what lies higher never ends later.
 */
#include "array.h"
#include "build.h"

#include <stdlib.h>

/* So many segments more than there are calls and slices; programs need fewer. Without a limit, a
 * damaged file could make quadratically many. */
#define SEGMENTS_PER_EVENT 4u

struct open_item {
    int64_t end_ns;
    uint32_t frame;   /* as it was recorded; TL_NONE: a slice */
    uint32_t segment; /* of the frame, in `made` */
    uint32_t below;   /* place of the next lower slice, STACK_NONE */
};

struct cutter {
    struct builder *builder;
    const struct tl_frame *calls; /* as recorded, by their order in the logs */
    uint32_t *first_segment;      /* by call */
    TL_ARRAY(struct tl_frame) made;
    TL_ARRAY(struct open_item) open;
    TL_ARRAY(uint32_t) waiting; /* calls that go on, innermost first */
    uint32_t top_slice;         /* place of the innermost, STACK_NONE */
    uint64_t segments_left;
    bool failed;
};

static void push_item(struct cutter *cutter, struct open_item item)
{
    struct open_item *added = ARRAY_ADD(&cutter->open);
    cutter->failed |= !added;
    if (!added)
        return;
    *added = item;
    added->below = cutter->top_slice;
    if (item.frame == TL_NONE)
        cutter->top_slice = cutter->open.count - 1;
}

static void begin_segment(struct cutter *cutter, uint32_t call, int64_t start_ns)
{
    const struct tl_frame *from = &cutter->calls[call];
    uint32_t index = cutter->made.count;
    struct tl_frame *segment = ARRAY_ADD(&cutter->made);
    if (!segment) {
        cutter->failed = true;
        return;
    }
    bool continued = cutter->first_segment[call] != TL_NONE;
    if (!continued)
        cutter->first_segment[call] = index;
    *segment = *from;
    segment->start_ns = start_ns;
    segment->call = cutter->first_segment[call];
    segment->parent = from->parent == TL_NONE ? TL_NONE : cutter->first_segment[from->parent];
    segment->flags = continued ? TL_FRAME_CONTINUED : 0;
    push_item(cutter, (struct open_item){from->end_ns, call, index, 0});
}

/* The innermost open call ends, or is cut there; a segment without duration is dropped. */
static void end_segment(struct cutter *cutter, int64_t time_ns)
{
    const struct open_item *item = &cutter->open.at[--cutter->open.count];
    struct tl_frame *segment = &cutter->made.at[item->segment];
    bool is_cut = item->end_ns > time_ns;
    segment->end_ns = time_ns;
    if (!is_cut)
        segment->flags |= cutter->calls[item->frame].flags & TL_FRAME_UNCLOSED;
    if (!is_cut || segment->start_ns != time_ns || item->segment + 1 != cutter->made.count)
        return;
    cutter->made.count--;
    if (cutter->first_segment[item->frame] == item->segment)
        cutter->first_segment[item->frame] = TL_NONE;
}

/* The same, and goes on later if there is more of it. */
static void set_aside(struct cutter *cutter, int64_t time_ns)
{
    struct open_item item = cutter->open.at[cutter->open.count - 1];
    end_segment(cutter, time_ns);
    if (item.end_ns <= time_ns)
        return;
    uint32_t *waiting = cutter->segments_left ? ARRAY_ADD(&cutter->waiting) : NULL;
    if (waiting) {
        cutter->segments_left--;
        *waiting = item.frame;
        return;
    }
    cutter->failed |= cutter->segments_left != 0;
    build_process(cutter->builder)->odd.uncut_frames++;
}

static void go_on(struct cutter *cutter, int64_t time_ns)
{
    while (cutter->waiting.count && !cutter->failed)
        begin_segment(cutter, cutter->waiting.at[--cutter->waiting.count], time_ns);
}

static void end_slice(struct cutter *cutter, int64_t time_ns)
{
    while (cutter->open.count - 1 > cutter->top_slice)
        set_aside(cutter, time_ns);
    cutter->top_slice = cutter->open.at[--cutter->open.count].below;
    go_on(cutter, time_ns);
}

/* Ends what has ended by then. */
static void advance(struct cutter *cutter, int64_t time_ns)
{
    while (cutter->open.count && !cutter->failed) {
        int64_t end_ns = cutter->open.at[cutter->open.count - 1].end_ns;
        bool is_slice =
            cutter->top_slice != STACK_NONE && cutter->open.at[cutter->top_slice].end_ns <= end_ns;
        if (is_slice)
            end_ns = cutter->open.at[cutter->top_slice].end_ns;
        if (end_ns > time_ns)
            break;
        if (is_slice)
            end_slice(cutter, end_ns);
        else
            end_segment(cutter, end_ns);
    }
}

static void begin_slice(struct cutter *cutter, const struct tl_slice *slice)
{
    advance(cutter, slice->start_ns);
    while (cutter->open.count) {
        const struct open_item *top = &cutter->open.at[cutter->open.count - 1];
        if (top->frame == TL_NONE || top->end_ns >= slice->end_ns)
            break;
        set_aside(cutter, slice->start_ns);
    }
    push_item(cutter, (struct open_item){slice->end_ns, TL_NONE, TL_NONE, 0});
    go_on(cutter, slice->start_ns);
}

/* `order` are the thread's calls. */
static void cut_thread(struct cutter *cutter, struct tl_thread *thread, const uint32_t *order,
                       uint32_t count)
{
    const struct tl_slice *slices = cutter->builder->timeline->slices.at + thread->first_slice;
    uint32_t slice = 0;
    cutter->top_slice = STACK_NONE;
    thread->first_frame = cutter->made.count;
    for (uint32_t i = 0; i < count && !cutter->failed; i++) {
        const struct tl_frame *call = &cutter->calls[order[i]];
        for (; slice < thread->slice_count && tl_slice_is_first(&slices[slice], call); slice++)
            if (!(slices[slice].flags & TL_INTERNAL))
                begin_slice(cutter, &slices[slice]);
        advance(cutter, call->start_ns);
        begin_segment(cutter, order[i], call->start_ns);
    }
    for (; slice < thread->slice_count && cutter->open.count && !cutter->failed; slice++)
        if (!(slices[slice].flags & TL_INTERNAL))
            begin_slice(cutter, &slices[slice]);
    advance(cutter, INT64_MAX);
    thread->frame_count = cutter->made.count - thread->first_frame;
}

/* Calls by thread, each thread's in the order of its log. */
static uint32_t *sort_calls(struct builder *builder, uint32_t count, uint32_t *first_of)
{
    const struct tl_frame *calls = builder->timeline->frames.at + builder->first.frames;
    uint32_t *order = malloc(((size_t)count + 1) * sizeof *order), sum = 0;
    for (uint32_t i = 0; i < count; i++)
        first_of[calls[i].thread - builder->first.threads + 1]++;
    for (uint32_t i = 0; i <= builder->threads.count; i++)
        first_of[i] = sum += first_of[i];
    for (uint32_t i = 0; i < count && order; i++)
        order[first_of[calls[i].thread - builder->first.threads]++] = i;
    return order;
}

static void cut_all(struct cutter *cutter, const uint32_t *order, const uint32_t *ends)
{
    struct builder *builder = cutter->builder;
    for (uint32_t i = 0; i < builder->threads.count; i++) {
        struct tl_thread *thread = &builder->timeline->threads.at[builder->first.threads + i];
        uint32_t first = i ? ends[i - 1] : 0;
        cut_thread(cutter, thread, order + first, ends[i] - first);
    }
}

/* Indexes so far count from the process's first. */
static bool keep(struct cutter *cutter)
{
    struct builder *builder = cutter->builder;
    struct timeline *timeline = builder->timeline;
    uint32_t first = builder->first.frames;
    timeline->frames.count = first;
    for (uint32_t i = 0; i < cutter->made.count; i++) {
        struct tl_frame *frame = ARRAY_ADD(&timeline->frames);
        if (!frame)
            return false;
        *frame = cutter->made.at[i];
        frame->call += first;
        frame->parent += frame->parent == TL_NONE ? 0 : first;
    }
    for (uint32_t i = 0; i < builder->threads.count; i++)
        timeline->threads.at[builder->first.threads + i].first_frame += first;
    return true;
}

static void find_parents(struct builder *builder, uint32_t count)
{
    struct tl_frame *calls = builder->timeline->frames.at + builder->first.frames;
    for (uint32_t i = 0; i < count; i++)
        calls[i].parent -= calls[i].parent == TL_NONE ? 0 : builder->first.frames;
}

bool build_frame_segments(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    uint32_t count = timeline->frames.count - builder->first.frames;
    if (!count)
        return true;
    find_parents(builder, count);
    struct cutter cutter = {.builder = builder,
                            .calls = timeline->frames.at + builder->first.frames};
    uint64_t slices = timeline->slices.count - builder->first.slices;
    cutter.segments_left = (count + slices) * SEGMENTS_PER_EVENT;
    cutter.first_segment = malloc(count * sizeof *cutter.first_segment);
    uint32_t *ends = calloc((size_t)builder->threads.count + 2, sizeof *ends);
    uint32_t *order = ends ? sort_calls(builder, count, ends) : NULL;
    bool ready = cutter.first_segment && order;
    for (uint32_t i = 0; i < count && ready; i++)
        cutter.first_segment[i] = TL_NONE;
    if (ready)
        cut_all(&cutter, order, ends);
    ready = ready && !cutter.failed && keep(&cutter);
    free(order);
    free(ends);
    free(cutter.first_segment);
    free(cutter.made.at);
    free(cutter.open.at);
    free(cutter.waiting.at);
    return ready;
}
