/* rules_calls.c - time in CUDA calls that could be spent once, later or elsewhere; calls that fail;
 * losses. */
#include "device_api.h"
#include "evidence.h"
#include "failed_calls.h"
#include "remedies.h"
#include "rules.h"
#include "run_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls that hold the CPU up: synchronous copies, and allocations and waits in loops.
 *
 * cost: the time that threads were in these calls. saved: without a wait nothing can be done
 * earlier than by the length of the wait, and the devices have their work to do: the smaller one of
 * the cost and the idle time of the process's device that idled least.
 */

static int64_t bytes_of(const struct timeline *timeline, const struct tl_slice *call)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < call->gpu_count; i++)
        bytes += timeline->gpus.at[timeline->gpu_by_slice.at[call->gpu_first + i]].bytes;
    return (int64_t)bytes;
}

/* `more` of an owner: bytes. */
static void add_calls_of_kind(struct finding_owners *owners, const struct finding_context *context,
                              bool (*wanted)(enum cuda_call call))
{
    const struct timeline *timeline = context->timeline;
    for (uint32_t i = 0; i < context->calls->listed_count && !owners->failed; i++) {
        uint32_t slice = context->calls->listed[i];
        const struct tl_slice *call = &timeline->slices.at[slice];
        if (!wanted(cuda_call_of(context->calls, call)))
            continue;
        struct finding_owner *owner =
            finding_owners_add(owners, context, timeline->threads.at[call->thread].process, TL_NONE,
                               slice, call->end_ns - call->start_ns);
        if (owner)
            owner->more += bytes_of(timeline, call);
    }
}

static void blocking_words(const struct finding_context *context, const struct finding_owner *owner,
                           char sentence[FINDING_SENTENCE_BYTES], const char *what)
{
    struct sentence_text bytes = sentence_bytes((uint64_t)owner->more);
    snprintf(sentence, FINDING_SENTENCE_BYTES,
             "%s %s here took %s (%s of the wall time), %s each, the longest %s%s%s.",
             sentence_count(owner->count, "call").text, what, sentence_time(owner->cost_ns).text,
             sentence_share(owner->cost_ns, context->wall_ns).text,
             sentence_time(owner->cost_ns / (int64_t)owner->count).text,
             sentence_time(owner->largest_ns).text, owner->more > 0 ? ", for " : "",
             owner->more > 0 ? bytes.text : "");
}

static void copy_words(const struct finding_context *context, const struct finding_owner *owner,
                       char sentence[FINDING_SENTENCE_BYTES])
{
    blocking_words(context, owner, sentence, "that copy and wait");
}

static void allocation_words(const struct finding_context *context,
                             const struct finding_owner *owner,
                             char sentence[FINDING_SENTENCE_BYTES])
{
    blocking_words(context, owner, sentence, "that allocate or free");
}

static void wait_words(const struct finding_context *context, const struct finding_owner *owner,
                       char sentence[FINDING_SENTENCE_BYTES])
{
    blocking_words(context, owner, sentence, "that wait for a device");
}

static bool find_calls(const struct finding_context *context, const struct finding_rule *rule,
                       struct findings *findings, bool (*wanted)(enum cuda_call call),
                       uint32_t least_calls, rule_words *words)
{
    struct finding_owners owners = {0};
    add_calls_of_kind(&owners, context, wanted);
    finding_owners_drop(&owners, context, least_calls);
    return rule_report_host(&owners, context, rule, findings, words);
}

static bool is_copy(enum cuda_call call)
{
    return call == CUDA_CALL_COPY;
}

static bool is_allocation(enum cuda_call call)
{
    return call == CUDA_CALL_ALLOCATE || call == CUDA_CALL_FREE;
}

static bool find_copies(const struct finding_context *context, const struct finding_rule *rule,
                        struct findings *findings)
{
    return find_calls(context, rule, findings, is_copy, 1, copy_words);
}

static bool find_allocations(const struct finding_context *context, const struct finding_rule *rule,
                             struct findings *findings)
{
    return find_calls(context, rule, findings, is_allocation, context->limits->loop_calls,
                      allocation_words);
}

static bool find_waits(const struct finding_context *context, const struct finding_rule *rule,
                       struct findings *findings)
{
    return find_calls(context, rule, findings, cuda_call_waits, context->limits->loop_calls,
                      wait_words);
}

const struct finding_rule rule_sync_copies = {
    .name = "sync-copies",
    .noun = "call",
    .explains = 1u << GAP_COPY,
    .title = "Copies that make the CPU wait",
    .remedy =
        "Use cudaMemcpyAsync with pinned memory on a stream, and wait for an event only where "
        "the data is needed.",
    .find = find_copies,
};

