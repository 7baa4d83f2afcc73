/* query_nsys.c - tables with the names and columns that `nsys export --type sqlite` gives them, so
 * that queries for its databases run as they are. write_sqlite() writes the same tables.
 */
#include "nsys_export.h"

#define NSYS(title, sql, getter)                                                 \
    {                                                                            \
        .name = title, .unit = "", .meaning = "", .get = getter, .declared = sql \
    }
#define NSYS_BY_SPAN(title, sql, getter)                                                          \
    {                                                                                             \
        .name = title, .unit = "", .meaning = "", .by_span = true, .get = getter, .declared = sql \
    }
#define NSYS_TIME(title, sql, getter)                                              \
    {                                                                              \
        .name = title, .unit = "ns", .meaning = "", .get = getter, .declared = sql \
    }

/* How the database declares columns. */
#define INT "INTEGER"
#define NOT_NULL "INTEGER NOT NULL"
#define STRING_ID "INTEGER REFERENCES StringIds(id)"
#define STRING_ID_NOT_NULL "INTEGER NOT NULL REFERENCES StringIds(id)"
#define MEMORY_KIND "INTEGER REFERENCES ENUM_CUDA_MEM_KIND(id)"

/* ---- ids ---- */

static int64_t global_tid(const struct query_data *data, uint32_t thread)
{
    if (thread == TL_NONE)
        return QUERY_NULL;
    return data->global_ids.threads[thread];
}

static int64_t or_null(uint64_t value)
{
    return value ? (int64_t)value : QUERY_NULL;
}

static int64_t stream_number(uint32_t stream)
{
    return stream == PROF_SYNC_NO_STREAM ? -1 : (int64_t)stream;
}

/* ---- operations ---- */

/* An id that calls of several processes have is negative: no call has that. */
static int64_t correlation_of(const struct tl_gpu *gpu)
{
    return gpu->flags & TL_GPU_AMBIGUOUS ? -(int64_t)gpu->correlation : (int64_t)gpu->correlation;
}

QUERY_GET(gpu_start, gpus, of->start_ns)
QUERY_GET(gpu_end, gpus, of->end_ns)
QUERY_GET(gpu_device, gpus, of->device == TL_NONE ? -1 : (int64_t)of->device)
QUERY_GET(gpu_correlation, gpus, correlation_of(of))
QUERY_GET(gpu_pid, gpus, data->global_ids.processes[of->process])
QUERY_GET(gpu_bytes, gpus, of->bytes)
QUERY_GET(gpu_name, gpus, of->name)
QUERY_GET(kernel_short_name, gpus, data->short_ids[of->name])
QUERY_GET(kernel_mangled, gpus, query_name(data, KERNEL->name))
QUERY_GET(kernel_context, gpus, KERNEL->context)
QUERY_GET(kernel_stream, gpus, stream_number(KERNEL->stream))
QUERY_GET(kernel_launch_type, gpus, KERNEL->launch_type)
QUERY_GET(kernel_registers, gpus, KERNEL->registers)
QUERY_GET(kernel_grid_x, gpus, KERNEL->grid_x)
QUERY_GET(kernel_grid_y, gpus, KERNEL->grid_y)
QUERY_GET(kernel_grid_z, gpus, KERNEL->grid_z)
QUERY_GET(kernel_block_x, gpus, KERNEL->block_x)
QUERY_GET(kernel_block_y, gpus, KERNEL->block_y)
QUERY_GET(kernel_block_z, gpus, KERNEL->block_z)
QUERY_GET(kernel_static, gpus, KERNEL->static_shared_memory)
QUERY_GET(kernel_dynamic, gpus, KERNEL->dynamic_shared_memory)
QUERY_GET(kernel_local, gpus, KERNEL->local_memory)
QUERY_GET(kernel_executed, gpus, KERNEL->shared_memory_executed)
QUERY_GET(kernel_node, gpus, or_null(KERNEL->graph_node))
QUERY_GET(kernel_graph, gpus, or_null(KERNEL->graph))
QUERY_GET(kernel_queued, gpus, query_since_base(data, KERNEL->queued_ns))
QUERY_GET(kernel_submitted, gpus, query_since_base(data, KERNEL->submitted_ns))
QUERY_GET(set_context, gpus, MEMSET->context)
QUERY_GET(set_stream, gpus, stream_number(MEMSET->stream))
QUERY_GET(set_value, gpus, MEMSET->value)
QUERY_GET(set_node, gpus, or_null(MEMSET->graph_node))
QUERY_GET(set_kind, gpus, nsys_memory_kind(MEMSET->memory_kind))
QUERY_GET(set_graph, gpus, or_null(MEMSET->graph))
QUERY_GET(set_flags, gpus, MEMSET->flags)
QUERY_GET(sync_context, gpus, SYNC->context)
QUERY_GET(sync_stream, gpus, stream_number(SYNC->stream))
QUERY_GET(sync_type, gpus, SYNC->type)
QUERY_GET(sync_event, gpus, SYNC->event)
QUERY_GET(run_context, gpus, GRAPH_RUN->context)
QUERY_GET(run_stream, gpus, stream_number(GRAPH_RUN->stream))
QUERY_GET(run_graph, gpus, GRAPH_RUN->graph)
QUERY_COUNT(gpu_count, gpus)

