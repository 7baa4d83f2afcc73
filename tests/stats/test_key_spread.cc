// Percentiles against sorting and numpy's definition; cold and warm calls.
extern "C" {
#include "key_spread.h"
}

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace
{

// numpy.percentile(values, rank), method "linear".
double numpy_percentile(std::vector<int64_t> values, double rank)
{
    std::sort(values.begin(), values.end());
    double place = static_cast<double>(values.size() - 1) * rank / 100.0;
    auto below = static_cast<size_t>(std::floor(place));
    auto above = std::min(below + 1, values.size() - 1);
    auto low = static_cast<double>(values[below]), high = static_cast<double>(values[above]);
    return low + (high - low) * (place - std::floor(place));
}

TEST(KeySpread, MatchesNumpyOnKnownValues)
{
    // numpy.percentile([15, 20, 35, 40, 50], [10, 50, 90, 99]), and numpy.std of the same with ddof=1.
    const int64_t sorted[] = {15, 20, 35, 40, 50};
    key_spread spread{};
    spread.count = 5, spread.sum_ns = 160;
    key_spread_measure(&spread, sorted, 5);
    EXPECT_DOUBLE_EQ(spread.percentile_ns[0], 17.0);
    EXPECT_DOUBLE_EQ(spread.percentile_ns[1], 35.0);
    EXPECT_DOUBLE_EQ(spread.percentile_ns[2], 46.0);
    EXPECT_DOUBLE_EQ(spread.percentile_ns[3], 49.6);
    EXPECT_NEAR(spread.stddev_ns, 14.404860290887934, 1e-9);
}

TEST(KeySpread, TakesNothingAndOneDuration)
{
    key_spread spread{};
    key_spread_measure(&spread, nullptr, 0);
    EXPECT_EQ(spread.stddev_ns, 0);
    EXPECT_EQ(key_spread_mean(&spread), 0);
    EXPECT_EQ(key_spread_warm(&spread), 0);
    const int64_t one[] = {7};
    spread.count = 1, spread.sum_ns = 7;
    key_spread_measure(&spread, one, 1);
    EXPECT_EQ(spread.stddev_ns, 0);
    for (double percentile : spread.percentile_ns)
        EXPECT_EQ(percentile, 7);
}

// Every shape of durations that a radix sort could get wrong: few and many, all equal, all bytes.
TEST(KeySpread, SortsWhateverTheDurationsAre)
{
    std::mt19937_64 random(1);
    for (unsigned round = 0; round < 60; round++) {
        uint32_t rows = 1 + static_cast<uint32_t>(random() % 7);
        size_t count = random() % (round % 3 == 0 ? 20 : 5000);
        uint64_t mask = UINT64_MAX >> (1 + random() % 63);
        std::vector<std::vector<int64_t>> expected(rows);
        key_samples samples;
        ASSERT_TRUE(key_samples_init(&samples, count));
        for (size_t i = 0; i < count; i++) {
            auto row = static_cast<uint32_t>(random() % rows);
            auto ns = static_cast<int64_t>(random() & mask);
            expected[row].push_back(ns);
            key_samples_add(&samples, row, ns);
        }
        size_t *starts = key_samples_sort(&samples, rows);
        ASSERT_NE(starts, nullptr);
        for (uint32_t row = 0; row < rows; row++) {
            std::sort(expected[row].begin(), expected[row].end());
            std::vector<int64_t> sorted(samples.ns + starts[row], samples.ns + starts[row + 1]);
            EXPECT_EQ(sorted, expected[row]) << "round " << round << ", row " << row;
            key_spread spread{};
            for (int64_t ns : sorted)
                spread.count++, spread.sum_ns += ns / 4096; // no overflow of the sum
            if (sorted.empty())
                continue;
            key_spread_measure(&spread, sorted.data(), sorted.size());
            for (unsigned i = 0; i < KEY_PERCENTILES; i++)
                EXPECT_DOUBLE_EQ(spread.percentile_ns[i],
                                 numpy_percentile(sorted, key_percentile_ranks[i]));
        }
        std::free(starts);
        key_samples_fini(&samples);
    }
}

TEST(KeySpread, TakesNoMoreThanThereIsRoomFor)
{
    key_samples samples;
    ASSERT_TRUE(key_samples_init(&samples, 1));
    key_samples_add(&samples, 0, 5);
    key_samples_add(&samples, 0, 6);
    EXPECT_EQ(samples.count, 1u);
    key_samples_fini(&samples);
}

TEST(KeySpread, CallsTheEarliestCallOfEachProcessCold)
{
    key_spread spread{};
    key_cold cold{};
    key_spread_add(&spread, &cold, 0, 500, 10); // a later thread may have begun earlier
    key_spread_add(&spread, &cold, 0, 100, 90);
    key_spread_add(&spread, &cold, 0, 900, 20);
    key_spread_add(&spread, &cold, 1, 50, 70);
    key_spread_add(&spread, &cold, 1, 60, 30);
    EXPECT_EQ(spread.cold_count, 2u);
    EXPECT_EQ(spread.cold_ns, 160);
    EXPECT_EQ(key_spread_cold(&spread), 80);
    EXPECT_EQ(key_spread_warm(&spread), 20);
    EXPECT_EQ(key_spread_mean(&spread), 44);
    EXPECT_EQ(spread.min_ns, 10);
    EXPECT_EQ(spread.max_ns, 90);
}

TEST(KeySpread, CallsTheLongestOfThoseThatBeginFirstCold)
{
    key_spread spread{};
    key_cold cold{};
    key_spread_add(&spread, &cold, 0, 100, 5); // within the next, of the same name
    key_spread_add(&spread, &cold, 0, 100, 90);
    key_spread_add(&spread, &cold, 0, 100, 7);
    EXPECT_EQ(spread.cold_count, 1u);
    EXPECT_EQ(spread.cold_ns, 90);
}

} // namespace
