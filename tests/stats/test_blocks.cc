// Event blocks: runs of the same signature as iterations, what their events took, totals.
#include "../foreign/executorch_fixture.h"
#include "../support/block_fixture.h"
#include "blocks.h"

#include <cmath>

namespace
{

std::string range_text(Trace &trace, const char *range)
{
    blocks_options options = {};
    options.target = TIME_SCALE_NS;
    options.range = range;
    const timeline *t = trace.load();
    struct blocks blocks;
    std::string text;
    if (!t || !blocks_init(&blocks, t, &options))
        return "?";
    for (uint32_t i = 0; i < blocks.blocks.count; i++) {
        const event_block &block = blocks.blocks.at[i];
        text += "x" + std::to_string(block.run_count) + ":";
        for (uint32_t j = 0; j < block.row_count; j++) {
            const block_row &row = blocks.rows.at[block.first_row + j];
            const block_item &item = blocks.items.at[row.item];
            text += " " + std::string(item.depth, '>') + t->names.at[item.name].bytes;
            for (uint32_t k = 0; k < block.run_count; k++)
                text += "," + std::to_string((int64_t)blocks.durations[row.first_sample + k]);
        }
        text += "\n";
    }
    blocks_fini(&blocks);
    return text;
}

double total(Read &read, const char *prefix, uint32_t block = 0)
{
    bool enough = false;
    double sum = blocks_total(read.blocks(), block, prefix, &enough);
    EXPECT_TRUE(enough);
    return sum;
}

percentile_summary summary_of(std::vector<double> values)
{
    return percentile_summarize(values.data(), values.size());
}

} // namespace

// I2: three runs, two of one signature, one of another
TEST(Blocks, RunsOfOneSignatureAreIterations)
{
    Read read(etdump({{"a", {profile("x", 0, 1)}},
                      {"a", {profile("x", 2, 4)}},
                      {"b", {profile("x", 0, 1), profile("y", 1, 3)}}}));
    EXPECT_EQ(read.text(), "a x2: x 1,2\nb x1: x 1 y 2\n");
}

// I2: instruction, chain, delegate and input are of the signature
TEST(Blocks, WhatDistinguishesRuns)
{
    made_event other_instruction = profile("x", 0, 1, 5), other_chain = profile("x", 0, 1, 0, 2),
               delegate = profile("x", 0, 1);
    delegate.delegate = 3;
    Read read(etdump({{"a", {profile("x", 0, 1)}},
                      {"a", {other_instruction}},
                      {"a", {other_chain}},
                      {"a", {delegate}},
                      {"a", {profile("x", 0, 1)}, {}, 1},
                      {"a", {profile("x", 0, 9)}}}));
    EXPECT_EQ(read.text(), "a x2: x 1,9\na x1: x 1\na x1: x 1\na x1: x 1\na x1: x 1\n");
}

// I2: events are put together by instruction, so interleaving does not tell runs apart
TEST(Blocks, InterleavedInstructionsAreTheSameRun)
{
    Read read(
        etdump({{"a", {profile("x", 0, 1, 1), profile("y", 2, 3, 2), profile("z", 4, 5, 1)}},
                {"a", {profile("x", 0, 2, 1), profile("z", 2, 4, 1), profile("y", 4, 6, 2)}}}));
    EXPECT_EQ(read.text(), "a x2: x 1,2 z 1,2 y 1,2\n");
}

// Inspector defect 4: an instruction that a loop executes again
TEST(Blocks, EventsOfEqualSignatureStayApart)
{
    Read read(etdump({{"a", {profile("x", 0, 1, 1), profile("x", 10, 15, 1)}},
                      {"a", {profile("x", 0, 2, 1), profile("x", 10, 17, 1)}}}));
    EXPECT_EQ(read.text(), "a x2: x 1,2 x 5,7\n");
}

// I2: values without anything that was timed make events of their own
TEST(Blocks, ValuesAloneAreEvents)
{
    made_event by_delegate = logged(nullptr, 1, 1);
    by_delegate.delegate_name = "conv";
    Read read(etdump({{"a", {logged("relu", 0, 1), by_delegate}}}));
    EXPECT_EQ(read.text(), "a x1: relu ? - ?\n");
}

// I2: a value beside an event is the event's; a run that logged is not one that did not
TEST(Blocks, ValuesBelongToTheEventsOfTheirInstruction)
{
    made_event x = profile("x", 0, 1, 3), value = logged("x", 3, 1);
    Read read(etdump({{"a", {value, x, value}}, {"a", {x}}, {"a", {x, value}}}));
    EXPECT_EQ(read.text(), "a x2: x 1,1\na x1: x 1\n");
}

