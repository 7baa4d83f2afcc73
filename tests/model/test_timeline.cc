/* test_timeline.cc - threads' events become trees of slices. */
#include "../support/trace_fixture.h"

#include <gtest/gtest.h>

#include <string>
#include <unistd.h>
#include <utility>

namespace
{

std::string name_of(const timeline *t, uint32_t name)
{
    return name < t->names.count ? std::string(t->names.at[name].bytes, t->names.at[name].size)
                                 : "?";
}

} // namespace

TEST(Slices, NestAsTheyWerePushed)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(10, "a").push(20, "b").pop(30).push(40, "c").pop(50).pop(60);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(slice_tree(t), "a 10 60\n b 20 30\n c 40 50\n");
    EXPECT_EQ(t->slices.at[0].parent, TL_NONE);
    EXPECT_EQ(t->slices.at[1].parent, 0u);
    EXPECT_EQ(t->slices.at[2].parent, 0u);
    EXPECT_EQ(t->start_ns, 10);
    EXPECT_EQ(t->end_ns, 60);
    EXPECT_EQ(findings(t), "");
}

TEST(Slices, OfEachThreadLieSideBySide)
{
    Trace trace;
    trace.thread(1).thread(2).log(0, 1).push(10, "a");
    trace.log(1, 2).push(15, "x").pop(25);
    trace.log(0, 1).pop(30);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr);
    EXPECT_EQ(t->threads.at[0].first_slice, 0u);
    EXPECT_EQ(t->threads.at[0].slice_count, 1u);
    EXPECT_EQ(t->threads.at[1].first_slice, 1u);
    EXPECT_EQ(t->threads.at[1].slice_count, 1u);
    EXPECT_EQ(t->threads.at[1].tid, 1002u);
    EXPECT_EQ(t->threads.at[1].number, 2u);
}

TEST(Slices, OfALogHandedToAndFroAreRegrouped)
{
    Trace trace;
    trace.thread(1).thread(2).thread(3);
    trace.log(0, 1).push(10, "a1").pop(20);
    trace_builder_thread_end(trace.raw(), 20);
    trace_builder_handover(trace.raw(), 3, 1003);
    trace.push(30, "c").push(32, "d");
    trace_builder_attr(trace.raw(), trace.name("key"), PROF_ATTR_INT, 5);
    trace_builder_mark(trace.raw(), 33, trace.name("m"));
    trace.launch(34, 35, 9).pop(36).pop(40);
    trace.log(1, 2).push(12, "b").pop(14);
    trace.kernel(50, 60, 9);
    const timeline *t = trace.api_names().load();
    ASSERT_NE(t, nullptr);
    EXPECT_EQ(slice_tree(t), "a1 10 20\nb 12 14\nc 30 40\n d 32 36\n  cudaLaunchKernel 34 35\n");
    EXPECT_EQ(t->slices.at[4].parent, 3u);
    EXPECT_EQ(t->attrs.at[0].slice, 3u);
    EXPECT_EQ(t->marks.at[0].slice, 3u);
    EXPECT_EQ(t->gpus.at[0].slice, 4u);
    EXPECT_EQ(findings(t), "");
}

TEST(Slices, APopWithoutAPushIsCountedAndIgnored)
{
    Trace trace;
    trace.thread(1).log(0, 1).pop(5).push(10, "a").pop(20).pop(30);
    const timeline *t = trace.load();
    EXPECT_EQ(slice_tree(t), "a 10 20\n");
    EXPECT_EQ(t->threads.at[0].unopened, 2u);
    EXPECT_EQ(t->ledger.unopened, 2u);
    EXPECT_EQ(findings(t), "warning unbalanced-ranges");
}

TEST(Slices, APushWithoutAPopEndsWithItsThreadAndIsCounted)
{
    Trace trace;
    trace.thread(1).thread(2).log(0, 1).push(10, "a").push(20, "b").pop(30);
    trace_builder_thread_end(trace.raw(), 50);
    trace.log(1, 2).push(1, "c").pop(2);
    const timeline *t = trace.load();
    EXPECT_EQ(slice_tree(t), "a 10 50 unclosed\n b 20 30\nc 1 2\n");
    EXPECT_EQ(t->threads.at[0].unclosed, 1u);
    EXPECT_EQ(t->threads.at[1].unclosed, 0u) << "one thread's fault is not another's";
    EXPECT_EQ(t->ledger.unclosed, 1u);
}

