// What each step has of findings: with what no step has it adds up to the whole.
#include "../support/random_trace.h"
#include "findings_of.h"

extern "C" {
#include "finding_gaps.h"
}

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>

namespace
{

struct Sums {
    std::map<uint32_t, finding_amounts> by_step;
    finding_amounts all = {};
};

Sums sums_of(const finding_steps *steps, const finding_parts &parts)
{
    Sums sums;
    for (auto *part = finding_parts_next(steps, &parts, nullptr); part;
         part = finding_parts_next(steps, &parts, part))
        for (finding_amounts *to : {&sums.by_step[part->step], &sums.all}) {
            to->count += part->amounts.count;
            to->cost_ns += part->amounts.cost_ns;
            to->saved_ns += part->amounts.saved_ns;
            to->most_ns += part->amounts.most_ns;
        }
    return sums;
}

int64_t least_idle(const struct findings &found, uint32_t process)
{
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < found.context.gaps->devices.count; i++) {
        const gap_device &device = found.context.gaps->devices.at[i];
        int64_t idle = 0;
        for (const finding_parts &parts : device.idle_parts)
            idle += sums_of(found.context.steps, parts).all.cost_ns;
        if (device.process == process)
            least = std::min(least, idle);
    }
    return least;
}

int64_t saving_of(const struct findings &found, const finding &one, const finding_amounts &sum)
{
    int64_t saved = one.saving == FINDING_SAVES_SUM ? sum.saved_ns
                    : one.saving == FINDING_SAVES_IDLE
                        ? std::min(sum.cost_ns, least_idle(found, one.process))
                        : std::min(sum.cost_ns, sum.most_ns);
    return std::min(std::max<int64_t>(saved, 0), found.context.wall_ns);
}

// Adds the names of the rules that were seen with parts.
void expect_whole(const timeline *of, std::set<std::string> &seen, bool every)
{
    steps all;
    struct findings found;
    finding_settings settings;
    finding_settings_default(&settings);
    settings.shared.long_gap_ns = 20000;
    for (auto &limits : settings.limits)
        limits.least_share = 0.0001, limits.queue_limit = 3, limits.loop_calls = 1;
    ASSERT_TRUE(steps_init(&all, of));
    auto apart = std::make_unique<bool[]>(all.at.count + 1);
    for (uint32_t i = 0; i < all.at.count; i++)
        apart[i] = every || i % 2;
    ASSERT_TRUE(findings_init_by_step(&found, of, &settings, &all, apart.get()));
    std::vector<finding_idle> idle(found.found.count);
    ASSERT_TRUE(findings_idle(&found, idle.data()));
    for (uint32_t i = 0; i < found.found.count; i++) {
        const finding &one = found.found.at[i];
        if (!one.parts.first)
            continue;
        Sums sums = sums_of(found.context.steps, one.parts);
        SCOPED_TRACE(std::string(one.rule->name) + ": " + one.sentence);
        EXPECT_EQ(sums.all.count, static_cast<int64_t>(one.count));
        EXPECT_EQ(sums.all.cost_ns, one.cost_ns);
        if (one.saved_ns) {
            EXPECT_EQ(saving_of(found, one, sums.all), one.saved_ns);
        }
        for (auto &[step, sum] : sums.by_step)
            EXPECT_TRUE(step == TL_NONE || apart[step]) << step;
        for (unsigned cause = 0; cause < GAP_CAUSES; cause++)
            EXPECT_EQ(sums_of(found.context.steps, idle[i].parts[cause]).all.cost_ns,
                      idle[i].ns[cause]);
        if (sums.by_step.size() > 2)
            seen.insert(one.rule->name);
    }
    for (uint32_t i = 0; i < found.context.gaps->devices.count; i++)
        for (unsigned cause = 0; cause < GAP_CAUSES; cause++) {
            const gap_device &device = found.context.gaps->devices.at[i];
            EXPECT_EQ(sums_of(found.context.steps, device.idle_parts[cause]).all.cost_ns,
                      device.idle_ns[cause]);
        }
    findings_fini(&found);
    steps_fini(&all);
}

