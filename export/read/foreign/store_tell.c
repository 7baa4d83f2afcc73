/* store_tell.c - tells a sink what the store gathered about one process.
 *
 * Slices and instants are sorted by (thread, time) once per telling. A thread's slices then go
 * through a stack of what is open; the rest of one that was cut waits in a heap until its turn.
 */
#include "event_store_inside.h"
#include "radix.h"

#include <stdlib.h>
#include <string.h>

/* A slice across very many others' ends would make quadratically many pieces: after so many cuts it
 * ends. */
#define CUTS_MAX 64u

/* A slice, or what is left of one. */
struct rest {
    int64_t start_ns, end_ns;
    uint32_t slice;     /* into slices */
    uint32_t continues; /* told before; NOT_CONTINUED the first piece */
    uint32_t cuts;
};

#define NOT_CONTINUED UINT32_MAX

struct open_slice {
    int64_t end_ns;
};

struct teller {
    struct event_store *store;
    const struct read_sink *sink;
    uint32_t told; /* slices of the process */
    uint64_t clipped;
    uint32_t *numbers; /* by slice: 1 + what was told before its first piece; NULL: nobody asks */
    bool failed;
    STORE_ARRAY(struct open_slice) open;
    STORE_ARRAY(struct rest) heap; /* least start first, then greatest end */
};

static bool comes_before(const struct rest *a, const struct rest *b)
{
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->end_ns > b->end_ns;
}

