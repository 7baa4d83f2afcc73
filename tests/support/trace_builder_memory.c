/* trace_builder_memory.c - records of memory; see trace_builder.h. */
#include "trace_builder.h"

#include <string.h>

static uint64_t realtime_of(struct trace_builder *trace, int64_t time_ns)
{
    return trace_builder_header(trace)->start_realtime_ns + (uint64_t)time_ns;
}

static void add(struct trace_builder *trace, enum prof_record_type type, uint32_t correlation,
                const void *record, size_t bytes)
{
    uint64_t words[sizeof(struct prof_rec_memory) / 8];
    memcpy(words, record, bytes);
    trace_builder_ext(trace, type, correlation, words + 1, (unsigned)(bytes / 8 - 1));
}

void trace_builder_memory(struct trace_builder *trace, int64_t time_ns, uint32_t correlation,
                          struct prof_rec_memory detail)
{
    detail.time_ns = realtime_of(trace, time_ns);
    add(trace, PROF_REC_MEMORY, correlation, &detail,
        detail.pool ? sizeof detail : PROF_REC_MEMORY_SHORT_BYTES);
}

void trace_builder_memory_pool(struct trace_builder *trace, int64_t time_ns, uint32_t correlation,
                               struct prof_rec_memory_pool detail)
{
    detail.time_ns = realtime_of(trace, time_ns);
    add(trace, PROF_REC_MEMORY_POOL, correlation, &detail, sizeof detail);
}

void trace_builder_unified_memory(struct trace_builder *trace, int64_t start_ns, int64_t end_ns,
                                  struct prof_rec_unified_memory detail)
{
    detail.start_ns = realtime_of(trace, start_ns);
    detail.end_ns = realtime_of(trace, end_ns);
    add(trace, PROF_REC_UNIFIED_MEMORY, 0, &detail, sizeof detail);
}

void trace_builder_allocator(struct trace_builder *trace, uint32_t allocator, const char *name)
{
    struct prof_rec_allocator record = {
        .header = PROF_WORD_EXT((uint64_t)PROF_KIND_EXT, PROF_REC_ALLOCATOR, sizeof record / 8, 0),
        .allocator = allocator,
        .name = trace_builder_name(trace, name),
    };
    trace_builder_meta(trace, &record, sizeof record);
}

void trace_builder_alloc(struct trace_builder *trace, int64_t time_ns, uint32_t allocator,
                         uint64_t address, uint64_t bytes)
{
    trace_builder_event(trace, PROF_REC_ALLOC, time_ns, (uint64_t[]){address, bytes, allocator}, 3);
}

void trace_builder_free(struct trace_builder *trace, int64_t time_ns, uint32_t allocator,
                        uint64_t address)
{
    trace_builder_event(trace, PROF_REC_FREE, time_ns, (uint64_t[]){address, allocator}, 2);
}
