/* sim_rt_copy.c - copies and sets. */
#include "sim_memory.h"
#include "sim_rt.h"
#include "sim_transfer.h"

static bool is_per_thread(void)
{
    const struct sim_call *call = sim_call_top();
    return call && call->per_thread;
}

/* A direction in which the program's pointers cannot lie is the caller's mistake. */
static int check_kind(int kind)
{
    return kind >= SIM_COPY_HTOH && kind <= SIM_COPY_DEFAULT ? SIM_OK : SIM_INVALID_DIRECTION;
}

/* cudaMemcpyDefault goes to the driver function of the direction the pointers have. */
static int direction(const void *dst, const void *src, int kind)
{
    struct sim_work work;
    if (kind != SIM_COPY_DEFAULT)
        return kind;
    return sim_transfer_copy(&work, (void *)(uintptr_t)dst, src, 1, kind, true) == SIM_OK
               ? work.copy.kind
               : SIM_COPY_HTOH;
}

static int copy_async(void *dst, const void *src, size_t bytes, int kind, void *handle)
{
    void *stream = sim_rt_stream(handle);
    SIM_TRY(check_kind(kind));
    SIM_TRY(sim_rt_ready());
    if (!bytes)
        return SIM_OK;
    switch (direction(dst, src, kind)) {
    case SIM_COPY_HTOD:
        return cuMemcpyHtoDAsync_v2(sim_address_of(dst), src, bytes, stream);
    case SIM_COPY_DTOH:
        return cuMemcpyDtoHAsync_v2(dst, sim_address_of(src), bytes, stream);
    case SIM_COPY_DTOD:
        return cuMemcpyDtoDAsync_v2(sim_address_of(dst), sim_address_of(src), bytes, stream);
    default:
        return cuMemcpyAsync(sim_address_of(dst), sim_address_of(src), bytes, stream);
    }
}

/* Synchronous copies run on the legacy stream; from a _ptds entry on the thread's own. */
static int copy(void *dst, const void *src, size_t bytes, int kind)
{
    if (is_per_thread()) {
        SIM_TRY(copy_async(dst, src, bytes, kind, NULL));
        return cuStreamSynchronize(SIM_STREAM_PER_THREAD);
    }
    SIM_TRY(check_kind(kind));
    SIM_TRY(sim_rt_ready());
    if (!bytes)
        return SIM_OK;
    switch (direction(dst, src, kind)) {
    case SIM_COPY_HTOD:
        return cuMemcpyHtoD_v2(sim_address_of(dst), src, bytes);
    case SIM_COPY_DTOH:
        return cuMemcpyDtoH_v2(dst, sim_address_of(src), bytes);
    case SIM_COPY_DTOD:
        return cuMemcpyDtoD_v2(sim_address_of(dst), sim_address_of(src), bytes);
    default:
        return cuMemcpy(sim_address_of(dst), sim_address_of(src), bytes);
    }
}

SIM_API_TWIN(cudaMemcpy, _ptds, void *, dst, const void *, src, size_t, bytes, int, kind)
{
    return copy(dst, src, bytes, kind);
}

SIM_API_TWIN(cudaMemcpyAsync, _ptsz, void *, dst, const void *, src, size_t, bytes, int, kind,
             void *, stream)
{
    return copy_async(dst, src, bytes, kind, stream);
}

/* ---- variables ---- */

static int symbol_at(const void *symbol, size_t bytes, size_t offset, char **address)
{
    void *base = NULL;
    size_t size = 0;
    SIM_TRY(sim_rt_symbol(symbol, &base, &size));
    SIM_CHECK(offset <= size && bytes <= size - offset, SIM_INVALID_VALUE);
    *address = (char *)base + offset;
    return SIM_OK;
}

SIM_API_TWIN(cudaMemcpyToSymbol, _ptds, const void *, symbol, const void *, src, size_t, bytes,
             size_t, offset, int, kind)
{
    char *dst = NULL;
    SIM_TRY(symbol_at(symbol, bytes, offset, &dst));
    return copy(dst, src, bytes, kind);
}

SIM_API_TWIN(cudaMemcpyFromSymbol, _ptds, void *, dst, const void *, symbol, size_t, bytes, size_t,
             offset, int, kind)
{
    char *src = NULL;
    SIM_TRY(symbol_at(symbol, bytes, offset, &src));
    return copy(dst, src, bytes, kind);
}

SIM_API_TWIN(cudaMemcpyToSymbolAsync, _ptsz, const void *, symbol, const void *, src, size_t, bytes,
             size_t, offset, int, kind, void *, stream)
{
    char *dst = NULL;
    SIM_TRY(symbol_at(symbol, bytes, offset, &dst));
    return copy_async(dst, src, bytes, kind, stream);
}

SIM_API_TWIN(cudaMemcpyFromSymbolAsync, _ptsz, void *, dst, const void *, symbol, size_t, bytes,
             size_t, offset, int, kind, void *, stream)
{
    char *src = NULL;
    SIM_TRY(symbol_at(symbol, bytes, offset, &src));
    return copy_async(dst, src, bytes, kind, stream);
}

/* ---- peers ---- */

static int peer_context(int device, struct sim_context **context)
{
    *context = sim_context_primary(device);
    return *context ? SIM_OK : sim_context_retain(device, context);
}

