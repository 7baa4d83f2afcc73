/* rules_kernels.c - kernels that are too small for what starting them costs. */
#include "finding_owners.h"
#include "finding_text.h"
#include "rules.h"

static bool is_tiny(const struct finding_context *context, const struct tl_gpu *gpu)
{
    return gpu->kind == TL_KERNEL && tl_is_work(gpu) &&
           gpu->end_ns - gpu->start_ns < context->limits->tiny_kernel_ns;
}

static bool find_tiny_kernels(const struct finding_context *context,
                              const struct finding_rule *rule, struct findings *findings)
{
    struct finding_owners owners = {0};
    const struct timeline *timeline = context->timeline;
    for (uint32_t i = 0; i < timeline->gpus.count && !owners.failed; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (is_tiny(context, gpu))
            finding_owners_add(&owners, context, gpu->process, gpu->device, gpu->slice,
                               gpu->end_ns - gpu->start_ns);
    }
    bool added = finding_owners_gather(&owners, context);
    for (uint32_t i = 0; i < owners.owners.count && added; i++) {
        struct finding finding = finding_of_owner(context, rule, &owners.owners.at[i]);
        added = findings_add(findings, context, &finding, "%s shorter than %s.",
                             finding_count(finding.count, "kernel").text,
                             finding_time(context->limits->tiny_kernel_ns).text);
    }
    finding_owners_fini(&owners);
    return added;
}

const struct finding_rule rule_tiny_kernels = {
    .name = "tiny-kernels",
    .title = "Tiny kernels",
    .remedy = "Fuse them, give each more work (larger batches), or capture them in a CUDA graph.",
    .find = find_tiny_kernels,
};
