/* event_store.c - gathers; store_tell.c tells. */
#include "event_store_inside.h"
#include "maps.h"

#include <stdlib.h>
#include <string.h>

struct event_store *event_store_create(void)
{
    return calloc(1, sizeof(struct event_store));
}

void event_store_destroy(struct event_store *store)
{
    if (!store)
        return;
    text_pool_fini(&store->names);
    free(store->plain.at);
    free(store->processes.at);
    free(store->threads.at);
    free(store->slices.at);
    free(store->attrs.at);
    free(store->instants.at);
    free(store->memories.at);
    free(store->allocators.at);
    free(store->ranges.at);
    free(store->gpus.at);
    free(store->details.at);
    free(store->detail_slots);
    free(store->devices.at);
    free(store->contexts.at);
    text_pool_fini(&store->labels);
    free(store->streams.at);
    free(store->domains.at);
    free(store->categories.at);
    free(store->warnings.at);
    store_index_destroy(store->index);
    free(store);
}

bool event_store_failed(const struct event_store *store)
{
    return store->failed;
}

uint32_t event_store_name(struct event_store *store, struct text text)
{
    uint32_t number = text_pool_number(&store->names, text);
    store->failed |= number == 0;
    return number;
}

struct text event_store_keep(struct event_store *store, struct text text)
{
    struct text copy = text_pool_copy(&store->names, text);
    store->failed |= copy.bytes == NULL;
    return copy.bytes ? copy : (struct text){"", 0};
}

struct text event_store_text(const struct event_store *store, uint32_t name)
{
    return name && name <= store->names.count ? text_pool_text(&store->names, name)
                                              : (struct text){"", 0};
}

/* A new item of one of the store's arrays, or NULL and the store has failed. */
#define ADD(store, array) (ARRAY_ROOM(array) ? &(array)->at[(array)->count++] : fail(store))

static void *fail(struct event_store *store)
{
    store->failed = true;
    return NULL;
}

uint32_t event_store_process(struct event_store *store)
{
    struct tl_process_info *process = ADD(store, &store->processes);
    if (!process)
        return 0;
    *process = (struct tl_process_info){
        .rank = -1, .local_rank = -1, .world_size = -1, .closed = true, .gpu_mode = PROF_GPU_CUPTI};
    return store->processes.count - 1;
}

struct tl_process_info *event_store_process_at(struct event_store *store, uint32_t process)
{
    return &store->processes.at[process];
}

uint32_t event_store_process_count(const struct event_store *store)
{
    return store->processes.count;
}

#define ALL_OF_FIRST(array)                       \
    for (uint32_t i = 0; i < (array)->count; i++) \
    (array)->at[i].process = 0

void event_store_join_pid_0(struct event_store *store)
{
    struct tl_process_info *both = store->processes.at;
    if (store->processes.count != 2 || (both[0].pid == 0) == (both[1].pid == 0))
        return;
    if (both[0].pid == 0)
        both[0] = both[1];
    store->processes.count = 1;
    ALL_OF_FIRST(&store->threads);
    ALL_OF_FIRST(&store->gpus);
    ALL_OF_FIRST(&store->memories);
    ALL_OF_FIRST(&store->allocators);
    ALL_OF_FIRST(&store->devices);
    ALL_OF_FIRST(&store->contexts);
    ALL_OF_FIRST(&store->streams);
    ALL_OF_FIRST(&store->domains);
    ALL_OF_FIRST(&store->categories);
}

uint32_t event_store_thread(struct event_store *store, uint32_t process, uint32_t tid)
{
    struct store_thread *thread = ADD(store, &store->threads);
    if (!thread)
        return 0;
    *thread = (struct store_thread){.process = process, .tid = tid};
    return store->threads.count;
}

void event_store_name_thread(struct event_store *store, uint32_t thread, struct text name)
{
    if (thread && thread <= store->threads.count)
        store->threads.at[thread - 1].name = event_store_name(store, name);
}

uint32_t event_store_thread_process(const struct event_store *store, uint32_t thread)
{
    return thread && thread <= store->threads.count ? store->threads.at[thread - 1].process : 0;
}

