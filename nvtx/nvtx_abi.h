/* nvtx_abi.h - facts of NVTX's interface between a program and a tool, versions 2 and 3.
 *
 * A program's NVTX functions are pointers, *slots*. On the first call NVTX loads the library that
 * NVTX_INJECTION64_PATH names and hands it a function that gives out export tables; one of them
 * gives out the slots, module by module, as an array of pointers to slots whose first entry is
 * unused. Every shared object that was built with NVTX 3 has slots of its own and does this itself.
 *
 * tests/nvtx compares these facts with NVIDIA's headers where they are installed.
 */
#ifndef PROF_NVTX_ABI_H
#define PROF_NVTX_ABI_H

#include "prof/format.h"

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

typedef void (*nvtx_slot)(void);
typedef const void *(*nvtx_get_export_table)(uint32_t table);

enum nvtx_export_table {
    NVTX_TABLE_CALLBACKS = 1,
    NVTX_TABLE_VERSION = 3,
};

struct nvtx_callbacks {
    size_t size_bytes;
    /* Returns 1, or 0 for an unknown module. `count` includes the unused entry 0. */
    int (*get_module)(int module, nvtx_slot ***slots, unsigned *count);
};

struct nvtx_version_info {
    size_t size_bytes;
    uint32_t version;
    uint32_t reserved;
    void (*set_tool_version)(uint32_t version);
};

#define NVTX_CLIENT_VERSION 3u

enum nvtx_module {
    NVTX_MODULE_CORE = 1,
    NVTX_MODULE_CUDA = 2,
    NVTX_MODULE_OPENCL = 3,
    NVTX_MODULE_CUDART = 4,
    NVTX_MODULE_CORE2 = 5,
    NVTX_MODULE_SYNC = 6,
};

enum nvtx_core {
    NVTX_CORE_MARK_EX = 1,
    NVTX_CORE_MARK_A,
    NVTX_CORE_MARK_W,
    NVTX_CORE_START_EX,
    NVTX_CORE_START_A,
    NVTX_CORE_START_W,
    NVTX_CORE_END,
    NVTX_CORE_PUSH_EX,
    NVTX_CORE_PUSH_A,
    NVTX_CORE_PUSH_W,
    NVTX_CORE_POP,
    NVTX_CORE_CATEGORY_A,
    NVTX_CORE_CATEGORY_W,
    NVTX_CORE_THREAD_A,
    NVTX_CORE_THREAD_W,
    NVTX_CORE_COUNT,
};

enum nvtx_core2 {
    NVTX_CORE2_MARK_EX = 1,
    NVTX_CORE2_START_EX,
    NVTX_CORE2_END,
    NVTX_CORE2_PUSH_EX,
    NVTX_CORE2_POP,
    NVTX_CORE2_RESOURCE_CREATE,
    NVTX_CORE2_RESOURCE_DESTROY,
    NVTX_CORE2_CATEGORY_A,
    NVTX_CORE2_CATEGORY_W,
    NVTX_CORE2_STRING_A,
    NVTX_CORE2_STRING_W,
    NVTX_CORE2_DOMAIN_A,
    NVTX_CORE2_DOMAIN_W,
    NVTX_CORE2_DOMAIN_DESTROY,
    NVTX_CORE2_INITIALIZE,
    NVTX_CORE2_COUNT,
};

enum nvtx_cuda {
    NVTX_CUDA_DEVICE_A = 1,
    NVTX_CUDA_DEVICE_W,
    NVTX_CUDA_CONTEXT_A,
    NVTX_CUDA_CONTEXT_W,
    NVTX_CUDA_STREAM_A,
    NVTX_CUDA_STREAM_W,
    NVTX_CUDA_EVENT_A,
    NVTX_CUDA_EVENT_W,
    NVTX_CUDA_COUNT,
};

