/* rules_devices.c - devices that are idle for long, or used little, as a whole: nsys' gpu_gaps and
 * gpu_time_util.
 *
 * cost: idle time, of long gaps; or of those of 30 equal parts of the device's span in which it was used
 * less than the limit says. saved: the same, but not more than the process's device idled that idled
 * least. Who could have given it work then, the rules about idle time tell.
 */
#include "finding_facts.h"
#include "rule_search.h"
#include "rules.h"

/* In shorter parts a single launch decides how full one is. */
#define LEAST_SPAN_NS (TEMPORAL_CHUNKS * INT64_C(1000000))

static struct finding of_device(const struct finding_context *context,
                                const struct finding_rule *rule, const struct temporal_row *row,
                                int64_t cost_ns)
{
    struct finding finding = FINDING_OF_ALL;
    finding.rule = rule;
    finding.process = row->process;
    finding.device = row->device;
    finding.cost_ns = cost_ns;
    finding.saved_ns = rule_host_saving(context, row->process, cost_ns);
    return finding;
}

static bool find_long_gaps(const struct finding_context *context, const struct finding_rule *rule,
                           struct findings *findings)
{
    const struct temporal_breakdown *temporal = &context->facts->temporal;
    bool added = true;
    for (uint32_t i = 0; i < temporal->count && added; i++) {
        const struct temporal_row *row = &temporal->at[i];
        struct finding finding = of_device(context, rule, row, row->long_gaps_ns);
        finding.count = row->long_gaps;
        added = findings_add(
            findings, context, &finding,
            "%s was idle for at least %s at a time %s, %s in all (%s of its span); the longest was "
            "%s, from %s on.",
            finding_device(context, row->process, row->device).text,
            finding_time(temporal->long_gap_ns).text, finding_count(row->long_gaps, "time").text,
            finding_time(row->long_gaps_ns).text,
            finding_share(row->long_gaps_ns, temporal_span_ns(row)).text,
            finding_time(row->longest_gap_ns).text,
            finding_time(row->longest_gap_at_ns - context->timeline->origin_ns).text);
    }
    return added;
}

struct low_parts {
    uint32_t count;
    int64_t idle_ns;
    int64_t least_busy_ns, least_length_ns, least_at_ns; /* of the part that was used least */
};

static struct low_parts low_parts_of(const struct temporal_row *row, double limit)
{
    struct low_parts low = {0};
    for (uint32_t chunk = 0; chunk < TEMPORAL_CHUNKS; chunk++) {
        int64_t start_ns, end_ns, busy_ns = row->chunk_busy_ns[chunk];
        temporal_chunk(row, chunk, &start_ns, &end_ns);
        if ((double)busy_ns >= limit * (double)(end_ns - start_ns))
            continue;
        if (low.count++ == 0 || busy_ns < low.least_busy_ns) {
            low.least_busy_ns = busy_ns;
            low.least_length_ns = end_ns - start_ns;
            low.least_at_ns = start_ns;
        }
        low.idle_ns += end_ns - start_ns - busy_ns;
    }
    return low;
}

static bool find_low_utilization(const struct finding_context *context,
                                 const struct finding_rule *rule, struct findings *findings)
{
    const struct temporal_breakdown *temporal = &context->facts->temporal;
    bool added = true;
    for (uint32_t i = 0; i < temporal->count && added; i++) {
        const struct temporal_row *row = &temporal->at[i];
        struct low_parts low = low_parts_of(row, context->limits->low_utilization);
        if (temporal_span_ns(row) < LEAST_SPAN_NS)
            continue;
        struct finding finding = of_device(context, rule, row, low.idle_ns);
        finding.count = low.count;
        added = findings_add(
            findings, context, &finding,
            "%s was used for less than %s of the time in %u of %u equal parts of its span, and for "
            "%s of all of it; for least, %s, in the %s from %s on.",
            finding_device(context, row->process, row->device).text,
            finding_share((int64_t)(context->limits->low_utilization * 1000), 1000).text, low.count,
            TEMPORAL_CHUNKS,
            finding_share(temporal_span_ns(row) - temporal_idle_ns(row), temporal_span_ns(row))
                .text,
            finding_share(low.least_busy_ns, low.least_length_ns).text,
            finding_time(low.least_length_ns).text,
            finding_time(low.least_at_ns - context->timeline->origin_ns).text);
    }
    return added;
}

const struct finding_rule rule_long_gaps = {
    .name = "long-gpu-gaps",
    .title = "The GPU was idle for long",
    .remedy =
        "Find out what the CPU did then (the findings about idle time name the ranges), and "
        "move it beside the work of the GPU: load data in advance, write checkpoints and logs "
        "from another thread.",
    .find = find_long_gaps,
};

const struct finding_rule rule_low_utilization = {
    .name = "low-gpu-utilization",
    .title = "The GPU was used little for parts of the run",
    .remedy = "Give it more work at a time (larger batches, several streams or processes), and "
              "launch ahead of it instead of waiting for results.",
    .find = find_low_utilization,
};
