/* rules_kernels.c - kernels that are too small for what starting them costs. */
#include "finding_gaps.h"
#include "finding_text.h"
#include "rules.h"

static bool is_tiny(const struct finding_context *context, const struct tl_gpu *gpu)
{
    return gpu->kind == TL_KERNEL && tl_is_work(gpu) &&
           gpu->end_ns - gpu->start_ns < context->limits->tiny_kernel_ns;
}

/* `more`: how long they ran. */
static void add_kernels(struct finding_owners *owners, const struct finding_context *context)
{
    const struct timeline *timeline = context->timeline;
    for (uint32_t i = 0; i < timeline->gpus.count && !owners->failed; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (!is_tiny(context, gpu))
            continue;
        int64_t ran_ns = gpu->end_ns > gpu->start_ns ? gpu->end_ns - gpu->start_ns : 0;
        struct finding_owner *owner =
            finding_owners_add(owners, context, gpu->process, gpu->device, gpu->slice, ran_ns);
        if (owner)
            owner->more += ran_ns;
    }
}

/* Idle time in front of them that was spent on launching: in a graph there would be none. */
static void add_waits(struct finding_owners *owners, const struct finding_context *context)
{
    for (uint32_t i = 0; i < context->gaps->gaps.count && !owners->failed; i++) {
        const struct finding_gap *gap = &context->gaps->gaps.at[i];
        const struct tl_gpu *gpu = &context->timeline->gpus.at[gap->next];
        if (gap->cause != GAP_LAUNCH || !is_tiny(context, gpu))
            continue;
        int64_t waited_ns = gap->end_ns - gap->start_ns;
        struct finding_owner *owner =
            finding_owners_add(owners, context, gpu->process, gpu->device, gpu->slice, waited_ns);
        if (owner) {
            owner->count--; /* counted with the kernels */
            owner->saved_ns += waited_ns;
        }
    }
}

/* cost: the kernels, and the idle time in front of them in which they were launched. saved: the latter.
 * Where a device never waits for them, they are nobody's trouble. */
static bool find_tiny_kernels(const struct finding_context *context,
                              const struct finding_rule *rule, struct findings *findings)
{
    struct finding_owners owners = {0};
    add_kernels(&owners, context);
    add_waits(&owners, context);
    bool added = finding_owners_gather(&owners, context);
    for (uint32_t i = 0; i < owners.owners.count && added; i++) {
        const struct finding_owner *owner = &owners.owners.at[i];
        struct finding finding = finding_of_owner(context, rule, owner);
        if (!finding_is_worth(context, owner->saved_ns))
            continue;
        added = findings_add(findings, context, &finding,
                             "%s shorter than %s ran for %s in all (%s each), and %s waited %s (%s "
                             "of the wall time) "
                             "for their launches.",
                             finding_count(owner->count, "kernel").text,
                             finding_time(context->limits->tiny_kernel_ns).text,
                             finding_time(owner->more).text,
                             finding_time(owner->more / (int64_t)owner->count).text,
                             finding_device(context, owner->process, owner->device).text,
                             finding_time(owner->saved_ns).text,
                             finding_share(owner->saved_ns, context->wall_ns).text);
    }
    finding_owners_fini(&owners);
    return added;
}

const struct finding_rule rule_tiny_kernels = {
    .name = "tiny-kernels",
    .title = "Tiny kernels",
    .remedy = "Capture the sequence in a CUDA graph, fuse kernels, or give each more work (larger "
              "batches).",
    .find = find_tiny_kernels,
};
