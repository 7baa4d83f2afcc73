/* restrict_events.c - marks, counters and begin/end ranges of a window. */
#include "restrict.h"

void restrict_find_events(struct restriction *with)
{
    const struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->marks.count; i++)
        with->marks[i] = restrict_has(with, timeline->marks.at[i].time_ns) ? next++ : TL_NONE;
    next = 0;
    for (uint32_t i = 0; i < timeline->asyncs.count; i++)
        with->asyncs[i] = restrict_has(with, timeline->asyncs.at[i].start_ns) ? next++ : TL_NONE;
}

/* Returns how many are left. */
static uint32_t move_attrs(struct tl_attr *attrs, uint32_t count, const uint32_t *places)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct tl_attr attr = attrs[i];
        if (places[attr.slice] == TL_NONE)
            continue;
        attr.slice = places[attr.slice];
        attrs[next++] = attr;
    }
    return next;
}

static void move_marks(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->marks.count; i++) {
        struct tl_mark mark = timeline->marks.at[i];
        if (with->marks[i] == TL_NONE)
            continue;
        mark.slice = restrict_slice(with, mark.slice);
        timeline->marks.at[next++] = mark;
    }
    timeline->marks.count = next;
    timeline->mark_attrs.count =
        move_attrs(timeline->mark_attrs.at, timeline->mark_attrs.count, with->marks);
}

static void move_counters(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->counters.count; i++)
        if (restrict_has(with, timeline->counters.at[i].time_ns))
            timeline->counters.at[next++] = timeline->counters.at[i];
    timeline->counters.count = next;
}

static void move_async_stacks(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->async_stacks.count; i++) {
        struct tl_stack_of of = timeline->async_stacks.at[i];
        if (with->asyncs[of.owner] == TL_NONE)
            continue;
        of.owner = with->asyncs[of.owner];
        timeline->async_stacks.at[next++] = of;
    }
    timeline->async_stacks.count = next;
}

/* An end beyond the window is one that was not seen. */
static void move_asyncs(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->asyncs.count; i++) {
        struct tl_async async = timeline->asyncs.at[i];
        if (with->asyncs[i] == TL_NONE)
            continue;
        if (async.end_ns > with->to_ns) {
            async.end_ns = with->to_ns;
            async.end_thread = async.thread;
            async.flags |= TL_UNCLOSED;
        }
        timeline->asyncs.at[next++] = async;
    }
    timeline->asyncs.count = next;
    timeline->async_attrs.count =
        move_attrs(timeline->async_attrs.at, timeline->async_attrs.count, with->asyncs);
}

void restrict_events(struct restriction *with)
{
    move_marks(with);
    move_counters(with);
    move_asyncs(with);
    move_async_stacks(with);
}