TEST(Slices, EndedByAStopAreNotTheProgramsFault)
{
    Trace trace;
    trace.thread(1);
    trace_builder_control(trace.raw(), 50, 1, false);
    trace.log(0, 1, 1).push(10, "a");
    trace_builder_epoch(trace.raw(), 100, 2);
    trace.push(110, "b").pop(120).pop(130);
    const timeline *t = trace.load();
    EXPECT_EQ(slice_tree(t), "a 10 50\nb 110 120\n");
    EXPECT_EQ(t->ledger.unclosed, 0u);
    EXPECT_EQ(t->ledger.unopened, 1u) << "the pop of a range that the stop had ended";
}

TEST(Slices, PopsThatACutExplainsAreNotCounted)
{
    Trace trace;
    trace.header().flags |= PROF_FILE_RING;
    trace.thread(1).log(0, 1).push(10, "a");
    trace_builder_chunk(trace.raw(), 2);
    trace.pop(100).push(110, "b").pop(120);
    const timeline *t = trace.load();
    EXPECT_EQ(t->threads.at[0].unopened, 0u);
    EXPECT_EQ(t->threads.at[0].unclosed, 0u);
    EXPECT_TRUE(t->threads.at[0].cut);
    EXPECT_EQ(findings(t), "note missing-chunks");
}

TEST(Slices, AHundredThousandOpenRangesAreFine)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    for (int i = 0; i < 100000; i++)
        trace.push(i, "leak");
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr);
    EXPECT_EQ(t->slices.at[99999].depth, UINT16_MAX);
    EXPECT_EQ(t->slices.at[99999].parent, 99998u);
    EXPECT_EQ(t->ledger.unclosed, 100000u);
    EXPECT_EQ(findings(t), "warning unbalanced-ranges");
}

TEST(Steps, LastUntilTheThreadsNextStep)
{
    Trace trace;
    trace.thread(1)
        .log(0, 1)
        .push(0, "train")
        .step(10, 0)
        .push(12, "f")
        .pop(18)
        .step(20, 1)
        .push(22, "f")
        .pop(28)
        .pop(30);
    const timeline *t = trace.load();
    EXPECT_EQ(slice_tree(t),
              "train 0 30\n ProfilerStep#0 10 20\n  f 12 18\n ProfilerStep#1 20 30\n  f 22 28\n"
              "ProfilerStep#1 30 3600000000000 continued\n");
    EXPECT_EQ(t->slices.at[1].kind, TL_STEP);
    EXPECT_EQ(t->ledger.unclosed, 0u) << "a step needs no end";
    EXPECT_EQ(findings(t), "");
}

TEST(Steps, CutRangesThatAreOpenWhenTheNextOneBegins)
{
    Trace trace;
    trace.thread(1).log(0, 1).step(10, 0).push(12, "a").push(14, "b").step(20, 1).pop(25).pop(30);
    trace.step(40, 2).pop(45);
    trace_builder_thread_end(trace.raw(), 50);
    const timeline *t = trace.load();
    EXPECT_EQ(
        slice_tree(t),
        "ProfilerStep#0 10 20\n a 12 20\n  b 14 20\n"
        "ProfilerStep#1 20 40\n a 20 30 continued\n  b 20 25 continued\nProfilerStep#2 40 50\n");
    ASSERT_EQ(t->segments.count, 2u);
    EXPECT_EQ(t->segments.at[0].first, 1u);
    EXPECT_EQ(t->segments.at[1].first, 2u);
    EXPECT_EQ(t->ledger.unopened, 1u) << "a pop does not end a step";
    EXPECT_EQ(findings(t), "warning unbalanced-ranges");
}

TEST(Steps, GoOnWhereTheRangeAroundThemEnds)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(5, "epoch").step(10, 0).push(12, "f").pop(18).pop(20);
    trace.push(30, "epoch").step(40, 1).pop(45).step(50, 2);
    trace_builder_thread_end(trace.raw(), 60);
    const timeline *t = trace.load();
    EXPECT_EQ(slice_tree(t),
              "epoch 5 20\n ProfilerStep#0 10 20\n  f 12 18\nProfilerStep#0 20 40 continued\n "
              "epoch 30 40\n"
              "ProfilerStep#1 40 50\n epoch 40 45 continued\nProfilerStep#2 50 60\n");
    ASSERT_EQ(t->segments.count, 2u);
    EXPECT_EQ(t->segments.at[0].first, 1u) << "of the step";
    EXPECT_EQ(findings(t), "");
}

