// Ranges timed by CUDA events, against a driver whose answers are chosen.
#include "fake_recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <deque>
#include <mutex>
#include <thread>

extern "C" {
#include "abi.h"
#include "event_timing.h"
#include "loader.h"
}

namespace
{

struct Event {
    std::atomic<uint64_t> ns;
};

struct Cuda {
    void *current = reinterpret_cast<void *>(0x1000);
    int device = 0;
    unsigned long long id = 7;
    bool alive = true, capturing = false, pushed = false;
    int query_result = 0, refuse_record = 0;
    std::atomic<int> queries{0};
    std::mutex lock; // of what follows
    std::deque<Event> events;
    std::vector<void *> streams; // of the records made
    std::vector<int> modes;
} * cuda;

uint64_t realtime_ns()
{
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

driver_library make_driver()
{
    driver_library driver = {};
    driver.cuCtxGetCurrent = [](void **context) {
        *context = cuda->current;
        return 0;
    };
    driver.cuCtxGetDevice = [](int *device) {
        *device = cuda->device;
        return 0;
    };
    driver.cuCtxGetId = [](void *, unsigned long long *id) {
        *id = cuda->id;
        return cuda->alive ? 0 : 709;
    };
    driver.cuCtxPushCurrent_v2 = [](void *) {
        cuda->pushed = true;
        return 0;
    };
    driver.cuCtxPopCurrent_v2 = [](void **) {
        cuda->pushed = false;
        return 0;
    };
    driver.cuThreadExchangeStreamCaptureMode = [](int *mode) {
        std::lock_guard<std::mutex> guard(cuda->lock);
        cuda->modes.push_back(*mode);
        *mode = 0;
        return 0;
    };
    driver.cuStreamCreate = [](void **stream, unsigned flags) {
        *stream = reinterpret_cast<void *>(0x2000);
        return flags == ABI_CUDA_STREAM_NON_BLOCKING ? 0 : 1;
    };
    driver.cuStreamIsCapturing = [](void *, int *status) {
        *status = 0;
        return cuda->capturing ? 906 : 0;
    };
    driver.cuEventCreate = [](void **event, unsigned) {
        std::lock_guard<std::mutex> guard(cuda->lock);
        cuda->events.emplace_back();
        *event = &cuda->events.back();
        return 0;
    };
    driver.cuEventRecord = [](void *event, void *stream) {
        errno = EBADF; // as a driver may
        if (cuda->refuse_record && stream == reinterpret_cast<void *>(ABI_CUDA_STREAM_LEGACY))
            return cuda->refuse_record;
        static_cast<Event *>(event)->ns = realtime_ns();
        std::lock_guard<std::mutex> guard(cuda->lock);
        cuda->streams.push_back(stream);
        return 0;
    };
    driver.cuEventQuery = [](void *) {
        cuda->queries++;
        return cuda->query_result;
    };
    driver.cuEventElapsedTime = [](float *ms, void *start, void *end) {
        uint64_t from = static_cast<Event *>(start)->ns, to = static_cast<Event *>(end)->ns;
        *ms = static_cast<float>(static_cast<double>(static_cast<int64_t>(to - from)) / 1e6);
        return 0;
    };
    return driver;
}

class EventTiming : public testing::Test
{
protected:
    void SetUp() override
    {
        fake_reset();
        event_timing_fork_child();
        cuda = &cuda_;
        driver_ = make_driver();
        loader_use_driver(&driver_);
        ASSERT_TRUE(event_timing_begin());
        ASSERT_NE(fake_timer(), nullptr);
    }
    void TearDown() override
    {
        event_timing_end();
        loader_use_driver(nullptr);
    }

    static uint64_t push(uint32_t epoch = 1, uint32_t stack = RANGE_STACK_PROF)
    {
        return fake_timer()->push(epoch, stack);
    }
    static void pop(uint32_t epoch = 1, uint32_t stack = RANGE_STACK_PROF)
    {
        fake_timer()->pop(epoch, stack);
    }
    static std::vector<prof_rec_range_time> times()
    {
        std::vector<prof_rec_range_time> found;
        for (auto &record : fake_records(PROF_REC_RANGE_TIME))
            found.push_back(record.as<prof_rec_range_time>());
        return found;
    }
    static uint64_t untimed() { return loss_get(PROF_LOSS_UNTIMED); }

    Cuda cuda_;
    driver_library driver_;
};

TEST_F(EventTiming, GivesEachRangeItsTime)
{
    uint64_t before = realtime_ns();
    uint64_t outer = push(), inner = push();
    pop();
    pop();
    uint64_t after = realtime_ns();
    EXPECT_NE(outer, inner);
    event_timing_tick();
    auto found = times();
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].token, outer);
    EXPECT_EQ(found[1].token, inner);
    for (auto &time : found) {
        EXPECT_GE(time.start_ns + time.error_ns, before);
        EXPECT_LE(time.start_ns, time.end_ns);
        EXPECT_LE(time.end_ns, after + time.error_ns);
        EXPECT_EQ(time.stream, 1u);
        EXPECT_EQ(time.device, 0u);
    }
    EXPECT_LE(found[0].start_ns, found[1].start_ns + 1000);
    EXPECT_EQ(untimed(), 0u);
    EXPECT_EQ(fake_records(PROF_REC_RANGE_TIME)[0].info, outer);
    EXPECT_TRUE(fake_records(PROF_REC_RANGE_TIME)[0].late);
}

