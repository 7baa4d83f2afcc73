/* sim_driver_memory.c - allocation, registration, pointer queries. */

#include "sim_driver_memory.h"
#include "sim_capture.h"
#include "sim_clock.h"
#include "sim_device.h"
#include "sim_driver.h"
#include "sim_model.h"
#include "sim_pool.h"
#include "sim_tools.h"

static void tell(const struct sim_allocation *allocation, struct sim_stream *stream, int is_release)
{
    const struct sim_tools *tools = sim_tools_get();
    struct sim_pool pool = {0};
    if (allocation->pool)
        pool = sim_pool_change(allocation->pool, allocation->bytes, is_release);
    if (!tools)
        return;
    tools->memory(&(struct sim_memory_change){
        .context = sim_context_current(),
        .stream = stream,
        .symbol = allocation->symbol,
        .address = sim_address_of(allocation->base),
        .bytes = allocation->bytes,
        .correlation = sim_call_correlation(),
        .memory_type = (int)allocation->type,
        .is_release = is_release,
        .pool = sim_address_of(allocation->pool),
        .pool_reserved_bytes = pool.reserved_bytes,
        .pool_used_bytes = pool.used_bytes,
        .pool_release_threshold = pool.release_threshold,
    });
}

static int allocate(enum sim_memory_type type, size_t bytes, unsigned flags,
                    struct sim_stream *stream, struct sim_pool *pool, void **pointer)
{
    const struct sim_context *context = sim_context_current();
    SIM_CHECK(pointer && bytes, SIM_INVALID_VALUE);
    SIM_CHECK(context, SIM_INVALID_CONTEXT);
    SIM_TRY(stream ? SIM_OK : sim_capture_guard());
    SIM_TRY(sim_memory_allocate(type, context->device, bytes, flags, pool, pointer));
    tell(&(struct sim_allocation){.base = *pointer, .bytes = bytes, .type = type, .pool = pool},
         stream, 0);
    return SIM_OK;
}

/* The real one waits for the device too before it frees. */
int sim_driver_release(void *pointer, struct sim_stream *stream)
{
    struct sim_context *context = sim_context_current();
    struct sim_allocation was;
    SIM_CHECK(context, SIM_INVALID_CONTEXT);
    if (!pointer)
        return SIM_OK;
    SIM_TRY(stream ? SIM_OK : sim_capture_guard());
    if (stream)
        sim_stream_synchronize(stream);
    else
        sim_context_synchronize(context);
    SIM_TRY(sim_memory_release(pointer, false, &was));
    tell(&was, stream, 1);
    return SIM_OK;
}

int sim_driver_allocate_address(enum sim_memory_type type, size_t bytes, unsigned flags,
                                struct sim_stream *stream, struct sim_pool *pool,
                                sim_address *address)
{
    void *pointer = NULL;
    SIM_CHECK(address, SIM_INVALID_VALUE);
    SIM_TRY(allocate(type, bytes, flags, stream, pool, &pointer));
    *address = sim_address_of(pointer);
    return SIM_OK;
}

SIM_API(cuMemAlloc_v2, sim_address *, address, size_t, bytes)
{
    return sim_driver_allocate_address(SIM_MEMORY_DEVICE, bytes, 0, NULL, NULL, address);
}

SIM_API(cuMemAllocPitch_v2, sim_address *, address, size_t *, pitch, size_t, width, size_t, height,
        unsigned, element_bytes)
{
    (void)element_bytes;
    SIM_CHECK(pitch, SIM_INVALID_VALUE);
    *pitch = (width + 511) / 512 * 512;
    return sim_driver_allocate_address(SIM_MEMORY_DEVICE, *pitch * height, 0, NULL, NULL, address);
}

SIM_API(cuMemAllocManaged, sim_address *, address, size_t, bytes, unsigned, flags)
{
    return sim_driver_allocate_address(SIM_MEMORY_MANAGED, bytes, flags, NULL, NULL, address);
}

SIM_API(cuMemAllocHost_v2, void **, pointer, size_t, bytes)
{
    return allocate(SIM_MEMORY_PINNED, bytes, 0, NULL, NULL, pointer);
}

SIM_API(cuMemHostAlloc, void **, pointer, size_t, bytes, unsigned, flags)
{
    return allocate(SIM_MEMORY_PINNED, bytes, flags, NULL, NULL, pointer);
}

SIM_API(cuMemFree_v2, sim_address, address)
{
    return sim_driver_release(sim_pointer(address), NULL);
}

SIM_API(cuMemFreeHost, void *, pointer)
{
    return sim_driver_release(pointer, NULL);
}

SIM_API(cuMemHostRegister_v2, void *, pointer, size_t, bytes, unsigned, flags)
{
    const struct sim_context *context = sim_context_current();
    SIM_CHECK(pointer && bytes, SIM_INVALID_VALUE);
    SIM_CHECK(context, SIM_INVALID_CONTEXT);
    return sim_memory_register(SIM_MEMORY_PINNED, context->device, pointer, bytes, flags, NULL);
}

