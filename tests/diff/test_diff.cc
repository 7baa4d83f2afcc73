// Rows, verdicts, totals and facts of a diff, worked out by hand.
#include "diff_fixture.h"

TEST(DiffRow, HasBothSidesNumbers)
{
    MadeRun left, right;
    left.kernels("k", {100, 200, 300, 400, 500, 600});
    right.kernels("k", {200, 400, 600, 800, 1000, 1200, 1400});
    Diff diff(left, right);
    const diff_row &row = diff.kernel("k");
    EXPECT_EQ(row.count[0], 6);
    EXPECT_EQ(row.count[1], 7);
    EXPECT_EQ(row.time.total_ns[0], 2100);
    EXPECT_EQ(row.time.total_ns[1], 5600);
    EXPECT_EQ(row.time.mean_ns[0], 350);
    EXPECT_EQ(row.time.mean_ns[1], 800);
    EXPECT_EQ(row.time.median_ns[0], 350);
    EXPECT_EQ(row.time.median_ns[1], 800);
    EXPECT_DOUBLE_EQ(row.time.ratio.ratio, 800.0 / 350);
    EXPECT_EQ(row.delta_ns, 3500);
    EXPECT_DOUBLE_EQ(row.share, 1);
}

TEST(DiffRow, VerdictIsByTheInterval)
{
    MadeRun left, right;
    left.kernels("slower", around(10000, 50)), right.kernels("slower", around(10700, 50));
    left.kernels("faster", around(10000, 50)), right.kernels("faster", around(9000, 50));
    left.kernels("same", around(10000, 50)), right.kernels("same", around(10001, 50));
    left.kernels("few", {10000, 10000}), right.kernels("few", {20000, 20000});
    left.kernels("more", around(500, 20)), right.kernels("more", around(500, 40));
    left.kernels("gone", around(500, 20)), right.kernels("new", around(500, 20));
    Diff diff(left, right);
    EXPECT_EQ(diff.kernel("slower").time.verdict, DIFF_SLOWER);
    EXPECT_EQ(diff.kernel("faster").time.verdict, DIFF_FASTER);
    EXPECT_EQ(diff.kernel("same").time.verdict, DIFF_SAME);
    EXPECT_EQ(diff.kernel("few").time.verdict, DIFF_UNKNOWN);
    EXPECT_EQ(diff.kernel("more").time.verdict, DIFF_MORE_CALLS);
    EXPECT_EQ(diff.kernel("gone").time.verdict, DIFF_GONE);
    EXPECT_EQ(diff.kernel("new").time.verdict, DIFF_NEW);
    EXPECT_EQ(diff.made.tables[DIFF_BY_KERNEL].verdicts[DIFF_SLOWER], 1u);
    EXPECT_TRUE(std::isnan(diff.kernel("gone").time.total_ns[1]));
    EXPECT_EQ(diff.kernel("gone").count[1], 0);
}

TEST(DiffRow, WideNoiseIsUnclear)
{
    MadeRun left, right;
    left.kernels("wide", {2000, 4000, 6000, 10000, 12000, 14000});
    right.kernels("wide", {2000, 3000, 5000, 5080, 9000, 13000}); // -37 %
    left.kernels("narrow", around(10000, 50)), right.kernels("narrow", around(10001, 50));
    Diff diff(left, right);
    const diff_measure &wide = diff.kernel("wide").time;
    EXPECT_NEAR(wide.ratio.ratio, 0.63, 0.001);
    EXPECT_GT(wide.ratio.high, 1);
    EXPECT_EQ(wide.verdict, DIFF_UNCLEAR);
    EXPECT_STREQ(diff_verdict_name(wide.verdict), "unclear");
    EXPECT_EQ(diff.kernel("narrow").time.verdict, DIFF_SAME);
    EXPECT_EQ(diff.made.tables[DIFF_BY_KERNEL].verdicts[DIFF_UNCLEAR], 1u);
}

