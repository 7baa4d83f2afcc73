/* perfetto_args.c - annotations of device operations, calls and ranges, in the words of the Chrome
 * trace (chrome_args.c, chrome_attrs.c).
 *
 * Attributes keep the names and types that the program gave them. What CUPTI did not measure is left
 * out.
 */
#include "perfetto.h"

#include "chrome.h"
#include "failed_calls.h"
#include "occupancy.h"
#include "timeline.h"

static void put_place(struct perfetto *perfetto, const struct tl_gpu *op)
{
    const struct tl_stream *stream = &perfetto->timeline->streams.at[op->stream];
    perfetto_int(perfetto, PERFETTO_KEY_DEVICE,
                 stream->device == TL_NONE ? -1 : (int64_t)stream->device);
    perfetto_uint(perfetto, PERFETTO_KEY_CONTEXT, stream->context);
    perfetto_uint(perfetto, PERFETTO_KEY_STREAM, stream->stream);
    perfetto_uint(perfetto, PERFETTO_KEY_CORRELATION, op->correlation);
}

static void put_three(struct perfetto *perfetto, enum perfetto_key key, uint32_t x, uint32_t y,
                      uint32_t z)
{
    const uint32_t numbers[] = {x, y, z};
    size_t mark = perfetto_annotation_begin(perfetto, key);
    for (unsigned i = 0; i < 3; i++) {
        size_t item = proto_begin(&perfetto->out, ANNOTATION_ARRAY);
        proto_uint(&perfetto->out, ANNOTATION_UINT, numbers[i]);
        proto_end(&perfetto->out, item);
    }
    proto_end(&perfetto->out, mark);
}

static const struct tl_device_info *device_of(const struct perfetto *perfetto,
                                              const struct tl_gpu *op)
{
    const struct chrome_rows *rows = &perfetto->tracks.rows;
    const struct chrome_gpu *gpu = &rows->gpus[rows->streams[op->stream].gpu];
    return gpu->device == TL_NONE ? NULL : &perfetto->timeline->devices.at[gpu->device].info;
}

static void put_occupancy(struct perfetto *perfetto, const struct tl_kernel *kernel,
                          const struct tl_device_info *device)
{
    if (!device || !device->multiprocessors)
        return;
    struct occupancy occupancy = occupancy_of(kernel, device);
    perfetto_double(perfetto, PERFETTO_KEY_BLOCKS_PER_SM, occupancy.blocks_per_sm);
    perfetto_double(perfetto, PERFETTO_KEY_WARPS_PER_SM, occupancy.warps_per_sm);
    if (occupancy.percent >= 0)
        perfetto_int(perfetto, PERFETTO_KEY_OCCUPANCY, occupancy.percent);
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
        perfetto_interned(perfetto, PERFETTO_KEY_CAPTURED_IN,
                          perfetto_names_path(&perfetto->names, place, text));
    } else {
        perfetto_string(perfetto, PERFETTO_KEY_CAPTURED_IN, "while recording was off");
    }
    perfetto_args_stack(perfetto, PERFETTO_KEY_CAPTURED_AT, captured->stack);
}

static void put_graph(struct perfetto *perfetto, const struct tl_gpu *op, uint64_t node,
                      uint32_t graph)
{
    if (node)
        perfetto_uint(perfetto, PERFETTO_KEY_GRAPH_NODE, node);
    if (graph)
        perfetto_uint(perfetto, PERFETTO_KEY_GRAPH, graph);
    if (node)
        put_captured(perfetto, op);
}

/* A time of the device's clock, from the trace's begin on. */
static void put_device_time(struct perfetto *perfetto, enum perfetto_key key, uint64_t realtime_ns)
{
    int64_t ns = (int64_t)(realtime_ns - perfetto->timeline->base_realtime_ns);
    if (realtime_ns)
        perfetto_int(perfetto, key, perfetto_time(perfetto, ns));
}

