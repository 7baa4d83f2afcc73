/* device_time.c - one walk over each device's operations. */
#include "device_time.h"

#include "device_walk.h"

#include <stdlib.h>

static void take(struct device_time *time, const struct tl_gpu *op, int64_t *busy_until)
{
    int64_t end_ns = op->end_ns > op->start_ns ? op->end_ns : op->start_ns;
    int64_t from_ns =
        op->start_ns > *busy_until || time->operations == 0 ? op->start_ns : *busy_until;
    time->sum_ns += end_ns - op->start_ns;
    time->busy_ns += end_ns > from_ns ? end_ns - from_ns : 0;
    *busy_until = end_ns > *busy_until || time->operations == 0 ? end_ns : *busy_until;
    time->operations++;
}

static void close_time(const struct timeline *timeline, struct device_time *time)
{
    const struct tl_process *process = &timeline->processes.at[time->process];
    time->overlap_ns = time->sum_ns - time->busy_ns;
    time->window_ns = process->end_ns - process->start_ns;
    time->idle_ns = time->window_ns - time->busy_ns;
}

static void add_to_total(struct device_times *times, const struct device_time *time)
{
    times->total.operations += time->operations;
    times->total.sum_ns += time->sum_ns;
    times->total.busy_ns += time->busy_ns;
    times->total.overlap_ns += time->overlap_ns;
    times->total.window_ns += time->window_ns;
    times->total.idle_ns += time->idle_ns;
}

/* The device of the stream `first`; returns where the next device's streams begin. */
static uint32_t add_device(struct device_times *times, struct device_walk *walk, uint32_t first)
{
    const struct tl_stream *stream = &walk->timeline->streams.at[first];
    struct device_time time = {.process = stream->process, .device = stream->device};
    int64_t busy_until = 0;
    uint32_t next = device_walk_begin(walk, first);
    for (uint32_t gpu = device_walk_next(walk); gpu != TL_NONE; gpu = device_walk_next(walk))
        take(&time, &walk->timeline->gpus.at[gpu], &busy_until);
    if (time.operations) {
        close_time(walk->timeline, &time);
        add_to_total(times, &time);
        times->at[times->count++] = time;
    }
    return next;
}

bool device_times_init(struct device_times *times, const struct timeline *timeline)
{
    struct device_walk walk;
    *times = (struct device_times){
        .at = malloc((timeline->streams.count + (size_t)1) * sizeof *times->at)};
    bool ready = times->at && device_walk_init(&walk, timeline);
    for (uint32_t i = 0; i < timeline->streams.count && ready;)
        i = add_device(times, &walk, i);
    if (ready)
        device_walk_fini(&walk);
    else
        device_times_fini(times);
    return ready;
}

void device_times_fini(struct device_times *times)
{
    free(times->at);
    *times = (struct device_times){0};
}
