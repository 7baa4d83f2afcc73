/* call_names.c - see call_names.h. */
#include "call_names.h"

#include <stddef.h>

/* By their beginnings: what comes first counts. */
static const struct {
    const char *begin;
    enum call_kind kind;
} calls[] = {
    {"cudaLaunchHostFunc", CALL_OTHER},
    {"cudaLaunch", CALL_LAUNCH},
    {"cudaMemcpy", CALL_COPY},
    {"cudaMemset", CALL_COPY},
    {"cudaGraphLaunch", CALL_GRAPH},
    {"cudaStreamBeginCapture", CALL_CAPTURE},
    {"cudaStreamEndCapture", CALL_CAPTURE_END},
    {"cudaMalloc", CALL_ALLOCATE}, /* also ...Host, ...Managed, ...Async */
    {"cudaHostAlloc", CALL_ALLOCATE},
    {"cudaFree", CALL_FREE},
    {"__cudaLaunch", CALL_LAUNCH},
    {"cuLaunchHostFunc", CALL_OTHER},
    {"cuLaunch", CALL_LAUNCH},
    {"cuMemcpy", CALL_COPY},
    {"cuMemset", CALL_COPY},
    {"cuGraphLaunch", CALL_GRAPH},
    {"cuStreamBeginCapture", CALL_CAPTURE},
    {"cuStreamEndCapture", CALL_CAPTURE_END},
    {"cuMemAlloc", CALL_ALLOCATE},
    {"cuMemHostAlloc", CALL_ALLOCATE},
    {"cuMemCreate", CALL_ALLOCATE},
    {"cuMemFree", CALL_FREE},
    {"cuMemRelease", CALL_FREE},
    {"hipLaunchHostFunc", CALL_OTHER},
    {"hipLaunch", CALL_LAUNCH},
    {"hipExtLaunch", CALL_LAUNCH},
    {"hipModuleLaunch", CALL_LAUNCH},
    {"hipExtModuleLaunch", CALL_LAUNCH},
    {"hipHccModuleLaunch", CALL_LAUNCH},
    {"hipMemcpy", CALL_COPY},
    {"hipMemset", CALL_COPY},
    {"hipGraphLaunch", CALL_GRAPH},
    {"hipStreamBeginCapture", CALL_CAPTURE},
    {"hipStreamEndCapture", CALL_CAPTURE_END},
    {"hipMalloc", CALL_ALLOCATE},
    {"hipHostMalloc", CALL_ALLOCATE},
    {"hipHostAlloc", CALL_ALLOCATE},
    {"hipExtMalloc", CALL_ALLOCATE},
    {"hipFree", CALL_FREE},
    {"hipHostFree", CALL_FREE},
    {"urEnqueueKernelLaunch", CALL_LAUNCH},
    {"piEnqueueKernelLaunch", CALL_LAUNCH},
};

enum call_kind call_name_kind(struct text name)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (text_begins(name, calls[i].begin))
            return calls[i].kind;
    return CALL_OTHER;
}
