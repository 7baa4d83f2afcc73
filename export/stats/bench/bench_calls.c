/* bench_calls.c - see bench_calls.h. */
#include "bench_calls.h"

#include "around.h"
#include "array.h"
#include "blocks.h"
#include "maps.h"

#include <stdlib.h>
#include <string.h>

/* An operation with what it is sorted by. */
struct found {
    int64_t launch_ns;
    uint64_t node; /* of a graph's, else 0 */
    uint32_t call, slice, gpu;
};

struct search {
    const struct timeline *timeline;
    struct bench_calls *to;
    bool *wanted;      /* by name */
    uint32_t *around;  /* by slice: the outermost instance */
    uint32_t *call_of; /* by slice of an instance: its call; TL_NONE */
    TL_ARRAY(struct found) found;
};

/* ---- the range's instances ---- */

static bool is_instance(void *user, uint32_t index)
{
    const struct search *search = user;
    const struct tl_slice *slice = &search->timeline->slices.at[index];
    if (slice->kind == TL_API || slice->flags & TL_INTERNAL)
        return false;
    uint32_t count = search->timeline->names.count;
    uint32_t shown = tl_shown_name(search->timeline, slice->name, slice->label);
    return (slice->name < count && search->wanted[slice->name]) ||
           (shown < count && search->wanted[shown]);
}

static bool *names_equal(const struct timeline *timeline, const char *range)
{
    bool *wanted = calloc((size_t)timeline->names.count + 1, sizeof *wanted);
    for (uint32_t i = 0; wanted && i < timeline->names.count; i++)
        wanted[i] = text_is(timeline->names.at[i], range);
    return wanted;
}

/* A call that was cut is one, from its first segment to the end of its last one. */
static bool add_calls(struct search *search)
{
    const struct timeline *timeline = search->timeline;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        search->call_of[i] = TL_NONE;
        if (search->around[i] != i || slice->flags & TL_CONTINUED)
            continue;
        struct bench_call *call = ARRAY_ADD(&search->to->calls);
        if (!call)
            return false;
        *call =
            (struct bench_call){.start_ns = slice->start_ns,
                                .end_ns = slice->flags & TL_UNCLOSED ? INT64_MIN : slice->end_ns,
                                .slice = i,
                                .process = timeline->threads.at[slice->thread].process};
        search->call_of[i] = search->to->calls.count - 1;
    }
    for (uint32_t i = 0; i < timeline->segments.count; i++) {
        const struct tl_segment *segment = &timeline->segments.at[i];
        uint32_t index = search->call_of[segment->first];
        const struct tl_slice *slice = &timeline->slices.at[segment->slice];
        search->call_of[segment->slice] = index;
        if (index == TL_NONE)
            continue;
        struct bench_call *call = &search->to->calls.at[index];
        if (slice->flags & TL_UNCLOSED)
            call->end_ns = INT64_MIN;
        else if (call->end_ns != INT64_MIN && slice->end_ns > call->end_ns)
            call->end_ns = slice->end_ns;
    }
    return true;
}

static int by_process_and_start(const void *left, const void *right)
{
    const struct bench_call *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->slice > b->slice) - (a->slice < b->slice);
}

/* Drops unfinished instances, sorts the others and has call_of[] follow. */
static void sort_calls(struct search *search)
{
    struct bench_calls *to = search->to;
    const struct timeline *timeline = search->timeline;
    uint32_t all = to->calls.count;
    ARRAY_KEEP(&to->calls, call, call->end_ns != INT64_MIN, (void)call);
    to->unfinished = all - to->calls.count;
    if (to->calls.count)
        qsort(to->calls.at, to->calls.count, sizeof *to->calls.at, by_process_and_start);
    for (uint32_t i = 0; i < timeline->slices.count; i++)
        search->call_of[i] = TL_NONE;
    for (uint32_t i = 0; i < to->calls.count; i++) {
        const struct bench_call *call = &to->calls.at[i], *before = i ? call - 1 : NULL;
        search->call_of[call->slice] = i;
        to->processes += !before || before->process != call->process;
        to->overlap |=
            before && before->process == call->process && before->end_ns > call->start_ns;
    }
    for (uint32_t i = 0; i < timeline->segments.count; i++)
        search->call_of[timeline->segments.at[i].slice] =
            search->call_of[timeline->segments.at[i].first];
}

/* ---- what they launched ---- */

