/* occupancy.c - the limits of NVIDIA's occupancy calculator: threads, blocks, registers, shared
 * memory.
 *
 * Registers are handed out per warp in units of 256, and each part of a multiprocessor has its
 * share of them: there are four parts, but two on compute capability 6.0. Shared memory is handed
 * out per block in units of 128 bytes (256 before compute capability 8.0, where the system also
 * keeps 1 KiB of each block).
 */
#include "occupancy.h"

#include <stdbool.h>

#define REGISTER_UNIT 256u

static uint32_t sub_partitions(const struct tl_device_info *device)
{
    return device->compute_major == 6 && device->compute_minor == 0 ? 2 : 4;
}

/* Blocks that a multiprocessor holds, by the CUDA programming guide's table, for files that do not
 * say; UINT32_MAX: unknown. */
static uint32_t most_blocks(const struct tl_device_info *device)
{
    uint32_t minor = device->compute_minor;
    switch (device->compute_major) {
    case 3:
        return 16;
    case 5:
    case 6:
    case 9:
    case 10:
        return 32;
    case 7:
        return minor == 5 ? 16 : 32;
    case 8:
        return minor == 0 ? 32 : minor == 9 ? 24 : 16;
    default:
        return UINT32_MAX;
    }
}

/* Other makers' devices have other limits. */
static bool is_nvidia(const struct tl_device_info *device)
{
    return device->threads_per_warp == 32;
}

static uint32_t round_up(uint32_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t blocks_by_registers(const struct tl_kernel *kernel,
                                    const struct tl_device_info *device, uint32_t warps_per_block)
{
    uint32_t per_warp = round_up(kernel->registers * device->threads_per_warp, REGISTER_UNIT);
    if (!per_warp || !device->registers_per_multiprocessor)
        return UINT32_MAX;
    uint32_t parts = sub_partitions(device);
    uint32_t warps = device->registers_per_multiprocessor / parts / per_warp * parts;
    return warps / warps_per_block;
}

static uint32_t blocks_by_shared_memory(const struct tl_kernel *kernel,
                                        const struct tl_device_info *device)
{
    bool is_8_or_later = device->compute_major >= 8;
    uint64_t bytes = (uint64_t)kernel->static_shared_memory + kernel->dynamic_shared_memory;
    if (is_8_or_later)
        bytes += 1024;
    if (!bytes || bytes > UINT32_MAX / 2 || !device->shared_memory_per_multiprocessor)
        return bytes > UINT32_MAX / 2 ? 0 : UINT32_MAX;
    return device->shared_memory_per_multiprocessor /
           round_up((uint32_t)bytes, is_8_or_later ? 128 : 256);
}

/* Blocks of this kernel that fit on one multiprocessor at the same time. */
static uint32_t blocks_at_once(const struct tl_kernel *kernel, const struct tl_device_info *device,
                               uint32_t threads_per_block)
{
    uint32_t warps_per_block =
        (threads_per_block + device->threads_per_warp - 1) / device->threads_per_warp;
    uint32_t blocks =
        device->max_threads_per_multiprocessor / (warps_per_block * device->threads_per_warp);
    uint32_t most = device->max_blocks_per_multiprocessor;
    blocks = smaller(blocks, most ? most : most_blocks(device));
    blocks = smaller(blocks, blocks_by_registers(kernel, device, warps_per_block));
    return smaller(blocks, blocks_by_shared_memory(kernel, device));
}

struct occupancy occupancy_of(const struct tl_kernel *kernel, const struct tl_device_info *device)
{
    struct occupancy result = {.percent = -1};
    double blocks = (double)kernel->grid_x * kernel->grid_y * kernel->grid_z;
    uint64_t threads = (uint64_t)kernel->block_x * kernel->block_y * kernel->block_z;
    if (!device->multiprocessors || !device->threads_per_warp)
        return result;
    result.blocks_per_sm = blocks / device->multiprocessors;
    result.warps_per_sm = result.blocks_per_sm * (double)threads / device->threads_per_warp;
    if (!is_nvidia(device) || !device->max_threads_per_multiprocessor || !threads ||
        threads > device->max_threads_per_multiprocessor)
        return result;
    double resident = blocks_at_once(kernel, device, (uint32_t)threads);
    result.waves = resident > 0 ? result.blocks_per_sm / resident : 0;
    if (resident > result.blocks_per_sm)
        resident = result.blocks_per_sm;
    result.percent =
        (int)(100 * resident * (double)threads / device->max_threads_per_multiprocessor + 0.5);
    return result;
}