static void heap_push(struct teller *teller, struct rest rest)
{
    if (!ARRAY_ROOM(&teller->heap)) {
        teller->failed = true;
        return;
    }
    struct rest *heap = teller->heap.at;
    uint32_t at = teller->heap.count++;
    for (; at && comes_before(&rest, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = rest;
}

static struct rest heap_pop(struct teller *teller)
{
    struct rest *heap = teller->heap.at, least = heap[0], last = heap[--teller->heap.count];
    uint32_t count = teller->heap.count, at = 0;
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

static void tell_piece(struct teller *teller, const struct rest *rest, int64_t end_ns)
{
    const struct event_store *store = teller->store;
    const struct store_slice *slice = &store->slices.at[rest->slice];
    bool first = rest->continues == NOT_CONTINUED;
    struct read_slice told = {
        .start_ns = rest->start_ns,
        .end_ns = end_ns,
        .attrs = first ? store->attrs.at + slice->first_attr : NULL,
        .attr_count = first ? slice->attr_count : 0,
        .thread = slice->thread,
        .name = slice->name,
        .correlation = first ? slice->correlation : 0,
        .continues = first ? 0 : rest->continues,
        .result = slice->result,
        .kind = slice->kind,
        .flags = (uint8_t)(slice->flags | (first ? 0 : READ_SLICE_CONTINUED)),
    };
    /* only the last piece is without an end */
    if (end_ns < rest->end_ns)
        told.flags &= (uint8_t)~READ_SLICE_UNCLOSED;
    teller->sink->slice(teller->sink->user, &told);
    teller->told++;
    if (first && teller->numbers)
        teller->numbers[rest->slice] = teller->told;
}

/* Tells the part of it that lies within what is open; the rest waits. */
static void place(struct teller *teller, struct rest rest)
{
    while (teller->open.count && teller->open.at[teller->open.count - 1].end_ns <= rest.start_ns)
        teller->open.count--;
    int64_t end_ns = rest.end_ns;
    if (teller->open.count && teller->open.at[teller->open.count - 1].end_ns < end_ns)
        end_ns = teller->open.at[teller->open.count - 1].end_ns;
    struct open_slice *open = ARRAY_ADD(&teller->open);
    if (!open) {
        teller->failed = true;
        return;
    }
    *open = (struct open_slice){end_ns};
    tell_piece(teller, &rest, end_ns);
    if (end_ns == rest.end_ns)
        return;
    if (rest.cuts < CUTS_MAX)
        heap_push(teller,
                  (struct rest){end_ns, rest.end_ns, rest.slice, teller->told - 1, rest.cuts + 1});
    else
        teller->clipped++;
}

static void tell_memory(const struct event_store *store, const struct read_sink *sink,
                        const struct store_instant *instant)
{
    const struct store_memory *memory = &store->memories.at[instant->name];
    sink->memory(sink->user, &(struct read_memory){.time_ns = instant->time_ns,
                                                   .thread = instant->thread,
                                                   .record = memory->record});
}

static void tell_instant(struct teller *teller, const struct store_instant *instant)
{
    const struct read_sink *sink = teller->sink;
    switch (instant->kind) {
    case STORE_MARK:
        sink->mark(sink->user, instant->thread, instant->time_ns, instant->name);
        break;
    case STORE_COUNTER:
        sink->counter(sink->user, instant->thread, instant->time_ns, instant->name, instant->value);
        break;
    case STORE_MEMORY:
        tell_memory(teller->store, sink, instant);
        break;
    }
}

/* Items of one thread, in order. */
struct span {
    const struct radix_item *at;
    uint32_t count;
};

/* Instants come behind the slices that begin with them: they are inside. */
static void tell_instants(struct teller *teller, struct span *instants, int64_t before_ns)
{
    const struct store_instant *all = teller->store->instants.at;
    while (instants->count && all[instants->at->value].time_ns < before_ns) {
        tell_instant(teller, &all[instants->at->value]);
        instants->at++;
        instants->count--;
    }
}

static void tell_thread(struct teller *teller, struct span slices, struct span instants)
{
    const struct store_slice *all = teller->store->slices.at;
    teller->open.count = 0;
    while ((slices.count || teller->heap.count) && !teller->failed) {
        struct rest next;
        bool waiting = teller->heap.count;
        if (slices.count) {
            const struct store_slice *slice = &all[slices.at->value];
            next =
                (struct rest){slice->start_ns, slice->end_ns, slices.at->value, NOT_CONTINUED, 0};
            waiting = waiting && comes_before(&teller->heap.at[0], &next);
        }
        if (waiting) {
            next = heap_pop(teller);
        } else {
            slices.at++;
            slices.count--;
        }
        tell_instants(teller, &instants, next.start_ns);
        place(teller, next);
    }
    tell_instants(teller, &instants, INT64_MAX);
}

/* Slices that begin at one time: the longer first. There are few at a time, unless a file is made to
 * be slow; then a stable merge would be needed, which qsort of glibc is. */
static int longer_first(const void *left, const void *right)
{
    const struct radix_item *a = left, *b = right;
    if (a->key != b->key)
        return a->key > b->key ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static void sort_equal_starts(const struct event_store *store, struct radix_item *items,
                              uint32_t count)
{
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && items[end].key == items[first].key; end++) {
        }
        if (end - first < 2)
            continue;
        uint64_t key = items[first].key;
        for (uint32_t i = first; i < end; i++)
            items[i].key = radix_key(store->slices.at[items[i].value].end_ns);
        qsort(items + first, end - first, sizeof *items, longer_first);
        for (uint32_t i = first; i < end; i++)
            items[i].key = key;
    }
}

/* All items of the process, thread after thread; starts[] gets where each thread's begin. */
struct grouped {
    struct radix_item *items;
    uint32_t *starts; /* by thread number, one more at the end */
};

static void grouped_fini(struct grouped *grouped)
{
    free(grouped->items);
    free(grouped->starts);
}

typedef uint32_t thread_of_item(const struct event_store *store, uint32_t index);
typedef int64_t time_of_item(const struct event_store *store, uint32_t index);

static uint32_t slice_thread(const struct event_store *store, uint32_t index)
{
    return store->slices.at[index].thread;
}

static int64_t slice_time(const struct event_store *store, uint32_t index)
{
    return store->slices.at[index].start_ns;
}

static uint32_t instant_thread(const struct event_store *store, uint32_t index)
{
    return store->instants.at[index].thread;
}

static int64_t instant_time(const struct event_store *store, uint32_t index)
{
    return store->instants.at[index].time_ns;
}

static bool is_of(const struct event_store *store, uint32_t thread, uint32_t process)
{
    return thread && thread <= store->threads.count &&
           store->threads.at[thread - 1].process == process;
}

/* Counts the items of each thread, gives each thread its part, fills the parts in the order of the
 * file, sorts each by time. */
static bool group(const struct event_store *store, uint32_t process, uint32_t count,
                  thread_of_item *thread_of, time_of_item *time_of, struct grouped *grouped)
{
    uint32_t threads = store->threads.count;
    grouped->starts = calloc((size_t)threads + 3, sizeof *grouped->starts);
    if (!grouped->starts)
        return false;
    uint32_t *starts = grouped->starts, total = 0;
    for (uint32_t i = 0; i < count; i++)
        if (is_of(store, thread_of(store, i), process)) {
            starts[thread_of(store, i) + 2]++;
            total++;
        }
    for (uint32_t i = 1; i < threads + 3; i++)
        starts[i] += starts[i - 1];
    grouped->items = malloc(((size_t)total + 1) * sizeof *grouped->items);
    if (!grouped->items)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (is_of(store, thread_of(store, i), process))
            grouped->items[starts[thread_of(store, i) + 1]++] =
                (struct radix_item){radix_key(time_of(store, i)), i};
    bool sorted = true;
    for (uint32_t i = 1; i <= threads && sorted; i++)
        sorted = radix_sort(grouped->items + starts[i], starts[i + 1] - starts[i]);
    return sorted;
}

static bool tell_threads(struct teller *teller, uint32_t process)
{
    struct event_store *store = teller->store;
    struct grouped slices = {0}, instants = {0};
    bool ready =
        group(store, process, store->slices.count, slice_thread, slice_time, &slices) &&
        group(store, process, store->instants.count, instant_thread, instant_time, &instants);
    for (uint32_t i = 1; i <= store->threads.count && ready && !teller->failed; i++) {
        struct radix_item *first = slices.items + slices.starts[i];
        uint32_t count = slices.starts[i + 1] - slices.starts[i];
        sort_equal_starts(store, first, count);
        tell_thread(teller, (struct span){first, count},
                    (struct span){instants.items + instants.starts[i],
                                  instants.starts[i + 1] - instants.starts[i]});
    }
    grouped_fini(&slices);
    grouped_fini(&instants);
    return ready && !teller->failed;
}

/* Operations of the process, waits and overhead apart. */
static uint64_t count_operations(const struct event_store *store, uint32_t process)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < store->gpus.count; i++)
        count +=
            store->gpus.at[i].process == process && store_is_operation(store, &store->gpus.at[i]);
    return count;
}

