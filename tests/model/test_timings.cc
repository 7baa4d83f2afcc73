// Ranges timed by CUDA events: each time finds its range, nests like it, and adds up.
#include "../support/trace_fixture.h"

extern "C" {
#include "key_averages.h"
#include "write.h"
}

#include <gtest/gtest.h>

#include <string>

namespace
{

class Timings : public testing::Test
{
public:
    void SetUp() override { trace_.header().gpu_mode = PROF_GPU_EVENTS; }

    // A range of `name` under the token, open.
    Timings &open(int64_t at, const char *name, uint64_t token)
    {
        trace_.push(at, name);
        trace_builder_timed(trace_.raw(), at, token);
        return *this;
    }
    Timings &close(int64_t at)
    {
        trace_.pop(at);
        return *this;
    }
    Timings &time(int64_t start, int64_t end, uint64_t token, uint32_t device = 0)
    {
        trace_builder_range_time(trace_.raw(), start, end, token, device);
        return *this;
    }
    // "name start end", one timing per line, in order.
    std::string shown()
    {
        std::string text;
        timeline_ = trace_.load();
        for (uint32_t i = 0; timeline_ && i < timeline_->timings.count; i++) {
            const tl_timing &timing = timeline_->timings.at[i];
            text +=
                std::string(timeline_->names.at[timeline_->slices.at[timing.slice].name].bytes) +
                " " + std::to_string(timing.start_ns) + " " + std::to_string(timing.end_ns) + "\n";
        }
        return text;
    }
    const key_average *row(const key_averages &averages, const char *name)
    {
        for (uint32_t i = 0; i < averages.count; i++)
            if (std::string(averages.rows[i].name.bytes, averages.rows[i].name.size) == name)
                return &averages.rows[i];
        return nullptr;
    }