QUERY_IS_KIND(is_kernel, TL_KERNEL)
QUERY_IS_KIND(is_set, TL_MEMSET)
QUERY_IS_KIND(is_sync, TL_SYNC)
QUERY_IS_KIND(is_run, TL_GRAPH_RUN)

/* clang-format off */
#define PLACE(context, stream) \
    NSYS_TIME("start", NOT_NULL, gpu_start), NSYS_TIME("end", NOT_NULL, gpu_end), \
    NSYS_BY_SPAN("deviceId", NOT_NULL, gpu_device), NSYS("contextId", NOT_NULL, context), \
    NSYS("streamId", NOT_NULL, stream), NSYS("correlationId", INT, gpu_correlation), \
    NSYS_BY_SPAN("globalPid", INT, gpu_pid)
/* clang-format on */

#define NSYS_TABLE(title, says, list, items, which, spans, time)                              \
    {                                                                                         \
        .name = title, .meaning = says, QUERY_COLUMNS(list), .count = items, .is_row = which, \
        .span = spans, .sorted_by = time, .of_nsys = true                                     \
    }

static const struct query_column kernel_columns[] = {
    PLACE(kernel_context, kernel_stream),
    NSYS("demangledName", STRING_ID_NOT_NULL, gpu_name),
    NSYS("shortName", STRING_ID_NOT_NULL, kernel_short_name),
    NSYS("mangledName", STRING_ID, kernel_mangled),
    NSYS("launchType", INT, kernel_launch_type),
    NSYS("cacheConfig", INT, query_null),
    NSYS("registersPerThread", NOT_NULL, kernel_registers),
    NSYS("gridX", NOT_NULL, kernel_grid_x),
    NSYS("gridY", NOT_NULL, kernel_grid_y),
    NSYS("gridZ", NOT_NULL, kernel_grid_z),
    NSYS("blockX", NOT_NULL, kernel_block_x),
    NSYS("blockY", NOT_NULL, kernel_block_y),
    NSYS("blockZ", NOT_NULL, kernel_block_z),
    NSYS("staticSharedMemory", NOT_NULL, kernel_static),
    NSYS("dynamicSharedMemory", NOT_NULL, kernel_dynamic),
    NSYS("localMemoryPerThread", NOT_NULL, kernel_local),
    NSYS("localMemoryTotal", INT, query_null),
    NSYS("gridId", INT, query_null),
    NSYS("sharedMemoryExecuted", INT, kernel_executed),
    NSYS("graphNodeId", INT, kernel_node),
    NSYS("graphId", INT, kernel_graph),
    NSYS_TIME("queued", INT, kernel_queued),
    NSYS_TIME("submitted", INT, kernel_submitted),
};
const struct query_table nsys_kernels =
    NSYS_TABLE("CUPTI_ACTIVITY_KIND_KERNEL", "kernels; names are StringIds.id", kernel_columns,
               gpu_count, is_kernel, query_gpu_span, gpu_start);

/* ---- copies: operations, then managed memory that the driver moved ---- */

static bool is_operation(const struct query_data *data, uint32_t item)
{
    return item < data->timeline->gpus.count;
}

static const struct tl_migration *move_at(const struct query_data *data, uint32_t item)
{
    return &data->timeline->migrations.at[item - data->timeline->gpus.count];
}

