/* test_check.cc - the check sees what is wrong: a sound timeline is broken in one place at a
 * time. */
#include "../support/trace_fixture.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace
{

/* Findings after `harm` was done to a sound timeline. */
std::string after(const std::function<void(timeline *)> &harm)
{
    Trace trace;
    trace.api_names()
        .thread(1)
        .thread(2)
        .log(0, 1)
        .push(10, "a")
        .launch(20, 30, 1)
        .push(40, "b")
        .pop(50)
        .pop(60);
    trace.log(1, 2).push(10, "c").launch(20, 30, 2).launch(40, 50, 3).pop(60);
    trace.kernel(100, 200, 1).kernel(200, 300, 2).kernel(250, 350, 3);
    timeline *t = const_cast<timeline *>(trace.load());
    EXPECT_EQ(findings(t), "");
    harm(t);
    return findings(t);
}

} // namespace

TEST(Check, FindsAChildOutsideOfItsParent)
{
    EXPECT_EQ(after([](timeline *t) { t->slices.at[2].end_ns = 61; }), "error slice-nesting");
    EXPECT_EQ(after([](timeline *t) { t->slices.at[0].end_ns = 45; }), "error slice-nesting");
}

TEST(Check, FindsSiblingsThatOverlap)
{
    EXPECT_EQ(after([](timeline *t) { t->slices.at[1].end_ns = 41; }), "error slice-nesting");
}

TEST(Check, FindsAWrongDepthOrParent)
{
    EXPECT_EQ(after([](timeline *t) { t->slices.at[2].depth = 2; }), "error slice-nesting");
    EXPECT_EQ(after([](timeline *t) { t->slices.at[2].parent = TL_NONE; }), "error slice-nesting");
    EXPECT_EQ(after([](timeline *t) { t->slices.at[3].parent = 0; }), "error slice-nesting");
}

TEST(Check, FindsSlicesThatEndBeforeTheyBegin)
{
    EXPECT_NE(after([](timeline *t) { t->slices.at[2].end_ns = 39; }).find("error slice-order"),
              std::string::npos);
}

TEST(Check, FindsIndexesOutOfRange)
{
    EXPECT_EQ(after([](timeline *t) { t->slices.at[0].name = 1000; }), "error index-range");
    EXPECT_EQ(after([](timeline *t) { t->gpus.at[0].detail = 1000; }), "error index-range");
    EXPECT_NE(after([](timeline *t) { t->slices.at[2].parent = 1000; }).find("error index-range"),
              std::string::npos);
    EXPECT_NE(after([](timeline *t) { t->gpus.at[0].slice = 1000; }).find("error index-range"),
              std::string::npos);
}

TEST(Check, FindsArrowsThatDoNotStartOnACall)
{
    EXPECT_NE(after([](timeline *t) { t->gpus.at[0].slice = 0; }).find("error arrows"),
              std::string::npos);
}

TEST(Check, FindsArrowsThatDoNotEndOnTheirOperation)
{
    EXPECT_EQ(after([](timeline *t) { t->gpu_by_slice.at[0] = 2; }), "error arrows");
}

TEST(Check, FindsOperationsThatOverlapOnALane)
{
    EXPECT_EQ(after([](timeline *t) { t->gpus.at[2].lane = 0; }), "error device-lanes");
}

TEST(Check, FindsOperationsOutOfOrder)
{
    EXPECT_NE(after([](timeline *t) {
                  std::swap(t->gpus.at[0].start_ns, t->gpus.at[1].start_ns);
              }).find("error device-order"),
              std::string::npos);
}

TEST(Check, FindsALedgerThatDoesNotAddUp)
{
    EXPECT_EQ(after([](timeline *t) { t->ledger.launched++; }), "error ledger");
    EXPECT_EQ(after([](timeline *t) { t->ledger.launched++, t->ledger.missing++; }),
              "error ledger, error missing-operations")
        << "no stream has it";
    EXPECT_EQ(after([](timeline *t) { t->ledger_rows.at[0].recorded++; }), "error ledger");
    EXPECT_EQ(after([](timeline *t) {
                  t->ledger.launched++, t->ledger.missing++;
                  t->ledger_rows.at[0].launched++, t->ledger_rows.at[0].missing++;
              }),
              "error missing-operations");
}

TEST(Check, CountsErrorsWarningsAndNotesApart)
{
    Trace trace;
    trace.header().state = PROF_STATE_RECORDING;
    trace.header().loss[PROF_LOSS_FULL] = 2;
    trace.thread(1).log(0, 1);
    trace_builder_push(trace.raw(), 1, 99);
    trace.pop(2);
    check_report report;
    timeline_check(trace.load(), &report);
    EXPECT_EQ(report.errors, 1u);
    EXPECT_EQ(report.warnings, 1u);
    EXPECT_EQ(report.notes, 1u);
    EXPECT_STREQ(report.findings[1].sentence,
                 "test.prof: lost 2: event not recorded: the size limit of the trace was reached");
    EXPECT_EQ(report.findings[1].count, 2u);
}
