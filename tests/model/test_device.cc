/* test_device.cc - device operations find their launches, streams, lanes and places in the
 * ledger. */
#include "../support/trace_fixture.h"
#include "demangle.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace
{

std::string gpu_name(const timeline *t, uint32_t i)
{
    return t->names.at[t->gpus.at[i].name].bytes;
}

/* launched recorded lost undelivered unobserved missing orphans */
std::string ledger(const timeline *t)
{
    const tl_ledger &l = t->ledger;
    std::string text;
    for (uint64_t n : {l.launched, l.recorded, l.lost_operations, l.undelivered, l.unobserved,
                       l.missing, l.orphans})
        text += (text.empty() ? "" : " ") + std::to_string(n);
    return text;
}

} // namespace

TEST(Join, AKernelHangsOnTheCallThatLaunchedIt)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1).push(10, "a").launch(20, 30, 5).launch(40, 50, 6).pop(60);
    trace.kernel(200, 300, 6).kernel(100, 200, 5);
    const timeline *t = trace.load();
    ASSERT_EQ(t->gpus.count, 2u);
    EXPECT_EQ(t->gpus.at[0].correlation, 5u) << "sorted by start";
    EXPECT_EQ(t->gpus.at[0].slice, 1u);
    EXPECT_EQ(t->gpus.at[1].slice, 2u);
    EXPECT_EQ(t->slices.at[1].gpu_count, 1u);
    EXPECT_EQ(t->gpu_by_slice.at[t->slices.at[2].gpu_first], 1u);
    EXPECT_EQ(t->slices.at[0].gpu_count, 0u);
    EXPECT_EQ(ledger(t), "2 2 0 0 0 0 0");
    EXPECT_EQ(findings(t), "");
}

TEST(Devices, AreFoundByProcessAndOrdinal)
{
    timeline t = {};
    tl_device devices[5] = {};
    const uint32_t at[5][2] = {{0, 0}, {0, 3}, {1, 0}, {1, 1}, {4, 7}};
    for (int i = 0; i < 5; i++)
        devices[i].process = at[i][0], devices[i].info.device = at[i][1];
    t.devices.at = devices, t.devices.count = 5;
    for (const tl_device &device : devices)
        EXPECT_EQ(timeline_device_of(&t, device.process, device.info.device), &device);
    EXPECT_EQ(timeline_device_of(&t, 0, 1), nullptr);
    EXPECT_EQ(timeline_device_of(&t, 2, 0), nullptr);
    EXPECT_EQ(timeline_device_of(&t, 5, 0), nullptr);
    t.devices.count = 0;
    EXPECT_EQ(timeline_device_of(&t, 0, 0), nullptr);
}

TEST(Join, TheOutermostOfNestedCallsOfOneIdIsTheLaunch)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1).enter(20, 5).enter(22, 5, PROF_API_LAUNCHES, 1,
                                                             PROF_API_DRIVER);
    trace.exit(25, 5).exit(30, 5).kernel(100, 200, 5);
    const timeline *t = trace.load();
    EXPECT_EQ(t->gpus.at[0].slice, 0u);
    EXPECT_EQ(ledger(t), "1 1 0 0 0 0 0") << "counted once";
}

TEST(Join, AnInnerCallThatLaunchesGoesBeforeAnOuterThatDoesNot)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1).enter(20, 5, 0).enter(22, 5, PROF_API_LAUNCHES, 1,
                                                                PROF_API_DRIVER);
    trace.exit(25, 5).exit(30, 5).kernel(100, 200, 5);
    EXPECT_EQ(trace.load()->gpus.at[0].slice, 1u);
}

TEST(Join, WhenIdsComeAgainTheLatestLaunchBeforeTheOperationIsMeant)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1);
    const int64_t day = INT64_C(86400000000000);
    for (int64_t i = 0; i < 3; i++)
        trace.launch(i * day + 100, i * day + 110, 5);
    trace.log(1, 1);
    for (int64_t i = 2; i >= 0; i--)
        trace.kernel(i * day + 200, i * day + 300, 5);
    const timeline *t = trace.load();
    ASSERT_EQ(t->gpus.count, 3u);
    for (uint32_t i = 0; i < 3; i++)
        EXPECT_EQ(t->gpus.at[i].slice, i);
    EXPECT_EQ(ledger(t), "3 3 0 0 0 0 0");
}

