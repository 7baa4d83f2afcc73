/* kineto_gpu.c - see kineto_gpu.h. The numbers of kinds are CUPTI's: see prof/format.h. */
#include "kineto_gpu.h"

#include "maps.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN_DEVICE UINT16_MAX

static uint32_t number32(const struct kineto_args *args, enum kineto_arg arg)
{
    int64_t number = kineto_number(args, arg, 0);
    return number < 0 ? 0 : number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

static uint16_t cut16(uint32_t number)
{
    return number > UINT16_MAX ? UINT16_MAX : (uint16_t)number;
}

static uint64_t number64(const struct kineto_args *args, enum kineto_arg arg)
{
    int64_t number = kineto_number(args, arg, 0);
    return number < 0 ? 0 : (uint64_t)number;
}

uint32_t kineto_external_id(const struct kineto_args *args)
{
    int64_t id =
        kineto_number(args, KINETO_EXTERNAL_ID, kineto_number(args, KINETO_EXTERNAL_ID_2021, 0));
    return id > 0 && id <= UINT32_MAX ? (uint32_t)id : 0;
}

/* More than a machine's devices are processes. */
#define DEVICE_PIDS 1024

static bool is_device_pid(const struct kineto_id *pid)
{
    return pid->present && !pid->text.bytes && pid->number < DEVICE_PIDS;
}

/* Where the args say nothing, the row's pid is the device, unless it is too large for one. */
uint32_t kineto_gpu_device(const struct kineto_event *event)
{
    int64_t pid = is_device_pid(&event->pid) ? (int64_t)event->pid.number : 0;
    int64_t device = kineto_number(&event->args, KINETO_DEVICE, pid);
    return device < 0 || device > UNKNOWN_DEVICE ? UNKNOWN_DEVICE : (uint32_t)device;
}

static uint32_t context_of(const struct kineto_event *event)
{
    return number32(&event->args, KINETO_CONTEXT);
}

/* "stream 7" */
static uint32_t number_behind(struct text text)
{
    uint64_t number = 0;
    const char *digits = text.bytes + text.size;
    while (digits > text.bytes && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    for (; digits < text.bytes + text.size && number < UINT32_MAX; digits++)
        number = number * 10 + (unsigned)(*digits - '0');
    return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

static uint32_t stream_of(const struct kineto_event *event)
{
    const struct kineto_id *tid = &event->tid;
    if (kineto_has(&event->args, KINETO_STREAM))
        return number32(&event->args, KINETO_STREAM);
    if (tid->text.bytes)
        return number_behind((struct text){tid->text.bytes, tid->text.size});
    return tid->number > UINT32_MAX ? 0 : (uint32_t)tid->number;
}

bool kineto_gpu_is_kernel(const struct kineto_event *event)
{
    const uint64_t signs = KINETO_BIT(KINETO_EXTERNAL_ID) | KINETO_BIT(KINETO_EXTERNAL_ID_2021) |
                           KINETO_BIT(KINETO_CORRELATION) | KINETO_BIT(KINETO_DEVICE) |
                           KINETO_BIT(KINETO_STREAM) | KINETO_BIT(KINETO_GRID);
    return (event->args.seen & signs) != 0 || is_device_pid(&event->pid);
}

static void fill_kernel(const struct kineto_event *event, uint32_t name, struct tl_kernel *kernel)
{
    const struct kineto_args *args = &event->args;
    static const uint32_t none[3] = {0};
    const uint32_t *grid = kineto_has(args, KINETO_GRID) ? args->at[KINETO_GRID].three : none;
    const uint32_t *block = kineto_has(args, KINETO_BLOCK) ? args->at[KINETO_BLOCK].three : none;
    int64_t priority = kineto_number(args, KINETO_PRIORITY, PROF_PRIORITY_UNKNOWN);
    kernel->name = name;
    kernel->context = context_of(event);
    kernel->stream = stream_of(event);
    kernel->device = (uint16_t)kineto_gpu_device(event);
    kernel->grid_x = grid[0], kernel->grid_y = cut16(grid[1]), kernel->grid_z = cut16(grid[2]);
    kernel->block_x = cut16(block[0]), kernel->block_y = cut16(block[1]);
    kernel->block_z = cut16(block[2]);
    kernel->registers = cut16(number32(args, KINETO_REGISTERS));
    kernel->dynamic_shared_memory = number32(args, KINETO_SHARED_MEMORY);
    kernel->graph = number32(args, KINETO_GRAPH);
    kernel->graph_node = number64(args, KINETO_GRAPH_NODE);
    kernel->priority =
        priority < INT32_MIN || priority > INT32_MAX ? PROF_PRIORITY_UNKNOWN : (int32_t)priority;
}

struct word {
    const char *text;
    uint8_t number;
};

static uint8_t find_word(struct text text, const struct word *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_is(text, words[i].text))
            return words[i].number;
    return 0;
}
#define FIND_WORD(text, words) find_word(text, words, sizeof(words) / sizeof *(words))

static uint8_t copy_kind(struct text text)
{
    static const struct word kinds[] = {{"HtoD", 1}, {"DtoH", 2}, {"HtoA", 3}, {"AtoH", 4},
                                        {"AtoA", 5}, {"AtoD", 6}, {"DtoA", 7}, {"DtoD", 8},
                                        {"HtoH", 9}, {"PtoP", 10}};
    return FIND_WORD(text, kinds);
}

static uint8_t memory_kind(struct text text)
{
    static const struct word kinds[] = {
        {"Pageable", 1}, {"Host", TL_MEMORY_HOST}, {"Pinned", 2},        {"Device", 3},
        {"Array", 4},    {"Managed", 5},           {"Device Static", 6}, {"Managed Static", 7}};
    return FIND_WORD(text, kinds);
}

/* What lies between two places in the text; empty when one of them is not there. */
static struct text between(struct text text, const char *left, const char *right)
{
    const char *begin = memmem(text.bytes, text.size, left, strlen(left));
    if (!begin)
        return (struct text){"", 0};
    begin += strlen(left);
    size_t rest = (size_t)(text.bytes + text.size - begin);
    const char *end = memmem(begin, rest, right, strlen(right));
    return end ? (struct text){begin, (size_t)(end - begin)} : (struct text){"", 0};
}

/* "Memcpy HtoD (Pageable -> Device)" */
static void fill_memcpy(const struct kineto_event *event, struct text text, struct tl_memcpy *copy)
{
    const struct kineto_args *args = &event->args;
    copy->context = context_of(event);
    copy->stream = stream_of(event);
    copy->device = (uint16_t)kineto_gpu_device(event);
    copy->bytes = number64(args, KINETO_BYTES);
    copy->copy_kind = copy_kind(between(text, "Memcpy ", " ("));
    copy->src_kind = memory_kind(between(text, "(", " -> "));
    copy->dst_kind = memory_kind(between(text, "-> ", ")"));
    if (!copy->copy_kind && kineto_has(args, KINETO_KIND))
        copy->copy_kind = copy_kind(
            (struct text){args->at[KINETO_KIND].text.bytes, args->at[KINETO_KIND].text.size});
}

static void fill_memset(const struct kineto_event *event, struct text text, struct tl_memset *set)
{
    set->context = context_of(event);
    set->stream = stream_of(event);
    set->device = (uint16_t)kineto_gpu_device(event);
    set->bytes = number64(&event->args, KINETO_BYTES);
    set->memory_kind = memory_kind(between(text, "(", ")"));
}

static void fill_graph(const struct kineto_event *event, struct tl_graph_run *run)
{
    run->graph = number32(&event->args, KINETO_GRAPH);
    run->context = context_of(event);
    run->stream = stream_of(event);
    run->device = (uint16_t)kineto_gpu_device(event);
}

static void fill_sync(const struct kineto_event *event, struct text text, struct tl_sync *sync)
{
    static const struct word types[] = {{"Event Sync", 1},         {"Event Synchronize", 1},
                                        {"Stream Wait Event", 2},  {"Stream Sync", 3},
                                        {"Stream Synchronize", 3}, {"Context Sync", 4},
                                        {"Context Synchronize", 4}};
    const struct kineto_args *args = &event->args;
    int64_t stream = kineto_number(args, KINETO_STREAM, -1);
    if (kineto_has(args, KINETO_SYNC_KIND))
        text = (struct text){args->at[KINETO_SYNC_KIND].text.bytes,
                             args->at[KINETO_SYNC_KIND].text.size};
    sync->type = FIND_WORD(text, types);
    sync->context = context_of(event);
    sync->stream = stream < 0 || stream > UINT32_MAX ? PROF_SYNC_NO_STREAM : (uint32_t)stream;
}

static void append_sync(struct unordered *events, const struct kineto_event *event,
                        struct text text, const struct unordered_op *op)
{
    struct tl_sync sync = {0};
    uint32_t device = kineto_gpu_device(event);
    fill_sync(event, text, &sync);
    unordered_append_sync(events, op, &sync,
                          kineto_has(&event->args, KINETO_DEVICE) ? &device : NULL);
}

static void append_kernel(struct unordered *events, const struct kineto_event *event,
                          const struct unordered_op *op)
{
    struct tl_kernel kernel = {0};
    struct unordered_op unnamed = *op;
    fill_kernel(event, op->name, &kernel);
    unnamed.name = 0;
    unordered_append_kernel(events, &unnamed, &kernel);
}

void kineto_gpu_append(struct unordered *events, const struct kineto_event *event, struct text text,
                       struct unordered_op *op)
{
    struct tl_memcpy copy = {0};
    struct tl_memset set = {0};
    struct tl_graph_run run = {0};
    int64_t correlation = kineto_number(&event->args, KINETO_CORRELATION, 0);
    op->correlation = correlation > 0 && correlation <= UINT32_MAX ? (uint32_t)correlation : 0;
    op->ambiguous = kineto_number(&event->args, KINETO_AMBIGUOUS, 0) != 0;
    bool is_operation = event->category != KINETO_SYNC && event->category != KINETO_OVERHEAD;
    op->origin = is_operation ? kineto_external_id(&event->args) : 0;
    switch (event->category) {
    case KINETO_MEMCPY:
        fill_memcpy(event, text, &copy);
        unordered_append_memcpy(events, op, &copy);
        break;
    case KINETO_MEMSET:
        fill_memset(event, text, &set);
        unordered_append_memset(events, op, &set);
        break;
    case KINETO_GRAPH_RUN:
        fill_graph(event, &run);
        unordered_append_graph_run(events, op, &run);
        break;
    case KINETO_SYNC:
        append_sync(events, event, text, op);
        break;
    case KINETO_OVERHEAD:
        unordered_append_overhead(events, op, &(struct tl_overhead){0});
        break;
    default:
        append_kernel(events, event, op);
    }
}

/* ---- memory ---- */

/* Stand for addresses that the file does not say; beyond all that a program has. */
#define OWN_ADDRESSES (UINT64_C(1) << 60)

#define KIND_PAGEABLE 1u /* as memory_op.kind */
#define KIND_DEVICE 3u

/* One allocator: of a process and a device, or of the process's host memory. */
struct heap {
    uint32_t process;
    uint32_t name;      /* of the program's own allocator; 0 none */
    uint32_t allocator; /* its number */
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
    struct unordered *events;
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
    return json_string_is(&event->name, "[memory]") &&
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

static uint32_t allocator_of(const struct kineto_args *args, struct unordered *events)
{
    if (!kineto_has(args, KINETO_MEMORY_ALLOCATOR))
        return 0;
    const struct json_string *name = &args->at[KINETO_MEMORY_ALLOCATOR].text;
    char *plain = malloc(name->size + (size_t)1);
    uint32_t number =
        plain ? unordered_name(events, (struct text){plain, json_unescape(name, plain)}) : 0;
    free(plain);
    return number;
}

bool kineto_memory_add(struct kineto_memory *memory, const struct kineto_event *event,
                       int64_t time_ns, uint32_t thread, struct unordered *events)
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
        .allocator = allocator_of(args, events),
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
        added->allocator = unordered_add_allocator(heaps->events, process, op->allocator);
    return added;
}

/* A process has few heaps on a device. */
static struct heap *heap_of(struct heaps *heaps, const struct kineto_memory_op *op)
{
    uint32_t process = unordered_thread_process(heaps->events, op->thread);
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

static struct memory_op record_of(const struct heap *heap, uint64_t address, int64_t bytes)
{
    return (struct memory_op){
        .address = address,
        .bytes = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes,
        .device = heap->is_host ? 0 : heap->device,
        .operation = bytes < 0 ? PROF_MEMORY_RELEASE : PROF_MEMORY_ALLOCATE,
        .kind = heap->kind,
    };
}

static void put_before(struct heaps *heaps, struct heap *heap, uint64_t address, int64_t bytes)
{
    struct memory_op record = record_of(heap, address, bytes);
    unordered_append_memory(heaps->events, heap->process,
                            &(struct memory_event){.time_ns = TL_NO_TIME, .record = record});
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

static void append_memory(struct unordered *events, const struct kineto_memory_op *op,
                          const struct heap *heap, const struct memory_op *record)
{
    if (!heap->allocator)
        unordered_append_memory(events, heap->process,
                                &(struct memory_event){.time_ns = op->time_ns,
                                                       .thread = op->thread,
                                                       .record = *record});
    else if (record->operation == PROF_MEMORY_RELEASE)
        unordered_append_release(events, op->thread, op->time_ns, heap->allocator, record->address);
    else
        unordered_append_alloc(
            events, op->thread, op->time_ns,
            &(struct heap_allocation){record->address, record->bytes, heap->allocator});
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
    struct memory_op record = record_of(heap, op->address, op->bytes);
    append_memory(heaps->events, op, heap, &record);
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

bool kineto_memory_finish(struct kineto_memory *memory, struct unordered *events)
{
    struct heaps heaps = {.events = events, .memory = memory};
    for (uint32_t i = 0; i < memory->count; i++)
        memory->at[i].next = i; /* what is at one time stays as in the file */
    if (memory->count)
        qsort(memory->at, memory->count, sizeof *memory->at, by_time);
    for (uint32_t i = 0; i < memory->count && !heaps.failed; i++)
        take(&heaps, i);
    finish(&heaps);
    return !heaps.failed;
}
