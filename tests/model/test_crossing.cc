/* test_crossing.cc - ranges of several stacks on one thread: each ends its own, and the slices are a
 * tree. */
#include "../support/trace_fixture.h"

#include <gtest/gtest.h>

#include <string>

namespace
{

std::string segments(const timeline *t)
{
    std::string text;
    for (uint32_t i = 0; i < t->segments.count; i++)
        text += std::to_string(t->segments.at[i].before) + ">" +
                std::to_string(t->segments.at[i].slice) + " of " +
                std::to_string(t->segments.at[i].first) + "\n";
    return text;
}

} // namespace

TEST(Crossing, APopEndsTheInnermostRangeOfItsOwnStack)
{
    Trace trace;
    trace.domain(1, "lib").thread(1).log(0, 1);
    trace.push(10, "a").nvtx_push(20, "b").nvtx_push(30, "c", 1);
    trace.nvtx_pop(40, 1).nvtx_pop(50).pop(60);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(slice_tree(t), "a 10 60\n b 20 50\n  c 30 40\n");
    EXPECT_EQ(t->segments.count, 0u);
    EXPECT_EQ(t->ledger.unclosed, 0u);
    EXPECT_EQ(findings(t), "");
}

TEST(Crossing, CutsTheRangeThatWasBegunLater)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(10, "a").nvtx_push(20, "b").pop(30).nvtx_pop(40);
    const timeline *t = trace.load();
    EXPECT_EQ(slice_tree(t), "a 10 30\n b 20 30\nb 30 40 continued\n");
    EXPECT_EQ(segments(t), "1>2 of 1\n");
    EXPECT_EQ(t->ledger.unclosed, 0u);
    EXPECT_EQ(t->ledger.unopened, 0u);
    EXPECT_EQ(findings(t), "");
}

TEST(Crossing, AgainAndAgainKeepsOneCall)
{
    Trace trace;
    trace.domain(1, "lib").thread(1).log(0, 1);
    trace.push(10, "a").push(11, "b").nvtx_push(12, "x", 1).nvtx_push(13, "y");
    trace.pop(20).pop(30).nvtx_pop(40, 1).nvtx_pop(50);
    const timeline *t = trace.load();
    EXPECT_EQ(slice_tree(t), "a 10 30\n b 11 20\n  x 12 20\n   y 13 20\n"
                             " x 20 30 continued\n  y 20 30 continued\n"
                             "x 30 40 continued\n y 30 40 continued\ny 40 50 continued\n");
    EXPECT_EQ(segments(t), "2>4 of 2\n3>5 of 3\n4>6 of 2\n5>7 of 3\n7>8 of 3\n");
    EXPECT_EQ(findings(t), "");
}

TEST(Crossing, LaunchesBelongToTheInnermostRangeOpenThere)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(10, "a").nvtx_push(20, "b").launch(22, 24, 1).pop(30);
    trace.launch(32, 34, 2).nvtx_pop(40).kernel(50, 60, 1).kernel(60, 70, 2);
    const timeline *t = trace.api_names().load();
    EXPECT_EQ(slice_tree(t), "a 10 30\n b 20 30\n  cudaLaunchKernel 22 24\n"
                             "b 30 40 continued\n cudaLaunchKernel 32 34\n");
    EXPECT_EQ(t->gpus.at[0].slice, 2u);
    EXPECT_EQ(t->gpus.at[1].slice, 4u);
    EXPECT_EQ(findings(t), "");
}

TEST(Crossing, WhatIsLeftOpenIsCountedOncePerRange)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(10, "a").nvtx_push(20, "b").pop(30).nvtx_pop(35, 9).pop(36);
    trace_builder_thread_end(trace.raw(), 40);
    const timeline *t = trace.load();
    EXPECT_EQ(slice_tree(t), "a 10 30\n b 20 30\nb 30 40 continued unclosed\n");
    EXPECT_EQ(t->threads.at[0].unclosed, 1u);
    EXPECT_EQ(t->threads.at[0].unopened, 2u) << "pops of stacks on which nothing is open";
    EXPECT_EQ(findings(t), "warning unbalanced-ranges");
}

TEST(Crossing, AStopEndsAllStacks)
{
    Trace trace;
    trace.thread(1);
    trace_builder_control(trace.raw(), 50, 1, false);
    trace.log(0, 1, 1).push(10, "a").nvtx_push(20, "b");
    trace_builder_epoch(trace.raw(), 100, 2);
    trace.nvtx_push(110, "c").nvtx_pop(120);
    const timeline *t = trace.load();
    EXPECT_EQ(slice_tree(t), "a 10 50\n b 20 50\nc 110 120\n");
    EXPECT_EQ(t->ledger.unclosed, 0u);
}

