#include "refusal.h"

#include "abi.h"
#include "loader.h"

#include <stdio.h>

struct refusal {
    int result;
    const char *sentence;
};

static const struct refusal refusals[] = {
    {ABI_NOT_INITIALIZED, "CUPTI found no usable CUDA driver, or is newer than the driver"},
    {ABI_UNKNOWN, "CUPTI found no usable CUDA driver"},
    {ABI_NO_DEVICE, "CUPTI found no CUDA device"},
    {ABI_NOT_COMPATIBLE, "this libcupti is not compatible with the CUDA driver"},
    {ABI_VIRTUALIZED_DEVICE, "CUPTI does not support this virtual GPU"},
    {ABI_INSUFFICIENT_PRIVILEGES,
     "the driver reserves GPU profiling for administrators (NVreg_RestrictProfilingToAdminUsers)"},
    {ABI_VIRTUALIZED_PRIVILEGES, "the hypervisor does not permit profiling of this virtual GPU"},
    {ABI_OLD_PROFILER_API, "the program itself uses the old CUDA profiler interface"},
    {ABI_LEGACY_PROFILER, "this CUPTI does not support profiling this GPU"},
    {ABI_CONFIDENTIAL_COMPUTING, "CUPTI does not work under confidential computing"},
    {ABI_CMP_DEVICE, "CUPTI does not support this mining GPU"},
    {ABI_MIG_DEVICE, "CUPTI does not support this MIG partition"},
    {ABI_SLI_DEVICE, "CUPTI does not support GPUs in SLI mode"},
    {ABI_WSL_DEVICE, "CUPTI does not support this GPU under Windows Subsystem for Linux"},
};

static const char *find(int result)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (refusals[i].result == result)
            return refusals[i].sentence;
    return NULL;
}

static void name_holder(const char *holder, char *sentence, size_t bytes)
{
    if (holder && *holder)
        snprintf(sentence, bytes, "another tool holds CUPTI: %s", holder);
    else
        snprintf(sentence, bytes,
                 "another tool holds CUPTI (Nsight, cuda-gdb, PyTorch's profiler ...)");
}

void refusal_sentence(int result, const char *step, const char *holder, char *sentence,
                      size_t bytes)
{
    const struct cupti_library *cupti = loader_cupti();
    const char *known = find(result), *text = NULL;
    if (result == ABI_MULTIPLE_SUBSCRIBERS) {
        name_holder(holder, sentence, bytes);
    } else if (known) {
        snprintf(sentence, bytes, "%s (error %d on %s)", known, result, step);
    } else {
        if (cupti && cupti->cuptiGetResultString)
            cupti->cuptiGetResultString((uint32_t)result, &text);
        snprintf(sentence, bytes, "CUPTI refused to %s: error %d%s%s", step, result,
                 text ? ", " : "", text ? text : "");
    }
}
