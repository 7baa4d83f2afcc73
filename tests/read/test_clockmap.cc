/* test_clockmap.cc - ticks and CLOCK_REALTIME to the timeline. */
#include "clockmap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace
{

const uint64_t MONO = UINT64_C(9000000000000);
const uint64_t REAL = UINT64_C(1700000000000000000);
const uint64_t TICKS = UINT64_C(123456789012);
const uint64_t SECOND = 1000000000;

class Clock
{
public:
    explicit Clock(uint64_t ticks_per_second)
    {
        prof_file_header header = {};
        header.start_ticks = TICKS;
        header.start_monotonic_ns = MONO;
        header.start_realtime_ns = REAL;
        header.ticks_per_second = ticks_per_second;
        clockmap_init(&map_, &header);
    }
    ~Clock() { clockmap_fini(&map_); }
    Clock &add(uint64_t ticks, uint64_t mono, uint64_t real, uint64_t width = 0)
    {
        clock_sample sample = {TICKS + ticks, MONO + mono, REAL + real, width};
        EXPECT_TRUE(clockmap_add(&map_, &sample));
        return *this;
    }
    clockmap *seal()
    {
        EXPECT_TRUE(clockmap_seal(&map_));
        return &map_;
    }

private:
    clockmap map_;
};

int64_t at(clockmap *map, uint64_t ticks)
{
    return clockmap_time_ns(map, TICKS + ticks);
}

int64_t real(clockmap *map, int64_t ns)
{
    return clockmap_device_ns(map, REAL + static_cast<uint64_t>(ns));
}

} // namespace

TEST(Clock, WithoutSamplesTheHeadersInstantAndNominalSpeedServe)
{
    Clock clock(2 * SECOND);
    clockmap *map = clock.seal();
    EXPECT_EQ(map->usable, 0u);
    EXPECT_EQ(at(map, 0), 0);
    EXPECT_EQ(at(map, 4 * SECOND), static_cast<int64_t>(2 * SECOND));
    EXPECT_EQ(real(map, 5), 5);
}

// The short way, which takes the segment used last, against the long one.
TEST(Clock, TakesTheShortWayOnlyWhereItIsTheSame)
{
    const uint64_t ends[] = {0, SECOND, 2 * SECOND + 7, 500 * SECOND, UINT64_MAX / 2};
    for (uint64_t rate : {UINT64_C(1), SECOND / 7, 3 * SECOND, UINT64_MAX})
        for (uint64_t last : {SECOND, UINT64_C(1) << 60, UINT64_MAX / 2}) {
            Clock clock(rate), again(rate);
            clockmap *map =
                clock.add(0, 0, 0).add(SECOND, SECOND / 3, 0).add(2 * SECOND, last, 0).seal();
            clockmap *slow =
                again.add(0, 0, 0).add(SECOND, SECOND / 3, 0).add(2 * SECOND, last, 0).seal();
            for (uint64_t before : ends)
                for (uint64_t end : ends)
                    for (uint64_t ticks : {end - 1, end, end + 1}) {
                        at(map, before); // leaves the cursor there
                        EXPECT_EQ(at(map, ticks), clockmap_time_ns_slow(slow, TICKS + ticks))
                            << rate << " " << last << " " << before << " " << ticks;
                    }
        }
}

// Products of up to 64 bits and beyond.
TEST(Clock, StretchesADevicesTimesInProportion)
{
    for (int64_t seconds : {1, 9, 1000, 1000000}) {
        const int64_t length = seconds * static_cast<int64_t>(SECOND),
                      real_length = length + 500000;
        Clock clock(SECOND);
        clockmap *map = clock.add(0, 0, 0)
                            .add(static_cast<uint64_t>(length), static_cast<uint64_t>(length),
                                 static_cast<uint64_t>(real_length))
                            .seal();
        ASSERT_EQ(map->era_count, 1u);
        for (int64_t distance : {INT64_C(1), real_length / 3, real_length - 1})
            EXPECT_EQ(real(map, distance),
                      static_cast<int64_t>(static_cast<__int128>(distance) * length / real_length));
    }
}

