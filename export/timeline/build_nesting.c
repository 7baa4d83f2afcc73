/* build_nesting.c - sorts, cuts and nests the slices that build_unordered.c gathered.
 *
 * Slices and instants are sorted by (thread, time) when the first process is finished. A thread's
 * slices go through a stack of what is open; the rest of one that was cut waits in a heap until its
 * turn.
 */
#include "build_unordered.h"

#include <stdlib.h>
#include <string.h>

/* Everything by thread or process. */

/* In the number of a slice that is being sorted: it is a call. */
#define IS_CALL (UINT32_C(1) << 31)

/* Slices that begin at one time: the longer first, and calls inside ranges that are as long. There
 * are few at a time, unless a file is made to be slow; then a stable merge would be needed, which
 * qsort of glibc is. */
static int longer_first(const void *left, const void *right)
{
    const struct radix_item *a = left, *b = right;
    if (a->key != b->key)
        return a->key > b->key ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static void sort_equal_starts(const struct unordered *file, struct radix_item *items,
                              uint32_t count)
{
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && items[end].key == items[first].key; end++) {
        }
        if (end - first < 2)
            continue;
        uint64_t key = items[first].key;
        for (uint32_t i = first; i < end; i++) {
            const struct unordered_slice *slice = &file->slices.at[items[i].value];
            items[i].key = radix_key(slice->end_ns);
            items[i].value |= slice->kind == TL_API ? IS_CALL : 0;
        }
        qsort(items + first, end - first, sizeof *items, longer_first);
        for (uint32_t i = first; i < end; i++) {
            items[i].key = key;
            items[i].value &= ~IS_CALL;
        }
    }
}

typedef uint32_t group_of_item(const struct unordered *file, uint32_t index);
typedef int64_t time_of_item(const struct unordered *file, uint32_t index);

static uint32_t slice_thread(const struct unordered *file, uint32_t index)
{
    return file->slices.at[index].thread;
}

static int64_t slice_time(const struct unordered *file, uint32_t index)
{
    return file->slices.at[index].start_ns;
}

static uint32_t instant_thread(const struct unordered *file, uint32_t index)
{
    return file->instants.at[index].thread;
}

static int64_t instant_time(const struct unordered *file, uint32_t index)
{
    return file->instants.at[index].time_ns;
}

static uint32_t process_of_thread(const struct unordered *file, uint32_t index)
{
    return file->threads.at[index].process;
}

static uint32_t process_of_gpu(const struct unordered *file, uint32_t index)
{
    return file->gpus.at[index].process;
}

static uint32_t process_of_async(const struct unordered *file, uint32_t index)
{
    uint32_t thread = file->asyncs.at[index].thread;
    return thread && thread <= file->threads.count ? file->threads.at[thread - 1].process
                                                   : EVENT_NO_PROCESS;
}

/* Counts the items of each group, gives each its part, and fills the parts in the order of the
 * file: starts has one more group at its end. What is of no group is left out. */
static bool group(const struct unordered *file, uint32_t count, uint32_t groups,
                  group_of_item *group_of, struct unordered_groups *grouped)
{
    uint32_t *starts = calloc((size_t)groups + 3, sizeof *starts);
    grouped->starts = starts;
    grouped->items = malloc(((size_t)count + 1) * sizeof *grouped->items);
    if (!starts || !grouped->items)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (group_of(file, i) < groups)
            starts[group_of(file, i) + 2]++;
    for (uint32_t i = 1; i < groups + 3; i++)
        starts[i] += starts[i - 1];
    for (uint32_t i = 0; i < count; i++)
        if (group_of(file, i) < groups)
            grouped->items[starts[group_of(file, i) + 1]++] = i;
    return true;
}

/* By thread, then by time. */
static bool sort(const struct unordered *file, uint32_t count, group_of_item *thread_of,
                 time_of_item *time_of, struct unordered_sorted *sorted)
{
    uint32_t threads = file->threads.count + 1; /* numbers count from 1 */
    struct unordered_groups groups = {0};
    bool done = group(file, count, threads, thread_of, &groups);
    sorted->starts = groups.starts;
    sorted->items = done ? malloc(((size_t)count + 1) * sizeof *sorted->items) : NULL;
    done = sorted->items != NULL;
    for (uint32_t i = 0; done && i < groups.starts[threads]; i++)
        sorted->items[i] =
            (struct radix_item){radix_key(time_of(file, groups.items[i])), groups.items[i]};
    for (uint32_t i = 0; i < threads && done; i++)
        done =
            radix_sort(sorted->items + groups.starts[i], groups.starts[i + 1] - groups.starts[i]);
    free(groups.items);
    return done;
}

