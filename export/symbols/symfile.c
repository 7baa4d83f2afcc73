#include "symfile.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SYMFILE_DEBUG_DIRECTORY "/usr/lib/debug/.build-id"

static bool is_the_build(const struct symfile *file, const struct symfile_request *request)
{
    const uint8_t *build_id = NULL;
    return request->build_id_bytes == 0 ||
           (symfile_build_id(file, &build_id) == request->build_id_bytes &&
            memcmp(build_id, request->build_id, request->build_id_bytes) == 0);
}

/* Distributions keep the symbols of a build there, also when the file itself was replaced. */
static struct symfile *open_debug_file(const struct symfile_request *request)
{
    char path[sizeof SYMFILE_DEBUG_DIRECTORY + 64];
    if (request->build_id_bytes < 2 || request->build_id_bytes > 20)
        return NULL;
    int at = snprintf(path, sizeof path, SYMFILE_DEBUG_DIRECTORY "/%02x/", request->build_id[0]);
    for (uint32_t i = 1; i < request->build_id_bytes; i++)
        at += snprintf(path + at, sizeof path - (size_t)at, "%02x", request->build_id[i]);
    snprintf(path + at, sizeof path - (size_t)at, ".debug");
    return access(path, R_OK) == 0 ? symfile_open_path(path) : NULL;
}

struct symfile *symfile_open(const struct symfile_request *request, const char **problem)
{
    struct symfile *file = symfile_open_path(request->path);
    if (file && is_the_build(file, request))
        return file;
    *problem = file ? "is another build now" : "cannot be read";
    symfile_close(file);
    return open_debug_file(request);
}
