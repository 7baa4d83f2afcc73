/* test_memory.cc - releases find their allocations, allocations their calls and ranges; pools;
 * managed memory. */
#include "../support/memory_trace.h"

#include <gtest/gtest.h>

namespace
{

/* "heap address bytes start-end slice", one allocation per line. */
std::string memories(const timeline *t)
{
    std::string text;
    for (uint32_t i = 0; i < t->memories.count; i++) {
        const tl_memory &m = t->memories.at[i];
        const tl_heap &heap = t->heaps.at[m.heap];
        text += std::string(t->names.at[heap.name].bytes) +
                (heap.device == TL_NONE ? "" : std::to_string(heap.device)) + " " +
                std::to_string(m.address) + " " + std::to_string(m.bytes) + " " +
                std::to_string(m.start_ns) + "-" +
                (m.end_ns == TL_MEMORY_LIVE ? "" : std::to_string(m.end_ns)) +
                (m.slice == TL_NONE
                     ? ""
                     : std::string(" ") + t->names.at[t->slices.at[m.slice].name].bytes) +
                (m.flags & TL_MEMORY_REPLACED ? " replaced" : "") + "\n";
    }
    return text;
}

/* "time +bytes" or "time -bytes", one event per line. */
std::string events(const timeline *t)
{
    std::string text;
    for (uint32_t i = 0; i < t->memory_events.count; i++) {
        const tl_memory_event &event = t->memory_events.at[i];
        text += std::to_string(event.time_ns) + (event.is_end ? " -" : " +") +
                std::to_string(t->memories.at[event.memory].bytes) + "\n";
    }
    return text;
}

const tl_anomalies &odd(const timeline *t)
{
    return t->processes.at[0].odd;
}

} // namespace

TEST(Memory, AReleaseEndsTheAllocationAtItsAddress)
{
    MemoryTrace trace;
    trace.cuda_alloc(10, 1, 0x100, 64).cuda_alloc(20, 2, 0x200, 32).cuda_free(30, 3, 0x100);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(memories(t), "device0 256 64 11-31 cudaMalloc\ndevice0 512 32 21- cudaMalloc\n");
    EXPECT_EQ(events(t), "11 +64\n21 +32\n31 -64\n");
    EXPECT_STREQ(t->names.at[t->slices.at[t->memories.at[0].end_slice].name].bytes, "cudaFree");
    EXPECT_EQ(t->threads.at[t->memories.at[0].thread].number, 1u);
    EXPECT_EQ(findings(t), "");
    EXPECT_EQ(t->ledger.launched, 0u) << "no operation of a device";
    EXPECT_EQ(t->ledger.orphans, 0u);
}

TEST(Memory, RecordsMayComeInAnyOrder)
{
    MemoryTrace trace;
    trace.call(10, 1).call(20, 2, true).call(30, 3).call(40, 4, true);
    trace.told(41, 4, 0x100, 0, true).told(31, 3, 0x100, 8).told(21, 2, 0x100, 0, true);
    trace.told(11, 1, 0x100, 64);
    const timeline *t = trace.load();
    EXPECT_EQ(memories(t), "device0 256 64 11-21 cudaMalloc\ndevice0 256 8 31-41 cudaMalloc\n");
    EXPECT_EQ(odd(t).unknown_frees, 0u);
    EXPECT_EQ(odd(t).reused_addresses, 0u);
    EXPECT_EQ(findings(t), "");
}

TEST(Memory, AReleaseOnAnotherThreadDeviceOrStreamIsTheSameRelease)
{
    MemoryTrace trace;
    trace.cuda_alloc(10, 1, 0x100, 64, KIND_DEVICE, 1).log(1, 2);
    trace.call(30, 2, true).told(31, 2, 0x100, 0, true, 0, 0);
    const timeline *t = trace.load();
    EXPECT_EQ(memories(t), "device1 256 64 11-31 cudaMalloc\n");
    EXPECT_EQ(t->threads.at[t->memories.at[0].end_thread].number, 2u);
}

