/* block_store.c - see block_store.h. */
#include "block_store.h"

#include "array.h"
#include "text_pool.h"
#include "trace_reader.h"

#include <stdlib.h>
#include <string.h>

#define THREAD 1u
#define TICKS_MODULUS (UINT64_C(1) << 32)

enum part_kind { PART_EVENT, PART_ALLOC, PART_DEBUG };

/* Contents of a block are emitted in the order in which they were added. */
struct part {
    uint32_t kind;
    uint32_t index;
};

struct kept_block {
    struct whole_block block;
    uint32_t first_part, part_count;
};

struct kept_event {
    struct store_event event;
    int64_t start_ns, end_ns;
    bool ended;
};

struct kept_alloc {
    uint64_t bytes;
    uint32_t allocator;
};

struct kept_debug {
    struct debug_value debug; /* its tensors are at first_tensor */
    uint32_t first_tensor;
};

/* A tensor whose sizes and strides are in sizes[]. */
struct kept_tensor {
    struct debug_tensor tensor;
    uint32_t first_size;
};

struct kept_warning {
    const char *what;
    uint64_t count;
};

struct kept_allocator {
    uint32_t id, name;
};

#define KEPT(type)                \
    struct {                      \
        type *at;                 \
        uint32_t count, capacity; \
    }

struct block_store {
    bool failed;
    struct source_clock clock;
    struct text_pool names;
    KEPT(struct kept_block) blocks;
    KEPT(struct part) parts;
    KEPT(struct kept_event) events;
    KEPT(struct kept_alloc) allocs;
    KEPT(struct kept_debug) debugs;
    KEPT(struct kept_tensor) tensors;
    KEPT(int64_t) sizes;
    KEPT(struct kept_allocator) allocators;
    uint32_t *allocator_slots; /* open addressing: number, 0 empty; a power of two */
    uint32_t allocator_slot_count;
    KEPT(struct kept_warning) warnings;
    struct debug_tensor *replayed; /* as many as any debug value has */
    uint32_t replayed_count;
    const char *format;
    struct text program;
};

struct block_store *block_store_create(struct source_clock clock)
{
    struct block_store *store = calloc(1, sizeof *store);
    if (store)
        store->clock = clock;
    return store;
}

void block_store_destroy(struct block_store *store)
{
    if (!store)
        return;
    text_pool_fini(&store->names);
    free(store->blocks.at);
    free(store->parts.at);
    free(store->events.at);
    free(store->allocs.at);
    free(store->debugs.at);
    free(store->tensors.at);
    free(store->sizes.at);
    free(store->allocators.at);
    free(store->allocator_slots);
    free(store->warnings.at);
    free(store->replayed);
    free(store);
}

static void *fail(struct block_store *store)
{
    store->failed = true;
    return NULL;
}

#define ADD(store, array) (ARRAY_ROOM(array) ? &(array)->at[(array)->count++] : fail(store))

uint32_t block_store_name(struct block_store *store, struct text text)
{
    uint32_t number = text_pool_number(&store->names, text);
    store->failed |= number == 0;
    return number;
}

void block_store_warn(struct block_store *store, const char *what, uint64_t count)
{
    for (uint32_t i = 0; i < store->warnings.count; i++)
        if (strcmp(store->warnings.at[i].what, what) == 0) {
            store->warnings.at[i].count += count;
            return;
        }
    struct kept_warning *warning = count ? ADD(store, &store->warnings) : NULL;
    if (warning)
        *warning = (struct kept_warning){what, count};
}

/* ---- blocks ---- */

void block_store_block(struct block_store *store, const struct whole_block *block)
{
    struct kept_block *kept = ADD(store, &store->blocks);
    if (!kept)
        return;
    *kept = (struct kept_block){*block, store->parts.count, 0};
    kept->block.start_ns = INT64_MAX;
}

static struct kept_block *latest(struct block_store *store)
{
    return store->blocks.count ? &store->blocks.at[store->blocks.count - 1] : NULL;
}

static void add_part(struct block_store *store, enum part_kind kind, uint32_t index)
{
    struct kept_block *block = latest(store);
    struct part *part = block ? ADD(store, &store->parts) : NULL;
    if (!part)
        return;
    *part = (struct part){kind, index};
    block->part_count++;
}

/* Times are kept within what a timeline can hold. */
static int64_t to_ns(const struct block_store *store, uint64_t ticks)
{
    const uint64_t most = INT64_MAX / 4;
    uint64_t scale = store->clock.tick_ns ? store->clock.tick_ns : 1;
    return (int64_t)(ticks > most / scale ? most : ticks * scale);
}

/* An end before the begin is one wrap of 32 bits when both fit into them and the clock is said to
 * be such a one. */