/* The call that is open in the process at that moment; TL_NONE. */
static uint32_t call_at(const struct bench_calls *to, uint32_t process, int64_t time_ns)
{
    uint32_t low = 0, high = to->calls.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct bench_call *call = &to->calls.at[middle];
        bool is_before =
            call->process != process ? call->process < process : call->start_ns <= time_ns;
        if (is_before)
            low = middle + 1;
        else
            high = middle;
    }
    const struct bench_call *last = low ? &to->calls.at[low - 1] : NULL;
    return last && last->process == process && time_ns <= last->end_ns ? low - 1 : TL_NONE;
}

/* `*is_other`: another thread's. */
static uint32_t call_of_slice(const struct search *search, uint32_t index, bool *is_other)
{
    const struct tl_slice *slice = &search->timeline->slices.at[index];
    uint32_t instance = search->around[index];
    *is_other = instance == TL_NONE;
    if (instance != TL_NONE)
        return search->call_of[instance];
    if (search->to->overlap)
        return TL_NONE;
    return call_at(search->to, search->timeline->threads.at[slice->thread].process,
                   slice->start_ns);
}

static bool add_operations(struct search *search)
{
    const struct timeline *timeline = search->timeline;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        bool is_other;
        uint32_t call = slice->gpu_count ? call_of_slice(search, i, &is_other) : TL_NONE;
        for (uint32_t k = 0; call != TL_NONE && k < slice->gpu_count; k++) {
            struct found found = {.launch_ns = slice->start_ns, .call = call, .slice = i};
            found.gpu = timeline->gpu_by_slice.at[slice->gpu_first + k];
            const struct tl_gpu *gpu = &timeline->gpus.at[found.gpu];
            if (!tl_is_work(gpu))
                continue;
            timeline_graph_of(timeline, gpu, &found.node);
            struct found *added = ARRAY_ADD(&search->found);
            if (!added)
                return false;
            *added = found;
            search->to->other_threads += is_other;
        }
    }
    for (uint32_t i = 0; i < timeline->unrecorded.count; i++) {
        bool is_other;
        uint32_t call = call_of_slice(search, timeline->unrecorded.at[i].slice, &is_other);
        if (call != TL_NONE)
            search->to->calls.at[call].unrecorded += timeline->unrecorded.at[i].count;
    }
    return true;
}

static int by_launch(const void *left, const void *right)
{
    const struct found *a = left, *b = right;
    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    if (a->launch_ns != b->launch_ns)
        return a->launch_ns < b->launch_ns ? -1 : 1;
    if (a->slice != b->slice)
        return a->slice < b->slice ? -1 : 1;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (a->gpu > b->gpu) - (a->gpu < b->gpu);
}

static bool keep_operations(struct search *search)
{
    struct bench_calls *to = search->to;
    if (search->found.count)
        qsort(search->found.at, search->found.count, sizeof *search->found.at, by_launch);
    if (!array_reserve(&to->operations.at, &to->operations.capacity, search->found.count,
                       sizeof *to->operations.at))
        return false;
    for (uint32_t i = 0; i < search->found.count; i++) {
        struct bench_call *call = &to->calls.at[search->found.at[i].call];
        if (!call->count++)
            call->first = i;
        to->operations.at[to->operations.count++] = search->found.at[i].gpu;
    }
    return true;
}

/* ---- times of each ---- */

static bool measure(struct search *search)
{
    struct bench_calls *to = search->to;
    struct interval *spans = malloc(((size_t)to->operations.count + 1) * sizeof *spans);
    for (uint32_t i = 0; spans && i < to->calls.count; i++) {
        struct bench_call *call = &to->calls.at[i];
        for (uint32_t k = 0; k < call->count; k++) {
            const struct tl_gpu *gpu =
                &search->timeline->gpus.at[to->operations.at[call->first + k]];
            spans[k] = (struct interval){gpu->start_ns, gpu->end_ns};
        }
        if (!call->count)
            continue;
        call->busy_ns = intervals_union(spans, call->count, INT64_MIN, INT64_MAX);
        call->first_ns = call->last_ns = spans[0].start;
        for (uint32_t k = 0; k < call->count; k++)
            call->last_ns = spans[k].end > call->last_ns ? spans[k].end : call->last_ns;
    }
    free(spans);
    return spans != NULL;
}

