// Rows told apart by more than names; projections; calls in segments; totals.
#include "../support/random_trace.h"
#include "timeline_maker.h"

extern "C" {
#include "key_averages.h"
#include "key_columns.h"
}

#include <set>

#include <gtest/gtest.h>

namespace
{

class Groups
{
public:
    Groups(const timeline *made, uint32_t group_by, bool spread = false, bool top_level = false,
           const uint32_t *stack_groups = nullptr, const bool *steps_apart = nullptr)
    {
        key_options options;
        key_options_default(&options);
        options.group_by = group_by;
        options.spread = spread;
        options.top_level = top_level;
        options.stack_groups = stack_groups;
        options.steps_apart = steps_apart;
        ok = key_averages_init_by(&all, made, &options);
    }
    ~Groups() { key_averages_fini(&all); }
    Groups(const Groups &) = delete;
    Groups &operator=(const Groups &) = delete;

    std::vector<const key_average *> find(const std::string &name, key_kind kind) const
    {
        std::vector<const key_average *> found;
        for (uint32_t i = 0; i < all.count; i++)
            if (text_of(all.rows[i].name) == name && all.rows[i].kind == kind)
                found.push_back(&all.rows[i]);
        return found;
    }

    const key_average *one(const std::string &name, key_kind kind = KEY_RANGE) const
    {
        auto found = find(name, kind);
        EXPECT_EQ(found.size(), 1u) << name;
        return found.empty() ? nullptr : found[0];
    }

    std::string path(const key_average *row) const
    {
        std::string joined;
        for (uint32_t at = row->group.path; at != TL_NONE; at = all.paths[at].parent)
            joined = text_of(all.paths[at].name) + (joined.empty() ? "" : "/") + joined;
        return joined;
    }

    static std::string text_of(text bytes) { return std::string(bytes.bytes, bytes.size); }

