/* check_slices.c - invariants of slices, labels, frames and timings. */
#include "check_find.h"

#include <inttypes.h>

/* What threads did: ordered, nested, every index in its range. */

static bool name_is_valid(const struct timeline *timeline, uint32_t name)
{
    return name < timeline->names.count;
}

static bool slice_is_valid(const struct timeline *timeline, uint32_t i)
{
    const struct tl_slice *slice = &timeline->slices.at[i];
    bool is_api = slice->kind == TL_API;
    return slice->thread < timeline->threads.count && name_is_valid(timeline, slice->name) &&
           (slice->parent == TL_NONE || slice->parent < i) && slice->kind <= TL_API &&
           (is_api ? slice->api < timeline->apis.count
                   : slice->label == TL_NONE || slice->label < timeline->labels.count) &&
           (uint64_t)slice->gpu_first + slice->gpu_count <= timeline->gpu_by_slice.count;
}

/* Whether the slice is in the part of slices[] that its thread names. */
static bool slice_is_at_home(const struct timeline *timeline, uint32_t i)
{
    const struct tl_thread *thread = &timeline->threads.at[timeline->slices.at[i].thread];
    return i >= thread->first_slice && i - thread->first_slice < thread->slice_count;
}

static bool depth_fits(const struct tl_slice *slice, const struct tl_slice *parent)
{
    if (!parent)
        return slice->depth == 0;
    return slice->depth == parent->depth + 1 ||
           (slice->depth == UINT16_MAX && parent->depth == UINT16_MAX);
}

/* The slice begins after everything of its thread that is not around it has ended. `before` is its
 * predecessor: going up from there, all but the parent and its ancestors must have ended. */
static bool follows(const struct timeline *timeline, uint32_t before, const struct tl_slice *slice)
{
    const struct tl_slice *slices = timeline->slices.at;
    for (uint32_t i = before; i != slice->parent; i = slices[i].parent) {
        if (i == TL_NONE || slices[i].end_ns > slice->start_ns)
            return false; /* the parent is not open here, or a sibling still is */
        if (slices[i].parent != TL_NONE && slices[i].parent >= i)
            return false; /* found invalid already */
    }
    return true;
}

static bool is_inside(const struct tl_slice *slice, const struct tl_slice *parent)
{
    return !parent || (parent->thread == slice->thread && slice->start_ns >= parent->start_ns &&
                       slice->end_ns <= parent->end_ns);
}

static void check_slice(struct check *check, uint32_t i)
{
    const struct timeline *timeline = check->timeline;
    const struct tl_slice *slice = &timeline->slices.at[i];
    if (!slice_is_valid(timeline, i)) {
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, 1,
                  "slice %" PRIu32 " refers to things that do not exist", i);
        return;
    }
    struct text name = check_name(check, slice->name);
    const struct tl_slice *parent =
        slice->parent == TL_NONE ? NULL : &timeline->slices.at[slice->parent];
    const struct tl_slice *previous = i ? slice - 1 : NULL;
    bool same_thread = previous && previous->thread == slice->thread;
    bool ordered =
        slice_is_at_home(timeline, i) && (!previous || previous->thread <= slice->thread) &&
        (!same_thread || previous->start_ns <= slice->start_ns) && slice->end_ns >= slice->start_ns;
    check_add(check, CHECK_RULE_ORDER, CHECK_ERROR, !ordered,
              "slice %" PRIu32 " \"%.*s\" is out of order at %" PRId64 " ns", i, CHECK_TEXT(name),
              slice->start_ns);
    bool nested = is_inside(slice, parent) && depth_fits(slice, parent) &&
                  (same_thread ? follows(timeline, i - 1, slice) : !parent);
    check_add(check, CHECK_RULE_NESTING, CHECK_ERROR, !nested,
              "slice %" PRIu32 " \"%.*s\" does not nest in its thread at %" PRId64 " ns", i,
              CHECK_TEXT(name), slice->start_ns);
}

static void check_threads(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->threads.count; i++) {
        const struct tl_thread *thread = &timeline->threads.at[i];
        bool valid = thread->process < timeline->processes.count &&
                     (thread->name == TL_NONE || name_is_valid(timeline, thread->name)) &&
                     (uint64_t)thread->first_slice + thread->slice_count <= timeline->slices.count;
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "thread %" PRIu32 " refers to things that do not exist", i);
        check_add(check, CHECK_RULE_UNBALANCED, CHECK_WARNING, thread->unclosed + thread->unopened,
                  "thread %" PRIu64 ": %" PRIu64 " pushes without a pop, %" PRIu64
                  " pops without a push",
                  thread->tid, thread->unclosed, thread->unopened);
    }
}

