// Rows of NCCL's collectives: which kernel, group and replay a call belongs to.
#include "fleet_fixture.h"

namespace
{

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

// A record_param_comms range of PyTorch's. Returns the launch, which is in another PyTorch range inside it.
uint32_t pytorchs_range(TimelineMaker &m, const char *function, int64_t start_ns, int64_t number,
                        const char *ranks, int64_t rank)
{
    auto range = m.push("record_param_comms", start_ns);
    m.attr(range, "Collective name", function);
    m.attr(range, "Process Group Name", "1");
    m.attr(range, "Process Group Ranks", ranks);
    m.attr(range, "Seq", number);
    m.attr(range, "Rank", rank);
    m.attr(range, "dtype", "BFloat16");
    m.attr(range, "In msg nelems", int64_t{100});
    m.attr(range, "Out msg nelems", int64_t{400});
    m.push("nccl:" + std::string(function), start_ns + 5);
    auto call = m.launch("cudaLaunchKernelExC", start_ns + 10, start_ns + 20);
    m.pop(start_ns + 50);
    m.pop(start_ns + 100);
    return call;
}

TEST(FleetRows, AreThoseThatPyTorchStatesWithoutRangesOfNccl)
{
    TimelineMaker m;
    m.processes[0].info.rank = 0;
    m.stream(7);
    auto first = pytorchs_range(m, "_allgather_base", 0, 41, "[0, 1, 2, 3]", 2);
    auto send = pytorchs_range(m, "send", 1000, 42, "[0, 1, 2, 3]", 3);
    pytorchs_range(m, "wait", 2000, 42, "[0, 1, 2, 3]", 2);
    pytorchs_range(m, "allreduce_coalesced", 3000, 7, "[0, 4]", 0);
    m.kernel("ncclDevKernel_AllGather", first, 200, 700);
    m.kernel("ncclDevKernel_SendRecv", send, 1200, 1300);
    Fleet fleet;
    fleet.add(m.done());
    auto rows = fleet.rows("collectives");
    expect_rows({{{"function", "ncclAllGather"},
                  {"sequence", "41"},
                  {"bytes", "200"},
                  {"type", "BFloat16"},
                  {"communicator_rank", "2"},
                  {"peer", "null"},
                  {"start", at(200)},
                  {"duration_ns", "500"}},
                 {{"function", "ncclSend"},
                  {"sequence", "null"},
                  {"peer", "3"},
                  {"communicator_rank", "null"},
                  {"duration_ns", "100"}},
                 {{"function", "ncclAllReduce"}, {"sequence", "7"}, {"duration_ns", "null"}}},
                rows);
    EXPECT_EQ(rows.at(0).at("communicator"), rows.at(1).at("communicator"));
    EXPECT_NE(rows.at(0).at("communicator"), rows.at(2).at("communicator"));
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

} // namespace
