#include "array.h"
#include "build.h"

#include <stdlib.h>
#include <string.h>

/* One libprof's own operation with the CPU times around it. */
struct build_bracket {
    int64_t before_ns, after_ns;
    uint32_t device, correlation;
};

/* A range that is timed by events. */
struct build_timed {
    uint64_t token;
    uint32_t slice;
};

struct build_join {
    TL_ARRAY(struct build_launch) launches;
    TL_ARRAY(struct build_bracket) brackets;
    TL_ARRAY(struct build_timed) timed;
    TL_ARRAY(struct range_time) range_times;
};

BUILD_PART(join, free(join->launches.at), free(join->brackets.at), free(join->timed.at),
           free(join->range_times.at))

void build_join_move(struct builder *builder, const struct build_places *places)
{
    struct build_join *join = builder->join;
    for (uint32_t i = 0; i < join->launches.count; i++)
        join->launches.at[i].slice = build_moved(places, join->launches.at[i].slice);
    for (uint32_t i = 0; i < join->timed.count; i++)
        join->timed.at[i].slice = build_moved(places, join->timed.at[i].slice);
}

const struct build_launch *build_launches(const struct builder *builder, uint32_t *count)
{
    *count = builder->join->launches.count;
    return builder->join->launches.at;
}

/* Which call launched a device operation, and how far the two clocks can be apart.
 *
 * Calls and operations carry a correlation id. It is 32 bits wide and wraps, so several calls of a
 * long run can have one id: the latest that began before the operation is meant. The calls are
 * sorted by (id, begin) and found through a table of buckets, one per call, by the leading bits of
 * the id: linear time, ids being dense.
 */

/* How much an operation may seem to precede its launch while no bracketed operation has shown how
 * far the device's clock is off: CUPTI's interpolation is good to a few microseconds. */
#define UNPROVEN_CLOCK_ERROR_NS 20000

/* Beyond this the clocks are not a little off, they are wrong, and what seems to precede its launch
 * does so because of that: it must be said. */
#define CLOCK_ERROR_MAX_NS 1000000

/* Correlation ids come again: an operation that lies further from a bracket is the bracket's only
 * if it has the size of libprof's own, whatever the clock says. */
#define BRACKET_REACH_NS INT64_C(1000000000)
#define BRACKET_BYTES 4u

static bool is_operation(const struct tl_gpu *gpu)
{
    return gpu->kind <= TL_GRAPH_RUN;
}

void builder_append_start_event(struct builder *builder, uint32_t device, uint32_t correlation,
                                int64_t before_ns, int64_t after_ns)
{
    struct build_bracket *bracket = ARRAY_ADD(&builder->join->brackets);
    if (bracket)
        *bracket = (struct build_bracket){build_time(builder, before_ns),
                                          build_time(builder, after_ns), device, correlation};
    else
        builder->failed = true;
}

/* How far the operation lies outside of its bracket; 0 within. */
static int64_t outside(const struct tl_gpu *gpu, const struct build_bracket *bracket)
{
    int64_t early = bracket->before_ns - gpu->start_ns, late = gpu->end_ns - bracket->after_ns;
    int64_t worse = early > late ? early : late;
    return worse > 0 ? worse : 0;
}

static void prove_clock(struct builder *builder, struct tl_gpu *gpu,
                        const struct build_bracket *bracket)
{
    int64_t error_ns = outside(gpu, bracket);
    if (gpu->device != bracket->device ||
        (error_ns > BRACKET_REACH_NS && gpu->bytes != BRACKET_BYTES))
        return;
    gpu->flags |= TL_GPU_INTERNAL;
    struct tl_device *device = build_device_find(builder, bracket->device);
    if (device && error_ns > device->clock_error_ns)
        device->clock_error_ns = error_ns;
}

