#define _GNU_SOURCE
#include "loader.h"

#include "atomic.h"
#include "loaded.h"
#include "log.h"
#include "memory.h"

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
static const char *loader_resolve(void *library, const struct symbol *symbols, size_t count,
                                  void *table)
{
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address && symbols[i].required)
            return symbols[i].name;
        memcpy((char *)table + symbols[i].offset, &address, sizeof address);
    }
    return NULL;
}

static void loader_note_path(void *library, const char *tried, char kept[LOADER_PATH_BYTES])
{
    struct link_map *map = NULL;
    const char *path = tried;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name && *map->l_name)
        path = map->l_name;
    char *resolved = realpath(path, NULL);
    snprintf(kept, LOADER_PATH_BYTES, "%s", resolved ? resolved : path);
    free(resolved);
}

static int loader_is_driver(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size, (void)unused;
    const char *slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
    return slash && strncmp(slash + 1, "libcuda.so", 10) == 0;
}

#define LOADER_DRIVER_TABLES 8u

/* A dlopen that finds nothing allocates its message. This may be exit() in a signal handler that
 * interrupted malloc, which would never return: so the loader's list is looked at first. */
bool loader_open_driver(void)
{
    /* threads that come at once fill one each, all the same */
    static struct driver_library *tables;
    static uint32_t taken;
    if (load_acquire(&driver_in_use))
        return true;
    if (!dl_iterate_phdr(loader_is_driver, NULL))
        return false;
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!library || !MEMORY_ONCE(&tables, LOADER_DRIVER_TABLES))
        return false;
    uint32_t place = fetch_add_relaxed(&taken, 1u);
    if (place >= LOADER_DRIVER_TABLES)
        return false;
    struct driver_library *driver = &tables[place];
    if (loader_resolve(library, driver_symbols, COUNT(driver_symbols), driver))
        return false;
    loader_note_path(library, "libcuda.so.1", driver->path);
    if (driver->cuDriverGetVersion(&driver->version) != ABI_OK)
        driver->version = 0;
    store_release(&driver_in_use, (const struct driver_library *)driver);
    return true;
}

/* ---- where a libcupti may be, in the order in which it is worth trying ---- */

struct soname {
    const char *name;
    int major;
};

static const struct soname sonames[] = {
    {"libcupti.so.13", 13},   {"libcupti.so.12", 12},   {"libcupti.so.11.8", 11},
    {"libcupti.so.11.7", 11}, {"libcupti.so.11.6", 11}, {"libcupti.so.11.5", 11},
    {"libcupti.so.11.4", 11}, {"libcupti.so.11.3", 11}, {"libcupti.so.11.2", 11},
    {"libcupti.so.11.1", 11}, {"libcupti.so.11.0", 11},
};
#define SONAME_COUNT (sizeof sonames / sizeof *sonames)

/* Relative to libcudart's directory. The last is how the nvidia-*-cu12 wheels lie beside each
 * other. */
static const char *const beside_cudart[] = {".", "../extras/CUPTI/lib64", "../../cuda_cupti/lib"};
static const char *const last_resorts[] = {
    "/usr/local/cuda/lib64",
    "/usr/local/cuda/extras/CUPTI/lib64",
#if defined(__aarch64__) /* of servers (Grace), and of Jetson before JetPack 7 */
    "/usr/local/cuda/targets/sbsa-linux/lib",
    "/usr/local/cuda/targets/aarch64-linux/lib",
#endif
};

struct search {
    const struct loader_hints *hints;
    loader_try try_one;
    void *user;
};

static bool loader_too_new(const struct search *search, const struct soname *soname)
{
    return search->hints->driver_major && soname->major > search->hints->driver_major;
}

static bool loader_try_sonames(const struct search *search, bool loaded)
{
    for (size_t i = 0; i < SONAME_COUNT; i++)
        if (!loader_too_new(search, &sonames[i]) &&
            search->try_one(sonames[i].name, loaded, search->user))
            return true;
    return false;
}

