#include "sim_pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "sim_device.h"
#include "sim_facts.h"
#include "sim_handle.h"

static const uint64_t step_bytes = 2u << 20;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf; over all below */
static struct sim_pool defaults[SIM_MAX_DEVICES];
static struct sim_pool *current[SIM_MAX_DEVICES]; /* NULL: the default one */

struct sim_pool *sim_pool_default(int device)
{
    defaults[device].device = device;
    sim_handle_add(&defaults[device], SIM_HANDLE_POOL);
    return &defaults[device];
}

struct sim_pool *sim_pool_current(int device)
{
    pthread_mutex_lock(&lock);
    struct sim_pool *pool = current[device];
    pthread_mutex_unlock(&lock);
    return pool ? pool : sim_pool_default(device);
}

void sim_pool_set_current(int device, struct sim_pool *pool)
{
    pthread_mutex_lock(&lock);
    current[device] = pool;
    pthread_mutex_unlock(&lock);
}

struct sim_pool *sim_pool_create(int device)
{
    struct sim_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->device = device;
    sim_handle_add(pool, SIM_HANDLE_POOL);
    return pool;
}

void sim_pool_destroy(struct sim_pool *pool)
{
    pthread_mutex_lock(&lock);
    if (current[pool->device] == pool)
        current[pool->device] = NULL;
    pool->destroyed = true;
    const bool is_last = pool->used_bytes == 0;
    pthread_mutex_unlock(&lock);
    sim_handle_remove(pool);
    if (is_last)
        free(pool);
}

static uint64_t rounded(uint64_t bytes)
{
    return (bytes + step_bytes - 1) / step_bytes * step_bytes;
}

struct sim_pool sim_pool_change(struct sim_pool *pool, uint64_t bytes, bool is_release)
{
    pthread_mutex_lock(&lock);
    pool->used_bytes += is_release ? -bytes : bytes;
    if (pool->used_bytes > pool->reserved_bytes)
        pool->reserved_bytes = rounded(pool->used_bytes);
    const struct sim_pool now = *pool;
    pthread_mutex_unlock(&lock);
    if (now.destroyed && now.used_bytes == 0)
        free(pool);
    return now;
}

struct sim_pool sim_pool_trim(struct sim_pool *pool, uint64_t keep)
{
    pthread_mutex_lock(&lock);
    const uint64_t least = rounded(pool->used_bytes > keep ? pool->used_bytes : keep);
    if (least < pool->reserved_bytes)
        pool->reserved_bytes = least;
    const struct sim_pool now = *pool;
    pthread_mutex_unlock(&lock);
    return now;
}
