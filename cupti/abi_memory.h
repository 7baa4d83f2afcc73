/* abi_memory.h - CUPTI's memory records, and the calls that allocate and free.
 *
 * Records: as abi_records.h has them. MEMORY2 and MEMORY_POOL exist from CUDA 11.2 on.
 *
 * Calls: CALL(cbid, name in CUPTI's headers, memory, flags, arguments...), for the case in which
 * CUPTI gives no record: what is allocated is then read from the call's arguments.
 *
 *     GIVES(field, offset)   where the call puts the address
 *     BOX(field, offset)     where the call puts an address and, 8 bytes after it, a pitch
 *     TAKES(field, offset)   the address to release
 *     BYTES(field, offset)   how much
 *     PITCH(field, offset)   where the call puts a pitch; bytes = pitch * rows (* depth)
 *     ROWS(field, offset), DEPTH(field, offset)
 *
 * Left out: arrays, which have no address, and memory of the program's own that is only registered.
 */
#ifndef PROF_ABI_MEMORY_H
#define PROF_ABI_MEMORY_H

#include "abi_records.h"

#define ABI_MEMORY_BASE_BYTES 112u
#define ABI_MEMORY_FIELDS(F)                                                                  \
    F(MEMORY_OPERATION, memoryOperationType, 4, 4)                                            \
    F(MEMORY_KIND, memoryKind, 8, 4)                                                          \
    F(MEMORY_CORRELATION, correlationId, 12, 4)                                               \
    F(MEMORY_ADDRESS, address, 16, 8)                                                         \
    F(MEMORY_BYTES, bytes, 24, 8)                                                             \
    F(MEMORY_TIME, timestamp, 32, 8)                                                          \
    F(MEMORY_DEVICE, deviceId, 52, 4)                                                         \
    F(MEMORY_CONTEXT, contextId, 56, 4)                                                       \
    F(MEMORY_STREAM, streamId, 60, 4)                                                         \
    F(MEMORY_IS_ASYNC, isAsync, 72, 4)                                                        \
    F(MEMORY_POOL_TYPE, memoryPoolConfig.memoryPoolType, 80, 4)                               \
    F(MEMORY_POOL, memoryPoolConfig.address, 88, 8)                                           \
    F(MEMORY_POOL_THRESHOLD, memoryPoolConfig.releaseThreshold, 96, 8)                        \
    F(MEMORY_POOL_BYTES, memoryPoolConfig.pool.size, 104, 8) /* an imported pool's process */ \
    F(MEMORY_POOL_USED, memoryPoolConfig.utilizedSize, 112, 8)

#define ABI_POOL_BASE_BYTES 64u
#define ABI_POOL_FIELDS(F)                           \
    F(POOL_OPERATION, memoryPoolOperationType, 4, 4) \
    F(POOL_TYPE, memoryPoolType, 8, 4)               \
    F(POOL_CORRELATION, correlationId, 12, 4)        \
    F(POOL_PROCESS, processId, 16, 4)                \
    F(POOL_DEVICE, deviceId, 20, 4)                  \
    F(POOL_KEEP_BYTES, minBytesToKeep, 24, 8)        \
    F(POOL_ADDRESS, address, 32, 8)                  \
    F(POOL_BYTES, size, 40, 8)                       \
    F(POOL_THRESHOLD, releaseThreshold, 48, 8)       \
    F(POOL_TIME, timestamp, 56, 8)                   \
    F(POOL_USED, utilizedSize, 64, 8)

#define ABI_UNIFIED_BASE_BYTES 64u
#define ABI_UNIFIED_FIELDS(F)            \
    F(UNIFIED_KIND, counterKind, 4, 4)   \
    F(UNIFIED_VALUE, value, 8, 8)        \
    F(UNIFIED_START, start, 16, 8)       \
    F(UNIFIED_END, end, 24, 8)           \
    F(UNIFIED_ADDRESS, address, 32, 8)   \
    F(UNIFIED_SOURCE, srcId, 40, 4)      \
    F(UNIFIED_TARGET, dstId, 44, 4)      \
    F(UNIFIED_STREAM, streamId, 48, 4)   \
    F(UNIFIED_PROCESS, processId, 52, 4) \
    F(UNIFIED_FLAGS, flags, 56, 4)

enum abi_memory_field {
#define ABI_FIELD_ENUM(name, field, offset, width) \
    ABI_##name = (offset), ABI_##name##_WIDTH = (width),
    ABI_MEMORY_FIELDS(ABI_FIELD_ENUM) ABI_POOL_FIELDS(ABI_FIELD_ENUM)
        ABI_UNIFIED_FIELDS(ABI_FIELD_ENUM)
#undef ABI_FIELD_ENUM
};

/* Ids that mean "none". */
#define ABI_NO_CONTEXT 0xffffffffu
#define ABI_NO_STREAM 0xffffffffu

enum abi_memory_kind {
    ABI_MEMORY_KIND_UNKNOWN = 0,
    ABI_MEMORY_KIND_PINNED = 2,
    ABI_MEMORY_KIND_DEVICE = 3,
    ABI_MEMORY_KIND_MANAGED = 5,
};

enum abi_pool_type { ABI_POOL_TYPE_IMPORTED = 2 };

