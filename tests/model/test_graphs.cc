/* test_graphs.cc - who captured the nodes of CUDA graphs, and what launches were to give. */
#include "../support/trace_fixture.h"
#include "timeline.h"

#include <gtest/gtest.h>

#include <string>

namespace
{

enum : uint64_t { CAPTURED = 0x100000001, OTHER = 0x100000002, CLONE = 0x200000001 };
constexpr uint32_t GRAPH = 2;

class GraphTrace : public Trace
{
public:
    GraphTrace()
    {
        trace_builder_api_name(raw(), PROF_API_RUNTIME, 311, "cudaGraphLaunch");
        api_names().thread(1).log(0, 1);
    }

    GraphTrace &node(int64_t time, uint64_t id, uint64_t original = 0, unsigned flags = 0,
                     uint32_t graph = GRAPH)
    {
        uint64_t words[] = {id, original, graph | static_cast<uint64_t>(flags) << 40};
        trace_builder_ext(raw(), PROF_REC_GRAPH_NODE, static_cast<uint64_t>(time), words, 3);
        return *this;
    }
    GraphTrace &earlier(int64_t time, uint64_t id, uint64_t original = 0)
    {
        prof_rec_earlier_node record = {};
        record.header = PROF_WORD_EXT(static_cast<uint64_t>(PROF_KIND_EXT), PROF_REC_EARLIER_NODE,
                                      sizeof record / 8, 0);
        record.node = id;
        record.original = original;
        record.ticks = TRACE_BUILDER_START_TICKS + static_cast<uint64_t>(time);
        record.graph = GRAPH;
        trace_builder_meta(raw(), &record, sizeof record);
        return *this;
    }
    GraphTrace &graph(int64_t time, uint32_t kernels, uint32_t memcpys = 0, unsigned flags = 0)
    {
        prof_rec_graph record = {};
        record.header = PROF_WORD_EXT(static_cast<uint64_t>(PROF_KIND_EXT), PROF_REC_GRAPH,
                                      sizeof record / 8, 0);
        record.ticks = TRACE_BUILDER_START_TICKS + static_cast<uint64_t>(time);
        record.graph = GRAPH;
        record.kernels = kernels;
        record.memcpys = memcpys;
        record.flags = flags;
        trace_builder_meta(raw(), &record, sizeof record);
        return *this;
    }
    GraphTrace &launch_graph(int64_t time, uint32_t correlation, uint32_t operations,
                             unsigned flags = 0, int32_t result = 0)
    {
        prof_rec_api_enter call = {};
        call.correlation = correlation;
        call.cbid = 311;
        call.domain = PROF_API_RUNTIME;
        call.flags = static_cast<uint8_t>(PROF_API_GRAPH | flags);
        call.name = GRAPH;
        call.operations = operations;
        trace_builder_enter(raw(), time, call);
        exit(time + 5, correlation, result);
        return *this;
    }
    GraphTrace &ran(int64_t time, uint32_t correlation, uint64_t node)
    {
        prof_rec_kernel detail = {};
        detail.context = 1;
        detail.stream = 7;
        detail.name = name("kernel");
        detail.graph = GRAPH;
        detail.graph_node = node;
        trace_builder_kernel(raw(), time, time + 10, correlation, detail, true);
        return *this;
    }
    GraphTrace &copied(int64_t time, uint32_t correlation)
    {
        prof_rec_memcpy detail = {};
        detail.context = 1;
        detail.stream = 7;
        detail.graph = GRAPH;
        trace_builder_memcpy(raw(), time, time + 10, correlation, detail);
        return *this;
    }
    void open(int64_t time, const char *text) { push(time, text); }
};

/* Of each operation of a graph: the range that captured its node. */
std::string captures(const timeline *t)
{
    std::string text;
    for (uint32_t i = 0; i < t->captured.count; i++) {
        const tl_captured *c = captured_of(t, t->captured.at[i].gpu);
        std::string name = c->when == TL_CAPTURED_EARLIER   ? "(earlier)"
                           : c->when == TL_CAPTURED_UNKNOWN ? "(unknown)"
                           : c->slice == TL_NONE            ? "(outside)"
                                                 : t->names.at[t->slices.at[c->slice].name].bytes;
        text += (text.empty() ? "" : " ") + name;
    }
    return text;
}

/* expected recorded lost undelivered unobserved never-delivered */
std::string graph_ledger(const timeline *t)
{
    const tl_ledger &l = t->ledger;
    uint64_t nodes = t->processes.at[0].loss[PROF_LOSS_GRAPH_NODES];
    std::string text;
    for (uint64_t n : {l.graph_expected, l.launched_graph, l.graph_lost - nodes,
                       l.graph_undelivered, l.graph_unobserved, nodes})
        text += (text.empty() ? "" : " ") + std::to_string(n);
    return text;
}

} // namespace