    key_averages all{};
    bool ok = false;
};

TEST(KeyGroups, TellShapesApart)
{
    TimelineMaker m;
    m.attr(m.range("mm", 0, 10), "sizes", std::string("[[2, 3]]"));
    m.attr(m.range("mm", 20, 50), "Input Dims", std::string("[[4, 5]]"));
    m.attr(m.range("mm", 60, 65), "sizes", std::string("[[2, 3]]"));
    m.attr(m.range("mm", 70, 71), "sizes", int64_t(7));
    m.attr(m.range("mm", 80, 82), "seq", std::string("[[2, 3]]"));
    Groups g(m.done(), KEY_BY_KEY | KEY_BY_SHAPE);
    std::map<std::string, int64_t> totals;
    for (auto *row : g.find("mm", KEY_RANGE))
        totals[row->group.shape == TL_NONE ? ""
                                           : Groups::text_of(m.made.names.at[row->group.shape])] =
            row->cpu_total_ns;
    EXPECT_EQ(totals,
              (std::map<std::string, int64_t>{{"[[2, 3]]", 15}, {"[[4, 5]]", 30}, {"", 3}}));
}

TEST(KeyGroups, TellThreadsProcessesAndRanksApart)
{
    TimelineMaker m;
    m.processes[0].info.rank = 0;
    m.range("f", 0, 10);
    m.thread(102);
    m.range("f", 0, 20);
    m.process(200, "train");
    m.processes[1].info.rank = 1;
    m.thread(201);
    m.range("f", 0, 40);
    const timeline *made = m.done();
    Groups threads(made, KEY_BY_KEY | KEY_BY_THREAD), ranks(made, KEY_BY_KEY | KEY_BY_RANK),
        processes(made, KEY_BY_PROCESS);
    EXPECT_EQ(threads.find("f", KEY_RANGE).size(), 3u);
    ASSERT_EQ(ranks.find("f", KEY_RANGE).size(), 2u);
    EXPECT_EQ(ranks.find("f", KEY_RANGE)[0]->cpu_total_ns, 30);
    EXPECT_EQ(ranks.find("f", KEY_RANGE)[1]->group.rank, 1u);
    EXPECT_EQ(ranks.find("f", KEY_RANGE)[0]->group.thread, TL_NONE) << "not asked for";
    ASSERT_EQ(processes.find("(ranges)", KEY_RANGE).size(), 2u);
    EXPECT_EQ(processes.find("(ranges)", KEY_RANGE)[1]->cpu_total_ns, 40);
}

TEST(KeyGroups, TellDevicesAndStreamsApart)
{
    TimelineMaker m;
    m.device(0, "a");
    m.device(1, "b");
    auto first = m.stream(7, 0), second = m.stream(8, 0), other = m.stream(7, 1);
    m.push("r", 0);
    auto call = m.launch("cudaLaunchKernel", 1, 2);
    m.pop(10);
    m.kernel("k", call, 10, 11, first);
    m.kernel("k", call, 10, 12, second);
    m.kernel("k", TL_NONE, 10, 14, other);
    const timeline *made = m.done();
    Groups devices(made, KEY_BY_KEY | KEY_BY_DEVICE), streams(made, KEY_BY_KEY | KEY_BY_STREAM),
        threads(made, KEY_BY_KEY | KEY_BY_THREAD);
    ASSERT_EQ(devices.find("k", KEY_KERNEL).size(), 2u);
    EXPECT_EQ(devices.find("k", KEY_KERNEL)[0]->cuda_total_ns, 3);
    EXPECT_EQ(devices.find("k", KEY_KERNEL)[1]->group.device, 1u);
    EXPECT_EQ(streams.find("k", KEY_KERNEL).size(), 3u);
    ASSERT_EQ(threads.find("k", KEY_KERNEL).size(), 2u) << "by the thread that launched, or none";
    EXPECT_EQ(threads.find("k", KEY_KERNEL)[0]->group.thread, 0u);
    EXPECT_EQ(threads.find("k", KEY_KERNEL)[1]->group.thread, TL_NONE);
    EXPECT_EQ(devices.one("r")->group.device, TL_NONE);
}

TEST(KeyGroups, TellPathsApartDownToTheKernel)
{
    TimelineMaker m;
    m.push("a", 0);
    m.push("x", 1);
    auto first = m.launch("cudaLaunchKernel", 2, 3);
    m.pop(10);
    m.pop(20);
    m.push("b", 30);
    m.push("x", 31);
    auto second = m.launch("cudaLaunchKernel", 32, 33);
    m.pop(50);
    m.pop(60);
    m.kernel("k", first, 5, 9);
    m.kernel("k", second, 35, 41);
    Groups g(m.done(), KEY_BY_KEY | KEY_BY_PATH);
    std::map<std::string, int64_t> cuda;
    std::set<std::string> calls;
    for (uint32_t i = 0; i < g.all.count; i++)
        if (g.all.rows[i].kind == KEY_API)
            calls.insert(g.path(&g.all.rows[i]));
        else
            cuda[g.path(&g.all.rows[i])] = g.all.rows[i].cuda_total_ns;
    EXPECT_EQ(cuda, (std::map<std::string, int64_t>{
                        {"a", 4}, {"a/x", 4}, {"a/x/k", 4}, {"b", 6}, {"b/x", 6}, {"b/x/k", 6}}));
    EXPECT_EQ(calls, (std::set<std::string>{"a/x/cudaLaunchKernel", "b/x/cudaLaunchKernel"}));
}

TEST(KeyGroups, TellStacksApartAsTheCallerGroupsThem)
{
    TimelineMaker m;
    auto a = m.range("r", 0, 10), b = m.range("r", 10, 30), c = m.range("r", 30, 60);
    m.range("r", 60, 61);
    timeline *made = m.done();
    std::vector<tl_stack> stacks(3);
    std::vector<tl_stack_of> of = {{a, 0}, {b, 1}, {c, 2}};
    made->stacks.at = stacks.data(), made->stacks.count = 3;
    made->slice_stacks.at = of.data(), made->slice_stacks.count = 3;
    const uint32_t same[] = {5, 9, 5};
    Groups each(made, KEY_BY_KEY | KEY_BY_STACK),
        grouped(made, KEY_BY_KEY | KEY_BY_STACK, false, false, same);
    EXPECT_EQ(each.find("r", KEY_RANGE).size(), 4u);
    auto rows = grouped.find("r", KEY_RANGE);
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[0]->cpu_total_ns, 40);
    EXPECT_EQ(rows[0]->group.stack, 5u);
    EXPECT_EQ(rows[2]->group.stack, TL_NONE);
}

