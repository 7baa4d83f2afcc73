/* sim_driver_launch.c - modules, functions, launches, occupancy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_device.h"
#include "sim_driver.h"
#include "sim_launch.h"
#include "sim_module.h"
#include "sim_tools.h"

/* ---- modules ---- */

static int load(struct sim_module **module, const void *image)
{
    SIM_CHECK(module && image, SIM_INVALID_VALUE);
    *module = sim_module_create(image);
    SIM_CHECK(*module, SIM_OUT_OF_MEMORY);
    sim_tools_resource(SIM_MODULE_LOADED, &(struct sim_resource){.context = sim_context_current()});
    return SIM_OK;
}

static int unload(struct sim_module *module)
{
    SIM_CHECK(sim_handle_is(module, SIM_HANDLE_MODULE), SIM_INVALID_HANDLE);
    sim_tools_resource(SIM_MODULE_UNLOAD_STARTING,
                       &(struct sim_resource){.context = sim_context_current()});
    sim_module_destroy(module);
    return SIM_OK;
}

static int get_function(struct sim_function **function, struct sim_module *module, const char *name)
{
    SIM_CHECK(function && name && *name, SIM_INVALID_VALUE);
    SIM_CHECK(sim_handle_is(module, SIM_HANDLE_MODULE), SIM_INVALID_HANDLE);
    *function = sim_module_function(module, name);
    return *function ? SIM_OK : SIM_NOT_FOUND;
}

/* The whole file, with a zero behind it: it may be text. */
static char *read_file(const char *path)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    char *image = NULL;
    if (!file)
        return NULL;
    const long bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (bytes >= 0 && fseek(file, 0, SEEK_SET) == 0)
        image = calloc(1, (size_t)bytes + 1);
    if (image && fread(image, 1, (size_t)bytes, file) != (size_t)bytes)
        *image = '\0';
    fclose(file);
    return image;
}

static int load_file(struct sim_module **module, const char *path)
{
    char *image = read_file(path);
    SIM_CHECK(image, SIM_FILE_NOT_FOUND);
    const int result = load(module, image);
    free(image);
    return result;
}

SIM_API(cuModuleLoad, struct sim_module **, module, const char *, path)
{
    return load_file(module, path);
}

SIM_API(cuLibraryLoadFromFile, struct sim_module **, library, const char *, path, int *,
        jit_options, void **, jit_values, unsigned, jit_count, int *, options, void **, values,
        unsigned, count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    return load_file(library, path);
}

/* A library's module is the same object here. */
SIM_API(cuLibraryGetModule, struct sim_module **, module, struct sim_module *, library)
{
    SIM_CHECK(module && sim_handle_is(library, SIM_HANDLE_MODULE), SIM_INVALID_HANDLE);
    *module = library;
    return SIM_OK;
}

/* Kernels do not run, so there is no memory of a module's. */
SIM_API(cuModuleGetGlobal_v2, unsigned long long *, address, size_t *, bytes, struct sim_module *,
        module, const char *, name)
{
    (void)address, (void)bytes, (void)name;
    SIM_CHECK(sim_handle_is(module, SIM_HANDLE_MODULE), SIM_INVALID_HANDLE);
    return SIM_NOT_FOUND;
}

SIM_API(cuModuleGetLoadingMode, int *, mode)
{
    SIM_CHECK(mode, SIM_INVALID_VALUE);
    *mode = 2; /* lazily */
    return SIM_OK;
}

SIM_API(cuModuleLoadData, struct sim_module **, module, const void *, image)
{
    return load(module, image);
}

SIM_API(cuModuleLoadDataEx, struct sim_module **, module, const void *, image, unsigned, count,
        int *, options, void **, values)
{
    (void)count, (void)options, (void)values;
    return load(module, image);
}

SIM_API(cuModuleLoadFatBinary, struct sim_module **, module, const void *, image)
{
    return load(module, image);
}

SIM_API(cuModuleUnload, struct sim_module *, module)
{
    return unload(module);
}

