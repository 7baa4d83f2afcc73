/* build_timings.c - ranges timed by CUDA events: the range says a token, the time comes later with
 * the same token.
 *
 * On one stream events happen in the order in which they were recorded, so the times of one thread
 * nest as its ranges do. Where they seem not to, two clocks of libprof's lie in between (the
 * recorder renews them once a second): a range is cut to what is around it.
 */
#include "build.h"
#include "radix.h"

#include <stdlib.h>
#include <string.h>

/* The recorder times ranges 64 deep; a damaged file must not cost quadratic time. */
#define DEPTH_MAX 256

/* Devices that are kept apart; beyond that, two may share a place, which only cuts more. */
#define DEVICES 64u

/* The innermost open range, or the step that began in it. */
static const struct stack_entry *find_timed(const struct build_thread *stack)
{
    const struct stack_entry *range = build_innermost(stack);
    uint32_t step = stack->top[TL_STEP];
    if (step != STACK_NONE && (!range || &stack->stack.at[step] > range))
        return &stack->stack.at[step];
    return range;
}

void timeline_set_timed(struct builder *builder, uint32_t number, uint64_t token)
{
    if (builder->failed)
        return;
    uint32_t thread = build_thread_of(builder, number);
    const struct stack_entry *range =
        thread == TL_NONE ? NULL : find_timed(build_stack(builder, thread));
    if (!range)
        return;
    struct build_timed *timed = ARRAY_ADD(&builder->timed);
    if (timed)
        *timed = (struct build_timed){token, range->first};
    else
        builder->failed = true;
}

void timeline_append_range_time(struct builder *builder, const struct range_time *time)
{
    if (builder->failed)
        return;
    struct range_time *kept = ARRAY_ADD(&builder->range_times);
    if (!kept) {
        builder->failed = true;
        return;
    }
    *kept = *time;
    kept->start_ns = build_time(builder, time->start_ns);
    kept->end_ns = build_time(builder, time->end_ns);
    if (kept->end_ns < kept->start_ns)
        kept->end_ns = kept->start_ns;
}

static bool add_timing(struct builder *builder, const struct range_time *time, uint32_t slice)
{
    struct tl_timing *timing = ARRAY_ADD(&builder->timeline->timings);
    if (!timing)
        return false;
    *timing = (struct tl_timing){
        .start_ns = time->start_ns,
        .end_ns = time->end_ns,
        .stream = time->stream,
        .slice = slice,
        .device = time->device,
        .error_ns = time->error_ns,
    };
    return true;
}

/* Every time finds its range, or is counted. */
static bool join(struct builder *builder)
{
    struct keymap by_token = {0};
    bool built = true;
    for (uint32_t i = 0; i < builder->timed.count && built; i++)
        built = keymap_set(&by_token, builder->timed.at[i].token, builder->timed.at[i].slice);
    for (uint32_t i = 0; i < builder->range_times.count && built; i++) {
        const struct range_time *time = &builder->range_times.at[i];
        uint32_t slice = keymap_find(&by_token, time->token);
        if (slice == KEYMAP_NONE || time->device > UINT16_MAX)
            build_process(builder)->odd.stray_timings++;
        else
            built = add_timing(builder, time, slice);
    }
    keymap_fini(&by_token);
    return built;
}

static bool sort(struct builder *builder)
{
    struct tl_timing *timings = builder->timeline->timings.at + builder->first.timing;
    uint32_t count = builder->timeline->timings.count - builder->first.timing;
    struct radix_item *items = calloc(count, sizeof *items);
    struct tl_timing *sorted = calloc(count, sizeof *sorted);
    for (uint32_t i = 0; i < count && items; i++)
        items[i] = (struct radix_item){timings[i].slice, i};
    bool done = items && sorted && radix_sort(items, count);
    for (uint32_t i = 0; i < count && done; i++)
        sorted[i] = timings[items[i].value];
    if (done)
        memcpy(timings, sorted, count * sizeof *timings);
    free(items);
    free(sorted);
    return done;
}

