/* sim_driver_stream.c - streams, events, host functions, capture. */
#include "sim_capture.h"
#include "sim_clock.h"
#include "sim_driver.h"
#include "sim_event.h"
#include "sim_tools.h"

static void notify_sync(enum sim_sync_type type, const struct sim_stream *stream, uint32_t event_id,
                        uint64_t start_ns)
{
    const struct sim_tools *tools = sim_tools_get();
    if (!tools)
        return;
    tools->synchronized(&(struct sim_sync){
        .type = type,
        .context = stream ? stream->context : sim_context_current(),
        .stream = (struct sim_stream *)(uintptr_t)stream,
        .event_id = event_id,
        .correlation = sim_call_correlation(),
        .start_ns = start_ns,
        .end_ns = sim_clock_now(),
    });
}

/* ---- streams ---- */

static int create(struct sim_stream **stream, unsigned flags, int priority)
{
    struct sim_context *context = sim_context_current();
    SIM_CHECK(stream, SIM_INVALID_VALUE);
    SIM_CHECK(context, SIM_INVALID_CONTEXT);
    priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    return sim_stream_create(context, flags, priority, stream);
}

SIM_API(cuStreamCreate, struct sim_stream **, stream, unsigned, flags)
{
    return create(stream, flags, 0);
}

SIM_API(cuStreamCreateWithPriority, struct sim_stream **, stream, unsigned, flags, int, priority)
{
    return create(stream, flags, priority);
}

SIM_API(cuStreamDestroy_v2, struct sim_stream *, stream)
{
    SIM_CHECK(sim_handle_is(stream, SIM_HANDLE_STREAM) && !stream->legacy, SIM_INVALID_HANDLE);
    return sim_stream_destroy(stream);
}

SIM_API_TWIN(cuStreamSynchronize, _ptsz, void *, handle)
{
    struct sim_stream *stream = sim_stream_of(handle);
    const uint64_t start_ns = sim_clock_now();
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    SIM_TRY(sim_capture_forbid(stream));
    SIM_TRY(sim_capture_check_legacy(stream));
    sim_stream_synchronize(stream);
    notify_sync(SIM_SYNC_STREAM, stream, 0, start_ns);
    return SIM_OK;
}

SIM_API_TWIN(cuStreamQuery, _ptsz, void *, handle)
{
    struct sim_stream *stream = sim_stream_of(handle);
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    SIM_TRY(sim_capture_forbid(stream));
    return sim_stream_is_idle(stream) ? SIM_OK : SIM_NOT_READY;
}

SIM_API_TWIN(cuStreamWaitEvent, _ptsz, void *, handle, struct sim_event *, event, unsigned, flags)
{
    struct sim_stream *stream = sim_stream_of(handle);
    const uint64_t start_ns = sim_clock_now();
    (void)flags;
    SIM_CHECK(stream && sim_handle_is(event, SIM_HANDLE_EVENT), SIM_INVALID_HANDLE);
    SIM_TRY(sim_event_wait(event, stream));
    notify_sync(SIM_SYNC_STREAM_WAIT, stream, event->id, start_ns);
    return SIM_OK;
}

SIM_API_TWIN(cuStreamGetPriority, _ptsz, void *, handle, int *, priority)
{
    const struct sim_stream *stream = sim_stream_of(handle);
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    SIM_CHECK(priority, SIM_INVALID_VALUE);
    *priority = stream->priority;
    return SIM_OK;
}

SIM_API_TWIN(cuStreamGetFlags, _ptsz, void *, handle, unsigned *, flags)
{
    const struct sim_stream *stream = sim_stream_of(handle);
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    SIM_CHECK(flags, SIM_INVALID_VALUE);
    *flags = stream->flags;
    return SIM_OK;
}

SIM_API_TWIN(cuStreamGetId, _ptsz, void *, handle, unsigned long long *, id)
{
    const struct sim_stream *stream = sim_stream_of(handle);
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    SIM_CHECK(id, SIM_INVALID_VALUE);
    *id = (unsigned long long)stream->context->id << 32 | stream->id;
    return SIM_OK;
}