TEST(DiffRow, UnclearIsWhatIncludesAChangeThatMatters)
{
    auto verdict = [](double low, double high) {
        const bootstrap_interval interval{1, low, high, true};
        return diff_verdict_of(&interval);
    };
    EXPECT_EQ(verdict(0.96, 1.04), DIFF_SAME);
    EXPECT_EQ(verdict(0.99, DIFF_MATTERS), DIFF_UNCLEAR);
    EXPECT_EQ(verdict(1 / DIFF_MATTERS, 1.01), DIFF_UNCLEAR);
    EXPECT_EQ(verdict(0.99, INFINITY), DIFF_UNCLEAR);
    EXPECT_EQ(verdict(1.001, 1.2), DIFF_SLOWER);
    EXPECT_EQ(verdict(0.8, 0.999), DIFF_FASTER);
}

TEST(DiffRow, OneSlowFirstCallIsNoDifference)
{
    MadeRun left, right;
    auto warm = around(10000, 50), cold = warm;
    cold[0] = 5000000;
    left.kernels("k", warm), right.kernels("k", cold);
    EXPECT_EQ(Diff(left, right).kernel("k").time.verdict, DIFF_SAME);
}

TEST(DiffRow, SharesAreOfTheSizesOfAllChanges)
{
    MadeRun left, right;
    left.kernels("a", {100}), right.kernels("a", {400});
    left.kernels("b", {500}), right.kernels("b", {400});
    left.kernels("gone", {200}), right.kernels("new", {400});
    Diff diff(left, right); // +300 -100 -200 +400 = +400
    EXPECT_EQ(diff.made.tables[DIFF_BY_KERNEL].change_ns, 400);
    EXPECT_DOUBLE_EQ(diff.kernel("a").share, 0.3);
    EXPECT_EQ(diff.made.tables[DIFF_BY_KERNEL].moved_ns, 1000);
    EXPECT_DOUBLE_EQ(diff.kernel("b").share, 0.1);
    EXPECT_DOUBLE_EQ(diff.kernel("gone").share, 0.2);
    EXPECT_DOUBLE_EQ(diff.kernel("new").share, 0.4);
}

TEST(DiffRow, SharesDoNotGrowWhereChangesCancel)
{
    MadeRun left, right;
    left.kernels("a", {1000}), right.kernels("a", {1100});
    left.kernels("b", {1100}), right.kernels("b", {1000});
    EXPECT_DOUBLE_EQ(Diff(left, right).kernel("a").share, 0.5);
    EXPECT_DOUBLE_EQ(Diff(left, right).kernel("b").share, 0.5);
    MadeRun same, again;
    same.kernels("a", {1000}), again.kernels("a", {1000});
    EXPECT_TRUE(std::isnan(Diff(same, again).kernel("a").share));
}

TEST(DiffRow, RangesInEachOtherAreCountedOnce)
{
    MadeRun left, right;
    for (MadeRun *run : {&left, &right}) {
        run->push("outer", 0);
        run->range("inner", 0, run == &left ? 100 : 300);
        run->pop(run == &left ? 200 : 400);
    }
    Diff diff(left, right);
    const diff_table &paths = diff.made.tables[DIFF_BY_PATH];
    EXPECT_EQ(paths.change_ns, 200);
    EXPECT_DOUBLE_EQ(diff.row(DIFF_BY_PATH, "inner").share, 1);
    EXPECT_DOUBLE_EQ(diff.row(DIFF_BY_PATH, "outer").share, 1);
}

TEST(DiffRow, NoShareOfNestedRangesExceedsOne)
{
    MadeRun left, right;
    for (MadeRun *run : {&left, &right}) {
        int64_t longer = run == &left ? 0 : 1000;
        run->push("loop", 0);
        run->launch("cudaDeviceSynchronize", 0, 100 + longer); // what changes is in a call
        run->range("copy", 2000, 3000 - longer / 2);
        run->push("again", 4000);
        run->range("again", 4000, 5000 + longer);
        run->pop(6000 + longer);
        run->pop(8000 + longer);
    }
    for (diff_by by : {DIFF_BY_PATH, DIFF_BY_RANGE}) {
        Diff diff(left, right, Diff::by(by));
        const diff_table &table = diff.made.tables[by];
        ASSERT_GT(table.rows.count, 0u);
        for (uint32_t i = 0; i < table.rows.count; i++) {
            EXPECT_GE(table.rows.at[i].share, 0);
            EXPECT_LE(table.rows.at[i].share, 1) << diff.name(table.rows.at[i], 0);
            EXPECT_DOUBLE_EQ(table.rows.at[i].share * table.moved_ns,
                             std::fabs(table.rows.at[i].delta_ns));
        }
    }
    // By path the call belongs to its range: -500 in copy, +1000 in the inner again, +500 in loop.
    EXPECT_EQ(Diff(left, right).made.tables[DIFF_BY_PATH].moved_ns, 2000);
    EXPECT_EQ(Diff(left, right).made.tables[DIFF_BY_PATH].change_ns, 1000);
}

