/* test_restrict.cc - a window of a timeline: what is left, and that it is a timeline. */
#include "../support/block_fixture.h"
#include "../support/memory_trace.h"
#include "../support/random_trace.h"

#include "timeline_restrict.h"

extern "C" {
#include "key_averages.h"
}

#include <gtest/gtest.h>

#include <climits>
#include <map>

namespace
{

/* The fixture's timeline is its own, and may be changed. */
timeline *cut(Trace &trace, int64_t from, int64_t to)
{
    timeline *t = const_cast<timeline *>(trace.load());
    EXPECT_NE(t, nullptr) << trace.error();
    EXPECT_TRUE(timeline_restrict(t, from, to));
    return t;
}

unsigned errors(const timeline *t)
{
    check_report report;
    timeline_check(t, &report);
    return report.errors;
}

using Numbers = std::map<std::string, std::vector<int64_t>>;

void add(Numbers &sums, const std::string &name, const std::vector<int64_t> &numbers)
{
    std::vector<int64_t> &sum = sums[name];
    sum.resize(numbers.size());
    for (size_t i = 0; i < numbers.size(); i++)
        sum[i] += numbers[i];
}

template <class Array>
int64_t count(const Array &array)
{
    return static_cast<int64_t>(array.count);
}

/* Every number of the table of averages, of the ledger, and how many of everything there are. */
void add_numbers(Numbers &sums, const timeline *t)
{
    key_averages averages;
    ASSERT_TRUE(key_averages_init(&averages, t));
    for (uint32_t i = 0; i < averages.count; i++) {
        const key_average &row = averages.rows[i];
        add(sums, std::string(key_kind_name(row.kind)) + " " + row.name.bytes,
            {static_cast<int64_t>(row.count), row.cpu_total_ns, row.self_cpu_total_ns,
             row.cuda_total_ns, row.self_cuda_total_ns, static_cast<int64_t>(row.bytes)});
    }
    add(sums, "sums",
        {averages.self_cpu_total_ns, averages.self_cuda_total_ns, averages.cuda_outside_ns});
    key_averages_fini(&averages);
    for (uint32_t i = 0; i < t->ledger_rows.count; i++) {
        const tl_ledger_row &row = t->ledger_rows.at[i];
        std::vector<int64_t> numbers;
        for (uint64_t number : {row.launched, row.recorded, row.recycled, row.undelivered,
                                row.unobserved, row.missing, row.orphans})
            numbers.push_back(static_cast<int64_t>(number));
        for (uint64_t number : row.lost)
            numbers.push_back(static_cast<int64_t>(number));
        add(sums,
            "ledger " + std::to_string(row.kind) + " " + std::to_string(row.stream) + " " +
                std::to_string(row.graph),
            numbers);
    }
    add(sums, "counts",
        {count(t->slices), count(t->gpus), count(t->marks), count(t->counters), count(t->asyncs),
         count(t->attrs), count(t->segments), count(t->memories), count(t->memory_events),
         count(t->fwdbwds), count(t->graph_launches), count(t->captured), count(t->gpu_by_slice),
         count(t->unrecorded)});
}

std::string text_of(const Numbers &numbers)
{
    std::string text;
    for (const auto &row : numbers) {
        text += row.first + ":";
        for (int64_t number : row.second)
            text += " " + std::to_string(number);
        text += "\n";
    }
    return text;
}

TEST(Restrict, LeavesATimelineOfEverythingAsItIs)
{
    for (unsigned seed = 1; seed <= 10; seed++) {
        RandomTrace trace(seed, 3);
        Numbers before, after;
        const timeline *t = trace.load();
        ASSERT_NE(t, nullptr) << trace.error();
        std::string tree = slice_tree(t);
        tl_ledger ledger = t->ledger;
        int64_t start = t->start_ns, end = t->end_ns;
        std::string found = findings(t);
        add_numbers(before, t);
        t = cut(trace, INT64_MIN, INT64_MAX);
        add_numbers(after, t);
        ASSERT_EQ(text_of(before), text_of(after));
        EXPECT_EQ(slice_tree(t), tree);
        EXPECT_EQ(memcmp(&ledger, &t->ledger, sizeof ledger), 0);
        EXPECT_EQ(t->start_ns, start);
        EXPECT_EQ(t->end_ns, end);
        EXPECT_EQ(findings(t), found);
        EXPECT_GT(ledger.missing + ledger.lost_operations, 0u) << "the trace lacks nothing";
        EXPECT_GT(t->segments.count, 0u) << "nothing crosses";
    }
}

TEST(Restrict, WindowsSideBySideAddUpToTheWholeWhereNothingCrosses)
{
    constexpr unsigned phases = 6;
    for (unsigned seed = 1; seed <= 20; seed++) {
        RandomTrace trace(seed, phases);
        Numbers whole, sums;
        add_numbers(whole, trace.load());
        for (unsigned phase = 0; phase < phases; phase += 2) {
            int64_t from = phase * RandomTrace::phase_ns, to = from + 2 * RandomTrace::phase_ns;
            add_numbers(sums, cut(trace, from, to));
        }
        ASSERT_EQ(text_of(whole), text_of(sums)) << "seed " << seed;
    }
}

TEST(Restrict, EveryWindowOfARandomTraceIsATimeline)
{
    std::mt19937_64 random(3);
    for (unsigned seed = 1; seed <= 15; seed++) {
        RandomTrace trace(seed, 3);
        unsigned whole = errors(trace.load());
        for (unsigned i = 0; i < 40; i++) {
            int64_t from = static_cast<int64_t>(random() % 32000),
                    to = from + 1 + static_cast<int64_t>(random() % 12000);
            const timeline *t = cut(trace, from, to);
            ASSERT_LE(errors(t), whole) << seed << ": " << from << " to " << to << findings(t);
        }
    }
}

TEST(Restrict, EveryWindowOfATraceWithOneOfEverythingIsATimeline)
{
    Trace trace(trace_builder_sample());
    for (auto [from, to] : windows_of_sample())
        ASSERT_EQ(errors(cut(trace, from, to)), 0u) << from << " to " << to;
}

TEST(Restrict, WhatIsInsideOfAnEarlierRangeComesToTheTop)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "epoch").push(200, "step").push(300, "inner").pop(350);
    trace.pop(400).pop(500);
    EXPECT_EQ(slice_tree(cut(trace, 150, 1000)), "step 200 400\n inner 300 350\n");
    EXPECT_EQ(slice_tree(cut(trace, 250, 1000)), "inner 300 350\n");
    EXPECT_EQ(slice_tree(cut(trace, 100, 300)), "epoch 100 300\n step 200 300\n")
        << "the begin is part of the window, the end is not";
}