static int copy_peer(void *dst, int dst_device, const void *src, int src_device, size_t bytes,
                     void *stream)
{
    struct sim_context *to = NULL, *from = NULL;
    SIM_TRY(sim_rt_ready());
    SIM_TRY(peer_context(dst_device, &to));
    SIM_TRY(peer_context(src_device, &from));
    return cuMemcpyPeerAsync(sim_address_of(dst), to, sim_address_of(src), from, bytes, stream);
}

SIM_API(cudaMemcpyPeerAsync, void *, dst, int, dst_device, const void *, src, int, src_device,
        size_t, bytes, void *, stream)
{
    return copy_peer(dst, dst_device, src, src_device, bytes, stream);
}

SIM_API(cudaMemcpyPeer, void *, dst, int, dst_device, const void *, src, int, src_device, size_t,
        bytes)
{
    SIM_TRY(copy_peer(dst, dst_device, src, src_device, bytes, NULL));
    return cuStreamSynchronize(NULL);
}

/* ---- boxes ---- */

static int box(const struct sim_copy_3d *params, void *stream, bool wait)
{
    struct sim_work work;
    SIM_CHECK(params, SIM_INVALID_VALUE);
    SIM_TRY(check_kind(params->kind));
    SIM_TRY(sim_rt_ready());
    SIM_TRY(sim_transfer_3d(&work, params, !wait));
    return sim_transfer_submit(sim_stream_of(stream), &work, wait);
}

static int copy_2d(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                   size_t height, int kind, void *stream, bool wait)
{
    SIM_CHECK(width <= dst_pitch && width <= src_pitch, SIM_INVALID_VALUE);
    const struct sim_copy_3d params = {
        .src = {(void *)(uintptr_t)src, src_pitch, width, height},
        .dst = {dst, dst_pitch, width, height},
        .extent = {width, height, 1},
        .kind = kind,
    };
    return box(&params, stream, wait);
}

SIM_API_TWIN(cudaMemcpy2D, _ptds, void *, dst, size_t, dst_pitch, const void *, src, size_t,
             src_pitch, size_t, width, size_t, height, int, kind)
{
    return copy_2d(dst, dst_pitch, src, src_pitch, width, height, kind, NULL, true);
}

SIM_API_TWIN(cudaMemcpy2DAsync, _ptsz, void *, dst, size_t, dst_pitch, const void *, src, size_t,
             src_pitch, size_t, width, size_t, height, int, kind, void *, stream)
{
    return copy_2d(dst, dst_pitch, src, src_pitch, width, height, kind, stream, false);
}

SIM_API_TWIN(cudaMemcpy3D, _ptds, const struct sim_copy_3d *, params)
{
    return box(params, NULL, true);
}

SIM_API_TWIN(cudaMemcpy3DAsync, _ptsz, const struct sim_copy_3d *, params, void *, stream)
{
    return box(params, stream, false);
}

/* ---- sets ---- */

static int set_box(struct sim_pitched memory, int value, struct sim_extent extent, void *stream)
{
    struct sim_work work;
    const struct sim_set_params params = {
        .dst = memory.pointer,
        .pitch = memory.pitch,
        .value = (unsigned char)value,
        .element_size = 1,
        .width = extent.width,
        .height = extent.height * extent.depth,
    };
    SIM_TRY(sim_rt_ready());
    SIM_TRY(sim_transfer_set(&work, &params));
    return sim_transfer_submit(sim_stream_of(stream), &work, false);
}

SIM_API_TWIN(cudaMemset, _ptds, void *, dst, int, value, size_t, bytes)
{
    SIM_TRY(sim_rt_ready());
    if (is_per_thread())
        return cuMemsetD8Async(sim_address_of(dst), (unsigned char)value, bytes,
                               sim_rt_stream(NULL));
    return cuMemsetD8_v2(sim_address_of(dst), (unsigned char)value, bytes);
}

SIM_API_TWIN(cudaMemsetAsync, _ptsz, void *, dst, int, value, size_t, bytes, void *, stream)
{
    SIM_TRY(sim_rt_ready());
    return cuMemsetD8Async(sim_address_of(dst), (unsigned char)value, bytes, sim_rt_stream(stream));
}

SIM_API_TWIN(cudaMemset2D, _ptds, void *, dst, size_t, pitch, int, value, size_t, width, size_t,
             height)
{
    return set_box((struct sim_pitched){dst, pitch, width, height}, value,
                   (struct sim_extent){width, height, 1}, NULL);
}

SIM_API_TWIN(cudaMemset2DAsync, _ptsz, void *, dst, size_t, pitch, int, value, size_t, width,
             size_t, height, void *, stream)
{
    return set_box((struct sim_pitched){dst, pitch, width, height}, value,
                   (struct sim_extent){width, height, 1}, stream);
}

SIM_API_TWIN(cudaMemset3D, _ptds, struct sim_pitched, memory, int, value, struct sim_extent, extent)
{
    return set_box(memory, value, extent, NULL);
}

SIM_API_TWIN(cudaMemset3DAsync, _ptsz, struct sim_pitched, memory, int, value, struct sim_extent,
             extent, void *, stream)
{
    return set_box(memory, value, extent, stream);
}