/* A slice has one time: what a damaged file says beyond that is dropped. */
static void drop_doubles(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    uint32_t kept = builder->first.timing;
    for (uint32_t i = kept; i < timeline->timings.count; i++) {
        if (kept > builder->first.timing &&
            timeline->timings.at[kept - 1].slice == timeline->timings.at[i].slice)
            build_process(builder)->odd.stray_timings++;
        else
            timeline->timings.at[kept++] = timeline->timings.at[i];
    }
    timeline->timings.count = kept;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* The way through one thread's timings. */
struct nesting {
    TL_ARRAY(uint32_t) open;   /* timings of the ranges around the one at hand */
    int64_t ended_ns[DEVICES]; /* latest end of those that are over */
    uint32_t thread;
};

static const struct tl_slice *slice_of(const struct timeline *timeline, uint32_t timing)
{
    return &timeline->slices.at[timeline->timings.at[timing].slice];
}

static bool is_around(const struct timeline *timeline, uint32_t outer, uint32_t slice)
{
    for (int depth = 0; slice != TL_NONE && slice > outer && depth < DEPTH_MAX; depth++)
        slice = timeline->slices.at[slice].parent;
    return slice == outer;
}

static void enter_thread(struct nesting *nesting, uint32_t thread)
{
    if (nesting->thread == thread)
        return;
    nesting->thread = thread;
    nesting->open.count = 0;
    for (unsigned i = 0; i < DEVICES; i++)
        nesting->ended_ns[i] = INT64_MIN;
}

static void leave_ended(const struct timeline *timeline, struct nesting *nesting, uint32_t slice)
{
    while (nesting->open.count) {
        const struct tl_timing *top =
            &timeline->timings.at[nesting->open.at[nesting->open.count - 1]];
        if (is_around(timeline, top->slice, slice))
            return;
        int64_t *ended_ns = &nesting->ended_ns[top->device % DEVICES];
        *ended_ns = top->end_ns > *ended_ns ? top->end_ns : *ended_ns;
        nesting->open.count--;
    }
}

/* The innermost range around it that was timed on the same device; NULL: none. */
static const struct tl_timing *find_outer(const struct timeline *timeline,
                                          const struct nesting *nesting, uint32_t device)
{
    for (uint32_t i = nesting->open.count; i-- > 0;)
        if (timeline->timings.at[nesting->open.at[i]].device == device)
            return &timeline->timings.at[nesting->open.at[i]];
    return NULL;
}

/* Between what is over and the end of what is around it. */
static void fit(struct builder *builder, const struct nesting *nesting, struct tl_timing *timing)
{
    const struct tl_timing *outer = find_outer(builder->timeline, nesting, timing->device);
    int64_t low = nesting->ended_ns[timing->device % DEVICES];
    int64_t high = outer ? outer->end_ns : INT64_MAX;
    int64_t start_ns = timing->start_ns, end_ns = timing->end_ns;
    if (outer && outer->start_ns > low)
        low = outer->start_ns;
    low = low < high ? low : high;
    timing->start_ns = clamp(start_ns, low, high);
    timing->end_ns = clamp(end_ns, timing->start_ns, high);
    int64_t error_ns =
        (int64_t)timing->error_ns * 2; /* its own, and about that of what is around */
    build_process(builder)->odd.moved_timings +=
        timing->start_ns - start_ns > error_ns || end_ns - timing->end_ns > error_ns;
}

static bool nest(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    struct nesting nesting = {.thread = TL_NONE};
    bool built = true;
    for (uint32_t i = builder->first.timing; i < timeline->timings.count && built; i++) {
        enter_thread(&nesting, slice_of(timeline, i)->thread);
        leave_ended(timeline, &nesting, timeline->timings.at[i].slice);
        fit(builder, &nesting, &timeline->timings.at[i]);
        uint32_t *open = ARRAY_ADD(&nesting.open);
        built = open != NULL;
        if (built)
            *open = i;
    }
    free(nesting.open.at);
    return built;
}

static void count_unread(struct builder *builder)
{
    uint32_t read = builder->timeline->timings.count - builder->first.timing;
    uint32_t timed = builder->timed.count;
    build_process(builder)->odd.unread_timings = timed > read ? timed - read : 0;
}

bool build_timings(struct builder *builder)
{
    if (!join(builder))
        return false;
    if (builder->timeline->timings.count > builder->first.timing) {
        if (!sort(builder))
            return false;
        drop_doubles(builder);
    }
    count_unread(builder);
    return nest(builder);
}
