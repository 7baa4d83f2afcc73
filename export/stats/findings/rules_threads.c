/* rules_threads.c - threads whose work queues up behind each other's on one stream.
 *
 * cost: how long operations that had been launched waited while the operation before them on their stream
 * ran, when another thread had launched that one. A thread that goes on where another one ends, as a
 * backward pass does, costs one such wait. saved: all of it, if the device has room for both.
 */
#include "operation_totals.h"
#include "rule_search.h"
#include "rules.h"

#include <stdio.h>

/* How long `operation` waited for `before`. */
static int64_t wait_ns(const struct timeline *timeline, const struct tl_gpu *before,
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

static bool add_stream(struct finding_owners *owners, const struct finding_context *context,
                       const struct tl_stream *stream)
{
    const struct timeline *timeline = context->timeline;
    const struct tl_gpu *before = NULL;
    for (uint32_t i = stream->first_gpu; i < stream->first_gpu + stream->gpu_count; i++) {
        const struct tl_gpu *operation = &timeline->gpus.at[i];
        if (!tl_is_work(operation))
            continue;
        int64_t ns = before ? wait_ns(timeline, before, operation) : 0;
        before = operation;
        if (ns == 0)
            continue;
        struct finding_owner *owner = finding_owners_add(owners, context, operation->process,
                                                         operation->device, operation->slice, ns);
        if (!owner)
            return false;
        owner->saved_ns += ns;
    }
    return true;
}

static void words(const struct finding_context *context, const struct finding_owner *owner,
                  char sentence[FINDING_SENTENCE_BYTES])
{
    snprintf(sentence, FINDING_SENTENCE_BYTES,
             "%s waited on %s behind work that another thread had launched to the same stream, %s "
             "in all (%s of the wall time).",
             finding_count(owner->count, "operation").text,
             finding_device(context, owner->process, owner->device).text,
             finding_time(owner->cost_ns).text,
             finding_share(owner->cost_ns, context->wall_ns).text);
}

static bool find_shared(const struct finding_context *context, const struct finding_rule *rule,
                        struct findings *findings)
{
    struct finding_owners owners = {0};
    bool done = true;
    if (context->timeline->threads.count < 2)
        return true;
    for (uint32_t i = 0; i < context->timeline->streams.count && done; i++)
        done = add_stream(&owners, context, &context->timeline->streams.at[i]);
    done = done && rule_tell(&owners, context, rule, findings, words);
    finding_owners_fini(&owners);
    return done;
}

const struct finding_rule rule_threads_share_stream = {
    .name = "threads-share-a-stream",
    .title = "Threads wait for each other's work on one stream",
    .remedy = "Give each thread a stream of its own, or compile with --default-stream per-thread: "
              "the default stream is one for all threads, and waits for the others.",
    .find = find_shared,
};
