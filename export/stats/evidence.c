/* evidence.c - see evidence.h. */
#include "evidence.h"
#include "device_api.h"

#include "call_names.h"
#include "units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void count_call(struct evidence *evidence, const struct tl_slice *slice, enum call_kind kind)
{
    evidence->calls++;
    if (slice->flags & TL_CAPTURED) {
        evidence->captured++;
        return;
    }
    evidence->launches += kind == CALL_LAUNCH || kind == CALL_GRAPH;
    evidence->copies += kind == CALL_COPY;
    evidence->allocations += kind == CALL_ALLOCATE;
    evidence->frees += kind == CALL_FREE;
}

static bool count_calls(struct evidence *evidence, const struct timeline *timeline)
{
    /* by name: 1 + its kind, 0 not looked up yet */
    uint8_t *kinds = calloc(timeline->names.count + (size_t)1, 1);
    for (uint32_t i = 0; i < timeline->slices.count && kinds; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        evidence->steps += slice->kind == TL_STEP;
        if (slice->kind != TL_API || slice->flags & TL_INTERNAL)
            continue;
        uint8_t *kind = &kinds[slice->name];
        if (!*kind)
            *kind = 1 + (uint8_t)call_name_kind(timeline->names.at[slice->name]);
        count_call(evidence, slice, (enum call_kind)(*kind - 1));
    }
    free(kinds);
    return kinds != NULL;
}

static bool has(struct text text, const char *word)
{
    return text.size && memmem(text.bytes, text.size, word, strlen(word));
}

/* The reason for the mode names the setting. */
static void find_settings(struct evidence *evidence, const struct timeline *timeline)
{
    static const char *const offs[] = {"PROF_CUDA=0", "PROF_GPU=none"};
    static const char minimal[] = "PROF_GPU_DETAIL=minimal";
    for (uint32_t i = 0; i < timeline->processes.count && evidence->is_native; i++) {
        struct text reason = timeline->processes.at[i].info.gpu_reason;
        for (size_t at = 0; at < sizeof offs / sizeof *offs && !evidence->off; at++)
            evidence->off = has(reason, offs[at]) ? offs[at] : NULL;
        evidence->minimal = has(reason, minimal) ? minimal : evidence->minimal;
    }
}

/* Causes of lost events that begin or end something. */
static const enum prof_loss_cause event_losses[] = {
    PROF_LOSS_FULL,    PROF_LOSS_LATE,    PROF_LOSS_NESTED,  PROF_LOSS_IO,
    PROF_LOSS_TOO_BIG, PROF_LOSS_THREADS, PROF_LOSS_SANDBOX, PROF_LOSS_CHILD};

/* The missing part may contain what a process that has not ended has open. Where events are copied
 * to the file at intervals, only the last 100 ms are missing: a hang is older. */
static void count_gaps(struct evidence *evidence, const struct timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->processes.count; i++) {
        const struct tl_process *process = &timeline->processes.at[i];
        const struct tl_health *health = &process->health;
        if (process->info.closed)
            continue;
        evidence->damaged += health->truncated || health->bad_records ||
                             (health->missing_chunks && !process->info.ring);
        for (size_t at = 0; at < sizeof event_losses / sizeof *event_losses; at++)
            evidence->unrecorded += process->loss[event_losses[at]];
    }
}

bool evidence_init(struct evidence *evidence, const struct timeline *timeline)
{
    uint64_t node;
    *evidence = (struct evidence){
        .is_native = timeline_is_native(timeline),
        .api = device_api_of(timeline),
        .events = (uint64_t)timeline->slices.count + timeline->gpus.count + timeline->marks.count +
                  timeline->counters.count + timeline->asyncs.count + timeline->samples.count +
                  timeline->frames.count + timeline->heaps.count + timeline->blocks.count +
                  timeline->summaries.count,
        .graph_launches = timeline->graph_launches.count,
        .has_memory = timeline->heaps.count || timeline->pools.count,
        .has_graphs = timeline->graph_launches.count || timeline->graphs.count,
        .stacks = (uint64_t)timeline->slice_stacks.count + timeline->async_stacks.count,
        .samples = timeline->samples.count,
        .frames = timeline->frames.count,
        .migrations = timeline->migrations.count,
    };
    find_settings(evidence, timeline);
    count_gaps(evidence, timeline);
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (!tl_is_work(gpu))
            continue;
        evidence->operations++;
        if (gpu->kind == TL_KERNEL)
            evidence->queue_times += timeline->kernels.at[gpu->detail].queued_ns != 0;
        evidence->graph_operations += timeline_graph_of(timeline, gpu, &node) || node;
    }
    return count_calls(evidence, timeline);
}

