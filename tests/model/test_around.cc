/* test_around.cc - what is around slices, also where each is in the one before: then a walk up from each one would take
 * days, not a second. */
#include "../support/trace_fixture.h"
#include "around.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

namespace
{

constexpr uint32_t very_deep = 1000000;
const char evaluation[] = "autograd::engine::evaluate_function: MmBackward0";

using Slices = std::unique_ptr<uint32_t[], decltype(&free)>;

bool is_odd(void *, uint32_t slice)
{
    return slice % 2;
}

bool never(void *, uint32_t)
{
    return false;
}

TEST(Around, IsTheInnermostOrOutermostThatHasTheProperty)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    trace.push(0, "a").push(1, "b").push(2, "c").push(3, "d").pop(4).pop(5).pop(6).push(7, "e");
    trace.pop(8).pop(9).push(10, "f").pop(11);
    const timeline *t = trace.load();
    Slices innermost(around_innermost(t, is_odd, nullptr), free);
    Slices outermost(around_outermost(t, is_odd, nullptr), free);
    EXPECT_EQ(std::vector<uint32_t>(innermost.get(), innermost.get() + 6),
              (std::vector<uint32_t>{TL_NONE, 1, 1, 3, TL_NONE, 5}));
    EXPECT_EQ(std::vector<uint32_t>(outermost.get(), outermost.get() + 6),
              (std::vector<uint32_t>{TL_NONE, 1, 1, 1, TL_NONE, 5}));
    Slices none(around_innermost(t, never, nullptr), free);
    EXPECT_EQ(none[3], TL_NONE);
}

/* A forward range in a Python function, and its number in every evaluation: each borrows the function for all that is
 * inside. */
TEST(PassesInEachOther, HaveTheStackOfTheirForwardRangeHoweverDeep)
{
    Trace trace;
    trace.thread(1).thread(2).log(0, 1);
    uint32_t key = trace.name("Sequence number"), backward = trace.name(evaluation);
    uint64_t function = trace.name("model.py(1): forward");
    trace_builder_event(trace.raw(), PROF_REC_FRAME_PUSH_WIDE, 1, &function, 1);
    for (uint32_t i = 0; i < very_deep; i++) {
        trace.push(2 + i * 2, "aten::mm");
        trace_builder_attr(trace.raw(), key, PROF_ATTR_INT, i);
        trace.pop(3 + i * 2);
    }
    trace.log(1, 2);
    for (uint32_t i = 0; i < very_deep; i++) {
        trace_builder_push(trace.raw(), very_deep * 2 + 2 + i, backward);
        trace_builder_attr(trace.raw(), key, PROF_ATTR_INT, i);
    }
    for (uint32_t i = 0; i < very_deep; i++)
        trace.pop(very_deep * 3 + 2 + i);
    const timeline *t = trace.load();
    ASSERT_EQ(t->fwdbwds.count, very_deep);
    EXPECT_EQ(t->fwdbwds.at[very_deep - 1].forward, very_deep - 1);
    for (uint32_t i : {very_deep, very_deep * 3 / 2, very_deep * 2 - 1}) {
        ASSERT_NE(stack_of_slice(t, i), TL_NONE);
        EXPECT_EQ(t->stacks.at[stack_of_slice(t, i)].frames, 0u);
        EXPECT_TRUE(t->slices.at[i].flags & TL_FORWARD_STACK);
    }
}

/* Only the innermost one is around the backward function. */
TEST(PassesInEachOther, AreNotSearchedForTheirForwardRange)
{
    Trace trace;
    trace.thread(1).thread(2).log(0, 1);
    uint32_t backward = trace.name(evaluation);
    trace.push(0, "aten::mm").attr("Sequence number", PROF_ATTR_INT, 1).pop(1).log(1, 2);
    for (uint32_t i = 0; i < very_deep; i++)
        trace_builder_push(trace.raw(), 2 + i, backward);
    trace.push(very_deep + 2, "MmBackward0").attr("Sequence number", PROF_ATTR_INT, 1);
    for (uint32_t i = 0; i <= very_deep; i++)
        trace.pop(very_deep + 3 + i);
    const timeline *t = trace.load();
    ASSERT_EQ(t->fwdbwds.count, 1u);
    uint32_t found = 0;
    for (uint32_t i = 0; i < t->slices.count; i++)
        found += timeline_fwdbwd_of(t, i) != nullptr;
    EXPECT_EQ(found, 2u);
    ASSERT_NE(timeline_fwdbwd_of(t, very_deep), nullptr);
    EXPECT_EQ(timeline_fwdbwd_of(t, very_deep)->backward, very_deep + 1);
}

} // namespace