TEST(Memory, AReleaseOfWhatWasNeverSeenIsCountedAndNothingElse)
{
    MemoryTrace trace;
    trace.cuda_free(10, 1, 0x100).cuda_alloc(20, 2, 0x100, 64).cuda_free(30, 3, 0x100);
    trace.cuda_free(40, 4, 0x100).own_free(50, 1, 0x100);
    const timeline *t = trace.load();
    EXPECT_EQ(memories(t), "device0 256 64 21-31 cudaMalloc\n");
    EXPECT_EQ(odd(t).unknown_frees, 3u);
    EXPECT_EQ(findings(t), "note unknown-frees");
}

TEST(Memory, AnAddressHandedOutAgainEndsWhatWasThere)
{
    MemoryTrace trace;
    trace.cuda_alloc(10, 1, 0x100, 64).cuda_alloc(20, 2, 0x100, 32).cuda_free(30, 3, 0x100);
    const timeline *t = trace.load();
    EXPECT_EQ(memories(t), "device0 256 64 11-21 cudaMalloc replaced\n"
                           "device0 256 32 21-31 cudaMalloc\n");
    EXPECT_EQ(events(t), "11 +64\n21 -64\n21 +32\n31 -32\n");
    EXPECT_EQ(odd(t).reused_addresses, 1u);
    EXPECT_EQ(findings(t), "warning reused-addresses");
}

TEST(Memory, EachAllocatorHasAddressesOfItsOwn)
{
    MemoryTrace trace;
    trace_builder_allocator(trace.raw(), 1, "arena");
    trace_builder_allocator(trace.raw(), 2, "heap");
    trace.push(5, "range").push(6, "inner");
    trace.own_alloc(10, 1, 0x100, 64).own_alloc(11, 2, 0x100, 32).own_free(12, 2, 0x100);
    trace.pop(20).pop(21).cuda_alloc(30, 1, 0x100, 8);
    const timeline *t = trace.load();
    EXPECT_EQ(memories(t), "arena 256 64 10- inner\nheap 256 32 11-12 inner\n"
                           "device0 256 8 31- cudaMalloc\n");
    EXPECT_EQ(findings(t), "");
}

TEST(Memory, OfWhichOnlyTheSizeIsKnownIsNeverFreedNorReplaced)
{
    MemoryTrace trace;
    trace_builder_allocator(trace.raw(), 1, "arena");
    trace.own_alloc(10, 1, 0, 64).own_alloc(20, 1, 0, 32).own_free(30, 1, 0);
    const timeline *t = trace.load();
    EXPECT_EQ(memories(t), "arena 0 64 10-\narena 0 32 20-\n");
    EXPECT_EQ(odd(t).reused_addresses, 0u);
    EXPECT_EQ(odd(t).unknown_frees, 1u);
}

TEST(Memory, OfAnAllocatorWithoutANameIsItsNumbers)
{
    MemoryTrace trace;
    trace.own_alloc(10, 7, 0x100, 64);
    const timeline *t = trace.load();
    EXPECT_EQ(memories(t), "allocator 7 256 64 10-\n");
    EXPECT_EQ(odd(t).missing_names, 1u);
}

TEST(Memory, OfLibprofItselfIsNotThePrograms)
{
    MemoryTrace trace;
    trace.call(10, 1, false, PROF_API_INTERNAL).told(11, 1, 0x100, 4);
    trace.cuda_alloc(20, 2, 0x200, 8);
    const timeline *t = trace.load();
    EXPECT_EQ(memories(t), "device0 512 8 21- cudaMalloc\n");
}

TEST(Memory, WithoutItsCallIsStillThere)
{
    MemoryTrace trace;
    trace.told(10, 99, 0x100, 64).told(20, 0, 0x200, 32);
    const timeline *t = trace.load();
    EXPECT_EQ(memories(t), "device0 256 64 10-\ndevice0 512 32 20-\n");
    EXPECT_EQ(t->memories.at[0].thread, TL_NONE);
    EXPECT_EQ(t->processes.at[0].end_ns, 20) << "the recording lasts as long";
}

