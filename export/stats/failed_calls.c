#include "failed_calls.h"

#include "array.h"
#include "maps.h"

#include <stddef.h>
#include <stdlib.h>

bool failed_calls_is(const struct timeline *timeline, const struct tl_slice *slice)
{
    if (slice->kind != TL_API || slice->flags & (TL_INTERNAL | TL_CONTINUED) ||
        slice->api >= timeline->apis.count)
        return false;
    int32_t result = timeline->apis.at[slice->api].result;
    return result != 0 && result != TL_RESULT_UNKNOWN && result != CUDA_ERROR_IS_ANSWER;
}

/* Names are far fewer than 2^30, so nothing shares a key. */
static uint64_t key_of(const struct failed_call *call)
{
    return ((uint64_t)call->name << 32 | (uint32_t)call->result) ^ (uint64_t)call->domain << 62;
}

static bool add_call(struct failed_calls *calls, struct keymap *known,
                     const struct timeline *timeline, uint32_t index)
{
    const struct tl_slice *slice = &timeline->slices.at[index];
    const struct tl_api *api = &timeline->apis.at[slice->api];
    struct failed_call call = {
        .name = slice->name, .domain = api->domain, .result = api->result, .first = index};
    uint32_t place = keymap_find(known, key_of(&call));
    if (place == KEYMAP_NONE) {
        struct failed_call *added = ARRAY_ADD(calls);
        place = calls->count - 1;
        if (!added || !keymap_set(known, key_of(&call), place))
            return false;
        *added = call;
    }
    struct failed_call *same = &calls->at[place];
    same->count++;
    calls->total++;
    if (slice->start_ns < timeline->slices.at[same->first].start_ns)
        same->first = index;
    return true;
}

