/* perfetto_gpu.c - device operations of a Perfetto trace: GpuRenderStageEvent, as Perfetto's own
 * GPU tables have them.
 *
 *     GpuInfo                device: its index is the gpu_id of the events
 *     hardware queue         stream
 *     stage                  kernel (category COMPUTE), copy, set, graph
 *     graphics context       CUDA context, with the process that uses it
 *     compute kernel         name and architecture
 *     launch                 grid and block of a kernel; what else is known as arguments, in the
 *                            words of the Chrome trace
 *     gpu_correlation        of the call: ids of the operations that it launched, which draws the
 *                            arrows
 *
 * All but the first and the last are interned: a stream, a kernel and a name of an argument are
 * written once.
 */
#include "device_api.h"
#include "perfetto.h"

#include "chrome.h"
#include "occupancy.h"
#include "row_names.h"
#include "timeline.h"

#include <errno.h>
#include <stdlib.h>

/* What an operation is, in the order of enum tl_gpu_kind. Their numbers are 1 to 4; those of queues
 * follow. */
static const struct {
    const char *name;
    unsigned category;
} stages[PERFETTO_STAGES] = {
    [TL_KERNEL] = {"kernel", STAGE_CATEGORY_COMPUTE},
    [TL_MEMCPY] = {"gpu_memcpy", STAGE_CATEGORY_OTHER},
    [TL_MEMSET] = {"gpu_memset", STAGE_CATEGORY_OTHER},
    [TL_GRAPH_RUN] = {"gpu_graph", STAGE_CATEGORY_OTHER},
};

bool perfetto_gpus_init(struct perfetto_gpus *gpus, const struct timeline *timeline)
{
    *gpus = (struct perfetto_gpus){0};
    gpus->queues = calloc(timeline->streams.count + (size_t)1, sizeof *gpus->queues);
    gpus->contexts = calloc(timeline->streams.count + (size_t)1, sizeof *gpus->contexts);
    return gpus->queues && gpus->contexts;
}

void perfetto_gpus_fini(struct perfetto_gpus *gpus)
{
    free(gpus->queues);
    free(gpus->contexts);
    keymap_fini(&gpus->kernels);
}

/* ---- devices ---- */

static void put_fact(struct proto_out *out, const char *key, uint64_t value)
{
    char text[24];
    if (value == 0)
        return;
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    size_t fact = proto_begin(out, GPU_EXTRA);
    proto_string(out, EXTRA_KEY, key);
    proto_string(out, EXTRA_VALUE, text);
    proto_end(out, fact);
}

/* NVIDIA's name for it: in other makers' traces, the two numbers mean something else. */
static void put_architecture(struct proto_out *out, unsigned field,
                             const struct tl_device_info *info, enum tl_device_api api)
{
    char text[32];
    if (info->compute_major == 0 || api != TL_API_CUDA)
        return;
    snprintf(text, sizeof text, "sm_%u%u", info->compute_major, info->compute_minor);
    proto_string(out, field, text);
}

static void put_device(struct proto_out *out, const struct tl_device_info *info,
                       enum tl_device_api api)
{
    static const uint8_t unknown[sizeof info->uuid];
    if (api != TL_API_OTHER)
        proto_string(out, GPU_VENDOR, api == TL_API_HIP ? "AMD" : "NVIDIA");
    put_architecture(out, GPU_ARCHITECTURE, info, api);
    if (memcmp(info->uuid, unknown, sizeof unknown) != 0)
        proto_bytes(out, GPU_UUID, (const char *)info->uuid, sizeof info->uuid);
    put_fact(out, "multiprocessors", info->multiprocessors);
    put_fact(out, "memory bytes", info->memory_bytes);
    put_fact(out, "memory bandwidth (bytes/s)", info->memory_bandwidth);
}

static const struct tl_device_info *device_of(const struct perfetto *perfetto, uint32_t gpu)
{
    uint32_t device = perfetto->tracks.rows.gpus[gpu].device;
    return device == TL_NONE ? NULL : &perfetto->timeline->devices.at[device].info;
}

