/* build_slices.c - ranges, steps and CUDA calls of a thread become a tree.
 *
 * Per thread there is one stack of what is open. Ends name what they end only by kind (the
 * innermost range; the innermost call of a correlation id), so an end can find other things above
 * its own. Those are ended with it:
 *
 *     a step above  ends quietly: a step ends where the range ends in which it began
 *     a call above  its end was lost
 *     a range above nobody popped it: TL_UNCLOSED, counted
 */
#include "builder.h"

#include <string.h>

static void open_run(struct builder *builder, uint32_t thread)
{
    uint32_t count = builder->runs.count;
    if (count && builder->runs.at[count - 1].thread == thread)
        return;
    struct build_run *run = ARRAY_ADD(&builder->runs);
    if (!run) {
        builder->failed = true;
        return;
    }
    *run = (struct build_run){thread, builder->timeline->slices.count};
}

/* Appends a slice inside of what is open; NULL: no memory. */
static struct tl_slice *open_slice(struct builder *builder, uint32_t thread, int64_t time_ns,
                                   uint32_t name, enum tl_slice_kind kind)
{
    struct build_thread *stack = build_stack(builder, thread);
    open_run(builder, thread);
    struct tl_slice *slice = ARRAY_ADD(&builder->timeline->slices);
    struct stack_entry *entry = slice ? ARRAY_ADD(&stack->stack) : NULL;
    if (!entry) {
        builder->failed = true;
        return NULL;
    }
    uint32_t depth = stack->stack.count - 1;
    *entry = (struct stack_entry){builder->timeline->slices.count - 1, stack->top[kind]};
    stack->top[kind] = depth;
    *slice = (struct tl_slice){
        .start_ns = time_ns,
        .end_ns = time_ns,
        .name = name,
        .parent = depth ? stack->stack.at[depth - 1].slice : TL_NONE,
        .thread = thread,
        .api = TL_NONE,
        .depth = (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX),
        .kind = (uint8_t)kind,
    };
    return slice;
}

/* Ends the top of the stack, which is not what the program ended. */
static void force_top(struct builder *builder, uint32_t thread, struct tl_slice *slice,
                      bool unclosed)
{
    if (slice->kind == TL_STEP || !unclosed)
        return;
    slice->flags |= TL_UNCLOSED;
    if (slice->kind == TL_RANGE)
        builder->timeline->threads.at[thread].unclosed++;
    else
        build_process(builder)->odd.open_api_calls++;
}

static struct tl_slice *pop_top(struct builder *builder, struct build_thread *stack,
                                int64_t time_ns)
{
    struct stack_entry entry = stack->stack.at[--stack->stack.count];
    struct tl_slice *slice = &builder->timeline->slices.at[entry.slice];
    slice->end_ns = time_ns;
    stack->top[slice->kind] = entry.below;
    return slice;
}

/* Ends everything above `place`. */
static void close_above(struct builder *builder, uint32_t thread, uint32_t place, int64_t time_ns,
                        bool unclosed)
{
    struct build_thread *stack = build_stack(builder, thread);
    while (stack->stack.count > place)
        force_top(builder, thread, pop_top(builder, stack, time_ns), unclosed);
}

/* The thread of an event, ready to be written to; TL_NONE: no memory. */
static uint32_t enter(struct builder *builder, uint32_t number, int64_t *time_ns)
{
    if (builder->failed)
        return TL_NONE;
    uint32_t thread = number == builder->current_number && builder->current_thread != TL_NONE
                          ? builder->current_thread
                          : build_thread_of(builder, number);
    if (thread == TL_NONE)
        return TL_NONE;
    struct build_thread *stack = build_stack(builder, thread);
    *time_ns = build_time(builder, *time_ns);
    if (*time_ns < stack->last_ns)
        *time_ns = stack->last_ns;
    stack->last_ns = *time_ns;
    return thread;
}