static void tell_process(const struct event_store *store, uint32_t process,
                         const struct read_sink *sink)
{
    struct read_process told = store->processes.at[process];
    told.gpu_records = count_operations(store, process);
    if (told.gpu_records == 0 &&
        (told.gpu_mode == PROF_GPU_CUPTI || told.gpu_mode == PROF_GPU_OTHER)) {
        told.gpu_mode = PROF_GPU_NONE;
        told.gpu_reason = (struct text){"", 0};
    }
    sink->process(sink->user, &told);
}

static void tell_labels(const struct event_store *store, uint32_t process,
                        const struct read_sink *sink)
{
    for (uint32_t i = 1; i < store->labels.count; i++) {
        struct prof_rec_event_name label;
        memcpy(&label, store->labels.texts[i].bytes, sizeof label);
        label.id = STORE_LABEL | i;
        sink->event_name(sink->user, &label);
    }
    for (uint32_t i = 0; i < store->domains.count; i++)
        if (store->domains.at[i].process == process && store->domains.at[i].name)
            sink->domain(sink->user, &(struct prof_rec_domain){.domain = i + 1,
                                                               .name = store->domains.at[i].name});
    for (uint32_t i = 0; i < store->categories.count; i++)
        if (store->categories.at[i].process == process)
            sink->category(sink->user, &store->categories.at[i].category);
}

static void tell_facts(const struct event_store *store, uint32_t process,
                       const struct read_sink *sink)
{
    tell_process(store, process, sink);
    for (uint32_t i = 1; i < store->names.count; i++)
        sink->name(sink->user, i, store->names.texts[i], store->names.texts[i].size);
    for (uint32_t i = 0; i < store->devices.count; i++)
        if (store->devices.at[i].process == process)
            sink->device(sink->user, &store->devices.at[i].device);
    for (uint32_t i = 0; i < store->contexts.count; i++)
        if (store->contexts.at[i].process == process)
            sink->context(sink->user, &store->contexts.at[i].context);
    for (uint32_t i = 0; i < store->streams.count; i++)
        if (store->streams.at[i].process == process)
            sink->stream(sink->user, &store->streams.at[i].stream);
    tell_labels(store, process, sink);
    for (uint32_t i = 0; i < store->threads.count; i++)
        if (store->threads.at[i].process == process)
            sink->thread(sink->user, i + 1, store->threads.at[i].tid,
                         event_store_text(store, store->threads.at[i].name), false);
    for (uint32_t i = 0; i < store->warnings.count && process == 0; i++) {
        const struct store_warning *warning = &store->warnings.at[i];
        sink->warning(sink->user, (struct text){warning->what, strlen(warning->what)},
                      warning->count);
    }
}

