// Work on files with descriptors that the program cannot reach.
#include "recorder_support.h"
#include "test_point.h"

extern "C" {
#include "own_files.h"
#include "process.h"
#include "signals.h"
#include "worker.h"
}

#include <atomic>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <thread>

namespace
{

const unsigned forever_ms = 50000;

struct look {
    const char *path;
    uint32_t table = 0;
    pid_t thread = 0;
    int fd = -1, error = 0;
    own_fd own = {};

    explicit look(const std::string &of) : path(of.c_str()) {}
};

int look_around(void *argument)
{
    look *at = static_cast<look *>(argument);
    at->table = own_files_table();
    at->thread = gettid();
    at->fd = own_files_create(at->path, O_RDWR, 0600);
    at->error = errno;
    at->own = own_fd_adopt(at->fd);
    return 7;
}

int look_again(void *argument)
{
    return own_fd_is_ours(&static_cast<look *>(argument)->own) ? 1 : 2;
}

// In a job, signals are blocked.
template <typename Function>
int run(Function &&job)
{
    signals_saved saved;
    signals_block(&saved);
    int result = job();
    signals_restore(&saved);
    return result;
}

bool has_threads()
{
    return run([] {
        return own_files_run([](void *) { return own_files_table() != 0 ? 1 : 0; }, nullptr);
    });
}

class OwnFiles : public testing::Test
{
protected:
    TemporaryDirectory directory;
    std::string path = directory / "file";
};

TEST_F(OwnFiles, HasDescriptorsThatTheProgramDoesNotSee)
{
    IN_A_PROCESS_OF_ITS_OWN({
        if (!has_threads())
            return;
        look first(path);
        look second(path);
        int lowest = dup(0);
        close(lowest);
        EXPECT_EQ(run([&] { return own_files_run(look_around, &first); }), 7);
        EXPECT_EQ(run([&] { return own_files_run(look_around, &second); }), 7);
        EXPECT_NE(first.table, 0u);
        EXPECT_EQ(first.table, second.table) << "the thread stays";
        EXPECT_EQ(first.thread, second.thread);
        EXPECT_NE(first.thread, gettid());
        EXPECT_GE(first.fd, 3) << "what a library prints would get into the file";
        EXPECT_NE(first.fd, second.fd);
        int now = dup(0);
        EXPECT_EQ(now, lowest);
        close(now);
        EXPECT_FALSE(own_fd_is_ours(&first.own)) << "of another table";
        for (int fd = 3; fd < 100; fd++)
            dup2(0, fd);
        EXPECT_EQ(run([&] { return own_files_run(look_again, &first); }), 1);
    });
}

TEST_F(OwnFiles, HasANewThreadWhereTheIdleOneEndsMeanwhile)
{
    IN_A_PROCESS_OF_ITS_OWN({
        if (!has_threads())
            return;
        look first(path);
        look second(path);
        EXPECT_EQ(run([&] { return own_files_run(look_around, &first); }), 7);
        AtTestPoint point("own_files_ask: there is a thread", [] {
            while (workers_running())
                std::this_thread::yield();
        });
        EXPECT_EQ(run([&] { return own_files_run(look_around, &second); }), 7);
        EXPECT_NE(second.table, 0u) << "not the program's";
        EXPECT_NE(second.table, first.table);
    });
}

TEST_F(OwnFiles, HasATableBesideAThreadThatOpensAndClosesFiles)
{
    if (status_of_a_process([] { _exit(has_threads() ? 0 : 1); }) != 0)
        return;
    for (int round = 0; round < 200; round++)
        IN_A_PROCESS_OF_ITS_OWN({
            std::atomic<int> opened{0};
            std::atomic<bool> over{false};
            std::thread other([&] {
                for (; !over; opened++)
                    close(open(opened % 2 ? "/dev/null" : path.c_str(), O_RDONLY | O_CREAT, 0600));
            });
            while (!opened)
                std::this_thread::yield();
            EXPECT_TRUE(has_threads()) << "round " << round;
            over = true;
            other.join();
        });
}

TEST_F(OwnFiles, DoesLongJobsBesideShortOnes)
{
    IN_A_PROCESS_OF_ITS_OWN({
        if (!has_threads())
            return;
        static std::atomic<int> begun;
        static std::atomic<bool> over;
        static std::atomic<uint32_t> table;
        std::thread patient([] {
            EXPECT_EQ(run([] {
                          return own_files_run_long(
                              [](void *) {
                                  table = own_files_table();
                                  begun++;
                                  while (!over)
                                      std::this_thread::yield();
                                  return 3;
                              },
                              nullptr);
                      }),
                      3);
        });
        while (!begun)
            std::this_thread::yield();
        look at(path);
        EXPECT_EQ(run([&] { return own_files_run(look_around, &at); }), 7);
        EXPECT_EQ(at.table, table) << "one table";
        over = true;
        patient.join();
    });
}

TEST_F(OwnFiles, HoldsNobodyUpWhereAFileSystemHangs)
{
    IN_A_PROCESS_OF_ITS_OWN({
        if (!has_threads())
            return;
        static std::atomic<bool> answers;
        static std::atomic<int> seen;
        static auto hang = [](void *argument) {
            while (!answers)
                std::this_thread::yield();
            seen = *static_cast<int *>(argument);
            return 0;
        };
        {
            int number = 5;
            EXPECT_EQ(run([&] { return own_files_run_within(20, hang, &number, sizeof number); }),
                      ETIMEDOUT);
            number = 6;
            EXPECT_EQ(
                run([&] { return own_files_run_within(forever_ms, hang, &number, sizeof number); }),
                ETIMEDOUT)
                << "at once";
        }
        EXPECT_EQ(run([] { return own_files_run([](void *) { return 1; }, nullptr); }), ETIMEDOUT);
        answers = true;
        while (!seen)
            std::this_thread::yield();
        EXPECT_EQ(seen, 5) << "it had a copy";
        int number = 8;
        int result;
        while ((result = run([&] {
                    return own_files_run_within(forever_ms, hang, &number, sizeof number);
                })) == ETIMEDOUT)
            std::this_thread::yield();
        EXPECT_EQ(result, 0);
        EXPECT_EQ(seen, 8);
    });
}

TEST_F(OwnFiles, AreTheCallersWhileTheThreadIsParkedAndInAChild)
{
    IN_A_PROCESS_OF_ITS_OWN({
        if (!has_threads())
            return;
        look at(path);
        EXPECT_TRUE(workers_park(forever_ms));
        EXPECT_EQ(run([&] { return own_files_run(look_around, &at); }), 7);
        EXPECT_EQ(at.table, 0u);
        EXPECT_EQ(at.thread, gettid());
        EXPECT_GE(at.own.fd, 40) << "out of the program's way";
        EXPECT_LT(at.own.fd, 64) << "every table has room for it";
        EXPECT_EQ(run([&] { return own_files_run(look_again, &at); }), 1);
        workers_resume();
        EXPECT_EQ(run([&] { return own_files_run(look_again, &at); }), 2) << "of another table";
        EXPECT_EQ(run([&] { return own_files_run(look_around, &at); }), 7);
        uint32_t table = at.table;
        EXPECT_NE(table, 0u);
        IN_A_PROCESS_OF_ITS_OWN({ // as fork() leaves it
            own_files_fork_child();
            EXPECT_EQ(run([&] { return own_files_run(look_around, &at); }), 7);
            EXPECT_NE(at.table, 0u) << "a thread of its own";
            EXPECT_NE(at.table, table);
        });
        IN_A_PROCESS_OF_ITS_OWN({ // a child that nobody told
            EXPECT_EQ(run([&] { return own_files_run(look_around, &at); }), 7);
            EXPECT_EQ(at.table, 0u);
        });
    });
}

TEST_F(OwnFiles, TakesOneAlongWhereItsThreadEndsForAWhile)
{
    IN_A_PROCESS_OF_ITS_OWN({
        if (!has_threads())
            return;
        look at(path);
        run([&] { return own_files_run(look_around, &at); });
        own_files_keep(&at.own);
        unlink(path.c_str()); // it cannot be opened again
        int lowest = dup(0);
        close(lowest);
        for (int i = 0; i < 3; i++) {
            EXPECT_NE(at.own.table, 0u);
            EXPECT_TRUE(workers_park(forever_ms));
            EXPECT_EQ(at.own.table, 0u);
            EXPECT_TRUE(own_fd_is_ours(&at.own));
            EXPECT_GE(at.own.fd, 40);
            int kept = at.own.fd;
            workers_resume();
            EXPECT_EQ(run([&] { return own_files_run(look_again, &at); }), 1);
            EXPECT_EQ(fcntl(kept, F_GETFD), -1) << "not the program's any more";
            int now = dup(0);
            EXPECT_EQ(now, lowest);
            close(now);
        }
    });
}

TEST_F(OwnFiles, EndsAfterAWhileWhereNothingIsOpen)
{
    IN_A_PROCESS_OF_ITS_OWN({
        if (!has_threads())
            return;
        while (workers_running())
            usleep(1000);
        EXPECT_TRUE(has_threads()) << "begins again";
    });
}

TEST_F(OwnFiles, HasDescriptorsWhereTheProgramHasTakenAll)
{
    IN_A_PROCESS_OF_ITS_OWN({
        rlimit limit = {3, 3};
        ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
        if (!has_threads())
            return;
        for (int i = 0; i < 3; i++) {
            look at(path);
            run([&] { return own_files_run(look_around, &at); });
            EXPECT_GE(at.fd, 0) << strerror(at.error);
        }
        look at(path);
        run([&] { return own_files_run(look_around, &at); });
        EXPECT_EQ(at.error, EMFILE) << "and closes none of its own";
    });
}

// Nobody's lock, and no pipe, is held by a copy that was made of the program's table.
TEST_F(OwnFiles, KeepsNothingOfTheProgramsOpen)
{
    IN_A_PROCESS_OF_ITS_OWN({
        int ends[2];
        char byte;
        ASSERT_EQ(pipe(ends), 0);
        int locked = open(path.c_str(), O_RDWR | O_CREAT, 0600), other = open(path.c_str(), O_RDWR);
        ASSERT_EQ(flock(locked, LOCK_EX), 0);
        if (!has_threads())
            return;
        close(ends[1]);
        EXPECT_EQ(read(ends[0], &byte, 1), 0);
        close(locked);
        EXPECT_EQ(flock(other, LOCK_EX | LOCK_NB), 0);
    });
}

TEST(OwnFile, IsReadWhole)
{
    IN_A_PROCESS_OF_ITS_OWN({
        char text[4096];
        char little[8];
        EXPECT_GT(own_files_read("/proc/self/status", text, sizeof text), 100u);
        EXPECT_NE(strstr(text, "\nPid:"), nullptr);
        EXPECT_EQ(own_files_read("/proc/self/status", little, sizeof little), 7u);
        EXPECT_STREQ(std::string(little).c_str(), std::string(text, 7).c_str());
        EXPECT_EQ(own_files_read("/proc/none", text, sizeof text), 0u);
        EXPECT_STREQ(text, "");
    });
}

} // namespace
