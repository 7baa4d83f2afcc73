// Rules about devices, collectives, copies, arithmetic, launches and the host: each on what it is for, and
// on what it must leave alone.
#include "findings_of.h"

namespace
{

constexpr int64_t ms = 1000000, us = 1000;

// ---- devices

TEST(RuleLongGaps, TellsGapsFromHalfASecondOn)
{
    TimelineMaker m;
    m.range("run", 0, 3000 * ms);
    m.kernel("k", TL_NONE, 0, 100 * ms);
    m.kernel("k", TL_NONE, 800 * ms, 900 * ms);
    m.kernel("k", TL_NONE, 1300 * ms, 3000 * ms); // after 400 ms
    FindingsOf found(m.done());
    auto all = found.of("long-gpu-gaps");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].detail.count, 1u);
    EXPECT_EQ(all[0].detail.cost_ns, 700 * ms);
    EXPECT_EQ(all[0].detail.saved_ns, 700 * ms);
    EXPECT_NE(all[0].sentence.find("the longest was 700 ms, from 100 ms on"), std::string::npos)
        << all[0].sentence;
}

TEST(RuleLongGaps, IsSilentAboutShorterOnes)
{
    TimelineMaker m;
    m.kernel("k", TL_NONE, 0, 100 * ms);
    m.kernel("k", TL_NONE, 500 * ms, 600 * ms);
    FindingsOf found(m.done());
    EXPECT_TRUE(found.of("long-gpu-gaps").empty());
    FindingsOf other(&m.made, [](finding_limits &limits) { limits.long_gap_ns = 400 * ms; });
    EXPECT_EQ(other.of("long-gpu-gaps").size(), 1u);
}

TEST(RuleLowUtilization, CountsPartsThatAreUsedLessThanHalf)
{
    TimelineMaker m;
    m.kernel("k", TL_NONE, 0, 150 * ms);
    for (int i = 15; i < 30; i++)
        m.kernel("k", TL_NONE, i * 10 * ms, i * 10 * ms + (i == 29 ? 10 : 2) * ms);
    FindingsOf found(m.done());
    auto all = found.of("low-gpu-utilization");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].detail.count, 14u);
    EXPECT_EQ(all[0].detail.cost_ns, 14 * 8 * ms);
    EXPECT_NE(all[0].sentence.find("for least, 20 %"), std::string::npos) << all[0].sentence;
}

TEST(RuleLowUtilization, IsSilentWhereEachPartIsUsedHalf)
{
    TimelineMaker m;
    for (int i = 0; i < 300; i++)
        m.kernel("k", TL_NONE, i * ms, i * ms + 600 * us);
    FindingsOf found(m.done());
    EXPECT_TRUE(found.of("low-gpu-utilization").empty());
    FindingsOf other(&m.made, [](finding_limits &limits) { limits.low_utilization = 0.7; });
    EXPECT_EQ(other.of("low-gpu-utilization").size(), 1u);
}

TEST(RuleLowUtilization, IsSilentAboutSpansOfLessThan30Ms)
{
    TimelineMaker m;
    m.kernel("k", TL_NONE, 0, 1 * ms);
    m.kernel("k", TL_NONE, 28 * ms, 29 * ms);
    FindingsOf found(m.done());
    EXPECT_TRUE(found.of("low-gpu-utilization").empty());
}

// ---- collectives

TEST(RuleExposedCommunication, CostsWhatNoComputingHides)
{
    TimelineMaker m;
    auto compute = m.stream(7), nccl = m.stream(20);
    m.kernel("k", TL_NONE, 0, 60 * ms, compute);
    m.kernel("ncclDevKernel_AllReduce(int)", TL_NONE, 40 * ms, 100 * ms, nccl);
    FindingsOf found(m.done());
    auto all = found.of("exposed-communication");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].detail.cost_ns, 40 * ms);
    EXPECT_EQ(all[0].detail.saved_ns, 40 * ms);
    EXPECT_NE(all[0].sentence.find("33 % of that was beside computing"), std::string::npos)
        << all[0].sentence;
}

TEST(RuleExposedCommunication, SavesNoMoreThanThereIsComputing)
{
    TimelineMaker m;
    m.kernel("k", TL_NONE, 0, 10 * ms);
    m.kernel("ncclDevKernel_AllReduce(int)", TL_NONE, 10 * ms, 100 * ms);
    FindingsOf found(m.done());
    EXPECT_EQ(found.of("exposed-communication").at(0).detail.saved_ns, 10 * ms);
}

