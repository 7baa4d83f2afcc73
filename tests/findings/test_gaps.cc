// Idle time of devices by cause: whose it was, and that it adds up.
#include "../support/random_trace.h"
#include "findings_of.h"

extern "C" {
#include "device_time.h"
#include "finding_gaps.h"
#include "process_name.h"
#include "rules.h"
}

#include <cstdlib>
#include <random>

namespace
{

constexpr int64_t us = 1000;

// Idle time of device 0 by cause.
int64_t idle(const FindingsOf &found, gap_cause cause, uint32_t device = 0)
{
    return found.all.context.gaps->devices.at[device].idle_ns[cause];
}

// Paths and times of the owners of a cause.
std::map<std::string, int64_t> owners(const FindingsOf &found, gap_cause cause)
{
    std::map<std::string, int64_t> all;
    const auto &of = found.all.context.gaps->owners[cause].owners;
    for (uint32_t i = 0; i < of.count; i++) {
        char path[RANGE_PATH_BYTES];
        range_paths_text(found.all.context.paths, of.at[i].path, path);
        all[path] += of.at[i].cost_ns;
    }
    return all;
}

void expect_sums(const timeline *timeline, const FindingsOf &found)
{
    const finding_gaps *gaps = found.all.context.gaps;
    device_times times;
    ASSERT_TRUE(device_times_init(&times, timeline));
    ASSERT_EQ(times.count, gaps->devices.count);
    for (uint32_t i = 0; i < times.count; i++) {
        const gap_device &device = gaps->devices.at[i];
        int64_t sum = 0;
        for (int64_t ns : device.idle_ns) {
            EXPECT_GE(ns, 0);
            sum += ns;
        }
        EXPECT_EQ(device.window_ns, times.at[i].window_ns);
        EXPECT_EQ(device.busy_ns, times.at[i].busy_ns);
        EXPECT_EQ(sum, times.at[i].idle_ns);
        EXPECT_EQ(sum, gap_device_idle(&device));
    }
    device_times_fini(&times);
}

using Owners = std::map<std::string, int64_t>;

TEST(Gaps, TellStartAndEnd)
{
    TimelineMaker m;
    m.push("load", 0);
    m.pop(400 * us);
    auto call = m.launch("cudaLaunchKernel", 400 * us, 410 * us);
    m.kernel("k", call, 420 * us, 500 * us);
    m.range("save", 600 * us, 1000 * us);
    FindingsOf found(m.done());
    EXPECT_EQ(idle(found, GAP_START), 420 * us);
    EXPECT_EQ(idle(found, GAP_END), 500 * us);
    EXPECT_EQ(owners(found, GAP_START)["load"], 400 * us);
    EXPECT_EQ(owners(found, GAP_END)["save"], 400 * us);
    expect_sums(&m.made, found);
}

// Two kernels, the second launched at 1000 us and started at 1010 us; the first ends at 100 us.
struct Between {
    TimelineMaker m;

    Between()
    {
        auto call = m.launch("cudaLaunchKernel", 0, 5 * us);
        m.kernel("first", call, 10 * us, 100 * us);
    }

