/* rules_idle.c - idle devices, communication that nothing hides, and runs without a device. */
#include "device_api.h"
#include "process_name.h"
#include "remedies.h"
#include "rules.h"
#include "stragglers.h"

#include <stdio.h>

/* A rule for each cause of idle time that somebody can do something about.
 *
 * cost: the device's idle time of this cause below that path. saved: the same, but not more than
 * the device of the process idled that idled least, since the others have their work to do.
 */

/* What the CPU, or whoever it was, did then: goes on after "GPU 0 idled for 1.20 s (12 %)". */
static const char *const idle_words[GAP_CAUSES] = {
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
    if (!finding_owners_copy(&owners, &context->gaps->owners[cause], context->steps))
        return false;
    bool added = finding_owners_gather(&owners, context);
    for (uint32_t i = 0; i < owners.owners.count && added; i++) {
        const struct finding_owner *owner = &owners.owners.at[i];
        struct finding finding = finding_of_owner(context, rule, owner);
        rule_save_host(context, &finding);
        char words[128];
        added = findings_add(findings, context, &finding,
                             "%s idled for %s (%s of the wall time) %s: %s, the longest %s.",
                             finding_device(context, owner->process, owner->device).text,
                             sentence_time(owner->cost_ns).text,
                             sentence_share(owner->cost_ns, context->wall_ns).text,
                             device_api_words(device_api_of(context->timeline), idle_words[cause],
                                              words, sizeof words),
                             sentence_count(owner->count, "stretch").text,
                             sentence_time(owner->largest_ns).text);
    }
    finding_owners_fini(&owners);
    return added;
}

const struct finding_rule gap_rules[GAP_CAUSES] = {
    [GAP_LAUNCH] =
        {
            .name = "gpu-idle-launch-bound",
            .noun = "stretch",
            .explains = 1u << GAP_LAUNCH,
            .title = "The GPU waited for launches",
            .remedy =
                "Launch less and larger: capture the sequence in a CUDA graph, fuse kernels, or "
                "batch more work into each.",
            .find = find_gaps,
        },
    [GAP_CPU] =
        {
            .name = "gpu-idle-cpu-bound",
            .noun = "stretch",
            .explains = 1u << GAP_CPU,
            .title = "The GPU waited for the CPU",
            .remedy =
                "Move this work to other threads or processes, do it for the next step while the "
                "GPU works on this one, or make it faster.",
            .find = find_gaps,
        },
    [GAP_SYNC] =
        {
            .name = "gpu-idle-synchronization",
            .noun = "stretch",
            .explains = 1u << GAP_SYNC,
            .title = "The GPU ran dry while the CPU waited",
            .remedy =
                "Queue the next work before waiting; wait for events of a stream instead of the "
                "whole device; read results one step later.",
            .find = find_gaps,
        },
    [GAP_COPY] =
        {
            .name = "gpu-idle-copy",
            .noun = "stretch",
            .explains = 1u << GAP_COPY,
            .title = "The GPU waited for copies that hold the CPU up",
            .remedy =
                "Copy from and to pinned memory (cudaHostAlloc) with cudaMemcpyAsync on a stream "
                "of its own.",
            .remedy_torch =
                "Copy from and to pinned memory (cudaHostAlloc, pin_memory) with cudaMemcpyAsync "
                "on a stream of its own.",
            .find = find_gaps,
        },
    [GAP_ALLOCATE] =
        {
            .name = "gpu-idle-allocation",
            .noun = "stretch",
            .explains = 1u << GAP_ALLOCATE,
            .title = "The GPU waited for memory to be allocated or freed",
            .remedy =
                "Allocate once and reuse, or use a pool: cudaMallocAsync, or a caching allocator.",
            .remedy_of = remedy_idle_allocation,
            .find = find_gaps,
        },
    [GAP_OTHER_CALL] =
        {
            .name = "gpu-idle-other-calls",
            .noun = "stretch",
            .explains = 1u << GAP_OTHER_CALL,
            .title = "The GPU waited for other CUDA calls",
            .remedy = "Make streams, events and modules once, before the work begins.",
            .find = find_gaps,
        },
    [GAP_HOST_FUNCTION] =
        {
            .name = "gpu-idle-host-function",
            .noun = "stretch",
            .explains = 1u << GAP_HOST_FUNCTION,
            .title = "The GPU waited for a function on the CPU",
            .remedy =
                "Keep host functions and callbacks short, or take them out of the stream: record "
                "an event and have another thread wait for it.",
            .find = find_gaps,
        },
    [GAP_QUEUED] =
        {
            .name = "gpu-idle-queued",
            .noun = "stretch",
            .explains = 1u << GAP_QUEUED,
            .title = "Work was launched but did not start",
            .remedy =
                "See what it waits for: events of other streams, other devices (collectives: the "
                "slowest rank), nodes of a graph that run on the CPU.",
            .find = find_gaps,
        },
    [GAP_START] =
        {
            .name = "gpu-idle-start",
            .noun = "stretch",
            .explains = 1u << GAP_START,
            .title = "Time before the GPU's first operation",
            .remedy =
                "Ignore this in long runs, or leave it out of the recording; otherwise load and "
                "compile less, or at the same time.",
            .find = find_gaps,
        },
    [GAP_END] =
        {
            .name = "gpu-idle-end",
            .noun = "stretch",
            .explains = 1u << GAP_END,
            .title = "Time after the GPU's last operation",
            .remedy = "Ignore this in long runs; otherwise save results while the GPU still works.",
            .find = find_gaps,
        },
};