static bool fill(struct unordered *file, struct unordered_index *index)
{
    uint32_t processes = file->processes.count;
    if (file->has_origins)
        index->numbers = calloc((size_t)file->slices.count + 1, sizeof *index->numbers);
    if (file->has_origins && !index->numbers)
        return false;
    return group(file, file->gpus.count, processes, process_of_gpu, &index->gpus) &&
           group(file, file->threads.count, processes, process_of_thread, &index->threads) &&
           group(file, file->asyncs.count, processes, process_of_async, &index->asyncs) &&
           sort(file, file->slices.count, slice_thread, slice_time, &index->slices) &&
           sort(file, file->instants.count, instant_thread, instant_time, &index->instants);
}

void unordered_index_destroy(struct unordered_index *index)
{
    if (!index)
        return;
    free(index->slices.items), free(index->slices.starts);
    free(index->instants.items), free(index->instants.starts);
    free(index->threads.items), free(index->threads.starts);
    free(index->asyncs.items), free(index->asyncs.starts);
    free(index->gpus.items), free(index->gpus.starts);
    free(index->numbers);
    free(index);
}

bool unordered_index(struct unordered *file)
{
    file->index = calloc(1, sizeof *file->index);
    if (!file->index || !fill(file, file->index))
        return false;
    const struct unordered_sorted *slices = &file->index->slices;
    for (uint32_t i = 0; i <= file->threads.count; i++)
        sort_equal_starts(file, slices->items + slices->starts[i],
                          slices->starts[i + 1] - slices->starts[i]);
    return true;
}

/* Slices and instants of a thread, nested. */

/* A slice across very many others' ends would make quadratically many segments: after so many cuts
 * it ends. */
#define CUTS_MAX 64u

/* A slice, or what is left of one. */
struct rest {
    int64_t start_ns, end_ns;
    uint32_t slice;     /* into slices */
    uint32_t continues; /* place of the segment before; NOT_CONTINUED the first segment */
    uint32_t cuts;
};

#define NOT_CONTINUED UINT32_MAX

struct open_slice {
    int64_t end_ns;
};

struct nesting {
    const struct unordered *file;
    struct builder *builder;
    uint32_t appended; /* slices of the process */
    uint64_t clipped;
    uint32_t *numbers; /* as struct unordered_index's */
    bool failed;
    TL_ARRAY(struct open_slice) open;
    TL_ARRAY(struct rest) heap; /* as comes_before() */
};

/* The rest of a slice stays outside of what has begun since the slice did, as if it had not been
 * cut: what is outside comes first. */
static bool comes_before(const struct rest *a, const struct rest *b)
{
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->continues < b->continues;
}

