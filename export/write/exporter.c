/* exporter.c - a merge of sorted runs.
 *
 * Each thread's slices are sorted by their start, and so are each stream's operations. Such
 * stretches are found by looking (a run ends where time goes back), so the walk depends on no
 * promise about the order of an array, and merged with a heap. The run on top goes on without
 * touching the heap for as long as it is the earliest.
 */
#include "exporter.h"

#include "array.h"
#include "maps.h"
#include "progress.h"

#include <math.h>
#include <stdlib.h>

#define PROGRESS_EVENTS 4096u /* between two reports */

enum run_kind {
    RUN_SLICE,
    RUN_FRAME,
    RUN_ASYNC,
    RUN_MARK,
    RUN_COUNTER,
    RUN_TIMING,
    RUN_GPU,
    RUN_MEMORY,
    RUN_MIGRATION
};

struct run {
    int64_t time_ns; /* of the event at `next` */
    int64_t end_ns;  /* of slices and Python calls */
    uint32_t next, end;
    uint32_t attr; /* slices: first attribute that is not before slice `next` */
    enum run_kind kind;
};

struct walk {
    const struct timeline *timeline;
    const struct exporter *exporter;
    void *user;
    struct run *runs; /* a heap once all are there: the earliest on top */
    uint32_t count, capacity;
    uint64_t done, all; /* events */
};

static int64_t time_of(const struct timeline *timeline, enum run_kind kind, uint32_t index)
{
    switch (kind) {
    case RUN_SLICE:
        return timeline->slices.at[index].start_ns;
    case RUN_FRAME:
        return timeline->frames.at[index].start_ns;
    case RUN_ASYNC:
        return timeline->asyncs.at[index].start_ns;
    case RUN_MARK:
        return timeline->marks.at[index].time_ns;
    case RUN_COUNTER:
        return timeline->counters.at[index].time_ns;
    case RUN_TIMING:
        return timeline->timings.at[index].start_ns;
    case RUN_GPU:
        return timeline->gpus.at[index].start_ns;
    case RUN_MEMORY:
        return timeline->memory_events.at[index].time_ns;
    case RUN_MIGRATION:
        return timeline->migrations.at[index].start_ns;
    }
    return 0;
}

static void set_times(const struct timeline *timeline, struct run *run)
{
    run->time_ns = time_of(timeline, run->kind, run->next);
    if (run->kind == RUN_SLICE)
        run->end_ns = timeline->slices.at[run->next].end_ns;
    else if (run->kind == RUN_FRAME)
        run->end_ns = timeline->frames.at[run->next].end_ns;
}

/* Ties: what is around the other, then by kind, then by place in the array. */
static bool is_before(const struct run *a, const struct run *b)
{
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns;
    if (a->kind != b->kind && a->kind <= RUN_FRAME && b->kind <= RUN_FRAME &&
        a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns;
    return a->kind != b->kind ? a->kind < b->kind : a->next < b->next;
}

static bool add_run(struct walk *walk, enum run_kind kind, uint32_t first, uint32_t end)
{
    if (walk->count == walk->capacity) {
        uint32_t capacity = walk->capacity ? walk->capacity * 2 : 64;
        struct run *runs = realloc(walk->runs, capacity * sizeof *runs);
        if (!runs)
            return false;
        walk->runs = runs;
        walk->capacity = capacity;
    }
    struct run *run = &walk->runs[walk->count++];
    *run = (struct run){.next = first, .end = end, .kind = kind};
    walk->all += end - first;
    set_times(walk->timeline, run);
    return true;
}

static bool add_runs(struct walk *walk, enum run_kind kind, uint32_t count)
{
    uint32_t first = 0;
    int64_t last_ns = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t time_ns = time_of(walk->timeline, kind, i);
        if (i > first && time_ns < last_ns) {
            if (!add_run(walk, kind, first, i))
                return false;
            first = i;
        }
        last_ns = time_ns;
    }
    return first == count || add_run(walk, kind, first, count);
}

/* First attribute of a slice that is not before `slice`. */
static uint32_t find_attr(const struct timeline *timeline, uint32_t slice)
{
    return ARRAY_LOWER_BOUND(&timeline->attrs, struct tl_attr, slice, 0, slice);
}

static void sift_down(struct walk *walk, uint32_t at)
{
    struct run run = walk->runs[at];
    for (uint32_t child = 2 * at + 1; child < walk->count; child = 2 * at + 1) {
        if (child + 1 < walk->count && is_before(&walk->runs[child + 1], &walk->runs[child]))
            child++;
        if (!is_before(&walk->runs[child], &run))
            break;
        walk->runs[at] = walk->runs[child];
        at = child;
    }
    walk->runs[at] = run;
}

/* The run that is next when the one on top is not, or NULL. */
static const struct run *runner_up(const struct walk *walk)
{
    if (walk->count < 2)
        return NULL;
    if (walk->count == 2 || is_before(&walk->runs[1], &walk->runs[2]))
        return &walk->runs[1];
    return &walk->runs[2];
}