/* Devices that are idle for long, or used little, as a whole: nsys' gpu_gaps and gpu_time_util.
 *
 * cost: idle time, of long gaps; or of those of 30 equal parts of the device's span in which it was
 * used less than the limit says. saved: the same, but not more than the process's device idled that
 * idled least. The rules about idle time show what could have given it work.
 */

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
    rule_save_host(context, &finding);
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
        finding.parts = row->long_parts;
        added = findings_add(
            findings, context, &finding,
            "%s was idle for at least %s at a time %s, %s in all (%s of its span); the longest was "
            "%s, from %s on.",
            finding_device(context, row->process, row->device).text,
            sentence_time(temporal->long_gap_ns).text, sentence_count(row->long_gaps, "time").text,
            sentence_time(row->long_gaps_ns).text,
            sentence_share(row->long_gaps_ns, temporal_span_ns(row)).text,
            sentence_time(row->longest_gap_ns).text,
            sentence_time(row->longest_gap_at_ns - context->timeline->origin_ns).text);
    }
    return added;
}

struct low_parts {
    uint32_t count;
    int64_t idle_ns;
    int64_t least_busy_ns, least_length_ns, least_at_ns; /* of the part that was used least */
    struct finding_parts parts;
};

static struct low_parts low_parts_of(const struct finding_context *context,
                                     const struct temporal_row *row)
{
    double limit = context->limits->low_utilization;
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
        finding_parts_add(context->steps, &low.parts,
                          finding_steps_at(context->steps, row->process, start_ns),
                          (struct finding_amounts){.count = 1});
        finding_parts_join(context->steps, &low.parts, &row->chunk_idle[chunk]);
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
        struct low_parts low = low_parts_of(context, row);
        if (temporal_span_ns(row) < LEAST_SPAN_NS)
            continue;
        struct finding finding = of_device(context, rule, row, low.idle_ns);
        finding.count = low.count;
        finding.parts = low.parts;
        added = findings_add(
            findings, context, &finding,
            "%s was used for less than %s of the time in %u of %u equal parts of its span, and for "
            "%s of all of it; for least, %s, in the %s from %s on.",
            finding_device(context, row->process, row->device).text,
            sentence_share((int64_t)(context->limits->low_utilization * 1000), 1000).text,
            low.count, TEMPORAL_CHUNKS,
            sentence_share(temporal_span_ns(row) - temporal_idle_ns(row), temporal_span_ns(row))
                .text,
            sentence_share(low.least_busy_ns, low.least_length_ns).text,
            sentence_time(low.least_length_ns).text,
            sentence_time(low.least_at_ns - context->timeline->origin_ns).text);
    }
    return added;
}

const struct finding_rule rule_long_gaps = {
    .name = "long-gpu-gaps",
    .noun = "gap",
    .explains = EXPLAINS_ALL,
    .title = "The GPU was idle for long",
    .remedy =
        "Find out what the CPU did then (the findings about idle time name the ranges), and "
        "move it beside the work of the GPU: load data in advance, write checkpoints and logs "
        "from another thread.",
    .find = find_long_gaps,
};

