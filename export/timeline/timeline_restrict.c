/* timeline_restrict.c - a window of a timeline: slices, events, frames and facts. */
#include "timeline_restrict.h"

#include "array.h"
#include "restrict.h"

#include <stdlib.h>

/* Ranges, steps and calls of a window, and what belongs to them. */

/* When the range or call began that the slice is a segment of. `next` is the place in
 * segments[]. */
static int64_t began(const struct timeline *timeline, uint32_t slice, uint32_t *next)
{
    while (*next < timeline->segments.count && timeline->segments.at[*next].slice < slice)
        ++*next;
    if (*next < timeline->segments.count && timeline->segments.at[*next].slice == slice)
        slice = timeline->segments.at[*next].first;
    return timeline->slices.at[slice].start_ns;
}

/* New places. */
static void restrict_find_slices(struct restriction *with)
{
    const struct timeline *timeline = with->timeline;
    uint32_t next = 0, next_segment = 0;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        bool stays =
            restrict_has(with, began(timeline, i, &next_segment)) && slice->start_ns < with->to_ns;
        with->slice_stays[i] = stays;
        with->slices[i] = stays ? next++ : restrict_slice(with, slice->parent);
    }
}

/* The range or call whose end was not recorded is not in the window, or its end is not. */
static void forget_unclosed(struct timeline *timeline, const struct tl_slice *slice)
{
    struct tl_thread *thread = &timeline->threads.at[slice->thread];
    struct tl_anomalies *odd = &timeline->processes.at[thread->process].odd;
    if (slice->kind == TL_API && odd->open_api_calls)
        odd->open_api_calls--;
    else if (thread->unclosed)
        thread->unclosed--;
}

static void cut_end(const struct restriction *with, struct tl_slice *slice)
{
    if (slice->end_ns <= with->to_ns)
        return;
    if (slice->flags & TL_UNCLOSED)
        forget_unclosed(with->timeline, slice);
    slice->flags &= (uint8_t)~TL_UNCLOSED;
    slice->end_ns = with->to_ns;
}

/* All operations of a slice stay with it. */
static void move_launches(const struct restriction *with, struct tl_slice *slice, uint32_t *next)
{
    uint32_t *at = with->timeline->gpu_by_slice.at;
    for (uint32_t i = 0; i < slice->gpu_count; i++)
        at[*next + i] = with->gpus[at[slice->gpu_first + i]];
    slice->gpu_first = slice->gpu_count ? *next : 0;
    *next += slice->gpu_count;
}

static void put_on_thread(struct timeline *timeline, uint32_t index)
{
    struct tl_thread *thread = &timeline->threads.at[timeline->slices.at[index].thread];
    if (thread->slice_count++ == 0)
        thread->first_slice = index;
}

static void move_slices(struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0, next_gpu = 0;
    for (uint32_t i = 0; i < timeline->threads.count; i++)
        timeline->threads.at[i].first_slice = timeline->threads.at[i].slice_count = 0;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        struct tl_slice slice = timeline->slices.at[i];
        if (!with->slice_stays[i]) {
            if (slice.flags & TL_UNCLOSED)
                forget_unclosed(timeline, &slice);
            continue;
        }
        slice.parent = restrict_slice(with, slice.parent);
        uint32_t above = slice.parent == TL_NONE ? 0 : timeline->slices.at[slice.parent].depth + 1u;
        slice.depth = (uint16_t)(above < UINT16_MAX ? above : UINT16_MAX);
        cut_end(with, &slice);
        move_launches(with, &slice, &next_gpu);
        timeline->slices.at[next] = slice;
        put_on_thread(timeline, next++);
    }
    timeline->slices.count = next;
    timeline->gpu_by_slice.count = next_gpu;
}

/* ---- what belongs to slices ---- */

static bool stays_linked(const struct restriction *with, struct tl_fwdbwd link)
{
    return with->slice_stays[link.forward] && with->slice_stays[link.backward];
}

