// Rows of a dataset against values that were computed by hand, and what Arrow's consumers may rely on.
#include "../stats/timeline_maker.h"

extern "C" {
#include "fleet_rows.h"
#include "md5.h"
}

#include <gtest/gtest.h>

#include <map>

namespace
{

using Row = std::map<std::string, std::string>;

bool is_valid(const ArrowArray *array, int64_t row)
{
    auto bits = static_cast<const uint8_t *>(array->buffers[0]);
    return !bits || bits[row / 8] >> row % 8 & 1;
}

template <typename T>
T value(const ArrowArray *array, int64_t row)
{
    return static_cast<const T *>(array->buffers[1])[row];
}

template <typename Offset>
std::string slice_of(const ArrowArray *array, int64_t row)
{
    auto from = value<Offset>(array, row), to = value<Offset>(array, row + 1);
    return {static_cast<const char *>(array->buffers[2]) + from, static_cast<size_t>(to - from)};
}

std::string pairs_of(const ArrowArray *array, int64_t row)
{
    const ArrowArray *keys = array->children[0]->children[0];
    const ArrowArray *counts = array->children[0]->children[1];
    std::string all;
    for (int32_t i = value<int32_t>(array, row); i < value<int32_t>(array, row + 1); i++)
        all += std::to_string(value<int32_t>(keys, i)) + "=" +
               std::to_string(value<int64_t>(counts, i)) + " ";
    return all;
}

std::string cell(const std::string &format, const ArrowArray *array, int64_t row)
{
    if (!is_valid(array, row))
        return "null";
    if (array->dictionary)
        return slice_of<int32_t>(array->dictionary, value<uint8_t>(array, row));
    if (format == "U")
        return slice_of<int64_t>(array, row);
    if (format == "+m")
        return pairs_of(array, row);
    if (format == "b")
        return value<uint8_t>(array, row / 8) >> row % 8 & 1 ? "true" : "false";
    return std::to_string(format == "i" ? value<int32_t>(array, row) : value<int64_t>(array, row));
}

// Recordings; they are needed until the end.
class Fleet
{
public:
    ~Fleet() { fleet_release(held); }

    void add(const timeline *of, bool summaries = false)
    {
        fleet_source source{};
        source.timeline = of;
        source.file = "x.prof";
        source.identity = "abc";
        source.summaries = summaries;
        source.owner = &done;
        source.done = [](void *owner) { ++*static_cast<int *>(owner); };
        ASSERT_TRUE(fleet_add(held, &source));
    }

    std::vector<Row> rows(const char *table)
    {
        ArrowArrayStream stream;
        ArrowSchema schema;
        std::vector<Row> all;
        EXPECT_TRUE(fleet_stream_init(&stream, held, fleet_table_find(table)));
        EXPECT_EQ(stream.get_schema(&stream, &schema), 0);
        for (ArrowArray batch; stream.get_next(&stream, &batch) == 0 && batch.release;) {
            EXPECT_EQ(batch.n_children, schema.n_children);
            add_batch(schema, batch, all);
            batch.release(&batch);
        }
        schema.release(&schema);
        stream.release(&stream);
        EXPECT_EQ(stream.release, nullptr);
        return all;
    }

