/* build_stacks.c - call stacks, what their addresses mean, and who has which. */
#include "build.h"
#include "radix.h"

#include <stdlib.h>
#include <string.h>

/* A process has a few hundred; more than the recorder keeps is a damaged file, and looking an
 * address up must not become quadratic. */
#define MODULES_MAX 16384u

static bool keep_addresses(struct builder *builder, const struct call_stack *stack)
{
    struct timeline *timeline = builder->timeline;
    while (timeline->addresses.capacity - timeline->addresses.count < stack->frames)
        if (!array_grow(&timeline->addresses.at, &timeline->addresses.capacity, sizeof(uint64_t)))
            return false;
    if (stack->frames)
        memcpy(timeline->addresses.at + timeline->addresses.count, stack->addresses,
               stack->frames * sizeof(uint64_t));
    timeline->addresses.count += stack->frames;
    return true;
}

void timeline_define_stack(struct builder *builder, const struct call_stack *stack)
{
    struct timeline *timeline = builder->timeline;
    if (builder->failed)
        return;
    uint32_t first = timeline->addresses.count;
    struct tl_stack *added = keep_addresses(builder, stack) ? ARRAY_ADD(&timeline->stacks) : NULL;
    if (!added || !idmap_set(&builder->stack_ids, stack->id, timeline->stacks.count - 1)) {
        builder->failed = true;
        return;
    }
    *added = (struct tl_stack){
        .ticks = stack->ticks,
        .process = builder->process,
        .first = first,
        .count = stack->frames,
        .frames = TL_NONE,
        .method = (uint16_t)stack->method,
        .cut = stack->cut,
    };
    build_process(builder)->stack_count++;
}

void timeline_define_module(struct builder *builder, const struct loaded_module *module)
{
    struct timeline *timeline = builder->timeline;
    if (builder->failed || build_process(builder)->module_count == MODULES_MAX)
        return;
    uint32_t path = text_pool_add(&builder->timeline->names, module->path);
    struct tl_module *added = path == TL_NONE ? NULL : ARRAY_ADD(&timeline->modules);
    if (!added || !idmap_set(&builder->module_ids, module->id, timeline->modules.count - 1)) {
        builder->failed = true;
        return;
    }
    *added = (struct tl_module){
        .start = module->start,
        .end = module->end,
        .file_offset = module->file_offset,
        .bias = module->bias,
        .ticks = module->ticks,
        .gone_ticks = UINT64_MAX,
        .process = builder->process,
        .path = path,
        .build_id_bytes = module->build_id_bytes,
    };
    memcpy(added->build_id, module->build_id, sizeof added->build_id);
    build_process(builder)->module_count++;
}

void timeline_end_module(struct builder *builder, uint32_t id, uint64_t ticks)
{
    uint32_t module = builder->failed ? IDMAP_NONE : idmap_find(&builder->module_ids, id);
    if (module != IDMAP_NONE)
        builder->timeline->modules.at[module].gone_ticks = ticks;
}

/* TL_NONE: it has none, and that is counted. */
static uint32_t find_stack(struct builder *builder, uint32_t id)
{
    struct tl_anomalies *odd = &build_process(builder)->odd;
    uint32_t stack = idmap_find(&builder->stack_ids, id);
    if (id == 0)
        odd->untaken_stacks++;
    else if (stack == IDMAP_NONE)
        odd->missing_stacks++;
    return id && stack != IDMAP_NONE ? stack : TL_NONE;
}

/* The latest owner's stack, said once more: then with addresses. */
static bool is_latest(const struct timeline *timeline, const struct tl_stack_of *all,
                      uint32_t count, uint32_t owner)
{
    return count && all[count - 1].owner == owner &&
           timeline->stacks.at[all[count - 1].stack].count == 0;
}

