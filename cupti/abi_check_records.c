/* abi_check_records.c - compares abi_records.h and the v2 API in abi.h with CUPTI's headers, at
 * compile time. Needs CUPTI 13.0 or later, possibly newer than the toolkit. Not part of
 * libprof.so.
 */
#include "abi.h"
#include "abi_memory.h"
#include "abi_records.h"

#include <cupti_version.h>

#if CUPTI_API_VERSION >= 130000
#include <cupti_activity.h>
#include <cupti_callbacks.h>

/* What each version emits. */
#if CUPTI_API_VERSION >= 130400
#define KERNEL_RECORD CUpti_ActivityKernel13
#define MEMCPY_RECORD CUpti_ActivityMemcpy7
#define MEMSET_RECORD CUpti_ActivityMemset5
#else
#define MEMCPY_RECORD CUpti_ActivityMemcpy6
#define MEMSET_RECORD CUpti_ActivityMemset4
#if CUPTI_API_VERSION >= 130300
#define KERNEL_RECORD CUpti_ActivityKernel12
#elif CUPTI_API_VERSION >= 130100
#define KERNEL_RECORD CUpti_ActivityKernel11
#else
#define KERNEL_RECORD CUpti_ActivityKernel10
#endif
#endif
#if CUPTI_API_VERSION >= 130100
#define CONTEXT_RECORD CUpti_ActivityContext4
#else
#define CONTEXT_RECORD CUpti_ActivityContext3
#endif

/* Records. */
#define SAME_RECORD(record, field, at, width)                                                  \
    _Static_assert(offsetof(record, field) == (at) && sizeof(((record *)0)->field) == (width), \
                   #record "." #field);
#define KERNEL_FIELD(name, field, at, width) SAME_RECORD(KERNEL_RECORD, field, at, width)
#define MEMCPY_FIELD(name, field, at, width) SAME_RECORD(MEMCPY_RECORD, field, at, width)
#define PEER_FIELD(name, field, at, width) SAME_RECORD(CUpti_ActivityMemcpyPtoP4, field, at, width)
#define MEMSET_FIELD(name, field, at, width) SAME_RECORD(MEMSET_RECORD, field, at, width)
#define GRAPH_FIELD(name, field, at, width) SAME_RECORD(CUpti_ActivityGraphTrace2, field, at, width)
#define SYNC_FIELD(name, field, at, width) \
    SAME_RECORD(CUpti_ActivitySynchronization2, field, at, width)
#define EVENT_FIELD(name, field, at, width) SAME_RECORD(CUpti_ActivityCudaEvent, field, at, width)
#define OVERHEAD_FIELD(name, field, at, width) \
    SAME_RECORD(CUpti_ActivityOverhead3, field, at, width)
#define CONTEXT_FIELD(name, field, at, width) SAME_RECORD(CONTEXT_RECORD, field, at, width)
#define STREAM_FIELD(name, field, at, width) SAME_RECORD(CUpti_ActivityStream, field, at, width)
ABI_KERNEL_FIELDS(KERNEL_FIELD)
ABI_MEMCPY_FIELDS(MEMCPY_FIELD)
ABI_PEER_FIELDS(PEER_FIELD)
ABI_MEMSET_FIELDS(MEMSET_FIELD)
ABI_SYNC_FIELDS(SYNC_FIELD)
ABI_EVENT_FIELDS(EVENT_FIELD)
ABI_OVERHEAD_FIELDS(OVERHEAD_FIELD)
ABI_CONTEXT_FIELDS(CONTEXT_FIELD)
ABI_GRAPH_FIELDS(GRAPH_FIELD)
ABI_STREAM_FIELDS(STREAM_FIELD)
#define MEMORY_FIELD(name, field, at, width) SAME_RECORD(CUpti_ActivityMemory4, field, at, width)
#define POOL_FIELD(name, field, at, width) SAME_RECORD(CUpti_ActivityMemoryPool3, field, at, width)
#define UNIFIED_FIELD(name, field, at, width) \
    SAME_RECORD(CUpti_ActivityUnifiedMemoryCounter3, field, at, width)
ABI_MEMORY_FIELDS(MEMORY_FIELD)
ABI_POOL_FIELDS(POOL_FIELD)
ABI_UNIFIED_FIELDS(UNIFIED_FIELD)
#if CUPTI_API_VERSION >= 130100
SAME_RECORD(KERNEL_RECORD, priority, ABI_KERNEL_PRIORITY, ABI_KERNEL_PRIORITY_WIDTH)
#endif

/* The v2 API. */
#if CUPTI_API_VERSION >= 130300
#define SAME(ours, theirs) _Static_assert((long)(ours) == (long)(theirs), #ours " is " #theirs)
SAME(ABI_ATTRIBUTE_HARDWARE_TRACE, CUPTI_ACTIVITY_ATTR_ENABLE_HES);
SAME(ABI_ATTRIBUTE_LATENCY, CUPTI_ACTIVITY_ATTR_ENABLE_KERNEL_LATENCY_TIMESTAMPS);
SAME(ABI_ATTRIBUTE_GRAPH_TRACE, CUPTI_ACTIVITY_ATTR_ENABLE_MULTI_SUBSCRIBER_GRAPH_TRACE);
SAME(sizeof(struct abi_subscriber_params), CUpti_SubscriberParams_STRUCT_SIZE);
SAME(offsetof(struct abi_subscriber_params, allow_others),
     offsetof(CUpti_SubscriberParams, allowMultipleSubscribers));

/* Ours take and give the same, but for pointers to what is not looked at. */
#define SAME_CALL(result, name, arguments) \
    __attribute__((unused)) static result check_##name arguments
SAME_CALL(CUptiResult, enable, (CUpti_SubscriberHandle subscriber, uint32_t kind))
{
    return cuptiActivityEnable_v2(subscriber, (CUpti_ActivityKind)kind, NULL);
}
SAME_CALL(CUptiResult, disable, (CUpti_SubscriberHandle subscriber, uint32_t kind))
{
    return cuptiActivityDisable_v2(subscriber, (CUpti_ActivityKind)kind, NULL);
}
SAME_CALL(CUptiResult, next,
          (CUpti_SubscriberHandle subscriber, uint8_t *buffer, size_t bytes, CUpti_Activity **at))
{
    return cuptiActivityGetNextRecord_v2(subscriber, buffer, bytes, at);
}
SAME_CALL(CUptiResult, dropped, (CUpti_SubscriberHandle subscriber, size_t *dropped))
{
    return cuptiActivityGetNumDroppedRecords_v2(subscriber, NULL, (uint32_t)0, dropped);
}
SAME_CALL(CUptiResult, set, (CUpti_SubscriberHandle subscriber, size_t *bytes, void *value))
{
    return cuptiActivitySetAttribute_v2(subscriber, CUPTI_ACTIVITY_ATTR_ENABLE_HES, bytes, value);
}
SAME_CALL(CUptiResult, timestamp, (CUpti_SubscriberHandle subscriber, uint64_t *time_ns))
{
    return cuptiGetTimestamp_v2(subscriber, time_ns);
}
SAME_CALL(CUptiResult, size, (uint32_t kind, size_t *bytes))
{
    return cuptiActivityGetStructSize((CUpti_ActivityKind)kind, (uint32_t)0, bytes);
}
#endif
#endif