/* Of an operation `of`, or of a migration `move`. */
#define COPY_GET(function, of_copy, of_move)                              \
    static int64_t function(const struct query_data *data, uint32_t item) \
    {                                                                     \
        if (is_operation(data, item)) {                                   \
            const struct tl_gpu *of = &data->timeline->gpus.at[item];     \
            (void)of;                                                     \
            return (int64_t)(of_copy);                                    \
        }                                                                 \
        const struct tl_migration *move = move_at(data, item);            \
        (void)move;                                                       \
        return (int64_t)(of_move);                                        \
    }
#define TO_DEVICE (move->kind == 1)

COPY_GET(copy_start, of->start_ns, move->start_ns)
COPY_GET(copy_end, of->end_ns, move->end_ns)
COPY_GET(copy_device, gpu_device(data, item), (int32_t)(TO_DEVICE ? move->target : move->source))
COPY_GET(copy_context, MEMCPY->context, 0)
COPY_GET(copy_stream, stream_number(MEMCPY->stream), -1)
COPY_GET(copy_correlation, correlation_of(of), QUERY_NULL)
COPY_GET(copy_pid, data->global_ids.processes[of->process],
         data->global_ids.processes[move->process])
COPY_GET(copy_bytes, of->bytes, move->value)
COPY_GET(copy_kind, MEMCPY->copy_kind, TO_DEVICE ? 11 : 12)
COPY_GET(copy_source, nsys_memory_kind(MEMCPY->src_kind), 4)
COPY_GET(copy_target, nsys_memory_kind(MEMCPY->dst_kind), 4)
COPY_GET(copy_src_device, IS_PEER ? MEMCPY->src_device : QUERY_NULL, QUERY_NULL)
COPY_GET(copy_src_context, IS_PEER ? MEMCPY->src_context : QUERY_NULL, QUERY_NULL)
COPY_GET(copy_dst_device, IS_PEER ? MEMCPY->dst_device : QUERY_NULL, QUERY_NULL)
COPY_GET(copy_dst_context, IS_PEER ? MEMCPY->dst_context : QUERY_NULL, QUERY_NULL)
COPY_GET(copy_node, or_null(MEMCPY->graph_node), QUERY_NULL)
COPY_GET(copy_graph, or_null(MEMCPY->graph), QUERY_NULL)
COPY_GET(copy_flags, MEMCPY->flags, QUERY_NULL)

static uint32_t copy_count(const struct query_data *data)
{
    return data->timeline->gpus.count + data->timeline->migrations.count;
}

static bool is_copy(const struct query_data *data, uint32_t item)
{
    if (!is_operation(data, item))
        return move_at(data, item)->kind == 1 || move_at(data, item)->kind == 2;
    const struct tl_gpu *gpu = &data->timeline->gpus.at[item];
    return gpu->kind == TL_MEMCPY && !(gpu->flags & TL_GPU_INTERNAL);
}

/* The spans of operations, then the migrations. */
static bool copy_span(const struct query_data *data, uint32_t number, struct query_span *span)
{
    if (query_gpu_span(data, number, span))
        return true;
    *span = (struct query_span){data->timeline->gpus.count, copy_count(data), false};
    return number == data->span_count;
}

static const struct query_column copy_columns[] = {
    NSYS_TIME("start", NOT_NULL, copy_start),
    NSYS_TIME("end", NOT_NULL, copy_end),
    NSYS_BY_SPAN("deviceId", NOT_NULL, copy_device),
    NSYS("contextId", NOT_NULL, copy_context),
    NSYS("streamId", NOT_NULL, copy_stream),
    NSYS("correlationId", INT, copy_correlation),
    NSYS_BY_SPAN("globalPid", INT, copy_pid),
    NSYS("bytes", NOT_NULL, copy_bytes),
    NSYS("copyKind", "INTEGER NOT NULL REFERENCES ENUM_CUDA_MEMCPY_OPER(id)", copy_kind),
    NSYS("srcKind", MEMORY_KIND, copy_source),
    NSYS("dstKind", MEMORY_KIND, copy_target),
    NSYS("srcDeviceId", INT, copy_src_device),
    NSYS("srcContextId", INT, copy_src_context),
    NSYS("dstDeviceId", INT, copy_dst_device),
    NSYS("dstContextId", INT, copy_dst_context),
    NSYS("graphNodeId", INT, copy_node),
    NSYS("graphId", INT, copy_graph),
    NSYS("flags", INT, copy_flags),
};
const struct query_table nsys_memcpys =
    NSYS_TABLE("CUPTI_ACTIVITY_KIND_MEMCPY", "copies, and managed memory that the driver moved",
               copy_columns, copy_count, is_copy, copy_span, copy_start);