// I3: the percentiles of numpy.percentile
TEST(Blocks, StatisticsAreNumpys)
{
    percentile_summary four = summary_of({4, 1, 3, 2});
    EXPECT_DOUBLE_EQ(four.p10, 1.3);
    EXPECT_DOUBLE_EQ(four.p50, 2.5);
    EXPECT_DOUBLE_EQ(four.p90, 3.7);
    EXPECT_DOUBLE_EQ(four.mean, 2.5);
    EXPECT_EQ(four.min, 1);
    EXPECT_EQ(four.max, 4);
    percentile_summary one = summary_of({7});
    EXPECT_EQ(one.p10, 7);
    EXPECT_EQ(one.p90, 7);
    EXPECT_TRUE(std::isnan(summary_of({}).mean));
    percentile_summary some = summary_of({NAN, 5, NAN, 1});
    EXPECT_EQ(some.count, 2u);
    EXPECT_EQ(some.mean, 3);
}

// I5, Inspector defects 1 and 2: the wrap is exact, and comes before scaling, for delegates too
TEST(Blocks, WrapsAreExactForDelegatesToo)
{
    made_event delegate = profile(nullptr, 0xffffffff, 1, 1);
    delegate.delegate = 4;
    Read read(etdump({{"a", {profile("x", 0xfffffffe, 0), delegate}}}), {1, true});
    read.options().target = TIME_SCALE_NS;
    EXPECT_EQ(read.text(), "a x1: x ? 4 2\n");
    Read scaled(etdump({{"a", {delegate}}}), {1, true});
    scaled.options().target = TIME_SCALE_US;
    EXPECT_DOUBLE_EQ(scaled.blocks()->durations[0], 0.002);
}

// P5, I3: nanoseconds to milliseconds are divided by 10^6; cycles stay cycles
TEST(Blocks, ScalesDivide)
{
    EXPECT_EQ(time_scale_divisor(TIME_SCALE_NS, TIME_SCALE_MS), 1e6);
    EXPECT_EQ(time_scale_divisor(TIME_SCALE_MS, TIME_SCALE_NS), 1e-6);
    EXPECT_EQ(time_scale_divisor(TIME_SCALE_CYCLES, TIME_SCALE_CYCLES), 1);
    EXPECT_FALSE(time_scale_fits(TIME_SCALE_CYCLES, TIME_SCALE_MS));
    EXPECT_FALSE(time_scale_fits(TIME_SCALE_NS, TIME_SCALE_CYCLES));
    EXPECT_TRUE(time_scale_fits(TIME_SCALE_CYCLES, TIME_SCALE_CYCLES));
    Read read(prof_buffer({{"b", {prof_event("e", 100, 350)}}}), {1000, false});
    read.options().source = TIME_SCALE_US;
    read.options().target = TIME_SCALE_MS;
    EXPECT_DOUBLE_EQ(read.blocks()->durations[0], 0.25);
}

// P4: memory by allocator, over iterations
TEST(Blocks, MemoryIsPerAllocatorOverIterations)
{
    Read read(prof_buffer({{"b", {}, {{"x", 0}, {"y", 1}}, {{0, 10}, {1, 5}, {0, 1}}},
                           {"b", {}, {{"x", 0}}, {{0, 30}}}}));
    ASSERT_EQ(read.blocks()->memories.count, 2u);
    const block_memory &x = read.blocks()->memories.at[0], &y = read.blocks()->memories.at[1];
    EXPECT_EQ(x.first_bytes, 11u);
    EXPECT_EQ(x.total_bytes, 41u);
    EXPECT_EQ(x.min_bytes, 11u);
    EXPECT_EQ(x.max_bytes, 30u);
    EXPECT_EQ(x.allocations, 3u);
    EXPECT_EQ(y.min_bytes, 0u);
    EXPECT_EQ(y.total_bytes, 5u);
}

// P3 defect 7: which iteration differs, in what
TEST(Blocks, SayHowIterationsDiffer)
{
    auto mismatch = [](const ProfBlock &second) {
        Read read(prof_buffer({{"b", {prof_event("x", 1, 2)}, {{"m", 0}, {"n", 1}}, {{0, 8}}},
                               {"other", {prof_event("x", 1, 2)}},
                               second}));
        block_mismatch found = {};
        bool enough;
        uint32_t behind = blocks_mismatch(read.get(), 0, &found, &enough);
        if (behind) {
            EXPECT_EQ(behind, 3u);
            EXPECT_EQ(found.before, 0u);
            EXPECT_EQ(found.run, 2u);
            EXPECT_EQ(found.number, 1u);
            EXPECT_EQ(blocks_mismatch(read.get(), behind, &found, &enough), 0u);
        }
        return found.kind;
    };
    ProfBlock same = {"b", {prof_event("x", 5, 9)}, {}, {{0, 8}}};
    EXPECT_EQ(mismatch(same), BLOCK_SAME);
    ProfBlock changed = same;
    changed.events.push_back(prof_event("y", 1, 2));
    EXPECT_EQ(mismatch(changed), BLOCK_EVENT_COUNT);
    changed.events = {prof_event("y", 5, 9)};
    EXPECT_EQ(mismatch(changed), BLOCK_EVENT_NAME);
    changed = same;
    changed.allocations.clear();
    EXPECT_EQ(mismatch(changed), BLOCK_ALLOC_COUNT);
    changed.allocations = {{1, 8}};
    EXPECT_EQ(mismatch(changed), BLOCK_ALLOCATOR);
    changed.allocations = {{0, 9}};
    EXPECT_EQ(mismatch(changed), BLOCK_ALLOC_BYTES);
}

