#include "overruns.h"

#include "units.h"

#include <inttypes.h>
#include <stdio.h>

#define ROUNDING_NS 1000
#define DEPENDENT_LAUNCHES 4 /* kernels that may begin before one has ended */

static bool is_one_launch(const struct tl_gpu *a, const struct tl_gpu *b)
{
    return a->slice == b->slice && a->correlation == b->correlation &&
           (a->slice != TL_NONE || a->correlation != 0);
}

static void count_overrun(const struct timeline *timeline, const struct tl_gpu *gpu,
                          int64_t next_ns, struct overruns *overruns)
{
    overruns->count++;
    overruns->sum_ns += gpu->end_ns - gpu->start_ns;
    if (gpu->end_ns - next_ns <= overruns->longest_ns)
        return;
    overruns->longest_ns = gpu->end_ns - next_ns;
    overruns->worst = (uint32_t)(gpu - timeline->gpus.at);
}

static void look_at_stream(const struct timeline *timeline, const struct tl_stream *stream,
                           struct overruns *overruns)
{
    const struct tl_gpu *running = NULL; /* of those that began, the one that ends last */
    int64_t next_ns = 0;                 /* when the first one after it began */
    unsigned passed = 0;                 /* kernels that began meanwhile */
    bool counted = false;
    for (uint32_t i = 0; i < stream->gpu_count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[stream->first_gpu + i];
        if (!tl_is_work(gpu) || gpu->kind == TL_GRAPH_RUN)
            continue;
        overruns->operations++;
        overruns->all_ns += gpu->end_ns - gpu->start_ns;
        const bool overlaps = running && gpu->start_ns + ROUNDING_NS < running->end_ns;
        if (overlaps && !is_one_launch(running, gpu)) {
            const bool may = running->kind == TL_KERNEL && gpu->kind == TL_KERNEL;
            next_ns = passed++ ? next_ns : gpu->start_ns;
            if (!counted && (!may || passed > DEPENDENT_LAUNCHES)) {
                count_overrun(timeline, running, next_ns, overruns);
                counted = true;
            }
        }
        if (overlaps && gpu->end_ns <= running->end_ns)
            continue;
        running = gpu;
        passed = 0;
        counted = false;
    }
}

void overruns_find(const struct timeline *timeline, struct overruns *overruns)
{
    *overruns = (struct overruns){0};
    for (uint32_t i = 0; i < timeline->streams.count; i++)
        look_at_stream(timeline, &timeline->streams.at[i], overruns);
}

void overruns_text(const struct timeline *timeline, const struct overruns *overruns,
                   char to[OVERRUNS_TEXT_BYTES])
{
    const struct tl_gpu *worst = &timeline->gpus.at[overruns->worst];
    const struct tl_stream *stream = &timeline->streams.at[worst->stream];
    const struct text name = timeline->names.at[worst->name];
    char longest[TIME_TEXT_BYTES], share[TIME_TEXT_BYTES];
    time_text((double)overruns->longest_ns, longest);
    time_text_share(overruns->sum_ns, overruns->all_ns, share);
    snprintf(to, OVERRUNS_TEXT_BYTES,
             "%" PRIu64 " of %" PRIu64 " operations still run when a later one of the same stream "
             "begins, which no device does: \"%.*s\" on stream %u of device %u by %s; their "
             "durations are %s of the device's time",
             overruns->count, overruns->operations, (int)(name.size < 60 ? name.size : 60),
             name.bytes, stream->stream, stream->device, longest, share);
}