TEST(Join, IdsMayWrapAroundThirtyTwoBits)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1);
    for (uint32_t i = 0; i < 20; i++)
        trace.launch(1000 * i, 1000 * i + 10, UINT32_MAX - 9 + i);
    for (uint32_t i = 0; i < 20; i++)
        if (UINT32_MAX - 9 + i != 0) /* 0 means "no id" */
            trace.kernel(1000 * i + 100, 1000 * i + 200, UINT32_MAX - 9 + i);
    const timeline *t = trace.load();
    ASSERT_EQ(t->gpus.count, 19u);
    for (uint32_t i = 0; i < 19; i++)
        EXPECT_EQ(t->slices.at[t->gpus.at[i].slice].start_ns, t->gpus.at[i].start_ns - 100);
}

TEST(Join, AnOperationWithoutALaunchIsAnOrphan)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1).launch(20, 30, 5).kernel(100, 200, 5).kernel(300, 400, 6);
    const timeline *t = trace.load();
    EXPECT_EQ(t->gpus.at[1].slice, TL_NONE);
    EXPECT_TRUE(t->gpus.at[1].flags & TL_GPU_ORPHAN);
    EXPECT_EQ(ledger(t), "1 1 0 0 0 0 1");
    EXPECT_EQ(findings(t), "warning orphans");
}

TEST(Join, LargeTracesKeepEveryArrow)
{
    Trace trace;
    trace.api_names().thread(1).thread(2).log(0, 1);
    std::srand(7);
    for (uint32_t i = 1; i < 20000; i++)
        trace.log(i % 2, 1 + i % 2).launch(i * 100, i * 100 + 10, i * 7919);
    trace.log(2, 1);
    for (uint32_t i = 1; i < 20000; i++)
        trace.kernel(i * 100 + 50, i * 100 + 90, i * 7919, static_cast<uint32_t>(std::rand() % 5));
    const timeline *t = trace.load();
    ASSERT_EQ(t->gpus.count, 19999u);
    for (uint32_t i = 0; i < t->gpus.count; i++)
        ASSERT_EQ(t->slices.at[t->gpus.at[i].slice].start_ns, t->gpus.at[i].start_ns - 50);
    EXPECT_EQ(findings(t), "");
}

TEST(Causality, AnOperationBeforeItsLaunchIsFound)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1).launch(500000, 500100, 5).kernel(100, 200, 5);
    const timeline *t = trace.load();
    EXPECT_EQ(t->gpus.at[0].slice, 0u);
    EXPECT_TRUE(t->gpus.at[0].flags & TL_GPU_BEFORE_LAUNCH);
    EXPECT_EQ(t->ledger.before_launch, 1u);
    EXPECT_NE(findings(t).find("error causality"), std::string::npos);
}

TEST(Causality, AMeasuredClockErrorIsTolerated)
{
    for (int64_t error : {100000, 400000}) {
        Trace trace;
        trace_builder_device(trace.raw(), 0, "GPU");
        trace.api_names()
            .thread(1)
            .log(0, 1)
            .launch(2000000, 2000100, 5)
            .kernel(1700000, 1700500, 5);
        trace_builder_start_event(trace.raw(), 0, 900, 1000000, 1000100);
        prof_rec_memset set = {};
        set.context = 1;
        set.stream = 7;
        trace_builder_memset(trace.raw(), 1000000 - error, 1000050 - error, 900, set);
        const timeline *t = trace.load();
        EXPECT_EQ(t->devices.at[0].clock_error_ns, error);
        EXPECT_EQ(t->ledger.before_launch, error < 300000 ? 1u : 0u);
    }
}

TEST(Causality, AnOperationInsideItsBracketProvesTheClock)
{
    Trace trace;
    trace_builder_device(trace.raw(), 0, "GPU");
    trace_builder_device(trace.raw(), 1, "GPU");
    trace.thread(1).log(0, 1);
    trace_builder_start_event(trace.raw(), 0, 900, 1000, 2000);
    prof_rec_memset set = {};
    trace_builder_memset(trace.raw(), 1200, 1300, 900, set);
    const timeline *t = trace.load();
    EXPECT_EQ(t->devices.at[0].clock_error_ns, 0);
    EXPECT_EQ(t->devices.at[1].clock_error_ns, -1);
    EXPECT_TRUE(t->gpus.at[0].flags & TL_GPU_INTERNAL);
    EXPECT_FALSE(t->gpus.at[0].flags & TL_GPU_ORPHAN);
    EXPECT_EQ(ledger(t), "0 0 0 0 0 0 0") << "libprof's own operation is nobody's";
}