TEST(Restrict, WhatIsOpenAtTheEndEndsThereThroughNoFaultOfTheProgram)
{
    Trace trace;
    trace.thread(1)
        .log(0, 1)
        .push(100, "never popped")
        .push(200, "in time")
        .pop(250)
        .push(300, "x");
    const timeline *t = cut(trace, 0, 260);
    EXPECT_EQ(slice_tree(t), "never popped 100 260\n in time 200 250\n");
    EXPECT_EQ(t->ledger.unclosed, 0u);
    EXPECT_EQ(cut(trace, 0, INT64_MAX)->ledger.unclosed, 2u);
    EXPECT_EQ(cut(trace, 150, INT64_MAX)->ledger.unclosed, 1u);
}

TEST(Restrict, APieceIsInTheWindowInWhichItsRangeBegan)
{
    Trace trace;
    trace.domain(1, "library").thread(1).log(0, 1);
    trace.nvtx_push(100, "a").nvtx_push(200, "b", 1).nvtx_pop(300).push(350, "c").pop(360);
    trace.nvtx_pop(400, 1);
    EXPECT_EQ(slice_tree(trace.load()), "a 100 300\n b 200 300\nb 300 400 continued\n c 350 360\n");
    EXPECT_EQ(slice_tree(cut(trace, 150, 500)), "b 200 300\nb 300 400 continued\n c 350 360\n");
    EXPECT_EQ(slice_tree(cut(trace, 250, 500)), "c 350 360\n");
    EXPECT_EQ(slice_tree(cut(trace, 0, 300)), "a 100 300\n b 200 300\n");
}

