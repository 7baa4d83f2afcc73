// What the gate judges, and when it fails, passes or is inconclusive.
#include "diff_fixture.h"

namespace
{

diff_gate gate(MadeRun &left, MadeRun &right, double limit, diff_gate_of of = DIFF_GATE_AUTO)
{
    diff_options options = Diff::defaults();
    options.gate = true;
    options.gate_limit = limit;
    options.gate_of = of;
    return Diff(left, right, options).made.gate;
}

// Runs of about this wall time, each with a kernel of about this time.
void runs(MadeRun &made, int count, int64_t wall_ns, int64_t busy_ns = 1000)
{
    auto walls = around(wall_ns, count), busy = around(busy_ns, count);
    for (int i = 0; i < count; i++)
        made.run(walls[static_cast<size_t>(i)], busy[static_cast<size_t>(i)]);
}

} // namespace

TEST(DiffGate, FailsBeyondTheLimitAndBeyondNoise)
{
    MadeRun left, right;
    left.steps(20, 1000000), right.steps(20, 1070000);
    EXPECT_EQ(gate(left, right, 0.05).result, DIFF_GATE_FAILED);
    EXPECT_EQ(gate(left, right, 0.05).of, DIFF_GATE_STEPS);
    EXPECT_EQ(gate(left, right, 0.10).result, DIFF_GATE_PASSED);
    EXPECT_EQ(gate(right, left, 0.05).result, DIFF_GATE_PASSED);
}

TEST(DiffGate, JudgesWallTimeWhereNotBothRunsHaveSteps)
{
    MadeRun with, without, other;
    with.steps(20, 1000000), without.ranges("work", {20000000}), other.ranges("work", {20000000});
    EXPECT_EQ(gate(without, other, 0.05).of, DIFF_GATE_WALL);
    EXPECT_EQ(gate(with, without, 0.05).of, DIFF_GATE_WALL);
    EXPECT_EQ(gate(without, with, 0.05).of, DIFF_GATE_WALL);
    EXPECT_EQ(gate(with, without, 0.05, DIFF_GATE_STEPS).result, DIFF_GATE_INCONCLUSIVE);
}

TEST(DiffGate, NeverPassesADoubledWallTime)
{
    for (int before : {1, 2, 5, 6, 20})
        for (int after : {1, 2, 5, 6, 20}) {
            MadeRun left, right;
            runs(left, before, 1100000000), runs(right, after, 2200000000);
            diff_gate found = gate(left, right, 0.05);
            EXPECT_EQ(found.of, DIFF_GATE_WALL);
            EXPECT_NEAR(found.ratio.ratio, 2, 0.01);
            EXPECT_EQ(found.result,
                      before >= 6 && after >= 6 ? DIFF_GATE_FAILED : DIFF_GATE_INCONCLUSIVE)
                << before << " runs and " << after;
        }
}

TEST(DiffGate, WithinTheLimitPassesWhateverTheNoise)
{
    MadeRun left, right;
    left.run(1100000000), right.run(1120000000);
    EXPECT_EQ(gate(left, right, 0.05).result, DIFF_GATE_PASSED);
    EXPECT_FALSE(gate(left, right, 0.05).ratio.known);
    EXPECT_EQ(gate(left, right, 0.01).result, DIFF_GATE_INCONCLUSIVE);
    EXPECT_EQ(gate(right, left, 0.01).result, DIFF_GATE_PASSED);
}

TEST(DiffGate, SlowerDevicesFailDeviceTimeAlone)
{
    MadeRun left, right;
    for (MadeRun *run : {&left, &right}) {
        run->push("work", 0);
        run->kernels("k", around(run == &left ? 100000 : 200000, 20));
        run->pop(50000000);
    }
    EXPECT_EQ(gate(left, right, 0.05).of, DIFF_GATE_WALL);
    EXPECT_EQ(gate(left, right, 0.05).result, DIFF_GATE_PASSED);
    EXPECT_EQ(gate(left, right, 0.05, DIFF_GATE_DEVICE).result, DIFF_GATE_FAILED);
    EXPECT_EQ(gate(left, right, 0.05, DIFF_GATE_HOST).result, DIFF_GATE_PASSED);
}

TEST(DiffGate, HostTimeIsJudgedWithoutBusyDevices)
{
    MadeRun left, right; // 0.1 s on the host, then 0.15 s; devices 1 s
    runs(left, 8, 1100000000, 1000000000), runs(right, 8, 1150000000, 1000000000);
    EXPECT_EQ(gate(left, right, 0.10).result, DIFF_GATE_PASSED);
    diff_gate host = gate(left, right, 0.10, DIFF_GATE_HOST);
    EXPECT_EQ(host.result, DIFF_GATE_FAILED);
    EXPECT_NEAR(host.ratio.ratio, 1.5, 0.02);
}