static struct tl_fwdbwd moved_link(const struct restriction *with, struct tl_fwdbwd link)
{
    return (struct tl_fwdbwd){with->slices[link.forward], with->slices[link.backward]};
}

/* Moving. */
static void restrict_slices(struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    const uint8_t *stays = with->slice_stays;
    const uint32_t *slices = with->slices;
    move_slices(with);
    ARRAY_KEEP(&timeline->segments, segment, stays[segment->slice],
               *segment = (struct tl_segment){slices[segment->slice], slices[segment->first],
                                              slices[segment->before]});
    ARRAY_KEEP(&timeline->attrs, attr, stays[attr->slice], attr->slice = slices[attr->slice]);
    ARRAY_KEEP(&timeline->slice_stacks, of, stays[of->owner], of->owner = slices[of->owner]);
    ARRAY_KEEP(&timeline->fwdbwds, link, stays_linked(with, *link),
               *link = moved_link(with, *link));
    ARRAY_KEEP(
        &timeline->evaluations, around, stays[around->slice] && stays_linked(with, around->link),
        *around = (struct tl_evaluation){slices[around->slice], moved_link(with, around->link)});
    ARRAY_KEEP(&timeline->timings, timing, stays[timing->slice],
               timing->slice = slices[timing->slice]);
    ARRAY_KEEP(&timeline->unrecorded, entry, stays[entry->slice],
               entry->slice = slices[entry->slice]);
}

/* Marks, counters and begin/end ranges of a window. */

static void restrict_find_events(struct restriction *with)
{
    const struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->marks.count; i++)
        with->marks[i] = restrict_has(with, timeline->marks.at[i].time_ns) ? next++ : TL_NONE;
    next = 0;
    for (uint32_t i = 0; i < timeline->asyncs.count; i++)
        with->asyncs[i] = restrict_has(with, timeline->asyncs.at[i].start_ns) ? next++ : TL_NONE;
}

/* An end beyond the window is one that was not seen. */
static void cut_async(const struct restriction *with, struct tl_async *async)
{
    if (async->end_ns <= with->to_ns)
        return;
    async->end_ns = with->to_ns;
    async->end_thread = async->thread;
    async->flags |= TL_UNCLOSED;
}

static void restrict_events(struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    const uint32_t *marks = with->marks, *asyncs = with->asyncs;
    ARRAY_KEEP(&timeline->marks, mark, marks[i] != TL_NONE,
               mark->slice = restrict_slice(with, mark->slice));
    ARRAY_KEEP(&timeline->mark_attrs, attr, marks[attr->slice] != TL_NONE,
               attr->slice = marks[attr->slice]);
    ARRAY_KEEP(&timeline->counters, counter, restrict_has(with, counter->time_ns), (void)0);
    ARRAY_KEEP(&timeline->asyncs, async, asyncs[i] != TL_NONE, cut_async(with, async));
    ARRAY_KEEP(&timeline->async_attrs, attr, asyncs[attr->slice] != TL_NONE,
               attr->slice = asyncs[attr->slice]);
    ARRAY_KEEP(&timeline->async_stacks, of, asyncs[of->owner] != TL_NONE,
               of->owner = asyncs[of->owner]);
}

/* Calls of Python functions. Unlike ranges, those that were open when the window began stay, cut:
 * they are the call stack of what happens in it. */

static bool stays(const struct restriction *with, const struct tl_frame *frame)
{
    bool overlaps = frame->end_ns > with->from_ns && frame->start_ns < with->to_ns;
    return overlaps || restrict_has(with, frame->start_ns);
}

/* A call whose first segment goes is known by its first that stays. Of segments and of calls around
 * others, the first is before them, so that its place is known. */
static void restrict_find_frames(struct restriction *with)
{
    const struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->frames.count; i++) {
        const struct tl_frame *frame = &timeline->frames.at[i];
        with->frames[i] = TL_NONE;
        if (!stays(with, frame))
            continue;
        if (with->frames[frame->call] == TL_NONE)
            with->frames[frame->call] = next;
        with->frames[i] = next++;
    }
}

