/* rules_kernels.c - kernels that are too small, leave multiprocessors empty or have faster
 * alternatives. */
#include "occupancy.h"
#include "remedies.h"
#include "rules.h"
#include "timeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kernels that are too small for what starting them costs. */

static bool is_tiny(const struct finding_context *context, const struct tl_gpu *gpu)
{
    return gpu->kind == TL_KERNEL && tl_is_work(gpu) &&
           gpu->end_ns - gpu->start_ns < context->limits->tiny_kernel_ns;
}

/* `more`: how long they ran. */
static bool add_tiny(struct finding_owners *owners, const struct finding_context *context,
                     const struct tl_gpu *gpu)
{
    if (!is_tiny(context, gpu))
        return true;
    int64_t ran_ns = gpu->end_ns > gpu->start_ns ? gpu->end_ns - gpu->start_ns : 0;
    struct finding_owner *owner =
        finding_owners_add(owners, context, gpu->process, gpu->device, gpu->slice, ran_ns);
    if (owner)
        owner->more += ran_ns;
    return owner != NULL;
}

/* Idle time in front of them that was spent on launching: in a graph there would be none. */
static void add_waits(struct finding_owners *owners, const struct finding_context *context)
{
    for (uint32_t i = 0; i < context->gaps->gaps.count && !owners->failed; i++) {
        const struct finding_gap *gap = &context->gaps->gaps.at[i];
        const struct tl_gpu *gpu = &context->timeline->gpus.at[gap->next];
        if (gap->cause != GAP_LAUNCH || !is_tiny(context, gpu))
            continue;
        int64_t waited_ns = gap->end_ns - gap->start_ns;
        struct finding_owner *owner =
            finding_owners_add(owners, context, gpu->process, gpu->device, gpu->slice, waited_ns);
        if (owner) /* counted with the kernels */
            finding_owner_adjust(owner, context, -1, waited_ns);
    }
}

static void tiny_words(const struct finding_context *context, const struct finding_owner *owner,
                       char sentence[FINDING_SENTENCE_BYTES])
{
    snprintf(
        sentence, FINDING_SENTENCE_BYTES,
        "%s shorter than %s ran for %s in all (%s each), and %s waited %s (%s of the wall time) "
        "for their launches.",
        sentence_count(owner->count, "kernel").text,
        sentence_time(context->limits->tiny_kernel_ns).text, sentence_time(owner->more).text,
        sentence_time(owner->more / (int64_t)owner->count).text,
        finding_device(context, owner->process, owner->device).text,
        sentence_time(owner->saved_ns).text,
        sentence_share(owner->saved_ns, context->wall_ns).text);
}

/* cost: the kernels, and the idle time in front of them in which they were launched. saved: the
 * latter. A device that never waits for them loses nothing. */
static bool find_tiny_kernels(const struct finding_context *context,
                              const struct finding_rule *rule, struct findings *findings)
{
    struct finding_owners owners = {0};
    bool done = rule_add_operations(&owners, context, add_tiny);
    if (done)
        add_waits(&owners, context);
    done = done && rule_report(&owners, context, rule, findings, tiny_words);
    finding_owners_fini(&owners);
    return done;
}

const struct finding_rule rule_tiny_kernels = {
    .name = "tiny-kernels",
    .noun = "kernel",
    .explains = 1u << GAP_LAUNCH,
    .title = "Tiny kernels",
    .remedy = "Capture the sequence in a CUDA graph, fuse kernels, or give each more work (larger "
              "batches).",
    .find = find_tiny_kernels,
};

/* Kernels that leave multiprocessors empty: all the time, or in their last wave.
 *
 * Both are reckoned from the grid, the block and the device's limits (occupancy.h), by kernel. The
 * owner is the call of its longest run.
 */

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
    int64_t saved_ns;
    double occupancy_ns, waves_ns; /* weighted by time */
    struct finding_parts parts;
    uint32_t example; /* into gpus[] */
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
    const struct tl_device *device = timeline_device_of(timeline, gpu->process, gpu->device);
    *shape = (struct shape){.known = true, .process = gpu->process, .occupancy = -1};
    if (device) {
        struct occupancy of = occupancy_of(&timeline->kernels.at[gpu->detail], &device->info);
        shape->occupancy = of.percent < 0 ? -1 : (float)of.percent / 100;
        shape->waves = (float)of.waves;
    }
    return *shape;
}

/* The share of its time that a kernel wastes; negative: unknown. */
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

