/* abi.h - CUPTI 11.0 to 13.x: constants, callback data, function signatures.
 *
 * libprof is built without NVIDIA's headers and runs with whatever libcupti the program has.
 * What it must know of the interface is stated here, in our words: numbers that never changed
 * from CUDA 11.0 to 13.x (enums are append-only, measured over five toolkits). abi_records.h has
 * the activity records, abi_calls.h the CUDA calls. abi_check.c compares all three with the
 * toolkit's headers where a build finds them.
 */
#ifndef PROF_ABI_H
#define PROF_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Results libprof reacts to. All functions return one of these as an int. */
enum abi_result {
    ABI_OK = 0,
    ABI_MAX_LIMIT_REACHED = 12, /* also: no more records in the buffer */
    ABI_NOT_COMPATIBLE = 14,
    ABI_NOT_INITIALIZED = 15, /* no usable driver, or libcupti newer than the driver */
    ABI_INVALID_KIND = 21,
    ABI_NOT_SUPPORTED = 27,
    ABI_VIRTUALIZED_DEVICE = 33,
    ABI_INSUFFICIENT_PRIVILEGES = 35,
    ABI_OLD_PROFILER_API = 36,
    ABI_LEGACY_PROFILER = 38,
    ABI_MULTIPLE_SUBSCRIBERS = 39, /* another tool holds CUPTI */
    ABI_VIRTUALIZED_PRIVILEGES = 40,
    ABI_CONFIDENTIAL_COMPUTING = 41,
    ABI_CMP_DEVICE = 42,
    ABI_MIG_DEVICE = 43,
    ABI_SLI_DEVICE = 44,
    ABI_WSL_DEVICE = 45,
    ABI_NO_DEVICE = 100, /* CUDA's own, passed through */
    ABI_UNKNOWN = 999,   /* what 13.x says when there is no driver */
};

/* What cuptiGetVersion() returned where libprof's behaviour depends on it. Before 13.0 the
 * number does not identify a toolkit: 14 is 11.1-11.4, 16 is 11.5-11.6, 18 is 11.8-12.1. Record
 * layouts come from oracle.h. */
enum abi_version {
    ABI_VERSION_11_0 = 13,
    ABI_VERSION_12_3 = 21,
    ABI_VERSION_12_8 = 26,
    ABI_VERSION_13_0 = 130000, /* xxyyzz from here on */
    ABI_VERSION_13_0_U1 = 130001,
    ABI_VERSION_13_2 = 130200,
    ABI_VERSION_13_3 = 130300,
    ABI_VERSION_13_4 = 130400,
};

/* The driver that lets several subscribers in: that of CUDA 13.3, r610. */
#define ABI_DRIVER_MULTIPLE_SUBSCRIBERS 13030

/* Activity kinds. */
enum abi_kind {
    ABI_KIND_MEMCPY = 1,
    ABI_KIND_MEMSET = 2,
    ABI_KIND_KERNEL = 3, /* serialises kernels: never enabled, decoded all the same */
    ABI_KIND_DRIVER = 4,
    ABI_KIND_RUNTIME = 5,
    ABI_KIND_DEVICE = 8,
    ABI_KIND_CONTEXT = 9,
    ABI_KIND_CONCURRENT_KERNEL = 10,
    ABI_KIND_OVERHEAD = 17,
    ABI_KIND_PEER_MEMCPY = 22,
    ABI_KIND_UNIFIED_MEMORY = 25,
    ABI_KIND_CUDA_EVENT = 36,
    ABI_KIND_STREAM = 37,
    ABI_KIND_SYNCHRONIZATION = 38,
    ABI_KIND_EXTERNAL_CORRELATION = 39,
    ABI_KIND_MEMORY = 49, /* CUPTI calls it MEMORY2 */
    ABI_KIND_MEMORY_POOL = 50,
    ABI_KIND_GRAPH_TRACE = 51, /* 11.7+, driver 515+ */
    ABI_KIND_COUNT = 64,       /* above every kind up to 13.4 */
};

enum abi_attribute {
    ABI_ATTRIBUTE_ZEROED_OUT_BUFFER =
        5, /* u8: buffers come zeroed, CUPTI need not do it in the program's thread */
    ABI_ATTRIBUTE_PER_THREAD_BUFFER = 9, /* u8, 12.3+: one buffer per producing thread */
    ABI_ATTRIBUTE_HARDWARE_TRACE = 13,   /* u8, v2 API; of all subscribers, before any kind */
    ABI_ATTRIBUTE_LATENCY = 15,          /* u8, v2 API; of the subscriber */
    /* u8, v2 API; of all subscribers: whole graphs in place of nodes. Before any kind, and for
     * good: what the first one said stays, also after it has gone. */
    ABI_ATTRIBUTE_GRAPH_TRACE = 20,
};

