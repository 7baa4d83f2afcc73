#include "sim_module.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_core.h"
#include "sim_device.h"
#include "sim_handle.h"
#include "sim_model.h"

struct sim_module {
    char *ptx; /* a copy of the text, NULL for binary images */
    struct sim_function **functions;
    size_t count, capacity;
};

static bool is_text(const char *image)
{
    return image && (image[0] == '/' || image[0] == '.' || image[0] == '\n') &&
           strstr(image, ".entry") != NULL;
}

struct sim_module *sim_module_create(const void *image)
{
    struct sim_module *module = calloc(1, sizeof *module);
    if (!module)
        return NULL;
    module->ptx = is_text(image) ? strdup(image) : NULL;
    sim_handle_add(module, SIM_HANDLE_MODULE);
    return module;
}

static struct sim_function *retired; /* core lock */

/* Functions outlive their module: records and late callbacks may still name them. */
static void retire(struct sim_function *function)
{
    sim_handle_remove(function);
    sim_core_lock();
    function->retired = retired;
    retired = function;
    sim_core_unlock();
}

void sim_module_destroy(struct sim_module *module)
{
    if (!module)
        return;
    sim_handle_remove(module);
    for (size_t i = 0; i < module->count; i++)
        retire(module->functions[i]);
    free(module->functions);
    free(module->ptx);
    free(module);
}

static bool has_entry(const struct sim_module *module, const char *name)
{
    char wanted[512];
    if (!module->ptx)
        return true;
    snprintf(wanted, sizeof wanted, ".entry %s", name);
    const char *found = strstr(module->ptx, wanted);
    return found && strchr("( \n\t", found[strlen(wanted)]) != NULL;
}

static struct sim_function *make(struct sim_module *module, const char *name)
{
    struct sim_function *function = calloc(1, sizeof *function);
    char *copy = strdup(name);
    if (!function || !copy) {
        free(function);
        free(copy);
        return NULL;
    }
    const uint64_t hash = sim_model_hash(name, strlen(name), 1);
    *function = (struct sim_function){
        .name = copy,
        .module = module,
        .registers = 16 + (int)(hash % 12) * 8,
        .max_threads = SIM_MAX_THREADS,
        .max_dynamic_shared = SIM_SHARED_PER_BLOCK,
    };
    sim_handle_add(function, SIM_HANDLE_FUNCTION);
    return function;
}

static bool reserve(struct sim_module *module)
{
    if (module->count < module->capacity)
        return true;
    const size_t wanted = module->capacity ? module->capacity * 2 : 16;
    struct sim_function **larger =
        realloc(module->functions, wanted * sizeof(struct sim_function *));
    if (!larger)
        return false;
    module->functions = larger;
    module->capacity = wanted;
    return true;
}

static struct sim_function *find_locked(struct sim_module *module, const char *name)
{
    for (size_t i = 0; i < module->count; i++)
        if (strcmp(module->functions[i]->name, name) == 0)
            return module->functions[i];
    if (!has_entry(module, name) || !reserve(module))
        return NULL;
    struct sim_function *function = make(module, name);
    if (function)
        module->functions[module->count++] = function;
    return function;
}

struct sim_function *sim_module_function(struct sim_module *module, const char *name)
{
    sim_core_lock();
    struct sim_function *function = find_locked(module, name);
    sim_core_unlock();
    return function;
}

const char *sim_function_name(const struct sim_function *function)
{
    return function ? function->name : "";
}

struct sim_function *sim_function_of(const void *handle)
{
    return sim_handle_is(handle, SIM_HANDLE_FUNCTION) ? (struct sim_function *)(uintptr_t)handle
                                                      : NULL;
}