enum abi_unified_kind {
    ABI_UNIFIED_HTOD = 1,
    ABI_UNIFIED_DTOH = 2,
    ABI_UNIFIED_CPU_FAULT = 3, /* one fault; its value is a program counter */
    ABI_UNIFIED_GPU_FAULT = 4,
    ABI_UNIFIED_THRASHING = 5,
    ABI_UNIFIED_THROTTLING = 6,
    ABI_UNIFIED_REMOTE_MAP = 7,
    ABI_UNIFIED_DTOD = 8,
};

/* Configures one counter of unified memory. */
struct abi_unified_config {
    uint32_t scope;  /*  0 enum abi_unified_scope */
    uint32_t kind;   /*  4 enum abi_unified_kind */
    uint32_t device; /* 8 for scope 1 only */
    uint32_t enable; /* 12 */
};
enum abi_unified_scope { ABI_UNIFIED_ALL_DEVICES = 2 };

/* clang-format off */
#define ABI_RUNTIME_MEMORY_CALLS(CALL) \
    CALL(20, cudaMalloc_v3020, DEVICE, 0, GIVES(devPtr, 0), BYTES(size, 8)) \
    CALL(21, cudaMallocPitch_v3020, DEVICE, 0, GIVES(devPtr, 0), PITCH(pitch, 8), \
         ROWS(height, 24)) \
    CALL(22, cudaFree_v3020, UNKNOWN, 0, TAKES(devPtr, 0)) \
    CALL(25, cudaMallocHost_v3020, PINNED, 0, GIVES(ptr, 0), BYTES(size, 8)) \
    CALL(26, cudaFreeHost_v3020, PINNED, 0, TAKES(ptr, 0)) \
    CALL(27, cudaHostAlloc_v3020, PINNED, 0, GIVES(pHost, 0), BYTES(size, 8)) \
    CALL(140, cudaMalloc3D_v3020, DEVICE, 0, BOX(pitchedDevPtr, 0), ROWS(extent.height, 16), \
         DEPTH(extent.depth, 24)) \
    CALL(206, cudaMallocManaged_v6000, MANAGED, 0, GIVES(devPtr, 0), BYTES(size, 8)) \
    CALL(373, cudaMallocAsync_v11020, DEVICE, PROF_MEMORY_ASYNC, GIVES(devPtr, 0), BYTES(size, 8)) \
    CALL(374, cudaMallocAsync_ptsz_v11020, DEVICE, PROF_MEMORY_ASYNC, GIVES(devPtr, 0), \
         BYTES(size, 8)) \
    CALL(375, cudaFreeAsync_v11020, UNKNOWN, PROF_MEMORY_ASYNC, TAKES(devPtr, 0)) \
    CALL(376, cudaFreeAsync_ptsz_v11020, UNKNOWN, PROF_MEMORY_ASYNC, TAKES(devPtr, 0)) \
    CALL(391, cudaMallocFromPoolAsync_v11020, DEVICE, PROF_MEMORY_ASYNC, GIVES(ptr, 0), \
         BYTES(size, 8)) \
    CALL(392, cudaMallocFromPoolAsync_ptsz_v11020, DEVICE, PROF_MEMORY_ASYNC, GIVES(ptr, 0), \
         BYTES(size, 8))

#define ABI_DRIVER_MEMORY_CALLS(CALL) \
    CALL(38, cuMemFreeHost, PINNED, 0, TAKES(p, 0)) \
    CALL(39, cuMemHostAlloc, PINNED, 0, GIVES(pp, 0), BYTES(bytesize, 8)) \
    CALL(243, cuMemAlloc_v2, DEVICE, 0, GIVES(dptr, 0), BYTES(bytesize, 8)) \
    CALL(244, cuMemAllocPitch_v2, DEVICE, 0, GIVES(dptr, 0), PITCH(pPitch, 8), ROWS(Height, 24)) \
    CALL(245, cuMemFree_v2, UNKNOWN, 0, TAKES(dptr, 0)) \
    CALL(294, cuMemAllocHost_v2, PINNED, 0, GIVES(pp, 0), BYTES(bytesize, 8)) \
    CALL(371, cuMemAllocManaged, MANAGED, 0, GIVES(dptr, 0), BYTES(bytesize, 8)) \
    CALL(598, cuMemAllocAsync, DEVICE, PROF_MEMORY_ASYNC, GIVES(dptr, 0), BYTES(bytesize, 8)) \
    CALL(599, cuMemAllocAsync_ptsz, DEVICE, PROF_MEMORY_ASYNC, GIVES(dptr, 0), BYTES(bytesize, 8)) \
    CALL(600, cuMemFreeAsync, UNKNOWN, PROF_MEMORY_ASYNC, TAKES(dptr, 0)) \
    CALL(601, cuMemFreeAsync_ptsz, UNKNOWN, PROF_MEMORY_ASYNC, TAKES(dptr, 0)) \
    CALL(611, cuMemAllocFromPoolAsync, DEVICE, PROF_MEMORY_ASYNC, GIVES(dptr, 0), \
         BYTES(bytesize, 8)) \
    CALL(612, cuMemAllocFromPoolAsync_ptsz, DEVICE, PROF_MEMORY_ASYNC, GIVES(dptr, 0), \
         BYTES(bytesize, 8))
/* clang-format on */

#endif