static void take_push(void *user, uint32_t number, int64_t time_ns, uint32_t name)
{
    struct builder *builder = user;
    uint32_t thread = enter(builder, number, &time_ns);
    if (thread != TL_NONE)
        open_slice(builder, thread, time_ns, build_name(builder, name), TL_RANGE);
}

static void take_pop(void *user, uint32_t number, int64_t time_ns)
{
    struct builder *builder = user;
    uint32_t thread = enter(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    struct build_thread *stack = build_stack(builder, thread);
    uint32_t place = stack->top[TL_RANGE];
    if (place == STACK_NONE) {
        struct tl_thread *info = &builder->timeline->threads.at[thread];
        info->unopened += !info->cut;
        return;
    }
    if (place + 1 < stack->stack.count)
        close_above(builder, thread, place + 1, time_ns, true);
    pop_top(builder, stack, time_ns);
}

/* A step ends the one before it, unless a range that began in between is still open: then the old
 * step lasts until that range ends, and the new one until the range around it ends or the next step
 * comes. */
static void take_step(void *user, uint32_t number, int64_t time_ns, uint64_t step)
{
    struct builder *builder = user;
    uint32_t thread = enter(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    struct build_thread *stack = build_stack(builder, thread);
    uint32_t place = stack->top[TL_STEP];
    if (place != STACK_NONE && place + 1 == stack->stack.count)
        pop_top(builder, stack, time_ns);
    else if (place != STACK_NONE)
        build_process(builder)->odd.crossed_steps++;
    uint32_t name = namepool_format(&builder->pool, "ProfilerStep#%llu", (unsigned long long)step);
    builder->failed |= name == TL_NONE;
    open_slice(builder, thread, time_ns, name, TL_STEP);
}

static uint32_t api_name(struct builder *builder, const struct read_api *api)
{
    uint32_t key = (uint32_t)api->cbid * 4 + (api->domain & 3);
    uint32_t name = idmap_find(&builder->api_names, key);
    if (name != IDMAP_NONE)
        return name;
    build_process(builder)->odd.missing_names++;
    const char *domain = api->domain == PROF_API_DRIVER ? "driver" : "runtime";
    name = namepool_format(&builder->pool, "CUDA %s call %u", domain, api->cbid);
    builder->failed |= name == TL_NONE || !idmap_set(&builder->api_names, key, name);
    return name;
}

static uint8_t slice_flags(const struct read_api *api)
{
    unsigned flags = api->flags & (PROF_API_LAUNCHES | PROF_API_GRAPH) ? TL_LAUNCHES : 0;
    flags |= api->flags & PROF_API_GRAPH ? TL_GRAPH : 0;
    flags |= api->flags & PROF_API_INTERNAL ? TL_INTERNAL : 0;
    return (uint8_t)flags;
}

/* Calls nest a few deep; only a damaged file has them deeper, and those must not cost quadratic
 * time. */
#define API_DEPTH_MAX 8

/* Whether an enclosing call stands for this one: a runtime call and the driver call inside it share
 * one correlation id, and the device's records belong to the outer. Libprof's own calls are so
 * throughout. */
static bool covered_by_outer(const struct builder *builder, const struct build_thread *stack,
                             uint32_t place, const struct read_api *api, uint8_t *flags)
{
    const struct timeline *timeline = builder->timeline;
    bool launches = *flags & TL_LAUNCHES;
    for (int depth = 0; place != STACK_NONE && depth < API_DEPTH_MAX; depth++) {
        const struct tl_slice *outer = &timeline->slices.at[stack->stack.at[place].slice];
        *flags |= outer->flags & TL_INTERNAL;
        if (timeline->apis.at[outer->api].correlation == api->correlation &&
            (!launches || outer->flags & TL_LAUNCHES))
            return true;
        place = stack->stack.at[place].below;
    }
    return false;
}

static void add_launch(struct builder *builder, const struct read_api *api, uint32_t slice,
                       bool launches)
{
    struct build_launch *launch = ARRAY_ADD(&builder->launches);
    if (launch)
        *launch = (struct build_launch){api->correlation, slice, launches};
    else
        builder->failed = true;
}

static uint32_t add_api(struct builder *builder, const struct read_api *api)
{
    struct tl_api *added = ARRAY_ADD(&builder->timeline->apis);
    if (!added) {
        builder->failed = true;
        return TL_NONE;
    }
    *added = (struct tl_api){
        .correlation = api->correlation,
        .result = TL_RESULT_UNKNOWN,
        .stream_handle = api->stream_handle,
        .bytes = api->bytes,
        .kernel_name = api->kernel_name ? build_kernel_name(builder, api->kernel_name) : TL_NONE,
        .operations = api->operations,
        .cbid = api->cbid,
        .domain = api->domain,
    };
    return builder->timeline->apis.count - 1;
}

static void take_api_enter(void *user, uint32_t number, int64_t time_ns, const struct read_api *api)
{
    struct builder *builder = user;
    uint32_t thread = enter(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    struct build_thread *stack = build_stack(builder, thread);
    uint8_t flags = slice_flags(api);
    bool covered = covered_by_outer(builder, stack, stack->top[TL_API], api, &flags);
    uint32_t index = add_api(builder, api);
    if (builder->failed)
        return;
    struct tl_slice *slice = open_slice(builder, thread, time_ns, api_name(builder, api), TL_API);
    if (!slice)
        return;
    slice->api = index;
    slice->flags = flags;
    if (api->has_stack)
        build_slice_stack(builder, builder->timeline->slices.count - 1, api->stack);
    if (!covered && api->correlation)
        add_launch(builder, api, builder->timeline->slices.count - 1, flags & TL_LAUNCHES);
}

/* Place of the innermost open call of this correlation id. */
static uint32_t find_call(const struct builder *builder, const struct build_thread *stack,
                          uint32_t correlation)
{
    uint32_t place = stack->top[TL_API];
    for (int depth = 0; place != STACK_NONE && depth < API_DEPTH_MAX; depth++) {
        uint32_t api = builder->timeline->slices.at[stack->stack.at[place].slice].api;
        if (!correlation || builder->timeline->apis.at[api].correlation == correlation)
            return place;
        place = stack->stack.at[place].below;
    }
    return STACK_NONE;
}

static void take_api_exit(void *user, uint32_t number, int64_t time_ns, uint32_t correlation,
                          int32_t result)
{
    struct builder *builder = user;
    uint32_t thread = enter(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    struct build_thread *stack = build_stack(builder, thread);
    uint32_t place = find_call(builder, stack, correlation);
    if (place == STACK_NONE) {
        build_process(builder)->odd.unmatched_api_exits +=
            !builder->timeline->threads.at[thread].cut;
        return;
    }
    close_above(builder, thread, place + 1, time_ns, true);
    uint32_t api = pop_top(builder, stack, time_ns)->api;
    builder->timeline->apis.at[api].result = result;
}

static void take_close_all(void *user, uint32_t number, int64_t time_ns, bool unclosed)
{
    struct builder *builder = user;
    uint32_t thread = enter(builder, number, &time_ns);
    if (thread != TL_NONE)
        close_above(builder, thread, 0, time_ns, unclosed);
}

static void take_cut(void *user, uint32_t number)
{
    struct builder *builder = user;
    int64_t time_ns = -CLOCKMAP_NS_MAX;
    uint32_t thread = enter(builder, number, &time_ns);
    if (thread != TL_NONE)
        builder->timeline->threads.at[thread].cut = true;
}

/* A reader ends everything itself; this is for one that did not. */
void build_slices_end(struct builder *builder)
{
    for (uint32_t i = 0; i < builder->threads.count; i++)
        close_above(builder, builder->first.thread + i, 0, builder->threads.at[i].last_ns, true);
}

void build_slices_connect(struct read_sink *sink)
{
    sink->push = take_push;
    sink->pop = take_pop;
    sink->step = take_step;
    sink->api_enter = take_api_enter;
    sink->api_exit = take_api_exit;
    sink->close_all = take_close_all;
    sink->cut = take_cut;
}
