// A copy of the trace file while recording goes on.
#include "recorder_support.h"
#include "test_point.h"

extern "C" {
#include "config.h"
#include "output.h"
#include "session.h"
}

#include <thread>

namespace
{

// By a signal, the control socket and prof_dump(), all of which may be told the same path.
TEST(Dump, ToOnePathByTwoThreadsSucceedsForBoth)
{
    TemporaryDirectory directory;
    IN_A_PROCESS_OF_ITS_OWN({
        std::string path = directory / "dump.prof";
        ASSERT_TRUE(config_override((directory / "trace.prof").c_str(), 16, false));
        session_init(nullptr, true);
        ASSERT_TRUE(session_ready());
        int second = -1;
        AtTestPoint linked("dump_name: linked",
                           [&] { std::thread([&] { second = dump_write(path.c_str()); }).join(); });
        EXPECT_EQ(dump_write(path.c_str()), 0);
        EXPECT_EQ(second, 0);
        EXPECT_GT(file_size(path), 0u);
        session_finish();
    });
}

} // namespace
