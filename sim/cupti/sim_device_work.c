/* sim_device_work.c - records of device work: kernels, copies, sets, events, graphs. */
#include <stdatomic.h>
#include <string.h>

#include "sim_activity.h"
#include "sim_buffer.h"
#include "sim_call.h"
#include "sim_client_clock.h"
#include "sim_clock.h"
#include "sim_config.h"
#include "sim_context.h"
#include "sim_counts.h"
#include "sim_cupti.h"
#include "sim_layout.h"
#include "sim_model.h"
#include "sim_module.h"
#include "sim_record.h"
#include "sim_stream.h"

enum { CHANNEL_COMPUTE = 1, CHANNEL_COPY = 2, CHANNELS = 8 };

static atomic_bool latency_on, event_timestamps_on, hardware_on;
static atomic_llong hardware_records; /* since the last flush */
static atomic_ullong last_grid_id, last_event_sync;

void sim_activity_set_latency(bool on)
{
    atomic_store(&latency_on, on);
}

bool sim_activity_has_latency(void)
{
    return atomic_load(&latency_on);
}

void sim_activity_set_hardware(bool on)
{
    atomic_store(&hardware_on, on);
}

bool sim_activity_has_hardware(void)
{
    return atomic_load(&hardware_on);
}

void sim_activity_hardware_flushed(void)
{
    atomic_store(&hardware_records, 0);
}

/* What is full drops what is new. */
static bool has_room(void)
{
    return !atomic_load(&hardware_on) ||
           atomic_fetch_add(&hardware_records, 1) < sim_config()->hardware_records;
}

void sim_activity_set_event_timestamps(bool on)
{
    atomic_store(&event_timestamps_on, on);
}

/* A moment of the simulated timeline as the device's clock and the client's would show it. */
static uint64_t shown(uint64_t time_ns)
{
    return sim_client_clock_of(sim_clock_device(time_ns));
}

static uint32_t channel_of(const struct sim_op *op)
{
    return op->stream->id % CHANNELS;
}

static void add_latency(struct sim_record_kernel *record, const struct sim_op *op)
{
    if (!atomic_load(&latency_on))
        return;
    record->queued = shown(op->enqueue_ns);
    record->submitted = shown(op->enqueue_ns + (op->start_ns - op->enqueue_ns) / 2);
}

static void add_kernel(const struct sim_op *op)
{
    const struct sim_kernel_work *kernel = &op->work.kernel;
    const bool concurrent = sim_activity_is_on(SIM_KIND_CONCURRENT_KERNEL);
    if (!concurrent && !sim_activity_is_on(SIM_KIND_KERNEL))
        return;
    if (!has_room()) {
        sim_buffer_drop(concurrent ? SIM_KIND_CONCURRENT_KERNEL : SIM_KIND_KERNEL);
        return;
    }
    struct sim_record_kernel record = {
        .kind = concurrent ? SIM_KIND_CONCURRENT_KERNEL : SIM_KIND_KERNEL,
        .registers = (uint16_t)kernel->function->registers,
        .start = shown(op->start_ns),
        .end = shown(op->end_ns),
        .device = (uint32_t)op->stream->context->device,
        .context = op->stream->context->id,
        .stream = op->stream->id,
        .grid = {kernel->grid.x, kernel->grid.y, kernel->grid.z},
        .block = {kernel->block.x, kernel->block.y, kernel->block.z},
        .dynamic_shared = kernel->dynamic_shared,
        .correlation = op->correlation,
        .grid_id = atomic_fetch_add(&last_grid_id, 1) + 1,
        .name = kernel->function->name,
        .node_id = op->node_id,
        .graph_id = op->graph_id,
        .channel = atomic_load(&hardware_on) ? 0 : channel_of(op),
        .channel_type = CHANNEL_COMPUTE,
        .cluster = {kernel->cluster.x, kernel->cluster.y, kernel->cluster.z},
    };
    add_latency(&record, op);
    sim_buffer_add(&record, op->end_ns, offsetof(struct sim_record_kernel, start));
}

static uint8_t copy_kind(const struct sim_copy_work *copy)
{
    static const uint8_t kinds[] = {9, 1, 2, 8}; /* HtoH, HtoD, DtoH, DtoD */
    return kinds[copy->kind];
}

/* Memory kinds as CUPTI numbers them: pageable, pinned, device, managed. */
static uint8_t memory_kind(enum sim_memory_type type)
{
    static const uint8_t kinds[] = {1, 2, 3, 5};
    return kinds[type];
}

static void add_copy(const struct sim_op *op)
{
    const struct sim_copy_work *copy = &op->work.copy;
    if (!sim_activity_is_on(SIM_KIND_MEMCPY))
        return;
    const struct sim_record_memcpy record = {
        .kind = SIM_KIND_MEMCPY,
        .copy_kind = copy_kind(copy),
        .src_kind = memory_kind(copy->src_type),
        .dst_kind = memory_kind(copy->dst_type),
        .flags = copy->async,
        .bytes = sim_model_bytes(&op->work),
        .start = shown(op->start_ns),
        .end = shown(op->end_ns),
        .device = (uint32_t)op->stream->context->device,
        .context = op->stream->context->id,
        .stream = op->stream->id,
        .correlation = op->correlation,
        .node_id = op->node_id,
        .graph_id = op->graph_id,
        .channel = channel_of(op),
        .channel_type = CHANNEL_COPY,
        .copies = 1,
    };
    sim_buffer_add(&record, op->end_ns, offsetof(struct sim_record_memcpy, start));
}

static uint32_t primary_id(int device)
{
    for (const struct sim_context *c = sim_context_first_locked(); c; c = c->next)
        if (c->primary && c->device == device)
            return c->id;
    return 0;
}