TEST(Crossing, PopsThatACutExplainsAreNotCounted)
{
    Trace trace;
    trace.header().flags |= PROF_FILE_RING;
    trace.domain(3, "lib").thread(1).log(0, 1).nvtx_push(10, "a", 3);
    trace_builder_chunk(trace.raw(), 2);
    trace.nvtx_pop(100, 3).nvtx_pop(110).nvtx_push(120, "b", 3).nvtx_pop(130, 3);
    const timeline *t = trace.load();
    EXPECT_EQ(slice_tree(t), "a 10 10\nb 120 130\n");
    EXPECT_EQ(t->threads.at[0].unopened, 0u);
    EXPECT_EQ(findings(t), "note missing-chunks");
}

TEST(Crossing, StepsGoOnAfterTheRangeTheyBeganIn)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(10, "a").step(12, 0).nvtx_push(20, "b").pop(30).nvtx_pop(40);
    trace.step(50, 1);
    trace_builder_thread_end(trace.raw(), 60);
    const timeline *t = trace.load();
    EXPECT_EQ(slice_tree(t),
              "a 10 30\n ProfilerStep#0 12 30\n  b 20 30\nProfilerStep#0 30 50 continued\n"
              " b 30 40 continued\nProfilerStep#1 50 60\n");
    EXPECT_EQ(findings(t), "");
}

TEST(Crossing, ACallWhoseExitWasLostStillLetsARangeGoOn)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(10, "a").enter(12, 7, 0).nvtx_push(20, "b").pop(30).nvtx_pop(40);
    const timeline *t = trace.api_names().load();
    EXPECT_EQ(slice_tree(t), "a 10 30\n cudaLaunchKernel 12 30 unclosed\n  b 20 30\n"
                             "b 30 40 continued\n");
    EXPECT_EQ(t->ledger.unclosed, 0u);
}

TEST(Crossing, ThreadsHaveStacksOfTheirOwn)
{
    Trace trace;
    trace.domain(1, "x").domain(2, "y").thread(1).thread(2);
    trace.log(0, 1).nvtx_push(10, "a", 1).nvtx_push(20, "b", 2);
    trace.log(1, 2).nvtx_push(15, "c", 2).nvtx_push(25, "d", 1);
    trace.log(0, 1).nvtx_pop(30, 2).nvtx_pop(40, 1);
    trace.log(1, 2).nvtx_pop(35, 1).nvtx_pop(45, 2);
    EXPECT_EQ(slice_tree(trace.load()), "a 10 40\n b 20 30\nc 15 45\n d 25 35\n");
}

TEST(Crossing, IsRightInALogHandedToAndFro)
{
    Trace trace;
    trace.thread(1).thread(2).thread(3);
    trace.log(0, 1).push(1, "early").pop(2);
    trace_builder_thread_end(trace.raw(), 3);
    trace_builder_handover(trace.raw(), 3, 1003);
    trace.push(10, "a").nvtx_push(20, "b").pop(30).nvtx_pop(40);
    trace.log(1, 2).push(12, "c").pop(14);
    const timeline *t = trace.load();
    EXPECT_EQ(slice_tree(t), "early 1 2\nc 12 14\na 10 30\n b 20 30\nb 30 40 continued\n");
    EXPECT_EQ(segments(t), "3>4 of 3\n");
    EXPECT_EQ(findings(t), "");
}

TEST(Crossing, ByMoreRangesThanGoOnEndsTheOuterOnes)
{
    Trace trace;
    trace.domain(1, "lib").thread(1).log(0, 1).push(1, "a");
    uint32_t name = trace.event_name("deep", 1);
    for (int i = 0; i < 100; i++)
        trace_builder_nvtx_push(trace.raw(), 10 + i, name);
    trace.pop(200);
    for (int i = 0; i < 100; i++)
        trace.nvtx_pop(300 + i, 1);
    const timeline *t = trace.load();
    EXPECT_EQ(t->segments.count, 64u);
    EXPECT_EQ(t->processes.at[0].odd.uncut_ranges, 36u);
    EXPECT_EQ(t->ledger.unclosed, 36u);
    EXPECT_EQ(t->ledger.unopened, 36u);
    EXPECT_EQ(findings(t), "warning unbalanced-ranges, note odd-names");
}

