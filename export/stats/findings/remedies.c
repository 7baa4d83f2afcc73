/* remedies.c - see remedies.h. NULL: that of the rule. */
#include "remedies.h"

#include <stddef.h>

const char *finding_remedy(const struct finding_context *context, const struct finding *finding)
{
    const char *own = finding->rule->remedy_of ? finding->rule->remedy_of(context, finding) : NULL;
    if (own)
        return own;
    return context->uses_torch && finding->rule->remedy_torch ? finding->rule->remedy_torch
                                                              : finding->rule->remedy;
}

/* Ten times the compute capability of the least of the devices that the finding is about; 0
 * unknown. */
static uint32_t capability_of(const struct finding_context *context, const struct finding *finding)
{
    uint32_t least = 0;
    for (uint32_t i = 0; i < context->timeline->devices.count; i++) {
        const struct tl_device *device = &context->timeline->devices.at[i];
        uint32_t here = device->info.compute_major * 10 + device->info.compute_minor;
        bool is_of = (finding->process == TL_NONE || finding->process == device->process) &&
                     (finding->device == TL_NONE || finding->device == device->info.device);
        if (is_of && here && (!least || here < least))
            least = here;
    }
    return least;
}

/* A thousand times the major version of the driver's CUDA and ten times the minor, as CUDA has it;
 * 0 unknown. */
static uint32_t version_of(struct text text)
{
    uint32_t parts[2] = {0, 0}, part = 0;
    bool digits = false;
    for (size_t i = 0; i < text.size && part < 2; i++) {
        char byte = text.bytes[i];
        if (byte >= '0' && byte <= '9' && parts[part] < 1000) {
            parts[part] = parts[part] * 10 + (uint32_t)(byte - '0');
            digits = true;
        } else if (digits) {
            part = byte == '.' && part == 0 ? 1 : 2;
        }
    }
    return parts[0] * 1000 + parts[1] * 10;
}

/* Whether the CUDA of one of the finding's processes is older; not if it is not known. */
static bool is_older(const struct finding_context *context, const struct finding *finding,
                     uint32_t version)
{
    for (uint32_t i = 0; i < context->timeline->processes.count; i++) {
        uint32_t here = version_of(context->timeline->processes.at[i].info.driver);
        if ((finding->process == TL_NONE || finding->process == i) && here && here < version)
            return true;
    }
    return false;
}

static bool is_before(uint32_t capability, uint32_t least)
{
    return capability && capability < least;
}

/* GeForce GTX 16 has compute capability 7.5 without them; AMD's have a wavefront of 64. */
bool remedies_has_tensor_cores(const struct tl_device_info *device, struct text name)
{
    static const char gtx[] = "GTX 16";
    bool of_nvidia = !device->threads_per_warp || device->threads_per_warp == 32;
    for (size_t i = 0; i + sizeof gtx - 1 <= name.size; i++)
        if (text_begins((struct text){name.bytes + i, name.size - i}, gtx))
            return false;
    return device->compute_major >= 7 && of_nvidia && !text_begins(name, "AMD");
}

const char *remedy_fp32(const struct finding_context *context, const struct finding *finding)
{
    if (!is_before(capability_of(context, finding), 80))
        return NULL;
    return context->uses_torch
               ? "Compute in FP16 (torch.autocast with dtype=torch.float16, and a GradScaler): the "
                 "tensor cores of this GPU have neither TF32 nor BF16."
               : "Compute in FP16: the tensor cores of this GPU have neither TF32 nor BF16.";
}

const char *remedy_exposed(const struct finding_context *context, const struct finding *finding)
{
    return is_before(capability_of(context, finding), 80)
               ? "Start collectives as soon as their data is ready (bucketed gradients, prefetched "
                 "shards), on a stream of their own, and compute meanwhile; send less (FP16, "
                 "gradient accumulation)."
               : NULL;
}

const char *remedy_trains(const struct finding_context *context, const struct finding *finding)
{
    return context->uses_torch && is_before(capability_of(context, finding), 70)
               ? "Fuse them: an optimizer with foreach=True, or a kernel of your own. "
                 "torch.compile "
                 "makes fused kernels from compute capability 7.0 on."
               : NULL;
}

const char *remedy_managed(const struct finding_context *context, const struct finding *finding)
{
    return is_before(capability_of(context, finding), 60)
               ? "Use cudaMalloc and copies: before compute capability 6.0, managed memory moves "
                 "as "
                 "a whole at each launch, and cannot be prefetched."
               : NULL;
}

const char *remedy_allocations(const struct finding_context *context, const struct finding *finding)
{
    return is_older(context, finding, 11020) ? "Allocate before the loop, or from a pool of your "
                                               "own: cudaFree waits for the whole "
                                               "device. CUDA has cudaMallocAsync from 11.2 on."
                                             : NULL;
}

const char *remedy_idle_allocation(const struct finding_context *context,
                                   const struct finding *finding)
{
    return is_older(context, finding, 11020) ? "Allocate once and reuse, or use a caching "
                                               "allocator. CUDA has cudaMallocAsync from "
                                               "11.2 on."
                                             : NULL;
}

const char *remedy_outliers(const struct finding_context *context, const struct finding *finding)
{
    return is_older(context, finding, 11070)
               ? "Look at the longest in the timeline: a first call may load code, a full queue "
                 "makes "
                 "launches wait, threads wait for each other's calls, or the system took the CPU "
                 "away."
               : NULL;
}

const char *remedy_driver(const struct finding_context *context, const struct finding *finding)
{
    return is_older(context, finding, 11070)
               ? "Run every kernel once before what counts, ship code for this GPU, and launch "
                 "less "
                 "at a time, or in graphs, where its command buffer fills."
               : NULL;
}
