// Statistics of the calls of a range: which operations are whose, and every reason to give no numbers.
#include "timeline_maker.h"

extern "C" {
#include "bench_stats.h"
}

#include <gtest/gtest.h>

#include <string>

namespace
{

class BenchStats : public testing::Test
{
protected:
    BenchStats() { device = m.device(0, "NVIDIA H100"); }
    ~BenchStats() override { forget(); }

    // A call of the range: each kernel takes its time, 100 ns after the one before.
    void call(const std::vector<int64_t> &kernels, const std::string &range = "step")
    {
        m.push(range, now);
        for (int64_t duration_ns : kernels)
            kernel(duration_ns);
        m.pop(now += 1000);
    }

    void kernel(int64_t duration_ns, const std::string &called = "k")
    {
        uint32_t launch = launched();
        device_now = std::max(device_now + 100, now);
        m.kernel(called, launch, device_now, device_now + duration_ns);
        device_now += duration_ns;
    }

    uint32_t launched()
    {
        now += 20;
        return m.launch("cudaLaunchKernel", now - 10, now);
    }

    void calls(int count, const std::vector<int64_t> &kernels)
    {
        for (int i = 0; i < count; i++)
            call(kernels);
    }

    const bench_stats &measured(bool allow_varying = false)
    {
        forget();
        bench_options options{"step", BENCH_RELATIVE_ERROR, allow_varying};
        EXPECT_TRUE(bench_stats_init(&stats, m.done(), &options));
        known = true;
        return stats;
    }

    // The reasons, a line each.
    std::string reasons()
    {
        std::string text;
        measured();
        for (unsigned i = 0; i < stats.reason_count; i++)
            text += std::string(i ? "\n" : "") + stats.reasons[i];
        EXPECT_EQ(stats.reason_count == 0, stats.groups.count > 0) << text;
        return text;
    }

    double median(bench_measure measure) { return stats.groups.at[0].spread[measure].median; }

    void forget()
    {
        if (known)
            bench_stats_fini(&stats);
        known = false;
    }

