/* remedies.h - what to do about a finding on the devices at hand: advice that they, or their CUDA,
 * cannot follow is not given.
 *
 *     advice                         needs                                else
 *     TF32, BF16 in matrix products  compute capability 8.0               FP16 (7.0, 7.5)
 *     tensor cores at all            7.0, but not GeForce GTX 16; NVIDIA  the rule is silent
 *     BF16 in collectives            8.0                                  FP16
 *     torch.compile's fused kernels  7.0 (Triton)                         fused optimizers
 *     prefetching of managed memory  6.0                                  cudaMalloc and copies
 *     cudaMallocAsync                CUDA 11.2                            an own pool
 *     CUDA_MODULE_LOADING            CUDA 11.7                            nothing
 *
 * A capability or version that is not known is taken to be enough, and the advice names what it
 * needs.
 */
#ifndef PROF_REMEDIES_H
#define PROF_REMEDIES_H

#include "findings.h"

/* What to do about it. */
const char *finding_remedy(const struct finding_context *context, const struct finding *finding);

/* Whether the device has tensor cores, as far as is known. */
bool remedies_has_tensor_cores(const struct tl_device_info *device, struct text name);

/* For struct finding_rule.remedy_of. */
const char *remedy_fp32(const struct finding_context *context, const struct finding *finding);
const char *remedy_exposed(const struct finding_context *context, const struct finding *finding);
const char *remedy_trains(const struct finding_context *context, const struct finding *finding);
const char *remedy_managed(const struct finding_context *context, const struct finding *finding);
const char *remedy_allocations(const struct finding_context *context,
                               const struct finding *finding);
const char *remedy_idle_allocation(const struct finding_context *context,
                                   const struct finding *finding);
const char *remedy_outliers(const struct finding_context *context, const struct finding *finding);
const char *remedy_driver(const struct finding_context *context, const struct finding *finding);

#endif
