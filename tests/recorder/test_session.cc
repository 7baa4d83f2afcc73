// The life of a recording: its file, fork, exec, the end.
#include "recorder_support.h"
#include "test_point.h"

#include <thread>

extern "C" {
#include "config.h"
#include "loss.h"
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
