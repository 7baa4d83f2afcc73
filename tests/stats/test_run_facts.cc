// The facts about a run: whose mode counts, and what is a loss.
#include "timeline_maker.h"

extern "C" {
#include "run_facts.h"
}

#include <gtest/gtest.h>

namespace
{

run_facts facts_of(TimelineMaker &m)
{
    run_facts facts;
    run_facts_init(&facts, m.done());
    return facts;
}

TEST(RunFacts, TakeTheModeOfTheProcessesThatUsedCuda)
{
    TimelineMaker m;
    m.processes[0].info.gpu_mode = PROF_GPU_NONE;
    EXPECT_STREQ(facts_of(m).mode, "none");
    m.process(200, "child");
    EXPECT_STREQ(facts_of(m).mode, "cupti");
    m.process(300, "other");
    m.processes[2].info.gpu_mode = PROF_GPU_UNAVAILABLE;
    m.processes[2].info.gpu_reason = m.text_of("another tool");
    EXPECT_STREQ(facts_of(m).mode, "mixed");
}

TEST(RunFacts, ReportNoLossOfACleanRun)
{
    TimelineMaker m;
    m.made.ledger.unclosed = 3;
    m.made.ledger.unopened = 1;
    EXPECT_FALSE(facts_of(m).lost_anything)
        << "the program's own mistakes are shown, but nothing was lost";
}

TEST(RunFacts, ReportEveryCauseButWhatWasAskedForAsLoss)
{
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++) {
        TimelineMaker m;
        m.processes[0].loss[cause] = 1;
        const bool asked = cause == PROF_LOSS_OUT_OF_WINDOW || cause == PROF_LOSS_BAD_ARGUMENT;
        EXPECT_EQ(facts_of(m).lost_anything, !asked)
            << run_facts_cause_name(static_cast<prof_loss_cause>(cause));
    }
}

TEST(RunFacts, ReportALaunchThatFellOutOfTheWindowAsLoss)
{
    TimelineMaker m;
    m.processes[0].loss[PROF_LOSS_OUT_OF_WINDOW] = 1;
    m.made.ledger.lost_operations = 1;
    EXPECT_TRUE(facts_of(m).lost_anything);
}

TEST(RunFacts, ReportMissingRecordsAndDamageAsLoss)
{
    uint64_t tl_ledger::*const counts[] = {&tl_ledger::missing, &tl_ledger::undelivered,
                                           &tl_ledger::unobserved, &tl_ledger::orphans};
    for (auto count : counts) {
        TimelineMaker m;
        m.made.ledger.*count = 1;
        EXPECT_TRUE(facts_of(m).lost_anything);
    }
    TimelineMaker torn, cut;
    torn.processes[0].health.torn_records = 1;
    cut.processes[0].health.truncated = true;
    EXPECT_TRUE(facts_of(torn).lost_anything);
    EXPECT_TRUE(facts_of(cut).lost_anything);
}

TEST(RunFacts, TakeRecycledChunksOfARingAsWanted)
{
    TimelineMaker m;
    m.processes[0].health.missing_chunks = 5;
    m.made.ledger.orphans = 2;
    EXPECT_TRUE(facts_of(m).lost_anything);
    m.processes[0].info.ring = true;
    EXPECT_FALSE(facts_of(m).lost_anything);
}

} // namespace