static void emit_slice(struct walk *walk, struct run *run)
{
    const struct timeline *timeline = walk->timeline;
    uint32_t first = run->attr, index = run->next;
    while (run->attr < timeline->attrs.count && timeline->attrs.at[run->attr].slice == index)
        run->attr++;
    uint32_t count = run->attr - first;
    if (!(timeline->slices.at[index].flags & TL_INTERNAL))
        walk->exporter->slice(walk->user, index, count ? &timeline->attrs.at[first] : NULL, count);
}

static void emit_gpu(struct walk *walk, uint32_t index)
{
    if (!(walk->timeline->gpus.at[index].flags & TL_GPU_INTERNAL))
        walk->exporter->gpu(walk->user, index);
}

static void emit(struct walk *walk, struct run *run)
{
    const struct exporter *exporter = walk->exporter;
    switch (run->kind) {
    case RUN_SLICE:
        emit_slice(walk, run);
        break;
    case RUN_FRAME:
        exporter->frame(walk->user, run->next);
        break;
    case RUN_GPU:
        emit_gpu(walk, run->next);
        break;
    case RUN_ASYNC:
        exporter->async(walk->user, run->next);
        break;
    case RUN_MARK:
        exporter->mark(walk->user, run->next);
        break;
    case RUN_COUNTER:
        exporter->counter(walk->user, run->next);
        break;
    case RUN_MEMORY:
        exporter->memory(walk->user, run->next);
        break;
    case RUN_MIGRATION:
        exporter->migration(walk->user, run->next);
        break;
    case RUN_TIMING:
        exporter->timing(walk->user, run->next);
        break;
    }
    run->next++;
    if (walk->done++ % PROGRESS_EVENTS == 0)
        progress_share(walk->done, walk->all);
}

/* Advances the run on top until another one is due. */
static void advance_top(struct walk *walk)
{
    struct run *top = &walk->runs[0];
    const struct run *other = runner_up(walk);
    do {
        emit(walk, top);
        if (top->next == top->end) {
            walk->runs[0] = walk->runs[--walk->count];
            break;
        }
        set_times(walk->timeline, top);
    } while (!other || is_before(top, other));
    if (walk->count > 1)
        sift_down(walk, 0);
}

static bool find_runs(struct walk *walk)
{
    const struct timeline *timeline = walk->timeline;
    const struct exporter *exporter = walk->exporter;
    if (!add_runs(walk, RUN_SLICE, exporter->slice ? timeline->slices.count : 0) ||
        !add_runs(walk, RUN_FRAME, exporter->frame ? timeline->frames.count : 0) ||
        !add_runs(walk, RUN_ASYNC, exporter->async ? timeline->asyncs.count : 0) ||
        !add_runs(walk, RUN_MARK, exporter->mark ? timeline->marks.count : 0) ||
        !add_runs(walk, RUN_COUNTER, exporter->counter ? timeline->counters.count : 0) ||
        !add_runs(walk, RUN_TIMING, exporter->timing ? timeline->timings.count : 0) ||
        !add_runs(walk, RUN_GPU, exporter->gpu ? timeline->gpus.count : 0) ||
        !add_runs(walk, RUN_MEMORY, exporter->memory ? timeline->memory_events.count : 0) ||
        !add_runs(walk, RUN_MIGRATION, exporter->migration ? timeline->migrations.count : 0))
        return false;
    for (uint32_t i = 0; i < walk->count; i++)
        if (walk->runs[i].kind == RUN_SLICE)
            walk->runs[i].attr = find_attr(timeline, walk->runs[i].next);
    return true;
}

bool exporter_walk(const struct exporter *exporter, void *user, const struct timeline *timeline)
{
    struct walk walk = {.timeline = timeline, .exporter = exporter, .user = user};
    if (exporter->begin)
        exporter->begin(user, timeline);
    bool found = find_runs(&walk);
    if (found) {
        for (uint32_t i = walk.count / 2; i-- > 0;)
            sift_down(&walk, i);
        while (walk.count)
            advance_top(&walk);
        if (exporter->end)
            exporter->end(user);
    }
    free(walk.runs);
    return found;
}

int64_t exporter_end_ns(const struct timeline *timeline)
{
    int64_t end_ns = timeline->end_ns;
    for (uint32_t i = 0; i < timeline->counters.count; i++)
        if (timeline->counters.at[i].time_ns > end_ns)
            end_ns = timeline->counters.at[i].time_ns;
    uint32_t changes = timeline->memory_events.count;
    if (changes && timeline->memory_events.at[changes - 1].time_ns > end_ns)
        end_ns = timeline->memory_events.at[changes - 1].time_ns;
    return end_ns;
}

bool exporter_visit_last_counters(const struct timeline *timeline,
                                  void (*visit)(void *user, uint32_t index, int64_t end_ns),
                                  void *user)
{
    int64_t end_ns = exporter_end_ns(timeline);
    struct keymap seen = {0};
    bool complete = true;
    for (uint32_t i = timeline->counters.count; i-- > 0 && complete;) {
        const struct tl_counter *counter = &timeline->counters.at[i];
        uint64_t key =
            (uint64_t)timeline->threads.at[counter->thread].process << 32 | counter->name;
        if (!isfinite(counter->value) || keymap_find(&seen, key) != KEYMAP_NONE)
            continue;
        complete = keymap_set(&seen, key, i);
        if (counter->time_ns < end_ns)
            visit(user, i, end_ns);
    }
    keymap_fini(&seen);
    return complete;
}