TEST_F(EventTiming, UsesTheThreadsStreamWhenTold)
{
    fake_config().event_stream = CONFIG_EVENT_STREAM_THREAD;
    push();
    pop();
    event_timing_tick();
    ASSERT_EQ(times().size(), 1u);
    EXPECT_EQ(times()[0].stream, 2u);
    EXPECT_EQ(cuda_.streams.back(), reinterpret_cast<void *>(ABI_CUDA_STREAM_PER_THREAD));
}

TEST_F(EventTiming, KeepsErrno)
{
    errno = 42;
    push();
    EXPECT_EQ(errno, 42);
    pop();
    EXPECT_EQ(errno, 42);
}

TEST_F(EventTiming, DoesNothingWithoutAContext)
{
    cuda_.current = nullptr;
    EXPECT_EQ(push(), 0u);
    pop();
    event_timing_tick();
    EXPECT_TRUE(times().empty());
    EXPECT_EQ(untimed(), 0u);
    EXPECT_TRUE(cuda_.streams.empty());
}

TEST_F(EventTiming, LeavesACaptureAlone)
{
    push();
    pop();
    size_t records = cuda_.streams.size();
    cuda_.capturing = true;
    EXPECT_EQ(push(), 0u);
    pop();
    EXPECT_EQ(cuda_.streams.size(), records);
    EXPECT_EQ(untimed(), 1u);
    cuda_.capturing = false;
    EXPECT_NE(push(), 0u);
    cuda_.capturing = true;
    pop();
    EXPECT_EQ(untimed(), 2u);
}

TEST_F(EventTiming, AsksInAModeThatSpoilsNoCapture)
{
    push();
    pop();
    cuda_.modes.clear();
    event_timing_tick();
    ASSERT_FALSE(cuda_.modes.empty());
    EXPECT_EQ(cuda_.modes.front(), ABI_CUDA_CAPTURE_MODE_RELAXED);
    EXPECT_EQ(cuda_.modes.back(), 0); // as it was
    EXPECT_EQ(cuda_.modes.size() % 2, 0u);
}

TEST_F(EventTiming, UsesItsEventsAgain)
{
    for (int i = 0; i < 1000; i++) {
        push();
        pop();
        event_timing_tick();
    }
    EXPECT_EQ(times().size(), 1000u);
    EXPECT_EQ(cuda_.events.size(), EVENT_CLOCK_ANCHORS + 2);
}

