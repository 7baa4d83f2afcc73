/* rules_calls.c - calls that hold the CPU up: synchronous copies, and allocations and waits in loops.
 *
 * cost: the time that threads were in these calls. saved: without a wait nothing can be done earlier
 * than by the length of the wait, and the devices have their work to do: the smaller one of the cost
 * and the idle time of the process's device that idled least.
 */
#include "finding_gaps.h"
#include "finding_text.h"
#include "rules.h"

struct call_search {
    const struct finding_context *context;
    struct finding_owners owners; /* `more`: bytes */
};

static int64_t bytes_of(const struct timeline *timeline, const struct tl_slice *call)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < call->gpu_count; i++)
        bytes += timeline->gpus.at[timeline->gpu_by_slice.at[call->gpu_first + i]].bytes;
    return (int64_t)bytes;
}

static void add_calls(struct call_search *search, bool (*wanted)(enum cuda_call call))
{
    const struct finding_context *context = search->context;
    const struct timeline *timeline = context->timeline;
    for (uint32_t i = 0; i < context->calls->listed_count && !search->owners.failed; i++) {
        uint32_t slice = context->calls->listed[i];
        const struct tl_slice *call = &timeline->slices.at[slice];
        if (!wanted(cuda_call_of(context->calls, call)))
            continue;
        struct finding_owner *owner =
            finding_owners_add(&search->owners, context, timeline->threads.at[call->thread].process,
                               TL_NONE, slice, call->end_ns - call->start_ns);
        if (owner)
            owner->more += bytes_of(timeline, call);
    }
}

/* The most that the calls of an owner can cost the wall time. */
static int64_t bound_of(const struct finding_context *context, const struct finding_owner *owner)
{
    int64_t most_ns = finding_gaps_bound(context->gaps, owner->process);
    return owner->cost_ns < most_ns ? owner->cost_ns : most_ns;
}

/* Adds those whose end would save what is worth a finding. */
static bool add_findings(struct call_search *search, const struct finding_rule *rule,
                         struct findings *findings, const char *what)
{
    const struct finding_context *context = search->context;
    bool added = finding_owners_gather(&search->owners, context);
    for (uint32_t i = 0; i < search->owners.owners.count && added; i++) {
        const struct finding_owner *owner = &search->owners.owners.at[i];
        struct finding finding = finding_of_owner(context, rule, owner);
        finding.saved_ns = bound_of(context, owner);
        if (!finding_is_worth(context, finding.saved_ns))
            continue;
        struct finding_text bytes = finding_bytes((uint64_t)owner->more);
        added = findings_add(
            findings, context, &finding,
            "%s %s here took %s (%s of the wall time), %s each, the longest %s%s%s.",
            finding_count(owner->count, "call").text, what, finding_time(owner->cost_ns).text,
            finding_share(owner->cost_ns, context->wall_ns).text,
            finding_time(owner->cost_ns / (int64_t)owner->count).text,
            finding_time(owner->largest_ns).text, owner->more > 0 ? ", for " : "",
            owner->more > 0 ? bytes.text : "");
    }
    return added;
}

static bool find_calls(const struct finding_context *context, const struct finding_rule *rule,
                       struct findings *findings, bool (*wanted)(enum cuda_call call),
                       uint32_t least_calls, const char *what)
{
    struct call_search search = {.context = context};
    add_calls(&search, wanted);
    finding_owners_drop(&search.owners, least_calls);
    bool added = add_findings(&search, rule, findings, what);
    finding_owners_fini(&search.owners);
    return added;
}

static bool is_copy(enum cuda_call call)
{
    return call == CUDA_CALL_COPY;
}

static bool is_allocation(enum cuda_call call)
{
    return call == CUDA_CALL_ALLOCATE || call == CUDA_CALL_FREE;
}

static bool find_copies(const struct finding_context *context, const struct finding_rule *rule,
                        struct findings *findings)
{
    return find_calls(context, rule, findings, is_copy, 1, "that copy and wait");
}

static bool find_allocations(const struct finding_context *context, const struct finding_rule *rule,
                             struct findings *findings)
{
    return find_calls(context, rule, findings, is_allocation, context->limits->loop_calls,
                      "that allocate or free");
}

static bool find_waits(const struct finding_context *context, const struct finding_rule *rule,
                       struct findings *findings)
{
    return find_calls(context, rule, findings, cuda_call_waits, context->limits->loop_calls,
                      "that wait for a device");
}

const struct finding_rule rule_sync_copies = {
    .name = "sync-copies",
    .title = "Copies that make the CPU wait",
    .remedy =
        "Use cudaMemcpyAsync with pinned memory on a stream, and wait for an event only where "
        "the data is needed.",
    .find = find_copies,
};

const struct finding_rule rule_allocations_in_loops = {
    .name = "allocations-in-loops",
    .title = "Memory allocated and freed in a loop",
    .remedy = "Allocate before the loop, or use cudaMallocAsync and cudaFreeAsync or another pool: "
              "cudaFree waits for the whole device.",
    .find = find_allocations,
};

const struct finding_rule rule_waits_in_loops = {
    .name = "synchronizations-in-loops",
    .title = "The CPU waits for the GPU in a loop",
    .remedy = "Wait once, after the loop. Inside a loop order work by streams and events "
              "(cudaStreamWaitEvent), which do not hold the CPU up.",
    .find = find_waits,
};
