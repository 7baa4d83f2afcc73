/* build_join.c - which call launched a device operation, and how far the two clocks can be apart.
 *
 * Calls and operations carry a correlation id. It is 32 bits wide and wraps, so several calls of a
 * long run can have one id: the latest that began before the operation is meant. The calls are
 * sorted by (id, begin) and found through a table of buckets, one per call, by the leading bits of
 * the id: linear time, ids being dense.
 */
#include "build.h"
#include "launch_index.h"

#include <stdlib.h>

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