TEST(Captured, ThroughAClone)
{
    GraphTrace trace;
    trace.open(10, "capture");
    trace.node(20, CAPTURED, 0, 0, 1).pop(30);
    trace.open(40, "instantiate");
    trace.node(50, CLONE, CAPTURED).pop(60);
    trace.launch_graph(100, 1, 1).ran(200, 1, CLONE);
    const timeline *t = trace.load();
    EXPECT_EQ(captures(t), "capture");
    EXPECT_EQ(findings(t), "");
    EXPECT_EQ(captured_of(t, t->gpus.count), nullptr);
}

TEST(Captured, OutsideOfEveryRange)
{
    GraphTrace trace;
    trace.node(20, CAPTURED).launch_graph(100, 1, 1).ran(200, 1, CAPTURED);
    EXPECT_EQ(captures(trace.load()), "(outside)");
}

TEST(Captured, WhileRecordingWasOff)
{
    GraphTrace trace;
    trace.earlier(-200, CAPTURED).earlier(-100, CLONE, CAPTURED);
    trace.launch_graph(100, 1, 1).ran(200, 1, CLONE);
    EXPECT_EQ(captures(trace.load()), "(earlier)");
}

TEST(Captured, AnUpdateCountsFromThenOn)
{
    GraphTrace trace;
    trace.open(10, "first");
    trace.node(20, CAPTURED, 0, 0, 1).pop(30);
    trace.node(40, CLONE, CAPTURED).launch_graph(50, 1, 1);
    trace.open(60, "second");
    trace.node(70, OTHER, 0, 0, 3).pop(80);
    trace.node(90, CLONE, OTHER, PROF_GRAPH_NODE_UPDATED).launch_graph(100, 2, 1);
    trace.ran(200, 1, CLONE).ran(300, 2, CLONE);
    EXPECT_EQ(captures(trace.load()), "first second") << "by launch, not by when they ran";
}

TEST(Captured, NothingIsClaimedAfterAnUpdateThatNobodySaw)
{
    GraphTrace trace;
    trace.open(10, "first");
    trace.node(20, CAPTURED, 0, 0, 1).pop(30);
    trace.node(40, CLONE, CAPTURED).launch_graph(50, 1, 1);
    trace.node(60, 0, 0, PROF_GRAPH_NODE_UNKNOWN).launch_graph(70, 2, 1);
    trace.ran(200, 1, CLONE).ran(300, 2, CLONE);
    EXPECT_EQ(captures(trace.load()), "first (unknown)");
}

TEST(Captured, ANodeOfUnknownOriginIsUnknown)
{
    GraphTrace trace;
    trace.node(10, CLONE, CAPTURED).launch_graph(50, 1, 2);
    trace.ran(200, 1, CLONE).ran(300, 1, 0x999);
    EXPECT_EQ(captures(trace.load()), "(unknown) (unknown)");
}

TEST(Captured, CirclesOfClonesEnd)
{
    GraphTrace trace;
    trace.node(10, CLONE, CLONE).node(20, CAPTURED, OTHER).node(30, OTHER, CAPTURED);
    trace.launch_graph(50, 1, 3).ran(200, 1, CLONE).ran(300, 1, CAPTURED).ran(400, 1, OTHER);
    EXPECT_EQ(captures(trace.load()), "(unknown) (unknown) (unknown)");
}

TEST(Captured, SurvivesThatThreadsTakeTurnsInALog)
{
    GraphTrace trace;
    trace.thread(2);
    trace.open(10, "one");
    trace.pop(20);
    trace_builder_handover(trace.raw(), 2, 1002);
    trace.open(30, "capture");
    trace.node(40, CAPTURED).pop(50).push(55, "replay");
    trace.launch_graph(60, 1, 1).pop(70);
    trace_builder_handover(trace.raw(), 1, 1001);
    trace.open(80, "two");
    trace.pop(90);
    trace.ran(200, 1, CAPTURED);
    const timeline *t = trace.load();
    EXPECT_EQ(captures(t), "capture");
    EXPECT_EQ(findings(t), "");
    EXPECT_TRUE(t->slices.at[t->graph_launches.at[0].slice].flags & TL_GRAPH);
}

