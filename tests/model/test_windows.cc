/* test_windows.cc - when recording was on, and who switched it. */
#include "../support/trace_fixture.h"

#include <gtest/gtest.h>

namespace
{

TEST(Windows, SayWhenRecordingWasOnAndWhoSwitchedIt)
{
    Trace trace;
    trace_builder_control_by(trace.raw(), 0, 1, true, PROF_CONTROL_SCHEDULE);
    trace_builder_control_by(trace.raw(), 500, 1, false, PROF_CONTROL_SIGNAL);
    trace_builder_control_by(trace.raw(), 900, 2, true, PROF_CONTROL_CTL);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr);
    ASSERT_EQ(t->windows.count, 2u);
    EXPECT_EQ(t->windows.at[0].start_ns, 0);
    EXPECT_EQ(t->windows.at[0].end_ns, 500);
    EXPECT_EQ(t->windows.at[0].start_reason, PROF_CONTROL_SCHEDULE);
    EXPECT_EQ(t->windows.at[0].stop_reason, PROF_CONTROL_SIGNAL);
    EXPECT_EQ(t->windows.at[1].epoch, 2u);
    EXPECT_EQ(t->windows.at[1].end_ns, TL_NO_TIME);
    EXPECT_EQ(t->windows.at[1].start_reason, PROF_CONTROL_CTL);
}

TEST(Windows, ThatBeginInTheMidstOfAProgramExpectEndsOfWhatTheyDidNotSeeBegin)
{
    for (prof_control_reason reason : {PROF_CONTROL_STARTUP, PROF_CONTROL_CTL}) {
        Trace trace;
        trace_builder_control_by(trace.raw(), 0, 1, true, reason);
        trace.thread(1).log(0, 1).pop(100).push(200, "whole").pop(300);
        const timeline *t = trace.load();
        ASSERT_NE(t, nullptr);
        EXPECT_EQ(t->ledger.unopened, reason == PROF_CONTROL_STARTUP) << reason;
        EXPECT_EQ(t->slices.count, 1u);
    }
}

TEST(Windows, OfFilesThatDoNotSayWhyHaveUnknownReasons)
{
    Trace trace;
    trace_builder_control(trace.raw(), 0, 1, true);
    trace_builder_control(trace.raw(), 500, 1, false);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr);
    ASSERT_EQ(t->windows.count, 1u);
    EXPECT_EQ(t->windows.at[0].end_ns, 500);
    EXPECT_EQ(t->windows.at[0].start_reason, PROF_CONTROL_UNKNOWN);
    EXPECT_EQ(t->windows.at[0].stop_reason, PROF_CONTROL_UNKNOWN);
}

TEST(Windows, ThatAreStatedTwiceOrNeverBegunAreNotCountedTwice)
{
    Trace trace;
    trace_builder_control_by(trace.raw(), 0, 1, true, PROF_CONTROL_API);
    trace_builder_control_by(trace.raw(), 10, 1, true, PROF_CONTROL_API);
    trace_builder_control_by(trace.raw(), 20, 0, true, PROF_CONTROL_API);
    trace_builder_control_by(trace.raw(), 30, 7, false, PROF_CONTROL_API);
    trace_builder_control_by(trace.raw(), 40, 3, true, 99);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr);
    ASSERT_EQ(t->windows.count, 2u);
    EXPECT_EQ(t->windows.at[0].start_ns, 0);
    EXPECT_EQ(t->windows.at[1].start_reason, PROF_CONTROL_UNKNOWN) << "of a later version";
}

} // namespace
