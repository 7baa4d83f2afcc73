// Ring mode's queue of full chunks.
#include "recorder_support.h"

#include <atomic>
#include <thread>
#include <vector>

extern "C" {
#include "chunks.h"
}

namespace
{

TEST(Retired, GivesTheOldestFirst)
{
    ASSERT_TRUE(retired_init(10));
    EXPECT_EQ(retired_pop(), RETIRED_NONE);
    for (uint64_t lap = 0; lap < 100; lap++) {
        for (uint64_t chunk = 0; chunk < 10; chunk++)
            retired_push(lap + chunk);
        for (uint64_t chunk = 0; chunk < 10; chunk++)
            ASSERT_EQ(retired_pop(), lap + chunk);
        ASSERT_EQ(retired_pop(), RETIRED_NONE);
    }
}

// Each chunk is a token that circulates: taken by one thread, it can be taken by no other before
// it is put back.
TEST(Retired, NeitherLosesNorDoublesAChunkAmongThreads)
{
    const uint64_t chunks = 61;
    const int threads = 8, rounds = 50000;
    ASSERT_TRUE(retired_init(chunks));
    std::vector<std::atomic<int>> holders(chunks);
    for (uint64_t chunk = 0; chunk < chunks; chunk++)
        retired_push(chunk);
    std::atomic<int> twice{0};
    std::vector<std::thread> workers;
    for (int worker = 0; worker < threads; worker++)
        workers.emplace_back([&] {
            for (int round = 0; round < rounds; round++) {
                uint64_t chunk = retired_pop();
                if (chunk == RETIRED_NONE)
                    continue;
                if (holders[chunk]++ != 0)
                    twice++;
                holders[chunk]--;
                retired_push(chunk);
            }
        });
    for (std::thread &worker : workers)
        worker.join();
    EXPECT_EQ(twice, 0);
    std::vector<bool> seen(chunks);
    for (uint64_t i = 0; i < chunks; i++) {
        uint64_t chunk = retired_pop();
        ASSERT_NE(chunk, RETIRED_NONE) << "lost after " << i;
        EXPECT_FALSE(seen[chunk]);
        seen[chunk] = true;
    }
    EXPECT_EQ(retired_pop(), RETIRED_NONE);
}

TEST(Retired, KeepsTheOrderOfEachProducer)
{
    const int producers = 4;
    const uint64_t each = 20000;
    ASSERT_TRUE(retired_init(producers * each));
    std::vector<std::thread> workers;
    for (uint64_t producer = 0; producer < producers; producer++)
        workers.emplace_back([=] {
            for (uint64_t i = 0; i < each; i++)
                retired_push(producer << 32 | i);
        });
    std::vector<uint64_t> next(producers);
    for (uint64_t taken = 0; taken < producers * each;) {
        uint64_t chunk = retired_pop();
        if (chunk == RETIRED_NONE)
            continue;
        EXPECT_EQ(chunk & 0xffffffffu, next[chunk >> 32]++);
        taken++;
    }
    for (std::thread &worker : workers)
        worker.join();
}

} // namespace
