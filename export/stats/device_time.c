#include "device_time.h"

#include <stdlib.h>

/* ---- walk: the streams, each in order of start, merged with a heap ---- */

/* What is left of a stream. */
struct device_cursor {
    int64_t start_ns; /* of the operation at `next` */
    uint32_t next, end;
};

bool device_walk_init(struct device_walk *walk, const struct timeline *timeline)
{
    *walk = (struct device_walk){.timeline = timeline};
    walk->heap = malloc((timeline->streams.count + (size_t)1) * sizeof *walk->heap);
    return walk->heap != NULL;
}

void device_walk_fini(struct device_walk *walk)
{
    free(walk->heap);
    *walk = (struct device_walk){0};
}

static void sift_down(struct device_walk *walk, uint32_t at)
{
    struct device_cursor cursor = walk->heap[at];
    for (uint32_t child = 2 * at + 1; child < walk->count; child = 2 * at + 1) {
        if (child + 1 < walk->count && walk->heap[child + 1].start_ns < walk->heap[child].start_ns)
            child++;
        if (walk->heap[child].start_ns >= cursor.start_ns)
            break;
        walk->heap[at] = walk->heap[child];
        at = child;
    }
    walk->heap[at] = cursor;
}

static bool same_device(const struct tl_stream *a, const struct tl_stream *b)
{
    return a->process == b->process && a->device == b->device;
}

static void add_stream(struct device_walk *walk, const struct tl_stream *stream)
{
    if (stream->gpu_count)
        walk->heap[walk->count++] =
            (struct device_cursor){walk->timeline->gpus.at[stream->first_gpu].start_ns,
                                   stream->first_gpu, stream->first_gpu + stream->gpu_count};
}

static void make_heap(struct device_walk *walk)
{
    for (uint32_t top = walk->count / 2; top-- > 0;)
        sift_down(walk, top);
}

uint32_t device_walk_begin(struct device_walk *walk, uint32_t first)
{
    const struct timeline *timeline = walk->timeline;
    const struct tl_stream *streams = timeline->streams.at;
    uint32_t i = first;
    walk->count = 0;
    for (; i < timeline->streams.count && same_device(&streams[i], &streams[first]); i++)
        add_stream(walk, &streams[i]);
    make_heap(walk);
    return i;
}

void device_walk_begin_processes(struct device_walk *walk,
                                 bool (*wanted)(void *user, uint32_t process), void *user)
{
    walk->count = 0;
    for (uint32_t i = 0; i < walk->timeline->streams.count; i++)
        if (wanted(user, walk->timeline->streams.at[i].process))
            add_stream(walk, &walk->timeline->streams.at[i]);
    make_heap(walk);
}

static uint32_t pop_operation(struct device_walk *walk)
{
    struct device_cursor *top = &walk->heap[0];
    uint32_t gpu = top->next++;
    if (top->next < top->end)
        top->start_ns = walk->timeline->gpus.at[top->next].start_ns;
    else
        *top = walk->heap[--walk->count];
    if (walk->count > 1)
        sift_down(walk, 0);
    return gpu;
}

uint32_t device_walk_next(struct device_walk *walk)
{
    while (walk->count) {
        uint32_t gpu = pop_operation(walk);
        if (tl_is_work(&walk->timeline->gpus.at[gpu]))
            return gpu;
    }
    return TL_NONE;
}

/* ---- times: one walk over each device's operations ---- */

static void add_operation(struct device_time *time, const struct tl_gpu *op, int64_t *busy_until)
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
        add_operation(&time, &walk->timeline->gpus.at[gpu], &busy_until);
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