SIM_API(cuModuleGetFunction, struct sim_function **, function, struct sim_module *, module,
        const char *, name)
{
    return get_function(function, module, name);
}

SIM_API(cuLibraryLoadData, struct sim_module **, library, const void *, image, int *, jit_options,
        void **, jit_values, unsigned, jit_count, int *, options, void **, values, unsigned, count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    return load(library, image);
}

SIM_API(cuLibraryUnload, struct sim_module *, library)
{
    return unload(library);
}

SIM_API(cuLibraryGetKernel, struct sim_function **, kernel, struct sim_module *, library,
        const char *, name)
{
    return get_function(kernel, library, name);
}

/* A kernel's function is the same object here. */
SIM_API(cuKernelGetFunction, struct sim_function **, function, struct sim_function *, kernel)
{
    SIM_CHECK(function && sim_function_of(kernel), SIM_INVALID_HANDLE);
    *function = kernel;
    return SIM_OK;
}

SIM_API(cuFuncGetName, const char **, name, struct sim_function *, function)
{
    SIM_CHECK(name && sim_function_of(function), SIM_INVALID_HANDLE);
    *name = function->name;
    return SIM_OK;
}

SIM_API(cuKernelGetName, const char **, name, struct sim_function *, kernel)
{
    SIM_CHECK(name && sim_function_of(kernel), SIM_INVALID_HANDLE);
    *name = kernel->name;
    return SIM_OK;
}

SIM_API(cuFuncGetModule, struct sim_module **, module, struct sim_function *, function)
{
    SIM_CHECK(module && sim_function_of(function), SIM_INVALID_HANDLE);
    *module = function->module;
    return SIM_OK;
}

SIM_API(cuFuncGetAttribute, int *, value, int, attribute, struct sim_function *, function)
{
    SIM_CHECK(value, SIM_INVALID_VALUE);
    SIM_CHECK(sim_function_of(function), SIM_INVALID_HANDLE);
    return sim_launch_attribute(function, attribute, value);
}

SIM_API(cuFuncSetAttribute, struct sim_function *, function, int, attribute, int, value)
{
    SIM_CHECK(sim_function_of(function), SIM_INVALID_HANDLE);
    return sim_launch_set_attribute(function, attribute, value);
}

SIM_API(cuKernelGetAttribute, int *, value, int, attribute, struct sim_function *, kernel, int,
        device)
{
    (void)device;
    SIM_CHECK(value, SIM_INVALID_VALUE);
    SIM_CHECK(sim_function_of(kernel), SIM_INVALID_HANDLE);
    return sim_launch_attribute(kernel, attribute, value);
}

SIM_API(cuKernelSetAttribute, int, attribute, int, value, struct sim_function *, kernel, int,
        device)
{
    (void)device;
    SIM_CHECK(sim_function_of(kernel), SIM_INVALID_HANDLE);
    return sim_launch_set_attribute(kernel, attribute, value);
}

SIM_API(cuKernelSetCacheConfig, struct sim_function *, kernel, int, config, int, device)
{
    (void)config, (void)device;
    return sim_function_of(kernel) ? SIM_OK : SIM_INVALID_HANDLE;
}

SIM_API(cuFuncLoad, struct sim_function *, function)
{
    return sim_function_of(function) ? SIM_OK : SIM_INVALID_HANDLE;
}

SIM_API(cuFuncIsLoaded, int *, state, struct sim_function *, function)
{
    SIM_CHECK(state && sim_function_of(function), SIM_INVALID_HANDLE);
    *state = 1;
    return SIM_OK;
}

SIM_API(cuFuncSetCacheConfig, struct sim_function *, function, int, config)
{
    (void)config;
    return sim_function_of(function) ? SIM_OK : SIM_INVALID_HANDLE;
}

/* ---- launches ---- */

#define NAME_OF(function) sim_function_name(sim_function_of(function))

