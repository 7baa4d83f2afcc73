/* rules_launches.c - slow calls, late starts, repeated steps, shared streams and launch queues. */
#include "array.h"
#include "device_time.h"
#include "operation_totals.h"
#include "remedies.h"
#include "rules.h"

#include <stdio.h>
#include <stdlib.h>

/* Calls that take far longer than usual, starts that come late, and steps that could
 * be replayed.
 *
 * Outliers: cost is what they took beyond the median of their name. Late starts: what passed beyond
 * 100 us between a call's end and the start while the stream was free. Steps: the durations of the
 * calls that launched, which one launch of a graph would take the place of. saved: each of them as
 * far as devices were idle: rule_save_host().
 */

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

/* By step, what calls of a name took beyond its median. */
static struct finding_parts outliers_by_step(const struct finding_context *context,
                                             const struct call_stat *row)
{
    const struct timeline *timeline = context->timeline;
    struct finding_parts parts = {0};
    for (uint32_t i = 0; i < timeline->slices.count && context->steps; i++) {
        const struct tl_slice *call = &timeline->slices.at[i];
        if (call->name != row->name || !call_is_timed(timeline, call))
            continue;
        int64_t ns = operation_call_end_ns(timeline, call) - call->start_ns;
        if (ns / CALL_OUTLIER_TIMES <= row->median_ns)
            continue;
        uint32_t process = timeline->threads.at[call->thread].process;
        finding_parts_add(context->steps, &parts,
                          finding_steps_at(context->steps, process, call->start_ns),
                          (struct finding_amounts){.count = 1, .cost_ns = ns - row->median_ns});
    }
    return parts;
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
        if (finding_is_worth(context, row->outliers_ns))
            finding.parts = outliers_by_step(context, row);
        rule_save_host(context, &finding);
        added = findings_add(
            findings, context, &finding,
            "%llu of %s of %.100s took more than %d times the median of %s, together %s more than "
            "that; the longest took %s.",
            (unsigned long long)row->outliers, sentence_count(row->count, "call").text,
            timeline->names.at[row->name].bytes, CALL_OUTLIER_TIMES,
            sentence_time(row->median_ns).text, sentence_time(row->outliers_ns).text,
            sentence_time(row->max_ns).text);
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
        finding.parts = row->starved.parts;
        rule_save_host(context, &finding);
        added = findings_add(
            findings, context, &finding,
            "%s started %s of %s more than %s after the launch though nothing before them on their "
            "stream was running, %s in all; the worst came %s late.",
            finding_device(context, row->process, row->device).text,
            sentence_count(row->starved.count, "operation").text,
            sentence_count(row->launched, "launch").text, sentence_time(LAUNCH_LATE_START_NS).text,
            sentence_time(row->starved.excess_ns).text, sentence_time(row->starved.worst_ns).text);
    }
    return added;
}

/* ---- steps ---- */

static bool is_of_graphs(const struct timeline *timeline)
{
    return timeline->graph_launches.count > 0 || timeline->ledger.captured;
}

static bool report_steps(const struct kernel_sequences *sequences,
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
        finding.parts = row->parts;
        rule_save_host(context, &finding);
        if (!finding_is_worth(context, finding.saved_ns)) {
            finding_leave_little(context, finding.count, finding.cost_ns);
            continue;
        }
        added = findings_add(findings, context, &finding,
                             "%s launched the same %u operations in the same order; the calls took "
                             "%s (%s of their time).",
                             sentence_count(row->count, "range").text, row->length,
                             sentence_time(row->call_ns).text,
                             sentence_share(row->call_ns, row->range_ns).text);
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
    if (!kernel_sequences_init(&sequences, context->timeline, keys, NULL, GRAPH_OPERATIONS,
                               context->steps))
        return false;
    if (sequences.ranges == 0) {
        kernel_sequences_fini(&sequences);
        if (!kernel_sequences_init(&sequences, context->timeline, keys, "", GRAPH_OPERATIONS,
                                   context->steps))
            return false;
    }
    bool added = report_steps(&sequences, context, rule, findings);
    kernel_sequences_fini(&sequences);
    return added;
}

const struct finding_rule rule_call_outliers = {
    .name = "call-outliers",
    .noun = "call",
    .explains = EXPLAINS_ALL,
    .title = "Some calls take far longer than the others of their name",
    .remedy = "Look at the longest in the timeline: a first call loads code "
              "(CUDA_MODULE_LOADING=EAGER loads it at start-up), a full queue makes launches wait, "
              "threads wait for each other's calls, or the system took the CPU away.",
    .remedy_of = remedy_outliers,
    .find = find_outliers,
};

