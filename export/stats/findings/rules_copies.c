/* rules_copies.c - copies, sets and managed memory. */
#include "device_time.h"
#include "memory_use.h"
#include "remedies.h"
#include "rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies that are asynchronous by name only, sets that make the CPU wait, and copies
 * that are too small for what each costs.
 *
 * cost: the calls' durations; of small copies, also the operations'. saved: without them the CPU is
 * earlier by as much, and the devices have their work to do: see rule_save_host(). Small copies
 * that are made one cost one of them.
 */

/* A copy of this size takes a PCIe link of 16 GB/s as long as starting it takes. */
#define SMALL_COPY_BYTES 65536u

/* ---- pageable ---- */

static bool add_pageable(struct finding_owners *owners, const struct finding_context *context,
                         const struct tl_gpu *operation)
{
    const struct timeline *timeline = context->timeline;
    const struct tl_slice *call = operation_call(timeline, operation);
    if (!call || cuda_call_of(context->calls, call) != CUDA_CALL_COPY_ASYNC ||
        !operation_is_pageable_copy(timeline, operation))
        return true;
    struct finding_owner *owner =
        finding_owners_add(owners, context, operation->process, operation->device, operation->slice,
                           operation_call_end_ns(timeline, call) - call->start_ns);
    if (owner)
        owner->more += (int64_t)operation->bytes;
    return owner != NULL;
}

static void pageable_words(const struct finding_context *context, const struct finding_owner *owner,
                           char sentence[FINDING_SENTENCE_BYTES])
{
    snprintf(sentence, FINDING_SENTENCE_BYTES,
             "%s of pageable memory, %s, kept the CPU for %s (%s of the wall time), though the "
             "calls are asynchronous by name; the longest took %s.",
             sentence_count(owner->count, "copy").text, sentence_bytes((uint64_t)owner->more).text,
             sentence_time(owner->cost_ns).text,
             sentence_share(owner->cost_ns, context->wall_ns).text,
             sentence_time(owner->largest_ns).text);
}

static bool find_pageable(const struct finding_context *context, const struct finding_rule *rule,
                          struct findings *findings)
{
    struct finding_owners owners = {0};
    bool done = rule_add_operations(&owners, context, add_pageable);
    done = done && rule_report_host(&owners, context, rule, findings, pageable_words);
    finding_owners_fini(&owners);
    return done;
}

/* ---- sets ---- */

static bool is_set_that_waits(struct text name)
{
    static const char *const sets[] = {"cudaMemset*", "cuMemset*", "hipMemset*", NULL};
    return rule_name_in(name, sets) && memmem(name.bytes, name.size, "Async", 5) == NULL;
}

static void set_words(const struct finding_context *context, const struct finding_owner *owner,
                      char sentence[FINDING_SENTENCE_BYTES])
{
    snprintf(sentence, FINDING_SENTENCE_BYTES,
             "%s that set memory without a stream took %s (%s of the wall time), the longest %s.",
             sentence_count(owner->count, "call").text, sentence_time(owner->cost_ns).text,
             sentence_share(owner->cost_ns, context->wall_ns).text,
             sentence_time(owner->largest_ns).text);
}

static bool find_sets(const struct finding_context *context, const struct finding_rule *rule,
                      struct findings *findings)
{
    struct finding_owners owners = {0};
    bool done = rule_add_calls(&owners, context, is_set_that_waits, 1);
    done = done && rule_report_host(&owners, context, rule, findings, set_words);
    finding_owners_fini(&owners);
    return done;
}

/* ---- small ones ---- */

