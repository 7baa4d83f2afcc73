// test_governor.cc - what is throttled at which costs, and when it comes back.
extern "C" {
#include "throttle.h"
}

#include <gtest/gtest.h>

#include <string>

namespace
{

constexpr uint64_t kPeriodNs = 100000000;

// A program that makes `rate` calls in a period; a call costs `each_ns` for each thing that is recorded of it.
class Load
{
public:
    explicit Load(uint64_t budget_ppm) { governor_init(&governor_, budget_ppm); }

    Load &periods(int count, uint64_t rate, std::initializer_list<double> each_ns,
                  double floor_ns = 0)
    {
        for (int i = 0; i < count; i++)
            one(rate, each_ns, floor_ns);
        return *this;
    }

    std::string decisions() const { return decisions_; } // a letter each: S and R
    int since_last() const { return since_last_; }
    const governor &state() const { return governor_; }

private:
    void one(uint64_t rate, std::initializer_list<double> each_ns, double floor_ns)
    {
        double each = floor_ns;
        unsigned level = 0;
        for (double cost : each_ns)
            each += level++ >= governor_.depth ? cost : 0;
        governor_period period = {kPeriodNs,
                                  static_cast<uint64_t>(each * static_cast<double>(rate)), rate};
        governor_decision decision =
            governor_decide(&governor_, &period, governor_.depth < each_ns.size());
        since_last_++;
        if (decision == GOVERNOR_KEEP)
            return;
        decisions_ += decision == GOVERNOR_THROTTLE ? 'S' : 'R';
        since_last_ = 0;
    }

    governor governor_{};
    std::string decisions_;
    int since_last_ = 0;
};

TEST(Governor, DoesNothingWithoutABudget)
{
    EXPECT_EQ(Load(0).periods(100, 100000, {1000}).decisions(), "");
}

TEST(Governor, DoesNothingWithinTheBudget)
{
    EXPECT_EQ(Load(20000).periods(1000, 1000, {1000, 500}).decisions(), ""); // 1.5 %
}

TEST(Governor, DoesNotMindOneExpensivePeriod)
{
    Load load(20000);
    for (int i = 0; i < 50; i++)
        load.periods(2, 10000, {1000}).periods(1, 10000, {10});
    EXPECT_EQ(load.decisions(), "");
}

TEST(Governor, ShedsOneThingAfterAnotherUntilTheBudgetIsKept)
{
    Load load(20000); // 2 %: 2 ms of a period
    load.periods(3, 10000, {500, 200, 200});
    EXPECT_EQ(load.decisions(), "S"); // 4 % are left
    load.periods(5, 10000, {500, 200, 200});
    EXPECT_EQ(load.decisions(), "SS"); // 2 % are left: kept
    load.periods(1000, 10000, {500, 200, 200});
    EXPECT_EQ(load.decisions(), "SS");
}

TEST(Governor, StopsWhenNothingIsLeft)
{
    Load load(10000);
    load.periods(1000, 10000, {500, 200}, 1000);
    EXPECT_EQ(load.decisions(), "SS");
}

TEST(Governor, NeverBringsBackWhatTheSameLoadMadeTooExpensive)
{
    EXPECT_EQ(Load(20000).periods(100000, 10000, {300}, 10).decisions(), "S");
}

TEST(Governor, BringsItBackWhenTheLoadIsOver)
{
    Load load(20000);
    load.periods(200, 10000, {300}).periods(300, 1000, {300});
    EXPECT_EQ(load.decisions(), "SR");
    EXPECT_EQ(load.state().depth, 0u);
}

TEST(Governor, BringsBackTheLatestFirst)
{
    Load load(20000);
    load.periods(200, 10000, {300, 400}).periods(1000, 100, {300, 400});
    EXPECT_EQ(load.decisions(), "SSRR");
}

TEST(Governor, WaitsLongerEachTime)
{
    Load load(20000);
    int changes = 0;
    for (int i = 0; i < 100; i++) {
        load.periods(60, 10000, {300});
        load.periods(60, 100, {300});
    }
    for (char decision : load.decisions())
        changes += decision == 'R';
    EXPECT_GE(changes, 1);
    EXPECT_LE(changes, 8) << "100 changes of the load";
}

TEST(Governor, PassesOverPeriodsInWhichNothingHappens)
{
    Load load(20000);
    load.periods(100, 10000, {300}).periods(10000, 0, {300});
    EXPECT_EQ(load.decisions(), "S");
    governor_period off = {0, 1000, 10};
    governor governor;
    governor_init(&governor, 1);
    for (int i = 0; i < 100; i++)
        EXPECT_EQ(governor_decide(&governor, &off, true), GOVERNOR_KEEP);
}

TEST(Governor, LooksAwayWhileADecisionTakesEffect)
{
    Load load(20000);
    load.periods(3 + GOVERNOR_SETTLE + 2, 10000, {300, 300, 300});
    EXPECT_EQ(load.decisions(), "S");
    load.periods(1, 10000, {300, 300, 300});
    EXPECT_EQ(load.decisions(), "SS");
}

} // namespace
