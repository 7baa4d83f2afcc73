// What devices waited for: samples of a thread count in the gaps that it ended, each for one function.
#include "findings_of.h"

extern "C" {
#include "../../export/write/reports/waited_for.h"
}

namespace
{

constexpr int64_t ms = 1000000;

// Functions of the stacks by number, innermost first.
using Stacks = std::vector<std::vector<std::string>>;

uint32_t functions_of(void *user, uint32_t stack, char (*to)[FINDINGS_FRAME_BYTES], uint32_t most)
{
    const auto &names = (*static_cast<const Stacks *>(user))[stack];
    uint32_t count = std::min(most, static_cast<uint32_t>(names.size()));
    for (uint32_t i = 0; i < count; i++)
        snprintf(to[i], FINDINGS_FRAME_BYTES, "%s", names[i].c_str());
    return count;
}

// Threads that launch two kernels each on devices of their own. These idle from 10 to 90 ms.
class Waited
{
public:
    // Thread 101 launches on device 0, thread 102 on device 1, and so on.
    explicit Waited(uint32_t devices = 1)
    {
        for (uint32_t i = 0; i < devices; i++) {
            if (i > 0)
                m.thread(101 + i);
            m.device(i, "GPU");
            uint32_t stream = m.stream(7 + i, i);
            auto call = m.launch("cudaLaunchKernel", 0, 1000);
            m.kernel("first", call, 1000, 10 * ms, stream);
            call = m.launch("cudaLaunchKernel", 90 * ms, 90 * ms + 1000);
            m.kernel("second", call, 90 * ms, 100 * ms, stream);
        }
    }

    tl_sample &runs(uint32_t thread, int64_t time_ns, int64_t weight_ns, uint32_t stack)
    {
        samples.push_back({time_ns, static_cast<uint64_t>(weight_ns), 0, 0,
                           (uint32_t)m.threads[thread].tid, thread, stack, false});
        return samples.back();
    }

    tl_sample &waits(uint32_t thread, int64_t time_ns, int64_t weight_ns, uint32_t stack)
    {
        tl_sample &sample = runs(thread, time_ns, weight_ns, stack);
        sample.waits = true;
        return sample;
    }

    std::vector<waited_for> list(bool named = true)
    {
        timeline *t = m.done();
        std::stable_sort(samples.begin(), samples.end(),
                         [](auto &a, auto &b) { return a.time_ns < b.time_ns; });
        t->samples.at = samples.data();
        t->samples.count = static_cast<uint32_t>(samples.size());
        FindingsOf found(t);
        findings_report_options options = {};
        options.user = &stacks;
        options.functions = named ? functions_of : nullptr;
        waited_list list;
        EXPECT_TRUE(waited_for_init(&list, &found.all, &options));
        std::vector<waited_for> functions(list.functions.at,
                                          list.functions.at + list.functions.count);
        waited_for_fini(&list);
        return functions;
    }