const struct finding_rule rule_allocations_in_loops = {
    .name = "allocations-in-loops",
    .noun = "call",
    .explains = 1u << GAP_ALLOCATE,
    .title = "Memory allocated and freed in a loop",
    .remedy = "Allocate before the loop, or use cudaMallocAsync and cudaFreeAsync or another pool: "
              "cudaFree waits for the whole device.",
    .remedy_of = remedy_allocations,
    .find = find_allocations,
};

const struct finding_rule rule_waits_in_loops = {
    .name = "synchronizations-in-loops",
    .noun = "call",
    .explains = 1u << GAP_SYNC,
    .title = "The CPU waits for the GPU in a loop",
    .remedy = "Wait once, after the loop. Inside a loop order work by streams and events "
              "(cudaStreamWaitEvent), which do not hold the CPU up.",
    .find = find_waits,
};

/* What the CPU does in CUDA calls and beside them that could be done once, or elsewhere.
 *
 * cost: the durations of the calls, ranges or overhead records. saved: as far as devices were idle:
 * rule_save_host().
 */

/* CUpti_ActivityOverheadKind in steps of 65,536: what the driver does, not what profiling costs. */
static bool is_drivers_own(uint32_t kind)
{
    return kind == 1u << 16 || kind == 5u << 16 || kind == 6u << 16 || kind == 7u << 16;
}

/* ---- calls by name ---- */

static bool is_module_call(struct text name)
{
    static const char *const names[] = {"cuModuleLoad*",    "cuLibraryLoad*", "cuLink*",
                                        "cudaLibraryLoad*", "hipModuleLoad*", NULL};
    return rule_name_in(name, names);
}

static bool is_making_or_ending(struct text name)
{
    static const char *const names[] = {"cudaStreamCreate*",
                                        "cudaStreamDestroy*",
                                        "cudaEventCreate*",
                                        "cudaEventDestroy*",
                                        "cuStreamCreate*",
                                        "cuStreamDestroy*",
                                        "cuEventCreate*",
                                        "cuEventDestroy*",
                                        "hipStreamCreate*",
                                        "hipStreamDestroy*",
                                        "hipEventCreate*",
                                        "hipEventDestroy*",
                                        NULL};
    return rule_name_in(name, names);
}

static bool is_question(struct text name)
{
    static const char *const names[] = {"cudaMemGetInfo*",
                                        "cudaPointerGetAttributes*",
                                        "cudaFuncGetAttributes*",
                                        "cudaDeviceGetAttribute*",
                                        "cudaGetDeviceProperties*",
                                        "cudaGetDeviceCount*",
                                        "cudaOccupancy*",
                                        "cudaEventQuery*",
                                        "cudaStreamQuery*",
                                        "cudaStreamGetCaptureInfo*",
                                        "cudaStreamIsCapturing*",
                                        "cuMemGetInfo*",
                                        "cuPointerGetAttribute*",
                                        "cuFuncGetAttribute*",
                                        "cuDeviceGetAttribute*",
                                        "cuOccupancy*",
                                        "cuEventQuery*",
                                        "cuStreamQuery*",
                                        "hipMemGetInfo*",
                                        "hipPointerGetAttributes*",
                                        "hipEventQuery*",
                                        "hipStreamQuery*",
                                        NULL};
    return rule_name_in(name, names);
}

static void call_words(const struct finding_context *context, const struct finding_owner *owner,
                       char sentence[FINDING_SENTENCE_BYTES], const char *what)
{
    snprintf(sentence, FINDING_SENTENCE_BYTES,
             "%s that %s took %s (%s of the wall time), the longest %s.",
             sentence_count(owner->count, "call").text, what, sentence_time(owner->cost_ns).text,
             sentence_share(owner->cost_ns, context->wall_ns).text,
             sentence_time(owner->largest_ns).text);
}

static void module_words(const struct finding_context *context, const struct finding_owner *owner,
                         char sentence[FINDING_SENTENCE_BYTES])
{
    call_words(context, owner, sentence, "load or link code");
}

static void churn_words(const struct finding_context *context, const struct finding_owner *owner,
                        char sentence[FINDING_SENTENCE_BYTES])
{
    call_words(context, owner, sentence, "make or destroy streams or events");
}

static void question_words(const struct finding_context *context, const struct finding_owner *owner,
                           char sentence[FINDING_SENTENCE_BYTES])
{
    call_words(context, owner, sentence, "ask for state or attributes");
}

static bool find_calls_by_name(const struct finding_context *context,
                               const struct finding_rule *rule, struct findings *findings,
                               bool (*wanted)(struct text name), uint64_t least, rule_words *words)
{
    struct finding_owners owners = {0};
    bool done = rule_add_calls(&owners, context, wanted, least);
    done = done && rule_report_host(&owners, context, rule, findings, words);
    finding_owners_fini(&owners);
    return done;
}