/* That of its launch. */
static uint32_t step_of(const struct finding_context *context, const struct tl_gpu *gpu)
{
    if (gpu->slice == TL_NONE)
        return TL_NONE;
    return finding_steps_at(context->steps, gpu->process,
                            context->timeline->slices.at[gpu->slice].start_ns);
}

static void add_wasting_kernel(struct occupancy_search *search, uint32_t index,
                               const struct shape *shape, double waste)
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
    int64_t saved_ns = (int64_t)llround(waste * (double)ran_ns);
    sum->saved_ns += saved_ns;
    finding_parts_add(search->context->steps, &sum->parts, step_of(search->context, gpu),
                      (struct finding_amounts){1, ran_ns, saved_ns, 0});
    sum->occupancy_ns += shape->occupancy * (double)ran_ns;
    sum->waves_ns += shape->waves * (double)ran_ns;
}

static void add_wasting_kernels(struct occupancy_search *search, waste_of *measure)
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
            add_wasting_kernel(search, i, &shape, waste);
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
    finding.saved_ns = sum->saved_ns;
    finding.parts = sum->parts;
    return finding;
}

typedef bool report_kernel(const struct finding_context *context, struct findings *findings,
                           const struct finding *finding, const struct kernel_sum *sum,
                           const char *name);

static bool add_findings(const struct occupancy_search *search, const struct finding_rule *rule,
                         struct findings *findings, report_kernel *report)
{
    const struct finding_context *context = search->context;
    const struct timeline *timeline = context->timeline;
    bool added = true;
    for (uint32_t name = 0; name < timeline->names.count && added; name++) {
        const struct kernel_sum *sum = &search->sums[name];
        if (!finding_is_worth(context, sum->saved_ns)) {
            finding_leave_little(context, sum->count, sum->cost_ns);
            continue;
        }
        struct finding finding = finding_of_kernel(context, rule, sum);
        added = report(context, findings, &finding, sum, timeline->names.at[name].bytes);
    }
    if (added && search->unknown)
        added =
            findings_note(findings, rule,
                          "Occupancy and waves of %s of %s are unknown: the limits of the device "
                          "or the size of the grid are not in the trace.",
                          sentence_count(search->unknown, "kernel").text,
                          sentence_count(search->kernels, "kernel run").text);
    return added;
}

static bool find_waste(const struct finding_context *context, const struct finding_rule *rule,
                       struct findings *findings, waste_of *measure, report_kernel *report)
{
    const struct timeline *timeline = context->timeline;
    struct occupancy_search search = {.context = context};
    search.shapes = calloc(timeline->kernels.count + (size_t)1, sizeof *search.shapes);
    search.sums = calloc(timeline->names.count + (size_t)1, sizeof *search.sums);
    bool added = search.shapes && search.sums;
    if (added) {
        add_wasting_kernels(&search, measure);
        added = add_findings(&search, rule, findings, report);
    }
    free(search.shapes);
    free(search.sums);
    return added;
}

static const char *cut_mark(const char *name)
{
    return strlen(name) > KERNEL_BYTES ? "..." : "";
}

static bool report_occupancy(const struct finding_context *context, struct findings *findings,
                             const struct finding *finding, const struct kernel_sum *sum,
                             const char *name)
{
    double percent = 100 * sum->occupancy_ns / (double)sum->cost_ns;
    return findings_add(
        findings, context, finding,
        "%.*s%s ran %s for %s (%s of the wall time) with %s%.0f %% of the warps that the "
        "multiprocessors can hold.",
        KERNEL_BYTES, name, cut_mark(name), sentence_count(sum->count, "time").text,
        sentence_time(sum->cost_ns).text, sentence_share(sum->cost_ns, context->wall_ns).text,
        percent < 1 ? "less than " : "", percent < 1 ? 1 : percent);
}

static bool report_tail(const struct finding_context *context, struct findings *findings,
                        const struct finding *finding, const struct kernel_sum *sum,
                        const char *name)
{
    return findings_add(
        findings, context, finding,
        "%.*s%s ran %s for %s (%s of the wall time) in %.2f waves of blocks: the last one leaves "
        "multiprocessors empty for %s of the time.",
        KERNEL_BYTES, name, cut_mark(name), sentence_count(sum->count, "time").text,
        sentence_time(sum->cost_ns).text, sentence_share(sum->cost_ns, context->wall_ns).text,
        sum->waves_ns / (double)sum->cost_ns, sentence_share(sum->saved_ns, sum->cost_ns).text);
}

