/* slice_sums.c - sums go from the innermost slices to the outermost: children come after their
 * parents, so one pass from the end is enough. */
#include "slice_sums.h"

#include <stdlib.h>

static int64_t duration(int64_t start_ns, int64_t end_ns)
{
    return end_ns > start_ns ? end_ns - start_ns : 0;
}

int64_t slice_launched_ns(const struct timeline *timeline, const struct tl_slice *slice)
{
    int64_t sum_ns = 0;
    for (uint32_t i = 0; i < slice->gpu_count; i++) {
        const struct tl_gpu *gpu =
            &timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + i]];
        sum_ns += tl_is_work(gpu) ? duration(gpu->start_ns, gpu->end_ns) : 0;
    }
    return sum_ns;
}

/* The range's time is its own interval; of that the timed ranges inside, which have been subtracted
 * already, are not its own. The next timed range around it on the same device loses it in turn. */
static void use_timing(const struct timeline *timeline, struct slice_sums *sums,
                       const struct tl_timing *timing)
{
    struct slice_sums *own = &sums[timing->slice];
    int64_t total_ns = duration(timing->start_ns, timing->end_ns);
    own->device_ns = total_ns;
    own->self_device_ns = total_ns + own->self_device_ns;
    if (own->self_device_ns < 0)
        own->self_device_ns = 0;
    uint32_t up = timeline->slices.at[timing->slice].parent;
    for (; up != TL_NONE; up = timeline->slices.at[up].parent) {
        uint32_t around = timeline_timing_of(timeline, up);
        if (around == TL_NONE || timeline->timings.at[around].device != timing->device)
            continue;
        sums[up].self_device_ns -= total_ns;
        return;
    }
}

/* What is not shown hands up what is inside of it. A call's device time is that of the range around
 * it. */
static void hand_up(const struct timeline *timeline, struct slice_sums *sums, uint32_t index)
{
    const struct tl_slice *slice = &timeline->slices.at[index];
    struct slice_sums *own = &sums[index];
    int64_t inside_ns = -own->self_ns, cpu_ns = duration(slice->start_ns, slice->end_ns);
    bool shown = slice_is_shown(timeline, slice), is_range = slice->kind != TL_API;
    own->self_ns = duration(inside_ns, cpu_ns);
    if (slice->parent != TL_NONE) {
        struct slice_sums *to = &sums[slice->parent];
        to->self_ns -= shown ? cpu_ns : inside_ns;
        to->device_ns += own->device_ns;
        to->self_device_ns += shown && is_range ? 0 : own->self_device_ns;
    }
    if (!is_range)
        own->self_device_ns = 0;
}

struct slice_sums *slice_sums_create(const struct timeline *timeline)
{
    uint32_t timing = timeline->timings.count;
    struct slice_sums *sums = calloc(timeline->slices.count + (size_t)1, sizeof *sums);
    for (uint32_t i = sums ? timeline->slices.count : 0; i-- > 0;) {
        int64_t own_ns = slice_launched_ns(timeline, &timeline->slices.at[i]);
        sums[i].device_ns += own_ns;
        sums[i].self_device_ns += own_ns;
        while (timing && timeline->timings.at[timing - 1].slice > i)
            timing--;
        if (timing && timeline->timings.at[timing - 1].slice == i)
            use_timing(timeline, sums, &timeline->timings.at[timing - 1]);
        hand_up(timeline, sums, i);
    }
    return sums;
}

int64_t *slice_ends_create(const struct timeline *timeline)
{
    int64_t *ends = malloc(((size_t)timeline->slices.count + 1) * sizeof *ends);
    for (uint32_t i = 0; i < timeline->slices.count && ends; i++)
        ends[i] = timeline->slices.at[i].end_ns;
    for (uint32_t i = 0; i < timeline->segments.count && ends; i++) {
        const struct tl_segment *segment = &timeline->segments.at[i];
        if (timeline->slices.at[segment->slice].end_ns > ends[segment->first])
            ends[segment->first] = timeline->slices.at[segment->slice].end_ns;
    }
    return ends;
}

void slice_sums_join(struct slice_sums *sums, const struct timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->segments.count; i++) {
        const struct slice_sums *from = &sums[timeline->segments.at[i].slice];
        struct slice_sums *to = &sums[timeline->segments.at[i].first];
        to->self_ns += from->self_ns;
        to->device_ns += from->device_ns;
        to->self_device_ns += from->self_device_ns;
    }
}

/* ---- by call stack ---- */

static uint32_t group(const uint32_t *group_of, uint32_t stack)
{
    return group_of ? group_of[stack] : stack;
}

static void add_slice(struct stack_totals *totals, const struct timeline *timeline,
                      const struct tl_slice *slice, uint32_t place)
{
    struct stack_total *total = &totals->at[place];
    if (slice->flags & TL_INTERNAL)
        return;
    int64_t device_ns =
        slice_launched_ns(timeline, slice); /* a range's own: its file has no call for them */
    total->device_ns += device_ns;
    totals->device_ns += device_ns;
    if (slice->kind != TL_API) {
        total->ranges++;
        return;
    }
    total->calls++;
    total->cpu_ns += slice->end_ns - slice->start_ns;
}

