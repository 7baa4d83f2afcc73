/* sim_rt_memory.c - allocation, registration, pointers, variables, pools. */
#include <string.h>

#include "sim_core.h"
#include "sim_device.h"
#include "sim_memory.h"
#include "sim_rt.h"

/* Runs an allocation that yields an address and stores it as a pointer. */
static int store(int result, const sim_address *address, void **pointer)
{
    if (result == SIM_OK)
        *pointer = sim_pointer(*address);
    return result;
}

/* Allocating nothing yields NULL without asking the driver. */
static int allocate(void **pointer, size_t bytes)
{
    sim_address address = 0;
    SIM_CHECK(pointer, SIM_INVALID_VALUE);
    SIM_TRY(sim_rt_ready());
    *pointer = NULL;
    return bytes ? store(cuMemAlloc_v2(&address, bytes), &address, pointer) : SIM_OK;
}

SIM_API(cudaMalloc, void **, pointer, size_t, bytes)
{
    return allocate(pointer, bytes);
}

SIM_API(cudaMallocPitch, void **, pointer, size_t *, pitch, size_t, width, size_t, height)
{
    sim_address address = 0;
    SIM_CHECK(pointer && pitch, SIM_INVALID_VALUE);
    SIM_TRY(sim_rt_ready());
    return store(cuMemAllocPitch_v2(&address, pitch, width, height, 4), &address, pointer);
}

SIM_API(cudaMalloc3D, struct sim_pitched *, memory, struct sim_extent, extent)
{
    SIM_CHECK(memory, SIM_INVALID_VALUE);
    memory->pitch = (extent.width + 511) / 512 * 512;
    memory->width = extent.width;
    memory->height = extent.height;
    return allocate(&memory->pointer, memory->pitch * extent.height * extent.depth);
}

SIM_API(cudaMallocManaged, void **, pointer, size_t, bytes, unsigned, flags)
{
    sim_address address = 0;
    SIM_CHECK(pointer && bytes, SIM_INVALID_VALUE);
    SIM_TRY(sim_rt_ready());
    return store(cuMemAllocManaged(&address, bytes, flags), &address, pointer);
}

SIM_API(cudaMallocHost, void **, pointer, size_t, bytes)
{
    SIM_CHECK(pointer, SIM_INVALID_VALUE);
    SIM_TRY(sim_rt_ready());
    return cuMemAllocHost_v2(pointer, bytes);
}

SIM_API(cudaHostAlloc, void **, pointer, size_t, bytes, unsigned, flags)
{
    SIM_CHECK(pointer, SIM_INVALID_VALUE);
    SIM_TRY(sim_rt_ready());
    return cuMemHostAlloc(pointer, bytes, flags);
}

SIM_API(cudaFree, void *, pointer)
{
    SIM_TRY(sim_rt_ready());
    return pointer ? cuMemFree_v2(sim_address_of(pointer)) : SIM_OK;
}

SIM_API(cudaFreeHost, void *, pointer)
{
    SIM_TRY(sim_rt_ready());
    return pointer ? cuMemFreeHost(pointer) : SIM_OK;
}

SIM_API_TWIN(cudaMallocAsync, _ptsz, void **, pointer, size_t, bytes, void *, stream)
{
    sim_address address = 0;
    SIM_CHECK(pointer, SIM_INVALID_VALUE);
    SIM_TRY(sim_rt_ready());
    return store(cuMemAllocAsync(&address, bytes, sim_rt_stream(stream)), &address, pointer);
}

SIM_API_TWIN(cudaMallocFromPoolAsync, _ptsz, void **, pointer, size_t, bytes, void *, pool, void *,
             stream)
{
    sim_address address = 0;
    SIM_CHECK(pointer, SIM_INVALID_VALUE);
    SIM_TRY(sim_rt_ready());
    return store(cuMemAllocFromPoolAsync(&address, bytes, pool, sim_rt_stream(stream)), &address,
                 pointer);
}

SIM_API_TWIN(cudaFreeAsync, _ptsz, void *, pointer, void *, stream)
{
    SIM_TRY(sim_rt_ready());
    return cuMemFreeAsync(sim_address_of(pointer), sim_rt_stream(stream));
}

SIM_API(cudaHostRegister, void *, pointer, size_t, bytes, unsigned, flags)
{
    SIM_TRY(sim_rt_ready());
    return cuMemHostRegister_v2(pointer, bytes, flags);
}

SIM_API(cudaHostUnregister, void *, pointer)
{
    SIM_TRY(sim_rt_ready());
    return cuMemHostUnregister(pointer);
}

