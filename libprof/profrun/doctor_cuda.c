/* doctor_cuda.c - checks of the CUDA libraries that a program would load. */
#include "doctor.h"

#include "config.h"
#include "loader.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void doctor_check_driver(struct doctor *doctor, struct doctor_finding *finding)
{
    if (!dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {
        doctor_find(finding, DOCTOR_WARN,
                    "no libcuda.so.1: ranges are recorded, but no device operations; install the "
                    "NVIDIA driver, or try --sim");
        return;
    }
    doctor->driver = loader_open_driver();
    const struct driver_library *driver = loader_driver();
    if (!driver || driver->version <= 0) {
        doctor_find(finding, DOCTOR_FAIL, "libcuda.so.1 does not work: reinstall the driver");
        return;
    }
    doctor_find(finding, DOCTOR_OK, "CUDA %d.%d, %s", driver->version / 1000,
                driver->version % 1000 / 10, driver->path);
}

void doctor_check_stubs(struct doctor *doctor, struct doctor_finding *finding)
{
    static char path[LOADER_PATH_BYTES];
    const char *search = getenv("LD_LIBRARY_PATH");
    (void)doctor;
    if (loader_finds_stub(path)) {
        doctor_find(finding, DOCTOR_FAIL,
                    "%.300s is the toolkit's stub, for linking only: remove its directory from "
                    "LD_LIBRARY_PATH",
                    path);
    } else if (search && strstr(search, "/stubs")) {
        doctor_find(finding, DOCTOR_WARN,
                    "LD_LIBRARY_PATH contains a stubs directory, which is for linking only: remove "
                    "it");
    } else {
        doctor_find(finding, DOCTOR_OK, "the library path contains no stub of libcuda");
    }
}

/* Programs load libcudart, and libprof first searches its directory for libcupti. */
static void load_cudart(void)
{
    static const char *const names[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (dlopen(names[i], RTLD_LAZY | RTLD_LOCAL))
            return;
}

/* From which CUPTI on the device's hardware can time kernels. */
#if defined(__aarch64__)
enum { HARDWARE_TRACE_VERSION = ABI_VERSION_13_0_U1 };
#define HARDWARE_TRACE_CUDA "13.0 Update 1"
#else
enum { HARDWARE_TRACE_VERSION = ABI_VERSION_12_8 };
#define HARDWARE_TRACE_CUDA "12.8"
#endif

static void grade_cupti(const struct cupti_library *cupti, const struct driver_library *driver,
                        struct doctor_finding *finding)
{
    const unsigned version = cupti->version;
    const unsigned major = version >= ABI_VERSION_13_0 ? version / 10000 : 0;
    if (cupti->version_result != ABI_OK) {
        doctor_find(finding, DOCTOR_WARN,
                    "%.300s does not report its version (error %d): no usable driver", cupti->path,
                    cupti->version_result);
    } else if (version < ABI_VERSION_11_0) {
        doctor_find(finding, DOCTOR_FAIL,
                    "%.300s is older than CUDA 11.0: set PROF_CUPTI to a newer libcupti",
                    cupti->path);
    } else if (driver && major && (int)major > driver->version / 1000) {
        doctor_find(finding, DOCTOR_FAIL,
                    "%.300s is from CUDA %u, newer than the driver: update the driver, or set "
                    "PROF_CUPTI to an older libcupti",
                    cupti->path, major);
    } else if (config_get()->hardware_trace && version < HARDWARE_TRACE_VERSION) {
        doctor_find(finding, DOCTOR_WARN,
                    "PROF_HARDWARE_TRACE needs CUPTI of CUDA " HARDWARE_TRACE_CUDA
                    " or later on this processor architecture, %.300s is older",
                    cupti->path);
    } else if (major) {
        doctor_find(finding, DOCTOR_OK, "CUPTI %u.%u.%u, %s", major, version / 100 % 100,
                    version % 100, cupti->path);
    } else {
        doctor_find(finding, DOCTOR_OK, "CUPTI API %u, %s", version, cupti->path);
    }
}

void doctor_check_cupti(struct doctor *doctor, struct doctor_finding *finding)
{
    char why[400] = "";
    (void)doctor;
    load_cudart();
    if (loader_open_cupti(config_get()->cupti_path, why, sizeof why)) {
        grade_cupti(loader_cupti(), loader_driver(), finding);
    } else {
        doctor_find(finding, DOCTOR_WARN,
                    "%s; without libcupti there are no GPU times, unless the program has its own",
                    why);
    }
}

/* ---- duplicate libraries ---- */

struct family {
    const char *prefix; /* "libcupti.so." */
    char first[PATH_MAX];
    unsigned files;
};

static void count_file(struct family *family, const char *directory, const char *name)
{
    char path[PATH_MAX], resolved[PATH_MAX];
    if (strncmp(name, family->prefix, strlen(family->prefix)) != 0 ||
        snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path ||
        !realpath(path, resolved) || strcmp(resolved, family->first) == 0)
        return;
    if (family->files++ == 0)
        strcpy(family->first, resolved);
}

static void scan_directory(struct family *families, size_t count, const char *directory)
{
    DIR *opened = opendir(directory);
    struct dirent *entry;
    while (opened && (entry = readdir(opened)))
        for (size_t i = 0; i < count; i++)
            count_file(&families[i], directory, entry->d_name);
    if (opened)
        closedir(opened);
}

static void scan_path(struct family *families, size_t count)
{
    const char *search = getenv("LD_LIBRARY_PATH");
    char *copy = search ? strdup(search) : NULL, *rest = NULL;
    for (char *one = copy ? strtok_r(copy, ":;", &rest) : NULL; one;
         one = strtok_r(NULL, ":;", &rest))
        scan_directory(families, count, one);
    free(copy);
}

void doctor_check_duplicates(struct doctor *doctor, struct doctor_finding *finding)
{
    static struct family families[] = {
        {.prefix = "libcuda.so"}, {.prefix = "libcudart.so"}, {.prefix = "libcupti.so"}};
    const size_t count = sizeof families / sizeof *families;
    (void)doctor;
    scan_path(families, count);
    doctor_find(finding, DOCTOR_OK, "no CUDA library occurs twice on LD_LIBRARY_PATH");
    for (size_t i = 0; i < count; i++) {
        if (families[i].files > 1) {
            doctor_find(finding, DOCTOR_WARN,
                        "%u different %s are on LD_LIBRARY_PATH (first: %.300s): libraries of a "
                        "process may load different versions",
                        families[i].files, families[i].prefix, families[i].first);
        }
    }
}