TEST(Labels, SayDomainCategoryAndColour)
{
    Trace trace;
    prof_rec_event_name detail = {};
    detail.category = 3;
    detail.color = 0x80ff0000;
    detail.flags = PROF_EVENT_NAME_COLORED;
    trace.thread(1).log(0, 1);
    uint32_t load = trace.event_name("load", 7, detail);
    trace_builder_nvtx_push(trace.raw(), 10, load);
    trace_builder_mark(trace.raw(), 11, load);
    trace_builder_begin(trace.raw(), 12, load, 5);
    trace.domain(7, "lib"); /* after what refers to it */
    trace_builder_category(trace.raw(), 7, 3, "io");
    trace.nvtx_push(13, "plain").push(14, "ours");
    const timeline *t = trace.load();
    ASSERT_EQ(t->labels.count, 2u);
    const tl_label &label = t->labels.at[t->slices.at[0].label];
    EXPECT_STREQ(t->names.at[t->slices.at[0].name].bytes, "load");
    EXPECT_STREQ(t->names.at[label.name].bytes, "lib:load");
    EXPECT_STREQ(t->names.at[t->domains.at[label.domain].name].bytes, "lib");
    EXPECT_EQ(t->categories.at[label.category].number, 3u);
    EXPECT_STREQ(t->names.at[t->categories.at[label.category].name].bytes, "io");
    EXPECT_EQ(label.color, 0x80ff0000u);
    EXPECT_EQ(label.flags, TL_LABEL_COLORED);
    EXPECT_EQ(t->marks.at[0].label, t->slices.at[0].label);
    EXPECT_EQ(t->asyncs.at[0].label, t->slices.at[0].label);
    const tl_label &plain = t->labels.at[t->slices.at[1].label];
    EXPECT_EQ(t->domains.at[plain.domain].number, 0u);
    EXPECT_EQ(plain.name, TL_NONE);
    EXPECT_EQ(t->slices.at[2].label, TL_NONE) << "prof.h's ranges are in no domain";
}

TEST(Labels, OfDamagedNamesAreCountedAndHarmless)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    prof_rec_event_name missing = {}, unnamed = {}, collides = {};
    missing.name = 999;
    missing.domain = 44;
    collides.name = trace.name("x");
    trace_builder_nvtx_push(trace.raw(), 10, trace_builder_event_name(trace.raw(), missing));
    trace_builder_nvtx_push(trace.raw(), 20, trace_builder_event_name(trace.raw(), unnamed));
    uint32_t twice = trace_builder_event_name(trace.raw(), collides);
    trace_builder_name_as(trace.raw(), twice, "a name", 6);
    trace_builder_name_as(trace.raw(), twice, "another name", 12);
    trace_builder_nvtx_push(trace.raw(), 30, twice);
    trace.nvtx_pop(40).nvtx_pop(50).nvtx_pop(60, 44);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(slice_tree(t), "(name 999 is missing) 10 60\n  20 50\n  another name 30 40\n");
    EXPECT_STREQ(t->names.at[t->labels.at[0].name].bytes,
                 "(domain 44 is missing):(name 999 is missing)");
    EXPECT_EQ(t->processes.at[0].odd.unknown_domains, 1u);
    EXPECT_EQ(t->processes.at[0].odd.redefined_names, 2u);
    EXPECT_EQ(findings(t), "error names, note odd-names");
}

TEST(NvtxAttributes, BelongToTheWholeCall)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(10, "a").nvtx_push(20, "b").pop(30);
    trace.attr("late", PROF_ATTR_UINT, 7).nvtx_pop(40);
    const timeline *t = trace.load();
    ASSERT_EQ(t->attrs.count, 1u);
    EXPECT_EQ(t->attrs.at[0].slice, 1u) << "the first piece, though the second was open";
}

TEST(NvtxAttributes, GoToTheInnermostRangeOfWhateverStack)
{
    Trace trace;
    trace.domain(1, "lib").thread(1).log(0, 1).nvtx_push(10, "a", 1).push(20, "b");
    trace.attr("x", PROF_ATTR_INT, 1).pop(30).enter(31, 7, 0).attr("x", PROF_ATTR_INT, 2);
    trace.exit(33, 7).nvtx_pop(40, 1).attr("x", PROF_ATTR_INT, 3);
    const timeline *t = trace.api_names().load();
    ASSERT_EQ(t->attrs.count, 2u);
    EXPECT_EQ(t->attrs.at[0].slice, 0u);
    EXPECT_EQ(t->attrs.at[0].value, 2u);
    EXPECT_EQ(t->attrs.at[1].slice, 1u);
    EXPECT_EQ(t->processes.at[0].odd.homeless_attrs, 1u);
}

