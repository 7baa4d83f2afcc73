/* test_blocks.cc - which event and which allocation belongs to which profiling block. */
#include "../support/block_fixture.h"

#include <gtest/gtest.h>

TEST(Blocks, HoldWhatBeganWhileTheyWereCurrent)
{
    BlockTrace trace;
    trace.block(10, "A").event(20, 30, "a").block(40, "B").event(50, 60, "b").event(70, 80, "c");
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(block_list(t), "A: a\nB: b c\n");
    EXPECT_EQ(t->blocks.at[1].start_ns, 40);
    EXPECT_EQ(findings(t), "");
}

TEST(Blocks, OfOneNameAreIterations)
{
    BlockTrace trace;
    trace.block(10, "A").event(11, 12, "a").block(20, "A").event(21, 22, "a").block(30, "A");
    trace.event(31, 32, "a").event(33, 34, "a");
    EXPECT_EQ(block_list(trace.load()), "A: a\nA: a\nA: a a\n");
}

TEST(Blocks, AnEventBeforeAnyIsInDefault)
{
    BlockTrace trace;
    trace.allocator(1, "pool").alloc(5, 1, 100).event(10, 20, "early").block(30, "A");
    trace.event(40, 50, "a");
    EXPECT_EQ(block_list(trace.load()), "default: early pool=100\nA: a\n");
}

TEST(Blocks, AnEventBeforeTheFirstThatTheRingKeptIsNotInDefault)
{
    BlockTrace trace;
    trace.header().flags |= PROF_FILE_RING;
    trace_builder_chunk(trace.raw(), 2);
    trace.event(10, 20, "whose").block(30, "A").event(40, 50, "a");
    EXPECT_EQ(block_list(trace.load()), "(block lost): whose\nA: a\n");
}

TEST(Blocks, InWhichNothingHappenedAreRenamedByTheNext)
{
    BlockTrace trace;
    trace.block(10, "unused").block(20, "A").event(30, 40, "a").block(50, "also unused");
    trace.block(60, "last");
    const timeline *t = trace.load();
    EXPECT_EQ(block_list(t), "A: a\nlast:\n");
    EXPECT_EQ(t->blocks.at[0].start_ns, 20);
}

TEST(Blocks, AnEventStaysInTheBlockInWhichItBeganWhereverItEnds)
{
    BlockTrace trace;
    trace.block(10, "A").begin(20, "crosses", 1).block(30, "B").begin(40, "b", 2);
    trace.end(50, 1).end(60, 2);
    const timeline *t = trace.load();
    EXPECT_EQ(block_list(t), "A: crosses\nB: b\n");
    EXPECT_EQ(t->asyncs.at[0].end_ns, 50);
    EXPECT_EQ(t->asyncs.at[1].end_ns, 60);
    EXPECT_EQ(t->processes.at[0].odd.unknown_range_ends, 0u);
}

TEST(Blocks, AreTheWholeProcesss)
{
    BlockTrace trace;
    trace.block(10, "A").block(100, "B");
    trace.event(101, 102, "first thread's");
    trace.on(2).event(50, 60, "second's, early").event(150, 160, "second's, late");
    EXPECT_EQ(block_list(trace.load()), "A: second's, early\nB: first thread's second's, late\n");
}

TEST(Blocks, OfOneInstantKeepTheOrderInWhichTheirThreadWroteThem)
{
    BlockTrace trace;
    trace.block(10, "A").event(10, 10, "a").block(10, "B").event(10, 10, "b").reset(10);
    trace.event(10, 10, "c").block(10, "C").event(10, 10, "d");
    EXPECT_EQ(block_list(trace.load()), "A: a\nB: c\nC: d\n");
}

TEST(Blocks, AResetForgetsWhatTheCurrentOneHoldsAndCountsIt)
{
    BlockTrace trace;
    trace.allocator(1, "pool").block(10, "A").event(20, 30, "kept").block(40, "B");
    trace.event(50, 60, "gone").event(52, 58, "gone too").alloc(61, 1, 7).reset(65);
    trace.event(70, 80, "b").alloc(90, 1, 8);
    const timeline *t = trace.load();
    EXPECT_EQ(block_list(t), "A: kept\nB: b pool=8\n");
    EXPECT_EQ(t->blocks.at[1].reset_events, 2u);
    EXPECT_EQ(t->blocks.at[1].reset_allocs, 1u);
    EXPECT_EQ(t->block_events.count, 2u);
    EXPECT_EQ(t->asyncs.count, 4u) << "the timeline keeps them";
}

