/* sim_driver_pool.c - memory pools and stream-ordered allocation. */
#include <string.h>

#include "sim_device.h"
#include "sim_driver.h"
#include "sim_driver_memory.h"
#include "sim_pool.h"
#include "sim_tools.h"

/* CUPTI's ids of pool operations. */
enum { POOL_CREATED = 1, POOL_DESTROYED = 2, POOL_TRIMMED = 3 };

static void tell(struct sim_pool *pool, const struct sim_pool *now, int operation, uint64_t keep)
{
    const struct sim_tools *tools = sim_tools_get();
    if (!tools)
        return;
    tools->pool(&(struct sim_pool_change){
        .address = sim_address_of(pool),
        .reserved_bytes = now->reserved_bytes,
        .used_bytes = now->used_bytes,
        .release_threshold = now->release_threshold,
        .keep_bytes = keep,
        .correlation = sim_call_correlation(),
        .device = now->device,
        .operation = operation,
    });
}

/* ---- allocations ---- */

SIM_API_TWIN(cuMemAllocAsync, _ptsz, sim_address *, address, size_t, bytes, void *, handle)
{
    struct sim_stream *stream = sim_stream_of(handle);
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    return sim_driver_allocate_address(SIM_MEMORY_DEVICE, bytes, 0, stream,
                                       sim_pool_current(stream->context->device), address);
}

SIM_API_TWIN(cuMemAllocFromPoolAsync, _ptsz, sim_address *, address, size_t, bytes, void *, pool,
             void *, handle)
{
    struct sim_stream *stream = sim_stream_of(handle);
    SIM_CHECK(stream && sim_handle_is(pool, SIM_HANDLE_POOL), SIM_INVALID_HANDLE);
    return sim_driver_allocate_address(SIM_MEMORY_DEVICE, bytes, 0, stream, pool, address);
}

SIM_API_TWIN(cuMemFreeAsync, _ptsz, sim_address, address, void *, handle)
{
    struct sim_stream *stream = sim_stream_of(handle);
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    return sim_driver_release(sim_pointer(address), stream);
}

/* ---- pools ---- */

static bool is_device(int device)
{
    return device >= 0 && device < sim_device_count();
}

SIM_API(cuDeviceGetDefaultMemPool, void **, pool, int, device)
{
    SIM_CHECK(pool, SIM_INVALID_VALUE);
    SIM_CHECK(is_device(device), SIM_INVALID_DEVICE);
    *pool = sim_pool_default(device);
    return SIM_OK;
}

SIM_API(cuDeviceGetMemPool, void **, pool, int, device)
{
    SIM_CHECK(pool, SIM_INVALID_VALUE);
    SIM_CHECK(is_device(device), SIM_INVALID_DEVICE);
    *pool = sim_pool_current(device);
    return SIM_OK;
}

SIM_API(cuDeviceSetMemPool, int, device, void *, pool)
{
    SIM_CHECK(is_device(device), SIM_INVALID_DEVICE);
    SIM_CHECK(sim_handle_is(pool, SIM_HANDLE_POOL), SIM_INVALID_VALUE);
    sim_pool_set_current(device, pool);
    return SIM_OK;
}

/* What of CUmemPoolProps counts here: allocation type, handle types, place. */
struct pool_properties {
    int allocation_type, handle_types;
    struct sim_location location;
};

SIM_API(cuMemPoolCreate, void **, pool, const struct pool_properties *, properties)
{
    SIM_CHECK(pool && properties, SIM_INVALID_VALUE);
    const int device = properties->location.id;
    struct sim_pool *made = sim_pool_create(is_device(device) ? device : 0);
    SIM_CHECK(made, SIM_OUT_OF_MEMORY);
    tell(made, made, POOL_CREATED, 0);
    *pool = made;
    return SIM_OK;
}

SIM_API(cuMemPoolDestroy, void *, pool)
{
    SIM_CHECK(sim_handle_is(pool, SIM_HANDLE_POOL), SIM_INVALID_VALUE);
    tell(pool, pool, POOL_DESTROYED, 0);
    sim_pool_destroy(pool);
    return SIM_OK;
}

SIM_API(cuMemPoolTrimTo, void *, pool, size_t, keep)
{
    SIM_CHECK(sim_handle_is(pool, SIM_HANDLE_POOL), SIM_INVALID_VALUE);
    const struct sim_pool now = sim_pool_trim(pool, keep);
    tell(pool, &now, POOL_TRIMMED, keep);
    return SIM_OK;
}

/* CUmemPool_attribute numbers. */
enum { POOL_FLAGS_END = 3, POOL_RELEASE_THRESHOLD = 4, POOL_RESERVED = 5, POOL_USED = 7 };

SIM_API(cuMemPoolSetAttribute, void *, pool, int, attribute, void *, value)
{
    SIM_CHECK(value && sim_handle_is(pool, SIM_HANDLE_POOL), SIM_INVALID_VALUE);
    if (attribute == POOL_RELEASE_THRESHOLD)
        memcpy(&((struct sim_pool *)pool)->release_threshold, value, 8);
    return SIM_OK;
}

static uint64_t attribute_of(const struct sim_pool *pool, int attribute)
{
    switch (attribute) {
    case POOL_RELEASE_THRESHOLD:
        return pool->release_threshold;
    case POOL_RESERVED:
        return pool->reserved_bytes;
    case POOL_USED:
        return pool->used_bytes;
    default:
        return 0;
    }
}

SIM_API(cuMemPoolGetAttribute, void *, pool, int, attribute, void *, value)
{
    SIM_CHECK(value && sim_handle_is(pool, SIM_HANDLE_POOL), SIM_INVALID_VALUE);
    if (attribute <= POOL_FLAGS_END)
        *(int *)value = 1;
    else
        *(uint64_t *)value = attribute_of(pool, attribute);
    return SIM_OK;
}

SIM_API(cuMemPoolSetAccess, void *, pool, const void *, descriptions, size_t, count)
{
    (void)count;
    return descriptions && sim_handle_is(pool, SIM_HANDLE_POOL) ? SIM_OK : SIM_INVALID_VALUE;
}