TEST(Internal, CallsAndTheirOperationsAreMarkedAndNotCounted)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1).enter(10, 5, PROF_API_LAUNCHES | PROF_API_INTERNAL);
    trace.enter(12, 6, PROF_API_LAUNCHES, 1, PROF_API_DRIVER)
        .exit(13, 6)
        .exit(15, 5)
        .launch(100, 110, 7);
    trace.kernel(20, 30, 5).kernel(200, 210, 7);
    const timeline *t = trace.load();
    EXPECT_TRUE(t->slices.at[0].flags & TL_INTERNAL);
    EXPECT_TRUE(t->slices.at[1].flags & TL_INTERNAL) << "what is inside is libprof's too";
    EXPECT_TRUE(t->gpus.at[0].flags & TL_GPU_INTERNAL);
    EXPECT_FALSE(t->gpus.at[1].flags & TL_GPU_INTERNAL);
    EXPECT_EQ(ledger(t), "1 1 0 0 0 0 0");
    EXPECT_EQ(t->start_ns, 100) << "not the program's time";
}

TEST(Ledger, WhatNobodyExplainsIsMissing)
{
    Trace trace;
    trace.api_names()
        .thread(1)
        .log(0, 1)
        .launch(10, 20, 1)
        .launch(30, 40, 2)
        .launch(50, 60, 3)
        .kernel(100, 200, 1);
    const timeline *t = trace.load();
    EXPECT_EQ(ledger(t), "3 1 0 0 0 2 0");
    EXPECT_EQ(findings(t), "error missing-operations");
}

TEST(Ledger, CountedLossesExplainMissingOperations)
{
    Trace trace;
    trace.api_names()
        .thread(1)
        .log(0, 1)
        .launch(10, 20, 1)
        .launch(30, 40, 2)
        .launch(50, 60, 3)
        .kernel(100, 200, 1);
    trace.header().loss[PROF_LOSS_CUPTI_DROPPED] = 1;
    trace.header().loss[PROF_LOSS_ZERO_TIME] = 4;
    trace.header().loss[PROF_LOSS_LATE] = 2;
    const timeline *t = trace.load();
    EXPECT_EQ(ledger(t), "3 1 2 0 0 0 0");
    EXPECT_EQ(t->ledger.lost_device, 5u);
    EXPECT_EQ(t->ledger.lost_host, 2u);
    EXPECT_EQ(findings(t), "warning loss");
}

TEST(Ledger, AFullTraceExplainsMissingOperations)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1).launch(10, 20, 1).launch(30, 40, 2);
    trace.header().loss[PROF_LOSS_FULL] = 1;
    EXPECT_EQ(ledger(trace.load()), "2 0 1 0 0 1 0");
}

TEST(Ledger, RecycledChunksExplainMissingOperations)
{
    Trace trace;
    trace.header().flags |= PROF_FILE_RING;
    trace.api_names().thread(1).log(0, 1).launch(10, 20, 1).launch(30, 40, 2);
    trace_builder_chunk(trace.raw(), 5);
    trace.kernel(100, 200, 2);
    EXPECT_EQ(ledger(trace.load()), "2 1 1 0 0 0 0");
}

TEST(Ledger, AKilledProcesssLastOperationsWereNeverDelivered)
{
    Trace trace;
    trace.header().state = PROF_STATE_RECORDING;
    trace.api_names().thread(1).log(0, 1).launch(10, 20, 1).launch(30, 40, 2).kernel(100, 200, 1);
    EXPECT_EQ(ledger(trace.load()), "2 1 0 1 0 0 0");
}

TEST(Ledger, WithoutCuptiOperationsAreUnobserved)
{
    Trace trace;
    trace.header().gpu_mode = PROF_GPU_UNAVAILABLE;
    trace.api_names().thread(1).log(0, 1).launch(10, 20, 1).launch(30, 40, 2);
    EXPECT_EQ(ledger(trace.load()), "2 0 0 0 2 0 0");
}

TEST(Ledger, CallsThatFailedLaunchNothing)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1).enter(10, 1).exit(20, 1, 9).launch(30, 40, 2).kernel(
        100, 200, 2);
    EXPECT_EQ(ledger(trace.load()), "1 1 0 0 0 0 0");
}

