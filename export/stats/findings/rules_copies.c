/* rules_copies.c - copies that are asynchronous by name only, sets that make the CPU wait, and copies
 * that are too small for what each costs.
 *
 * cost: the calls' durations; of small copies, also the operations'. saved: without them the CPU is
 * earlier by as much, and the devices have their work to do: see rule_host_saving(). Small copies that
 * are made one cost one of them.
 */
#include "operation_totals.h"
#include "rule_search.h"
#include "rules.h"

#include <stdio.h>
#include <string.h>

#define PAGEABLE 1u /* prof_rec_memcpy.src_kind, dst_kind */

/* A copy of this size takes a PCIe link of 16 GB/s as long as starting it takes. */
#define SMALL_COPY_BYTES 65536u

/* ---- pageable ---- */

static bool is_pageable(const struct timeline *timeline, const struct tl_gpu *operation)
{
    if (operation->kind != TL_MEMCPY || operation->detail >= timeline->memcpys.count)
        return false;
    const struct prof_rec_memcpy *copy = &timeline->memcpys.at[operation->detail];
    return copy->src_kind == PAGEABLE || copy->dst_kind == PAGEABLE;
}

static bool add_pageable(struct finding_owners *owners, const struct finding_context *context,
                         const struct tl_gpu *operation)
{
    const struct timeline *timeline = context->timeline;
    const struct tl_slice *call = operation_call(timeline, operation);
    if (!call || cuda_call_of(context->calls, call) != CUDA_CALL_COPY_ASYNC ||
        !is_pageable(timeline, operation))
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
             finding_count(owner->count, "copy").text, finding_bytes((uint64_t)owner->more).text,
             finding_time(owner->cost_ns).text,
             finding_share(owner->cost_ns, context->wall_ns).text,
             finding_time(owner->largest_ns).text);
}

static bool find_pageable(const struct finding_context *context, const struct finding_rule *rule,
                          struct findings *findings)
{
    struct finding_owners owners = {0};
    bool done = rule_add_operations(&owners, context, add_pageable);
    done = done && rule_tell_host(&owners, context, rule, findings, pageable_words);
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
             finding_count(owner->count, "call").text, finding_time(owner->cost_ns).text,
             finding_share(owner->cost_ns, context->wall_ns).text,
             finding_time(owner->largest_ns).text);
}

static bool find_sets(const struct finding_context *context, const struct finding_rule *rule,
                      struct findings *findings)
{
    struct finding_owners owners = {0};
    bool done = rule_add_calls(&owners, context, is_set_that_waits, 1);
    done = done && rule_tell_host(&owners, context, rule, findings, set_words);
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
    if (owner)
        owner->more += (int64_t)operation->bytes;
    return owner != NULL;
}

static void small_words(const struct finding_context *context, const struct finding_owner *owner,
                        char sentence[FINDING_SENTENCE_BYTES])
{
    snprintf(sentence, FINDING_SENTENCE_BYTES,
             "%s of less than %s each, %s in all, took %s (%s of the wall time) with their calls: "
             "%s each.",
             finding_count(owner->count, "copy").text, finding_bytes(SMALL_COPY_BYTES).text,
             finding_bytes((uint64_t)owner->more).text, finding_time(owner->cost_ns).text,
             finding_share(owner->cost_ns, context->wall_ns).text,
             finding_time(owner->cost_ns / (int64_t)owner->count).text);
}

static bool find_small(const struct finding_context *context, const struct finding_rule *rule,
                       struct findings *findings)
{
    struct finding_owners owners = {0};
    bool done = rule_add_operations(&owners, context, add_small);
    finding_owners_drop(&owners, context->limits->loop_calls);
    for (uint32_t i = 0; i < owners.owners.count; i++) {
        struct finding_owner *owner = &owners.owners.at[i];
        int64_t one_ns = owner->cost_ns / (int64_t)owner->count;
        owner->saved_ns = owner->cost_ns - one_ns;
    }
    done = done && rule_tell(&owners, context, rule, findings, small_words);
    finding_owners_fini(&owners);
    return done;
}

const struct finding_rule rule_pageable_copies = {
    .name = "async-copies-of-pageable-memory",
    .title = "Asynchronous copies that make the CPU wait",
    .remedy =
        "Pin the memory (cudaMallocHost, cudaHostRegister; pin_memory=True and "
        "non_blocking=True in PyTorch): pageable memory is staged by the calling thread. Read "
        "results (item(), cpu()) later, where they are needed.",
    .find = find_pageable,
};

const struct finding_rule rule_sync_memsets = {
    .name = "sync-memsets",
    .title = "Memory set by calls that may wait",
    .remedy = "Use cudaMemsetAsync on the stream that needs the memory, or set it in a kernel.",
    .find = find_sets,
};

const struct finding_rule rule_small_copies = {
    .name = "small-copies",
    .title = "Many small copies",
    .remedy = "Gather them into one buffer and copy that once, pass small values as kernel "
              "arguments, and keep what does not change on the GPU.",
    .find = find_small,
};
