// How the threads of steps spent them, from samples.
#include "timeline_maker.h"

extern "C" {
#include "steps.h"
}

#include <gtest/gtest.h>

namespace
{

class StepTimes : public testing::Test
{
protected:
    void step(int64_t start_ns, int64_t end_ns)
    {
        m.push("ProfilerStep#" + std::to_string(m.slices.size()), start_ns, TL_STEP);
        m.pop(end_ns);
    }

    void runs(int64_t time_ns, uint64_t weight_ns, uint64_t queued_ns = 0, uint32_t thread = 0)
    {
        samples.push_back({time_ns, weight_ns, queued_ns, 0, 101, thread, 7, false});
    }

    void waits(int64_t time_ns, uint64_t duration_ns, uint32_t stack, uint64_t queued_ns = 0)
    {
        samples.push_back({time_ns, duration_ns, queued_ns, 0, 101, 0, stack, true});
    }

    // "run queued off longest@stack" of each step
    std::string times()
    {
        m.made.samples.at = samples.data();
        m.made.samples.count = static_cast<uint32_t>(samples.size());
        step_times times;
        EXPECT_TRUE(step_times_init(&times, m.done()));
        std::string text;
        for (uint32_t i = 0; i < times.count; i++) {
            const step_time &of = times.at[i];
            text += (i ? ", " : "") + std::to_string(of.run_ns) + " " +
                    std::to_string(of.queued_ns) + " " + std::to_string(of.off_cpu_ns);
            if (of.wait_stack != TL_NONE)
                text += " " + std::to_string(of.longest_ns) + "@" + std::to_string(of.wait_stack);
        }
        step_times_fini(&times);
        return text;
    }

    TimelineMaker m;
    std::vector<tl_sample> samples;
};

TEST_F(StepTimes, OfNoSamplesAreUnknown)
{
    step(0, 100);
    EXPECT_EQ(times(), "");
}

TEST_F(StepTimes, SpreadASampleOverTheStepsThatItCovers)
{
    step(0, 100);
    step(100, 400);
    runs(10, 10);
    runs(210, 100, 40); // over 200 ns: 90 in the first step, 110 in the second
    EXPECT_EQ(times(), "55 18 27, 55 22 223");
}

// The time of a wait is no time in which a thread ran, wherever the sample comes.
TEST_F(StepTimes, LeaveWaitsOut)
{
    step(0, 1000);
    step(1000, 2000);
    runs(100, 100);
    waits(200, 1500, 3); // 800 in the first step, 700 in the second
    runs(1800, 180, 20); // ran or was queued from 100 to 200 and from 1700 to 1800
    EXPECT_EQ(times(), "190 10 800 800@3, 90 10 900 700@3");
}

TEST_F(StepTimes, KeepTheLongestWait)
{
    step(0, 1000);
    waits(0, 100, 1);
    waits(200, 300, 2);
    waits(600, 200, 3);
    EXPECT_EQ(times(), "0 0 1000 300@2");
}

// What is outside of steps is in none; the parts add up to the step, whatever counters say.
TEST_F(StepTimes, NeverExceedTheStep)
{
    step(0, 100);
    step(200, 300);
    runs(50, 80, 90);
    runs(150, 120);
    runs(250, 0); // as long as the thread was queued before, for which there was no time
    EXPECT_EQ(times(), "100 0 0, 0 45 55");
}

// Counters that are read late leave a wait as long as it was.
TEST_F(StepTimes, AreNotQueuedWhileTheyWait)
{
    step(0, 1000);
    step(1000, 2000);
    runs(900, 100);
    waits(1050, 900, 3);
    runs(1990, 0, 500); // 100 are of the first step, 90 of the second
    EXPECT_EQ(times(), "100 100 800, 0 90 910 900@3");
}

TEST_F(StepTimes, AreOfTheStepsOwnThread)
{
    step(0, 100);
    m.thread(102, "worker");
    step(0, 100);
    runs(50, 50, 0, 1);
    EXPECT_EQ(times(), "50 0 50");
}

} // namespace