    int done = 0;
    struct fleet *held = fleet_create();

private:
    static void add_batch(const ArrowSchema &schema, const ArrowArray &batch, std::vector<Row> &all)
    {
        for (int64_t i = 0; i < batch.length; i++) {
            all.emplace_back();
            for (int64_t j = 0; j < schema.n_children; j++)
                all.back()[schema.children[j]->name] =
                    cell(schema.children[j]->format, batch.children[j], i);
        }
    }
};

std::string id_of(const std::string &name)
{
    return std::to_string(md5_lower({name.data(), name.size()}) / 2);
}

// A time as the tables have it.
std::string at(int64_t ns)
{
    return std::to_string(1700000000000000000 + ns);
}

void expect_rows(const std::vector<Row> &wanted, const std::vector<Row> &found)
{
    ASSERT_EQ(wanted.size(), found.size());
    for (size_t i = 0; i < wanted.size(); i++)
        for (auto &[name, text] : wanted[i])
            EXPECT_EQ(text, found[i].at(name)) << name << " of row " << i;
}

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
    // The middle of each wait for the host: 75 is before the input, 1125 in forward, 2500 in nothing.
    expect_rows({{{"step", "4"}, {"range", "null"}, {"host_ns", "150"}},
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

// A range of NCCL's with a launch inside. Returns the launch.
uint32_t nccl_range(TimelineMaker &m, const std::string &name, int64_t start_ns,
                    int64_t communicator)
{
    auto range = m.push(name, start_ns);
    m.slices[range].label = 0;
    m.attr(range, "NCCL communicator ID", communicator);
    m.attr(range, "Message size [bytes]", int64_t{64});
    auto call = m.launch("cudaLaunchKernel", start_ns + 10, start_ns + 20);
    m.pop(start_ns + 100);
    return call;
}

struct NcclMaker : TimelineMaker {
    NcclMaker()
    {
        processes[0].info.rank = 0;
        domains.push_back({0, 1, name("NCCL")});
        labels.push_back({0, TL_NONE, TL_NONE, 0, 0});
    }
    timeline *done()
    {
        timeline *all = TimelineMaker::done();
        for (auto &slice : slices)
            if (slice.kind != TL_API && slice.label != 0)
                slice.label = TL_NONE;
        all->domains = {domains.data(), 1, 1};
        all->labels = {labels.data(), 1, 1};
        return all;
    }
    std::vector<tl_domain> domains;
    std::vector<tl_label> labels;
};

TEST(FleetRows, NumberCollectivesOfEachCommunicator)
{
    NcclMaker m;
    m.stream(7);
    auto first = nccl_range(m, "NCCL:ncclAllReduce", 0, 10);
    auto send = nccl_range(m, "NCCL:ncclSend", 1000, 10);
    nccl_range(m, "NCCL:ncclAllGather", 2000, 12);
    auto last = nccl_range(m, "NCCL:ncclAllReduce", 3000, 10);
    nccl_range(m, "NCCL:ncclCommInitRank", 4000, 10);
    m.kernel("ncclDevKernel_AllReduce", first, 200, 700);
    m.kernel("ncclDevKernel_AllReduce", first, 250, 900);
    m.kernel("ncclDevKernel_SendRecv", send, 1200, 1300);
    m.kernel("ncclDevKernel_AllReduce", last, 3200, 3300);
    Fleet fleet;
    fleet.add(m.done());
    expect_rows({{{"communicator", "5"},
                  {"sequence", "0"},
                  {"function", "ncclAllReduce"},
                  {"bytes", "64"},
                  {"called", at(0)},
                  {"start", at(200)},
                  {"duration_ns", "700"},
                  {"stream", "7"},
                  {"step", "null"}},
                 {{"function", "ncclSend"}, {"sequence", "null"}, {"duration_ns", "100"}},
                 {{"function", "ncclAllGather"},
                  {"communicator", "6"},
                  {"sequence", "0"},
                  {"start", "null"},
                  {"duration_ns", "null"},
                  {"stream", "null"}},
                 {{"function", "ncclAllReduce"}, {"sequence", "1"}, {"start", at(3200)}}},
                fleet.rows("collectives"));
}

// What NCCL's profiler says of a task: a range of its own, or attributes of the call's range.
void nccl_task(TimelineMaker &m, uint32_t range, const char *algorithm)
{
    m.attr(range, "Algorithm", algorithm);
    m.attr(range, "Protocol", "LL128");
    m.attr(range, "Channels", int64_t{8});
    m.attr(range, "Data type", "ncclFloat32");
    m.attr(range, "NCCL sequence number", int64_t{41});
}

TEST(FleetRows, SayHowNcclDidCollectives)
{
    NcclMaker m;
    m.stream(7);
    Row unknown = {{"algorithm", "null"},
                   {"protocol", "null"},
                   {"channels", "null"},
                   {"type", "null"},
                   {"counted", "null"}};
    auto launch = nccl_range(m, "NCCL:ncclAllReduce", 0, 10);
    nccl_task(m, launch - 1, "RING"); // a call of its own: its range has the attributes
    launch = nccl_range(m, "NCCL:ncclAllGather", 1000, 10);
    m.attr(launch - 1, "NCCL call", int64_t{5});
    nccl_range(m, "NCCL:ncclBroadcast", 2000, 10);
    auto task = m.push("NCCL:NCCL task AllGather", 3000); // of a group: the call's number
    m.slices[task].label = 0;
    nccl_task(m, task, "TREE");
    m.attr(task, "NCCL call", int64_t{5});
    m.pop(3010);
    auto around = m.push("NCCL:ncclReduce", 4000); // interface 4: no calls, in NVTX's range
    m.slices[around].label = 0;
    m.attr(around, "NCCL communicator ID", int64_t{10});
    task = m.push("NCCL:NCCL task Reduce", 4010);
    m.slices[task].label = 0;
    nccl_task(m, task, "NVLS");
    m.pop(4020);
    m.pop(4100);
    task = m.push("NCCL:NCCL task Reduce", 5000); // of a call that was not recorded
    m.slices[task].label = 0;
    nccl_task(m, task, "PAT");
    m.attr(task, "NCCL call", int64_t{99});
    m.pop(5010);
    Fleet fleet;
    fleet.add(m.done());
    Row ring = {{"function", "ncclAllReduce"},
                {"algorithm", "RING"},
                {"protocol", "LL128"},
                {"channels", "8"},
                {"type", "ncclFloat32"},
                {"counted", "41"},
                {"sequence", "0"}};
    Row broadcast = unknown;
    broadcast["function"] = "ncclBroadcast";
    expect_rows({ring,
                 {{"function", "ncclAllGather"}, {"algorithm", "TREE"}, {"channels", "8"}},
                 broadcast,
                 {{"function", "ncclReduce"}, {"algorithm", "NVLS"}, {"counted", "41"}}},
                fleet.rows("collectives"));
}

// A call of NCCL's; its kernel is launched elsewhere.
uint32_t nccl_call(TimelineMaker &m, const std::string &name, int64_t start_ns,
                   int64_t communicator, int64_t bytes, int64_t group)
{
    auto range = m.push("NCCL:" + name, start_ns);
    m.slices[range].label = 0;
    m.attr(range, "NCCL communicator ID", communicator);
    m.attr(range, "Message size [bytes]", bytes);
    if (group)
        m.attr(range, "NCCL group", group);
    m.pop(start_ns + 5);
    return range;
}

// The launch of a group's kernel, as NCCL's profiler tells it.
uint32_t nccl_launch(TimelineMaker &m, int64_t start_ns, int64_t group)
{
    auto range = m.push("NCCL:NCCL launch", start_ns);
    m.slices[range].label = 0;
    m.attr(range, "NCCL group", group);
    auto call = m.launch("cudaLaunchKernel", start_ns + 1, start_ns + 3);
    m.pop(start_ns + 5);
    return call;
}

TEST(FleetRows, GiveCallsOfAGroupTheKernelOfTheirLaunch)
{
    NcclMaker m;
    m.stream(7);
    auto made = nccl_call(m, "ncclCommInit", 0, 10, 0, 0);
    m.attr(made, "Rank", int64_t{2});
    nccl_call(m, "ncclAllReduce", 10, 10, 64, 7);
    auto send = nccl_call(m, "ncclSend", 20, 10, 32, 7);
    m.attr(send, "NCCL call", int64_t{5});
    nccl_call(m, "ncclAllGather", 30, 10, 192, 7);
    nccl_call(m, "ncclAllReduce", 40, 20, 100, 7);
    auto launch = nccl_launch(m, 50, 7);
    auto task = m.push("NCCL:NCCL task Send", 60); // it has the peer, its call has not
    m.slices[task].label = 0;
    m.attr(task, "NCCL call", int64_t{5});
    m.attr(task, "Peer rank", int64_t{3});
    m.pop(60);
    nccl_call(m, "ncclAllReduce", 100, 10, 64, 8); // its kernel does not end
    nccl_launch(m, 110, 8);
    m.kernel("ncclDevKernel_Generic", launch, 500, 900);
    Fleet fleet;
    fleet.add(m.done());
    expect_rows(
        {{{"function", "ncclAllReduce"},
          {"communicator", "5"},
          {"sequence", "0"},
          {"called", at(10)},
          {"start", at(500)},
          {"duration_ns", "400"},
          {"stream", "7"},
          {"communicator_rank", "2"},
          {"peer", "null"},
          {"group_place", "0"},
          {"group_bytes", "288"}},
         {{"function", "ncclSend"},
          {"sequence", "null"},
          {"start", at(500)},
          {"peer", "3"},
          {"group_place", "0"},
          {"group_bytes", "288"}},
         {{"function", "ncclAllGather"},
          {"sequence", "1"},
          {"duration_ns", "400"},
          {"group_place", "1"},
          {"group_bytes", "288"}},
         {{"communicator", "10"},
          {"sequence", "0"},
          {"duration_ns", "400"},
          {"communicator_rank", "null"},
          {"group_place", "0"},
          {"group_bytes", "100"}},
         {{"sequence", "2"}, {"start", "null"}, {"group_place", "null"}, {"group_bytes", "null"}}},
        fleet.rows("collectives"));
}

TEST(FleetRows, KeepGroupsOfProcessesOfOneRankApart)
{
    NcclMaker m;
    m.stream(7);
    nccl_call(m, "ncclAllReduce", 10, 10, 64, 7);
    auto launch = nccl_launch(m, 50, 7);
    m.kernel("ncclDevKernel_Generic", launch, 500, 900);
    m.process(200, "train");
    m.processes[1].info.rank = 0;
    m.thread(201);
    nccl_call(m, "ncclAllReduce", 20, 10, 64, 7);
    Fleet fleet;
    fleet.add(m.done());
    expect_rows({{{"called", at(10)}, {"start", at(500)}}, {{"called", at(20)}, {"start", "null"}}},
                fleet.rows("collectives"));
}

// One call of a graph, then two in a group. Each launch of the graph runs the group's kernel first. Between the launches, and
// after them, there are calls without a graph; what another graph captured never ran.
TEST(FleetRows, GiveEachReplayOfACapturedCallARow)
{
    NcclMaker m;
    m.stream(7);
    m.stream(8);
    m.push("ProfilerStep#4", 0, TL_STEP);
    auto single = nccl_range(m, "NCCL:ncclAllReduce", 10, 10);
    nccl_call(m, "ncclAllGather", 120, 10, 96, 7);
    nccl_call(m, "ncclBroadcast", 130, 10, 32, 7);
    auto grouped = nccl_launch(m, 140, 7);
    auto unused = nccl_range(m, "NCCL:ncclReduce", 150, 10);
    uint32_t graphs[] = {m.launch("cudaGraphLaunch", 300, 310, TL_LAUNCHES | TL_GRAPH), 0};
    auto between = nccl_range(m, "NCCL:ncclReduceScatter", 400, 10);
    m.pop(1000);
    m.push("ProfilerStep#5", 1000, TL_STEP);
    graphs[1] = m.launch("cudaGraphLaunch", 1000, 1010, TL_LAUNCHES | TL_GRAPH);
    auto after = nccl_range(m, "NCCL:ncclReduceScatter", 1100, 10);
    m.pop(2000);
    for (int i = 0; i < 2; i++) {
        m.kernel("ncclDevKernel_AllReduce", graphs[i], 800 + 1000 * i, 900 + 1000 * i, 0);
        m.kernel("ncclDevKernel_Generic", graphs[i], 600 + 1000 * i, 700 + 1000 * i, 1);
    }
    m.kernel("ncclDevKernel_ReduceScatter", between, 920, 940, 0);
    m.kernel("ncclDevKernel_ReduceScatter", after, 1920, 1940, 0);
    timeline *made = m.done();
    std::vector<tl_captured> captured;
    for (uint32_t i = 0; i < made->gpus.count; i++) {
        const tl_gpu &gpu = made->gpus.at[i];
        if (gpu.slice == graphs[0] || gpu.slice == graphs[1])
            captured.push_back(
                {i, gpu.stream == 0 ? single : grouped, TL_NONE, TL_CAPTURED_RECORDED});
    }
    tl_graph_node node{};
    node.slice = unused;
    made->captured = {captured.data(), 4, 4};
    made->graph_nodes = {&node, 1, 1};
    Fleet fleet;
    fleet.add(made);
    auto replay = [](const char *function, int sequence, int launch, int64_t called) {
        bool is_single = !strcmp(function, "ncclAllReduce");
        return Row{{"function", function},
                   {"sequence", std::to_string(sequence)},
                   {"communicator", "5"},
                   {"step", std::to_string(4 + launch)},
                   {"called", at(called)},
                   {"start", at((is_single ? 800 : 600) + 1000 * launch)},
                   {"duration_ns", "100"},
                   {"stream", is_single ? "7" : "8"},
                   {"group_place", is_single                            ? "null"
                                   : !strcmp(function, "ncclBroadcast") ? "1"
                                                                        : "0"},
                   {"group_bytes", is_single ? "null" : "128"}};
    };
    expect_rows({{{"function", "ncclReduceScatter"}, {"sequence", "3"}, {"start", at(920)}},
                 {{"function", "ncclReduceScatter"}, {"sequence", "7"}, {"start", at(1920)}},
                 replay("ncclAllReduce", 2, 0, 300),
                 replay("ncclAllReduce", 6, 1, 1000),
                 replay("ncclAllGather", 0, 0, 300),
                 replay("ncclBroadcast", 1, 0, 300),
                 replay("ncclAllGather", 4, 1, 1000),
                 replay("ncclBroadcast", 5, 1, 1000)},
                fleet.rows("collectives"));
}

// A graph of a call and a group, launched three times: the second launch hangs, so the third does not begin. What was captured
// after the launches came with an update of the graph.
TEST(FleetRows, GiveReplaysThatDoNotEndARow)
{
    NcclMaker m;
    m.stream(7);
    m.push("ProfilerStep#4", 0, TL_STEP);
    auto single = nccl_range(m, "NCCL:ncclAllReduce", 10, 10);
    nccl_call(m, "ncclAllGather", 120, 10, 96, 7);
    nccl_call(m, "ncclBroadcast", 130, 10, 32, 7);
    auto grouped = nccl_launch(m, 140, 7);
    uint32_t graphs[4];
    for (int i = 0; i < 4; i++)
        graphs[i] =
            m.launch("cudaGraphLaunch", 300 + 100 * i, 310 + 100 * i, TL_LAUNCHES | TL_GRAPH);
    auto later = nccl_range(m, "NCCL:ncclReduce", 700, 10);
    m.pop(1000);
    m.kernel("ncclDevKernel_AllReduce", graphs[0], 800, 900);
    m.kernel("ncclDevKernel_Generic", graphs[0], 900, 950);
    m.kernel("ncclDevKernel_AllReduce", graphs[1], 1800, 1900);
    timeline *made = m.done();
    std::vector<tl_captured> captured;
    for (uint32_t i = 0; i < made->gpus.count; i++)
        captured.push_back({i, i == 1 ? grouped : single, TL_NONE, TL_CAPTURED_RECORDED});
    std::vector<tl_graph_node> nodes;
    for (auto slice : {grouped, later, single, single}) {
        tl_graph_node node{};
        node.slice = slice;
        node.graph = nodes.size() == 2 ? 0 : 1;
        nodes.push_back(node);
    }
    std::vector<tl_graph> known(2);
    std::vector<tl_graph_launch> launches;
    for (uint32_t i = 0; i < 3; i++)
        launches.push_back({graphs[i], 1, 2, 2 - i, 0, false});
    launches.push_back({graphs[3], 1, 2, 0, 0, true}); // as a whole: it shows no collectives
    made->captured = {captured.data(), 3, 3};
    made->graph_nodes = {nodes.data(), 4, 4};
    made->graphs = {known.data(), 2, 2};
    made->graph_launches = {launches.data(), 4, 4};
    Fleet fleet;
    fleet.add(made);
    auto open = [](const char *function, int sequence, int64_t called) {
        return Row{{"function", function}, {"sequence", std::to_string(sequence)},
                   {"step", "4"},          {"called", at(called)},
                   {"start", "null"},      {"duration_ns", "null"},
                   {"stream", "null"}};
    };
    expect_rows({{{"function", "ncclAllReduce"}, {"sequence", "0"}, {"start", at(800)}},
                 {{"function", "ncclAllGather"}, {"sequence", "1"}, {"start", at(900)}},
                 {{"function", "ncclBroadcast"}, {"sequence", "2"}, {"start", at(900)}},
                 {{"function", "ncclAllReduce"}, {"sequence", "3"}, {"start", at(1800)}},
                 open("ncclAllGather", 4, 400),
                 open("ncclBroadcast", 5, 400),
                 open("ncclAllGather", 6, 500),
                 open("ncclBroadcast", 7, 500),
                 open("ncclAllReduce", 8, 500)},
                fleet.rows("collectives"));
}

TEST(FleetRows, TakeKernelsWhereRangesHoldNone)
{
    NcclMaker m;
    m.stream(7);
    nccl_range(m, "NCCL:ncclAllGather", 0, 10);
    auto call = m.launch("cudaLaunchKernel", 200, 210);
    m.kernel("ncclDevKernel_AllGather", call, 300, 1000);
    m.kernel("ncclDevKernel_SendRecv", TL_NONE, 1100, 1200);
    m.kernel("NCCLdevkernel_AllGather", TL_NONE, 1300, 1400);
    m.kernel("ncclDevKernel_AllGather", TL_NONE, 1500, 1600);
    Fleet fleet;
    fleet.add(m.done());
    expect_rows({{{"function", "ncclDevKernel_AllGather"},
                  {"communicator", "null"},
                  {"sequence", "0"},
                  {"bytes", "null"},
                  {"called", at(210)},
                  {"duration_ns", "700"}},
                 {{"function", "ncclDevKernel_SendRecv"}, {"sequence", "null"}, {"called", "null"}},
                 {{"function", "NCCLdevkernel_AllGather"}, {"sequence", "0"}},
                 {{"function", "ncclDevKernel_AllGather"}, {"sequence", "1"}}},
                fleet.rows("collectives"));
}

TEST(FleetRows, KeepRangesWhereThereAreNoKernels)
{
    NcclMaker m;
    nccl_range(m, "ncclAllGather", 500, 10);
    Fleet fleet;
    fleet.add(m.done());
    expect_rows({{{"function", "ncclAllGather"}, {"called", at(500)}, {"start", "null"}}},
                fleet.rows("collectives"));
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
    expect_rows({{{"rank", "-1"}, {"rank_known", "false"}, {"pid", "100"}, {"world_size", "null"}},
                 {{"rank", "-2"}, {"pid", "300"}, {"program", "second"}},
                 {{"rank", "3"}, {"rank_known", "true"}, {"pid", "100"}, {"file", "x.prof"}},
                 {{"rank", "3"}, {"pid", "200"}, {"source", "libprof"}, {"identity", "abc"}}},
                fleet.rows("ranks"));
    auto steps = fleet.rows("steps");
    ASSERT_EQ(steps.size(), 4u);
    EXPECT_EQ(steps[0], steps[2]); // not the sum of both
    EXPECT_EQ(fleet.rows("ledger").size(), 4u);
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
    for (int i = 0; i < 3; i++)
        fleet.add(i == 1 ? large.done() : small.done());
    auto calls = fleet.rows("calls");
    ASSERT_EQ(calls.size(), 20002u);
    EXPECT_EQ(calls[0]["rank"], "-3"); // ascending
    EXPECT_EQ(calls[20001]["rank"], "-1");
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
