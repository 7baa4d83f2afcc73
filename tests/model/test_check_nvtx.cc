/* test_check_nvtx.cc - the check sees what is wrong with what came through NVTX. */
#include "../support/trace_fixture.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace
{

/* Findings after `harm` was done to a sound timeline: slices a, b, b continued, forward, backward. */
std::string after(const std::function<void(timeline *)> &harm)
{
    Trace trace;
    prof_rec_event_name detail = {};
    detail.category = 3;
    trace.domain(1, "lib").thread(1).thread(2).log(0, 1);
    uint32_t name = trace.event_name("b", 1, detail);
    trace.push(10, "a");
    trace_builder_nvtx_push(trace.raw(), 20, name);
    trace_builder_mark(trace.raw(), 22, name);
    trace.attr("x", PROF_ATTR_INT, 1, PROF_ATTR_OF_MARK);
    trace_builder_begin(trace.raw(), 24, name, uint64_t(1) << 33);
    trace.attr("x", PROF_ATTR_INT, 1, uint64_t(1) << 33);
    trace_builder_end(trace.raw(), 26, uint64_t(1) << 33);
    trace.pop(30).nvtx_pop(40, 1);
    trace.push(50, "mul").attr("seq", PROF_ATTR_INT, 1).pop(60);
    trace.push(70, "autograd::engine::evaluate_function: MulBackward0");
    trace.attr("seq", PROF_ATTR_INT, 1).pop(80);
    timeline *t = const_cast<timeline *>(trace.load());
    EXPECT_EQ(findings(t), "");
    EXPECT_EQ(t->fwdbwds.count, 1u);
    EXPECT_EQ(t->slices.count, 5u);
    harm(t);
    return findings(t);
}

} // namespace

TEST(CheckNvtx, FindsPiecesThatDoNotMakeACall)
{
    EXPECT_EQ(after([](timeline *t) { t->segments.count = 0; }), "error slice-pieces");
    EXPECT_EQ(after([](timeline *t) { t->slices.at[2].flags = 0; }), "error slice-pieces");
    EXPECT_EQ(after([](timeline *t) { t->segments.at[0].before = 0; }), "error slice-pieces");
    EXPECT_EQ(after([](timeline *t) { t->segments.at[0].slice = 99; }), "error slice-pieces");
    EXPECT_EQ(after([](timeline *t) { t->segments.at[0].first = 2; }), "error slice-pieces");
    EXPECT_EQ(after([](timeline *t) { t->slices.at[2].start_ns = 31; }), "error slice-pieces");
    EXPECT_EQ(after([](timeline *t) { t->slices.at[2].name = 0; }), "error slice-pieces");
}

TEST(CheckNvtx, FindsBackwardPassesBeforeTheirForwardRange)
{
    EXPECT_EQ(
        after([](timeline *t) { std::swap(t->fwdbwds.at[0].forward, t->fwdbwds.at[0].backward); }),
        "error forward-backward");
    EXPECT_EQ(after([](timeline *t) { t->fwdbwds.at[0].backward = 99; }), "error forward-backward");
    EXPECT_EQ(after([](timeline *t) { t->fwdbwds.at[0].forward = 4; }), "error forward-backward");
}

TEST(CheckNvtx, FindsIndexesOutOfRange)
{
    EXPECT_EQ(after([](timeline *t) { t->slices.at[0].label = 9; }), "error index-range");
    EXPECT_EQ(after([](timeline *t) { t->marks.at[0].label = 9; }), "error index-range");
    EXPECT_EQ(after([](timeline *t) { t->asyncs.at[0].label = 9; }), "error index-range");
    EXPECT_EQ(after([](timeline *t) { t->mark_attrs.at[0].slice = 9; }), "error index-range");
    EXPECT_EQ(after([](timeline *t) { t->async_attrs.at[0].key = 999; }), "error index-range");
    EXPECT_EQ(after([](timeline *t) { t->labels.at[0].domain = 9; }), "error index-range");
    EXPECT_EQ(after([](timeline *t) { t->labels.at[0].category = 9; }), "error index-range");
    EXPECT_EQ(after([](timeline *t) { t->categories.at[0].domain = 9; }), "error index-range");
    EXPECT_EQ(after([](timeline *t) { t->domains.at[0].name = TL_NONE; }), "error index-range");
}