static void heap_push(struct nesting *nesting, struct rest rest)
{
    if (!ARRAY_ROOM(&nesting->heap)) {
        nesting->failed = true;
        return;
    }
    struct rest *heap = nesting->heap.at;
    uint32_t at = nesting->heap.count++;
    for (; at && comes_before(&rest, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = rest;
}

static struct rest heap_pop(struct nesting *nesting)
{
    struct rest *heap = nesting->heap.at, least = heap[0], last = heap[--nesting->heap.count];
    uint32_t count = nesting->heap.count, at = 0;
    for (uint32_t child; (child = at * 2 + 1) < count; at = child) {
        if (child + 1 < count && comes_before(&heap[child + 1], &heap[child]))
            child++;
        if (!comes_before(&heap[child], &last))
            break;
        heap[at] = heap[child];
    }
    if (count)
        heap[at] = last;
    return least;
}

static void append_segment(struct nesting *nesting, const struct rest *rest, int64_t end_ns)
{
    const struct unordered *file = nesting->file;
    const struct unordered_slice *slice = &file->slices.at[rest->slice];
    bool first = rest->continues == NOT_CONTINUED;
    struct complete_slice segment = {
        .start_ns = rest->start_ns,
        .end_ns = end_ns,
        .attrs = first ? file->attrs.at + slice->first_attr : NULL,
        .attr_count = first ? slice->attr_count : 0,
        .thread = slice->thread,
        .name = slice->name,
        .correlation = first ? slice->correlation : 0,
        .continues = first ? 0 : rest->continues,
        .result = slice->result,
        .kind = slice->kind,
        .flags = (uint8_t)(slice->flags | (first ? 0 : TL_CONTINUED)),
    };
    /* only the last segment is without an end */
    if (end_ns < rest->end_ns)
        segment.flags &= (uint8_t)~TL_UNCLOSED;
    build_slice_append(nesting->builder, &segment);
    nesting->appended++;
    if (first && nesting->numbers)
        nesting->numbers[rest->slice] = nesting->appended;
}

/* Appends the part of it that lies within what is open; the rest waits. */
static void place(struct nesting *nesting, struct rest rest)
{
    while (nesting->open.count && nesting->open.at[nesting->open.count - 1].end_ns <= rest.start_ns)
        nesting->open.count--;
    int64_t end_ns = rest.end_ns;
    if (nesting->open.count && nesting->open.at[nesting->open.count - 1].end_ns < end_ns)
        end_ns = nesting->open.at[nesting->open.count - 1].end_ns;
    struct open_slice *open = ARRAY_ADD(&nesting->open);
    if (!open) {
        nesting->failed = true;
        return;
    }
    *open = (struct open_slice){end_ns};
    append_segment(nesting, &rest, end_ns);
    if (end_ns == rest.end_ns)
        return;
    if (rest.cuts < CUTS_MAX)
        heap_push(nesting, (struct rest){end_ns, rest.end_ns, rest.slice, nesting->appended - 1,
                                         rest.cuts + 1});
    else
        nesting->clipped++;
}

static void append_memory(const struct unordered *file, struct builder *builder,
                          const struct unordered_instant *instant)
{
    const struct unordered_memory *memory = &file->memories.at[instant->name];
    const struct memory_op *record = &memory->event.record;
    if (memory->allocator && record->operation == PROF_MEMORY_RELEASE)
        builder_append_release(builder, instant->thread, instant->time_ns, memory->allocator,
                               record->address);
    else if (memory->allocator)
        builder_append_alloc(
            builder, instant->thread, instant->time_ns,
            &(struct heap_allocation){record->address, record->bytes, memory->allocator});
    else
        builder_append_memory(builder, &memory->event);
}

static void append_instant(struct nesting *nesting, const struct unordered_instant *instant)
{
    struct builder *builder = nesting->builder;
    switch (instant->kind) {
    case UNORDERED_MARK:
        builder_append_mark(builder, instant->thread, instant->time_ns, instant->name);
        break;
    case UNORDERED_COUNTER:
        builder_append_counter(builder, instant->thread, instant->time_ns, instant->name,
                               instant->value);
        break;
    case UNORDERED_MEMORY:
        append_memory(nesting->file, builder, instant);
        break;
    }
}

/* Items of one thread, in order. */
struct items {
    const struct radix_item *at;
    uint32_t count;
};

/* Instants come after the slices that begin with them: they are inside. */
static void append_instants(struct nesting *nesting, struct items *instants, int64_t before_ns)
{
    const struct unordered_instant *all = nesting->file->instants.at;
    while (instants->count && all[instants->at->value].time_ns < before_ns) {
        append_instant(nesting, &all[instants->at->value]);
        instants->at++;
        instants->count--;
    }
}

static void append_thread(struct nesting *nesting, struct items slices, struct items instants)
{
    const struct unordered_slice *all = nesting->file->slices.at;
    nesting->open.count = 0;
    while ((slices.count || nesting->heap.count) && !nesting->failed) {
        struct rest next;
        bool waiting = nesting->heap.count;
        if (slices.count) {
            const struct unordered_slice *slice = &all[slices.at->value];
            next =
                (struct rest){slice->start_ns, slice->end_ns, slices.at->value, NOT_CONTINUED, 0};
            waiting = waiting && comes_before(&nesting->heap.at[0], &next);
        }
        if (waiting) {
            next = heap_pop(nesting);
        } else {
            slices.at++;
            slices.count--;
        }
        append_instants(nesting, &instants, next.start_ns);
        place(nesting, next);
    }
    append_instants(nesting, &instants, INT64_MAX);
}

static void append_threads(struct nesting *nesting, uint32_t process)
{
    const struct unordered_index *index = nesting->file->index;
    struct unordered_group threads = unordered_group(&index->threads, process);
    for (uint32_t i = 0; i < threads.count && !nesting->failed; i++) {
        uint32_t thread = threads.at[i] + 1;
        const uint32_t *slices = index->slices.starts + thread,
                       *instants = index->instants.starts + thread;
        append_thread(
            nesting, (struct items){index->slices.items + slices[0], slices[1] - slices[0]},
            (struct items){index->instants.items + instants[0], instants[1] - instants[0]});
    }
}

uint32_t unordered_append_threads(struct unordered *file, uint32_t process)
{
    struct builder *builder = file->builder;
    struct nesting nesting = {.file = file, .builder = builder, .numbers = file->index->numbers};
    append_threads(&nesting, process);
    free(nesting.open.at);
    free(nesting.heap.at);
    if (nesting.clipped) {
        static const char what[] = "events cut short: they overlap too many others of their thread";
        builder_add_warning(builder, (struct text){what, sizeof what - 1}, nesting.clipped);
    }
    builder->failed |= nesting.failed;
    return nesting.appended;
}
