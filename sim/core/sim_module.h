/* sim_module.h - modules and their functions (kernels): names, and attributes derived from the
 * names.
 */
#ifndef SIM_MODULE_H
#define SIM_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim_shared.h"

struct sim_module;

struct sim_function {
    struct sim_function *retired; /* of an unloaded module: the next such */
    const char *name;             /* mangled; lives as long as the process: records point at it */
    struct sim_module *module;
    int registers;
    int max_threads;
    int max_dynamic_shared;
};

/* Loads an image. PTX text is searched for names later; of any other image every name is taken. */
SIM_SHARED struct sim_module *sim_module_create(const void *image);
SIM_SHARED void sim_module_destroy(struct sim_module *module);

/* The function of that name, made at the first asking. Returns  NULL when the module has none. */
SIM_SHARED struct sim_function *sim_module_function(struct sim_module *module, const char *name);

/* The mangled name; "" for NULL. */
SIM_SHARED const char *sim_function_name(const struct sim_function *function);

/* The function behind a handle, NULL if it is not one. */
SIM_SHARED struct sim_function *sim_function_of(const void *handle);

#endif
