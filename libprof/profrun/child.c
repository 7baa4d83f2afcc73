/* child.c - the program as a child process: see target.h. */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Signals passed on, besides SIGCHLD, which reports the child's end. */
static const int passed_on[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,  SIGUSR1, SIGUSR2,
                                SIGALRM, SIGCONT, SIGTSTP, SIGWINCH, SIGTTIN, SIGTTOU};

static void child_watched(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        sigaddset(set, passed_on[i]);
}

static void child_block_signals(struct child *child)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t watched;
    child_watched(&watched);
    sigprocmask(SIG_BLOCK, &watched, &child->old_mask);
    sigaction(SIGCHLD, &action, &child->old_sigchld);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, &child->old_sigpipe);
}

static void child_restore_signals(const struct child *child)
{
    sigaction(SIGCHLD, &child->old_sigchld, NULL);
    sigaction(SIGPIPE, &child->old_sigpipe, NULL);
    sigprocmask(SIG_SETMASK, &child->old_mask, NULL);
}

static _Noreturn void child_try(const struct child *child, void (*become)(void *), void *context,
                                int report)
{
    child_restore_signals(child);
    become(context);
    const int error = errno;
    _exit(write(report, &error, sizeof error) < 0 ? 126 : 127);
}

/* The pipe closes on a successful exec; otherwise the child's errno comes out of it. */
static int child_read_report(int report)
{
    int error = 0;
    ssize_t size;
    do {
        size = read(report, &error, sizeof error);
    } while (size < 0 && errno == EINTR);
    return size == (ssize_t)sizeof error ? error : 0;
}

int child_start(struct child *child, void (*become)(void *context), void *context)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    child_block_signals(child);
    child->pid = fork();
    if (child->pid == 0)
        child_try(child, become, context, report[1]);
    int error = child->pid < 0 ? errno : 0;
    close(report[1]);
    if (!error) {
        error = child_read_report(report[0]);
        if (error)
            waitpid(child->pid, NULL, 0);
    }
    close(report[0]);
    if (error)
        child_restore_signals(child);
    return error;
}

/* What is known of a stop; both are needed before profrun stops itself. */
struct child_stop {
    bool wanted; /* profrun was told to stop as well */
    bool done;   /* the child has stopped */
};

/* Follows the child into a stop. Only when profrun got the signal too: if only the child is
 * stopped, only the child will be continued, and profrun would stay stopped. */
static void child_follow_stop(struct child_stop *stop)
{
    if (stop->wanted && stop->done) {
        *stop = (struct child_stop){0};
        kill(getpid(), SIGSTOP);
    }
}

/* From the terminal the child has had it already; from itself it must not come back. An alarm that
 * was set before profrun was executed is the program's, and comes from the kernel. */
static bool child_needs(const struct child *child, const siginfo_t *info)
{
    return info->si_signo == SIGALRM || (info->si_code != SI_KERNEL && info->si_pid != child->pid);
}

static void child_pass_on(const struct child *child, const siginfo_t *info, struct child_stop *stop)
{
    const int number = info->si_signo;
    if (number == SIGTSTP || number == SIGTTIN || number == SIGTTOU)
        stop->wanted = true;
    else if (number == SIGCONT)
        *stop = (struct child_stop){0};
    if (child_needs(child, info))
        kill(child->pid, number);
}

/* Collects what SIGCHLD announced. True when the child has ended, with its status. */
static bool child_collect(const struct child *child, struct child_stop *stop, int *status)
{
    int news;
    while (waitpid(child->pid, &news, WNOHANG | WUNTRACED | WCONTINUED) == child->pid) {
        if (WIFSTOPPED(news)) {
            stop->done = true;
        } else if (WIFCONTINUED(news)) {
            *stop = (struct child_stop){0};
        } else {
            *status = news;
            return true;
        }
    }
    return false;
}

int child_wait(struct child *child)
{
    struct child_stop stop = {0};
    sigset_t watched;
    child_watched(&watched);
    int status = 0;
    bool ended = false;
    while (!ended) {
        siginfo_t info;
        const int number = sigwaitinfo(&watched, &info);
        if (number == SIGCHLD)
            ended = child_collect(child, &stop, &status);
        else if (number > 0)
            child_pass_on(child, &info, &stop);
        if (!ended)
            child_follow_stop(&stop);
    }
    sigprocmask(SIG_SETMASK, &child->old_mask, NULL);
    return status;
}

static _Noreturn void child_die_by(int number)
{
    const struct rlimit none = {0, 0};
    const struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t only;
    /* The limit alone does not stop a core_pattern that is a pipe. */
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    sigaction(number, &action, NULL);
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    kill(getpid(), number);
    _exit(128 + number); /* only where the signal cannot kill: process 1 of a container */
}

_Noreturn void child_imitate(int status)
{
    if (WIFSIGNALED(status))
        child_die_by(WTERMSIG(status));
    exit(WEXITSTATUS(status));
}
