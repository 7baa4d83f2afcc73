/* query_gpu.c - what devices did, as tables: all operations, and each kind with what it alone
 * has. */
#include "query_table.h"

/* ---- of every operation ---- */

static const char *const kinds[] = {
    [TL_KERNEL] = "kernel",   [TL_MEMCPY] = "memcpy", [TL_MEMSET] = "memset",
    [TL_GRAPH_RUN] = "graph", [TL_SYNC] = "sync",     [TL_OVERHEAD] = "overhead",
    [TL_OVERHEAD + 1] = NULL};

/* Of the call that launched it. */
static const struct tl_slice *launch_of(const struct query_data *data, uint32_t slice)
{
    return slice == TL_NONE ? NULL : &data->timeline->slices.at[slice];
}

static int64_t stream_of(const struct query_data *data, uint32_t stream)
{
    return stream == TL_NONE ? QUERY_NULL : (int64_t)data->timeline->streams.at[stream].stream;
}

static int64_t context_of(const struct query_data *data, uint32_t stream)
{
    return stream == TL_NONE ? QUERY_NULL : (int64_t)data->timeline->streams.at[stream].context;
}

static int64_t thread_of(const struct query_data *data, uint32_t slice)
{
    const struct tl_slice *launch = launch_of(data, slice);
    return launch ? (int64_t)launch->thread : QUERY_NULL;
}

static int64_t tid_of(const struct query_data *data, uint32_t slice)
{
    const struct tl_slice *launch = launch_of(data, slice);
    return launch ? (int64_t)data->timeline->threads.at[launch->thread].tid : QUERY_NULL;
}

/* From the end of the launching call to the start. */
static int64_t queue_of(const struct query_data *data, const struct tl_gpu *gpu)
{
    const struct tl_slice *launch = launch_of(data, gpu->slice);
    if (!launch || launch->kind != TL_API)
        return QUERY_NULL;
    return gpu->start_ns > launch->end_ns ? gpu->start_ns - launch->end_ns : 0;
}

static int64_t graph_of(const struct query_data *data, const struct tl_gpu *gpu)
{
    uint64_t node;
    uint32_t graph = timeline_graph_of(data->timeline, gpu, &node);
    return graph ? (int64_t)graph : QUERY_NULL;
}

static int64_t node_of(const struct query_data *data, const struct tl_gpu *gpu)
{
    uint64_t node;
    timeline_graph_of(data->timeline, gpu, &node);
    return node ? (int64_t)node : QUERY_NULL;
}

static bool has_bytes(const struct tl_gpu *gpu)
{
    return gpu->kind == TL_MEMCPY || gpu->kind == TL_MEMSET;
}

QUERY_GET(gpu_process, gpus, of->process)
QUERY_GET(gpu_pid, gpus, query_pid(data, of->process))
QUERY_GET(gpu_device, gpus, query_known(of->device))
QUERY_GET(gpu_context, gpus, context_of(data, of->stream))
QUERY_GET(gpu_stream, gpus, stream_of(data, of->stream))
QUERY_GET(gpu_stream_id, gpus, query_known(of->stream))
QUERY_GET(gpu_kind, gpus, of->kind)
QUERY_GET(gpu_name, gpus, query_name(data, of->name))
QUERY_GET(gpu_start, gpus, of->start_ns)
QUERY_GET(gpu_end, gpus, of->end_ns)
QUERY_GET(gpu_duration, gpus, of->end_ns - of->start_ns)
QUERY_GET(gpu_bytes, gpus, has_bytes(of) ? (int64_t)of->bytes : QUERY_NULL)
QUERY_GET(gpu_correlation, gpus, of->correlation)
QUERY_GET(gpu_slice, gpus, query_known(of->slice))
QUERY_GET(gpu_range, gpus, query_name(data, tl_range_name(data->timeline, of->slice)))
QUERY_GET(gpu_thread, gpus, thread_of(data, of->slice))
QUERY_GET(gpu_tid, gpus, tid_of(data, of->slice))
QUERY_GET(gpu_queue, gpus, queue_of(data, of))
QUERY_GET(gpu_lane, gpus, of->lane)
QUERY_GET(gpu_graph, gpus, graph_of(data, of))
QUERY_GET(gpu_node, gpus, node_of(data, of))
QUERY_GET(gpu_orphan, gpus, (of->flags & TL_GPU_ORPHAN) != 0)
QUERY_COUNT(gpu_count, gpus)