/* Operations that no call in the recording launched, while calls ran: whose they are is unknown. */
static void count_homeless(struct search *search)
{
    struct bench_calls *to = search->to;
    const struct timeline *timeline = search->timeline;
    for (uint32_t i = 0; to->calls.count && i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (tl_is_work(gpu) && gpu->slice == TL_NONE &&
            call_at(to, gpu->process, gpu->start_ns) != TL_NONE)
            to->homeless++;
    }
}

/* ---- sequences ---- */

static uint64_t operation_hash(const struct timeline *timeline, const struct tl_gpu *gpu,
                               uint64_t hash)
{
    hash = keymap_mix(hash, (uint64_t)gpu->kind << 32 | gpu->name);
    hash = keymap_mix(keymap_mix(hash, gpu->device), gpu->bytes);
    if (gpu->kind != TL_KERNEL)
        return hash;
    const struct tl_kernel *kernel = &timeline->kernels.at[gpu->detail];
    hash = keymap_mix(hash, (uint64_t)kernel->grid_x << 32 | (uint64_t)kernel->grid_y << 16 |
                                kernel->grid_z);
    hash = keymap_mix(hash, (uint64_t)kernel->block_x << 32 | (uint64_t)kernel->block_y << 16 |
                                kernel->block_z);
    return keymap_mix(hash,
                      (uint64_t)kernel->static_shared_memory << 32 | kernel->dynamic_shared_memory);
}

static bool find_sequences(struct search *search)
{
    struct bench_calls *to = search->to;
    struct keymap known = {0};
    bool done = true;
    for (uint32_t i = 0; i < to->calls.count && done; i++) {
        struct bench_call *call = &to->calls.at[i];
        uint64_t hash = keymap_mix(UINT64_C(0xcbf29ce484222325), call->count);
        for (uint32_t k = 0; k < call->count; k++)
            hash = operation_hash(search->timeline,
                                  &search->timeline->gpus.at[to->operations.at[call->first + k]],
                                  hash);
        uint32_t index = keymap_find(&known, hash);
        if (index == KEYMAP_NONE) {
            struct bench_sequence *added = ARRAY_ADD(&to->sequences);
            index = to->sequences.count - 1;
            done = added && keymap_set(&known, hash, index);
            if (done)
                *added = (struct bench_sequence){.hash = hash, .example = i};
        }
        if (done)
            to->sequences.at[index].calls++;
        call->sequence = index;
    }
    keymap_fini(&known);
    return done;
}

static int most_calls_first(const void *left, const void *right)
{
    const struct bench_sequence *a = left, *b = right;
    if (a->calls != b->calls)
        return a->calls > b->calls ? -1 : 1;
    return (a->example > b->example) - (a->example < b->example);
}

/* Sorts them and has calls follow. */
static bool sort_sequences(struct bench_calls *to)
{
    uint32_t *place_of = malloc(((size_t)to->calls.count + 1) * sizeof *place_of);
    if (!place_of)
        return false;
    for (uint32_t i = 0; i < to->sequences.count; i++)
        to->sequences.at[i].hash = i;
    if (to->sequences.count)
        qsort(to->sequences.at, to->sequences.count, sizeof *to->sequences.at, most_calls_first);
    for (uint32_t i = 0; i < to->sequences.count; i++)
        place_of[to->sequences.at[i].hash] = i;
    for (uint32_t i = 0; i < to->calls.count; i++)
        to->calls.at[i].sequence = place_of[to->calls.at[i].sequence];
    free(place_of);
    return true;
}

bool bench_calls_init(struct bench_calls *calls, const struct timeline *timeline, const char *range)
{
    struct search search = {.timeline = timeline, .to = calls};
    *calls = (struct bench_calls){.processes = 0};
    search.wanted = names_equal(timeline, range);
    search.call_of = malloc(((size_t)timeline->slices.count + 1) * sizeof *search.call_of);
    if (search.wanted)
        search.around = around_outermost(timeline, is_instance, &search);
    bool done = search.wanted && search.call_of && search.around && add_calls(&search);
    if (done)
        sort_calls(&search);
    done = done && add_operations(&search) && keep_operations(&search) && measure(&search) &&
           find_sequences(&search) && sort_sequences(calls);
    if (done)
        count_homeless(&search);
    free(search.wanted);
    free(search.call_of);
    free(search.around);
    free(search.found.at);
    if (!done)
        bench_calls_fini(calls);
    return done;
}

void bench_calls_fini(struct bench_calls *calls)
{
    free(calls->calls.at);
    free(calls->operations.at);
    free(calls->sequences.at);
    *calls = (struct bench_calls){.processes = 0};
}
