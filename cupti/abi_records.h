/* abi_records.h - offsets of the fields in CUPTI's activity records.
 *
 * One table per kind: F(NAME, header's field, offset, width, first bytes). No field of these
 * records ever moved from CUDA 11.0 to 13.x: newer records are prefixes extended at their end (680
 * static assertions over the 13.0 headers). So one offset serves all versions, and a field exists
 * where the record is long enough.
 *
 * `base` fields are in every version; the record is at least ABI_<KIND>_BASE_BYTES long, or it is
 * not decoded. Check `late` fields with abi_has().
 */
#ifndef PROF_ABI_RECORDS_H
#define PROF_ABI_RECORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ABI_KERNEL_BASE_BYTES 160u
#define ABI_KERNEL_FIELDS(F)                                      \
    F(KERNEL_REGISTERS, registersPerThread, 6, 2)                 \
    F(KERNEL_START, start, 16, 8)                                 \
    F(KERNEL_END, end, 24, 8)                                     \
    F(KERNEL_DEVICE, deviceId, 40, 4)                             \
    F(KERNEL_CONTEXT, contextId, 44, 4)                           \
    F(KERNEL_STREAM, streamId, 48, 4)                             \
    F(KERNEL_GRID_X, gridX, 52, 4)                                \
    F(KERNEL_GRID_Y, gridY, 56, 4)                                \
    F(KERNEL_GRID_Z, gridZ, 60, 4)                                \
    F(KERNEL_BLOCK_X, blockX, 64, 4)                              \
    F(KERNEL_BLOCK_Y, blockY, 68, 4)                              \
    F(KERNEL_BLOCK_Z, blockZ, 72, 4)                              \
    F(KERNEL_STATIC_SHARED, staticSharedMemory, 76, 4)            \
    F(KERNEL_DYNAMIC_SHARED, dynamicSharedMemory, 80, 4)          \
    F(KERNEL_LOCAL_PER_THREAD, localMemoryPerThread, 84, 4)       \
    F(KERNEL_CORRELATION, correlationId, 92, 4)                   \
    F(KERNEL_NAME, name, 104, 8)                                  \
    F(KERNEL_QUEUED, queued, 120, 8)                              \
    F(KERNEL_SUBMITTED, submitted, 128, 8)                        \
    F(KERNEL_LAUNCH_TYPE, launchType, 136, 1)                     \
    F(KERNEL_SHARED_EXECUTED, sharedMemoryExecuted, 140, 4)       \
    F(KERNEL_GRAPH_NODE, graphNodeId, 144, 8)                     \
    F(KERNEL_GRAPH, graphId, 156, 4) /* padding, zero, in 11.0 */ \
    F(KERNEL_CHANNEL, channelID, 168, 4)                          \
    F(KERNEL_CHANNEL_TYPE, channelType, 172, 4)                   \
    F(KERNEL_CLUSTER_X, clusterX, 176, 4)                         \
    F(KERNEL_CLUSTER_Y, clusterY, 180, 4)                         \
    F(KERNEL_CLUSTER_Z, clusterZ, 184, 4)
/* 13.1+ */
#define ABI_KERNEL_PRIORITY 216u
#define ABI_KERNEL_PRIORITY_WIDTH 4u

#define ABI_MEMCPY_BASE_BYTES 72u
#define ABI_MEMCPY_FIELDS(F)                    \
    F(MEMCPY_COPY_KIND, copyKind, 4, 1)         \
    F(MEMCPY_SRC_KIND, srcKind, 5, 1)           \
    F(MEMCPY_DST_KIND, dstKind, 6, 1)           \
    F(MEMCPY_FLAGS, flags, 7, 1)                \
    F(MEMCPY_BYTES, bytes, 8, 8)                \
    F(MEMCPY_START, start, 16, 8)               \
    F(MEMCPY_END, end, 24, 8)                   \
    F(MEMCPY_DEVICE, deviceId, 32, 4)           \
    F(MEMCPY_CONTEXT, contextId, 36, 4)         \
    F(MEMCPY_STREAM, streamId, 40, 4)           \
    F(MEMCPY_CORRELATION, correlationId, 44, 4) \
    F(MEMCPY_GRAPH_NODE, graphNodeId, 64, 8)    \
    F(MEMCPY_GRAPH, graphId, 72, 4)

