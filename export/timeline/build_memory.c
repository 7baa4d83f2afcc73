/* build_memory.c - allocations to their ends, and pools. */
#include "build_unordered.h"

#include "array.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* An allocation or a release, as in the file. */
struct build_memory_op {
    int64_t time_ns;
    uint64_t address, bytes;
    uint64_t pool, pool_bytes;
    uint32_t space; /* whose addresses: 0 CUDA's, else an allocator's number */
    uint32_t heap;  /* of an allocation */
    uint32_t slice; /* TL_NONE: to be found by correlation */
    uint32_t thread;
    uint32_t correlation;
    uint32_t flags;
    bool is_end;
};

/* What is known of a pool at a moment. */
struct build_pool_state {
    int64_t time_ns;
    uint64_t address, bytes, used_bytes, release_threshold;
    uint32_t device;
    uint8_t operation; /* as pool_event.operation; 0: known from an allocation */
    uint8_t type;
};

struct build_memory {
    TL_ARRAY(struct build_memory_op) ops;
    TL_ARRAY(struct build_pool_state) pools;
    struct keymap heaps;  /* allocator, or kind and device -> heaps[] */
    struct keymap living; /* address -> pools[]: the newest pool there */
};

BUILD_PART(memory, free(memory->ops.at), free(memory->pools.at), keymap_fini(&memory->heaps),
           keymap_fini(&memory->living))

void build_memory_move(struct builder *builder, const struct build_places *places)
{
    for (uint32_t i = 0; i < builder->memory->ops.count; i++) {
        struct build_memory_op *op = &builder->memory->ops.at[i];
        op->slice = build_moved(places, op->slice);
    }
}

#define UNKNOWN_DEVICE UINT16_MAX
#define ALLOCATOR_KEY (UINT64_C(1) << 63)

static const char *const kind_names[] = {"unknown", "pageable", "pinned",        "device",
                                         "array",   "managed",  "device static", "managed static"};
#define KINDS (sizeof kind_names / sizeof *kind_names)

static bool is_host(uint8_t kind)
{
    return kind == 1 || kind == 2;
}

static uint32_t add_heap(struct builder *builder, uint64_t key, struct tl_heap heap)
{
    struct timeline *timeline = builder->timeline;
    struct tl_heap *added = ARRAY_ADD(&timeline->heaps);
    if (!added || !keymap_set(&builder->memory->heaps, key, timeline->heaps.count - 1)) {
        builder->failed = true;
        return TL_NONE;
    }
    *added = heap;
    return timeline->heaps.count - 1;
}

static uint32_t cuda_heap(struct builder *builder, uint8_t kind, uint32_t device)
{
    uint64_t key = (uint64_t)kind << 32 | device;
    uint32_t known = keymap_find(&builder->memory->heaps, key);
    if (known != KEYMAP_NONE)
        return known;
    uint32_t name =
        text_pool_format(&builder->timeline->names, "%s", kind_names[kind < KINDS ? kind : 0]);
    return add_heap(builder, key,
                    (struct tl_heap){
                        .process = builder->process, .device = device, .name = name, .kind = kind});
}

static uint32_t allocator_heap(struct builder *builder, uint32_t allocator)
{
    uint64_t key = ALLOCATOR_KEY | allocator;
    uint32_t known = keymap_find(&builder->memory->heaps, key);
    if (known != KEYMAP_NONE)
        return known;
    build_process(builder)->odd.missing_names++;
    uint32_t name = text_pool_format(&builder->timeline->names, "allocator %u", allocator);
    return add_heap(
        builder, key,
        (struct tl_heap){
            .process = builder->process, .device = TL_NONE, .allocator = allocator, .name = name});
}

/* Whether one of the words that PyTorch calls types of devices stands at the end of the text. */
static bool ends_in_device(struct text text)
{
    static const char *const words[] = {" cuda:", " hip:", " npu:", " xpu:", "PyTorch device "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t size = strlen(words[i]);
        if (text.size >= size && !memcmp(text.bytes + text.size - size, words[i], size))
            return true;
    }
    return false;
}

/* "PyTorch cuda:0" hands out memory of device 0. */
static uint32_t device_of_allocator(struct text name)
{
    size_t digits = 0;
    uint32_t device = 0;
    while (digits < name.size && digits < 4 && isdigit((uint8_t)name.bytes[name.size - 1 - digits]))
        digits++;
    const char *at = name.bytes + name.size - digits;
    if (!digits || !ends_in_device((struct text){name.bytes, name.size - digits}))
        return TL_NONE;
    while (at < name.bytes + name.size)
        device = device * 10 + (uint32_t)(*at++ - '0');
    return device;
}