TEST(KeyGroups, AddUpTheSameHoweverRowsAreToldApart)
{
    for (unsigned seed = 1; seed <= 20; seed++) {
        TimelineMaker m;
        unsigned random = seed;
        auto next = [&random](unsigned below) {
            return (random = random * 1103515245u + 12345u) / 65536u % below;
        };
        for (unsigned thread = 0; thread < 3; thread++) {
            int64_t now = 0;
            unsigned depth = 0;
            for (int i = 0; i < 150; i++) {
                now += 5 + next(20);
                if (next(3) == 0 && depth > 0)
                    m.pop(now), depth--;
                else if (next(2) == 0)
                    m.push("r" + std::to_string(next(4)), now), depth++;
                else
                    m.kernel("k", m.launch("cudaLaunchKernel", now, now + 3), now + 10, now + 17);
            }
            while (depth-- > 0)
                m.pop(now);
            m.thread(200 + thread);
        }
        const timeline *made = m.done();
        Groups names(made, KEY_BY_KEY);
        key_average expected = key_averages_total(&names.all);
        for (uint32_t by = 0; by < 512; by += 1 + next(40)) {
            Groups g(made, by, true);
            ASSERT_TRUE(g.ok);
            key_average total = key_averages_total(&g.all);
            EXPECT_EQ(total.count, expected.count) << "seed " << seed << " by " << by;
            EXPECT_EQ(total.self_cpu_total_ns, expected.self_cpu_total_ns);
            EXPECT_EQ(total.self_cuda_total_ns, expected.self_cuda_total_ns);
            EXPECT_EQ(total.spread.count, expected.count);
            EXPECT_EQ(g.all.self_cpu_total_ns, names.all.self_cpu_total_ns);
        }
    }
}

TEST(KeyGroups, TopLevelCountsOnlyWhatNothingIsAround)
{
    TimelineMaker m;
    m.push("f", 0);
    m.range("f", 10, 20);
    m.range("g", 30, 40);
    m.pop(100);
    m.launch("cudaMalloc", 110, 120);
    Groups g(m.done(), KEY_BY_KEY, true, true);
    EXPECT_EQ(g.one("f")->count, 1u);
    EXPECT_EQ(g.one("f")->cpu_total_ns, 100);
    EXPECT_EQ(g.one("f")->spread.count, 1u);
    EXPECT_EQ(g.one("cudaMalloc", KEY_API)->count, 1u);
    EXPECT_TRUE(g.find("g", KEY_RANGE).empty());
    EXPECT_EQ(g.all.self_cpu_total_ns, 110) << "the sum stays that of everything";
}

TEST(KeyGroups, ProjectRangesFromTheirFirstOperationToTheirLast)
{
    TimelineMaker m;
    auto first = m.stream(7), second = m.stream(8);
    m.push("step", 0);
    auto a = m.launch("cudaLaunchKernel", 1, 2);
    m.push("inner", 3);
    auto b = m.launch("cudaLaunchKernel", 4, 5);
    m.pop(6);
    m.range("quiet", 7, 8);
    m.pop(10);
    m.push("step", 20);
    auto c = m.launch("cudaLaunchKernel", 21, 22);
    m.pop(30);
    m.kernel("k", a, 100, 110, first);
    m.kernel("k", b, 90, 150, second);
    m.kernel("k", c, 200, 201, first);
    Groups g(m.done(), KEY_BY_KEY);
    EXPECT_EQ(g.one("step")->projected_ns, 60 + 1);
    EXPECT_EQ(g.one("step")->projected_count, 2u);
    EXPECT_EQ(g.one("inner")->projected_ns, 60);
    EXPECT_EQ(g.one("quiet")->projected_count, 0u);
    EXPECT_EQ(g.one("cudaLaunchKernel", KEY_API)->projected_count, 0u);
}