/* What a setting turned off. */
static enum evidence_state turned_off(const char *what, const char *setting,
                                      char to[EVIDENCE_BYTES])
{
    snprintf(to, EVIDENCE_BYTES, "%s cannot be judged: %s leaves them out", what, setting);
    return EVIDENCE_MISSING;
}

static enum evidence_state judge_device(const struct evidence *evidence, char to[EVIDENCE_BYTES])
{
    if (evidence->operations)
        return EVIDENCE_THERE;
    if (evidence->off)
        return turned_off("device operations", evidence->off, to);
    /* Our recorder sees every launch: where there is none, nothing ran. */
    if (evidence->is_native && !(evidence->launches + evidence->copies)) {
        snprintf(to, EVIDENCE_BYTES, "there are no device operations in this recording");
        return EVIDENCE_NONE;
    }
    int used = snprintf(to, EVIDENCE_BYTES, "what devices did cannot be judged: ");
    char *rest = to + used;
    size_t room = EVIDENCE_BYTES - (size_t)used;
    if (evidence->launches + evidence->copies)
        snprintf(rest, room, "%" PRIu64 " launch%s and %" PRIu64 " cop%s have no device record",
                 evidence->launches, evidence->launches == 1 ? "" : "es", evidence->copies,
                 evidence->copies == 1 ? "y" : "ies");
    else if (evidence->captured)
        snprintf(rest, room,
                 "%" PRIu64 " launch%s went into a stream capture, and nothing was launched",
                 evidence->captured, evidence->captured == 1 ? "" : "es");
    else if (evidence->calls)
        snprintf(rest, room, "%" PRIu64 " CUDA call%s recorded, and none of them launches work",
                 evidence->calls, evidence->calls == 1 ? " was" : "s were");
    else
        snprintf(rest, room, "no CUDA calls and no device operations were recorded");
    return EVIDENCE_MISSING;
}

static enum evidence_state judge_calls(const struct evidence *evidence, char to[EVIDENCE_BYTES])
{
    if (evidence->calls || !evidence->operations)
        return EVIDENCE_THERE;
    snprintf(to, EVIDENCE_BYTES,
             "what devices waited for cannot be judged: no CUDA calls were recorded");
    return EVIDENCE_MISSING;
}

static enum evidence_state judge_memory(const struct evidence *evidence, char to[EVIDENCE_BYTES])
{
    if (evidence->has_memory)
        return EVIDENCE_THERE;
    uint64_t allocations = evidence->allocations, frees = evidence->frees;
    if (allocations + frees)
        snprintf(to, EVIDENCE_BYTES,
                 "memory cannot be judged: the file has no memory records; %" PRIu64
                 " allocation call%s, %" PRIu64 " free%s",
                 allocations, plural(allocations), frees, plural(frees));
    else if (evidence->off || evidence->minimal)
        return turned_off("allocations", evidence->off ? evidence->off : evidence->minimal, to);
    else if (evidence->is_native)
        return EVIDENCE_THERE; /* there were no allocations */
    else
        snprintf(to, EVIDENCE_BYTES, "memory cannot be judged: the file has no memory records");
    return EVIDENCE_MISSING;
}

static enum evidence_state judge_graphs(const struct evidence *evidence, char to[EVIDENCE_BYTES])
{
    enum evidence_state state = EVIDENCE_MISSING;
    if (evidence->has_graphs)
        return EVIDENCE_THERE;
    if (evidence->graph_operations)
        snprintf(to, EVIDENCE_BYTES,
                 "graphs cannot be judged: %" PRIu64 " operation%s of CUDA graphs %s recorded, but "
                 "no graph launch or capture",
                 evidence->graph_operations, plural(evidence->graph_operations),
                 evidence->graph_operations == 1 ? "was" : "were");
    else if (evidence->captured)
        snprintf(to, EVIDENCE_BYTES,
                 "%" PRIu64 " launch%s went into a stream capture, and no graph was launched",
                 evidence->captured, evidence->captured == 1 ? "" : "es");
    else if (evidence->off)
        return turned_off("graphs", evidence->off, to);
    else if (evidence->calls || evidence->is_native) {
        snprintf(to, EVIDENCE_BYTES, "there are no CUDA graphs in this recording");
        state = EVIDENCE_NONE;
    } else
        snprintf(to, EVIDENCE_BYTES, "graphs cannot be judged: no CUDA calls were recorded");
    return state;
}