void event_store_move_thread(struct event_store *store, uint32_t thread, uint32_t process)
{
    if (thread && thread <= store->threads.count)
        store->threads.at[thread - 1].process = process;
}

/* Slices of a thread, attributes of a slice: what an index of 32 bits can name. */
static void keep_attrs(struct event_store *store, const struct event_attr *attrs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct event_attr *attr = ADD(store, &store->attrs);
        if (attr)
            *attr = attrs[i];
    }
}

static int64_t end_of(struct event_store *store, int64_t start_ns, int64_t end_ns)
{
    if (end_ns >= start_ns)
        return end_ns;
    event_store_warn(store, "events that end before they begin: taken as empty", 1);
    return start_ns;
}

void event_store_slice(struct event_store *store, const struct complete_slice *slice)
{
    struct store_slice *kept = ADD(store, &store->slices);
    if (!kept)
        return;
    struct store_name split;
    bool is_split = slice->kind == SLICE_RANGE && store_name_split(store, slice->name, &split);
    uint32_t first_attr = store->attrs.count;
    keep_attrs(store, slice->attrs, slice->attr_count);
    if (is_split)
        keep_attrs(store, split.attrs, split.count);
    uint32_t attrs = store->attrs.count - first_attr;
    *kept = (struct store_slice){
        .start_ns = slice->start_ns,
        .end_ns = end_of(store, slice->start_ns, slice->end_ns),
        .thread = slice->thread,
        .name = is_split ? split.name : slice->name,
        .correlation = slice->correlation,
        .result = slice->result,
        .first_attr = first_attr,
        .attr_count = (uint16_t)(attrs > UINT16_MAX ? UINT16_MAX : attrs),
        .kind = slice->kind,
        .flags = slice->flags & (uint8_t)~SLICE_CONTINUED,
    };
}

bool event_store_goes_on(const struct event_store *store, uint32_t index,
                         const struct complete_slice *next)
{
    const struct store_slice *slice = &store->slices.at[index];
    return slice->thread == next->thread && slice->name == next->name &&
           slice->kind == next->kind && slice->end_ns == next->start_ns;
}

void event_store_extend(struct event_store *store, uint32_t index, int64_t end_ns, uint8_t flags)
{
    struct store_slice *slice = &store->slices.at[index];
    if (end_ns > slice->end_ns)
        slice->end_ns = end_ns;
    slice->flags |= flags & SLICE_UNCLOSED;
}

/* Attributes of a slice are adjacent: they move to the end. */
void event_store_slice_attr(struct event_store *store, uint32_t index,
                            const struct event_attr *attr)
{
    struct store_slice *slice = &store->slices.at[index];
    uint32_t first = store->attrs.count;
    if (slice->attr_count == UINT16_MAX)
        return;
    for (uint32_t i = 0; i <= slice->attr_count; i++) {
        struct event_attr *added = ADD(store, &store->attrs);
        if (!added)
            return;
        *added = i < slice->attr_count ? store->attrs.at[slice->first_attr + i] : *attr;
    }
    slice->first_attr = first;
    slice->attr_count++;
}

static void add_instant(struct event_store *store, struct store_instant instant)
{
    struct store_instant *kept = ADD(store, &store->instants);
    if (kept)
        *kept = instant;
}

void event_store_mark(struct event_store *store, uint32_t thread, int64_t time_ns, uint32_t name)
{
    add_instant(store, (struct store_instant){time_ns, 0, thread, name, STORE_MARK});
}

void event_store_counter(struct event_store *store, uint32_t thread, int64_t time_ns, uint32_t name,
                         double value)
{
    add_instant(store, (struct store_instant){time_ns, value, thread, name, STORE_COUNTER});
}

static void add_memory(struct event_store *store, struct store_memory memory)
{
    struct store_memory *kept = ADD(store, &store->memories);
    if (kept)
        *kept = memory;
}

