/* trace_memory.c - memory: of devices as CUPTI tells of it, and of the program's own allocators. */
#include "trace_memory.h"

static struct read_memory_op memory_of(const struct prof_rec_memory *from)
{
    return (struct read_memory_op){
        .address = from->address,
        .bytes = from->bytes,
        .context = from->context,
        .device = from->device,
        .operation = from->operation,
        .kind = from->kind,
        .flags = from->flags,
        .pool_type = from->pool_type,
        .pool = from->pool,
        .pool_bytes = from->pool_bytes,
        .pool_used_bytes = from->pool_used_bytes,
        .pool_release_threshold = from->pool_release_threshold,
    };
}

static void take_memory(struct walk *walk, const struct record *record)
{
    struct prof_rec_memory from;
    record_copy(record, &from, sizeof from);
    const struct read_memory memory = {
        .time_ns = clockmap_device_ns(&walk->clock, from.time_ns),
        .correlation = (uint32_t)PROF_WORD_INFO(record->header),
        .record = memory_of(&from),
    };
    timeline_append_memory(walk->builder, &memory);
}

static void take_pool(struct walk *walk, const struct record *record)
{
    struct prof_rec_memory_pool from;
    record_copy(record, &from, sizeof from);
    const struct read_memory_pool pool = {
        .time_ns = clockmap_device_ns(&walk->clock, from.time_ns),
        .pool = from.pool,
        .bytes = from.bytes,
        .used_bytes = from.used_bytes,
        .release_threshold = from.release_threshold,
        .device = from.device,
        .operation = from.operation,
        .pool_type = from.pool_type,
    };
    timeline_append_memory_pool(walk->builder, &pool);
}

static void take_unified(struct walk *walk, const struct record *record)
{
    struct prof_rec_unified_memory from;
    record_copy(record, &from, sizeof from);
    const struct read_migration migration = {
        .start_ns = clockmap_device_ns(&walk->clock, from.start_ns),
        .end_ns = clockmap_device_ns(&walk->clock, from.end_ns),
        .address = from.address,
        .value = from.value,
        .kind = from.kind,
        .flags = from.flags,
        .source = from.source,
        .target = from.target,
    };
    timeline_append_migration(walk->builder, &migration);
}

void walk_device_memory(struct walk *walk, const struct record *record)
{
    switch (record_type(record)) {
    case PROF_REC_MEMORY:
        take_memory(walk, record);
        break;
    case PROF_REC_MEMORY_POOL:
        take_pool(walk, record);
        break;
    default:
        take_unified(walk, record);
        break;
    }
}

void walk_allocation(struct walk *walk, uint32_t thread, int64_t time_ns,
                     const struct record *record)
{
    struct prof_rec_alloc alloc;
    struct prof_rec_free release;
    if (record_type(record) == PROF_REC_ALLOC) {
        record_copy(record, &alloc, sizeof alloc);
        timeline_append_alloc(walk->builder, thread, time_ns,
                              &(struct read_alloc){alloc.address, alloc.bytes, alloc.allocator});
    } else {
        record_copy(record, &release, sizeof release);
        timeline_append_release(walk->builder, thread, time_ns, release.allocator, release.address);
    }
}

void walk_allocator(struct walk *walk, const struct record *record)
{
    struct prof_rec_allocator allocator;
    record_copy(record, &allocator, sizeof allocator);
    timeline_define_allocator(walk->builder, allocator.allocator, allocator.name);
}