/* Marks libprof's own operations by their brackets. There are a handful per device. */
static bool match_brackets(struct builder *builder)
{
    struct keymap by_correlation = {0};
    bool stored = true;
    for (uint32_t i = 0; i < builder->join->brackets.count; i++)
        stored &= keymap_set(&by_correlation, builder->join->brackets.at[i].correlation, i);
    struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.gpus;
         i < timeline->gpus.count && stored && builder->join->brackets.count; i++) {
        struct tl_gpu *gpu = &timeline->gpus.at[i];
        uint32_t found =
            gpu->kind == TL_MEMSET ? keymap_find(&by_correlation, gpu->correlation) : KEYMAP_NONE;
        if (found != KEYMAP_NONE)
            prove_clock(builder, gpu, &builder->join->brackets.at[found]);
    }
    keymap_fini(&by_correlation);
    return stored;
}

/* By device ordinal of the process: how much earlier than its launch an operation may seem to
 * start. */
static int64_t error_bar(struct builder *builder, uint32_t ordinal)
{
    const struct tl_device *device = build_device_find(builder, ordinal);
    int64_t proven =
        device && device->clock_error_ns >= 0 ? device->clock_error_ns : UNPROVEN_CLOCK_ERROR_NS;
    if (proven > CLOCK_ERROR_MAX_NS)
        proven = CLOCK_ERROR_MAX_NS;
    return proven + build_process(builder)->health.clock_error_ns;
}

/* The error bar of the device of a run of operations is computed once. */
struct bar_cache {
    uint32_t device;
    bool known;
    int64_t error_ns;
};

static int64_t cached_bar(struct builder *builder, struct bar_cache *cache, uint32_t device)
{
    if (!cache->known || cache->device != device)
        *cache = (struct bar_cache){device, true, error_bar(builder, device)};
    return cache->error_ns;
}

static void join_one(struct builder *builder, const struct launch_index *index, struct tl_gpu *gpu,
                     int64_t bar_ns)
{
    const struct tl_slice *slices = builder->timeline->slices.at;
    bool ambiguous = (gpu->flags & TL_GPU_AMBIGUOUS) != 0;
    uint32_t slice =
        ambiguous ? TL_NONE : launch_index_find(index, gpu->correlation, gpu->start_ns + bar_ns);
    if (slice == TL_NONE && gpu->slice != TL_NONE)
        return; /* no call, but a range that the file names as its origin */
    gpu->slice = slice;
    if (slice == TL_NONE) {
        if (!ambiguous && is_operation(gpu) && !(gpu->flags & TL_GPU_INTERNAL))
            gpu->flags |= TL_GPU_ORPHAN;
        return;
    }
    if (slices[slice].flags & TL_INTERNAL)
        gpu->flags |= TL_GPU_INTERNAL;
    if (is_operation(gpu) && !(gpu->flags & TL_GPU_INTERNAL) &&
        gpu->start_ns < slices[slice].start_ns - bar_ns)
        gpu->flags |= TL_GPU_BEFORE_LAUNCH;
}

bool build_join(struct builder *builder)
{
    struct launch_index index;
    struct bar_cache cache = {0};
    struct timeline *timeline = builder->timeline;
    bool ready = match_brackets(builder) && launch_index_init(&index, builder);
    if (!ready)
        return false;
    for (uint32_t i = builder->first.gpus; i < timeline->gpus.count; i++) {
        struct tl_gpu *gpu = &timeline->gpus.at[i];
        join_one(builder, &index, gpu, cached_bar(builder, &cache, gpu->device));
    }
    build_ledger_join(builder, &index);
    launch_index_fini(&index);
    return true;
}

void build_launch_add(struct builder *builder, uint32_t correlation, uint32_t slice)
{
    struct build_launch *launch = ARRAY_ADD(&builder->join->launches);
    if (launch)
        *launch = (struct build_launch){correlation, slice};
    else
        builder->failed = true;
}

/* A sort in place, and a table of buckets.
 *
 * The sort is by bytes, most significant first, moving items within their array: of millions of
 * calls there is no second copy, and the time is linear whatever the ids are.
 */

#define CORRELATION_BYTES 4u
#define KEY_BYTES (CORRELATION_BYTES + 8u) /* the id, then the call's start */
#define FEW 16u