/* Frames are by thread, and stay so. */
static void count_thread_frames(struct timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->threads.count; i++)
        timeline->threads.at[i].frame_count = 0;
    for (uint32_t i = 0; i < timeline->frames.count; i++) {
        struct tl_thread *thread = &timeline->threads.at[timeline->frames.at[i].thread];
        if (thread->frame_count++ == 0)
            thread->first_frame = i;
    }
}

static void restrict_frames(struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->frames.count; i++) {
        struct tl_frame frame = timeline->frames.at[i];
        if (!stays(with, &frame))
            continue;
        frame.start_ns = frame.start_ns > with->from_ns ? frame.start_ns : with->from_ns;
        frame.end_ns = frame.end_ns < with->to_ns ? frame.end_ns : with->to_ns;
        frame.call = with->frames[frame.call];
        if (frame.call == next)
            frame.flags &= ~(uint32_t)TL_FRAME_CONTINUED;
        frame.parent = frame.parent == TL_NONE ? TL_NONE : with->frames[frame.parent];
        timeline->frames.at[next++] = frame;
    }
    timeline->frames.count = next;
    count_thread_frames(timeline);
}

/* What of a process has a time: when recording was on, what was left out, children. */

static bool touches(const struct restriction *with, const struct tl_window *window)
{
    bool ended = window->end_ns != TL_NO_TIME;
    return window->start_ns < with->to_ns && !(ended && window->end_ns <= with->from_ns);
}

static void cut_window(const struct restriction *with, struct tl_window *window)
{
    if (window->start_ns < with->from_ns)
        window->start_ns = with->from_ns;
    if (window->end_ns != TL_NO_TIME && window->end_ns > with->to_ns) {
        window->end_ns = TL_NO_TIME;
        window->stop_reason = PROF_CONTROL_UNKNOWN;
    }
}

/* What was left out when the window began still says so: things come back in the opposite order, so
 * what is out is a stack, which grows in place. */
static void move_throttles(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0, process = TL_NONE, bottom = 0;
    for (uint32_t i = 0; i < timeline->throttles.count; i++) {
        struct tl_throttle throttle = timeline->throttles.at[i];
        if (throttle.process != process)
            bottom = next;
        process = throttle.process;
        if (throttle.time_ns >= with->to_ns)
            continue;
        bool earlier = throttle.time_ns < with->from_ns;
        throttle.time_ns = earlier ? with->from_ns : throttle.time_ns;
        if (earlier && throttle.on)
            next -= next > bottom;
        else
            timeline->throttles.at[next++] = throttle;
    }
    timeline->throttles.count = next;
}

static void restrict_facts(struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    /* A wait that began earlier has no part here: it would have to be cut, and pieces of long ones
     * are recorded. */
    ARRAY_KEEP(&timeline->samples, sample, restrict_has(with, sample->time_ns), (void)0);
    ARRAY_KEEP(&timeline->windows, window, touches(with, window), cut_window(with, window));
    move_throttles(with);
    /* Children that were there before the recording belong to its begin. */
    ARRAY_KEEP(
        &timeline->children, child,
        restrict_has(with, child->time_ns == TL_NO_TIME ? timeline->start_ns : child->time_ns),
        (void)0);
}

/* The order of it, and how long the window is. */

static uint32_t *places(uint32_t count)
{
    return malloc((count + (size_t)1) * sizeof(uint32_t));
}

static bool allocate_places(struct restriction *with)
{
    const struct timeline *timeline = with->timeline;
    with->slices = places(timeline->slices.count);
    with->slice_stays = malloc(timeline->slices.count + (size_t)1);
    with->gpus = places(timeline->gpus.count);
    with->marks = places(timeline->marks.count);
    with->asyncs = places(timeline->asyncs.count);
    with->frames = places(timeline->frames.count);
    with->memories = places(timeline->memories.count);
    with->graphs = places(timeline->graphs.count);
    with->row_of_stream = places(timeline->streams.count);
    with->row_of_process = places(timeline->processes.count);
    return with->slices && with->slice_stays && with->gpus && with->marks && with->asyncs &&
           with->frames && with->memories && with->graphs && with->row_of_stream &&
           with->row_of_process && restrict_find_rows(with);
}

