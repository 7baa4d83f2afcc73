// The cost of recording: every tick of a thread is charged to at most one part, and one-time costs are not in the share.
#include "recorder_support.h"

extern "C" {
#include "clock.h"
#include "cost.h"
}

#define WORK_NS 1000000u // longer than any usual occurrence

namespace
{

uint64_t ns_of(uint64_t ticks)
{
    return (uint64_t)((double)ticks * 1e9 / (double)clock_ticks_per_second());
}

void work()
{
    uint64_t began = clock_now();
    while (ns_of(clock_now() - began) < WORK_NS)
        ;
}

uint64_t taken_ns()
{
    cost_sums sums;
    cost_sum(&sums);
    return sums.taken_ns;
}

void charge(prof_cost_part part)
{
    uint64_t began = cost_clock();
    work();
    cost_charge(part, began);
}

// The counter's rate is measured each time, to within 1 %.
uint64_t about(uint64_t ns)
{
    return ns + ns / 100;
}

// A timed callback within which something of the other part happens. Returns what all of it took.
uint64_t callback_with(prof_cost_part part)
{
    cost_sampler sampler{};
    uint64_t before = clock_now(), began = cost_begin(&sampler);
    charge(part);
    cost_end(&sampler, PROF_COST_CALLS, began);
    return ns_of(clock_now() - before);
}

} // namespace

TEST(Cost, OfStartUpIsNoneOfTheCallbackAroundIt)
{
    IN_A_PROCESS_OF_ITS_OWN({
        clock_choose();
        for (prof_cost_part part : {PROF_COST_SPACE, PROF_COST_CUDA, PROF_COST_END}) {
            uint64_t before_ns = taken_ns(), whole_ns = callback_with(part);
            EXPECT_LE(taken_ns() - before_ns + WORK_NS, about(whole_ns));
        }
    });
}

TEST(Cost, OfOnePartWithinAnotherIsCountedOnce)
{
    IN_A_PROCESS_OF_ITS_OWN({
        clock_choose();
        uint64_t whole_ns = callback_with(PROF_COST_CHUNKS);
        EXPECT_GE(taken_ns(), WORK_NS);
        EXPECT_LE(taken_ns(), about(whole_ns));
    });
}

TEST(Cost, OfWhatTakesUnusuallyLongStandsForItselfOnly)
{
    IN_A_PROCESS_OF_ITS_OWN({
        clock_choose();
        uint64_t before = clock_now(), began = cost_clock();
        work();
        cost_charge_sampled(PROF_COST_STACKS, 64, began);
        EXPECT_LE(taken_ns(), about(ns_of(clock_now() - before)));
    });
}

TEST(Cost, ThatIsPaidOnceIsNotWhatABudgetIsFor)
{
    IN_A_PROCESS_OF_ITS_OWN({
        clock_choose();
        charge(PROF_COST_SPACE);
        charge(PROF_COST_CUDA);
        charge(PROF_COST_END);
        EXPECT_EQ(taken_ns(), 0u);
        charge(PROF_COST_CHUNKS);
        EXPECT_GE(taken_ns(), WORK_NS);
    });
}

TEST(Cost, ARestartedSamplerTimesTheNextOneForItself)
{
    cost_sampler sampler{.left = 50, .gap = 60, .seen = 100};
    EXPECT_EQ(cost_begin(&sampler), 0u);
    cost_restart(&sampler);
    EXPECT_NE(cost_begin(&sampler), 0u);
    EXPECT_EQ(cost_stands_for(&sampler), 1u);
}