static bool add_small(struct finding_owners *owners, const struct finding_context *context,
                      const struct tl_gpu *operation)
{
    const struct timeline *timeline = context->timeline;
    const struct tl_slice *call = operation_call(timeline, operation);
    if (!call || operation->kind != TL_MEMCPY || operation->bytes >= SMALL_COPY_BYTES)
        return true;
    struct finding_owner *owner =
        finding_owners_add(owners, context, operation->process, operation->device, operation->slice,
                           operation_call_end_ns(timeline, call) - call->start_ns +
                               operation->end_ns - operation->start_ns);
    if (!owner)
        return false;
    owner->more += (int64_t)operation->bytes;
    finding_owner_adjust(owner, context, 0,
                         operation_call_end_ns(timeline, call) - call->start_ns +
                             operation->end_ns - operation->start_ns);
    return true;
}

static void small_words(const struct finding_context *context, const struct finding_owner *owner,
                        char sentence[FINDING_SENTENCE_BYTES])
{
    snprintf(sentence, FINDING_SENTENCE_BYTES,
             "%s of less than %s each, %s in all, took %s (%s of the wall time) with their calls: "
             "%s each.",
             sentence_count(owner->count, "copy").text, sentence_bytes(SMALL_COPY_BYTES).text,
             sentence_bytes((uint64_t)owner->more).text, sentence_time(owner->cost_ns).text,
             sentence_share(owner->cost_ns, context->wall_ns).text,
             sentence_time(owner->cost_ns / (int64_t)owner->count).text);
}

static bool find_small(const struct finding_context *context, const struct finding_rule *rule,
                       struct findings *findings)
{
    struct finding_owners owners = {0};
    bool done = rule_add_operations(&owners, context, add_small);
    finding_owners_drop(&owners, context, context->limits->loop_calls);
    for (uint32_t i = 0; i < owners.owners.count; i++) {
        struct finding_owner *owner = &owners.owners.at[i];
        finding_owner_adjust(owner, context, 0, -(owner->cost_ns / (int64_t)owner->count));
    }
    done = done && rule_report(&owners, context, rule, findings, small_words);
    finding_owners_fini(&owners);
    return done;
}

const struct finding_rule rule_pageable_copies = {
    .name = "async-copies-of-pageable-memory",
    .noun = "copy",
    .explains = 1u << GAP_COPY,
    .title = "Asynchronous copies that make the CPU wait",
    .remedy = "Pin the memory (cudaMallocHost, cudaHostRegister): pageable memory is staged by the "
              "calling thread. Read results later, where they are needed.",
    .remedy_torch =
        "Pin the memory (cudaMallocHost, cudaHostRegister; pin_memory=True and "
        "non_blocking=True in PyTorch): pageable memory is staged by the calling thread. Read "
        "results (item(), cpu()) later, where they are needed.",
    .find = find_pageable,
};

const struct finding_rule rule_sync_memsets = {
    .name = "sync-memsets",
    .noun = "call",
    .explains = 1u << GAP_COPY | 1u << GAP_OTHER_CALL,
    .title = "Memory set by calls that may wait",
    .remedy = "Use cudaMemsetAsync on the stream that needs the memory, or set it in a kernel.",
    .find = find_sets,
};

const struct finding_rule rule_small_copies = {
    .name = "small-copies",
    .noun = "copy",
    .explains = 1u << GAP_COPY | 1u << GAP_LAUNCH,
    .title = "Many small copies",
    .remedy = "Gather them into one buffer and copy that once, pass small values as kernel "
              "arguments, and keep what does not change on the GPU.",
    .find = find_small,
};

/* Copies during which no kernel ran.
 *
 * cost: the time in which copies ran and no kernel did, of each device. saved: both side by side
 * need no less than the longer of the two: the smaller one of that time and of the time in which
 * kernels ran without a copy. Copies within a device are the device's own work.
 */

#define DEVICE_TO_DEVICE 8u /* tl_memcpy.copy_kind */

struct interval {
    int64_t start, end;
};