/* ---- sets, waits, whole graphs ---- */

static const struct query_column set_columns[] = {
    PLACE(set_context, set_stream),         NSYS("value", NOT_NULL, set_value),
    NSYS("bytes", NOT_NULL, gpu_bytes),     NSYS("graphNodeId", INT, set_node),
    NSYS("memKind", MEMORY_KIND, set_kind), NSYS("graphId", INT, set_graph),
    NSYS("flags", INT, set_flags),
};
const struct query_table nsys_memsets =
    NSYS_TABLE("CUPTI_ACTIVITY_KIND_MEMSET", "memory sets", set_columns, gpu_count, is_set,
               query_gpu_span, gpu_start);

static const struct query_column sync_columns[] = {
    PLACE(sync_context, sync_stream),
    NSYS("syncType", "INTEGER NOT NULL REFERENCES ENUM_CUPTI_SYNC_TYPE(id)", sync_type),
    NSYS("eventId", NOT_NULL, sync_event),
};
const struct query_table nsys_syncs =
    NSYS_TABLE("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "waits for devices", sync_columns, gpu_count,
               is_sync, query_gpu_span, gpu_start);

static const struct query_column run_columns[] = {
    PLACE(run_context, run_stream),
    NSYS("graphId", NOT_NULL, run_graph),
    NSYS("graphExecId", NOT_NULL, run_graph),
};
const struct query_table nsys_graph_traces =
    NSYS_TABLE("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CUDA graphs recorded as a whole", run_columns,
               gpu_count, is_run, query_gpu_span, gpu_start);

/* ---- calls: each once, from its first segment to the end of its last ---- */

static int64_t whole_end(const struct query_data *data, uint32_t item)
{
    uint32_t last = data->last_segments ? data->last_segments[item] : item;
    const struct tl_slice *slice = &data->timeline->slices.at[last];
    return slice->flags & TL_UNCLOSED ? QUERY_NULL : slice->end_ns;
}

#define API (&data->timeline->apis.at[of->api])
QUERY_GET(call_start, slices, of->start_ns)
QUERY_GET(call_class, slices, API->domain == PROF_API_DRIVER)
QUERY_GET(call_tid, slices, global_tid(data, of->thread))
QUERY_GET(call_correlation, slices, API->correlation)
QUERY_GET(call_name, slices, of->name)
QUERY_GET(call_result, slices, API->result == TL_RESULT_UNKNOWN ? QUERY_NULL : (int64_t)API->result)
QUERY_COUNT(slice_count, slices)

static bool is_call(const struct query_data *data, uint32_t item)
{
    const struct tl_slice *slice = &data->timeline->slices.at[item];
    return slice->kind == TL_API && !(slice->flags & TL_CONTINUED) &&
           slice_is_shown(data->timeline, slice);
}

static const struct query_column call_columns[] = {
    NSYS_TIME("start", NOT_NULL, call_start),     NSYS_TIME("end", INT, whole_end),
    NSYS("eventClass", NOT_NULL, call_class),     NSYS_BY_SPAN("globalTid", INT, call_tid),
    NSYS("correlationId", INT, call_correlation), NSYS("nameId", STRING_ID_NOT_NULL, call_name),
    NSYS("returnValue", INT, call_result),        NSYS("callchainId", INT, query_null),
};
const struct query_table nsys_runtime =
    NSYS_TABLE("CUPTI_ACTIVITY_KIND_RUNTIME", "calls of CUDA; names are StringIds.id", call_columns,
               slice_count, is_call, query_slice_span, call_start);

/* ---- NVTX_EVENTS: ranges, begin/end ranges, marks, names of domains and categories ---- */

enum nvtx_event_kind { NVTX_SLICE, NVTX_ASYNC, NVTX_MARK, NVTX_NAMED };

/* One of them is there, as `kind` says; a category with its domain. */
struct nvtx_event {
    enum nvtx_event_kind kind;
    const struct tl_slice *slice;
    const struct tl_async *async;
    const struct tl_mark *mark;
    const struct tl_domain *domain;
    const struct tl_category *category;
};

static struct nvtx_event named_at(const struct timeline *timeline, uint32_t item)
{
    if (item < timeline->domains.count)
        return (struct nvtx_event){NVTX_NAMED, .domain = &timeline->domains.at[item]};
    const struct tl_category *category = &timeline->categories.at[item - timeline->domains.count];
    return (struct nvtx_event){NVTX_NAMED, .domain = &timeline->domains.at[category->domain],
                               .category = category};
}

