/* store_tell.c - appends to a timeline what the store gathered about one process.
 *
 * Slices and instants are sorted by (thread, time) when the first process is told. A thread's slices go
 * through a stack of what is open; the rest of one that was cut waits in a heap until its turn.
 */
#include "array.h"
#include "event_store_inside.h"

#include <stdlib.h>
#include <string.h>

/* A slice across very many others' ends would make quadratically many segments: after so many cuts it
 * ends. */
#define CUTS_MAX 64u

/* A slice, or what is left of one. */
struct rest {
    int64_t start_ns, end_ns;
    uint32_t slice;     /* into slices */
    uint32_t continues; /* told before; NOT_CONTINUED the first segment */
    uint32_t cuts;
};

#define NOT_CONTINUED UINT32_MAX

struct open_slice {
    int64_t end_ns;
};

struct teller {
    struct event_store *store;
    struct builder *builder;
    uint32_t told; /* slices of the process */
    uint64_t clipped;
    uint32_t *numbers; /* by slice: 1 + what was told before its first segment; NULL: nobody asks */
    bool failed;
    STORE_ARRAY(struct open_slice) open;
    STORE_ARRAY(struct rest) heap; /* as comes_before() */
};

/* The rest of a slice stays outside of what has begun since the slice did, as if it had not been cut: what
 * is outside is told first. */
