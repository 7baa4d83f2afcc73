/* decode.c - activity records as records of the trace file: see activity.h. */
#include "abi_memory.h"
#include "abi_records.h"
#include "activity.h"
#include "facts.h"
#include "recorder.h"

/* ---- what a device did ----
 *
 * A function per kind: it takes a record of at least the kind's base bytes (abi_records.h) and
 * `size` bytes in all, and returns whether it wrote a record about an operation on a device. Times
 * of zero, and ends before their starts, are how CUPTI shows that it ran out of device buffers:
 * such operations are counted as PROF_LOSS_ZERO_TIME.
 */

#define WORDS(bytes) ((unsigned)(bytes) / 8u)

/* Whether an operation can be recorded; counts it where it cannot. */
static bool decode_is_good(uint64_t start_ns, uint64_t end_ns,
                           const struct lost_operation *operation)
{
    if (lost_was_off(operation->correlation)) {
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

static bool decode_has_cluster(const uint8_t *record, uint32_t size)
{
    return abi_has(size, KERNEL_CLUSTER_Z) && (abi_uint32_t(record, ABI_KERNEL_CLUSTER_X) > 1 ||
                                               abi_uint32_t(record, ABI_KERNEL_CLUSTER_Y) > 1 ||
                                               abi_uint32_t(record, ABI_KERNEL_CLUSTER_Z) > 1);
}

static int32_t decode_kernel_priority(const uint8_t *record, uint32_t size)
{
    return abi_has(size, KERNEL_PRIORITY) ? (int32_t)abi_uint32_t(record, ABI_KERNEL_PRIORITY)
                                          : PROF_PRIORITY_UNKNOWN;
}

/* Whether the last 48 bytes say something. Channel and executed shared memory do not count:
 * every kernel has them, and nobody asks unless the kernel is special otherwise. Nor does
 * priority 0, the default. */
static bool decode_kernel_is_long(const uint8_t *record, uint32_t size)
{
    int32_t priority = decode_kernel_priority(record, size);
    return abi_uint64_t(record, ABI_KERNEL_GRAPH_NODE) || abi_uint32_t(record, ABI_KERNEL_GRAPH) ||
           abi_uint64_t(record, ABI_KERNEL_QUEUED) || abi_uint64_t(record, ABI_KERNEL_SUBMITTED) ||
           abi_uint8_t(record, ABI_KERNEL_LAUNCH_TYPE) || decode_has_cluster(record, size) ||
           (priority != 0 && priority != PROF_PRIORITY_UNKNOWN);
}

static void decode_fill_kernel(struct prof_rec_kernel *kernel, const uint8_t *record)
{
    kernel->start_ns = abi_uint64_t(record, ABI_KERNEL_START);
    kernel->end_ns = abi_uint64_t(record, ABI_KERNEL_END);
    kernel->context = abi_uint32_t(record, ABI_KERNEL_CONTEXT);
    kernel->stream = abi_uint32_t(record, ABI_KERNEL_STREAM);
    kernel->name = names_intern_stable(abi_text(record, ABI_KERNEL_NAME));
    kernel->grid_x = abi_uint32_t(record, ABI_KERNEL_GRID_X);
    kernel->grid_y = abi_narrow16(abi_uint32_t(record, ABI_KERNEL_GRID_Y));
    kernel->grid_z = abi_narrow16(abi_uint32_t(record, ABI_KERNEL_GRID_Z));
    kernel->block_x = abi_narrow16(abi_uint32_t(record, ABI_KERNEL_BLOCK_X));
    kernel->block_y = abi_narrow16(abi_uint32_t(record, ABI_KERNEL_BLOCK_Y));
    kernel->block_z = abi_narrow16(abi_uint32_t(record, ABI_KERNEL_BLOCK_Z));
    kernel->registers = abi_uint16_t(record, ABI_KERNEL_REGISTERS);
    kernel->device = abi_narrow16(abi_uint32_t(record, ABI_KERNEL_DEVICE));
    kernel->local_memory = abi_narrow16(abi_uint32_t(record, ABI_KERNEL_LOCAL_PER_THREAD));
    kernel->static_shared_memory = abi_uint32_t(record, ABI_KERNEL_STATIC_SHARED);
    kernel->dynamic_shared_memory = abi_uint32_t(record, ABI_KERNEL_DYNAMIC_SHARED);
}

static void decode_fill_kernel_tail(struct prof_rec_kernel *kernel, const uint8_t *record,
                                    uint32_t size)
{
    kernel->graph_node = abi_uint64_t(record, ABI_KERNEL_GRAPH_NODE);
    kernel->graph = abi_uint32_t(record, ABI_KERNEL_GRAPH);
    kernel->priority = decode_kernel_priority(record, size);
    kernel->queued_ns = abi_uint64_t(record, ABI_KERNEL_QUEUED);
    kernel->submitted_ns = abi_uint64_t(record, ABI_KERNEL_SUBMITTED);
    kernel->launch_type = abi_uint8_t(record, ABI_KERNEL_LAUNCH_TYPE);
    kernel->shared_memory_executed = abi_uint32_t(record, ABI_KERNEL_SHARED_EXECUTED);
    if (abi_has(size, KERNEL_CHANNEL_TYPE)) {
        kernel->channel = abi_uint32_t(record, ABI_KERNEL_CHANNEL);
        kernel->channel_type = (uint8_t)abi_uint32_t(record, ABI_KERNEL_CHANNEL_TYPE);
    }
    if (abi_has(size, KERNEL_CLUSTER_Z)) {
        kernel->cluster_x = abi_narrow16(abi_uint32_t(record, ABI_KERNEL_CLUSTER_X));
        kernel->cluster_y = abi_narrow16(abi_uint32_t(record, ABI_KERNEL_CLUSTER_Y));
        kernel->cluster_z = abi_narrow16(abi_uint32_t(record, ABI_KERNEL_CLUSTER_Z));
    }
}

static struct lost_operation decode_kernel_operation(const uint8_t *record)
{
    return (struct lost_operation){
        .correlation = abi_uint32_t(record, ABI_KERNEL_CORRELATION),
        .context = abi_uint32_t(record, ABI_KERNEL_CONTEXT),
        .stream = abi_uint32_t(record, ABI_KERNEL_STREAM),
        .graph = abi_uint32_t(record, ABI_KERNEL_GRAPH),
        .device = abi_uint32_t(record, ABI_KERNEL_DEVICE),
    };
}

static bool decode_kernel(const uint8_t *record, uint32_t size)
{
    struct lost_operation operation = decode_kernel_operation(record);
    uint32_t correlation = operation.correlation;
    if (!decode_is_good(abi_uint64_t(record, ABI_KERNEL_START),
                        abi_uint64_t(record, ABI_KERNEL_END), &operation))
        return false;
    bool is_long = decode_kernel_is_long(record, size);
    unsigned words = WORDS(is_long ? sizeof(struct prof_rec_kernel) : PROF_REC_KERNEL_SHORT_BYTES);
    uint64_t *space = thread_reserve_late(PROF_REC_KERNEL, words);
    if (!space)
        return false;
    struct prof_rec_kernel *kernel = (struct prof_rec_kernel *)(void *)space;
    decode_fill_kernel(kernel, record);
    if (is_long)
        decode_fill_kernel_tail(kernel, record, size);
    thread_commit(space, PROF_REC_KERNEL, words, correlation);
    return true;
}

/* ---- copies ---- */

/* What copies within a device, with the host and between devices have at the same place. */
static void decode_fill_copy(struct prof_rec_memcpy *copy, const uint8_t *record)
{
    copy->start_ns = abi_uint64_t(record, ABI_MEMCPY_START);
    copy->end_ns = abi_uint64_t(record, ABI_MEMCPY_END);
    copy->bytes = abi_uint64_t(record, ABI_MEMCPY_BYTES);
    copy->context = abi_uint32_t(record, ABI_MEMCPY_CONTEXT);
    copy->stream = abi_uint32_t(record, ABI_MEMCPY_STREAM);
    copy->device = abi_narrow16(abi_uint32_t(record, ABI_MEMCPY_DEVICE));
    copy->copy_kind = abi_uint8_t(record, ABI_MEMCPY_COPY_KIND);
    copy->src_kind = abi_uint8_t(record, ABI_MEMCPY_SRC_KIND);
    copy->dst_kind = abi_uint8_t(record, ABI_MEMCPY_DST_KIND);
    copy->flags = abi_uint8_t(record, ABI_MEMCPY_FLAGS);
}

static uint64_t *decode_begin_copy(const uint8_t *record, uint32_t correlation, uint32_t graph,
                                   unsigned words)
{
    struct lost_operation operation = {
        .correlation = correlation,
        .context = abi_uint32_t(record, ABI_MEMCPY_CONTEXT),
        .stream = abi_uint32_t(record, ABI_MEMCPY_STREAM),
        .graph = graph,
        .device = abi_uint32_t(record, ABI_MEMCPY_DEVICE),
    };
    if (!decode_is_good(abi_uint64_t(record, ABI_MEMCPY_START),
                        abi_uint64_t(record, ABI_MEMCPY_END), &operation))
        return NULL;
    uint64_t *space = thread_reserve_late(PROF_REC_MEMCPY, words);
    if (space)
        decode_fill_copy((struct prof_rec_memcpy *)(void *)space, record);
    return space;
}

static bool decode_memcpy(const uint8_t *record, uint32_t size)
{
    uint32_t correlation = abi_uint32_t(record, ABI_MEMCPY_CORRELATION);
    uint32_t graph = abi_has(size, MEMCPY_GRAPH) ? abi_uint32_t(record, ABI_MEMCPY_GRAPH) : 0;
    uint64_t graph_node = abi_uint64_t(record, ABI_MEMCPY_GRAPH_NODE);
    bool is_long = graph || graph_node;
    unsigned words = WORDS(is_long ? sizeof(struct prof_rec_memcpy) : PROF_REC_MEMCPY_SHORT_BYTES);
    uint64_t *space = decode_begin_copy(record, correlation, graph, words);
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

static bool decode_peer_memcpy(const uint8_t *record, uint32_t size)
{
    uint32_t correlation = abi_uint32_t(record, ABI_PEER_CORRELATION);
    uint32_t graph = abi_has(size, PEER_GRAPH) ? abi_uint32_t(record, ABI_PEER_GRAPH) : 0;
    unsigned words = WORDS(sizeof(struct prof_rec_memcpy));
    uint64_t *space = decode_begin_copy(record, correlation, graph, words);
    if (!space)
        return false;
    struct prof_rec_memcpy *copy = (struct prof_rec_memcpy *)(void *)space;
    copy->src_device = abi_narrow16(abi_uint32_t(record, ABI_PEER_SRC_DEVICE));
    copy->dst_device = abi_narrow16(abi_uint32_t(record, ABI_PEER_DST_DEVICE));
    copy->src_context = abi_uint32_t(record, ABI_PEER_SRC_CONTEXT);
    copy->dst_context = abi_uint32_t(record, ABI_PEER_DST_CONTEXT);
    copy->graph_node = abi_uint64_t(record, ABI_PEER_GRAPH_NODE);
    copy->graph = graph;
    thread_commit(space, PROF_REC_MEMCPY, words, correlation);
    return true;
}

/* ---- sets ---- */

static void decode_fill_memset(struct prof_rec_memset *set, const uint8_t *record)
{
    set->start_ns = abi_uint64_t(record, ABI_MEMSET_START);
    set->end_ns = abi_uint64_t(record, ABI_MEMSET_END);
    set->bytes = abi_uint64_t(record, ABI_MEMSET_BYTES);
    set->context = abi_uint32_t(record, ABI_MEMSET_CONTEXT);
    set->stream = abi_uint32_t(record, ABI_MEMSET_STREAM);
    set->device = abi_narrow16(abi_uint32_t(record, ABI_MEMSET_DEVICE));
    set->memory_kind = (uint8_t)abi_uint16_t(record, ABI_MEMSET_MEMORY_KIND);
    set->flags = (uint8_t)abi_uint16_t(record, ABI_MEMSET_FLAGS);
    set->value = abi_uint32_t(record, ABI_MEMSET_VALUE);
}

static void decode_look_for_start_event(const uint8_t *record, uint32_t correlation)
{
    if (abi_uint32_t(record, ABI_MEMSET_VALUE) == START_EVENTS_VALUE &&
        abi_uint64_t(record, ABI_MEMSET_BYTES) == START_EVENTS_BYTES)
        start_events_record(abi_uint32_t(record, ABI_MEMSET_DEVICE), correlation);
}

static struct lost_operation decode_memset_operation(const uint8_t *record, uint32_t size)
{
    return (struct lost_operation){
        .correlation = abi_uint32_t(record, ABI_MEMSET_CORRELATION),
        .context = abi_uint32_t(record, ABI_MEMSET_CONTEXT),
        .stream = abi_uint32_t(record, ABI_MEMSET_STREAM),
        .graph = abi_has(size, MEMSET_GRAPH) ? abi_uint32_t(record, ABI_MEMSET_GRAPH) : 0,
        .device = abi_uint32_t(record, ABI_MEMSET_DEVICE),
    };
}

static bool decode_memset(const uint8_t *record, uint32_t size)
{
    struct lost_operation operation = decode_memset_operation(record, size);
    uint32_t correlation = operation.correlation, graph = operation.graph;
    if (!decode_is_good(abi_uint64_t(record, ABI_MEMSET_START),
                        abi_uint64_t(record, ABI_MEMSET_END), &operation))
        return false;
    uint64_t graph_node = abi_uint64_t(record, ABI_MEMSET_GRAPH_NODE);
    bool is_long = graph || graph_node;
    unsigned words = WORDS(is_long ? sizeof(struct prof_rec_memset) : PROF_REC_MEMSET_SHORT_BYTES);
    uint64_t *space = thread_reserve_late(PROF_REC_MEMSET, words);
    if (!space)
        return false;
    struct prof_rec_memset *set = (struct prof_rec_memset *)(void *)space;
    decode_fill_memset(set, record);
    if (is_long) {
        set->graph_node = graph_node;
        set->graph = graph;
    }
    thread_commit(space, PROF_REC_MEMSET, words, correlation);
    decode_look_for_start_event(record, correlation);
    return true;
}

/* ---- whole graphs ---- */

static bool decode_graph(const uint8_t *record, uint32_t size)
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
    if (!decode_is_good(start_ns, end_ns, &operation))
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
    run->device = abi_narrow16(operation.device);
    thread_commit(space, PROF_REC_GRAPH_RUN, words, correlation);
    return true;
}

/* ---- waits and overhead: not operations, so none of the ledger's causes but "unreadable" ---- */

static bool decode_is_readable(uint64_t start_ns, uint64_t end_ns)
{
    if (start_ns && end_ns >= start_ns)
        return true;
    loss_add(PROF_LOSS_UNKNOWN_RECORD, 1);
    return false;
}

static bool decode_sync(const uint8_t *record, uint32_t size)
{
    (void)size;
    uint64_t start_ns = abi_uint64_t(record, ABI_SYNC_START),
             end_ns = abi_uint64_t(record, ABI_SYNC_END);
    uint32_t correlation = abi_uint32_t(record, ABI_SYNC_CORRELATION);
    unsigned words = WORDS(sizeof(struct prof_rec_sync));
    uint64_t *space = decode_is_readable(start_ns, end_ns) && !lost_was_off(correlation)
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

static bool decode_event(const uint8_t *record, uint32_t size)
{
    (void)size;
    uint32_t correlation = abi_uint32_t(record, ABI_EVENT_CORRELATION);
    unsigned words = WORDS(sizeof(struct prof_rec_cuda_event));
    uint64_t *space =
        lost_was_off(correlation) ? NULL : thread_reserve_late(PROF_REC_CUDA_EVENT, words);
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

static bool decode_overhead(const uint8_t *record, uint32_t size)
{
    uint64_t start_ns = abi_uint64_t(record, ABI_OVERHEAD_START),
             end_ns = abi_uint64_t(record, ABI_OVERHEAD_END);
    uint32_t correlation =
        abi_has(size, OVERHEAD_CORRELATION) ? abi_uint32_t(record, ABI_OVERHEAD_CORRELATION) : 0;
    unsigned words = WORDS(sizeof(struct prof_rec_overhead));
    uint64_t *space =
        decode_is_readable(start_ns, end_ns) ? thread_reserve_late(PROF_REC_OVERHEAD, words) : NULL;
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

/* ---- what exists: contexts, streams ---- */

static bool decode_context(const uint8_t *record, uint32_t size)
{
    (void)size;
    struct prof_rec_context context = {
        .context = abi_uint32_t(record, ABI_CONTEXT_ID),
        .device = abi_uint32_t(record, ABI_CONTEXT_DEVICE),
        .null_stream = abi_uint16_t(record, ABI_CONTEXT_NULL_STREAM),
    };
    facts_emit(PROF_REC_CONTEXT, &context, sizeof context);
    return false;
}

static bool decode_stream(const uint8_t *record, uint32_t size)
{
    (void)size;
    struct prof_rec_stream stream = {
        .context = abi_uint32_t(record, ABI_STREAM_CONTEXT),
        .stream = abi_uint32_t(record, ABI_STREAM_ID),
        .priority = (int32_t)abi_uint32_t(record, ABI_STREAM_PRIORITY),
        .flags = abi_uint32_t(record, ABI_STREAM_FLAG),
    };
    facts_emit(PROF_REC_STREAM, &stream, sizeof stream);
    return false;
}

/* ---- walking a buffer ----
 *
 * CUPTI's own walker, cuptiActivityGetNextRecord, costs a call per
 * record that looks up what the oracle has already told (measured 7-10 ns of the 13.0 library);
 * so libprof steps by the oracle's sizes and asks CUPTI only when it meets a kind without one.
 * Both give the same records: the sizes are CUPTI's steps.
 */

/* Decodes one record of `size` bytes. Returns whether it was an operation on a device, recorded. */
typedef bool (*decoder)(const uint8_t *record, uint32_t size);

struct kind {
    decoder decode;
    uint32_t base_bytes; /* a shorter record does not come from CUDA 11.0 or later */
};

static const struct kind kinds[ABI_KIND_COUNT] = {
    [ABI_KIND_KERNEL] = {decode_kernel, ABI_KERNEL_BASE_BYTES},
    [ABI_KIND_CONCURRENT_KERNEL] = {decode_kernel, ABI_KERNEL_BASE_BYTES},
    [ABI_KIND_MEMCPY] = {decode_memcpy, ABI_MEMCPY_BASE_BYTES},
    [ABI_KIND_PEER_MEMCPY] = {decode_peer_memcpy, ABI_PEER_BASE_BYTES},
    [ABI_KIND_MEMSET] = {decode_memset, ABI_MEMSET_BASE_BYTES},
    [ABI_KIND_GRAPH_TRACE] = {decode_graph, ABI_GRAPH_BASE_BYTES},
    [ABI_KIND_SYNCHRONIZATION] = {decode_sync, ABI_SYNC_BASE_BYTES},
    [ABI_KIND_CUDA_EVENT] = {decode_event, ABI_EVENT_BASE_BYTES},
    [ABI_KIND_OVERHEAD] = {decode_overhead, ABI_OVERHEAD_BASE_BYTES},
    [ABI_KIND_CONTEXT] = {decode_context, ABI_CONTEXT_BASE_BYTES},
    [ABI_KIND_STREAM] = {decode_stream, ABI_STREAM_BASE_BYTES},
    [ABI_KIND_MEMORY] = {device_memory_decode, ABI_MEMORY_BASE_BYTES},
    [ABI_KIND_MEMORY_POOL] = {device_memory_decode_pool, ABI_POOL_BASE_BYTES},
    [ABI_KIND_UNIFIED_MEMORY] = {device_memory_decode_unified, ABI_UNIFIED_BASE_BYTES},
};

/* Never enabled here: another tool has, and in CUPTI's v1 API that is for the whole process. The
 * driver has provided the facts about devices (facts.h). */
static bool decode_is_of_another_tool(uint32_t kind)
{
    return kind == ABI_KIND_DEVICE || kind == ABI_KIND_DRIVER || kind == ABI_KIND_RUNTIME ||
           kind == ABI_KIND_EXTERNAL_CORRELATION;
}

static bool decode_one(const uint8_t *record, uint32_t size)
{
    uint32_t kind = abi_kind_of(record);
    const struct kind *how = kind < ABI_KIND_COUNT ? &kinds[kind] : &kinds[0];
    if (decode_is_of_another_tool(kind))
        return false;
    if (!how->decode || size < how->base_bytes) {
        loss_add(PROF_LOSS_UNKNOWN_RECORD, 1);
        return false;
    }
    return how->decode(record, size);
}

/* Steps over a record of a kind that the oracle has no size for. Returns the offset of the next
 * one, 0 when CUPTI does not know it either or there is none. */
static size_t decode_step_with_cupti(oracle_next_record next, uint8_t *buffer, size_t bytes,
                                     size_t at)
{
    void *record = buffer + at;
    if (!next || next(buffer, bytes, &record) != ABI_OK || !record)
        return 0;
    size_t behind = (size_t)((uint8_t *)record - buffer);
    return behind > at && behind < bytes ? behind : 0;
}

struct decode_result decode_buffer(const struct oracle *oracle, oracle_next_record next,
                                   uint8_t *buffer, size_t bytes)
{
    struct decode_result result = {0};
    for (size_t at = 0; at + ABI_BUFFER_ALIGNMENT <= bytes;) {
        uint32_t size = oracle_size(oracle, abi_kind_of(buffer + at));
        if (size && at + size <= bytes) {
            result.device_records += decode_one(buffer + at, size);
            at += size;
            continue;
        }
        loss_add(PROF_LOSS_UNKNOWN_RECORD, 1);
        size_t behind = decode_step_with_cupti(next, buffer, bytes, at);
        if (!behind) {
            result.unreadable = bytes - at;
            break;
        }
        at = behind;
    }
    lost_flush();
    if (result.device_records)
        recorder_count_gpu_records(result.device_records);
    return result;
}

static bool decode_is_operation(uint32_t kind)
{
    return kind == ABI_KIND_KERNEL || kind == ABI_KIND_CONCURRENT_KERNEL ||
           kind == ABI_KIND_MEMCPY || kind == ABI_KIND_PEER_MEMCPY || kind == ABI_KIND_MEMSET ||
           kind == ABI_KIND_GRAPH_TRACE;
}

static bool decode_is_memory(uint32_t kind)
{
    return kind == ABI_KIND_MEMORY || kind == ABI_KIND_MEMORY_POOL ||
           kind == ABI_KIND_UNIFIED_MEMORY;
}

uint64_t decode_count_only(const struct oracle *oracle, const uint8_t *buffer, size_t bytes)
{
    uint64_t count = 0;
    uint32_t size;
    for (size_t at = 0; at + ABI_BUFFER_ALIGNMENT <= bytes; at += size) {
        size = oracle_size(oracle, abi_kind_of(buffer + at));
        if (!size || at + size > bytes)
            break;
        count += decode_is_operation(abi_kind_of(buffer + at)) ||
                 decode_is_memory(abi_kind_of(buffer + at));
    }
    return count;
}
