/* trace_device.c - records of what devices did. They lie in logs of threads, and belong to none. */
#include "trace_memory.h"

static void tell_gpu(struct walk *walk, struct read_gpu *gpu, uint64_t start_ns, uint64_t end_ns,
                     uint64_t info)
{
    gpu->correlation = (uint32_t)info;
    gpu->start_ns = clockmap_device_ns(&walk->clock, start_ns);
    gpu->end_ns = clockmap_device_ns(&walk->clock, end_ns);
    timeline_append_gpu(walk->builder, gpu);
}

static void take_kernel(struct walk *walk, const struct record *record, uint64_t info)
{
    struct read_gpu gpu = {.kind = READ_GPU_KERNEL};
    record_copy(record, &gpu.kernel, sizeof gpu.kernel);
    if (record->words * 8 < offsetof(struct prof_rec_kernel, priority) + sizeof gpu.kernel.priority)
        gpu.kernel.priority = PROF_PRIORITY_UNKNOWN;
    tell_gpu(walk, &gpu, gpu.kernel.start_ns, gpu.kernel.end_ns, info);
}

static void take_memcpy(struct walk *walk, const struct record *record, uint64_t info)
{
    struct read_gpu gpu = {.kind = READ_GPU_MEMCPY};
    record_copy(record, &gpu.memcpy, sizeof gpu.memcpy);
    tell_gpu(walk, &gpu, gpu.memcpy.start_ns, gpu.memcpy.end_ns, info);
}

static void take_memset(struct walk *walk, const struct record *record, uint64_t info)
{
    struct read_gpu gpu = {.kind = READ_GPU_MEMSET};
    record_copy(record, &gpu.memset, sizeof gpu.memset);
    tell_gpu(walk, &gpu, gpu.memset.start_ns, gpu.memset.end_ns, info);
}

static void take_sync(struct walk *walk, const struct record *record, uint64_t info)
{
    struct read_gpu gpu = {.kind = READ_GPU_SYNC};
    record_copy(record, &gpu.sync, sizeof gpu.sync);
    tell_gpu(walk, &gpu, gpu.sync.start_ns, gpu.sync.end_ns, info);
}

static void take_overhead(struct walk *walk, const struct record *record, uint64_t info)
{
    struct read_gpu gpu = {.kind = READ_GPU_OVERHEAD};
    record_copy(record, &gpu.overhead, sizeof gpu.overhead);
    tell_gpu(walk, &gpu, gpu.overhead.start_ns, gpu.overhead.end_ns, info);
}

static void take_graph_run(struct walk *walk, const struct record *record, uint64_t info)
{
    struct read_gpu gpu = {.kind = READ_GPU_GRAPH};
    record_copy(record, &gpu.graph, sizeof gpu.graph);
    tell_gpu(walk, &gpu, gpu.graph.start_ns, gpu.graph.end_ns, info);
}

/* The causes of a later version are of no use: their sum is with unknown_losses. */
static void take_lost(struct walk *walk, const struct record *record, uint64_t info)
{
    struct prof_rec_lost lost;
    record_copy(record, &lost, sizeof lost);
    if (lost.cause < PROF_LOSS_COUNT)
        timeline_append_lost(walk->builder, (uint32_t)info, &lost);
}

static void take_cuda_event(struct walk *walk, const struct record *record, uint64_t info)
{
    struct prof_rec_cuda_event event;
    record_copy(record, &event, sizeof event);
    timeline_append_cuda_event(walk->builder, (uint32_t)info, &event);
}

static void take_range_time(struct walk *walk, const struct record *record)
{
    struct prof_rec_range_time from;
    record_copy(record, &from, sizeof from);
    const struct read_range_time time = {
        .start_ns = clockmap_device_ns(&walk->clock, from.start_ns),
        .end_ns = clockmap_device_ns(&walk->clock, from.end_ns),
        .token = from.token,
        .stream = from.stream,
        .device = from.device,
        .error_ns = from.error_ns,
    };
    timeline_append_range_time(walk->builder, &time);
}

void walk_device(struct walk *walk, const struct record *record, uint64_t info)
{
    switch (record_type(record)) {
    case PROF_REC_KERNEL:
        take_kernel(walk, record, info);
        break;
    case PROF_REC_MEMCPY:
        take_memcpy(walk, record, info);
        break;
    case PROF_REC_MEMSET:
        take_memset(walk, record, info);
        break;
    case PROF_REC_SYNC:
        take_sync(walk, record, info);
        break;
    case PROF_REC_OVERHEAD:
        take_overhead(walk, record, info);
        break;
    case PROF_REC_MEMORY:
    case PROF_REC_MEMORY_POOL:
    case PROF_REC_UNIFIED_MEMORY:
        walk_device_memory(walk, record);
        break;
    case PROF_REC_GRAPH_RUN:
        take_graph_run(walk, record, info);
        break;
    case PROF_REC_CUDA_EVENT:
        take_cuda_event(walk, record, info);
        break;
    case PROF_REC_RANGE_TIME:
        take_range_time(walk, record);
        break;
    case PROF_REC_LOST:
        take_lost(walk, record, info);
        break;
    default:
        break;
    }
}
