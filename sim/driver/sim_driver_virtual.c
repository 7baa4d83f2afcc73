/* sim_driver_virtual.c - virtual memory management: address ranges, physical memory, and mappings of the
 * second into the first. Mapped memory is a device's, known from one mapping's begin to its end.
 *
 * Physical memory is a file without a name, so that two mappings of it have the same bytes. It counts against
 * the device's memory until it is released and nothing maps it.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim_device.h"
#include "sim_driver.h"
#include "sim_driver_memory.h"

enum { GRANULARITY = 2 << 20 };

/* What of CUmemAllocationProp counts here; the rest of its 32 bytes is kept and returned. */
struct properties {
    int allocation_type, handle_types;
    struct sim_location location;
    uint64_t rest[2];
};

/* CUmemAccessDesc. */
struct access {
    struct sim_location location;
    int flags;
};

enum { ACCESS_READ_WRITE = 3 };

struct physical {
    struct properties properties;
    size_t bytes;
    void *claim; /* counts against the device's memory; never touched */
    int file;
    unsigned handles, mapped; /* what the program has to release, to unmap; guarded by `lock` */
};

struct mapping {
    struct mapping *next;
    char *base;
    size_t bytes;
    struct physical *physical;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mapping *mappings; /* guarded by `lock` */

static bool is_whole(size_t bytes)
{
    return bytes && bytes % GRANULARITY == 0;
}

/* ---- address ranges ---- */

/* One range more than requested, so that a multiple of the alignment is in it. */
static void *reserve(size_t bytes, size_t alignment)
{
    char *found = mmap(NULL, bytes + alignment, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED)
        return NULL;
    const size_t before = (alignment - (uintptr_t)found % alignment) % alignment;
    if (before)
        munmap(found, before);
    if (before < alignment)
        munmap(found + before + bytes, alignment - before);
    return found + before;
}

SIM_API(cuMemAddressReserve, sim_address *, address, size_t, bytes, size_t, alignment, sim_address,
        wanted, uint64_t, flags)
{
    (void)wanted; /* a hint */
    const size_t aligned = alignment > GRANULARITY ? alignment : GRANULARITY;
    SIM_CHECK(address && is_whole(bytes) && !flags, SIM_INVALID_VALUE);
    SIM_CHECK((aligned & (aligned - 1)) == 0, SIM_INVALID_VALUE);
    void *range = reserve(bytes, aligned);
    SIM_CHECK(range, SIM_OUT_OF_MEMORY);
    *address = sim_address_of(range);
    return SIM_OK;
}

SIM_API(cuMemAddressFree, sim_address, address, size_t, bytes)
{
    SIM_CHECK(address && is_whole(bytes), SIM_INVALID_VALUE);
    return munmap(sim_pointer(address), bytes) == 0 ? SIM_OK : SIM_INVALID_VALUE;
}

SIM_API(cuMemGetAllocationGranularity, size_t *, bytes, const struct properties *, properties, int,
        option)
{
    (void)option;
    SIM_CHECK(bytes && properties, SIM_INVALID_VALUE);
    *bytes = GRANULARITY;
    return SIM_OK;
}

/* ---- physical memory ---- */

static void destroy(struct physical *physical)
{
    if (physical->file >= 0)
        close(physical->file);
    if (physical->claim)
        sim_memory_release(physical->claim, false, NULL);
    free(physical);
}

/* Of one handle or one mapping less. */
static void give_up(struct physical *physical, unsigned *count)
{
    pthread_mutex_lock(&lock);
    if (--*count == 0 && count == &physical->handles)
        sim_handle_remove(physical);
    const bool last = physical->handles + physical->mapped == 0;
    pthread_mutex_unlock(&lock);
    if (last)
        destroy(physical);
}

static int create(const struct properties *properties, size_t bytes, struct physical **created)
{
    struct physical *physical = malloc(sizeof *physical);
    SIM_CHECK(physical, SIM_OUT_OF_MEMORY);
    *physical = (struct physical){.properties = *properties,
                                  .bytes = bytes,
                                  .file = memfd_create("sim", MFD_CLOEXEC),
                                  .handles = 1};
    int result = physical->file >= 0 && ftruncate(physical->file, (off_t)bytes) == 0
                     ? SIM_OK
                     : SIM_OUT_OF_MEMORY;
    if (result == SIM_OK)
        result = sim_memory_allocate(SIM_MEMORY_DEVICE, properties->location.id, bytes, 0, NULL,
                                     &physical->claim);
    if (result == SIM_OK)
        *created = physical;
    else
        destroy(physical);
    return result;
}

SIM_API(cuMemCreate, struct physical **, handle, size_t, bytes, const struct properties *,
        properties, uint64_t, flags)
{
    SIM_CHECK(handle && properties && is_whole(bytes) && !flags, SIM_INVALID_VALUE);
    const int device = properties->location.id;
    SIM_CHECK(device >= 0 && device < sim_device_count(), SIM_INVALID_DEVICE);
    SIM_TRY(create(properties, bytes, handle));
    sim_handle_add(*handle, SIM_HANDLE_PHYSICAL);
    return SIM_OK;
}

SIM_API(cuMemRelease, struct physical *, handle)
{
    SIM_CHECK(sim_handle_is(handle, SIM_HANDLE_PHYSICAL), SIM_INVALID_VALUE);
    give_up(handle, &handle->handles);
    return SIM_OK;
}

SIM_API(cuMemGetAllocationPropertiesFromHandle, struct properties *, properties, struct physical *,
        handle)
{
    SIM_CHECK(properties && sim_handle_is(handle, SIM_HANDLE_PHYSICAL), SIM_INVALID_VALUE);
    *properties = handle->properties;
    return SIM_OK;
}

/* ---- mappings ---- */

static int map(char *base, size_t bytes, size_t offset, struct physical *physical)
{
    struct mapping *mapping = malloc(sizeof *mapping);
    SIM_CHECK(mapping, SIM_OUT_OF_MEMORY);
    if (mmap(base, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, physical->file,
             (off_t)offset) == MAP_FAILED) {
        free(mapping);
        return SIM_OUT_OF_MEMORY;
    }
    sim_memory_register(SIM_MEMORY_DEVICE, physical->properties.location.id, base, bytes, 0, NULL);
    pthread_mutex_lock(&lock);
    *mapping = (struct mapping){mappings, base, bytes, physical};
    mappings = mapping;
    physical->mapped++;
    pthread_mutex_unlock(&lock);
    return SIM_OK;
}

SIM_API(cuMemMap, sim_address, address, size_t, bytes, size_t, offset, struct physical *, handle,
        uint64_t, flags)
{
    SIM_CHECK(sim_handle_is(handle, SIM_HANDLE_PHYSICAL) && !flags, SIM_INVALID_VALUE);
    SIM_CHECK(address % GRANULARITY == 0 && is_whole(bytes) && offset % GRANULARITY == 0,
              SIM_INVALID_VALUE);
    SIM_CHECK(offset <= handle->bytes && bytes <= handle->bytes - offset, SIM_INVALID_VALUE);
    SIM_CHECK(!sim_memory_find(sim_pointer(address), &(struct sim_allocation){0}),
              SIM_INVALID_VALUE);
    return map(sim_pointer(address), bytes, offset, handle);
}

/* The mapping that begins there, taken out of the list. */
static struct mapping *take(const char *base)
{
    pthread_mutex_lock(&lock);
    struct mapping **place = &mappings;
    while (*place && (*place)->base != base)
        place = &(*place)->next;
    struct mapping *found = *place;
    if (found)
        *place = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

SIM_API(cuMemUnmap, sim_address, address, size_t, bytes)
{
    char *at = sim_pointer(address), *const end = at + bytes;
    SIM_CHECK(is_whole(bytes), SIM_INVALID_VALUE);
    while (at < end) {
        struct mapping *mapping = take(at);
        SIM_CHECK(mapping, SIM_INVALID_VALUE);
        sim_memory_release(at, true, NULL);
        (void)mmap(at, mapping->bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        at += mapping->bytes;
        give_up(mapping->physical, &mapping->physical->mapped);
        free(mapping);
    }
    return SIM_OK;
}

/* Every device may use every mapping: nothing runs that could be refused. */
SIM_API(cuMemSetAccess, sim_address, address, size_t, bytes, const struct access *, access, size_t,
        count)
{
    SIM_CHECK(access && count && is_whole(bytes), SIM_INVALID_VALUE);
    SIM_CHECK(sim_memory_find(sim_pointer(address), &(struct sim_allocation){0}),
              SIM_INVALID_VALUE);
    return SIM_OK;
}

SIM_API(cuMemGetAccess, unsigned long long *, flags, const struct sim_location *, location,
        sim_address, address)
{
    SIM_CHECK(flags && location, SIM_INVALID_VALUE);
    SIM_CHECK(sim_memory_find(sim_pointer(address), &(struct sim_allocation){0}),
              SIM_INVALID_VALUE);
    *flags = ACCESS_READ_WRITE;
    return SIM_OK;
}

/* The handle behind an address; it is to be released again. */
SIM_API(cuMemRetainAllocationHandle, struct physical **, handle, void *, address)
{
    SIM_CHECK(handle, SIM_INVALID_VALUE);
    pthread_mutex_lock(&lock);
    struct mapping *mapping = mappings;
    while (mapping && (size_t)((char *)address - mapping->base) >= mapping->bytes)
        mapping = mapping->next;
    if (mapping && mapping->physical->handles++ == 0)
        sim_handle_add(mapping->physical, SIM_HANDLE_PHYSICAL);
    pthread_mutex_unlock(&lock);
    SIM_CHECK(mapping, SIM_INVALID_VALUE);
    *handle = mapping->physical;
    return SIM_OK;
}
