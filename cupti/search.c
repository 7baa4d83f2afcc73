#define _GNU_SOURCE
#include "search.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

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
static const char *const last_resorts[] = {"/usr/local/cuda/lib64",
                                           "/usr/local/cuda/extras/CUPTI/lib64"};

struct search {
    const struct search_hints *hints;
    search_try try_one;
    void *user;
};

static bool too_new(const struct search *search, const struct soname *soname)
{
    return search->hints->driver_major && soname->major > search->hints->driver_major;
}

static bool try_sonames(const struct search *search, bool loaded)
{
    for (size_t i = 0; i < SONAME_COUNT; i++)
        if (!too_new(search, &sonames[i]) && search->try_one(sonames[i].name, loaded, search->user))
            return true;
    return false;
}

static bool try_directory(const struct search *search, const char *base, const char *below)
{
    char path[SEARCH_PATH_BYTES];
    for (size_t i = 0; i < SONAME_COUNT; i++) {
        if (too_new(search, &sonames[i]))
            continue;
        int length = snprintf(path, sizeof path, "%s/%s/%s", base, below, sonames[i].name);
        if (length > 0 && (size_t)length < sizeof path &&
            search->try_one(path, false, search->user))
            return true;
    }
    return false;
}

static bool try_beside_cudart(const struct search *search)
{
    if (!search->hints->cudart_dir)
        return false;
    for (size_t i = 0; i < sizeof beside_cudart / sizeof *beside_cudart; i++)
        if (try_directory(search, search->hints->cudart_dir, beside_cudart[i]))
            return true;
    return false;
}

static bool try_last_resorts(const struct search *search)
{
    for (size_t i = 0; i < sizeof last_resorts / sizeof *last_resorts; i++)
        if (try_directory(search, last_resorts[i], "."))
            return true;
    return false;
}

bool search_cupti(const struct search_hints *hints, search_try try_one, void *user)
{
    struct search search = {hints, try_one, user};
    if (hints->named && *hints->named)
        return try_one(hints->named, false, user);
    return (!hints->none_loaded && try_sonames(&search, true)) || try_beside_cudart(&search) ||
           try_sonames(&search, false) || try_last_resorts(&search);
}

static int note_cudart(struct dl_phdr_info *object, size_t size, void *user)
{
    (void)size;
    char *dir = user;
    const char *slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
    if (!slash || strncmp(slash + 1, "libcudart.so", 12) != 0)
        return 0;
    size_t length = (size_t)(slash - object->dlpi_name);
    if (length == 0 || length >= SEARCH_PATH_BYTES)
        return 0;
    memcpy(dir, object->dlpi_name, length);
    dir[length] = '\0';
    return 1;
}

bool search_cudart_dir(char dir[SEARCH_PATH_BYTES])
{
    return dl_iterate_phdr(note_cudart, dir) == 1;
}
