// The recorder's clock.
#include "recorder_support.h"

#include <vector>

extern "C" {
#include "clock.h"
}

namespace
{

TEST(Clock, SaysWhichClockItChoseAndWhy)
{
    EXPECT_NE(clock_choose(), nullptr);
    EXPECT_GT(strlen(clock_choose()), 10u);
    EXPECT_TRUE(clock_kind == ARCH_CLOCK_KIND || clock_kind == PROF_CLOCK_MONOTONIC);
}

TEST(Clock, NeverGoesBack)
{
    clock_choose();
    uint64_t before = clock_now();
    for (int i = 0; i < 1000000; i++) {
        uint64_t now = clock_now();
        ASSERT_GE(now, before);
        before = now;
    }
}

TEST(ClockSample, IsInOrderOnAllThreeClocks)
{
    clock_choose();
    std::vector<prof_rec_clock> samples(1000);
    for (prof_rec_clock &sample : samples)
        clock_sample(&sample);
    for (size_t i = 1; i < samples.size(); i++) {
        ASSERT_GE(samples[i].ticks, samples[i - 1].ticks);
        ASSERT_GE(samples[i].monotonic_ns, samples[i - 1].monotonic_ns);
    }
}

// The narrowest of a thousand samples: what a busy machine does to the others says nothing about
// the recorder.
TEST(ClockSample, IsNarrow)
{
    clock_choose();
    prof_rec_clock sample;
    uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < 1000; i++) {
        clock_sample(&sample);
        narrowest = sample.width_ticks < narrowest ? sample.width_ticks : narrowest;
    }
    EXPECT_LT(narrowest, clock_ticks_per_second() / 100000) << "10 microseconds";
}

TEST(ClockSample, LiesWithinItsOwnReadings)
{
    clock_choose();
    for (int i = 0; i < 1000; i++) {
        prof_rec_clock sample;
        uint64_t before = clock_now();
        clock_sample(&sample);
        uint64_t after = clock_now();
        EXPECT_GE(sample.ticks, before);
        EXPECT_LE(sample.ticks, after);
    }
}

TEST(ClockRate, AgreesWithTheSamples)
{
    clock_choose();
    prof_rec_clock first, last;
    clock_sample(&first);
    usleep(50000);
    clock_sample(&last);
    double rate =
        (double)(last.ticks - first.ticks) * 1e9 / (double)(last.monotonic_ns - first.monotonic_ns);
    EXPECT_NEAR((double)clock_ticks_per_second() / rate, 1.0, 0.01);
}

} // namespace