/* Copies between devices: the first 44 bytes are those of a copy. */
#define ABI_PEER_BASE_BYTES 80u
#define ABI_PEER_FIELDS(F)                    \
    F(PEER_COPY_KIND, copyKind, 4, 1)         \
    F(PEER_BYTES, bytes, 8, 8)                \
    F(PEER_START, start, 16, 8)               \
    F(PEER_END, end, 24, 8)                   \
    F(PEER_DEVICE, deviceId, 32, 4)           \
    F(PEER_CONTEXT, contextId, 36, 4)         \
    F(PEER_STREAM, streamId, 40, 4)           \
    F(PEER_SRC_DEVICE, srcDeviceId, 44, 4)    \
    F(PEER_SRC_CONTEXT, srcContextId, 48, 4)  \
    F(PEER_DST_DEVICE, dstDeviceId, 52, 4)    \
    F(PEER_DST_CONTEXT, dstContextId, 56, 4)  \
    F(PEER_CORRELATION, correlationId, 60, 4) \
    F(PEER_GRAPH_NODE, graphNodeId, 72, 8)    \
    F(PEER_GRAPH, graphId, 80, 4)

#define ABI_MEMSET_BASE_BYTES 72u
#define ABI_MEMSET_FIELDS(F)                    \
    F(MEMSET_VALUE, value, 4, 4)                \
    F(MEMSET_BYTES, bytes, 8, 8)                \
    F(MEMSET_START, start, 16, 8)               \
    F(MEMSET_END, end, 24, 8)                   \
    F(MEMSET_DEVICE, deviceId, 32, 4)           \
    F(MEMSET_CONTEXT, contextId, 36, 4)         \
    F(MEMSET_STREAM, streamId, 40, 4)           \
    F(MEMSET_CORRELATION, correlationId, 44, 4) \
    F(MEMSET_FLAGS, flags, 48, 2)               \
    F(MEMSET_MEMORY_KIND, memoryKind, 50, 2)    \
    F(MEMSET_GRAPH_NODE, graphNodeId, 64, 8)    \
    F(MEMSET_GRAPH, graphId, 72, 4)

#define ABI_SYNC_BASE_BYTES 40u
#define ABI_SYNC_FIELDS(F)                    \
    F(SYNC_TYPE, type, 4, 4)                  \
    F(SYNC_START, start, 8, 8)                \
    F(SYNC_END, end, 16, 8)                   \
    F(SYNC_CORRELATION, correlationId, 24, 4) \
    F(SYNC_CONTEXT, contextId, 28, 4)         \
    F(SYNC_STREAM, streamId, 32, 4)           \
    F(SYNC_EVENT, cudaEventId, 36, 4)

#define ABI_EVENT_BASE_BYTES 24u
#define ABI_EVENT_FIELDS(F)                   \
    F(EVENT_CORRELATION, correlationId, 4, 4) \
    F(EVENT_CONTEXT, contextId, 8, 4)         \
    F(EVENT_STREAM, streamId, 12, 4)          \
    F(EVENT_EVENT, eventId, 16, 4)

#define ABI_OVERHEAD_BASE_BYTES 40u
#define ABI_OVERHEAD_FIELDS(F)                                          \
    F(OVERHEAD_KIND, overheadKind, 4, 4)                                \
    F(OVERHEAD_OBJECT_KIND, objectKind, 8, 4)                           \
    F(OVERHEAD_OBJECT, objectId, 12,                                    \
      12) /* three words: process, thread or device, context, stream */ \
    F(OVERHEAD_START, start, 24, 8)                                     \
    F(OVERHEAD_END, end, 32, 8)                                         \
    F(OVERHEAD_CORRELATION, correlationId, 40, 4)

