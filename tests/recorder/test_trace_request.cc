// A trace on demand: when recording begins and ends, and what is left of it.
#include "recorder_support.h"

extern "C" {
#include "clock.h"
#include "config.h"
#include "output.h"
#include "requests.h"
#include "session.h"
#include "thread.h"
}

#include "prof/prof.h"

#include <fcntl.h>
#include <functional>

namespace
{

class TraceRequest : public testing::Test
{
protected:
    // As at load, in a process of its own. There is no control thread: tick() is what it does.
    void init(bool start_now = false)
    {
        ASSERT_TRUE(config_override((directory / "run.prof").c_str(), 16, false));
        session_init(nullptr, start_now);
        trace_request_listen(true);
    }
    void step()
    {
        uint64_t number = thread_page.steps++;
        trace_request_step(number);
    }
    bool is_on()
    {
        session_status status;
        session_describe(&status);
        return status.on;
    }
    void accept(const std::string &text)
    {
        kineto_config config;
        char reason[200];
        ASSERT_TRUE(kineto_config_parse(text.data(), text.size(), &config, reason, sizeof reason))
            << reason;
        trace_request_accept(&config, "the test");
    }
    std::string copy()
    {
        return directory / ("trace_" + std::to_string(getpid()) + ".prof").c_str();
    }
    static uint64_t now_ms() { return clock_gettime_ns(CLOCK_REALTIME) / 1000000; }

    void tick_until(const std::function<bool()> &condition)
    {
        while (!condition()) {
            trace_request_tick();
            clock_pause(500);
        }
    }
    TemporaryDirectory directory;
};

TEST_F(TraceRequest, ByStepsRecordsJustThose)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        std::string on;
        for (int i = 0; i < 5; i++)
            step();
        accept("PROFILE_START_ITERATION_ROUNDUP=4\nACTIVITIES_ITERATIONS=3\nACTIVITIES_LOG_FILE="
               "trace");
        EXPECT_TRUE(trace_request_is_busy());
        for (int i = 5; i < 14; i++) {
            step();
            on += is_on() ? '1' : '0';
        }
        EXPECT_EQ(on, "000111000"); // 8, 9 and 10
    });
}

TEST_F(TraceRequest, LeavesRoomForWarmUpSteps)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        step();
        accept(
            "PROFILE_START_ITERATION=2\nACTIVITIES_WARMUP_ITERATIONS=5\nACTIVITIES_ITERATIONS=1");
        for (int i = 1; i < 6; i++) {
            step();
            EXPECT_FALSE(is_on()) << i;
        }
        step();
        EXPECT_TRUE(is_on());
    });
}

// Threads that step together may pass the step that was chosen.
TEST_F(TraceRequest, WhoseStepWasPassedBeginsAtTheNextMultiple)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        step();
        accept("PROFILE_START_ITERATION_ROUNDUP=10\nACTIVITIES_ITERATIONS=1");
        trace_request_step(13);
        EXPECT_FALSE(is_on());
        trace_request_step(20);
        EXPECT_TRUE(is_on());
        trace_request_step(22);
        EXPECT_FALSE(is_on());
    });
}

TEST_F(TraceRequest, ByTimeBeginsNoSoonerAndEndsWithACopy)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        uint64_t start_ms = now_ms() + 50;
        accept("PROFILE_START_TIME=" + std::to_string(start_ms) +
               "\nACTIVITIES_DURATION_MSECS=30\nACTIVITIES_LOG_FILE=/etc/trace.json");
        EXPECT_LE(trace_request_due_ns(), clock_monotonic_ns() + 50000000u);
        tick_until([&] { return is_on(); });
        EXPECT_GE(now_ms(), start_ms);
        prof_range_push("work");
        prof_range_pop();
        tick_until([&] { return !trace_request_is_busy(); });
        EXPECT_GE(now_ms(), start_ms + 30);
        EXPECT_FALSE(is_on());
        EXPECT_EQ(trace_request_due_ns(), UINT64_MAX);
        EXPECT_GT(file_size(copy()), 0u);
        session_finish();
    });
}