    Trace trace_;
    const timeline *timeline_ = nullptr;
};

TEST_F(Timings, FindTheirRangesByToken)
{
    trace_.thread(1).log(0, 1);
    time(10, 20, 2); // read before its range was said to be timed
    open(0, "outer", 1).open(5, "inner", 2).close(8).close(50).time(5, 90, 1);
    EXPECT_EQ(shown(), "outer 5 90\ninner 10 20\n");
    EXPECT_EQ(findings(timeline_), "");
}

TEST_F(Timings, FollowTheirRangesWhenThreadsTakeTurns)
{
    trace_.thread(1).thread(2).log(0, 2);
    open(0, "second", 1).close(10);
    trace_builder_handover(trace_.raw(), 1, 1001);
    open(20, "first", 2).close(30);
    time(100, 110, 1).time(120, 130, 2);
    EXPECT_EQ(shown(), "first 120 130\nsecond 100 110\n");
}

TEST_F(Timings, OfALostRangeAreCountedAndDropped)
{
    trace_.thread(1).log(0, 1);
    open(0, "range", 1).close(10).time(0, 10, 99).time(0, 10, 1, 70000);
    EXPECT_EQ(shown(), "");
    EXPECT_EQ(timeline_->processes.at[0].odd.stray_timings, 2u);
    EXPECT_EQ(findings(timeline_), "warning range-times");
}

TEST_F(Timings, ThatNeverCameAreNoted)
{
    trace_.thread(1).log(0, 1);
    open(0, "range", 1).close(10);
    EXPECT_EQ(shown(), "");
    EXPECT_EQ(timeline_->processes.at[0].odd.unread_timings, 1u);
    EXPECT_EQ(findings(timeline_), "note range-times");
}

TEST_F(Timings, GivenTwiceCountOnce)
{
    trace_.thread(1).log(0, 1);
    open(0, "range", 1).close(10).time(20, 30, 1).time(40, 50, 1);
    EXPECT_EQ(shown(), "range 20 30\n");
    EXPECT_EQ(timeline_->processes.at[0].odd.stray_timings, 1u);
}

TEST_F(Timings, AreCutUntilTheyNest)
{
    trace_.thread(1).log(0, 1);
    open(0, "outer", 1).open(1, "left", 2).close(2).open(3, "right", 3).close(4).close(5);
    // Within the error of 1 us: nothing to say.
    time(10000, 20000, 1).time(9500, 12000, 2).time(11500, 20500, 3);
    EXPECT_EQ(shown(), "outer 10000 20000\nleft 10000 12000\nright 12000 20000\n");
    EXPECT_EQ(findings(timeline_), "");
}

TEST_F(Timings, CutByMoreThanTheirErrorAreAWarning)
{
    trace_.thread(1).log(0, 1);
    open(0, "outer", 1).open(1, "inner", 2).close(2).close(5);
    time(10000, 20000, 1).time(5000, 12000, 2);
    EXPECT_EQ(shown(), "outer 10000 20000\ninner 10000 12000\n");
    EXPECT_EQ(timeline_->processes.at[0].odd.moved_timings, 1u);
    EXPECT_EQ(findings(timeline_), "warning range-times");
}

TEST_F(Timings, OfOtherDevicesNeedNotNest)
{
    trace_.thread(1).log(0, 1);
    open(0, "outer", 1).open(1, "inner", 2).close(2).close(5);
    time(10000, 20000, 1, 0).time(50000, 60000, 2, 1);
    EXPECT_EQ(shown(), "outer 10000 20000\ninner 50000 60000\n");
    EXPECT_EQ(findings(timeline_), "");
}

TEST_F(Timings, ThatEndBeforeTheirRangeAreAWarning)
{
    trace_.thread(1).log(0, 1);
    open(0, "range", 1).close(5000000).time(0, 4000000, 1);
    EXPECT_EQ(shown(), "range 0 4000000\n");
    EXPECT_EQ(findings(timeline_), "warning range-times");
}

TEST_F(Timings, ThatEndBeforeTheyBeginAreEmpty)
{
    trace_.thread(1).log(0, 1);
    open(0, "range", 1).close(10).time(40, 30, 1);
    EXPECT_EQ(shown(), "range 40 40\n");
}

TEST_F(Timings, AddUpToSelfAndTotal)
{
    trace_.thread(1).log(0, 1);
    open(0, "outer", 1).open(1, "inner", 2);
    trace_.push(2, "plain");
    open(2, "leaf", 3).close(3);
    trace_.pop(3);
    close(4).open(4, "elsewhere", 4).close(5).close(6);
    time(100, 200, 1).time(110, 150, 2).time(120, 125, 3).time(100, 170, 4, 1);
    ASSERT_NE(shown(), "");
    key_averages averages;
    ASSERT_TRUE(key_averages_init(&averages, timeline_));
    EXPECT_TRUE(averages.has_device);
    EXPECT_TRUE(averages.has_timed);
    EXPECT_EQ(row(averages, "outer")->cuda_total_ns, 100);
    EXPECT_EQ(row(averages, "outer")->self_cuda_total_ns, 60); // not without another device's time
    EXPECT_EQ(row(averages, "inner")->self_cuda_total_ns, 35);
    EXPECT_EQ(row(averages, "plain")->cuda_total_ns, 5);
    EXPECT_EQ(row(averages, "plain")->self_cuda_total_ns, 0);
    EXPECT_EQ(row(averages, "elsewhere")->self_cuda_total_ns, 70);
    EXPECT_EQ(averages.self_cuda_total_ns, 60 + 35 + 5 + 70);
    EXPECT_EQ(averages.cuda_outside_ns, 0);
    key_averages_fini(&averages);
}

TEST_F(Timings, OfARecursionCountOnceInTheTotal)
{
    trace_.thread(1).log(0, 1);
    open(0, "same", 1).open(1, "same", 2).close(2).close(3);
    time(100, 200, 1).time(110, 150, 2);
    ASSERT_NE(shown(), "");
    key_averages averages;
    ASSERT_TRUE(key_averages_init(&averages, timeline_));
    EXPECT_EQ(row(averages, "same")->cuda_total_ns, 100);
    EXPECT_EQ(row(averages, "same")->self_cuda_total_ns, 100);
    key_averages_fini(&averages);
}

TEST_F(Timings, AreLabelledInTheTable)
{
    trace_.thread(1).log(0, 1);
    open(0, "range", 1).close(10).time(20, 30, 1);
    ASSERT_NE(shown(), "");
    write_options options;
    write_options_default(&options);
    char *text = nullptr;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    ASSERT_TRUE(write_table(timeline_, &options, WRITE_TEXT, stream));
    fclose(stream);
    EXPECT_NE(std::string(text).find("CUDA time of ranges: stream time between two events"),
              std::string::npos);
    free(text);
}

TEST_F(Timings, WidenTheTraceTheyEndIn)
{
    trace_.thread(1).log(0, 1);
    open(0, "range", 1).close(10).time(20, 9000, 1);
    ASSERT_NE(shown(), "");
    EXPECT_EQ(timeline_->end_ns, 9000);
}

TEST_F(Timings, BeyondAnyDepthAreRead)
{
    trace_.thread(1).log(0, 1);
    for (uint64_t i = 1; i <= 1000; i++)
        open(static_cast<int64_t>(i), "deep", i);
    for (int64_t i = 1; i <= 1000; i++)
        close(2000 + i);
    for (uint64_t i = 1; i <= 1000; i++)
        time(static_cast<int64_t>(5000 + i), static_cast<int64_t>(9000 - i), i);
    ASSERT_NE(shown(), "");
    EXPECT_EQ(timeline_->timings.count, 1000u);
    EXPECT_EQ(findings(timeline_), "");
}

} // namespace
