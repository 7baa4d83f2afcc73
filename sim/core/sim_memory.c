/* sim_memory.c - allocations in an array sorted by address, for binary search; interior pointers
 * are found, too.
 */
#include "sim_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim_device.h"

enum { PAGE = 4096 };

/* From here on pages of their own, without reserve: a program may ask for more than this machine
 * has as long as it does not touch it. */
static const size_t map_threshold = 65536;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf; over all below */
static struct sim_allocation *allocations;
static size_t count, capacity;
static uint64_t used_bytes[SIM_MAX_DEVICES];

/* The index of the first allocation that begins after pointer. */
static size_t upper_bound(const void *pointer)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((const char *)pointer < allocations[middle].base)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static struct sim_allocation *find(const void *pointer)
{
    const size_t after = upper_bound(pointer);
    if (!after)
        return NULL;
    struct sim_allocation *candidate = &allocations[after - 1];
    const size_t offset = (size_t)((const char *)pointer - candidate->base);
    return offset < (candidate->bytes ? candidate->bytes : 1) ? candidate : NULL;
}

static bool insert(const struct sim_allocation *allocation)
{
    if (count == capacity) {
        const size_t wanted = capacity ? capacity * 2 : 256;
        struct sim_allocation *larger = realloc(allocations, wanted * sizeof *larger);
        if (!larger)
            return false;
        allocations = larger;
        capacity = wanted;
    }
    const size_t at = upper_bound(allocation->base);
    memmove(&allocations[at + 1], &allocations[at], (count - at) * sizeof *allocations);
    allocations[at] = *allocation;
    count++;
    return true;
}

static void erase(struct sim_allocation *allocation)
{
    const size_t at = (size_t)(allocation - allocations);
    memmove(allocation, allocation + 1, (count - at - 1) * sizeof *allocations);
    count--;
}

static size_t rounded(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static void *obtain(size_t bytes)
{
    if (bytes >= map_threshold) {
        void *mapped = mmap(NULL, rounded(bytes), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return mapped == MAP_FAILED ? NULL : mapped;
    }
    const size_t size = bytes ? (bytes + 511) / 512 * 512 : 512;
    void *memory = aligned_alloc(512, size);
    return memory ? memset(memory, 0, size) : NULL;
}

static void give_back(void *base, size_t bytes)
{
    if (bytes >= map_threshold)
        munmap(base, rounded(bytes));
    else
        free(base);
}

static bool fits(enum sim_memory_type type, int device, size_t bytes)
{
    return type != SIM_MEMORY_DEVICE || bytes <= sim_device_memory() - used_bytes[device];
}

static int add_locked(const struct sim_allocation *allocation)
{
    if (!insert(allocation))
        return SIM_OUT_OF_MEMORY;
    if (allocation->type == SIM_MEMORY_DEVICE && !allocation->registered)
        used_bytes[allocation->device] += allocation->bytes;
    return SIM_OK;
}

int sim_memory_allocate(enum sim_memory_type type, int device, size_t bytes, unsigned flags,
                        struct sim_pool *pool, void **pointer)
{
    int result = SIM_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    void *base = fits(type, device, bytes) ? obtain(bytes) : NULL;
    if (base)
        result = add_locked(&(struct sim_allocation){.base = base,
                                                     .bytes = bytes,
                                                     .type = type,
                                                     .device = device,
                                                     .flags = flags,
                                                     .pool = pool,
                                                     .resident = SIM_ON_HOST});
    pthread_mutex_unlock(&lock);
    if (result == SIM_OK)
        *pointer = base;
    return result;
}

int sim_memory_register(enum sim_memory_type type, int device, void *pointer, size_t bytes,
                        unsigned flags, const char *symbol)
{
    int result = SIM_ALREADY_REGISTERED;
    pthread_mutex_lock(&lock);
    if (!find(pointer))
        result = add_locked(&(struct sim_allocation){.base = pointer,
                                                     .bytes = bytes,
                                                     .type = type,
                                                     .device = device,
                                                     .flags = flags,
                                                     .registered = true,
                                                     .symbol = symbol});
    pthread_mutex_unlock(&lock);
    return result;
}

int sim_memory_release(void *pointer, bool registered, struct sim_allocation *was)
{
    pthread_mutex_lock(&lock);
    struct sim_allocation *found = find(pointer);
    if (!found || found->base != pointer || found->registered != registered) {
        pthread_mutex_unlock(&lock);
        return SIM_INVALID_VALUE;
    }
    const struct sim_allocation copy = *found;
    erase(found);
    if (copy.type == SIM_MEMORY_DEVICE && !registered)
        used_bytes[copy.device] -= copy.bytes;
    pthread_mutex_unlock(&lock);
    if (!registered)
        give_back(copy.base, copy.bytes);
    if (was)
        *was = copy;
    return SIM_OK;
}

bool sim_memory_find(const void *pointer, struct sim_allocation *found)
{
    pthread_mutex_lock(&lock);
    const struct sim_allocation *allocation = find(pointer);
    if (allocation)
        *found = *allocation;
    pthread_mutex_unlock(&lock);
    return allocation != NULL;
}

static bool moves(const struct sim_allocation *allocation, int target)
{
    return allocation && allocation->type == SIM_MEMORY_MANAGED && allocation->resident != target;
}

static bool move_locked(struct sim_allocation *allocation, int target, struct sim_allocation *was)
{
    if (!moves(allocation, target))
        return false;
    *was = *allocation;
    allocation->resident = target;
    return true;
}

bool sim_memory_move(const void *pointer, int target, struct sim_allocation *was)
{
    pthread_mutex_lock(&lock);
    const bool moved = move_locked(find(pointer), target, was);
    pthread_mutex_unlock(&lock);
    return moved;
}

bool sim_memory_touch(int device, struct sim_allocation *was)
{
    bool moved = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count && !moved; i++)
        moved = move_locked(&allocations[i], device, was);
    pthread_mutex_unlock(&lock);
    return moved;
}

uint64_t sim_memory_free_bytes(int device)
{
    pthread_mutex_lock(&lock);
    const uint64_t bytes = sim_device_memory() - used_bytes[device];
    pthread_mutex_unlock(&lock);
    return bytes;
}
