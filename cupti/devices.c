#include "devices.h"

#include "facts.h"

#include <string.h>

_Static_assert(sizeof(struct prof_rec_device) <= FACTS_BYTES_MAX, "a device is a fact");

static bool stated;

/* 0: the driver does not know the attribute. */
static uint32_t attribute(const struct driver_library *driver, int device,
                          enum abi_cuda_attribute which)
{
    int value = 0;
    if (driver->cuDeviceGetAttribute(&value, (int)which, device) != ABI_OK || value < 0)
        return 0;
    return (uint32_t)value;
}

/* Bytes a second: memory moves data twice in a clock [CUDA's sample deviceQuery]. */
static uint64_t bandwidth(const struct driver_library *driver, int device)
{
    uint64_t clock_khz = attribute(driver, device, ABI_CUDA_ATTRIBUTE_MEMORY_CLOCK_KHZ);
    return 2 * clock_khz * 1000 * attribute(driver, device, ABI_CUDA_ATTRIBUTE_BUS_BITS) / 8;
}

static uint32_t device_name(const struct driver_library *driver, int device)
{
    char name[128] = "";
    if (driver->cuDeviceGetName(name, (int)sizeof name, device) != ABI_OK)
        return 0;
    if (strncmp(name, "Simulated GPU", 13) == 0)
        recorder_set_simulated();
    return names_intern(name, strnlen(name, sizeof name));
}

static void state_device(const struct driver_library *driver, int ordinal, int device)
{
    size_t bytes = 0;
    driver->cuDeviceTotalMem_v2(&bytes, device);
#define ATTRIBUTE(name) attribute(driver, device, ABI_CUDA_ATTRIBUTE_##name)
    struct prof_rec_device record = {
        .device = (uint32_t)ordinal,
        .name = device_name(driver, device),
        .memory_bytes = bytes,
        .memory_bandwidth = bandwidth(driver, device),
        .compute_major = ATTRIBUTE(COMPUTE_MAJOR),
        .compute_minor = ATTRIBUTE(COMPUTE_MINOR),
        .multiprocessors = ATTRIBUTE(MULTIPROCESSORS),
        .core_clock_khz = ATTRIBUTE(CLOCK_KHZ),
        .l2_bytes = ATTRIBUTE(L2_BYTES),
        .threads_per_warp = ATTRIBUTE(WARP),
        .max_threads_per_block = ATTRIBUTE(THREADS_PER_BLOCK),
        .max_blocks_per_multiprocessor = ATTRIBUTE(BLOCKS_PER_SM),
        .max_threads_per_multiprocessor = ATTRIBUTE(THREADS_PER_SM),
        .registers_per_block = ATTRIBUTE(REGISTERS_PER_BLOCK),
        .registers_per_multiprocessor = ATTRIBUTE(REGISTERS_PER_SM),
        .shared_memory_per_block = ATTRIBUTE(SHARED_PER_BLOCK),
        .shared_memory_per_multiprocessor = ATTRIBUTE(SHARED_PER_SM),
    };
#undef ATTRIBUTE
    if (record.threads_per_warp)
        record.max_warps_per_multiprocessor =
            record.max_threads_per_multiprocessor / record.threads_per_warp;
    if (driver->cuDeviceGetUuid)
        driver->cuDeviceGetUuid(record.uuid, device);
    facts_state(PROF_REC_DEVICE, &record, sizeof record);
}

void devices_state(const struct driver_library *driver)
{
    int count = 0;
    if (stated || !driver || !driver->cuDeviceGetCount || !driver->cuDeviceGet ||
        !driver->cuDeviceGetName || !driver->cuDeviceTotalMem_v2 || !driver->cuDeviceGetAttribute ||
        driver->cuDeviceGetCount(&count) != ABI_OK)
        return;
    stated = true;
    for (int ordinal = 0; ordinal < count; ordinal++) {
        int device = 0;
        if (driver->cuDeviceGet(&device, ordinal) == ABI_OK)
            state_device(driver, ordinal, device);
    }
}