static int most_frequent_first(const void *left, const void *right)
{
    const struct failed_call *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

bool failed_calls_init(struct failed_calls *calls, const struct timeline *timeline)
{
    struct keymap known = {0};
    bool added = true;
    *calls = (struct failed_calls){0};
    for (uint32_t i = 0; i < timeline->slices.count && added; i++)
        if (failed_calls_is(timeline, &timeline->slices.at[i]))
            added = add_call(calls, &known, timeline, i);
    keymap_fini(&known);
    if (!added)
        failed_calls_fini(calls);
    else if (calls->count > 1)
        qsort(calls->at, calls->count, sizeof *calls->at, most_frequent_first);
    return added;
}

void failed_calls_fini(struct failed_calls *calls)
{
    free(calls->at);
    *calls = (struct failed_calls){0};
}

uint32_t failed_calls_ranges(const struct timeline *timeline, uint32_t slice, uint32_t *ranges,
                             uint32_t most)
{
    uint32_t count = 0, kept = 0;
    for (uint32_t i = timeline->slices.at[slice].parent; i != TL_NONE;
         i = timeline->slices.at[i].parent) {
        if (timeline->slices.at[i].kind == TL_API)
            continue;
        if (kept < most)
            ranges[kept++] = i;
        count++;
    }
    for (uint32_t i = 0; i < kept / 2; i++) {
        uint32_t swapped = ranges[i];
        ranges[i] = ranges[kept - 1 - i];
        ranges[kept - 1 - i] = swapped;
    }
    return count;
}

/* ---- error names: the values of cudaError_t and CUresult in CUDA 13.0 ----
 *
 * None was ever changed; the two share their numbers since CUDA 10.1. */

struct error_name {
    int32_t code;
    const char *runtime, *driver; /* NULL: the other one's only */
};

/* clang-format off */
static const struct error_name error_names[] = {
    {1, "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE"},
    {2, "cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY"},
    {3, "cudaErrorInitializationError", "CUDA_ERROR_NOT_INITIALIZED"},
    {4, "cudaErrorCudartUnloading", "CUDA_ERROR_DEINITIALIZED"},
    {5, "cudaErrorProfilerDisabled", "CUDA_ERROR_PROFILER_DISABLED"},
    {6, "cudaErrorProfilerNotInitialized", "CUDA_ERROR_PROFILER_NOT_INITIALIZED"},
    {7, "cudaErrorProfilerAlreadyStarted", "CUDA_ERROR_PROFILER_ALREADY_STARTED"},
    {8, "cudaErrorProfilerAlreadyStopped", "CUDA_ERROR_PROFILER_ALREADY_STOPPED"},
    {9, "cudaErrorInvalidConfiguration", NULL},
    {12, "cudaErrorInvalidPitchValue", NULL},
    {13, "cudaErrorInvalidSymbol", NULL},
    {16, "cudaErrorInvalidHostPointer", NULL},
    {17, "cudaErrorInvalidDevicePointer", NULL},
    {18, "cudaErrorInvalidTexture", NULL},
    {19, "cudaErrorInvalidTextureBinding", NULL},
    {20, "cudaErrorInvalidChannelDescriptor", NULL},
    {21, "cudaErrorInvalidMemcpyDirection", NULL},
    {22, "cudaErrorAddressOfConstant", NULL},
    {23, "cudaErrorTextureFetchFailed", NULL},
    {24, "cudaErrorTextureNotBound", NULL},
    {25, "cudaErrorSynchronizationError", NULL},
    {26, "cudaErrorInvalidFilterSetting", NULL},
    {27, "cudaErrorInvalidNormSetting", NULL},
    {28, "cudaErrorMixedDeviceExecution", NULL},
    {31, "cudaErrorNotYetImplemented", NULL},
    {32, "cudaErrorMemoryValueTooLarge", NULL},
    {34, "cudaErrorStubLibrary", "CUDA_ERROR_STUB_LIBRARY"},
    {35, "cudaErrorInsufficientDriver", NULL},
    {36, "cudaErrorCallRequiresNewerDriver", "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER"},
    {37, "cudaErrorInvalidSurface", NULL},
    {43, "cudaErrorDuplicateVariableName", NULL},
    {44, "cudaErrorDuplicateTextureName", NULL},
    {45, "cudaErrorDuplicateSurfaceName", NULL},
    {46, "cudaErrorDevicesUnavailable", "CUDA_ERROR_DEVICE_UNAVAILABLE"},
    {49, "cudaErrorIncompatibleDriverContext", NULL},
    {52, "cudaErrorMissingConfiguration", NULL},
    {53, "cudaErrorPriorLaunchFailure", NULL},
    {65, "cudaErrorLaunchMaxDepthExceeded", NULL},
    {66, "cudaErrorLaunchFileScopedTex", NULL},
    {67, "cudaErrorLaunchFileScopedSurf", NULL},
    {68, "cudaErrorSyncDepthExceeded", NULL},
    {69, "cudaErrorLaunchPendingCountExceeded", NULL},
    {98, "cudaErrorInvalidDeviceFunction", NULL},
    {100, "cudaErrorNoDevice", "CUDA_ERROR_NO_DEVICE"},
    {101, "cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE"},
    {102, "cudaErrorDeviceNotLicensed", "CUDA_ERROR_DEVICE_NOT_LICENSED"},
    {103, "cudaErrorSoftwareValidityNotEstablished", NULL},
    {127, "cudaErrorStartupFailure", NULL},
    {200, "cudaErrorInvalidKernelImage", "CUDA_ERROR_INVALID_IMAGE"},
    {201, "cudaErrorDeviceUninitialized", "CUDA_ERROR_INVALID_CONTEXT"},
    {202, NULL, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT"},
    {205, "cudaErrorMapBufferObjectFailed", "CUDA_ERROR_MAP_FAILED"},
    {206, "cudaErrorUnmapBufferObjectFailed", "CUDA_ERROR_UNMAP_FAILED"},
    {207, "cudaErrorArrayIsMapped", "CUDA_ERROR_ARRAY_IS_MAPPED"},
    {208, "cudaErrorAlreadyMapped", "CUDA_ERROR_ALREADY_MAPPED"},
    {209, "cudaErrorNoKernelImageForDevice", "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {210, "cudaErrorAlreadyAcquired", "CUDA_ERROR_ALREADY_ACQUIRED"},
    {211, "cudaErrorNotMapped", "CUDA_ERROR_NOT_MAPPED"},
    {212, "cudaErrorNotMappedAsArray", "CUDA_ERROR_NOT_MAPPED_AS_ARRAY"},
    {213, "cudaErrorNotMappedAsPointer", "CUDA_ERROR_NOT_MAPPED_AS_POINTER"},
    {214, "cudaErrorECCUncorrectable", "CUDA_ERROR_ECC_UNCORRECTABLE"},
    {215, "cudaErrorUnsupportedLimit", "CUDA_ERROR_UNSUPPORTED_LIMIT"},
    {216, "cudaErrorDeviceAlreadyInUse", "CUDA_ERROR_CONTEXT_ALREADY_IN_USE"},
    {217, "cudaErrorPeerAccessUnsupported", "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"},
    {218, "cudaErrorInvalidPtx", "CUDA_ERROR_INVALID_PTX"},
    {219, "cudaErrorInvalidGraphicsContext", "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT"},
    {220, "cudaErrorNvlinkUncorrectable", "CUDA_ERROR_NVLINK_UNCORRECTABLE"},
    {221, "cudaErrorJitCompilerNotFound", "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"},
    {222, "cudaErrorUnsupportedPtxVersion", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
    {223, "cudaErrorJitCompilationDisabled", "CUDA_ERROR_JIT_COMPILATION_DISABLED"},
    {224, "cudaErrorUnsupportedExecAffinity", "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY"},
    {225, "cudaErrorUnsupportedDevSideSync", "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC"},
    {226, "cudaErrorContained", "CUDA_ERROR_CONTAINED"},
    {300, "cudaErrorInvalidSource", "CUDA_ERROR_INVALID_SOURCE"},
    {301, "cudaErrorFileNotFound", "CUDA_ERROR_FILE_NOT_FOUND"},
    {302, "cudaErrorSharedObjectSymbolNotFound", "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND"},
    {303, "cudaErrorSharedObjectInitFailed", "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED"},
    {304, "cudaErrorOperatingSystem", "CUDA_ERROR_OPERATING_SYSTEM"},
    {400, "cudaErrorInvalidResourceHandle", "CUDA_ERROR_INVALID_HANDLE"},
    {401, "cudaErrorIllegalState", "CUDA_ERROR_ILLEGAL_STATE"},
    {402, "cudaErrorLossyQuery", "CUDA_ERROR_LOSSY_QUERY"},
    {500, "cudaErrorSymbolNotFound", "CUDA_ERROR_NOT_FOUND"},
    {600, "cudaErrorNotReady", "CUDA_ERROR_NOT_READY"},
    {700, "cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {701, "cudaErrorLaunchOutOfResources", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {702, "cudaErrorLaunchTimeout", "CUDA_ERROR_LAUNCH_TIMEOUT"},
    {703, "cudaErrorLaunchIncompatibleTexturing", "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING"},
    {704, "cudaErrorPeerAccessAlreadyEnabled", "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"},
    {705, "cudaErrorPeerAccessNotEnabled", "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"},
    {708, "cudaErrorSetOnActiveProcess", "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE"},
    {709, "cudaErrorContextIsDestroyed", "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
    {710, "cudaErrorAssert", "CUDA_ERROR_ASSERT"},
    {711, "cudaErrorTooManyPeers", "CUDA_ERROR_TOO_MANY_PEERS"},
    {712, "cudaErrorHostMemoryAlreadyRegistered", "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
    {713, "cudaErrorHostMemoryNotRegistered", "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
    {714, "cudaErrorHardwareStackError", "CUDA_ERROR_HARDWARE_STACK_ERROR"},
    {715, "cudaErrorIllegalInstruction", "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
    {716, "cudaErrorMisalignedAddress", "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {717, "cudaErrorInvalidAddressSpace", "CUDA_ERROR_INVALID_ADDRESS_SPACE"},
    {718, "cudaErrorInvalidPc", "CUDA_ERROR_INVALID_PC"},
    {719, "cudaErrorLaunchFailure", "CUDA_ERROR_LAUNCH_FAILED"},
    {720, "cudaErrorCooperativeLaunchTooLarge", "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
    {721, "cudaErrorTensorMemoryLeak", "CUDA_ERROR_TENSOR_MEMORY_LEAK"},
    {800, "cudaErrorNotPermitted", "CUDA_ERROR_NOT_PERMITTED"},
    {801, "cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED"},
    {802, "cudaErrorSystemNotReady", "CUDA_ERROR_SYSTEM_NOT_READY"},
    {803, "cudaErrorSystemDriverMismatch", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
    {804, "cudaErrorCompatNotSupportedOnDevice", "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
    {805, "cudaErrorMpsConnectionFailed", "CUDA_ERROR_MPS_CONNECTION_FAILED"},
    {806, "cudaErrorMpsRpcFailure", "CUDA_ERROR_MPS_RPC_FAILURE"},
    {807, "cudaErrorMpsServerNotReady", "CUDA_ERROR_MPS_SERVER_NOT_READY"},
    {808, "cudaErrorMpsMaxClientsReached", "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED"},
    {809, "cudaErrorMpsMaxConnectionsReached", "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED"},
    {810, "cudaErrorMpsClientTerminated", "CUDA_ERROR_MPS_CLIENT_TERMINATED"},
    {811, "cudaErrorCdpNotSupported", "CUDA_ERROR_CDP_NOT_SUPPORTED"},
    {812, "cudaErrorCdpVersionMismatch", "CUDA_ERROR_CDP_VERSION_MISMATCH"},
    {900, "cudaErrorStreamCaptureUnsupported", "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
    {901, "cudaErrorStreamCaptureInvalidated", "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
    {902, "cudaErrorStreamCaptureMerge", "CUDA_ERROR_STREAM_CAPTURE_MERGE"},
    {903, "cudaErrorStreamCaptureUnmatched", "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
    {904, "cudaErrorStreamCaptureUnjoined", "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
    {905, "cudaErrorStreamCaptureIsolation", "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"},
    {906, "cudaErrorStreamCaptureImplicit", "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
    {907, "cudaErrorCapturedEvent", "CUDA_ERROR_CAPTURED_EVENT"},
    {908, "cudaErrorStreamCaptureWrongThread", "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"},
    {909, "cudaErrorTimeout", "CUDA_ERROR_TIMEOUT"},
    {910, "cudaErrorGraphExecUpdateFailure", "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"},
    {911, "cudaErrorExternalDevice", "CUDA_ERROR_EXTERNAL_DEVICE"},
    {912, "cudaErrorInvalidClusterSize", "CUDA_ERROR_INVALID_CLUSTER_SIZE"},
    {913, "cudaErrorFunctionNotLoaded", "CUDA_ERROR_FUNCTION_NOT_LOADED"},
    {914, "cudaErrorInvalidResourceType", "CUDA_ERROR_INVALID_RESOURCE_TYPE"},
    {915, "cudaErrorInvalidResourceConfiguration", "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION"},
    {916, NULL, "CUDA_ERROR_KEY_ROTATION"},
    {999, "cudaErrorUnknown", "CUDA_ERROR_UNKNOWN"},
    {10000, "cudaErrorApiFailureBase", NULL},
};
/* clang-format on */

static int by_code(const void *code, const void *name)
{
    int32_t wanted = *(const int32_t *)code, has = ((const struct error_name *)name)->code;
    return (wanted > has) - (wanted < has);
}

const char *cuda_error_name(enum prof_api_domain domain, int32_t code)
{
    const struct error_name *found = bsearch(
        &code, error_names, sizeof error_names / sizeof *error_names, sizeof *error_names, by_code);
    if (!found)
        return NULL;
    const char *own = domain == PROF_API_DRIVER ? found->driver : found->runtime;
    return own ? own : domain == PROF_API_DRIVER ? found->runtime : found->driver;
}
