// Intervals of ratios of medians.
extern "C" {
#include "bootstrap.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace
{

using Values = std::vector<int64_t>;

class Bootstrap
{
public:
    explicit Bootstrap(uint32_t resamples = 1000, double confidence = 0.95)
    {
        EXPECT_TRUE(bootstrap_init(&made, resamples, confidence));
    }
    ~Bootstrap() { bootstrap_fini(&made); }
    Bootstrap(const Bootstrap &) = delete;
    Bootstrap &operator=(const Bootstrap &) = delete;

    bootstrap_interval medians(Values left, Values right, double tick = 0)
    {
        bootstrap_interval interval;
        std::sort(left.begin(), left.end());
        std::sort(right.begin(), right.end());
        bootstrap_set a{left.data(), left.size(), tick}, b{right.data(), right.size(), tick};
        EXPECT_TRUE(bootstrap_medians(&made, &a, &b, &interval));
        return interval;
    }

    bootstrap made;
};

Values lognormal(std::mt19937_64 &random, size_t count, double median)
{
    std::normal_distribution<double> normal;
    Values values(count);
    for (auto &value : values)
        value = std::llround(median * std::exp(0.2 * normal(random)));
    return values;
}

// How often in a hundred the interval holds the true ratio.
double coverage(size_t left, size_t right, double ratio)
{
    std::mt19937_64 random(left * 1000 + right);
    Bootstrap bootstrap;
    int held = 0;
    for (int i = 0; i < 1000; i++) {
        auto interval =
            bootstrap.medians(lognormal(random, left, 1e6), lognormal(random, right, 1e6 * ratio));
        held += interval.low <= ratio && ratio <= interval.high;
    }
    return held / 10.0;
}

// P(median of a resample of n has at most rank k) = P(at least half of n draws are of rank <= k).
double at_most(size_t n, size_t k)
{
    double sum = 0, all = static_cast<double>(n), p = static_cast<double>(k + 1) / all;
    for (double draws = static_cast<double>(n / 2 + 1); draws <= all; draws++)
        sum +=
            std::exp(std::lgamma(all + 1) - std::lgamma(draws + 1) - std::lgamma(all - draws + 1)) *
            std::pow(p, draws) * std::pow(1 - p, all - draws);
    return sum;
}

} // namespace

TEST(DiffBootstrap, IntervalHoldsTheTrueRatio)
{
    for (auto [left, right, ratio] :
         {std::tuple{30u, 30u, 1.0}, {30u, 50u, 1.07}, {101u, 100u, 0.8}, {12u, 400u, 1.5}}) {
        double held = coverage(left, right, ratio);
        EXPECT_GE(held, 92) << left << " " << right;
        EXPECT_LE(held, 99) << left << " " << right;
    }
}

// The median of n values lies between the k-th and the one k from the end with a binomial chance.
TEST(DiffBootstrap, IntervalOfOneMedianHoldsTheTrueOne)
{
    for (size_t count : {size_t{12}, size_t{101}, size_t{1000}}) {
        std::mt19937_64 random(count);
        Bootstrap bootstrap;
        int held = 0;
        for (int i = 0; i < 1000; i++) {
            Values values = lognormal(random, count, 1e6);
            std::sort(values.begin(), values.end());
            bootstrap_set set{values.data(), values.size(), 0};
            bootstrap_interval interval;
            ASSERT_TRUE(bootstrap_median_of(&bootstrap.made, &set, &interval));
            ASSERT_TRUE(interval.known);
            EXPECT_EQ(interval.ratio, bootstrap_median(values.data(), values.size()));
            held += interval.low <= 1e6 && 1e6 <= interval.high;
        }
        EXPECT_GE(held, 920) << count;
        EXPECT_LE(held, 985) << count;
    }
}

TEST(DiffBootstrap, FewValuesHaveAWideIntervalAndNotAFalseOne)
{
    EXPECT_GE(coverage(6, 6, 1.0), 95);
}

TEST(DiffBootstrap, RanksAreThoseOfResampledMedians)
{
    // Of the values 0 to 6 over a constant the ratio is the rank itself; 1 added, for 0 is no ratio.
    const uint32_t resamples = 100000;
    Bootstrap bootstrap(resamples, 0.5);
    Values left(7, 1000), right;
    for (int i = 0; i < 7; i++)
        right.push_back(1000 * (i + 1));
    bootstrap.medians(left, right);
    std::vector<double> ratios(bootstrap.made.lows, bootstrap.made.lows + resamples);
    for (size_t k = 0; k < 6; k++) {
        auto below = std::count_if(ratios.begin(), ratios.end(), [k](double ratio) {
            return ratio < static_cast<double>(k) + 1.5;
        });
        EXPECT_NEAR(static_cast<double>(below) / resamples, at_most(7, k), 0.006) << k;
    }
}

TEST(DiffBootstrap, EvenCountsAverageTheTwoValuesInTheMiddle)
{
    // By drawing for real.
    Values left(8, 1000), right = {1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000};
    const uint32_t resamples = 100000;
    Bootstrap bootstrap(resamples, 0.5);
    bootstrap.medians(left, right);
    double mine = 0, real = 0;
    std::mt19937_64 random(1);
    for (uint32_t i = 0; i < resamples; i++) {
        Values drawn(8);
        for (auto &value : drawn)
            value = right[random() % 8];
        std::sort(drawn.begin(), drawn.end());
        real += static_cast<double>(drawn[3] + drawn[4]) / 2000 / resamples;
        mine += bootstrap.made.lows[i] / resamples;
    }
    EXPECT_NEAR(mine, real, real * 0.01);
}

TEST(DiffBootstrap, SwappedSidesGiveTheInverse)
{
    std::mt19937_64 random(7);
    for (size_t right : {40u, 41u}) {
        Values a = lognormal(random, 40, 5000), b = lognormal(random, right, 6000);
        Bootstrap bootstrap;
        auto there = bootstrap.medians(a, b), back = bootstrap.medians(b, a);
        EXPECT_DOUBLE_EQ(there.ratio, 1 / back.ratio);
        EXPECT_DOUBLE_EQ(there.low, 1 / back.high);
        EXPECT_DOUBLE_EQ(there.high, 1 / back.low);
    }
}

TEST(DiffBootstrap, IsTheSameEachTime)
{
    std::mt19937_64 random(3);
    Values a = lognormal(random, 33, 5000), b = lognormal(random, 34, 6000);
    Bootstrap first, second;
    second.medians(b, Values(1000, 5)); // other sets in between change nothing
    auto one = first.medians(a, b), two = second.medians(a, b);
    EXPECT_EQ(one.low, two.low);
    EXPECT_EQ(one.high, two.high);
}

TEST(DiffBootstrap, ASetAndItselfHoldOne)
{
    Bootstrap bootstrap;
    Values two_modes;
    for (int i = 0; i < 100; i++)
        two_modes.push_back(i % 2 ? 1000 : 9000);
    auto interval = bootstrap.medians(two_modes, two_modes);
    EXPECT_LE(interval.low, 1);
    EXPECT_GE(interval.high, 1);
    interval = bootstrap.medians(Values(50, 777), Values(50, 777));
    EXPECT_EQ(interval.low, 1);
    EXPECT_EQ(interval.high, 1);
}

TEST(DiffBootstrap, TooFewValuesAreNotJudged)
{
    EXPECT_EQ(bootstrap_least(0.95), 6u);
    EXPECT_EQ(bootstrap_least(0.90), 5u);
    EXPECT_EQ(bootstrap_least(0.99), 8u);
    Bootstrap bootstrap;
    auto interval = bootstrap.medians(Values(5, 100), Values(500, 300));
    EXPECT_FALSE(interval.known);
    EXPECT_EQ(interval.ratio, 3);
    EXPECT_TRUE(std::isnan(interval.low));
    EXPECT_TRUE(bootstrap.medians(Values(6, 100), Values(500, 300)).known);
}

TEST(DiffBootstrap, NothingIsNoDivisor)
{
    Bootstrap bootstrap;
    auto interval = bootstrap.medians(Values(20, 0), Values(20, 5));
    EXPECT_FALSE(interval.known);
    EXPECT_TRUE(std::isnan(interval.ratio));
    EXPECT_FALSE(bootstrap.medians({}, Values(20, 5)).known);
    EXPECT_FALSE(bootstrap.medians({}, {}).known);
    Values some(11, 0); // sometimes a resample's median is 0
    std::fill(some.begin(), some.begin() + 6, 10);
    interval = bootstrap.medians(some, Values(11, 10));
    EXPECT_TRUE(interval.known);
    EXPECT_EQ(interval.low, 1);
    EXPECT_TRUE(std::isinf(interval.high));
}

TEST(DiffBootstrap, OneTickOfTheClockIsNoDifference)
{
    Bootstrap bootstrap;
    EXPECT_GT(bootstrap.medians(Values(100, 3000), Values(100, 4000)).low, 1);
    EXPECT_LE(bootstrap.medians(Values(100, 3000), Values(100, 4000), 1000).low, 1);
    EXPECT_GT(bootstrap.medians(Values(100, 3000), Values(100, 5000), 1000).low, 1);
    EXPECT_TRUE(std::isinf(bootstrap.medians(Values(100, 400), Values(100, 5000), 1000).high));
}

TEST(DiffBootstrap, SumsHaveTheirOwnNoise)
{
    Bootstrap bootstrap;
    bootstrap_interval interval;
    bootstrap_sum left{1e6, 1e4}, right{1.1e6, 1e4}, unknown{1.1e6, NAN}, none{0, 0};
    bootstrap_sums(&bootstrap.made, &left, &right, &interval);
    EXPECT_TRUE(interval.known);
    // The deviation of the ratio is 1.1 * sqrt(0.01^2 + (0.01/1.1)^2), and the interval 1.96 of it.
    EXPECT_NEAR(interval.high - interval.low, 2 * 1.96 * 0.01487, 0.004);
    bootstrap_interval back;
    bootstrap_sums(&bootstrap.made, &right, &left, &back);
    EXPECT_DOUBLE_EQ(back.low, 1 / interval.high);
    bootstrap_sums(&bootstrap.made, &left, &unknown, &interval);
    EXPECT_FALSE(interval.known);
    EXPECT_DOUBLE_EQ(interval.ratio, 1.1);
    bootstrap_sums(&bootstrap.made, &none, &right, &interval);
    EXPECT_FALSE(interval.known);
    EXPECT_TRUE(std::isnan(interval.ratio));
}

TEST(DiffBootstrap, ManySizesDoNotFillTheMemory)
{
    Bootstrap bootstrap;
    Values base(50, 100);
    double first = bootstrap.medians(base, Values(7, 200)).high;
    for (size_t size = 6; size < 5000; size += 2)
        bootstrap.medians(base, Values(size, 200));
    EXPECT_LE(bootstrap.made.kept_count, bootstrap.made.kept_most);
    EXPECT_EQ(bootstrap.medians(base, Values(7, 200)).high, first);
}
