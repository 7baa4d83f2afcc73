/* sim_driver_device.c - cuInit, versions, devices, entry points, error strings. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_config.h"
#include "sim_core.h"
#include "sim_device.h"
#include "sim_driver.h"
#include "sim_error.h"

SIM_API(cuInit, unsigned, flags)
{
    SIM_CHECK(flags == 0, SIM_INVALID_VALUE);
    return sim_core_init();
}

SIM_API(cuDriverGetVersion, int *, version)
{
    SIM_CHECK(version, SIM_INVALID_VALUE);
    *version = (int)sim_config()->driver_version;
    return SIM_OK;
}

SIM_API(cuDeviceGet, int *, device, int, ordinal)
{
    SIM_CHECK(device, SIM_INVALID_VALUE);
    SIM_CHECK(ordinal >= 0 && ordinal < sim_device_count(), SIM_INVALID_DEVICE);
    *device = ordinal;
    return SIM_OK;
}

SIM_API(cuDeviceGetCount, int *, count)
{
    SIM_CHECK(count, SIM_INVALID_VALUE);
    *count = sim_device_count();
    return SIM_OK;
}

SIM_API(cuDeviceGetName, char *, name, int, length, int, device)
{
    SIM_CHECK(name && length > 0, SIM_INVALID_VALUE);
    SIM_CHECK(device >= 0 && device < sim_device_count(), SIM_INVALID_DEVICE);
    snprintf(name, (size_t)length, "%s", sim_device_name(device));
    return SIM_OK;
}

SIM_API(cuDeviceGetAttribute, int *, value, int, attribute, int, device)
{
    SIM_CHECK(value, SIM_INVALID_VALUE);
    return sim_device_attribute(device, attribute, value);
}

SIM_API(cuDeviceTotalMem_v2, size_t *, bytes, int, device)
{
    SIM_CHECK(bytes, SIM_INVALID_VALUE);
    SIM_CHECK(device >= 0 && device < sim_device_count(), SIM_INVALID_DEVICE);
    *bytes = sim_device_memory();
    return SIM_OK;
}

static int uuid_of(unsigned char *uuid, int device)
{
    SIM_CHECK(uuid, SIM_INVALID_VALUE);
    SIM_CHECK(device >= 0 && device < sim_device_count(), SIM_INVALID_DEVICE);
    sim_device_uuid(device, uuid);
    return SIM_OK;
}

SIM_API(cuDeviceGetUuid, unsigned char *, uuid, int, device)
{
    return uuid_of(uuid, device);
}

SIM_API(cuDeviceGetUuid_v2, unsigned char *, uuid, int, device)
{
    return uuid_of(uuid, device);
}

SIM_API(cuDeviceGetPCIBusId, char *, text, int, length, int, device)
{
    SIM_CHECK(text && length > 0, SIM_INVALID_VALUE);
    SIM_CHECK(device >= 0 && device < sim_device_count(), SIM_INVALID_DEVICE);
    snprintf(text, (size_t)length, "0000:%02X:00.0", (unsigned)device + 1);
    return SIM_OK;
}

SIM_API(cuDeviceGetByPCIBusId, int *, device, const char *, text)
{
    unsigned domain = 0, bus = 0;
    SIM_CHECK(device && text, SIM_INVALID_VALUE);
    SIM_CHECK(sscanf(text, "%x:%x", &domain, &bus) == 2, SIM_INVALID_VALUE);
    SIM_CHECK(bus >= 1 && bus <= (unsigned)sim_device_count(), SIM_INVALID_DEVICE);
    *device = (int)bus - 1;
    return SIM_OK;
}

SIM_API(cuDeviceCanAccessPeer, int *, can, int, device, int, peer)
{
    SIM_CHECK(can, SIM_INVALID_VALUE);
    SIM_CHECK(device >= 0 && device < sim_device_count(), SIM_INVALID_DEVICE);
    SIM_CHECK(peer >= 0 && peer < sim_device_count(), SIM_INVALID_DEVICE);
    *can = device != peer;
    return SIM_OK;
}

SIM_API_VOID(cuProfilerStart)
{
    return SIM_OK;
}

SIM_API_VOID(cuProfilerStop)
{
    return SIM_OK;
}

/* ---- entry points ---- */

/* The handle of this library itself, so that no interposed symbol is found in its place. */
static void *own_library(void)
{
    Dl_info info;
    if (!dladdr((const void *)&sim_apis, &info))
        return NULL;
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

/* The newest version of a function: callers ask by the plain name. */
static void *newest(const char *name, const char *suffix)
{
    static const char *const versions[] = {"_v4", "_v3", "_v2", ""};
    void *library = own_library();
    for (size_t i = 0; library && i < SIM_COUNT(versions); i++) {
        char full[160];
        snprintf(full, sizeof full, "%s%s%s", name, versions[i], suffix);
        void *found = dlsym(library, full);
        if (found)
            return found;
    }
    return NULL;
}

enum { PER_THREAD_FLAG = 2 };

static int entry_point(const char *name, void **function, uint64_t flags, int *status)
{
    SIM_CHECK(name && function, SIM_INVALID_VALUE);
    *function = NULL;
    if (flags & PER_THREAD_FLAG)
        *function = newest(name, "_ptsz");
    if (!*function && (flags & PER_THREAD_FLAG))
        *function = newest(name, "_ptds");
    if (!*function)
        *function = newest(name, "");
    if (status)
        *status = *function ? 0 : 1;
    return *function ? SIM_OK : SIM_NOT_FOUND;
}

SIM_API(cuGetProcAddress_v2, const char *, name, void **, function, int, version, uint64_t, flags,
        int *, status)
{
    (void)version;
    return entry_point(name, function, flags, status);
}

SIM_API(cuGetProcAddress, const char *, name, void **, function, int, version, uint64_t, flags)
{
    (void)version;
    return entry_point(name, function, flags, NULL);
}

/* ---- errors: no callbacks, usable before cuInit ---- */

SIM_EXPORT int cuGetErrorName(int result, const char **name);
SIM_EXPORT int cuGetErrorName(int result, const char **name)
{
    SIM_CHECK(name, SIM_INVALID_VALUE);
    *name = sim_error_driver_name(result);
    return *name ? SIM_OK : SIM_INVALID_VALUE;
}

SIM_EXPORT int cuGetErrorString(int result, const char **text);
SIM_EXPORT int cuGetErrorString(int result, const char **text)
{
    SIM_CHECK(text, SIM_INVALID_VALUE);
    *text = sim_error_text(result);
    return *text ? SIM_OK : SIM_INVALID_VALUE;
}