TEST(Steps, BegunWithinACallWhoseEndWasLostEndIt)
{
    Trace trace;
    trace.thread(1).log(0, 1).step(10, 0).enter(12, 7).step(20, 1);
    trace_builder_thread_end(trace.raw(), 30);
    const timeline *t = trace.api_names().load();
    EXPECT_EQ(slice_tree(t),
              "ProfilerStep#0 10 20\n cudaLaunchKernel 12 20 unclosed\nProfilerStep#1 20 30\n");
    EXPECT_EQ(t->processes.at[0].odd.open_api_calls, 1u);
}

TEST(Steps, OfThreadsAreIndependent)
{
    Trace trace;
    trace.thread(1).thread(2).log(0, 1).step(10, 0).step(20, 1);
    trace_builder_thread_end(trace.raw(), 30);
    trace.log(1, 2).step(12, 0).step(24, 1);
    trace_builder_thread_end(trace.raw(), 30);
    EXPECT_EQ(
        slice_tree(trace.load()),
        "ProfilerStep#0 10 20\nProfilerStep#1 20 30\nProfilerStep#0 12 24\nProfilerStep#1 24 30\n");
}

TEST(Calls, NestInRangesAndInCalls)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(10, "a").enter(20, 7).enter(22, 7, PROF_API_LAUNCHES, 1,
                                                               PROF_API_DRIVER);
    trace.exit(25, 7).exit(30, 7, 3).pop(40);
    const timeline *t = trace.api_names().load();
    EXPECT_EQ(slice_tree(t), "a 10 40\n cudaLaunchKernel 20 30\n  cuLaunchKernel 22 25\n");
    EXPECT_EQ(t->apis.at[t->slices.at[1].api].result, 3);
    EXPECT_EQ(t->apis.at[t->slices.at[2].api].result, 0);
    EXPECT_TRUE(t->slices.at[1].flags & TL_LAUNCHES);
}

TEST(Calls, AnExitWhoseEnterWasLostIsCountedAndIgnored)
{
    Trace trace;
    trace.thread(1).log(0, 1).enter(10, 7, 0).exit(20, 99).exit(30, 7);
    const timeline *t = trace.api_names().load();
    EXPECT_EQ(slice_tree(t), "cudaLaunchKernel 10 30\n");
    EXPECT_EQ(t->processes.at[0].odd.unmatched_api_exits, 1u);
}

TEST(Calls, ACallWhoseExitWasLostEndsWithWhatIsAround)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(10, "a").enter(20, 7, 0).pop(40).push(50, "b").pop(60);
    const timeline *t = trace.api_names().load();
    EXPECT_EQ(slice_tree(t), "a 10 40\n cudaLaunchKernel 20 40 unclosed\nb 50 60\n");
    EXPECT_EQ(t->apis.at[0].result, TL_RESULT_UNKNOWN);
    EXPECT_EQ(t->ledger.unclosed, 0u) << "not a range";
    EXPECT_EQ(t->processes.at[0].odd.open_api_calls, 1u);
}

TEST(Calls, WithoutANameAreNamedByTheirNumber)
{
    Trace trace;
    trace.thread(1).log(0, 1).launch(10, 20, 1);
    const timeline *t = trace.load();
    EXPECT_EQ(name_of(t, t->slices.at[0].name), "CUDA runtime call 211");
}

TEST(Names, EqualTextsHaveOneIndexAlsoAcrossIds)
{
    Trace trace;
    trace_builder_name_as(trace.raw(), 10, "same", 4);
    trace_builder_name_as(trace.raw(), 11, "same", 4);
    trace.thread(1).log(0, 1);
    trace_builder_push(trace.raw(), 1, 10);
    trace_builder_push(trace.raw(), 2, 11);
    const timeline *t = trace.load();
    EXPECT_EQ(t->slices.at[0].name, t->slices.at[1].name);
}

TEST(Names, ThatAreMissingAreSaidToBe)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    trace_builder_push(trace.raw(), 1, 77);
    trace.pop(2);
    const timeline *t = trace.load();
    EXPECT_EQ(name_of(t, t->slices.at[0].name), "(name 77 is missing)");
    EXPECT_EQ(findings(t), "error names");
}