static void put_kernel(struct perfetto *perfetto, const struct tl_gpu *op)
{
    const struct tl_kernel *kernel = &perfetto->timeline->kernels.at[op->detail];
    put_device_time(perfetto, PERFETTO_KEY_QUEUED, kernel->queued_ns);
    put_device_time(perfetto, PERFETTO_KEY_SUBMITTED, kernel->submitted_ns);
    put_place(perfetto, op);
    perfetto_uint(perfetto, PERFETTO_KEY_REGISTERS, kernel->registers);
    perfetto_uint(perfetto, PERFETTO_KEY_SHARED_MEMORY,
                  (uint64_t)kernel->static_shared_memory + kernel->dynamic_shared_memory);
    put_occupancy(perfetto, kernel, device_of(perfetto, op));
    put_three(perfetto, PERFETTO_KEY_GRID, kernel->grid_x, kernel->grid_y, kernel->grid_z);
    put_three(perfetto, PERFETTO_KEY_BLOCK, kernel->block_x, kernel->block_y, kernel->block_z);
    put_graph(perfetto, op, kernel->graph_node, kernel->graph);
    if (kernel->priority != PROF_PRIORITY_UNKNOWN)
        perfetto_int(perfetto, PERFETTO_KEY_PRIORITY, kernel->priority);
    if (kernel->channel)
        perfetto_uint(perfetto, PERFETTO_KEY_CHANNEL, kernel->channel);
}

/* Bytes per nanosecond are GB per second. */
static void put_bytes(struct perfetto *perfetto, const struct tl_gpu *op)
{
    perfetto_uint(perfetto, PERFETTO_KEY_BYTES, op->bytes);
    if (op->end_ns > op->start_ns)
        perfetto_double(perfetto, PERFETTO_KEY_BANDWIDTH,
                        (double)op->bytes / (double)(op->end_ns - op->start_ns));
}

#define COPY_PEER_TO_PEER 10

