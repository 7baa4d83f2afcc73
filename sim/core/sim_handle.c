/* sim_handle.c - a hash table with open addressing and tombstones; it doubles when half full. */
#include "sim_handle.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct slot {
    const void *handle; /* NULL: free */
    int type;           /* 0: tombstone */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static struct slot *slots;
static size_t capacity, used;

static size_t index_of(const void *handle)
{
    return (size_t)(((uintptr_t)handle >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (capacity - 1);
}

static struct slot *find(const void *handle)
{
    if (!capacity)
        return NULL;
    for (size_t i = index_of(handle); slots[i].handle; i = (i + 1) & (capacity - 1))
        if (slots[i].handle == handle)
            return &slots[i];
    return NULL;
}

static void put(const void *handle, int type)
{
    size_t i = index_of(handle);
    while (slots[i].handle)
        i = (i + 1) & (capacity - 1);
    slots[i] = (struct slot){handle, type};
    used++;
}

static void grow(void)
{
    struct slot *old = slots;
    const size_t old_capacity = capacity;
    capacity = capacity ? capacity * 2 : 1024;
    slots = calloc(capacity, sizeof *slots);
    if (!slots)
        abort(); /* a simulation out of memory has nothing left to simulate */
    used = 0;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].handle && old[i].type)
            put(old[i].handle, old[i].type);
    free(old);
}

void sim_handle_add(const void *handle, enum sim_handle_type type)
{
    pthread_mutex_lock(&lock);
    struct slot *slot = find(handle);
    if (slot) {
        slot->type = (int)type;
    } else {
        if (used * 2 >= capacity)
            grow();
        put(handle, (int)type);
    }
    pthread_mutex_unlock(&lock);
}

void sim_handle_remove(const void *handle)
{
    pthread_mutex_lock(&lock);
    struct slot *slot = find(handle);
    if (slot)
        slot->type = 0;
    pthread_mutex_unlock(&lock);
}

bool sim_handle_is(const void *handle, enum sim_handle_type type)
{
    pthread_mutex_lock(&lock);
    const struct slot *slot = handle ? find(handle) : NULL;
    const bool is = slot && slot->type == (int)type;
    pthread_mutex_unlock(&lock);
    return is;
}