// "name duration duration, name ..." by row: of calls, or of what they launched.
std::string samples_of(const timeline *made, bool device)
{
    key_options options;
    key_averages all;
    key_options_default(&options);
    options.samples = true;
    EXPECT_TRUE(key_averages_init_by(&all, made, &options));
    const key_samples &samples = device ? all.device_samples : all.samples;
    std::string text;
    for (uint32_t row = 0; row < all.count; row++) {
        std::string of;
        for (size_t i = 0; i < samples.count; i++)
            if (samples.row[i] == row)
                of += " " + std::to_string(samples.ns[i]);
        if (!of.empty())
            text += (text.empty() ? "" : ", ") + Groups::text_of(all.rows[row].name) + of;
    }
    key_averages_fini(&all);
    return text;
}

// "A" ends below "B", which goes on as a second segment: one call, one duration, one projection.
TEST(KeyGroups, TakeACallInPiecesAsOne)
{
    TimelineMaker m;
    m.push("A", 0);
    auto first = m.push("B", 10);
    auto early = m.launch("cudaLaunchKernel", 11, 12);
    m.pop(40);
    m.pop(40);
    auto second = m.push("B", 40, TL_RANGE, TL_CONTINUED);
    auto late = m.launch("cudaLaunchKernel", 41, 42);
    m.pop(100);
    m.kernel("k", early, 50, 60);
    m.kernel("k", late, 200, 230);
    timeline *made = m.done();
    std::vector<tl_segment> segments = {{second, first, first}};
    made->segments.at = segments.data(), made->segments.count = 1;
    for (uint32_t by : {KEY_BY_KEY, KEY_BY_KEY | KEY_BY_PROCESS}) {
        Groups g(made, by, true);
        const key_average *b = g.one("B");
        EXPECT_EQ(b->count, 1u);
        EXPECT_EQ(b->cpu_total_ns, 90);
        EXPECT_EQ(b->spread.count, 1u);
        EXPECT_EQ(b->spread.max_ns, 90);
        EXPECT_EQ(b->projected_count, 1u);
        EXPECT_EQ(b->projected_ns, 180);
        EXPECT_EQ(g.one("A")->projected_ns, 10);
    }
    EXPECT_EQ(samples_of(made, false), "A 40, B 90, cudaLaunchKernel 1 1, k 10 30");
    EXPECT_EQ(samples_of(made, true), "A 10, B 40");
}

// Nested calls of a row are calls, but what the outer one launched is counted once.
TEST(KeyGroups, HandOutEveryDuration)
{
    TimelineMaker m;
    m.push("f", 0);
    m.push("f", 1);
    auto call = m.launch("cudaLaunchKernel", 2, 4);
    m.pop(10);
    m.pop(30);
    m.range("f", 40, 45);
    m.kernel("k", call, 50, 57);
    EXPECT_EQ(samples_of(m.done(), false), "f 9 30 5, cudaLaunchKernel 2, k 7");
    EXPECT_EQ(samples_of(m.done(), true), "f 7");
    Groups without(m.done(), KEY_BY_KEY, true);
    EXPECT_EQ(without.all.samples.count, 0u);
}

// Device work belongs to the step that launched it, other threads' events to the step in which they begin.
TEST(KeyGroups, TellStepsApart)
{
    TimelineMaker m;
    m.range("before", 0, 90);
    m.push("ProfilerStep#0", 100, TL_STEP);
    auto launch = m.launch("cudaLaunchKernel", 190, 195);
    m.pop(200);
    m.push("ProfilerStep#1", 200, TL_STEP);
    m.range("f", 210, 230);
    m.pop(300);
    m.thread(102);
    m.range("f", 150, 250); // ends in the next step
    m.range("f", 300, 310); // the end of a step is outside of it
    m.kernel("k", launch, 250, 260);
    Groups g(m.done(), KEY_BY_KEY | KEY_BY_STEP);
    EXPECT_EQ(g.one("before")->group.step, TL_NONE);
    EXPECT_EQ(g.one("k", KEY_KERNEL)->group.step, 0u);
    std::map<uint32_t, int64_t> totals;
    for (auto *row : g.find("f", KEY_RANGE))
        totals[row->group.step] = row->cpu_total_ns;
    EXPECT_EQ(totals, (std::map<uint32_t, int64_t>{{0, 100}, {1, 20}, {TL_NONE, 10}}));
    EXPECT_EQ(g.find("ProfilerStep*", KEY_RANGE).size(), 2u);
}

