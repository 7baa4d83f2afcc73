/* attach_threads.c - which thread of the process may be stopped, and when: see attach_process.h. */
#include "attach_process.h"
#include "clock.h"
#include "futex_wait.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>

enum {
    LOOK_US = 1000,
    LIMIT_MS = 10000,
    RESTLESS_MS = 50, /* until a thread will do that does not wait for long */
    BEGUN_MS =
        /* No timeout is lengthened by more; two looks are so far apart on a machine that is
         * overloaded */
    100,
    BUSY_MS =
        100, /* a thread that has not waited for so long will not do so in the next microseconds */
    STACK_ARGUMENT_BYTES = 1 << 16, /* libc passes the kernel copies of timeouts, on its stack */
};

/* Newer than the headers of Debian 11, where wheels are built; the same number on each
 * processor. */
enum { CALL_PIDFD_OPEN = 434, CALL_PIDFD_GETFD = 438, CALL_EPOLL_PWAIT2 = 441 };

/* ---- descriptors ---- */

/* A copy of a descriptor of the process. */
static int copy_descriptor(const struct attach_process *process, int fd, ino_t inode)
{
    struct stat facts;
    const int pidfd = (int)syscall(CALL_PIDFD_OPEN, process->pid, 0);
    int copy = pidfd < 0 ? -1 : (int)syscall(CALL_PIDFD_GETFD, pidfd, fd, 0);
    if (pidfd >= 0)
        close(pidfd);
    if (copy >= 0 && (fstat(copy, &facts) != 0 || facts.st_ino != inode)) {
        close(copy); /* the thread has descriptors of its own */
        copy = -1;
    }
    return copy;
}

/* With a timeout, a receive fails with EINTR. With a minimum, it returns less than that. */
static bool is_patient_socket(int fd)
{
    struct timeval timeout = {0};
    int minimum = 0;
    socklen_t timeout_bytes = sizeof timeout, minimum_bytes = sizeof minimum;
    return getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, &timeout_bytes) == 0 &&
           timeout.tv_sec == 0 && timeout.tv_usec == 0 &&
           getsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &minimum, &minimum_bytes) == 0 && minimum <= 1;
}

static bool is_patient_terminal(int fd)
{
    struct termios modes;
    return tcgetattr(fd, &modes) == 0 &&
           (modes.c_lflag & ICANON || (modes.c_cc[VMIN] == 1 && modes.c_cc[VTIME] == 0));
}

/* Whether reading from a descriptor waits until there is something, and has taken nothing until
 * then. */
static bool is_read_patient(const struct attach_process *process, pid_t thread, int fd)
{
    static const char *const kinds[] = {"anon_inode:[eventfd]", "anon_inode:[timerfd]",
                                        "anon_inode:[signalfd]", "anon_inode:inotify"};
    char path[96], kind[64];
    struct stat facts;
    snprintf(path, sizeof path, "/proc/%d/task/%d/fd/%d", (int)process->pid, (int)thread, fd);
    const ssize_t size = readlink(path, kind, sizeof kind - 1);
    if (size < 0 || stat(path, &facts) != 0)
        return false;
    kind[size] = '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    if (S_ISFIFO(facts.st_mode))
        return true;
    if (!S_ISSOCK(facts.st_mode) && !S_ISCHR(facts.st_mode))
        return false;
    const int copy = copy_descriptor(process, fd, facts.st_ino);
    const bool patient = copy >= 0 && (S_ISSOCK(facts.st_mode) ? is_patient_socket(copy)
                                                               : is_patient_terminal(copy));
    if (copy >= 0)
        close(copy);
    return patient;
}

/* ---- system calls ---- */

/* The kernel stores what is left of the timeout, and makes the call again with that. Where it
 * cannot store it, the call fails with EINTR. */
static bool can_be_updated(uint64_t timeout, uint64_t stack_pointer)
{
    return !timeout || (timeout >= stack_pointer && timeout < stack_pointer + STACK_ARGUMENT_BYTES);
}

/* As Linux 4.18 to 6.18 have it. What is made again by ERESTART_RESTARTBLOCK keeps the time at
 * which it ends. */
