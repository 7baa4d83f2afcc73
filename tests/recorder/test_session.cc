// The life of a recording: its file, fork, exec, the end.
#include "recorder_support.h"
#include "test_point.h"

#include <thread>

extern "C" {
#include "config.h"
#include "meta.h"
#include "session.h"
}

namespace
{

class Session : public testing::Test
{
protected:
    // As at load, in a process of its own.
    void init(bool start_now = true)
    {
        ASSERT_TRUE(config_override((directory / "%p.prof").c_str(), 16, false));
        session_init(nullptr, start_now);
    }
    TemporaryDirectory directory;
};

// The thread that makes the file does not exist in the child, and what it has mapped is the parent's.
TEST_F(Session, OfAChildForkedWhileTheFileIsMadeHasAFileOfItsOwn)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        StopAtTestPoint unpublished("session_begin_file: unpublished");
        std::thread creator([] { EXPECT_TRUE(session_ready()); });
        unpublished.await_arrival();
        IN_A_PROCESS_OF_ITS_OWN({
            session_fork_child();
            EXPECT_FALSE(maps_file(directory.path));
            EXPECT_TRUE(session_ready());
            EXPECT_EQ(session_path(), directory / (std::to_string(getpid()) + ".prof").c_str());
            EXPECT_TRUE(maps_file(session_path()));
        });
        unpublished.release();
        creator.join();
        EXPECT_TRUE(session_has_file());
        session_finish();
    });
}

// Nothing is added to a file that is closed.
TEST_F(Session, OfAChildForkedAfterTheEndLeavesTheFileAlone)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        ASSERT_TRUE(session_ready());
        session_finish();
        uint64_t lost = loss_get(PROF_LOSS_IO);
        IN_A_PROCESS_OF_ITS_OWN({
            session_fork_child();
            EXPECT_FALSE(maps_file(directory.path));
            EXPECT_FALSE(session_ready());
        });
        EXPECT_EQ(loss_get(PROF_LOSS_IO), lost);
    });
}

TEST_F(Session, GoesOnAfterAFailedExecOnlyIfItIsOn)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        ASSERT_TRUE(session_ready());
        session_suspend();
        EXPECT_FALSE(recorder_on());
        session_resume();
        EXPECT_TRUE(recorder_on());
        session_stop();
        session_suspend();
        session_resume();
        EXPECT_FALSE(recorder_on()) << "stopped since an earlier exec";
    });
}

TEST_F(Session, IsWhatOthersSwitchedItToDuringAFailedExec)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        ASSERT_TRUE(session_ready());
        session_suspend();
        session_stop();
        session_resume();
        EXPECT_FALSE(recorder_on());
        session_suspend();
        session_start();
        EXPECT_FALSE(recorder_on()) << "the file is closed";
        session_resume();
        EXPECT_TRUE(recorder_on());
    });
}

// Two threads call exec: what fails in one does not switch recording on under the other.
TEST_F(Session, GoesOnOnceEachExecHasFailed)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        ASSERT_TRUE(session_ready());
        session_suspend();
        session_suspend();
        session_resume();
        EXPECT_FALSE(recorder_on());
        session_resume();
        EXPECT_TRUE(recorder_on());
    });
}

TEST_F(Session, ThatBeganDuringAnExecGoesOnWhenThatFails)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        session_suspend();
        ASSERT_TRUE(session_ready()) << "another thread records its first event";
        session_resume();
        EXPECT_TRUE(recorder_on());
    });
}

TEST_F(Session, StaysSuspendedWhenItIsSwitchedOnBetweenTwoSteps)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init(false);
        ASSERT_TRUE(session_ready());
        AtTestPoint chosen("session_apply_gate: chosen",
                           [&] { std::thread(session_suspend).join(); });
        session_start();
        EXPECT_FALSE(recorder_on());
    });
}

// The last switch that a chunk states: 0 off, else the epoch; -1 none.
int64_t epoch_stated_in(const uint64_t *words, size_t begin_bytes)
{
    int64_t epoch = -1;
    for (size_t i = begin_bytes / 8, size; i < PROF_CHUNK_BYTES / 8; i += size) {
        size = PROF_WORD_SIZE(words[i]) ? PROF_WORD_SIZE(words[i]) : 1;
        const auto *control = (const prof_rec_control *)&words[i];
        if (PROF_WORD_KIND(words[i]) == PROF_KIND_EXT &&
            PROF_WORD_TYPE(words[i]) == PROF_REC_CONTROL)
            epoch = control->on ? control->epoch : 0;
    }
    return epoch;
}

// The same of the file, in this process's memory.
int64_t stated_epoch()
{
    int64_t epoch = epoch_stated_in((const uint64_t *)chunks_memory(0), PROF_FILE_HEADER_BYTES);
    for (uint64_t chunk = 1; chunk < chunks_count(); chunk++) {
        const auto *header = (const prof_chunk_header *)chunks_memory(chunk);
        bool meta = header->magic == PROF_CHUNK_MAGIC && header->kind == PROF_CHUNK_META;
        int64_t later =
            meta ? epoch_stated_in((const uint64_t *)header, PROF_CHUNK_HEADER_BYTES) : -1;
        epoch = later < 0 ? epoch : later;
    }
    return epoch;
}

// Neither is lost: what the file begins with, and what another thread switches meanwhile.
TEST_F(Session, StatesItsSwitchesWhileTheFileIsMade)
{
    for (const char *point : {"session_begin_file: unpublished", "session_try: made"})
        for (bool again : {false, true})
            IN_A_PROCESS_OF_ITS_OWN({
                init();
                AtTestPoint switched(point, [=] {
                    std::thread([=] {
                        session_stop();
                        if (again)
                            session_start();
                    }).join();
                });
                ASSERT_TRUE(session_ready());
                EXPECT_EQ(stated_epoch(), again ? 2 : 0) << point;
                session_start();
                session_stop();
                EXPECT_EQ(stated_epoch(), again ? 2 : 0) << point;
            });
}

int collector_starts;

// A thread starts while another one ends the process: collectors have detached.
TEST_F(Session, IsNotSwitchedOnByAStartThatItsEndOvertakes)
{
    IN_A_PROCESS_OF_ITS_OWN({
        collector counting = {};
        counting.start = [] { collector_starts++; };
        const collector *const collectors[] = {&counting, nullptr};
        ASSERT_TRUE(config_override((directory / "%p.prof").c_str(), 16, false));
        session_init(collectors, false);
        ASSERT_TRUE(session_ready());
        AtTestPoint warm("session_open_gate: warm", [] { std::thread(session_finish).join(); });
        session_start();
        EXPECT_FALSE(recorder_on());
        EXPECT_EQ(collector_starts, 0);
    });
}

// Its own recording is not suspended.
TEST_F(Session, OfAChildForkedDuringAnExecIsOn)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        ASSERT_TRUE(session_ready());
        session_suspend();
        IN_A_PROCESS_OF_ITS_OWN({
            session_fork_child();
            EXPECT_TRUE(recorder_on());
            EXPECT_TRUE(session_ready());
        });
    });
}

} // namespace