TEST_F(TraceRequest, LeavesARecordingThatWasOnAsItIs)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init(true);
        ASSERT_TRUE(session_ready());
        accept("ACTIVITIES_DURATION_MSECS=1\nACTIVITIES_LOG_FILE=trace");
        tick_until([&] { return !trace_request_is_busy(); });
        EXPECT_TRUE(is_on());
        EXPECT_GT(file_size(copy()), 0u);
        session_finish();
    });
}

// Off and on again by somebody else: that window is not the request's.
TEST_F(TraceRequest, DoesNotEndAnothersWindow)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        accept("ACTIVITIES_DURATION_MSECS=1");
        tick_until([&] { return is_on(); });
        session_switch(false, PROF_CONTROL_CTL);
        session_switch(true, PROF_CONTROL_CTL);
        tick_until([&] { return !trace_request_is_busy(); });
        EXPECT_TRUE(is_on());
        session_finish();
    });
}

TEST_F(TraceRequest, DuringAnotherIsRefused)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        step();
        accept("PROFILE_START_ITERATION=5\nACTIVITIES_ITERATIONS=1");
        std::string said = stderr_of([&] { accept("ACTIVITIES_DURATION_MSECS=1"); });
        EXPECT_EQ(said,
                  "libprof: trace request of the test refused: another request is in progress\n");
    });
}

TEST_F(TraceRequest, InAProgramThatPausedItsRecordingIsRefused)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        session_start();
        recorder_pause(true, PROF_CONTROL_ITT);
        accept("ACTIVITIES_DURATION_MSECS=1");
        std::string said = stderr_of([&] { trace_request_tick(); });
        EXPECT_NE(said.find("the program has paused its recording"), std::string::npos) << said;
        EXPECT_FALSE(trace_request_is_busy());
    });
}

TEST_F(TraceRequest, IsNotItsChilds)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        accept("ACTIVITIES_DURATION_MSECS=100000");
        tick_until([&] { return is_on(); });
        IN_A_PROCESS_OF_ITS_OWN({
            session_fork_child();
            trace_request_fork_child();
            EXPECT_FALSE(is_on());
            EXPECT_FALSE(trace_request_is_busy());
        });
        EXPECT_TRUE(is_on());
    });
}

TEST_F(TraceRequest, WritesOverNothing)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init(true);
        ASSERT_TRUE(session_ready());
        std::string link = directory / "link", target = directory / "target",
                    old = directory / "old";
        ASSERT_EQ(symlink(target.c_str(), link.c_str()), 0);
        close(open(old.c_str(), O_CREAT | O_WRONLY, 0600));
        EXPECT_EQ(dump_write_since(link.c_str(), 0), EEXIST);
        EXPECT_EQ(dump_write_since(old.c_str(), 0), EEXIST);
        EXPECT_EQ(file_size(target) + file_size(old), 0u);
        EXPECT_EQ(dump_write_since(target.c_str(), 0), 0);
        EXPECT_GT(file_size(target), 0u);
        session_finish();
    });
}

// One that is no recording, as a user would lose it.
TEST_F(TraceRequest, FindsAnotherNameWhereItsOwnIsTaken)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init(true);
        ASSERT_TRUE(session_ready());
        close(open(copy().c_str(), O_CREAT | O_WRONLY, 0600));
        accept("ACTIVITIES_DURATION_MSECS=1\nACTIVITIES_LOG_FILE=trace");
        tick_until([&] { return !trace_request_is_busy(); });
        EXPECT_EQ(file_size(copy()), 0u);
        EXPECT_GT(file_size(directory / ("trace_" + std::to_string(getpid()) + "-2.prof").c_str()),
                  0u);
        session_finish();
    });
}

} // namespace