    TimelineMaker m;
    Stacks stacks;
    std::vector<tl_sample> samples;
};

TEST(WaitedFor, IsEmptyWithoutSamples)
{
    EXPECT_TRUE(Waited().list().empty());
}

TEST(WaitedFor, IsEmptyWithoutSymbols)
{
    Waited w;
    w.stacks = {{"decode", "main"}};
    w.runs(0, 50 * ms, 10 * ms, 0);
    EXPECT_TRUE(w.list(false).empty());
    EXPECT_EQ(w.list().size(), 1u);
}

TEST(WaitedFor, NamesTheFunctionWhereTimeSplitsUp)
{
    Waited w;
    w.stacks = {{"decode", "load", "main"},
                {"augment", "load", "main"},
                {"collate", "load", "main"},
                {"poll", "fetch", "main"}};
    w.runs(0, 20 * ms, 25 * ms, 0);
    w.runs(0, 30 * ms, 20 * ms, 1);
    w.runs(0, 40 * ms, 15 * ms, 2).queued_ns = 3 * ms;
    w.waits(0, 60 * ms, 20 * ms, 3);
    auto list = w.list();
    ASSERT_EQ(list.size(), 2u);
    EXPECT_STREQ(list[0].function, "load");
    EXPECT_EQ(list[0].run_ns, 60 * ms);
    EXPECT_EQ(list[0].wait_ns, 0);
    EXPECT_EQ(list[0].queued_ns, 3 * ms);
    EXPECT_EQ(list[0].stack, 0u) << "the heaviest";
    EXPECT_EQ(list[0].tid, 101u);
    EXPECT_STREQ(list[1].function, "poll");
    EXPECT_EQ(list[1].run_ns, 0);
    EXPECT_EQ(list[1].wait_ns, 20 * ms);
    for (const waited_for &one : list)
        EXPECT_EQ(one.sampled_ns, 80 * ms);
}

TEST(WaitedFor, CountsEachSampleForOneFunction)
{
    Waited w;
    w.stacks = {{"load", "main"}, {"log", "save", "main"}, {"pack", "save", "main"}};
    w.runs(0, 20 * ms, 40 * ms, 0);
    w.runs(0, 40 * ms, 20 * ms, 1);
    w.runs(0, 60 * ms, 15 * ms, 2);
    int64_t sum_ns = 0;
    for (const waited_for &one : w.list())
        sum_ns += one.run_ns + one.wait_ns;
    EXPECT_EQ(sum_ns, 75 * ms);
}

TEST(WaitedFor, LeavesOutSamplesOutsideOfTheGapsThatTheThreadEnded)
{
    Waited w;
    uint32_t other = w.m.thread(150);
    w.stacks = {{"inside", "main"}, {"outside", "main"}};
    w.runs(0, 50 * ms, 10 * ms, 0);
    w.runs(0, 5 * ms, 10 * ms, 1);
    w.runs(0, 95 * ms, 10 * ms, 1);
    w.runs(other, 50 * ms, 10 * ms, 1);
    w.runs(0, 50 * ms, 10 * ms, 1).thread = TL_NONE;
    w.runs(0, 50 * ms, 10 * ms, 1).stack = TL_NONE;
    w.runs(0, 50 * ms, 10 * ms, 1).process = 1;
    auto list = w.list();
    ASSERT_EQ(list.size(), 1u);
    EXPECT_STREQ(list[0].function, "inside");
    EXPECT_EQ(list[0].sampled_ns, 10 * ms);
}

TEST(WaitedFor, CountsOfAWaitWhatLiesInTheGap)
{
    Waited w;
    w.stacks = {{"before", "main"}, {"behind", "main"}};
    w.waits(0, 0, 30 * ms, 0);
    w.waits(0, 80 * ms, 50 * ms, 1);
    auto list = w.list();
    ASSERT_EQ(list.size(), 2u);
    EXPECT_STREQ(list[0].function, "before");
    EXPECT_EQ(list[0].wait_ns, 20 * ms);
    EXPECT_STREQ(list[1].function, "behind");
    EXPECT_EQ(list[1].wait_ns, 10 * ms);
}

TEST(WaitedFor, ListsFunctionsOfEachDevice)
{
    Waited w(3);
    w.stacks = {{"load", "main"}, {"save", "main"}};
    w.runs(0, 20 * ms, 10 * ms, 0);
    w.runs(0, 40 * ms, 10 * ms, 1);
    w.runs(0, 60 * ms, 10 * ms, 1);
    w.runs(2, 20 * ms, 10 * ms, 0);
    auto list = w.list();
    ASSERT_EQ(list.size(), 3u);
    EXPECT_EQ(list[0].gap_device, 0u);
    EXPECT_STREQ(list[0].function, "save");
    EXPECT_EQ(list[0].run_ns, 20 * ms);
    EXPECT_EQ(list[0].sampled_ns, 30 * ms);
    EXPECT_EQ(list[1].gap_device, 0u);
    EXPECT_STREQ(list[1].function, "load");
    EXPECT_EQ(list[2].gap_device, 2u) << "device 1 has no samples";
    EXPECT_STREQ(list[2].function, "load");
    EXPECT_EQ(list[2].tid, 103u);
    EXPECT_EQ(list[2].sampled_ns, 10 * ms);
}

TEST(WaitedFor, LeavesOutFunctionsOfLessThanATwentieth)
{
    Waited w;
    w.stacks = {{"much", "main"}, {"little", "main"}};
    w.runs(0, 20 * ms, 96 * ms, 0);
    w.runs(0, 40 * ms, 4 * ms, 1);
    auto list = w.list();
    ASSERT_EQ(list.size(), 1u);
    EXPECT_STREQ(list[0].function, "much");
    EXPECT_EQ(list[0].sampled_ns, 100 * ms);
}

TEST(WaitedFor, ListsTheLargestFirstAndNoMoreThanFive)
{
    Waited w;
    for (uint32_t i = 0; i < 8; i++) {
        w.stacks.push_back({"function " + std::to_string(i), "main"});
        w.runs(0, (20 + i) * ms, (10 + i) * ms, i);
    }
    auto list = w.list();
    ASSERT_EQ(list.size(), static_cast<size_t>(WAITED_FOR_MOST));
    for (size_t i = 0; i < list.size(); i++)
        EXPECT_EQ(list[i].function, "function " + std::to_string(7 - i));
}

TEST(WaitedFor, CallsABranchByTheLastNameThatIsNotReserved)
{
    Waited w;
    w.stacks = {{"__poll", "_PyEval_EvalFrameDefault", "read", "run"}};
    w.waits(0, 20 * ms, 10 * ms, 0);
    auto list = w.list();
    ASSERT_EQ(list.size(), 1u);
    EXPECT_STREQ(list[0].function, "read");
}

} // namespace
