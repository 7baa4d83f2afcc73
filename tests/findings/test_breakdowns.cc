// Streams, launches, operations by name, queues, sequences, collectives, calls.
#include "../stats/timeline_maker.h"

extern "C" {
#include "cuda_calls.h"
#include "operation_totals.h"
#include "stragglers.h"
#include "temporal_breakdown.h"
}

#include <cmath>

#include <gtest/gtest.h>

namespace
{

// ---- idle_breakdown

TEST(IdleBreakdown, TellsHostFromKernelFromOtherWaits)
{
    TimelineMaker m;
    auto a = m.launch("cudaLaunchKernel", 0, 10), b = m.launch("cudaLaunchKernel", 20, 30),
         c = m.launch("cudaLaunchKernel", 40, 50), d = m.launch("cudaLaunchKernel", 700, 710);
    m.kernel("k", a, 50, 100);
    m.kernel("k", b, 120, 200); // was there, after 20
    m.kernel("k", c, 600, 650); // was there, after 400
    m.kernel("k", d, 720, 730); // launched after the one before had ended
    m.kernel("k", TL_NONE, 740, 750);
    idle_breakdown idle;
    ASSERT_TRUE(idle_breakdown_init(&idle, m.done(), 100));
    ASSERT_EQ(idle.count, 1u);
    const idle_row &row = idle.at[0];
    EXPECT_EQ(row.cause_ns[IDLE_KERNEL_WAIT], 20);
    EXPECT_EQ(row.cause_ns[IDLE_OTHER], 400);
    EXPECT_EQ(row.cause_ns[IDLE_HOST_WAIT], 70);
    EXPECT_EQ(row.cause_ns[IDLE_UNKNOWN], 10);
    EXPECT_EQ(row.total_ns, 500);
    EXPECT_EQ(row.longest_ns[IDLE_OTHER], 400);
    idle_breakdown_fini(&idle);
}

TEST(IdleBreakdown, HasNoGapWhereOperationsOfAStreamOverlap)
{
    TimelineMaker m;
    m.kernel("long", TL_NONE, 0, 100);
    m.kernel("within", TL_NONE, 10, 20, TL_NONE, 1);
    m.kernel("after", TL_NONE, 100, 110);
    idle_breakdown idle;
    ASSERT_TRUE(idle_breakdown_init(&idle, m.done(), 100));
    EXPECT_EQ(idle.at[0].total_ns, 0);
    idle_breakdown_fini(&idle);
}

TEST(IdleBreakdown, OfOneOperationIsNothing)
{
    TimelineMaker m;
    m.kernel("k", TL_NONE, 0, 100);
    idle_breakdown idle;
    ASSERT_TRUE(idle_breakdown_init(&idle, m.done(), 100));
    EXPECT_EQ(idle.count, 0u);
    idle_breakdown_fini(&idle);
}

// ---- operation_totals.h

struct Totals {
    explicit Totals(const timeline *timeline)
    {
        EXPECT_TRUE(work_classes_init(&classes, timeline));
        EXPECT_TRUE(operation_totals_init(&totals, timeline, &classes));
    }
    ~Totals()
    {
        operation_totals_fini(&totals);
        work_classes_fini(&classes);
    }
    work_classes classes;
    operation_totals totals;
};

TEST(OperationTotals, AddUpByDeviceAndName)
{
    TimelineMaker m;
    auto call = m.launch("cudaLaunchKernel", 0, 10), other = m.launch("cudaLaunchKernel", 10, 14);
    auto first = m.stream(7, 0), second = m.stream(7, 1);
    m.kernel("k", call, 20, 30, first);
    m.kernel("k", TL_NONE, 40, 60, first);
    m.kernel("k", other, 100, 200, second);
    Totals t(m.done());
    ASSERT_EQ(t.totals.count, 2u);
    const operation_total &row = t.totals.at[0];
    EXPECT_EQ(row.device, 0u);
    EXPECT_EQ(row.count, 2u);
    EXPECT_EQ(row.sum_ns, 30);
    EXPECT_EQ(row.min_ns, 10);
    EXPECT_EQ(row.max_ns, 20);
    EXPECT_DOUBLE_EQ(row.stddev_ns, std::sqrt(50.0));
    EXPECT_EQ(row.launched, 1u);
    EXPECT_EQ(row.call_ns, 10);
    EXPECT_EQ(row.delay_ns, 10);
    EXPECT_EQ(t.totals.at[1].device, 1u);
    EXPECT_TRUE(std::isnan(t.totals.at[1].stddev_ns));
    EXPECT_TRUE(std::isnan(operation_total_rate(&row)));
}

// A call of 8 ns that the end of the range around it cuts in the middle.
struct CutCall {
    TimelineMaker maker;
    uint32_t call, rest;
    std::vector<tl_segment> segments;