TEST(Memory, OfTheHostIsOfNoDeviceAndAnUnknownDeviceIsItsContexts)
{
    MemoryTrace trace;
    trace.cuda_alloc(10, 1, 0x100, 64, KIND_PINNED, 3);
    trace.cuda_alloc(20, 2, 0x200, 64, KIND_DEVICE, UINT16_MAX);
    trace.cuda_alloc(30, 3, 0x300, 64, 99);
    const timeline *t = trace.load();
    EXPECT_EQ(memories(t), "pinned 256 64 11- cudaMalloc\ndevice0 512 64 21- cudaMalloc\n"
                           "unknown0 768 64 31- cudaMalloc\n");
}

TEST(Memory, KeepsItsRangesWhenALogChangesHands)
{
    MemoryTrace trace;
    trace_builder_allocator(trace.raw(), 1, "arena");
    trace.thread(3);
    trace.push(10, "of one").own_alloc(11, 1, 0x100, 1).pop(12);
    trace_builder_thread_end(trace.raw(), 13);
    trace_builder_handover(trace.raw(), 3, 1003);
    trace.push(20, "of three").own_alloc(21, 1, 0x200, 2).pop(22);
    trace_builder_thread_end(trace.raw(), 23);
    trace_builder_handover(trace.raw(), 2, 1002);
    trace.push(30, "of two").own_alloc(31, 1, 0x300, 4).pop(32);
    const timeline *t = trace.load();
    EXPECT_EQ(memories(t), "arena 256 1 11- of one\narena 512 2 21- of three\n"
                           "arena 768 4 31- of two\n");
    EXPECT_EQ(findings(t), "");
}

TEST(Memory, OfManyProcessesIsApart)
{
    MemoryTrace first, second;
    first.cuda_alloc(10, 1, 0x100, 64);
    second.cuda_alloc(10, 1, 0x100, 32).cuda_free(20, 2, 0x100);
    trace_file *files[2];
    read_error error;
    size_t sizes[2];
    const uint8_t *bytes[2] = {trace_builder_bytes(first.raw(), &sizes[0]),
                               trace_builder_bytes(second.raw(), &sizes[1])};
    for (int i = 0; i < 2; i++)
        files[i] = trace_file_open_memory(bytes[i], sizes[i], "x.prof", false, &error);
    timeline *t = timeline_from_files(builder_begin(), files, 2, &error);
    ASSERT_NE(t, nullptr) << error.message;
    ASSERT_EQ(t->heaps.count, 2u);
    EXPECT_EQ(t->heaps.at[0].process, 0u);
    EXPECT_EQ(t->heaps.at[1].process, 1u);
    EXPECT_EQ(t->memories.at[0].end_ns, TL_MEMORY_LIVE);
    EXPECT_EQ(t->memories.at[1].end_ns, 21);
    EXPECT_EQ(findings(t), "");
    timeline_destroy(t);
    for (trace_file *file : files)
        trace_file_close(file);
}

TEST(Pools, KeepTheirPeaksAndEndAndComeAgainAtTheSameAddress)
{
    MemoryTrace trace;
    trace.pool(10, 1, 0x900, 0, 0).pool(40, 2, 0x900, 10, 0).pool(50, 1, 0x900, 0, 0);
    prof_rec_memory memory = {};
    memory.operation = PROF_MEMORY_ALLOCATE;
    memory.kind = KIND_DEVICE;
    memory.context = 1;
    memory.address = 0x100;
    memory.bytes = 7;
    memory.pool = 0x900;
    memory.pool_type = 1;
    memory.pool_bytes = 20;
    memory.pool_used_bytes = 7;
    trace_builder_memory(trace.raw(), 20, 0, memory);
    trace.pool(30, 3, 0x900, 10, 7);
    const timeline *t = trace.load();
    ASSERT_EQ(t->pools.count, 2u);
    const tl_pool &pool = t->pools.at[0];
    EXPECT_EQ(pool.start_ns, 10);
    EXPECT_EQ(pool.end_ns, 40);
    EXPECT_EQ(pool.peak_bytes, 20u);
    EXPECT_EQ(pool.peak_used_bytes, 7u);
    EXPECT_EQ(pool.last_bytes, 10u);
    EXPECT_EQ(pool.trims, 1u);
    EXPECT_EQ(t->pools.at[1].start_ns, 50);
    EXPECT_EQ(t->pools.at[1].end_ns, INT64_MAX);
    EXPECT_EQ(t->memory_events.at[0].pool_bytes, 20u);
}