TEST(DiffRow, CallsAndCopiesAreInTheDefaultTables)
{
    MadeRun left, right;
    uint32_t copy = left.launch("cudaMemcpyAsync", 0, 10);
    left.copy(copy, 100, 200, 64);
    left.launch("cudaDeviceSynchronize", 1000, 960001000);
    right.launch("cudaMemcpyAsync", 0, 10);
    Diff diff(left, right);
    EXPECT_EQ(diff.row(DIFF_BY_API, "cudaDeviceSynchronize").delta_ns, -960000000);
    EXPECT_EQ(diff.row(DIFF_BY_API, "cudaDeviceSynchronize").time.verdict, DIFF_GONE);
    EXPECT_EQ(diff.made.tables[DIFF_BY_COPY].rows.count, 1u);
}

TEST(DiffRow, RangesHaveTheDeviceTimeOfTheirCalls)
{
    MadeRun left, right;
    for (int i = 0; i < 8; i++) {
        left.within("op", "k", {1000, 1000}), right.within("op", "k", {1500, 1500});
        left.ranges("op", {10}), right.ranges("op", {10}); // launches nothing: no sample
    }
    for (diff_by by : {DIFF_BY_PATH, DIFF_BY_RANGE}) {
        Diff diff(left, right, Diff::by(by));
        const diff_row &row = diff.row(by, "op");
        EXPECT_EQ(row.count[0], 16);
        EXPECT_EQ(row.device.samples[0], 8u);
        EXPECT_EQ(row.device.total_ns[0], 16000);
        EXPECT_EQ(row.device.mean_ns[1], 3000);
        EXPECT_EQ(row.device.median_ns[1], 3000);
        EXPECT_EQ(row.device.verdict, DIFF_SLOWER);
        EXPECT_EQ(row.device_delta_ns, 8000);
    }
}

TEST(DiffRow, ClocksThatCountInMicrosecondsAreBelieved)
{
    MadeRun left, right;
    left.kernels("k", std::vector<int64_t>(100, 3000));
    right.kernels("k", std::vector<int64_t>(100, 4000));
    Diff whole(left, right);
    EXPECT_EQ(whole.sides[0].device_tick_ns, 1000);
    EXPECT_EQ(whole.kernel("k").time.verdict, DIFF_UNCLEAR);
    left.kernels("other", {32});
    right.kernels("other", {33});
    Diff finer(left, right);
    EXPECT_EQ(finer.sides[0].device_tick_ns, 1);
    EXPECT_EQ(finer.kernel("k").time.verdict, DIFF_SLOWER);
}

TEST(DiffRow, CallsAndCopiesHaveTheirTables)
{
    MadeRun left, right;
    for (MadeRun *run : {&left, &right}) {
        uint32_t call = run->launch("cudaMemcpyAsync", 0, run == &left ? 10 : 30);
        run->copy(call, 100, 200, 64);
    }
    diff_options options = Diff::defaults();
    options.tables = 1u << DIFF_BY_API | 1u << DIFF_BY_COPY;
    Diff diff(left, right, options);
    EXPECT_EQ(diff.row(DIFF_BY_API, "cudaMemcpyAsync").delta_ns, 20);
    EXPECT_EQ(diff.row(DIFF_BY_COPY, "Memcpy HtoD (Pageable -> Device)").time.total_ns[0], 100);
    EXPECT_EQ(diff.made.tables[DIFF_BY_PATH].rows.count, 0u);
}