/* cost: how long they ran. saved: as if a kernel were as much faster as more warps are at work. */
static bool find_low_occupancy(const struct finding_context *context,
                               const struct finding_rule *rule, struct findings *findings)
{
    return find_waste(context, rule, findings, waste_of_occupancy, report_occupancy);
}

/* cost: how long they ran. saved: what is left of the last wave. */
static bool find_tail_waves(const struct finding_context *context, const struct finding_rule *rule,
                            struct findings *findings)
{
    return find_waste(context, rule, findings, waste_of_tail, report_tail);
}

const struct finding_rule rule_low_occupancy = {
    .name = "low-occupancy",
    .noun = "kernel",
    .title = "A kernel leaves most of the GPU empty",
    .remedy = "Give it more blocks (larger batches, split work finer), or fewer registers and less "
              "shared memory per block; run small kernels side by side in several streams.",
    .find = find_low_occupancy,
};

const struct finding_rule rule_tail_wave = {
    .name = "tail-wave",
    .noun = "kernel",
    .title = "A kernel's last wave of blocks is part full",
    .remedy =
        "Choose the grid as a multiple of what the GPU holds at once, use smaller blocks, or a "
        "grid-stride loop over as many blocks as fit.",
    .find = find_tail_waves,
};

/* Kernels that the hardware or a compiler could do faster.
 *
 * FP32 matrix kernels: cost is their duration; tensor cores have 8 times the rate of FP32 on V100
 * (FP16: 125 and 15.7 TFLOPS) and A100 (TF32: 156 and 19.5), about as much on H100 (495 and 67):
 * saved is 7/8 of it at most. Before compute capability 7.0 there are no tensor cores.
 *
 * Trains of element-wise kernels: cost is their duration; fused, each train reads and writes memory
 * once: all but the longest kernel of each train is saved at most.
 */

#define TRAIN_KERNELS 3u /* two are often a broadcast and what uses it */

/* ---- FP32 ---- */

static struct text name_of(const struct finding_context *context, const struct tl_device *device)
{
    uint32_t name = device->name;
    return name < context->timeline->names.count ? context->timeline->names.at[name]
                                                 : (struct text){"", 0};
}

static bool add_fp32(struct finding_owners *owners, const struct finding_context *context,
                     const struct tl_gpu *operation)
{
    if (operation->kind != TL_KERNEL ||
        !(work_classes_traits(&context->facts->classes, operation) & KERNEL_FP32_MATRIX))
        return true;
    const struct tl_device *device =
        timeline_device_of(context->timeline, operation->process, operation->device);
    if (!device || !remedies_has_tensor_cores(&device->info, name_of(context, device)))
        return true;
    int64_t duration_ns = operation->end_ns - operation->start_ns;
    struct finding_owner *owner = finding_owners_add(
        owners, context, operation->process, operation->device, operation->slice, duration_ns);
    if (owner)
        finding_owner_adjust(owner, context, 0, duration_ns - duration_ns / 8);
    return owner != NULL;
}

static void fp32_words(const struct finding_context *context, const struct finding_owner *owner,
                       char sentence[FINDING_SENTENCE_BYTES])
{
    snprintf(sentence, FINDING_SENTENCE_BYTES,
             "%s that multiply or convolve in single precision kept %s busy for %s (%s of the wall "
             "time) without its tensor cores.",
             sentence_count(owner->count, "kernel").text,
             finding_device(context, owner->process, owner->device).text,
             sentence_time(owner->cost_ns).text,
             sentence_share(owner->cost_ns, context->wall_ns).text);
}

/* Devices of which it is not known whether they have tensor cores. */
static bool note_unknown(const struct finding_context *context, const struct finding_rule *rule,
                         struct findings *findings)
{
    const struct temporal_breakdown *temporal = &context->facts->temporal;
    bool added = true;
    for (uint32_t i = 0; i < temporal->count && added; i++) {
        const struct temporal_row *row = &temporal->at[i];
        const struct tl_device *device =
            timeline_device_of(context->timeline, row->process, row->device);
        if (!device || device->info.compute_major == 0)
            added = findings_note(
                findings, rule,
                "The compute capability of %s is not known: whether kernels could use "
                "tensor cores was not examined.",
                finding_device(context, row->process, row->device).text);
    }
    return added;
}

static bool find_fp32(const struct finding_context *context, const struct finding_rule *rule,
                      struct findings *findings)
{
    struct finding_owners owners = {0};
    if (!finding_facts_any(context->facts, KERNEL_FP32_MATRIX))
        return true;
    bool done = rule_add_operations(&owners, context, add_fp32);
    done = done && rule_report(&owners, context, rule, findings, fp32_words);
    finding_owners_fini(&owners);
    return done && note_unknown(context, rule, findings);
}