    CutCall()
    {
        maker.push("range", 0);
        call = maker.launch("cudaLaunchKernel", 6, 10);
        maker.pop(10);
        rest = maker.push("cudaLaunchKernel", 10, TL_API, TL_LAUNCHES | TL_CONTINUED);
        maker.pop(14);
        segments = {{rest, call, call}};
    }
    timeline *done()
    {
        timeline *made = maker.done();
        made->segments.at = segments.data(), made->segments.count = 1;
        return made;
    }
};

TEST(OperationTotals, ACallThatWasCutIsAsLongAsItsPieces)
{
    CutCall cut;
    cut.maker.kernel("k", cut.call, 20, 30);
    Totals t(cut.done());
    ASSERT_EQ(t.totals.count, 1u);
    EXPECT_EQ(t.totals.at[0].launched, 1u);
    EXPECT_EQ(t.totals.at[0].call_ns, 8);
    EXPECT_EQ(t.totals.at[0].delay_ns, 6);
}

TEST(OperationTotals, RatesAreOfCopiesThatTookTime)
{
    TimelineMaker m;
    m.copy(TL_NONE, 0, 100, 1000);
    m.copy(TL_NONE, 200, 300, 3000);
    m.copy(TL_NONE, 400, 400, 99999);
    Totals t(m.done());
    ASSERT_EQ(t.totals.count, 1u);
    EXPECT_EQ(t.totals.at[0].class_of, WORK_MEMORY);
    EXPECT_EQ(t.totals.at[0].bytes, 103999u);
    EXPECT_DOUBLE_EQ(operation_total_rate(&t.totals.at[0]), 20.0);
    EXPECT_DOUBLE_EQ(t.totals.at[0].least_rate, 10.0);
    EXPECT_DOUBLE_EQ(t.totals.at[0].most_rate, 30.0);
}

TEST(OperationTotals, AGraphsLaunchIsNobodysOwn)
{
    TimelineMaker m;
    auto call = m.launch("cudaGraphLaunch", 0, 10, TL_LAUNCHES | TL_GRAPH);
    m.kernel("k", call, 20, 30);
    Totals t(m.done());
    EXPECT_EQ(t.totals.at[0].launched, 0u);
    EXPECT_EQ(t.totals.at[0].count, 1u);
}

// ---- launch_stats

TEST(LaunchStats, TellsSlowCallsLateStartsAndShortOperations)
{
    TimelineMaker m;
    auto slow = m.launch("cudaLaunchKernel", 0, 80), quick = m.launch("cudaLaunchKernel", 80, 90),
         late = m.launch("cudaLaunchKernel", 90, 95),
         starved = m.launch("cudaLaunchKernel", 600, 605);
    m.kernel("k", slow, 85, 105);     // shorter than its call by 60
    m.kernel("k", quick, 105, 405);   // longer
    m.kernel("k", late, 405, 505);    // 310 late, behind another
    m.kernel("k", starved, 805, 905); // 200 late, on a free stream
    m.kernel("k", TL_NONE, 905, 906);
    launch_stats stats;
    ASSERT_TRUE(launch_stats_init(&stats, m.done(), 50, 100, nullptr));
    ASSERT_EQ(stats.count, 1u);
    const launch_row &row = stats.at[0];
    EXPECT_EQ(row.launched, 4u);
    EXPECT_EQ(row.others, 1u);
    EXPECT_EQ(row.slow.count, 1u);
    EXPECT_EQ(row.slow.excess_ns, 30);
    EXPECT_EQ(row.late.count, 2u);
    EXPECT_EQ(row.late.excess_ns, 210 + 100);
    EXPECT_EQ(row.starved.count, 1u);
    EXPECT_EQ(row.starved.worst_ns, 200);
    EXPECT_EQ(row.shorter.count, 1u);
    EXPECT_EQ(row.shorter.excess_ns, 60);
    launch_stats_fini(&stats);
}

// ---- queue_depth

TEST(QueueDepth, RisesWithCallsAndFallsWithStarts)
{
    TimelineMaker m;
    for (int i = 0; i < 4; i++) {
        auto call = m.launch("cudaLaunchKernel", i * 10, i * 10 + 5);
        m.kernel("k", call, 100 + i * 50, 140 + i * 50);
    }
    queue_depth depth;
    ASSERT_TRUE(queue_depth_init(&depth, m.done(), 3));
    ASSERT_EQ(depth.count, 1u);
    const queue_row &row = depth.at[0];
    EXPECT_EQ(row.changes, 8u);
    EXPECT_EQ(row.most, 4);
    EXPECT_EQ(row.most_at_ns, 30);
    EXPECT_EQ(row.least, 0);
    EXPECT_EQ(row.span_ns, 250);
    EXPECT_EQ(row.full_ns, 10 + 70 + 50); // at 3 from 20, at 4 from 30, at 3 from 100 to 150
    EXPECT_DOUBLE_EQ(row.mean, (1 + 2 + 3 + 4 + 3 + 2 + 1 + 0) / 8.0);
    EXPECT_DOUBLE_EQ(row.mean_in_time,
                     (1 * 10 + 2 * 10 + 3 * 10 + 4 * 70 + 3 * 50 + 2 * 50 + 1 * 50) / 250.0);
    queue_depth_fini(&depth);
}

TEST(QueueDepth, SortsCallsOfSeveralThreads)
{
    TimelineMaker m;
    auto late = m.launch("cudaLaunchKernel", 50, 55);
    m.thread(102);
    auto early = m.launch("cudaLaunchKernel", 0, 5);
    m.kernel("k", late, 60, 70);
    m.kernel("k", early, 80, 90);
    queue_depth depth;
    ASSERT_TRUE(queue_depth_init(&depth, m.done(), 1024));
    EXPECT_EQ(depth.at[0].most, 2);
    EXPECT_EQ(depth.at[0].least, 0);
    EXPECT_EQ(depth.at[0].full_ns, 0);
    queue_depth_fini(&depth);
}

TEST(QueueDepth, OfOperationsWithoutCallsIsUnknownAndLeftOut)
{
    TimelineMaker m;
    m.kernel("k", TL_NONE, 0, 10);
    queue_depth depth;
    ASSERT_TRUE(queue_depth_init(&depth, m.done(), 1024));
    EXPECT_EQ(depth.count, 0u);
    queue_depth_fini(&depth);
}

// ---- kernel_sequences

void step(TimelineMaker &m, int64_t at, const std::vector<std::string> &kernels,
          const std::string &name = "ProfilerStep#1", uint8_t kind = TL_STEP)
{
    std::vector<uint32_t> calls;
    m.push(name, at, kind);
    m.push("layer", at);
    for (size_t i = 0; i < kernels.size(); i++)
        calls.push_back(m.launch("cudaLaunchKernel", at + 10 * static_cast<int64_t>(i),
                                 at + 10 * static_cast<int64_t>(i) + 4));
    m.pop(at + 90);
    m.pop(at + 100);
    for (size_t i = 0; i < kernels.size(); i++)
        m.kernel(kernels[i], calls[i], at + 10 * static_cast<int64_t>(i) + 5,
                 at + 10 * static_cast<int64_t>(i) + 9);
}

struct Sequences {
    Sequences(const timeline *timeline, const char *part)
    {
        EXPECT_TRUE(key_names_init(&keys, timeline));
        EXPECT_TRUE(kernel_sequences_init(&sequences, timeline, &keys, part, 3, nullptr));
    }
    ~Sequences()
    {
        kernel_sequences_fini(&sequences);
        key_names_fini(&keys);
    }
    key_names keys;
    kernel_sequences sequences;
};

TEST(KernelSequences, EqualStepsAreOnePattern)
{
    TimelineMaker m;
    step(m, 0, {"a", "b", "c"}, "ProfilerStep#1");
    step(m, 100, {"a", "b", "c"}, "ProfilerStep#2");
    step(m, 200, {"a", "c", "b"}, "ProfilerStep#3");
    step(m, 300, {"a", "b"}, "ProfilerStep#4");
    const timeline *t = m.done();
    Sequences s(t, nullptr);
    ASSERT_EQ(s.sequences.count, 2u);
    EXPECT_EQ(s.sequences.ranges, 4u);
    EXPECT_EQ(s.sequences.at[0].count, 2u);
    EXPECT_EQ(s.sequences.at[0].length, 3u);
    EXPECT_EQ(s.sequences.at[0].device_ns, 2 * 3 * 4);
    EXPECT_EQ(s.sequences.at[0].range_ns, 200);
    EXPECT_EQ(s.sequences.at[0].call_ns, 2 * 3 * 4);
    EXPECT_EQ(s.sequences.at[1].count, 1u);
    uint32_t names[8];
    ASSERT_EQ(kernel_sequence_names(t, &s.sequences.at[1], names, 8), 3u);
    EXPECT_EQ(names[1], m.name("c"));
}

TEST(KernelSequences, OfANameTakesTheOutermostRanges)
{
    TimelineMaker m;
    m.push("forward outer", 0);
    step(m, 0, {"a", "b", "c"}, "forward inner", TL_RANGE);
    m.pop(100);
    step(m, 100, {"a", "b", "c"}, "forward inner", TL_RANGE);
    Sequences s(m.done(), "forward");
    ASSERT_EQ(s.sequences.count, 2u); // of two names
    EXPECT_EQ(s.sequences.ranges, 2u);
    EXPECT_EQ(s.sequences.at[0].count, 1u);
}

// ---- stragglers.h

struct Stragglers {
    explicit Stragglers(const timeline *timeline)
    {
        EXPECT_TRUE(work_classes_init(&classes, timeline));
        EXPECT_TRUE(stragglers_init(&all, timeline, &classes, nullptr));
    }
    ~Stragglers()
    {
        stragglers_fini(&all);
        work_classes_fini(&classes);
    }
    work_classes classes;
    stragglers all;
};

TEST(Stragglers, TheShortestOfACollectiveCameLast)
{
    TimelineMaker m;
    auto first = m.stream(7);
    m.kernel("ncclKernel(int)", TL_NONE, 0, 100, first);
    m.kernel("ncclKernel(int)", TL_NONE, 200, 300, first);
    m.process(101, "train");
    m.thread(102);
    auto second = m.stream(7);
    m.kernel("ncclKernel(int)", TL_NONE, 1000070, 1000100, second); // another clock
    m.kernel("ncclKernel(int)", TL_NONE, 1000200, 1000300, second); // as long: nobody's fault
    Stragglers s(m.done());
    ASSERT_EQ(s.all.count, 2u);
    EXPECT_EQ(s.all.compared, 2u);
    EXPECT_EQ(s.all.at[0].process, 1u);
    EXPECT_EQ(s.all.at[0].last, 1u);
    EXPECT_EQ(s.all.at[0].caused_ns, 70);
    EXPECT_EQ(s.all.at[0].waited_ns, 0);
    EXPECT_EQ(s.all.at[1].waited_ns, 70);
    EXPECT_EQ(s.all.at[1].last, 0u);
}

TEST(Stragglers, LeavesOutNamesThatAreNotAsManyEverywhere)
{
    TimelineMaker m;
    auto first = m.stream(7);
    m.kernel("ncclKernel(int)", TL_NONE, 0, 100, first);
    m.kernel("ncclKernel(int)", TL_NONE, 200, 300, first);
    m.process(101, "train");
    m.thread(102);
    m.kernel("ncclKernel(int)", TL_NONE, 70, 100, m.stream(7));
    Stragglers s(m.done());
    EXPECT_EQ(s.all.compared, 0u);
    EXPECT_EQ(s.all.left_out, 3u);
}

TEST(Stragglers, OfOneProcessAreNone)
{
    TimelineMaker m;
    m.kernel("ncclKernel(int)", TL_NONE, 0, 100);
    Stragglers s(m.done());
    EXPECT_EQ(s.all.count, 0u);
    EXPECT_EQ(s.all.left_out, 0u);
}

// ---- call_stats

TEST(CallStats, OutliersTakeManyTimesTheMedian)
{
    TimelineMaker m;
    for (int i = 0; i < 9; i++)
        m.launch("cudaLaunchKernel", i * 10, i * 10 + 5);
    auto slow = m.launch("cudaLaunchKernel", 100, 1100);
    m.launch("cudaMemcpy", 2000, 2100);
    call_stats stats;
    ASSERT_TRUE(call_stats_init(&stats, m.done()));
    ASSERT_EQ(stats.count, 2u);
    EXPECT_EQ(stats.at[0].name, m.name("cudaLaunchKernel"));
    EXPECT_EQ(stats.at[0].median_ns, 5);
    EXPECT_EQ(stats.at[0].max_ns, 1000);
    EXPECT_EQ(stats.at[0].slowest, slow);
    EXPECT_EQ(stats.at[0].outliers, 1u);
    EXPECT_EQ(stats.at[0].outliers_ns, 995);
    EXPECT_EQ(stats.at[1].outliers, 0u);
    call_stats_fini(&stats);
}

TEST(CallStats, CountACallThatWasCutOnce)
{
    CutCall cut;
    call_stats stats;
    ASSERT_TRUE(call_stats_init(&stats, cut.done()));
    ASSERT_EQ(stats.count, 1u);
    EXPECT_EQ(stats.at[0].count, 1u);
    EXPECT_EQ(stats.at[0].max_ns, 8);
    call_stats_fini(&stats);
}

TEST(CallStats, LeavesOutCallsWithoutADuration)
{
    TimelineMaker m;
    auto failed = m.launch("cudaMalloc", 0, 0);
    m.apis[m.slices[failed].api].failed_only = true;
    call_stats stats;
    ASSERT_TRUE(call_stats_init(&stats, m.done()));
    EXPECT_EQ(stats.count, 0u);
    call_stats_fini(&stats);
}

} // namespace
