/* Compares abi.h and abi_calls.h with the toolkit's headers, at compile time; abi_check_records.c
 * compares what the newest CUPTI has.
 * Compiled where they are found; no part of libprof.so. Older toolkits lack some of the calls
 * and the newest record names, so only 13.0 and later are compared: what moved between versions
 * is in no table. */
#include "abi.h"
#include "abi_calls.h"
#include "abi_memory.h"

#include "prof/format.h"

#include <cupti.h>

#if CUPTI_API_VERSION >= 130000
#include <cuda.h>
#include <cuda_runtime_api.h>

#define SAME(ours, theirs) _Static_assert((long)(ours) == (long)(theirs), #ours " is " #theirs)

/* Values. */
SAME(ABI_MAX_LIMIT_REACHED, CUPTI_ERROR_MAX_LIMIT_REACHED);
SAME(ABI_NOT_COMPATIBLE, CUPTI_ERROR_NOT_COMPATIBLE);
SAME(ABI_NOT_INITIALIZED, CUPTI_ERROR_NOT_INITIALIZED);
SAME(ABI_INVALID_KIND, CUPTI_ERROR_INVALID_KIND);
SAME(ABI_NOT_SUPPORTED, CUPTI_ERROR_NOT_SUPPORTED);
SAME(ABI_VIRTUALIZED_DEVICE, CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED);
SAME(ABI_INSUFFICIENT_PRIVILEGES, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
SAME(ABI_OLD_PROFILER_API, CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED);
SAME(ABI_LEGACY_PROFILER, CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED);
SAME(ABI_MULTIPLE_SUBSCRIBERS, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
SAME(ABI_VIRTUALIZED_PRIVILEGES, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
SAME(ABI_CONFIDENTIAL_COMPUTING, CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED);
SAME(ABI_CMP_DEVICE, CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED);
SAME(ABI_MIG_DEVICE, CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED);
SAME(ABI_SLI_DEVICE, CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED);
SAME(ABI_WSL_DEVICE, CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED);
SAME(ABI_UNKNOWN, CUPTI_ERROR_UNKNOWN);
SAME(ABI_NO_DEVICE, CUDA_ERROR_NO_DEVICE);

SAME(ABI_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY);
SAME(ABI_KIND_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET);
SAME(ABI_KIND_KERNEL, CUPTI_ACTIVITY_KIND_KERNEL);
SAME(ABI_KIND_DEVICE, CUPTI_ACTIVITY_KIND_DEVICE);
SAME(ABI_KIND_CONTEXT, CUPTI_ACTIVITY_KIND_CONTEXT);
SAME(ABI_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME(ABI_KIND_OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD);
SAME(ABI_KIND_PEER_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2);
SAME(ABI_KIND_STREAM, CUPTI_ACTIVITY_KIND_STREAM);
SAME(ABI_KIND_CUDA_EVENT, CUPTI_ACTIVITY_KIND_CUDA_EVENT);
SAME(ABI_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
SAME(ABI_KIND_UNIFIED_MEMORY, CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
SAME(ABI_KIND_MEMORY, CUPTI_ACTIVITY_KIND_MEMORY2);
SAME(ABI_KIND_MEMORY_POOL, CUPTI_ACTIVITY_KIND_MEMORY_POOL);
SAME(ABI_KIND_GRAPH_TRACE, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
_Static_assert((long)ABI_KIND_COUNT >= (long)CUPTI_ACTIVITY_KIND_COUNT, "every kind has a place");

SAME(ABI_ATTRIBUTE_ZEROED_OUT_BUFFER, CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER);
SAME(ABI_ATTRIBUTE_PER_THREAD_BUFFER, CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER);
SAME(ABI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
SAME(ABI_BUFFER_ALIGNMENT, ACTIVITY_RECORD_ALIGNMENT);

SAME(ABI_DOMAIN_DRIVER, CUPTI_CB_DOMAIN_DRIVER_API);
SAME(ABI_DOMAIN_RUNTIME, CUPTI_CB_DOMAIN_RUNTIME_API);
SAME(ABI_DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_RESOURCE);
SAME(ABI_DOMAIN_STATE, CUPTI_CB_DOMAIN_STATE);
SAME(ABI_SITE_ENTER, CUPTI_API_ENTER);
SAME(ABI_SITE_EXIT, CUPTI_API_EXIT);
SAME(ABI_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
SAME(ABI_RESOURCE_CONTEXT_DESTROY_STARTING, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
SAME(ABI_RESOURCE_INIT_FINISHED, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED);
SAME(ABI_RESOURCE_GRAPH_NODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
SAME(ABI_RESOURCE_GRAPH_NODE_DESTROY_STARTING, CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING);
SAME(ABI_RESOURCE_GRAPH_EXEC_CREATE_STARTING, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING);
SAME(ABI_RESOURCE_GRAPH_EXEC_CREATED, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED);
SAME(ABI_RESOURCE_GRAPH_EXEC_DESTROY_STARTING, CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING);
SAME(ABI_RESOURCE_GRAPH_NODE_CLONED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
SAME(ABI_RESOURCE_GRAPH_NODE_UPDATED, CUPTI_CBID_RESOURCE_GRAPH_NODE_UPDATED);
SAME(ABI_CBID_RUNTIME_SWITCH_NODE, CUPTI_RUNTIME_TRACE_CBID_cudaGraphNodeSetEnabled_v11060);
SAME(PROF_GRAPH_KERNEL, CU_GRAPH_NODE_TYPE_KERNEL);
SAME(PROF_GRAPH_MEMCPY, CU_GRAPH_NODE_TYPE_MEMCPY);
SAME(PROF_GRAPH_MEMSET, CU_GRAPH_NODE_TYPE_MEMSET);
SAME(PROF_GRAPH_HOST, CU_GRAPH_NODE_TYPE_HOST);
SAME(PROF_GRAPH_CHILD, CU_GRAPH_NODE_TYPE_GRAPH);
SAME(PROF_GRAPH_EMPTY, CU_GRAPH_NODE_TYPE_EMPTY);
SAME(PROF_GRAPH_CONDITIONAL, CU_GRAPH_NODE_TYPE_CONDITIONAL);

SAME(ABI_CUDA_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
SAME(ABI_CUDA_EVENT_DEFAULT, CU_EVENT_DEFAULT);
SAME(ABI_CUDA_CAPTURE_MODE_RELAXED, CU_STREAM_CAPTURE_MODE_RELAXED);
SAME(ABI_CUDA_CAPTURE_NONE, CU_STREAM_CAPTURE_STATUS_NONE);
SAME(ABI_CUDA_DEINITIALIZED, CUDA_ERROR_DEINITIALIZED);
SAME(ABI_CUDA_NOT_READY, CUDA_ERROR_NOT_READY);
SAME(ABI_CUDA_STREAM_LEGACY, (size_t)CU_STREAM_LEGACY);
SAME(ABI_CUDA_STREAM_PER_THREAD, (size_t)CU_STREAM_PER_THREAD);
SAME(ABI_CUDA_ATTRIBUTE_MULTIPROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(ABI_CUDA_ATTRIBUTE_COMPUTE_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(ABI_CUDA_ATTRIBUTE_COMPUTE_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(ABI_COPY_HTOD, cudaMemcpyHostToDevice);
SAME(ABI_COPY_DTOD, cudaMemcpyDeviceToDevice);

/* Structures that are passed to and fro. */
#define SAME_FIELD(ours, our_field, theirs, their_field)                                     \
    _Static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field) &&             \
                       sizeof(((ours *)0)->our_field) == sizeof(((theirs *)0)->their_field), \
                   #theirs "." #their_field)
SAME_FIELD(struct abi_call_data, site, CUpti_CallbackData, callbackSite);
SAME_FIELD(struct abi_call_data, function_name, CUpti_CallbackData, functionName);
SAME_FIELD(struct abi_call_data, parameters, CUpti_CallbackData, functionParams);
SAME_FIELD(struct abi_call_data, result, CUpti_CallbackData, functionReturnValue);
SAME_FIELD(struct abi_call_data, symbol, CUpti_CallbackData, symbolName);
SAME_FIELD(struct abi_call_data, context, CUpti_CallbackData, context);
SAME_FIELD(struct abi_call_data, context_uid, CUpti_CallbackData, contextUid);
SAME_FIELD(struct abi_call_data, correlation_data, CUpti_CallbackData, correlationData);
SAME_FIELD(struct abi_call_data, correlation, CUpti_CallbackData, correlationId);
SAME_FIELD(struct abi_resource_data, context, CUpti_ResourceData, context);
SAME_FIELD(struct abi_resource_data, handle, CUpti_ResourceData, resourceHandle);
SAME_FIELD(struct abi_resource_data, descriptor, CUpti_ResourceData, resourceDescriptor);
SAME_FIELD(struct abi_graph_data, graph, CUpti_GraphData, graph);
SAME_FIELD(struct abi_graph_data, original_graph, CUpti_GraphData, originalGraph);
SAME_FIELD(struct abi_graph_data, node, CUpti_GraphData, node);
SAME_FIELD(struct abi_graph_data, original_node, CUpti_GraphData, originalNode);
SAME_FIELD(struct abi_graph_data, node_type, CUpti_GraphData, nodeType);
SAME_FIELD(struct abi_graph_data, dependency, CUpti_GraphData, dependency);
SAME_FIELD(struct abi_graph_data, exec, CUpti_GraphData, graphExec);
SAME_FIELD(struct abi_subscriber_params, struct_bytes, CUpti_SubscriberParams, structSize);
SAME_FIELD(struct abi_subscriber_params, name, CUpti_SubscriberParams, subscriberName);
SAME_FIELD(struct abi_subscriber_params, old_name, CUpti_SubscriberParams, oldSubscriberName);
SAME_FIELD(struct abi_subscriber_params, old_name_bytes, CUpti_SubscriberParams, oldSubscriberSize);
#if CUPTI_API_VERSION < 130200
SAME(ABI_SUBSCRIBER_PARAMS_BYTES_13_0, sizeof(CUpti_SubscriberParams));
#endif
SAME(offsetof(cudaLaunchConfig_t, stream), ABI_CONFIG_STREAM);
SAME(offsetof(CUlaunchConfig, hStream), ABI_CONFIG_STREAM);

/* Memory. */
SAME(PROF_MEMORY_ALLOCATE, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION);
SAME(PROF_MEMORY_RELEASE, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE);
SAME(ABI_MEMORY_KIND_UNKNOWN, CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN);
SAME(ABI_MEMORY_KIND_PINNED, CUPTI_ACTIVITY_MEMORY_KIND_PINNED);
SAME(ABI_MEMORY_KIND_DEVICE, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
SAME(ABI_MEMORY_KIND_MANAGED, CUPTI_ACTIVITY_MEMORY_KIND_MANAGED);
SAME(ABI_POOL_TYPE_IMPORTED, CUPTI_ACTIVITY_MEMORY_POOL_TYPE_IMPORTED);
SAME(ABI_NO_CONTEXT, CUPTI_INVALID_CONTEXT_ID);
SAME(ABI_NO_STREAM, CUPTI_INVALID_STREAM_ID);
#define SAME_COUNTER(ours, theirs) SAME(ours, CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_##theirs)
SAME_COUNTER(ABI_UNIFIED_HTOD, KIND_BYTES_TRANSFER_HTOD);
SAME_COUNTER(ABI_UNIFIED_DTOH, KIND_BYTES_TRANSFER_DTOH);
SAME_COUNTER(ABI_UNIFIED_CPU_FAULT, KIND_CPU_PAGE_FAULT_COUNT);
SAME_COUNTER(ABI_UNIFIED_GPU_FAULT, KIND_GPU_PAGE_FAULT);
SAME_COUNTER(ABI_UNIFIED_THRASHING, KIND_THRASHING);
SAME_COUNTER(ABI_UNIFIED_THROTTLING, KIND_THROTTLING);
SAME_COUNTER(ABI_UNIFIED_REMOTE_MAP, KIND_REMOTE_MAP);
SAME_COUNTER(ABI_UNIFIED_DTOD, KIND_BYTES_TRANSFER_DTOD);
SAME_COUNTER(ABI_UNIFIED_ALL_DEVICES, SCOPE_PROCESS_ALL_DEVICES);
SAME_FIELD(struct abi_unified_config, scope, CUpti_ActivityUnifiedMemoryCounterConfig, scope);
SAME_FIELD(struct abi_unified_config, kind, CUpti_ActivityUnifiedMemoryCounterConfig, kind);
SAME_FIELD(struct abi_unified_config, device, CUpti_ActivityUnifiedMemoryCounterConfig, deviceId);
SAME_FIELD(struct abi_unified_config, enable, CUpti_ActivityUnifiedMemoryCounterConfig, enable);
/* Calls: each becomes a function in which P is the call's struct of parameters. */
#define STREAM(field, at) sizeof(char[offsetof(P, field) == (at) ? 1 : -1])
#define KIND(field, at) \
    sizeof(char[offsetof(P, field) == (at) && sizeof(((P *)0)->field) == 4 ? 1 : -1])
#define BYTES(field, at) \
    sizeof(char[offsetof(P, field) == (at) && sizeof(((P *)0)->field) == 8 ? 1 : -1])
#define ELEMENTS(field, at, shift) BYTES(field, at)
#define PER_THREAD 1
#define CHECK_CALL(function, parameters, theirs, cbid, ...) \
    __attribute__((unused)) static size_t function(void)    \
    {                                                       \
        typedef parameters P;                               \
        SAME(cbid, theirs);                                 \
        const size_t checks[] = {sizeof(P), __VA_ARGS__};   \
        return checks[0];                                   \
    }
/* Names are pasted at once: cuda.h defines some of them as macros. */
#define CHECK_RUNTIME(cbid, name, what, ...) \
    CHECK_CALL(check_##name, name##_params, CUPTI_RUNTIME_TRACE_CBID_##name, cbid, __VA_ARGS__)
#define CHECK_DRIVER(cbid, name, what, ...) \
    CHECK_CALL(check_##name, name##_params, CUPTI_DRIVER_TRACE_CBID_##name, cbid, __VA_ARGS__)
#define CHECK_RUNTIME_BARE(cbid, name, what, ...) SAME(cbid, CUPTI_RUNTIME_TRACE_CBID_##name);
#define CHECK_DRIVER_BARE(cbid, name, what, ...) SAME(cbid, CUPTI_DRIVER_TRACE_CBID_##name);
SAME(ABI_CBID_RUNTIME_PROFILER_START, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000);
SAME(ABI_CBID_RUNTIME_PROFILER_STOP, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000);
SAME(ABI_CBID_DRIVER_PROFILER_START, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
SAME(ABI_CBID_DRIVER_PROFILER_STOP, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop);
ABI_RUNTIME_CALLS(CHECK_RUNTIME, CHECK_RUNTIME_BARE)
ABI_DRIVER_CALLS(CHECK_DRIVER, CHECK_DRIVER_BARE)

#define GIVES(field, at) BYTES(field, at)
#define BOX(field, at) BYTES(field, at)
#define TAKES(field, at) BYTES(field, at)
#define PITCH(field, at) BYTES(field, at)
#define ROWS(field, at) BYTES(field, at)
#define DEPTH(field, at) BYTES(field, at)
#define CHECK_RUNTIME_MEMORY(cbid, name, memory, flags, ...)                                     \
    CHECK_CALL(check_memory_##name, name##_params, CUPTI_RUNTIME_TRACE_CBID_##name, cbid, flags, \
               __VA_ARGS__)
#define CHECK_DRIVER_MEMORY(cbid, name, memory, flags, ...)                                     \
    CHECK_CALL(check_memory_##name, name##_params, CUPTI_DRIVER_TRACE_CBID_##name, cbid, flags, \
               __VA_ARGS__)
ABI_RUNTIME_MEMORY_CALLS(CHECK_RUNTIME_MEMORY)
ABI_DRIVER_MEMORY_CALLS(CHECK_DRIVER_MEMORY)
SAME(offsetof(struct cudaPitchedPtr, ptr), 0);
SAME(offsetof(struct cudaPitchedPtr, pitch), 8);
_Static_assert(ABI_CBID_COUNT >= CUPTI_RUNTIME_TRACE_CBID_SIZE &&
                   ABI_CBID_COUNT >= CUPTI_DRIVER_TRACE_CBID_SIZE,
               "every cbid has a place");
#endif