TEST(Ledger, ACallMayLaunchSeveralOperations)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1).enter(10, 1, PROF_API_LAUNCHES, 3).exit(20, 1);
    trace.kernel(100, 200, 1).kernel(200, 300, 1);
    const timeline *t = trace.load();
    EXPECT_EQ(ledger(t), "3 2 0 0 0 1 0");
    EXPECT_EQ(t->slices.at[0].gpu_count, 2u);
}

TEST(Ledger, OperationsBeyondTheExpectedOnesAreLaunchedToo)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1).launch(10, 20, 1).kernel(100, 200, 1).kernel(200, 300, 1);
    const timeline *t = trace.load();
    EXPECT_EQ(ledger(t), "2 2 0 0 0 0 0");
    EXPECT_EQ(t->processes.at[0].odd.surplus_gpu, 1u);
    EXPECT_EQ(findings(t), "note odd-calls");
}

TEST(Ledger, GraphLaunchesStandBeside)
{
    Trace trace;
    trace.api_names()
        .thread(1)
        .log(0, 1)
        .enter(10, 1, PROF_API_GRAPH)
        .exit(20, 1)
        .launch(30, 40, 2);
    for (int i = 0; i < 5; i++)
        trace.kernel(100 + 10 * i, 110 + 10 * i, 1);
    trace.kernel(300, 400, 2);
    const timeline *t = trace.load();
    EXPECT_EQ(ledger(t), "1 1 0 0 0 0 0");
    EXPECT_EQ(t->ledger.launched_graph, 5u);
    EXPECT_TRUE(t->slices.at[0].flags & TL_GRAPH);
}

std::string rows(const timeline *t)
{
    std::string text;
    for (uint32_t i = 0; i < t->ledger_rows.count; i++) {
        const tl_ledger_row &row = t->ledger_rows.at[i];
        if (row.kind == TL_LEDGER_STREAM)
            text += "stream " + std::to_string(t->streams.at[row.stream].stream);
        else
            text += row.kind == TL_LEDGER_GRAPH ? "graph " + std::to_string(row.graph) : "unknown";
        text += ": " + std::to_string(row.launched) + " " + std::to_string(row.recorded);
        for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
            if (row.lost[cause])
                text += " lost " + std::to_string(row.lost[cause]);
        if (row.missing)
            text += " missing " + std::to_string(row.missing);
        if (row.orphans)
            text += " orphans " + std::to_string(row.orphans);
        if (row.outside)
            text += " outside " + std::to_string(row.outside);
        text += "; ";
    }
    return text;
}

void add_lost(Trace &trace, uint32_t correlation, uint32_t stream, uint32_t graph = 0)
{
    prof_rec_lost lost = {};
    lost.context = 1;
    lost.stream = stream;
    lost.graph = graph;
    lost.cause = PROF_LOSS_ZERO_TIME;
    uint64_t words[3];
    memcpy(words, &lost, sizeof lost);
    trace_builder_ext(trace.raw(), PROF_REC_LOST, correlation, words + 1, 2);
    trace.header().loss[PROF_LOSS_ZERO_TIME]++;
}

void add_call(Trace &trace, int64_t time, uint32_t correlation, uint64_t handle)
{
    prof_rec_api_enter call = {};
    call.correlation = correlation;
    call.cbid = 211;
    call.domain = PROF_API_RUNTIME;
    call.flags = PROF_API_LAUNCHES;
    call.operations = 1;
    call.stream = handle;
    trace_builder_enter(trace.raw(), time, call);
    trace.exit(time + 5, correlation);
}

void add_kernel_on(Trace &trace, int64_t start, uint32_t correlation, uint32_t stream)
{
    prof_rec_kernel kernel = {};
    kernel.context = 1;
    kernel.stream = stream;
    trace_builder_kernel(trace.raw(), start, start + 5, correlation, kernel, false);
}

TEST(LedgerRows, ARecordThatCouldNotBeKeptIsItsLaunchs)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1);
    add_call(trace, 10, 1, 0xa0), add_call(trace, 20, 2, 0xb0), add_call(trace, 30, 3, 0xb0);
    add_kernel_on(trace, 100, 1, 7);
    add_lost(trace, 2, 8), add_lost(trace, 3, 8);
    const timeline *t = trace.load();
    EXPECT_EQ(rows(t), "stream 7: 1 1; stream 8: 2 0 lost 2; ");
    EXPECT_EQ(ledger(t), "3 1 2 0 0 0 0");
}

