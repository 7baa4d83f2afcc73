/* test_frames.cc - calls of Python functions: a stack of their own, the call stacks of what happens in them, segments that
 * nest with slices. */
#include "../support/trace_fixture.h"

#include "timeline.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace
{

/* Which calls are open, outermost first; `claimed` more than there are. */
void state(Trace &trace, int64_t time_ns, const std::vector<const char *> &names,
           uint32_t claimed = 0)
{
    std::vector<uint64_t> payload(1 + (names.size() + 1) / 2, 0);
    payload[0] = names.size() + claimed;
    for (size_t i = 0; i < names.size(); i++)
        payload[1 + i / 2] |= uint64_t{trace_builder_name(trace.raw(), names[i])} << i % 2 * 32;
    trace_builder_ext(trace.raw(), PROF_REC_FRAMES, static_cast<uint64_t>(time_ns), payload.data(),
                      static_cast<unsigned>(payload.size()));
}

std::string name_of(const timeline *t, uint32_t name)
{
    return {t->names.at[name].bytes, t->names.at[name].size};
}

/* "name start end" of each segment, with "+" where it goes on and "!" where its end is missing. */
std::string calls(const timeline *t)
{
    std::string text;
    for (uint32_t i = 0; i < t->frames.count; i++) {
        const tl_frame *frame = &t->frames.at[i];
        text += name_of(t, frame->name) + " " + std::to_string(frame->start_ns - t->start_ns) +
                " " + std::to_string(frame->end_ns - t->start_ns);
        text += frame->flags & TL_FRAME_CONTINUED ? "+" : "";
        text += frame->flags & TL_FRAME_UNCLOSED ? "!" : "";
        text += "\n";
    }
    return text;
}

/* The functions around a slice, innermost first. */
std::string stack(const timeline *t, uint32_t slice)
{
    std::string text;
    uint32_t index = stack_of_slice(t, slice);
    uint32_t path = index == TL_NONE ? TL_NONE : t->stacks.at[index].frames;
    for (; path != TL_NONE; path = t->frame_paths.at[path].parent)
        text += (text.empty() ? "" : " ") + name_of(t, t->frame_paths.at[path].name);
    return text;
}

} // namespace

TEST(Frames, AreStacksOfWhatHappensInThemAndNoSlices)
{
    Trace trace;
    trace.thread(1)
        .log(0, 1)
        .push(0, "before")
        .call(10, "f")
        .push(20, "a")
        .call(30, "g")
        .push(40, "b")
        .pop(50)
        .leave(60)
        .pop(70)
        .leave(80)
        .push(90, "after")
        .pop(95)
        .pop(100);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(slice_tree(t), "before 0 100\n a 20 70\n  b 40 50\n after 90 95\n");
    EXPECT_EQ(calls(t), "f 10 80\ng 30 60\n");
    EXPECT_EQ(stack(t, 0), "");
    EXPECT_EQ(stack(t, 1), "f");
    EXPECT_EQ(stack(t, 2), "g f");
    EXPECT_EQ(stack(t, 3), "");
    EXPECT_EQ(t->frames.at[1].parent, 0u);
    EXPECT_EQ(findings(t), "");
}

TEST(Frames, OfTheOwnPackageAndItsHelpersAreNotShown)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    trace.call(10, "/a/libprof/train.py(1): main");
    trace.call(20, "/python/contextlib.py(9): the_program_s");
    trace.leave(30);
    trace.call(40, "/a/libprof/profiler.py(2): profile.__exit__");
    trace.call(41, "/python/contextlib.py(104): helper");
    trace.call(42, "<built-in function getpid>");
    trace.call(43, "/a/train.py(3): schedule");
    trace.call(44, "/python/contextlib.py(9): the_program_s");
    trace.push(45, "range").pop(46);
    for (int64_t time_ns = 47; time_ns < 53; time_ns++)
        trace.leave(time_ns);
    const timeline *t = trace.load();
    EXPECT_EQ(calls(t), "/a/libprof/train.py(1): main 0 42\n"
                        "/python/contextlib.py(9): the_program_s 10 20\n"
                        "/a/train.py(3): schedule 33 38\n"
                        "/python/contextlib.py(9): the_program_s 34 37\n");
    EXPECT_EQ(stack(t, 0), "/python/contextlib.py(9): the_program_s /a/train.py(3): schedule "
                           "/a/libprof/train.py(1): main");
}