/* Stated again in a file that grows: the first counts. */
void builder_define_allocator(struct builder *builder, uint32_t allocator, uint32_t name)
{
    uint64_t key = ALLOCATOR_KEY | allocator;
    if (builder->failed || keymap_find(&builder->memory->heaps, key) != KEYMAP_NONE)
        return;
    uint32_t text = build_name(builder, name);
    add_heap(builder, key,
             (struct tl_heap){.process = builder->process,
                              .device = device_of_allocator(builder->timeline->names.at[text]),
                              .allocator = allocator,
                              .name = text});
}

static struct build_memory_op *add_op(struct builder *builder)
{
    struct build_memory_op *op = builder->failed ? NULL : ARRAY_ADD(&builder->memory->ops);
    builder->failed |= !op;
    return op;
}

static uint32_t device_of(struct builder *builder, uint16_t device, uint32_t context)
{
    if (device != UNKNOWN_DEVICE)
        return device;
    return build_context_device(builder, context);
}

static void note_pool(struct builder *builder, const struct memory_event *memory)
{
    const struct memory_op *record = &memory->record;
    struct build_pool_state *state = ARRAY_ADD(&builder->memory->pools);
    if (!state) {
        builder->failed = true;
        return;
    }
    *state = (struct build_pool_state){
        .time_ns = build_time(builder, memory->time_ns),
        .address = record->pool,
        .bytes = record->pool_bytes,
        .used_bytes = record->pool_used_bytes,
        .release_threshold = record->pool_release_threshold,
        .device = device_of(builder, record->device, record->context),
        .type = record->pool_type,
    };
}

/* Innermost of whatever is open on the thread by then. */
static uint32_t innermost(struct builder *builder, uint32_t thread, int64_t time_ns)
{
    struct build_thread *stack = build_stack(builder, thread);
    build_whole_advance(builder, stack, time_ns);
    return stack->stack.count ? stack->stack.at[stack->stack.count - 1].slice : TL_NONE;
}

void builder_append_memory(struct builder *builder, const struct memory_event *memory)
{
    const struct memory_op *record = &memory->record;
    bool is_end = record->operation == PROF_MEMORY_RELEASE;
    uint32_t thread =
        memory->thread && !builder->failed ? build_thread_of(builder, memory->thread) : TL_NONE;
    uint32_t device = device_of(builder, record->device, record->context);
    uint32_t heap = is_end || builder->failed ? TL_NONE
                                              : cuda_heap(builder, record->kind,
                                                          is_host(record->kind) ? TL_NONE : device);
    struct build_memory_op *op = add_op(builder);
    if (!op)
        return;
    int64_t time_ns = build_time(builder, memory->time_ns);
    *op = (struct build_memory_op){
        .time_ns = time_ns,
        .address = record->address,
        .bytes = record->bytes,
        .pool = record->pool,
        .pool_bytes = record->pool_bytes,
        .heap = heap,
        .slice = thread == TL_NONE ? TL_NONE : innermost(builder, thread, time_ns),
        .thread = thread,
        .correlation = memory->correlation,
        .flags = (record->flags & PROF_MEMORY_ASYNC ? TL_MEMORY_ASYNC : 0) |
                 (record->flags & PROF_MEMORY_FROM_CALL ? TL_MEMORY_FROM_CALL : 0),
        .is_end = is_end,
    };
    if (record->pool)
        note_pool(builder, memory);
}

void builder_append_memory_pool(struct builder *builder, const struct pool_event *pool)
{
    struct build_pool_state *state = ARRAY_ADD(&builder->memory->pools);
    if (!state) {
        builder->failed = true;
        return;
    }
    *state = (struct build_pool_state){
        .time_ns = build_time(builder, pool->time_ns),
        .address = pool->pool,
        .bytes = pool->bytes,
        .used_bytes = pool->used_bytes,
        .release_threshold = pool->release_threshold,
        .device = device_of(builder, pool->device, 0),
        .operation = pool->operation,
        .type = pool->pool_type,
    };
}

static struct build_memory_op *add_own_op(struct builder *builder, uint32_t number, int64_t time_ns,
                                          uint32_t allocator, uint64_t address)
{
    uint32_t thread = builder->failed ? TL_NONE : build_thread_of(builder, number);
    struct build_memory_op *op = thread == TL_NONE ? NULL : add_op(builder);
    if (!op)
        return NULL;
    time_ns = build_time(builder, time_ns);
    *op = (struct build_memory_op){
        .time_ns = time_ns,
        .address = address,
        .space = allocator,
        .heap = TL_NONE,
        .slice = innermost(builder, thread, time_ns),
        .thread = thread,
    };
    return op;
}