TEST(DiffGate, HostTimeWithoutDeviceRecordsIsInconclusive)
{
    MadeRun left, right;
    for (MadeRun *run : {&left, &right})
        run->launch("cudaLaunchKernel", 0, 1000); // and no kernel
    EXPECT_EQ(gate(left, right, 0.05).result, DIFF_GATE_PASSED);
    EXPECT_EQ(gate(left, right, 0.05, DIFF_GATE_HOST).result, DIFF_GATE_INCONCLUSIVE);
    EXPECT_EQ(gate(left, right, 0.05, DIFF_GATE_DEVICE).result, DIFF_GATE_INCONCLUSIVE);
}

TEST(DiffGate, WorkOnOneSideAloneIsInconclusive)
{
    MadeRun left, right;
    left.kernels("k", around(10000, 20)), right.ranges("work", {10000});
    EXPECT_EQ(gate(left, right, 0.05, DIFF_GATE_DEVICE).result, DIFF_GATE_INCONCLUSIVE);
    EXPECT_EQ(gate(right, left, 0.05, DIFF_GATE_DEVICE).result, DIFF_GATE_INCONCLUSIVE);
    EXPECT_EQ(gate(left, right, 0.05, DIFF_GATE_KERNEL).result, DIFF_GATE_INCONCLUSIVE);
}

TEST(DiffGate, NothingRecordedIsInconclusive)
{
    MadeRun left, right;
    for (diff_gate_of of : {DIFF_GATE_AUTO, DIFF_GATE_STEPS, DIFF_GATE_WALL, DIFF_GATE_DEVICE,
                            DIFF_GATE_HOST, DIFF_GATE_KERNEL})
        EXPECT_EQ(gate(left, right, 0.05, of).result, DIFF_GATE_INCONCLUSIVE);
}

TEST(DiffGate, BeyondTheLimitWithinNoiseIsInconclusive)
{
    MadeRun left, right;
    std::vector<int64_t> wild = {100, 200, 300, 2000, 3000, 4000},
                         wilder = {150, 250, 2500, 2600, 3100, 4100};
    left.kernels("k", wild), right.kernels("k", wilder);
    diff_gate kernel = gate(left, right, 0.05, DIFF_GATE_KERNEL);
    EXPECT_GT(kernel.ratio.ratio, 1.5);
    EXPECT_EQ(kernel.result, DIFF_GATE_INCONCLUSIVE);
}

TEST(DiffGate, ASmallExcessWithinNarrowNoisePasses)
{
    MadeRun left, right;
    left.kernels("k", around(100000, 50)), right.kernels("k", around(100001, 50));
    diff_gate kernel = gate(left, right, 0, DIFF_GATE_KERNEL);
    EXPECT_GT(kernel.ratio.ratio, 1);
    EXPECT_EQ(kernel.result, DIFF_GATE_PASSED);
}

TEST(DiffGate, UnknownNoiseDoesNotPassAnExcess)
{
    MadeRun left, right;
    left.kernels("k", {100}), right.kernels("k", {900});
    for (diff_gate_of of : {DIFF_GATE_AUTO, DIFF_GATE_DEVICE, DIFF_GATE_KERNEL})
        EXPECT_EQ(gate(left, right, 0.05, of).result, DIFF_GATE_INCONCLUSIVE);
}

TEST(DiffGate, OneSlowKernelFailsUnlessItIsTiny)
{
    MadeRun left, right;
    left.kernels("large", around(1000000, 20)), right.kernels("large", around(1000000, 20));
    left.kernels("tiny", around(1000, 20)), right.kernels("tiny", around(2000, 20));
    EXPECT_EQ(gate(left, right, 0.05, DIFF_GATE_KERNEL).result, DIFF_GATE_PASSED);
    left.kernels("once", {1000000}), right.kernels("once", {3000000});
    EXPECT_EQ(gate(left, right, 0.05, DIFF_GATE_KERNEL).result, DIFF_GATE_INCONCLUSIVE);
    left.kernels("other", around(100000, 20)), right.kernels("other", around(200000, 20));
    EXPECT_EQ(gate(left, right, 0.05, DIFF_GATE_KERNEL).result, DIFF_GATE_FAILED);
    EXPECT_EQ(gate(left, right, 0.05, DIFF_GATE_DEVICE).result, DIFF_GATE_FAILED);
}

TEST(DiffGate, NamesAreThoseOfTheOption)
{
    for (unsigned of = 0; of < DIFF_GATES; of++) {
        diff_gate_of found;
        ASSERT_TRUE(diff_gate_find(diff_gate_name(static_cast<diff_gate_of>(of)), &found));
        EXPECT_EQ(found, of);
    }
    diff_gate_of unchanged = DIFF_GATE_HOST;
    EXPECT_FALSE(diff_gate_find("luck", &unchanged));
    EXPECT_EQ(unchanged, DIFF_GATE_HOST);
}

