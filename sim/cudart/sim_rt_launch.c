/* sim_rt_launch.c - launches, functions, occupancy. */
#include <string.h>

#include "sim_device.h"
#include "sim_launch.h"
#include "sim_module.h"
#include "sim_rt.h"

static int launch(const void *stub, struct sim_dim3 grid, struct sim_dim3 block, void **arguments,
                  size_t dynamic_shared, void *stream)
{
    struct sim_function *function = sim_rt_function(stub);
    SIM_CHECK(function, SIM_INVALID_DEVICE_FUNCTION);
    SIM_TRY(sim_rt_ready());
    const int result =
        cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                       (unsigned)dynamic_shared, sim_rt_stream(stream), arguments, NULL);
    return result == SIM_INVALID_VALUE ? SIM_INVALID_CONFIGURATION : result;
}

SIM_API_TWIN_NAMED(cudaLaunchKernel, _ptsz, sim_rt_function_name(stub), const void *, stub,
                   struct sim_dim3, grid, struct sim_dim3, block, void **, arguments, size_t,
                   dynamic_shared, void *, stream)
{
    return launch(stub, grid, block, arguments, dynamic_shared, stream);
}

/* What stubs built by nvcc 13 call. */
SIM_API_TWIN_NAMED(__cudaLaunchKernel, _ptsz, sim_rt_function_name(kernel), const void *, kernel,
                   struct sim_dim3, grid, struct sim_dim3, block, void **, arguments, size_t,
                   dynamic_shared, void *, stream)
{
    return launch(kernel, grid, block, arguments, dynamic_shared, stream);
}

SIM_API_TWIN_NAMED(cudaLaunchCooperativeKernel, _ptsz, sim_rt_function_name(stub), const void *,
                   stub, struct sim_dim3, grid, struct sim_dim3, block, void **, arguments, size_t,
                   dynamic_shared, void *, stream)
{
    struct sim_function *function = sim_rt_function(stub);
    SIM_CHECK(function, SIM_INVALID_DEVICE_FUNCTION);
    SIM_TRY(sim_rt_ready());
    return cuLaunchCooperativeKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                     (unsigned)dynamic_shared, sim_rt_stream(stream), arguments);
}

SIM_API_TWIN_NAMED(cudaLaunchKernelExC, _ptsz, sim_rt_function_name(stub),
                   const struct sim_launch_config *, config, const void *, stub, void **, arguments)
{
    struct sim_function *function = sim_rt_function(stub);
    SIM_CHECK(config, SIM_INVALID_VALUE);
    SIM_CHECK(function, SIM_INVALID_DEVICE_FUNCTION);
    SIM_TRY(sim_rt_ready());
    const struct sim_driver_launch_config passed = {
        .grid = config->grid,
        .block = config->block,
        .dynamic_shared = (unsigned)config->dynamic_shared,
        .stream = sim_rt_stream(config->stream),
        .attributes = config->attributes,
        .attribute_count = config->attribute_count,
    };
    return cuLaunchKernelEx(&passed, function, arguments, NULL);
}

SIM_API_TWIN(cudaLaunchHostFunc, _ptsz, void *, stream, sim_host_function, function, void *, user)
{
    SIM_TRY(sim_rt_ready());
    return cuLaunchHostFunc(sim_rt_stream(stream), function, user);
}

/* ---- functions ---- */

struct function_attributes {
    size_t shared_bytes, const_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared,
        carveout;
    int cluster_must_be_set, cluster_width, cluster_height, cluster_depth, cluster_policy;
    int non_portable_cluster;
    int reserved[16];
};

SIM_API(cudaFuncGetAttributes, struct function_attributes *, attributes, const void *, stub)
{
    const struct sim_function *function = sim_rt_function(stub);
    SIM_CHECK(attributes, SIM_INVALID_VALUE);
    SIM_CHECK(function, SIM_INVALID_DEVICE_FUNCTION);
    SIM_TRY(sim_rt_ready());
    *attributes = (struct function_attributes){
        .max_threads = function->max_threads,
        .registers = function->registers,
        .ptx_version = SIM_CC_MAJOR * 10 + SIM_CC_MINOR,
        .binary_version = SIM_CC_MAJOR * 10 + SIM_CC_MINOR,
        .max_dynamic_shared = function->max_dynamic_shared,
        .carveout = -1,
    };
    return SIM_OK;
}

SIM_API(cudaFuncSetAttribute, const void *, stub, int, attribute, int, value)
{
    struct sim_function *function = sim_rt_function(stub);
    SIM_CHECK(function, SIM_INVALID_DEVICE_FUNCTION);
    return sim_launch_set_attribute(function, attribute, value);
}

SIM_API(cudaFuncSetCacheConfig, const void *, stub, int, config)
{
    (void)config;
    return sim_rt_function(stub) ? SIM_OK : SIM_INVALID_DEVICE_FUNCTION;
}

SIM_API(cudaFuncGetName, const char **, name, const void *, stub)
{
    SIM_CHECK(name, SIM_INVALID_VALUE);
    SIM_CHECK(sim_rt_function(stub), SIM_INVALID_DEVICE_FUNCTION);
    *name = sim_rt_function_name(stub);
    return SIM_OK;
}

SIM_API(cudaGetFuncBySymbol, struct sim_function **, function, const void *, stub)
{
    SIM_CHECK(function, SIM_INVALID_VALUE);
    *function = sim_rt_function(stub);
    return *function ? SIM_OK : SIM_INVALID_DEVICE_FUNCTION;
}

SIM_API(cudaGetKernel, struct sim_function **, kernel, const void *, stub)
{
    SIM_CHECK(kernel, SIM_INVALID_VALUE);
    *kernel = sim_rt_function(stub);
    return *kernel ? SIM_OK : SIM_INVALID_DEVICE_FUNCTION;
}

static int occupancy(int *blocks, const void *stub, int block_size, size_t dynamic_shared)
{
    const struct sim_function *function = sim_rt_function(stub);
    SIM_CHECK(blocks && block_size > 0, SIM_INVALID_VALUE);
    SIM_CHECK(function, SIM_INVALID_DEVICE_FUNCTION);
    *blocks = sim_launch_occupancy(function, block_size, dynamic_shared);
    return SIM_OK;
}

SIM_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *, blocks, const void *, stub, int,
        block_size, size_t, dynamic_shared)
{
    return occupancy(blocks, stub, block_size, dynamic_shared);
}

SIM_API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *, blocks, const void *, stub,
        int, block_size, size_t, dynamic_shared, unsigned, flags)
{
    (void)flags;
    return occupancy(blocks, stub, block_size, dynamic_shared);
}

SIM_API(cudaOccupancyAvailableDynamicSMemPerBlock, size_t *, bytes, const void *, stub, int, blocks,
        int, block_size)
{
    (void)block_size;
    SIM_CHECK(bytes && blocks > 0, SIM_INVALID_VALUE);
    SIM_CHECK(sim_rt_function(stub), SIM_INVALID_DEVICE_FUNCTION);
    *bytes = (size_t)SIM_SHARED_PER_SM / (size_t)blocks;
    return SIM_OK;
}