SIM_API_TWIN(cuStreamGetCtx, _ptsz, void *, handle, struct sim_context **, context)
{
    const struct sim_stream *stream = sim_stream_of(handle);
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    SIM_CHECK(context, SIM_INVALID_VALUE);
    *context = stream->context;
    return SIM_OK;
}

SIM_API_TWIN(cuStreamGetDevice, _ptsz, void *, handle, int *, device)
{
    const struct sim_stream *stream = sim_stream_of(handle);
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    SIM_CHECK(device, SIM_INVALID_VALUE);
    *device = stream->context->device;
    return SIM_OK;
}

SIM_API_TWIN(cuStreamAttachMemAsync, _ptsz, void *, handle, sim_address, address, size_t, bytes,
             unsigned, flags)
{
    (void)address, (void)bytes, (void)flags;
    return sim_stream_of(handle) ? SIM_OK : SIM_INVALID_HANDLE;
}

SIM_API_TWIN(cuLaunchHostFunc, _ptsz, void *, handle, sim_host_function, function, void *, user)
{
    struct sim_stream *stream = sim_stream_of(handle);
    struct sim_work work = {.kind = SIM_WORK_HOST, .host = {.function = function, .user = user}};
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    SIM_CHECK(function, SIM_INVALID_VALUE);
    return sim_stream_submit(stream, &work);
}

SIM_API_TWIN(cuStreamAddCallback, _ptsz, void *, handle, sim_stream_callback, callback, void *,
             user, unsigned, flags)
{
    struct sim_stream *stream = sim_stream_of(handle);
    struct sim_work work = {.kind = SIM_WORK_HOST,
                            .host = {.callback = callback, .stream_handle = handle, .user = user}};
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    SIM_CHECK(callback && flags == 0, SIM_INVALID_VALUE);
    SIM_TRY(sim_capture_forbid(stream));
    return sim_stream_submit(stream, &work);
}

/* ---- events ---- */

SIM_API(cuEventCreate, struct sim_event **, event, unsigned, flags)
{
    struct sim_context *context = sim_context_current();
    SIM_CHECK(event && flags < 8, SIM_INVALID_VALUE);
    SIM_CHECK(context, SIM_INVALID_CONTEXT);
    return sim_event_create(context, flags, event);
}

static int record(struct sim_event *event, void *handle)
{
    struct sim_stream *stream = sim_stream_of(handle);
    SIM_CHECK(stream && sim_handle_is(event, SIM_HANDLE_EVENT), SIM_INVALID_HANDLE);
    SIM_CHECK(event->context == stream->context, SIM_INVALID_HANDLE);
    return sim_event_record(event, stream);
}

SIM_API_TWIN(cuEventRecord, _ptsz, struct sim_event *, event, void *, handle)
{
    return record(event, handle);
}

SIM_API_TWIN(cuEventRecordWithFlags, _ptsz, struct sim_event *, event, void *, handle, unsigned,
             flags)
{
    (void)flags;
    return record(event, handle);
}

SIM_API(cuEventQuery, struct sim_event *, event)
{
    SIM_CHECK(sim_handle_is(event, SIM_HANDLE_EVENT), SIM_INVALID_HANDLE);
    SIM_TRY(sim_capture_guard());
    return sim_event_query(event);
}

SIM_API(cuEventSynchronize, struct sim_event *, event)
{
    const uint64_t start_ns = sim_clock_now();
    SIM_CHECK(sim_handle_is(event, SIM_HANDLE_EVENT), SIM_INVALID_HANDLE);
    SIM_TRY(sim_capture_guard());
    SIM_TRY(sim_event_synchronize(event));
    notify_sync(SIM_SYNC_EVENT, NULL, event->id, start_ns);
    return SIM_OK;
}

SIM_API(cuEventDestroy_v2, struct sim_event *, event)
{
    SIM_CHECK(sim_handle_is(event, SIM_HANDLE_EVENT), SIM_INVALID_HANDLE);
    return sim_event_destroy(event);
}