static void check_marks(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->marks.count; i++) {
        const struct tl_mark *mark = &timeline->marks.at[i];
        bool valid = mark->thread < timeline->threads.count &&
                     name_is_valid(timeline, mark->name) &&
                     (mark->slice == TL_NONE || mark->slice < timeline->slices.count);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "mark %" PRIu32 " refers to things that do not exist", i);
    }
    for (uint32_t i = 0; i < timeline->counters.count; i++) {
        const struct tl_counter *counter = &timeline->counters.at[i];
        bool valid =
            counter->thread < timeline->threads.count && name_is_valid(timeline, counter->name);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "counter value %" PRIu32 " refers to things that do not exist", i);
    }
}

static void check_attrs(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->attrs.count; i++) {
        const struct tl_attr *attr = &timeline->attrs.at[i];
        bool valid = attr->slice < timeline->slices.count && name_is_valid(timeline, attr->key) &&
                     (attr->type != PROF_ATTR_STRING || attr->value < timeline->names.count);
        bool ordered = i == 0 || timeline->attrs.at[i - 1].slice <= attr->slice;
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "attribute %" PRIu32 " refers to things that do not exist", i);
        check_add(check, CHECK_RULE_ORDER, CHECK_ERROR, !ordered,
                  "attribute %" PRIu32 " is out of order", i);
    }
}

static void check_asyncs(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->asyncs.count; i++) {
        const struct tl_async *async = &timeline->asyncs.at[i];
        bool valid = async->thread < timeline->threads.count &&
                     async->end_thread < timeline->threads.count &&
                     name_is_valid(timeline, async->name);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "range %" PRIu64 " refers to things that do not exist", async->id);
        check_add(check, CHECK_RULE_ORDER, CHECK_ERROR, async->end_ns < async->start_ns,
                  "range %" PRIu64 " ends before it begins", async->id);
    }
}

void check_slices(struct check *check)
{
    check_threads(check);
    for (uint32_t i = 0; i < check->timeline->slices.count; i++)
        check_slice(check, i);
    check_marks(check);
    check_attrs(check);
    check_asyncs(check);
}

/* What came through NVTX: labels and attributes in their ranges, segments that make
 * whole calls, backward passes after what they differentiate. */

static bool label_is_valid(const struct timeline *timeline, uint32_t label)
{
    return label == TL_NONE || label < timeline->labels.count;
}

static void check_labels(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->domains.count; i++) {
        const struct tl_domain *domain = &timeline->domains.at[i];
        bool valid =
            domain->process < timeline->processes.count &&
            (domain->number ? domain->name < timeline->names.count : domain->name == TL_NONE);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "domain %" PRIu32 " refers to things that do not exist", domain->number);
    }
    for (uint32_t i = 0; i < timeline->categories.count; i++) {
        const struct tl_category *category = &timeline->categories.at[i];
        bool valid = category->domain < timeline->domains.count &&
                     (category->name == TL_NONE || category->name < timeline->names.count);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "category %" PRIu32 " refers to things that do not exist", category->number);
    }
    for (uint32_t i = 0; i < timeline->labels.count; i++) {
        const struct tl_label *label = &timeline->labels.at[i];
        bool valid = label->domain < timeline->domains.count &&
                     (label->category == TL_NONE || label->category < timeline->categories.count) &&
                     (label->name == TL_NONE || label->name < timeline->names.count);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "label %" PRIu32 " refers to things that do not exist", i);
    }
}

static void check_labelled(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->marks.count; i++)
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR,
                  !label_is_valid(timeline, timeline->marks.at[i].label),
                  "mark %" PRIu32 " has a label that does not exist", i);
    for (uint32_t i = 0; i < timeline->asyncs.count; i++)
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR,
                  !label_is_valid(timeline, timeline->asyncs.at[i].label),
                  "range %" PRIu64 " has a label that does not exist", timeline->asyncs.at[i].id);
}

