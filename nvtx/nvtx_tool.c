#include "nvtx_attach.h"

#include "atomic.h"
#include "log.h"
#include "nvtx_abi.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- what we are to the tool: a client with empty slots ---- */

#define NVTX_TOOL_SLOTS_MAX 16

static nvtx_slot nvtx_tool_slots[NVTX_MODULE_SYNC + 1][NVTX_TOOL_SLOTS_MAX];
static nvtx_slot *nvtx_tool_pointers[NVTX_MODULE_SYNC + 1][NVTX_TOOL_SLOTS_MAX + 1];

static const unsigned nvtx_tool_counts[NVTX_MODULE_SYNC + 1] = {
    [NVTX_MODULE_CORE] = NVTX_CORE_COUNT,     [NVTX_MODULE_CUDA] = NVTX_CUDA_COUNT,
    [NVTX_MODULE_OPENCL] = NVTX_OPENCL_COUNT, [NVTX_MODULE_CUDART] = NVTX_CUDART_COUNT,
    [NVTX_MODULE_CORE2] = NVTX_CORE2_COUNT,   [NVTX_MODULE_SYNC] = NVTX_SYNC_COUNT,
};

static int nvtx_tool_get_module(int module, nvtx_slot ***slots, unsigned *count)
{
    if (module < NVTX_MODULE_CORE || module > NVTX_MODULE_SYNC)
        return 0;
    for (unsigned i = 1; i < nvtx_tool_counts[module]; i++)
        nvtx_tool_pointers[module][i] = &nvtx_tool_slots[module][i];
    if (slots)
        *slots = nvtx_tool_pointers[module];
    if (count)
        *count = nvtx_tool_counts[module];
    return 1;
}

static void nvtx_tool_set_version(uint32_t version)
{
    (void)version; /* of the tool: they are all alike to us */
}

static const void *nvtx_tool_export_table(uint32_t table)
{
    static const struct nvtx_callbacks callbacks = {sizeof callbacks, nvtx_tool_get_module};
    static const struct nvtx_version_info version = {sizeof version, NVTX_CLIENT_VERSION, 0,
                                                     nvtx_tool_set_version};
    return table == NVTX_TABLE_CALLBACKS ? (const void *)&callbacks
           : table == NVTX_TABLE_VERSION ? (const void *)&version
                                         : NULL;
}

/* ---- the tool's library ---- */

static const void *nvtx_tool_base(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Before it is loaded: a copy's constructor would run. */
static bool nvtx_tool_is_our_file(const char *path)
{
    Dl_info own;
    struct stat ours, theirs;
    return dladdr((void *)(uintptr_t)nvtx_tool_get, &own) && own.dli_fname &&
           stat(own.dli_fname, &ours) == 0 && stat(path, &theirs) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

/* The loader may have taken the name for another file than stat() did; and a copy of libprof would
 * be a second recorder. */
static bool nvtx_tool_is_libprof(void *library, const void *entry)
{
    const void *here = nvtx_tool_base((void *)(uintptr_t)nvtx_tool_get);
    return nvtx_tool_base(entry) == here || dlsym(library, "prof_range_push_site");
}

typedef int (*nvtx_tool_initialize)(nvtx_get_export_table get);

/* Returns why there is no tool, NULL when there is one. */
static const char *nvtx_tool_load(void)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    if (!path || !*path)
        return "NVTX_INJECTION64_PATH names no tool";
    if (nvtx_tool_is_our_file(path))
        return "NVTX_INJECTION64_PATH names libprof itself";
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return "the tool that NVTX_INJECTION64_PATH names cannot be loaded";
    void *entry = dlsym(library, "InitializeInjectionNvtx2");
    if (!entry)
        return "NVTX_INJECTION64_PATH does not name an NVTX tool";
    if (nvtx_tool_is_libprof(library, entry))
        return "NVTX_INJECTION64_PATH names a copy of libprof";
    nvtx_tool_initialize initialize = (nvtx_tool_initialize)entry;
    return initialize(nvtx_tool_export_table) ? NULL : "the NVTX tool refused to attach";
}

enum nvtx_tool_state { NVTX_TOOL_UNKNOWN, NVTX_TOOL_LOADING, NVTX_TOOL_READY, NVTX_TOOL_ABSENT };

static uint32_t nvtx_tool_state; /* the loading thread releases -> others acquire */
static struct nvtx_tool nvtx_tool_functions;

static void nvtx_tool_read_functions(void)
{
    const nvtx_slot *core = nvtx_tool_slots[NVTX_MODULE_CORE];
    nvtx_tool_functions = (struct nvtx_tool){
        .push = (int (*)(const char *))core[NVTX_CORE_PUSH_A],
        .pop = (int (*)(void))core[NVTX_CORE_POP],
        .start = (uint64_t(*)(const char *))core[NVTX_CORE_START_A],
        .end = (void (*)(uint64_t))core[NVTX_CORE_END],
        .mark = (void (*)(const char *))core[NVTX_CORE_MARK_A],
    };
}

static const struct nvtx_tool *nvtx_tool_find(void)
{
    int saved_errno = errno;
    const char *reason = nvtx_tool_load();
    if (reason)
        log_line(LOG_ERROR, "ranges are not forwarded to NVTX: %s", reason);
    else
        nvtx_tool_read_functions();
    store_release(&nvtx_tool_state, (uint32_t)(reason ? NVTX_TOOL_ABSENT : NVTX_TOOL_READY));
    errno = saved_errno;
    return reason ? NULL : &nvtx_tool_functions;
}

/* No thread waits for the one that loads: a tool's first steps may use prof.h themselves. */
const struct nvtx_tool *nvtx_tool_get(void)
{
    uint32_t state = load_acquire(&nvtx_tool_state);
    if (state == NVTX_TOOL_READY)
        return &nvtx_tool_functions;
    if (state == NVTX_TOOL_UNKNOWN &&
        cas_acq_rel(&nvtx_tool_state, &state, (uint32_t)NVTX_TOOL_LOADING))
        return nvtx_tool_find();
    return NULL;
}
