#include "facts.h"

#include "atomic.h"
#include "log.h"
#include "memory.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Enough for 64 devices and some thousand streams and calls; further facts are emitted only once,
 * so they are lost if the file does not exist yet. */
#define FACT_COUNT 4096u
#define INFO_KEYS 16u
#define INFO_BYTES 256u

struct fact {
    uint32_t ready; /* store_release when the rest is filled -> load_acquire by readers */
    uint16_t type;
    uint16_t bytes;
    uint8_t head[FACTS_BYTES_MAX];
};

static struct fact *facts;  /* memory_once(), before one is claimed */
static uint32_t fact_count; /* claimed; may pass FACT_COUNT */

static char infos[INFO_KEYS][INFO_BYTES]; /* one writer at a time; empty = not stated */

static uint32_t facts_filled(void)
{
    uint32_t count = load_acquire(&fact_count);
    return count < FACT_COUNT ? count : FACT_COUNT;
}

static bool facts_is_known(enum prof_record_type type, const void *head, size_t bytes)
{
    for (uint32_t i = 0, count = facts_filled(); i < count; i++) {
        const struct fact *fact = &facts[i];
        if (load_acquire(&fact->ready) && fact->type == type && fact->bytes == bytes &&
            memcmp(fact->head, head, bytes) == 0)
            return true;
    }
    return false;
}

static void facts_remember(enum prof_record_type type, const void *head, size_t bytes)
{
    if (load_relaxed(&fact_count) >= FACT_COUNT || !MEMORY_ONCE(&facts, FACT_COUNT))
        return;
    uint32_t index = fetch_add_seq_cst(&fact_count, 1);
    if (index >= FACT_COUNT)
        return;
    struct fact *fact = &facts[index];
    fact->type = (uint16_t)type;
    fact->bytes = (uint16_t)bytes;
    memcpy(fact->head, head, bytes);
    store_release(&fact->ready, 1);
}

/* Remembered first, stated then: a file made in between states it twice, which harms nobody. */
void facts_emit(enum prof_record_type type, const void *head, size_t bytes)
{
    if (bytes > FACTS_BYTES_MAX || facts_is_known(type, head, bytes))
        return;
    facts_remember(type, head, bytes);
    meta_append(type, head, bytes, NULL, 0);
}

void facts_set_info(enum prof_info_key key, const char *text)
{
    if ((unsigned)key >= INFO_KEYS)
        return;
    snprintf(infos[key], INFO_BYTES, "%s", text);
    meta_info(key, infos[key]);
}

void facts_emit_note(const char *sentence)
{
    log_line(LOG_ERROR, "%s", sentence);
    facts_set_info(PROF_INFO_NOTE, sentence);
}

/* A forked child's file has no names yet. */
static void facts_emit_again(struct fact *fact)
{
    uint32_t name = 0;
    if (fact->type == PROF_REC_DEVICE)
        memcpy(&name, fact->head + offsetof(struct prof_rec_device, name), sizeof name);
    if (fact->type == PROF_REC_API_NAME)
        memcpy(&name, fact->head + offsetof(struct prof_rec_api_name, name), sizeof name);
    if (name)
        (void)names_state_again(name);
    meta_append((enum prof_record_type)fact->type, fact->head, fact->bytes, NULL, 0);
}

void facts_emit_all(void)
{
    for (unsigned key = 0; key < INFO_KEYS; key++)
        if (infos[key][0])
            meta_info((enum prof_info_key)key, infos[key]);
    for (uint32_t i = 0, count = facts_filled(); i < count; i++)
        if (load_acquire(&facts[i].ready))
            facts_emit_again(&facts[i]);
}

/* ---- devices ---- */

_Static_assert(sizeof(struct prof_rec_device) <= FACTS_BYTES_MAX, "a device is a fact");

static bool devices_are_emitted;

/* 0: the driver does not know the attribute. */
static uint32_t facts_attribute(const struct driver_library *driver, int device,
                                enum abi_cuda_attribute which)
{
    int value = 0;
    if (driver->cuDeviceGetAttribute(&value, (int)which, device) != ABI_OK || value < 0)
        return 0;
    return (uint32_t)value;
}

/* Bytes a second: memory moves data twice in a clock [CUDA's sample deviceQuery]. */
static uint64_t facts_bandwidth(const struct driver_library *driver, int device)
{
    uint64_t clock_khz = facts_attribute(driver, device, ABI_CUDA_ATTRIBUTE_MEMORY_CLOCK_KHZ);
    return 2 * clock_khz * 1000 * facts_attribute(driver, device, ABI_CUDA_ATTRIBUTE_BUS_BITS) / 8;
}

static uint32_t facts_device_name(const struct driver_library *driver, int device)
{
    char name[128] = "";
    if (driver->cuDeviceGetName(name, (int)sizeof name, device) != ABI_OK)
        return 0;
    if (strncmp(name, "Simulated GPU", 13) == 0)
        recorder_set_simulated();
    return names_intern(name, strnlen(name, sizeof name));
}

static void facts_emit_device(const struct driver_library *driver, int ordinal, int device)
{
    size_t bytes = 0;
    driver->cuDeviceTotalMem_v2(&bytes, device);
#define ATTRIBUTE(name) facts_attribute(driver, device, ABI_CUDA_ATTRIBUTE_##name)
    struct prof_rec_device record = {
        .device = (uint32_t)ordinal,
        .name = facts_device_name(driver, device),
        .memory_bytes = bytes,
        .memory_bandwidth = facts_bandwidth(driver, device),
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
    facts_emit(PROF_REC_DEVICE, &record, sizeof record);
}

void facts_emit_devices(const struct driver_library *driver)
{
    int count = 0;
    if (devices_are_emitted || !driver || !driver->cuDeviceGetCount || !driver->cuDeviceGet ||
        !driver->cuDeviceGetName || !driver->cuDeviceTotalMem_v2 || !driver->cuDeviceGetAttribute ||
        driver->cuDeviceGetCount(&count) != ABI_OK)
        return;
    devices_are_emitted = true;
    for (int ordinal = 0; ordinal < count; ordinal++) {
        int device = 0;
        if (driver->cuDeviceGet(&device, ordinal) == ABI_OK)
            facts_emit_device(driver, ordinal, device);
    }
}