enum attach_wait attach_thread_wait(const struct attach_process *process, pid_t thread, long call,
                                    const uint64_t arguments[6], uint64_t stack_pointer)
{
    bool endless = false, timed = false;
    if (futex_wait_is_endless(call, arguments))
        return ATTACH_WAIT_FUTEX;
    switch (call) {
    case SYS_restart_syscall: /* one of those with a timeout below, after a stop */
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_rt_sigsuspend:
#if defined(__x86_64__)
    case SYS_pause:
    case SYS_poll:
#endif
        endless = true;
        break;
    case SYS_futex: {
        const int operation = (int)arguments[1] & FUTEX_CMD_MASK;
        endless = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
        break;
    }
    case SYS_ppoll:
        endless = can_be_updated(arguments[2], stack_pointer);
        break;
    case SYS_pselect6:
#if defined(__x86_64__)
    case SYS_select:
#endif
        endless = can_be_updated(arguments[4], stack_pointer);
        break;
    case SYS_epoll_pwait:
#if defined(__x86_64__)
    case SYS_epoll_wait:
#endif
        endless = (int)arguments[3] < 0;
        timed = true;
        break;
    case CALL_EPOLL_PWAIT2:
        endless = !arguments[3];
        timed = true;
        break;
    case SYS_rt_sigtimedwait:
        endless = !arguments[2];
        timed = true;
        break;
    case SYS_recvfrom:
        endless =
            !(arguments[3] & MSG_WAITALL) && is_read_patient(process, thread, (int)arguments[0]);
        break;
    case SYS_recvmsg:
        endless =
            !(arguments[2] & MSG_WAITALL) && is_read_patient(process, thread, (int)arguments[0]);
        break;
    case SYS_read:
    case SYS_readv:
    case SYS_accept:
    case SYS_accept4:
        endless = is_read_patient(process, thread, (int)arguments[0]);
        break;
    default:
        break;
    }
    return endless ? ATTACH_WAIT_ENDLESS : timed ? ATTACH_WAIT_TIMED : ATTACH_WAIT_NO;
}

/* ---- looking at threads ---- */

static bool read_call(const struct attach_process *process, struct attach_thread *thread)
{
    char name[64], text[512];
    snprintf(name, sizeof name, "task/%d/syscall", (int)thread->number);
    if (!attach_process_file(process->pid, name, text, sizeof text))
        return false;
    uint64_t *at = thread->arguments;
    thread->call = ATTACH_RUNS;
    if (strncmp(text, "running", 7) == 0)
        return true;
    thread->call = -1;
    if (sscanf(text,
               "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
               " %" SCNx64,
               &thread->call, &at[0], &at[1], &at[2], &at[3], &at[4], &at[5],
               &thread->stack_pointer) != 8)
        thread->call = -1;
    return true;
}

static bool read_thread(const struct attach_process *process, struct attach_thread *thread)
{
    char name[64], status[ATTACH_STATUS_BYTES], state[32];
    snprintf(name, sizeof name, "task/%d/status", (int)thread->number);
    if (!read_call(process, thread) ||
        !attach_process_file(process->pid, name, status, sizeof status) ||
        !attach_process_status_text(status, "State", state, sizeof state))
        return false;
    thread->state = *state;
    thread->waits = (uint64_t)attach_process_status_number(status, "voluntary_ctxt_switches");
    thread->switches = thread->waits +
                       (uint64_t)attach_process_status_number(status, "nonvoluntary_ctxt_switches");
    return true;
}

bool attach_thread_is_same(const struct attach_process *process, const struct attach_thread *thread)
{
    struct attach_thread now = {.number = thread->number};
    return read_call(process, &now) && now.call == thread->call &&
           (now.call == ATTACH_RUNS ||
            (memcmp(now.arguments, thread->arguments, sizeof now.arguments) == 0 &&
             now.stack_pointer == thread->stack_pointer));
}

/* ---- watching them ---- */

static bool is_short(const struct attach_thread *thread)
{
    bool has_ms = thread->call == SYS_epoll_pwait;
#if defined(__x86_64__)
    has_ms |= thread->call == SYS_epoll_wait;
#endif
    return has_ms && (int)thread->arguments[3] <= BEGUN_MS;
}

static void compare(struct attach_thread *thread, const struct attach_thread *before,
                    uint64_t before_ns, uint64_t now_ns)
{
    thread->still_ns = thread->busy_ns = now_ns;
    if (!before)
        return;
    thread->attempts = before->attempts;
    if (thread->switches == before->switches && thread->state == 'S')
        thread->still_ns = before->still_ns;
    if (thread->waits == before->waits && thread->call == ATTACH_RUNS)
        thread->busy_ns = before->busy_ns;
    thread->just_begun = thread->waits != before->waits &&
                         (now_ns - before_ns < BEGUN_MS * 1000000ull || is_short(thread));
}

