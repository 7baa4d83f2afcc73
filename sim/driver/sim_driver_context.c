/* sim_driver_context.c - contexts. */
#include <string.h>

#include "sim_capture.h"
#include "sim_clock.h"
#include "sim_core.h"
#include "sim_device.h"
#include "sim_driver.h"
#include "sim_tools.h"

SIM_API(cuDevicePrimaryCtxRetain, struct sim_context **, context, int, device)
{
    SIM_CHECK(context, SIM_INVALID_VALUE);
    return sim_context_retain(device, context);
}

SIM_API(cuDevicePrimaryCtxRelease_v2, int, device)
{
    return sim_context_release(device);
}

SIM_API(cuDevicePrimaryCtxReset_v2, int, device)
{
    return sim_context_reset(device);
}

SIM_API(cuDevicePrimaryCtxSetFlags_v2, int, device, unsigned, flags)
{
    (void)flags;
    SIM_CHECK(device >= 0 && device < sim_device_count(), SIM_INVALID_DEVICE);
    return SIM_OK;
}

SIM_API(cuDevicePrimaryCtxGetState, int, device, unsigned *, flags, int *, active)
{
    SIM_CHECK(device >= 0 && device < sim_device_count(), SIM_INVALID_DEVICE);
    if (flags)
        *flags = 0;
    if (active)
        *active = sim_context_primary(device) != NULL;
    return SIM_OK;
}

SIM_API(cuCtxCreate_v2, struct sim_context **, context, unsigned, flags, int, device)
{
    (void)flags;
    SIM_CHECK(context, SIM_INVALID_VALUE);
    return sim_context_create(device, context);
}

SIM_API(cuCtxCreate_v4, struct sim_context **, context, void *, params, unsigned, flags, int,
        device)
{
    (void)params;
    (void)flags;
    SIM_CHECK(context, SIM_INVALID_VALUE);
    return sim_context_create(device, context);
}

SIM_API(cuCtxDestroy_v2, struct sim_context *, context)
{
    return sim_context_destroy(context);
}

SIM_API(cuCtxGetCurrent, struct sim_context **, context)
{
    SIM_CHECK(context, SIM_INVALID_VALUE);
    *context = sim_context_current();
    return SIM_OK;
}

SIM_API(cuCtxSetCurrent, struct sim_context *, context)
{
    return sim_context_set_current(context);
}

SIM_API(cuCtxPushCurrent_v2, struct sim_context *, context)
{
    return sim_context_push(context);
}

SIM_API(cuCtxPopCurrent_v2, struct sim_context **, context)
{
    return sim_context_pop(context);
}

SIM_API(cuCtxGetDevice, int *, device)
{
    const struct sim_context *context = sim_context_current();
    SIM_CHECK(device, SIM_INVALID_VALUE);
    SIM_CHECK(context, SIM_INVALID_CONTEXT);
    *device = context->device;
    return SIM_OK;
}

static struct sim_context *or_current(struct sim_context *context)
{
    return context ? context : sim_context_current();
}

SIM_API(cuCtxGetId, struct sim_context *, context, unsigned long long *, id)
{
    const struct sim_context *chosen = or_current(context);
    SIM_CHECK(id, SIM_INVALID_VALUE);
    SIM_CHECK(sim_handle_is(chosen, SIM_HANDLE_CONTEXT), SIM_INVALID_CONTEXT);
    *id = chosen->id;
    return SIM_OK;
}

SIM_API(cuCtxGetApiVersion, struct sim_context *, context, unsigned *, version)
{
    SIM_CHECK(version && or_current(context), SIM_INVALID_VALUE);
    *version = 13000;
    return SIM_OK;
}

SIM_API(cuCtxGetFlags, unsigned *, flags)
{
    SIM_CHECK(flags, SIM_INVALID_VALUE);
    *flags = 0;
    return SIM_OK;
}

SIM_API_VOID(cuCtxSynchronize)
{
    struct sim_context *context = sim_context_current();
    const struct sim_tools *tools = sim_tools_get();
    SIM_CHECK(context, SIM_INVALID_CONTEXT);
    SIM_TRY(sim_capture_guard());
    struct sim_sync sync = {.type = SIM_SYNC_CONTEXT,
                            .context = context,
                            .correlation = sim_call_correlation(),
                            .start_ns = sim_clock_now()};
    sim_context_synchronize(context);
    sync.end_ns = sim_clock_now();
    if (tools)
        tools->synchronized(&sync);
    return SIM_OK;
}

SIM_API(cuCtxGetStreamPriorityRange, int *, least, int *, greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return SIM_OK;
}

SIM_API(cuCtxGetLimit, size_t *, value, int, limit)
{
    static const size_t values[] = {1024, 7340032, 8388608, 2, 2048, 128, 0};
    SIM_CHECK(value && limit >= 0 && limit < (int)SIM_COUNT(values), SIM_INVALID_VALUE);
    *value = values[limit];
    return SIM_OK;
}

SIM_API(cuCtxSetLimit, int, limit, size_t, value)
{
    (void)value;
    SIM_CHECK(limit >= 0 && limit < 7, SIM_INVALID_VALUE);
    return SIM_OK;
}

SIM_API(cuCtxEnablePeerAccess, struct sim_context *, peer, unsigned, flags)
{
    struct sim_context *context = sim_context_current();
    SIM_CHECK(flags == 0, SIM_INVALID_VALUE);
    SIM_CHECK(context && sim_handle_is(peer, SIM_HANDLE_CONTEXT), SIM_INVALID_CONTEXT);
    SIM_CHECK(context != peer, SIM_INVALID_DEVICE);
    const uint64_t bit = UINT64_C(1) << peer->device;
    sim_core_lock();
    const bool already = context->peers & bit;
    context->peers |= bit;
    sim_core_unlock();
    return already ? SIM_PEER_ALREADY_ENABLED : SIM_OK;
}

SIM_API(cuCtxDisablePeerAccess, struct sim_context *, peer)
{
    struct sim_context *context = sim_context_current();
    SIM_CHECK(context && sim_handle_is(peer, SIM_HANDLE_CONTEXT), SIM_INVALID_CONTEXT);
    const uint64_t bit = UINT64_C(1) << peer->device;
    sim_core_lock();
    const bool enabled = context->peers & bit;
    context->peers &= ~bit;
    sim_core_unlock();
    return enabled ? SIM_OK : SIM_PEER_NOT_ENABLED;
}
