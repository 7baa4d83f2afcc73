#include "decode_device.h"

#include "abi_records.h"
#include "kernel_names.h"
#include "lost.h"
#include "recorder.h"
#include "start_events.h"
#include "windows.h"

#define WORDS(bytes) ((unsigned)(bytes) / 8u)

static uint16_t narrow16(uint32_t value)
{
    return value > UINT16_MAX ? UINT16_MAX : (uint16_t)value;
}

/* Whether an operation can be recorded; counts it where it cannot. */
static bool is_good(uint64_t start_ns, uint64_t end_ns, const struct lost_operation *operation)
{
    if (windows_was_off(operation->correlation)) {
        lost_out_of_window(operation);
        return false;
    }
    if (start_ns == 0 || end_ns < start_ns) {
        lost_zero_time(operation);
        return false;
    }
    return true;
}

/* ---- kernels ---- */

static bool has_cluster(const uint8_t *record, uint32_t size)
{
    return abi_has(size, KERNEL_CLUSTER_Z) && (abi_uint32_t(record, ABI_KERNEL_CLUSTER_X) > 1 ||
                                               abi_uint32_t(record, ABI_KERNEL_CLUSTER_Y) > 1 ||
                                               abi_uint32_t(record, ABI_KERNEL_CLUSTER_Z) > 1);
}

static int32_t kernel_priority(const uint8_t *record, uint32_t size)
{
    return abi_has(size, KERNEL_PRIORITY) ? (int32_t)abi_uint32_t(record, ABI_KERNEL_PRIORITY)
                                          : PROF_PRIORITY_UNKNOWN;
}

/* Whether the last 48 bytes say something. Channel and executed shared memory do not count:
 * every kernel has them, and nobody asks unless the kernel is special otherwise. Nor does
 * priority 0, the default. */
static bool kernel_is_long(const uint8_t *record, uint32_t size)
{
    int32_t priority = kernel_priority(record, size);
    return abi_uint64_t(record, ABI_KERNEL_GRAPH_NODE) || abi_uint32_t(record, ABI_KERNEL_GRAPH) ||
           abi_uint64_t(record, ABI_KERNEL_QUEUED) || abi_uint64_t(record, ABI_KERNEL_SUBMITTED) ||
           abi_uint8_t(record, ABI_KERNEL_LAUNCH_TYPE) || has_cluster(record, size) ||
           (priority != 0 && priority != PROF_PRIORITY_UNKNOWN);
}

static void fill_kernel(struct prof_rec_kernel *kernel, const uint8_t *record)
{
    kernel->start_ns = abi_uint64_t(record, ABI_KERNEL_START);
    kernel->end_ns = abi_uint64_t(record, ABI_KERNEL_END);
    kernel->context = abi_uint32_t(record, ABI_KERNEL_CONTEXT);
    kernel->stream = abi_uint32_t(record, ABI_KERNEL_STREAM);
    kernel->name = kernel_names_id(abi_text(record, ABI_KERNEL_NAME));
    kernel->grid_x = abi_uint32_t(record, ABI_KERNEL_GRID_X);
    kernel->grid_y = narrow16(abi_uint32_t(record, ABI_KERNEL_GRID_Y));
    kernel->grid_z = narrow16(abi_uint32_t(record, ABI_KERNEL_GRID_Z));
    kernel->block_x = narrow16(abi_uint32_t(record, ABI_KERNEL_BLOCK_X));
    kernel->block_y = narrow16(abi_uint32_t(record, ABI_KERNEL_BLOCK_Y));
    kernel->block_z = narrow16(abi_uint32_t(record, ABI_KERNEL_BLOCK_Z));
    kernel->registers = abi_uint16_t(record, ABI_KERNEL_REGISTERS);
    kernel->device = narrow16(abi_uint32_t(record, ABI_KERNEL_DEVICE));
    kernel->local_memory = narrow16(abi_uint32_t(record, ABI_KERNEL_LOCAL_PER_THREAD));
    kernel->static_shared_memory = abi_uint32_t(record, ABI_KERNEL_STATIC_SHARED);
    kernel->dynamic_shared_memory = abi_uint32_t(record, ABI_KERNEL_DYNAMIC_SHARED);
}

