/* sim_driver_copy.c - copies and sets. Synchronous ones return when the simulated transfer has
 * ended.
 */
#include "sim_capture.h"
#include "sim_driver.h"
#include "sim_transfer.h"

static int copy(void *dst, const void *src, size_t bytes, int kind, void *handle, bool async)
{
    struct sim_work work;
    SIM_CHECK(sim_context_current(), SIM_INVALID_CONTEXT);
    SIM_TRY(sim_transfer_copy(&work, dst, src, bytes, kind, async));
    return sim_transfer_submit(sim_stream_of(handle), &work, !async);
}

SIM_API_TWIN(cuMemcpy, _ptds, sim_address, dst, sim_address, src, size_t, bytes)
{
    return copy(sim_pointer(dst), sim_pointer(src), bytes, SIM_COPY_DEFAULT, NULL, false);
}

SIM_API_TWIN(cuMemcpyAsync, _ptsz, sim_address, dst, sim_address, src, size_t, bytes, void *,
             handle)
{
    return copy(sim_pointer(dst), sim_pointer(src), bytes, SIM_COPY_DEFAULT, handle, true);
}

SIM_API_TWIN(cuMemcpyHtoD_v2, _ptds, sim_address, dst, const void *, src, size_t, bytes)
{
    return copy(sim_pointer(dst), src, bytes, SIM_COPY_HTOD, NULL, false);
}

SIM_API_TWIN(cuMemcpyDtoH_v2, _ptds, void *, dst, sim_address, src, size_t, bytes)
{
    return copy(dst, sim_pointer(src), bytes, SIM_COPY_DTOH, NULL, false);
}

SIM_API_TWIN(cuMemcpyDtoD_v2, _ptds, sim_address, dst, sim_address, src, size_t, bytes)
{
    return copy(sim_pointer(dst), sim_pointer(src), bytes, SIM_COPY_DTOD, NULL, false);
}

SIM_API_TWIN(cuMemcpyHtoDAsync_v2, _ptsz, sim_address, dst, const void *, src, size_t, bytes,
             void *, handle)
{
    return copy(sim_pointer(dst), src, bytes, SIM_COPY_HTOD, handle, true);
}

SIM_API_TWIN(cuMemcpyDtoHAsync_v2, _ptsz, void *, dst, sim_address, src, size_t, bytes, void *,
             handle)
{
    return copy(dst, sim_pointer(src), bytes, SIM_COPY_DTOH, handle, true);
}

SIM_API_TWIN(cuMemcpyDtoDAsync_v2, _ptsz, sim_address, dst, sim_address, src, size_t, bytes, void *,
             handle)
{
    return copy(sim_pointer(dst), sim_pointer(src), bytes, SIM_COPY_DTOD, handle, true);
}

static int peer_copy(sim_address dst, const struct sim_context *dst_context, sim_address src,
                     const struct sim_context *src_context, size_t bytes, void *handle, bool async)
{
    struct sim_work work;
    SIM_CHECK(sim_handle_is(dst_context, SIM_HANDLE_CONTEXT), SIM_INVALID_CONTEXT);
    SIM_CHECK(sim_handle_is(src_context, SIM_HANDLE_CONTEXT), SIM_INVALID_CONTEXT);
    SIM_TRY(
        sim_transfer_copy(&work, sim_pointer(dst), sim_pointer(src), bytes, SIM_COPY_DTOD, async));
    sim_transfer_between(&work, dst_context->device, src_context->device);
    return sim_transfer_submit(sim_stream_of(handle), &work, !async);
}

SIM_API(cuMemcpyPeer, sim_address, dst, struct sim_context *, dst_context, sim_address, src,
        struct sim_context *, src_context, size_t, bytes)
{
    return peer_copy(dst, dst_context, src, src_context, bytes, NULL, false);
}

SIM_API_TWIN(cuMemcpyPeerAsync, _ptsz, sim_address, dst, struct sim_context *, dst_context,
             sim_address, src, struct sim_context *, src_context, size_t, bytes, void *, handle)
{
    return peer_copy(dst, dst_context, src, src_context, bytes, handle, true);
}

/* ---- boxes ---- */

/* One side of CUDA_MEMCPY2D and 3D: CUmemorytype 1 host, 2 device, 3 array, 4 unified. */
enum { TYPE_HOST = 1, TYPE_ARRAY = 3 };

struct copy_2d {
    size_t src_x, src_y;
    int src_type;
    const void *src_host;
    sim_address src_device;
    void *src_array;
    size_t src_pitch, dst_x, dst_y;
    int dst_type;
    void *dst_host;
    sim_address dst_device;
    void *dst_array;
    size_t dst_pitch, width, height;
};