static bool find_modules(const struct finding_context *context, const struct finding_rule *rule,
                         struct findings *findings)
{
    return find_calls_by_name(context, rule, findings, is_module_call, 1, module_words);
}

static bool find_churn(const struct finding_context *context, const struct finding_rule *rule,
                       struct findings *findings)
{
    return find_calls_by_name(context, rule, findings, is_making_or_ending,
                              context->limits->loop_calls, churn_words);
}

static bool find_questions(const struct finding_context *context, const struct finding_rule *rule,
                           struct findings *findings)
{
    return find_calls_by_name(context, rule, findings, is_question, context->limits->loop_calls,
                              question_words);
}

/* ---- the driver ---- */

static void driver_words(const struct finding_context *context, const struct finding_owner *owner,
                         char sentence[FINDING_SENTENCE_BYTES])
{
    snprintf(sentence, FINDING_SENTENCE_BYTES,
             "The driver was busy %s for %s (%s of the wall time) with compiling, loading code on "
             "first use, or a full command buffer.",
             sentence_count(owner->count, "time").text, sentence_time(owner->cost_ns).text,
             sentence_share(owner->cost_ns, context->wall_ns).text);
}

static bool find_driver(const struct finding_context *context, const struct finding_rule *rule,
                        struct findings *findings)
{
    const struct timeline *timeline = context->timeline;
    struct finding_owners owners = {0};
    bool done = timeline->overheads.count > 0;
    for (uint32_t i = 0; i < timeline->gpus.count && done; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (gpu->kind == TL_OVERHEAD && gpu->detail < timeline->overheads.count &&
            is_drivers_own(timeline->overheads.at[gpu->detail].kind))
            done = finding_owners_add(&owners, context, gpu->process, TL_NONE, gpu->slice,
                                      gpu->end_ns - gpu->start_ns) != NULL;
    }
    done = (done || timeline->overheads.count == 0) &&
           rule_report_host(&owners, context, rule, findings, driver_words);
    finding_owners_fini(&owners);
    return done;
}

/* ---- data loading ---- */

static bool is_loader(struct text name)
{
    return memmem(name.bytes, name.size, "DataLoader", strlen("DataLoader")) != NULL;
}

/* By name; `*any`: there is one. NULL: no memory. */
static bool *loader_names(const struct timeline *timeline, bool *any)
{
    bool *names = calloc((size_t)timeline->names.count + 1, sizeof *names);
    *any = false;
    for (uint32_t i = 0; i < timeline->names.count && names; i++)
        *any |= names[i] = is_loader(timeline->names.at[i]);
    return names;
}

static bool is_within_loader(const struct timeline *timeline, const bool *names,
                             const struct tl_slice *slice)
{
    for (; slice->parent != TL_NONE; slice = &timeline->slices.at[slice->parent])
        if (names[timeline->slices.at[slice->parent].name])
            return true;
    return false;
}

static bool add_loaders(struct finding_owners *owners, const struct finding_context *context,
                        const bool *names)
{
    const struct timeline *timeline = context->timeline;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (slice->kind == TL_API || slice->name >= timeline->names.count || !names[slice->name] ||
            is_within_loader(timeline, names, slice))
            continue;
        if (!finding_owners_add(owners, context, timeline->threads.at[slice->thread].process,
                                TL_NONE, i, slice->end_ns - slice->start_ns))
            return false;
    }
    return true;
}

static void loader_words(const struct finding_context *context, const struct finding_owner *owner,
                         char sentence[FINDING_SENTENCE_BYTES])
{
    snprintf(sentence, FINDING_SENTENCE_BYTES,
             "The program waited for the DataLoader %s, %s in all (%s of the wall time), %s each; "
             "longest %s.",
             sentence_count(owner->count, "time").text, sentence_time(owner->cost_ns).text,
             sentence_share(owner->cost_ns, context->wall_ns).text,
             sentence_time(owner->cost_ns / (int64_t)owner->count).text,
             sentence_time(owner->largest_ns).text);
}

static bool find_loader(const struct finding_context *context, const struct finding_rule *rule,
                        struct findings *findings)
{
    struct finding_owners owners = {0};
    bool any, *names = loader_names(context->timeline, &any);
    bool done = names && (!any || add_loaders(&owners, context, names));
    free(names);
    done = done && rule_report_host(&owners, context, rule, findings, loader_words);
    finding_owners_fini(&owners);
    return done;
}