TEST(GraphLaunches, GiveWhatTheyWereToGive)
{
    GraphTrace trace;
    trace.graph(10, 2, 1).launch_graph(50, 1, 2);
    trace.ran(200, 1, CLONE).ran(210, 1, CLONE + 1).copied(220, 1);
    const timeline *t = trace.load();
    ASSERT_EQ(t->graph_launches.count, 1u);
    EXPECT_EQ(t->graph_launches.at[0].expected, 3u);
    EXPECT_EQ(t->graph_launches.at[0].recorded, 3u);
    EXPECT_EQ(t->graphs.at[t->graph_launches.at[0].graph].kernels, 2u);
    EXPECT_EQ(graph_ledger(t), "3 3 0 0 0 0");
    EXPECT_EQ(t->ledger.launched_graph, 3u);
}

TEST(GraphLaunches, WhatNobodyCountedIsALoss)
{
    GraphTrace trace;
    trace.graph(10, 2).launch_graph(50, 1, 2).launch_graph(60, 2, 2);
    trace.ran(200, 1, CLONE).ran(210, 1, CLONE + 1).ran(220, 2, CLONE);
    const timeline *t = trace.load();
    EXPECT_EQ(graph_ledger(t), "4 3 0 0 0 1");
    EXPECT_EQ(t->ledger.lost_device, 1u);
    EXPECT_EQ(findings(t), "warning loss");
}

TEST(GraphLaunches, WhatAnotherCauseCountsIsCountedOnce)
{
    GraphTrace trace;
    trace.graph(10, 2).launch_graph(50, 1, 2).ran(200, 1, CLONE);
    trace.header().loss[PROF_LOSS_CUPTI_DROPPED] = 1;
    EXPECT_EQ(graph_ledger(trace.load()), "2 1 1 0 0 0");
}

TEST(GraphLaunches, LossesExplainOtherLaunchesFirst)
{
    GraphTrace trace;
    trace.launch(20, 30, 9);
    trace.graph(10, 1).launch_graph(50, 1, 1);
    trace.header().loss[PROF_LOSS_ZERO_TIME] = 1;
    const timeline *t = trace.load();
    EXPECT_EQ(t->ledger.lost_operations, 1u);
    EXPECT_EQ(graph_ledger(t), "1 0 0 0 0 1");
}

TEST(GraphLaunches, OfAKilledProcessAreUndelivered)
{
    GraphTrace trace;
    trace.graph(10, 2).launch_graph(50, 1, 2);
    trace.header().state = PROF_STATE_RECORDING;
    EXPECT_EQ(graph_ledger(trace.load()), "2 0 0 2 0 0");
}

TEST(GraphLaunches, ThatFailedGiveNothing)
{
    GraphTrace trace;
    trace.graph(10, 2).launch_graph(50, 1, 2, 0, 700);
    EXPECT_EQ(graph_ledger(trace.load()), "0 0 0 0 0 0");
}

TEST(GraphLaunches, ACopyIsExpectedOnceOneWasSeen)
{
    GraphTrace trace;
    trace.graph(10, 1, 2).launch_graph(50, 1, 1).launch_graph(60, 2, 1);
    trace.ran(200, 1, CLONE).copied(210, 1).ran(220, 2, CLONE);
    const timeline *t = trace.load();
    EXPECT_EQ(graph_ledger(t), "4 3 0 0 0 1") << "the second copy may be the host's";
}

TEST(GraphLaunches, OfAGraphThatVariesAreNotKnown)
{
    GraphTrace trace;
    trace.graph(10, 2, 0, PROF_GRAPH_VARIES).launch_graph(50, 1, 0).ran(200, 1, CLONE);
    const timeline *t = trace.load();
    EXPECT_EQ(graph_ledger(t), "1 1 0 0 0 0");
    EXPECT_EQ(t->graph_launches.at[0].recorded, 1u);
}

TEST(GraphLaunches, AsAWholeGiveOneOperation)
{
    GraphTrace trace;
    trace.graph(10, 5).launch_graph(50, 1, 1, PROF_API_WHOLE_GRAPH);
    trace.launch_graph(60, 2, 1, PROF_API_WHOLE_GRAPH);
    uint64_t words[] = {TRACE_BUILDER_START_REALTIME + 200, TRACE_BUILDER_START_REALTIME + 300,
                        GRAPH | UINT64_C(1) << 32, 7};
    trace_builder_ext(trace.raw(), PROF_REC_GRAPH_RUN, 1, words, 4);
    trace.header().gpu_records++;
    const timeline *t = trace.load();
    ASSERT_EQ(t->gpus.count, 1u);
    EXPECT_EQ(t->gpus.at[0].kind, TL_GRAPH_RUN);
    EXPECT_EQ(t->gpus.at[0].end_ns - t->gpus.at[0].start_ns, 100);
    EXPECT_STREQ(t->names.at[t->gpus.at[0].name].bytes, "CUDA graph 2");
    EXPECT_EQ(graph_ledger(t), "2 1 0 0 0 1");
    EXPECT_EQ(findings(t), "warning loss");
}
