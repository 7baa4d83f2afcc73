// Contents are kept once and are numbers from then on.
#include <gtest/gtest.h>

extern "C" {
#include "intern.h"
}

#include <atomic>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

namespace
{

// Contents are integers; the record of each is the integer itself, as an address.
std::atomic<int> made{0};

bool equal(const void *record, const void *content)
{
    return (uintptr_t)record == *(const uintptr_t *)content;
}

const void *make(uint32_t, const void *content)
{
    made++;
    return (const void *)*(const uintptr_t *)content;
}

const void *refuse(uint32_t, const void *)
{
    return nullptr;
}

uint32_t keep(intern_table *table, uintptr_t content, uint32_t hash)
{
    return intern(table, hash, &content, equal, make);
}

intern_table small_table()
{
    return {{4, 8, 16}, 20, 0, {}};
}

TEST(Intern, GivesTheSameNumberForTheSameContent)
{
    intern_table table = small_table();
    std::set<uint32_t> numbers;
    for (uintptr_t content = 100; content < 120; content++) {
        uint32_t number = keep(&table, content, (uint32_t)content * 7);
        EXPECT_EQ((uintptr_t)intern_record(&table, number), content);
        EXPECT_TRUE(numbers.insert(number).second);
    }
    for (uintptr_t content = 100; content < 120; content++)
        EXPECT_EQ(numbers.count(keep(&table, content, (uint32_t)content * 7)), 1u);
    EXPECT_EQ(intern_count(&table), 20u);
}

TEST(Intern, TellsContentsOfOneHashApart)
{
    intern_table table = small_table();
    for (uintptr_t content = 1; content <= 20; content++)
        EXPECT_EQ(keep(&table, content, 3), content);
    for (uintptr_t content = 1; content <= 20; content++)
        EXPECT_EQ(keep(&table, content, 3), content);
}

TEST(Intern, RefusesWhatIsTooMuchAndStillKnowsTheRest)
{
    intern_table table = small_table();
    for (uintptr_t content = 1; content <= 20; content++)
        keep(&table, content, (uint32_t)content);
    EXPECT_EQ(keep(&table, 21, 21), 0u);
    EXPECT_EQ(intern_allocate(&table), 0u);
    EXPECT_EQ(keep(&table, 7, 7), 7u);
    EXPECT_EQ(intern_record(&table, 0), nullptr);
    EXPECT_EQ(intern_record(&table, 21), nullptr);
}

TEST(Intern, DoesNotKnowWhatCouldNotBeKept)
{
    intern_table table = small_table();
    uintptr_t content = 5;
    EXPECT_EQ(intern(&table, 5, &content, equal, refuse), 0u);
    EXPECT_EQ(intern_find(&table, 5, &content, equal), 0u);
    EXPECT_NE(keep(&table, 5, 5), 0u);
    EXPECT_NE(intern_find(&table, 5, &content, equal), 0u);
}

TEST(Intern, MakesAnewWhatWasTakenBack)
{
    intern_table table = small_table();
    uint32_t first = keep(&table, 9, 9);
    intern_set(&table, first, nullptr);
    EXPECT_NE(keep(&table, 9, 9), first);
    intern_clear(&table);
    EXPECT_EQ(intern_count(&table), 0u);
    EXPECT_EQ(keep(&table, 9, 9), 1u);
}

TEST(Intern, AgreesOnNumbersAmongThreads)
{
    intern_table table = {{64, 256, 1 << 14}, 1 << 14, 0, {}};
    std::vector<std::vector<uint32_t>> numbers(4);
    std::vector<std::thread> threads;
    made = 0;
    for (auto &own : numbers)
        threads.emplace_back([&] {
            for (uintptr_t content = 1; content <= 3000; content++)
                own.push_back(keep(&table, content, (uint32_t)content * 2654435761u >> 8));
        });
    for (auto &thread : threads)
        thread.join();
    EXPECT_GE(made, 3000);
    for (uintptr_t i = 0; i < 3000; i++) {
        EXPECT_EQ((uintptr_t)intern_record(&table, numbers[0][i]), i + 1);
        for (auto &own : numbers)
            EXPECT_EQ(own[i], numbers[0][i]);
    }
}

} // namespace