TEST(LedgerRows, AHandleStandsForTheStreamOfItsRecords)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1);
    add_call(trace, 10, 1, 0xa0), add_call(trace, 20, 2, 0xb0);
    add_call(trace, 30, 3, 0xb0), add_call(trace, 40, 4, 0xc0);
    add_kernel_on(trace, 100, 1, 7), add_kernel_on(trace, 110, 2, 8);
    trace.header().loss[PROF_LOSS_CUPTI_DROPPED] = 2;
    EXPECT_EQ(rows(trace.load()), "stream 7: 1 1; stream 8: 2 1 lost 1; unknown: 1 0 lost 1; ");
}

TEST(LedgerRows, AHandleThatStoodForTwoStreamsStandsForNone)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1);
    for (uint32_t id : {1u, 2u, 3u})
        add_call(trace, 10 * id, id, 0xa0);
    add_kernel_on(trace, 100, 1, 7), add_kernel_on(trace, 110, 2, 8);
    EXPECT_EQ(rows(trace.load()), "stream 7: 1 1; stream 8: 1 1; unknown: 1 0 missing 1; ");
}

TEST(LedgerRows, TheDefaultStreamIsItsThreads)
{
    Trace trace;
    trace.api_names().thread(1).thread(2).log(0, 1);
    add_call(trace, 10, 1, 0), add_call(trace, 20, 2, 0);
    trace.log(1, 2);
    add_call(trace, 10, 3, 0), add_call(trace, 20, 4, 0);
    add_kernel_on(trace, 100, 1, 7), add_kernel_on(trace, 110, 3, 8);
    EXPECT_EQ(rows(trace.load()), "stream 7: 2 1 missing 1; stream 8: 2 1 missing 1; ");
}

TEST(LedgerRows, WhatWasCountedOfAStreamExplainsItFirst)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1);
    add_call(trace, 10, 1, 0xa0), add_call(trace, 20, 2, 0xa0);
    add_call(trace, 30, 3, 0xb0), add_call(trace, 40, 4, 0xb0);
    add_kernel_on(trace, 100, 1, 7), add_kernel_on(trace, 110, 3, 8);
    prof_rec_stream_loss loss = {};
    loss.count = 3;
    loss.context = 1;
    loss.stream = 8;
    loss.cause = PROF_LOSS_OUT_OF_WINDOW;
    loss.header = PROF_WORD_EXT(PROF_KIND_EXT, PROF_REC_STREAM_LOSS, sizeof loss / 8, 0);
    trace_builder_meta(trace.raw(), &loss, sizeof loss);
    trace.header().loss[PROF_LOSS_OUT_OF_WINDOW] = 1;
    EXPECT_EQ(rows(trace.load()), "stream 7: 2 1 missing 1; stream 8: 2 1 lost 1 outside 2; ");
}

TEST(LedgerRows, GraphsHaveRowsOfTheirOwn)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1).enter(10, 1, PROF_API_GRAPH).exit(20, 1);
    prof_rec_kernel kernel = {};
    kernel.context = 1, kernel.stream = 7, kernel.graph = 5;
    trace_builder_kernel(trace.raw(), 100, 105, 1, kernel, true);
    add_lost(trace, 1, 7, 5);
    const timeline *t = trace.load();
    EXPECT_EQ(rows(t), "graph 5: 2 1 lost 1; ");
    EXPECT_EQ(ledger(t), "0 0 0 0 0 0 0");
}

TEST(LedgerRows, OrphansOfBothKindsAreTold)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1);
    add_call(trace, 10, 1, 0xa0);
    add_kernel_on(trace, 100, 9, 7);
    add_lost(trace, 8, 7);
    EXPECT_EQ(rows(trace.load()), "stream 7: 0 0 orphans 1 outside 1; unknown: 1 0 missing 1; ");
}

TEST(Ledger, TheRecordersCountOfDeviceRecordsMustAgree)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1).launch(10, 20, 1).kernel(100, 200, 1);
    trace.header().gpu_records = 5;
    EXPECT_NE(findings(trace.load()).find("error device-record-count"), std::string::npos);
}