/* What is sorted, and what its starts are looked up in. */
struct calls {
    struct build_launch *at;
    const struct tl_slice *slices;
};

static int64_t start_of(const struct calls *calls, const struct build_launch *launch)
{
    return calls->slices[launch->slice].start_ns;
}

static bool is_before(const struct calls *calls, const struct build_launch *a,
                      const struct build_launch *b)
{
    if (a->correlation != b->correlation)
        return a->correlation < b->correlation;
    int64_t start_a = start_of(calls, a), start_b = start_of(calls, b);
    return start_a != start_b ? start_a < start_b : a->slice < b->slice;
}

static bool is_sorted(const struct calls *calls, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (is_before(calls, &calls->at[i], &calls->at[i - 1]))
            return false;
    return true;
}

static void sort_few(const struct calls *calls, uint32_t first, uint32_t end)
{
    for (uint32_t i = first + 1; i < end; i++) {
        struct build_launch launch = calls->at[i];
        uint32_t to = i;
        for (; to > first && is_before(calls, &launch, &calls->at[to - 1]); to--)
            calls->at[to] = calls->at[to - 1];
        calls->at[to] = launch;
    }
}

static unsigned key_byte(const struct calls *calls, const struct build_launch *launch,
                         unsigned place)
{
    if (place < CORRELATION_BYTES)
        return launch->correlation >> 8 * (CORRELATION_BYTES - 1 - place) & 255;
    return (unsigned)(radix_key(start_of(calls, launch)) >> 8 * (KEY_BYTES - 1 - place)) & 255;
}

/* Brings each item to the part of its byte; ends[] are then where the parts end. */
static void spread(const struct calls *calls, uint32_t first, uint32_t end, unsigned place,
                   uint32_t ends[256])
{
    uint32_t next[256], counts[256] = {0};
    for (uint32_t i = first; i < end; i++)
        counts[key_byte(calls, &calls->at[i], place)]++;
    for (uint32_t byte = 0, at = first; byte < 256; byte++) {
        next[byte] = at;
        at += counts[byte];
        ends[byte] = at;
    }
    for (uint32_t byte = 0; byte < 256; byte++)
        while (next[byte] < ends[byte]) {
            struct build_launch *here = &calls->at[next[byte]];
            unsigned belongs = key_byte(calls, here, place);
            struct build_launch moved = *here;
            *here = calls->at[next[belongs]];
            calls->at[next[belongs]++] = moved;
        }
}

/* Recursion ends after KEY_BYTES levels. */
static void sort_part(const struct calls *calls, uint32_t first, uint32_t end, unsigned place)
{
    uint32_t ends[256];
    if (end - first <= FEW) {
        sort_few(calls, first, end);
        return;
    }
    if (place == KEY_BYTES)
        return;
    spread(calls, first, end, place, ends);
    for (uint32_t byte = 0; byte < 256; first = ends[byte++])
        sort_part(calls, first, ends[byte], place + 1);
}

static uint32_t bucket_of(const struct launch_index *index, uint32_t correlation)
{
    return (correlation - index->least) >> index->shift;
}

/* Two to four calls a bucket where ids are dense. */
static bool fill_buckets(struct launch_index *index)
{
    if (index->count == 0)
        return true;
    index->least = index->launches[0].correlation;
    uint32_t span = index->launches[index->count - 1].correlation - index->least;
    while ((uint64_t)(span >> index->shift) >= index->count / 2 + 1)
        index->shift++;
    index->buckets = (span >> index->shift) + 1;
    index->starts = calloc((size_t)index->buckets + 1, sizeof *index->starts);
    if (!index->starts)
        return false;
    for (uint32_t i = 0; i < index->count; i++)
        index->starts[bucket_of(index, index->launches[i].correlation) + 1]++;
    for (uint32_t i = 0; i < index->buckets; i++)
        index->starts[i + 1] += index->starts[i];
    return true;
}