static void check_attrs_of(struct check *check, const char *what, const struct tl_attr *attrs,
                           uint32_t count, uint32_t owners)
{
    uint32_t names = check->timeline->names.count;
    for (uint32_t i = 0; i < count; i++) {
        bool valid = attrs[i].slice < owners && attrs[i].key < names &&
                     (attrs[i].type != PROF_ATTR_STRING || attrs[i].value < names);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "attribute %" PRIu32 " of a %s refers to things that do not exist", i, what);
        check_add(check, CHECK_RULE_ORDER, CHECK_ERROR, i && attrs[i - 1].slice > attrs[i].slice,
                  "attribute %" PRIu32 " of a %s is out of order", i, what);
    }
}

/* The segment goes on, at once, from an earlier one of the same range; calls and steps have
 * segments, too, if a file contains whole ones that overlap. */
static bool goes_on(const struct timeline *timeline, const struct tl_segment *segment)
{
    if (segment->slice >= timeline->slices.count || segment->before >= segment->slice ||
        segment->first > segment->before)
        return false;
    const struct tl_slice *slice = &timeline->slices.at[segment->slice];
    const struct tl_slice *before = &timeline->slices.at[segment->before];
    const struct tl_slice *first = &timeline->slices.at[segment->first];
    bool same = slice->thread == before->thread && slice->thread == first->thread &&
                slice->name == before->name && slice->kind == before->kind &&
                tl_slice_label(slice) == tl_slice_label(before);
    return same && slice->flags & TL_CONTINUED && before->end_ns == slice->start_ns &&
           !(first->flags & TL_CONTINUED) && !(before->flags & TL_UNCLOSED);
}

static void check_segments(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    uint32_t continued = 0;
    for (uint32_t i = 0; i < timeline->slices.count; i++)
        continued += (timeline->slices.at[i].flags & TL_CONTINUED) != 0;
    for (uint32_t i = 0; i < timeline->segments.count; i++) {
        const struct tl_segment *segment = &timeline->segments.at[i];
        bool ordered = i == 0 || timeline->segments.at[i - 1].slice < segment->slice;
        check_add(check, CHECK_RULE_SEGMENTS, CHECK_ERROR, !ordered || !goes_on(timeline, segment),
                  "slice %" PRIu32 " does not go on where the range's piece before it ended",
                  segment->slice);
    }
    check_add(check, CHECK_RULE_SEGMENTS, CHECK_ERROR, continued != timeline->segments.count,
              "%" PRIu32 " slices are said to go on, %" PRIu32 " are known to", continued,
              timeline->segments.count);
}

static uint32_t process_of(const struct timeline *timeline, const struct tl_slice *slice)
{
    return timeline->threads.at[slice->thread].process;
}

/* Forward in time, within one process. */
static bool links_well(const struct timeline *timeline, const struct tl_fwdbwd *link)
{
    uint32_t count = timeline->slices.count, threads = timeline->threads.count;
    if (link->forward >= count || link->backward >= count)
        return false;
    const struct tl_slice *forward = &timeline->slices.at[link->forward];
    const struct tl_slice *backward = &timeline->slices.at[link->backward];
    return forward->thread < threads && backward->thread < threads && forward->kind != TL_API &&
           backward->kind != TL_API && forward != backward &&
           process_of(timeline, forward) == process_of(timeline, backward) &&
           forward->start_ns <= backward->start_ns;
}

static void check_fwdbwds(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->fwdbwds.count; i++) {
        const struct tl_fwdbwd *link = &timeline->fwdbwds.at[i];
        bool ordered = i == 0 || timeline->fwdbwds.at[i - 1].backward < link->backward;
        check_add(check, CHECK_RULE_FWDBWD, CHECK_ERROR, !ordered || !links_well(timeline, link),
                  "slice %" PRIu32 " is not the backward pass of slice %" PRIu32, link->backward,
                  link->forward);
    }
}

static void check_anomalies(struct check *check)
{
    for (uint32_t i = 0; i < check->timeline->processes.count; i++) {
        const struct tl_process *process = &check->timeline->processes.at[i];
        const struct tl_anomalies *odd = &process->odd;
        check_add(check, CHECK_RULE_ODD_NAMES, CHECK_NOTE,
                  odd->redefined_names + odd->unknown_domains + odd->uncut_ranges,
                  "%s: %" PRIu64 " name ids that mean two things, %" PRIu64
                  " domains that are not in the file, %" PRIu64
                  " ranges ended early since too many crossed",
                  process->path, odd->redefined_names, odd->unknown_domains, odd->uncut_ranges);
    }
}

