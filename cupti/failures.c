#include "failures.h"

#include "abi.h"
#include "api_calls.h"
#include "loader.h"

#include <stddef.h>
#include <string.h>

/* The beginnings of names, so that versions ("_v3020", "_v2", "_ptsz") are included. Beginnings of
 * other names are meant, too: cuCtxGet is cuCtxGetCurrent, cuCtxGetDevice ... */
static const char *const left_out[] = {
    "__cuda",       /* what nvcc's code calls around a launch; __cudaLaunchKernel is followed */
    "cudaProfiler", /* profiler_calls.h */
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

/* A bit per cbid, by domain - 1. Written by failures_begin() before any callback is enabled. */
static uint64_t watched[2][ABI_CBID_COUNT / 64];

bool failures_leaves_out(const char *name)
{
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strncmp(name, left_out[i], strlen(left_out[i])) == 0)
            return true;
    return false;
}

static bool is_wanted(const struct cupti_library *cupti, uint32_t domain, uint32_t cbid)
{
    const char *name = NULL;
    return !api_calls_find(domain, cbid) &&
           cupti->cuptiGetCallbackName(domain, cbid, &name) == ABI_OK && name &&
           strncmp(name, "cu", 2) == 0 && !failures_leaves_out(name);
}

static void watch(const struct cupti_library *cupti, uint32_t domain)
{
    for (uint32_t cbid = 1; cbid < ABI_CBID_COUNT; cbid++)
        if (is_wanted(cupti, domain, cbid))
            watched[domain - 1][cbid / 64] |= (uint64_t)1 << (cbid % 64);
}

void failures_begin(void)
{
    const struct cupti_library *cupti = loader_cupti();
    memset(watched, 0, sizeof watched);
    if (!cupti->cuptiGetCallbackName)
        return;
    watch(cupti, ABI_DOMAIN_RUNTIME);
    watch(cupti, ABI_DOMAIN_DRIVER);
}

bool failures_are_watched(uint32_t domain, uint32_t cbid)
{
    return cbid < ABI_CBID_COUNT && watched[domain - 1][cbid / 64] >> (cbid % 64) & 1;
}

bool failures_is(uint32_t result)
{
    return result != ABI_OK && result != ABI_CUDA_NOT_READY;
}