TEST(Names, MayHoldAnyBytes)
{
    Trace trace;
    const char bytes[] = {'a', 0, '\xff', '"', '\n'};
    trace_builder_name_as(trace.raw(), 1, bytes, sizeof bytes);
    trace.thread(1).log(0, 1);
    trace_builder_push(trace.raw(), 1, 1);
    const timeline *t = trace.load();
    EXPECT_EQ(name_of(t, t->slices.at[0].name), std::string(bytes, sizeof bytes));
}

TEST(Attributes, BelongToTheInnermostRangeAndAreSorted)
{
    Trace trace;
    uint32_t key = trace.name("k"), text = trace.name("[1, 2]");
    trace.thread(1).log(0, 1).push(10, "a").push(20, "b");
    trace_builder_attr(trace.raw(), key, PROF_ATTR_INT, 1);
    trace_builder_attr(trace.raw(), key, PROF_ATTR_STRING, text);
    trace.pop(30);
    trace_builder_attr(trace.raw(), key, PROF_ATTR_INT, 3);
    trace.pop(40);
    trace_builder_attr(trace.raw(), key, PROF_ATTR_INT, 4); /* of nothing */
    const timeline *t = trace.load();
    ASSERT_EQ(t->attrs.count, 3u);
    EXPECT_EQ(t->attrs.at[0].slice, 0u);
    EXPECT_EQ(t->attrs.at[0].value, 3u);
    EXPECT_EQ(t->attrs.at[1].slice, 1u);
    EXPECT_EQ(t->attrs.at[1].value, 1u);
    EXPECT_EQ(name_of(t, static_cast<uint32_t>(t->attrs.at[2].value)), "[1, 2]");
    EXPECT_EQ(t->processes.at[0].odd.homeless_attrs, 1u);
}

TEST(Asyncs, MayEndOnAThreadWhoseLogComesFirst)
{
    Trace trace;
    trace.thread(1).thread(2).log(0, 1);
    trace_builder_end(trace.raw(), 90, 5);
    trace.log(1, 2);
    trace_builder_begin(trace.raw(), 10, trace.name("request"), 5);
    const timeline *t = trace.load();
    ASSERT_EQ(t->asyncs.count, 1u);
    EXPECT_EQ(t->asyncs.at[0].start_ns, 10);
    EXPECT_EQ(t->asyncs.at[0].end_ns, 90);
    EXPECT_EQ(t->asyncs.at[0].thread, 1u);
    EXPECT_EQ(t->asyncs.at[0].end_thread, 0u);
    EXPECT_EQ(t->asyncs.at[0].flags, 0u);
}

TEST(Asyncs, UnknownEndsAndMissingEndsAreCounted)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    trace_builder_end(trace.raw(), 5, 99);
    trace_builder_begin(trace.raw(), 10, trace.name("r"), 1);
    trace.push(20, "a").pop(500);
    trace_builder_thread_end(trace.raw(), 600);
    const timeline *t = trace.load();
    EXPECT_EQ(t->processes.at[0].odd.unknown_range_ends, 1u);
    EXPECT_EQ(t->asyncs.at[0].flags, TL_UNCLOSED);
    EXPECT_EQ(t->asyncs.at[0].end_ns, 600);
}

TEST(Asyncs, AnEndLongBeforeItsBeginIsUnknown)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    trace_builder_end(trace.raw(), 5, 1);
    trace_builder_begin(trace.raw(), 100000000, trace.name("r"), 1);
    const timeline *t = trace.load();
    EXPECT_EQ(t->processes.at[0].odd.unknown_range_ends, 1u);
    EXPECT_EQ(t->asyncs.at[0].flags, TL_UNCLOSED);
}

TEST(Asyncs, AnIdThatComesAgainIsAnotherRange)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    for (int i = 0; i < 3; i++) {
        trace_builder_begin(trace.raw(), i * 10000000, trace.name("r"), 1);
        trace_builder_end(trace.raw(), i * 10000000 + 5, 1);
    }
    const timeline *t = trace.load();
    ASSERT_EQ(t->asyncs.count, 3u);
    for (uint32_t i = 0; i < 3; i++)
        EXPECT_EQ(t->asyncs.at[i].end_ns, i * 10000000 + 5);
    EXPECT_EQ(t->processes.at[0].odd.reused_range_ids, 0u);
}

TEST(MarksAndCounters, KeepTimeValueAndPlace)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(10, "a");
    trace_builder_mark(trace.raw(), 15, trace.name("m"));
    trace_builder_counter(trace.raw(), 16, trace.name("c"), 2.5);
    const timeline *t = trace.load();
    EXPECT_EQ(t->marks.at[0].time_ns, 15);
    EXPECT_EQ(t->marks.at[0].slice, 0u);
    EXPECT_EQ(t->counters.at[0].value, 2.5);
    EXPECT_EQ(name_of(t, t->counters.at[0].name), "c");
}