/* Perfetto lists devices apart from processes, too. */
static void put_name(struct perfetto *perfetto, uint32_t gpu)
{
    struct perfetto_tracks *tracks = &perfetto->tracks;
    char device[2 * ROW_NAME_BYTES], process[ROW_NAME_BYTES], name[3 * ROW_NAME_BYTES + 4];
    bool several = perfetto->timeline->processes.count > 1;
    perfetto_tracks_gpu_name(tracks, gpu, device);
    row_name_program(&tracks->rows, tracks->rows.gpus[gpu].process, process);
    snprintf(name, sizeof name, several ? "%s (%s)" : "%s", device, process);
    proto_string(&perfetto->out, GPU_NAME, name);
}

void perfetto_gpus_describe(struct perfetto *perfetto)
{
    struct proto_out *out = &perfetto->out;
    if (perfetto->tracks.rows.gpu_count == 0)
        return;
    size_t packet = perfetto_packet_begin_untimed(out);
    size_t infos = proto_begin(out, PACKET_GPU_INFO);
    for (uint32_t i = 0; i < perfetto->tracks.rows.gpu_count; i++) {
        const struct tl_device_info *info = device_of(perfetto, i);
        size_t gpu = proto_begin(out, GPU_INFO_GPU);
        put_name(perfetto, i);
        if (info)
            put_device(out, info, device_api_of(perfetto->timeline));
        proto_end(out, gpu);
    }
    proto_end(out, infos);
    proto_end(out, packet);
}

/* ---- what is interned ---- */

static void introduce_specification(struct perfetto *perfetto, uint32_t number, const char *name,
                                    const char *description, unsigned category)
{
    struct proto_out *fresh = &perfetto->names.fresh;
    size_t entry = proto_begin(fresh, INTERNED_GPU_SPECIFICATIONS);
    proto_uint(fresh, INTERNED_IID, number);
    proto_string(fresh, INTERNED_TEXT, name);
    if (description)
        proto_string(fresh, SPECIFICATION_DESCRIPTION, description);
    proto_uint(fresh, SPECIFICATION_CATEGORY, category);
    proto_end(fresh, entry);
}

static uint32_t stage_of(struct perfetto *perfetto, const struct tl_gpu *op)
{
    uint32_t number = (uint32_t)op->kind + 1;
    if (!perfetto->gpus.stages[op->kind])
        introduce_specification(perfetto, number, stages[op->kind].name, NULL,
                                stages[op->kind].category);
    perfetto->gpus.stages[op->kind] = true;
    return number;
}

static uint32_t queue_of(struct perfetto *perfetto, uint32_t stream)
{
    uint32_t number = PERFETTO_STAGES + stream + 1;
    char name[ROW_NAME_BYTES], context[32];
    if (perfetto->gpus.queues[stream])
        return number;
    perfetto->gpus.queues[stream] = true;
    row_name_stream(perfetto->timeline, stream, 0, name);
    snprintf(context, sizeof context, "context %u", perfetto->timeline->streams.at[stream].context);
    introduce_specification(perfetto, number, name, context, STAGE_CATEGORY_OTHER);
    return number;
}

/* By the first stream of a context. */
static uint32_t context_of(struct perfetto *perfetto, uint32_t stream)
{
    struct proto_out *fresh = &perfetto->names.fresh;
    uint32_t first = perfetto->tracks.context_of[stream];
    if (perfetto->gpus.contexts[first])
        return first + 1;
    perfetto->gpus.contexts[first] = true;
    uint32_t process = perfetto->timeline->streams.at[first].process;
    size_t entry = proto_begin(fresh, INTERNED_GRAPHICS_CONTEXTS);
    proto_uint(fresh, INTERNED_IID, first + 1);
    proto_uint(fresh, CONTEXT_PID, perfetto->tracks.rows.pids[process]);
    proto_uint(fresh, CONTEXT_API, CONTEXT_API_CUDA);
    proto_end(fresh, entry);
    return first + 1;
}

