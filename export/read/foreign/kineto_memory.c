/* kineto_memory.c - see kineto_memory.h. */
#include "kineto_memory.h"

#include "maps.h"

#include <stdlib.h>
#include <string.h>

/* Stand for addresses that the file does not say; beyond all that a program has. */
#define OWN_ADDRESSES (UINT64_C(1) << 60)

#define KIND_PAGEABLE 1u /* as prof_rec_memory.kind */
#define KIND_DEVICE 3u

/* One allocator: of a process and a device, or of the process's host memory. */
struct heap {
    uint32_t process;
    uint32_t name;      /* of the program's own allocator; 0 none */
    uint32_t allocator; /* the store's number of it */
    uint16_t device;
    bool is_host;
    uint8_t kind;
    uint32_t before_it; /* the heap of that process and device before it, 1 + index; 0 none */
    bool has_total;
    int64_t before;     /* bytes that were allocated before the first event */
    struct keymap live; /* address -> 1 allocated, 0 released */
    struct keymap last; /* bytes -> the latest live allocation without an address, 1 + index */
};

struct heaps {
    struct event_store *store;
    struct kineto_memory *memory;
    struct keymap first; /* process and device -> the latest of its heaps, into at */
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

/* What libprof says of memory that Kineto does not know, in the words of its reports. */
static uint8_t kind_of(const struct kineto_args *args, bool is_host)
{
    static const char *const kinds[] = {"pageable", "pinned",        "device",        "array",
                                        "managed",  "device static", "managed static"};
    for (uint8_t i = 0; i < sizeof kinds / sizeof *kinds && kineto_has(args, KINETO_KIND); i++)
        if (json_string_is(&args->at[KINETO_KIND].text, kinds[i]))
            return (uint8_t)(i + 1);
    return is_host ? KIND_PAGEABLE : KIND_DEVICE;
}

static uint32_t allocator_of(const struct kineto_args *args, struct event_store *store)
{
    if (!kineto_has(args, KINETO_MEMORY_ALLOCATOR))
        return 0;
    const struct json_string *name = &args->at[KINETO_MEMORY_ALLOCATOR].text;
    char *plain = malloc(name->size + (size_t)1);
    uint32_t number =
        plain ? event_store_name(store, (struct text){plain, json_unescape(name, plain)}) : 0;
    free(plain);
    return number;
}

bool kineto_memory_add(struct kineto_memory *memory, const struct kineto_event *event,
                       int64_t time_ns, uint32_t thread, struct event_store *store)
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
        .allocator = allocator_of(args, store),
    };
    op->kind = kind_of(args, op->is_host);
    return true;
}

static struct heap *add_heap(struct heaps *heaps, const struct kineto_memory_op *op,
                             uint32_t process, int64_t key, uint32_t latest)
{
    struct heap *added = ARRAY_ADD(heaps);
    heaps->failed |= !added || !keymap_set_id(&heaps->first, key, heaps->count - 1);
    if (!added)
        return NULL;
    *added = (struct heap){.process = process,
                           .name = op->allocator,
                           .device = op->device,
                           .is_host = op->is_host,
                           .kind = op->kind,
                           .before_it = latest == KEYMAP_NONE ? 0 : latest + 1};
    if (op->allocator)
        added->allocator = event_store_allocator(heaps->store, process, op->allocator);
    return added;
}

/* A process has few heaps on a device. */
static struct heap *heap_of(struct heaps *heaps, const struct kineto_memory_op *op)
{
    uint32_t process = event_store_thread_process(heaps->store, op->thread);
    uint32_t device = op->is_host ? UINT32_MAX : op->device;
    int64_t key = (int64_t)((uint64_t)process << 32 | device);
    uint32_t latest = keymap_find_id(&heaps->first, key);
    for (uint32_t i = latest == KEYMAP_NONE ? 0 : latest + 1; heaps->at && i;
         i = heaps->at[i - 1].before_it) {
        struct heap *heap = &heaps->at[i - 1];
        if (heap->kind == op->kind && heap->name == op->allocator)
            return heap;
    }
    return add_heap(heaps, op, process, key, latest);
}

static struct prof_rec_memory record_of(const struct heap *heap, uint64_t address, int64_t bytes)
{
    return (struct prof_rec_memory){
        .address = address,
        .bytes = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes,
        .device = heap->is_host ? 0 : heap->device,
        .operation = bytes < 0 ? PROF_MEMORY_RELEASE : PROF_MEMORY_ALLOCATE,
        .kind = heap->kind,
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
    uint32_t last = keymap_find_id(&heap->last, bytes);
    if (last == KEYMAP_NONE || last == 0)
        return 0;
    heaps->failed |= !keymap_set_id(&heap->last, bytes, heaps->memory->at[last - 1].next);
    return OWN_ADDRESSES | last;
}

static void note_size(struct heaps *heaps, struct heap *heap, uint32_t index)
{
    struct kineto_memory_op *op = &heaps->memory->at[index];
    uint32_t last = keymap_find_id(&heap->last, op->bytes);
    op->next = last == KEYMAP_NONE ? 0 : last;
    op->address = OWN_ADDRESSES | (index + 1);
    heaps->failed |= !keymap_set_id(&heap->last, op->bytes, index + 1);
}

static void allocate(struct heaps *heaps, struct heap *heap, uint32_t index)
{
    struct kineto_memory_op *op = &heaps->memory->at[index];
    if (op->address)
        heaps->failed |= !keymap_set_id(&heap->live, (int64_t)op->address, 1);
    else
        note_size(heaps, heap, index);
}

static void release(struct heaps *heaps, struct heap *heap, uint32_t index)
{
    struct kineto_memory_op *op = &heaps->memory->at[index];
    bool known = op->address && keymap_find_id(&heap->live, (int64_t)op->address) == 1;
    if (op->address) {
        heaps->failed |= !keymap_set_id(&heap->live, (int64_t)op->address, 0);
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
    if (op->total >= 0 && !heap->has_total && !heap->allocator) {
        heap->has_total = true;
        heap->before += op->total - op->bytes;
    }
    if (op->bytes > 0)
        allocate(heaps, heap, index);
    else
        release(heaps, heap, index);
    struct prof_rec_memory record = record_of(heap, op->address, op->bytes);
    if (heap->allocator)
        event_store_allocate(heaps->store, op->thread, op->time_ns, heap->allocator, &record);
    else
        event_store_memory(heaps->store, heap->process, op->thread, op->time_ns, &record);
}

/* What was allocated before and not released: only its size is known. */
static void finish(struct heaps *heaps)
{
    for (uint32_t i = 0; i < heaps->count; i++) {
        struct heap *heap = &heaps->at[i];
        if (heap->has_total && heap->before > 0)
            put_before(heaps, heap, 0, heap->before);
        keymap_fini(&heap->live);
        keymap_fini(&heap->last);
    }
    free(heaps->at);
    keymap_fini(&heaps->first);
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