struct overlap {
    const struct finding_context *context;
    TL_ARRAY(struct interval) kernels; /* of a device, the union */
    TL_ARRAY(uint32_t) copies;         /* into gpus[], by start */
    struct finding_owners owners;      /* exposed copies */
    int64_t kernel_ns, copy_ns;
    int64_t alone_ns;                   /* copies without a kernel beside them */
    struct finding_parts kernels_alone; /* by step: most_ns */
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
static bool collect_copies(struct overlap *overlap, struct device_walk *walk)
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
static int64_t time_alone(struct overlap *overlap, uint32_t process, uint32_t *at, int64_t start_ns,
                          int64_t end_ns)
{
    int64_t left_ns = end_ns - start_ns;
    while (*at < overlap->kernels.count && overlap->kernels.at[*at].end <= start_ns)
        ++*at;
    for (uint32_t i = *at; i < overlap->kernels.count && overlap->kernels.at[i].start < end_ns;
         i++) {
        const struct interval *kernel = &overlap->kernels.at[i];
        int64_t from_ns = kernel->start > start_ns ? kernel->start : start_ns;
        int64_t to_ns = kernel->end < end_ns ? kernel->end : end_ns;
        left_ns -= to_ns - from_ns;
        finding_parts_add_time(overlap->context->steps, &overlap->kernels_alone, process, from_ns,
                               to_ns, (struct finding_amounts){.most_ns = -1});
    }
    return left_ns;
}

/* Copies that run beside one another count once. */
static void measure_overlap(struct overlap *overlap)
{
    const struct tl_gpu *gpus = overlap->context->timeline->gpus.at;
    int64_t copied_until_ns = INT64_MIN;
    uint32_t at = 0;
    overlap->kernel_ns = overlap->copy_ns = overlap->alone_ns = 0;
    overlap->kernels_alone = (struct finding_parts){0};
    for (uint32_t i = 0; i < overlap->kernels.count && overlap->copies.count; i++) {
        const struct interval *kernel = &overlap->kernels.at[i];
        overlap->kernel_ns += kernel->end - kernel->start;
        finding_parts_add_time(overlap->context->steps, &overlap->kernels_alone,
                               gpus[overlap->copies.at[0]].process, kernel->start, kernel->end,
                               (struct finding_amounts){.most_ns = 1});
    }
    for (uint32_t i = 0; i < overlap->copies.count && !overlap->owners.failed; i++) {
        const struct tl_gpu *copy = &gpus[overlap->copies.at[i]];
        int64_t start_ns = copy->start_ns > copied_until_ns ? copy->start_ns : copied_until_ns;
        if (copy->end_ns <= start_ns)
            continue;
        copied_until_ns = copy->end_ns;
        int64_t alone_ns = time_alone(overlap, copy->process, &at, start_ns, copy->end_ns);
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

static bool report_overlap(struct overlap *overlap, const struct finding_rule *rule,
                           struct findings *findings)
{
    const struct finding_context *context = overlap->context;
    int64_t kernels_alone_ns = overlap->kernel_ns - (overlap->copy_ns - overlap->alone_ns);
    bool added = finding_owners_gather(&overlap->owners, context);
    for (uint32_t i = 0; i < overlap->owners.owners.count && added; i++) {
        const struct finding_owner *owner = &overlap->owners.owners.at[i];
        struct finding finding = finding_of_owner(context, rule, owner);
        finding.saved_ns = owner->cost_ns < kernels_alone_ns ? owner->cost_ns : kernels_alone_ns;
        finding.saving = FINDING_SAVES_LEAST;
        finding_parts_join(context->steps, &finding.parts, &overlap->kernels_alone);
        if (!finding_is_worth(context, finding.saved_ns)) {
            finding_leave_little(context, finding.count, finding.cost_ns);
            continue;
        }
        added = findings_add(
            findings, context, &finding,
            "%s copied for %s here (%s, %s) while no kernel ran; of all its copies %s had a kernel "
            "beside them.",
            finding_device(context, owner->process, owner->device).text,
            sentence_time(owner->cost_ns).text, sentence_count(owner->count, "copy").text,
            sentence_bytes((uint64_t)owner->more).text,
            sentence_share(overlap->copy_ns - overlap->alone_ns, overlap->copy_ns).text);
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
        added = collect_copies(&overlap, &walk);
        if (added)
            measure_overlap(&overlap);
        added = added && report_overlap(&overlap, rule, findings);
    }
    device_walk_fini(&walk);
    finding_owners_fini(&overlap.owners);
    free(overlap.kernels.at);
    free(overlap.copies.at);
    return added;
}

const struct finding_rule rule_poor_overlap = {
    .name = "poor-copy-overlap",
    .noun = "copy",
    .title = "Copies run while no kernel does",
    .remedy =
        "Copy the next batch on a second stream, from pinned memory, while kernels work on this "
        "one (double buffering).",
    .find = find_poor_overlap,
};

/* Managed memory that moves while kernels want it.
 *
 * cost: the durations of the migrations, by whom CUPTI says they are. saved: all of it, since
 * memory that is where it is needed does not move.
 */

static void fault_words(const struct migration_amounts *amounts, char words[96])
{
    snprintf(words, 96, "%llu page faults of CPUs, %llu groups of page faults of GPUs",
             (unsigned long long)amounts->cpu_faults, (unsigned long long)amounts->gpu_faults);
}

static void add_amounts(struct migration_amounts *sum, const struct migration_amounts *amounts)
{
    sum->htod_bytes += amounts->htod_bytes;
    sum->dtoh_bytes += amounts->dtoh_bytes;
    sum->cpu_faults += amounts->cpu_faults;
    sum->gpu_faults += amounts->gpu_faults;
    sum->thrashings += amounts->thrashings;
    sum->moving_ns += amounts->moving_ns;
}

static bool report_moves(const struct migration_amounts *sum, const struct finding_context *context,
                         const struct finding_rule *rule, struct findings *findings,
                         uint32_t process)
{
    struct finding finding = FINDING_OF_ALL;
    char faults[96];
    fault_words(sum, faults);
    finding.rule = rule;
    finding.process = process;
    finding.count = sum->cpu_faults + sum->gpu_faults;
    finding.cost_ns = finding.saved_ns = sum->moving_ns;
    return findings_add(findings, context, &finding,
                        "Managed memory moved for %s: %s to devices, %s back; %s%s%s.",
                        sentence_time(sum->moving_ns).text, sentence_bytes(sum->htod_bytes).text,
                        sentence_bytes(sum->dtoh_bytes).text, faults, sum->thrashings ? ", " : "",
                        sum->thrashings ? sentence_count(sum->thrashings, "thrashing").text : "");
}

/* Rows by range: a migration is in one of them. */
static bool find_moves(const struct finding_context *context, const struct finding_rule *rule,
                       struct findings *findings)
{
    struct migrations migrations;
    bool done = true;
    if (context->timeline->migrations.count == 0)
        return true;
    if (!migrations_init(&migrations, context->timeline))
        return false;
    for (uint32_t p = 0; p < context->timeline->processes.count && done; p++) {
        struct migration_amounts sum = {0};
        for (uint32_t i = 0; i < migrations.ranges.count; i++)
            if (migrations.ranges.at[i].process == p)
                add_amounts(&sum, &migrations.ranges.at[i].amounts);
        done = report_moves(&sum, context, rule, findings, p);
    }
    migrations_fini(&migrations);
    return done;
}

const struct finding_rule rule_managed_memory = {
    .name = "managed-memory-moves",
    .noun = "page fault",
    .title = "Managed memory moves on demand",
    .remedy = "Move it in advance (cudaMemPrefetchAsync), say who uses it how (cudaMemAdvise: "
              "preferred location, read mostly), or use cudaMalloc and copies; where it thrashes, "
              "more is in use than the GPU has memory.",
    .remedy_of = remedy_managed,
    .find = find_moves,
};
