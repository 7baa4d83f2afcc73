// test_cost.cc - what recording cost, and what was left out to keep a budget.
#include "../support/trace_fixture.h"
#include "check.h"
extern "C" {
#include "run_facts.h"
}

#include <gtest/gtest.h>

#include <vector>

namespace
{

struct Item {
    prof_cost_part part;
    uint32_t each_ps;
    uint64_t count, ns;
};

void add_cost(Trace &trace, int64_t time_ns, uint64_t recorded_ns, uint64_t cpu_ns,
              uint64_t launches, const std::vector<Item> &items, uint32_t claimed = UINT32_MAX)
{
    std::vector<prof_cost_item> list;
    for (const Item &item : items)
        list.push_back({static_cast<uint32_t>(item.part), item.each_ps, item.count, item.ns});
    prof_rec_cost head{};
    head.recorded_ns = recorded_ns;
    head.cpu_ns = cpu_ns;
    head.launches = launches;
    head.items = claimed == UINT32_MAX ? static_cast<uint32_t>(list.size()) : claimed;
    trace_builder_cost(trace.raw(), time_ns, &head, list.data(), list.size());
}

run_cost cost_of(const timeline *t)
{
    run_cost cost;
    run_cost_init(&cost, t);
    return cost;
}

const check_finding *find(const check_report &report, check_rule rule)
{
    for (unsigned i = 0; i < report.count; i++)
        if (report.findings[i].rule == rule)
            return &report.findings[i];
    return nullptr;
}

TEST(Cost, IsNotThereWhereNobodyStatedIt)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "a").pop(200);
    EXPECT_FALSE(cost_of(trace.load()).stated);
}

TEST(Cost, CountsTheEventsUpToItsInstantAndTimesThemByTheirPrice)
{
    Trace trace;
    add_cost(trace, 250, 1000, 0, 0,
             {{PROF_COST_EVENTS, 10000, 0, 0}, {PROF_COST_SPACE, 0, 2, 70}});
    trace.thread(1).log(0, 1).push(100, "a").pop(200).push(300, "b").pop(400);
    run_cost cost = cost_of(trace.load());
    ASSERT_TRUE(cost.stated);
    EXPECT_EQ(cost.parts[PROF_COST_EVENTS].count, 2u);
    EXPECT_EQ(cost.parts[PROF_COST_EVENTS].ns, 20u);
    EXPECT_EQ(cost.taken_ns, 20u);
    EXPECT_EQ(cost.begin_ns, 70u);
    EXPECT_DOUBLE_EQ(run_cost_percent(&cost), 2.0);
}

TEST(Cost, IsWhatTheLatestStatementSays)
{
    Trace trace;
    add_cost(trace, 900, 1000, 0, 4, {{PROF_COST_LAUNCHES, 0, 8, 400}});
    add_cost(trace, 500, 500, 0, 2, {{PROF_COST_LAUNCHES, 0, 4, 100}});
    run_cost cost = cost_of(trace.load());
    EXPECT_EQ(cost.launches, 4u);
    EXPECT_EQ(cost.launch_ns, 100u);
    EXPECT_EQ(cost.base_ns, 1000u);
}

TEST(Cost, IsOfCpuTimeWhereSeveralThreadsRan)
{
    Trace trace;
    add_cost(
        trace, 900, 1000, 4000, 0,
        {{PROF_COST_CALLS, 0, 8, 400}, {PROF_COST_WRITER, 0, 0, 50}, {PROF_COST_END, 0, 1, 7}});
    run_cost cost = cost_of(trace.load());
    EXPECT_DOUBLE_EQ(run_cost_percent(&cost), 10.0);
    EXPECT_EQ(cost.own_ns, 50u) << "beside the share";
    EXPECT_DOUBLE_EQ(run_cost_own_percent(&cost), 1.25);
    EXPECT_EQ(cost.end_ns, 7u);
}

TEST(Cost, BelievesNoCountOfItems)
{
    Trace trace;
    add_cost(trace, 900, 1000, 0, 0, {{PROF_COST_CALLS, 0, 1, 5}, {PROF_COST_COUNT, 0, 1, 5}},
             4000000000u);
    run_cost cost = cost_of(trace.load());
    EXPECT_EQ(cost.taken_ns, 5u);
}

TEST(Throttle, IsStampedAndNoted)
{
    Trace trace;
    trace_builder_throttle(trace.raw(), 100, PROF_THROTTLE_STACKS, false, 50000, 20000);
    trace_builder_throttle(trace.raw(), 200, PROF_THROTTLE_CALLS, false, 30000, 20000);
    trace_builder_throttle(trace.raw(), 900, PROF_THROTTLE_CALLS, true, 1000, 20000);
    trace_builder_throttle(trace.raw(), 950, 99, false, 1000, 20000);
    const timeline *t = trace.load();
    ASSERT_EQ(t->throttles.count, 3u) << "what a later version sheds is passed over";
    EXPECT_EQ(t->throttles.at[1].time_ns, 200);
    EXPECT_EQ(t->throttles.at[1].what, PROF_THROTTLE_CALLS);
    EXPECT_TRUE(t->throttles.at[2].on);
    check_report report;
    timeline_check(t, &report);
    const check_finding *note = find(report, CHECK_RULE_THROTTLE);
    ASSERT_NE(note, nullptr);
    EXPECT_EQ(note->severity, CHECK_NOTE);
    EXPECT_EQ(note->count, 2u);
    EXPECT_EQ(find(report, CHECK_RULE_THROTTLE_ORDER), nullptr);
}

TEST(Throttle, OutOfTurnIsAnError)
{
    struct Case {
        prof_throttle_thing what;
        bool on;
        uint32_t cost_ppm, budget_ppm;
    };
    const std::vector<std::vector<Case>> wrong = {
        {{PROF_THROTTLE_STACKS, true, 10, 20}}, // it was not left out
        {{PROF_THROTTLE_CALLS, false, 30, 20}, {PROF_THROTTLE_STACKS, false, 30, 20}},  // the order
        {{PROF_THROTTLE_STACKS, false, 30, 20}, {PROF_THROTTLE_STACKS, false, 30, 20}}, // twice
        {{PROF_THROTTLE_STACKS, false, 10, 20}}, // within the budget
        {{PROF_THROTTLE_STACKS, false, 10, 0}},  // there is none
    };
    for (const auto &cases : wrong) {
        Trace trace;
        int64_t time_ns = 100;
        for (const Case &c : cases)
            trace_builder_throttle(trace.raw(), time_ns += 100, c.what, c.on, c.cost_ppm,
                                   c.budget_ppm);
        check_report report;
        timeline_check(trace.load(), &report);
        EXPECT_NE(find(report, CHECK_RULE_THROTTLE_ORDER), nullptr) << &cases - wrong.data();
    }
}

} // namespace
