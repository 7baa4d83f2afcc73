// libprof's own thread: flushes on request, parks, ends; what asks it waits for a limited time.
#include "recorder_support.h"

extern "C" {
#include "config.h"
#include "recorder.h"
#include "session.h"
#include "worker.h"
}

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace
{

// A collector whose flush() can be held up.
struct Flushes {
    std::mutex mutex;
    std::condition_variable changed;
    int begun = 0, ended = 0;
    bool held = false;
    std::thread::id by; // the thread of the last one

    void flush()
    {
        std::unique_lock<std::mutex> lock(mutex);
        by = std::this_thread::get_id();
        begun++;
        changed.notify_all();
        changed.wait(lock, [this] { return !held; });
        ended++;
        changed.notify_all();
    }
    void hold(bool on)
    {
        std::lock_guard<std::mutex> lock(mutex);
        held = on;
        changed.notify_all();
    }
    void await_begun(int count)
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [=] { return begun >= count; });
    }
} flushes;

void flush(unsigned)
{
    flushes.flush();
}

const unsigned forever_ms = 50000;

class Writer : public testing::Test
{
protected:
    // False: no thread can be had in this build.
    bool init()
    {
        static const collector flushing = [] {
            collector it = {};
            it.name = "flushing";
            it.flush = flush;
            return it;
        }();
        static const collector *const collectors[] = {&flushing, nullptr};
        EXPECT_TRUE(config_override((directory / "writer.prof").c_str(), 16, false));
        session_init(collectors, true);
        EXPECT_TRUE(session_ready());
        return writer_runs();
    }
    TemporaryDirectory directory;
};

TEST_F(Writer, FlushesOnItsOwnThread)
{
    IN_A_PROCESS_OF_ITS_OWN({
        if (!init())
            return;
        writer_flush(forever_ms);
        EXPECT_EQ(flushes.ended, 1);
        EXPECT_NE(flushes.by, std::this_thread::get_id());
    });
}

// What the second one has buffered since may not be in the first one's flush.
TEST_F(Writer, BeginsAFlushForWhoAsksDuringAnotherOne)
{
    IN_A_PROCESS_OF_ITS_OWN({
        if (!init())
            return;
        flushes.hold(true);
        std::thread first([] { writer_flush(forever_ms); });
        flushes.await_begun(1);
        std::atomic<bool> asks{false};
        std::thread second([&] {
            asks = true;
            writer_flush(forever_ms);
            EXPECT_GE(flushes.begun, 2);
        });
        while (!asks)
            std::this_thread::yield();
        usleep(20000); // as a rule it waits by now; it may also come later
        flushes.hold(false);
        first.join();
        second.join();
    });
}

TEST_F(Writer, IsWaitedForNoLongerThanTheDeadline)
{
    IN_A_PROCESS_OF_ITS_OWN({
        if (!init())
            return;
        flushes.hold(true);
        std::thread patient([] { writer_flush(forever_ms); });
        flushes.await_begun(1);
        writer_flush(1);
        EXPECT_EQ(flushes.ended, 0);
        EXPECT_FALSE(workers_park(1)) << "it flushes first";
        EXPECT_TRUE(writer_runs());
        writer_stop(1);
        EXPECT_EQ(flushes.ended, 0);
        flushes.hold(false);
        patient.join();
    });
}

TEST_F(Writer, ThatIsParkedIsReplacedByTheCallerUntilItResumes)
{
    IN_A_PROCESS_OF_ITS_OWN({
        if (!init())
            return;
        EXPECT_TRUE(workers_park(forever_ms));
        EXPECT_FALSE(writer_runs());
        writer_flush(forever_ms);
        EXPECT_EQ(flushes.by, std::this_thread::get_id());
        workers_resume();
        EXPECT_TRUE(writer_runs());
        writer_flush(forever_ms);
        EXPECT_NE(flushes.by, std::this_thread::get_id());
        EXPECT_EQ(flushes.ended, 2);
        EXPECT_TRUE(workers_park(forever_ms));
        session_finish();
        workers_resume();
        EXPECT_FALSE(writer_runs()) << "after the end";
    });
}

TEST_F(Writer, DoesNotExistInAForkedChild)
{
    IN_A_PROCESS_OF_ITS_OWN({
        if (!init())
            return;
        IN_A_PROCESS_OF_ITS_OWN({
            session_fork_child();
            EXPECT_FALSE(writer_runs());
            writer_flush(forever_ms);
            EXPECT_EQ(flushes.by, std::this_thread::get_id());
            EXPECT_TRUE(session_ready());
            writer_flush(forever_ms);
            EXPECT_NE(flushes.by, std::this_thread::get_id());
        });
    });
}

} // namespace