static void fill_kernel_tail(struct prof_rec_kernel *kernel, const uint8_t *record, uint32_t size)
{
    kernel->graph_node = abi_uint64_t(record, ABI_KERNEL_GRAPH_NODE);
    kernel->graph = abi_uint32_t(record, ABI_KERNEL_GRAPH);
    kernel->priority = kernel_priority(record, size);
    kernel->queued_ns = abi_uint64_t(record, ABI_KERNEL_QUEUED);
    kernel->submitted_ns = abi_uint64_t(record, ABI_KERNEL_SUBMITTED);
    kernel->launch_type = abi_uint8_t(record, ABI_KERNEL_LAUNCH_TYPE);
    kernel->shared_memory_executed = abi_uint32_t(record, ABI_KERNEL_SHARED_EXECUTED);
    if (abi_has(size, KERNEL_CHANNEL_TYPE)) {
        kernel->channel = abi_uint32_t(record, ABI_KERNEL_CHANNEL);
        kernel->channel_type = (uint8_t)abi_uint32_t(record, ABI_KERNEL_CHANNEL_TYPE);
    }
    if (abi_has(size, KERNEL_CLUSTER_Z)) {
        kernel->cluster_x = narrow16(abi_uint32_t(record, ABI_KERNEL_CLUSTER_X));
        kernel->cluster_y = narrow16(abi_uint32_t(record, ABI_KERNEL_CLUSTER_Y));
        kernel->cluster_z = narrow16(abi_uint32_t(record, ABI_KERNEL_CLUSTER_Z));
    }
}

static struct lost_operation kernel_operation(const uint8_t *record)
{
    return (struct lost_operation){
        .correlation = abi_uint32_t(record, ABI_KERNEL_CORRELATION),
        .context = abi_uint32_t(record, ABI_KERNEL_CONTEXT),
        .stream = abi_uint32_t(record, ABI_KERNEL_STREAM),
        .graph = abi_uint32_t(record, ABI_KERNEL_GRAPH),
        .device = abi_uint32_t(record, ABI_KERNEL_DEVICE),
    };
}

bool decode_kernel(const uint8_t *record, uint32_t size)
{
    struct lost_operation operation = kernel_operation(record);
    uint32_t correlation = operation.correlation;
    if (!is_good(abi_uint64_t(record, ABI_KERNEL_START), abi_uint64_t(record, ABI_KERNEL_END),
                 &operation))
        return false;
    bool is_long = kernel_is_long(record, size);
    unsigned words = WORDS(is_long ? sizeof(struct prof_rec_kernel) : PROF_REC_KERNEL_SHORT_BYTES);
    uint64_t *space = thread_reserve_late(PROF_REC_KERNEL, words);
    if (!space)
        return false;
    struct prof_rec_kernel *kernel = (struct prof_rec_kernel *)(void *)space;
    fill_kernel(kernel, record);
    if (is_long)
        fill_kernel_tail(kernel, record, size);
    thread_commit(space, PROF_REC_KERNEL, words, correlation);
    return true;
}

/* ---- copies ---- */

/* What copies within a device, with the host and between devices have at the same place. */
static void fill_copy(struct prof_rec_memcpy *copy, const uint8_t *record)
{
    copy->start_ns = abi_uint64_t(record, ABI_MEMCPY_START);
    copy->end_ns = abi_uint64_t(record, ABI_MEMCPY_END);
    copy->bytes = abi_uint64_t(record, ABI_MEMCPY_BYTES);
    copy->context = abi_uint32_t(record, ABI_MEMCPY_CONTEXT);
    copy->stream = abi_uint32_t(record, ABI_MEMCPY_STREAM);
    copy->device = narrow16(abi_uint32_t(record, ABI_MEMCPY_DEVICE));
    copy->copy_kind = abi_uint8_t(record, ABI_MEMCPY_COPY_KIND);
    copy->src_kind = abi_uint8_t(record, ABI_MEMCPY_SRC_KIND);
    copy->dst_kind = abi_uint8_t(record, ABI_MEMCPY_DST_KIND);
    copy->flags = abi_uint8_t(record, ABI_MEMCPY_FLAGS);
}

