/* timeline_restrict.c - the order of it, and how long the window is. */
#include "timeline_restrict.h"

#include "restrict.h"

#include <stdlib.h>

static uint32_t *places(uint32_t count)
{
    return malloc((count + (size_t)1) * sizeof(uint32_t));
}

static bool take_memory(struct restriction *with)
{
    const struct timeline *timeline = with->timeline;
    with->slices = places(timeline->slices.count);
    with->slice_stays = malloc(timeline->slices.count + (size_t)1);
    with->gpus = places(timeline->gpus.count);
    with->marks = places(timeline->marks.count);
    with->asyncs = places(timeline->asyncs.count);
    with->frames = places(timeline->frames.count);
    with->memories = places(timeline->memories.count);
    with->graphs = places(timeline->graphs.count);
    with->row_of_stream = places(timeline->streams.count);
    with->row_of_process = places(timeline->processes.count);
    return with->slices && with->slice_stays && with->gpus && with->marks && with->asyncs &&
           with->frames && with->memories && with->graphs && with->row_of_stream &&
           with->row_of_process && restrict_find_rows(with);
}

static void give_memory_back(struct restriction *with)
{
    free(with->slices);
    free(with->slice_stays);
    free(with->gpus);
    free(with->marks);
    free(with->asyncs);
    free(with->frames);
    free(with->memories);
    free(with->graphs);
    free(with->row_of_stream);
    free(with->row_of_process);
    keymap_fini(&with->row_of_graph);
}

/* ---- how long it is ---- */

static void cut(const struct restriction *with, int64_t *start_ns, int64_t *end_ns)
{
    *start_ns = *start_ns > with->from_ns ? *start_ns : with->from_ns;
    *end_ns = *end_ns < with->to_ns ? *end_ns : with->to_ns;
    if (*end_ns < *start_ns) /* nothing was recorded in it */
        *end_ns = *start_ns;
}

static void widen(struct tl_process *process, int64_t start_ns, int64_t end_ns)
{
    process->start_ns = start_ns < process->start_ns ? start_ns : process->start_ns;
    process->end_ns = end_ns > process->end_ns ? end_ns : process->end_ns;
}

static void widen_processes(struct timeline *timeline)
{
    struct tl_process *processes = timeline->processes.at;
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (!(gpu->flags & TL_GPU_INTERNAL))
            widen(&processes[gpu->process], gpu->start_ns, gpu->end_ns);
    }
    for (uint32_t i = 0; i < timeline->timings.count; i++) {
        const struct tl_timing *timing = &timeline->timings.at[i];
        uint32_t thread = timeline->slices.at[timing->slice].thread;
        widen(&processes[timeline->threads.at[thread].process], timing->start_ns, timing->end_ns);
    }
    for (uint32_t i = 0; i < timeline->migrations.count; i++) {
        const struct tl_migration *migration = &timeline->migrations.at[i];
        widen(&processes[migration->process], migration->start_ns, migration->end_ns);
    }
}

/* An empty process says nothing about when the others were. */
static void measure(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        cut(with, &timeline->processes.at[i].start_ns, &timeline->processes.at[i].end_ns);
    widen_processes(timeline);
    cut(with, &timeline->start_ns, &timeline->end_ns);
    if (!timeline->restricted) {
        timeline->shown_from_ns = timeline->start_ns;
        timeline->shown_to_ns = timeline->end_ns;
    }
    cut(with, &timeline->shown_from_ns, &timeline->shown_to_ns);
    for (uint32_t i = 0; i < timeline->processes.count; i++) {
        const struct tl_process *process = &timeline->processes.at[i];
        if (process->start_ns == process->end_ns)
            continue;
        if (process->start_ns < timeline->start_ns)
            timeline->start_ns = process->start_ns;
        if (process->end_ns > timeline->end_ns)
            timeline->end_ns = process->end_ns;
    }
}

bool timeline_restrict(struct timeline *timeline, int64_t from_ns, int64_t to_ns)
{
    struct restriction with = {.timeline = timeline, .from_ns = from_ns, .to_ns = to_ns};
    bool ready = take_memory(&with);
    if (ready) {
        restrict_find_slices(&with);
        restrict_find_gpus(&with);
        restrict_find_events(&with);
        restrict_find_frames(&with);
        restrict_find_memories(&with);
        restrict_find_graphs(&with);
        restrict_slices(&with);
        restrict_gpus(&with);
        restrict_blocks(&with);
        restrict_events(&with);
        restrict_frames(&with);
        restrict_memories(&with);
        restrict_graphs(&with);
        restrict_facts(&with);
        restrict_ledger(&with);
        measure(&with);
        timeline->restricted = true;
    }
    give_memory_back(&with);
    return ready;
}
