#include "sim_model.h"

#include <string.h>

#include "sim_config.h"
#include "sim_device.h"
#include "sim_module.h"

uint64_t sim_model_hash(const void *bytes, uint64_t size, uint64_t seed)
{
    const unsigned char *at = bytes;
    uint64_t hash = seed ^ UINT64_C(0xcbf29ce484222325);
    for (uint64_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t volume(struct sim_dim3 box)
{
    return (uint64_t)box.x * box.y * box.z;
}

/* How many rounds the device needs to run all blocks. */
static uint64_t waves(const struct sim_kernel_work *kernel)
{
    const uint64_t threads = volume(kernel->block);
    uint64_t resident = threads ? SIM_THREADS_PER_SM / threads : SIM_BLOCKS_PER_SM;
    resident = resident < 1 ? 1 : resident > SIM_BLOCKS_PER_SM ? SIM_BLOCKS_PER_SM : resident;
    resident *= SIM_SM_COUNT;
    return (volume(kernel->grid) + resident - 1) / resident;
}

static uint64_t kernel_ns(const struct sim_kernel_work *kernel)
{
    const uint64_t fixed = (uint64_t)sim_config()->kernel_ns;
    if (fixed)
        return fixed;
    if (kernel->known_ns)
        return kernel->known_ns;
    const char *name = sim_function_name(kernel->function);
    const uint64_t named = sim_model_hash(name, strlen(name), 0);
    const uint64_t shaped = sim_model_hash(&kernel->block, sizeof kernel->block, named);
    const uint64_t wave_ns = 600 + shaped % 1400;
    const uint64_t rounds = waves(kernel);
    return 2000 + named % 6000 + wave_ns * (rounds < 2000 ? rounds : 2000);
}

/* GB/s is bytes per nanosecond. */
static uint64_t transfer_ns(uint64_t bytes, int64_t gbps)
{
    return (uint64_t)sim_config()->copy_base_ns + bytes / (uint64_t)gbps;
}

static uint64_t copy_ns(const struct sim_work *work)
{
    const struct sim_config *config = sim_config();
    const struct sim_copy_work *copy = &work->copy;
    const bool pageable =
        copy->src_type == SIM_MEMORY_PAGEABLE || copy->dst_type == SIM_MEMORY_PAGEABLE;
    if (copy->kind == SIM_COPY_DTOD)
        return transfer_ns(sim_model_bytes(work), copy->src_device == copy->dst_device
                                                      ? config->device_gbps
                                                      : config->peer_gbps);
    return transfer_ns(sim_model_bytes(work) * (pageable ? 2 : 1), config->copy_gbps);
}

uint64_t sim_model_migration(uint64_t bytes, int source, int target)
{
    const bool between_devices = source >= 0 && target >= 0;
    return transfer_ns(bytes, between_devices ? sim_config()->peer_gbps : sim_config()->copy_gbps);
}

uint64_t sim_model_bytes(const struct sim_work *work)
{
    if (work->kind == SIM_WORK_COPY)
        return (uint64_t)work->copy.width * work->copy.height * work->copy.depth;
    if (work->kind == SIM_WORK_SET)
        return (uint64_t)work->set.width * work->set.height * work->set.element_size;
    return 0;
}

uint64_t sim_model_duration(const struct sim_work *work)
{
    switch (work->kind) {
    case SIM_WORK_KERNEL:
        return kernel_ns(&work->kernel);
    case SIM_WORK_COPY:
        return copy_ns(work);
    case SIM_WORK_SET:
        return transfer_ns(sim_model_bytes(work), sim_config()->device_gbps);
    default:
        return 0;
    }
}