TEST(DiffRow, TheLargestChangeIsFirst)
{
    MadeRun left, right;
    left.kernels("a", {100}), right.kernels("a", {110});
    left.kernels("b", {500}), right.kernels("b", {100});
    left.kernels("c", {200}), right.kernels("c", {300});
    Diff diff(left, right);
    const diff_table &kernels = diff.made.tables[DIFF_BY_KERNEL];
    EXPECT_EQ(diff.name(kernels.rows.at[0], 0), "b");
    EXPECT_EQ(diff.name(kernels.rows.at[1], 0), "c");
    EXPECT_EQ(diff.name(kernels.rows.at[2], 0), "a");
}

TEST(DiffProperty, ARunAndItselfDoNotDiffer)
{
    MadeRun run, again;
    for (MadeRun *one : {&run, &again}) {
        for (int i = 0; i < 30; i++)
            one->within("step", "k" + std::to_string(i % 3), around(100 + i * i, 7));
        one->ranges("r", around(777, 12));
    }
    Diff diff(run, again);
    for (diff_by by : {DIFF_BY_PATH, DIFF_BY_KERNEL}) {
        const diff_table &table = diff.made.tables[by];
        EXPECT_GT(table.rows.count, 1u);
        EXPECT_EQ(table.verdicts[DIFF_SAME] + table.verdicts[DIFF_UNCLEAR], table.rows.count);
        for (uint32_t i = 0; i < table.rows.count; i++)
            EXPECT_EQ(table.rows.at[i].time.ratio.ratio, 1);
    }
    EXPECT_EQ(diff.made.device.ratio.ratio, 1);
    EXPECT_EQ(diff.made.wall.ratio.ratio, 1);
    EXPECT_EQ(diff.made.facts.differing, 0u);
}

TEST(DiffProperty, SwappedSidesInvert)
{
    MadeRun left, right;
    left.kernels("a", around(1000, 30)), right.kernels("a", around(1100, 35));
    left.kernels("k_1", around(500, 20)), right.kernels("k_2", around(400, 20));
    left.kernels("gone", around(300, 10)), right.kernels("new", around(300, 10));
    Diff there(left, right), back(right, left);
    for (const char *name : {"a", "k_1"}) {
        auto &one = there.kernel(name).time.ratio, &other = back.kernel(name).time.ratio;
        EXPECT_DOUBLE_EQ(one.ratio, 1 / other.ratio);
        EXPECT_DOUBLE_EQ(one.low, 1 / other.high);
        EXPECT_DOUBLE_EQ(one.high, 1 / other.low);
    }
    EXPECT_EQ(there.kernel("a").time.verdict, DIFF_SLOWER);
    EXPECT_EQ(back.kernel("a").time.verdict, DIFF_FASTER);
    EXPECT_EQ(back.kernel("gone").time.verdict, DIFF_NEW);
    EXPECT_DOUBLE_EQ(there.made.device.ratio.ratio, 1 / back.made.device.ratio.ratio);
}

TEST(DiffSteps, RunsOfDifferentLengthCompareByStep)
{
    MadeRun left, right;
    left.steps(10, 1000000), right.steps(20, 1000000);
    Diff diff(left, right);
    EXPECT_TRUE(diff.made.per_step);
    EXPECT_FALSE(diff.made.lengths_differ);
    EXPECT_EQ(diff.kernel("k").count[0], 2);
    EXPECT_EQ(diff.kernel("k").count[1], 2);
    EXPECT_EQ(diff.kernel("k").time.samples[1], 40u);
    EXPECT_EQ(diff.kernel("k").time.total_ns[0], 20009); // the mean of i is 4.5
    EXPECT_NE(diff.kernel("k").time.verdict, DIFF_MORE_CALLS);
    EXPECT_EQ(diff.made.step.samples[1], 20u);
    EXPECT_EQ(diff.made.step.value_ns[0], 1000045);
}

