#include "refusal.h"

#include "abi.h"
#include "loader.h"

#include <stdbool.h>
#include <stdio.h>

struct refusal {
    int result;
    const char *sentence;
};

/* What is the matter, then what to do. */
static const struct refusal refusals[] = {
    {ABI_NOT_INITIALIZED, "CUPTI found no usable CUDA driver, or is newer than the driver"},
    {ABI_UNKNOWN, "CUPTI found no usable CUDA driver: nvidia-smi tells whether it works at all"},
    {ABI_NO_DEVICE, "CUPTI found no CUDA device: nvidia-smi and CUDA_VISIBLE_DEVICES tell why"},
    {ABI_NOT_COMPATIBLE, "this libcupti is not compatible with the CUDA driver"},
    {ABI_VIRTUALIZED_DEVICE, "CUPTI does not support this virtual GPU"},
    {ABI_INSUFFICIENT_PRIVILEGES,
     "the driver reserves GPU profiling for administrators: run as root or with CAP_SYS_ADMIN, or "
     "set NVreg_RestrictProfilingToAdminUsers=0 (developer.nvidia.com/ERR_NVGPUCTRPERM)"},
    {ABI_VIRTUALIZED_PRIVILEGES,
     "the hypervisor does not permit profiling of this virtual GPU: its administrator can, per "
     "vGPU (enable_profiling=1)"},
    {ABI_OLD_PROFILER_API, "the program itself uses the old CUDA profiler interface"},
    {ABI_LEGACY_PROFILER, "this CUPTI does not support profiling this GPU"},
    {ABI_CONFIDENTIAL_COMPUTING, "CUPTI does not work under confidential computing"},
    {ABI_CMP_DEVICE, "CUPTI does not support this mining GPU"},
    {ABI_MIG_DEVICE,
     "CUPTI does not support this MIG partition: profile on a whole GPU, or with a newer driver"},
    {ABI_SLI_DEVICE, "CUPTI does not support GPUs in SLI mode: switch SLI off"},
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
        snprintf(sentence, bytes, "another tool holds CUPTI: %s; run without it", holder);
    else
        snprintf(sentence, bytes,
                 "another tool holds CUPTI (Nsight, cuda-gdb, PyTorch's profiler ...): run without "
                 "it");
}

/* From CUDA 13.2 on several tools may subscribe, but only with the second form of the functions;
 * to the first form everything is then incompatible. */
static bool is_second_form(int result, const struct cupti_library *cupti)
{
    return result == ABI_NOT_COMPATIBLE && cupti && cupti->version >= ABI_VERSION_13_2;
}

static bool is_too_new(int result, const struct cupti_library *cupti,
                       const struct driver_library *driver)
{
    return result == ABI_NOT_INITIALIZED && cupti && driver && driver->version > 0 &&
           cupti->version >= ABI_VERSION_13_0 &&
           (int)(cupti->version / 10000) > driver->version / 1000;
}

static void explain_too_new(const struct cupti_library *cupti, const struct driver_library *driver,
                            char *sentence, size_t bytes)
{
    snprintf(sentence, bytes,
             "this libcupti is of CUDA %u.%u and newer than the driver, which is for CUDA %d.%d: "
             "install a newer driver, or name an older libcupti in PROF_CUPTI",
             cupti->version / 10000, cupti->version / 100 % 100, driver->version / 1000,
             driver->version % 1000 / 10);
}

static void explain_unknown(int result, const char *step, const struct cupti_library *cupti,
                            char *sentence, size_t bytes)
{
    const char *text = NULL;
    if (cupti && cupti->cuptiGetResultString)
        cupti->cuptiGetResultString((uint32_t)result, &text);
    snprintf(sentence, bytes, "CUPTI refused to %s: error %d%s%s", step, result, text ? ", " : "",
             text ? text : "");
}

void refusal_sentence(int result, const char *step, const char *holder, char *sentence,
                      size_t bytes)
{
    const struct cupti_library *cupti = loader_cupti();
    const struct driver_library *driver = loader_driver();
    const char *known = find(result);
    if (result == ABI_MULTIPLE_SUBSCRIBERS)
        name_holder(holder, sentence, bytes);
    else if (is_second_form(result, cupti))
        snprintf(sentence, bytes,
                 "another tool uses CUPTI in its second form, which shuts out the first: run "
                 "without it (error %d on %s)",
                 result, step);
    else if (is_too_new(result, cupti, driver))
        explain_too_new(cupti, driver, sentence, bytes);
    else if (known)
        snprintf(sentence, bytes, "%s (error %d on %s)", known, result, step);
    else
        explain_unknown(result, step, cupti, sentence, bytes);
}