static bool loader_try_directory(const struct search *search, const char *base, const char *below)
{
    char path[LOADER_PATH_BYTES];
    for (size_t i = 0; i < SONAME_COUNT; i++) {
        if (loader_too_new(search, &sonames[i]))
            continue;
        int length = snprintf(path, sizeof path, "%s/%s/%s", base, below, sonames[i].name);
        if (length > 0 && (size_t)length < sizeof path &&
            search->try_one(path, false, search->user))
            return true;
    }
    return false;
}

static bool loader_try_beside_cudart(const struct search *search)
{
    if (!search->hints->cudart_dir)
        return false;
    for (size_t i = 0; i < sizeof beside_cudart / sizeof *beside_cudart; i++)
        if (loader_try_directory(search, search->hints->cudart_dir, beside_cudart[i]))
            return true;
    return false;
}

static bool loader_try_last_resorts(const struct search *search)
{
    for (size_t i = 0; i < sizeof last_resorts / sizeof *last_resorts; i++)
        if (loader_try_directory(search, last_resorts[i], "."))
            return true;
    return false;
}

bool loader_search(const struct loader_hints *hints, loader_try try_one, void *user)
{
    struct search search = {hints, try_one, user};
    if (hints->named && *hints->named)
        return try_one(hints->named, false, user);
    return (!hints->none_loaded && loader_try_sonames(&search, true)) ||
           loader_try_beside_cudart(&search) || loader_try_sonames(&search, false) ||
           loader_try_last_resorts(&search);
}

static int loader_note_cudart(struct dl_phdr_info *object, size_t size, void *user)
{
    (void)size;
    char *dir = user;
    const char *slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
    if (!slash || strncmp(slash + 1, "libcudart.so", 12) != 0)
        return 0;
    size_t length = (size_t)(slash - object->dlpi_name);
    if (length == 0 || length >= LOADER_PATH_BYTES)
        return 0;
    memcpy(dir, object->dlpi_name, length);
    dir[length] = '\0';
    return 1;
}

bool loader_cudart_dir(char dir[LOADER_PATH_BYTES])
{
    return dl_iterate_phdr(loader_note_cudart, dir) == 1;
}

/* ---- opening libcupti ---- */

static bool loader_try_cupti(const char *path, bool loaded, void *user)
{
    (void)user;
    void *library = dlopen(path, RTLD_LOCAL | RTLD_NOW | (loaded ? RTLD_NOLOAD : 0));
    if (!library)
        return false;
    const char *missing =
        loader_resolve(library, cupti_symbols, COUNT(cupti_symbols), &cupti_table);
    if (missing) {
        log_line(LOG_PROCESS, "%s is not a libcupti of CUDA 11 or later: it lacks %s", path,
                 missing);
        return false;
    }
    loader_note_path(library, path, cupti_table.path);
    return true;
}

/* Those of a later CUDA than the driver's were not tried. */
static void loader_explain(const char *named, int driver_major, char *why, size_t why_bytes)
{
    int newest = driver_major && driver_major < 13 ? driver_major : 13;
    if (named && *named)
        snprintf(why, why_bytes, "cannot load PROF_CUPTI=%.200s as libcupti", named);
    else
        snprintf(why, why_bytes,
                 "no libcupti was found that fits the driver, neither beside libcudart nor as "
                 "libcupti.so.%s; PROF_CUPTI can name it",
                 newest == 13   ? "13 ... .11.0"
                 : newest == 12 ? "12 ... .11.0"
                                : "11.8 ... .11.0");
}

/* CUPTI 13.2 ends the process (SIGSEGV) in whatever of its functions is called first, if it finds
 * no driver; seen with 13.2.86. It is the one that has part of the v2 API. */
static bool loader_dies_without_driver(const struct cupti_library *cupti)
{
    return cupti->cuptiActivityEnable_v2 && !cupti->cuptiGetTimestamp_v2;
}