TEST(KeyGroups, StepsThatAreNotToldApartAreOneRow)
{
    TimelineMaker m;
    for (int i = 0; i < 100; i++) {
        m.push("ProfilerStep#" + std::to_string(i), i * 10, TL_STEP);
        m.range("f", i * 10 + 1, i * 10 + 4);
        m.pop(i * 10 + 10);
    }
    bool apart[100] = {};
    apart[7] = true;
    Groups g(m.done(), KEY_BY_KEY | KEY_BY_STEP, false, false, nullptr, apart);
    std::map<uint32_t, int64_t> totals;
    for (auto *row : g.find("f", KEY_RANGE))
        totals[row->group.step] = row->cpu_total_ns;
    EXPECT_EQ(totals, (std::map<uint32_t, int64_t>{{7, 3}, {TL_NONE, 297}}));
    EXPECT_EQ(g.all.count, 4u) << "of f and of steps, one apart and one for all others";
}

// A range that ends within a step cuts it: what is in the later segment is of the step, too.
TEST(KeyGroups, AStepLastsUntilTheEndOfItsLastSegment)
{
    TimelineMaker m;
    m.push("outer", 90);
    auto first = m.push("ProfilerStep#0", 100, TL_STEP);
    m.range("f", 112, 115);
    m.pop(150);
    m.pop(150);
    auto second = m.push("ProfilerStep#0", 150, TL_STEP, TL_CONTINUED);
    m.range("f", 160, 190);
    m.pop(200);
    m.range("f", 200, 207);
    timeline *made = m.done();
    std::vector<tl_segment> segments = {{second, first, first}};
    made->segments.at = segments.data(), made->segments.count = 1;
    Groups g(made, KEY_BY_KEY | KEY_BY_STEP);
    std::map<uint32_t, int64_t> totals;
    for (auto *row : g.find("f", KEY_RANGE))
        totals[row->group.step] = row->cpu_total_ns;
    EXPECT_EQ(totals, (std::map<uint32_t, int64_t>{{0, 33}, {TL_NONE, 7}}));
}

TEST(KeyGroups, StepsOfAProcessAreItsOwn)
{
    TimelineMaker m;
    m.push("ProfilerStep#0", 100, TL_STEP);
    m.pop(200);
    m.process(100, "other host"); // with the same process id
    m.thread(101);
    m.range("f", 150, 160);
    Groups g(m.done(), KEY_BY_KEY | KEY_BY_STEP);
    EXPECT_EQ(g.one("f")->group.step, TL_NONE);
}

TEST(KeyGroups, StepsAndWhatIsOutsideAddUpToTheWhole)
{
    for (unsigned seed = 1; seed <= 20; seed++) {
        RandomTrace trace(seed, 3);
        const timeline *of = trace.load();
        using Sums = std::map<std::pair<std::string, int>, std::vector<int64_t>>;
        auto sums_of = [&](uint32_t by) {
            Groups g(of, by);
            Sums sums;
            for (uint32_t i = 0; i < g.all.count; i++) {
                const key_average &row = g.all.rows[i];
                auto &sum = sums[{Groups::text_of(row.name), row.kind}];
                sum.resize(4);
                sum[0] += static_cast<int64_t>(row.count);
                sum[1] += row.self_cpu_total_ns;
                sum[2] += row.self_cuda_total_ns;
                sum[3] += static_cast<int64_t>(row.bytes);
            }
            return sums;
        };
        EXPECT_EQ(sums_of(KEY_BY_KEY | KEY_BY_STEP), sums_of(KEY_BY_KEY)) << seed;
    }
}