TEST(Clock, OneSampleRunsAtNominalSpeedBothWays)
{
    Clock clock(3 * SECOND);
    clockmap *map = clock.add(3 * SECOND, SECOND, SECOND).seal();
    EXPECT_EQ(at(map, 0), 0);
    EXPECT_EQ(at(map, 6 * SECOND), static_cast<int64_t>(2 * SECOND));
}

TEST(Clock, InterpolatesToLessThanANanosecondOverDays)
{
    Clock clock(3 * SECOND);
    const uint64_t days = 7 * 86400, ticks = days * 2999999987u, ns = days * SECOND + 41;
    clockmap *map = clock.add(0, 0, 0).add(ticks, ns, ns).seal();
    for (uint64_t i = 0; i <= 1000; i++) {
        uint64_t t = ticks / 1000 * i + i * 12345 % 997;
        long double exact = static_cast<long double>(t) * ns / ticks;
        EXPECT_LE(std::fabs(static_cast<long double>(at(map, t)) - exact), 0.51L) << t;
    }
    EXPECT_EQ(at(map, ticks), static_cast<int64_t>(ns));
}

TEST(Clock, PassesThroughEverySampleAndNeverGoesBack)
{
    Clock clock(1000000000);
    std::vector<std::pair<uint64_t, uint64_t>> samples;
    uint64_t ticks = 0, ns = 0;
    for (uint64_t i = 0; i < 50; i++) {
        samples.push_back({ticks, ns});
        clock.add(ticks, ns, ns);
        ticks += SECOND + i * 7919;
        ns += SECOND + i * 104729 % 5000;
    }
    clockmap *map = clock.seal();
    for (auto &sample : samples)
        EXPECT_EQ(at(map, sample.first), static_cast<int64_t>(sample.second));
    int64_t last = -1;
    for (uint64_t t = 0; t < ticks; t += 9999991) {
        EXPECT_GE(at(map, t), last);
        last = at(map, t);
    }
}

TEST(Clock, BeyondTheSamplesTheNearestSlopeGoesOn)
{
    Clock clock(SECOND);
    clockmap *map = clock.add(SECOND, SECOND, SECOND)
                        .add(2 * SECOND, 3 * SECOND, 3 * SECOND)
                        .add(3 * SECOND, 4 * SECOND, 4 * SECOND)
                        .seal();
    EXPECT_EQ(at(map, 0), -static_cast<int64_t>(SECOND)) << "2 ns per tick ahead of the first";
    EXPECT_EQ(at(map, 4 * SECOND), static_cast<int64_t>(5 * SECOND))
        << "1 ns per tick behind the last";
}

TEST(Clock, SamplesTooCloseToTellTheRateAreNotExtrapolated)
{
    Clock clock(SECOND);
    clockmap *map = clock.add(0, 0, 0).add(1000, 1100, 1100).seal();
    EXPECT_EQ(at(map, 1000 + SECOND), static_cast<int64_t>(1100 + SECOND));
}

TEST(Clock, SamplesMayComeInAnyOrder)
{
    Clock clock(SECOND);
    clockmap *map = clock.add(2 * SECOND, 2 * SECOND, 2 * SECOND)
                        .add(0, 0, 0)
                        .add(SECOND, SECOND, SECOND)
                        .seal();
    EXPECT_EQ(at(map, SECOND / 2), static_cast<int64_t>(SECOND / 2));
    EXPECT_EQ(map->usable, 3u);
}

TEST(Clock, ASampleThatRunsBackwardsIsLeftOut)
{
    Clock clock(SECOND);
    clockmap *map =
        clock.add(0, 100, 100).add(SECOND, 50, 50).add(2 * SECOND, 2 * SECOND, 2 * SECOND).seal();
    EXPECT_EQ(map->usable, 2u);
}

TEST(Clock, TheErrorBarIsHalfOfTheWidestSample)
{
    Clock clock(2 * SECOND);
    clockmap *map = clock.add(0, 0, 0, 100).add(2 * SECOND, SECOND, SECOND, 401).seal();
    EXPECT_EQ(map->error_ns, 101);
}