SIM_API(cuMemHostUnregister, void *, pointer)
{
    return sim_memory_release(pointer, true, NULL) == SIM_OK ? SIM_OK : SIM_NOT_REGISTERED;
}

SIM_API(cuMemHostGetDevicePointer_v2, sim_address *, address, void *, pointer, unsigned, flags)
{
    struct sim_allocation found;
    SIM_CHECK(address && flags == 0, SIM_INVALID_VALUE);
    SIM_CHECK(sim_memory_find(pointer, &found), SIM_INVALID_VALUE);
    *address = sim_address_of(pointer);
    return SIM_OK;
}

SIM_API(cuMemHostGetFlags, unsigned *, flags, void *, pointer)
{
    struct sim_allocation found;
    SIM_CHECK(flags && sim_memory_find(pointer, &found), SIM_INVALID_VALUE);
    *flags = found.flags;
    return SIM_OK;
}

SIM_API(cuMemGetInfo_v2, size_t *, free_bytes, size_t *, total_bytes)
{
    const struct sim_context *context = sim_context_current();
    SIM_CHECK(context, SIM_INVALID_CONTEXT);
    if (free_bytes)
        *free_bytes = sim_memory_free_bytes(context->device);
    if (total_bytes)
        *total_bytes = sim_device_memory();
    return SIM_OK;
}

SIM_API(cuMemGetAddressRange_v2, sim_address *, base, size_t *, bytes, sim_address, address)
{
    struct sim_allocation found;
    SIM_CHECK(sim_memory_find(sim_pointer(address), &found), SIM_NOT_FOUND);
    if (base)
        *base = sim_address_of(found.base);
    if (bytes)
        *bytes = found.bytes;
    return SIM_OK;
}

/* CUpointer_attribute numbers. */
enum {
    POINTER_CONTEXT = 1,
    POINTER_MEMORY_TYPE = 2,
    POINTER_DEVICE = 3,
    POINTER_HOST = 4,
    POINTER_IS_MANAGED = 8,
    POINTER_ORDINAL = 9
};

SIM_API(cuPointerGetAttribute, void *, data, int, attribute, sim_address, address)
{
    struct sim_allocation found;
    SIM_CHECK(data, SIM_INVALID_VALUE);
    SIM_CHECK(sim_memory_find(sim_pointer(address), &found), SIM_INVALID_VALUE);
    switch (attribute) {
    case POINTER_CONTEXT:
        *(void **)data = sim_context_primary(found.device);
        break;
    case POINTER_MEMORY_TYPE:
        *(int *)data = found.type == SIM_MEMORY_PINNED ? 1 : 2;
        break;
    case POINTER_DEVICE:
        *(sim_address *)data = address;
        break;
    case POINTER_HOST:
        *(void **)data = sim_pointer(address);
        break;
    case POINTER_IS_MANAGED:
        *(int *)data = found.type == SIM_MEMORY_MANAGED;
        break;
    case POINTER_ORDINAL:
        *(int *)data = found.device;
        break;
    default:
        return SIM_NOT_SUPPORTED;
    }
    return SIM_OK;
}

static void notify_migration(const struct sim_allocation *was, int target, uint64_t start_ns,
                             enum sim_migration_cause cause)
{
    const struct sim_tools *tools = sim_tools_get();
    if (tools)
        tools->migrated(&(struct sim_migration){
            .address = sim_address_of(was->base),
            .bytes = was->bytes,
            .start_ns = start_ns,
            .end_ns = start_ns + sim_model_migration(was->bytes, was->resident, target),
            .source = was->resident,
            .target = target,
            .cause = cause,
        });
}

/* Managed memory moves as a whole, now, to the device or (locations that are none) to the host. */
SIM_API_TWIN(cuMemPrefetchAsync_v2, _ptsz, sim_address, address, size_t, bytes, struct sim_location,
             location, unsigned, flags, void *, handle)
{
    enum { ON_DEVICE = 1 };
    struct sim_allocation was;
    (void)bytes, (void)flags;
    SIM_CHECK(sim_stream_of(handle), SIM_INVALID_HANDLE);
    SIM_CHECK(sim_memory_find(sim_pointer(address), &was), SIM_INVALID_VALUE);
    const int target = location.type == ON_DEVICE ? location.id : SIM_ON_HOST;
    if (sim_memory_move(sim_pointer(address), target, &was))
        notify_migration(&was, target, sim_clock_now(), SIM_MIGRATION_PREFETCH);
    return SIM_OK;
}

SIM_API(cuMemAdvise_v2, sim_address, address, size_t, bytes, int, advice, struct sim_location,
        location)
{
    struct sim_allocation found;
    (void)bytes, (void)advice, (void)location;
    return sim_memory_find(sim_pointer(address), &found) ? SIM_OK : SIM_INVALID_VALUE;
}