/* `item` counts what is not a slice. */
static struct nvtx_event other_at(const struct timeline *timeline, uint32_t item)
{
    if (item < timeline->asyncs.count)
        return (struct nvtx_event){NVTX_ASYNC, .async = &timeline->asyncs.at[item]};
    item -= timeline->asyncs.count;
    if (item < timeline->marks.count)
        return (struct nvtx_event){NVTX_MARK, .mark = &timeline->marks.at[item]};
    return named_at(timeline, item - timeline->marks.count);
}

/* Most are slices, and inlined that path is a few instructions for each column. */
static inline struct nvtx_event nvtx_at(const struct query_data *data, uint32_t item)
{
    const struct timeline *timeline = data->timeline;
    if (item < timeline->slices.count)
        return (struct nvtx_event){NVTX_SLICE, .slice = &timeline->slices.at[item]};
    return other_at(timeline, item - timeline->slices.count);
}

#define NVTX_GET(function, of_slice, of_async, of_mark, of_named)         \
    static int64_t function(const struct query_data *data, uint32_t item) \
    {                                                                     \
        struct nvtx_event at = nvtx_at(data, item);                       \
        if (at.kind == NVTX_SLICE)                                        \
            return (int64_t)(of_slice);                                   \
        if (at.kind == NVTX_ASYNC)                                        \
            return (int64_t)(of_async);                                   \
        if (at.kind == NVTX_MARK)                                         \
            return (int64_t)(of_mark);                                    \
        return (int64_t)(of_named);                                       \
    }

static const struct tl_label *label_of(const struct query_data *data, const struct nvtx_event *at)
{
    uint32_t label = at->slice   ? tl_slice_label(at->slice)
                     : at->async ? at->async->label
                     : at->mark  ? at->mark->label
                                 : TL_NONE;
    return label == TL_NONE ? NULL : &data->timeline->labels.at[label];
}

static int64_t async_end(const struct tl_async *async)
{
    return async->flags & TL_UNCLOSED ? QUERY_NULL : async->end_ns;
}

static uint32_t name_of(const struct nvtx_event *at)
{
    return at->category ? at->category->name : at->domain->name;
}

static int64_t range_id(const struct query_data *data, uint32_t item)
{
    return data->nvtx_rows ? *data->nvtx_rows : item;
}

NVTX_GET(nvtx_start, at.slice->start_ns, at.async->start_ns, at.mark->time_ns,
         data->timeline->start_ns)
NVTX_GET(nvtx_end, whole_end(data, item), async_end(at.async), QUERY_NULL, QUERY_NULL)
NVTX_GET(nvtx_type, NSYS_PUSH_POP, NSYS_START_END, NSYS_MARK,
         at.category ? NSYS_CATEGORY : NSYS_DOMAIN)
NVTX_GET(nvtx_range_id, range_id(data, item), range_id(data, item), range_id(data, item),
         QUERY_NULL)
NVTX_GET(nvtx_tid, global_tid(data, at.slice->thread), global_tid(data, at.async->thread),
         global_tid(data, at.mark->thread), data->global_ids.processes[at.domain->process])
NVTX_GET(nvtx_end_tid, QUERY_NULL, global_tid(data, at.async->end_thread), QUERY_NULL, QUERY_NULL)
NVTX_GET(nvtx_text_id, query_name(data, at.slice->name), query_name(data, at.async->name),
         query_name(data, at.mark->name), query_name(data, name_of(&at)))

static int64_t nvtx_category(const struct query_data *data, uint32_t item)
{
    struct nvtx_event at = nvtx_at(data, item);
    const struct tl_label *label = label_of(data, &at);
    if (at.category)
        return at.category->number;
    return label && label->category != TL_NONE
               ? (int64_t)data->timeline->categories.at[label->category].number
               : QUERY_NULL;
}

static int64_t nvtx_color(const struct query_data *data, uint32_t item)
{
    struct nvtx_event at = nvtx_at(data, item);
    const struct tl_label *label = label_of(data, &at);
    return label && label->flags & TL_LABEL_COLORED ? (int64_t)label->color : QUERY_NULL;
}

static int64_t nvtx_domain(const struct query_data *data, uint32_t item)
{
    struct nvtx_event at = nvtx_at(data, item);
    const struct tl_label *label = label_of(data, &at);
    if (at.domain)
        return at.domain->number;
    return label && label->domain != TL_NONE
               ? (int64_t)data->timeline->domains.at[label->domain].number
               : 0;
}

