/* rules_overlap.c - copies during which no kernel ran.
 *
 * cost: the time in which copies ran and no kernel did, of each device. saved: both side by side need no
 * less than the longer of the two: the smaller one of that time and of the time in which kernels ran
 * without a copy. Copies within a device are the device's own work.
 */
#include "device_walk.h"
#include "finding_owners.h"
#include "finding_text.h"
#include "intervals.h"
#include "rules.h"

#include <stdlib.h>

#define DEVICE_TO_DEVICE 8u /* prof_rec_memcpy.copy_kind */

struct overlap {
    const struct finding_context *context;
    TL_ARRAY(struct interval) kernels; /* of a device, the union */
    TL_ARRAY(uint32_t) copies;         /* into gpus[], by start */
    struct finding_owners owners;      /* exposed copies */
    int64_t kernel_ns, copy_ns;
    int64_t alone_ns; /* copies without a kernel beside them */
};

static bool is_transfer(const struct timeline *timeline, const struct tl_gpu *gpu)
{
    return gpu->kind == TL_MEMCPY &&
           (gpu->detail >= timeline->memcpys.count ||
            timeline->memcpys.at[gpu->detail].copy_kind != DEVICE_TO_DEVICE);
}

static bool add_kernel(struct overlap *overlap, const struct tl_gpu *gpu)
{
    struct interval *last =
        overlap->kernels.count ? &overlap->kernels.at[overlap->kernels.count - 1] : NULL;
    if (gpu->end_ns <= gpu->start_ns)
        return true;
    if (last && gpu->start_ns <= last->end) {
        last->end = gpu->end_ns > last->end ? gpu->end_ns : last->end;
        return true;
    }
    struct interval *added = ARRAY_ADD(&overlap->kernels);
    if (added)
        *added = (struct interval){gpu->start_ns, gpu->end_ns};
    return added != NULL;
}

/* The operations of the device that the walk has begun. */
static bool collect(struct overlap *overlap, struct device_walk *walk)
{
    const struct timeline *timeline = overlap->context->timeline;
    uint32_t index;
    bool added = true;
    overlap->kernels.count = overlap->copies.count = 0;
    while (added && (index = device_walk_next(walk)) != TL_NONE) {
        const struct tl_gpu *gpu = &timeline->gpus.at[index];
        if (gpu->kind == TL_KERNEL || gpu->kind == TL_GRAPH_RUN) {
            added = add_kernel(overlap, gpu);
        } else if (is_transfer(timeline, gpu)) {
            uint32_t *copy = ARRAY_ADD(&overlap->copies);
            added = copy != NULL;
            if (copy)
                *copy = index;
        }
    }
    return added;
}

/* How much of a stretch has no kernel in it; `*at` goes on to where the next one has to look. */
static int64_t alone(const struct overlap *overlap, uint32_t *at, int64_t start_ns, int64_t end_ns)
{
    int64_t left_ns = end_ns - start_ns;
    while (*at < overlap->kernels.count && overlap->kernels.at[*at].end <= start_ns)
        ++*at;
    for (uint32_t i = *at; i < overlap->kernels.count && overlap->kernels.at[i].start < end_ns;
         i++) {
        const struct interval *kernel = &overlap->kernels.at[i];
        left_ns -= (kernel->end < end_ns ? kernel->end : end_ns) -
                   (kernel->start > start_ns ? kernel->start : start_ns);
    }
    return left_ns;
}

/* Copies that run beside one another count once. */
static void measure(struct overlap *overlap)
{
    const struct tl_gpu *gpus = overlap->context->timeline->gpus.at;
    int64_t copied_until_ns = INT64_MIN;
    uint32_t at = 0;
    overlap->kernel_ns = overlap->copy_ns = overlap->alone_ns = 0;
    for (uint32_t i = 0; i < overlap->kernels.count; i++)
        overlap->kernel_ns += overlap->kernels.at[i].end - overlap->kernels.at[i].start;
    for (uint32_t i = 0; i < overlap->copies.count && !overlap->owners.failed; i++) {
        const struct tl_gpu *copy = &gpus[overlap->copies.at[i]];
        int64_t start_ns = copy->start_ns > copied_until_ns ? copy->start_ns : copied_until_ns;
        if (copy->end_ns <= start_ns)
            continue;
        copied_until_ns = copy->end_ns;
        int64_t alone_ns = alone(overlap, &at, start_ns, copy->end_ns);
        overlap->copy_ns += copy->end_ns - start_ns;
        overlap->alone_ns += alone_ns;
        struct finding_owner *owner =
            alone_ns ? finding_owners_add(&overlap->owners, overlap->context, copy->process,
                                          copy->device, copy->slice, alone_ns)
                     : NULL;
        if (owner)
            owner->more += (int64_t)copy->bytes;
    }
}

static bool tell(struct overlap *overlap, const struct finding_rule *rule,
                 struct findings *findings)
{
    const struct finding_context *context = overlap->context;
    int64_t kernels_alone_ns = overlap->kernel_ns - (overlap->copy_ns - overlap->alone_ns);
    bool added = finding_owners_gather(&overlap->owners, context);
    for (uint32_t i = 0; i < overlap->owners.owners.count && added; i++) {
        const struct finding_owner *owner = &overlap->owners.owners.at[i];
        struct finding finding = finding_of_owner(context, rule, owner);
        finding.saved_ns = owner->cost_ns < kernels_alone_ns ? owner->cost_ns : kernels_alone_ns;
        if (!finding_is_worth(context, finding.saved_ns))
            continue;
        added = findings_add(
            findings, context, &finding,
            "%s copied for %s here (%s, %s) while no kernel ran; of all its copies %s had a kernel "
            "beside them.",
            finding_device(context, owner->process, owner->device).text,
            finding_time(owner->cost_ns).text, finding_count(owner->count, "copy").text,
            finding_bytes((uint64_t)owner->more).text,
            finding_share(overlap->copy_ns - overlap->alone_ns, overlap->copy_ns).text);
    }
    finding_owners_fini(&overlap->owners);
    return added;
}

static bool find_poor_overlap(const struct finding_context *context,
                              const struct finding_rule *rule, struct findings *findings)
{
    struct overlap overlap = {.context = context};
    struct device_walk walk;
    bool added = device_walk_init(&walk, context->timeline);
    if (!added)
        return false;
    for (uint32_t i = 0; i < context->timeline->streams.count && added;) {
        i = device_walk_begin(&walk, i);
        added = collect(&overlap, &walk);
        if (added)
            measure(&overlap);
        added = added && tell(&overlap, rule, findings);
    }
    device_walk_fini(&walk);
    finding_owners_fini(&overlap.owners);
    free(overlap.kernels.at);
    free(overlap.copies.at);
    return added;
}

const struct finding_rule rule_poor_overlap = {
    .name = "poor-copy-overlap",
    .title = "Copies run while no kernel does",
    .remedy =
        "Copy the next batch on a second stream, from pinned memory, while kernels work on this "
        "one (double buffering).",
    .find = find_poor_overlap,
};
