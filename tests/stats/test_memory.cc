// Memory in numbers: heaps, owners, ranges, migrations.
#include "../support/memory_trace.h"

extern "C" {
#include "memory_use.h"
}

#include <gtest/gtest.h>

namespace
{

class Use
{
public:
    explicit Use(const timeline *t) { ready = memory_use_init(&use, t); }
    ~Use() { memory_use_fini(&use); }
    const memory_heap_use &operator[](uint32_t heap) const { return use.heaps[heap]; }
    memory_use use = {};
    bool ready;
};

// "bytes count path > path", one site per line.
std::string sites_text(const timeline *t, uint32_t event, uint32_t heap)
{
    memory_sites sites;
    std::string text;
    EXPECT_TRUE(memory_sites_init(&sites, t, event, heap));
    for (uint32_t i = 0; i < sites.sites.count; i++) {
        std::string path;
        for (uint32_t p = sites.sites.at[i].path; p != TL_NONE; p = sites.paths.at[p].parent)
            path = std::string(" ") + t->names.at[sites.paths.at[p].name].bytes + path;
        text += std::to_string(sites.sites.at[i].bytes) + " " +
                std::to_string(sites.sites.at[i].count) + path + "\n";
    }
    memory_sites_fini(&sites);
    return text;
}

class Ranges
{
public:
    explicit Ranges(const timeline *t) : ready(memory_ranges_init(&ranges, t)) {}
    ~Ranges() { memory_ranges_fini(&ranges); }

    // "name: calls +allocated -freed net self peak" of the CUDA side (or the other).
    std::string text(memory_side side = MEMORY_CUDA) const
    {
        std::string all;
        for (uint32_t i = 0; i < ranges.count; i++) {
            const memory_range &row = ranges.rows[i];
            ::text name = key_names_text(&ranges.keys, row.key);
            all += std::string(name.bytes, name.size) + ": " + std::to_string(row.count) + " +" +
                   std::to_string(row.total[side].allocated_bytes) + " -" +
                   std::to_string(row.total[side].freed_bytes) + " " +
                   std::to_string(memory_net(&row.total[side])) + " " +
                   std::to_string(memory_net(&row.self[side])) + " " +
                   std::to_string(row.peak_bytes[side]) + "\n";
        }
        return all;
    }
    memory_ranges ranges = {};
    bool ready;
};

TEST(MemoryUse, AddsUpAndKnowsThePeak)
{
    MemoryTrace trace;
    trace.cuda_alloc(10, 1, 0x100, 64).cuda_alloc(20, 2, 0x200, 32).cuda_free(30, 3, 0x100);
    trace.cuda_alloc(40, 4, 0x300, 64).cuda_free(50, 5, 0x300).cuda_alloc(60, 6, 1, 5, KIND_PINNED);
    const timeline *t = trace.load();
    Use use(t);
    ASSERT_TRUE(use.ready);
    EXPECT_EQ(use[0].allocations, 3u);
    EXPECT_EQ(use[0].frees, 2u);
    EXPECT_EQ(use[0].allocated_bytes, 160u);
    EXPECT_EQ(use[0].freed_bytes, 128u);
    EXPECT_EQ(use[0].live, 1u);
    EXPECT_EQ(use[0].live_bytes, 32u);
    EXPECT_EQ(use[0].peak_bytes, 96u);
    EXPECT_EQ(use[0].peak_ns, 21) << "the first of two equal ones";
    EXPECT_EQ(use[0].peak_event, 1u);
    EXPECT_EQ(use[1].peak_bytes, 5u);
    EXPECT_TRUE(memory_is_cuda(&t->heaps.at[0]));
    EXPECT_FALSE(memory_is_cuda(&t->heaps.at[1])) << "pinned memory is the host's";
}

TEST(MemoryUse, OfNothingIsNothing)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(1, "a").pop(2);
    const timeline *t = trace.load();
    Use use(t);
    Ranges ranges(t);
    EXPECT_TRUE(use.ready && ranges.ready);
    EXPECT_EQ(ranges.text(), "");
    EXPECT_EQ(sites_text(t, TL_NONE, TL_NONE), "");
}

TEST(MemorySites, GroupWhatIsLiveByTheCodeThatAllocatedIt)
{
    MemoryTrace trace;
    for (int i = 0; i < 3; i++) {
        int64_t at = 100 * i;
        trace.push(at + 1, "train").push(at + 2, "forward");
        trace.cuda_alloc(at + 10, 10 + i, 0x100 + i, 10).cuda_alloc(at + 20, 20 + i, 0x200 + i, 1);
        trace.pop(at + 30).cuda_free(at + 40, 30 + i, 0x200 + i).pop(at + 50);
    }
    trace.cuda_alloc(400, 90, 0x900, 100).told(410, 0, 0x901, 7);
    const timeline *t = trace.load();
    EXPECT_EQ(sites_text(t, TL_NONE, TL_NONE),
              "100 1 cudaMalloc\n30 3 train forward cudaMalloc\n7 1\n");
    EXPECT_EQ(sites_text(t, 1, 0), "11 2 train forward cudaMalloc\n") << "as it was then";
    EXPECT_EQ(sites_text(t, 2, 0), "10 1 train forward cudaMalloc\n");
}