static enum evidence_state judge_hang(const struct evidence *evidence, char to[EVIDENCE_BYTES])
{
    static const char beginning[] = "whether anything hangs cannot be judged";
    if (evidence->is_native && !evidence->damaged && !evidence->unrecorded)
        return EVIDENCE_THERE;
    if (!evidence->is_native)
        snprintf(to, EVIDENCE_BYTES,
                 "%s: the file does not say what was open, or whether the process ended",
                 beginning);
    else if (evidence->damaged)
        snprintf(to, EVIDENCE_BYTES,
                 "%s: part of the recording of a process that has not ended is missing from its "
                 "file",
                 beginning);
    else
        snprintf(to, EVIDENCE_BYTES,
                 "%s: %" PRIu64 " event%s of processes that have not ended %s not recorded",
                 beginning, evidence->unrecorded, evidence->unrecorded == 1 ? "" : "s",
                 evidence->unrecorded == 1 ? "was" : "were");
    return EVIDENCE_MISSING;
}

static enum evidence_state judge_events(const struct evidence *evidence, char to[EVIDENCE_BYTES])
{
    if (evidence->events)
        return EVIDENCE_THERE;
    snprintf(to, EVIDENCE_BYTES, "nothing to check: no events were recorded");
    return EVIDENCE_MISSING;
}

static enum evidence_state judge_loss(const struct evidence *evidence, char to[EVIDENCE_BYTES])
{
    if (evidence->is_native)
        return EVIDENCE_THERE;
    snprintf(to, EVIDENCE_BYTES,
             "whether events were dropped cannot be judged: the file does not say");
    return EVIDENCE_MISSING;
}

/* Of what a recording has if its recorder was asked for it. `hint` is about other files. */
static enum evidence_state judge_count(const struct evidence *evidence, enum evidence_report report,
                                       uint64_t count, const char *words, const char *hint,
                                       char to[EVIDENCE_BYTES])
{
    const struct evidence_question *of = evidence_questions;
    if (count)
        return EVIDENCE_THERE;
    while (of->report != report)
        of++;
    if (evidence->is_native && of->program)
        snprintf(to, EVIDENCE_BYTES, "there are no %s in this recording; %s", words, of->program);
    else if (evidence->is_native)
        snprintf(to, EVIDENCE_BYTES, "there are no %s in this recording; '%s %s' records them",
                 words, of->recorder, of->options);
    else
        snprintf(to, EVIDENCE_BYTES, "there are no %s in this recording%s", words, hint);
    return EVIDENCE_MISSING;
}

#define CUDA "-e PROF_CUDA=1 -e PROF_GPU=auto"
#define CUDA_VARIABLES "PROF_CUDA=1 PROF_GPU=auto"
#define FULL_MEMORY "-e PROF_MEMORY=1 -e PROF_GPU_DETAIL=standard"
#define FULL_MEMORY_VARIABLES "PROF_MEMORY=1 PROF_GPU_DETAIL=standard"