TEST(RuleExposedCommunication, IsSilentWhereComputingHidesIt)
{
    TimelineMaker m;
    auto compute = m.stream(7), nccl = m.stream(20);
    m.kernel("k", TL_NONE, 0, 100 * ms, compute);
    m.kernel("ncclDevKernel_AllReduce(int)", TL_NONE, 40 * ms, 90 * ms, nccl);
    FindingsOf found(m.done());
    EXPECT_TRUE(found.of("exposed-communication").empty());
}

void two_ranks(TimelineMaker &m, int64_t second_late_ns)
{
    m.processes[0].info.rank = 0;
    auto first = m.stream(7);
    for (int i = 0; i < 4; i++)
        m.kernel("ncclKernel(int)", TL_NONE, i * 100 * ms, i * 100 * ms + 50 * ms, first);
    m.process(101, "train");
    m.processes[1].info.rank = 1;
    m.thread(102);
    auto second = m.stream(7);
    for (int i = 0; i < 4; i++)
        m.kernel("ncclKernel(int)", TL_NONE, i * 100 * ms + second_late_ns, i * 100 * ms + 50 * ms,
                 second);
}

TEST(RuleStragglers, NamesTheRankThatOthersWaitFor)
{
    TimelineMaker m;
    two_ranks(m, 30 * ms);
    FindingsOf found(m.done());
    auto all = found.of("stragglers");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].detail.process, 1u);
    EXPECT_EQ(all[0].detail.cost_ns, 120 * ms);
    EXPECT_EQ(all[0].sentence.rfind("Rank 1 came last to 4 of 4 collectives", 0), 0u)
        << all[0].sentence;
}

TEST(RuleStragglers, IsSilentWhereAllComeTogether)
{
    TimelineMaker m;
    two_ranks(m, 0);
    FindingsOf found(m.done());
    EXPECT_TRUE(found.of("stragglers").empty());
}

TEST(RuleStragglers, SaysWhatItCouldNotCompare)
{
    TimelineMaker m;
    two_ranks(m, 0);
    m.kernel("ncclKernel(int)", TL_NONE, 900 * ms, 950 * ms);
    FindingsOf found(m.done());
    EXPECT_TRUE(found.notes("9 communication kernels"));
}

// ---- copies

// A call of 10 ms around a copy, and idle time after it.
void copy_of(TimelineMaker &m, const char *call_name, uint8_t source_kind, uint8_t target_kind)
{
    m.push("load", 0);
    auto call = m.launch(call_name, 0, 10 * ms);
    m.pop(10 * ms);
    auto copy = m.copy(call, 1 * ms, 9 * ms, 1 << 20);
    m.kernel("k", TL_NONE, 90 * ms, 100 * ms);
    timeline *t = m.done();
    for (uint32_t i = 0; i < t->gpus.count; i++)
        if (t->gpus.at[i].kind == TL_MEMCPY) {
            t->memcpys.at[t->gpus.at[i].detail].src_kind = source_kind;
            t->memcpys.at[t->gpus.at[i].detail].dst_kind = target_kind;
        }
    (void)copy;
}

TEST(RulePageableCopies, TellsAsynchronousCopiesThatWait)
{
    TimelineMaker m;
    copy_of(m, "cudaMemcpyAsync", 1, 3);
    FindingsOf found(&m.made);
    auto all = found.of("async-copies-of-pageable-memory");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].path, "load > cudaMemcpyAsync");
    EXPECT_EQ(all[0].detail.cost_ns, 10 * ms);
    EXPECT_NE(all[0].sentence.find("1.00 MB"), std::string::npos) << all[0].sentence;
}

TEST(RulePageableCopies, IsSilentAboutPinnedMemoryAndSynchronousCalls)
{
    TimelineMaker pinned, synchronous;
    copy_of(pinned, "cudaMemcpyAsync", 2, 3);
    copy_of(synchronous, "cudaMemcpy", 1, 3);
    EXPECT_TRUE(FindingsOf(&pinned.made).of("async-copies-of-pageable-memory").empty());
    EXPECT_TRUE(FindingsOf(&synchronous.made).of("async-copies-of-pageable-memory").empty());
}