enum abi_flush { ABI_FLUSH_COMPLETED = 0, ABI_FLUSH_FORCED = 1 };

#define ABI_BUFFER_ALIGNMENT 8u

/* Callback domains and sites. */
enum abi_domain {
    ABI_DOMAIN_DRIVER = 1,
    ABI_DOMAIN_RUNTIME = 2,
    ABI_DOMAIN_RESOURCE = 3,
    ABI_DOMAIN_STATE = 6
};
enum abi_site { ABI_SITE_ENTER = 0, ABI_SITE_EXIT = 1 };
/* The calls that the program makes to its profilers; not followed as calls. */
enum abi_profiler_cbid {
    ABI_CBID_RUNTIME_PROFILER_START = 171,
    ABI_CBID_RUNTIME_PROFILER_STOP = 172,
    ABI_CBID_DRIVER_PROFILER_START = 308,
    ABI_CBID_DRIVER_PROFILER_STOP = 309,
};
/* Switches a node of a graph on or off: since CUDA 11.6. */
#define ABI_CBID_RUNTIME_SWITCH_NODE 426u
#define ABI_SWITCH_NODE_VERSION 11060

enum abi_resource_cbid {
    ABI_RESOURCE_CONTEXT_CREATED = 1,
    ABI_RESOURCE_CONTEXT_DESTROY_STARTING = 2,
    ABI_RESOURCE_INIT_FINISHED = 5,
    ABI_RESOURCE_GRAPH_NODE_CREATED = 13,
    ABI_RESOURCE_GRAPH_NODE_DESTROY_STARTING = 14,
    ABI_RESOURCE_GRAPH_EXEC_CREATE_STARTING = 17,
    ABI_RESOURCE_GRAPH_EXEC_CREATED = 18,
    ABI_RESOURCE_GRAPH_EXEC_DESTROY_STARTING = 19,
    ABI_RESOURCE_GRAPH_NODE_CLONED = 20,
    ABI_RESOURCE_GRAPH_NODE_UPDATED = 22, /* 13.0+ */
};

/* What a callback of the RUNTIME and DRIVER domains is given: 72 bytes in all versions. */
struct abi_call_data {
    uint32_t site;              /*  0 enum abi_site */
    const char *function_name;  /*  8 */
    const void *parameters;     /* 16 the call's arguments, as a struct in their order */
    const void *result;         /* 24 the call's 32-bit result; valid at exit */
    const char *symbol;         /* 32 kernel's mangled name; valid for launches only */
    void *context;              /* 40 CUcontext, may be NULL */
    uint32_t context_uid;       /* 48 */
    uint64_t *correlation_data; /* 56 kept from enter to exit */
    uint32_t correlation;       /* 64 */
};

/* What a callback of the RESOURCE domain is given. */
struct abi_resource_data {
    void *context;    /*  0 */
    void *handle;     /*  8 stream, or unused */
    void *descriptor; /* 16 */
};

/* The descriptor of abi_resource_data in callbacks about graphs. */
struct abi_graph_data {
    void *graph;          /*  0 */
    void *original_graph; /*  8 the graph it was cloned from */
    void *node;           /* 16 */
    void *original_node;  /* 24 */
    uint32_t node_type;   /* 32 CUgraphNodeType */
    void *dependency;     /* 40 */
    void *exec;           /* 48 */
};

/* Parameter of cuptiSubscribe_v2; versions look at struct_bytes, as it grows at the end. */
struct abi_subscriber_params {
    size_t struct_bytes; /*  0 */
    const char *name;    /*  8 at most 53 characters are kept */
    char *old_name;      /* 16 out: who holds CUPTI, when the answer is ABI_MULTIPLE_SUBSCRIBERS */
    size_t old_name_bytes; /* 24 at least 64 */
    uint8_t allow_others;  /* 32 from 13.2 on: 1 = other subscribers may come, or have come */
    uint8_t padding[7];
};
#define ABI_SUBSCRIBER_PARAMS_BYTES_13_0 32u
#define ABI_OLD_SUBSCRIBER_BYTES 128u