TEST(FindingSteps, AddUpToTheWholeInRandomTraces)
{
    std::set<std::string> seen;
    for (unsigned seed = 1; seed <= 20; seed++) {
        RandomTrace trace(seed, 6);
        expect_whole(trace.load(), seen, seed % 2);
    }
    EXPECT_GE(seen.size(), 2u);
}

// A process with steps, whose threads launch all sorts of work to two devices.
void add_process(TimelineMaker &m, std::mt19937 &random)
{
    const uint32_t streams[] = {m.stream(7), m.stream(8), m.stream(9, 1)};
    auto below = [&](unsigned most) { return static_cast<int64_t>(random() % most); };
    const char *const kernels[] = {"sgemm", "ncclDevKernel_AllReduce", "elementwise_kernel", "k"};
    const char *const calls[] = {"cudaLaunchKernel",      "cudaMemcpy", "cudaMalloc",
                                 "cudaDeviceSynchronize", "cudaFree",   "cudaEventQuery"};
    int64_t now = 0, device_ns = 0;
    for (unsigned step = 0; step < 6; step++) {
        m.push("ProfilerStep#" + std::to_string(step), now, TL_STEP);
        for (unsigned call = 0; call < 30; call++) {
            now += below(4000);
            unsigned which = below(3) ? 0 : static_cast<unsigned>(below(6));
            int64_t end = now + 100 + (below(20) ? below(3000) : 5000000);
            uint32_t slice = m.launch(calls[which], now, end);
            now = end;
            if (which > 1)
                continue;
            int64_t start = std::max(now + 1, below(2) ? device_ns : 0) + below(3000);
            uint32_t on = streams[below(3)];
            if (which == 1)
                m.copy(slice, start, start + 500 + below(9000), 1000, on);
            else
                m.kernel(kernels[below(4)], slice, start, start + 500 + below(20000), on);
            device_ns = start + 10000;
        }
        m.pop(now);
        now += below(3000);
    }
}

TEST(FindingSteps, AddUpToTheWholeOfEveryRule)
{
    std::set<std::string> seen;
    for (unsigned seed = 1; seed <= 30; seed++) {
        std::mt19937 random(seed);
        TimelineMaker m;
        for (unsigned process = 0; process < 2; process++) {
            if (process) {
                m.process(200, "train");
                m.thread(201);
            }
            add_process(m, random);
        }
        expect_whole(m.done(), seen, seed % 2);
    }
    for (const char *rule :
         {"gpu-idle-launch-bound", "gpu-idle-cpu-bound", "tiny-kernels", "sync-copies",
          "poor-copy-overlap", "launch-queue-empty", "long-gpu-gaps", "exposed-communication",
          "call-outliers", "low-gpu-utilization"})
        EXPECT_TRUE(seen.count(rule)) << rule;
}

TEST(FindingSteps, DivideIdleTimeWhereAStepEnds)
{
    TimelineMaker m;
    for (int step = 0; step < 2; step++) {
        m.push("ProfilerStep#" + std::to_string(step), step * 100000, TL_STEP);
        auto call = m.launch("cudaLaunchKernel", step * 100000 + 70000, step * 100000 + 71000);
        m.pop(step * 100000 + 90000);
        m.kernel("k", call, step * 100000 + 71000, step * 100000 + 80000);
    }
    steps all;
    struct findings found;
    const bool apart[] = {true, true};
    ASSERT_TRUE(steps_init(&all, m.done()));
    ASSERT_TRUE(findings_init_by_step(&found, m.done(), nullptr, &all, apart));
    const gap_device &device = found.context.gaps->devices.at[0]; // idle from 80,000 to 171,000
    Sums cpu = sums_of(found.context.steps, device.idle_parts[GAP_CPU]);
    EXPECT_EQ(cpu.by_step[0].cost_ns, 10000);
    EXPECT_EQ(cpu.by_step[TL_NONE].cost_ns, 10000);
    EXPECT_EQ(cpu.by_step[1].cost_ns, 70000);
    findings_fini(&found);
    steps_fini(&all);
}

} // namespace