TEST(RuleSyncMemsets, TellsThoseWithoutAStream)
{
    TimelineMaker m;
    auto set = m.launch("cudaMemset", 0, 20 * ms),
         other = m.launch("cudaMemsetAsync", 20 * ms, 40 * ms);
    m.set(set, 10 * ms, 11 * ms, 64);
    m.set(other, 99 * ms, 100 * ms, 64);
    FindingsOf found(m.done());
    auto all = found.of("sync-memsets");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].detail.count, 1u);
    EXPECT_EQ(all[0].detail.cost_ns, 20 * ms);
}

TEST(RuleSyncMemsets, CountsACallAndItsDriversCallOnce)
{
    TimelineMaker m;
    m.push("cudaMemset", 0, TL_API);
    m.launch("cuMemsetD8_v2", 1 * ms, 19 * ms);
    m.pop(20 * ms);
    m.kernel("k", TL_NONE, 99 * ms, 100 * ms);
    FindingsOf found(m.done());
    ASSERT_EQ(found.of("sync-memsets").size(), 1u);
    EXPECT_EQ(found.of("sync-memsets")[0].detail.cost_ns, 20 * ms);
}

void copies_of(TimelineMaker &m, int count, uint64_t bytes)
{
    for (int i = 0; i < count; i++) {
        auto call = m.launch("cudaMemcpyAsync", i * ms, i * ms + 10 * us);
        m.copy(call, i * ms + 20 * us, i * ms + 30 * us, bytes);
    }
}

TEST(RuleSmallCopies, TellsManyOfThemFromOnePlace)
{
    TimelineMaker m;
    copies_of(m, 100, 4096);
    FindingsOf found(m.done());
    auto all = found.of("small-copies");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].detail.count, 100u);
    EXPECT_EQ(all[0].detail.cost_ns, 100 * 20 * us);
    EXPECT_EQ(all[0].detail.saved_ns, 99 * 20 * us);
}

TEST(RuleSmallCopies, IsSilentAboutFewAndAboutLargeOnes)
{
    TimelineMaker few, large;
    copies_of(few, 19, 4096);
    copies_of(large, 100, 65536);
    EXPECT_TRUE(FindingsOf(few.done()).of("small-copies").empty());
    EXPECT_TRUE(FindingsOf(large.done()).of("small-copies").empty());
}

// ---- managed memory

TEST(RuleManagedMemory, CostsTheTimeOfTheMigrations)
{
    TimelineMaker m;
    m.range("run", 0, 100 * ms);
    timeline *t = m.done();
    tl_migration moves[2] = {};
    for (auto &move : moves) {
        move.kind = 1; // bytes to a device
        move.value = 1 << 20;
        move.source = UINT32_MAX;
        move.slice = move.gpu = TL_NONE;
        move.end_ns = 5 * ms;
    }
    t->migrations.at = moves;
    t->migrations.count = 2;
    FindingsOf found(t);
    auto all = found.of("managed-memory-moves");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].detail.saved_ns, 10 * ms);
    EXPECT_NE(all[0].sentence.find("2.00 MB to devices"), std::string::npos) << all[0].sentence;
    t->migrations.at = nullptr;
    t->migrations.count = 0;
    EXPECT_TRUE(FindingsOf(t).of("managed-memory-moves").empty());
}

// ---- arithmetic

void matrix(TimelineMaker &m, uint32_t major, const char *kernel)
{
    if (major) {
        m.device(0, "GPU");
        m.devices[0].info.compute_major = major;
    }
    m.kernel(kernel, TL_NONE, 0, 80 * ms);
}

TEST(RuleFp32Matrix, SavesSevenEighthsWhereThereAreTensorCores)
{
    TimelineMaker m;
    matrix(m, 8, "ampere_sgemm_128x64_nn");
    FindingsOf found(m.done());
    auto all = found.of("fp32-without-tensor-cores");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].detail.cost_ns, 80 * ms);
    EXPECT_EQ(all[0].detail.saved_ns, 70 * ms);
}

TEST(RuleFp32Matrix, IsSilentOnOldDevicesAndWhereTensorCoresAreUsed)
{
    TimelineMaker old, used;
    matrix(old, 6, "maxwell_sgemm_128x64_nn");
    matrix(used, 8, "ampere_s1688gemm_tf32_128x64_nn");
    EXPECT_TRUE(FindingsOf(old.done()).of("fp32-without-tensor-cores").empty());
    EXPECT_TRUE(FindingsOf(used.done()).of("fp32-without-tensor-cores").empty());
}