static int launch(struct sim_function *function, struct sim_dim3 grid, struct sim_dim3 block,
                  unsigned dynamic_shared, void *handle, struct sim_dim3 cluster)
{
    struct sim_stream *stream = sim_stream_of(handle);
    struct sim_work work = {.kind = SIM_WORK_KERNEL,
                            .kernel = {.function = function,
                                       .grid = grid,
                                       .block = block,
                                       .cluster = cluster,
                                       .dynamic_shared = dynamic_shared,
                                       .known_ns = sim_launch_announced()}};
    SIM_CHECK(sim_function_of(function) && stream, SIM_INVALID_HANDLE);
    SIM_TRY(sim_launch_check(&work.kernel));
    return sim_stream_submit(stream, &work);
}

SIM_API_TWIN_NAMED(cuLaunchKernel, _ptsz, NAME_OF(function), struct sim_function *, function,
                   unsigned, grid_x, unsigned, grid_y, unsigned, grid_z, unsigned, block_x,
                   unsigned, block_y, unsigned, block_z, unsigned, dynamic_shared, void *, handle,
                   void **, arguments, void **, extra)
{
    (void)arguments, (void)extra;
    return launch(function, (struct sim_dim3){grid_x, grid_y, grid_z},
                  (struct sim_dim3){block_x, block_y, block_z}, dynamic_shared, handle,
                  (struct sim_dim3){0, 0, 0});
}

SIM_API_TWIN_NAMED(cuLaunchCooperativeKernel, _ptsz, NAME_OF(function), struct sim_function *,
                   function, unsigned, grid_x, unsigned, grid_y, unsigned, grid_z, unsigned,
                   block_x, unsigned, block_y, unsigned, block_z, unsigned, dynamic_shared, void *,
                   handle, void **, arguments)
{
    (void)arguments;
    return launch(function, (struct sim_dim3){grid_x, grid_y, grid_z},
                  (struct sim_dim3){block_x, block_y, block_z}, dynamic_shared, handle,
                  (struct sim_dim3){0, 0, 0});
}

SIM_API_TWIN_NAMED(cuLaunchKernelEx, _ptsz, NAME_OF(function),
                   const struct sim_driver_launch_config *, config, struct sim_function *, function,
                   void **, arguments, void **, extra)
{
    (void)arguments, (void)extra;
    SIM_CHECK(config, SIM_INVALID_VALUE);
    return launch(function, config->grid, config->block, config->dynamic_shared, config->stream,
                  sim_launch_cluster(config->attributes, config->attribute_count));
}

/* ---- occupancy ---- */

SIM_API(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *, blocks, struct sim_function *, function,
        int, block_size, size_t, dynamic_shared)
{
    SIM_CHECK(blocks && block_size > 0, SIM_INVALID_VALUE);
    SIM_CHECK(sim_function_of(function), SIM_INVALID_HANDLE);
    *blocks = sim_launch_occupancy(function, block_size, dynamic_shared);
    return SIM_OK;
}

SIM_API(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *, blocks, struct sim_function *,
        function, int, block_size, size_t, dynamic_shared, unsigned, flags)
{
    (void)flags;
    SIM_CHECK(blocks && block_size > 0, SIM_INVALID_VALUE);
    SIM_CHECK(sim_function_of(function), SIM_INVALID_HANDLE);
    *blocks = sim_launch_occupancy(function, block_size, dynamic_shared);
    return SIM_OK;
}

SIM_API(cuOccupancyMaxPotentialBlockSize, int *, grid, int *, block, struct sim_function *,
        function, void *, shared_of, size_t, dynamic_shared, int, limit)
{
    (void)shared_of, (void)dynamic_shared, (void)limit;
    SIM_CHECK(grid && block, SIM_INVALID_VALUE);
    SIM_CHECK(sim_function_of(function), SIM_INVALID_HANDLE);
    *block = 512;
    *grid = SIM_SM_COUNT * sim_launch_occupancy(function, 512, 0);
    return SIM_OK;
}