typedef void (*abi_callback)(void *user, uint32_t domain, uint32_t cbid, const void *data);
typedef void (*abi_buffer_requested)(uint8_t **buffer, size_t *bytes, size_t *max_records);
typedef void (*abi_buffer_completed)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
                                     size_t valid_bytes);
typedef uint64_t (*abi_timestamp)(void);
/* The v2 API's. `info` describes selected fields; libprof selects none. */
typedef void (*abi_buffer_requested_v2)(uint8_t **buffer, size_t *bytes, size_t *max_records,
                                        const void *info);
typedef void (*abi_buffer_completed_v2)(uint8_t *buffer, size_t bytes, size_t valid_bytes,
                                        const void *info);

struct abi_unified_config; /* abi_memory.h */

/* F(need, name, arguments) of every function used of libcupti / libcuda; all return int. */
/* clang-format off */
#define ABI_CUPTI_FUNCTIONS(F)                                                                     \
    F(REQUIRED, cuptiGetVersion, (uint32_t *version))                                             \
    F(REQUIRED, cuptiSubscribe, (void **subscriber, abi_callback callback, void *user))            \
    F(REQUIRED, cuptiUnsubscribe, (void *subscriber))                                              \
    F(REQUIRED, cuptiEnableCallback,                                                               \
      (uint32_t on, void *subscriber, uint32_t domain, uint32_t cbid))                             \
    F(REQUIRED, cuptiActivityEnable, (uint32_t kind))                                              \
    F(OPTIONAL, cuptiActivityEnableAndDump, (uint32_t kind))                                       \
    F(REQUIRED, cuptiActivityDisable, (uint32_t kind))                                             \
    F(REQUIRED, cuptiActivityRegisterCallbacks,                                                    \
      (abi_buffer_requested requested, abi_buffer_completed completed))                            \
    F(REQUIRED, cuptiActivityGetNextRecord, (uint8_t *buffer, size_t valid_bytes, void **record)) \
    F(REQUIRED, cuptiActivityGetNumDroppedRecords,                                                 \
      (void *context, uint32_t stream, size_t *dropped))                                           \
    F(REQUIRED, cuptiActivityFlushAll, (uint32_t flags))                                           \
    F(OPTIONAL, cuptiActivityRegisterTimestampCallback, (abi_timestamp now))                       \
    F(OPTIONAL, cuptiActivitySetAttribute, (uint32_t attribute, size_t *bytes, void *value))      \
    F(OPTIONAL, cuptiActivityConfigureUnifiedMemoryCounter,                                        \
      (struct abi_unified_config *configs, uint32_t count))                                        \
    F(OPTIONAL, cuptiGetCallbackName, (uint32_t domain, uint32_t cbid, const char **name))         \
    F(OPTIONAL, cuptiGetGraphId, (void *graph, uint32_t *id))                                      \
    F(OPTIONAL, cuptiGetGraphExecId, (void *exec, uint32_t *id))                                   \
    F(OPTIONAL, cuptiGetGraphNodeId, (void *node, uint64_t *id))                                   \
    F(OPTIONAL, cuptiGetResultString, (uint32_t result, const char **text))                        \
    F(OPTIONAL, cuptiSubscribe_v2,                                                                 \
      (void **subscriber, abi_callback callback, void *user,                                       \
       struct abi_subscriber_params *params))                                                      \
    F(OPTIONAL, cuptiActivityEnable_v2, (void *subscriber, uint32_t kind, const void *config))     \
    F(OPTIONAL, cuptiActivityDisable_v2, (void *subscriber, uint32_t kind, const void *config))    \
    F(OPTIONAL, cuptiActivityRegisterCallbacks_v2,                                                 \
      (void *subscriber, abi_buffer_requested_v2 requested, abi_buffer_completed_v2 completed))    \
    F(OPTIONAL, cuptiActivityGetNextRecord_v2,                                                     \
      (void *subscriber, uint8_t *buffer, size_t valid_bytes, void **record))                      \
    F(OPTIONAL, cuptiActivityGetNumDroppedRecords_v2,                                              \
      (void *subscriber, void *context, uint32_t stream, size_t *dropped))                         \
    F(OPTIONAL, cuptiActivitySetAttribute_v2,                                                      \
      (void *subscriber, uint32_t attribute, size_t *bytes, void *value))                          \
    F(OPTIONAL, cuptiGetTimestamp_v2, (void *subscriber, uint64_t *time_ns))                       \
    F(OPTIONAL, cuptiActivityGetStructSize, (uint32_t kind, uint32_t version, size_t *bytes))      \
    F(OPTIONAL, cuptiActivityEnableLatencyTimestamps, (uint8_t on))                                \
    F(OPTIONAL, cuptiActivityEnableHWTrace, (uint8_t on))

