/* build_events.c - marks, counters, ranges that do not nest, and the attributes of all. */
#include "array.h"
#include "build.h"

#include <stdlib.h>
#include <string.h>

/* An attribute of a begin/end range whose begin has not been seen yet. */
struct build_attr {
    struct tl_attr attr;
    uint64_t id;
};

/* The end of a begin/end range. */
struct build_range_end {
    int64_t time_ns;
    uint64_t id;
    uint32_t thread;
};

struct build_events {
    TL_ARRAY(struct build_range_end) range_ends;
    TL_ARRAY(struct build_attr) early_attrs;
};

BUILD_PART(events, free(events->range_ends.at), free(events->early_attrs.at))

/* Marks, counters, and ranges that do not nest. */

uint32_t build_place(struct builder *builder, uint32_t number, int64_t *time_ns)
{
    *time_ns = build_time(builder, *time_ns);
    if (builder->failed)
        return TL_NONE;
    return build_thread_of(builder, number);
}

void builder_append_mark(struct builder *builder, uint32_t number, int64_t time_ns, uint32_t name)
{
    uint32_t thread = build_place(builder, number, &time_ns);
    struct tl_mark *mark = thread == TL_NONE ? NULL : ARRAY_ADD(&builder->timeline->marks);
    if (!mark) {
        builder->failed = true;
        return;
    }
    struct build_ref ref = build_ref(builder, name);
    struct build_thread *stack = build_stack(builder, thread);
    build_whole_advance(builder, stack, time_ns);
    const struct stack_entry *range = build_innermost(stack);
    *mark = (struct tl_mark){time_ns, ref.name, thread, range ? range->slice : TL_NONE, ref.label};
    stack->mark = builder->timeline->marks.count - 1;
}

void builder_append_counter(struct builder *builder, uint32_t number, int64_t time_ns,
                            uint32_t name, double value)
{
    uint32_t thread = build_place(builder, number, &time_ns);
    struct tl_counter *counter = thread == TL_NONE ? NULL : ARRAY_ADD(&builder->timeline->counters);
    if (!counter) {
        builder->failed = true;
        return;
    }
    *counter = (struct tl_counter){time_ns, value, build_name(builder, name), thread};
}

void builder_begin_async(struct builder *builder, uint32_t number, int64_t time_ns, uint32_t name,
                         uint64_t id)
{
    uint32_t thread = build_place(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    struct tl_async *async = ARRAY_ADD(&builder->timeline->asyncs);
    if (!async) {
        builder->failed = true;
        return;
    }
    struct build_ref ref = build_ref(builder, name);
    *async = (struct tl_async){
        .start_ns = time_ns,
        .end_ns = time_ns,
        .id = id,
        .name = ref.name,
        .thread = thread,
        .end_thread = thread,
        .flags = TL_UNCLOSED,
        .label = ref.label,
    };
    build_async_stack(builder, builder->timeline->asyncs.count - 1);
}

/* Another thread's log may be walked ahead of the one in which the range begins, so ends wait. */
void builder_end_async(struct builder *builder, uint32_t number, int64_t time_ns, uint64_t id)
{
    uint32_t thread = build_place(builder, number, &time_ns);
    struct build_range_end *end =
        thread == TL_NONE ? NULL : ARRAY_ADD(&builder->events->range_ends);
    if (end)
        *end = (struct build_range_end){time_ns, id, thread};
    else
        builder->failed = true;
}

/* An end is of the begin before it. They may be stamped on different processors: so much earlier it
 * may seem. */
#define END_BEFORE_BEGIN_NS 1000000

struct end_list {
    struct radix_item *items; /* key: range id */
    uint32_t count;
};

static void sort_failed(struct builder *builder, bool sorted)
{
    builder->failed |= !sorted;
}

/* By id, then time. */
static struct radix_item *sort_begins(struct builder *builder, const struct tl_async *asyncs,
                                      uint32_t count)
{
    struct radix_item *items = calloc(count + 1, sizeof *items);
    builder->failed |= !items;
    for (uint32_t i = 0; i < count && items; i++)
        items[i] = (struct radix_item){radix_key(asyncs[i].start_ns), i};
    sort_failed(builder, items && radix_sort(items, count));
    for (uint32_t i = 0; i < count && items; i++)
        items[i].key = asyncs[items[i].value].id;
    sort_failed(builder, items && radix_sort(items, count));
    return items;
}

static struct radix_item *sort_ends(struct builder *builder, const struct build_range_end *ends,
                                    uint32_t count)
{
    struct radix_item *items = calloc(count + 1, sizeof *items);
    builder->failed |= !items;
    for (uint32_t i = 0; i < count && items; i++)
        items[i] = (struct radix_item){radix_key(ends[i].time_ns), i};
    sort_failed(builder, items && radix_sort(items, count));
    for (uint32_t i = 0; i < count && items; i++)
        items[i].key = ends[items[i].value].id;
    sort_failed(builder, items && radix_sort(items, count));
    return items;
}

static void end_async(struct tl_async *async, const struct build_range_end *end)
{
    async->end_ns = end->time_ns > async->start_ns ? end->time_ns : async->start_ns;
    async->end_thread = end->thread;
    async->flags &= ~TL_UNCLOSED;
}

/* Takes ends of ids or of times that no begin accounts for; returns the first that may be the
 * begin's. */
static uint32_t skip_strangers(const struct builder *builder, struct end_list ends, uint32_t next,
                               const struct tl_async *async)
{
    while (next < ends.count && ends.items[next].key < async->id)
        next++;
    while (next < ends.count && ends.items[next].key == async->id &&
           builder->events->range_ends.at[ends.items[next].value].time_ns <
               async->start_ns - END_BEFORE_BEGIN_NS)
        next++;
    return next;
}

static void match_ends(struct builder *builder, struct tl_async *asyncs,
                       const struct radix_item *begins, uint32_t count, struct end_list ends)
{
    struct tl_anomalies *odd = &build_process(builder)->odd;
    const struct tl_async *previous = NULL;
    uint32_t next = 0, matched = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct tl_async *async = &asyncs[begins[i].value];
        bool again = previous && previous->id == async->id;
        odd->reused_range_ids +=
            again && (previous->flags & TL_UNCLOSED || previous->end_ns > async->start_ns);
        next = skip_strangers(builder, ends, next, async);
        if (next < ends.count && ends.items[next].key == async->id) {
            end_async(async, &builder->events->range_ends.at[ends.items[next++].value]);
            matched++;
        }
        previous = async;
    }
    odd->unknown_range_ends += ends.count - matched;
}

