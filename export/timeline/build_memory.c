/* build_memory.c - takes what the reader tells of memory. */
#include "build_memory.h"

#include "build.h"
#include "launch_index.h"

#include <stdlib.h>

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
    if (!added || !keymap_set(&builder->memory.heaps, key, timeline->heaps.count - 1)) {
        builder->failed = true;
        return TL_NONE;
    }
    *added = heap;
    return timeline->heaps.count - 1;
}

static uint32_t cuda_heap(struct builder *builder, uint8_t kind, uint32_t device)
{
    uint64_t key = (uint64_t)kind << 32 | device;
    uint32_t known = keymap_find(&builder->memory.heaps, key);
    if (known != KEYMAP_NONE)
        return known;
    uint32_t name = namepool_format(&builder->pool, "%s", kind_names[kind < KINDS ? kind : 0]);
    return add_heap(builder, key,
                    (struct tl_heap){
                        .process = builder->process, .device = device, .name = name, .kind = kind});
}

static uint32_t allocator_heap(struct builder *builder, uint32_t allocator)
{
    uint64_t key = ALLOCATOR_KEY | allocator;
    uint32_t known = keymap_find(&builder->memory.heaps, key);
    if (known != KEYMAP_NONE)
        return known;
    build_process(builder)->odd.missing_names++;
    uint32_t name = namepool_format(&builder->pool, "allocator %u", allocator);
    return add_heap(
        builder, key,
        (struct tl_heap){
            .process = builder->process, .device = TL_NONE, .allocator = allocator, .name = name});
}

/* Stated again in a file that grows: the first counts. */
void timeline_define_allocator(struct builder *builder, uint32_t allocator, uint32_t name)
{
    uint64_t key = ALLOCATOR_KEY | allocator;
    if (builder->failed || keymap_find(&builder->memory.heaps, key) != KEYMAP_NONE)
        return;
    add_heap(builder, key,
             (struct tl_heap){.process = builder->process,
                              .device = TL_NONE,
                              .allocator = allocator,
                              .name = build_name(builder, name)});
}

static struct build_memory_op *add_op(struct builder *builder)
{
    struct build_memory_op *op = builder->failed ? NULL : ARRAY_ADD(&builder->memory.ops);
    builder->failed |= !op;
    return op;
}

static uint32_t device_of(struct builder *builder, uint16_t device, uint32_t context)
{
    if (device != UNKNOWN_DEVICE)
        return device;
    return idmap_find(&builder->context_device, context); /* IDMAP_NONE is TL_NONE */
}

static void note_pool(struct builder *builder, const struct read_memory *memory)
{
    const struct read_memory_op *record = &memory->record;
    struct build_pool_state *state = ARRAY_ADD(&builder->memory.pools);
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

void timeline_append_memory(struct builder *builder, const struct read_memory *memory)
{
    const struct read_memory_op *record = &memory->record;
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

void timeline_append_memory_pool(struct builder *builder, const struct read_memory_pool *pool)
{
    struct build_pool_state *state = ARRAY_ADD(&builder->memory.pools);
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

void timeline_append_migration(struct builder *builder, const struct read_migration *from)
{
    struct tl_migration *migration = ARRAY_ADD(&builder->timeline->migrations);
    if (!migration) {
        builder->failed = true;
        return;
    }
    *migration = (struct tl_migration){
        .start_ns = build_time(builder, from->start_ns),
        .end_ns = build_time(builder, from->end_ns),
        .address = from->address,
        .value = from->value,
        .process = builder->process,
        .kind = from->kind,
        .flags = from->flags,
        .source = from->source,
        .target = from->target,
        .gpu = TL_NONE,
        .slice = TL_NONE,
    };
    if (migration->end_ns < migration->start_ns)
        migration->end_ns = migration->start_ns;
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

void timeline_append_alloc(struct builder *builder, uint32_t number, int64_t time_ns,
                           const struct read_alloc *alloc)
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

void timeline_append_release(struct builder *builder, uint32_t number, int64_t time_ns,
                             uint32_t allocator, uint64_t address)
{
    struct build_memory_op *op = add_own_op(builder, number, time_ns, allocator, address);
    if (op)
        op->is_end = true;
}

void build_memory_begin(struct builder *builder)
{
    const struct timeline *timeline = builder->timeline;
    builder->memory.first_heap = timeline->heaps.count;
    builder->memory.first_memory = timeline->memories.count;
    builder->memory.first_event = timeline->memory_events.count;
    builder->memory.first_pool = timeline->pools.count;
    builder->memory.first_migration = timeline->migrations.count;
}

void build_memory_forget(struct builder *builder)
{
    builder->memory.ops.count = 0;
    builder->memory.pools.count = 0;
    keymap_fini(&builder->memory.heaps);
    keymap_fini(&builder->memory.living);
}

void build_memory_fini(struct builder *builder)
{
    build_memory_forget(builder);
    free(builder->memory.ops.at);
    free(builder->memory.pools.at);
}

bool build_memory_end(struct builder *builder)
{
    struct launch_index index;
    if (builder->memory.ops.count == 0)
        return build_pools(builder) && build_migrations(builder);
    if (!build_pools(builder) || !launch_index_init(&index, builder))
        return false;
    bool paired = build_memory_pair(builder, &index);
    launch_index_fini(&index);
    return paired && build_migrations(builder);
}
