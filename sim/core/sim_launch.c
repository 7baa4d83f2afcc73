#include "sim_launch.h"

#include <stdint.h>
#include <string.h>

#include "sim_device.h"

static int in_range(unsigned value, unsigned high)
{
    return value >= 1 && value <= high;
}

int sim_launch_check(const struct sim_kernel_work *kernel)
{
    const struct sim_dim3 grid = kernel->grid, block = kernel->block;
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (!in_range(grid.x, 0x7fffffff) || !in_range(grid.y, 65535) || !in_range(grid.z, 65535))
        return SIM_INVALID_VALUE;
    if (!in_range(block.x, 1024) || !in_range(block.y, 1024) || !in_range(block.z, 64))
        return SIM_INVALID_VALUE;
    if (threads > SIM_MAX_THREADS)
        return SIM_INVALID_VALUE;
    if (kernel->dynamic_shared > (unsigned)kernel->function->max_dynamic_shared)
        return SIM_INVALID_VALUE;
    return SIM_OK;
}

enum { ATTRIBUTE_BYTES = 80, ATTRIBUTE_VALUE = 16, ATTRIBUTE_CLUSTER = 4 };

struct sim_dim3 sim_launch_cluster(const void *attributes, unsigned count)
{
    struct sim_dim3 cluster = {0, 0, 0};
    for (unsigned i = 0; attributes && i < count; i++) {
        const char *at = (const char *)attributes + (size_t)i * ATTRIBUTE_BYTES;
        unsigned id;
        memcpy(&id, at, sizeof id);
        if (id == ATTRIBUTE_CLUSTER)
            memcpy(&cluster, at + ATTRIBUTE_VALUE, sizeof cluster);
    }
    return cluster;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

int sim_launch_occupancy(const struct sim_function *function, int block_size, size_t dynamic_shared)
{
    if (block_size > SIM_MAX_THREADS || dynamic_shared > SIM_SHARED_OPTIN)
        return 0;
    const int by_threads = least(SIM_THREADS_PER_SM / block_size, SIM_BLOCKS_PER_SM);
    const int by_registers = SIM_REGISTERS / (function->registers * block_size);
    const int by_shared = SIM_SHARED_PER_SM / (int)(dynamic_shared + 1024);
    return least(by_threads, least(by_registers, by_shared));
}

enum {
    ATTRIBUTE_MAX_THREADS = 0,
    ATTRIBUTE_STATIC_SHARED = 1,
    ATTRIBUTE_CONST = 2,
    ATTRIBUTE_LOCAL = 3,
    ATTRIBUTE_REGISTERS = 4,
    ATTRIBUTE_PTX = 5,
    ATTRIBUTE_BINARY = 6,
    ATTRIBUTE_CACHE_MODE = 7,
    ATTRIBUTE_DYNAMIC_SHARED = 8,
    ATTRIBUTE_CARVEOUT = 9,
    ATTRIBUTE_LAST = 15
};

int sim_launch_attribute(const struct sim_function *function, int attribute, int *value)
{
    if (attribute < 0 || attribute > ATTRIBUTE_LAST)
        return SIM_INVALID_VALUE;
    *value = 0;
    switch (attribute) {
    case ATTRIBUTE_MAX_THREADS:
        *value = function->max_threads;
        break;
    case ATTRIBUTE_REGISTERS:
        *value = function->registers;
        break;
    case ATTRIBUTE_PTX:
    case ATTRIBUTE_BINARY:
        *value = SIM_CC_MAJOR * 10 + SIM_CC_MINOR;
        break;
    case ATTRIBUTE_DYNAMIC_SHARED:
        *value = function->max_dynamic_shared;
        break;
    case ATTRIBUTE_CARVEOUT:
        *value = -1;
        break;
    default:
        break;
    }
    return SIM_OK;
}

int sim_launch_set_attribute(struct sim_function *function, int attribute, int value)
{
    if (attribute < ATTRIBUTE_DYNAMIC_SHARED || attribute > ATTRIBUTE_LAST)
        return SIM_INVALID_VALUE;
    if (attribute != ATTRIBUTE_DYNAMIC_SHARED)
        return SIM_OK;
    if (value < 0 || value > SIM_SHARED_OPTIN)
        return SIM_INVALID_VALUE;
    function->max_dynamic_shared = value;
    return SIM_OK;
}

static _Thread_local uint64_t announced_ns;

void sim_launch_announce(uint64_t known_ns)
{
    announced_ns = known_ns;
}

uint64_t sim_launch_announced(void)
{
    const uint64_t known_ns = announced_ns;
    announced_ns = 0;
    return known_ns;
}
