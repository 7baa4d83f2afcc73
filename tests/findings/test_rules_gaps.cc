// A rule for each cause of idle time: it says what, whose, how long, and what it saves at most.
#include "findings_of.h"

#include <set>

extern "C" {
#include "finding_gaps.h"
#include "remedies.h"
#include "rules.h"
}

namespace
{

constexpr int64_t ms = 1000000;

// Two kernels with a gap of 80 of 100 ms; what is between the launches is the test's.
struct Starving {
    TimelineMaker m;

    Starving()
    {
        auto call = m.launch("cudaLaunchKernel", 0, 1000);
        m.kernel("first", call, 1000, 10 * ms);
        m.push("step", 2000);
    }

    const timeline *done()
    {
        m.pop(90 * ms);
        auto call = m.launch("cudaLaunchKernel", 90 * ms, 90 * ms + 1000);
        m.kernel("second", call, 90 * ms + 1000, 100 * ms);
        return m.done();
    }
};

void expect_one(const FindingsOf &found, const std::string &rule, const std::string &path,
                int64_t cost_ns)
{
    auto of = found.of(rule);
    ASSERT_EQ(of.size(), 1u) << rule;
    EXPECT_EQ(of[0].path, path);
    EXPECT_EQ(of[0].detail.cost_ns, cost_ns);
    EXPECT_GT(of[0].detail.saved_ns, 0);
    EXPECT_LE(of[0].detail.saved_ns, cost_ns);
    EXPECT_EQ(of[0].detail.device, 0u);
}

TEST(RuleCpuBound, NamesTheRange)
{
    Starving s;
    s.m.range("load batch", 10 * ms, 90 * ms);
    FindingsOf found(s.done());
    expect_one(found, "gpu-idle-cpu-bound", "step > load batch", 80 * ms);
    EXPECT_EQ(found.of("gpu-idle-cpu-bound")[0].sentence,
              "GPU 0 idled for 80.0 ms (80 % of the wall time) while the CPU was busy here and "
              "launched nothing: 1 stretch, the longest 80.0 ms.");
    EXPECT_TRUE(found.of("gpu-idle-launch-bound").empty());
    EXPECT_TRUE(found.of("gpu-idle-synchronization").empty());
}

// Kernels with gaps of 70 and 10 ms between them, during which the CPU is in no range.
struct Outside {
    TimelineMaker m;

    Outside()
    {
        launch("first", 0, 10 * ms);
        launch("second", 80 * ms, 85 * ms);
        launch("third", 95 * ms, 100 * ms);
    }