/* clang-format off */
#define PLACE \
    QUERY_ID("of the operation in this table and in operations"), \
    QUERY_NAMED("name", "kernel as the compiler was given it; " \
        "\"Memcpy HtoD (Pageable -> Device)\"", gpu_name), \
    QUERY_INT("start", "ns", "since `base_utc_ns` of meta", gpu_start), \
    QUERY_INT("end", "ns", "", gpu_end), \
    QUERY_INT("duration", "ns", "end - start", gpu_duration), \
    QUERY_INT_BY_SPAN("process", "", "processes.id", gpu_process), \
    QUERY_INT_BY_SPAN("pid", "", "of its process", gpu_pid), \
    QUERY_INT_BY_SPAN("device", "", "ordinal in its process", gpu_device), \
    QUERY_INT_BY_SPAN("context", "", "CUPTI's id", gpu_context), \
    QUERY_INT_BY_SPAN("stream", "", "CUPTI's id", gpu_stream), \
    QUERY_INT_BY_SPAN("stream_id", "", "streams.id", gpu_stream_id), \
    QUERY_INT("correlation", "", "id that it shares with the call that launched it", \
        gpu_correlation), \
    QUERY_INT("slice", "", "slices.id of that call, else of the range that the file names", \
        gpu_slice), \
    QUERY_NAMED("range", "innermost range around the launch", gpu_range), \
    QUERY_INT("thread", "", "threads.id of the launch", gpu_thread), \
    QUERY_INT("tid", "", "thread of the launch", gpu_tid), \
    QUERY_INT("queue", "ns", "from the end of the launching call to the start; " \
        "0 where it started before", gpu_queue), \
    QUERY_INT("graph", "", "CUPTI's id of the CUDA graph that it is of", gpu_graph), \
    QUERY_INT("node", "", "CUPTI's id of the graph's node", gpu_node), \
    QUERY_INT("lane", "", "0, or the row that keeps it clear of others of its stream", gpu_lane), \
    QUERY_INT("orphan", "", "1: its launch is not in the trace", gpu_orphan)
/* clang-format on */

bool query_gpu_span(const struct query_data *data, uint32_t number, struct query_span *span)
{
    if (number >= data->span_count)
        return false;
    *span = data->spans[number];
    return true;
}

static bool is_shown(const struct query_data *data, uint32_t item)
{
    return !(data->timeline->gpus.at[item].flags & TL_GPU_INTERNAL);
}

QUERY_IS_KIND(is_kernel, TL_KERNEL)
QUERY_IS_KIND(is_memcpy, TL_MEMCPY)
QUERY_IS_KIND(is_memset, TL_MEMSET)
QUERY_IS_KIND(is_sync, TL_SYNC)
QUERY_IS_KIND(is_graph_run, TL_GRAPH_RUN)
QUERY_IS_KIND(is_overhead, TL_OVERHEAD)

#define GPU_TABLE(title, says, list, which)                                                       \
    {                                                                                             \
        .name = title, .meaning = says, QUERY_COLUMNS(list), .count = gpu_count, .is_row = which, \
        .span = query_gpu_span, .sorted_by = gpu_start                                            \
    }

static const struct query_column operation_columns[] = {
    PLACE,
    QUERY_WORDS("kind", "kernel, memcpy, memset, graph (a graph as a whole), sync, overhead",
                gpu_kind, kinds),
    QUERY_INT("bytes", "bytes", "of copies and sets", gpu_bytes),
};
const struct query_table query_operations = GPU_TABLE(
    "operations", "everything that devices did: kernels, copies, sets, graphs, waits, overhead",
    operation_columns, is_shown);

/* ---- kernels ---- */

