// Where devices' time went: against a count of every nanosecond, and its identities.
#include "../stats/timeline_maker.h"

extern "C" {
#include "temporal_breakdown.h"
}

#include <random>

#include <gtest/gtest.h>

namespace
{

struct Breakdown {
    explicit Breakdown(const timeline *timeline, int64_t long_gap_ns = INT64_MAX)
    {
        EXPECT_TRUE(work_classes_init(&classes, timeline));
        EXPECT_TRUE(temporal_breakdown_init(&breakdown, timeline, &classes, long_gap_ns, nullptr));
    }
    ~Breakdown()
    {
        temporal_breakdown_fini(&breakdown);
        work_classes_fini(&classes);
    }
    const temporal_row &operator[](uint32_t i) { return breakdown.at[i]; }

    work_classes classes;
    temporal_breakdown breakdown;
};

uint8_t traits(const std::string &name)
{
    return work_classes_read({name.data(), name.size()});
}

TEST(WorkClasses, CollectivesCommunicate)
{
    EXPECT_TRUE(traits("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)") &
                KERNEL_COMMUNICATES);
    EXPECT_FALSE(traits("ampere_sgemm_128x64_nn") & KERNEL_COMMUNICATES);
    EXPECT_FALSE(traits("") & KERNEL_COMMUNICATES);
}

TEST(WorkClasses, SinglePrecisionOnTensorCoresIsNoFp32Matrix)
{
    EXPECT_TRUE(traits("ampere_sgemm_128x64_nn") & KERNEL_FP32_MATRIX);
    EXPECT_TRUE(traits("volta_scudnn_128x64_relu_interior_nn_v1") & KERNEL_FP32_MATRIX);
    EXPECT_TRUE(traits("void implicit_convolve_sgemm<float, 128>(int)") & KERNEL_FP32_MATRIX);
    EXPECT_FALSE(traits("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x64>(int)") &
                 KERNEL_FP32_MATRIX);
    EXPECT_FALSE(traits("ampere_s16816gemm_bf16_128x64_tn") & KERNEL_FP32_MATRIX);
    EXPECT_FALSE(traits("sm80_xmma_gemm_f32f32_tf32f32_f32_tn") & KERNEL_FP32_MATRIX);
}

TEST(TemporalBreakdown, GivesTimeOfTwoKindsToComputeFirst)
{
    TimelineMaker m;
    m.range("run", 0, 1000);
    auto first = m.stream(7), second = m.stream(8);
    m.kernel("k", TL_NONE, 100, 300, first);
    m.kernel("ncclDevKernel_AllReduce(int)", TL_NONE, 200, 500, second);
    m.copy(TL_NONE, 450, 700, 10, first);
    Breakdown b(m.done());
    ASSERT_EQ(b.breakdown.count, 1u);
    EXPECT_EQ(temporal_span_ns(&b[0]), 600);
    EXPECT_EQ(temporal_idle_ns(&b[0]), 0);
    EXPECT_EQ(temporal_part_ns(&b[0], WORK_COMPUTE), 200);
    EXPECT_EQ(temporal_part_ns(&b[0], WORK_COMMUNICATION), 200);
    EXPECT_EQ(temporal_part_ns(&b[0], WORK_MEMORY), 200);
    EXPECT_EQ(temporal_union_ns(&b[0], WORK_COMMUNICATION), 300);
    EXPECT_EQ(temporal_overlap_ns(&b[0], WORK_COMMUNICATION, WORK_COMPUTE), 100);
    EXPECT_EQ(temporal_overlap_ns(&b[0], WORK_MEMORY, WORK_COMMUNICATION), 50);
    EXPECT_EQ(b[0].before_ns, 100);
    EXPECT_EQ(b[0].after_ns, 300);
    EXPECT_EQ(b[0].window_ns, 1000);
}

TEST(TemporalBreakdown, FindsLongGapsAndTheLongest)
{
    TimelineMaker m;
    m.range("run", 0, 1000);
    m.kernel("k", TL_NONE, 0, 100);
    m.kernel("k", TL_NONE, 150, 200);
    m.kernel("k", TL_NONE, 500, 600);
    m.kernel("k", TL_NONE, 700, 701);
    Breakdown b(m.done(), 100);
    EXPECT_EQ(b[0].long_gaps, 2u);
    EXPECT_EQ(b[0].long_gaps_ns, 400);
    EXPECT_EQ(b[0].longest_gap_ns, 300);
    EXPECT_EQ(b[0].longest_gap_at_ns, 200);
}

TEST(TemporalBreakdown, LeavesOutWaitsAndDevicesWithoutWork)
{
    TimelineMaker m;
    m.range("run", 0, 100);
    m.sync(3, 10, 90, TL_NONE);
    m.stream(9, 1);
    Breakdown b(m.done());
    EXPECT_EQ(b.breakdown.count, 0u);
}

TEST(TemporalBreakdown, OfAnOperationWithoutDurationIsEmptyAndDividesByNothing)
{
    TimelineMaker m;
    m.kernel("k", TL_NONE, 50, 50);
    Breakdown b(m.done());
    ASSERT_EQ(b.breakdown.count, 1u);
    EXPECT_EQ(temporal_span_ns(&b[0]), 0);
    EXPECT_EQ(b[0].operations, 1u);
    for (auto busy : b[0].chunk_busy_ns)
        EXPECT_EQ(busy, 0);
}

// Every nanosecond of 200 random timelines, by brute force.
TEST(TemporalBreakdown, AgreesWithACountOfEveryNanosecond)
{
    std::mt19937 random(7);
    for (int round = 0; round < 200; round++) {
        TimelineMaker m;
        m.range("run", 0, 2000);
        std::vector<unsigned> running(2000);
        int64_t first = 2000, last = 0;
        for (int s = 0; s < 3; s++) {
            auto stream = m.stream(static_cast<uint32_t>(7 + s));
            for (int i = 0; i < 12; i++) {
                int64_t start = random() % 1900, end = start + random() % 100;
                auto kind = static_cast<unsigned>(random() % 3);
                if (kind == 0)
                    m.kernel("k", TL_NONE, start, end, stream);
                else if (kind == 1)
                    m.kernel("ncclKernel(int)", TL_NONE, start, end, stream);
                else
                    m.set(TL_NONE, start, end, 8, stream);
                for (int64_t t = start; t < end; t++)
                    running[static_cast<size_t>(t)] |= 1u << kind;
                first = std::min(first, start), last = std::max(last, end);
            }
        }
        int64_t wanted[TEMPORAL_SETS] = {}, busy[TEMPORAL_CHUNKS] = {};
        Breakdown b(m.done());
        const temporal_row &row = b[0];
        ASSERT_EQ(row.first_ns, first);
        ASSERT_EQ(row.last_ns, last);
        for (uint32_t chunk = 0; chunk < TEMPORAL_CHUNKS; chunk++) {
            int64_t from, to;
            temporal_chunk(&row, chunk, &from, &to);
            for (int64_t t = from; t < to; t++) {
                wanted[running[static_cast<size_t>(t)]]++;
                busy[chunk] += running[static_cast<size_t>(t)] != 0;
            }
            ASSERT_EQ(row.chunk_busy_ns[chunk], busy[chunk]) << round << " " << chunk;
        }
        for (unsigned set = 0; set < TEMPORAL_SETS; set++)
            ASSERT_EQ(row.running_ns[set], wanted[set]) << round << " " << set;
        ASSERT_EQ(temporal_idle_ns(&row) + temporal_part_ns(&row, WORK_COMPUTE) +
                      temporal_part_ns(&row, WORK_COMMUNICATION) +
                      temporal_part_ns(&row, WORK_MEMORY) + row.before_ns + row.after_ns,
                  row.window_ns);
    }
}

} // namespace