    // Ranges that are open end here.
    const timeline *done(unsigned open = 0)
    {
        auto call = m.launch("cudaLaunchKernel", 1000 * us, 1005 * us);
        m.kernel("second", call, 1010 * us, 1100 * us);
        while (open--)
            m.pop(1100 * us);
        return m.done();
    }
};

TEST(Gaps, TellTheRangeInWhichTheCpuWasBusy)
{
    Between b;
    b.m.push("step", 6 * us);
    b.m.range("load batch", 50 * us, 900 * us);
    b.m.range("augment", 900 * us, 950 * us);
    FindingsOf found(b.done(1));
    EXPECT_EQ(idle(found, GAP_CPU), 900 * us);
    EXPECT_EQ(idle(found, GAP_LAUNCH), 10 * us);
    EXPECT_EQ(
        owners(found, GAP_CPU),
        (Owners{{"step > load batch", 800 * us}, {"step > augment", 50 * us}, {"step", 50 * us}}));
    expect_sums(&b.m.made, found);
}

TEST(Gaps, OutsideOfEveryRangeHaveNoOwner)
{
    Between b;
    FindingsOf found(b.done());
    EXPECT_EQ(owners(found, GAP_CPU), (Owners{{"(outside of any range)", 900 * us}}));
}

TEST(Gaps, TellWaitsAndWhatComesAfterThem)
{
    Between b;
    auto wait = b.m.launch("cudaDeviceSynchronize", 20 * us, 130 * us, 0);
    b.m.range("think", 130 * us, 1000 * us);
    FindingsOf found(b.done());
    EXPECT_EQ(idle(found, GAP_SYNC), 30 * us);
    EXPECT_EQ(idle(found, GAP_CPU), 870 * us);
    ASSERT_EQ(found.all.context.gaps->gaps.count, 1u);
    EXPECT_EQ(found.all.context.gaps->gaps.at[0].blocker, wait);
    EXPECT_EQ(found.all.context.gaps->gaps.at[0].cause, GAP_CPU);
}

TEST(Gaps, TellAllocations)
{
    Between b;
    b.m.push("grow", 50 * us);
    b.m.launch("cudaMalloc", 60 * us, 400 * us, 0);
    b.m.launch("cudaFree", 400 * us, 990 * us, 0);
    b.m.pop(995 * us);
    FindingsOf found(b.done());
    EXPECT_EQ(idle(found, GAP_ALLOCATE), 890 * us);
    EXPECT_EQ(owners(found, GAP_ALLOCATE),
              (Owners{{"grow > cudaMalloc", 300 * us}, {"grow > cudaFree", 590 * us}}));
}

TEST(Gaps, TellCopiesThatWait)
{
    TimelineMaker m;
    auto call = m.launch("cudaLaunchKernel", 0, 5 * us);
    m.kernel("first", call, 10 * us, 100 * us);
    auto copy = m.launch("cudaMemcpy", 200 * us, 700 * us);
    m.copy(copy, 600 * us, 690 * us, 4096);
    FindingsOf found(m.done());
    EXPECT_EQ(idle(found, GAP_COPY), 400 * us);
    EXPECT_EQ(idle(found, GAP_CPU), 100 * us);
    EXPECT_EQ(owners(found, GAP_COPY), (Owners{{"cudaMemcpy", 400 * us}}));
}

TEST(Gaps, TakeAsynchronousCopiesForLaunches)
{
    TimelineMaker m;
    auto call = m.launch("cudaLaunchKernel", 0, 5 * us);
    m.kernel("first", call, 10 * us, 100 * us);
    auto copy = m.launch("cudaMemcpyAsync", 98 * us, 115 * us);
    m.copy(copy, 116 * us, 200 * us, 4096);
    FindingsOf found(m.done());
    EXPECT_EQ(idle(found, GAP_COPY), 0);
    EXPECT_EQ(idle(found, GAP_LAUNCH), 16 * us);
}

TEST(Gaps, AreLaunchBoundWhereLaunchesTakeLongerThanTheRest)
{
    TimelineMaker m;
    m.push("many", 0);
    for (int i = 0; i < 10; i++) {
        auto call = m.launch("cudaLaunchKernel", 10 * i * us, (10 * i + 6) * us);
        m.kernel("tiny", call, (10 * i + 8) * us, (10 * i + 9) * us);
    }
    m.pop(100 * us);
    FindingsOf found(m.done());
    EXPECT_EQ(idle(found, GAP_LAUNCH), 9 * 9 * us);
    EXPECT_EQ(idle(found, GAP_CPU), 0);
    expect_sums(&m.made, found);
}

TEST(Gaps, OfQueuedWorkAreNobodysLaunch)
{
    TimelineMaker m;
    auto first = m.launch("cudaLaunchKernel", 0, 5 * us);
    auto second = m.launch("cudaLaunchKernel", 10 * us, 15 * us);
    m.kernel("a", first, 10 * us, 100 * us);
    m.kernel("b", second, 400 * us, 500 * us);
    FindingsOf found(m.done());
    EXPECT_EQ(idle(found, GAP_QUEUED), 300 * us);
    EXPECT_EQ(idle(found, GAP_LAUNCH), 0);
}

TEST(Gaps, OfQueuedWorkBehindAHostFunctionAreItsOwn)
{
    TimelineMaker m;
    auto first = m.launch("cudaLaunchKernel", 0, 5 * us);
    m.push("ask", 5 * us);
    m.launch("cudaLaunchHostFunc", 6 * us, 8 * us, 0);
    m.pop(9 * us);
    auto second = m.launch("cudaLaunchKernel", 10 * us, 15 * us);
    m.kernel("a", first, 10 * us, 100 * us);
    m.sync(3, 350 * us, 550 * us, 0);
    m.kernel("b", second, 400 * us, 500 * us);
    FindingsOf found(m.done());
    EXPECT_EQ(owners(found, GAP_HOST_FUNCTION), (Owners{{"ask > cudaLaunchHostFunc", 300 * us}}));
    EXPECT_EQ(idle(found, GAP_QUEUED), 0);
}

TEST(Gaps, ShorterThanTheLimitAreToldAsShort)
{
    TimelineMaker m;
    auto first = m.launch("cudaLaunchKernel", 0, 5 * us);
    auto second = m.launch("cudaLaunchKernel", 10 * us, 15 * us);
    m.kernel("a", first, 10 * us, 100 * us);
    m.kernel("b", second, 101 * us, 500 * us);
    FindingsOf found(m.done());
    EXPECT_EQ(idle(found, GAP_SHORT), 1 * us);
    EXPECT_EQ(found.all.context.gaps->gaps.count, 0u);
}

TEST(Gaps, WithoutALaunchAreUnknown)
{
    TimelineMaker m;
    m.range("run", 0, 1000 * us);
    m.kernel("a", TL_NONE, 10 * us, 100 * us);
    m.kernel("b", TL_NONE, 400 * us, 500 * us);
    FindingsOf found(m.done());
    EXPECT_EQ(idle(found, GAP_UNKNOWN), 300 * us);
    expect_sums(&m.made, found);
}

TEST(Gaps, WhileRecordingWasOffAreOff)
{
    TimelineMaker m;
    auto first = m.launch("cudaLaunchKernel", 0, 5 * us);
    m.kernel("a", first, 10 * us, 100 * us);
    m.range("think", 150 * us, 650 * us);
    auto second = m.launch("cudaLaunchKernel", 700 * us, 705 * us);
    m.kernel("b", second, 710 * us, 800 * us);
    tl_window windows[2]{};
    windows[0].start_ns = 0, windows[0].end_ns = 200 * us;
    windows[1].start_ns = 600 * us, windows[1].end_ns = TL_NO_TIME;
    auto *timeline = m.done();
    timeline->windows.at = windows, timeline->windows.count = 2;
    FindingsOf found(timeline);
    EXPECT_EQ(idle(found, GAP_OFF), 400 * us);
    EXPECT_EQ(idle(found, GAP_CPU), 200 * us);
    EXPECT_EQ(owners(found, GAP_CPU)["think"], 100 * us);
    expect_sums(timeline, found);
}

TEST(Gaps, OfAThreadOutsideOfRangesBelongToTheOneBefore)
{
    TimelineMaker m;
    auto forward = m.launch("cudaLaunchKernel", 0, 5 * us);
    m.kernel("forward", forward, 10 * us, 100 * us);
    m.range("loss", 50 * us, 900 * us);
    m.thread(102, "autograd");
    auto backward = m.launch("cudaLaunchKernel", 1000 * us, 1005 * us);
    m.kernel("backward", backward, 1010 * us, 1100 * us);
    FindingsOf found(m.done());
    EXPECT_EQ(owners(found, GAP_CPU),
              (Owners{{"loss", 800 * us}, {"(outside of any range)", 100 * us}}));
}

TEST(Gaps, OfDevicesAreTheirOwn)
{
    TimelineMaker m;
    auto first = m.stream(7, 0), second = m.stream(8, 1);
    auto a = m.launch("cudaLaunchKernel", 0, 5 * us),
         b = m.launch("cudaLaunchKernel", 10 * us, 15 * us);
    m.kernel("a", a, 10 * us, 100 * us, first);
    m.kernel("b", b, 20 * us, 1000 * us, second);
    FindingsOf found(m.done());
    ASSERT_EQ(found.all.context.gaps->devices.count, 2u);
    EXPECT_EQ(idle(found, GAP_END, 0), 900 * us);
    EXPECT_EQ(idle(found, GAP_END, 1), 0);
    EXPECT_EQ(finding_gaps_bound(found.all.context.gaps, 0), 20 * us);
}

// Against a count of every instant.
TEST(Gaps, AddUpWhateverHappens)
{
    static const char *const calls[] = {"cudaLaunchKernel",  "cudaMalloc", "cudaDeviceSynchronize",
                                        "cudaMemcpyAsync",   "cudaMemcpy", "cudaEventRecord",
                                        "cudaLaunchHostFunc"};
    for (unsigned seed = 1; seed <= 300; seed++) {
        std::mt19937 random(seed);
        TimelineMaker m;
        auto below = [&](unsigned most) { return static_cast<int64_t>(random() % most); };
        for (unsigned device = 0; device < 2; device++)
            for (unsigned stream = 0; stream < 2; stream++)
                m.stream(7 + stream, device);
        for (unsigned thread = 0; thread < 3; thread++) {
            int64_t now = below(5000);
            unsigned depth = 0;
            if (thread)
                m.thread(200 + thread);
            for (int i = 0; i < 60; i++) {
                now += below(4000);
                if (below(3) == 0 && depth < 4) {
                    m.push("r" + std::to_string(below(5)), now);
                    depth++;
                } else if (below(3) == 0 && depth > 0) {
                    m.pop(now);
                    depth--;
                } else {
                    int64_t end = now + below(6000);
                    auto call = m.launch(calls[below(7)], now, end);
                    if (below(2))
                        m.kernel("k", below(9) ? call : TL_NONE, now + below(20000) + 1,
                                 now + 20000 + below(9000), static_cast<uint32_t>(below(4)));
                    now = end;
                }
            }
            for (; depth > 0; depth--)
                m.pop(now);
        }
        auto *timeline = m.done();
        FindingsOf found(timeline);
        expect_sums(timeline, found);
    }
}

// Idle time of each finding by cause.
std::vector<finding_idle> idle_of(const FindingsOf &found)
{
    std::vector<finding_idle> of(found.all.found.count);
    EXPECT_TRUE(findings_idle(&found.all, of.data()));
    return of;
}

TEST(FindingsIdle, OfARuleAboutIdleTimeIsWhatItCosts)
{
    unsigned seen = 0;
    for (unsigned seed = 1; seed <= 20; seed++) {
        RandomTrace trace(seed, 3);
        FindingsOf found(trace.load(), [](finding_limits &limits) {
            limits.least_share = 0;
            limits.owner_share = 0.05;
        });
        auto of = idle_of(found);
        for (uint32_t i = 0; i < found.all.found.count; i++) {
            const finding &one = found.all.found.at[i];
            for (unsigned cause = 0; cause < GAP_CAUSES; cause++)
                if (one.rule == &gap_rules[cause]) {
                    EXPECT_EQ(of[i].ns[cause], one.cost_ns) << seed << " " << one.rule->name;
                    seen++;
                }
        }
    }
    EXPECT_GT(seen, 20u);
}

TEST(FindingsIdle, IsSharedByRulesAboutTheSameTime)
{
    Between b;
    b.m.push("step", 6 * us);
    for (int64_t i = 0; i < 40; i++)
        b.m.launch("cudaMalloc", (100 + i * 20) * us, (120 + i * 20) * us, 0);
    FindingsOf found(b.done(1));
    auto of = idle_of(found);
    std::map<std::string, int64_t> allocate;
    for (uint32_t i = 0; i < found.all.found.count; i++)
        allocate[found.all.found.at[i].rule->name] += of[i].ns[GAP_ALLOCATE];
    EXPECT_EQ(allocate["allocations-in-loops"], 800 * us);
    EXPECT_EQ(allocate["gpu-idle-cpu-bound"], 0);
}

TEST(FindingDevice, NumbersProcessesThatWouldBeCalledAlike)
{
    TimelineMaker m;
    m.kernel("k", m.launch("cudaLaunchKernel", 0, 5), 10, 20);
    m.process(100, "train"); // of another host
    m.thread(101);
    m.stream(7);
    m.kernel("k", m.launch("cudaLaunchKernel", 0, 5), 10, 20);
    m.process(101, "train");
    m.thread(102);
    m.stream(7);
    m.kernel("k", m.launch("cudaLaunchKernel", 0, 5), 10, 20);
    FindingsOf found(m.done());
    EXPECT_STREQ(finding_device(&found.all.context, 0, 0).text, "GPU 0 of pid 100 #1");
    EXPECT_STREQ(finding_device(&found.all.context, 1, 0).text, "GPU 0 of pid 100 #2");
    EXPECT_STREQ(finding_device(&found.all.context, 2, 0).text, "GPU 0 of pid 101");
    EXPECT_STREQ(process_short_name(found.all.context.timeline, 1).text, "pid 100 #2");
    EXPECT_STREQ(process_full_name(found.all.context.timeline, 1).text, "pid 100 #2");
}

TEST(ProcessName, IsTheRankWhereThereIsOne)
{
    TimelineMaker m;
    m.processes[0].info.rank = 3;
    EXPECT_STREQ(process_short_name(m.done(), 0).text, "rank 3");
    EXPECT_STREQ(process_full_name(m.done(), 0).text, "rank 3 (pid 100)");
}

} // namespace
