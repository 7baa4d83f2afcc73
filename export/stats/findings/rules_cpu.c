/* rules_cpu.c - nothing ran on a device: what the CPU did.
 *
 * cost: the time of ranges and calls without that of what is in them, of all threads. What it would save
 * is not known: threads run beside one another.
 */
#include "finding_gaps.h"
#include "finding_text.h"
#include "rules.h"

/* Each slice adds its time to its path, and takes it from that of what is around it. */
static void add_self_times(struct finding_owners *owners, const struct finding_context *context)
{
    const struct timeline *timeline = context->timeline;
    for (uint32_t i = 0; i < timeline->slices.count && !owners->failed; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        uint32_t process = timeline->threads.at[slice->thread].process;
        int64_t took_ns = slice->end_ns - slice->start_ns;
        if (slice->flags & TL_INTERNAL)
            continue;
        finding_owners_add(owners, context, process, TL_NONE, i, took_ns);
        struct finding_owner *parent =
            slice->parent == TL_NONE
                ? NULL
                : finding_owners_add(owners, context, process, TL_NONE, slice->parent, -took_ns);
        if (parent)
            parent->count--;
    }
}

static bool find_cpu_only(const struct finding_context *context, const struct finding_rule *rule,
                          struct findings *findings)
{
    struct finding_owners owners = {0};
    if (context->gaps->devices.count)
        return true;
    add_self_times(&owners, context);
    bool added = finding_owners_gather(&owners, context);
    for (uint32_t i = 0; i < owners.owners.count && added; i++) {
        const struct finding_owner *owner = &owners.owners.at[i];
        struct finding finding = finding_of_owner(context, rule, owner);
        added = findings_add(findings, context, &finding,
                             "The CPU was here itself for %s (%s of the wall time), %s.",
                             finding_time(owner->cost_ns).text,
                             finding_share(owner->cost_ns, context->wall_ns).text,
                             finding_count(owner->count, "time").text);
    }
    finding_owners_fini(&owners);
    return added;
}

const struct finding_rule rule_cpu_only = {
    .name = "cpu-only",
    .title = "Nothing ran on a GPU: this is where the CPU was",
    .remedy =
        "Record the calls of a GPU as well (see profdump's summary for why there are none), or "
        "make this part faster.",
    .find = find_cpu_only,
};
