/* build_memory_pair.c - which release ends which allocation.
 *
 * Records of one address come from several threads and, from CUPTI, in any order. So the operations
 * are sorted by whose address it is, address, and time; then each release ends the allocation
 * before it. An address of CUDA's is unique in its process whatever device and kind of memory it is
 * of, so the release need not tell.
 */
#include "build_memory.h"

#include "build.h"
#include "launch_index.h"
#include "radix.h"

#include <stdlib.h>
#include <string.h>

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
    const struct build_memory_op *ops = pairing->builder->memory.ops.at;
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
    end_memory(pairing, open, &builder->memory.ops.at[i]);
    builder->timeline->memories.at[open].flags |= TL_MEMORY_REPLACED;
    pairing->replaced_by[i] = open;
    build_process(builder)->odd.reused_addresses++;
}

/* One operation at the address whose open allocation is `open`; returns what is open then. */
static uint32_t pair_one(struct pairing *pairing, uint32_t i, uint32_t open)
{
    struct builder *builder = pairing->builder;
    const struct build_memory_op *op = &builder->memory.ops.at[i];
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
    struct build_memory_op *ops = pairing->builder->memory.ops.at;
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
    const struct build_memory_op *ops = pairing->builder->memory.ops.at;
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
    uint32_t first = builder->memory.first_memory, next = first;
    uint32_t count = timeline->memories.count - first;
    uint32_t *place = malloc((count + (size_t)1) * sizeof *place);
    struct tl_memory *sorted = malloc((count + (size_t)1) * sizeof *sorted);
    for (uint32_t i = builder->memory.first_event;
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
    uint32_t count = builder->memory.ops.count;
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

bool build_memory_pair(struct builder *builder, const struct launch_index *index)
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