static uint64_t *begin_copy(const uint8_t *record, uint32_t correlation, uint32_t graph,
                            unsigned words)
{
    struct lost_operation operation = {
        .correlation = correlation,
        .context = abi_uint32_t(record, ABI_MEMCPY_CONTEXT),
        .stream = abi_uint32_t(record, ABI_MEMCPY_STREAM),
        .graph = graph,
        .device = abi_uint32_t(record, ABI_MEMCPY_DEVICE),
    };
    if (!is_good(abi_uint64_t(record, ABI_MEMCPY_START), abi_uint64_t(record, ABI_MEMCPY_END),
                 &operation))
        return NULL;
    uint64_t *space = thread_reserve_late(PROF_REC_MEMCPY, words);
    if (space)
        fill_copy((struct prof_rec_memcpy *)(void *)space, record);
    return space;
}

bool decode_memcpy(const uint8_t *record, uint32_t size)
{
    uint32_t correlation = abi_uint32_t(record, ABI_MEMCPY_CORRELATION);
    uint32_t graph = abi_has(size, MEMCPY_GRAPH) ? abi_uint32_t(record, ABI_MEMCPY_GRAPH) : 0;
    uint64_t graph_node = abi_uint64_t(record, ABI_MEMCPY_GRAPH_NODE);
    bool is_long = graph || graph_node;
    unsigned words = WORDS(is_long ? sizeof(struct prof_rec_memcpy) : PROF_REC_MEMCPY_SHORT_BYTES);
    uint64_t *space = begin_copy(record, correlation, graph, words);
    if (!space)
        return false;
    if (is_long) {
        struct prof_rec_memcpy *copy = (struct prof_rec_memcpy *)(void *)space;
        copy->src_device = copy->dst_device = copy->device;
        copy->src_context = copy->dst_context = copy->context;
        copy->graph = graph;
        copy->graph_node = graph_node;
    }
    thread_commit(space, PROF_REC_MEMCPY, words, correlation);
    return true;
}

bool decode_peer_memcpy(const uint8_t *record, uint32_t size)
{
    uint32_t correlation = abi_uint32_t(record, ABI_PEER_CORRELATION);
    uint32_t graph = abi_has(size, PEER_GRAPH) ? abi_uint32_t(record, ABI_PEER_GRAPH) : 0;
    unsigned words = WORDS(sizeof(struct prof_rec_memcpy));
    uint64_t *space = begin_copy(record, correlation, graph, words);
    if (!space)
        return false;
    struct prof_rec_memcpy *copy = (struct prof_rec_memcpy *)(void *)space;
    copy->src_device = narrow16(abi_uint32_t(record, ABI_PEER_SRC_DEVICE));
    copy->dst_device = narrow16(abi_uint32_t(record, ABI_PEER_DST_DEVICE));
    copy->src_context = abi_uint32_t(record, ABI_PEER_SRC_CONTEXT);
    copy->dst_context = abi_uint32_t(record, ABI_PEER_DST_CONTEXT);
    copy->graph_node = abi_uint64_t(record, ABI_PEER_GRAPH_NODE);
    copy->graph = graph;
    thread_commit(space, PROF_REC_MEMCPY, words, correlation);
    return true;
}

/* ---- sets ---- */