QUERY_GET(kernel_mangled, gpus, query_name(data, KERNEL->name))
QUERY_GET(kernel_grid_x, gpus, KERNEL->grid_x)
QUERY_GET(kernel_grid_y, gpus, KERNEL->grid_y)
QUERY_GET(kernel_grid_z, gpus, KERNEL->grid_z)
QUERY_GET(kernel_block_x, gpus, KERNEL->block_x)
QUERY_GET(kernel_block_y, gpus, KERNEL->block_y)
QUERY_GET(kernel_block_z, gpus, KERNEL->block_z)
QUERY_GET(kernel_cluster_x, gpus, KERNEL->cluster_x ? KERNEL->cluster_x : QUERY_NULL)
QUERY_GET(kernel_cluster_y, gpus, KERNEL->cluster_x ? KERNEL->cluster_y : QUERY_NULL)
QUERY_GET(kernel_cluster_z, gpus, KERNEL->cluster_x ? KERNEL->cluster_z : QUERY_NULL)
QUERY_GET(kernel_registers, gpus, KERNEL->registers)
QUERY_GET(kernel_static, gpus, KERNEL->static_shared_memory)
QUERY_GET(kernel_dynamic, gpus, KERNEL->dynamic_shared_memory)
QUERY_GET(kernel_local, gpus, KERNEL->local_memory)
QUERY_GET(kernel_priority, gpus,
          KERNEL->priority == PROF_PRIORITY_UNKNOWN ? QUERY_NULL : KERNEL->priority)
QUERY_GET(kernel_queued, gpus, query_since_base(data, KERNEL->queued_ns))
QUERY_GET(kernel_submitted, gpus, query_since_base(data, KERNEL->submitted_ns))

static const struct query_column kernel_columns[] = {
    PLACE,
    QUERY_NAMED("mangled", "name as the compiler made it", kernel_mangled),
    QUERY_INT("grid_x", "", "blocks", kernel_grid_x),
    QUERY_INT("grid_y", "", "", kernel_grid_y),
    QUERY_INT("grid_z", "", "", kernel_grid_z),
    QUERY_INT("block_x", "", "threads", kernel_block_x),
    QUERY_INT("block_y", "", "", kernel_block_y),
    QUERY_INT("block_z", "", "", kernel_block_z),
    QUERY_INT("cluster_x", "", "blocks of a cluster", kernel_cluster_x),
    QUERY_INT("cluster_y", "", "", kernel_cluster_y),
    QUERY_INT("cluster_z", "", "", kernel_cluster_z),
    QUERY_INT("registers", "", "per thread", kernel_registers),
    QUERY_INT("static_shared", "bytes", "shared memory, static", kernel_static),
    QUERY_INT("dynamic_shared", "bytes", "shared memory, dynamic", kernel_dynamic),
    QUERY_INT("local", "bytes", "local memory per thread, at most 65535", kernel_local),
    QUERY_INT("priority", "", "of the launch", kernel_priority),
    QUERY_INT("queued", "ns", "when the driver queued it, where CUPTI was asked", kernel_queued),
    QUERY_INT("submitted", "ns", "when it was submitted", kernel_submitted),
};
const struct query_table query_kernels = GPU_TABLE("kernels", "kernels", kernel_columns, is_kernel);

/* ---- copies, sets, waits, graphs, overhead ---- */

static struct text memcpy_kind(const struct query_data *data, uint32_t item)
{
    const struct tl_gpu *of = &data->timeline->gpus.at[item];
    return query_literal(gpu_label_copy_kind(MEMCPY->copy_kind));
}

static struct text memcpy_source(const struct query_data *data, uint32_t item)
{
    const struct tl_gpu *of = &data->timeline->gpus.at[item];
    return query_literal(gpu_label_memory_kind(MEMCPY->src_kind));
}

static struct text memcpy_target(const struct query_data *data, uint32_t item)
{
    const struct tl_gpu *of = &data->timeline->gpus.at[item];
    return query_literal(gpu_label_memory_kind(MEMCPY->dst_kind));
}

static struct text memset_memory(const struct query_data *data, uint32_t item)
{
    const struct tl_gpu *of = &data->timeline->gpus.at[item];
    return query_literal(gpu_label_memory_kind(MEMSET->memory_kind));
}