static const char *src_of(const struct copy_2d *c)
{
    return (const char *)(c->src_type == TYPE_HOST ? c->src_host : sim_pointer(c->src_device));
}

static char *dst_of(const struct copy_2d *c)
{
    return (char *)(c->dst_type == TYPE_HOST ? c->dst_host : sim_pointer(c->dst_device));
}

static int copy_2d(const struct copy_2d *c, void *handle, bool async)
{
    struct sim_work work;
    SIM_CHECK(c, SIM_INVALID_VALUE);
    SIM_CHECK(c->src_type != TYPE_ARRAY && c->dst_type != TYPE_ARRAY, SIM_NOT_SUPPORTED);
    const size_t src_pitch = c->src_pitch ? c->src_pitch : c->width;
    const size_t dst_pitch = c->dst_pitch ? c->dst_pitch : c->width;
    const struct sim_copy_work box = {
        .dst = dst_of(c) + c->dst_y * dst_pitch + c->dst_x,
        .src = src_of(c) + c->src_y * src_pitch + c->src_x,
        .width = c->width,
        .height = c->height,
        .depth = 1,
        .dst_pitch = dst_pitch,
        .src_pitch = src_pitch,
        .dst_slice = dst_pitch * c->height,
        .src_slice = src_pitch * c->height,
    };
    SIM_TRY(sim_transfer_box(&work, &box, SIM_COPY_DEFAULT, async));
    return sim_transfer_submit(sim_stream_of(handle), &work, !async);
}

SIM_API_TWIN(cuMemcpy2D_v2, _ptds, const struct copy_2d *, params)
{
    return copy_2d(params, NULL, false);
}

SIM_API_TWIN(cuMemcpy2DUnaligned_v2, _ptds, const struct copy_2d *, params)
{
    return copy_2d(params, NULL, false);
}

SIM_API_TWIN(cuMemcpy2DAsync_v2, _ptsz, const struct copy_2d *, params, void *, handle)
{
    return copy_2d(params, handle, true);
}

/* ---- sets ---- */

static int set(const struct sim_set_params *params, void *handle, bool wait)
{
    struct sim_work work;
    SIM_CHECK(sim_context_current(), SIM_INVALID_CONTEXT);
    SIM_TRY(sim_transfer_set(&work, params));
    return sim_transfer_submit(sim_stream_of(handle), &work, wait);
}

static int set_1d(sim_address dst, unsigned value, unsigned element_size, size_t count,
                  void *handle)
{
    return set(&(struct sim_set_params){.dst = sim_pointer(dst),
                                        .value = value,
                                        .width = count,
                                        .element_size = element_size,
                                        .height = 1},
               handle, false);
}

SIM_API_TWIN(cuMemsetD8_v2, _ptds, sim_address, dst, unsigned char, value, size_t, count)
{
    return set_1d(dst, value, 1, count, NULL);
}

SIM_API_TWIN(cuMemsetD16_v2, _ptds, sim_address, dst, unsigned short, value, size_t, count)
{
    return set_1d(dst, value, 2, count, NULL);
}

SIM_API_TWIN(cuMemsetD32_v2, _ptds, sim_address, dst, unsigned, value, size_t, count)
{
    return set_1d(dst, value, 4, count, NULL);
}

SIM_API_TWIN(cuMemsetD8Async, _ptsz, sim_address, dst, unsigned char, value, size_t, count, void *,
             handle)
{
    return set_1d(dst, value, 1, count, handle);
}

SIM_API_TWIN(cuMemsetD16Async, _ptsz, sim_address, dst, unsigned short, value, size_t, count,
             void *, handle)
{
    return set_1d(dst, value, 2, count, handle);
}

SIM_API_TWIN(cuMemsetD32Async, _ptsz, sim_address, dst, unsigned, value, size_t, count, void *,
             handle)
{
    return set_1d(dst, value, 4, count, handle);
}

SIM_API_TWIN(cuMemsetD2D8_v2, _ptds, sim_address, dst, size_t, pitch, unsigned char, value, size_t,
             width, size_t, height)
{
    return set(&(struct sim_set_params){sim_pointer(dst), pitch, value, 1, width, height}, NULL,
               false);
}

SIM_API_TWIN(cuMemsetD2D8Async, _ptsz, sim_address, dst, size_t, pitch, unsigned char, value,
             size_t, width, size_t, height, void *, handle)
{
    return set(&(struct sim_set_params){sim_pointer(dst), pitch, value, 1, width, height}, handle,
               false);
}