static void fill_memset(struct prof_rec_memset *set, const uint8_t *record)
{
    set->start_ns = abi_uint64_t(record, ABI_MEMSET_START);
    set->end_ns = abi_uint64_t(record, ABI_MEMSET_END);
    set->bytes = abi_uint64_t(record, ABI_MEMSET_BYTES);
    set->context = abi_uint32_t(record, ABI_MEMSET_CONTEXT);
    set->stream = abi_uint32_t(record, ABI_MEMSET_STREAM);
    set->device = narrow16(abi_uint32_t(record, ABI_MEMSET_DEVICE));
    set->memory_kind = (uint8_t)abi_uint16_t(record, ABI_MEMSET_MEMORY_KIND);
    set->flags = (uint8_t)abi_uint16_t(record, ABI_MEMSET_FLAGS);
    set->value = abi_uint32_t(record, ABI_MEMSET_VALUE);
}

static void look_for_start_event(const uint8_t *record, uint32_t correlation)
{
    if (abi_uint32_t(record, ABI_MEMSET_VALUE) == START_EVENTS_VALUE &&
        abi_uint64_t(record, ABI_MEMSET_BYTES) == START_EVENTS_BYTES)
        start_events_record(abi_uint32_t(record, ABI_MEMSET_DEVICE), correlation);
}

static struct lost_operation memset_operation(const uint8_t *record, uint32_t size)
{
    return (struct lost_operation){
        .correlation = abi_uint32_t(record, ABI_MEMSET_CORRELATION),
        .context = abi_uint32_t(record, ABI_MEMSET_CONTEXT),
        .stream = abi_uint32_t(record, ABI_MEMSET_STREAM),
        .graph = abi_has(size, MEMSET_GRAPH) ? abi_uint32_t(record, ABI_MEMSET_GRAPH) : 0,
        .device = abi_uint32_t(record, ABI_MEMSET_DEVICE),
    };
}

bool decode_memset(const uint8_t *record, uint32_t size)
{
    struct lost_operation operation = memset_operation(record, size);
    uint32_t correlation = operation.correlation, graph = operation.graph;
    if (!is_good(abi_uint64_t(record, ABI_MEMSET_START), abi_uint64_t(record, ABI_MEMSET_END),
                 &operation))
        return false;
    uint64_t graph_node = abi_uint64_t(record, ABI_MEMSET_GRAPH_NODE);
    bool is_long = graph || graph_node;
    unsigned words = WORDS(is_long ? sizeof(struct prof_rec_memset) : PROF_REC_MEMSET_SHORT_BYTES);
    uint64_t *space = thread_reserve_late(PROF_REC_MEMSET, words);
    if (!space)
        return false;
    struct prof_rec_memset *set = (struct prof_rec_memset *)(void *)space;
    fill_memset(set, record);
    if (is_long) {
        set->graph_node = graph_node;
        set->graph = graph;
    }
    thread_commit(space, PROF_REC_MEMSET, words, correlation);
    look_for_start_event(record, correlation);
    return true;
}

/* ---- whole graphs ---- */

bool decode_graph(const uint8_t *record, uint32_t size)
{
    (void)size;
    uint32_t correlation = abi_uint32_t(record, ABI_GRAPH_CORRELATION);
    uint64_t start_ns = abi_uint64_t(record, ABI_GRAPH_START),
             end_ns = abi_uint64_t(record, ABI_GRAPH_END);
    const struct lost_operation operation = {
        .correlation = correlation,
        .context = abi_uint32_t(record, ABI_GRAPH_CONTEXT),
        .stream = abi_uint32_t(record, ABI_GRAPH_STREAM),
        .graph = abi_uint32_t(record, ABI_GRAPH_ID),
        .device = abi_uint32_t(record, ABI_GRAPH_DEVICE),
    };
    if (!is_good(start_ns, end_ns, &operation))
        return false;
    unsigned words = WORDS(sizeof(struct prof_rec_graph_run));
    uint64_t *space = thread_reserve_late(PROF_REC_GRAPH_RUN, words);
    if (!space)
        return false;
    struct prof_rec_graph_run *run = (struct prof_rec_graph_run *)(void *)space;
    run->start_ns = start_ns;
    run->end_ns = end_ns;
    run->graph = operation.graph;
    run->context = operation.context;
    run->stream = operation.stream;
    run->device = narrow16(operation.device);
    thread_commit(space, PROF_REC_GRAPH_RUN, words, correlation);
    return true;
}