/* 0: no memory. */
static uint32_t kernel_of(struct perfetto *perfetto, const struct tl_gpu *op, uint32_t gpu)
{
    struct perfetto_gpus *gpus = &perfetto->gpus;
    struct proto_out *fresh = &perfetto->names.fresh;
    uint64_t key = (uint64_t)gpu << 32 | op->name;
    uint32_t number = keymap_find(&gpus->kernels, key);
    if (number != KEYMAP_NONE)
        return number;
    if (!keymap_set(&gpus->kernels, key, ++gpus->kernel_count)) {
        perfetto->out.error = ENOMEM;
        return 0;
    }
    const struct tl_device_info *device = device_of(perfetto, gpu);
    size_t entry = proto_begin(fresh, INTERNED_COMPUTE_KERNELS);
    proto_uint(fresh, INTERNED_IID, gpus->kernel_count);
    proto_text(fresh, INTERNED_TEXT, perfetto->timeline->names.at[op->name]);
    if (device)
        put_architecture(fresh, KERNEL_ARCHITECTURE, device, device_api_of(perfetto->timeline));
    proto_end(fresh, entry);
    return gpus->kernel_count;
}

/* ---- arguments: each at most 30 bytes but for texts ---- */

static size_t begin_argument(struct perfetto *perfetto, enum perfetto_key key)
{
    if (!perfetto->gpus.keys[key])
        perfetto_names_introduce_argument(&perfetto->names, key);
    perfetto->gpus.keys[key] = true;
    size_t mark = proto_begin(&perfetto->out, LAUNCH_ARGUMENT);
    char *p = proto_put_tag(perfetto->out.at, ARGUMENT_NAME_IID, PROTO_VARINT);
    perfetto->out.at = proto_put_varint(p, (uint32_t)key + 1);
    return mark;
}

static void put_uint(struct perfetto *perfetto, enum perfetto_key key, uint64_t value)
{
    size_t mark = begin_argument(perfetto, key);
    proto_uint(&perfetto->out, ARGUMENT_UINT, value);
    proto_end(&perfetto->out, mark);
}

static void put_int(struct perfetto *perfetto, enum perfetto_key key, int64_t value)
{
    size_t mark = begin_argument(perfetto, key);
    proto_int(&perfetto->out, ARGUMENT_INT, value);
    proto_end(&perfetto->out, mark);
}

static void put_double(struct perfetto *perfetto, enum perfetto_key key, double value)
{
    size_t mark = begin_argument(perfetto, key);
    proto_double(&perfetto->out, ARGUMENT_DOUBLE, value);
    proto_end(&perfetto->out, mark);
}

static void put_string(struct perfetto *perfetto, enum perfetto_key key, const char *text)
{
    size_t mark = begin_argument(perfetto, key);
    proto_string(&perfetto->out, ARGUMENT_STRING, text);
    proto_end(&perfetto->out, mark);
}

/* A string that was interned; 0: nothing. */
static void put_interned(struct perfetto *perfetto, enum perfetto_key key, uint32_t value_iid)
{
    if (value_iid == 0)
        return;
    size_t mark = begin_argument(perfetto, key);
    proto_uint(&perfetto->out, ARGUMENT_STRING_IID, value_iid);
    proto_end(&perfetto->out, mark);
}

static void put_place(struct perfetto *perfetto, const struct tl_gpu *op)
{
    const struct tl_stream *stream = &perfetto->timeline->streams.at[op->stream];
    put_int(perfetto, PERFETTO_KEY_DEVICE,
            stream->device == TL_NONE ? -1 : (int64_t)stream->device);
    put_uint(perfetto, PERFETTO_KEY_CONTEXT, stream->context);
    put_uint(perfetto, PERFETTO_KEY_STREAM, stream->stream);
    put_uint(perfetto, PERFETTO_KEY_CORRELATION, op->correlation);
}

static void put_occupancy(struct perfetto *perfetto, const struct tl_kernel *kernel,
                          const struct tl_device_info *device)
{
    if (!device || !device->multiprocessors)
        return;
    struct occupancy occupancy = occupancy_of(kernel, device);
    put_double(perfetto, PERFETTO_KEY_BLOCKS_PER_SM, occupancy.blocks_per_sm);
    put_double(perfetto, PERFETTO_KEY_WARPS_PER_SM, occupancy.warps_per_sm);
    if (occupancy.percent >= 0)
        put_int(perfetto, PERFETTO_KEY_OCCUPANCY, occupancy.percent);
}