static void give_memory_back(struct restriction *with)
{
    free(with->slices);
    free(with->slice_stays);
    free(with->gpus);
    free(with->marks);
    free(with->asyncs);
    free(with->frames);
    free(with->memories);
    free(with->graphs);
    free(with->row_of_stream);
    free(with->row_of_process);
    keymap_fini(&with->row_of_graph);
}

/* ---- how long it is ---- */

static void cut(const struct restriction *with, int64_t *start_ns, int64_t *end_ns)
{
    *start_ns = *start_ns > with->from_ns ? *start_ns : with->from_ns;
    *end_ns = *end_ns < with->to_ns ? *end_ns : with->to_ns;
    if (*end_ns < *start_ns) /* nothing was recorded in it */
        *end_ns = *start_ns;
}

static void widen(struct tl_process *process, int64_t start_ns, int64_t end_ns)
{
    process->start_ns = start_ns < process->start_ns ? start_ns : process->start_ns;
    process->end_ns = end_ns > process->end_ns ? end_ns : process->end_ns;
}

static void widen_processes(struct timeline *timeline)
{
    struct tl_process *processes = timeline->processes.at;
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (!(gpu->flags & TL_GPU_INTERNAL))
            widen(&processes[gpu->process], gpu->start_ns, gpu->end_ns);
    }
    for (uint32_t i = 0; i < timeline->timings.count; i++) {
        const struct tl_timing *timing = &timeline->timings.at[i];
        uint32_t thread = timeline->slices.at[timing->slice].thread;
        widen(&processes[timeline->threads.at[thread].process], timing->start_ns, timing->end_ns);
    }
    for (uint32_t i = 0; i < timeline->migrations.count; i++) {
        const struct tl_migration *migration = &timeline->migrations.at[i];
        widen(&processes[migration->process], migration->start_ns, migration->end_ns);
    }
}

/* An empty process does not extend the time span of the others. */
static void measure(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        cut(with, &timeline->processes.at[i].start_ns, &timeline->processes.at[i].end_ns);
    widen_processes(timeline);
    cut(with, &timeline->start_ns, &timeline->end_ns);
    if (!timeline->restricted) {
        timeline->shown_from_ns = timeline->start_ns;
        timeline->shown_to_ns = timeline->end_ns;
    }
    cut(with, &timeline->shown_from_ns, &timeline->shown_to_ns);
    for (uint32_t i = 0; i < timeline->processes.count; i++) {
        const struct tl_process *process = &timeline->processes.at[i];
        if (process->start_ns == process->end_ns)
            continue;
        if (process->start_ns < timeline->start_ns)
            timeline->start_ns = process->start_ns;
        if (process->end_ns > timeline->end_ns)
            timeline->end_ns = process->end_ns;
    }
}

bool timeline_restrict(struct timeline *timeline, int64_t from_ns, int64_t to_ns)
{
    struct restriction with = {.timeline = timeline, .from_ns = from_ns, .to_ns = to_ns};
    bool ready = allocate_places(&with);
    if (ready) {
        restrict_find_slices(&with);
        restrict_find_gpus(&with);
        restrict_find_events(&with);
        restrict_find_frames(&with);
        restrict_find_memories(&with);
        restrict_find_graphs(&with);
        restrict_slices(&with);
        restrict_gpus(&with);
        restrict_blocks(&with);
        restrict_events(&with);
        restrict_frames(&with);
        restrict_memories(&with);
        restrict_graphs(&with);
        restrict_facts(&with);
        restrict_ledger(&with);
        measure(&with);
        timeline->restricted = true;
    }
    give_memory_back(&with);
    return ready;
}
