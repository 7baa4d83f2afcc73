/* How a buffer is walked. CUPTI's own walker, cuptiActivityGetNextRecord, costs a call per
 * record that looks up what the oracle has already told (measured 7-10 ns of the 13.0 library);
 * so libprof steps by the oracle's sizes and asks CUPTI only when it meets a kind without one.
 * Both give the same records: the sizes are CUPTI's steps.
 */
#include "decode.h"

#include "abi_memory.h"
#include "decode_device.h"
#include "decode_facts.h"
#include "decode_memory.h"
#include "lost.h"
#include "recorder.h"

/* Decodes one record of `size` bytes. Returns whether it was an operation on a device, recorded. */
typedef bool (*decoder)(const uint8_t *record, uint32_t size);

struct kind {
    decoder decode;
    uint32_t base_bytes; /* a shorter record is none of CUDA 11.0 and later */
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
    [ABI_KIND_DEVICE] = {decode_device, ABI_DEVICE_BASE_BYTES},
    [ABI_KIND_CONTEXT] = {decode_context, ABI_CONTEXT_BASE_BYTES},
    [ABI_KIND_STREAM] = {decode_stream, ABI_STREAM_BASE_BYTES},
    [ABI_KIND_MEMORY] = {decode_memory, ABI_MEMORY_BASE_BYTES},
    [ABI_KIND_MEMORY_POOL] = {decode_memory_pool, ABI_POOL_BASE_BYTES},
    [ABI_KIND_UNIFIED_MEMORY] = {decode_unified_memory, ABI_UNIFIED_BASE_BYTES},
};

/* Never enabled here: another tool has, and in CUPTI's first form that is for the whole process. */
static bool is_of_another_tool(uint32_t kind)
{
    return kind == ABI_KIND_DRIVER || kind == ABI_KIND_RUNTIME ||
           kind == ABI_KIND_EXTERNAL_CORRELATION;
}

static bool decode_one(const uint8_t *record, uint32_t size)
{
    uint32_t kind = abi_kind_of(record);
    const struct kind *how = kind < ABI_KIND_COUNT ? &kinds[kind] : &kinds[0];
    if (is_of_another_tool(kind))
        return false;
    if (!how->decode || size < how->base_bytes) {
        loss_add(PROF_LOSS_UNKNOWN_RECORD, 1);
        return false;
    }
    return how->decode(record, size);
}

/* Steps over a record of a kind that the oracle has no size for. Returns the offset of the next
 * one, 0 when CUPTI does not know it either or there is none. */
static size_t step_with_cupti(oracle_next_record next, uint8_t *buffer, size_t bytes, size_t at)
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
        size_t behind = step_with_cupti(next, buffer, bytes, at);
        if (!behind) {
            result.unreadable = bytes - at;
            break;
        }
        at = behind;
    }
    lost_state();
    if (result.device_records)
        recorder_count_gpu_records(result.device_records);
    return result;
}

static bool is_operation(uint32_t kind)
{
    return kind == ABI_KIND_KERNEL || kind == ABI_KIND_CONCURRENT_KERNEL ||
           kind == ABI_KIND_MEMCPY || kind == ABI_KIND_PEER_MEMCPY || kind == ABI_KIND_MEMSET ||
           kind == ABI_KIND_GRAPH_TRACE;
}

static bool is_memory(uint32_t kind)
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
        count += is_operation(abi_kind_of(buffer + at)) || is_memory(abi_kind_of(buffer + at));
    }
    return count;
}
