/* device_time.c - a device's streams, each in order of start, merged with a heap. */
#include "device_time.h"

#include "key_launches.h"

#include <stdlib.h>

/* What is left of a stream. */
struct cursor {
    int64_t start_ns; /* of the operation at `next` */
    uint32_t next, end;
};

struct merge {
    const struct timeline *timeline;
    struct cursor *heap; /* the earliest on top */
    uint32_t count;
};

static void sift_down(struct merge *merge, uint32_t at)
{
    struct cursor cursor = merge->heap[at];
    for (uint32_t child = 2 * at + 1; child < merge->count; child = 2 * at + 1) {
        if (child + 1 < merge->count &&
            merge->heap[child + 1].start_ns < merge->heap[child].start_ns)
            child++;
        if (merge->heap[child].start_ns >= cursor.start_ns)
            break;
        merge->heap[at] = merge->heap[child];
        at = child;
    }
    merge->heap[at] = cursor;
}

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

static void merge_streams(struct merge *merge, struct device_time *time)
{
    const struct tl_gpu *gpus = merge->timeline->gpus.at;
    int64_t busy_until = 0;
    for (uint32_t i = merge->count / 2; i-- > 0;)
        sift_down(merge, i);
    while (merge->count) {
        struct cursor *top = &merge->heap[0];
        if (key_is_device_work(&gpus[top->next]))
            take(time, &gpus[top->next], &busy_until);
        if (++top->next < top->end)
            top->start_ns = gpus[top->next].start_ns;
        else
            *top = merge->heap[--merge->count];
        if (merge->count > 1)
            sift_down(merge, 0);
    }
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

static bool same_device(const struct tl_stream *a, const struct tl_stream *b)
{
    return a->process == b->process && a->device == b->device;
}

/* The streams from `first` on that are of one device; returns where the next device's begin. */
static uint32_t add_device(struct device_times *times, struct merge *merge, uint32_t first)
{
    const struct timeline *timeline = merge->timeline;
    const struct tl_stream *streams = timeline->streams.at;
    struct device_time time = {.process = streams[first].process, .device = streams[first].device};
    uint32_t i = first;
    merge->count = 0;
    for (; i < timeline->streams.count && same_device(&streams[i], &streams[first]); i++)
        if (streams[i].gpu_count)
            merge->heap[merge->count++] =
                (struct cursor){timeline->gpus.at[streams[i].first_gpu].start_ns,
                                streams[i].first_gpu, streams[i].first_gpu + streams[i].gpu_count};
    merge_streams(merge, &time);
    if (time.operations) {
        close_time(timeline, &time);
        add_to_total(times, &time);
        times->at[times->count++] = time;
    }
    return i;
}

bool device_times_init(struct device_times *times, const struct timeline *timeline)
{
    struct merge merge = {.timeline = timeline};
    size_t room = (size_t)timeline->streams.count + 1;
    *times = (struct device_times){.at = malloc(room * sizeof *times->at)};
    merge.heap = malloc(room * sizeof *merge.heap);
    bool ready = times->at && merge.heap;
    for (uint32_t i = 0; i < timeline->streams.count && ready;)
        i = add_device(times, &merge, i);
    free(merge.heap);
    if (!ready)
        device_times_fini(times);
    return ready;
}

void device_times_fini(struct device_times *times)
{
    free(times->at);
    *times = (struct device_times){0};
}