TEST(DiffSteps, AreNotDividedByWhereThatIsNotWanted)
{
    MadeRun left, right, as_many;
    left.steps(10, 1000000), right.steps(20, 1000000), as_many.steps(10, 1000000);
    diff_options options = Diff::defaults();
    options.normalise = DIFF_TOTALS;
    Diff totals(left, right, options);
    EXPECT_FALSE(totals.made.per_step);
    EXPECT_TRUE(totals.made.lengths_differ);
    EXPECT_EQ(totals.kernel("k").count[1], 40);
    EXPECT_FALSE(Diff(left, as_many).made.per_step);
    options.normalise = DIFF_PER_STEP;
    EXPECT_TRUE(Diff(left, as_many, options).made.per_step);
}

TEST(DiffSteps, OneSideWithoutThemIsNoComparison)
{
    MadeRun left, right;
    left.steps(10, 1000000);
    right.kernels("k", around(10000, 20));
    diff_options options = Diff::defaults();
    options.normalise = DIFF_PER_STEP;
    Diff diff(left, right, options);
    EXPECT_FALSE(diff.made.per_step);
    EXPECT_FALSE(diff.made.step.known);
    EXPECT_EQ(diff.made.step.verdict, DIFF_UNKNOWN);
}

TEST(DiffTotal, NoiseOfASumIsThatOfItsRows)
{
    // 100 calls of 1000 +- 100: the sum of 100000 has a deviation of 1000, 1 %.
    MadeRun left, right;
    std::vector<int64_t> spread;
    for (int i = 0; i < 100; i++)
        spread.push_back(i % 2 ? 900 : 1100);
    left.kernels("k", spread), right.kernels("k", spread);
    Diff diff(left, right);
    auto &ratio = diff.made.device.ratio;
    EXPECT_NEAR(ratio.high - ratio.low, 2 * 1.96 * 0.01 * std::sqrt(2), 0.006);
}

TEST(DiffTotal, MostlySingleCallsTellNoNoise)
{
    MadeRun left, right;
    left.kernels("once", {900000}), right.kernels("once", {990000});
    left.kernels("often", around(1000, 20)), right.kernels("often", around(1000, 20));
    Diff diff(left, right);
    EXPECT_TRUE(diff.made.device.known);
    EXPECT_FALSE(diff.made.device.ratio.known);
    EXPECT_NEAR(diff.made.device.ratio.ratio, 1.098, 0.001);
}

TEST(DiffTotal, NothingOnADeviceIsUnknown)
{
    MadeRun left, right;
    left.ranges("r", around(100, 10)), right.ranges("r", around(100, 10));
    Diff diff(left, right);
    EXPECT_FALSE(diff.made.device.known);
    EXPECT_EQ(diff.made.tables[DIFF_BY_KERNEL].rows.count, 0u);
    EXPECT_FALSE(diff.made.nothing_in_common);
}

TEST(DiffTotal, EmptyRunsAreNoTrouble)
{
    MadeRun left, right;
    Diff diff(left, right);
    EXPECT_FALSE(diff.made.nothing_in_common);
    EXPECT_FALSE(diff.made.lengths_differ);
    EXPECT_EQ(diff.made.gate.result, DIFF_GATE_NONE);
}

TEST(DiffFacts, SayWhatElseDiffers)
{
    MadeRun left, right;
    left.device(0, "NVIDIA A100"), left.device(1, "NVIDIA A100");
    right.device(0, "NVIDIA H100"), right.device(1, "NVIDIA A100"), right.device(2, "NVIDIA H100");
    left.processes[0].info.driver = left.text_of("12.4");
    Diff diff(left, right);
    std::string all;
    for (const diff_fact &fact : diff.made.facts.at)
        if (fact.differs)
            all += std::string(fact.name) + ": " + fact.value[0] + " -> " + fact.value[1] + "; ";
    EXPECT_EQ(all, "device: NVIDIA A100 -> NVIDIA H100, NVIDIA A100; devices: 2 -> 3; "
                   "driver: 12.4 -> ; ");
}

TEST(DiffFacts, LongListsAreCut)
{
    MadeRun left, right;
    for (uint32_t i = 0; i < 64; i++)
        left.device(i, "a device with a long name, number " + std::to_string(i));
    Diff diff(left, right);
    std::string devices = diff.made.facts.at[4].value[0];
    EXPECT_LT(devices.size(), DIFF_FACT_BYTES);
    EXPECT_NE(devices.find("..."), std::string::npos);
}