void builder_append_alloc(struct builder *builder, uint32_t number, int64_t time_ns,
                          const struct heap_allocation *alloc)
{
    uint32_t heap = builder->failed ? TL_NONE : allocator_heap(builder, alloc->allocator);
    struct build_memory_op *op =
        add_own_op(builder, number, time_ns, alloc->allocator, alloc->address);
    if (!op)
        return;
    op->bytes = alloc->bytes;
    op->heap = heap;
    build_blocks_alloc(builder, op->time_ns, op->thread, heap, alloc->bytes);
}

void builder_append_release(struct builder *builder, uint32_t number, int64_t time_ns,
                            uint32_t allocator, uint64_t address)
{
    struct build_memory_op *op = add_own_op(builder, number, time_ns, allocator, address);
    if (op)
        op->is_end = true;
}

/* Memory pools: made, used, trimmed, gone. A pool made at the address of one that
 * is gone is another pool. */

enum { POOL_CREATED = 1, POOL_DESTROYED = 2, POOL_TRIMMED = 3 };

static struct tl_pool *add_pool(struct builder *builder, const struct build_pool_state *state)
{
    struct timeline *timeline = builder->timeline;
    struct tl_pool *pool = ARRAY_ADD(&timeline->pools);
    if (!pool || !keymap_set(&builder->memory->living, state->address, timeline->pools.count - 1)) {
        builder->failed = true;
        return NULL;
    }
    *pool = (struct tl_pool){.process = builder->process,
                             .device = state->device,
                             .address = state->address,
                             .start_ns = INT64_MIN,
                             .end_ns = INT64_MAX,
                             .type = state->type};
    return pool;
}

/* The pool that was at `address`; TL_NONE. */
static uint32_t build_pool_at(const struct builder *builder, uint64_t address)
{
    uint32_t found = keymap_find(&builder->memory->living, address);
    return found == KEYMAP_NONE ? TL_NONE : found;
}

/* NULL: no memory. */
static struct tl_pool *pool_of(struct builder *builder, const struct build_pool_state *state)
{
    uint32_t known = build_pool_at(builder, state->address);
    bool is_gone = known != TL_NONE && builder->timeline->pools.at[known].end_ns != INT64_MAX;
    if (known != TL_NONE && !(is_gone && state->operation == POOL_CREATED))
        return &builder->timeline->pools.at[known];
    return add_pool(builder, state);
}

static void apply_state(struct builder *builder, const struct build_pool_state *state)
{
    struct tl_pool *pool = pool_of(builder, state);
    if (!pool)
        return;
    if (state->operation == POOL_CREATED)
        pool->start_ns = state->time_ns;
    if (state->operation == POOL_DESTROYED)
        pool->end_ns = state->time_ns;
    pool->trims += state->operation == POOL_TRIMMED;
    pool->release_threshold = state->release_threshold;
    pool->last_bytes = state->bytes;
    pool->last_used_bytes = state->used_bytes;
    if (state->bytes > pool->peak_bytes)
        pool->peak_bytes = state->bytes;
    if (state->used_bytes > pool->peak_used_bytes)
        pool->peak_used_bytes = state->used_bytes;
}

static bool build_pools(struct builder *builder)
{
    uint32_t count = builder->memory->pools.count;
    struct radix_item *items = malloc((count + (size_t)1) * sizeof *items);
    for (uint32_t i = 0; i < count && items; i++)
        items[i] = (struct radix_item){radix_key(builder->memory->pools.at[i].time_ns), i};
    bool sorted = items && radix_sort(items, count);
    for (uint32_t i = 0; i < count && sorted && !builder->failed; i++)
        apply_state(builder, &builder->memory->pools.at[items[i].value]);
    free(items);
    return sorted && !builder->failed;
}

/* Which release ends which allocation.
 *
 * Records of one address come from several threads and, from CUPTI, in any order. So the operations
 * are sorted by whose address it is, address, and time; then each release ends the allocation
 * before it. An address of CUDA's is unique in its process for all devices and kinds of memory, so
 * the release need not name them.
 */

/* How much later than the record its call may seem to begin: two readings of one clock, by two
 * paths. */
#define CALL_LATER_NS 100000