/* What code captured the operation, and its call stack then. */
static void put_captured(struct perfetto *perfetto, const struct tl_gpu *op)
{
    const struct timeline *timeline = perfetto->timeline;
    const struct tl_captured *captured = captured_of(timeline, (uint32_t)(op - timeline->gpus.at));
    char text[RANGE_PATH_BYTES] = "";
    if (!captured || captured->when == TL_CAPTURED_UNKNOWN)
        return;
    if (captured->when == TL_CAPTURED_RECORDED) {
        uint32_t path = range_paths_of(&perfetto->paths, captured->slice);
        uint32_t place = path + 1; /* TL_NONE, outside of every range, is the first */
        if (!perfetto_names_has_path(&perfetto->names, place))
            range_paths_text(&perfetto->paths, path, text);
        put_interned(perfetto, PERFETTO_KEY_CAPTURED_IN,
                     perfetto_names_path(&perfetto->names, place, text));
    } else {
        put_string(perfetto, PERFETTO_KEY_CAPTURED_IN, "while recording was off");
    }
    put_interned(perfetto, PERFETTO_KEY_CAPTURED_AT, perfetto_stack(perfetto, captured->stack));
}

static void put_graph(struct perfetto *perfetto, const struct tl_gpu *op, uint64_t node,
                      uint32_t graph)
{
    if (node)
        put_uint(perfetto, PERFETTO_KEY_GRAPH_NODE, node);
    if (graph)
        put_uint(perfetto, PERFETTO_KEY_GRAPH, graph);
    if (node)
        put_captured(perfetto, op);
}

/* A time of the device's clock, from the trace's begin on. */
static void put_device_time(struct perfetto *perfetto, enum perfetto_key key, uint64_t realtime_ns)
{
    int64_t ns = (int64_t)(realtime_ns - perfetto->timeline->base_realtime_ns);
    if (realtime_ns)
        put_int(perfetto, key, perfetto_time(perfetto, ns));
}

static void put_three(struct proto_out *out, unsigned field, uint32_t x, uint32_t y, uint32_t z)
{
    size_t mark = proto_begin(out, field);
    proto_uint(out, DIM3_X, x);
    proto_uint(out, DIM3_Y, y);
    proto_uint(out, DIM3_Z, z);
    proto_end(out, mark);
}

static void put_kernel(struct perfetto *perfetto, const struct tl_gpu *op)
{
    const struct tl_kernel *kernel = &perfetto->timeline->kernels.at[op->detail];
    struct proto_out *out = &perfetto->out;
    put_three(out, LAUNCH_GRID, kernel->grid_x, kernel->grid_y, kernel->grid_z);
    put_three(out, LAUNCH_BLOCK, kernel->block_x, kernel->block_y, kernel->block_z);
    put_device_time(perfetto, PERFETTO_KEY_QUEUED, kernel->queued_ns);
    put_device_time(perfetto, PERFETTO_KEY_SUBMITTED, kernel->submitted_ns);
    put_place(perfetto, op);
    put_uint(perfetto, PERFETTO_KEY_REGISTERS, kernel->registers);
    put_uint(perfetto, PERFETTO_KEY_STATIC_SHARED, kernel->static_shared_memory);
    put_uint(perfetto, PERFETTO_KEY_DYNAMIC_SHARED, kernel->dynamic_shared_memory);
    put_occupancy(perfetto, kernel,
                  device_of(perfetto, perfetto->tracks.rows.streams[op->stream].gpu));
    put_graph(perfetto, op, kernel->graph_node, kernel->graph);
    if (kernel->priority != PROF_PRIORITY_UNKNOWN)
        put_int(perfetto, PERFETTO_KEY_PRIORITY, kernel->priority);
    if (kernel->channel)
        put_uint(perfetto, PERFETTO_KEY_CHANNEL, kernel->channel);
}

