/* chrome_args.c - args of kernels, copies, sets, waits and overhead.
 *
 * "queued" is 0 unless CUPTI measured it, as in Kineto; when it did, it is on the trace's own clock
 * in microseconds, since nanoseconds since the epoch do not fit a double.
 */
#include "chrome.h"

#include "captured.h"
#include "occupancy.h"

const char *chrome_args_sync_name(uint32_t type)
{
    static const char *const names[] = {"Synchronization", "Event Sync", "Stream Wait Event",
                                        "Stream Sync", "Context Sync"};
    return names[type < sizeof names / sizeof names[0] ? type : 0];
}

enum { SYNC_EVENT = 1, SYNC_STREAM_WAIT = 2 }; /* CUpti_ActivitySynchronizationType */

bool chrome_args_waits_for_event(const struct prof_rec_sync *sync)
{
    return (sync->type == SYNC_EVENT || sync->type == SYNC_STREAM_WAIT) && sync->event &&
           sync->event != PROF_SYNC_NO_EVENT;
}

/* The place of a slice in the timeline is a number that no other operator has. */
void chrome_args_external_id(struct chrome *chrome, uint32_t slice)
{
    uint32_t operator= chrome_operators_of(&chrome->operators, slice);
    if (operator!= TL_NONE)
        json_key(&chrome->out, "External id"), json_uint(&chrome->out, (uint64_t) operator+ 1);
}

static void write_place(struct json_out *out, uint32_t device, uint32_t context, uint32_t stream,
                        uint64_t correlation)
{
    json_key(out, "device"), json_int(out, device == TL_NONE ? -1 : (int64_t)device);
    json_key(out, "context"), json_uint(out, context);
    json_key(out, "stream"), json_uint(out, stream);
    json_key(out, "correlation"), json_uint(out, correlation);
}

static void write_place_of(struct chrome *chrome, const struct tl_gpu *op)
{
    const struct tl_stream *stream = &chrome->timeline->streams.at[op->stream];
    write_place(&chrome->out, stream->device, stream->context, stream->stream,
                chrome_rows_id(&chrome->rows, op->process, op->correlation));
}

/* A time of the device's clock on the trace's. */
static void write_device_time(struct chrome *chrome, uint64_t realtime_ns)
{
    int64_t ns = (int64_t)(realtime_ns - chrome->timeline->base_realtime_ns);
    if (realtime_ns)
        json_microseconds(&chrome->out, chrome_time(chrome, ns));
    else
        json_uint(&chrome->out, 0);
}

static void write_three(struct json_out *out, uint32_t x, uint32_t y, uint32_t z)
{
    json_array_begin(out);
    json_uint(out, x), json_uint(out, y), json_uint(out, z);
    json_array_end(out);
}

static const struct prof_rec_device *device_of(const struct chrome *chrome, const struct tl_gpu *op)
{
    const struct chrome_gpu *gpu = &chrome->rows.gpus[chrome->rows.streams[op->stream].gpu];
    return gpu->device == TL_NONE ? NULL : &chrome->timeline->devices.at[gpu->device].info;
}

static void write_occupancy(struct json_out *out, const struct prof_rec_kernel *kernel,
                            const struct prof_rec_device *device)
{
    struct occupancy occupancy = occupancy_of(kernel, device);
    json_key(out, "blocks per SM"), json_three_decimals(out, occupancy.blocks_per_sm);
    json_key(out, "warps per SM"), json_three_decimals(out, occupancy.warps_per_sm);
    if (occupancy.percent >= 0)
        json_key(out, "est. achieved occupancy %"), json_int(out, occupancy.percent);
}

/* What code captured the operation, and its call stack then. */
static void write_captured(struct chrome *chrome, const struct tl_gpu *op)
{
    const struct timeline *timeline = chrome->timeline;
    const struct tl_captured *captured = captured_of(timeline, (uint32_t)(op - timeline->gpus.at));
    char path[RANGE_PATH_BYTES] = "while recording was off";
    if (!captured || captured->when == TL_CAPTURED_UNKNOWN)
        return;
    if (captured->when == TL_CAPTURED_RECORDED)
        range_paths_text(&chrome->paths, range_paths_of(&chrome->paths, captured->slice), path);
    json_key(&chrome->out, "captured in"), json_string(&chrome->out, path);
    if (chrome->stacks && captured->stack < timeline->stacks.count)
        json_key(&chrome->out, "captured at"),
            json_string(&chrome->out, chrome->stacks[captured->stack]);
}

static void write_graph(struct chrome *chrome, const struct tl_gpu *op, uint64_t node,
                        uint32_t graph)
{
    if (node)
        json_key(&chrome->out, "graph node id"), json_uint(&chrome->out, node);
    if (graph)
        json_key(&chrome->out, "graph id"), json_uint(&chrome->out, graph);
    if (node)
        write_captured(chrome, op);
}