TEST(Migrations, AreOfTheKernelThatRanOnTheirDevice)
{
    MemoryTrace trace;
    trace.push(10, "launcher").launch(20, 30, 5).pop(40).push(90, "waiter").pop(300);
    trace.kernel(100, 200, 5);
    trace.migration(120, 130, 1, 4096).migration(110, 115, 4, 3, 0, 0);
    const timeline *t = trace.load();
    ASSERT_EQ(t->migrations.count, 2u);
    EXPECT_EQ(t->migrations.at[0].start_ns, 110) << "sorted";
    for (uint32_t i = 0; i < 2; i++) {
        EXPECT_EQ(t->migrations.at[i].gpu, 0u);
        EXPECT_EQ(t->migrations.at[i].slice, 1u) << "the launch";
    }
}

TEST(Migrations, WithoutAKernelAreOfTheSliceOpenThenThatBeganLast)
{
    MemoryTrace trace;
    trace.push(10, "outer").push(20, "inner").pop(30).pop(100);
    trace.log(1, 2).push(50, "later").pop(60);
    trace.migration(25, 26, 1, 1).migration(55, 56, 1, 1).migration(70, 71, 2, 1, 0, UINT32_MAX);
    trace.migration(500, 400, 3, 1, UINT32_MAX, UINT32_MAX);
    const timeline *t = trace.load();
    ASSERT_EQ(t->migrations.count, 4u);
    auto name = [t](uint32_t i) {
        return std::string(t->names.at[t->slices.at[t->migrations.at[i].slice].name].bytes);
    };
    EXPECT_EQ(name(0), "inner");
    EXPECT_EQ(name(1), "later");
    EXPECT_EQ(name(2), "outer");
    EXPECT_EQ(t->migrations.at[3].slice, TL_NONE);
    EXPECT_EQ(t->migrations.at[3].end_ns, 500) << "no end before its begin";
}

TEST(MemoryCheck, FindsWhatDoesNotAddUp)
{
    MemoryTrace trace;
    trace.cuda_alloc(10, 1, 0x100, 64).cuda_free(20, 2, 0x100);
    timeline *t = const_cast<timeline *>(trace.load());
    ASSERT_EQ(findings(t), "");
    t->memory_events.at[0].is_end = 1;
    EXPECT_EQ(findings(t), "error memory");
    t->memory_events.at[0].is_end = 0;
    t->memory_events.at[1].is_end = 0;
    EXPECT_EQ(findings(t), "error memory");
    t->memory_events.at[1].is_end = 1;
    t->memory_events.at[1].time_ns = 5;
    EXPECT_EQ(findings(t), "error memory");
    t->memory_events.at[1].time_ns = 21;
    t->memories.at[0].end_ns = TL_MEMORY_LIVE;
    EXPECT_EQ(findings(t), "error memory");
    t->memories.at[0].end_ns = 1;
    EXPECT_EQ(findings(t), "error memory");
    t->memories.at[0].end_ns = 21;
    t->memories.at[0].heap = 9;
    EXPECT_EQ(findings(t), "error memory");
    t->memories.at[0].heap = 0;
    EXPECT_EQ(findings(t), "");
}