const struct finding_rule rule_late_starts = {
    .name = "late-starts",
    .noun = "operation",
    .explains = 1u << GAP_QUEUED,
    .title = "Operations start late on a free stream",
    .remedy = "They waited for an event of another stream, for work of other streams or processes "
              "that filled the GPU, or for it to wake up: look at what ran then.",
    .find = find_late_starts,
};

const struct finding_rule rule_graphable_steps = {
    .name = "graphable-steps",
    .noun = "range",
    .explains = 1u << GAP_LAUNCH,
    .title = "The same launches again and again",
    .remedy = "Capture them in a CUDA graph and launch that.",
    .remedy_torch =
        "Capture them in a CUDA graph and launch that (torch.cuda.CUDAGraph, torch.compile "
        "with mode=\"reduce-overhead\").",
    .find = find_steps,
};

/* Threads whose work queues up behind each other's on one stream.
 *
 * cost: how long operations that had been launched waited while the operation before them on their
 * stream ran, when another thread had launched that one. A thread that goes on where another one
 * ends, as a backward pass does, costs one such wait. saved: all of it, if the device has room for
 * both.
 */

/* How long `operation` waited for `before`. */
static int64_t wait_behind_ns(const struct timeline *timeline, const struct tl_gpu *before,
                              const struct tl_gpu *operation)
{
    const struct tl_slice *call = operation_call(timeline, operation),
                          *other = operation_call(timeline, before);
    if (!call || !other || call->thread == other->thread)
        return 0;
    int64_t launched_ns = operation_call_end_ns(timeline, call);
    int64_t from_ns = before->start_ns > launched_ns ? before->start_ns : launched_ns;
    int64_t to_ns = before->end_ns < operation->start_ns ? before->end_ns : operation->start_ns;
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

static bool add_shared_stream(struct finding_owners *owners, const struct finding_context *context,
                              const struct tl_stream *stream)
{
    const struct timeline *timeline = context->timeline;
    const struct tl_gpu *before = NULL;
    for (uint32_t i = stream->first_gpu; i < stream->first_gpu + stream->gpu_count; i++) {
        const struct tl_gpu *operation = &timeline->gpus.at[i];
        if (!tl_is_work(operation))
            continue;
        int64_t ns = before ? wait_behind_ns(timeline, before, operation) : 0;
        before = operation;
        if (ns == 0)
            continue;
        struct finding_owner *owner = finding_owners_add(owners, context, operation->process,
                                                         operation->device, operation->slice, ns);
        if (!owner)
            return false;
        finding_owner_adjust(owner, context, 0, ns);
    }
    return true;
}

static void shared_words(const struct finding_context *context, const struct finding_owner *owner,
                         char sentence[FINDING_SENTENCE_BYTES])
{
    snprintf(sentence, FINDING_SENTENCE_BYTES,
             "%s waited on %s behind work that another thread had launched to the same stream, %s "
             "in all (%s of the wall time).",
             sentence_count(owner->count, "operation").text,
             finding_device(context, owner->process, owner->device).text,
             sentence_time(owner->cost_ns).text,
             sentence_share(owner->cost_ns, context->wall_ns).text);
}

static bool find_shared(const struct finding_context *context, const struct finding_rule *rule,
                        struct findings *findings)
{
    struct finding_owners owners = {0};
    bool done = true;
    if (context->timeline->threads.count < 2)
        return true;
    for (uint32_t i = 0; i < context->timeline->streams.count && done; i++)
        done = add_shared_stream(&owners, context, &context->timeline->streams.at[i]);
    done = done && rule_report(&owners, context, rule, findings, shared_words);
    finding_owners_fini(&owners);
    return done;
}

const struct finding_rule rule_threads_share_stream = {
    .name = "threads-share-a-stream",
    .noun = "operation",
    .title = "Threads wait for each other's work on one stream",
    .remedy = "Give each thread a stream of its own, or compile with --default-stream per-thread: "
              "the default stream is one for all threads, and waits for the others.",
    .find = find_shared,
};

/* How far launches are ahead of the device.
 *
 * The queue of a device holds what was launched and has not started. It is looked at when each
 * launch begins; a graph is one launch. What an empty queue costs is told by the rules of idle
 * time, and a full one costs the device nothing: neither saves anything by itself.
 */

#define OFTEN 0.5 /* share of launches that find an empty queue */

struct queue {
    const struct finding_context *context;
    struct radix_item *launches; /* by time; value: the operation */
    struct radix_item *leads;    /* from launch to start, sorted */
    uint32_t *order;             /* operations by start */
    uint32_t count;
    uint64_t empty; /* launches when all that was launched before had ended */
    uint64_t full;  /* launches behind at least queue_limit others */
    uint32_t deepest;
    int64_t full_ns;                              /* how long the latter took */
    uint32_t full_call;                           /* the longest of them, TL_NONE */
    struct finding_parts empty_parts, full_parts; /* by step */
};

static bool queue_init(struct queue *queue, const struct finding_context *context)
{
    size_t room = context->timeline->gpus.count + (size_t)1;
    *queue = (struct queue){.context = context};
    queue->launches = malloc(room * sizeof *queue->launches);
    queue->leads = malloc(room * sizeof *queue->leads);
    queue->order = malloc(room * sizeof *queue->order);
    return queue->launches && queue->leads && queue->order;
}

static void queue_fini(struct queue *queue)
{
    free(queue->launches);
    free(queue->leads);
    free(queue->order);
}

static const struct tl_slice *launch_of(const struct timeline *timeline, uint32_t gpu)
{
    uint32_t slice = timeline->gpus.at[gpu].slice;
    return slice == TL_NONE ? NULL : &timeline->slices.at[slice];
}

/* Whether it is the first operation of a launch. */
static bool is_first_of_launch(const struct timeline *timeline, uint32_t gpu)
{
    const struct tl_slice *launch = launch_of(timeline, gpu);
    return launch && launch->kind == TL_API && launch->gpu_count &&
           timeline->gpu_by_slice.at[launch->gpu_first] == gpu;
}

static bool collect_launches(struct queue *queue, struct device_walk *walk)
{
    const struct timeline *timeline = queue->context->timeline;
    uint32_t gpu;
    queue->count = 0;
    while ((gpu = device_walk_next(walk)) != TL_NONE) {
        if (!is_first_of_launch(timeline, gpu))
            continue;
        int64_t launch_ns = launch_of(timeline, gpu)->start_ns;
        int64_t lead_ns = timeline->gpus.at[gpu].start_ns - launch_ns;
        queue->order[queue->count] = gpu;
        queue->launches[queue->count] = (struct radix_item){radix_key(launch_ns), gpu};
        queue->leads[queue->count++] = (struct radix_item){radix_key(lead_ns), gpu};
    }
    return radix_sort(queue->launches, queue->count) && radix_sort(queue->leads, queue->count);
}

static uint32_t step_of_launch(const struct queue *queue, const struct tl_slice *launch)
{
    const struct finding_context *context = queue->context;
    return context->steps ? finding_steps_at(context->steps,
                                             context->timeline->threads.at[launch->thread].process,
                                             launch->start_ns)
                          : TL_NONE;
}

static void note_depth(struct queue *queue, const struct tl_slice *launch, uint32_t slice,
                       uint32_t depth)
{
    int64_t took_ns = launch->end_ns - launch->start_ns;
    queue->deepest = depth > queue->deepest ? depth : queue->deepest;
    if (depth < queue->context->limits->queue_limit)
        return;
    const struct tl_slice *longest =
        queue->full_call == TL_NONE ? NULL : &queue->context->timeline->slices.at[queue->full_call];
    if (!longest || took_ns > longest->end_ns - longest->start_ns)
        queue->full_call = slice;
    queue->full++;
    queue->full_ns += took_ns;
    finding_parts_add(queue->context->steps, &queue->full_parts, step_of_launch(queue, launch),
                      (struct finding_amounts){.count = 1, .cost_ns = took_ns});
}

/* Two walks in step: launches in order of their calls, and operations in order of their start. */
static void measure_queue(struct queue *queue)
{
    const struct timeline *timeline = queue->context->timeline;
    int64_t busy_until_ns = INT64_MIN;
    uint32_t started = 0;
    queue->empty = queue->full = 0;
    queue->full_ns = 0, queue->deepest = 0, queue->full_call = TL_NONE;
    queue->empty_parts = queue->full_parts = (struct finding_parts){0};
    for (uint32_t i = 0; i < queue->count; i++) {
        uint32_t slice = timeline->gpus.at[queue->launches[i].value].slice;
        const struct tl_slice *launch = &timeline->slices.at[slice];
        for (; started < queue->count &&
               timeline->gpus.at[queue->order[started]].start_ns <= launch->start_ns;
             started++) {
            int64_t end_ns = timeline->gpus.at[queue->order[started]].end_ns;
            busy_until_ns = end_ns > busy_until_ns ? end_ns : busy_until_ns;
        }
        uint32_t depth = started < i ? i - started : 0;
        bool is_empty = depth == 0 && busy_until_ns <= launch->start_ns;
        queue->empty += is_empty;
        if (is_empty)
            finding_parts_add(queue->context->steps, &queue->empty_parts,
                              step_of_launch(queue, launch), (struct finding_amounts){.count = 1});
        note_depth(queue, launch, slice, depth);
    }
}

static struct finding finding_of_queue(const struct queue *queue, const struct finding_rule *rule)
{
    const struct tl_gpu *gpu = &queue->context->timeline->gpus.at[queue->order[0]];
    struct finding finding = FINDING_OF_ALL;
    finding.rule = rule;
    finding.process = gpu->process;
    finding.device = gpu->device;
    return finding;
}

static int64_t median_lead_ns(const struct queue *queue)
{
    return radix_time(queue->leads[queue->count / 2].key);
}

/* Idle time in which nothing was queued; `parts`: of each step is added to them. */
static int64_t idle_unqueued_ns(const struct queue *queue, struct finding_parts *parts)
{
    static const enum gap_cause starving[] = {GAP_LAUNCH, GAP_CPU,      GAP_SYNC,
                                              GAP_COPY,   GAP_ALLOCATE, GAP_OTHER_CALL};
    const struct tl_gpu *gpu = &queue->context->timeline->gpus.at[queue->order[0]];
    const struct finding_gaps *gaps = queue->context->gaps;
    int64_t sum_ns = 0;
    for (uint32_t i = 0; i < gaps->devices.count; i++)
        if (gaps->devices.at[i].process == gpu->process &&
            gaps->devices.at[i].device == gpu->device)
            for (size_t cause = 0; cause < sizeof starving / sizeof starving[0]; cause++) {
                sum_ns += gaps->devices.at[i].idle_ns[starving[cause]];
                finding_parts_join(queue->context->steps, parts,
                                   &gaps->devices.at[i].idle_parts[starving[cause]]);
            }
    return sum_ns;
}

static bool report_empty(const struct queue *queue, const struct finding_rule *rule,
                         struct findings *findings)
{
    struct finding finding = finding_of_queue(queue, rule);
    if ((double)queue->empty < OFTEN * queue->count)
        return true;
    finding.count = queue->empty;
    finding.parts = queue->empty_parts;
    finding.cost_ns = idle_unqueued_ns(queue, &finding.parts);
    return findings_add(
        findings, queue->context, &finding,
        "%s of %u launches found %s idle and nothing queued: half of them were at most %s ahead of "
        "their start, and never more than %u waited. It idled %s like this.",
        sentence_share((int64_t)queue->empty, queue->count).text, queue->count,
        finding_device(queue->context, finding.process, finding.device).text,
        sentence_time(median_lead_ns(queue)).text, queue->deepest,
        sentence_time(finding.cost_ns).text);
}

static bool report_full(const struct queue *queue, const struct finding_rule *rule,
                        struct findings *findings)
{
    struct finding finding = finding_of_queue(queue, rule);
    if (!queue->full)
        return true;
    finding.count = queue->full;
    finding.cost_ns = queue->full_ns;
    finding.parts = queue->full_parts;
    finding.slice = queue->full_call;
    finding.path = range_paths_of(queue->context->paths, queue->full_call);
    return findings_add(
        findings, queue->context, &finding,
        "%s of %u found at least %u others waiting for %s, took %s (%s each), and held the CPU up "
        "for as long.",
        sentence_count(queue->full, "launch").text, queue->count,
        queue->context->limits->queue_limit,
        finding_device(queue->context, finding.process, finding.device).text,
        sentence_time(queue->full_ns).text,
        sentence_time(queue->full_ns / (int64_t)queue->full).text);
}

static bool each_device(const struct finding_context *context, const struct finding_rule *rule,
                        struct findings *findings,
                        bool (*report)(const struct queue *, const struct finding_rule *,
                                       struct findings *))
{
    struct queue queue;
    struct device_walk walk = {0};
    bool added = queue_init(&queue, context) && device_walk_init(&walk, context->timeline);
    for (uint32_t i = 0; i < context->timeline->streams.count && added;) {
        i = device_walk_begin(&walk, i);
        added = collect_launches(&queue, &walk);
        if (added && queue.count) {
            measure_queue(&queue);
            added = report(&queue, rule, findings);
        }
    }
    device_walk_fini(&walk);
    queue_fini(&queue);
    return added;
}

static bool find_empty(const struct finding_context *context, const struct finding_rule *rule,
                       struct findings *findings)
{
    return each_device(context, rule, findings, report_empty);
}

static bool find_full(const struct finding_context *context, const struct finding_rule *rule,
                      struct findings *findings)
{
    return each_device(context, rule, findings, report_full);
}

const struct finding_rule rule_queue_empty = {
    .name = "launch-queue-empty",
    .noun = "launch",
    .explains = 1u << GAP_LAUNCH | 1u << GAP_CPU,
    .title = "The GPU's queue is empty",
    .remedy =
        "Have the CPU run ahead: wait less often, launch earlier and in larger pieces. What it "
        "did instead is in the findings about idle time.",
    .find = find_empty,
};

const struct finding_rule rule_queue_full = {
    .name = "launch-queue-full",
    .noun = "launch",
    .title = "The GPU's queue is full, so launches block",
    .remedy =
        "Harmless for the GPU. If the launching thread has other work, such as loading data, do "
        "that in another thread, or launch CUDA graphs.",
    .find = find_full,
};