const struct finding_rule rule_module_loading = {
    .name = "module-loading",
    .noun = "call",
    .explains = 1u << GAP_OTHER_CALL | 1u << GAP_LAUNCH,
    .title = "Loading and linking code",
    .remedy = "Load modules once, at start-up, and ship code for this GPU (cubins instead of PTX); "
              "keep the cache of the compiler between runs (CUDA_CACHE_PATH).",
    .remedy_torch =
        "Load modules once, at start-up, and ship code for this GPU (cubins instead of PTX); "
        "keep caches of compilers between runs (CUDA_CACHE_PATH, TORCHINDUCTOR_CACHE_DIR).",
    .find = find_modules,
};

const struct finding_rule rule_stream_event_churn = {
    .name = "stream-event-churn",
    .noun = "call",
    .explains = 1u << GAP_OTHER_CALL,
    .title = "Streams and events are made again and again",
    .remedy = "Make them once and keep them; events without timing are cheaper "
              "(cudaEventDisableTiming).",
    .find = find_churn,
};

const struct finding_rule rule_state_queries = {
    .name = "state-queries",
    .noun = "call",
    .explains = 1u << GAP_OTHER_CALL | 1u << GAP_SYNC,
    .title = "Asking CUDA the same again and again",
    .remedy =
        "Keep the answers: attributes of devices, kernels and pointers do not change. Instead "
        "of polling cudaEventQuery or cudaMemGetInfo, wait for an event or keep the account "
        "yourself.",
    .find = find_questions,
};

const struct finding_rule rule_driver_overhead = {
    .name = "driver-overhead",
    .noun = "time",
    .explains = 1u << GAP_LAUNCH | 1u << GAP_ALLOCATE | 1u << GAP_OTHER_CALL | 1u << GAP_COPY,
    .title = "The driver compiles, loads or waits",
    .remedy = "Run every kernel once before what counts (CUDA_MODULE_LOADING=EAGER), ship code for "
              "this GPU, and launch less at a time, or in graphs, where its command buffer fills.",
    .remedy_of = remedy_driver,
    .find = find_driver,
};

const struct finding_rule rule_data_loader = {
    .name = "data-loader",
    .noun = "time",
    .explains = 1u << GAP_CPU,
    .title = "Waiting for data",
    .remedy = "More worker processes (num_workers), persistent_workers, a larger prefetch_factor, "
              "pin_memory; decode and augment before or on the GPU.",
    .find = find_loader,
};

/* What makes other findings less than they seem: calls that failed, operations that were
 * not recorded. Neither has a cost that can be told, so they are notes. */

static bool find_failed(const struct finding_context *context, const struct finding_rule *rule,
                        struct findings *findings)
{
    struct failed_calls calls;
    bool added = true;
    if (!failed_calls_init(&calls, context->timeline))
        return false;
    if (calls.count) {
        char call[16];
        snprintf(call, sizeof call, "%s call", device_api_name(device_api_of(context->timeline)));
        const struct failed_call *most = &calls.at[0];
        const struct text *names = context->timeline->names.at;
        added = findings_note(
            findings, rule, "%s failed, most often %.100s (%llu times, result %d).",
            sentence_count(calls.total, call).text,
            most->name < context->timeline->names.count ? names[most->name].bytes : "(unnamed)",
            (unsigned long long)most->count, (int)most->result);
    }
    failed_calls_fini(&calls);
    return added;
}

static bool find_losses(const struct finding_context *context, const struct finding_rule *rule,
                        struct findings *findings)
{
    struct run_facts facts;
    struct evidence evidence;
    char lacking[EVIDENCE_BYTES];
    if (!evidence_init(&evidence, context->timeline))
        return false;
    if (evidence_lacks(&evidence, EVIDENCE_CALLS, lacking) &&
        !findings_note(findings, rule, "In this recording, %s.", lacking))
        return false;
    run_facts_init(&facts, context->timeline);
    const struct tl_ledger *ledger = &facts.ledger;
    uint64_t gone = ledger->lost_operations + ledger->missing + ledger->undelivered +
                    ledger->graph_lost + ledger->graph_undelivered;
    if (gone)
        return findings_note(findings, rule,
                             "%s of the device are not in the trace: what it seems idle for may "
                             "have been work. See profdump check --ledger.",
                             sentence_count(gone, "operation").text);
    return !facts.lost_anything ||
           findings_note(findings, rule,
                         "Something was lost while recording, so findings may be off: see profdump "
                         "ledger.");
}

const struct finding_rule rule_failed_calls = {
    .name = "failed-calls",
    .title = "CUDA calls fail",
    .remedy = "See profdump check --ledger for all of them and the ranges they are in. A call that "
              "fails and "
              "is tried again costs its time; one whose error is ignored loses its work.",
    .find = find_failed,
};

const struct finding_rule rule_losses = {
    .name = "losses",
    .title = "The trace is not complete",
    .remedy = "See profdump check --ledger for what was lost and why.",
    .find = find_losses,
};