TEST(Process, IsDescribedByTexts)
{
    Trace trace(trace_builder_sample());
    trace.header().rank = 3;
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    const tl_process_info &info = t->processes.at[0].info;
    EXPECT_STREQ(info.program.bytes, "sample");
    EXPECT_STREQ(info.host.bytes, "host1");
    EXPECT_STREQ(info.driver.bytes, "13.0");
    EXPECT_STREQ(info.library_version.bytes, "0.0.0-test");
    EXPECT_EQ(info.rank, 3);
    EXPECT_STREQ(t->processes.at[0].path, "test.prof");
    EXPECT_EQ(findings(t),
              "note torn-records, warning unbalanced-ranges, note unknown-frees, note recorder");
}

TEST(ManyFiles, AreMergedOnOneClockWithIdsOfTheirOwn)
{
    Trace first, second;
    first.thread(1)
        .log(0, 1)
        .push(100, "only in first")
        .pop(150)
        .push(200, "both")
        .launch(210, 220, 7)
        .pop(300);
    first.api_names().kernel(400, 500, 7, 7, "_Z1kv");
    second.header().start_realtime_ns += 1000000;
    second.header().pid = 99;
    second.thread(1).log(0, 1).push(100, "both").launch(110, 120, 7).pop(300);
    second.api_names().kernel(500, 600, 7);
    std::string base = testing::TempDir() + "many." + std::to_string(getpid());
    std::string paths[] = {base + ".2", base + ".1"};
    ASSERT_TRUE(trace_builder_write(second.raw(), paths[0].c_str()));
    ASSERT_TRUE(trace_builder_write(first.raw(), paths[1].c_str()));
    const char *list[] = {paths[0].c_str(), paths[1].c_str()};
    read_error error;
    timeline *t = timeline_load(list, 2, false, &error);
    ASSERT_NE(t, nullptr) << error.message;
    EXPECT_EQ(t->base_realtime_ns, TRACE_BUILDER_START_REALTIME);
    ASSERT_EQ(t->processes.count, 2u);
    EXPECT_EQ(t->processes.at[0].info.pid, 99u);
    EXPECT_EQ(t->processes.at[0].path, paths[0]);
    EXPECT_EQ(slice_tree(t), "both 1000100 1000300\n cudaLaunchKernel 1000110 1000120\n"
                             "only in first 100 150\nboth 200 300\n cudaLaunchKernel 210 220\n");
    EXPECT_EQ(t->slices.at[0].name, t->slices.at[3].name) << "names are shared";
    ASSERT_EQ(t->gpus.count, 2u);
    EXPECT_EQ(t->gpus.at[0].slice, 1u);
    EXPECT_EQ(t->gpus.at[0].start_ns, 1000500);
    EXPECT_EQ(t->gpus.at[1].slice, 4u);
    EXPECT_EQ(t->gpus.at[1].process, 1u);
    EXPECT_NE(t->gpus.at[0].stream, t->gpus.at[1].stream);
    EXPECT_EQ(t->ledger.launched, 2u);
    EXPECT_EQ(t->start_ns, 100);
    EXPECT_EQ(t->end_ns, 1000600);
    timeline_destroy(t);
    std::swap(list[0], list[1]);
    t = timeline_load(list, 2, false, &error);
    EXPECT_EQ(t->base_realtime_ns, TRACE_BUILDER_START_REALTIME) << "in whatever order";
    timeline_destroy(t);
    unlink(paths[0].c_str());
    unlink(paths[1].c_str());
}

TEST(ManyFiles, OneThatIsNoTraceRefusesAll)
{
    const char *list[] = {"/dev/null"};
    read_error error;
    EXPECT_EQ(timeline_load(list, 1, false, &error), nullptr);
    EXPECT_STREQ(error.message, "/dev/null: a device, not a libprof trace");
}

TEST(Timeline, OfNothingIsEmpty)
{
    read_error error;
    timeline *t = timeline_load(nullptr, 0, false, &error);
    ASSERT_NE(t, nullptr);
    EXPECT_EQ(t->start_ns, 0);
    EXPECT_EQ(t->end_ns, 0);
    EXPECT_EQ(findings(t), "");
    timeline_destroy(t);
    timeline_destroy(nullptr);
}