static void add_memory_instant(struct event_store *store, uint32_t thread, int64_t time_ns,
                               struct store_memory memory)
{
    add_memory(store, memory);
    if (!store->failed)
        add_instant(store, (struct store_instant){time_ns, 0, thread, store->memories.count - 1,
                                                  STORE_MEMORY});
}

void event_store_memory(struct event_store *store, uint32_t process, uint32_t thread,
                        int64_t time_ns, const struct memory_op *record)
{
    struct store_memory memory = {
        .place = thread ? STORE_IN_THREAD : STORE_AT_START, .process = process, .record = *record};
    if (thread)
        add_memory_instant(store, thread, time_ns, memory);
    else
        add_memory(store, memory);
}

void event_store_memory_called(struct event_store *store, uint32_t process, uint32_t correlation,
                               int64_t time_ns, const struct memory_op *record)
{
    add_memory(store, (struct store_memory){.place = STORE_BY_CALL,
                                            .process = process,
                                            .correlation = correlation,
                                            .time_ns = time_ns,
                                            .record = *record});
}

uint32_t event_store_allocator(struct event_store *store, uint32_t process, uint32_t name)
{
    struct store_allocator *kept = ADD(store, &store->allocators);
    if (kept)
        *kept = (struct store_allocator){process, name};
    return store->allocators.count;
}

void event_store_allocate(struct event_store *store, uint32_t thread, int64_t time_ns,
                          uint32_t allocator, const struct memory_op *record)
{
    add_memory_instant(
        store, thread, time_ns,
        (struct store_memory){.place = STORE_IN_THREAD, .allocator = allocator, .record = *record});
}

void event_store_range(struct event_store *store, uint32_t thread, uint32_t end_thread,
                       int64_t start_ns, int64_t end_ns, uint32_t name, uint64_t id)
{
    struct store_range *range = ADD(store, &store->ranges);
    if (range)
        *range = (struct store_range){
            start_ns,  end_thread ? end_of(store, start_ns, end_ns) : start_ns, id, name, thread,
            end_thread};
}

uint32_t event_store_slice_count(const struct event_store *store)
{
    return store->slices.count;
}

uint32_t event_store_range_count(const struct event_store *store)
{
    return store->ranges.count;
}

/* What many operations share: the record without its times. */
static void forget_times(struct read_gpu *gpu)
{
    gpu->start_ns = gpu->end_ns = 0;
    gpu->correlation = 0;
    gpu->name = 0;
    gpu->origin = 0;
    gpu->ambiguous = false;
}

static uint64_t hash_detail(const struct read_gpu *detail)
{
    uint64_t hash = 0;
    for (size_t at = 0; at + 8 <= sizeof *detail; at += 8) {
        uint64_t word;
        memcpy(&word, (const char *)detail + at, 8);
        hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
        hash ^= hash >> 32;
    }
    return hash;
}

/* Readers clear what lies between the members. */
static bool same_bytes(const void *left, const void *right, size_t bytes)
{
    return memcmp(left, right, bytes) == 0;
}

static bool grow_detail_slots(struct event_store *store)
{
    uint32_t count = store->detail_slot_count ? store->detail_slot_count * 2 : 1024;
    uint32_t *slots = count ? calloc(count, sizeof *slots) : NULL;
    if (!slots)
        return false;
    for (uint32_t i = 0; i < store->details.count; i++) {
        uint32_t at = (uint32_t)hash_detail(&store->details.at[i]) & (count - 1);
        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = i + 1;
    }
    free(store->detail_slots);
    store->detail_slots = slots;
    store->detail_slot_count = count;
    return true;
}

/* Index of an equal detail, which may be new. */
static uint32_t share_detail(struct event_store *store, const struct read_gpu *detail)
{
    if ((uint64_t)store->details.count * 2 >= store->detail_slot_count &&
        !grow_detail_slots(store)) {
        store->failed = true;
        return 0;
    }
    uint32_t mask = store->detail_slot_count - 1, at = (uint32_t)hash_detail(detail) & mask;
    for (; store->detail_slots[at]; at = (at + 1) & mask)
        if (same_bytes(&store->details.at[store->detail_slots[at] - 1], detail, sizeof *detail))
            return store->detail_slots[at] - 1;
    struct read_gpu *kept = ADD(store, &store->details);
    if (!kept)
        return 0;
    memcpy(kept, detail, sizeof *kept);
    store->detail_slots[at] = store->details.count;
    return store->details.count - 1;
}