static void put_memcpy(struct perfetto *perfetto, const struct tl_gpu *op)
{
    const struct tl_memcpy *copy = &perfetto->timeline->memcpys.at[op->detail];
    put_place(perfetto, op);
    put_bytes(perfetto, op);
    if (copy->copy_kind == COPY_PEER_TO_PEER) {
        perfetto_uint(perfetto, PERFETTO_KEY_FROM_DEVICE, copy->src_device);
        perfetto_uint(perfetto, PERFETTO_KEY_IN_DEVICE, copy->device);
        perfetto_uint(perfetto, PERFETTO_KEY_TO_DEVICE, copy->dst_device);
        perfetto_uint(perfetto, PERFETTO_KEY_FROM_CONTEXT, copy->src_context);
        perfetto_uint(perfetto, PERFETTO_KEY_IN_CONTEXT, copy->context);
        perfetto_uint(perfetto, PERFETTO_KEY_TO_CONTEXT, copy->dst_context);
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

static void put_wait(struct perfetto *perfetto, const struct tl_gpu *op)
{
    const struct timeline *timeline = perfetto->timeline;
    const struct tl_sync *sync = &timeline->syncs.at[op->detail];
    const struct tl_wait *wait = timeline_wait_of(timeline, (uint32_t)(op - timeline->gpus.at));
    if (wait) {
        perfetto_uint(perfetto, PERFETTO_KEY_WAIT_STREAM, wait->stream);
        perfetto_uint(perfetto, PERFETTO_KEY_WAIT_CORRELATION, wait->correlation);
    }
    if (chrome_args_waits_for_event(sync))
        perfetto_uint(perfetto, PERFETTO_KEY_WAIT_EVENT, sync->event);
}

static void put_sync(struct perfetto *perfetto, const struct tl_gpu *op)
{
    const struct tl_sync *sync = &perfetto->timeline->syncs.at[op->detail];
    perfetto_string(perfetto, PERFETTO_KEY_SYNC_KIND, chrome_args_sync_name(sync->type));
    perfetto_int(perfetto, PERFETTO_KEY_STREAM,
                 sync->stream == PROF_SYNC_NO_STREAM ? -1 : (int64_t)sync->stream);
    put_wait(perfetto, op);
    perfetto_uint(perfetto, PERFETTO_KEY_CORRELATION, op->correlation);
    perfetto_int(perfetto, PERFETTO_KEY_DEVICE, op->device == TL_NONE ? -1 : (int64_t)op->device);
    perfetto_uint(perfetto, PERFETTO_KEY_CONTEXT, sync->context);
}

void perfetto_args_gpu(struct perfetto *perfetto, const struct tl_gpu *op)
{
    const struct timeline *timeline = perfetto->timeline;
    if (op->kind == TL_SYNC && op->detail < timeline->syncs.count) {
        put_sync(perfetto, op);
    } else if (op->stream == TL_NONE) {
        return;
    } else if (op->kind == TL_KERNEL && op->detail < timeline->kernels.count) {
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
}

/* Which graph a call launched. */
static void put_graph_launch(struct perfetto *perfetto, const struct tl_slice *slice)
{
    const struct timeline *timeline = perfetto->timeline;
    const struct tl_graph_launch *launch =
        graph_launch_of(timeline, (uint32_t)(slice - timeline->slices.at));
    if (!launch)
        return;
    if (launch->graph != TL_NONE)
        perfetto_uint(perfetto, PERFETTO_KEY_GRAPH, timeline->graphs.at[launch->graph].id);
    if (launch->expected > launch->recorded)
        perfetto_uint(perfetto, PERFETTO_KEY_MISSING, launch->expected - launch->recorded);
}

void perfetto_args_api(struct perfetto *perfetto, const struct tl_slice *slice)
{
    const struct timeline *timeline = perfetto->timeline;
    if (slice->api >= timeline->apis.count)
        return;
    const struct tl_api *api = &timeline->apis.at[slice->api];
    if (api->cbid)
        perfetto_uint(perfetto, PERFETTO_KEY_CBID, api->cbid);
    perfetto_uint(perfetto, PERFETTO_KEY_CORRELATION, api->correlation);
    if (api->result && api->result != TL_RESULT_UNKNOWN) {
        const char *error = cuda_error_name((enum prof_api_domain)api->domain, api->result);
        perfetto_int(perfetto, PERFETTO_KEY_RESULT, api->result);
        if (error && failed_calls_is(timeline, slice))
            perfetto_string(perfetto, PERFETTO_KEY_ERROR, error);
    }
    if (api->bytes)
        perfetto_uint(perfetto, PERFETTO_KEY_BYTES, api->bytes);
    if (slice->flags & TL_GRAPH)
        put_graph_launch(perfetto, slice);
}

void perfetto_args_stack(struct perfetto *perfetto, enum perfetto_key key, uint32_t stack)
{
    if (!perfetto->stacks || stack >= perfetto->timeline->stacks.count)
        return;
    perfetto_interned(perfetto, key,
                      perfetto_names_stack(&perfetto->names, stack, perfetto->stacks[stack]));
}

static void put_label(struct perfetto *perfetto, const struct tl_label *label)
{
    const struct timeline *timeline = perfetto->timeline;
    const struct tl_domain *domain = &timeline->domains.at[label->domain];
    char color[16];
    if (domain->name != TL_NONE)
        perfetto_interned(perfetto, PERFETTO_KEY_DOMAIN,
                          perfetto_names_value(&perfetto->names, domain->name));
    if (label->category != TL_NONE) {
        const struct tl_category *category = &timeline->categories.at[label->category];
        if (category->name == TL_NONE)
            perfetto_uint(perfetto, PERFETTO_KEY_CATEGORY, category->number);
        else
            perfetto_interned(perfetto, PERFETTO_KEY_CATEGORY,
                              perfetto_names_value(&perfetto->names, category->name));
    }
    if (label->flags & TL_LABEL_COLORED) {
        snprintf(color, sizeof color, "#%08X", label->color);
        perfetto_string(perfetto, PERFETTO_KEY_COLOR, color);
    }
}

static void put_value(struct perfetto *perfetto, const struct tl_attr *attr)
{
    struct proto_out *out = &perfetto->out;
    switch (attr->type) {
    case PROF_ATTR_INT:
        proto_uint(out, ANNOTATION_INT, attr->value);
        break;
    case PROF_ATTR_UINT:
        proto_uint(out, ANNOTATION_UINT, attr->value);
        break;
    case PROF_ATTR_HEX:
        proto_uint(out, ANNOTATION_POINTER, attr->value);
        break;
    case PROF_ATTR_DOUBLE:
        proto_fixed64(out, ANNOTATION_DOUBLE, attr->value);
        break;
    case PROF_ATTR_STRING:
        proto_uint(out, ANNOTATION_STRING_IID,
                   perfetto_names_value(&perfetto->names, (uint32_t)attr->value));
        break;
    default: /* a type of a later version: there is a value, nobody knows which */
        break;
    }
}

void perfetto_args_attrs(struct perfetto *perfetto, uint32_t label, struct tl_attrs attrs)
{
    if (label != TL_NONE)
        put_label(perfetto, &perfetto->timeline->labels.at[label]);
    for (uint32_t i = 0; i < attrs.count; i++) {
        if (tl_attr_is_given_again(attrs, i))
            continue;
        uint32_t key = perfetto_names_key_of(&perfetto->names, attrs.at[i].key);
        size_t mark = proto_begin(&perfetto->out, EVENT_ANNOTATION);
        proto_uint(&perfetto->out, ANNOTATION_NAME_IID, key);
        put_value(perfetto, &attrs.at[i]);
        proto_end(&perfetto->out, mark);
    }
}
