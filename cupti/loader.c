#define _GNU_SOURCE
#include "loader.h"

#include "atomic.h"
#include "log.h"
#include "search.h"

#include <dlfcn.h>
#include <limits.h>
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

static void note_path(void *library, const char *tried, char kept[LOADER_PATH_BYTES])
{
    struct link_map *map = NULL;
    const char *path = tried;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name && *map->l_name)
        path = map->l_name;
    char *resolved = realpath(path, NULL);
    snprintf(kept, LOADER_PATH_BYTES, "%s", resolved ? resolved : path);
    free(resolved);
}

static int is_driver(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size, (void)unused;
    const char *slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
    return slash && strncmp(slash + 1, "libcuda.so", 10) == 0;
}

/* A dlopen that finds nothing allocates its message. This may be exit() in a signal handler that
 * interrupted malloc, which would never return: so the loader's list is looked at first. */
bool loader_open_driver(void)
{
    static struct driver_library
        tables[8]; /* threads that come at once fill one each, all the same */
    static uint32_t taken;
    if (load_acquire(&driver_in_use))
        return true;
    if (!dl_iterate_phdr(is_driver, NULL))
        return false;
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    uint32_t place = library ? fetch_add_relaxed(&taken, 1u) : COUNT(tables);
    if (place >= COUNT(tables))
        return false;
    struct driver_library *driver = &tables[place];
    if (resolve(library, driver_symbols, COUNT(driver_symbols), driver))
        return false;
    note_path(library, "libcuda.so.1", driver->path);
    if (driver->cuDriverGetVersion(&driver->version) != ABI_OK)
        driver->version = 0;
    store_release(&driver_in_use, (const struct driver_library *)driver);
    return true;
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
    note_path(library, path, cupti_table.path);
    return true;
}

/* Those of a later CUDA than the driver's were not tried. */
static void explain(const char *named, int driver_major, char *why, size_t why_bytes)
{
    int newest = driver_major && driver_major < 13 ? driver_major : 13;
    if (named && *named)
        snprintf(why, why_bytes, "PROF_CUPTI names %.200s, which cannot be loaded as libcupti",
                 named);
    else
        snprintf(why, why_bytes,
                 "no libcupti was found that fits the driver, neither beside libcudart nor as "
                 "libcupti.so.%s; PROF_CUPTI can name it",
                 newest == 13   ? "13 ... .11.0"
                 : newest == 12 ? "12 ... .11.0"
                                : "11.8 ... .11.0");
}

/* CUPTI 13.2 ends the process (SIGSEGV) in whatever of its functions is called first, if it finds
 * no driver; seen with 13.2.86. It is the one that has part of the second form. */
static bool dies_without_driver(const struct cupti_library *cupti)
{
    return cupti->cuptiActivityEnable_v2 && !cupti->cuptiGetTimestamp_v2;
}

static bool has_driver(void)
{
    return driver_in_use && driver_in_use->version > 0;
}

struct mapped {
    char (*paths)[LOADER_PATH_BYTES];
    unsigned count;
};

static int note_cupti(struct dl_phdr_info *object, size_t size, void *user)
{
    (void)size;
    struct mapped *mapped = user;
    const char *slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
    if (!slash || strncmp(slash + 1, "libcupti.so", 11) != 0)
        return 0;
    if (mapped->paths && mapped->count < LOADER_CUPTI_MAX)
        snprintf(mapped->paths[mapped->count], LOADER_PATH_BYTES, "%s", object->dlpi_name);
    mapped->count++;
    return 0;
}

unsigned loader_mapped_cupti(char (*paths)[LOADER_PATH_BYTES])
{
    struct mapped mapped = {paths, 0};
    dl_iterate_phdr(note_cupti, &mapped);
    return mapped.count;
}

bool loader_open_cupti(const char *named, char *why, size_t why_bytes)
{
    char cudart_dir[SEARCH_PATH_BYTES];
    const struct search_hints hints = {
        .named = named,
        .cudart_dir = search_cudart_dir(cudart_dir) ? cudart_dir : NULL,
        .driver_major = driver_in_use ? driver_in_use->version / 1000 : 0,
        /* the loader looks for each name in every directory before it says that it has no such library */
        .none_loaded = loader_mapped_cupti(NULL) == 0,
    };
    if (!search_cupti(&hints, take_cupti, NULL)) {
        explain(named, hints.driver_major, why, why_bytes);
        return false;
    }
    if (dies_without_driver(&cupti_table) && !has_driver()) {
        snprintf(why, why_bytes, "there is no usable CUDA driver, and CUPTI 13.2 needs one");
        return false;
    }
    cupti_table.version_result = cupti_table.cuptiGetVersion(&cupti_table.version);
    if (cupti_table.version_result != ABI_OK)
        cupti_table.version = 0;
    cupti_in_use = &cupti_table;
    return true;
}

static int note_driver(struct dl_phdr_info *object, size_t size, void *user)
{
    char resolved[PATH_MAX];
    if (!is_driver(object, size, NULL))
        return 0;
    const char *path = realpath(object->dlpi_name, resolved);
    snprintf(user, LOADER_PATH_BYTES, "%s", path ? path : object->dlpi_name);
    return 1;
}

/* The toolkit keeps its stubs in a directory of that name, wherever it is installed. Asked at the end of the
 * process, maybe in a signal handler that interrupted malloc(): so without dlopen(), which calls it. */
bool loader_finds_stub(char path[LOADER_PATH_BYTES])
{
    return dl_iterate_phdr(note_driver, path) && strstr(path, "/stubs/");
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
