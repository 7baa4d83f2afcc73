/* sim_rt_stream.c - streams, events, capture. */
#include "sim_capture.h"
#include "sim_context.h"
#include "sim_event.h"
#include "sim_rt.h"

/* The stream behind a runtime handle, the context made ready first; NULL when it is not one. */
static struct sim_stream *stream_of(void *handle)
{
    return sim_rt_ready() == SIM_OK ? sim_stream_of(handle) : NULL;
}

SIM_API(cudaStreamCreate, void **, stream)
{
    SIM_TRY(sim_rt_ready());
    return cuStreamCreate(stream, 0);
}

SIM_API(cudaStreamCreateWithFlags, void **, stream, unsigned, flags)
{
    SIM_TRY(sim_rt_ready());
    return cuStreamCreate(stream, flags);
}

SIM_API(cudaStreamCreateWithPriority, void **, stream, unsigned, flags, int, priority)
{
    SIM_TRY(sim_rt_ready());
    return cuStreamCreateWithPriority(stream, flags, priority);
}

SIM_API(cudaStreamDestroy, void *, stream)
{
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    SIM_TRY(sim_rt_ready());
    return cuStreamDestroy_v2(stream);
}

SIM_API_TWIN(cudaStreamSynchronize, _ptsz, void *, stream)
{
    SIM_TRY(sim_rt_ready());
    return cuStreamSynchronize(sim_rt_stream(stream));
}

SIM_API_TWIN(cudaStreamQuery, _ptsz, void *, stream)
{
    SIM_TRY(sim_rt_ready());
    return cuStreamQuery(sim_rt_stream(stream));
}

SIM_API_TWIN(cudaStreamWaitEvent, _ptsz, void *, stream, struct sim_event *, event, unsigned, flags)
{
    SIM_TRY(sim_rt_ready());
    return cuStreamWaitEvent(sim_rt_stream(stream), event, flags);
}

SIM_API_TWIN(cudaStreamAddCallback, _ptsz, void *, stream, sim_stream_callback, callback, void *,
             user, unsigned, flags)
{
    SIM_TRY(sim_rt_ready());
    return cuStreamAddCallback(sim_rt_stream(stream), callback, user, flags);
}

SIM_API_TWIN(cudaStreamGetPriority, _ptsz, void *, stream, int *, priority)
{
    const struct sim_stream *found = stream_of(stream);
    SIM_CHECK(priority, SIM_INVALID_VALUE);
    SIM_CHECK(found, SIM_INVALID_HANDLE);
    *priority = found->priority;
    return SIM_OK;
}

SIM_API_TWIN(cudaStreamGetFlags, _ptsz, void *, stream, unsigned *, flags)
{
    const struct sim_stream *found = stream_of(stream);
    SIM_CHECK(flags, SIM_INVALID_VALUE);
    SIM_CHECK(found, SIM_INVALID_HANDLE);
    *flags = found->flags;
    return SIM_OK;
}

SIM_API_TWIN(cudaStreamGetId, _ptsz, void *, stream, unsigned long long *, id)
{
    const struct sim_stream *found = stream_of(stream);
    SIM_CHECK(id, SIM_INVALID_VALUE);
    SIM_CHECK(found, SIM_INVALID_HANDLE);
    *id = (unsigned long long)found->context->id << 32 | found->id;
    return SIM_OK;
}

SIM_API_TWIN(cudaStreamGetDevice, _ptsz, void *, stream, int *, device)
{
    const struct sim_stream *found = stream_of(stream);
    SIM_CHECK(device, SIM_INVALID_VALUE);
    SIM_CHECK(found, SIM_INVALID_HANDLE);
    *device = found->context->device;
    return SIM_OK;
}

SIM_API_TWIN(cudaStreamAttachMemAsync, _ptsz, void *, stream, void *, pointer, size_t, bytes,
             unsigned, flags)
{
    (void)pointer, (void)bytes, (void)flags;
    return stream_of(stream) ? SIM_OK : SIM_INVALID_HANDLE;
}

SIM_API_TWIN(cudaStreamSetAttribute, _ptsz, void *, stream, int, attribute, const void *, value)
{
    (void)attribute;
    SIM_CHECK(value, SIM_INVALID_VALUE);
    return stream_of(stream) ? SIM_OK : SIM_INVALID_HANDLE;
}

/* ---- capture ---- */

SIM_API_TWIN(cudaStreamBeginCapture, _ptsz, void *, stream, int, mode)
{
    SIM_TRY(sim_rt_ready());
    return cuStreamBeginCapture_v2(sim_rt_stream(stream), mode);
}