#define ABI_DRIVER_FUNCTIONS(F)                                       \
    F(REQUIRED, cuDriverGetVersion, (int *version))                   \
    F(OPTIONAL, cuDeviceGetCount, (int *count))                       \
    F(OPTIONAL, cuDeviceGet, (int *device, int ordinal))              \
    F(OPTIONAL, cuDeviceGetUuid, (uint8_t uuid[16], int device))      \
    F(OPTIONAL, cuDeviceGetName, (char *name, int bytes, int device)) \
    F(OPTIONAL, cuCtxGetCurrent, (void **context))                    \
    F(OPTIONAL, cuCtxGetDevice, (int *device))                        \
    F(OPTIONAL, cuCtxGetId, (void *context, unsigned long long *id))  \
    F(OPTIONAL, cuCtxPushCurrent_v2, (void *context))                 \
    F(OPTIONAL, cuCtxPopCurrent_v2, (void **context))                 \
    F(OPTIONAL, cuDeviceTotalMem_v2, (size_t *bytes, int device))     \
    F(OPTIONAL, cuDeviceGetAttribute, (int *value, int attribute, int device)) \
    F(OPTIONAL, cuThreadExchangeStreamCaptureMode, (int *mode))       \
    F(OPTIONAL, cuStreamIsCapturing, (void *stream, int *status))     \
    F(OPTIONAL, cuStreamCreate, (void **stream, unsigned flags))      \
    F(OPTIONAL, cuEventCreate, (void **event, unsigned flags))        \
    F(OPTIONAL, cuEventRecord, (void *event, void *stream))           \
    F(OPTIONAL, cuEventQuery, (void *event))                          \
    F(OPTIONAL, cuEventElapsedTime, (float *ms, void *start, void *end)) \
    F(OPTIONAL, cuMemAlloc_v2, (uint64_t *address, size_t bytes))    \
    F(OPTIONAL, cuMemsetD32Async, (uint64_t address, unsigned value, size_t count, void *stream))
/* clang-format on */

/* CUdevice_attribute, with the unit where it is not a number of things. */
enum abi_cuda_attribute {
    ABI_CUDA_ATTRIBUTE_THREADS_PER_BLOCK = 1,
    ABI_CUDA_ATTRIBUTE_SHARED_PER_BLOCK = 8, /* bytes */
    ABI_CUDA_ATTRIBUTE_WARP = 10,
    ABI_CUDA_ATTRIBUTE_REGISTERS_PER_BLOCK = 12,
    ABI_CUDA_ATTRIBUTE_CLOCK_KHZ = 13,
    ABI_CUDA_ATTRIBUTE_MULTIPROCESSORS = 16,
    ABI_CUDA_ATTRIBUTE_MEMORY_CLOCK_KHZ = 36,
    ABI_CUDA_ATTRIBUTE_BUS_BITS = 37,
    ABI_CUDA_ATTRIBUTE_L2_BYTES = 38,
    ABI_CUDA_ATTRIBUTE_THREADS_PER_SM = 39,
    ABI_CUDA_ATTRIBUTE_COMPUTE_MAJOR = 75,
    ABI_CUDA_ATTRIBUTE_COMPUTE_MINOR = 76,
    ABI_CUDA_ATTRIBUTE_SHARED_PER_SM = 81, /* bytes */
    ABI_CUDA_ATTRIBUTE_REGISTERS_PER_SM = 82,
    ABI_CUDA_ATTRIBUTE_BLOCKS_PER_SM = 106,
};

enum abi_cuda {
    ABI_CUDA_STREAM_NON_BLOCKING = 1,
    ABI_CUDA_EVENT_DEFAULT = 0,
    ABI_CUDA_CAPTURE_MODE_RELAXED = 2,
    ABI_CUDA_CAPTURE_NONE = 0,
    ABI_CUDA_STREAM_LEGACY = 1,
    ABI_CUDA_STREAM_PER_THREAD = 2,
    ABI_CUDA_DEINITIALIZED = 4,
    ABI_CUDA_NOT_READY = 600,
};

#endif
