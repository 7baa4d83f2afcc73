/* sim_rt_device.c - devices, contexts behind them, versions, errors, profiler switches, entry
 * points.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "sim_config.h"
#include "sim_core.h"
#include "sim_device.h"
#include "sim_error.h"
#include "sim_rt.h"

static _Thread_local int device_of_thread;

int *sim_rt_device(void)
{
    return &device_of_thread;
}

/* A context the program made current through the driver API is used as it is. */
int sim_rt_ready(void)
{
    struct sim_context *context = sim_context_current();
    if (context && (!context->primary || context->device == device_of_thread))
        return SIM_OK;
    context = sim_context_primary(device_of_thread);
    if (!context)
        SIM_TRY(sim_context_retain(device_of_thread, &context));
    return sim_context_set_current(context);
}

void *sim_rt_stream(void *handle)
{
    const struct sim_call *call = sim_call_top();
    return !handle && call && call->per_thread ? SIM_STREAM_PER_THREAD : handle;
}

SIM_API(cudaDriverGetVersion, int *, version)
{
    SIM_CHECK(version, SIM_INVALID_VALUE);
    *version = sim_core_usable() == SIM_OK ? (int)sim_config()->driver_version : 0;
    return SIM_OK;
}

SIM_API(cudaRuntimeGetVersion, int *, version)
{
    SIM_CHECK(version, SIM_INVALID_VALUE);
    *version = 13000;
    return SIM_OK;
}

SIM_API(cudaGetDeviceCount, int *, count)
{
    SIM_CHECK(count, SIM_INVALID_VALUE);
    *count = sim_device_count();
    return *count ? SIM_OK : SIM_NO_DEVICE;
}

SIM_API(cudaGetDevice, int *, device)
{
    SIM_CHECK(device, SIM_INVALID_VALUE);
    *device = device_of_thread;
    return SIM_OK;
}

static int set_device(int device)
{
    SIM_CHECK(device >= 0 && device < sim_device_count(), SIM_INVALID_DEVICE);
    device_of_thread = device;
    struct sim_context *context = sim_context_primary(device);
    if (!context)
        SIM_TRY(sim_context_retain(device, &context));
    return sim_context_set_current(context);
}

SIM_API(cudaSetDevice, int, device)
{
    return set_device(device);
}

SIM_API(cudaInitDevice, int, device, unsigned, device_flags, unsigned, flags)
{
    struct sim_context *context = NULL;
    (void)device_flags, (void)flags;
    SIM_CHECK(device >= 0 && device < sim_device_count(), SIM_INVALID_DEVICE);
    return sim_context_primary(device) ? SIM_OK : sim_context_retain(device, &context);
}

SIM_API(cudaSetDeviceFlags, unsigned, flags)
{
    (void)flags;
    return SIM_OK;
}

SIM_API(cudaGetDeviceFlags, unsigned *, flags)
{
    SIM_CHECK(flags, SIM_INVALID_VALUE);
    *flags = 0;
    return SIM_OK;
}

SIM_API(cudaSetValidDevices, int *, devices, int, count)
{
    (void)devices, (void)count;
    return SIM_OK;
}

SIM_API(cudaDeviceGetAttribute, int *, value, int, attribute, int, device)
{
    SIM_CHECK(value, SIM_INVALID_VALUE);
    return sim_device_attribute(device, attribute, value);
}

SIM_API(cudaDeviceGetPCIBusId, char *, text, int, length, int, device)
{
    SIM_CHECK(text && length > 0, SIM_INVALID_VALUE);
    SIM_CHECK(device >= 0 && device < sim_device_count(), SIM_INVALID_DEVICE);
    snprintf(text, (size_t)length, "0000:%02X:00.0", (unsigned)device + 1);
    return SIM_OK;
}

int cuDeviceGetByPCIBusId(int *device, const char *text);

SIM_API(cudaDeviceGetByPCIBusId, int *, device, const char *, text)
{
    return cuDeviceGetByPCIBusId(device, text);
}

/* cudaDeviceP2PAttr: performance rank, access, atomics, arrays. */
SIM_API(cudaDeviceGetP2PAttribute, int *, value, int, attribute, int, device, int, peer)
{
    SIM_CHECK(value && attribute >= 1 && attribute <= 4, SIM_INVALID_VALUE);
    SIM_CHECK(device >= 0 && device < sim_device_count(), SIM_INVALID_DEVICE);
    SIM_CHECK(peer >= 0 && peer < sim_device_count() && peer != device, SIM_INVALID_DEVICE);
    *value = attribute == 2 || attribute == 3;
    return SIM_OK;
}

SIM_API_VOID(cudaCtxResetPersistingL2Cache)
{
    return SIM_OK;
}