    TimelineMaker m;
    uint32_t device;
    int64_t now = 0, device_now = 0;
    bench_stats stats{};
    bool known = false;
};

TEST_F(BenchStats, HaveTimeSpanAndGaps)
{
    calls(6, {1000, 3000});
    EXPECT_EQ(reasons(), "");
    EXPECT_EQ(median(BENCH_DEVICE), 4000);
    EXPECT_EQ(median(BENCH_SPAN), 4100);
    EXPECT_EQ(median(BENCH_GAPS), 100);
    ASSERT_EQ(stats.groups.at[0].operations.count, 2u);
    EXPECT_TRUE(std::isnan(stats.groups.at[0].operations.at[0].gap_ns));
    EXPECT_EQ(stats.groups.at[0].operations.at[1].gap_ns, 100);
    EXPECT_EQ(stats.groups.at[0].operations.at[1].share, 0.75);
    EXPECT_EQ(stats.devices.count, 1u);
}

TEST_F(BenchStats, OverlappingWorkCountsOnce)
{
    uint32_t streams[] = {m.stream(7), m.stream(8)};
    for (int i = 0; i < 6; i++) {
        int64_t at = i * 10000;
        m.push("step", at);
        m.kernel("a", m.launch("cudaLaunchKernel", at + 10, at + 20), at + 100, at + 1100,
                 streams[0]);
        m.kernel("b", m.launch("cudaLaunchKernel", at + 30, at + 40), at + 600, at + 1600,
                 streams[1]);
        m.pop(at + 2000);
    }
    EXPECT_EQ(reasons(), "");
    EXPECT_EQ(median(BENCH_DEVICE), 1500);
    EXPECT_EQ(median(BENCH_GAPS), 0);
    EXPECT_EQ(stats.groups.at[0].operations.at[1].gap_ns, 0);
}

TEST_F(BenchStats, TheOutermostInstanceIsTheCall)
{
    for (int i = 0; i < 6; i++) {
        m.push("step", now);
        call({1000});
        call({500});
        m.pop(now += 10);
    }
    EXPECT_EQ(reasons(), "");
    EXPECT_EQ(stats.calls.calls.count, 6u);
    EXPECT_EQ(median(BENCH_DEVICE), 1500);
}

TEST_F(BenchStats, LaunchesOfOtherThreadsBelongToTheOpenCall)
{
    calls(6, {1000});
    int64_t starts[6];
    for (int i = 0; i < 6; i++)
        starts[i] = m.slices[static_cast<size_t>(2 * i)].start_ns;
    m.thread(102, "backward");
    for (int64_t start_ns : starts) {
        device_now += 5000;
        m.kernel("grad", m.launch("cudaLaunchKernel", start_ns + 500, start_ns + 510), device_now,
                 device_now + 200);
    }
    device_now += 5000;
    m.kernel("later", m.launch("cudaLaunchKernel", now + 5000, now + 5010), device_now,
             device_now + 200);
    EXPECT_EQ(reasons(), "");
    EXPECT_EQ(stats.calls.other_threads, 6u);
    EXPECT_EQ(median(BENCH_DEVICE), 1200);
    EXPECT_EQ(stats.groups.at[0].operations.count, 2u);
}

TEST_F(BenchStats, CallsThatOverlapHaveTheirOwnThreadAlone)
{
    calls(6, {1000});
    now = 0;
    m.thread(102, "second");
    calls(6, {1000});
    EXPECT_EQ(reasons(), "");
    EXPECT_TRUE(stats.calls.overlap);
    EXPECT_EQ(stats.calls.calls.count, 12u);
    EXPECT_EQ(median(BENCH_DEVICE), 1000);
}

TEST_F(BenchStats, AnUnfinishedInstanceIsNoCall)
{
    calls(6, {1000});
    m.push("step", now, TL_RANGE, TL_UNCLOSED);
    kernel(99000);
    m.pop(now += 10);
    EXPECT_EQ(reasons(), "");
    EXPECT_EQ(stats.calls.unfinished, 1u);
    EXPECT_EQ(median(BENCH_DEVICE), 1000);
}

TEST_F(BenchStats, WorkWithoutALaunchIsAReason)
{
    calls(6, {1000});
    m.kernel("whose", TL_NONE, 500, 700);
    EXPECT_EQ(reasons(), "1 device operation ran during the calls, and the recording does not have "
                         "the launch: whose work that is cannot be judged");
}

TEST_F(BenchStats, UnrecordedLaunchesAreAReason)
{
    calls(6, {1000});
    tl_unrecorded lost{1, TL_NONE, 2, TL_UNRECORDED_MISSING};
    m.made.unrecorded.at = &lost;
    m.made.unrecorded.count = 1;
    EXPECT_EQ(reasons(), "2 operations that 1 of 6 calls launched have no device record; 'profdump "
                         "check --ledger' counts them by cause");
}

TEST_F(BenchStats, LostHostEventsAreAReason)
{
    calls(6, {1000});
    m.made.ledger.lost_host = 3;
    EXPECT_EQ(reasons(), "3 host events were lost: calls and launches may be missing");
}

TEST_F(BenchStats, AClockThatWasSetIsAReason)
{
    calls(6, {1000});
    m.processes[0].health.clock_steps = 1;
    EXPECT_EQ(reasons(), "the system's clock was set 1 time while this was recorded: device times "
                         "follow that clock");
}

TEST_F(BenchStats, AMultiprocessorsClockThatChangesIsAReason)
{
    calls(6, {1000});
    m.counter("GPU 0 SM clock MHz", 100, 1980);
    m.counter("GPU 0 SM clock MHz", 3000, 1900);
    EXPECT_EQ(reasons(), "");
    EXPECT_EQ(stats.clock.samples, 2u);
    m.counter("GPU 0 SM clock MHz", 3500, 1500);
    EXPECT_EQ(reasons(), "the device's clock went from 1500 to 1980 MHz during the calls");
}

TEST_F(BenchStats, OneStepOfTimesIsAReasonButNoiseIsNone)
{
    for (int i = 0; i < 60; i++)
        call({1000 + 10 * (i % 7)});
    EXPECT_EQ(reasons(), "");
    for (int i = 0; i < 60; i++)
        call({1100 + 10 * (i % 7)});
    EXPECT_EQ(reasons(),
              "device time went from 1030 ns (first third of 120 calls) to 1130 ns (last "
              "third): clocks stepped, or the work changed");
}

TEST_F(BenchStats, DifferentOperationsAreAReasonUnlessAllowed)
{
    calls(7, {1000});
    calls(2, {1000, 50});
    EXPECT_EQ(reasons(), "calls launched 2 different sequences of operations: 7 calls one of 1 "
                         "operations, 2 calls one of 2, first in call 8");
    measured(true);
    ASSERT_EQ(stats.groups.count, 2u);
    EXPECT_EQ(stats.groups.at[0].calls, 7u);
    EXPECT_EQ(stats.groups.at[1].spread[BENCH_DEVICE].median, 1050);
    EXPECT_TRUE(std::isnan(stats.groups.at[1].spread[BENCH_DEVICE].low));
}

TEST_F(BenchStats, AFailureBetweenCallsIsAReason)
{
    calls(6, {1000});
    m.mark("other failed: not this", now);
    m.mark("step failed: device 0 has no memory", now);
    EXPECT_EQ(reasons(), "device 0 has no memory");
}

TEST_F(BenchStats, SixCallsAreEnoughAndFiveAreNot)
{
    calls(5, {1000});
    EXPECT_EQ(reasons(), "5 calls: an interval needs 6 of one sequence");
    calls(1, {1000});
    EXPECT_EQ(reasons(), "");
}

TEST_F(BenchStats, ACacheIsColdIfTheWorkBeforeClearedIt)
{
    m.devices[device].info.l2_bytes = 1000;
    for (int i = 0; i < 6; i++) {
        device_now += 100;
        m.set(launched(), device_now, device_now + 50, 2000);
        device_now += 50;
        call({1000});
    }
    measured();
    EXPECT_EQ(stats.cache, BENCH_COLD);
    call({1000});
    measured();
    EXPECT_EQ(stats.cache, BENCH_MIXED);
    m.devices[device].info.l2_bytes = 1001;
    measured();
    EXPECT_EQ(stats.cache, BENCH_WARM);
    m.devices[device].info.l2_bytes = 0;
    measured();
    EXPECT_EQ(stats.cache, BENCH_UNKNOWN);
}

TEST_F(BenchStats, TheVerdictIsByTheInterval)
{
    bench_stats other{};
    bench_options options{"other", BENCH_RELATIVE_ERROR, false};
    bench_comparison comparison;
    calls(20, {1000});
    for (int i = 0; i < 20; i++)
        call({1500}, "other");
    measured();
    ASSERT_TRUE(bench_stats_init(&other, m.done(), &options));
    ASSERT_TRUE(bench_compare(&comparison, &stats, &other));
    EXPECT_STREQ(bench_verdict_name(comparison.verdict), "slower");
    EXPECT_EQ(comparison.ratio.ratio, 1.5);
    ASSERT_TRUE(bench_compare(&comparison, &other, &stats));
    EXPECT_STREQ(bench_verdict_name(comparison.verdict), "faster");
    ASSERT_TRUE(bench_compare(&comparison, &stats, &stats));
    EXPECT_STREQ(bench_verdict_name(comparison.verdict), "same");
    bench_stats_fini(&other);
}

} // namespace