    void launch(const char *name, int64_t start_ns, int64_t end_ns)
    {
        auto call = m.launch("cudaLaunchKernel", start_ns, start_ns + 1000);
        m.kernel(name, call, start_ns + 1000, end_ns);
    }
};

TEST(RuleCpuBound, SaysTheLongestOfStretchesOutsideAnyRange)
{
    Outside o;
    FindingsOf found(o.m.done());
    auto of = found.of("gpu-idle-cpu-bound");
    ASSERT_EQ(of.size(), 1u);
    EXPECT_NE(of[0].sentence.find("2 stretches, the longest 70.0 ms."), std::string::npos)
        << of[0].sentence;
}

TEST(RuleCpuBound, KeepsTheLongestWhenASmallRangeIsAddedToWhatIsOutside)
{
    Outside o;
    o.m.range("item", 85 * ms, 95 * ms);
    FindingsOf found(o.m.done(), [](finding_limits &limits) { limits.owner_share = 0.5; });
    auto of = found.of("gpu-idle-cpu-bound");
    ASSERT_EQ(of.size(), 1u);
    EXPECT_NE(of[0].sentence.find("2 stretches, the longest 70.0 ms."), std::string::npos)
        << of[0].sentence;
}

TEST(RuleCpuBound, GathersSmallRangesInTheOneAroundThem)
{
    Starving s;
    for (int i = 0; i < 200; i++)
        s.m.range(std::to_string(i) + "th", 10 * ms + i * 400000, 10 * ms + (i + 1) * 400000);
    FindingsOf found(s.done());
    expect_one(found, "gpu-idle-cpu-bound", "step", 80 * ms);
}

TEST(RuleCpuBound, TakesRangesThatDifferInANumberAsOne)
{
    Starving s;
    for (int i = 0; i < 200; i++)
        s.m.range("item " + std::to_string(i), 10 * ms + i * 400000, 10 * ms + (i + 1) * 400000);
    FindingsOf found(s.done());
    expect_one(found, "gpu-idle-cpu-bound", "step > item *", 80 * ms);
    auto one = found.of("gpu-idle-cpu-bound")[0].detail;
    auto example = range_paths_example(found.all.context.paths, one.path, one.slice);
    EXPECT_EQ(std::string(example.bytes, example.size), "item 0");
}

// conv1d and conv2d are two things; a name alone keeps its number.
TEST(RuleCpuBound, KeepsNumbersWithinWordsAndOfOneRange)
{
    Starving s;
    s.m.range("conv1d", 10 * ms, 40 * ms);
    s.m.range("conv2d", 40 * ms, 65 * ms);
    s.m.range("item 7", 65 * ms, 90 * ms);
    FindingsOf found(s.done());
    auto of = found.of("gpu-idle-cpu-bound");
    ASSERT_EQ(of.size(), 3u);
    EXPECT_EQ(of[0].path, "step > conv1d");
    EXPECT_EQ(std::set<std::string>({of[1].path, of[2].path}),
              std::set<std::string>({"step > conv2d", "step > item 7"}));
}

TEST(RuleCpuBound, TellsRangesByThemselvesFromAShareOn)
{
    Starving s;
    for (int i = 0; i < 20; i++)
        s.m.range(std::to_string(i) + "th", 10 * ms + i * 4 * ms, 10 * ms + (i + 1) * 4 * ms);
    auto *timeline = s.done();
    FindingsOf whole(timeline);
    expect_one(whole, "gpu-idle-cpu-bound", "step", 80 * ms);
    FindingsOf parts(timeline, [](finding_limits &limits) { limits.owner_share = 0.01; });
    EXPECT_EQ(parts.of("gpu-idle-cpu-bound").size(), 20u);
}

TEST(RuleCpuBound, SavesNoMoreThanTheBusiestDeviceLeaves)
{
    Starving s;
    s.m.range("load batch", 10 * ms, 90 * ms);
    auto first = s.m.streams.size();
    auto busy = s.m.stream(9, 1);
    auto call = s.m.launch("cudaLaunchKernel", 90 * ms - 500, 90 * ms - 400);
    s.m.kernel("other", call, 2000, 95 * ms, busy);
    ASSERT_EQ(first, 1u);
    s.m.pop(90 * ms);
    auto last = s.m.launch("cudaLaunchKernel", 90 * ms, 90 * ms + 1000);
    s.m.kernel("second", last, 90 * ms + 1000, 100 * ms, 0);
    FindingsOf found(s.m.done());
    auto of = found.of("gpu-idle-cpu-bound");
    ASSERT_EQ(of.size(), 1u);
    EXPECT_GT(of[0].detail.cost_ns, 79 * ms);
    EXPECT_EQ(of[0].detail.saved_ns, 5 * ms + 2000);
}

TEST(RuleSynchronization, NamesTheWait)
{
    Starving s;
    s.m.launch("cudaStreamSynchronize", 5 * ms, 90 * ms, 0);
    FindingsOf found(s.done());
    expect_one(found, "gpu-idle-synchronization", "step > cudaStreamSynchronize", 80 * ms);
}

TEST(RuleCopy, NamesTheCopy)
{
    Starving s;
    s.m.launch("cudaMemcpy", 10 * ms, 90 * ms, 0);
    FindingsOf found(s.done());
    expect_one(found, "gpu-idle-copy", "step > cudaMemcpy", 80 * ms);
}

// The call that copies and the device that waits for it are one finding, that of the rule about calls.
TEST(RuleCopy, IsOneFindingWithTheRuleAboutCalls)
{
    Starving s;
    s.m.launch("cudaMemcpy", 10 * ms, 90 * ms, 0);
    FindingsOf found(s.done());
    unsigned copies = 0;
    for (uint32_t i = 0; i < found.all.found.count; i++) {
        const finding &one = found.all.found.at[i];
        if (one.path == TL_NONE)
            continue;
        copies++;
        EXPECT_STREQ(one.rule->name, "sync-copies");
        ASSERT_NE(findings_next(&found.all, &one), nullptr);
        EXPECT_STREQ(findings_next(&found.all, &one)->rule->name, "gpu-idle-copy");
    }
    EXPECT_EQ(copies, 1u);
}

// Each device has its own copies, and its own idle time because of them.
TEST(RuleCopy, IsOneFindingOnEachDevice)
{
    TimelineMaker m;
    m.stream(7);
    auto other = m.stream(9, 1);
    for (uint32_t stream : {0u, static_cast<uint32_t>(other)})
        m.kernel("first", m.launch("cudaLaunchKernel", 1000 * stream, 1000 * stream + 500), 2000,
                 10 * ms, stream);
    m.push("step", 5000);
    m.copy(m.launch("cudaMemcpyAsync", 10 * ms, 50 * ms), 50 * ms, 50 * ms + 10, 4096, 0);
    m.copy(m.launch("cudaMemcpyAsync", 50 * ms, 90 * ms), 90 * ms, 90 * ms + 10, 4096, other);
    m.pop(91 * ms);
    auto *timeline = m.done();
    for (uint32_t i = 0; i < timeline->memcpys.count; i++)
        timeline->memcpys.at[i].src_kind = 1;
    FindingsOf found(timeline);
    auto pageable = found.of("async-copies-of-pageable-memory"), idle = found.of("gpu-idle-copy");
    EXPECT_EQ(pageable.size(), 2u);
    EXPECT_EQ(idle.size(), 2u);
    unsigned apart = 0;
    for (uint32_t i = 0; i < found.all.found.count; i++)
        apart += found.all.found.at[i].rule == &gap_rules[GAP_COPY] && !found.all.found.at[i].also;
    EXPECT_EQ(apart, 0u) << "idle time of a device that is not with its copies";
}

// The device's utilization has no owner: it saves more, and comes after.
TEST(Findings, PutThoseWithAnOwnerFirst)
{
    Starving s;
    s.m.range("load batch", 10 * ms, 50 * ms);
    FindingsOf found(s.done());
    ASSERT_EQ(found.of("low-gpu-utilization").size(), 1u);
    auto load = found.of("gpu-idle-cpu-bound");
    ASSERT_FALSE(load.empty());
    EXPECT_LT(load[0].detail.saved_ns, found.of("low-gpu-utilization")[0].detail.saved_ns);
    EXPECT_TRUE(finding_has_owner(&found.all.found.at[0]));
    EXPECT_FALSE(finding_has_owner(&found.all.found.at[found.all.found.count - 1]));
}

TEST(Remedies, NamePyTorchOnlyWhereItIsUsed)
{
    for (bool torch : {false, true}) {
        Starving s;
        s.m.range(torch ? "aten::copy_" : "copy", 5 * ms, 6 * ms);
        s.m.launch("cudaMemcpy", 10 * ms, 90 * ms, 0);
        FindingsOf found(s.done());
        auto copies = found.of("gpu-idle-copy");
        ASSERT_EQ(copies.size(), 1u);
        std::string remedy = finding_remedy(&found.all.context, &copies[0].detail);
        EXPECT_EQ(remedy.find("pin_memory") != std::string::npos, torch) << remedy;
    }
}

TEST(Findings, SayWhatTheLimitsLeftOut)
{
    Starving s;
    for (int i = 0; i < 13; i++)
        s.m.launch("cudaDeviceSynchronize", 10 * ms + i * ms, 10 * ms + i * ms + 100000, 0);
    s.m.launch("cudaMemcpy", 30 * ms, 30 * ms + 100000, 0);
    FindingsOf found(s.done());
    EXPECT_EQ(found.below("synchronizations-in-loops"),
              "13 calls, 1.30 ms (1.3 %): fewer than 20 from one place");
    EXPECT_EQ(found.below("sync-copies"), "1 call, 100 us (0.1 %): less than 1 % of the wall time");
    EXPECT_EQ(found.below("allocations-in-loops"), "");
    EXPECT_EQ(found.below("gpu-idle-cpu-bound"), "") << "it has findings";
}

TEST(RuleCopy, TakesPageableMemoryForAWait)
{
    for (int kind : {1, 2}) {
        Starving s;
        auto call = s.m.launch("cudaMemcpyAsync", 10 * ms, 50 * ms);
        s.m.copy(call, 50 * ms, 50 * ms + 10, 4096);
        auto *timeline = const_cast<struct timeline *>(s.done());
        timeline->memcpys.at[0].src_kind = static_cast<uint8_t>(kind);
        FindingsOf found(timeline);
        EXPECT_EQ(found.of("gpu-idle-copy").size(), kind == 1 ? 1u : 0u);
        EXPECT_EQ(found.of("gpu-idle-launch-bound").size(), kind == 1 ? 0u : 1u);
    }
}

TEST(RuleAllocation, NamesTheCall)
{
    Starving s;
    s.m.launch("cudaMalloc", 10 * ms, 90 * ms, 0);
    FindingsOf found(s.done());
    expect_one(found, "gpu-idle-allocation", "step > cudaMalloc", 80 * ms);
}

TEST(RuleOtherCalls, NamesTheCall)
{
    Starving s;
    s.m.launch("cuModuleLoadData", 10 * ms, 90 * ms, 0, PROF_API_DRIVER);
    FindingsOf found(s.done());
    expect_one(found, "gpu-idle-other-calls", "step > cuModuleLoadData", 80 * ms);
}

TEST(RuleLaunchBound, NamesTheRange)
{
    TimelineMaker m;
    m.push("many", 0);
    for (int i = 0; i < 100; i++) {
        auto call = m.launch("cudaLaunchKernel", i * ms, i * ms + 900000);
        m.kernel("tiny", call, i * ms + 900000, i * ms + 905000);
    }
    m.pop(100 * ms);
    FindingsOf found(m.done());
    auto of = found.of("gpu-idle-launch-bound");
    ASSERT_EQ(of.size(), 1u);
    EXPECT_EQ(of[0].path, "many");
    EXPECT_TRUE(found.of("gpu-idle-cpu-bound").empty());
}

// Launched at 0; the second kernel starts 80 ms after the first one ended.
const timeline *queued(TimelineMaker &m, bool calls_host)
{
    auto first = m.launch("cudaLaunchKernel", 0, 1000);
    if (calls_host)
        m.launch("cudaLaunchHostFunc", 1000, 1500, 0);
    auto second = m.launch("cudaLaunchKernel", 2000, 3000);
    m.kernel("a", first, 1000, 10 * ms);
    m.kernel("b", second, 90 * ms, 100 * ms);
    return m.done();
}

TEST(RuleQueued, NamesTheLaunch)
{
    TimelineMaker m;
    FindingsOf found(queued(m, false));
    expect_one(found, "gpu-idle-queued", "cudaLaunchKernel", 80 * ms);
    EXPECT_TRUE(found.of("gpu-idle-host-function").empty());
}

TEST(RuleHostFunction, NamesTheCallThatAskedForIt)
{
    TimelineMaker m;
    FindingsOf found(queued(m, true));
    expect_one(found, "gpu-idle-host-function", "cudaLaunchHostFunc", 80 * ms);
    EXPECT_TRUE(found.of("gpu-idle-queued").empty());
}

TEST(RulesOfStartAndEnd, NameWhatRanThen)
{
    TimelineMaker m;
    m.range("load model", 0, 40 * ms);
    auto call = m.launch("cudaLaunchKernel", 40 * ms, 40 * ms + 1000);
    m.kernel("k", call, 40 * ms + 1000, 50 * ms);
    m.range("save", 50 * ms, 100 * ms);
    FindingsOf found(m.done());
    expect_one(found, "gpu-idle-start", "load model", 40 * ms);
    expect_one(found, "gpu-idle-end", "save", 50 * ms);
}

TEST(RulesOfGaps, HaveAnExampleStackOfTheLaunch)
{
    Starving s;
    s.m.range("load batch", 10 * ms, 90 * ms);
    auto *timeline = const_cast<struct timeline *>(s.done());
    tl_stack stack{};
    tl_stack_of owner{static_cast<uint32_t>(s.m.slices.size() - 1), 0};
    timeline->stacks.at = &stack, timeline->stacks.count = 1;
    timeline->slice_stacks.at = &owner, timeline->slice_stacks.count = 1;
    FindingsOf found(timeline);
    ASSERT_EQ(found.of("gpu-idle-cpu-bound").size(), 1u);
    EXPECT_EQ(found.of("gpu-idle-cpu-bound")[0].detail.stack, 0u);
}

TEST(RulesOfGaps, AreSilentWhereTheGpuIsBusy)
{
    TimelineMaker m;
    for (int i = 0; i < 100; i++) {
        auto call = m.launch("cudaLaunchKernel", i * 10000, i * 10000 + 5000);
        m.kernel("k", call, 10000 + i * ms, 10000 + (i + 1) * ms);
    }
    FindingsOf found(m.done());
    for (uint32_t i = 0; i < found.all.found.count; i++)
        EXPECT_NE(std::string(found.all.found.at[i].rule->name).substr(0, 8), "gpu-idle")
            << found.all.found.at[i].sentence;
}

TEST(RuleCpuOnly, SaysWhereTheCpuWas)
{
    TimelineMaker m;
    m.push("step", 0);
    m.range("read", 0, 70 * ms);
    m.range("parse", 70 * ms, 90 * ms);
    m.pop(100 * ms);
    FindingsOf found(m.done());
    auto of = found.of("cpu-only");
    ASSERT_EQ(of.size(), 3u);
    EXPECT_EQ(of[0].path, "step > read");
    EXPECT_EQ(of[0].detail.cost_ns, 70 * ms);
    EXPECT_EQ(of[0].detail.saved_ns, 0);
    EXPECT_EQ(of[1].path, "step > parse");
    EXPECT_EQ(of[2].path, "step");
    EXPECT_EQ(of[2].detail.cost_ns, 10 * ms);
}

TEST(RuleCpuOnly, IsSilentWhereSomethingRan)
{
    Starving s;
    FindingsOf found(s.done());
    EXPECT_TRUE(found.of("cpu-only").empty());
}

} // namespace