static void write_kernel(struct chrome *chrome, const struct tl_gpu *op)
{
    struct json_out *out = &chrome->out;
    const struct prof_rec_kernel *kernel = &chrome->timeline->kernels.at[op->detail];
    const struct prof_rec_device *device = device_of(chrome, op);
    json_key(out, "queued"), write_device_time(chrome, kernel->queued_ns);
    if (kernel->submitted_ns)
        json_key(out, "submitted"), write_device_time(chrome, kernel->submitted_ns);
    write_place_of(chrome, op);
    json_key(out, "registers per thread"), json_uint(out, kernel->registers);
    json_key(out, "shared memory");
    json_uint(out, (uint64_t)kernel->static_shared_memory + kernel->dynamic_shared_memory);
    if (device && device->multiprocessors)
        write_occupancy(out, kernel, device);
    json_key(out, "grid"), write_three(out, kernel->grid_x, kernel->grid_y, kernel->grid_z);
    json_key(out, "block"), write_three(out, kernel->block_x, kernel->block_y, kernel->block_z);
    write_graph(chrome, op, kernel->graph_node, kernel->graph);
    if (kernel->priority != PROF_PRIORITY_UNKNOWN)
        json_key(out, "priority"), json_int(out, kernel->priority);
    if (kernel->channel)
        json_key(out, "channel"), json_uint(out, kernel->channel);
    chrome_collectives_write(&chrome->collectives, op, out);
}

/* Bytes per nanosecond are GB per second. */
static void write_bytes(struct json_out *out, const struct tl_gpu *op)
{
    json_key(out, "bytes"), json_uint(out, op->bytes);
    if (op->end_ns > op->start_ns) {
        json_key(out, "memory bandwidth (GB/s)");
        json_three_decimals(out, (double)op->bytes / (double)(op->end_ns - op->start_ns));
    }
}

#define COPY_PEER_TO_PEER 10

static void write_memcpy(struct chrome *chrome, const struct tl_gpu *op)
{
    struct json_out *out = &chrome->out;
    const struct prof_rec_memcpy *copy = &chrome->timeline->memcpys.at[op->detail];
    write_place_of(chrome, op);
    write_bytes(out, op);
    if (copy->copy_kind == COPY_PEER_TO_PEER) {
        json_key(out, "fromDevice"), json_uint(out, copy->src_device);
        json_key(out, "inDevice"), json_uint(out, copy->device);
        json_key(out, "toDevice"), json_uint(out, copy->dst_device);
        json_key(out, "fromContext"), json_uint(out, copy->src_context);
        json_key(out, "inContext"), json_uint(out, copy->context);
        json_key(out, "toContext"), json_uint(out, copy->dst_context);
    }
    write_graph(chrome, op, copy->graph_node, copy->graph);
}

static void write_memset(struct chrome *chrome, const struct tl_gpu *op)
{
    const struct prof_rec_memset *set = &chrome->timeline->memsets.at[op->detail];
    write_place_of(chrome, op);
    write_bytes(&chrome->out, op);
    write_graph(chrome, op, set->graph_node, set->graph);
}

static void write_graph_run(struct chrome *chrome, const struct tl_gpu *op)
{
    write_place_of(chrome, op);
    write_graph(chrome, op, 0, chrome->timeline->graph_runs.at[op->detail].graph);
}

/* Which event a wait was for, and what had recorded it. */
static void write_wait(struct chrome *chrome, const struct tl_gpu *op,
                       const struct prof_rec_sync *sync)
{
    const struct timeline *timeline = chrome->timeline;
    const struct tl_wait *wait = timeline_wait_of(timeline, (uint32_t)(op - timeline->gpus.at));
    if (wait) {
        json_key(&chrome->out, "wait_on_stream"), json_uint(&chrome->out, wait->stream);
        json_key(&chrome->out, "wait_on_cuda_event_record_corr_id");
        json_uint(&chrome->out, chrome_rows_id(&chrome->rows, op->process, wait->correlation));
    }
    if (chrome_args_waits_for_event(sync))
        json_key(&chrome->out, "wait_on_cuda_event_id"), json_uint(&chrome->out, sync->event);
}

static void write_sync(struct chrome *chrome, const struct tl_gpu *op)
{
    struct json_out *out = &chrome->out;
    const struct prof_rec_sync *sync = &chrome->timeline->syncs.at[op->detail];
    json_key(out, "cuda_sync_kind"), json_string(out, chrome_args_sync_name(sync->type));
    json_key(out, "stream"),
        json_int(out, sync->stream == PROF_SYNC_NO_STREAM ? -1 : (int64_t)sync->stream);
    write_wait(chrome, op, sync);
    json_key(out, "correlation");
    json_uint(out, chrome_rows_id(&chrome->rows, op->process, op->correlation));
    json_key(out, "device"), json_int(out, op->device == TL_NONE ? -1 : (int64_t)op->device);
    json_key(out, "context"), json_uint(out, sync->context);
}

void chrome_args_write(struct chrome *chrome, const struct tl_gpu *op)
{
    const struct timeline *timeline = chrome->timeline;
    if (tl_is_work(op))
        chrome_args_external_id(chrome, op->slice);
    if (op->flags & TL_GPU_AMBIGUOUS)
        json_key(&chrome->out, "ambiguous"), json_uint(&chrome->out, 1);
    if (op->kind == TL_SYNC && op->detail < timeline->syncs.count)
        write_sync(chrome, op);
    else if (op->stream == TL_NONE)
        return;
    else if (op->kind == TL_KERNEL && op->detail < timeline->kernels.count)
        write_kernel(chrome, op);
    else if (op->kind == TL_MEMCPY && op->detail < timeline->memcpys.count)
        write_memcpy(chrome, op);
    else if (op->kind == TL_MEMSET && op->detail < timeline->memsets.count)
        write_memset(chrome, op);
    else if (op->kind == TL_GRAPH_RUN && op->detail < timeline->graph_runs.count)
        write_graph_run(chrome, op);
    else
        write_place_of(chrome, op);
}