#define ABI_GRAPH_BASE_BYTES 48u
#define ABI_GRAPH_FIELDS(F)                   \
    F(GRAPH_CORRELATION, correlationId, 4, 4) \
    F(GRAPH_START, start, 8, 8)               \
    F(GRAPH_END, end, 16, 8)                  \
    F(GRAPH_DEVICE, deviceId, 24, 4)          \
    F(GRAPH_ID, graphId, 28, 4)               \
    F(GRAPH_CONTEXT, contextId, 32, 4)        \
    F(GRAPH_STREAM, streamId, 36, 4)

#define ABI_CONTEXT_BASE_BYTES 16u
#define ABI_CONTEXT_FIELDS(F)         \
    F(CONTEXT_ID, contextId, 4, 4)    \
    F(CONTEXT_DEVICE, deviceId, 8, 4) \
    F(CONTEXT_NULL_STREAM, nullStreamId, 14, 2)

#define ABI_STREAM_BASE_BYTES 24u
#define ABI_STREAM_FIELDS(F)            \
    F(STREAM_CONTEXT, contextId, 4, 4)  \
    F(STREAM_ID, streamId, 8, 4)        \
    F(STREAM_PRIORITY, priority, 12, 4) \
    F(STREAM_FLAG, flag, 16, 4)

/* The formatter lays this out differently each time. */
/* clang-format off */
#define ABI_ALL_FIELDS(F)                                                                \
    ABI_KERNEL_FIELDS(F)                                                                 \
    ABI_MEMCPY_FIELDS(F)                                                                 \
    ABI_PEER_FIELDS(F)                                                                   \
    ABI_MEMSET_FIELDS(F)                                                                 \
    ABI_GRAPH_FIELDS(F)                                                                  \
    ABI_SYNC_FIELDS(F) ABI_OVERHEAD_FIELDS(F) ABI_CONTEXT_FIELDS(F) ABI_STREAM_FIELDS(F) \
        ABI_EVENT_FIELDS(F)
/* clang-format on */

/* ABI_KERNEL_START = 16, ABI_KERNEL_START_WIDTH = 8 ... */
enum abi_field {
#define ABI_FIELD_ENUM(name, field, offset, width) \
    ABI_##name = (offset), ABI_##name##_WIDTH = (width),
    ABI_ALL_FIELDS(ABI_FIELD_ENUM)
#undef ABI_FIELD_ENUM
};

/* Whether a record of `size` bytes has the field. */
#define abi_has(size, name) ((size) >= (uint32_t)ABI_##name + (uint32_t)ABI_##name##_WIDTH)

/* Fields are read by copying: records are 8-aligned, their fields are not always (packed by 4 on
 * some). */
#define ABI_READER(type)                                                  \
    static inline type abi_##type(const uint8_t *record, uint32_t offset) \
    {                                                                     \
        type value;                                                       \
        memcpy(&value, record + offset, sizeof value);                    \
        return value;                                                     \
    }
ABI_READER(uint8_t)
ABI_READER(uint16_t)
ABI_READER(uint32_t)
ABI_READER(uint64_t)
#undef ABI_READER

static inline const char *abi_text(const uint8_t *record, uint32_t offset)
{
    return (const char *)(uintptr_t)abi_uint64_t(record, offset);
}

/* The file has 16 bits for what CUPTI gives 32: the largest stands for all that do not fit. */
static inline uint16_t abi_narrow16(uint32_t value)
{
    return value > UINT16_MAX ? UINT16_MAX : (uint16_t)value;
}

/* The first word of every record. */
static inline uint32_t abi_kind_of(const uint8_t *record)
{
    return abi_uint32_t(record, 0);
}

#endif