static int elapsed(float *ms, struct sim_event *start, struct sim_event *end)
{
    SIM_CHECK(ms, SIM_INVALID_VALUE);
    SIM_CHECK(sim_handle_is(start, SIM_HANDLE_EVENT), SIM_INVALID_HANDLE);
    SIM_CHECK(sim_handle_is(end, SIM_HANDLE_EVENT), SIM_INVALID_HANDLE);
    return sim_event_elapsed(start, end, ms);
}

SIM_API(cuEventElapsedTime, float *, ms, struct sim_event *, start, struct sim_event *, end)
{
    return elapsed(ms, start, end);
}

SIM_API(cuEventElapsedTime_v2, float *, ms, struct sim_event *, start, struct sim_event *, end)
{
    return elapsed(ms, start, end);
}

/* ---- capture ---- */

SIM_API(cuThreadExchangeStreamCaptureMode, int *, mode)
{
    SIM_CHECK(mode, SIM_INVALID_VALUE);
    return sim_capture_exchange_mode(mode);
}

SIM_API_TWIN(cuStreamBeginCapture_v2, _ptsz, void *, handle, int, mode)
{
    struct sim_stream *stream = sim_stream_of(handle);
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    SIM_CHECK(mode >= 0, SIM_INVALID_VALUE);
    return sim_capture_begin(stream, (enum sim_capture_mode)mode, NULL);
}

SIM_API_TWIN(cuStreamEndCapture, _ptsz, void *, handle, struct sim_graph **, graph)
{
    struct sim_stream *stream = sim_stream_of(handle);
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    SIM_CHECK(graph, SIM_INVALID_VALUE);
    return sim_capture_end(stream, graph);
}

SIM_API_TWIN(cuStreamIsCapturing, _ptsz, void *, handle, int *, status)
{
    const struct sim_stream *stream = sim_stream_of(handle);
    struct sim_capture_info info;
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    SIM_CHECK(status, SIM_INVALID_VALUE);
    SIM_CHECK(!sim_capture_blocks_legacy(stream), SIM_CAPTURE_IMPLICIT);
    sim_capture_query(stream, &info);
    *status = info.status;
    return SIM_OK;
}

static int capture_info(void *handle, int *status, uint64_t *id, struct sim_graph **graph,
                        struct sim_node ***nodes, size_t *count)
{
    const struct sim_stream *stream = sim_stream_of(handle);
    struct sim_capture_info info;
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    SIM_CHECK(status, SIM_INVALID_VALUE);
    sim_capture_query(stream, &info);
    *status = info.status;
    if (id)
        *id = info.id;
    if (graph)
        *graph = info.graph;
    if (nodes)
        *nodes = info.nodes;
    if (count)
        *count = info.count;
    return SIM_OK;
}

SIM_API_TWIN(cuStreamGetCaptureInfo_v2, _ptsz, void *, handle, int *, status, uint64_t *, id,
             struct sim_graph **, graph, struct sim_node ***, nodes, size_t *, count)
{
    return capture_info(handle, status, id, graph, nodes, count);
}

SIM_API_TWIN(cuStreamGetCaptureInfo_v3, _ptsz, void *, handle, int *, status, uint64_t *, id,
             struct sim_graph **, graph, struct sim_node ***, nodes, const void **, edges, size_t *,
             count)
{
    if (edges)
        *edges = NULL;
    return capture_info(handle, status, id, graph, nodes, count);
}

/* flags: 0 adds, 1 replaces. */
SIM_API_TWIN(cuStreamUpdateCaptureDependencies_v2, _ptsz, void *, handle, struct sim_node **, nodes,
             const void *, edges, size_t, count, unsigned, flags)
{
    struct sim_stream *stream = sim_stream_of(handle);
    (void)edges;
    SIM_CHECK(stream && stream->capture, SIM_INVALID_HANDLE);
    SIM_CHECK(flags <= 1 && (nodes || !count), SIM_INVALID_VALUE);
    return sim_capture_set_nodes(stream, nodes, count, flags == 0);
}