static bool has_wrapped(const struct block_store *store, const struct block_event *event)
{
    return store->clock.wrap32 && event->end_ticks && event->end_ticks < event->start_ticks &&
           event->start_ticks < TICKS_MODULUS;
}

static void set_times(struct block_store *store, struct kept_event *kept)
{
    struct block_event *detail = &kept->event.detail;
    uint64_t end_ticks = detail->end_ticks;
    detail->wrapped = has_wrapped(store, detail);
    if (detail->wrapped)
        end_ticks += TICKS_MODULUS;
    kept->ended = end_ticks != 0;
    kept->start_ns = to_ns(store, detail->start_ticks);
    kept->end_ns = to_ns(store, end_ticks);
    if (kept->end_ns < kept->start_ns)
        kept->end_ns = kept->start_ns;
    if (kept->ended && end_ticks < detail->start_ticks)
        block_store_warn(store,
                         "events that end before they begin: their durations are unknown (does a "
                         "counter of 32 bits need --wrap32?)",
                         1);
    if (!kept->ended)
        block_store_warn(store, "events that did not end: their durations are unknown", 1);
}

void block_store_event(struct block_store *store, const struct store_event *event)
{
    struct kept_block *block = latest(store);
    struct kept_event *kept = block ? ADD(store, &store->events) : NULL;
    if (!kept)
        return;
    *kept = (struct kept_event){.event = *event};
    set_times(store, kept);
    if (kept->start_ns < block->block.start_ns)
        block->block.start_ns = kept->start_ns;
    add_part(store, PART_EVENT, store->events.count - 1);
}

/* ---- allocations ---- */

static uint32_t slot_of(const struct block_store *store, struct kept_allocator allocator)
{
    uint64_t hash = (uint64_t)allocator.id << 32 | allocator.name;
    hash = (hash ^ hash >> 29) * UINT64_C(0x9fb21c651e98df25);
    uint32_t mask = store->allocator_slot_count - 1, at = (uint32_t)(hash >> 32) & mask;
    for (; store->allocator_slots[at]; at = (at + 1) & mask) {
        struct kept_allocator known = store->allocators.at[store->allocator_slots[at] - 1];
        if (known.id == allocator.id && known.name == allocator.name)
            break;
    }
    return at;
}

static bool grow_allocator_slots(struct block_store *store)
{
    uint32_t count = store->allocator_slot_count ? store->allocator_slot_count * 2 : 64;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return fail(store) != NULL;
    free(store->allocator_slots);
    store->allocator_slots = slots;
    store->allocator_slot_count = count;
    for (uint32_t i = 0; i < store->allocators.count; i++)
        slots[slot_of(store, store->allocators.at[i])] = i + 1;
    return true;
}

uint32_t block_store_allocator(struct block_store *store, uint32_t id, uint32_t name)
{
    struct kept_allocator allocator = {id, name};
    if (store->allocators.count * 2 >= store->allocator_slot_count && !grow_allocator_slots(store))
        return 0;
    uint32_t slot = slot_of(store, allocator);
    if (store->allocator_slots[slot])
        return store->allocator_slots[slot];
    struct kept_allocator *kept = ADD(store, &store->allocators);
    if (!kept)
        return 0;
    *kept = allocator;
    store->allocator_slots[slot] = store->allocators.count;
    return store->allocators.count;
}

void block_store_alloc(struct block_store *store, uint32_t allocator, uint64_t bytes)
{
    struct kept_alloc *kept = ADD(store, &store->allocs);
    if (!kept)
        return;
    *kept = (struct kept_alloc){bytes, allocator};
    add_part(store, PART_ALLOC, store->allocs.count - 1);
}

/* ---- values ---- */

static void keep_sizes(struct block_store *store, const int64_t *sizes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        int64_t *kept = ADD(store, &store->sizes);
        if (kept)
            *kept = sizes[i];
    }
}

static void keep_tensor(struct block_store *store, const struct debug_tensor *tensor)
{
    uint32_t first = store->sizes.count;
    keep_sizes(store, tensor->sizes, tensor->size_count);
    keep_sizes(store, tensor->strides, tensor->stride_count);
    struct kept_tensor *kept = ADD(store, &store->tensors);
    if (kept)
        *kept = (struct kept_tensor){*tensor, first};
}

void block_store_debug(struct block_store *store, const struct debug_value *debug)
{
    uint32_t first = store->tensors.count;
    for (uint32_t i = 0; i < debug->tensor_count; i++)
        keep_tensor(store, &debug->tensors[i]);
    struct kept_debug *kept = ADD(store, &store->debugs);
    if (!kept)
        return;
    *kept = (struct kept_debug){*debug, first};
    if (debug->tensor_count > store->replayed_count)
        store->replayed_count = debug->tensor_count;
    add_part(store, PART_DEBUG, store->debugs.count - 1);
}