static int by_time(const void *left, const void *right, void *user)
{
    uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
    const struct stack_total *totals = user, *a = &totals[i], *b = &totals[j];
    if (a->device_ns != b->device_ns)
        return a->device_ns > b->device_ns ? -1 : 1;
    if (a->cpu_ns != b->cpu_ns)
        return a->cpu_ns > b->cpu_ns ? -1 : 1;
    if (a->calls != b->calls)
        return a->calls > b->calls ? -1 : 1;
    if (a->ranges != b->ranges)
        return a->ranges > b->ranges ? -1 : 1;
    return (i > j) - (i < j);
}

static int by_run(const void *left, const void *right, void *user)
{
    uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
    const struct stack_total *totals = user, *a = &totals[i], *b = &totals[j];
    if (a->run_ns != b->run_ns)
        return a->run_ns > b->run_ns ? -1 : 1;
    if (a->wait_ns != b->wait_ns)
        return a->wait_ns > b->wait_ns ? -1 : 1;
    return (i > j) - (i < j);
}

static void add_sample(struct stack_totals *totals, const struct tl_sample *sample,
                       const uint32_t *group_of)
{
    int64_t weight_ns = (int64_t)sample->weight_ns;
    *(sample->waits ? &totals->wait_ns : &totals->run_ns) += weight_ns;
    if (sample->stack == TL_NONE)
        return;
    struct stack_total *total = &totals->at[group(group_of, sample->stack)];
    total->samples++;
    *(sample->waits ? &total->wait_ns : &total->run_ns) += weight_ns;
}

/* A stack of samples belongs to no call or range; one of a wait that soon ended, to nothing. */
static void put_in_order(struct stack_totals *totals)
{
    uint32_t stacks = totals->count;
    totals->count = 0;
    for (uint32_t i = 0; i < stacks; i++) {
        const struct stack_total *total = &totals->at[i];
        if (total->calls || total->ranges)
            totals->order[totals->count++] = i;
        if (total->samples)
            totals->sampled[totals->sampled_count++] = i;
    }
    if (totals->count)
        qsort_r(totals->order, totals->count, sizeof *totals->order, by_time, totals->at);
    if (totals->sampled_count)
        qsort_r(totals->sampled, totals->sampled_count, sizeof *totals->sampled, by_run,
                totals->at);
}

bool stack_totals_init(struct stack_totals *totals, const struct timeline *timeline,
                       const uint32_t *group_of, uint32_t groups)
{
    const struct tl_stack_of *of_slices = timeline->slice_stacks.at;
    const struct tl_stack_of *of_async = timeline->async_stacks.at;
    *totals = (struct stack_totals){.count = group_of ? groups : timeline->stacks.count};
    totals->at = calloc(totals->count + 1u, sizeof *totals->at);
    totals->order = calloc(totals->count + 1u, sizeof *totals->order);
    totals->sampled = calloc(totals->count + 1u, sizeof *totals->sampled);
    if (!totals->at || !totals->order || !totals->sampled) {
        stack_totals_fini(totals);
        return false;
    }
    for (uint32_t i = 0; i < timeline->slice_stacks.count; i++)
        add_slice(totals, timeline, &timeline->slices.at[of_slices[i].owner],
                  group(group_of, of_slices[i].stack));
    for (uint32_t i = 0; i < timeline->async_stacks.count; i++)
        totals->at[group(group_of, of_async[i].stack)].ranges++;
    for (uint32_t i = 0; i < timeline->samples.count; i++)
        add_sample(totals, &timeline->samples.at[i], group_of);
    put_in_order(totals);
    return true;
}

void stack_totals_fini(struct stack_totals *totals)
{
    free(totals->at);
    free(totals->order);
    free(totals->sampled);
}

static const char *method_name(bool tables, bool frames)
{
    if (tables && frames)
        return "mixed";
    return tables ? "tables" : frames ? "frames" : "none";
}

void stack_facts_init(struct stack_facts *facts, const struct timeline *timeline)
{
    bool tables = false, frames = false;
    *facts =
        (struct stack_facts){.stacks = timeline->stacks.count, .modules = timeline->modules.count};
    for (uint32_t i = 0; i < timeline->stacks.count; i++) {
        const struct tl_stack *stack = &timeline->stacks.at[i];
        facts->cut += stack->cut;
        tables |= stack->method == PROF_STACK_UNWIND_TABLES;
        frames |= stack->method == PROF_STACK_FRAME_POINTERS;
    }
    for (uint32_t i = 0; i < timeline->processes.count; i++) {
        facts->untaken += timeline->processes.at[i].odd.untaken_stacks;
        facts->missing += timeline->processes.at[i].odd.missing_stacks;
    }
    facts->method = method_name(tables, frames);
}
