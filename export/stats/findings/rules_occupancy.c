/* rules_occupancy.c - kernels that leave multiprocessors empty: all the time, or in their last wave.
 *
 * Both are reckoned from the grid, the block and the device's limits (occupancy.h), by kernel. The owner
 * is the call of its longest run.
 */
#include "finding_facts.h"
#include "finding_text.h"
#include "occupancy.h"
#include "rules.h"
#include "stack_of.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_BYTES 160 /* of a name in a sentence */

/* Of an entry of kernels[], which operations share. */
struct shape {
    bool known;
    uint32_t process;
    float occupancy; /* share; negative unknown */
    float waves;     /* 0 unknown */
};

/* Of a kernel's name. */
struct kernel_sum {
    uint64_t count;
    int64_t cost_ns, largest_ns;
    double saved_ns, occupancy_ns, waves_ns; /* the latter two: weighted by time */
    uint32_t example;                        /* into gpus[] */
};

struct occupancy_search {
    const struct finding_context *context;
    struct shape *shapes;    /* by entry of kernels[] */
    struct kernel_sum *sums; /* by name */
    uint64_t kernels, unknown;
};

static struct shape shape_of(struct occupancy_search *search, const struct tl_gpu *gpu)
{
    const struct timeline *timeline = search->context->timeline;
    struct shape *shape = &search->shapes[gpu->detail];
    if (shape->known && shape->process == gpu->process)
        return *shape;
    const struct tl_device *device = finding_device_facts(timeline, gpu->process, gpu->device);
    *shape = (struct shape){.known = true, .process = gpu->process, .occupancy = -1};
    if (device) {
        struct occupancy of = occupancy_of(&timeline->kernels.at[gpu->detail], &device->info);
        shape->occupancy = of.percent < 0 ? -1 : (float)of.percent / 100;
        shape->waves = (float)of.waves;
    }
    return *shape;
}

/* The share of its time that a kernel wastes; negative: it cannot be told. */
typedef double waste_of(const struct shape *shape, const struct finding_limits *limits);

static double waste_of_occupancy(const struct shape *shape, const struct finding_limits *limits)
{
    if (shape->occupancy < 0)
        return -1;
    return shape->occupancy < limits->low_occupancy ? 1 - shape->occupancy : 0;
}

/* Blocks are taken to need the same time, so each wave does. */
static double waste_of_tail(const struct shape *shape, const struct finding_limits *limits)
{
    double whole = ceil((double)shape->waves);
    if (shape->waves <= 0)
        return -1;
    double waste = shape->waves > 1 ? (whole - shape->waves) / whole : 0;
    return waste >= limits->tail_share ? waste : 0;
}

static void add_kernel(struct occupancy_search *search, uint32_t index, const struct shape *shape,
                       double waste)
{
    const struct tl_gpu *gpu = &search->context->timeline->gpus.at[index];
    struct kernel_sum *sum = &search->sums[gpu->name];
    int64_t ran_ns = gpu->end_ns - gpu->start_ns;
    if (!sum->count || ran_ns > sum->largest_ns) {
        sum->largest_ns = ran_ns;
        sum->example = index;
    }
    sum->count++;
    sum->cost_ns += ran_ns;
    sum->saved_ns += waste * (double)ran_ns;
    sum->occupancy_ns += shape->occupancy * (double)ran_ns;
    sum->waves_ns += shape->waves * (double)ran_ns;
}

static void add_kernels(struct occupancy_search *search, waste_of *measure)
{
    const struct timeline *timeline = search->context->timeline;
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (gpu->kind != TL_KERNEL || !tl_is_work(gpu) || gpu->end_ns <= gpu->start_ns)
            continue;
        /* Collectives leave multiprocessors to others on purpose: they wait for links. */
        if (work_class_of(&search->context->facts->classes, gpu) == WORK_COMMUNICATION)
            continue;
        search->kernels++;
        if (gpu->detail >= timeline->kernels.count || gpu->name >= timeline->names.count) {
            search->unknown++;
            continue;
        }
        struct shape shape = shape_of(search, gpu);
        double waste = measure(&shape, search->context->limits);
        search->unknown += waste < 0;
        if (waste > 0)
            add_kernel(search, i, &shape, waste);
    }
}

static struct finding finding_of_kernel(const struct finding_context *context,
                                        const struct finding_rule *rule,
                                        const struct kernel_sum *sum)
{
    const struct tl_gpu *gpu = &context->timeline->gpus.at[sum->example];
    struct finding finding = FINDING_OF_ALL;
    finding.rule = rule;
    finding.process = gpu->process;
    finding.device = gpu->device;
    finding.slice = gpu->slice;
    if (gpu->slice != TL_NONE) {
        finding.path = range_paths_of(context->paths, gpu->slice);
        finding.stack = stack_of_slice(context->timeline, gpu->slice);
    }
    finding.count = sum->count;
    finding.cost_ns = sum->cost_ns;
    finding.saved_ns = (int64_t)sum->saved_ns;
    return finding;
}