SIM_API_VOID(cudaDeviceSynchronize)
{
    SIM_TRY(sim_rt_ready());
    return cuCtxSynchronize();
}

SIM_API_VOID(cudaDeviceReset)
{
    return sim_context_reset(device_of_thread);
}

SIM_API(cudaDeviceGetStreamPriorityRange, int *, least, int *, greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return SIM_OK;
}

SIM_API(cudaDeviceGetLimit, size_t *, value, int, limit)
{
    static const size_t values[] = {1024, 7340032, 8388608, 2, 2048, 128, 0};
    SIM_CHECK(value && limit >= 0 && limit < (int)SIM_COUNT(values), SIM_INVALID_VALUE);
    *value = values[limit];
    return SIM_OK;
}

SIM_API(cudaDeviceSetLimit, int, limit, size_t, value)
{
    (void)value;
    SIM_CHECK(limit >= 0 && limit < 7, SIM_INVALID_VALUE);
    return SIM_OK;
}

SIM_API(cudaDeviceGetCacheConfig, int *, config)
{
    SIM_CHECK(config, SIM_INVALID_VALUE);
    *config = 0;
    return SIM_OK;
}

SIM_API(cudaDeviceSetCacheConfig, int, config)
{
    (void)config;
    return SIM_OK;
}

SIM_API(cudaDeviceCanAccessPeer, int *, can, int, device, int, peer)
{
    SIM_CHECK(can, SIM_INVALID_VALUE);
    SIM_CHECK(device >= 0 && device < sim_device_count(), SIM_INVALID_DEVICE);
    SIM_CHECK(peer >= 0 && peer < sim_device_count(), SIM_INVALID_DEVICE);
    *can = device != peer;
    return SIM_OK;
}

static int change_peer(int peer, bool enable)
{
    SIM_CHECK(peer >= 0 && peer < sim_device_count() && peer != device_of_thread,
              SIM_INVALID_DEVICE);
    SIM_TRY(sim_rt_ready());
    struct sim_context *context = sim_context_current();
    const uint64_t bit = UINT64_C(1) << peer;
    sim_core_lock();
    const bool enabled = context->peers & bit;
    context->peers = enable ? context->peers | bit : context->peers & ~bit;
    sim_core_unlock();
    if (enable)
        return enabled ? SIM_PEER_ALREADY_ENABLED : SIM_OK;
    return enabled ? SIM_OK : SIM_PEER_NOT_ENABLED;
}

SIM_API(cudaDeviceEnablePeerAccess, int, peer, unsigned, flags)
{
    SIM_CHECK(flags == 0, SIM_INVALID_VALUE);
    return change_peer(peer, true);
}

SIM_API(cudaDeviceDisablePeerAccess, int, peer)
{
    return change_peer(peer, false);
}

SIM_API_VOID(cudaProfilerStart)
{
    return cuProfilerStart();
}

SIM_API_VOID(cudaProfilerStop)
{
    return cuProfilerStop();
}

/* ---- errors ---- */

SIM_API_VOID(cudaGetLastError)
{
    const int sticky = sim_core_sticky();
    const int error = *sim_call_last_error();
    *sim_call_last_error() = SIM_OK;
    return sticky ? sticky : error;
}

SIM_API_VOID(cudaPeekAtLastError)
{
    const int sticky = sim_core_sticky();
    return sticky ? sticky : *sim_call_last_error();
}

SIM_EXPORT const char *cudaGetErrorName(int error);
SIM_EXPORT const char *cudaGetErrorName(int error)
{
    const char *name = sim_error_runtime_name(error);
    return name ? name : "unrecognized error code";
}

SIM_EXPORT const char *cudaGetErrorString(int error);
SIM_EXPORT const char *cudaGetErrorString(int error)
{
    const char *text = sim_error_text(error);
    return text ? text : "unrecognized error code";
}

/* ---- entry points: the driver's functions by name ---- */

int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                        int *status);

static int entry_point(const char *name, void **function, unsigned long long flags, int *status)
{
    SIM_CHECK(name && function, SIM_INVALID_VALUE);
    const int result = cuGetProcAddress_v2(name, function, 13000, flags, status);
    return result == SIM_NOT_FOUND && status ? SIM_OK : result;
}

SIM_API_TWIN(cudaGetDriverEntryPoint, _ptsz, const char *, name, void **, function,
             unsigned long long, flags, int *, status)
{
    return entry_point(name, function, flags, status);
}

SIM_API_TWIN(cudaGetDriverEntryPointByVersion, _ptsz, const char *, name, void **, function,
             unsigned, version, unsigned long long, flags, int *, status)
{
    (void)version;
    return entry_point(name, function, flags, status);
}
