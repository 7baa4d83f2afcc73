// What the kernel states of its clock: compared with its answer to the test itself.
#include "recorder_support.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include "clock.h"
}

namespace
{

enum { SAME = 0, NO_FILTER = 10, ANSWERED = 11, CHANGED = 12 };

bool is_filtered()
{
    return prctl(PR_GET_SECCOMP) != 0;
}

TEST(SystemClock, StatesWhatTheKernelStates)
{
    timex before = {}, after = {};
    prof_rec_system_clock state = {};
    bool asked = adjtimex(&before) >= 0;
    errno = 77;
    bool answered = system_clock_read(&state);
    EXPECT_EQ(errno, 77);
    ASSERT_EQ(answered, asked && !is_filtered());
    if (!answered)
        GTEST_SKIP() << "the kernel cannot be asked here";
    ASSERT_GE(adjtimex(&after), 0);
    if (before.status != after.status || before.maxerror > after.maxerror)
        GTEST_SKIP() << "the clock was corrected meanwhile";
    EXPECT_GE(state.max_error_ns, static_cast<uint64_t>(before.maxerror) * 1000);
    EXPECT_LE(state.max_error_ns, static_cast<uint64_t>(after.maxerror) * 1000);
    EXPECT_EQ(state.estimated_error_ns, static_cast<uint64_t>(after.esterror) * 1000);
    EXPECT_EQ(state.flags, after.status & STA_UNSYNC ? 0u : PROF_SYSTEM_CLOCK_SYNCHRONIZED);
    EXPECT_NE(state.ticks, 0u);
}

// A filter that ends the process for adjtimex(), as systemd's do.
bool forbid_adjtimex()
{
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_adjtimex, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_adjtime, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog filter = {sizeof program / sizeof *program, program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

int read_where_it_is_forbidden()
{
    prof_rec_system_clock state = {};
    state.ticks = 5;
    if (!forbid_adjtimex())
        return NO_FILTER;
    if (system_clock_read(&state))
        return ANSWERED;
    return state.ticks == 5 ? SAME : CHANGED;
}

TEST(SystemClock, IsNotAskedWhereAFilterMayKillForIt)
{
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
        _exit(read_where_it_is_forbidden());
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    if (WEXITSTATUS(status) == NO_FILTER)
        GTEST_SKIP() << "no seccomp filters here";
    EXPECT_EQ(WEXITSTATUS(status), SAME);
}

} // namespace