TEST(Restrict, OperationsGoWithTheirCallHoweverLateTheyRun)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1).launch(100, 110, 1).launch(200, 210, 2);
    trace.kernel(250, 900, 1).kernel(910, 950, 2).kernel(230, 240, 99, 8);
    const timeline *t = cut(trace, 90, 200);
    ASSERT_EQ(t->gpus.count, 1u);
    EXPECT_EQ(t->gpus.at[0].end_ns, 900) << "whole";
    EXPECT_EQ(t->start_ns, 100);
    EXPECT_EQ(t->end_ns, 900) << "to the end of what began in the window";
    EXPECT_EQ(t->ledger.launched, 1u);
    EXPECT_EQ(t->ledger.orphans, 0u);
    t = cut(trace, 200, 300);
    ASSERT_EQ(t->gpus.count, 2u);
    EXPECT_EQ(t->ledger.launched, 1u);
    EXPECT_EQ(t->ledger.orphans, 1u) << "by its own start";
    EXPECT_EQ(t->start_ns, 200);
}

TEST(Restrict, TheWindowIsAsLongAsWasAskedForWithinTheRecording)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "a").pop(200).push(800, "b").pop(900);
    const timeline *t = cut(trace, 150, 850);
    EXPECT_EQ(t->start_ns, 150);
    EXPECT_EQ(t->end_ns, 850);
    EXPECT_EQ(t->processes.at[0].end_ns - t->processes.at[0].start_ns, 700);
    EXPECT_EQ(t->origin_ns, 100) << "times are told from where the recording began";
    t = cut(trace, 0, 5000);
    EXPECT_EQ(t->end_ns - t->start_ns, 800);
    t = cut(trace, 2000, 5000);
    EXPECT_EQ(t->end_ns - t->start_ns, 0);
    EXPECT_EQ(t->slices.count, 0u);
    EXPECT_EQ(errors(t), 0u);
}

TEST(Restrict, ALaunchWithoutARecordIsExplainedInItsWindow)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1);
    for (uint32_t i = 1; i <= 6; i++)
        trace.launch(i * 100, i * 100 + 10, i);
    trace.kernel(150, 160, 1);
    trace.header().loss[PROF_LOSS_GPU_BUFFER] = 2;
    trace.header().state = PROF_STATE_RECORDING; /* killed */
    const timeline *t = trace.load();
    EXPECT_EQ(t->ledger.lost[PROF_LOSS_GPU_BUFFER], 2u);
    EXPECT_EQ(t->ledger.undelivered, 3u);
    t = cut(trace, 0, 400);
    EXPECT_EQ(t->ledger.launched, 3u);
    EXPECT_EQ(t->ledger.lost[PROF_LOSS_GPU_BUFFER], 2u);
    EXPECT_EQ(t->ledger.undelivered, 0u) << "what was not delivered was launched last";
    EXPECT_EQ(t->processes.at[0].loss[PROF_LOSS_GPU_BUFFER], 2u) << "counts have no time";
    t = cut(trace, 400, 1000);
    EXPECT_EQ(t->ledger.launched, 3u);
    EXPECT_EQ(t->ledger.lost_operations, 0u);
    EXPECT_EQ(t->ledger.undelivered, 3u);
}

TEST(Restrict, AllocationsAreThoseThatBeganInTheWindow)
{
    MemoryTrace trace;
    trace.push(5, "load");
    trace.call(10, 1).told(11, 1, 0x1000, 100).call(20, 2).told(21, 2, 0x2000, 200);
    trace.call(30, 3, true).told(31, 3, 0x1000, 100, true).call(40, 4, true);
    trace.told(41, 4, 0x2000, 200, true).pop(50);
    const timeline *t = cut(trace, 15, 40);
    ASSERT_EQ(t->memories.count, 1u);
    EXPECT_EQ(t->memories.at[0].bytes, 200u);
    EXPECT_EQ(t->memories.at[0].end_ns, TL_MEMORY_LIVE) << "released after the window";
    EXPECT_EQ(t->memory_events.count, 1u);
    EXPECT_EQ(t->processes.at[0].odd.unknown_frees, 1u);
    EXPECT_EQ(t->slices.at[t->memories.at[0].slice].start_ns, 20);
    EXPECT_EQ(errors(t), 0u);
    EXPECT_EQ(cut(trace, 15, 50)->memories.at[0].end_ns, 41);
}

