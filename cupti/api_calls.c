#include "api_calls.h"

#include "abi.h"
#include "loader.h"
#include "recorder.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define STREAM(field, at) .stream_at = (at) + 1
#define BYTES(field, at) .bytes_at = (at) + 1
#define ELEMENTS(field, at, shift) .bytes_at = (at) + 1, .bytes_shift = (shift)
#define KIND(field, at) .kind_at = (at) + 1
#define PER_THREAD .per_thread = 1
#define ROW(cbid, name, does, ...) [cbid] = {.what = API_##does, __VA_ARGS__},

const struct api_call api_calls_runtime[ABI_CBID_COUNT] = {ABI_RUNTIME_CALLS(ROW, ROW)};
const struct api_call api_calls_driver[ABI_CBID_COUNT] = {ABI_DRIVER_CALLS(ROW, ROW)};

static uint64_t api_calls_word_at(const void *parameters, unsigned offset)
{
    uint64_t value;
    memcpy(&value, (const char *)parameters + offset, sizeof value);
    return value;
}

/* A launch whose configuration is NULL fails in CUDA: it has no stream. */
static uint64_t api_calls_stream_of_config(const void *parameters)
{
    const void *config = (const void *)(uintptr_t)api_calls_word_at(parameters, 0);
    return config ? api_calls_word_at(config, ABI_CONFIG_STREAM) : 0;
}

static uint64_t api_calls_stream_of(const struct api_call *call, const void *parameters)
{
    if (call->what == API_KERNEL_CONFIG)
        return api_calls_stream_of_config(parameters);
    return call->stream_at ? api_calls_word_at(parameters, call->stream_at - 1u) : 0;
}

static uint64_t api_calls_bytes_of(const struct api_call *call, const void *parameters)
{
    return call->bytes_at ? api_calls_word_at(parameters, call->bytes_at - 1u) << call->bytes_shift
                          : 0;
}

/* A copy within the host may be made by the CPU, and cudaMemcpyDefault may turn out to be one. */
static bool api_calls_names_device(const struct api_call *call, const void *parameters)
{
    uint32_t kind;
    memcpy(&kind, (const char *)parameters + call->kind_at - 1, sizeof kind);
    return kind >= ABI_COPY_HTOD && kind <= ABI_COPY_DTOD;
}

/* Only what is certain: a number that is sometimes wrong would make the ledger useless. So
 * nothing is promised for copies of rectangles and between devices (CUDA may split or stage
 * them) or of zero bytes. */
static uint32_t api_calls_operations_of(const struct api_call *call, const void *parameters,
                                        uint64_t bytes)
{
    switch (call->what) {
    case API_KERNEL:
    case API_KERNEL_CONFIG:
        return 1;
    case API_COPY:
    case API_SET:
        return bytes > 0;
    case API_COPY_BY_KIND:
        return bytes > 0 && api_calls_names_device(call, parameters);
    default:
        return 0;
    }
}

struct api_effect api_calls_effect(const struct api_call *call, const void *parameters)
{
    struct api_effect effect = {.is_graph = call->what == API_GRAPH};
    if (!parameters)
        return effect;
    effect.stream = api_calls_stream_of(call, parameters);
    effect.bytes = api_calls_bytes_of(call, parameters);
    effect.operations = api_calls_operations_of(call, parameters, effect.bytes);
    return effect;
}

/* ---- calls that are looked at only for whether they fail ---- */

/* The beginnings of names, so that versions ("_v3020", "_v2", "_ptsz") are included. Beginnings of
 * other names are meant, too: cuCtxGet is cuCtxGetCurrent, cuCtxGetDevice ... */