struct pairing {
    struct builder *builder;
    struct radix_item *items; /* operations, sorted */
    uint32_t *memory_of;      /* by operation: its allocation, into memories[]; TL_NONE */
    uint32_t *replaced_by;    /* by operation: the allocation that it ends by taking its address */
    uint32_t count;
};

static bool sort_by(struct pairing *pairing, uint64_t (*key_of)(const struct build_memory_op *op))
{
    const struct build_memory_op *ops = pairing->builder->memory->ops.at;
    for (uint32_t i = 0; i < pairing->count; i++)
        pairing->items[i].key = key_of(&ops[pairing->items[i].value]);
    return radix_sort(pairing->items, pairing->count);
}

static uint64_t key_time(const struct build_memory_op *op)
{
    return radix_key(op->time_ns);
}

static uint64_t key_address(const struct build_memory_op *op)
{
    return op->address;
}

static uint64_t key_space(const struct build_memory_op *op)
{
    return op->space;
}

static void number_items(struct pairing *pairing)
{
    for (uint32_t i = 0; i < pairing->count; i++)
        pairing->items[i] = (struct radix_item){0, i};
}

/* The call, through its id. Returns false for libprof's own memory. */
static bool find_call(struct builder *builder, const struct launch_index *index,
                      struct build_memory_op *op)
{
    const struct timeline *timeline = builder->timeline;
    if (op->space == 0 && op->correlation)
        op->slice = launch_index_find(index, op->correlation, op->time_ns + CALL_LATER_NS);
    if (op->slice == TL_NONE)
        return true;
    if (op->thread == TL_NONE)
        op->thread = timeline->slices.at[op->slice].thread;
    return !(timeline->slices.at[op->slice].flags & TL_INTERNAL);
}

static uint32_t begin_memory(struct pairing *pairing, const struct build_memory_op *op)
{
    struct timeline *timeline = pairing->builder->timeline;
    struct tl_memory *memory = ARRAY_ADD(&timeline->memories);
    if (!memory) {
        pairing->builder->failed = true;
        return TL_NONE;
    }
    *memory = (struct tl_memory){
        .start_ns = op->time_ns,
        .end_ns = TL_MEMORY_LIVE,
        .address = op->address,
        .bytes = op->bytes,
        .heap = op->heap,
        .slice = op->slice,
        .end_slice = TL_NONE,
        .thread = op->thread,
        .end_thread = TL_NONE,
        .pool = op->pool ? build_pool_at(pairing->builder, op->pool) : TL_NONE,
        .flags = op->flags,
    };
    return timeline->memories.count - 1;
}

static void end_memory(struct pairing *pairing, uint32_t index, const struct build_memory_op *op)
{
    struct tl_memory *memory = &pairing->builder->timeline->memories.at[index];
    memory->end_ns = op->time_ns;
    memory->end_slice = op->slice;
    memory->end_thread = op->thread;
}

/* An allocation at an address that is in use: the release between the two is not in the trace. */
static void replace(struct pairing *pairing, uint32_t open, uint32_t i)
{
    struct builder *builder = pairing->builder;
    end_memory(pairing, open, &builder->memory->ops.at[i]);
    builder->timeline->memories.at[open].flags |= TL_MEMORY_REPLACED;
    pairing->replaced_by[i] = open;
    build_process(builder)->odd.reused_addresses++;
}

/* One operation at the address whose open allocation is `open`; returns what is open then. */
static uint32_t pair_one(struct pairing *pairing, uint32_t i, uint32_t open)
{
    struct builder *builder = pairing->builder;
    const struct build_memory_op *op = &builder->memory->ops.at[i];
    if (op->is_end && open == TL_NONE) {
        build_process(builder)->odd.unknown_frees++;
        return TL_NONE;
    }
    if (op->is_end) {
        end_memory(pairing, open, op);
        pairing->memory_of[i] = open;
        return TL_NONE;
    }
    if (open != TL_NONE)
        replace(pairing, open, i);
    pairing->memory_of[i] = begin_memory(pairing, op);
    return op->address ? pairing->memory_of[i] : TL_NONE;
}

static void pair_all(struct pairing *pairing, const struct launch_index *index)
{
    struct build_memory_op *ops = pairing->builder->memory->ops.at;
    const struct build_memory_op *before = NULL;
    uint32_t open = TL_NONE;
    for (uint32_t n = 0; n < pairing->count && !pairing->builder->failed; n++) {
        uint32_t i = pairing->items[n].value;
        if (!find_call(pairing->builder, index, &ops[i]))
            continue;
        if (!before || before->space != ops[i].space || before->address != ops[i].address)
            open = TL_NONE;
        open = pair_one(pairing, i, open);
        before = &ops[i];
    }
}