TEST(RuleFp32Matrix, SaysWhereTheDeviceIsNotKnown)
{
    TimelineMaker m;
    matrix(m, 0, "ampere_sgemm_128x64_nn");
    FindingsOf found(m.done());
    EXPECT_TRUE(found.of("fp32-without-tensor-cores").empty());
    EXPECT_TRUE(found.notes("compute capability of GPU 0 is not known"));
}

TEST(RuleElementwiseTrains, SavesAllButTheLongestOfEach)
{
    TimelineMaker m;
    const char *name = "void at::native::vectorized_elementwise_kernel<4>(int)";
    m.kernel(name, TL_NONE, 0, 10 * ms);
    m.kernel(name, TL_NONE, 10 * ms, 40 * ms);
    m.kernel(name, TL_NONE, 40 * ms, 60 * ms);
    m.kernel("gemm", TL_NONE, 60 * ms, 70 * ms);
    m.kernel(name, TL_NONE, 70 * ms, 80 * ms);
    m.kernel(name, TL_NONE, 80 * ms, 90 * ms);
    FindingsOf found(m.done());
    auto all = found.of("elementwise-trains");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].detail.count, 3u);
    EXPECT_EQ(all[0].detail.cost_ns, 60 * ms);
    EXPECT_EQ(all[0].detail.saved_ns, 30 * ms);
}

TEST(RuleElementwiseTrains, IsSilentAboutPairsAndAcrossStreams)
{
    TimelineMaker m;
    auto first = m.stream(7), second = m.stream(8);
    const char *name = "void at::native::elementwise_kernel<4>(int)";
    m.kernel(name, TL_NONE, 0, 10 * ms, first);
    m.kernel(name, TL_NONE, 10 * ms, 20 * ms, first);
    m.kernel(name, TL_NONE, 20 * ms, 30 * ms, second);
    m.kernel(name, TL_NONE, 30 * ms, 40 * ms, second);
    FindingsOf found(m.done());
    EXPECT_TRUE(found.of("elementwise-trains").empty());
}

// ---- launches

TEST(RuleCallOutliers, TellsWhatTheyTookBeyondTheMedian)
{
    TimelineMaker m;
    for (int i = 0; i < 20; i++)
        m.launch("cudaLaunchKernel", i * ms, i * ms + 5 * us);
    m.push("first", 30 * ms);
    auto slow = m.launch("cudaLaunchKernel", 30 * ms, 50 * ms);
    m.pop(50 * ms);
    m.kernel("k", TL_NONE, 99 * ms, 100 * ms);
    FindingsOf found(m.done());
    auto all = found.of("call-outliers");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].detail.slice, slow);
    EXPECT_EQ(all[0].path, "first > cudaLaunchKernel");
    EXPECT_EQ(all[0].detail.cost_ns, 20 * ms - 5 * us);
}

TEST(RuleCallOutliers, IsSilentAboutCallsThatWait)
{
    TimelineMaker m;
    for (int i = 0; i < 20; i++)
        m.launch("cudaStreamSynchronize", i * ms, i * ms + 5 * us);
    m.launch("cudaStreamSynchronize", 30 * ms, 50 * ms);
    m.kernel("k", TL_NONE, 99 * ms, 100 * ms);
    FindingsOf found(m.done());
    EXPECT_TRUE(found.of("call-outliers").empty());
}

TEST(RuleLateStarts, TellsThoseOfAFreeStream)
{
    TimelineMaker m;
    auto first = m.launch("cudaLaunchKernel", 0, 10 * us);
    auto second = m.launch("cudaLaunchKernel", 10 * us, 20 * us);
    m.kernel("k", first, 50 * ms, 80 * ms);
    m.kernel("k", second, 80 * ms, 100 * ms); // behind the first: its stream was not free
    FindingsOf found(m.done());
    auto all = found.of("late-starts");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].detail.count, 1u);
    EXPECT_EQ(all[0].detail.cost_ns, 50 * ms - 10 * us - 100 * us);
}

TEST(RuleLateStarts, IsSilentWhereAllComeSoon)
{
    TimelineMaker m;
    auto call = m.launch("cudaLaunchKernel", 0, 10 * us);
    m.kernel("k", call, 60 * us, 100 * ms);
    FindingsOf found(m.done());
    EXPECT_TRUE(found.of("late-starts").empty());
}

