// What devices do badly: tiny kernels, copies alone, empty multiprocessors, queues.
#include "findings_of.h"

extern "C" {
#include "rules.h"
}

namespace
{

constexpr int64_t us = 1000, ms = 1000000;

// `count` kernels of `ran_ns`, one every 20 us, launched `ahead_ns` before they start.
const timeline *kernels_of(TimelineMaker &m, int count, int64_t ran_ns, int64_t ahead_ns)
{
    m.push("many", 0);
    for (int i = 0; i < count; i++) {
        int64_t start = ms + i * 20 * us;
        auto call = m.launch("cudaLaunchKernel", start - ahead_ns, start - ahead_ns + 5 * us);
        m.kernel("k", call, start, start + ran_ns);
    }
    m.pop(ms + count * 20 * us);
    return m.done();
}

TEST(RuleTinyKernels, TellsHowLongTheGpuWaitedForThem)
{
    TimelineMaker m;
    FindingsOf found(kernels_of(m, 100, 2 * us, 15 * us));
    auto of = found.of("tiny-kernels");
    ASSERT_EQ(of.size(), 1u);
    EXPECT_EQ(of[0].path, "many > cudaLaunchKernel");
    EXPECT_EQ(of[0].detail.count, 100u);
    EXPECT_EQ(of[0].detail.saved_ns, 99 * 18 * us);
    EXPECT_EQ(of[0].detail.cost_ns, 99 * 18 * us + 100 * 2 * us);
}

TEST(RuleTinyKernels, LeavesLongerOnesAlone)
{
    TimelineMaker m;
    FindingsOf found(kernels_of(m, 100, 10 * us, 9 * us));
    EXPECT_TRUE(found.of("tiny-kernels").empty());
}

TEST(RuleTinyKernels, LeavesThemAloneWhereTheGpuDoesNotWait)
{
    TimelineMaker m;
    auto graph = m.launch("cudaGraphLaunch", 0, 10 * us);
    for (int i = 0; i < 500; i++)
        m.kernel("k", graph, 20 * us + i * 3 * us, 20 * us + i * 3 * us + 2 * us);
    FindingsOf found(m.done());
    EXPECT_TRUE(found.of("tiny-kernels").empty());
}

TEST(RulePoorOverlap, SavesTheShorterOfTheTwoAtMost)
{
    TimelineMaker m;
    auto copies = m.stream(7), kernels = m.stream(8);
    m.push("epoch", 0);
    auto copy = m.launch("cudaMemcpyAsync", 0, 10 * us);
    auto launch = m.launch("cudaLaunchKernel", 10 * us, 20 * us);
    m.pop(30 * us);
    m.copy(copy, 1 * ms, 61 * ms, 1 << 20, copies);
    m.kernel("k", launch, 51 * ms, 81 * ms, kernels);
    FindingsOf found(m.done());
    auto of = found.of("poor-copy-overlap");
    ASSERT_EQ(of.size(), 1u);
    EXPECT_EQ(of[0].path, "epoch > cudaMemcpyAsync");
    EXPECT_EQ(of[0].detail.cost_ns, 50 * ms);
    EXPECT_EQ(of[0].detail.saved_ns, 20 * ms);
}

TEST(RulePoorOverlap, CountsCopiesBesideOneAnotherOnce)
{
    TimelineMaker m;
    auto one = m.stream(7), other = m.stream(8), kernels = m.stream(9);
    m.copy(TL_NONE, 0, 50 * ms, 1 << 20, one);
    m.copy(TL_NONE, 10 * ms, 50 * ms, 1 << 20, other);
    m.kernel("k", TL_NONE, 50 * ms, 100 * ms, kernels);
    FindingsOf found(m.done());
    ASSERT_EQ(found.of("poor-copy-overlap").size(), 1u);
    EXPECT_EQ(found.of("poor-copy-overlap")[0].detail.cost_ns, 50 * ms);
}

TEST(RulePoorOverlap, IsSilentWhereCopiesAreHidden)
{
    TimelineMaker m;
    auto copies = m.stream(7), kernels = m.stream(8);
    m.copy(TL_NONE, 1 * ms, 61 * ms, 1 << 20, copies);
    m.kernel("k", TL_NONE, 0, 80 * ms, kernels);
    FindingsOf found(m.done());
    EXPECT_TRUE(found.of("poor-copy-overlap").empty());
}

TEST(RulePoorOverlap, IsSilentWithoutKernels)
{
    TimelineMaker m;
    m.copy(TL_NONE, 1 * ms, 61 * ms, 1 << 20);
    FindingsOf found(m.done());
    EXPECT_TRUE(found.of("poor-copy-overlap").empty());
}

// A kernel with that grid and block on a device of 132 multiprocessors of 2048 threads.
const timeline *grid_of(TimelineMaker &m, uint32_t blocks, uint16_t threads)
{
    m.device(0, "Test GPU");
    auto call = m.launch("cudaLaunchKernel", 0, 1000);
    auto kernel = m.kernel("gemm<float>", call, 1000, 100 * ms);
    m.kernels[m.gpus[kernel].detail].grid_x = blocks;
    m.kernels[m.gpus[kernel].detail].block_x = threads;
    return m.done();
}

TEST(RuleLowOccupancy, NamesTheKernelAndItsCall)
{
    TimelineMaker m;
    FindingsOf found(grid_of(m, 66, 256));
    auto of = found.of("low-occupancy");
    ASSERT_EQ(of.size(), 1u);
    EXPECT_EQ(of[0].path, "cudaLaunchKernel");
    EXPECT_EQ(of[0].sentence,
              "gemm<float> ran 1 time for 100 ms (100 % of the wall time) with 6 % of "
              "the warps that the multiprocessors can hold.");
}

TEST(RuleLowOccupancy, LeavesCollectivesAlone)
{
    TimelineMaker m;
    m.name("gemm<float>");
    const timeline *t = grid_of(m, 66, 256);
    std::string nccl = "ncclDevKernel_AllReduce";
    t->names.at[m.name("gemm<float>")] = m.text_of(nccl);
    FindingsOf found(t);
    EXPECT_TRUE(found.of("low-occupancy").empty());
}

TEST(RuleLowOccupancy, LeavesFullKernelsAlone)
{
    TimelineMaker m;
    FindingsOf found(grid_of(m, 132 * 8, 256));
    EXPECT_TRUE(found.of("low-occupancy").empty());
    EXPECT_TRUE(found.of("tail-wave").empty());
}

TEST(RuleLowOccupancy, SaysWhereTheDeviceIsNotKnown)
{
    TimelineMaker m;
    auto call = m.launch("cudaLaunchKernel", 0, 1000);
    m.kernel("k", call, 1000, 100 * ms);
    FindingsOf found(m.done());
    EXPECT_TRUE(found.of("low-occupancy").empty());
    EXPECT_TRUE(found.notes("1 kernel of 1 kernel run are unknown"));
}

TEST(RuleTailWave, TellsWhatTheLastWaveWastes)
{
    TimelineMaker m;
    FindingsOf found(grid_of(m, 132 * 8 + 132, 256)); // 1.125 waves of 8 blocks each
    auto of = found.of("tail-wave");
    ASSERT_EQ(of.size(), 1u);
    EXPECT_NE(of[0].sentence.find("in 1.12 waves"), std::string::npos) << of[0].sentence;
    EXPECT_NEAR(static_cast<double>(of[0].detail.saved_ns), 0.4375 * 100 * ms, 0.01 * ms);
}

TEST(RuleTailWave, LeavesManyWavesAlone)
{
    TimelineMaker m;
    FindingsOf found(grid_of(m, 132 * 8 * 20 + 1, 256)); // 20 full ones
    EXPECT_TRUE(found.of("tail-wave").empty());
}

TEST(RuleQueueEmpty, TellsHowFarLaunchesAreAhead)
{
    TimelineMaker m;
    FindingsOf found(kernels_of(m, 100, 2 * us, 15 * us));
    auto of = found.of("launch-queue-empty");
    ASSERT_EQ(of.size(), 1u);
    EXPECT_EQ(of[0].detail.count, 100u);
    EXPECT_EQ(of[0].detail.saved_ns, 0);
    EXPECT_EQ(of[0].sentence,
              "100 % of 100 launches found GPU 0 idle and nothing queued: half of them "
              "were at most 15.0 us ahead of their start, and never more than 0 "
              "waited. It idled 1.78 ms like this.");
}

TEST(RuleQueueEmpty, IsSilentWhereLaunchesAreAhead)
{
    TimelineMaker m;
    FindingsOf found(kernels_of(m, 100, 2 * us, 200 * us));
    EXPECT_TRUE(found.of("launch-queue-empty").empty());
}

// 1100 launches of 1 us at once, then `blocked` that take 1 ms, as kernels of 1 ms end.
const timeline *flood(TimelineMaker &m, int blocked)
{
    int64_t now = 0;
    m.push("flood", 0);
    for (int i = 0; i < 1100 + blocked; i++) {
        int64_t took = i < 1100 ? us : ms;
        auto call = m.launch("cudaLaunchKernel", now, now + took);
        m.kernel("k", call, 10 * us + i * ms, 10 * us + (i + 1) * ms);
        now += took;
    }
    m.pop(now);
    return m.done();
}

TEST(RuleQueueFull, TellsHowLongLaunchesBlocked)
{
    TimelineMaker m;
    FindingsOf found(flood(m, 100));
    auto of = found.of("launch-queue-full");
    ASSERT_EQ(of.size(), 1u);
    EXPECT_EQ(of[0].path, "flood > cudaLaunchKernel");
    EXPECT_EQ(of[0].detail.saved_ns, 0);
    EXPECT_GE(of[0].detail.cost_ns, 100 * ms);
    EXPECT_TRUE(found.of("launch-queue-empty").empty());
}

TEST(RuleQueueFull, IsSilentWhileThereIsRoom)
{
    TimelineMaker m;
    FindingsOf found(flood(m, 100), [](finding_limits &limits) { limits.queue_limit = 2000; });
    EXPECT_TRUE(found.of("launch-queue-full").empty());
}

} // namespace
