/* trace_device.c - records of what devices did, of memory, and of CUDA graphs. */
#include "trace_walk.h"

/* Records of what devices did. They lie in logs of threads, and belong to none. */

/* Its header, start and end. */
#define TIMES_BYTES 24u
#define SAME_MEMBERS(kind)                                                                       \
    PROF_STATIC_ASSERT(TIMES_BYTES + sizeof(struct tl_##kind) == sizeof(struct prof_rec_##kind), \
                       "layout")

/* The times of an operation's record, and the details after them. False: it has no time; it is
 * counted. */
static bool read_operation(struct walk *walk, const struct record *record, uint64_t info,
                           struct gpu_op *op, void *detail, size_t detail_bytes)
{
    struct {
        uint64_t header, start_ns, end_ns;
        uint8_t detail[sizeof(struct tl_kernel)]; /* the longest */
    } from;
    record_copy(record, &from, TIMES_BYTES + detail_bytes);
    memcpy(detail, from.detail, detail_bytes);
    if (from.start_ns == 0) {
        builder_append_untimed(walk->builder);
        return false;
    }
    *op = (struct gpu_op){.start_ns = clockmap_device_ns(&walk->clock, from.start_ns),
                          .end_ns = clockmap_device_ns(&walk->clock, from.end_ns),
                          .correlation = (uint32_t)info};
    return true;
}

SAME_MEMBERS(kernel);
static void read_kernel(struct walk *walk, const struct record *record, uint64_t info)
{
    struct gpu_op op;
    struct tl_kernel kernel;
    if (!read_operation(walk, record, info, &op, &kernel, sizeof kernel))
        return;
    if (record->words * 8 < offsetof(struct prof_rec_kernel, priority) + sizeof kernel.priority)
        kernel.priority = PROF_PRIORITY_UNKNOWN;
    builder_append_kernel(walk->builder, &op, &kernel);
}

/* Of every other kind. */
#define READ_OPERATION(kind)                                                               \
    SAME_MEMBERS(kind);                                                                    \
    static void read_##kind(struct walk *walk, const struct record *record, uint64_t info) \
    {                                                                                      \
        struct gpu_op op;                                                                  \
        struct tl_##kind detail;                                                           \
        if (read_operation(walk, record, info, &op, &detail, sizeof detail))               \
            builder_append_##kind(walk->builder, &op, &detail);                            \
    }
READ_OPERATION(memcpy)
READ_OPERATION(memset)
READ_OPERATION(sync)
READ_OPERATION(overhead)
READ_OPERATION(graph_run)

/* The causes of a later version are of no use: their sum is with unknown_losses. */
static void read_lost(struct walk *walk, const struct record *record, uint64_t info)
{
    struct prof_rec_lost lost;
    record_copy(record, &lost, sizeof lost);
    if (lost.cause < PROF_LOSS_COUNT)
        builder_append_lost(
            walk->builder, (uint32_t)info,
            &(struct lost_record){lost.context, lost.stream, lost.graph, lost.device, lost.cause});
}

static void read_cuda_event(struct walk *walk, const struct record *record, uint64_t info)
{
    struct prof_rec_cuda_event event;
    record_copy(record, &event, sizeof event);
    builder_append_cuda_event(walk->builder, (uint32_t)info,
                              &(struct cuda_event){event.context, event.stream, event.event});
}

static void read_range_time(struct walk *walk, const struct record *record)
{
    struct prof_rec_range_time from;
    record_copy(record, &from, sizeof from);
    const struct range_time time = {
        .start_ns = clockmap_device_ns(&walk->clock, from.start_ns),
        .end_ns = clockmap_device_ns(&walk->clock, from.end_ns),
        .token = from.token,
        .stream = from.stream,
        .device = from.device,
        .error_ns = from.error_ns,
    };
    builder_append_range_time(walk->builder, &time);
}

/* Memory: of devices, as CUPTI reports it, and of the program's own allocators. */

static struct memory_op memory_of(const struct prof_rec_memory *from)
{
    return (struct memory_op){
        .address = from->address,
        .bytes = from->bytes,
        .context = from->context,
        .device = from->device,
        .operation = from->operation,
        .kind = from->kind,
        .flags = from->flags,
        .pool_type = from->pool_type,
        .pool = from->pool,
        .pool_bytes = from->pool_bytes,
        .pool_used_bytes = from->pool_used_bytes,
        .pool_release_threshold = from->pool_release_threshold,
    };
}

static void read_memory(struct walk *walk, const struct record *record)
{
    struct prof_rec_memory from;
    record_copy(record, &from, sizeof from);
    const struct memory_event memory = {
        .time_ns = clockmap_device_ns(&walk->clock, from.time_ns),
        .correlation = (uint32_t)PROF_WORD_INFO(record->header),
        .record = memory_of(&from),
    };
    builder_append_memory(walk->builder, &memory);
}

static void read_pool(struct walk *walk, const struct record *record)
{
    struct prof_rec_memory_pool from;
    record_copy(record, &from, sizeof from);
    const struct pool_event pool = {
        .time_ns = clockmap_device_ns(&walk->clock, from.time_ns),
        .pool = from.pool,
        .bytes = from.bytes,
        .used_bytes = from.used_bytes,
        .release_threshold = from.release_threshold,
        .device = from.device,
        .operation = from.operation,
        .pool_type = from.pool_type,
    };
    builder_append_memory_pool(walk->builder, &pool);
}

static void read_unified(struct walk *walk, const struct record *record)
{
    struct prof_rec_unified_memory from;
    record_copy(record, &from, sizeof from);
    const struct migration migration = {
        .start_ns = clockmap_device_ns(&walk->clock, from.start_ns),
        .end_ns = clockmap_device_ns(&walk->clock, from.end_ns),
        .address = from.address,
        .value = from.value,
        .kind = from.kind,
        .flags = from.flags,
        .source = from.source,
        .target = from.target,
    };
    builder_append_migration(walk->builder, &migration);
}

/* MEMORY, MEMORY_POOL, UNIFIED_MEMORY. */
static void walk_device_memory(struct walk *walk, const struct record *record)
{
    switch (record_type(record)) {
    case PROF_REC_MEMORY:
        read_memory(walk, record);
        break;
    case PROF_REC_MEMORY_POOL:
        read_pool(walk, record);
        break;
    default:
        read_unified(walk, record);
        break;
    }
}

void walk_allocation(struct walk *walk, uint32_t thread, int64_t time_ns,
                     const struct record *record)
{
    struct prof_rec_alloc alloc;
    struct prof_rec_free release;
    if (record_type(record) == PROF_REC_ALLOC) {
        record_copy(record, &alloc, sizeof alloc);
        builder_append_alloc(
            walk->builder, thread, time_ns,
            &(struct heap_allocation){alloc.address, alloc.bytes, alloc.allocator});
    } else {
        record_copy(record, &release, sizeof release);
        builder_append_release(walk->builder, thread, time_ns, release.allocator, release.address);
    }
}

void walk_allocator(struct walk *walk, const struct record *record)
{
    struct prof_rec_allocator allocator;
    record_copy(record, &allocator, sizeof allocator);
    builder_define_allocator(walk->builder, allocator.allocator, allocator.name);
}

void walk_graph_node(struct walk *walk, uint32_t thread, int64_t time_ns,
                     const struct record *record)
{
    struct prof_rec_graph_node from;
    record_copy(record, &from, sizeof from);
    const struct graph_node node = {
        .node = from.node,
        .original = from.original,
        .graph = from.graph,
        .type = from.type,
        .flags = from.flags,
        .has_stack = record->words * 8 >= sizeof from,
        .stack = from.stack,
    };
    builder_append_graph_node(walk->builder, thread, time_ns, &node);
}

void walk_earlier_node(struct walk *walk, const struct record *record)
{
    struct prof_rec_earlier_node from;
    record_copy(record, &from, sizeof from);
    const struct graph_node node = {
        .node = from.node,
        .original = from.original,
        .graph = from.graph,
        .type = from.type,
        .flags = from.flags,
    };
    builder_append_graph_node(walk->builder, 0, clockmap_time_ns(&walk->clock, from.ticks), &node);
}

void walk_graph(struct walk *walk, const struct record *record)
{
    struct prof_rec_graph graph;
    record_copy(record, &graph, sizeof graph);
    builder_define_graph(walk->builder, clockmap_time_ns(&walk->clock, graph.ticks),
                         &(struct cuda_graph){.graph = graph.graph,
                                              .source = graph.source,
                                              .kernels = graph.kernels,
                                              .memcpys = graph.memcpys,
                                              .memsets = graph.memsets,
                                              .others = graph.others,
                                              .flags = graph.flags});
}

void walk_device(struct walk *walk, const struct record *record, uint64_t info)
{
    switch (record_type(record)) {
    case PROF_REC_KERNEL:
        read_kernel(walk, record, info);
        break;
    case PROF_REC_MEMCPY:
        read_memcpy(walk, record, info);
        break;
    case PROF_REC_MEMSET:
        read_memset(walk, record, info);
        break;
    case PROF_REC_SYNC:
        read_sync(walk, record, info);
        break;
    case PROF_REC_OVERHEAD:
        read_overhead(walk, record, info);
        break;
    case PROF_REC_MEMORY:
    case PROF_REC_MEMORY_POOL:
    case PROF_REC_UNIFIED_MEMORY:
        walk_device_memory(walk, record);
        break;
    case PROF_REC_GRAPH_RUN:
        read_graph_run(walk, record, info);
        break;
    case PROF_REC_CUDA_EVENT:
        read_cuda_event(walk, record, info);
        break;
    case PROF_REC_RANGE_TIME:
        read_range_time(walk, record);
        break;
    case PROF_REC_LOST:
        read_lost(walk, record, info);
        break;
    default:
        break;
    }
}