static const struct attach_thread *find(const struct attach_watch *watch, pid_t number)
{
    size_t begin = 0, end = watch->count;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (watch->threads[middle].number == number)
            return &watch->threads[middle];
        if (watch->threads[middle].number < number)
            begin = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

/* /proc lists threads in the order of their numbers. */
static bool look(struct attach_watch *watch)
{
    char path[64];
    struct attach_thread *threads = NULL;
    size_t count = 0, room = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)watch->process->pid);
    DIR *directory = opendir(path);
    const uint64_t before_ns = watch->looked_ns;
    watch->looked_ns = clock_monotonic_ns();
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        struct attach_thread thread = {.number = (pid_t)strtol(entry->d_name, NULL, 10)};
        if (thread.number <= 0 || !read_thread(watch->process, &thread))
            continue;
        if (count == room) {
            struct attach_thread *more =
                realloc(threads, (room = room ? 2 * room : 64) * sizeof *threads);
            if (!more)
                break;
            threads = more;
        }
        compare(&thread, find(watch, thread.number), before_ns, watch->looked_ns);
        threads[count++] = thread;
    }
    if (directory)
        closedir(directory);
    free(watch->threads);
    watch->threads = threads;
    watch->count = count;
    return count != 0;
}

/* How willingly this one is stopped; 0: not at all. */
static int rate(const struct attach_watch *watch, const struct attach_thread *thread)
{
    const uint64_t now_ns = watch->looked_ns;
    if (thread->call == ATTACH_RUNS)
        return now_ns - thread->busy_ns >= BUSY_MS * 1000000ull ? 1 : 0;
    if (thread->state != 'S' || thread->call < 0)
        return 0;
    const bool is_still = thread->still_ns < now_ns;
    if (!is_still && now_ns - watch->begin_ns < RESTLESS_MS * 1000000ull)
        return 0;
    const enum attach_wait wait = attach_thread_wait(watch->process, thread->number, thread->call,
                                                     thread->arguments, thread->stack_pointer);
    if (wait == ATTACH_WAIT_NO || (wait == ATTACH_WAIT_TIMED && !thread->just_begun))
        return 0;
    return (is_still ? 4 : 1) + (int)wait;
}

/* One that was not at a good place when it was stopped comes after the others. */
static struct attach_thread *choose(struct attach_watch *watch)
{
    struct attach_thread *best = NULL;
    int best_rate = 0;
    for (size_t i = 0; i < watch->count; i++) {
        struct attach_thread *thread = &watch->threads[i];
        if (best && thread->attempts > best->attempts)
            continue;
        const int rated = rate(watch, thread);
        if (rated && (!best || thread->attempts < best->attempts || rated > best_rate)) {
            best = thread;
            best_rate = rated;
        }
    }
    if (best)
        best->attempts++;
    return best;
}

static void explain(struct attach_watch *watch)
{
    char *reason = watch->process->reason;
    if (!attach_process_exists(watch->process)) {
        snprintf(reason, ATTACH_REASON_BYTES, "it ended in the meantime");
        return;
    }
    if (watch->count && watch->threads[0].state == 'T') {
        snprintf(reason, ATTACH_REASON_BYTES, "it is stopped: continue it first (kill -CONT %d)",
                 (int)watch->process->pid);
        return;
    }
    size_t waiting = 0;
    while (waiting < watch->count && watch->threads[waiting].call < 0)
        waiting++;
    if (waiting == watch->count)
        snprintf(reason, ATTACH_REASON_BYTES,
                 "none of its threads reached a point where it can be interrupted within %d s",
                 LIMIT_MS / 1000);
    else
        snprintf(reason, ATTACH_REASON_BYTES,
                 "its threads wait where an interruption would show, such as thread %d in system "
                 "call %ld%s: try again while it works",
                 (int)watch->threads[waiting].number, watch->threads[waiting].call,
                 attach_thread_wait(watch->process, watch->threads[waiting].number,
                                    watch->threads[waiting].call, watch->threads[waiting].arguments,
                                    watch->threads[waiting].stack_pointer) == ATTACH_WAIT_TIMED
                     ? " with a timeout"
                     : "");
}

void attach_watch_begin(struct attach_watch *watch, struct attach_process *process)
{
    *watch = (struct attach_watch){.process = process, .begin_ns = clock_monotonic_ns()};
    look(watch);
}

void attach_watch_end(struct attach_watch *watch)
{
    free(watch->threads);
}

struct attach_thread *attach_watch_next(struct attach_watch *watch)
{
    while (clock_monotonic_ns() - watch->begin_ns < LIMIT_MS * 1000000ull) {
        clock_pause(LOOK_US);
        if (!look(watch) || !attach_process_exists(watch->process))
            break;
        struct attach_thread *thread = choose(watch);
        if (thread)
            return thread;
    }
    explain(watch);
    return NULL;
}
