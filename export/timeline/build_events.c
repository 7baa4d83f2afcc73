/* build_events.c - marks, counters, and ranges that do not nest. */
#include "build.h"
#include "radix.h"

#include <stdlib.h>

uint32_t build_place(struct builder *builder, uint32_t number, int64_t *time_ns)
{
    *time_ns = build_time(builder, *time_ns);
    if (builder->failed)
        return TL_NONE;
    return number == builder->current_number && builder->current_thread != TL_NONE
               ? builder->current_thread
               : build_thread_of(builder, number);
}

void timeline_append_mark(struct builder *builder, uint32_t number, int64_t time_ns, uint32_t name)
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

void timeline_append_counter(struct builder *builder, uint32_t number, int64_t time_ns,
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

void timeline_begin_async(struct builder *builder, uint32_t number, int64_t time_ns, uint32_t name,
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
void timeline_end_async(struct builder *builder, uint32_t number, int64_t time_ns, uint64_t id)
{
    uint32_t thread = build_place(builder, number, &time_ns);
    struct build_range_end *end = thread == TL_NONE ? NULL : ARRAY_ADD(&builder->range_ends);
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
           builder->range_ends.at[ends.items[next].value].time_ns <
               async->start_ns - END_BEFORE_BEGIN_NS)
        next++;
    return next;
}

static void match_ends(struct builder *builder, struct tl_async *asyncs,
                       const struct radix_item *begins, uint32_t count, struct end_list ends)
{
    struct tl_oddities *odd = &build_process(builder)->odd;
    const struct tl_async *previous = NULL;
    uint32_t next = 0, matched = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct tl_async *async = &asyncs[begins[i].value];
        bool again = previous && previous->id == async->id;
        odd->reused_range_ids +=
            again && (previous->flags & TL_UNCLOSED || previous->end_ns > async->start_ns);
        next = skip_strangers(builder, ends, next, async);
        if (next < ends.count && ends.items[next].key == async->id) {
            end_async(async, &builder->range_ends.at[ends.items[next++].value]);
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
    uint32_t count = builder->timeline->asyncs.count - builder->first.async;
    if (count)
        asyncs += builder->first.async;
    struct end_list ends = {NULL, builder->range_ends.count};
    struct radix_item *begins = sort_begins(builder, asyncs, count);
    ends.items = sort_ends(builder, builder->range_ends.at, ends.count);
    if (!builder->failed)
        match_ends(builder, asyncs, begins, count, ends);
    end_open(asyncs, count, last_time(builder));
    free(begins);
    free(ends.items);
}
