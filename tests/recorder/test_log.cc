// One line on stderr when there is something the user must know.
#include "recorder_support.h"

#include <algorithm>
#include <cerrno>

extern "C" {
#include "log.h"
}

namespace
{

TEST(LogLine, BearsOurNameAndEndsItsLine)
{
    IN_A_PROCESS_OF_ITS_OWN(EXPECT_EQ(
        stderr_of([] { log_line(LOG_ERROR, "no %s, %d", "space", 7); }), "libprof: no space, 7\n"));
}

TEST(LogLine, KeepsErrno)
{
    IN_A_PROCESS_OF_ITS_OWN({
        close(STDERR_FILENO);
        errno = EXDEV;
        log_line(LOG_ERROR, "into the void");
        EXPECT_EQ(errno, EXDEV);
    });
}

TEST(LogLine, CutsWhatIsTooLongAndStillEndsTheLine)
{
    IN_A_PROCESS_OF_ITS_OWN({
        std::string text(5000, 'x');
        std::string line = stderr_of([&] { log_line(LOG_ERROR, "%s", text.c_str()); });
        EXPECT_EQ(line.size(), 512u - 1);
        EXPECT_EQ(line.back(), '\n');
    });
}

TEST(LogErrors, AreSixteenAtMost)
{
    IN_A_PROCESS_OF_ITS_OWN({
        std::string lines = stderr_of([] {
            for (int i = 0; i < 100; i++)
                log_line(LOG_ERROR, "error %d", i);
        });
        EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 16);
    });
}

TEST(LogLevel, ShowsErrorsOnlyUnlessAskedForMore)
{
    IN_A_PROCESS_OF_ITS_OWN({
        EXPECT_EQ(stderr_of([] { log_line(LOG_PROCESS, "once per process"); }), "");
        log_set_level(LOG_THREAD);
        EXPECT_NE(stderr_of([] { log_line(LOG_PROCESS, "once per process"); }), "");
        EXPECT_NE(stderr_of([] { log_line(LOG_THREAD, "once per thread"); }), "");
        EXPECT_EQ(stderr_of([] { log_line(LOG_BUFFER, "once per buffer"); }), "");
        log_set_level(0);
        EXPECT_EQ(stderr_of([] { log_line(LOG_ERROR, "even errors"); }), "");
    });
}

} // namespace