TEST_F(EventTiming, BoundsWhatIsInFlight)
{
    push();
    pop();
    event_timing_tick();
    cuda_.query_result = ABI_CUDA_NOT_READY;
    for (unsigned i = 0; i < EVENT_SLOTS + 100; i++) {
        push();
        pop();
    }
    EXPECT_EQ(untimed(), 100u);
    EXPECT_EQ(cuda_.events.size(), EVENT_CLOCK_ANCHORS + 2 * EVENT_SLOTS);
    cuda_.query_result = 0;
    event_timing_tick();
    EXPECT_EQ(times().size(), 1u + EVENT_SLOTS);
    EXPECT_NE(push(), 0u);
}

TEST_F(EventTiming, ReadsOnTheSpotWhenNoneIsFree)
{
    for (unsigned i = 0; i < EVENT_SLOTS + 100; i++) {
        push();
        pop();
    }
    EXPECT_EQ(untimed(), 0u);
    EXPECT_GE(times().size(), 100u);
}

TEST_F(EventTiming, TouchesNothingOfADestroyedContext)
{
    push();
    pop();
    cuda_.alive = false;
    int queries = cuda_.queries;
    event_timing_tick();
    EXPECT_EQ(cuda_.queries, queries);
    EXPECT_EQ(untimed(), 1u);
    EXPECT_TRUE(times().empty());
}

TEST_F(EventTiming, TakesAHandleThatComesAgainForAnotherContext)
{
    push();
    pop();
    push();
    cuda_.id = 8;
    pop(); // its context is gone
    EXPECT_EQ(untimed(), 1u);
    size_t events = cuda_.events.size();
    EXPECT_NE(push(), 0u);
    pop();
    EXPECT_EQ(cuda_.events.size(), events + EVENT_CLOCK_ANCHORS + 2);
    event_timing_tick();
    EXPECT_EQ(times().size(), 1u);
    EXPECT_EQ(untimed(), 2u);
}

TEST_F(EventTiming, GoesBackToTheDeviceOfThePush)
{
    push();
    cuda_.current = reinterpret_cast<void *>(0x3000);
    driver_.cuEventRecord = [](void *event, void *) {
        static_cast<Event *>(event)->ns = realtime_ns();
        return cuda->pushed ? 0 : 400;
    };
    pop();
    EXPECT_FALSE(cuda_.pushed);
    EXPECT_EQ(untimed(), 0u);
    event_timing_tick();
    EXPECT_EQ(times().size(), 1u);
}

TEST_F(EventTiming, GivesEveryThreadItsOwnRanges)
{
    constexpr int threads = 4, ranges = 3000; // more at once than there are slots
    std::vector<std::thread> made;
    std::atomic<int> left{threads};
    for (int i = 0; i < threads; i++)
        made.emplace_back([&left] {
            for (int range = 0; range < ranges; range++) {
                push();
                push();
                pop();
                pop();
            }
            left--;
        });
    while (left)
        event_timing_tick();
    for (auto &thread : made)
        thread.join();
    event_timing_tick();
    std::vector<uint64_t> tokens;
    for (auto &time : times())
        tokens.push_back(time.token);
    std::sort(tokens.begin(), tokens.end());
    EXPECT_EQ(tokens.size() + untimed(), 2u * threads * ranges);
    EXPECT_EQ(std::unique(tokens.begin(), tokens.end()), tokens.end());
}

TEST_F(EventTiming, DropsWhatAnotherEpochLeftOpen)
{
    push(1);
    EXPECT_NE(push(2), 0u);
    pop(2);
    pop(2); // of a range that began before: nothing is open
    event_timing_tick();
    EXPECT_EQ(times().size(), 1u);
    EXPECT_EQ(untimed(), 0u);
}

TEST_F(EventTiming, EndsTheInnermostRangeOfItsStack)
{
    uint64_t outer = push(1, RANGE_STACK_PROF), inner = push(1, RANGE_STACK_NVTX(0));
    pop(1, RANGE_STACK_NVTX(7)); // nothing of it is open
    pop(1, RANGE_STACK_NVTX(0));
    pop(1, RANGE_STACK_PROF);
    event_timing_tick();
    auto found = times();
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].token, outer);
    EXPECT_EQ(found[1].token, inner);
    EXPECT_LE(found[1].end_ns, found[0].end_ns + 1000);
    EXPECT_EQ(untimed(), 0u);
}