void steps(TimelineMaker &m, int count, int operations, uint8_t kind = TL_STEP)
{
    for (int s = 0; s < count; s++) {
        int64_t at = s * 10 * ms;
        std::vector<uint32_t> calls;
        m.push(kind == TL_STEP ? "ProfilerStep#" + std::to_string(s) : "iteration", at, kind);
        for (int i = 0; i < operations; i++)
            calls.push_back(
                m.launch("cudaLaunchKernel", at + i * 100 * us, at + i * 100 * us + 50 * us));
        m.pop(at + 10 * ms);
        for (int i = 0; i < operations; i++)
            m.kernel("k" + std::to_string(i), calls[static_cast<size_t>(i)],
                     at + i * 100 * us + 60 * us, at + i * 100 * us + 70 * us);
    }
}

TEST(RuleGraphableSteps, TellsStepsThatLaunchTheSame)
{
    TimelineMaker m;
    steps(m, 5, 20);
    FindingsOf found(m.done());
    auto all = found.of("graphable-steps");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].detail.count, 5u);
    EXPECT_EQ(all[0].detail.cost_ns, 5 * 20 * 50 * us);
}

TEST(RuleGraphableSteps, TakesTheOutermostRangesWhereThereAreNoSteps)
{
    TimelineMaker m;
    steps(m, 5, 20, TL_RANGE);
    FindingsOf found(m.done());
    ASSERT_EQ(found.of("graphable-steps").size(), 1u);
    EXPECT_EQ(found.of("graphable-steps")[0].path, "iteration");
}

TEST(RuleGraphableSteps, IsSilentAboutFewStepsShortOnesAndGraphs)
{
    TimelineMaker few, small, graphs;
    steps(few, 2, 20);
    steps(small, 5, 9);
    steps(graphs, 5, 20);
    EXPECT_TRUE(FindingsOf(few.done()).of("graphable-steps").empty());
    EXPECT_TRUE(FindingsOf(small.done()).of("graphable-steps").empty());
    timeline *t = graphs.done();
    tl_graph_launch launch = {};
    t->graph_launches.at = &launch;
    t->graph_launches.count = 1;
    EXPECT_TRUE(FindingsOf(t).of("graphable-steps").empty());
    t->graph_launches.at = nullptr;
    t->graph_launches.count = 0;
}

TEST(RuleThreadsShareStream, TellsHowLongOneWaitedForTheOther)
{
    TimelineMaker m;
    auto first = m.launch("cudaLaunchKernel", 0, 1 * ms);
    m.thread(102);
    auto second = m.launch("cudaLaunchKernel", 1 * ms, 10 * ms);
    m.kernel("k", first, 2 * ms, 50 * ms);
    m.kernel("k", second, 50 * ms, 100 * ms);
    FindingsOf found(m.done());
    auto all = found.of("threads-share-a-stream");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].detail.cost_ns, 40 * ms);
}

TEST(RuleThreadsShareStream, IsSilentAboutOneThreadAndAboutTwoStreams)
{
    TimelineMaker one, two;
    auto first = one.launch("cudaLaunchKernel", 0, 1 * ms),
         second = one.launch("cudaLaunchKernel", 1 * ms, 10 * ms);
    one.thread(102);
    one.kernel("k", first, 2 * ms, 50 * ms);
    one.kernel("k", second, 50 * ms, 100 * ms);
    EXPECT_TRUE(FindingsOf(one.done()).of("threads-share-a-stream").empty());

    auto mine = two.launch("cudaLaunchKernel", 0, 1 * ms);
    two.thread(102);
    auto others = two.launch("cudaLaunchKernel", 1 * ms, 10 * ms);
    two.kernel("k", mine, 2 * ms, 50 * ms, two.stream(7));
    two.kernel("k", others, 50 * ms, 100 * ms, two.stream(8));
    EXPECT_TRUE(FindingsOf(two.done()).of("threads-share-a-stream").empty());
}

// ---- the host

struct NamedCall {
    const char *rule, *call, *other;
};

class RuleCallsByName : public testing::TestWithParam<NamedCall>
{
};

void calls_of(TimelineMaker &m, const char *name, int count)
{
    m.push("loop", 0);
    for (int i = 0; i < count; i++)
        m.launch(name, i * ms, i * ms + 500 * us);
    m.pop(40 * ms);
    m.kernel("k", TL_NONE, 99 * ms, 100 * ms);
}