static bool comes_before(const struct rest *a, const struct rest *b)
{
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->continues < b->continues;
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

static void tell_segment(struct teller *teller, const struct rest *rest, int64_t end_ns)
{
    const struct event_store *store = teller->store;
    const struct store_slice *slice = &store->slices.at[rest->slice];
    bool first = rest->continues == NOT_CONTINUED;
    struct complete_slice told = {
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
        .flags = (uint8_t)(slice->flags | (first ? 0 : SLICE_CONTINUED)),
    };
    /* only the last segment is without an end */
    if (end_ns < rest->end_ns)
        told.flags &= (uint8_t)~SLICE_UNCLOSED;
    timeline_append_slice(teller->builder, &told);
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
    tell_segment(teller, &rest, end_ns);
    if (end_ns == rest.end_ns)
        return;
    if (rest.cuts < CUTS_MAX)
        heap_push(teller,
                  (struct rest){end_ns, rest.end_ns, rest.slice, teller->told - 1, rest.cuts + 1});
    else
        teller->clipped++;
}

static void tell_memory(const struct event_store *store, struct builder *builder,
                        const struct store_instant *instant)
{
    const struct store_memory *memory = &store->memories.at[instant->name];
    const struct memory_op *record = &memory->record;
    if (memory->allocator && record->operation == PROF_MEMORY_RELEASE)
        timeline_append_release(builder, instant->thread, instant->time_ns, memory->allocator,
                                record->address);
    else if (memory->allocator)
        timeline_append_alloc(
            builder, instant->thread, instant->time_ns,
            &(struct heap_allocation){record->address, record->bytes, memory->allocator});
    else
        timeline_append_memory(builder, &(struct memory_event){.time_ns = instant->time_ns,
                                                               .thread = instant->thread,
                                                               .record = *record});
}

static void tell_instant(struct teller *teller, const struct store_instant *instant)
{
    struct builder *builder = teller->builder;
    switch (instant->kind) {
    case STORE_MARK:
        timeline_append_mark(builder, instant->thread, instant->time_ns, instant->name);
        break;
    case STORE_COUNTER:
        timeline_append_counter(builder, instant->thread, instant->time_ns, instant->name,
                                instant->value);
        break;
    case STORE_MEMORY:
        tell_memory(teller->store, builder, instant);
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

static void tell_threads(struct teller *teller, uint32_t process)
{
    const struct store_index *index = teller->store->index;
    struct store_group threads = store_group(&index->threads, process);
    for (uint32_t i = 0; i < threads.count && !teller->failed; i++) {
        uint32_t thread = threads.at[i] + 1;
        const uint32_t *slices = index->slices.starts + thread,
                       *instants = index->instants.starts + thread;
        tell_thread(teller, (struct span){index->slices.items + slices[0], slices[1] - slices[0]},
                    (struct span){index->instants.items + instants[0], instants[1] - instants[0]});
    }
}

/* Operations of the process, waits and overhead apart. */
static uint64_t count_operations(const struct event_store *store, uint32_t process)
{
    struct store_group gpus = store_group(&store->index->gpus, process);
    uint64_t count = 0;
    for (uint32_t i = 0; i < gpus.count; i++)
        count += store_is_operation(store, &store->gpus.at[gpus.at[i]]);
    return count;
}

static void tell_process(const struct event_store *store, uint32_t process, struct builder *builder)
{
    struct tl_process_info told = store->processes.at[process];
    told.gpu_records = count_operations(store, process);
    if (told.gpu_records == 0 &&
        (told.gpu_mode == PROF_GPU_CUPTI || told.gpu_mode == PROF_GPU_OTHER)) {
        told.gpu_mode = PROF_GPU_NONE;
        told.gpu_reason = (struct text){"", 0};
    }
    timeline_set_process(builder, &told);
}

/* Of a process only the names that it uses are told: there may be as many processes as names. The stamps
 * are of the telling that a name or label was part of last. */
struct naming {
    const struct event_store *store;
    struct builder *builder;
    uint32_t *names, *labels;
    uint32_t stamp;
};

static bool stamp(uint32_t *stamps, uint32_t number, uint32_t stamp)
{
    bool is_new = stamps[number] != stamp;
    stamps[number] = stamp;
    return is_new;
}

static void use_name(const struct naming *naming, uint32_t name)
{
    const struct event_store *store = naming->store;
    if (name && name <= store->names.count && stamp(naming->names, name, naming->stamp))
        timeline_define_name(naming->builder, name, text_pool_text(&store->names, name));
}

static void use_label(const struct naming *naming, uint32_t number)
{
    const struct event_store *store = naming->store;
    struct event_name label;
    if (number > store->labels.count || !stamp(naming->labels, number, naming->stamp))
        return;
    memcpy(&label, text_pool_text(&store->labels, number).bytes, sizeof label);
    use_name(naming, label.name);
    label.id = STORE_LABEL | number;
    timeline_define_event_name(naming->builder, &label);
}

static void use(const struct naming *naming, uint32_t name)
{
    if (name & STORE_LABEL)
        use_label(naming, name & ~STORE_LABEL);
    else
        use_name(naming, name);
}

static void use_slice(const struct naming *naming, const struct store_slice *slice)
{
    use(naming, slice->name);
    for (uint32_t i = 0; i < slice->attr_count; i++) {
        const struct event_attr *attr = &naming->store->attrs.at[slice->first_attr + i];
        use_name(naming, attr->key);
        if (attr->type == PROF_ATTR_STRING)
            use_name(naming, (uint32_t)attr->value);
    }
}

static void use_thread(const struct naming *naming, uint32_t thread)
{
    const struct event_store *store = naming->store;
    const uint32_t *slices = store->index->slices.starts + thread,
                   *instants = store->index->instants.starts + thread;
    for (uint32_t i = slices[0]; i < slices[1]; i++)
        use_slice(naming, &store->slices.at[store->index->slices.items[i].value]);
    for (uint32_t i = instants[0]; i < instants[1]; i++) {
        const struct store_instant *instant =
            &store->instants.at[store->index->instants.items[i].value];
        if (instant->kind != STORE_MEMORY)
            use(naming, instant->name);
    }
}

static void use_gpu(const struct naming *naming, const struct store_gpu *gpu)
{
    const struct read_gpu *detail = &naming->store->details.at[gpu->detail];
    use_name(naming, gpu->name);
    if (detail->kind == READ_GPU_KERNEL)
        use_name(naming, detail->kernel.name);
}

static void tell_names(struct event_store *store, uint32_t process, struct builder *builder)
{
    struct naming naming = {store, builder, store->index->names, store->index->labels,
                            ++store->index->tellings};
    struct store_group threads = store_group(&store->index->threads, process),
                       ranges = store_group(&store->index->ranges, process),
                       gpus = store_group(&store->index->gpus, process);
    for (uint32_t i = 0; i < store->devices.count; i++)
        if (store->devices.at[i].process == process)
            use_name(&naming, store->devices.at[i].device.name);
    for (uint32_t i = 0; i < store->domains.count; i++)
        if (store->domains.at[i].process == process)
            use_name(&naming, store->domains.at[i].name);
    for (uint32_t i = 0; i < store->categories.count; i++)
        if (store->categories.at[i].process == process)
            use_name(&naming, store->categories.at[i].category.name);
    for (uint32_t i = 0; i < store->allocators.count; i++)
        if (store->allocators.at[i].process == process)
            use_name(&naming, store->allocators.at[i].name);
    for (uint32_t i = 0; i < threads.count; i++)
        use_thread(&naming, threads.at[i] + 1);
    for (uint32_t i = 0; i < ranges.count; i++)
        use(&naming, store->ranges.at[ranges.at[i]].name);
    for (uint32_t i = 0; i < gpus.count; i++)
        use_gpu(&naming, &store->gpus.at[gpus.at[i]]);
}

static void tell_domains(const struct event_store *store, uint32_t process, struct builder *builder)
{
    for (uint32_t i = 0; i < store->domains.count; i++)
        if (store->domains.at[i].process == process && store->domains.at[i].name)
            timeline_define_domain(
                builder, &(struct nvtx_domain){.domain = i + 1, .name = store->domains.at[i].name});
    for (uint32_t i = 0; i < store->categories.count; i++)
        if (store->categories.at[i].process == process)
            timeline_define_category(builder, &store->categories.at[i].category);
}

static void tell_facts(struct event_store *store, uint32_t process, struct builder *builder)
{
    struct store_group threads = store_group(&store->index->threads, process);
    tell_process(store, process, builder);
    tell_names(store, process, builder);
    for (uint32_t i = 0; i < store->devices.count; i++)
        if (store->devices.at[i].process == process)
            timeline_define_device(builder, &store->devices.at[i].device);
    for (uint32_t i = 0; i < store->contexts.count; i++)
        if (store->contexts.at[i].process == process)
            timeline_define_context(builder, &store->contexts.at[i].context);
    for (uint32_t i = 0; i < store->streams.count; i++)
        if (store->streams.at[i].process == process)
            timeline_define_stream(builder, &store->streams.at[i].stream);
    tell_domains(store, process, builder);
    for (uint32_t i = 0; i < store->allocators.count; i++)
        if (store->allocators.at[i].process == process)
            timeline_define_allocator(builder, i + 1, store->allocators.at[i].name);
    for (uint32_t i = 0; i < threads.count; i++) {
        const struct store_thread *thread = &store->threads.at[threads.at[i]];
        timeline_define_thread(builder, threads.at[i] + 1, thread->tid,
                               event_store_text(store, thread->name), false);
    }
    for (uint32_t i = 0; i < store->warnings.count && process == 0; i++) {
        const struct store_warning *warning = &store->warnings.at[i];
        timeline_add_warning(builder, (struct text){warning->what, strlen(warning->what)},
                             warning->count);
    }
}

/* The first of a thread's items, INT64_MAX without any. */
static int64_t first_slice_ns(const struct event_store *store, uint32_t thread)
{
    const struct store_sorted *sorted = &store->index->slices;
    const uint32_t *starts = sorted->starts + thread;
    return starts[0] == starts[1] ? INT64_MAX
                                  : store->slices.at[sorted->items[starts[0]].value].start_ns;
}

static int64_t first_instant_ns(const struct event_store *store, uint32_t thread)
{
    const struct store_sorted *sorted = &store->index->instants;
    const uint32_t *starts = sorted->starts + thread;
    return starts[0] == starts[1] ? INT64_MAX
                                  : store->instants.at[sorted->items[starts[0]].value].time_ns;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When the process's first event was; 0 without any. */
static int64_t first_event_ns(const struct event_store *store, uint32_t process)
{
    const struct store_index *index = store->index;
    int64_t first = INT64_MAX;
    struct store_group threads = store_group(&index->threads, process);
    for (uint32_t i = 0; i < threads.count; i++)
        first = earlier(first, earlier(first_slice_ns(store, threads.at[i] + 1),
                                       first_instant_ns(store, threads.at[i] + 1)));
    struct store_group ranges = store_group(&index->ranges, process);
    for (uint32_t i = 0; i < ranges.count; i++)
        first = earlier(first, store->ranges.at[ranges.at[i]].start_ns);
    struct store_group gpus = store_group(&index->gpus, process);
    for (uint32_t i = 0; i < gpus.count; i++)
        first = earlier(first, store->gpus.at[gpus.at[i]].start_ns);
    return first == INT64_MAX ? 0 : first;
}

/* What no thread is known of. What was allocated before the process's first event counts from that on, so that
 * its time is that of its events. */
static void tell_memory_apart(const struct event_store *store, uint32_t process,
                              struct builder *builder)
{
    int64_t first_ns = 0;
    bool known = false;
    for (uint32_t i = 0; i < store->memories.count; i++) {
        const struct store_memory *memory = &store->memories.at[i];
        bool at_start = memory->place == STORE_AT_START;
        if (memory->place == STORE_IN_THREAD || memory->process != process)
            continue;
        if (at_start && !known)
            known = true, first_ns = first_event_ns(store, process);
        timeline_append_memory(
            builder, &(struct memory_event){.time_ns = at_start ? first_ns : memory->time_ns,
                                            .correlation = memory->correlation,
                                            .record = memory->record});
    }
}

static void tell_ranges(const struct event_store *store, uint32_t process, struct builder *builder)
{
    struct store_group ranges = store_group(&store->index->ranges, process);
    for (uint32_t i = 0; i < ranges.count; i++) {
        const struct store_range *range = &store->ranges.at[ranges.at[i]];
        timeline_begin_async(builder, range->thread, range->start_ns, range->name, range->id);
        if (range->end_thread)
            timeline_end_async(builder, range->end_thread, range->end_ns, range->id);
    }
}

static uint64_t tell_gpus(const struct event_store *store, uint32_t process,
                          struct builder *builder, const uint32_t *numbers)
{
    struct store_group gpus = store_group(&store->index->gpus, process);
    for (uint32_t i = 0; i < gpus.count; i++) {
        const struct store_gpu *from = &store->gpus.at[gpus.at[i]];
        struct read_gpu gpu = store->details.at[from->detail];
        gpu.start_ns = from->start_ns;
        gpu.end_ns = from->end_ns;
        gpu.correlation = from->correlation;
        gpu.name = from->name;
        gpu.ambiguous = from->ambiguous;
        gpu.origin = numbers && from->origin ? numbers[from->origin - 1] : 0;
        timeline_append_gpu(builder, &gpu);
    }
    return gpus.count;
}

bool event_store_append(struct event_store *store, uint32_t process, struct builder *builder,
                        struct tl_health *health)
{
    struct teller teller = {.store = store, .builder = builder};
    if (!store->index && !store_index(store))
        return false;
    teller.numbers = store->index->numbers;
    tell_facts(store, process, builder);
    tell_memory_apart(store, process, builder);
    tell_threads(&teller, process);
    tell_ranges(store, process, builder);
    health->records = teller.told + tell_gpus(store, process, builder, teller.numbers);
    if (teller.clipped) {
        static const char what[] = "events cut short: they overlap too many others of their thread";
        timeline_add_warning(builder, (struct text){what, sizeof what - 1}, teller.clipped);
    }
    free(teller.open.at);
    free(teller.heap.at);
    return !teller.failed && !store->failed;
}
