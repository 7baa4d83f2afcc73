/* rules_queue.c - how far launches are ahead of the device.
 *
 * The queue of a device holds what was launched and has not started. It is looked at when each launch
 * begins; a graph is one launch. What an empty queue costs is told by the rules of idle time, and a full
 * one costs the device nothing: neither saves anything by itself.
 */
#include "device_walk.h"
#include "finding_gaps.h"
#include "finding_text.h"
#include "radix.h"
#include "rules.h"

#include <stdlib.h>

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
    int64_t full_ns;    /* how long the latter took */
    uint32_t full_call; /* the longest of them, TL_NONE */
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
static bool is_first(const struct timeline *timeline, uint32_t gpu)
{
    const struct tl_slice *launch = launch_of(timeline, gpu);
    return launch && launch->kind == TL_API && launch->gpu_count &&
           timeline->gpu_by_slice.at[launch->gpu_first] == gpu;
}

static bool collect(struct queue *queue, struct device_walk *walk)
{
    const struct timeline *timeline = queue->context->timeline;
    uint32_t gpu;
    queue->count = 0;
    while ((gpu = device_walk_next(walk)) != TL_NONE) {
        if (!is_first(timeline, gpu))
            continue;
        int64_t launch_ns = launch_of(timeline, gpu)->start_ns;
        int64_t lead_ns = timeline->gpus.at[gpu].start_ns - launch_ns;
        queue->order[queue->count] = gpu;
        queue->launches[queue->count] = (struct radix_item){radix_key(launch_ns), gpu};
        queue->leads[queue->count++] = (struct radix_item){radix_key(lead_ns), gpu};
    }
    return radix_sort(queue->launches, queue->count) && radix_sort(queue->leads, queue->count);
}

static void look(struct queue *queue, const struct tl_slice *launch, uint32_t slice, uint32_t depth)
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
}

/* Two walks in step: launches in order of their calls, and operations in order of their start. */
static void measure(struct queue *queue)
{
    const struct timeline *timeline = queue->context->timeline;
    int64_t busy_until_ns = INT64_MIN;
    uint32_t started = 0;
    queue->empty = queue->full = 0;
    queue->full_ns = 0, queue->deepest = 0, queue->full_call = TL_NONE;
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
        queue->empty += depth == 0 && busy_until_ns <= launch->start_ns;
        look(queue, launch, slice, depth);
    }
}

static struct finding start(const struct queue *queue, const struct finding_rule *rule)
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
    return (int64_t)(queue->leads[queue->count / 2].key ^ UINT64_C(1) << 63);
}

/* Idle time in which nothing was queued. */
static int64_t starved_ns(const struct queue *queue)
{
    static const enum gap_cause starving[] = {GAP_LAUNCH, GAP_CPU,      GAP_SYNC,
                                              GAP_COPY,   GAP_ALLOCATE, GAP_OTHER_CALL};
    const struct tl_gpu *gpu = &queue->context->timeline->gpus.at[queue->order[0]];
    const struct finding_gaps *gaps = queue->context->gaps;
    int64_t sum_ns = 0;
    for (uint32_t i = 0; i < gaps->devices.count; i++)
        if (gaps->devices.at[i].process == gpu->process &&
            gaps->devices.at[i].device == gpu->device)
            for (size_t cause = 0; cause < sizeof starving / sizeof starving[0]; cause++)
                sum_ns += gaps->devices.at[i].idle_ns[starving[cause]];
    return sum_ns;
}

static bool tell_empty(const struct queue *queue, const struct finding_rule *rule,
                       struct findings *findings)
{
    struct finding finding = start(queue, rule);
    if ((double)queue->empty < OFTEN * queue->count)
        return true;
    finding.count = queue->empty;
    finding.cost_ns = starved_ns(queue);
    return findings_add(
        findings, queue->context, &finding,
        "%s of %u launches found %s idle and nothing queued: half of them were at most %s ahead of "
        "their start, and never more than %u waited. It idled %s like this.",
        finding_share((int64_t)queue->empty, queue->count).text, queue->count,
        finding_device(queue->context, finding.process, finding.device).text,
        finding_time(median_lead_ns(queue)).text, queue->deepest,
        finding_time(finding.cost_ns).text);
}

static bool tell_full(const struct queue *queue, const struct finding_rule *rule,
                      struct findings *findings)
{
    struct finding finding = start(queue, rule);
    if (!queue->full)
        return true;
    finding.count = queue->full;
    finding.cost_ns = queue->full_ns;
    finding.slice = queue->full_call;
    finding.path = range_paths_of(queue->context->paths, queue->full_call);
    return findings_add(
        findings, queue->context, &finding,
        "%s of %u found at least %u others waiting for %s, took %s (%s each), and held the CPU up "
        "for as long.",
        finding_count(queue->full, "launch").text, queue->count,
        queue->context->limits->queue_limit,
        finding_device(queue->context, finding.process, finding.device).text,
        finding_time(queue->full_ns).text,
        finding_time(queue->full_ns / (int64_t)queue->full).text);
}

static bool each_device(const struct finding_context *context, const struct finding_rule *rule,
                        struct findings *findings,
                        bool (*tell)(const struct queue *, const struct finding_rule *,
                                     struct findings *))
{
    struct queue queue;
    struct device_walk walk = {0};
    bool added = queue_init(&queue, context) && device_walk_init(&walk, context->timeline);
    for (uint32_t i = 0; i < context->timeline->streams.count && added;) {
        i = device_walk_begin(&walk, i);
        added = collect(&queue, &walk);
        if (added && queue.count) {
            measure(&queue);
            added = tell(&queue, rule, findings);
        }
    }
    device_walk_fini(&walk);
    queue_fini(&queue);
    return added;
}

static bool find_empty(const struct finding_context *context, const struct finding_rule *rule,
                       struct findings *findings)
{
    return each_device(context, rule, findings, tell_empty);
}

static bool find_full(const struct finding_context *context, const struct finding_rule *rule,
                      struct findings *findings)
{
    return each_device(context, rule, findings, tell_full);
}

const struct finding_rule rule_queue_empty = {
    .name = "launch-queue-empty",
    .title = "The GPU's queue is empty",
    .remedy =
        "Have the CPU run ahead: wait less often, launch earlier and in larger pieces. What it "
        "did instead is told by the findings about idle time.",
    .find = find_empty,
};

const struct finding_rule rule_queue_full = {
    .name = "launch-queue-full",
    .title = "The GPU's queue is full, so launches block",
    .remedy =
        "Harmless for the GPU. If the launching thread has other work, such as loading data, do "
        "that in another thread, or launch CUDA graphs.",
    .find = find_full,
};