TEST(Restrict, ABlockThatBeganEarlierHasWhatIsLeftOfIt)
{
    BlockTrace trace;
    trace.allocator(1, "pool").block(10, "A").event(20, 30, "a").alloc(35, 1, 5);
    trace.event(40, 60, "b").block(70, "B").event(80, 90, "c");
    EXPECT_EQ(block_list(cut(trace, 0, 1000)), "A: a b pool=5\nB: c\n");
    EXPECT_EQ(block_list(cut(trace, 32, 70)), "A: b pool=5\n");
    EXPECT_EQ(block_list(cut(trace, 65, 1000)), "B: c\n");
    EXPECT_EQ(block_list(cut(trace, 0, 50)), "A: a b? pool=5\n") << "it had not ended";
    EXPECT_EQ(cut(trace, 32, 70)->blocks.at[0].start_ns, 32);
}

TEST(Restrict, RecordingWindowsAreCut)
{
    Trace trace;
    trace_builder_control_by(trace.raw(), 0, 1, true, PROF_CONTROL_API);
    trace_builder_control_by(trace.raw(), 500, 1, false, PROF_CONTROL_API);
    trace_builder_control_by(trace.raw(), 900, 2, true, PROF_CONTROL_CTL);
    trace.thread(1).log(0, 1).push(100, "a").pop(200);
    const timeline *t = cut(trace, 150, 400);
    ASSERT_EQ(t->windows.count, 1u);
    EXPECT_EQ(t->windows.at[0].start_ns, 150);
    EXPECT_EQ(t->windows.at[0].end_ns, TL_NO_TIME) << "on to the end";
    t = cut(trace, 500, 1000);
    ASSERT_EQ(t->windows.count, 1u);
    EXPECT_EQ(t->windows.at[0].epoch, 2u);
}

TEST(Restrict, WhatWasLeftOutBeforeTheWindowIsLeftOutInIt)
{
    Trace trace;
    trace_builder_throttle(trace.raw(), 100, PROF_THROTTLE_STACKS, false, 20000, 10000);
    trace_builder_throttle(trace.raw(), 200, PROF_THROTTLE_CALLS, false, 20000, 10000);
    trace_builder_throttle(trace.raw(), 300, PROF_THROTTLE_CALLS, true, 5000, 10000);
    trace_builder_throttle(trace.raw(), 500, PROF_THROTTLE_STACKS, true, 5000, 10000);
    const timeline *t = cut(trace, 400, 1000);
    ASSERT_EQ(t->throttles.count, 2u);
    EXPECT_EQ(t->throttles.at[0].what, PROF_THROTTLE_STACKS);
    EXPECT_EQ(t->throttles.at[0].time_ns, 400);
    EXPECT_EQ(errors(t), 0u);
    EXPECT_EQ(cut(trace, 600, 1000)->throttles.count, 0u);
}

TEST(Restrict, WhatWasCapturedBeforeTheWindowWasCapturedEarlier)
{
    RandomTrace trace(1, 2);
    const timeline *t = cut(trace, 10000, 20000);
    ASSERT_GT(t->captured.count, 0u);
    for (uint32_t i = 0; i < t->captured.count; i++)
        EXPECT_LT(t->captured.at[i].gpu, t->gpus.count);
    EXPECT_EQ(t->graphs.count, 2u);
    EXPECT_EQ(cut(trace, 0, 1)->graphs.count, 0u) << "neither made nor launched";
}

TEST(Restrict, TwiceIsTheInnerWindow)
{
    RandomTrace trace(2, 3);
    Numbers once, twice;
    add_numbers(once, cut(trace, 10000, 20000));
    timeline *t = cut(trace, 0, 20000);
    ASSERT_TRUE(timeline_restrict(t, 10000, INT64_MAX));
    add_numbers(twice, t);
    EXPECT_EQ(text_of(once), text_of(twice));
}

} // namespace
