/* build_attrs.c - attributes: of the innermost range, of the latest mark, of a begin/end range. */
#include "build.h"
#include "radix.h"

#include <stdlib.h>
#include <string.h>

/* The innermost range (its first piece: attributes are the call's), or the step that the thread is
 * in. */
static uint32_t attr_home(const struct build_thread *stack)
{
    const struct stack_entry *range = build_innermost(stack);
    if (range)
        return range->first;
    uint32_t step = stack->top[TL_STEP];
    return step == STACK_NONE ? TL_NONE : stack->stack.at[step].slice;
}

static struct tl_attr make_attr(struct builder *builder, const struct read_attr *from)
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
    return count > builder->first.async && builder->timeline->asyncs.at[count - 1].id == id;
}

/* Another thread's log may be walked ahead of the one in which the range begins, so some wait. */
static void take_async_attr(struct builder *builder, struct tl_attr attr, uint64_t id)
{
    if (is_of_latest(builder, id)) {
        KEEP_ATTR(builder, &builder->timeline->async_attrs, attr,
                  builder->timeline->asyncs.count - 1);
        return;
    }
    struct build_attr *early = ARRAY_ADD(&builder->early_attrs);
    if (early)
        *early = (struct build_attr){attr, id};
    else
        builder->failed = true;
}

void timeline_append_attr(struct builder *builder, uint32_t number, const struct read_attr *from,
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
        take_async_attr(builder, attr, target);
}

void build_attr_keep(struct builder *builder, uint32_t owner, const struct read_attr *from)
{
    struct tl_attr attr = make_attr(builder, from);
    KEEP_ATTR(builder, &builder->timeline->attrs, attr, owner);
}

/* The begin/end ranges of the process by their ids; of those that share one, the last. */
static void index_asyncs(struct builder *builder, struct keymap *by_id)
{
    const struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.async; i < timeline->asyncs.count && !builder->failed; i++)
        builder->failed |= !keymap_set(by_id, timeline->asyncs.at[i].id, i);
}

void build_attrs_end(struct builder *builder)
{
    struct keymap by_id = {0};
    if (builder->early_attrs.count == 0)
        return;
    index_asyncs(builder, &by_id);
    for (uint32_t i = 0; i < builder->early_attrs.count && !builder->failed; i++) {
        const struct build_attr *early = &builder->early_attrs.at[i];
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
    return SORT_NEW(timeline->attrs, builder->first.attr) &&
           SORT_NEW(timeline->mark_attrs, builder->first.mark_attr) &&
           SORT_NEW(timeline->async_attrs, builder->first.async_attr);
}