SIM_API_TWIN(cudaStreamBeginCaptureToGraph, _ptsz, void *, stream, struct sim_graph *, graph,
             struct sim_node *const *, dependencies, const void *, edges, size_t, count, int, mode)
{
    struct sim_stream *found = stream_of(stream);
    (void)edges;
    SIM_CHECK(found, SIM_INVALID_HANDLE);
    SIM_CHECK(sim_handle_is(graph, SIM_HANDLE_GRAPH) && mode >= 0, SIM_INVALID_VALUE);
    SIM_TRY(sim_capture_begin(found, (enum sim_capture_mode)mode, graph));
    return sim_capture_set_nodes(found, dependencies, count, false);
}

SIM_API_TWIN(cudaStreamEndCapture, _ptsz, void *, stream, struct sim_graph **, graph)
{
    SIM_TRY(sim_rt_ready());
    return cuStreamEndCapture(sim_rt_stream(stream), graph);
}

SIM_API_TWIN(cudaStreamIsCapturing, _ptsz, void *, stream, int *, status)
{
    const struct sim_stream *found = stream_of(stream);
    struct sim_capture_info info;
    SIM_CHECK(status, SIM_INVALID_VALUE);
    SIM_CHECK(found, SIM_INVALID_HANDLE);
    sim_capture_query(found, &info);
    *status = info.status;
    return SIM_OK;
}

SIM_API_TWIN(cudaStreamGetCaptureInfo, _ptsz, void *, stream, int *, status, unsigned long long *,
             id, struct sim_graph **, graph, struct sim_node ***, nodes, const void **, edges,
             size_t *, count)
{
    const struct sim_stream *found = stream_of(stream);
    struct sim_capture_info info;
    SIM_CHECK(status, SIM_INVALID_VALUE);
    SIM_CHECK(found, SIM_INVALID_HANDLE);
    sim_capture_query(found, &info);
    *status = info.status;
    if (id)
        *id = info.id;
    if (graph)
        *graph = info.graph;
    if (nodes)
        *nodes = info.nodes;
    if (edges)
        *edges = NULL;
    if (count)
        *count = info.count;
    return SIM_OK;
}

SIM_API_TWIN(cudaStreamUpdateCaptureDependencies, _ptsz, void *, stream, struct sim_node **, nodes,
             const void *, edges, size_t, count, unsigned, flags)
{
    struct sim_stream *found = stream_of(stream);
    (void)edges;
    SIM_CHECK(found && found->capture, SIM_INVALID_HANDLE);
    return sim_capture_set_nodes(found, nodes, count, flags == 0);
}

SIM_API(cudaThreadExchangeStreamCaptureMode, int *, mode)
{
    SIM_CHECK(mode, SIM_INVALID_VALUE);
    return sim_capture_exchange_mode(mode);
}

/* ---- events ---- */

SIM_API(cudaEventCreate, struct sim_event **, event)
{
    SIM_TRY(sim_rt_ready());
    return cuEventCreate(event, 0);
}

SIM_API(cudaEventCreateWithFlags, struct sim_event **, event, unsigned, flags)
{
    SIM_TRY(sim_rt_ready());
    return cuEventCreate(event, flags);
}

SIM_API_TWIN(cudaEventRecord, _ptsz, struct sim_event *, event, void *, stream)
{
    SIM_TRY(sim_rt_ready());
    return cuEventRecord(event, sim_rt_stream(stream));
}

SIM_API_TWIN(cudaEventRecordWithFlags, _ptsz, struct sim_event *, event, void *, stream, unsigned,
             flags)
{
    SIM_TRY(sim_rt_ready());
    return cuEventRecordWithFlags(event, sim_rt_stream(stream), flags);
}

SIM_API(cudaEventQuery, struct sim_event *, event)
{
    SIM_TRY(sim_rt_ready());
    return cuEventQuery(event);
}

SIM_API(cudaEventSynchronize, struct sim_event *, event)
{
    SIM_TRY(sim_rt_ready());
    return cuEventSynchronize(event);
}

SIM_API(cudaEventDestroy, struct sim_event *, event)
{
    SIM_TRY(sim_rt_ready());
    return cuEventDestroy_v2(event);
}

SIM_API(cudaEventElapsedTime, float *, ms, struct sim_event *, start, struct sim_event *, end)
{
    SIM_TRY(sim_rt_ready());
    return cuEventElapsedTime_v2(ms, start, end);
}