/* ---- trains ---- */

static bool is_elementwise(const struct finding_context *context, const struct tl_gpu *operation)
{
    return operation->kind == TL_KERNEL &&
           work_classes_traits(&context->facts->classes, operation) & KERNEL_ELEMENTWISE;
}

/* gpus[first .. end) of one stream; what lies between them was not work. */
static bool add_train(struct finding_owners *owners, const struct finding_context *context,
                      uint32_t first, uint32_t end)
{
    const struct tl_gpu *gpus = context->timeline->gpus.at;
    uint32_t longest = first;
    for (uint32_t i = first; i < end; i++)
        if (gpus[i].end_ns - gpus[i].start_ns > gpus[longest].end_ns - gpus[longest].start_ns)
            longest = i;
    for (uint32_t i = first; i < end; i++) {
        if (!tl_is_work(&gpus[i]))
            continue;
        int64_t duration_ns = gpus[i].end_ns - gpus[i].start_ns;
        struct finding_owner *owner = finding_owners_add(
            owners, context, gpus[i].process, gpus[i].device, gpus[i].slice, duration_ns);
        if (!owner)
            return false;
        finding_owner_adjust(owner, context, 0, i == longest ? 0 : duration_ns);
        owner->more += i == longest; /* trains */
    }
    return true;
}

static bool add_trains(struct finding_owners *owners, const struct finding_context *context,
                       const struct tl_stream *stream)
{
    uint32_t first = stream->first_gpu, kernels = 0, last = stream->first_gpu + stream->gpu_count;
    for (uint32_t i = stream->first_gpu; i <= last; i++) {
        const struct tl_gpu *operation = i < last ? &context->timeline->gpus.at[i] : NULL;
        if (operation && !tl_is_work(operation))
            continue;
        if (operation && is_elementwise(context, operation)) {
            first = kernels++ ? first : i;
            continue;
        }
        if (kernels >= TRAIN_KERNELS && !add_train(owners, context, first, i))
            return false;
        kernels = 0;
    }
    return true;
}

static void train_words(const struct finding_context *context, const struct finding_owner *owner,
                        char sentence[FINDING_SENTENCE_BYTES])
{
    snprintf(sentence, FINDING_SENTENCE_BYTES,
             "%s that go over memory element by element follow one another directly, %u or more at "
             "a time, and took %s (%s of the wall time).",
             sentence_count(owner->count, "kernel").text, TRAIN_KERNELS,
             sentence_time(owner->cost_ns).text,
             sentence_share(owner->cost_ns, context->wall_ns).text);
}

static bool find_trains(const struct finding_context *context, const struct finding_rule *rule,
                        struct findings *findings)
{
    struct finding_owners owners = {0};
    bool done = true;
    if (!finding_facts_any(context->facts, KERNEL_ELEMENTWISE))
        return true;
    for (uint32_t i = 0; i < context->timeline->streams.count && done; i++)
        done = add_trains(&owners, context, &context->timeline->streams.at[i]);
    done = done && rule_report(&owners, context, rule, findings, train_words);
    finding_owners_fini(&owners);
    return done;
}

const struct finding_rule rule_fp32_matrix = {
    .name = "fp32-without-tensor-cores",
    .noun = "kernel",
    .title = "Single precision without tensor cores",
    .remedy = "Allow TF32 (cublasSetMathMode, cudnnSetConvolutionMathType), or compute in BF16 or "
              "FP16. TF32 and BF16 need compute capability 8.0.",
    .remedy_torch =
        "Allow TF32 (torch.backends.cuda.matmul.allow_tf32, cudnn.allow_tf32), or compute in "
        "BF16 or FP16 (torch.autocast). TF32 and BF16 need compute capability 8.0.",
    .remedy_of = remedy_fp32,
    .find = find_fp32,
};

const struct finding_rule rule_elementwise_trains = {
    .name = "elementwise-trains",
    .noun = "kernel",
    .explains = 1u << GAP_LAUNCH,
    .title = "Element-wise kernels one after the other",
    .remedy = "Fuse them into one kernel that reads and writes memory once.",
    .remedy_torch =
        "Fuse them: torch.compile, a fused optimizer (fused=True, foreach=True), or a kernel "
        "of your own.",
    .remedy_of = remedy_trains,
    .find = find_trains,
};
