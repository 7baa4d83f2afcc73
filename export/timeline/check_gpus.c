/* check_gpus.c - what devices did: sorted, not overlapping within a lane, launched by a call of the
 * host. */
#include "check_find.h"

#include <inttypes.h>

/* No clock that is right is this far off: CUPTI's interpolation is good to microseconds. */
#define CLOCK_ERROR_MAX_NS 1000000

/* As many as build_lanes.c makes. */
#define LANES_CHECKED 1024

static uint32_t detail_count(const struct timeline *timeline, uint8_t kind)
{
    switch ((enum tl_gpu_kind)kind) {
    case TL_KERNEL:
        return timeline->kernels.count;
    case TL_MEMCPY:
        return timeline->memcpys.count;
    case TL_MEMSET:
        return timeline->memsets.count;
    case TL_GRAPH_RUN:
        return timeline->graph_runs.count;
    case TL_SYNC:
        return timeline->syncs.count;
    case TL_OVERHEAD:
        return timeline->overheads.count;
    }
    return 0;
}

static bool gpu_is_valid(const struct timeline *timeline, const struct tl_gpu *gpu)
{
    return gpu->process < timeline->processes.count && gpu->name < timeline->names.count &&
           (gpu->stream == TL_NONE || gpu->stream < timeline->streams.count) &&
           (gpu->slice == TL_NONE || gpu->slice < timeline->slices.count) &&
           gpu->kind <= TL_OVERHEAD &&
           (gpu->detail == TL_NONE || gpu->detail < detail_count(timeline, gpu->kind));
}

/* The arrow begins on a call of a thread of the same process, or on a range of it. */
static bool starts_on_host(const struct timeline *timeline, const struct tl_gpu *gpu)
{
    if (gpu->slice == TL_NONE)
        return true;
    const struct tl_slice *slice = &timeline->slices.at[gpu->slice];
    return slice->thread < timeline->threads.count &&
           timeline->threads.at[slice->thread].process == gpu->process && slice->gpu_count > 0;
}

static bool comes_after(const struct tl_gpu *gpu, const struct tl_gpu *previous)
{
    if (previous->process != gpu->process)
        return previous->process < gpu->process;
    if (previous->stream != gpu->stream)
        return previous->stream < gpu->stream;
    return previous->start_ns <= gpu->start_ns;
}

static void check_gpu(struct check *check, uint32_t i)
{
    const struct timeline *timeline = check->timeline;
    const struct tl_gpu *gpu = &timeline->gpus.at[i];
    if (!gpu_is_valid(timeline, gpu)) {
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, 1,
                  "device operation %" PRIu32 " refers to things that do not exist", i);
        return;
    }
    struct text name = check_name(check, gpu->name);
    check_add(check, CHECK_RULE_GPU_TIME, CHECK_ERROR, gpu->end_ns < gpu->start_ns,
              "\"%.*s\" at %" PRId64 " ns ends before it begins", CHECK_TEXT(name), gpu->start_ns);
    check_add(check, CHECK_RULE_ARROWS, CHECK_ERROR, !starts_on_host(timeline, gpu),
              "the arrow to \"%.*s\" at %" PRId64
              " ns does not start on a call or range of the host",
              CHECK_TEXT(name), gpu->start_ns);
    check_add(check, CHECK_RULE_CAUSALITY, CHECK_ERROR, (gpu->flags & TL_GPU_BEFORE_LAUNCH) != 0,
              "\"%.*s\" starts at %" PRId64
              " ns, before its launch, by more than the clocks' error",
              CHECK_TEXT(name), gpu->start_ns);
    check_add(check, CHECK_RULE_GPU_ORDER, CHECK_ERROR, i && !comes_after(gpu, gpu - 1),
              "\"%.*s\" at %" PRId64 " ns is out of order", CHECK_TEXT(name), gpu->start_ns);
}

static void check_stream(struct check *check, const struct tl_stream *stream)
{
    const struct timeline *timeline = check->timeline;
    int64_t ends[LANES_CHECKED];
    bool used[LANES_CHECKED] = {false};
    if ((uint64_t)stream->first_gpu + stream->gpu_count > timeline->gpus.count) {
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, 1,
                  "a stream refers to operations that do not exist");
        return;
    }
    for (uint32_t i = 0; i < stream->gpu_count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[stream->first_gpu + i];
        if (gpu->kind == TL_SYNC)
            continue;
        uint32_t lane = gpu->lane;
        bool clear = lane < stream->lanes && lane < LANES_CHECKED &&
                     (!used[lane] || ends[lane] <= gpu->start_ns);
        check_add(check, CHECK_RULE_LANES, CHECK_ERROR, !clear,
                  "two operations overlap on lane %" PRIu32 " of stream %" PRIu32 " at %" PRId64
                  " ns",
                  lane, stream->stream, gpu->start_ns);
        if (lane < LANES_CHECKED) {
            used[lane] = true;
            ends[lane] = gpu->end_ns;
        }
    }
}

/* Every entry of gpu_by_slice[] is an operation that names the slice whose it is. */
static void check_arrow_ends(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        for (uint32_t j = 0; j < slice->gpu_count; j++) {
            uint64_t at = (uint64_t)slice->gpu_first + j;
            uint32_t gpu =
                at < timeline->gpu_by_slice.count ? timeline->gpu_by_slice.at[at] : TL_NONE;
            bool ends_on_device = gpu < timeline->gpus.count && timeline->gpus.at[gpu].slice == i;
            check_add(check, CHECK_RULE_ARROWS, CHECK_ERROR, !ends_on_device,
                      "an arrow from slice %" PRIu32 " does not end on a device operation", i);
        }
    }
}

static void check_devices(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->devices.count; i++) {
        const struct tl_device *device = &timeline->devices.at[i];
        check_add(check, CHECK_RULE_CLOCK_PROOF,
                  device->clock_error_ns > CLOCK_ERROR_MAX_NS ? CHECK_ERROR : CHECK_NOTE,
                  device->clock_error_ns > 0,
                  "device %" PRIu32 ": its clock is up to %" PRId64 " ns off the host's",
                  device->info.device, device->clock_error_ns);
    }
}

void check_gpus(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        check_gpu(check, i);
    for (uint32_t i = 0; i < timeline->streams.count; i++)
        check_stream(check, &timeline->streams.at[i]);
    check_arrow_ends(check);
    check_devices(check);
}