TEST(NvtxAttributes, OfMarksAndBeginEndRangesAreKept)
{
    Trace trace;
    const uint64_t id = uint64_t(2) << 32 | 1;
    trace.thread(1).thread(2).log(0, 1);
    trace.attr("x", PROF_ATTR_INT, 0, PROF_ATTR_OF_MARK); /* of no mark */
    trace.attr("early", PROF_ATTR_INT, 1, id);            /* its log comes later */
    trace.attr("x", PROF_ATTR_INT, 0, id + 5);            /* of no range */
    trace_builder_mark(trace.raw(), 10, trace.name("first"));
    trace_builder_mark(trace.raw(), 20, trace.name("second"));
    trace.attr("color", PROF_ATTR_HEX, 2, PROF_ATTR_OF_MARK);
    trace.log(1, 2);
    trace_builder_begin(trace.raw(), 30, trace.name("request"), id - 1);
    trace_builder_begin(trace.raw(), 40, trace.name("request"), id);
    trace.attr("size", PROF_ATTR_UINT, 3, id).attr("size", PROF_ATTR_UINT, 4, id - 1);
    trace_builder_mark(trace.raw(), 50, trace.name("other"));
    const timeline *t = trace.load();
    EXPECT_EQ(t->processes.at[0].odd.homeless_attrs, 2u);
    EXPECT_EQ(timeline_mark_attrs(t, 0).count, 0u);
    ASSERT_EQ(timeline_mark_attrs(t, 1).count, 1u);
    EXPECT_EQ(timeline_mark_attrs(t, 1).at->value, 2u);
    EXPECT_EQ(timeline_mark_attrs(t, 2).count, 0u);
    ASSERT_EQ(timeline_async_attrs(t, 0).count, 1u);
    EXPECT_EQ(timeline_async_attrs(t, 0).at->value, 4u);
    ASSERT_EQ(timeline_async_attrs(t, 1).count, 2u);
    EXPECT_EQ(timeline_async_attrs(t, 1).at[0].value, 3u);
    EXPECT_EQ(timeline_async_attrs(t, 1).at[1].value, 1u);
}

TEST(GivenNames, OfStreamsAreFoundThroughLaunches)
{
    Trace trace;
    prof_rec_api_enter call = {};
    call.cbid = 211;
    call.domain = PROF_API_RUNTIME;
    call.flags = PROF_API_LAUNCHES;
    call.operations = 1;
    trace_builder_device(trace.raw(), 0, "GPU");
    trace_builder_context(trace.raw(), 1, 0);
    trace_builder_resource(trace.raw(), PROF_RESOURCE_STREAM, 0x5000, "old");
    trace_builder_resource(trace.raw(), PROF_RESOURCE_STREAM, 0x5000, "compute");
    trace_builder_resource(trace.raw(), PROF_RESOURCE_STREAM, 0, "null");
    trace_builder_resource(trace.raw(), PROF_RESOURCE_CONTEXT, 0xc0, "trainer");
    trace.thread(1).log(0, 1);
    for (uint32_t i : {1u, 2u, 3u}) {
        call.correlation = i;
        call.stream = i == 1 ? 0x5000 : i == 2 ? 0 : 0x6000;
        trace_builder_enter(trace.raw(), i * 10, call);
        trace.exit(i * 10 + 5, i);
        trace.kernel(i * 100, i * 100 + 50, i, 6 + i);
    }
    const timeline *t = trace.api_names().load();
    ASSERT_EQ(t->streams.count, 3u);
    EXPECT_STREQ(t->names.at[t->streams.at[0].given_name].bytes, "compute");
    EXPECT_EQ(t->streams.at[1].given_name, TL_NONE) << "the null handle may be of no stream";
    EXPECT_EQ(t->streams.at[2].given_name, TL_NONE);
    EXPECT_STREQ(t->names.at[t->devices.at[0].given_name].bytes, "trainer")
        << "the process's only context";
    trace_builder_resource(trace.raw(), PROF_RESOURCE_DEVICE, 0, "first");
    t = trace.load();
    EXPECT_STREQ(t->names.at[t->devices.at[0].given_name].bytes, "first");
}

TEST(GivenNames, OfContextsNameNoDeviceWhereThereAreSeveral)
{
    Trace trace;
    trace_builder_device(trace.raw(), 0, "GPU");
    trace_builder_context(trace.raw(), 1, 0);
    trace_builder_context(trace.raw(), 2, 0);
    trace_builder_resource(trace.raw(), PROF_RESOURCE_CONTEXT, 0xc0, "trainer");
    EXPECT_EQ(trace.load()->devices.at[0].given_name, TL_NONE);
}
