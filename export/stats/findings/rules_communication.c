/* rules_communication.c - collectives that nothing hides, and processes that come late to them.
 *
 * Exposed: cost is the time in which a device communicated and did not compute. saved: both side by side
 * need no less than the longer of the two, so the smaller one of that time and of the time in which the
 * device computed and did not communicate.
 *
 * Stragglers: cost and saved are how long the one that waited longest waited for this process.
 */
#include "finding_facts.h"
#include "rule_search.h"
#include "rules.h"
#include "stragglers.h"

#include <stdio.h>

static bool find_exposed(const struct finding_context *context, const struct finding_rule *rule,
                         struct findings *findings)
{
    const struct temporal_breakdown *temporal = &context->facts->temporal;
    bool added = true;
    for (uint32_t i = 0; i < temporal->count && added; i++) {
        const struct temporal_row *row = &temporal->at[i];
        struct finding finding = FINDING_OF_ALL;
        int64_t union_ns = temporal_union_ns(row, WORK_COMMUNICATION),
                hidden_ns = temporal_overlap_ns(row, WORK_COMMUNICATION, WORK_COMPUTE),
                compute_ns = temporal_union_ns(row, WORK_COMPUTE) - hidden_ns;
        finding.rule = rule;
        finding.process = row->process;
        finding.device = row->device;
        finding.count = row->count[WORK_COMMUNICATION];
        finding.cost_ns = union_ns - hidden_ns;
        finding.saved_ns = finding.cost_ns < compute_ns ? finding.cost_ns : compute_ns;
        added = findings_add(
            findings, context, &finding,
            "%s communicated for %s (%s); %s of that was beside computing, %s (%s of its span) was "
            "not.",
            finding_device(context, row->process, row->device).text, finding_time(union_ns).text,
            finding_count(row->count[WORK_COMMUNICATION], "kernel").text,
            finding_share(hidden_ns, union_ns).text, finding_time(finding.cost_ns).text,
            finding_share(finding.cost_ns, temporal_span_ns(row)).text);
    }
    return added;
}

static void process_words(const struct timeline *timeline, uint32_t process, char words[48])
{
    const struct read_process *info = &timeline->processes.at[process].info;
    if (info->rank >= 0)
        snprintf(words, 48, "Rank %d", info->rank);
    else
        snprintf(words, 48, "Process %u", info->pid);
}

static bool tell_stragglers(const struct stragglers *stragglers,
                            const struct finding_context *context, const struct finding_rule *rule,
                            struct findings *findings)
{
    bool added = true;
    for (uint32_t i = 0; i < stragglers->count && added; i++) {
        const struct straggler *row = &stragglers->at[i];
        struct finding finding = FINDING_OF_ALL;
        char words[48];
        process_words(context->timeline, row->process, words);
        finding.rule = rule;
        finding.process = row->process;
        finding.count = row->last;
        finding.cost_ns = finding.saved_ns = row->caused_ns;
        added = findings_add(findings, context, &finding,
                             "%s came last to %llu of %s; another process waited for it %s in all.",
                             words, (unsigned long long)row->last,
                             finding_count(row->collectives, "collective").text,
                             finding_time(row->caused_ns).text);
    }
    return added;
}

static bool find_stragglers(const struct finding_context *context, const struct finding_rule *rule,
                            struct findings *findings)
{
    struct stragglers stragglers;
    if (!finding_facts_any(context->facts, KERNEL_COMMUNICATES))
        return true;
    if (!stragglers_init(&stragglers, context->timeline, &context->facts->classes))
        return false;
    bool added = tell_stragglers(&stragglers, context, rule, findings);
    if (stragglers.left_out && added)
        added = findings_note(findings, rule,
                              "%llu communication kernels are not as many in each process: which "
                              "belong together is not known, and they were not compared.",
                              (unsigned long long)stragglers.left_out);
    stragglers_fini(&stragglers);
    return added;
}

const struct finding_rule rule_exposed_communication = {
    .name = "exposed-communication",
    .title = "Communication that nothing hides",
    .remedy = "Start collectives as soon as their data is there (bucketed gradients, prefetched "
              "shards), on a stream of their own, and compute meanwhile; send less (BF16, gradient "
              "accumulation).",
    .find = find_exposed,
};

const struct finding_rule rule_stragglers = {
    .name = "stragglers",
    .title = "A process comes late to collectives",
    .remedy = "Compare what it does before them with the others (profdump diff): uneven batches or "
              "shards, data loading, a slower GPU, CPU cores that are not its own.",
    .find = find_stragglers,
};
