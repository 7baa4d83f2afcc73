/* rules_math.c - kernels that the hardware or a compiler could do faster.
 *
 * FP32 matrix kernels: cost is their duration; tensor cores have 8 times the rate of FP32 on V100 (FP16:
 * 125 and 15.7 TFLOPS) and A100 (TF32: 156 and 19.5), about as much on H100 (495 and 67): saved is 7/8 of
 * it at most. Before compute capability 7.0 there are no tensor cores.
 *
 * Trains of element-wise kernels: cost is their duration; fused, each train reads and writes memory once:
 * all but the longest kernel of each train is saved at most.
 */
#include "finding_facts.h"
#include "rule_search.h"
#include "rules.h"

#include <stdio.h>

#define TENSOR_CORES_MAJOR 7u
#define TRAIN_KERNELS 3u /* two are often a broadcast and what uses it */

/* ---- FP32 ---- */

static bool add_fp32(struct finding_owners *owners, const struct finding_context *context,
                     const struct tl_gpu *operation)
{
    if (operation->kind != TL_KERNEL ||
        !(work_classes_traits(&context->facts->classes, operation) & KERNEL_FP32_MATRIX))
        return true;
    const struct tl_device *device =
        finding_device_facts(context->timeline, operation->process, operation->device);
    if (!device || device->info.compute_major < TENSOR_CORES_MAJOR)
        return true;
    int64_t duration_ns = operation->end_ns - operation->start_ns;
    struct finding_owner *owner = finding_owners_add(
        owners, context, operation->process, operation->device, operation->slice, duration_ns);
    if (owner)
        owner->saved_ns += duration_ns - duration_ns / 8;
    return owner != NULL;
}

static void fp32_words(const struct finding_context *context, const struct finding_owner *owner,
                       char sentence[FINDING_SENTENCE_BYTES])
{
    snprintf(sentence, FINDING_SENTENCE_BYTES,
             "%s that multiply or convolve in single precision kept %s busy for %s (%s of the wall "
             "time) without its tensor cores.",
             finding_count(owner->count, "kernel").text,
             finding_device(context, owner->process, owner->device).text,
             finding_time(owner->cost_ns).text,
             finding_share(owner->cost_ns, context->wall_ns).text);
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
            finding_device_facts(context->timeline, row->process, row->device);
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
    done = done && rule_tell(&owners, context, rule, findings, fp32_words);
    finding_owners_fini(&owners);
    return done && note_unknown(context, rule, findings);
}

/* ---- trains ---- */

static bool is_elementwise(const struct finding_context *context, const struct tl_gpu *operation)
{
    return operation->kind == TL_KERNEL &&
           work_classes_traits(&context->facts->classes, operation) & KERNEL_ELEMENTWISE;
}

/* gpus[first .. end) of one stream; what lies between them was no work. */
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
        owner->saved_ns += i == longest ? 0 : duration_ns;
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
             finding_count(owner->count, "kernel").text, TRAIN_KERNELS,
             finding_time(owner->cost_ns).text,
             finding_share(owner->cost_ns, context->wall_ns).text);
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
    done = done && rule_tell(&owners, context, rule, findings, train_words);
    finding_owners_fini(&owners);
    return done;
}

const struct finding_rule rule_fp32_matrix = {
    .name = "fp32-without-tensor-cores",
    .title = "Single precision without tensor cores",
    .remedy = "Allow TF32 (torch.backends.cuda.matmul.allow_tf32, cudnn.allow_tf32; Ampere and "
              "later), or compute in BF16 or FP16 (torch.autocast).",
    .find = find_fp32,
};

const struct finding_rule rule_elementwise_trains = {
    .name = "elementwise-trains",
    .title = "Element-wise kernels one after the other",
    .remedy = "Fuse them: torch.compile, a fused optimizer (fused=True, foreach=True), or a kernel "
              "of your own.",
    .find = find_trains,
};