void check_nvtx(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    check_labels(check);
    check_labelled(check);
    check_attrs_of(check, "mark", timeline->mark_attrs.at, timeline->mark_attrs.count,
                   timeline->marks.count);
    check_attrs_of(check, "begin/end range", timeline->async_attrs.at, timeline->async_attrs.count,
                   timeline->asyncs.count);
    check_segments(check);
    check_fwdbwds(check);
    check_anomalies(check);
}

/* Python calls: ordered, nested among each other and with slices. */

static bool frame_is_valid(const struct timeline *timeline, uint32_t i)
{
    const struct tl_frame *frame = &timeline->frames.at[i];
    return frame->thread < timeline->threads.count && frame->name < timeline->names.count &&
           frame->call <= i && (frame->parent == TL_NONE || frame->parent < i) &&
           (frame->flags & TL_FRAME_CONTINUED ? frame->call < i : frame->call == i);
}

static bool frame_is_at_home(const struct timeline *timeline, uint32_t i)
{
    const struct tl_thread *thread = &timeline->threads.at[timeline->frames.at[i].thread];
    return i >= thread->first_frame && i - thread->first_frame < thread->frame_count;
}

static void check_frame(struct check *check, uint32_t i)
{
    const struct timeline *timeline = check->timeline;
    const struct tl_frame *frame = &timeline->frames.at[i], *previous = i ? frame - 1 : NULL;
    if (!frame_is_valid(timeline, i)) {
        check_add(check, CHECK_RULE_FRAMES, CHECK_ERROR, 1,
                  "Python call %" PRIu32 " refers to things that do not exist", i);
        return;
    }
    struct text name = check_name(check, frame->name);
    bool same_thread = previous && previous->thread == frame->thread;
    bool ordered = frame_is_at_home(timeline, i) && frame->end_ns >= frame->start_ns &&
                   (!same_thread || previous->start_ns <= frame->start_ns);
    check_add(check, CHECK_RULE_FRAMES, CHECK_ERROR, !ordered,
              "Python call %" PRIu32 " \"%.*s\" is out of order at %" PRId64 " ns", i,
              CHECK_TEXT(name), frame->start_ns);
    /* Of two that follow each other the second lies in the first or after it. */
    bool nested =
        !same_thread || frame->start_ns >= previous->end_ns || frame->end_ns <= previous->end_ns;
    check_add(check, CHECK_RULE_FRAMES, CHECK_ERROR, !nested,
              "Python call %" PRIu32 " \"%.*s\" does not nest in its thread at %" PRId64 " ns", i,
              CHECK_TEXT(name), frame->start_ns);
}

/* A call must not cross the slices that begin in it: those are looked at from the call's begin on
 * until one begins behind it. Slices of calls that follow each other are looked at once for each
 * that is open. */
static void check_crossing(struct check *check, const struct tl_thread *thread)
{
    const struct timeline *timeline = check->timeline;
    const struct tl_slice *slices = timeline->slices.at + thread->first_slice;
    uint32_t next = 0;
    for (uint32_t i = 0; i < thread->frame_count; i++) {
        const struct tl_frame *frame = &timeline->frames.at[thread->first_frame + i];
        while (next < thread->slice_count && slices[next].start_ns <= frame->start_ns)
            next++;
        bool crossed = next < thread->slice_count && !(slices[next].flags & TL_INTERNAL) &&
                       slices[next].start_ns < frame->end_ns && slices[next].end_ns > frame->end_ns;
        check_add(check, CHECK_RULE_FRAMES, CHECK_ERROR, crossed,
                  "Python call %" PRIu32 " crosses a range at %" PRId64 " ns",
                  thread->first_frame + i, frame->end_ns);
    }
}

static void check_odd(struct check *check, const struct tl_process *process)
{
    const struct tl_anomalies *odd = &process->odd;
    check_add(check, CHECK_RULE_ODD_FRAMES, CHECK_WARNING, odd->unopened_frames + odd->uncut_frames,
              "%s: %" PRIu64 " ends of Python calls without a begin, %" PRIu64
              " Python calls cut short by ranges",
              process->path, odd->unopened_frames, odd->uncut_frames);
}

