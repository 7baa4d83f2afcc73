// Accounts of devices: sum = busy + overlap, busy + idle = window, against a count of every instant.
#include "timeline_maker.h"

extern "C" {
#include "device_time.h"
#include "key_averages.h"
}

#include <random>

#include <gtest/gtest.h>

namespace
{

TEST(DeviceTime, AddsUpStreamsThatOverlap)
{
    TimelineMaker m;
    m.range("run", 0, 100);
    auto first = m.stream(7), second = m.stream(8);
    m.kernel("a", TL_NONE, 10, 30, first);
    m.kernel("b", TL_NONE, 20, 50, second);
    m.kernel("c", TL_NONE, 60, 70, first);
    device_times times;
    ASSERT_TRUE(device_times_init(&times, m.done()));
    ASSERT_EQ(times.count, 1u);
    EXPECT_EQ(times.at[0].sum_ns, 60);
    EXPECT_EQ(times.at[0].busy_ns, 50);
    EXPECT_EQ(times.at[0].overlap_ns, 10);
    EXPECT_EQ(times.at[0].window_ns, 100);
    EXPECT_EQ(times.at[0].idle_ns, 50);
    device_times_fini(&times);
}

TEST(DeviceTime, LeavesOutWaitsAndWhatLibprofDid)
{
    TimelineMaker m;
    m.range("run", 0, 100);
    m.kernel("k", TL_NONE, 10, 30);
    auto own = m.gpu(TL_MEMSET, "own", TL_NONE, 40, 50);
    m.gpus[own].flags = TL_GPU_INTERNAL;
    m.sync(3, 50, 90, 0);
    device_times times;
    ASSERT_TRUE(device_times_init(&times, m.done()));
    ASSERT_EQ(times.count, 1u);
    EXPECT_EQ(times.at[0].operations, 1u);
    EXPECT_EQ(times.at[0].busy_ns, 20);
    device_times_fini(&times);
}

TEST(DeviceTime, HasNoDeviceWithoutOperations)
{
    TimelineMaker m;
    m.stream(7);
    m.range("run", 0, 100);
    device_times times;
    ASSERT_TRUE(device_times_init(&times, m.done()));
    EXPECT_EQ(times.count, 0u);
    device_times_fini(&times);
}

// The accounting identity of the table, on random timelines, against an oracle that looks at every
// nanosecond of every device.
TEST(DeviceTime, AddsUpWhateverTheStreams)
{
    const int window = 600;
    for (unsigned seed = 1; seed <= 60; seed++) {
        std::mt19937 engine(seed);
        auto random = [&engine] { return static_cast<unsigned>(engine()); };
        TimelineMaker m;
        m.range("run", 0, window);
        unsigned devices = 1 + random() % 3;
        std::vector<std::vector<int>> running(devices, std::vector<int>(window));
        std::vector<int64_t> sums(devices);
        for (unsigned device = 0; device < devices; device++) {
            m.device(device, "gpu");
            unsigned streams = 1 + random() % 5;
            for (unsigned stream = 0; stream < streams; stream++) {
                auto on = m.stream(7 + stream, device);
                for (unsigned i = random() % 20; i > 0; i--) {
                    int start = static_cast<int>(random() % window);
                    int end = std::min<int>(window, start + static_cast<int>(random() % 40));
                    m.kernel("k", TL_NONE, start, end, on);
                    sums[device] += end - start;
                    for (int at = start; at < end; at++)
                        running[device][static_cast<size_t>(at)]++;
                }
            }
        }
        const timeline *made = m.done();
        device_times times;
        key_averages averages;
        ASSERT_TRUE(device_times_init(&times, made));
        ASSERT_TRUE(key_averages_init(&averages, made));
        for (uint32_t i = 0; i < times.count; i++) {
            const device_time &time = times.at[i];
            auto &instants = running[time.device];
            int64_t busy = std::count_if(instants.begin(), instants.end(),
                                         [](int count) { return count > 0; });
            EXPECT_EQ(time.busy_ns, busy) << "seed " << seed;
            EXPECT_EQ(time.sum_ns, sums[time.device]) << "seed " << seed;
            EXPECT_EQ(time.sum_ns, time.busy_ns + time.overlap_ns);
            EXPECT_EQ(time.busy_ns + time.idle_ns, time.window_ns);
            EXPECT_EQ(time.window_ns, window);
        }
        EXPECT_EQ(times.total.sum_ns, averages.self_cuda_total_ns) << "seed " << seed;
        EXPECT_EQ(times.total.sum_ns, times.total.busy_ns + times.total.overlap_ns);
        EXPECT_EQ(times.total.busy_ns + times.total.idle_ns, times.total.window_ns);
        key_averages_fini(&averages);
        device_times_fini(&times);
    }
}

} // namespace
