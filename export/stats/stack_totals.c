#include "stack_totals.h"

#include <stdlib.h>

static int64_t device_ns_of(const struct timeline *timeline, const struct tl_slice *slice)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < slice->gpu_count; i++) {
        const struct tl_gpu *gpu =
            &timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + i]];
        if (tl_is_work(gpu))
            sum += gpu->end_ns - gpu->start_ns;
    }
    return sum;
}

static void add_slice(struct stack_totals *totals, const struct timeline *timeline,
                      const struct tl_stack_of *of)
{
    const struct tl_slice *slice = &timeline->slices.at[of->owner];
    struct stack_total *total = &totals->at[of->stack];
    if (slice->flags & TL_INTERNAL)
        return;
    if (slice->kind != TL_API) {
        total->ranges++;
        return;
    }
    int64_t device_ns = device_ns_of(timeline, slice);
    total->calls++;
    total->cpu_ns += slice->end_ns - slice->start_ns;
    total->device_ns += device_ns;
    totals->device_ns += device_ns;
}

static int by_weight(const void *left, const void *right, void *user)
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

bool stack_totals_init(struct stack_totals *totals, const struct timeline *timeline)
{
    *totals = (struct stack_totals){.count = timeline->stacks.count};
    totals->at = calloc(totals->count + 1u, sizeof *totals->at);
    totals->order = calloc(totals->count + 1u, sizeof *totals->order);
    if (!totals->at || !totals->order) {
        stack_totals_fini(totals);
        return false;
    }
    for (uint32_t i = 0; i < timeline->slice_stacks.count; i++)
        add_slice(totals, timeline, &timeline->slice_stacks.at[i]);
    for (uint32_t i = 0; i < timeline->async_stacks.count; i++)
        totals->at[timeline->async_stacks.at[i].stack].ranges++;
    for (uint32_t i = 0; i < totals->count; i++)
        totals->order[i] = i;
    if (totals->count)
        qsort_r(totals->order, totals->count, sizeof *totals->order, by_weight, totals->at);
    return true;
}

void stack_totals_fini(struct stack_totals *totals)
{
    free(totals->at);
    free(totals->order);
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