static const char *const left_out[] = {
    "__cuda",       /* what nvcc's code calls around a launch; __cudaLaunchKernel is followed */
    "cudaProfiler", /* api_calls_switch() */
    "cuProfiler",
    "cudaGetLastError",
    "cudaPeekAtLastError",
    "cudaGetError",
    "cuGetError",
    "cudaGetDevice",
    "cudaSetDevice",
    "cudaDeviceGet",
    "cudaPointerGetAttributes",
    "cudaStreamIsCapturing",
    "cudaStreamQuery",
    "cudaEventQuery",
    "cudaStreamGet",
    "cudaFuncGetAttributes",
    "cudaOccupancy",
    "cudaDriverGetVersion",
    "cudaRuntimeGetVersion",
    "cudaGetDriverEntryPoint",
    "cudaGetFuncBySymbol",
    "cudaGetKernel",
    "cudaGetExportTable",
    "cuInit",
    "cuGetProcAddress",
    "cuGetExportTable",
    "cuDriverGetVersion",
    "cuCtxGet",
    "cuCtxSetCurrent",
    "cuCtxPushCurrent",
    "cuCtxPopCurrent",
    "cuDeviceGet",
    "cuDevicePrimaryCtxGetState",
    "cuPointerGetAttribute",
    "cuStreamIsCapturing",
    "cuStreamQuery",
    "cuEventQuery",
    "cuStreamGet",
    "cuThreadExchangeStreamCaptureMode",
    "cudaThreadExchangeStreamCaptureMode",
    "cuFuncGet",
    "cuKernelGet",
    "cuLibraryGet",
    "cuModuleGet",
    "cuOccupancy",
};

/* A bit per cbid, by domain - 1. Written by api_calls_watch() before any callback is enabled. */
static uint64_t watched[2][ABI_CBID_COUNT / 64];

bool api_calls_leaves_out(const char *name)
{
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strncmp(name, left_out[i], strlen(left_out[i])) == 0)
            return true;
    return false;
}

static bool api_calls_is_wanted(const struct cupti_library *cupti, uint32_t domain, uint32_t cbid)
{
    const char *name = NULL;
    return !api_calls_find(domain, cbid) &&
           cupti->cuptiGetCallbackName(domain, cbid, &name) == ABI_OK && name &&
           strncmp(name, "cu", 2) == 0 && !api_calls_leaves_out(name);
}

static void api_calls_watch_domain(const struct cupti_library *cupti, uint32_t domain)
{
    for (uint32_t cbid = 1; cbid < ABI_CBID_COUNT; cbid++)
        if (api_calls_is_wanted(cupti, domain, cbid))
            watched[domain - 1][cbid / 64] |= (uint64_t)1 << (cbid % 64);
}

void api_calls_watch(void)
{
    const struct cupti_library *cupti = loader_cupti();
    memset(watched, 0, sizeof watched);
    if (!cupti->cuptiGetCallbackName)
        return;
    api_calls_watch_domain(cupti, ABI_DOMAIN_RUNTIME);
    api_calls_watch_domain(cupti, ABI_DOMAIN_DRIVER);
}

bool api_calls_is_watched(uint32_t domain, uint32_t cbid)
{
    return cbid < ABI_CBID_COUNT && watched[domain - 1][cbid / 64] >> (cbid % 64) & 1;
}

bool api_calls_is_failure(uint32_t result)
{
    return result != ABI_OK && result != ABI_CUDA_NOT_READY;
}

/* ---- PROF_START=cuda: the program's calls to its profilers switch recording ---- */

static const struct {
    uint32_t domain, cbid;
    bool start;
} profiler_calls[] = {
    {ABI_DOMAIN_RUNTIME, ABI_CBID_RUNTIME_PROFILER_START, true},
    {ABI_DOMAIN_RUNTIME, ABI_CBID_RUNTIME_PROFILER_STOP, false},
    {ABI_DOMAIN_DRIVER, ABI_CBID_DRIVER_PROFILER_START, true},
    {ABI_DOMAIN_DRIVER, ABI_CBID_DRIVER_PROFILER_STOP, false},
};
#define PROFILER_CALLS (sizeof profiler_calls / sizeof *profiler_calls)

void api_calls_enable_profiler(void *subscriber)
{
    for (size_t i = 0; i < PROFILER_CALLS; i++)
        loader_cupti()->cuptiEnableCallback(1, subscriber, profiler_calls[i].domain,
                                            profiler_calls[i].cbid);
}

/* The runtime's function calls the driver's: the second switch changes nothing. */
void api_calls_switch(uint32_t domain, uint32_t cbid, uint32_t site)
{
    int kept_errno = errno;
    for (size_t i = 0; i < PROFILER_CALLS; i++)
        if (profiler_calls[i].domain == domain && profiler_calls[i].cbid == cbid &&
            site == (profiler_calls[i].start ? ABI_SITE_EXIT : ABI_SITE_ENTER))
            recorder_switch(profiler_calls[i].start, PROF_CONTROL_PROFILER);
    errno = kept_errno;
}