TEST_F(EventTiming, DoesNotTimeWhatGoesOnWhereTheRangeAroundItEnds)
{
    uint64_t around = push(1, RANGE_STACK_NVTX(0));
    push(1, RANGE_STACK_NVTX(1));
    pop(1, RANGE_STACK_NVTX(0));
    EXPECT_EQ(untimed(), 1u);
    uint64_t inside = push(1, RANGE_STACK_PROF);
    pop(1, RANGE_STACK_PROF);
    pop(1, RANGE_STACK_NVTX(1));
    event_timing_tick();
    auto found = times();
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].token, around);
    EXPECT_EQ(found[1].token, inside);
    EXPECT_EQ(untimed(), 1u);
}

TEST_F(EventTiming, EndsAStepWithTheRangeInWhichItBegan)
{
    push(1, RANGE_STACK_PROF);
    push(1, RANGE_STACK_STEPS);
    pop(1, RANGE_STACK_PROF);
    pop(1, RANGE_STACK_STEPS); // of the next step: nothing is open any more
    event_timing_tick();
    EXPECT_EQ(times().size(), 2u);
    EXPECT_EQ(untimed(), 0u);
}

TEST_F(EventTiming, DoesNotTimeAStepThatIsCrossedByARange)
{
    push(1, RANGE_STACK_STEPS);
    uint64_t range = push(1, RANGE_STACK_PROF);
    pop(1, RANGE_STACK_STEPS); // the next step begins
    uint64_t step = push(1, RANGE_STACK_STEPS);
    pop(1, RANGE_STACK_PROF); // ends both
    event_timing_tick();
    auto found = times();
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].token + found[1].token, range + step);
    EXPECT_EQ(untimed(), 1u);
}

TEST_F(EventTiming, GivesBackWhatAThreadLeavesOpen)
{
    push();
    fake_timer()->thread_end();
    push();
    pop();
    EXPECT_EQ(cuda_.events.size(), EVENT_CLOCK_ANCHORS + 2);
}

TEST_F(EventTiming, CountsWhatTheDriverRefuses)
{
    cuda_.refuse_record = 700;
    EXPECT_EQ(push(), 0u);
    pop();
    EXPECT_EQ(untimed(), 1u);
    cuda_.refuse_record = 0;
    push();
    pop();
    cuda_.query_result = 700;
    event_timing_tick();
    EXPECT_EQ(untimed(), 2u);
    EXPECT_TRUE(times().empty());
}

TEST_F(EventTiming, CountsWhatIsNotDoneAtTheEnd)
{
    push();
    pop();
    cuda_.query_result = ABI_CUDA_NOT_READY;
    event_timing_drain(5);
    EXPECT_EQ(untimed(), 1u);
}

TEST_F(EventTiming, IsNotBegunWhereTheDriverLacksAFunction)
{
    event_timing_end();
    driver_.cuEventElapsedTime = nullptr;
    EXPECT_FALSE(event_timing_begin());
    EXPECT_EQ(fake_timer(), nullptr);
}

TEST_F(EventTiming, SaysHowExactADistantEventIs)
{
    event_clock clock = {};
    Event anchor{0}, start{UINT64_C(1000000000000)}, end{UINT64_C(1000000500000)};
    clock.anchors[0] = {&anchor, 5000, 100};
    clock.count = 1;
    event_interval near, far;
    Event soon{2000}, later{502000};
    ASSERT_EQ(event_clock_read(&clock, &driver_, &soon, &later, &near), 0);
    EXPECT_EQ(near.start_ns, 7000u);
    EXPECT_EQ(near.end_ns, 507000u);
    EXPECT_LE(near.error_ns, 700u);
    ASSERT_EQ(event_clock_read(&clock, &driver_, &start, &end, &far), 0);
    EXPECT_GE(far.error_ns, 62500u); // a float of 10^6 ms
    EXPECT_EQ(far.end_ns - far.start_ns, 500000u);
    clock.count = 0;
    EXPECT_EQ(event_clock_read(&clock, &driver_, &soon, &later, &near), ABI_CUDA_NOT_READY);
}

} // namespace
