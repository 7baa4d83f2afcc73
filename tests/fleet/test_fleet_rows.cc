// Rows of a dataset against values that were computed by hand, and what Arrow's consumers may rely on.
#include "fleet_fixture.h"

namespace
{

// One rank, two steps. What the device did, a letter for 100 ns: Compute, coMmunication, cOpy, nothing:
//
//     step     |0                  |1        |
//     range     [ input  ][ fwd   ]
//     stream 7     CCCC      CC    O
//     stream 8       MMMM
void fill_steps(TimelineMaker &m)
{
    m.processes[0].info.rank = 3;
    m.stream(7);
    m.stream(8);
    m.push("ProfilerStep#4", 0, TL_STEP);
    m.push("input", 100);
    auto first = m.launch("cudaLaunchKernel", 110, 150);
    auto second = m.launch("cudaLaunchKernel", 160, 200);
    m.pop(1000);
    m.push("forward", 1000);
    auto third = m.launch("cudaLaunchKernel", 1010, 1250);
    auto fourth = m.launch("cudaMemcpyAsync", 1260, 1300);
    m.pop(1900);
    m.pop(2000);
    m.push("ProfilerStep#5", 2000, TL_STEP);
    m.pop(3000);
    m.kernel("gemm", first, 400, 800, 0);
    m.kernel("ncclDevKernel_AllReduce", second, 600, 1000, 1);
    m.kernel("gemm", third, 1300, 1500, 0);
    m.copy(fourth, 1900, 2000, 64, 0);
}

TEST(FleetRows, CutStepsWhereverSomethingBeginsOrEnds)
{
    TimelineMaker m;
    fill_steps(m);
    Fleet fleet;
    fleet.add(m.done());
    // Idle: 0-400 (host until 150), 1000-1300 (until 1250), 1500-1900 (launched long before).
    expect_rows(
        {{{"rank", "3"},
          {"step", "4"},
          {"start", at(0)},
          {"duration_ns", "2000"},
          {"compute_ns", "600"},
          {"overlapped_ns", "200"},
          {"communication_ns", "200"},
          {"copy_ns", "100"},
          {"idle_host_ns", "400"},
          {"idle_device_ns", "700"},
          {"tid", "101"}},
         {{"step", "5"}, {"compute_ns", "0"}, {"idle_host_ns", "1000"}, {"idle_device_ns", "0"}}},
        fleet.rows("steps"));
    // A wait for the host counts in each range for the time that it is in it: 100 ns are before the input.
    expect_rows({{{"step", "4"}, {"range", "null"}, {"host_ns", "100"}},
                 {{"step", "4"}, {"range", id_of("input")}, {"host_ns", "50"}},
                 {{"step", "4"}, {"range", id_of("forward")}, {"host_ns", "250"}},
                 {{"step", "5"}, {"range", "null"}, {"host_ns", "1000"}}},
                fleet.rows("idle"));
}

TEST(FleetRows, PlaceOperationsInTheStepOfTheirLaunch)
{
    TimelineMaker m;
    fill_steps(m);
    m.kernel("orphan", TL_NONE, 2100, 2200, 0);
    m.kernel("late", TL_NONE, 3100, 3200, 0);
    Fleet fleet;
    fleet.add(m.done());
    auto kernels = fleet.rows("kernels");
    expect_rows(
        {{{"rank", "3"},
          {"step", "4"},
          {"device", "0"},
          {"stream", "7"},
          {"start", at(400)},
          {"duration_ns", "400"},
          {"name", id_of("gemm")},
          {"range", id_of("input")},
          {"class", "compute"},
          {"queue_ns", "250"},
          {"graph", "null"},
          {"whole_graph", "false"},
          {"context", "1"},
          {"grid_x", "264"},
          {"block_x", "256"},
          {"registers", "32"},
          {"shared_bytes", "0"}},
         {{"step", "4"}, {"start", at(1300)}, {"range", id_of("forward")}},
         {{"step", "5"}, {"name", id_of("orphan")}, {"range", "null"}, {"queue_ns", "null"}},
         {{"step", "null"}, {"name", id_of("late")}},
         {{"step", "4"}, {"stream", "8"}, {"class", "communication"}, {"queue_ns", "400"}}},
        kernels);
    expect_rows({{{"kind", "memcpy"}, {"bytes", "64"}, {"step", "4"}, {"start", at(1900)}}},
                fleet.rows("copies"));
    EXPECT_EQ(fleet.rows("calls").size(), 4u);
    expect_rows(
        {{{"name", id_of("input")}, {"depth", "1"}, {"self_ns", "820"}, {"device_ns", "800"}},
         {{"name", id_of("forward")}, {"self_ns", "620"}, {"device_ns", "300"}}},
        fleet.rows("ranges"));
}

TEST(FleetRows, SumUpByStepKindAndName)
{
    TimelineMaker m;
    fill_steps(m);
    Fleet fleet;
    fleet.add(m.done());
    auto rows = fleet.rows("summary");
    EXPECT_EQ(rows.size(), 7u); // three of operations, two ranges, two calls
    for (auto &row : rows)
        if (row["name"] == id_of("gemm"))
            expect_rows({{{"rank", "3"},
                          {"step", "4"},
                          {"kind", "compute"},
                          {"count", "2"},
                          {"sum_ns", "600"},
                          {"min_ns", "200"},
                          {"max_ns", "400"},
                          {"histogram", "7=1 8=1 "}}},
                        {row});
}

TEST(FleetRows, NumberUnknownRanksAndKeepFilesOfOneRankApart)
{
    TimelineMaker one, two, three;
    fill_steps(one);
    fill_steps(two);
    two.processes[0].info.pid = 200;
    three.process(300, "second");
    three.thread(301);
    Fleet fleet;
    fleet.add(one.done());
    fleet.add(three.done());
    fleet.add(two.done());
    auto ranks = fleet.rows("ranks");
    ASSERT_EQ(ranks.size(), 4u);
    int first = std::stoi(ranks[0].at("rank")), second = std::stoi(ranks[1].at("rank"));
    EXPECT_TRUE(first < 0 && second < 0 && first != second);
    expect_rows({{{"rank_known", "false"}},
                 {{"rank_known", "false"}},
                 {{"rank", "3"}, {"rank_known", "true"}, {"pid", "100"}, {"file", "x.prof"}},
                 {{"rank", "3"}, {"pid", "200"}, {"source", "libprof"}, {"identity", "abc"}}},
                ranks);
    auto steps = fleet.rows("steps");
    ASSERT_EQ(steps.size(), 4u);
    EXPECT_EQ(steps[0], steps[2]); // not the sum of both
    EXPECT_EQ(fleet.rows("ledger").size(), 4u);
}

std::string rank_of_file(const char *file)
{
    TimelineMaker m;
    m.push("ProfilerStep#0", 0, TL_STEP);
    m.pop(1000);
    Fleet fleet;
    fleet.add(m.done(), false, file);
    Row row = fleet.rows("ranks").at(0);
    return row.at("rank_known") == "true" ? row.at("rank") : "unknown";
}

TEST(FleetRows, TakeTheLastRankInTheNameOfAFile)
{
    const std::map<const char *, std::string> wanted = {
        {"rank7.json", "7"},          {"train-rank-3.pt.trace.json", "3"},
        {"job_r12.json", "12"},       {"exp_r2_rank0.json", "0"},
        {"rank1_of_rank8.json", "8"}, {"deepseek-r1-tp0.json", "unknown"},
        {"exp_r2b.json", "unknown"},  {"frank3.json", "unknown"},
        {"r3.json", "unknown"},
    };
    for (auto &[file, rank] : wanted)
        EXPECT_EQ(rank_of_file(file), rank) << file;
}

TEST(FleetRows, TakeNoNumberOfSeveralFilesForARank)
{
    TimelineMaker makers[4];
    const int64_t starts[] = {0, 100, 200, 5000}; // the last one is of another attempt
    const char *const files[] = {"lora-rank16-gpu0.json", "lora-rank16-gpu1.json",
                                 "lora-rank16-gpu2.json", "lora-rank16-gpu0.json"};
    Fleet fleet;
    for (int i = 0; i < 4; i++) {
        makers[i].processes[0].info.pid = 100 + i;
        makers[i].push("ProfilerStep#0", starts[i], TL_STEP);
        makers[i].pop(starts[i] + 1000);
        fleet.add(makers[i].done(), false, files[i]);
    }
    auto ranks = fleet.rows("ranks");
    ASSERT_EQ(ranks.size(), 4u);
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(ranks[i].at("rank_known"), "false") << i;
    expect_rows({{{"rank", "16"}, {"rank_known", "true"}, {"pid", "103"}}}, {ranks[3]});
}

TEST(FleetRows, JoinProcessesOfOneRank)
{
    TimelineMaker m;
    m.processes[0].info.rank = 1;
    m.push("ProfilerStep#0", 0, TL_STEP);
    m.pop(1000);
    m.process(200, "helper");
    m.processes[1].info.rank = 1;
    m.thread(201);
    auto call = m.launch("cudaLaunchKernel", 100, 200);
    m.kernel("k", call, 300, 900);
    Fleet fleet;
    fleet.add(m.done());
    expect_rows({{{"rank", "1"}, {"step", "0"}, {"compute_ns", "600"}}}, fleet.rows("steps"));
    expect_rows({{{"rank", "1"}, {"step", "0"}}}, fleet.rows("kernels"));
}

// A range ends within the step, another goes on after it: the step, the range and its call are two segments each.
TEST(FleetRows, CountWhatWasCutOnce)
{
    TimelineMaker m;
    m.push("around", 0);
    auto step = m.push("ProfilerStep#4", 100, TL_STEP);
    auto range = m.push("cut", 200);
    auto call = m.launch("cudaLaunchKernel", 300, 500);
    m.pop(500), m.pop(500), m.pop(500);
    auto step_rest = m.push("ProfilerStep#4", 500, TL_STEP, TL_CONTINUED);
    auto range_rest = m.push("cut", 500, TL_RANGE, TL_CONTINUED);
    auto call_rest = m.push("cudaLaunchKernel", 500, TL_API, TL_LAUNCHES | TL_CONTINUED);
    m.slices[call_rest].api = m.slices[call].api;
    m.pop(600), m.pop(900), m.pop(1000);
    m.kernel("k", call, 700, 800);
    timeline *made = m.done();
    std::vector<tl_segment> segments = {
        {step_rest, step, step}, {range_rest, range, range}, {call_rest, call, call}};
    made->segments.at = segments.data(), made->segments.count = 3;
    Fleet fleet;
    fleet.add(made);
    expect_rows({{{"step", "4"}, {"start", at(100)}, {"duration_ns", "900"}}}, fleet.rows("steps"));
    expect_rows({{{"name", id_of("around")}, {"duration_ns", "500"}},
                 {{"name", id_of("cut")},
                  {"start", at(200)},
                  {"duration_ns", "700"},
                  {"self_ns", "400"},
                  {"device_ns", "100"}}},
                fleet.rows("ranges"));
    expect_rows({{{"start", at(300)}, {"duration_ns", "300"}}}, fleet.rows("calls"));
    expect_rows({{{"queue_ns", "100"}}}, fleet.rows("kernels"));
    std::map<std::string, std::string> counts;
    for (Row row : fleet.rows("summary"))
        counts[row["kind"] + " " + row["name"]] = row["count"] + " " + row["sum_ns"];
    EXPECT_EQ(counts["range " + id_of("cut")], "1 700");
    EXPECT_EQ(counts["call " + id_of("cudaLaunchKernel")], "1 300");
}

TEST(FleetRows, TakeSummariesAsTheyWereRecorded)
{
    TimelineMaker m;
    m.processes[0].info.rank = 2;
    m.processes[0].loss[PROF_LOSS_ZERO_TIME] = 2;
    std::vector<tl_summary> sums = {
        {7, 3, 30, 5, 15, 0, m.name("ncclKernel"), PROF_SUMMARY_KERNEL, m.name("{2=1, 3=2}")},
        {7, 1, 40, 40, 40, 0, m.name("ncclKernel"), PROF_SUMMARY_KERNEL, m.name("{5=1}")},
        {PROF_SUMMARY_NO_STEP, 1, 9, 9, 9, 0, TL_NONE, PROF_SUMMARY_CALL, m.name("{3=1}")},
        {0, 0, 0, 100, 900, 0, TL_NONE, PROF_SUMMARY_ROUND, TL_NONE}};
    std::vector<tl_summary_step> steps = {{7, 50, 1000, 600, 100, 200, 50, 100, 50, 0, false}};
    timeline *made = m.done();
    made->summaries = {sums.data(), 4, 4};
    made->summary_steps = {steps.data(), 1, 1};
    Fleet fleet;
    fleet.add(made, true);
    expect_rows({{{"step", "7"},
                  {"kind", "communication"},
                  {"name", id_of("ncclKernel")},
                  {"count", "4"},
                  {"sum_ns", "70"},
                  {"min_ns", "5"},
                  {"max_ns", "40"},
                  {"histogram", "2=1 3=2 5=1 "}},
                 {{"step", "null"}, {"kind", "call"}, {"name", id_of("(other)")}}},
                fleet.rows("summary"));
    expect_rows({{{"step", "7"}, {"start", at(50)}, {"idle_host_ns", "100"}, {"tid", "null"}}},
                fleet.rows("steps"));
    expect_rows({{{"launched", "6"}, {"recorded", "4"}, {"lost", "2"}}}, fleet.rows("ledger"));
    expect_rows({{{"start", at(0)}, {"duration_ns", "900"}}}, fleet.rows("ranks"));
    expect_rows({{{"name", "ncclKernel"}}, {{"name", "(other)"}}}, fleet.rows("names"));
}

TEST(FleetRows, MendTextsAndNameEachOnce)
{
    TimelineMaker m;
    auto range = m.range("bad\xff", 0, 10);
    m.attr(range, "Call stack", std::string("f;g"));
    m.range("bad\xff", 20, 30);
    m.mark("seen", 40);
    Fleet fleet;
    fleet.add(m.done());
    expect_rows(
        {{{"name", "bad\xef\xbf\xbd"}, {"id", id_of("bad\xef\xbf\xbd")}}, {{"name", "seen"}}},
        fleet.rows("names"));
    expect_rows({{{"stack", "f;g"}, {"id", id_of("f;g")}}}, fleet.rows("stacks"));
}

TEST(FleetRows, FillBatchesAcrossRecordings)
{
    TimelineMaker large, small;
    for (int i = 0; i < 20000; i++)
        large.launch("cudaLaunchKernel", 10 * i, 10 * i + 5);
    small.launch("cudaLaunchKernel", 0, 5);
    Fleet fleet;
    for (int i = 0; i < 3; i++) {
        TimelineMaker &added = i == 1 ? large : small;
        added.processes[0].info.rank = 3 - i;
        fleet.add(added.done());
    }
    auto calls = fleet.rows("calls");
    ASSERT_EQ(calls.size(), 20002u);
    EXPECT_EQ(calls[0]["rank"], "1"); // ascending
    EXPECT_EQ(calls[20001]["rank"], "3");
    EXPECT_EQ(calls[20000]["start"], at(199990));
}

TEST(FleetRows, OutliveTheirOwner)
{
    TimelineMaker m;
    fill_steps(m);
    Fleet fleet;
    fleet.add(m.done());
    ArrowArrayStream stream;
    ArrowArray batch;
    ASSERT_TRUE(fleet_stream_init(&stream, fleet.held, fleet_table_find("kernels")));
    fleet_release(fleet.held);
    fleet.held = nullptr;
    EXPECT_EQ(fleet.done, 0);
    ASSERT_EQ(stream.get_next(&stream, &batch), 0);
    stream.release(&stream);
    EXPECT_EQ(fleet.done, 1);
    ArrowArray moved = *batch.children[4]; // a child may be moved out
    batch.children[4]->release = nullptr;
    batch.release(&batch);
    EXPECT_EQ(std::to_string(value<int64_t>(&moved, 0)), at(400));
    moved.release(&moved);
    EXPECT_EQ(fleet_table_find("nonsense"), FLEET_TABLES);
}

TEST(FleetRows, HaveIdsAsEveryDatabaseComputesThem)
{
    EXPECT_EQ(md5_lower({"abc", 3}), 8250560606382298838u);  // 900150983cd24fb0d6963f7d28e17f72
    EXPECT_EQ(md5_lower({nullptr, 0}), 0x7e42f8ec980980e9u); // d41d8cd98f00b204e9800998ecf8427e
    std::string longer(1000, 'x');
    EXPECT_EQ(md5_lower({longer.data(), 55}), 8255003799616706777u);
    EXPECT_EQ(md5_lower({longer.data(), 56}), 5454261216467540578u);
    EXPECT_EQ(md5_lower({longer.data(), 64}), 6207127878382405497u);
    EXPECT_EQ(md5_lower({longer.data(), 1000}), 7154826388648145252u);
}

} // namespace