const struct evidence_question evidence_questions[] = {
    {"device", EVIDENCE_DEVICE, "What did devices do, and why did they idle?", "profdump explain",
     "profrun", CUDA, CUDA_VARIABLES, NULL},
    {"waits", EVIDENCE_CALLS, "What did devices wait for?", "profdump explain", "profrun", CUDA,
     CUDA_VARIABLES, NULL},
    {"memory", EVIDENCE_MEMORY, "What was allocated, by whom, and what was not freed?",
     "profdump memory", "profrun", CUDA " " FULL_MEMORY, CUDA_VARIABLES " " FULL_MEMORY_VARIABLES,
     NULL},
    {"migrations", EVIDENCE_MIGRATIONS, "Which managed memory moved between host and device?",
     "profdump memory", "profrun", "-e PROF_UNIFIED_MEMORY=1", "PROF_UNIFIED_MEMORY=1", NULL},
    {"graphs", EVIDENCE_GRAPHS, "Which CUDA graphs ran, and what did they take?", "profdump graphs",
     "profrun", CUDA, CUDA_VARIABLES, NULL},
    {"queues", EVIDENCE_QUEUES, "How long did each kernel wait in its queue?",
     "profdump query \"SELECT name, queued, submitted, start FROM kernels\"", "profrun",
     "-e PROF_KERNEL_LATENCY=1", "PROF_KERNEL_LATENCY=1", NULL},
    {"steps", EVIDENCE_STEPS, "How long did each step take, and what did it do?",
     "profdump breakdown --table steps", "profrun", "", "",
     "a program that calls prof_step() once for each step records them"},
    {"stacks", EVIDENCE_STACKS, "Which code launched the work?", "profdump stacks", "profrun",
     "--stacks", "PROF_STACKS=launch", NULL},
    {"threads", EVIDENCE_SAMPLES, "What did threads do while devices idled?",
     "profdump stacks --cpu", "profrun", "--sample 99", "PROF_SAMPLE=99", NULL},
    {"python", EVIDENCE_PYTHON, "Which Python functions took the time?", "profdump --kind python",
     "python -m libprof run", "--python-calls", "", NULL},
    {"hang", EVIDENCE_HANG, "Which rank hangs, and what is open?", "profdump hang", "profrun", "",
     "", NULL},
    {"loss", EVIDENCE_LOSS, "Were all events recorded?", "profdump check --ledger", "profrun", "",
     "", NULL},
    {0},
};

static enum evidence_state judge(const struct evidence *evidence, enum evidence_report report,
                                 char to[EVIDENCE_BYTES])
{
    switch (report) {
    case EVIDENCE_DEVICE:
        return judge_device(evidence, to);
    case EVIDENCE_CALLS:
        return judge_calls(evidence, to);
    case EVIDENCE_MEMORY:
        return judge_memory(evidence, to);
    case EVIDENCE_GRAPHS:
        return judge_graphs(evidence, to);
    case EVIDENCE_HANG:
        return judge_hang(evidence, to);
    case EVIDENCE_CHECK:
        return judge_events(evidence, to);
    case EVIDENCE_LOSS:
        return judge_loss(evidence, to);
    case EVIDENCE_STACKS:
        return judge_count(evidence, report, evidence->stacks, "call stacks",
                           "; in PyTorch's traces, with_stack=True records Python functions", to);
    case EVIDENCE_SAMPLES:
        return judge_count(evidence, report, evidence->samples, "samples", "", to);
    case EVIDENCE_PYTHON:
        return judge_count(evidence, report, evidence->frames, "calls of Python functions", "", to);
    case EVIDENCE_STEPS:
        return judge_count(evidence, report, evidence->steps, "steps", "", to);
    case EVIDENCE_QUEUES:
        return judge_count(evidence, report, evidence->queue_times, "times of kernels in queues",
                           "", to);
    case EVIDENCE_MIGRATIONS:
        break;
    }
    return judge_count(evidence, report, evidence->migrations, "migrations of managed memory", "",
                       to);
}

enum evidence_state evidence_judge(const struct evidence *evidence, enum evidence_report report,
                                   char to[EVIDENCE_BYTES])
{
    char text[EVIDENCE_BYTES], words[EVIDENCE_BYTES];
    enum evidence_state state = judge(evidence, report, text);
    if (state != EVIDENCE_THERE)
        snprintf(to, EVIDENCE_BYTES, "%s",
                 device_api_words(evidence->api, text, words, sizeof words));
    return state;
}

bool evidence_lacks(const struct evidence *evidence, enum evidence_report report,
                    char to[EVIDENCE_BYTES])
{
    return evidence_judge(evidence, report, to) != EVIDENCE_THERE;
}

bool evidence_missing(const struct timeline *timeline, enum evidence_report report,
                      char to[EVIDENCE_BYTES])
{
    struct evidence evidence;
    return evidence_init(&evidence, timeline) && evidence_lacks(&evidence, report, to);
}
