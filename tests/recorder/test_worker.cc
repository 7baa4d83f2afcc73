// A thread that does jobs for those who wait for a limited time.
#include "recorder_support.h"

extern "C" {
#include "process.h"
#include "worker.h"
}

#include <atomic>
#include <thread>

namespace
{

const unsigned forever_ms = 50000;

std::atomic<bool> is_held{false};
std::atomic<int> held{0}, quick{0}, duties{0};

void held_job()
{
    held++;
    while (is_held)
        std::this_thread::yield();
}

void quick_job()
{
    quick++;
}

uint64_t count_duties()
{
    duties++;
    return 1000000;
}

uint64_t end_at_once()
{
    return WORKER_DONE;
}

worker make_worker(uint64_t (*with_duties)(void) = nullptr)
{
    worker it = {};
    it.name = "prof-test";
    it.stack_bytes = 256u << 10;
    it.duties = with_duties;
    pthread_mutex_init(&it.lock, nullptr);
    return it;
}

// False: no thread can be had in this build.
bool begin(worker *it)
{
    is_held = false;
    held = quick = duties = 0;
    return worker_begin(it) == 0;
}

void await(const std::atomic<int> &counter, int count)
{
    while (counter < count)
        std::this_thread::yield();
}

TEST(Worker, DoesJobsAndSaysSo)
{
    static worker it = make_worker();
    EXPECT_EQ(worker_run(&it, quick_job, forever_ms), WORKER_NONE);
    if (!begin(&it))
        GTEST_SKIP() << "no thread of ours in this build";
    EXPECT_EQ(worker_begin(&it), 0) << "again";
    for (int i = 1; i <= 100; i++) {
        EXPECT_EQ(worker_run(&it, quick_job, forever_ms), WORKER_FINISHED);
        EXPECT_EQ(quick, i);
    }
    EXPECT_TRUE(worker_end(&it, forever_ms, false));
    EXPECT_FALSE(worker_runs(&it));
    EXPECT_EQ(worker_begin(&it), 0) << "another thread";
    EXPECT_TRUE(worker_end(&it, forever_ms, true));
    EXPECT_NE(worker_begin(&it), 0) << "closed";
}

TEST(Worker, TakesBackAJobThatNobodyWaitsForAnyMore)
{
    static worker it = make_worker();
    if (!begin(&it))
        GTEST_SKIP() << "no thread of ours in this build";
    is_held = true;
    EXPECT_TRUE(worker_post(&it, held_job));
    await(held, 1);
    EXPECT_FALSE(worker_post(&it, quick_job)) << "busy";
    EXPECT_EQ(worker_run(&it, quick_job, 1), WORKER_TIMED_OUT);
    EXPECT_EQ(worker_run(&it, quick_job, forever_ms), WORKER_TIMED_OUT) << "stuck: at once";
    EXPECT_FALSE(worker_end(&it, 1, false));
    is_held = false;
    EXPECT_TRUE(worker_end(&it, forever_ms, true));
    EXPECT_EQ(quick, 0);
}

TEST(Worker, DoesNotBeginWhatNobodyWaitedForLongEnough)
{
    static worker it = make_worker();
    if (!begin(&it))
        GTEST_SKIP() << "no thread of ours in this build";
    is_held = true;
    EXPECT_TRUE(worker_post(&it, held_job));
    await(held, 1);
    EXPECT_EQ(worker_run_soon(&it, quick_job, 1, forever_ms), WORKER_NOT_BEGUN);
    is_held = false;
    EXPECT_TRUE(worker_end(&it, forever_ms, false));
    EXPECT_EQ(quick, 0);
    is_held = true;
    EXPECT_EQ(worker_begin(&it), 0);
    worker_result answer;
    do // a busy machine may not get to the thread in time
        answer = worker_run_soon(&it, held_job, 100, 1);
    while (answer == WORKER_NOT_BEGUN);
    EXPECT_EQ(answer, WORKER_TIMED_OUT);
    is_held = false;
    EXPECT_TRUE(worker_end(&it, forever_ms, true));
}

TEST(Worker, DoesTheNextJobOnceForAllWhoWantIt)
{
    static worker it = make_worker();
    if (!begin(&it))
        GTEST_SKIP() << "no thread of ours in this build";
    is_held = true;
    worker_post(&it, held_job);
    await(held, 1);
    std::atomic<int> asked{0};
    auto ask = [&] {
        asked++;
        EXPECT_EQ(worker_run(&it, quick_job, forever_ms), WORKER_FINISHED);
    };
    std::thread first(ask), second(ask);
    await(asked, 2);
    usleep(20000); // as a rule both wait by now; if not, there are two jobs
    is_held = false;
    first.join();
    second.join();
    EXPECT_GE(quick, 1);
    EXPECT_LE(quick, 2);
    EXPECT_TRUE(worker_end(&it, forever_ms, true));
}

TEST(Worker, DoesItsDutiesBetweenJobs)
{
    static worker it = make_worker(count_duties);
    if (!begin(&it))
        GTEST_SKIP() << "no thread of ours in this build";
    await(duties, 3);
    EXPECT_EQ(worker_run(&it, quick_job, forever_ms), WORKER_FINISHED);
    await(duties, duties + 3);
    EXPECT_TRUE(worker_end(&it, forever_ms, true));
}

TEST(Worker, EndsWhereItsDutiesSaySo)
{
    static worker it = make_worker(end_at_once);
    if (!begin(&it))
        GTEST_SKIP() << "no thread of ours in this build";
    while (worker_runs(&it))
        std::this_thread::yield();
    EXPECT_EQ(worker_run(&it, quick_job, forever_ms), WORKER_NONE);
    EXPECT_TRUE(worker_end(&it, forever_ms, true));
}

// A thread whose worker has ended its work may still exist.
TEST(Workers, AreAsManyThreadsAsRunOnceTheyHaveSettled)
{
    static worker it = make_worker();
    it.parks = true;
    if (!begin(&it))
        GTEST_SKIP() << "no thread of ours in this build";
    EXPECT_TRUE(worker_end(&it, forever_ms, false));
    workers_settle(forever_ms);
    ASSERT_EQ(workers_running(), 0u);
    const unsigned long others = process_threads();
    for (int round = 0; round < 2000; round++) {
        ASSERT_EQ(worker_begin(&it), 0);
        workers_settle(forever_ms);
        EXPECT_EQ(workers_running(), 1u);
        EXPECT_EQ(process_threads(), others + 1) << "round " << round;
        EXPECT_TRUE(worker_end(&it, forever_ms, false));
        workers_settle(forever_ms);
        EXPECT_EQ(workers_running(), 0u);
        EXPECT_EQ(process_threads(), others) << "round " << round;
    }
}

} // namespace