TEST(Blocks, AResetBeforeAnyOrOfAnEmptyOneDoesNothing)
{
    BlockTrace trace;
    trace.reset(5).block(10, "A").reset(15).reset(16).event(20, 30, "a");
    EXPECT_EQ(block_list(trace.load()), "A: a\n");
    BlockTrace only;
    only.reset(5);
    EXPECT_EQ(only.load()->blocks.count, 0u);
}

TEST(Blocks, EventsKnowTheirInstruction)
{
    BlockTrace trace;
    trace.begin(10, "out of chains", 1).end(11, 1).begin(12, "in", 2, 3, 4000000000u).end(13, 2);
    const timeline *t = trace.load();
    EXPECT_EQ(t->block_events.at[0].chain, -1);
    EXPECT_EQ(t->block_events.at[0].instruction, 0u);
    EXPECT_EQ(t->block_events.at[1].chain, 3);
    EXPECT_EQ(t->block_events.at[1].instruction, 4000000000u);
}

TEST(Blocks, ARangeThatIsNoEventIsInNone)
{
    BlockTrace trace;
    trace.block(10, "A");
    trace_builder_begin(trace.raw(), 20, trace.name("range"), 9);
    trace_builder_end(trace.raw(), 30, 9);
    trace.event(40, 50, "a");
    EXPECT_EQ(block_list(trace.load()), "A: a\n");
}

TEST(Blocks, AnEventWithoutEndIsKeptAsSuch)
{
    BlockTrace trace;
    trace.block(10, "A").begin(20, "open", 1).event(30, 40, "a");
    EXPECT_EQ(block_list(trace.load()), "A: open? a\n");
}

TEST(Allocators, AreOfTheProcessAndUsedInLaterBlocks)
{
    BlockTrace trace;
    trace.allocator(1, "alloc_of_A").allocator(2, "alloc_of_B");
    trace.block(10, "A").alloc(11, 1, 100).block(20, "B").alloc(21, 2, 1000).alloc(22, 1, 10);
    EXPECT_EQ(block_list(trace.load()), "A: alloc_of_A=100\nB: alloc_of_B=1000 alloc_of_A=10\n");
}

TEST(Allocators, StatedTwiceAreOneAndUnstatedOnesHaveAPlaceholder)
{
    BlockTrace trace;
    trace.allocator(1, "pool").allocator(1, "pool").alloc(10, 1, 5).alloc(11, 77, 6);
    trace.alloc(12, 77, 7).alloc(13, UINT32_MAX, 8);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(block_list(t),
              "default: pool=5 allocator 77=6 allocator 77=7 allocator 4294967295=8\n");
    EXPECT_EQ(t->heaps.count, 3u);
}

TEST(Blocks, OfSeveralProcessesAreApart)
{
    BlockTrace one, other;
    one.allocator(1, "one's").block(10, "A").event(20, 30, "a").alloc(31, 1, 1);
    other.allocator(1, "other's").event(5, 6, "early").block(10, "A").alloc(40, 1, 2);
    std::vector<uint8_t> first = one.bytes(), second = other.bytes();
    read_error error;
    trace_file *files[] = {
        trace_file_open_memory(first.data(), first.size(), "one.prof", false, &error),
        trace_file_open_memory(second.data(), second.size(), "other.prof", false, &error)};
    timeline *t = timeline_from_files(builder_begin(), files, 2, &error);
    ASSERT_NE(t, nullptr) << error.message;
    EXPECT_EQ(block_list(t), "A: a one's=1\ndefault: early\nA: other's=2\n");
    EXPECT_EQ(t->blocks.at[0].process, 0u);
    EXPECT_EQ(t->blocks.at[1].process, 1u);
    EXPECT_EQ(t->block_allocs.at[0].heap, 0u);
    EXPECT_EQ(t->block_allocs.at[1].heap, 1u);
    timeline_destroy(t);
    trace_file_close(files[0]);
    trace_file_close(files[1]);
}
