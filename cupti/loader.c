#define _GNU_SOURCE
#include "loader.h"

#include "log.h"
#include "search.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct symbol {
    const char *name;
    size_t offset; /* of the function pointer in its table */
    bool required;
};

#define REQUIRED true
#define OPTIONAL false
#define CUPTI_SYMBOL(need, name, arguments) {#name, offsetof(struct cupti_library, name), need},
#define DRIVER_SYMBOL(need, name, arguments) {#name, offsetof(struct driver_library, name), need},

static const struct symbol cupti_symbols[] = {ABI_CUPTI_FUNCTIONS(CUPTI_SYMBOL)};
static const struct symbol driver_symbols[] = {ABI_DRIVER_FUNCTIONS(DRIVER_SYMBOL)};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct cupti_library cupti_table;
static struct driver_library driver_table;
static const struct cupti_library *cupti_in_use;
static const struct driver_library *driver_in_use;

/* Fills the table; returns the first required symbol that is missing, NULL when all are there. */
static const char *resolve(void *library, const struct symbol *symbols, size_t count, void *table)
{
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address && symbols[i].required)
            return symbols[i].name;
        memcpy((char *)table + symbols[i].offset, &address, sizeof address);
    }
    return NULL;
}

bool loader_open_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!library || resolve(library, driver_symbols, COUNT(driver_symbols), &driver_table))
        return false;
    if (driver_table.cuDriverGetVersion(&driver_table.version) != ABI_OK)
        driver_table.version = 0;
    driver_in_use = &driver_table;
    return true;
}

static void note_path(void *library, const char *tried)
{
    struct link_map *map = NULL;
    const char *path = tried;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name && *map->l_name)
        path = map->l_name;
    char *resolved = realpath(path, NULL);
    snprintf(cupti_table.path, sizeof cupti_table.path, "%s", resolved ? resolved : path);
    free(resolved);
}

static bool take_cupti(const char *path, bool loaded, void *user)
{
    (void)user;
    void *library = dlopen(path, RTLD_LOCAL | RTLD_NOW | (loaded ? RTLD_NOLOAD : 0));
    if (!library)
        return false;
    const char *missing = resolve(library, cupti_symbols, COUNT(cupti_symbols), &cupti_table);
    if (missing) {
        log_line(LOG_PROCESS, "%s is no libcupti of CUDA 11 or later: it has no %s", path, missing);
        return false;
    }
    note_path(library, path);
    return true;
}

static void explain(const char *named, char *why, size_t why_bytes)
{
    if (named && *named)
        snprintf(why, why_bytes, "PROF_CUPTI names %.200s, which cannot be loaded as libcupti",
                 named);
    else
        snprintf(why, why_bytes,
                 "no libcupti was found, neither beside libcudart nor as libcupti.so.13 ... .11.0; "
                 "PROF_CUPTI can name it");
}

bool loader_open_cupti(const char *named, char *why, size_t why_bytes)
{
    char cudart_dir[SEARCH_PATH_BYTES];
    const struct search_hints hints = {
        .named = named,
        .cudart_dir = search_cudart_dir(cudart_dir) ? cudart_dir : NULL,
        .driver_major = driver_in_use ? driver_in_use->version / 1000 : 0,
    };
    if (!search_cupti(&hints, take_cupti, NULL)) {
        explain(named, why, why_bytes);
        return false;
    }
    if (cupti_table.cuptiGetVersion(&cupti_table.version) != ABI_OK)
        cupti_table.version = 0;
    cupti_in_use = &cupti_table;
    return true;
}

const struct cupti_library *loader_cupti(void)
{
    return cupti_in_use;
}

const struct driver_library *loader_driver(void)
{
    return driver_in_use;
}

void loader_use_cupti(const struct cupti_library *functions)
{
    cupti_in_use = functions;
}

void loader_use_driver(const struct driver_library *functions)
{
    driver_in_use = functions;
}