TEST(MemorySites, AtTheEndLeaveOutWhatCanNeverBeFreed)
{
    MemoryTrace trace;
    trace_builder_allocator(trace.raw(), 1, "arena");
    trace.own_alloc(10, 1, 0, 64).own_alloc(20, 1, 0x100, 32);
    const timeline *t = trace.load();
    EXPECT_EQ(sites_text(t, TL_NONE, TL_NONE), "32 1\n");
    EXPECT_EQ(sites_text(t, 1, 0), "96 2\n") << "in use it is";
}

TEST(MemoryRanges, CountNetChangesAsTorchDoes)
{
    MemoryTrace trace;
    trace.push(1, "step").push(2, "forward").cuda_alloc(10, 1, 0x100, 100).pop(15);
    trace.cuda_alloc(20, 2, 0x200, 50).push(30, "backward").cuda_free(40, 3, 0x100).pop(50);
    trace.pop(60).cuda_alloc(70, 4, 0x300, 7);
    const timeline *t = trace.load();
    Ranges ranges(t);
    EXPECT_EQ(ranges.text(), "step: 1 +150 -100 50 50 150\n"
                             "forward: 1 +100 -0 100 100 100\n"
                             "backward: 1 +0 -100 -100 -100 150\n");
    EXPECT_EQ(memory_net(&ranges.ranges.outside[MEMORY_CUDA]), 7);
    Use use(t);
    int64_t sum = memory_net(&ranges.ranges.outside[MEMORY_CUDA]);
    for (uint32_t i = 0; i < ranges.ranges.count; i++)
        sum += memory_net(&ranges.ranges.rows[i].self[MEMORY_CUDA]);
    EXPECT_EQ(static_cast<uint64_t>(sum), use[0].live_bytes);
}

TEST(MemoryRanges, OfRecursionAreNotCountedTwice)
{
    MemoryTrace trace;
    trace.push(1, "f").push(2, "g").push(3, "f").cuda_alloc(10, 1, 0x100, 100).pop(20).pop(30);
    trace.pop(40);
    const timeline *t = trace.load();
    Ranges ranges(t);
    EXPECT_EQ(ranges.text(), "f: 2 +100 -0 100 100 100\ng: 1 +100 -0 100 0 100\n");
}

TEST(MemoryRanges, KeepHostAndDeviceApart)
{
    MemoryTrace trace;
    trace_builder_allocator(trace.raw(), 1, "arena");
    trace.push(1, "r").cuda_alloc(10, 1, 0x100, 100).cuda_alloc(20, 2, 0x200, 30, KIND_PINNED);
    trace.own_alloc(30, 1, 0x300, 4).cuda_alloc(40, 3, 0x400, 1000, KIND_MANAGED).pop(50);
    const timeline *t = trace.load();
    Ranges ranges(t);
    EXPECT_EQ(ranges.text(MEMORY_CUDA), "r: 1 +1100 -0 1100 1100 1100\n");
    EXPECT_EQ(ranges.text(MEMORY_CPU), "r: 1 +34 -0 34 34 34\n");
}

TEST(MemoryRanges, PeakIsWhatWasInUseWhileOneWasOpenWhoeverAllocatedIt)
{
    MemoryTrace trace;
    trace.cuda_alloc(10, 1, 0x100, 100).push(20, "r").cuda_alloc(30, 2, 0x200, 1);
    trace.cuda_free(40, 3, 0x200).pop(50).cuda_alloc(60, 4, 0x300, 1000).cuda_free(70, 5, 0x300);
    trace.push(80, "r").pop(90);
    const timeline *t = trace.load();
    Ranges ranges(t);
    EXPECT_EQ(ranges.text(), "r: 2 +1 -1 0 0 101\n");
}

TEST(Migrations, AddUpByDeviceAndRange)
{
    MemoryTrace trace;
    trace.push(10, "touch").launch(20, 30, 5).pop(40).kernel(100, 200, 5);
    trace.push(300, "take back").pop(400);
    trace.migration(110, 120, 4, 3, 0, 0).migration(110, 130, 1, 4096);
    trace.migration(310, 315, 2, 1024, 0, UINT32_MAX).migration(320, 320, 3, 1);
    trace.migration(330, 331, 8, 10, 0, 1).migration(340, 341, 5, 1).migration(350, 351, 99, 1);
    migrations sum;
    ASSERT_TRUE(migrations_init(&sum, trace.load()));
    ASSERT_EQ(sum.devices.count, 3u);
    EXPECT_EQ(sum.devices.at[0].device, 0u);
    EXPECT_EQ(sum.devices.at[0].amounts.gpu_faults, 3u);
    EXPECT_EQ(sum.devices.at[0].amounts.htod_bytes, 4096u);
    EXPECT_EQ(sum.devices.at[0].amounts.dtoh_bytes, 1024u);
    EXPECT_EQ(sum.devices.at[0].amounts.moving_ns, 25);
    EXPECT_EQ(sum.devices.at[1].device, TL_NONE) << "faults of the CPU";
    EXPECT_EQ(sum.devices.at[1].amounts.cpu_faults, 1u);
    EXPECT_EQ(sum.devices.at[1].amounts.thrashings, 1u);
    EXPECT_EQ(sum.devices.at[2].device, 1u);
    ASSERT_EQ(sum.ranges.count, 2u);
    EXPECT_EQ(sum.ranges.at[0].amounts.htod_bytes, 4096u) << "most bytes first";
    EXPECT_EQ(sum.ranges.at[1].amounts.dtoh_bytes, 1024u);
    migrations_fini(&sum);
}

} // namespace