SIM_API(cudaHostGetDevicePointer, void **, device_pointer, void *, pointer, unsigned, flags)
{
    struct sim_allocation found;
    SIM_CHECK(device_pointer && flags == 0, SIM_INVALID_VALUE);
    SIM_CHECK(sim_memory_find(pointer, &found), SIM_INVALID_VALUE);
    *device_pointer = pointer;
    return SIM_OK;
}

SIM_API(cudaHostGetFlags, unsigned *, flags, void *, pointer)
{
    SIM_TRY(sim_rt_ready());
    return cuMemHostGetFlags(flags, pointer);
}

SIM_API(cudaMemGetInfo, size_t *, free_bytes, size_t *, total_bytes)
{
    SIM_TRY(sim_rt_ready());
    if (free_bytes)
        *free_bytes = sim_memory_free_bytes(sim_context_current()->device);
    if (total_bytes)
        *total_bytes = sim_device_memory();
    return SIM_OK;
}

struct pointer_attributes {
    int type, device;
    void *device_pointer, *host_pointer;
    long reserved[8];
};

SIM_API(cudaPointerGetAttributes, struct pointer_attributes *, attributes, const void *, pointer)
{
    struct sim_allocation found;
    void *address = (void *)(uintptr_t)pointer;
    SIM_CHECK(attributes, SIM_INVALID_VALUE);
    if (!sim_memory_find(pointer, &found)) {
        *attributes = (struct pointer_attributes){.device = -2, .host_pointer = address};
        return SIM_OK;
    }
    *attributes = (struct pointer_attributes){
        .type = (int)found.type,
        .device = found.device,
        .device_pointer = address,
        .host_pointer = found.type == SIM_MEMORY_DEVICE ? NULL : address,
    };
    return SIM_OK;
}

SIM_API(cudaGetSymbolAddress, void **, address, const void *, symbol)
{
    SIM_TRY(sim_rt_ready());
    return sim_rt_symbol(symbol, address, NULL);
}

SIM_API(cudaGetSymbolSize, size_t *, bytes, const void *, symbol)
{
    SIM_TRY(sim_rt_ready());
    return sim_rt_symbol(symbol, NULL, bytes);
}

SIM_API_TWIN(cudaMemPrefetchAsync, _ptsz, const void *, pointer, size_t, bytes, struct sim_location,
             location, unsigned, flags, void *, stream)
{
    SIM_TRY(sim_rt_ready());
    return cuMemPrefetchAsync_v2(sim_address_of(pointer), bytes, location, flags,
                                 sim_rt_stream(stream));
}

SIM_API(cudaMemAdvise, const void *, pointer, size_t, bytes, int, advice, struct sim_location,
        location)
{
    struct sim_allocation found;
    (void)bytes, (void)advice, (void)location;
    return sim_memory_find(pointer, &found) ? SIM_OK : SIM_INVALID_VALUE;
}

/* ---- pools ---- */

int cuDeviceGetDefaultMemPool(void **pool, int device);
int cuDeviceGetMemPool(void **pool, int device);
int cuDeviceSetMemPool(int device, void *pool);
int cuMemPoolCreate(void **pool, const void *properties);
int cuMemPoolDestroy(void *pool);
int cuMemPoolGetAttribute(void *pool, int attribute, void *value);
int cuMemPoolSetAttribute(void *pool, int attribute, void *value);
int cuMemPoolSetAccess(void *pool, const void *descriptions, size_t count);
int cuMemPoolTrimTo(void *pool, size_t keep);

SIM_API(cudaDeviceGetDefaultMemPool, void **, pool, int, device)
{
    return cuDeviceGetDefaultMemPool(pool, device);
}

SIM_API(cudaDeviceGetMemPool, void **, pool, int, device)
{
    return cuDeviceGetMemPool(pool, device);
}

SIM_API(cudaDeviceSetMemPool, int, device, void *, pool)
{
    return cuDeviceSetMemPool(device, pool);
}

SIM_API(cudaMemPoolCreate, void **, pool, const void *, properties)
{
    return cuMemPoolCreate(pool, properties);
}

SIM_API(cudaMemPoolDestroy, void *, pool)
{
    return cuMemPoolDestroy(pool);
}

SIM_API(cudaMemPoolSetAttribute, void *, pool, int, attribute, void *, value)
{
    return cuMemPoolSetAttribute(pool, attribute, value);
}

SIM_API(cudaMemPoolGetAttribute, void *, pool, int, attribute, void *, value)
{
    return cuMemPoolGetAttribute(pool, attribute, value);
}

SIM_API(cudaMemPoolTrimTo, void *, pool, size_t, keep)
{
    return cuMemPoolTrimTo(pool, keep);
}

SIM_API(cudaMemPoolSetAccess, void *, pool, const void *, descriptions, size_t, count)
{
    return cuMemPoolSetAccess(pool, descriptions, count);
}