bool launch_index_init(struct launch_index *index, struct builder *builder)
{
    struct calls calls = {builder->join->launches.at, builder->timeline->slices.at};
    *index = (struct launch_index){
        .launches = calls.at, .slices = calls.slices, .count = builder->join->launches.count};
    if (!is_sorted(&calls, index->count))
        sort_part(&calls, 0, index->count, 0);
    return fill_buckets(index);
}

void launch_index_fini(struct launch_index *index)
{
    free(index->starts);
    memset(index, 0, sizeof *index);
}

/* The first call in [low, high) that is not ordered before (correlation, start_ns). */
static uint32_t lower_bound(const struct launch_index *index, uint32_t low, uint32_t high,
                            uint32_t correlation, int64_t start_ns)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct build_launch *launch = &index->launches[middle];
        bool before =
            launch->correlation < correlation || (launch->correlation == correlation &&
                                                  index->slices[launch->slice].start_ns < start_ns);
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t launch_index_find(const struct launch_index *index, uint32_t correlation,
                           int64_t latest_ns)
{
    if (!index->count || correlation < index->least ||
        bucket_of(index, correlation) >= index->buckets)
        return TL_NONE;
    uint32_t bucket = bucket_of(index, correlation);
    uint32_t first = index->starts[bucket], end = index->starts[bucket + 1];
    int64_t beyond_ns = latest_ns < INT64_MAX ? latest_ns + 1 : latest_ns;
    uint32_t after = lower_bound(index, first, end, correlation, beyond_ns);
    uint32_t best = after;
    if (after > first && index->launches[after - 1].correlation == correlation)
        best = after - 1;
    if (best == end || index->launches[best].correlation != correlation)
        return TL_NONE;
    return index->launches[best].slice;
}

/* ---- ranges timed by CUDA events ----
 *
 * A range has a token; its time comes later with the same token.
 *
 * On one stream events happen in the order in which they were recorded, so the times of one thread
 * nest as its ranges do. Where they seem not to, two clocks of libprof's lie in between (the
 * recorder renews them once a second): a range is cut to what is around it. */

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

void builder_set_timed(struct builder *builder, uint32_t number, uint64_t token)
{
    if (builder->failed)
        return;
    uint32_t thread = build_thread_of(builder, number);
    const struct stack_entry *range =
        thread == TL_NONE ? NULL : find_timed(build_stack(builder, thread));
    if (!range)
        return;
    struct build_timed *timed = ARRAY_ADD(&builder->join->timed);
    if (timed)
        *timed = (struct build_timed){token, range->first};
    else
        builder->failed = true;
}

void builder_append_range_time(struct builder *builder, const struct range_time *time)
{
    if (builder->failed)
        return;
    struct range_time *kept = ARRAY_ADD(&builder->join->range_times);
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
    for (uint32_t i = 0; i < builder->join->timed.count && built; i++)
        built = keymap_set(&by_token, builder->join->timed.at[i].token,
                           builder->join->timed.at[i].slice);
    for (uint32_t i = 0; i < builder->join->range_times.count && built; i++) {
        const struct range_time *time = &builder->join->range_times.at[i];
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
    struct tl_timing *timings = builder->timeline->timings.at + builder->first.timings;
    uint32_t count = builder->timeline->timings.count - builder->first.timings;
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

/* A slice has one time. A damaged file can have more; they are dropped. */
static void drop_doubles(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    uint32_t kept = builder->first.timings;
    for (uint32_t i = kept; i < timeline->timings.count; i++) {
        if (kept > builder->first.timings &&
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
    TL_ARRAY(uint32_t) open;   /* timings of the ranges around the current one */
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
    for (uint32_t i = builder->first.timings; i < timeline->timings.count && built; i++) {
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
    uint32_t read = builder->timeline->timings.count - builder->first.timings;
    uint32_t timed = builder->join->timed.count;
    build_process(builder)->odd.unread_timings = timed > read ? timed - read : 0;
}

bool build_timings(struct builder *builder)
{
    if (!join(builder))
        return false;
    if (builder->timeline->timings.count > builder->first.timings) {
        if (!sort(builder))
            return false;
        drop_doubles(builder);
    }
    count_unread(builder);
    return nest(builder);
}