static int64_t last_time(const struct builder *builder)
{
    int64_t last_ns = -TL_TIME_MAX_NS;
    for (uint32_t i = 0; i < builder->threads.count; i++)
        last_ns =
            builder->threads.at[i].last_ns > last_ns ? builder->threads.at[i].last_ns : last_ns;
    return last_ns;
}

static void end_open(struct tl_async *asyncs, uint32_t count, int64_t last_ns)
{
    for (uint32_t i = 0; i < count; i++)
        if (asyncs[i].flags & TL_UNCLOSED && asyncs[i].end_ns < last_ns)
            asyncs[i].end_ns = last_ns;
}

void build_asyncs_end(struct builder *builder)
{
    struct tl_async *asyncs = builder->timeline->asyncs.at;
    uint32_t count = builder->timeline->asyncs.count - builder->first.asyncs;
    if (count)
        asyncs += builder->first.asyncs;
    struct end_list ends = {NULL, builder->events->range_ends.count};
    struct radix_item *begins = sort_begins(builder, asyncs, count);
    ends.items = sort_ends(builder, builder->events->range_ends.at, ends.count);
    if (!builder->failed)
        match_ends(builder, asyncs, begins, count, ends);
    end_open(asyncs, count, last_time(builder));
    free(begins);
    free(ends.items);
}

/* Attributes: of the innermost range, of the latest mark, of a begin/end range. */

/* The innermost range (its first segment: attributes are the call's), or the step that the thread
 * is in. */
static uint32_t attr_home(const struct build_thread *stack)
{
    const struct stack_entry *range = build_innermost(stack);
    if (range)
        return range->first;
    uint32_t step = stack->top[TL_STEP];
    return step == STACK_NONE ? TL_NONE : stack->stack.at[step].slice;
}

static struct tl_attr make_attr(struct builder *builder, const struct event_attr *from)
{
    struct tl_attr attr = {.slice = TL_NONE,
                           .key = build_name(builder, from->key),
                           .type = from->type,
                           .value = from->value};
    if (from->type == PROF_ATTR_STRING)
        attr.value = build_name(builder, from->value > UINT32_MAX ? 0 : (uint32_t)from->value);
    return attr;
}