static struct text sync_kind(const struct query_data *data, uint32_t item)
{
    const struct tl_gpu *of = &data->timeline->gpus.at[item];
    return query_literal(gpu_label_sync(SYNC->type));
}

static struct text overhead_kind(const struct query_data *data, uint32_t item)
{
    const struct tl_gpu *of = &data->timeline->gpus.at[item];
    return query_literal(gpu_label_overhead(OVERHEAD->kind));
}

/* What a wait was for. */
static int64_t waited_stream(const struct query_data *data, uint32_t item)
{
    const struct tl_wait *wait = timeline_wait_of(data->timeline, item);
    return wait ? (int64_t)wait->stream : QUERY_NULL;
}

static int64_t waited_correlation(const struct query_data *data, uint32_t item)
{
    const struct tl_wait *wait = timeline_wait_of(data->timeline, item);
    return wait ? (int64_t)wait->correlation : QUERY_NULL;
}

QUERY_GET(memcpy_async, gpus, MEMCPY->flags & 1)
QUERY_GET(memcpy_src_device, gpus, IS_PEER ? MEMCPY->src_device : QUERY_NULL)
QUERY_GET(memcpy_dst_device, gpus, IS_PEER ? MEMCPY->dst_device : QUERY_NULL)
QUERY_GET(memset_value, gpus, MEMSET->value)
QUERY_GET(memset_async, gpus, MEMSET->flags & 1)
QUERY_GET(sync_event, gpus, SYNC->event == PROF_SYNC_NO_EVENT ? QUERY_NULL : (int64_t)SYNC->event)

static const struct query_column memcpy_columns[] = {
    PLACE,
    QUERY_INT("bytes", "bytes", "copied", gpu_bytes),
    QUERY_STRING("kind", "HtoD, DtoH, DtoD, PtoP ...", memcpy_kind),
    QUERY_STRING("source", "kind of memory: Pageable, Pinned, Device ...", memcpy_source),
    QUERY_STRING("target", "", memcpy_target),
    QUERY_INT("source_device", "", "of peer copies", memcpy_src_device),
    QUERY_INT("target_device", "", "of peer copies", memcpy_dst_device),
    QUERY_INT("async", "", "1: asynchronous", memcpy_async),
};
const struct query_table query_memcpys = GPU_TABLE("memcpys", "copies", memcpy_columns, is_memcpy);

static const struct query_column memset_columns[] = {
    PLACE,
    QUERY_INT("bytes", "bytes", "set", gpu_bytes),
    QUERY_INT("value", "", "that was set", memset_value),
    QUERY_STRING("memory", "kind of memory", memset_memory),
    QUERY_INT("async", "", "1: asynchronous", memset_async),
};
const struct query_table query_memsets =
    GPU_TABLE("memsets", "memory sets", memset_columns, is_memset);

static const struct query_column sync_columns[] = {
    PLACE,
    QUERY_STRING("kind", "Event Synchronize, Stream Wait Event, Stream Synchronize ...", sync_kind),
    QUERY_INT("event", "", "CUPTI's id of the event that was waited for", sync_event),
    QUERY_INT("event_stream", "", "CUPTI's id of the stream that the event was recorded in",
              waited_stream),
    QUERY_INT("event_correlation", "", "of the call that recorded the event", waited_correlation),
};
const struct query_table query_syncs =
    GPU_TABLE("syncs", "waits for devices", sync_columns, is_sync);

static const struct query_column graph_run_columns[] = {PLACE};
const struct query_table query_graph_runs =
    GPU_TABLE("graph_runs", "launched CUDA graphs recorded as a whole, without their nodes",
              graph_run_columns, is_graph_run);

static const struct query_column overhead_columns[] = {
    PLACE,
    QUERY_STRING("kind", "what CUPTI or the driver did: Buffer Flush, Instrumentation ...",
                 overhead_kind),
};
const struct query_table query_overheads =
    GPU_TABLE("overheads", "time that CUPTI or the driver reports as overhead", overhead_columns,
              is_overhead);
