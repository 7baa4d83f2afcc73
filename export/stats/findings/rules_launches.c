/* rules_launches.c - calls that take far longer than usual, starts that come late, and steps that could
 * be replayed.
 *
 * Outliers: cost is what they took beyond the median of their name. Late starts: what passed beyond 100 us
 * between a call's end and the start while the stream was free. Steps: the durations of the calls that
 * launched, which one launch of a graph would take the place of. saved: each of them as far as devices
 * were idle: rule_host_saving().
 */
#include "finding_facts.h"
#include "kernel_sequences.h"
#include "rule_search.h"
#include "rules.h"

#define GRAPH_STEPS 3u       /* capturing and instantiating costs about what two steps do */
#define GRAPH_OPERATIONS 10u /* a graph of fewer saves next to nothing */

/* ---- outliers ---- */

/* How long these take is what they are for: they wait, or copy more or less. */
static bool varies(const struct finding_context *context, uint32_t name)
{
    enum cuda_call call = cuda_call_of_name(context->timeline->names.at[name]);
    return cuda_call_waits(call) || call == CUDA_CALL_COPY || call == CUDA_CALL_COPY_ASYNC ||
           call == CUDA_CALL_MODULE;
}

static bool find_outliers(const struct finding_context *context, const struct finding_rule *rule,
                          struct findings *findings)
{
    const struct timeline *timeline = context->timeline;
    const struct call_stats *calls = &context->facts->calls;
    bool added = true;
    for (uint32_t i = 0; i < calls->count && added; i++) {
        const struct call_stat *row = &calls->at[i];
        const struct tl_slice *slowest = &timeline->slices.at[row->slowest];
        struct finding finding = FINDING_OF_ALL;
        if (varies(context, row->name))
            continue;
        finding.rule = rule;
        finding.process = timeline->threads.at[slowest->thread].process;
        finding.slice = row->slowest;
        finding.path = range_paths_of(context->paths, row->slowest);
        finding.count = row->outliers;
        finding.cost_ns = row->outliers_ns;
        finding.saved_ns = rule_host_saving(context, finding.process, row->outliers_ns);
        added = findings_add(
            findings, context, &finding,
            "%llu of %s of %.100s took more than %d times the median of %s, together %s more than "
            "that; the longest took %s.",
            (unsigned long long)row->outliers, finding_count(row->count, "call").text,
            timeline->names.at[row->name].bytes, CALL_OUTLIER_TIMES,
            finding_time(row->median_ns).text, finding_time(row->outliers_ns).text,
            finding_time(row->max_ns).text);
    }
    return added;
}

/* ---- late starts ---- */

static bool find_late_starts(const struct finding_context *context, const struct finding_rule *rule,
                             struct findings *findings)
{
    const struct launch_stats *launches = &context->facts->launches;
    bool added = true;
    for (uint32_t i = 0; i < launches->count && added; i++) {
        const struct launch_row *row = &launches->at[i];
        struct finding finding = FINDING_OF_ALL;
        if (row->starved.count == 0)
            continue;
        finding.rule = rule;
        finding.process = row->process;
        finding.device = row->device;
        finding.slice = context->timeline->gpus.at[row->starved.worst].slice;
        finding.path = range_paths_of(context->paths, finding.slice);
        finding.count = row->starved.count;
        finding.cost_ns = row->starved.excess_ns;
        finding.saved_ns = rule_host_saving(context, row->process, row->starved.excess_ns);
        added = findings_add(
            findings, context, &finding,
            "%s started %s of %s more than %s after the launch though nothing before them on their "
            "stream was running, %s in all; the worst came %s late.",
            finding_device(context, row->process, row->device).text,
            finding_count(row->starved.count, "operation").text,
            finding_count(row->launched, "launch").text, finding_time(LAUNCH_LATE_START_NS).text,
            finding_time(row->starved.excess_ns).text, finding_time(row->starved.worst_ns).text);
    }
    return added;
}

/* ---- steps ---- */

static bool is_of_graphs(const struct timeline *timeline)
{
    return timeline->graph_launches.count > 0;
}

static bool tell_steps(const struct kernel_sequences *sequences,
                       const struct finding_context *context, const struct finding_rule *rule,
                       struct findings *findings)
{
    bool added = true;
    for (uint32_t i = 0; i < sequences->count && added; i++) {
        const struct kernel_sequence *row = &sequences->at[i];
        struct finding finding = FINDING_OF_ALL;
        if (row->count < GRAPH_STEPS)
            continue;
        const struct tl_slice *example = &context->timeline->slices.at[row->example];
        finding.rule = rule;
        finding.process = context->timeline->threads.at[example->thread].process;
        finding.slice = row->example;
        finding.path = range_paths_of(context->paths, row->example);
        finding.count = row->count;
        finding.cost_ns = row->call_ns;
        finding.saved_ns = rule_host_saving(context, finding.process, row->call_ns);
        if (!finding_is_worth(context, finding.saved_ns))
            continue;
        added = findings_add(findings, context, &finding,
                             "%s launched the same %u operations in the same order; the calls took "
                             "%s (%s of their time).",
                             finding_count(row->count, "range").text, row->length,
                             finding_time(row->call_ns).text,
                             finding_share(row->call_ns, row->range_ns).text);
    }
    return added;
}

/* Steps; where there are none, whatever ranges are outermost. */
static bool find_steps(const struct finding_context *context, const struct finding_rule *rule,
                       struct findings *findings)
{
    struct kernel_sequences sequences;
    const struct key_names *keys = context->paths->keys;
    if (is_of_graphs(context->timeline))
        return true;
    if (!kernel_sequences_init(&sequences, context->timeline, keys, NULL, GRAPH_OPERATIONS))
        return false;
    if (sequences.ranges == 0) {
        kernel_sequences_fini(&sequences);
        if (!kernel_sequences_init(&sequences, context->timeline, keys, "", GRAPH_OPERATIONS))
            return false;
    }
    bool added = tell_steps(&sequences, context, rule, findings);
    kernel_sequences_fini(&sequences);
    return added;
}

const struct finding_rule rule_call_outliers = {
    .name = "call-outliers",
    .title = "Some calls take far longer than the others of their name",
    .remedy = "Look at the longest in the timeline: a first call loads code "
              "(CUDA_MODULE_LOADING=EAGER loads it at start-up), a full queue makes launches wait, "
              "threads wait for each other's calls, or the system took the CPU away.",
    .find = find_outliers,
};

const struct finding_rule rule_late_starts = {
    .name = "late-starts",
    .title = "Operations start late on a free stream",
    .remedy = "They waited for an event of another stream, for work of other streams or processes "
              "that filled the GPU, or for it to wake up: look at what ran then.",
    .find = find_late_starts,
};

const struct finding_rule rule_graphable_steps = {
    .name = "graphable-steps",
    .title = "The same launches again and again",
    .remedy = "Capture them in a CUDA graph and launch that (torch.cuda.CUDAGraph, torch.compile "
              "with mode=\"reduce-overhead\").",
    .find = find_steps,
};