TEST(Lanes, OverlappingOperationsOfAStreamLieSideBySide)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    trace.kernel(100, 200, 1)
        .kernel(150, 250, 2)
        .kernel(160, 170, 3)
        .kernel(200, 220, 4)
        .kernel(300, 400, 5);
    trace.kernel(100, 1000, 6, 8);
    const timeline *t = trace.load();
    int lanes[] = {0, 1, 2, 0, 0, 0};
    for (uint32_t i = 0; i < 6; i++)
        EXPECT_EQ(t->gpus.at[i].lane, lanes[i]) << i;
    EXPECT_EQ(t->streams.at[0].lanes, 3u);
    EXPECT_EQ(t->streams.at[1].lanes, 1u);
    EXPECT_EQ(findings(t).find("lanes"), std::string::npos);
}

TEST(Lanes, WaitsOfTheHostTakeNone)
{
    Trace trace;
    prof_rec_sync sync = {};
    sync.type = 3;
    sync.context = 1;
    sync.stream = 7;
    trace.thread(1).log(0, 1);
    trace_builder_sync(trace.raw(), 50, 500, 9, sync);
    trace.kernel(100, 200, 1);
    const timeline *t = trace.load();
    EXPECT_EQ(t->gpus.at[0].kind, TL_SYNC);
    EXPECT_EQ(t->gpus.at[1].lane, 0);
    EXPECT_EQ(t->streams.at[0].lanes, 1u);
}

TEST(Streams, AreSortedByDeviceContextAndNumberWithTheirOperations)
{
    Trace trace;
    trace_builder_context(trace.raw(), 1, 1);
    trace_builder_context(trace.raw(), 2, 0);
    trace_builder_stream(trace.raw(), 1, 13, -5);
    trace.thread(1).log(0, 1);
    for (uint32_t i = 0; i < 30; i++) {
        prof_rec_kernel detail = {};
        detail.context = 1 + i % 2;
        detail.device = static_cast<uint16_t>(i % 2 ? 0 : 1);
        detail.stream = 20 - i % 3;
        detail.name = trace.name("k");
        trace_builder_kernel(trace.raw(), 10000 - i * 100, 10050 - i * 100, i, detail, true);
    }
    const timeline *t = trace.load();
    ASSERT_EQ(t->streams.count, 7u);
    EXPECT_EQ(t->streams.at[0].device, 0u);
    EXPECT_EQ(t->streams.at[0].context, 2u);
    EXPECT_EQ(t->streams.at[0].stream, 18u);
    EXPECT_EQ(t->streams.at[3].stream, 13u);
    EXPECT_EQ(t->streams.at[3].priority, -5);
    EXPECT_EQ(t->streams.at[3].gpu_count, 0u);
    ASSERT_EQ(t->devices.count, 2u) << "devices nobody described are listed";
    EXPECT_EQ(t->devices.at[1].info.device, 1u);
    for (uint32_t s = 0; s < t->streams.count; s++)
        for (uint32_t i = 0; i < t->streams.at[s].gpu_count; i++) {
            const tl_gpu &gpu = t->gpus.at[t->streams.at[s].first_gpu + i];
            EXPECT_EQ(gpu.stream, s);
            EXPECT_TRUE(i == 0 || (&gpu)[-1].start_ns <= gpu.start_ns);
        }
}

TEST(Operations, AreNamedAsKinetoNamesThem)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    prof_rec_memcpy copy = {};
    copy.bytes = 4096;
    copy.copy_kind = 1;
    copy.src_kind = 1;
    copy.dst_kind = 3;
    trace_builder_memcpy(trace.raw(), 100, 200, 1, copy);
    copy.copy_kind = 10;
    copy.src_kind = copy.dst_kind = 3;
    copy.src_context = 1;
    trace_builder_memcpy(trace.raw(), 200, 300, 2, copy);
    prof_rec_memset set = {};
    set.memory_kind = 3;
    trace_builder_memset(trace.raw(), 300, 400, 3, set);
    prof_rec_sync sync = {};
    for (uint32_t type = 1; type <= 4; type++) {
        sync.type = type;
        sync.stream = PROF_SYNC_NO_STREAM;
        trace_builder_sync(trace.raw(), 400 + type, 500, 4, sync);
    }
    prof_rec_overhead overhead = {};
    overhead.kind = 6u << 16;
    trace_builder_overhead(trace.raw(), 600, 700, 0, overhead);
    const timeline *t = trace.load();
    const char *names[] = {"Memcpy HtoD (Pageable -> Device)",
                           "Memcpy PtoP (Device -> Device)",
                           "Memset (Device)",
                           "Event Synchronize",
                           "Stream Wait Event",
                           "Stream Synchronize",
                           "Context Synchronize",
                           "Lazy Function Loading"};
    ASSERT_EQ(t->gpus.count, 8u);
    for (uint32_t i = 0; i < 8; i++)
        EXPECT_EQ(gpu_name(t, i), names[i]);
    EXPECT_EQ(t->gpus.at[0].bytes, 4096u);
    EXPECT_EQ(t->gpus.at[3].stream, TL_NONE);
}

