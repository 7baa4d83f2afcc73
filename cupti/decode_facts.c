#include "decode_facts.h"

#include "abi_records.h"
#include "facts.h"

_Static_assert(sizeof(struct prof_rec_device) <= FACTS_BYTES_MAX, "a device is a fact");

static uint32_t name_of(const char *name)
{
    if (!name)
        return 0;
    if (strncmp(name, "Simulated GPU", 13) == 0)
        recorder_set_simulated();
    return names_intern(name, strlen(name));
}

bool decode_device(const uint8_t *record, uint32_t size)
{
    (void)size;
    struct prof_rec_device device = {
        .device = abi_uint32_t(record, ABI_DEVICE_ID),
        .name = name_of(abi_text(record, ABI_DEVICE_NAME)),
        .memory_bytes = abi_uint64_t(record, ABI_DEVICE_MEMORY),
        .memory_bandwidth = abi_uint64_t(record, ABI_DEVICE_BANDWIDTH) * 1000u,
        .compute_major = abi_uint32_t(record, ABI_DEVICE_MAJOR),
        .compute_minor = abi_uint32_t(record, ABI_DEVICE_MINOR),
        .multiprocessors = abi_uint32_t(record, ABI_DEVICE_MULTIPROCESSORS),
        .core_clock_khz = abi_uint32_t(record, ABI_DEVICE_CLOCK),
        .l2_bytes = abi_uint32_t(record, ABI_DEVICE_L2),
        .threads_per_warp = abi_uint32_t(record, ABI_DEVICE_WARP),
        .max_threads_per_block = abi_uint32_t(record, ABI_DEVICE_THREADS_PER_BLOCK),
        .max_blocks_per_multiprocessor = abi_uint32_t(record, ABI_DEVICE_BLOCKS_PER_SM),
        .max_warps_per_multiprocessor = abi_uint32_t(record, ABI_DEVICE_WARPS_PER_SM),
        .registers_per_block = abi_uint32_t(record, ABI_DEVICE_REGISTERS_PER_BLOCK),
        .registers_per_multiprocessor = abi_uint32_t(record, ABI_DEVICE_REGISTERS_PER_SM),
        .shared_memory_per_block = abi_uint32_t(record, ABI_DEVICE_SHARED_PER_BLOCK),
        .shared_memory_per_multiprocessor = abi_uint32_t(record, ABI_DEVICE_SHARED_PER_SM),
    };
    device.max_threads_per_multiprocessor =
        device.max_warps_per_multiprocessor * device.threads_per_warp;
    memcpy(device.uuid, record + ABI_DEVICE_UUID, sizeof device.uuid);
    facts_state(PROF_REC_DEVICE, &device, sizeof device);
    return false;
}

bool decode_context(const uint8_t *record, uint32_t size)
{
    (void)size;
    struct prof_rec_context context = {
        .context = abi_uint32_t(record, ABI_CONTEXT_ID),
        .device = abi_uint32_t(record, ABI_CONTEXT_DEVICE),
        .null_stream = abi_uint16_t(record, ABI_CONTEXT_NULL_STREAM),
    };
    facts_state(PROF_REC_CONTEXT, &context, sizeof context);
    return false;
}

bool decode_stream(const uint8_t *record, uint32_t size)
{
    (void)size;
    struct prof_rec_stream stream = {
        .context = abi_uint32_t(record, ABI_STREAM_CONTEXT),
        .stream = abi_uint32_t(record, ABI_STREAM_ID),
        .priority = (int32_t)abi_uint32_t(record, ABI_STREAM_PRIORITY),
        .flags = abi_uint32_t(record, ABI_STREAM_FLAG),
    };
    facts_state(PROF_REC_STREAM, &stream, sizeof stream);
    return false;
}
