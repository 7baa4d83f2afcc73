/* device_walk.c - the streams, each in order of start, merged with a heap. */
#include "device_walk.h"

#include <stdlib.h>

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

uint32_t device_walk_begin(struct device_walk *walk, uint32_t first)
{
    const struct timeline *timeline = walk->timeline;
    const struct tl_stream *streams = timeline->streams.at;
    uint32_t i = first;
    walk->count = 0;
    for (; i < timeline->streams.count && same_device(&streams[i], &streams[first]); i++)
        if (streams[i].gpu_count)
            walk->heap[walk->count++] = (struct device_cursor){
                timeline->gpus.at[streams[i].first_gpu].start_ns, streams[i].first_gpu,
                streams[i].first_gpu + streams[i].gpu_count};
    for (uint32_t top = walk->count / 2; top-- > 0;)
        sift_down(walk, top);
    return i;
}

static uint32_t take(struct device_walk *walk)
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
        uint32_t gpu = take(walk);
        if (tl_is_work(&walk->timeline->gpus.at[gpu]))
            return gpu;
    }
    return TL_NONE;
}