// P3 defect 7: iterations that differ are blocks of their own
TEST(Blocks, ThoseThatDifferAreShownApart)
{
    Read read(prof_buffer({{"b", {prof_event("x", 1, 2)}},
                           {"b", {prof_event("x", 1, 2), prof_event("y", 1, 4)}},
                           {"b", {prof_event("x", 1, 6)}}}));
    EXPECT_EQ(read.text(), "b x2: x 1,5\nb x1: x 1 y 3\n");
}

// P4: blocks of prof/block.h
TEST(Blocks, LibprofsOwnBlocks)
{
    BlockTrace trace;
    trace.block(5, "A").event(10, 20, "x").block(25, "A").event(30, 45, "x").begin(50, "open", 99);
    blocks_options options = {};
    options.target = TIME_SCALE_NS;
    struct blocks blocks;
    ASSERT_TRUE(blocks_init(&blocks, trace.load(), &options));
    ASSERT_EQ(blocks.blocks.count, 2u);
    EXPECT_EQ(blocks.durations[0], 10);
    EXPECT_EQ(blocks.durations[1], 15);
    EXPECT_TRUE(std::isnan(blocks.durations[2]));
    blocks_fini(&blocks);
}

TEST(Blocks, OnlyThoseOfAName)
{
    Read read(prof_buffer({{"a", {prof_event("x", 1, 2)}}, {"b", {prof_event("x", 1, 3)}}}));
    read.options().block = "b";
    EXPECT_EQ(read.text(), "b x1: x 2\n");
}

// P4: the calls of a range are runs, what is in them their events
TEST(Blocks, CallsOfARange)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    trace.push(0, "step").push(1, "load").pop(3).pop(10);
    trace.push(20, "step").push(21, "load").pop(26).pop(35);
    trace.push(40, "step").pop(41).push(50, "other").pop(60);
    EXPECT_EQ(range_text(trace, "step"), "x2: step,10,15 >load,2,5\nx1: step,1\n");
    EXPECT_EQ(range_text(trace, "load"), "x2: load,2,5\n");
    EXPECT_EQ(range_text(trace, "none"), "");
}

TEST(Blocks, ARangeWithinItselfIsPartOfTheOuterCall)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(0, "f").push(1, "f").pop(3).pop(10);
    EXPECT_EQ(range_text(trace, "f"), "x1: f,10 >f,2\n");
}

TEST(Blocks, StepsAreIterationsOfOneRange)
{
    Trace trace;
    trace.thread(1).log(0, 1).step(10, 1).step(20, 2).step(50, 3);
    EXPECT_EQ(range_text(trace, "ProfilerStep*").substr(0, 25), "x3: ProfilerStep#1,10,30,");
}

// Inspector defect 9: a module's total does not have that of its sibling
TEST(BlocksTotal, PrefixesEndWithWords)
{
    auto has = [](const char *name, const char *prefix) {
        return name_has_prefix(name, strlen(name), prefix);
    };
    EXPECT_TRUE(has("conv1", "conv1"));
    EXPECT_TRUE(has("conv1.weight", "conv1"));
    EXPECT_TRUE(has("conv1/relu", "conv1"));
    EXPECT_TRUE(has("layer::conv1", "layer"));
    EXPECT_TRUE(has("layer.conv1", "layer."));
    EXPECT_FALSE(has("conv10", "conv1"));
    EXPECT_FALSE(has("conv1_bn", "conv1"));
    EXPECT_TRUE(has("native_call_add.out", "native_call_"));
    EXPECT_FALSE(has("conv", "conv1"));
    EXPECT_FALSE(has("layer.conv1", "conv1"));
}

TEST(BlocksTotal, AveragesOverIterationsAndCountsNestedOnce)
{
    Read read(prof_buffer({{"b",
                            {prof_event("conv1", 0, 10), prof_event("conv1.mul", 2, 6),
                             prof_event("conv1", 20, 25), prof_event("conv10", 30, 90)}},
                           {"b",
                            {prof_event("conv1", 100, 120), prof_event("conv1.mul", 115, 130),
                             prof_event("conv1", 0, 0), prof_event("conv10", 130, 190)}}}));
    EXPECT_EQ(total(read, "conv1"), (15 + 30) / 2.0);
    EXPECT_EQ(total(read, "conv10"), 60);
    EXPECT_TRUE(std::isnan(total(read, "conv2")));
}

TEST(BlocksTotal, CallsAroundKernelsDoNotCount)
{
    Read read(prof_buffer({{"b", {prof_event("OPERATOR_CALL", 0, 10)}}}));
    EXPECT_TRUE(std::isnan(total(read, "OPERATOR_CALL")));
}

TEST(BlocksTotal, UnfoldsWhatWrapped)
{
    Read read(prof_buffer({{"b",
                            {prof_event("all", 0xfffffff0, 0x20), prof_event("conv", 0xfffffff8, 8),
                             prof_event("conv.x", 4, 6)}}}),
              {1, true});
    EXPECT_EQ(total(read, "conv"), 16);
}