TEST(Frames, APopOfEitherKindEndsNothingOfTheOther)
{
    Trace trace;
    trace.thread(1)
        .log(0, 1)
        .push(0, "outer")
        .call(10, "enter")
        .push(20, "range")
        .leave(30)
        .call(40, "exit")
        .pop(50)
        .leave(60)
        .leave(70)
        .pop(100)
        .pop(110);
    const timeline *t = trace.load();
    EXPECT_EQ(slice_tree(t), "outer 0 100\n range 20 50\n");
    EXPECT_EQ(calls(t), "enter 10 20\nenter 20 30+\nexit 40 50\nexit 50 60+\n");
    EXPECT_EQ(t->frames.at[1].call, 0u);
    EXPECT_EQ(t->processes.at[0].odd.unopened_frames, 1u);
    EXPECT_EQ(t->threads.at[0].unopened, 1u);
}

TEST(Frames, CutsAllThatARangeOutlivesAndAllThatOutliveIt)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    for (const char *name : {"f", "g", "h"})
        trace.call(10, name);
    trace.push(20, "range")
        .leave(30)
        .leave(40)
        .call(50, "i")
        .call(55, "j")
        .pop(60)
        .leave(70)
        .leave(80)
        .leave(90);
    const timeline *t = trace.load();
    EXPECT_EQ(calls(t),
              "f 0 80\ng 0 10\nh 0 10\ng 10 30+\nh 10 20+\ni 40 50\nj 45 50\ni 50 70+\nj 50 60+\n");
    EXPECT_EQ(t->frames.at[4].parent, 1u);
    EXPECT_EQ(findings(t), "");
}

TEST(Frames, AStatementSaysWhatIsOpen)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    state(trace, 10, {"main", "f", "g"});
    trace.push(20, "a").pop(25);
    state(trace, 30, {"main", "h"});
    trace.push(40, "b").pop(45).leave(50);
    state(trace, 60, {});
    trace.push(70, "c").pop(75);
    const timeline *t = trace.load();
    EXPECT_EQ(calls(t), "main 0 50\nf 0 20\ng 0 20\nh 20 40\n");
    EXPECT_EQ(stack(t, 0), "g f main");
    EXPECT_EQ(stack(t, 1), "h main");
    EXPECT_EQ(stack(t, 2), "");
    EXPECT_EQ(findings(t), "");
}

TEST(Frames, EqualPathsAreOne)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    for (int i = 0; i < 3; i++) {
        trace.call(10 + 100 * i, "f").push(20 + 100 * i, "a").pop(30 + 100 * i).leave(40 + 100 * i);
    }
    const timeline *t = trace.load();
    EXPECT_EQ(t->frame_paths.count, 1u);
    EXPECT_EQ(t->stacks.count, 1u);
    EXPECT_EQ(t->slice_stacks.count, 3u);
    EXPECT_EQ(t->frames.count, 3u);
}

TEST(Frames, ThatAreOpenAtTheEndEndThere)
{
    Trace trace;
    trace.thread(1).log(0, 1).call(10, "f").push(20, "a").call(30, "g");
    const timeline *t = trace.load();
    EXPECT_NE(calls(t).find("f 0 "), std::string::npos) << calls(t);
    EXPECT_EQ(t->frames.at[0].flags, TL_FRAME_UNCLOSED);
    EXPECT_EQ(t->frames.at[1].flags, TL_FRAME_UNCLOSED);
    EXPECT_EQ(t->ledger.unclosed, 1u) << "the range alone is one that nobody popped";
}

TEST(Frames, OfThreadsThatTakeTurnsInOneLogStayApart)
{
    Trace trace;
    trace.thread(1).thread(2).log(0, 1).call(10, "f").push(20, "a").pop(30).leave(40);
    trace_builder_handover(trace.raw(), 2, 0);
    trace.call(50, "g").push(60, "b").pop(70).leave(80);
    const timeline *t = trace.load();
    EXPECT_EQ(t->threads.at[0].frame_count, 1u);
    EXPECT_EQ(t->threads.at[1].frame_count, 1u);
    EXPECT_EQ(stack(t, 1), "g");
    EXPECT_EQ(findings(t), "");
}

TEST(Frames, EndOnEveryThreadWhereTheyAreNotRecordedAnyMore)
{
    Trace trace;
    trace_builder_frames_end(trace.raw(), 50);
    trace_builder_frames_end(trace.raw(), 200);
    trace.thread(1)
        .thread(2)
        .log(0, 1)
        .call(10, "f")
        .call(20, "g")
        .push(30, "within")
        .pop(40)
        .push(70, "behind")
        .pop(80);
    state(trace, 100, {"f"});
    trace.push(110, "again").pop(120);
    trace_builder_handover(trace.raw(), 2, 0);
    trace.call(130, "late").push(140, "other").pop(150);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(stack(t, 0), "g f");
    EXPECT_EQ(stack(t, 1), "") << "a stack that nobody kept up any more";
    EXPECT_EQ(stack(t, 2), "f");
    EXPECT_EQ(stack(t, 3), "late") << "an end before it began is not its own";
    EXPECT_EQ(calls(t).substr(0, 19), "f 0 40\ng 10 40\nf 90");
}

