// The processor's counter as a clock.
#include "recorder_support.h"

#include <vector>

extern "C" {
#include "clock.h"
#include "own_thread.h"
#include "signals.h"
}

namespace
{

prof_rec_clock sample(uint64_t ticks, uint64_t monotonic_ns, uint64_t width_ticks = 0)
{
    prof_rec_clock made = {};
    made.ticks = ticks;
    made.monotonic_ns = monotonic_ns;
    made.width_ticks = width_ticks;
    return made;
}

TEST(Counter, MayBeGoodWhereTheHypervisorComputesTheClockFromIt)
{
    EXPECT_TRUE(counter_may_be_good("kvm-clock"));
    EXPECT_TRUE(counter_may_be_good("hyperv_clocksource_tsc_page"));
    for (const char *other : {"", "hpet", "acpi_pm", "jiffies", "refined-jiffies", "xen"})
        EXPECT_FALSE(counter_may_be_good(other)) << other;
}

// Two ticks a nanosecond.
TEST(CounterSamples, AgreeOnOneLine)
{
    std::vector<prof_rec_clock> samples = {sample(1000, 7), sample(201000, 100007),
                                           sample(401000, 200007)};
    EXPECT_TRUE(counter_samples_agree(samples.data(), samples.size()));
    samples[1].monotonic_ns += 900;
    EXPECT_TRUE(counter_samples_agree(samples.data(), samples.size()));
}

TEST(CounterSamples, DisagreeWhereOneProcessorIsAheadOrBehind)
{
    for (int64_t off_ns : {-1100, 1100, -5000000, 5000000}) {
        std::vector<prof_rec_clock> samples = {sample(1000000000, 7), sample(1000200000, 100007),
                                               sample(1000400000, 200007)};
        samples[1].ticks += (uint64_t)(2 * off_ns);
        EXPECT_FALSE(counter_samples_agree(samples.data(), samples.size())) << off_ns;
    }
}

TEST(CounterSamples, AgreeAsCloselyAsTheyWereTaken)
{
    std::vector<prof_rec_clock> samples = {sample(1000, 7), sample(201000, 103007, 10000),
                                           sample(401000, 200007)};
    EXPECT_TRUE(counter_samples_agree(samples.data(), samples.size()))
        << "3 us off, taken within 5 us";
    samples[1].width_ticks = 2000;
    EXPECT_FALSE(counter_samples_agree(samples.data(), samples.size()));
}

TEST(CounterSamples, DisagreeWhereTimeStandsStillOrGoesBack)
{
    std::vector<prof_rec_clock> stands = {sample(1000, 7), sample(1000, 7)};
    std::vector<prof_rec_clock> back = {sample(1000, 7), sample(900, 100)};
    EXPECT_FALSE(counter_samples_agree(stands.data(), stands.size()));
    EXPECT_FALSE(counter_samples_agree(back.data(), back.size()));
}

TEST(Counter, IsInStepWhereTheKernelUsesIt)
{
    const char *why = clock_choose();
    if (clock_kind != PROF_CLOCK_TSC)
        GTEST_SKIP() << why;
    if (own_thread_sanitized())
        GTEST_SKIP() << "ThreadSanitizer allows no child that shares memory";
    struct signals_saved saved;
    signals_block(&saved);
    bool in_step = false;
    for (int attempt = 0; attempt < 100 && !in_step; attempt++) // a busy machine interrupts samples
        in_step = counter_is_in_step();
    signals_restore(&saved);
    EXPECT_TRUE(in_step);
}

TEST(CounterWatch, SeesJumpsAndChangesOfRate)
{
    constexpr uint64_t second = 1000000000;
    struct counter_watch watch = {};
    prof_rec_clock now = sample(5, 3);
    auto goes_on = [&](int64_t ticks, uint64_t ns) {
        now.ticks += (uint64_t)ticks;
        now.monotonic_ns += ns;
        return counter_goes_on(&watch, &now);
    };
    EXPECT_TRUE(counter_goes_on(&watch, &now));
    EXPECT_TRUE(goes_on(3000000000, second))
        << "the first interval has nothing to be compared with";
    EXPECT_TRUE(goes_on(3000000000, second));
    EXPECT_TRUE(goes_on(1500400000, second / 2)) << "NTP changes the other clock's rate a little";
    EXPECT_FALSE(goes_on(2600000000, second)) << "the machine moved to another processor";
    EXPECT_TRUE(goes_on(2600000000, second)) << "and stays there";
    EXPECT_FALSE(goes_on(2600000000 + 13000000, second)) << "5 ms ahead";
    EXPECT_FALSE(goes_on(2600000000, second)) << "compared with an interval that was too long";
    EXPECT_TRUE(goes_on(2600000000, second));
}

TEST(CounterWatch, SeesACounterThatBeganAnew)
{
    struct counter_watch watch = {};
    for (uint64_t i = 1; i < 4; i++) {
        prof_rec_clock before = sample(i * 3000000, i * 1000000);
        EXPECT_TRUE(counter_goes_on(&watch, &before));
    }
    prof_rec_clock anew = sample(1000, 5000000);
    EXPECT_FALSE(counter_goes_on(&watch, &anew));
    prof_rec_clock next = sample(3001000, 6000000), after = sample(6001000, 7000000);
    EXPECT_TRUE(counter_goes_on(&watch, &next));
    EXPECT_TRUE(counter_goes_on(&watch, &after));
}

} // namespace
