/* build_join.c - from an operation to the call that launched it. */
#include "build.h"

#include "radix.h"

#include <stdlib.h>
#include <string.h>

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
    for (uint32_t i = 0; i < builder->brackets.count; i++)
        stored &= keymap_set(&by_correlation, builder->brackets.at[i].correlation, i);
    struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.gpu;
         i < timeline->gpus.count && stored && builder->brackets.count; i++) {
        struct tl_gpu *gpu = &timeline->gpus.at[i];
        uint32_t found =
            gpu->kind == TL_MEMSET ? keymap_find(&by_correlation, gpu->correlation) : KEYMAP_NONE;
        if (found != KEYMAP_NONE)
            prove_clock(builder, gpu, &builder->brackets.at[found]);
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
    for (uint32_t i = builder->first.gpu; i < timeline->gpus.count; i++) {
        struct tl_gpu *gpu = &timeline->gpus.at[i];
        join_one(builder, &index, gpu, cached_bar(builder, &cache, gpu->device));
    }
    /* They have no time: of several calls with one id, the latest is taken. */
    for (uint32_t i = 0; i < builder->losts.count; i++) {
        struct build_lost *lost = &builder->losts.at[i];
        lost->slice = launch_index_find(&index, lost->correlation, INT64_MAX);
    }
    launch_index_fini(&index);
    return true;
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
    struct calls calls = {builder->launches.at, builder->timeline->slices.at};
    *index = (struct launch_index){
        .launches = calls.at, .slices = calls.slices, .count = builder->launches.count};
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