TEST(Frames, ARecordThatClaimsMoreThanItHoldsIsDamage)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(5, "a").pop(6);
    state(trace, 10, {"main"}, 1000);
    EXPECT_EQ(trace.load(), nullptr);
    EXPECT_NE(std::string(trace.error()).find("Python frames"), std::string::npos) << trace.error();
}

TEST(Frames, RangesThatCrossALotOfThemCostNoMoreThanThereIs)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    int64_t now = 0;
    for (int i = 0; i < 300; i++)
        trace.call(++now, "f");
    for (int i = 0; i < 300; i++)
        trace.push(++now, "a");
    for (int i = 0; i < 300; i++) {
        trace.leave(++now);
    }
    for (int i = 0; i < 300; i++)
        trace.pop(++now);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_LE(t->frames.count, 300u + 4 * 600u);
    EXPECT_GT(t->processes.at[0].odd.uncut_frames, 0u);
}

namespace
{

constexpr const char *evaluation = "autograd::engine::evaluate_function: MmBackward0";

/* "main" calls "f", which multiplies; with the sequence number 7. */
void forward(Trace &trace)
{
    trace.call(10, "main").call(20, "f");
    trace.push(30, "aten::mm").attr("seq", PROF_ATTR_INT, 7).pop(40);
    trace.leave(50);
}

void backward(Trace &trace, int64_t time_ns)
{
    trace.push(time_ns, evaluation).push(time_ns + 1, "MmBackward0");
    trace.attr("stashed_seq", PROF_ATTR_INT, 7).push(time_ns + 2, "aten::t").pop(time_ns + 3);
    trace.pop(time_ns + 4).push(time_ns + 5, "aten::sum").pop(time_ns + 6).pop(time_ns + 7);
}

} // namespace

TEST(ForwardFrames, AreTheStackOfTheBackwardPassOnAnotherThread)
{
    Trace trace;
    trace.thread(1).thread(2).log(0, 1);
    forward(trace);
    trace.leave(60).log(1, 2);
    backward(trace, 70);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    ASSERT_EQ(slice_tree(t), "aten::mm 30 40\n" + std::string(evaluation) +
                                 " 70 77\n MmBackward0 71 74\n  aten::t 72 73\n aten::sum 75 76\n");
    for (uint32_t slice = 0; slice < 5; slice++)
        EXPECT_EQ(stack(t, slice), "f main") << slice;
    EXPECT_FALSE(t->slices.at[0].flags & TL_FORWARD_STACK);
    EXPECT_TRUE(t->slices.at[3].flags & TL_FORWARD_STACK);
    EXPECT_EQ(findings(t), "");
}

TEST(ForwardFrames, ReplaceThoseOfTheCallOfBackwardInsideOfTheBackwardFunction)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    forward(trace);
    trace.call(60, "backward");
    backward(trace, 70);
    trace.leave(90).leave(100);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(stack(t, 1), "backward main") << evaluation;
    EXPECT_EQ(stack(t, 2), "f main");
    EXPECT_EQ(stack(t, 3), "f main");
    EXPECT_EQ(stack(t, 4), "backward main");
    EXPECT_EQ(findings(t), "");
}

TEST(ForwardFrames, LeaveWhatHasNoForwardRangeAsItIs)
{
    Trace trace;
    trace.thread(1).log(0, 1).call(60, "backward");
    backward(trace, 70);
    trace.push(80, "aten::mm").attr("seq", PROF_ATTR_INT, 7).pop(85);
    trace.leave(90);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    for (uint32_t slice = 0; slice < t->slices.count; slice++)
        EXPECT_EQ(stack(t, slice), "backward") << slice;
}

TEST(ForwardFrames, CountModulesByTheNumberInTheirName)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    for (const char *name :
         {"nn.Module: Linear_12", "nn.Module: Linear", "nn.Module: Linear_", "f_3"})
        trace.call(10, name);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(tl_module_number(t, &t->frames.at[0]), 12u);
    for (uint32_t i = 1; i < 4; i++)
        EXPECT_EQ(tl_module_number(t, &t->frames.at[i]), TL_NONE);
}