/* What was allocated before the file's first event, which is at time 0. */
static void tell_memory_before(const struct event_store *store, uint32_t process,
                               const struct read_sink *sink)
{
    for (uint32_t i = 0; i < store->memories.count; i++)
        if (store->memories.at[i].before && store->memories.at[i].process == process)
            sink->memory(sink->user, &(struct read_memory){.record = store->memories.at[i].record});
}

static void tell_ranges(const struct event_store *store, uint32_t process,
                        const struct read_sink *sink)
{
    for (uint32_t i = 0; i < store->ranges.count; i++) {
        const struct store_range *range = &store->ranges.at[i];
        if (!is_of(store, range->thread, process))
            continue;
        sink->range_begin(sink->user, range->thread, range->start_ns, range->name, range->id);
        if (range->end_thread)
            sink->range_end(sink->user, range->end_thread, range->end_ns, range->id);
    }
}

/* A record's start of 0 would mean that it has no time: of these, every one has. */
static void set_times(struct read_gpu *gpu, const struct store_gpu *from)
{
    uint64_t start_ns = (uint64_t)from->start_ns + 1, end_ns = (uint64_t)from->end_ns + 1;
    start_ns += start_ns == 0;
    switch (gpu->kind) {
    case READ_GPU_KERNEL:
        gpu->kernel.start_ns = start_ns, gpu->kernel.end_ns = end_ns;
        break;
    case READ_GPU_MEMCPY:
        gpu->memcpy.start_ns = start_ns, gpu->memcpy.end_ns = end_ns;
        break;
    case READ_GPU_MEMSET:
        gpu->memset.start_ns = start_ns, gpu->memset.end_ns = end_ns;
        break;
    case READ_GPU_SYNC:
        gpu->sync.start_ns = start_ns, gpu->sync.end_ns = end_ns;
        break;
    case READ_GPU_OVERHEAD:
        gpu->overhead.start_ns = start_ns, gpu->overhead.end_ns = end_ns;
        break;
    case READ_GPU_GRAPH:
        gpu->graph.start_ns = start_ns, gpu->graph.end_ns = end_ns;
        break;
    }
}

static uint64_t tell_gpus(const struct event_store *store, uint32_t process,
                          const struct read_sink *sink, const uint32_t *numbers)
{
    uint64_t told = 0;
    for (uint32_t i = 0; i < store->gpus.count; i++) {
        const struct store_gpu *from = &store->gpus.at[i];
        if (from->process != process)
            continue;
        struct read_gpu gpu = store->details.at[from->detail];
        gpu.start_ns = from->start_ns;
        gpu.end_ns = from->end_ns;
        gpu.correlation = from->correlation;
        gpu.name = from->name;
        gpu.ambiguous = from->ambiguous;
        gpu.origin = numbers && from->origin ? numbers[from->origin - 1] : 0;
        set_times(&gpu, from);
        sink->gpu(sink->user, &gpu);
        told++;
    }
    return told;
}

bool event_store_tell(struct event_store *store, uint32_t process, const struct read_sink *sink,
                      struct read_health *health)
{
    struct teller teller = {.store = store, .sink = sink};
    if (store->has_origins)
        teller.numbers = calloc((size_t)store->slices.count + 1, sizeof *teller.numbers);
    if (store->has_origins && !teller.numbers)
        return false;
    tell_facts(store, process, sink);
    tell_memory_before(store, process, sink);
    bool told = !store->failed && tell_threads(&teller, process);
    tell_ranges(store, process, sink);
    health->records = teller.told + tell_gpus(store, process, sink, teller.numbers);
    free(teller.numbers);
    if (teller.clipped) {
        static const char what[] = "events cut short: they overlap too many others of their thread";
        sink->warning(sink->user, (struct text){what, sizeof what - 1}, teller.clipped);
    }
    free(teller.open.at);
    free(teller.heap.at);
    return told && !store->failed;
}
