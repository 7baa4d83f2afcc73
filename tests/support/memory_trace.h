/* memory_trace.h - the trace fixture with memory: a context on device 0, calls that allocate. */
#ifndef PROF_MEMORY_TRACE_H
#define PROF_MEMORY_TRACE_H

#include "trace_fixture.h"

enum : uint8_t { KIND_PINNED = 2, KIND_DEVICE = 3, KIND_MANAGED = 5 };

class MemoryTrace : public Trace
{
public:
    MemoryTrace()
    {
        trace_builder_context(raw(), 1, 0);
        trace_builder_api_name(raw(), PROF_API_RUNTIME, 20, "cudaMalloc");
        trace_builder_api_name(raw(), PROF_API_RUNTIME, 22, "cudaFree");
        api_names().thread(1).thread(2).log(0, 1);
    }

    /* What the base does, as a step of a chain that goes on with memory. */
    MemoryTrace &push(int64_t time, const char *text)
    {
        Trace::push(time, text);
        return *this;
    }
    MemoryTrace &pop(int64_t time)
    {
        Trace::pop(time);
        return *this;
    }
    MemoryTrace &log(uint32_t number, uint32_t thread)
    {
        Trace::log(number, thread);
        return *this;
    }

    /* A call of the current log, 2 ns long, that allocates or frees. */
    MemoryTrace &call(int64_t time, uint32_t correlation, bool frees = false, unsigned flags = 0)
    {
        prof_rec_api_enter enter = {};
        enter.correlation = correlation;
        enter.cbid = frees ? 22 : 20;
        enter.domain = PROF_API_RUNTIME;
        enter.flags = static_cast<uint8_t>(flags);
        trace_builder_enter(raw(), time, enter);
        exit(time + 2, correlation);
        return *this;
    }

    MemoryTrace &told(int64_t time, uint32_t correlation, uint64_t address, uint64_t bytes,
                      bool frees = false, uint8_t kind = KIND_DEVICE, uint16_t device = 0)
    {
        prof_rec_memory memory = {};
        memory.address = address;
        memory.bytes = bytes;
        memory.context = 1;
        memory.device = device;
        memory.kind = kind;
        memory.operation = frees ? PROF_MEMORY_RELEASE : PROF_MEMORY_ALLOCATE;
        trace_builder_memory(raw(), time, correlation, memory);
        return *this;
    }

    /* The call and CUPTI's record of it, one beside the other. */
    MemoryTrace &cuda_alloc(int64_t time, uint32_t correlation, uint64_t address, uint64_t bytes,
                            uint8_t kind = KIND_DEVICE, uint16_t device = 0)
    {
        return call(time, correlation)
            .told(time + 1, correlation, address, bytes, false, kind, device);
    }
    MemoryTrace &cuda_free(int64_t time, uint32_t correlation, uint64_t address)
    {
        return call(time, correlation, true).told(time + 1, correlation, address, 0, true);
    }

    MemoryTrace &own_alloc(int64_t time, uint32_t allocator, uint64_t address, uint64_t bytes)
    {
        trace_builder_alloc(raw(), time, allocator, address, bytes);
        return *this;
    }
    MemoryTrace &own_free(int64_t time, uint32_t allocator, uint64_t address)
    {
        trace_builder_free(raw(), time, allocator, address);
        return *this;
    }
    MemoryTrace &pool(int64_t time, uint8_t operation, uint64_t address, uint64_t bytes,
                      uint64_t used)
    {
        prof_rec_memory_pool record = {};
        record.pool = address;
        record.bytes = bytes;
        record.used_bytes = used;
        record.operation = operation;
        trace_builder_memory_pool(raw(), time, 0, record);
        return *this;
    }
    MemoryTrace &migration(int64_t start, int64_t end, uint32_t kind, uint64_t value,
                           uint32_t source = UINT32_MAX, uint32_t target = 0)
    {
        prof_rec_unified_memory record = {};
        record.kind = kind;
        record.value = value;
        record.source = source;
        record.target = target;
        trace_builder_unified_memory(raw(), start, end, record);
        return *this;
    }
};

#endif