typedef bool tell(const struct finding_context *context, struct findings *findings,
                  const struct finding *finding, const struct kernel_sum *sum, const char *name);

static bool add_findings(const struct occupancy_search *search, const struct finding_rule *rule,
                         struct findings *findings, tell *say)
{
    const struct finding_context *context = search->context;
    const struct timeline *timeline = context->timeline;
    bool added = true;
    for (uint32_t name = 0; name < timeline->names.count && added; name++) {
        const struct kernel_sum *sum = &search->sums[name];
        if (!finding_is_worth(context, (int64_t)sum->saved_ns))
            continue;
        struct finding finding = finding_of_kernel(context, rule, sum);
        added = say(context, findings, &finding, sum, timeline->names.at[name].bytes);
    }
    if (added && search->unknown)
        added =
            findings_note(findings, rule,
                          "Occupancy and waves of %s of %s are unknown: the limits of the device "
                          "or the size of the grid are not in the trace.",
                          finding_count(search->unknown, "kernel").text,
                          finding_count(search->kernels, "kernel run").text);
    return added;
}

static bool find(const struct finding_context *context, const struct finding_rule *rule,
                 struct findings *findings, waste_of *measure, tell *say)
{
    const struct timeline *timeline = context->timeline;
    struct occupancy_search search = {.context = context};
    search.shapes = calloc(timeline->kernels.count + (size_t)1, sizeof *search.shapes);
    search.sums = calloc(timeline->names.count + (size_t)1, sizeof *search.sums);
    bool added = search.shapes && search.sums;
    if (added) {
        add_kernels(&search, measure);
        added = add_findings(&search, rule, findings, say);
    }
    free(search.shapes);
    free(search.sums);
    return added;
}

static const char *cut_mark(const char *name)
{
    return strlen(name) > KERNEL_BYTES ? "..." : "";
}

static bool tell_occupancy(const struct finding_context *context, struct findings *findings,
                           const struct finding *finding, const struct kernel_sum *sum,
                           const char *name)
{
    double percent = 100 * sum->occupancy_ns / (double)sum->cost_ns;
    return findings_add(
        findings, context, finding,
        "%.*s%s ran %s for %s (%s of the wall time) with %s%.0f %% of the warps that the "
        "multiprocessors can hold.",
        KERNEL_BYTES, name, cut_mark(name), finding_count(sum->count, "time").text,
        finding_time(sum->cost_ns).text, finding_share(sum->cost_ns, context->wall_ns).text,
        percent < 1 ? "less than " : "", percent < 1 ? 1 : percent);
}

static bool tell_tail(const struct finding_context *context, struct findings *findings,
                      const struct finding *finding, const struct kernel_sum *sum, const char *name)
{
    return findings_add(
        findings, context, finding,
        "%.*s%s ran %s for %s (%s of the wall time) in %.2f waves of blocks: the last one leaves "
        "multiprocessors empty for %s of the time.",
        KERNEL_BYTES, name, cut_mark(name), finding_count(sum->count, "time").text,
        finding_time(sum->cost_ns).text, finding_share(sum->cost_ns, context->wall_ns).text,
        sum->waves_ns / (double)sum->cost_ns,
        finding_share((int64_t)sum->saved_ns, sum->cost_ns).text);
}

/* cost: how long they ran. saved: as if a kernel were as much faster as more warps are at work. */
static bool find_low_occupancy(const struct finding_context *context,
                               const struct finding_rule *rule, struct findings *findings)
{
    return find(context, rule, findings, waste_of_occupancy, tell_occupancy);
}

/* cost: how long they ran. saved: what is left of the last wave. */
static bool find_tail_waves(const struct finding_context *context, const struct finding_rule *rule,
                            struct findings *findings)
{
    return find(context, rule, findings, waste_of_tail, tell_tail);
}

const struct finding_rule rule_low_occupancy = {
    .name = "low-occupancy",
    .title = "A kernel leaves most of the GPU empty",
    .remedy = "Give it more blocks (larger batches, split work finer), or fewer registers and less "
              "shared memory per block; run small kernels side by side in several streams.",
    .find = find_low_occupancy,
};

const struct finding_rule rule_tail_wave = {
    .name = "tail-wave",
    .title = "A kernel's last wave of blocks is part full",
    .remedy =
        "Choose the grid as a multiple of what the GPU holds at once, use smaller blocks, or a "
        "grid-stride loop over as many blocks as fit.",
    .find = find_tail_waves,
};