// ---- which processes are one run ----

namespace
{

diff_side side_of(MadeRun &made)
{
    diff_side side;
    EXPECT_TRUE(diff_side_init(&side, made.done(), Diff::defaults().tables));
    return side;
}

size_t runs_of(MadeRun &made)
{
    diff_side side = side_of(made);
    size_t count = side.runs;
    diff_side_fini(&side);
    return count;
}

} // namespace

TEST(DiffRuns, OneAfterTheOtherAreSeveral)
{
    MadeRun made;
    made.run(3000, 1000), made.run(1000, 200), made.run(2000, 500);
    diff_side side = side_of(made);
    ASSERT_EQ(side.runs, 3u);
    EXPECT_EQ(side.wall_ns[0], 1000);
    EXPECT_EQ(side.wall_ns[1], 2000);
    EXPECT_EQ(side.wall_ns[2], 3000);
    EXPECT_EQ(side.host_ns[0], 800);
    EXPECT_EQ(side.host_ns[1], 1500);
    EXPECT_EQ(side.host_ns[2], 2000);
    diff_side_fini(&side);
}

TEST(DiffRuns, RanksThatOverlapAreOne)
{
    MadeRun made;
    made.run(5000);
    made.now = 2000;
    made.run(6000);
    diff_side side = side_of(made);
    ASSERT_EQ(side.runs, 1u);
    EXPECT_EQ(side.wall_ns[0], 8000); // 0 to 8000
    diff_side_fini(&side);
}

TEST(DiffRuns, PausesAreNotWallTime)
{
    MadeRun made;
    made.run(1000);
    made.recorded(5000, 7000);
    diff_side side = side_of(made);
    ASSERT_EQ(side.runs, 1u);
    EXPECT_EQ(side.wall_ns[0], 3000);
    diff_side_fini(&side);
}

TEST(DiffRuns, DevicesThatWorkAtOnceAreBusyOnce)
{
    MadeRun made;
    made.run(10000, 2000);
    uint32_t call = made.launch("cudaLaunchKernel", 0, 100);
    made.kernel("other", call, 1000, 4000, made.stream(8, 1));
    diff_side side = side_of(made);
    ASSERT_EQ(side.runs, 1u);
    EXPECT_EQ(side.host_ns[0], 10000 - 3900); // 100 to 2100 and 1000 to 4000
    diff_side_fini(&side);
}

TEST(DiffRuns, WallTimeEndsWithTheRecordersLastRecord)
{
    MadeRun made;
    made.run(1000);
    made.windows[0].end_ns = TL_NO_TIME;
    made.processes[0].has_cost = true;
    made.processes[0].cost.time_ns = 1000000;
    diff_side side = side_of(made);
    EXPECT_EQ(side.wall_ns[0], 1000000);
    diff_side_fini(&side);
    made.processes[0].info.ring = true; // has but the last events
    side = side_of(made);
    EXPECT_EQ(side.wall_ns[0], 1100);
    diff_side_fini(&side);
}

TEST(DiffRuns, ProcessesOfOneScriptAreOne)
{
    MadeRun made;
    made.run(1000), made.run(1000), made.run(1000);
    auto &first = made.processes[0].info, &second = made.processes[1].info,
         &third = made.processes[2].info;
    second.parent_pid = first.pid;
    EXPECT_EQ(runs_of(made), 2u);
    third.parent_pid = second.parent_pid = 5000; // a shell repeats a program
    EXPECT_EQ(runs_of(made), 3u);
    third.program = made.text_of("evaluate"); // a script runs one program after another
    EXPECT_EQ(runs_of(made), 2u);
    third.host = made.text_of("another");
    EXPECT_EQ(runs_of(made), 3u);
    third.host = second.host;
    third.parent_pid = second.parent_pid = 1; // init adopts anybody
    EXPECT_EQ(runs_of(made), 3u);
}

TEST(DiffRuns, TotalsArePerRun)
{
    MadeRun left, right;
    left.run(1000, 100), right.run(1000, 100), right.run(1000, 100), right.run(1000, 100);
    Diff diff(left, right);
    EXPECT_TRUE(diff.made.per_run);
    EXPECT_FALSE(diff.made.lengths_differ);
    EXPECT_EQ(diff.kernel("k").count[1], 1);
    EXPECT_EQ(diff.kernel("k").time.total_ns[1], 100);
    EXPECT_EQ(diff.made.device.value_ns[1], 100);
    EXPECT_EQ(diff.made.wall.samples[1], 3u);
    EXPECT_FALSE(Diff(left, left).made.per_run);
}