/* ---- telling ---- */

static void append_event(const struct kept_event *kept, uint64_t id, struct builder *builder)
{
    const struct store_event *event = &kept->event;
    builder_begin_async(builder, THREAD, kept->start_ns, event->name, id);
    builder_set_block_event(builder, event->chain, event->instruction);
    builder_append_block_event(builder, &event->detail);
    if (kept->ended)
        builder_end_async(builder, THREAD, kept->end_ns, id);
}

static void append_debug(struct block_store *store, const struct kept_debug *kept,
                         struct builder *builder)
{
    struct debug_value debug = kept->debug;
    for (uint32_t i = 0; i < debug.tensor_count; i++) {
        const struct kept_tensor *tensor = &store->tensors.at[kept->first_tensor + i];
        store->replayed[i] = tensor->tensor;
        store->replayed[i].sizes = store->sizes.at + tensor->first_size;
        store->replayed[i].strides = store->replayed[i].sizes + tensor->tensor.size_count;
    }
    debug.tensors = store->replayed;
    builder_append_debug(builder, &debug);
}

static void append_part(struct block_store *store, struct part part, int64_t time_ns,
                        struct builder *builder)
{
    const struct kept_alloc *alloc;
    switch ((enum part_kind)part.kind) {
    case PART_EVENT:
        append_event(&store->events.at[part.index], (uint64_t)part.index + 1, builder);
        break;
    case PART_ALLOC:
        alloc = &store->allocs.at[part.index];
        builder_append_alloc(
            builder, THREAD, time_ns,
            &(struct heap_allocation){.bytes = alloc->bytes, .allocator = alloc->allocator});
        break;
    case PART_DEBUG:
        append_debug(store, &store->debugs.at[part.index], builder);
        break;
    }
}

/* The format has no times of blocks: a block begins with its first event. One without events begins
 * where the one before it did. */
static void append_blocks(struct block_store *store, struct builder *builder)
{
    int64_t time_ns = 0;
    for (uint32_t i = 0; i < store->blocks.count; i++) {
        struct kept_block kept = store->blocks.at[i];
        if (kept.block.start_ns != INT64_MAX)
            time_ns = kept.block.start_ns;
        kept.block.start_ns = time_ns;
        builder_append_block(builder, &kept.block);
        for (uint32_t j = 0; j < kept.part_count; j++)
            append_part(store, store->parts.at[kept.first_part + j], time_ns, builder);
    }
}

static void append_facts(const struct block_store *store, struct builder *builder)
{
    struct tl_process_info process = {.program = store->program,
                                      .format = {store->format, strlen(store->format)},
                                      .rank = -1,
                                      .local_rank = -1,
                                      .world_size = -1,
                                      .closed = true,
                                      .gpu_mode = PROF_GPU_NONE};
    builder_set_process(builder, &process);
    for (uint32_t i = 1; i <= store->names.count; i++)
        builder_define_name(builder, i, text_pool_text(&store->names, i));
    builder_define_thread(builder, THREAD, THREAD, (struct text){"main", 4}, false);
    for (uint32_t i = 0; i < store->allocators.count; i++)
        builder_define_allocator(builder, i + 1, store->allocators.at[i].name);
    for (uint32_t i = 0; i < store->warnings.count; i++) {
        const struct kept_warning *warning = &store->warnings.at[i];
        builder_add_warning(builder, (struct text){warning->what, strlen(warning->what)},
                            warning->count);
    }
}

static bool walk(void *foreign, uint32_t process, struct builder *builder, struct tl_health *health,
                 struct read_error *error)
{
    struct block_store *store = foreign;
    (void)process, (void)error;
    append_facts(store, builder);
    append_blocks(store, builder);
    health->records = store->parts.count;
    return true;
}

static void close_store(void *foreign)
{
    block_store_destroy(foreign);
}

struct trace_file *block_store_file(struct block_store *store, const struct source *source,
                                    const char *format, struct read_error *error)
{
    static const struct trace_reader reader = {walk, close_store};
    const char *path = source_path(source), *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    store->format = format;
    store->program = text_pool_copy(&store->names, (struct text){base, strlen(base)});
    store->replayed = calloc((size_t)store->replayed_count + 1, sizeof *store->replayed);
    if (store->failed || !store->program.bytes || !store->replayed) {
        trace_error(error, path, "out of memory");
        block_store_destroy(store);
        return NULL;
    }
    return trace_file_adopt(path, &reader, store, 1, 0, error);
}