/* Bytes per nanosecond are GB per second. */
static void put_bytes(struct perfetto *perfetto, const struct tl_gpu *op)
{
    put_uint(perfetto, PERFETTO_KEY_BYTES, op->bytes);
    if (op->end_ns > op->start_ns)
        put_double(perfetto, PERFETTO_KEY_BANDWIDTH,
                   (double)op->bytes / (double)(op->end_ns - op->start_ns));
}

#define COPY_PEER_TO_PEER 10

static void put_memcpy(struct perfetto *perfetto, const struct tl_gpu *op)
{
    const struct tl_memcpy *copy = &perfetto->timeline->memcpys.at[op->detail];
    put_place(perfetto, op);
    put_bytes(perfetto, op);
    if (copy->copy_kind == COPY_PEER_TO_PEER) {
        put_uint(perfetto, PERFETTO_KEY_FROM_DEVICE, copy->src_device);
        put_uint(perfetto, PERFETTO_KEY_IN_DEVICE, copy->device);
        put_uint(perfetto, PERFETTO_KEY_TO_DEVICE, copy->dst_device);
        put_uint(perfetto, PERFETTO_KEY_FROM_CONTEXT, copy->src_context);
        put_uint(perfetto, PERFETTO_KEY_IN_CONTEXT, copy->context);
        put_uint(perfetto, PERFETTO_KEY_TO_CONTEXT, copy->dst_context);
    }
    put_graph(perfetto, op, copy->graph_node, copy->graph);
}

static void put_memset(struct perfetto *perfetto, const struct tl_gpu *op)
{
    const struct tl_memset *set = &perfetto->timeline->memsets.at[op->detail];
    put_place(perfetto, op);
    put_bytes(perfetto, op);
    put_graph(perfetto, op, set->graph_node, set->graph);
}

static void put_launch(struct perfetto *perfetto, const struct tl_gpu *op)
{
    const struct timeline *timeline = perfetto->timeline;
    size_t launch = proto_begin(&perfetto->out, STAGE_LAUNCH);
    if (op->kind == TL_KERNEL && op->detail < timeline->kernels.count) {
        put_kernel(perfetto, op);
    } else if (op->kind == TL_MEMCPY && op->detail < timeline->memcpys.count) {
        put_memcpy(perfetto, op);
    } else if (op->kind == TL_MEMSET && op->detail < timeline->memsets.count) {
        put_memset(perfetto, op);
    } else {
        put_place(perfetto, op);
        if (op->kind == TL_GRAPH_RUN && op->detail < timeline->graph_runs.count)
            put_graph(perfetto, op, 0, timeline->graph_runs.at[op->detail].graph);
    }
    proto_end(&perfetto->out, launch);
}

void perfetto_gpu_put(struct perfetto *perfetto, uint32_t index)
{
    const struct tl_gpu *op = &perfetto->timeline->gpus.at[index];
    struct proto_out *out = &perfetto->out;
    uint32_t gpu = perfetto->tracks.rows.streams[op->stream].gpu;
    perfetto_begin_gpu(perfetto, op->start_ns);
    proto_uint(out, STAGE_EVENT_ID, (uint64_t)index + 1);
    proto_int(out, STAGE_DURATION,
              perfetto_time(perfetto, op->end_ns) - perfetto_time(perfetto, op->start_ns));
    proto_uint(out, STAGE_CONTEXT, context_of(perfetto, op->stream));
    proto_uint(out, STAGE_SUBMISSION, op->correlation);
    proto_uint(out, STAGE_GPU, gpu);
    proto_uint(out, STAGE_QUEUE_IID, queue_of(perfetto, op->stream));
    proto_uint(out, STAGE_STAGE_IID, stage_of(perfetto, op));
    if (op->kind == TL_KERNEL)
        proto_uint(out, STAGE_KERNEL_IID, kernel_of(perfetto, op, gpu));
    proto_uint(out, STAGE_NAME_IID, perfetto_names_operation(&perfetto->names, op->name));
    put_launch(perfetto, op);
    perfetto_end(perfetto);
}
