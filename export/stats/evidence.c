/* evidence.c - see evidence.h. */
#include "evidence.h"
#include "device_api.h"

#include "call_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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
    };
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (!tl_is_work(gpu))
            continue;
        evidence->operations++;
        evidence->graph_operations += timeline_graph_of(timeline, gpu, &node) || node;
    }
    return count_calls(evidence, timeline);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static bool lacks_device(const struct evidence *evidence, char to[EVIDENCE_BYTES])
{
    if (evidence->operations)
        return false;
    /* Our recorder sees every launch: where there is none, nothing ran. */
    if (evidence->is_native && !(evidence->launches + evidence->copies)) {
        snprintf(to, EVIDENCE_BYTES, "there are no device operations in this recording");
        return true;
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
    return true;
}

static bool lacks_memory(const struct evidence *evidence, char to[EVIDENCE_BYTES])
{
    if (evidence->has_memory)
        return false;
    uint64_t allocations = evidence->allocations, frees = evidence->frees;
    if (allocations + frees)
        snprintf(to, EVIDENCE_BYTES,
                 "memory cannot be judged: the file has no memory records; %" PRIu64
                 " allocation call%s, %" PRIu64 " free%s",
                 allocations, plural(allocations), frees, plural(frees));
    else if (evidence->is_native)
        return false;
    else
        snprintf(to, EVIDENCE_BYTES, "memory cannot be judged: the file has no memory records");
    return true;
}

static bool lacks_graphs(const struct evidence *evidence, char to[EVIDENCE_BYTES])
{
    if (evidence->has_graphs)
        return false;
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
    else if (evidence->calls || evidence->is_native)
        snprintf(to, EVIDENCE_BYTES, "there are no CUDA graphs in this recording");
    else
        snprintf(to, EVIDENCE_BYTES, "graphs cannot be judged: no CUDA calls were recorded");
    return true;
}

static bool lacks(const struct evidence *evidence, enum evidence_report report,
                  char to[EVIDENCE_BYTES])
{
    switch (report) {
    case EVIDENCE_DEVICE:
        return lacks_device(evidence, to);
    case EVIDENCE_CALLS:
        if (evidence->calls || !evidence->operations)
            return false;
        snprintf(to, EVIDENCE_BYTES,
                 "What devices waited for cannot be judged: no CUDA calls were recorded");
        return true;
    case EVIDENCE_MEMORY:
        return lacks_memory(evidence, to);
    case EVIDENCE_GRAPHS:
        return lacks_graphs(evidence, to);
    case EVIDENCE_HANG:
        if (evidence->is_native)
            return false;
        snprintf(to, EVIDENCE_BYTES,
                 "whether anything hangs cannot be judged: the file does not say what was open, or "
                 "whether the process ended");
        return true;
    case EVIDENCE_CHECK:
        break;
    }
    if (evidence->events)
        return false;
    snprintf(to, EVIDENCE_BYTES, "nothing to check: no events were recorded");
    return true;
}

bool evidence_lacks(const struct evidence *evidence, enum evidence_report report,
                    char to[EVIDENCE_BYTES])
{
    char text[EVIDENCE_BYTES], words[EVIDENCE_BYTES];
    if (!lacks(evidence, report, text))
        return false;
    snprintf(to, EVIDENCE_BYTES, "%s", device_api_words(evidence->api, text, words, sizeof words));
    return true;
}

bool evidence_missing(const struct timeline *timeline, enum evidence_report report,
                      char to[EVIDENCE_BYTES])
{
    struct evidence evidence;
    return evidence_init(&evidence, timeline) && evidence_lacks(&evidence, report, to);
}
