/* sim_rt_properties.c - cudaGetDeviceProperties: the struct as CUDA 13 lays it out. */
#include <stdio.h>
#include <string.h>

#include "sim_device.h"
#include "sim_rt.h"

/* 1008 bytes. Only the fields the simulation fills are named; gaps are features it does not
 * have. */
struct properties {
    char name[256];
    unsigned char uuid[16];
    char luid[8];
    unsigned luid_mask;
    size_t total_memory, shared_per_block; /* 288, 296 */
    int registers_per_block, warp_size;    /* 304, 308 */
    size_t memory_pitch;                   /* 312 */
    int max_threads, max_block[3], max_grid[3];
    size_t const_bytes; /* 352 */
    int major, minor;
    size_t texture_alignment, texture_pitch_alignment; /* 368, 376 */
    int sm_count, integrated, can_map_host;            /* 384 */
    int textures_and_surfaces[39];                     /* 396 */
    size_t surface_alignment;                          /* 552 */
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc;
    int copy_engines, unified_addressing, bus_bits, l2_bytes, persisting_l2, threads_per_sm;
    int stream_priorities, global_l1, local_l1;
    size_t shared_per_sm; /* 624 */
    int registers_per_sm, managed_memory, multi_gpu, multi_gpu_id, host_atomics, pageable_access;
    int concurrent_managed, preemption, host_pointer_for_registered, cooperative;
    size_t shared_optin; /* 672 */
    int pageable_tables, direct_managed, blocks_per_sm, access_window;
    size_t reserved_shared; /* 696 */
    int host_register, sparse, host_register_read_only, timeline_semaphores, memory_pools, rdma;
    unsigned rdma_flush;
    int rdma_ordering;
    unsigned pool_handles;
    int deferred_arrays, ipc_events, cluster_launch, unified_functions, numa_config, numa_id, mps;
    int host_numa_id;
    unsigned pci_ids, pci_subsystem_ids;
    int host_numa_ipc;
    int reserved[56];
};
_Static_assert(offsetof(struct properties, total_memory) == 288, "CUDA 13");
_Static_assert(offsetof(struct properties, const_bytes) == 352, "CUDA 13");
_Static_assert(offsetof(struct properties, sm_count) == 384, "CUDA 13");
_Static_assert(offsetof(struct properties, surface_alignment) == 552, "CUDA 13");
_Static_assert(offsetof(struct properties, shared_per_sm) == 624, "CUDA 13");
_Static_assert(offsetof(struct properties, shared_optin) == 672, "CUDA 13");
_Static_assert(offsetof(struct properties, reserved_shared) == 696, "CUDA 13");
_Static_assert(sizeof(struct properties) == 1008, "CUDA 13");

static void fill(struct properties *p, int device)
{
    *p = (struct properties){
        .total_memory = sim_device_memory(),
        .shared_per_block = SIM_SHARED_PER_BLOCK,
        .registers_per_block = SIM_REGISTERS,
        .warp_size = SIM_WARP,
        .memory_pitch = 0x7fffffff,
        .max_threads = SIM_MAX_THREADS,
        .max_block = {1024, 1024, 64},
        .max_grid = {0x7fffffff, 65535, 65535},
        .const_bytes = SIM_CONST_BYTES,
        .major = SIM_CC_MAJOR,
        .minor = SIM_CC_MINOR,
        .texture_alignment = 512,
        .texture_pitch_alignment = 32,
        .sm_count = SIM_SM_COUNT,
        .can_map_host = 1,
        .surface_alignment = 512,
        .concurrent_kernels = 1,
        .pci_bus = device + 1,
        .copy_engines = SIM_COPY_ENGINES,
        .unified_addressing = 1,
        .bus_bits = SIM_BUS_BITS,
        .l2_bytes = SIM_L2_BYTES,
        .threads_per_sm = SIM_THREADS_PER_SM,
        .stream_priorities = 1,
        .global_l1 = 1,
        .local_l1 = 1,
        .shared_per_sm = SIM_SHARED_PER_SM,
        .registers_per_sm = SIM_REGISTERS,
        .managed_memory = 1,
        .concurrent_managed = 1,
        .preemption = 1,
        .host_pointer_for_registered = 1,
        .cooperative = 1,
        .shared_optin = SIM_SHARED_OPTIN,
        .blocks_per_sm = SIM_BLOCKS_PER_SM,
        .reserved_shared = 1024,
        .host_register = 1,
        .memory_pools = 1,
        .cluster_launch = 1,
        .unified_functions = 1,
        .numa_id = -1,
        .host_numa_id = -1,
    };
    snprintf(p->name, sizeof p->name, "%s", sim_device_name(device));
    sim_device_uuid(device, p->uuid);
}

SIM_API(cudaGetDeviceProperties, struct properties *, properties, int, device)
{
    SIM_CHECK(properties, SIM_INVALID_VALUE);
    SIM_CHECK(device >= 0 && device < sim_device_count(), SIM_INVALID_DEVICE);
    fill(properties, device);
    return SIM_OK;
}