TEST_P(RuleCallsByName, TellsThemInALoop)
{
    TimelineMaker m;
    calls_of(m, GetParam().call, 30);
    auto all = FindingsOf(m.done()).of(GetParam().rule);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].path, std::string("loop > ") + GetParam().call);
    EXPECT_EQ(all[0].detail.count, 30u);
    EXPECT_EQ(all[0].detail.cost_ns, 15 * ms);
    EXPECT_EQ(all[0].detail.saved_ns, 15 * ms);
}

TEST_P(RuleCallsByName, IsSilentAboutOthers)
{
    TimelineMaker m;
    calls_of(m, GetParam().other, 30);
    EXPECT_TRUE(FindingsOf(m.done()).of(GetParam().rule).empty());
}

INSTANTIATE_TEST_SUITE_P(
    Rules, RuleCallsByName,
    testing::Values(NamedCall{"module-loading", "cuModuleLoadData", "cuModuleGetFunction"},
                    NamedCall{"module-loading", "cuLibraryLoadData", "cudaLaunchKernel"},
                    NamedCall{"stream-event-churn", "cudaEventCreateWithFlags", "cudaEventRecord"},
                    NamedCall{"stream-event-churn", "cudaStreamDestroy", "cudaStreamWaitEvent"},
                    NamedCall{"state-queries", "cudaMemGetInfo", "cudaMalloc"},
                    NamedCall{"state-queries", "cudaPointerGetAttributes", "cudaMemcpy"}));

TEST(RuleStateQueries, IsSilentAboutFewOfThem)
{
    TimelineMaker m;
    calls_of(m, "cudaMemGetInfo", 19);
    EXPECT_TRUE(FindingsOf(m.done()).of("state-queries").empty());
}

void overhead(TimelineMaker &m, tl_overhead &record, uint32_t kind)
{
    m.kernel("k", TL_NONE, 99 * ms, 100 * ms);
    auto index = m.gpu(TL_OVERHEAD, "overhead", TL_NONE, 0, 30 * ms);
    m.gpus[index].detail = 0;
    record.kind = kind;
    timeline *t = m.done();
    t->overheads.at = &record;
    t->overheads.count = 1;
}

TEST(RuleDriverOverhead, TellsLazyLoadingButNotWhatProfilingCosts)
{
    TimelineMaker lazy, flush;
    tl_overhead record{}, other{};
    overhead(lazy, record, 6u << 16);
    overhead(flush, other, 2u << 16);
    auto all = FindingsOf(&lazy.made).of("driver-overhead");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].detail.cost_ns, 30 * ms);
    EXPECT_TRUE(FindingsOf(&flush.made).of("driver-overhead").empty());
}

TEST(RuleDataLoader, TellsTheOutermostRangesThatWait)
{
    TimelineMaker m;
    m.push("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 0);
    m.range("DataLoader.inner", 1 * ms, 39 * ms);
    m.pop(40 * ms);
    m.kernel("k", TL_NONE, 90 * ms, 100 * ms);
    auto all = FindingsOf(m.done()).of("data-loader");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].detail.count, 1u);
    EXPECT_EQ(all[0].detail.cost_ns, 40 * ms);
}

TEST(RuleDataLoader, SavesNothingWhereTheGpuIsBusyAllTheTime)
{
    TimelineMaker m;
    m.range("enumerate(DataLoader)", 0, 40 * ms);
    m.kernel("k", TL_NONE, 0, 100 * ms);
    EXPECT_TRUE(FindingsOf(m.done()).of("data-loader").empty());
}

// ---- notes

TEST(RuleFailedCalls, AreNoted)
{
    TimelineMaker m;
    auto call = m.launch("cudaMalloc", 0, 10);
    m.apis[m.slices[call].api].result = 2;
    EXPECT_TRUE(FindingsOf(m.done()).notes("1 CUDA call failed, most often cudaMalloc"));
    TimelineMaker fine;
    fine.launch("cudaMalloc", 0, 10);
    EXPECT_FALSE(FindingsOf(fine.done()).notes("failed"));
}

TEST(RuleLosses, AreNoted)
{
    TimelineMaker m;
    m.range("run", 0, 10);
    timeline *t = m.done();
    EXPECT_FALSE(FindingsOf(t).notes("not in the trace"));
    t->ledger.lost_operations = 3;
    EXPECT_TRUE(FindingsOf(t).notes("3 operations of the device are not in the trace"));
}

} // namespace
