/* kineto_memory.c - see kineto_memory.h. */
#include "kineto_memory.h"

#include "number_map.h"

#include <stdlib.h>
#include <string.h>

/* Stand for addresses that the file does not say; beyond all that a program has. */
#define OWN_ADDRESSES (UINT64_C(1) << 60)

#define KIND_PAGEABLE 1u /* as prof_rec_memory.kind */
#define KIND_DEVICE 3u

/* One allocator: of a process and a device, or of the process's host memory. */
struct heap {
    uint32_t process;
    uint16_t device;
    bool is_host;
    bool has_total;
    int64_t before;         /* bytes that were allocated before the first event */
    struct number_map live; /* address -> 1 allocated, 0 released */
    struct number_map last; /* bytes -> the latest live allocation without an address, 1 + index */
};

struct heaps {
    struct event_store *store;
    struct kineto_memory *memory;
    struct heap *at;
    uint32_t count, capacity;
    bool failed;
};

void kineto_memory_fini(struct kineto_memory *memory)
{
    free(memory->at);
    memset(memory, 0, sizeof *memory);
}

bool kineto_memory_is(const struct kineto_event *event)
{
    static const char name[] = "[memory]";
    return event->name.size == sizeof name - 1 &&
           memcmp(event->name.bytes, name, sizeof name - 1) == 0 &&
           kineto_has(&event->args, KINETO_MEMORY_BYTES);
}

bool kineto_memory_add(struct kineto_memory *memory, const struct kineto_event *event,
                       int64_t time_ns, uint32_t thread)
{
    const struct kineto_args *args = &event->args;
    struct kineto_memory_op *op = ARRAY_ADD(memory);
    if (!op)
        return false;
    int64_t device = kineto_number(args, KINETO_MEMORY_DEVICE, -1);
    int64_t address = kineto_number(args, KINETO_ADDRESS, 0);
    *op = (struct kineto_memory_op){
        .time_ns = time_ns,
        .bytes = args->at[KINETO_MEMORY_BYTES].number,
        .total = kineto_number(args, KINETO_MEMORY_TOTAL, -1),
        .address = address > 0 && (uint64_t)address < OWN_ADDRESSES ? (uint64_t)address : 0,
        .thread = thread,
        .device = (uint16_t)(device < 0 || device > UINT16_MAX ? UINT16_MAX : device),
        .is_host = kineto_number(args, KINETO_MEMORY_TYPE, 0) == 0,
    };
    return true;
}

static struct heap *heap_of(struct heaps *heaps, const struct kineto_memory_op *op)
{
    uint32_t process = event_store_thread_process(heaps->store, op->thread);
    for (uint32_t i = heaps->count; i-- > 0;) {
        struct heap *heap = &heaps->at[i];
        if (heap->process == process && heap->is_host == op->is_host &&
            (heap->is_host || heap->device == op->device))
            return heap;
    }
    struct heap *added = ARRAY_ADD(heaps);
    heaps->failed |= !added;
    if (added)
        *added = (struct heap){.process = process, .device = op->device, .is_host = op->is_host};
    return added;
}

static struct prof_rec_memory record_of(const struct heap *heap, uint64_t address, int64_t bytes)
{
    return (struct prof_rec_memory){
        .address = address,
        .bytes = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes,
        .device = heap->is_host ? 0 : heap->device,
        .operation = bytes < 0 ? PROF_MEMORY_RELEASE : PROF_MEMORY_ALLOCATE,
        .kind = heap->is_host ? KIND_PAGEABLE : KIND_DEVICE,
    };
}

static void put_before(struct heaps *heaps, struct heap *heap, uint64_t address, int64_t bytes)
{
    struct prof_rec_memory record = record_of(heap, address, bytes);
    event_store_memory(heaps->store, heap->process, 0, 0, &record);
    heap->before -= bytes;
}

/* The address that stands for the allocation that a release without one is of; 0: there is none. */
static uint64_t latest_of_size(struct heaps *heaps, struct heap *heap, int64_t bytes)
{
    uint32_t last = number_map_find(&heap->last, bytes);
    if (last == NUMBER_MAP_NONE || last == 0)
        return 0;
    heaps->failed |= !number_map_set(&heap->last, bytes, heaps->memory->at[last - 1].next);
    return OWN_ADDRESSES | last;
}

static void note_size(struct heaps *heaps, struct heap *heap, uint32_t index)
{
    struct kineto_memory_op *op = &heaps->memory->at[index];
    uint32_t last = number_map_find(&heap->last, op->bytes);
    op->next = last == NUMBER_MAP_NONE ? 0 : last;
    op->address = OWN_ADDRESSES | (index + 1);
    heaps->failed |= !number_map_set(&heap->last, op->bytes, index + 1);
}

static void allocate(struct heaps *heaps, struct heap *heap, uint32_t index)
{
    struct kineto_memory_op *op = &heaps->memory->at[index];
    if (op->address)
        heaps->failed |= !number_map_set(&heap->live, (int64_t)op->address, 1);
    else
        note_size(heaps, heap, index);
}

static void release(struct heaps *heaps, struct heap *heap, uint32_t index)
{
    struct kineto_memory_op *op = &heaps->memory->at[index];
    bool known = op->address && number_map_find(&heap->live, (int64_t)op->address) == 1;
    if (op->address) {
        heaps->failed |= !number_map_set(&heap->live, (int64_t)op->address, 0);
    } else {
        op->address = latest_of_size(heaps, heap, -op->bytes);
        known = op->address != 0;
    }
    if (!op->address)
        op->address = OWN_ADDRESSES | (index + 1);
    if (!known)
        put_before(heaps, heap, op->address, -op->bytes);
}

static void take(struct heaps *heaps, uint32_t index)
{
    struct kineto_memory_op *op = &heaps->memory->at[index];
    struct heap *heap = heap_of(heaps, op);
    if (!heap || op->bytes == 0)
        return;
    if (op->total >= 0 && !heap->has_total) {
        heap->has_total = true;
        heap->before += op->total - op->bytes;
    }
    if (op->bytes > 0)
        allocate(heaps, heap, index);
    else
        release(heaps, heap, index);
    struct prof_rec_memory record = record_of(heap, op->address, op->bytes);
    event_store_memory(heaps->store, heap->process, op->thread, op->time_ns, &record);
}

/* What was allocated before and not released: only its size is known. */
static void finish(struct heaps *heaps)
{
    for (uint32_t i = 0; i < heaps->count; i++) {
        struct heap *heap = &heaps->at[i];
        if (heap->has_total && heap->before > 0)
            put_before(heaps, heap, 0, heap->before);
        number_map_fini(&heap->live);
        number_map_fini(&heap->last);
    }
    free(heaps->at);
}

static int by_time(const void *left, const void *right)
{
    const struct kineto_memory_op *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return (a->next > b->next) - (a->next < b->next);
}

bool kineto_memory_finish(struct kineto_memory *memory, struct event_store *store)
{
    struct heaps heaps = {.store = store, .memory = memory};
    for (uint32_t i = 0; i < memory->count; i++)
        memory->at[i].next = i; /* what is at one time stays as in the file */
    if (memory->count)
        qsort(memory->at, memory->count, sizeof *memory->at, by_time);
    for (uint32_t i = 0; i < memory->count && !heaps.failed; i++)
        take(&heaps, i);
    finish(&heaps);
    return !heaps.failed;
}