void event_store_gpu(struct event_store *store, uint32_t process, const struct read_gpu *gpu)
{
    struct read_gpu detail;
    memcpy(&detail, gpu, sizeof detail); /* with its padding: equal bytes are equal details */
    forget_times(&detail);
    uint32_t index = share_detail(store, &detail);
    struct store_gpu *kept = ADD(store, &store->gpus);
    if (kept)
        *kept = (struct store_gpu){
            .start_ns = gpu->start_ns,
            .end_ns = end_of(store, gpu->start_ns, gpu->end_ns),
            .process = process,
            .correlation = gpu->correlation,
            .name = gpu->name,
            .detail = index,
            .origin = gpu->origin,
            .ambiguous = gpu->ambiguous,
        };
}

void event_store_device(struct event_store *store, uint32_t process,
                        const struct tl_device_info *device)
{
    struct store_device *kept = ADD(store, &store->devices);
    if (kept)
        *kept = (struct store_device){process, *device};
}

void event_store_context(struct event_store *store, uint32_t process,
                         const struct cuda_context *context)
{
    struct store_context *kept = ADD(store, &store->contexts);
    if (kept)
        *kept = (struct store_context){process, *context};
}

/* Where the operation ran; false: it is none of a context. */
static bool place_of(const struct read_gpu *gpu, struct cuda_context *place)
{
    switch (gpu->kind) {
    case READ_GPU_KERNEL:
        place->context = gpu->kernel.context, place->device = gpu->kernel.device;
        break;
    case READ_GPU_MEMCPY:
        place->context = gpu->memcpy.context, place->device = gpu->memcpy.device;
        break;
    case READ_GPU_MEMSET:
        place->context = gpu->memset.context, place->device = gpu->memset.device;
        break;
    case READ_GPU_GRAPH:
        place->context = gpu->graph.context, place->device = gpu->graph.device;
        break;
    default:
        return false;
    }
    return place->device < UINT16_MAX;
}

void event_store_find_busy(const struct event_store *store, bool *busy)
{
    for (uint32_t i = 0; i < store->gpus.count; i++)
        busy[store->gpus.at[i].process] = true;
}

uint64_t event_store_busy_devices(const struct event_store *store, uint32_t process)
{
    struct cuda_context place;
    uint64_t devices = 0;
    for (uint32_t i = 0; i < store->gpus.count; i++)
        if (store->gpus.at[i].process == process &&
            place_of(&store->details.at[store->gpus.at[i].detail], &place) && place.device < 64)
            devices |= UINT64_C(1) << place.device;
    return devices;
}

void event_store_find_contexts(struct event_store *store)
{
    struct keymap seen = {0};
    for (uint32_t i = 0; i < store->gpus.count && !store->failed; i++) {
        const struct store_gpu *gpu = &store->gpus.at[i];
        struct cuda_context context = {0};
        if (!place_of(&store->details.at[gpu->detail], &context) || context.context == 0)
            continue;
        int64_t key = (int64_t)((uint64_t)gpu->process << 32 | context.context);
        if (keymap_find_id(&seen, key) != KEYMAP_NONE)
            continue;
        store->failed |= !keymap_set_id(&seen, key, 0);
        event_store_context(store, gpu->process, &context);
    }
    keymap_fini(&seen);
}

void event_store_warn(struct event_store *store, const char *what, uint64_t count)
{
    for (uint32_t i = 0; i < store->warnings.count; i++)
        if (store->warnings.at[i].what == what || strcmp(store->warnings.at[i].what, what) == 0) {
            store->warnings.at[i].count += count;
            return;
        }
    struct store_warning *warning = count ? ADD(store, &store->warnings) : NULL;
    if (warning)
        *warning = (struct store_warning){what, count};
}