TEST(Operations, KernelsAreDemangledAndTheCallKnowsTheirName)
{
    if (!demangle_available())
        GTEST_SKIP() << "no C++ runtime here";
    Trace trace;
    prof_rec_api_enter call = {};
    call.correlation = 5;
    call.name = trace.name("_Z10vector_addPKfS0_Pfi");
    trace.thread(1).log(0, 1);
    trace_builder_enter(trace.raw(), 10, call);
    trace.exit(20, 5)
        .kernel(100, 200, 5, 7, "_Z10vector_addPKfS0_Pfi")
        .kernel(200, 300, 6, 7, "plain_c");
    const timeline *t = trace.load();
    EXPECT_TRUE(demangle_available());
    EXPECT_EQ(gpu_name(t, 0), "vector_add(float const*, float const*, float*, int)");
    EXPECT_EQ(gpu_name(t, 1), "plain_c");
    EXPECT_EQ(t->apis.at[0].kernel_name, t->gpus.at[0].name);
    EXPECT_STREQ(t->names.at[t->kernels.at[t->gpus.at[0].detail].name].bytes,
                 "_Z10vector_addPKfS0_Pfi");
}

TEST(Operations, EqualDetailsAreStoredOnce)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    for (uint32_t i = 0; i < 100; i++)
        trace.kernel(i * 10, i * 10 + 5, i, 7, i % 2 ? "a" : "b");
    const timeline *t = trace.load();
    EXPECT_EQ(t->kernels.count, 2u);
    EXPECT_EQ(t->gpus.at[0].detail, t->gpus.at[2].detail);
    EXPECT_NE(t->gpus.at[0].detail, t->gpus.at[1].detail);
    EXPECT_EQ(t->kernels.at[0].priority, PROF_PRIORITY_UNKNOWN)
        << "a short record says nothing of it";
}

TEST(Operations, ThatEndBeforeTheyBeginAreEmptyAndReported)
{
    Trace trace;
    trace.thread(1).log(0, 1).kernel(200, 100, 1);
    const timeline *t = trace.load();
    EXPECT_EQ(t->gpus.at[0].end_ns, t->gpus.at[0].start_ns);
    EXPECT_NE(findings(t).find("error device-times"), std::string::npos);
}

TEST(Operations, WithoutATimeAreLostNotDrawn)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1).launch(10, 20, 1);
    trace.kernel(-static_cast<int64_t>(TRACE_BUILDER_START_REALTIME), 0, 1);
    const timeline *t = trace.load();
    EXPECT_EQ(t->gpus.count, 0u);
    EXPECT_EQ(ledger(t), "1 0 1 0 0 0 0");
}

TEST(Demangle, ABombIsLeftAsItIs)
{
    if (!demangle_available())
        GTEST_SKIP() << "no C++ runtime here";
    std::string bomb = "_Z1fPFvv"; /* each level says the one before it twice */
    for (int i = 0; i < 30; i++)
        bomb += std::string("PFvS") +
                (i ? std::string(1, static_cast<char>(i < 11 ? '0' + i - 1 : 'A' + i - 11)) : "") +
                "_S" +
                (i ? std::string(1, static_cast<char>(i < 11 ? '0' + i - 1 : 'A' + i - 11)) : "") +
                "_E";
    size_t size = 0;
    char *text = demangle_name(bomb.data(), bomb.size(), &size);
    EXPECT_LE(size, static_cast<size_t>(DEMANGLE_BYTES_MAX));
    std::free(text);
}

TEST(Demangle, OnlyManglednamesAreTouched)
{
    size_t size = 0;
    EXPECT_EQ(demangle_name("printf", 6, &size), nullptr);
    EXPECT_EQ(demangle_name("_Z", 2, &size), nullptr);
    EXPECT_EQ(demangle_name("_Z!!", 4, &size), nullptr);
    EXPECT_EQ(demangle_name("_Z1f\0v", 6, &size), nullptr);
}
