/* rules_gaps.c - a rule for each cause of idle time that somebody can do something about.
 *
 * cost: the device's idle time of this cause below that path. saved: the same, but not more than the
 * device of the process idled that idled least, since the others have their work to do.
 */
#include "finding_gaps.h"
#include "finding_text.h"
#include "rules.h"

/* What the CPU, or whoever it was, did then: goes on after "GPU 0 idled for 1.20 s (12 %)". */
static const char *const words[GAP_CAUSES] = {
    [GAP_LAUNCH] = "while work was being launched here",
    [GAP_CPU] = "while the CPU was busy here and launched nothing",
    [GAP_SYNC] = "while the CPU was in calls that wait for a device, and nothing was queued",
    [GAP_COPY] = "while the CPU was in synchronous or pageable copies",
    [GAP_ALLOCATE] = "while the CPU allocated or freed memory",
    [GAP_OTHER_CALL] = "while the CPU was in other CUDA calls",
    [GAP_HOST_FUNCTION] = "while its stream waited for a function on the CPU",
    [GAP_QUEUED] = "although work was launched: it waited for an event, another device or the CPU",
    [GAP_START] = "before its first operation",
    [GAP_END] = "after its last operation",
};

static bool find_gaps(const struct finding_context *context, const struct finding_rule *rule,
                      struct findings *findings)
{
    size_t cause = (size_t)(rule - gap_rules);
    struct finding_owners owners;
    if (!finding_owners_copy(&owners, &context->gaps->owners[cause]))
        return false;
    bool added = finding_owners_gather(&owners, context);
    for (uint32_t i = 0; i < owners.owners.count && added; i++) {
        const struct finding_owner *owner = &owners.owners.at[i];
        struct finding finding = finding_of_owner(context, rule, owner);
        int64_t most_ns = finding_gaps_bound(context->gaps, owner->process);
        finding.saved_ns = owner->cost_ns < most_ns ? owner->cost_ns : most_ns;
        added = findings_add(findings, context, &finding,
                             "%s idled for %s (%s of the wall time) %s: %s, the longest %s.",
                             finding_device(context, owner->process, owner->device).text,
                             finding_time(owner->cost_ns).text,
                             finding_share(owner->cost_ns, context->wall_ns).text, words[cause],
                             finding_count(owner->count, "stretch").text,
                             finding_time(owner->largest_ns).text);
    }
    finding_owners_fini(&owners);
    return added;
}

const struct finding_rule gap_rules[GAP_CAUSES] = {
    [GAP_LAUNCH] =
        {
            .name = "gpu-idle-launch-bound",
            .title = "The GPU waited for launches",
            .remedy =
                "Launch less and larger: capture the sequence in a CUDA graph, fuse kernels, or "
                "batch more work into each.",
            .find = find_gaps,
        },
    [GAP_CPU] =
        {
            .name = "gpu-idle-cpu-bound",
            .title = "The GPU waited for the CPU",
            .remedy =
                "Move this work to other threads or processes, do it for the next step while the "
                "GPU works on this one, or make it faster.",
            .find = find_gaps,
        },
    [GAP_SYNC] =
        {
            .name = "gpu-idle-synchronization",
            .title = "The GPU ran dry while the CPU waited",
            .remedy =
                "Queue the next work before waiting; wait for events of a stream instead of the "
                "whole device; read results one step later.",
            .find = find_gaps,
        },
    [GAP_COPY] =
        {
            .name = "gpu-idle-copy",
            .title = "The GPU waited for copies that hold the CPU up",
            .remedy =
                "Copy from and to pinned memory (cudaHostAlloc, pin_memory) with cudaMemcpyAsync "
                "on a stream of its own.",
            .find = find_gaps,
        },
    [GAP_ALLOCATE] =
        {
            .name = "gpu-idle-allocation",
            .title = "The GPU waited for memory to be allocated or freed",
            .remedy =
                "Allocate once and reuse, or use a pool: cudaMallocAsync, or a caching allocator.",
            .find = find_gaps,
        },
    [GAP_OTHER_CALL] =
        {
            .name = "gpu-idle-other-calls",
            .title = "The GPU waited for other CUDA calls",
            .remedy = "Make streams, events and modules once, before the work begins.",
            .find = find_gaps,
        },
    [GAP_HOST_FUNCTION] =
        {
            .name = "gpu-idle-host-function",
            .title = "The GPU waited for a function on the CPU",
            .remedy =
                "Keep host functions and callbacks short, or take them out of the stream: record "
                "an event and have another thread wait for it.",
            .find = find_gaps,
        },
    [GAP_QUEUED] =
        {
            .name = "gpu-idle-queued",
            .title = "Work was launched but did not start",
            .remedy =
                "See what it waits for: events of other streams, other devices (collectives: the "
                "slowest rank), nodes of a graph that run on the CPU.",
            .find = find_gaps,
        },
    [GAP_START] =
        {
            .name = "gpu-idle-start",
            .title = "Time before the GPU's first operation",
            .remedy = "Of long runs it can be ignored, or left out of the recording; else load and "
                      "compile less, or at the same time.",
            .find = find_gaps,
        },
    [GAP_END] =
        {
            .name = "gpu-idle-end",
            .title = "Time after the GPU's last operation",
            .remedy =
                "Of long runs it can be ignored; else save results while the GPU still works.",
            .find = find_gaps,
        },
};