TEST(Clock, DeviceDurationsAreKeptInSpiteOfReadingJitter)
{
    Clock clock(SECOND);
    for (uint64_t i = 0; i < 10; i++)
        clock.add(i * SECOND, i * SECOND, i * SECOND + (i % 3) * 40);
    clockmap *map = clock.seal();
    EXPECT_EQ(map->era_count, 1u);
    for (int64_t start = 0; start < 9000000000; start += 123456789)
        EXPECT_EQ(real(map, start + 1001) - real(map, start), 1001);
}

TEST(Clock, ASlowDriftOfRealtimeIsFollowed)
{
    Clock clock(SECOND);
    for (uint64_t i = 0; i < 10; i++)
        clock.add(i * SECOND, i * SECOND, i * SECOND + i * 50000); /* 50 ppm */
    clockmap *map = clock.seal();
    EXPECT_EQ(map->era_count, 1u);
    EXPECT_NEAR(static_cast<double>(real(map, 4500000000 + 225000)), 4.5e9, 2);
}

TEST(Clock, AStepForwardsDoesNotMoveDeviceTimes)
{
    Clock clock(SECOND);
    const int64_t hour = INT64_C(3600000000000);
    for (uint64_t i = 0; i < 5; i++)
        clock.add(i * SECOND, i * SECOND, i * SECOND);
    for (uint64_t i = 5; i < 10; i++)
        clock.add(i * SECOND, i * SECOND, i * SECOND + hour);
    clockmap *map = clock.seal();
    EXPECT_EQ(map->era_count, 2u);
    EXPECT_EQ(real(map, 4400000000), 4400000000) << "after the last sample ahead of the step";
    EXPECT_EQ(real(map, hour + 4600000000), 4600000000) << "before the first sample behind it";
    EXPECT_EQ(real(map, hour + 7000000000), 7000000000);
    EXPECT_EQ(real(map, 2000000000), 2000000000) << "back again";
}

TEST(Clock, AfterAStepBackwardsStampsThatOccurTwiceGoOnInOrder)
{
    Clock clock(SECOND);
    const int64_t back = 2 * static_cast<int64_t>(SECOND);
    for (uint64_t i = 0; i < 5; i++)
        clock.add(i * SECOND, i * SECOND, i * SECOND);
    for (uint64_t i = 5; i < 10; i++)
        clock.add(i * SECOND, i * SECOND, i * SECOND - 2 * SECOND);
    clockmap *map = clock.seal();
    EXPECT_EQ(map->era_count, 2u);
    for (int64_t t = 0; t < 4400000000; t += 100000000)
        EXPECT_EQ(real(map, t), t);
    for (int64_t t = 4600000000; t < 9000000000; t += 100000000)
        EXPECT_EQ(real(map, t - back), t);
}

TEST(Clock, CpuTimesDoNotMoveWhenRealtimeIsSet)
{
    Clock clock(SECOND);
    clockmap *map = clock.add(0, 0, 0)
                        .add(SECOND, SECOND, 3601 * SECOND)
                        .add(2 * SECOND, 2 * SECOND, 2 * SECOND)
                        .seal();
    EXPECT_EQ(at(map, SECOND / 2), static_cast<int64_t>(SECOND / 2));
    EXPECT_EQ(at(map, 3 * SECOND / 2), static_cast<int64_t>(3 * SECOND / 2));
}

TEST(Clock, SenselessSamplesGiveLimitedTimes)
{
    Clock clock(1);
    clockmap *map = clock.add(0, 0, 0).add(1, UINT64_MAX / 2 - MONO, UINT64_MAX - REAL).seal();
    for (uint64_t ticks : {UINT64_C(0), UINT64_C(1), UINT64_MAX - TICKS, UINT64_MAX / 2}) {
        EXPECT_LE(at(map, ticks), CLOCKMAP_NS_MAX);
        EXPECT_GE(at(map, ticks), -CLOCKMAP_NS_MAX);
    }
    EXPECT_LE(clockmap_device_ns(map, UINT64_MAX), CLOCKMAP_NS_MAX);
    EXPECT_GE(clockmap_device_ns(map, 0), -CLOCKMAP_NS_MAX);
}