void check_frames(struct check *check)
{
    for (uint32_t i = 0; i < check->timeline->frames.count; i++)
        check_frame(check, i);
    for (uint32_t i = 0; i < check->timeline->threads.count; i++)
        check_crossing(check, &check->timeline->threads.at[i]);
    for (uint32_t i = 0; i < check->timeline->processes.count; i++)
        check_odd(check, &check->timeline->processes.at[i]);
}

/* Ranges timed by CUDA events: each time belongs to a range, nests like it, and
 * ends after it. */

/* What CLOCK_REALTIME can drift from a device's clock in the second between two looks. */
#define DRIFT_NS 200000

static bool is_valid(const struct timeline *timeline, uint32_t i)
{
    const struct tl_timing *timing = &timeline->timings.at[i];
    bool ordered = i == 0 || timeline->timings.at[i - 1].slice < timing->slice;
    return ordered && timing->slice < timeline->slices.count &&
           timeline->slices.at[timing->slice].kind != TL_API && timing->end_ns >= timing->start_ns;
}

/* The innermost enclosing slice that was timed on the same device; TL_NONE: none. */
static uint32_t find_outer(const struct timeline *timeline, uint32_t i)
{
    const struct tl_timing *timing = &timeline->timings.at[i];
    uint32_t slice = timeline->slices.at[timing->slice].parent;
    for (int depth = 0; slice < timeline->slices.count && depth < 256; depth++) {
        uint32_t outer = timeline_timing_of(timeline, slice);
        if (outer != TL_NONE && timeline->timings.at[outer].device == timing->device)
            return outer;
        slice = timeline->slices.at[slice].parent;
    }
    return TL_NONE;
}

static bool is_nested(const struct timeline *timeline, uint32_t i)
{
    const struct tl_timing *timing = &timeline->timings.at[i];
    uint32_t outer = find_outer(timeline, i);
    return outer == TL_NONE || (timeline->timings.at[outer].start_ns <= timing->start_ns &&
                                timing->end_ns <= timeline->timings.at[outer].end_ns);
}

/* The second event is recorded after the pop is, and happens later still. */
static bool is_early(const struct check *check, const struct tl_timing *timing)
{
    const struct timeline *timeline = check->timeline;
    const struct tl_slice *slice = &timeline->slices.at[timing->slice];
    uint32_t process = timeline->threads.at[slice->thread].process;
    int64_t clock_error_ns = timeline->processes.at[process].health.clock_error_ns;
    return timing->end_ns < slice->end_ns - DRIFT_NS - (int64_t)timing->error_ns - clock_error_ns;
}

static void check_timing(struct check *check, uint32_t i)
{
    const struct timeline *timeline = check->timeline;
    const struct tl_timing *timing = &timeline->timings.at[i];
    if (!is_valid(timeline, i)) {
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, 1,
                  "CUDA time %" PRIu32 " belongs to no range, or is out of order", i);
        return;
    }
    struct text name = check_name(check, timeline->slices.at[timing->slice].name);
    check_add(check, CHECK_RULE_TIMINGS, CHECK_ERROR, !is_nested(timeline, i),
              "the CUDA time of \"%.*s\" at %" PRId64 " ns is not within that of its parent",
              CHECK_TEXT(name), timing->start_ns);
    check_add(check, CHECK_RULE_TIMINGS, CHECK_WARNING, is_early(check, timing),
              "the CUDA time of \"%.*s\" ends at %" PRId64
              " ns, before the range, by more than the clocks' error",
              CHECK_TEXT(name), timing->end_ns);
}

static void check_timing_odd(struct check *check, const struct tl_process *process)
{
    const struct tl_anomalies *odd = &process->odd;
    check_add(check, CHECK_RULE_TIMINGS, CHECK_WARNING, odd->moved_timings,
              "%s: %" PRIu64 " CUDA times of ranges did not nest and were cut", process->path,
              odd->moved_timings);
    check_add(check, CHECK_RULE_TIMINGS, process->info.ring ? CHECK_NOTE : CHECK_WARNING,
              odd->stray_timings, "%s: %" PRIu64 " CUDA times belong to no range of the trace",
              process->path, odd->stray_timings);
    check_add(check, CHECK_RULE_TIMINGS, CHECK_NOTE, odd->unread_timings,
              "%s: %" PRIu64 " ranges were being timed when they or the trace ended", process->path,
              odd->unread_timings);
}

void check_timings(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->timings.count; i++)
        check_timing(check, i);
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        check_timing_odd(check, &timeline->processes.at[i]);
}