/* `place` is a new item of an array of attributes; NULL: no memory, if there is an owner. */
static void keep_attr(struct builder *builder, struct tl_attr *place, struct tl_attr attr,
                      uint32_t owner)
{
    if (owner == TL_NONE) {
        build_process(builder)->odd.homeless_attrs++;
    } else if (!place) {
        builder->failed = true;
    } else {
        *place = attr;
        place->slice = owner;
    }
}

#define KEEP_ATTR(builder, array, attr, owner) \
    keep_attr(builder, (owner) == TL_NONE ? NULL : ARRAY_ADD(array), attr, owner)

/* Attributes follow their begin, as a rule at once. */
static bool is_of_latest(const struct builder *builder, uint64_t id)
{
    uint32_t count = builder->timeline->asyncs.count;
    return count > builder->first.asyncs && builder->timeline->asyncs.at[count - 1].id == id;
}

/* Another thread's log may be walked ahead of the one in which the range begins, so some wait. */
static void append_async_attr(struct builder *builder, struct tl_attr attr, uint64_t id)
{
    if (is_of_latest(builder, id)) {
        KEEP_ATTR(builder, &builder->timeline->async_attrs, attr,
                  builder->timeline->asyncs.count - 1);
        return;
    }
    struct build_attr *early = ARRAY_ADD(&builder->events->early_attrs);
    if (early)
        *early = (struct build_attr){attr, id};
    else
        builder->failed = true;
}

void builder_append_attr(struct builder *builder, uint32_t number, const struct event_attr *from,
                         uint64_t target)
{
    int64_t time_ns = 0;
    uint32_t thread = build_place(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    struct build_thread *stack = build_stack(builder, thread);
    struct tl_attr attr = make_attr(builder, from);
    uint32_t home = target ? stack->mark : attr_home(stack);
    if (target == 0)
        KEEP_ATTR(builder, &builder->timeline->attrs, attr, home);
    else if (target == PROF_ATTR_OF_MARK)
        KEEP_ATTR(builder, &builder->timeline->mark_attrs, attr, home);
    else
        append_async_attr(builder, attr, target);
}

void build_attr_keep(struct builder *builder, uint32_t owner, const struct event_attr *from)
{
    struct tl_attr attr = make_attr(builder, from);
    KEEP_ATTR(builder, &builder->timeline->attrs, attr, owner);
}

/* The begin/end ranges of the process by their ids; of those that share one, the last. */
static void index_asyncs(struct builder *builder, struct keymap *by_id)
{
    const struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.asyncs; i < timeline->asyncs.count && !builder->failed; i++)
        builder->failed |= !keymap_set(by_id, timeline->asyncs.at[i].id, i);
}

void build_attrs_end(struct builder *builder)
{
    struct keymap by_id = {0};
    if (builder->events->early_attrs.count == 0)
        return;
    index_asyncs(builder, &by_id);
    for (uint32_t i = 0; i < builder->events->early_attrs.count && !builder->failed; i++) {
        const struct build_attr *early = &builder->events->early_attrs.at[i];
        uint32_t async = keymap_find(&by_id, early->id);
        KEEP_ATTR(builder, &builder->timeline->async_attrs, early->attr, async);
    }
    keymap_fini(&by_id);
}

static bool attrs_are_sorted(const struct tl_attr *attrs, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (attrs[i].slice < attrs[i - 1].slice)
            return false;
    return true;
}

/* By owner; those of one owner keep their order. */
static bool sort_attrs(struct tl_attr *attrs, uint32_t count)
{
    if (attrs_are_sorted(attrs, count))
        return true;
    struct radix_item *items = calloc(count, sizeof *items);
    struct tl_attr *sorted = calloc(count, sizeof *sorted);
    for (uint32_t i = 0; i < count && items; i++)
        items[i] = (struct radix_item){attrs[i].slice, i};
    bool done = items && sorted && radix_sort(items, count);
    for (uint32_t i = 0; i < count && done; i++)
        sorted[i] = attrs[items[i].value];
    if (done)
        memcpy(attrs, sorted, count * sizeof *attrs);
    free(items);
    free(sorted);
    return done;
}

/* The part of an array that the process added. */
#define SORT_NEW(array, first) \
    ((array).count == (first) || sort_attrs((array).at + (first), (array).count - (first)))

bool build_attrs_sort(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    return SORT_NEW(timeline->attrs, builder->first.attrs) &&
           SORT_NEW(timeline->mark_attrs, builder->first.mark_attrs) &&
           SORT_NEW(timeline->async_attrs, builder->first.async_attrs);
}