/* ---- waits and overhead: not operations, so none of the ledger's causes but "unreadable" ---- */

static bool is_readable(uint64_t start_ns, uint64_t end_ns)
{
    if (start_ns && end_ns >= start_ns)
        return true;
    loss_add(PROF_LOSS_UNKNOWN_RECORD, 1);
    return false;
}

bool decode_sync(const uint8_t *record, uint32_t size)
{
    (void)size;
    uint64_t start_ns = abi_uint64_t(record, ABI_SYNC_START),
             end_ns = abi_uint64_t(record, ABI_SYNC_END);
    uint32_t correlation = abi_uint32_t(record, ABI_SYNC_CORRELATION);
    unsigned words = WORDS(sizeof(struct prof_rec_sync));
    uint64_t *space = is_readable(start_ns, end_ns) && !windows_was_off(correlation)
                          ? thread_reserve_late(PROF_REC_SYNC, words)
                          : NULL;
    if (!space)
        return false;
    struct prof_rec_sync *sync = (struct prof_rec_sync *)(void *)space;
    sync->start_ns = start_ns;
    sync->end_ns = end_ns;
    sync->type = abi_uint32_t(record, ABI_SYNC_TYPE);
    sync->context = abi_uint32_t(record, ABI_SYNC_CONTEXT);
    sync->stream = abi_uint32_t(record, ABI_SYNC_STREAM);
    sync->event = abi_uint32_t(record, ABI_SYNC_EVENT);
    thread_commit(space, PROF_REC_SYNC, words, correlation);
    return false;
}

bool decode_event(const uint8_t *record, uint32_t size)
{
    (void)size;
    uint32_t correlation = abi_uint32_t(record, ABI_EVENT_CORRELATION);
    unsigned words = WORDS(sizeof(struct prof_rec_cuda_event));
    uint64_t *space =
        windows_was_off(correlation) ? NULL : thread_reserve_late(PROF_REC_CUDA_EVENT, words);
    if (!space)
        return false;
    struct prof_rec_cuda_event *event = (struct prof_rec_cuda_event *)(void *)space;
    event->context = abi_uint32_t(record, ABI_EVENT_CONTEXT);
    event->stream = abi_uint32_t(record, ABI_EVENT_STREAM);
    event->event = abi_uint32_t(record, ABI_EVENT_EVENT);
    event->reserved0 = 0;
    thread_commit(space, PROF_REC_CUDA_EVENT, words, correlation);
    return false;
}

bool decode_overhead(const uint8_t *record, uint32_t size)
{
    uint64_t start_ns = abi_uint64_t(record, ABI_OVERHEAD_START),
             end_ns = abi_uint64_t(record, ABI_OVERHEAD_END);
    uint32_t correlation =
        abi_has(size, OVERHEAD_CORRELATION) ? abi_uint32_t(record, ABI_OVERHEAD_CORRELATION) : 0;
    unsigned words = WORDS(sizeof(struct prof_rec_overhead));
    uint64_t *space =
        is_readable(start_ns, end_ns) ? thread_reserve_late(PROF_REC_OVERHEAD, words) : NULL;
    if (!space)
        return false;
    struct prof_rec_overhead *overhead = (struct prof_rec_overhead *)(void *)space;
    overhead->start_ns = start_ns;
    overhead->end_ns = end_ns;
    overhead->kind = abi_uint32_t(record, ABI_OVERHEAD_KIND);
    overhead->object_kind = abi_uint32_t(record, ABI_OVERHEAD_OBJECT_KIND);
    memcpy(overhead->object, record + ABI_OVERHEAD_OBJECT, sizeof overhead->object);
    thread_commit(space, PROF_REC_OVERHEAD, words, correlation);
    return false;
}
