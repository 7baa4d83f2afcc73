// PROF_SCHEDULE does in each step what torch.profiler.schedule does.
#include "recorder_support.h"

extern "C" {
#include "triggers.h"
}

namespace
{

// A letter per step from 0: . none, w warm-up, R record, S record and save (the window ends).
// Written down from the rule in torch's documentation, not computed.
struct Row {
    const char *schedule, *steps;
};

const Row rows[] = {
    {"active=1", "SSSSSS"},
    {"active=3", "RRSRRSRRS"},
    {"wait=1,warmup=1,active=2", ".wRS.wRS.wRS.wRS"},
    {"wait=1,warmup=1,active=2,repeat=1", ".wRS............"},
    {"wait=1,warmup=1,active=2,repeat=2", ".wRS.wRS........"},
    {"skip_first=3,wait=1,warmup=1,active=2,repeat=2", "....wRS.wRS........"},
    {"wait=2,active=1", "..S..S..S"},
    {"warmup=2,active=1", "wwSwwSwwS"},
    {"active=2,repeat=3", "RSRSRS......"},
    {"skip_first=5,active=1,repeat=1", ".....S......"},
    {"skip_first=2,wait=3,warmup=1,active=1,skip_first_wait=1", "..wS...wS...wS"},
    {"wait=3,warmup=1,active=1,repeat=1,skip_first_wait=1", "wS........"},
    {"skip_first=10,wait=5,warmup=1,active=3,repeat=2", "...............wRRS.....wRRS....."},
};

std::string letters(const schedule &schedule, size_t steps)
{
    std::string all;
    for (uint64_t step = 0; step < steps; step++) {
        uint64_t window, next;
        switch (schedule_at(&schedule, step, &window)) {
        case SCHEDULE_NONE:
            all += '.';
            break;
        case SCHEDULE_WARMUP:
            all += 'w';
            break;
        case SCHEDULE_RECORD: {
            bool more =
                schedule_at(&schedule, step + 1, &next) == SCHEDULE_RECORD && next == window;
            all += more ? 'R' : 'S';
            break;
        }
        }
    }
    return all;
}

TEST(Schedule, DoesInEachStepWhatTorchDoes)
{
    for (const Row &row : rows) {
        schedule schedule;
        ASSERT_TRUE(schedule_parse(row.schedule, &schedule)) << row.schedule;
        EXPECT_EQ(letters(schedule, strlen(row.steps)), row.steps) << row.schedule;
    }
}

TEST(Schedule, IsOverOnlyAfterItsLastRecordedStep)
{
    for (const Row &row : rows) {
        schedule schedule;
        ASSERT_TRUE(schedule_parse(row.schedule, &schedule));
        std::string steps = row.steps;
        for (size_t step = 0; step < steps.size(); step++) {
            bool over = schedule.repeat && steps.find_first_not_of('.', step) == std::string::npos;
            EXPECT_EQ(schedule_is_over(&schedule, step), over) << row.schedule << " step " << step;
        }
    }
}

TEST(Schedule, TakesItsWordsInAnyOrder)
{
    schedule schedule;
    ASSERT_TRUE(schedule_parse("repeat=2,active=3,skip_first=10,warmup=1,wait=5", &schedule));
    EXPECT_EQ(letters(schedule, 33), rows[12].steps);
}

TEST(Schedule, CountsWithoutOverflowAtTheLargestNumbers)
{
    schedule schedule;
    uint64_t window;
    ASSERT_TRUE(schedule_parse("wait=1000000000,warmup=1000000000,active=1000000000,"
                               "repeat=1000000000,skip_first=1000000000",
                               &schedule));
    EXPECT_EQ(schedule_at(&schedule, UINT64_C(3000000000), &window), SCHEDULE_RECORD);
    EXPECT_EQ(schedule_at(&schedule, UINT64_C(2999999999), &window), SCHEDULE_WARMUP);
    EXPECT_FALSE(schedule_is_over(&schedule, UINT64_C(3000000000000000000)));
    EXPECT_TRUE(schedule_is_over(&schedule, UINT64_C(3000000001000000000)));
}

} // namespace