static void add_slice_stack(struct builder *builder, uint32_t slice, uint32_t stack)
{
    struct timeline *timeline = builder->timeline;
    if (is_latest(timeline, timeline->slice_stacks.at, timeline->slice_stacks.count, slice))
        timeline->slice_stacks.count--;
    struct tl_stack_of *of = ARRAY_ADD(&timeline->slice_stacks);
    if (of)
        *of = (struct tl_stack_of){slice, stack};
    else
        builder->failed = true;
}

static void add_async_stack(struct builder *builder, uint32_t async, uint32_t stack)
{
    struct timeline *timeline = builder->timeline;
    if (is_latest(timeline, timeline->async_stacks.at, timeline->async_stacks.count, async))
        timeline->async_stacks.count--;
    struct tl_stack_of *of = ARRAY_ADD(&timeline->async_stacks);
    if (of)
        *of = (struct tl_stack_of){async, stack};
    else
        builder->failed = true;
}

void build_slice_stack(struct builder *builder, uint32_t slice, struct build_addresses addresses)
{
    uint32_t thread = builder->timeline->slices.at[slice].thread;
    if (builder->failed)
        return;
    uint32_t stack = addresses.wanted ? find_stack(builder, addresses.id) : TL_NONE;
    stack = build_frames_stack(builder, thread, stack);
    if (stack != TL_NONE)
        add_slice_stack(builder, slice, stack);
}

void build_async_stack(struct builder *builder, uint32_t async)
{
    uint32_t thread = builder->timeline->asyncs.at[async].thread;
    uint32_t stack = builder->failed ? TL_NONE : build_frames_stack(builder, thread, TL_NONE);
    if (stack != TL_NONE)
        add_async_stack(builder, async, stack);
}

/* The range must be the latest one that began. */
static void take_async_stack(struct builder *builder, uint64_t range, uint32_t stack)
{
    const struct timeline *timeline = builder->timeline;
    uint32_t count = timeline->asyncs.count;
    if (count > builder->first.async && timeline->asyncs.at[count - 1].id == range)
        add_async_stack(builder, count - 1, stack);
}

void timeline_set_stack(struct builder *builder, uint32_t number, uint32_t id, uint64_t range)
{
    uint32_t thread = builder->failed ? TL_NONE : build_thread_of(builder, number);
    uint32_t stack = thread == TL_NONE ? TL_NONE : find_stack(builder, id);
    if (stack == TL_NONE)
        return;
    stack = build_frames_stack(builder, thread, stack);
    const struct stack_entry *innermost = build_innermost(build_stack(builder, thread));
    if (range)
        take_async_stack(builder, range, stack);
    else if (innermost)
        add_slice_stack(builder, innermost->slice, stack);
}

/* A range's first stack is its own: a later one is that of a range whose push was lost. */
static void drop_later(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    uint32_t kept = builder->first.slice_stack;
    for (uint32_t i = kept; i < timeline->slice_stacks.count; i++)
        if (i == builder->first.slice_stack ||
            timeline->slice_stacks.at[i].owner != timeline->slice_stacks.at[kept - 1].owner)
            timeline->slice_stacks.at[kept++] = timeline->slice_stacks.at[i];
    timeline->slice_stacks.count = kept;
}

/* By slice. Called when slices have their places. */
bool build_stacks_sort(struct builder *builder)
{
    uint32_t count = builder->timeline->slice_stacks.count - builder->first.slice_stack;
    if (count < 2)
        return true;
    struct tl_stack_of *all = builder->timeline->slice_stacks.at + builder->first.slice_stack;
    struct radix_item *items = calloc(count, sizeof *items);
    for (uint32_t i = 0; i < count && items; i++)
        items[i] = (struct radix_item){all[i].owner, all[i].stack};
    bool sorted = items && radix_sort(items, count);
    for (uint32_t i = 0; i < count && sorted; i++)
        all[i] = (struct tl_stack_of){(uint32_t)items[i].key, items[i].value};
    free(items);
    if (sorted)
        drop_later(builder);
    return sorted;
}