/* Copies between devices come as a kind of their own. */
static void add_peer_copy(const struct sim_op *op)
{
    const struct sim_copy_work *copy = &op->work.copy;
    if (!sim_activity_clients(SIM_KIND_MEMCPY2))
        return;
    const struct sim_record_peer record = {
        .kind = SIM_KIND_MEMCPY2,
        .copy_kind = 10, /* peer to peer */
        .src_kind = memory_kind(SIM_MEMORY_DEVICE),
        .dst_kind = memory_kind(SIM_MEMORY_DEVICE),
        .flags = copy->async,
        .bytes = sim_model_bytes(&op->work),
        .start = shown(op->start_ns),
        .end = shown(op->end_ns),
        .device = (uint32_t)op->stream->context->device,
        .context = op->stream->context->id,
        .stream = op->stream->id,
        .src_device = (uint32_t)copy->src_device,
        .src_context = primary_id(copy->src_device),
        .dst_device = (uint32_t)copy->dst_device,
        .dst_context = primary_id(copy->dst_device),
        .correlation = op->correlation,
        .node_id = op->node_id,
        .graph_id = op->graph_id,
        .channel = channel_of(op),
        .channel_type = CHANNEL_COPY,
    };
    sim_buffer_add(&record, op->end_ns, offsetof(struct sim_record_peer, start));
}

static void add_set(const struct sim_op *op)
{
    if (!sim_activity_is_on(SIM_KIND_MEMSET))
        return;
    const struct sim_record_memset record = {
        .kind = SIM_KIND_MEMSET,
        .value = op->work.set.value,
        .bytes = sim_model_bytes(&op->work),
        .start = shown(op->start_ns),
        .end = shown(op->end_ns),
        .device = (uint32_t)op->stream->context->device,
        .context = op->stream->context->id,
        .stream = op->stream->id,
        .correlation = op->correlation,
        .flags = 1,
        .memory_kind = memory_kind(op->work.set.type),
        .node_id = op->node_id,
        .graph_id = op->graph_id,
        .channel = channel_of(op),
        .channel_type = CHANNEL_COPY,
    };
    sim_buffer_add(&record, op->end_ns, offsetof(struct sim_record_memset, start));
}

static void add_event(const struct sim_op *op)
{
    if (!op->work.mark.event_id || !sim_activity_is_on(SIM_KIND_CUDA_EVENT))
        return;
    const struct sim_record_event record = {
        .kind = SIM_KIND_CUDA_EVENT,
        .correlation = op->correlation,
        .context = op->stream->context->id,
        .stream = op->stream->id,
        .event = op->work.mark.event_id,
        .device = (uint32_t)op->stream->context->device,
        .timestamp = atomic_load(&event_timestamps_on) ? shown(op->end_ns) : 0,
        .sync = atomic_fetch_add(&last_event_sync, 1) + 1,
    };
    sim_buffer_add(&record, op->end_ns, 0);
}

/* By id, modulo the size: graphs that were instantiated while whole graphs were recorded. */
enum { TRACED_GRAPHS = 1 << 16 };
static atomic_bool traced[TRACED_GRAPHS];

void sim_activity_instantiated(uint32_t graph)
{
    atomic_store(&traced[graph % TRACED_GRAPHS], sim_activity_is_on(SIM_KIND_GRAPH_TRACE));
}

static void add_graph(const struct sim_op *op)
{
    if (!sim_activity_is_on(SIM_KIND_GRAPH_TRACE) ||
        !atomic_load(&traced[op->graph_id % TRACED_GRAPHS]))
        return;
    const struct sim_record_graph record = {
        .kind = SIM_KIND_GRAPH_TRACE,
        .correlation = op->correlation,
        .start = shown(op->start_ns),
        .end = shown(op->end_ns),
        .device = (uint32_t)op->stream->context->device,
        .graph_id = op->graph_id,
        .context = op->stream->context->id,
        .stream = op->stream->id,
        .end_device = (uint32_t)op->stream->context->device,
        .end_context = op->stream->context->id,
    };
    sim_buffer_add(&record, op->end_ns, offsetof(struct sim_record_graph, start));
}

/* SIM_HIDE_NODES_EVERY. */
static bool is_lost_node(const struct sim_op *op)
{
    static atomic_ullong nodes;
    const uint64_t every = (uint64_t)sim_config()->hide_nodes_every;
    const bool has_record = op->work.kind == SIM_WORK_KERNEL || op->work.kind == SIM_WORK_COPY ||
                            op->work.kind == SIM_WORK_SET;
    return every && has_record && (atomic_fetch_add(&nodes, 1) + 1) % every == 0;
}

/* Records of whole graphs replace those of their nodes. */
static bool is_hidden_node(const struct sim_op *op)
{
    return op->graph_id && (sim_activity_is_on(SIM_KIND_GRAPH_TRACE) || is_lost_node(op));
}

static void add_node_or_work(const struct sim_op *op)
{
    switch (op->work.kind) {
    case SIM_WORK_KERNEL:
        add_kernel(op);
        break;
    case SIM_WORK_COPY:
        if (op->work.copy.src_device != op->work.copy.dst_device)
            add_peer_copy(op);
        else
            add_copy(op);
        break;
    case SIM_WORK_SET:
        add_set(op);
        break;
    case SIM_WORK_RECORD:
        add_event(op);
        break;
    default:
        break;
    }
}

void sim_activity_op(const struct sim_op *op)
{
    sim_counts_op(op);
    if (op->work.kind == SIM_WORK_GRAPH_END)
        add_graph(op);
    else if (!is_hidden_node(op))
        add_node_or_work(op);
}
