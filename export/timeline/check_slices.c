/* check_slices.c - what threads did: ordered, nested, every index in its range. */
#include "check_find.h"

#include <inttypes.h>

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

/* Whether the slice lies where its thread says. */
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
                  "thread %" PRIu32 ": %" PRIu64 " pushes without a pop, %" PRIu64
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
