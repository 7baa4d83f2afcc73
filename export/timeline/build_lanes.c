/* build_lanes.c - operations of one stream that overlap are put side by side.
 *
 * Kernels of a graph, and kernels launched to begin before their predecessor ended, overlap within
 * one stream. Viewers draw a row as a stack, so each goes to the first lane that is free when it
 * starts. Waits of the host for a stream are no work of the stream and stay on lane 0.
 */
#include "build.h"

/* Devices run 128 kernels at once; a damaged file must not cost quadratic time. */
#define LANES_MAX 1024

static uint16_t free_lane(int64_t *ends, uint16_t *lanes, int64_t start_ns)
{
    for (uint16_t lane = 0; lane < *lanes; lane++)
        if (ends[lane] <= start_ns)
            return lane;
    if (*lanes < LANES_MAX)
        return (*lanes)++;
    return LANES_MAX - 1;
}

static void fill_stream(struct tl_stream *stream, struct tl_gpu *gpus)
{
    int64_t ends[LANES_MAX];
    uint16_t lanes = 0;
    for (uint32_t i = 0; i < stream->gpu_count; i++) {
        struct tl_gpu *gpu = &gpus[i];
        if (gpu->kind == TL_SYNC)
            continue;
        gpu->lane = free_lane(ends, &lanes, gpu->start_ns);
        ends[gpu->lane] = gpu->end_ns;
    }
    stream->lanes = lanes ? lanes : 1;
}

bool build_lanes(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.stream; i < timeline->streams.count; i++)
        if (timeline->streams.at[i].gpu_count)
            fill_stream(&timeline->streams.at[i],
                        timeline->gpus.at + timeline->streams.at[i].first_gpu);
    return true;
}