TEST(KeyGroups, CallColdTheFirstOfEachProcessAcrossItsThreads)
{
    TimelineMaker m;
    m.range("f", 100, 110);
    m.thread(102);
    m.range("f", 50, 90); // the process's first
    m.range("f", 200, 210);
    m.process(200, "train");
    m.thread(201);
    m.range("f", 0, 60);
    Groups g(m.done(), KEY_BY_KEY, true);
    EXPECT_EQ(g.one("f")->spread.cold_count, 2u);
    EXPECT_EQ(g.one("f")->spread.cold_ns, 100);
    EXPECT_EQ(key_spread_warm(&g.one("f")->spread), 10);
}

TEST(KeyGroups, KeepDeepRecursionWithinBounds)
{
    TimelineMaker m;
    const unsigned depth = 2000;
    for (unsigned i = 0; i < depth; i++)
        m.push("f", i);
    for (unsigned i = 0; i < depth; i++)
        m.pop(depth + i);
    Groups g(m.done(), KEY_BY_KEY | KEY_BY_PATH);
    ASSERT_TRUE(g.ok);
    uint64_t count = 0;
    for (uint32_t i = 0; i < g.all.path_count; i++)
        EXPECT_LT(g.all.paths[i].depth, KEY_PATH_DEPTH_MAX);
    for (uint32_t i = 0; i < g.all.count; i++)
        count += g.all.rows[i].count;
    EXPECT_EQ(count, depth);
}

TEST(KeySort, KnowsTheNamesOfTorchProfiler)
{
    // Acceptance row T3: every name that table(sort_by=...) takes.
    for (const char *name :
         {"cpu_time", "cuda_time", "cpu_time_total", "cuda_time_total", "self_cpu_time_total",
          "self_cuda_time_total", "device_time_total", "self_device_time_total", "cpu_memory_usage",
          "cuda_memory_usage", "self_cpu_memory_usage", "self_cuda_memory_usage", "count"}) {
        key_column column;
        EXPECT_TRUE(key_column_find(name, &column)) << name;
    }
}

TEST(KeySort, SortsByEveryNumberDescending)
{
    TimelineMaker m;
    for (int i = 0; i < 40; i++) {
        m.push("r" + std::to_string(i % 7), i * 1000);
        auto call = m.launch("cudaLaunchKernel", i * 1000 + 1, i * 1000 + 5);
        m.pop(i * 1000 + 10 + i * 37 % 23);
        m.kernel("k" + std::to_string(i % 3), call, i * 1000 + 50, i * 1000 + 60 + i);
    }
    Groups g(m.done(), KEY_BY_KEY, true);
    for (int column = KEY_BY_SELF_CPU; column < KEY_COLUMNS; column++) {
        key_sort(&g.all, static_cast<key_column>(column));
        for (uint32_t i = 1; i < g.all.count; i++)
            EXPECT_GE(key_column_value(&g.all.rows[i - 1], static_cast<key_column>(column)),
                      key_column_value(&g.all.rows[i], static_cast<key_column>(column)));
    }
}

// Acceptance row T3, total_average(): one row called "Total".
TEST(KeyTotal, AddsAllRowsUp)
{
    TimelineMaker m;
    m.push("r", 0);
    auto call = m.launch("cudaMemcpy", 10, 20);
    m.pop(100);
    m.copy(call, 30, 50, 4096);
    m.range("s", 200, 230);
    Groups g(m.done(), KEY_BY_KEY);
    key_average total = key_averages_total(&g.all);
    EXPECT_EQ(Groups::text_of(total.name), "Total");
    EXPECT_EQ(total.count, 4u);
    EXPECT_EQ(total.self_cpu_total_ns, 130);
    EXPECT_EQ(total.self_cuda_total_ns, 20) << "what the range has of it is the same time";
    EXPECT_EQ(total.bytes, 4096u);
}

} // namespace
