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

} // namespace
