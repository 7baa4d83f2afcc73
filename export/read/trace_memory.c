/* trace_memory.c - memory: of devices as CUPTI tells of it, and of the program's own allocators. */
#include "trace_memory.h"

static void tell_memory(struct walk *walk, const struct record *record)
{
    struct read_memory memory = {.correlation = (uint32_t)PROF_WORD_INFO(record->header)};
    record_copy(record, &memory.record, sizeof memory.record);
    memory.time_ns = clockmap_device_ns(&walk->clock, memory.record.time_ns);
    timeline_append_memory(walk->builder, &memory);
}

static void tell_pool(struct walk *walk, const struct record *record)
{
    struct read_memory_pool pool = {0};
    record_copy(record, &pool.record, sizeof pool.record);
    pool.time_ns = clockmap_device_ns(&walk->clock, pool.record.time_ns);
    timeline_append_memory_pool(walk->builder, &pool);
}

static void tell_unified(struct walk *walk, const struct record *record)
{
    struct read_unified_memory unified = {0};
    record_copy(record, &unified.record, sizeof unified.record);
    unified.start_ns = clockmap_device_ns(&walk->clock, unified.record.start_ns);
    unified.end_ns = clockmap_device_ns(&walk->clock, unified.record.end_ns);
    timeline_append_migration(walk->builder, &unified);
}

void walk_device_memory(struct walk *walk, const struct record *record)
{
    switch (record_type(record)) {
    case PROF_REC_MEMORY:
        tell_memory(walk, record);
        break;
    case PROF_REC_MEMORY_POOL:
        tell_pool(walk, record);
        break;
    default:
        tell_unified(walk, record);
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