static void add_event(struct pairing *pairing, uint32_t memory, const struct build_memory_op *op,
                      bool is_end)
{
    struct tl_memory_event *event = ARRAY_ADD(&pairing->builder->timeline->memory_events);
    if (event)
        *event = (struct tl_memory_event){op->time_ns, op->pool_bytes, memory, is_end};
    else
        pairing->builder->failed = true;
}

/* The items are in the order of time again. */
static void list_events(struct pairing *pairing)
{
    const struct build_memory_op *ops = pairing->builder->memory->ops.at;
    for (uint32_t n = 0; n < pairing->count && !pairing->builder->failed; n++) {
        uint32_t i = pairing->items[n].value;
        if (pairing->replaced_by[i] != TL_NONE)
            add_event(pairing, pairing->replaced_by[i], &ops[i], true);
        if (pairing->memory_of[i] != TL_NONE)
            add_event(pairing, pairing->memory_of[i], &ops[i], ops[i].is_end);
    }
}

/* Allocations were appended by address; in the order of their begin, readers find them by time. */
static bool sort_memories(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    uint32_t first = builder->first.memories, next = first;
    uint32_t count = timeline->memories.count - first;
    uint32_t *place = malloc((count + (size_t)1) * sizeof *place);
    struct tl_memory *sorted = malloc((count + (size_t)1) * sizeof *sorted);
    for (uint32_t i = builder->first.memory_events;
         i < timeline->memory_events.count && place && sorted; i++) {
        struct tl_memory_event *event = &timeline->memory_events.at[i];
        if (!event->is_end) {
            sorted[next - first] = timeline->memories.at[event->memory];
            place[event->memory - first] = next++;
        }
        event->memory = place[event->memory - first];
    }
    if (place && sorted && count)
        memcpy(&timeline->memories.at[first], sorted, count * sizeof *sorted);
    bool done = place && sorted;
    free(place);
    free(sorted);
    return done;
}

static bool pairing_init(struct pairing *pairing, struct builder *builder)
{
    uint32_t count = builder->memory->ops.count;
    *pairing = (struct pairing){.builder = builder, .count = count};
    pairing->items = malloc((count + (size_t)1) * sizeof *pairing->items);
    pairing->memory_of = malloc((count + (size_t)1) * sizeof *pairing->memory_of);
    pairing->replaced_by = malloc((count + (size_t)1) * sizeof *pairing->replaced_by);
    if (!pairing->items || !pairing->memory_of || !pairing->replaced_by)
        return false;
    memset(pairing->memory_of, 0xff, count * sizeof *pairing->memory_of);
    memset(pairing->replaced_by, 0xff, count * sizeof *pairing->replaced_by);
    return true;
}

static bool build_memory_pair(struct builder *builder, const struct launch_index *index)
{
    struct pairing pairing;
    bool done = pairing_init(&pairing, builder);
    if (done) {
        number_items(&pairing);
        done = sort_by(&pairing, key_time) && sort_by(&pairing, key_address) &&
               sort_by(&pairing, key_space);
    }
    if (done) {
        pair_all(&pairing, index);
        number_items(&pairing);
        done = sort_by(&pairing, key_time);
    }
    if (done)
        list_events(&pairing);
    free(pairing.items);
    free(pairing.memory_of);
    free(pairing.replaced_by);
    return done && !builder->failed && sort_memories(builder);
}

/* Few heaps. */
static void mark_passed_on(struct builder *builder)
{
    struct tl_heap *heaps = builder->timeline->heaps.at;
    uint32_t first = builder->first.heaps, count = builder->timeline->heaps.count;
    for (uint32_t i = first; i < count; i++)
        for (uint32_t j = first; heaps[i].allocator && heaps[i].device != TL_NONE && j < count; j++)
            heaps[j].is_passed_on |= !heaps[j].allocator && heaps[j].device == heaps[i].device;
}

bool build_memory_end(struct builder *builder)
{
    struct launch_index index;
    mark_passed_on(builder);
    if (builder->memory->ops.count == 0)
        return build_pools(builder) && build_migrations(builder);
    if (!build_pools(builder) || !launch_index_init(&index, builder))
        return false;
    bool paired = build_memory_pair(builder, &index);
    launch_index_fini(&index);
    return paired && build_migrations(builder);
}