static bool loader_has_driver(void)
{
    return driver_in_use && driver_in_use->version > 0;
}

struct mapped {
    char (*paths)[LOADER_PATH_BYTES];
    unsigned count;
};

static int loader_note_cupti(struct dl_phdr_info *object, size_t size, void *user)
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
    dl_iterate_phdr(loader_note_cupti, &mapped);
    return mapped.count;
}

bool loader_open_cupti(const char *named, char *why, size_t why_bytes)
{
    char cudart_dir[LOADER_PATH_BYTES];
    const struct loader_hints hints = {
        .named = named,
        .cudart_dir = loader_cudart_dir(cudart_dir) ? cudart_dir : NULL,
        .driver_major = driver_in_use ? driver_in_use->version / 1000 : 0,
        /* the loader looks for each name in every directory before it says that it has no such
         * library */
        .none_loaded = loader_mapped_cupti(NULL) == 0,
    };
    if (!loader_search(&hints, loader_try_cupti, NULL)) {
        loader_explain(named, hints.driver_major, why, why_bytes);
        return false;
    }
    if (loader_dies_without_driver(&cupti_table) && !loader_has_driver()) {
        snprintf(why, why_bytes, "there is no usable CUDA driver, which CUPTI 13.2 needs");
        return false;
    }
    cupti_table.version_result = cupti_table.cuptiGetVersion(&cupti_table.version);
    if (cupti_table.version_result != ABI_OK)
        cupti_table.version = 0;
    cupti_in_use = &cupti_table;
    return true;
}

static bool loader_needs_cupti(const ElfW(Dyn) * dynamic, const char *strings)
{
    for (; dynamic->d_tag != DT_NULL; dynamic++)
        if (dynamic->d_tag == DT_NEEDED &&
            strncmp(strings + dynamic->d_un.d_val, "libcupti.so", 11) == 0)
            return true;
    return false;
}

/* Symbols that are not in the hash table come first: those of other libraries. */
static bool loader_imports(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic,
                           const char *strings, const char *name)
{
    const uint32_t *hash = loaded_table(object, dynamic, DT_GNU_HASH);
    const ElfW(Sym) *symbols = loaded_table(object, dynamic, DT_SYMTAB);
    for (uint32_t i = 1; hash && symbols && i < hash[1]; i++)
        if (strcmp(strings + symbols[i].st_name, name) == 0)
            return true;
    return false;
}

static bool loader_is_tool_object(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic)
{
    const char *strings = loaded_table(object, dynamic, DT_STRTAB);
    return strings && loader_needs_cupti(dynamic, strings) &&
           loader_imports(object, dynamic, strings, "cuptiActivityRegisterCallbacks") &&
           !loader_imports(object, dynamic, strings, "cuptiActivityRegisterCallbacks_v2");
}

static int loader_is_tool(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size, (void)unused;
    const ElfW(Dyn) *dynamic = loaded_dynamic(object);
    return dynamic && loader_is_tool_object(object, dynamic);
}

bool loader_finds_tool(void)
{
    return dl_iterate_phdr(loader_is_tool, NULL) == 1;
}

static int loader_note_driver(struct dl_phdr_info *object, size_t size, void *user)
{
    char resolved[PATH_MAX];
    if (!loader_is_driver(object, size, NULL))
        return 0;
    const char *path = realpath(object->dlpi_name, resolved);
    snprintf(user, LOADER_PATH_BYTES, "%s", path ? path : object->dlpi_name);
    return 1;
}

/* The toolkit keeps its stubs in a directory of that name, wherever it is installed. Asked at the
 * end of the process, maybe in a signal handler that interrupted malloc(): so without dlopen(),
 * which calls it. */
bool loader_finds_stub(char path[LOADER_PATH_BYTES])
{
    return dl_iterate_phdr(loader_note_driver, path) && strstr(path, "/stubs/");
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