enum nvtx_cudart {
    NVTX_CUDART_DEVICE_A = 1,
    NVTX_CUDART_DEVICE_W,
    NVTX_CUDART_STREAM_A,
    NVTX_CUDART_STREAM_W,
    NVTX_CUDART_EVENT_A,
    NVTX_CUDART_EVENT_W,
    NVTX_CUDART_COUNT,
};

enum nvtx_sync {
    NVTX_SYNC_CREATE = 1,
    NVTX_SYNC_DESTROY,
    NVTX_SYNC_ACQUIRE_START,
    NVTX_SYNC_ACQUIRE_FAILED,
    NVTX_SYNC_ACQUIRE_SUCCESS,
    NVTX_SYNC_RELEASING,
    NVTX_SYNC_COUNT,
};

#define NVTX_OPENCL_COUNT 15

/* What nvtxRangePush and nvtxRangePop return when something is wrong. */
#define NVTX_ERROR (-1)

enum nvtx_message_type {
    NVTX_MESSAGE_NONE = 0,
    NVTX_MESSAGE_ASCII = 1,
    NVTX_MESSAGE_UNICODE = 2, /* wchar_t */
    NVTX_MESSAGE_REGISTERED = 3,
};

enum nvtx_payload_type {
    NVTX_PAYLOAD_NONE = 0,
    NVTX_PAYLOAD_UINT64 = 1,
    NVTX_PAYLOAD_INT64 = 2,
    NVTX_PAYLOAD_DOUBLE = 3,
    NVTX_PAYLOAD_UINT32 = 4,
    NVTX_PAYLOAD_INT32 = 5,
    NVTX_PAYLOAD_FLOAT = 6,
};
/* An array of struct nvtx_blob is attached; their number is in payload_count. */
#define NVTX_PAYLOAD_EXTENDED ((int32_t)0xDFBD0009)

#define NVTX_COLOR_ARGB 1

union nvtx_message {
    const char *ascii;
    const wchar_t *unicode;
    void *registered;
};

union nvtx_payload {
    uint64_t uint64;
    int64_t int64;
    double real64;
    uint32_t uint32;
    int32_t int32;
    float real32;
    const void *blobs;
};

/* nvtxEventAttributes_t. A field is there iff `size` covers it. */
struct nvtx_attributes {
    uint16_t version;
    uint16_t size; /* bytes */
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type;
    int32_t payload_count; /* of extended payloads */
    union nvtx_payload payload;
    int32_t message_type;
    union nvtx_message message;
};
PROF_STATIC_ASSERT(sizeof(struct nvtx_attributes) == 48, "layout");

/* nvtxResourceAttributes_t. */
struct nvtx_resource_attributes {
    uint16_t version;
    uint16_t size;
    int32_t type; /* class << 16 | index */
    uint64_t identifier;
    int32_t message_type;
    union nvtx_message message;
};
PROF_STATIC_ASSERT(sizeof(struct nvtx_resource_attributes) == 32, "layout");

#define NVTX_RESOURCE_TYPE(class, index) ((uint32_t)(class) << 16 | (uint32_t)(index))
#define NVTX_RESOURCE_THREAD_NATIVE NVTX_RESOURCE_TYPE(1, 3)
#define NVTX_RESOURCE_CUDA_DEVICE NVTX_RESOURCE_TYPE(4, 1)
#define NVTX_RESOURCE_CUDA_CONTEXT NVTX_RESOURCE_TYPE(4, 2)
#define NVTX_RESOURCE_CUDA_STREAM NVTX_RESOURCE_TYPE(4, 3)
#define NVTX_RESOURCE_CUDA_EVENT NVTX_RESOURCE_TYPE(4, 4)
#define NVTX_RESOURCE_CUDART_DEVICE NVTX_RESOURCE_TYPE(5, 0)
#define NVTX_RESOURCE_CUDART_STREAM NVTX_RESOURCE_TYPE(5, 1)
#define NVTX_RESOURCE_CUDART_EVENT NVTX_RESOURCE_TYPE(5, 2)

#endif