const struct finding_rule rule_low_utilization = {
    .name = "low-gpu-utilization",
    .noun = "part",
    .explains = EXPLAINS_ALL,
    .title = "The GPU was used little for parts of the run",
    .remedy = "Give it more work at a time (larger batches, several streams or processes), and "
              "launch ahead of it instead of waiting for results.",
    .find = find_low_utilization,
};

/* Nothing ran on a device: what the CPU did.
 *
 * cost: the time of ranges and calls without that of what is in them, of all threads. What it would
 * save is not known: threads run beside one another.
 */

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
            finding_owner_adjust(parent, context, -1, 0);
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
                             sentence_time(owner->cost_ns).text,
                             sentence_share(owner->cost_ns, context->wall_ns).text,
                             sentence_count(owner->count, "time").text);
    }
    finding_owners_fini(&owners);
    return added;
}

const struct finding_rule rule_cpu_only = {
    .name = "cpu-only",
    .noun = "time",
    .title = "No device operations were recorded: this is where the CPU was",
    .remedy = "Make this part faster. If the program uses a GPU, record what the GPU does as well: "
              "profdump's summary says why it is missing.",
    .find = find_cpu_only,
};

/* Collectives that nothing hides, and processes that come late to them.
 *
 * Exposed: cost is the time in which a device communicated and did not compute. saved: both side by
 * side need no less than the longer of the two, so the smaller one of that time and of the time in
 * which the device computed and did not communicate.
 *
 * Stragglers: cost and saved are how long the one that waited longest waited for this process.
 */

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
        finding.saving = FINDING_SAVES_LEAST;
        finding.parts = row->exposed;
        added = findings_add(
            findings, context, &finding,
            "%s communicated for %s (%s); %s of that was beside computing, %s (%s of its span) was "
            "not.",
            finding_device(context, row->process, row->device).text, sentence_time(union_ns).text,
            sentence_count(row->count[WORK_COMMUNICATION], "kernel").text,
            sentence_share(hidden_ns, union_ns).text, sentence_time(finding.cost_ns).text,
            sentence_share(finding.cost_ns, temporal_span_ns(row)).text);
    }
    return added;
}

static bool report_stragglers(const struct stragglers *stragglers,
                              const struct finding_context *context,
                              const struct finding_rule *rule, struct findings *findings)
{
    bool added = true;
    for (uint32_t i = 0; i < stragglers->count && added; i++) {
        const struct straggler *row = &stragglers->at[i];
        struct finding finding = FINDING_OF_ALL;
        struct process_name process = process_short_name(context->timeline, row->process);
        process.text[0] = (char)(process.text[0] - 'a' + 'A'); /* a sentence begins with it */
        finding.rule = rule;
        finding.process = row->process;
        finding.count = row->last;
        finding.cost_ns = finding.saved_ns = row->caused_ns;
        finding.parts = row->parts;
        added = findings_add(findings, context, &finding,
                             "%s came last to %llu of %s; another process waited for it %s in all.",
                             process.text, (unsigned long long)row->last,
                             sentence_count(row->collectives, "collective").text,
                             sentence_time(row->caused_ns).text);
    }
    return added;
}

static bool find_stragglers(const struct finding_context *context, const struct finding_rule *rule,
                            struct findings *findings)
{
    struct stragglers stragglers;
    if (!finding_facts_any(context->facts, KERNEL_COMMUNICATES))
        return true;
    if (!stragglers_init(&stragglers, context->timeline, &context->facts->classes, context->steps))
        return false;
    bool added = report_stragglers(&stragglers, context, rule, findings);
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
    .noun = "kernel",
    .title = "Communication that nothing hides",
    .remedy = "Start collectives as soon as their data is ready (bucketed gradients, prefetched "
              "shards), on a stream of their own, and compute meanwhile; send less (BF16, gradient "
              "accumulation).",
    .remedy_of = remedy_exposed,
    .find = find_exposed,
};

const struct finding_rule rule_stragglers = {
    .name = "stragglers",
    .noun = "collective",
    .title = "A process comes late to collectives",
    .remedy = "Compare what it does before them with the others (profdump diff): uneven batches or "
              "shards, data loading, a slower GPU, CPU cores that are not its own.",
    .find = find_stragglers,
};