static uint32_t nvtx_count(const struct query_data *data)
{
    const struct timeline *timeline = data->timeline;
    return timeline->slices.count + timeline->asyncs.count + timeline->marks.count +
           timeline->domains.count + timeline->categories.count;
}

static bool is_nvtx(const struct query_data *data, uint32_t item)
{
    struct nvtx_event at = nvtx_at(data, item);
    if (at.domain)
        return name_of(&at) != TL_NONE;
    return !at.slice ||
           (at.slice->kind != TL_API && !(at.slice->flags & (TL_CONTINUED | TL_INTERNAL)));
}

/* Threads, then what is on any. */
static bool nvtx_span(const struct query_data *data, uint32_t number, struct query_span *span)
{
    if (query_slice_span(data, number, span))
        return true;
    *span = (struct query_span){data->timeline->slices.count, nvtx_count(data), false};
    return number == data->timeline->threads.count;
}

static const struct query_column nvtx_columns[] = {
    NSYS_TIME("start", NOT_NULL, nvtx_start),
    NSYS_TIME("end", INT, nvtx_end),
    NSYS("eventType", NOT_NULL, nvtx_type),
    NSYS("rangeId", INT, nvtx_range_id),
    NSYS("category", INT, nvtx_category),
    NSYS("color", INT, nvtx_color),
    {.name = "text",
     .unit = "",
     .meaning = "",
     .type = QUERY_NAME,
     .get = nvtx_text_id,
     .declared = "TEXT"},
    NSYS_BY_SPAN("globalTid", INT, nvtx_tid),
    NSYS("endGlobalTid", INT, nvtx_end_tid),
    NSYS("textId", STRING_ID, nvtx_text_id),
    NSYS("domainId", INT, nvtx_domain),
    NSYS("uint64Value", INT, query_null),
    NSYS("int64Value", INT, query_null),
    NSYS("doubleValue", "REAL", query_null),
    NSYS("uint32Value", INT, query_null),
    NSYS("int32Value", INT, query_null),
    NSYS("floatValue", "REAL", query_null),
    NSYS("jsonTextId", INT, query_null),
    NSYS("jsonText", "TEXT", query_null),
    NSYS("binaryData", "TEXT", query_null),
};
const struct query_table nsys_nvtx =
    NSYS_TABLE("NVTX_EVENTS",
               "ranges (59), begin/end ranges (60), marks (34), names of domains (75) and "
               "categories (33); names are StringIds.id",
               nvtx_columns, nvtx_count, is_nvtx, nvtx_span, 0);

/* ---- names, threads ---- */

/* Short names follow the full names. */
static uint32_t string_count(const struct query_data *data)
{
    return data->timeline->names.count + data->short_count;
}

static struct text string_value(const struct query_data *data, uint32_t item)
{
    uint32_t names = data->timeline->names.count;
    return item < names ? data->texts[item] : data->shorts[item - names];
}

static const struct query_column string_columns[] = {
    NSYS("id", "INTEGER NOT NULL PRIMARY KEY", query_id),
    {.name = "value",
     .unit = "",
     .meaning = "",
     .type = QUERY_TEXT,
     .get = query_id,
     .text = string_value,
     .declared = "TEXT NOT NULL"},
};
const struct query_table nsys_strings =
    NSYS_TABLE("StringIds", "every name, and each kernel's for short", string_columns, string_count,
               NULL, NULL, NULL);

static int64_t thread_priority(const struct query_data *data, uint32_t item)
{
    (void)data, (void)item;
    return 20;
}

QUERY_GET(thread_name, threads, of->name)
QUERY_GET(thread_tid, threads, global_tid(data, item))
QUERY_COUNT(thread_count, threads)

static bool has_name(const struct query_data *data, uint32_t item)
{
    const struct tl_thread *thread = &data->timeline->threads.at[item];
    return thread->name != TL_NONE && !thread->internal;
}

static const struct query_column thread_columns[] = {
    NSYS("nameId", NOT_NULL, thread_name),
    NSYS("priority", INT, thread_priority),
    NSYS("globalTid", INT, thread_tid),
};
const struct query_table nsys_thread_names = NSYS_TABLE(
    "ThreadNames", "names of threads", thread_columns, thread_count, has_name, NULL, NULL);
