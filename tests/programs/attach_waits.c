/* attach_waits CALL - waits once in a system call and prints how that ended: what profrun --attach must not change. "begun" is
 * printed before. A call with a timeout waits for WAIT_S; one without is ended after as long, by a thread or by another process. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef WAIT_S
#define WAIT_S 4
#endif
enum { LATE_S = 2, BYTES = 4096 };

static int ends[2]; /* a connection that is full in one direction; what is received times out */
static char bytes[BYTES];
static struct iovec part = {bytes, BYTES};
static struct timespec timeout = {WAIT_S, 0};

static void fill(void)
{
    const struct timeval limit = {WAIT_S, 0};
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    for (size_t size = BYTES; size; size /= 2)
        while (send(ends[0], bytes, size, MSG_DONTWAIT) > 0) {
        }
}

static void say_begun(void)
{
    puts("begun");
    fflush(stdout);
}

/* Runs `end` after the wait, in a child: the program has one thread. */
static void end_later(void (*end)(int), int fd)
{
    if (fork() == 0) {
        const struct timespec pause = {WAIT_S, 0};
        nanosleep(&pause, NULL);
        end(fd);
        _exit(0);
    }
}

static void write_later(int fd)
{
    const uint64_t one = 1;
    _exit(write(fd, &one, sizeof one) != sizeof one);
}

static void signal_parent(int number)
{
    kill(getppid(), number);
}

static void ignore(int number)
{
    (void)number;
}

/* ---- what sends ---- */

static long wait_send(void)
{
    return send(ends[0], bytes, BYTES, 0);
}

static long wait_write(void)
{
    return write(ends[0], bytes, BYTES);
}

static long wait_writev(void)
{
    return writev(ends[0], &part, 1);
}

static long wait_sendmsg(void)
{
    const struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    return sendmsg(ends[0], &message, 0);
}

static long wait_sendmmsg(void)
{
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
    return sendmmsg(ends[0], &message, 1, 0);
}

static long wait_sendfile(void)
{
    return sendfile(ends[0], open("/proc/self/exe", O_RDONLY), NULL, BYTES);
}

static long wait_splice(void)
{
    int pipes[2];
    if (pipe(pipes) != 0 || write(pipes[1], bytes, BYTES) != BYTES)
        return -2;
    return splice(pipes[0], NULL, ends[0], NULL, BYTES, 0);
}

static long wait_connect(void)
{
    const struct timeval limit = {WAIT_S, 0};
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t size = sizeof name;
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    bind(listener, (struct sockaddr *)&name, sizeof(sa_family_t)); /* the kernel chooses a name */
    listen(listener, 0);
    getsockname(listener, (struct sockaddr *)&name, &size);
    const int first = socket(AF_UNIX, SOCK_STREAM, 0), second = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(first, (struct sockaddr *)&name, size) != 0)
        return -2;
    setsockopt(second, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    return connect(second, (struct sockaddr *)&name, size);
}

/* ---- what receives ---- */

static long wait_recv(void)
{
    return recv(ends[0], bytes, 1, 0);
}

static long wait_recv_all(void)
{
    const struct timeval none = {0, 0};
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
    if (send(ends[1], bytes, 4, 0) != 4)
        return -2;
    end_later(write_later, ends[1]);
    return recv(ends[0], bytes, 12, MSG_WAITALL);
}

static long wait_recv_patient(void)
{
    const struct timeval none = {0, 0};
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
    end_later(write_later, ends[1]);
    return recv(ends[0], bytes, BYTES, 0);
}

static long wait_read_pipe(void)
{
    int pipes[2];
    if (pipe(pipes) != 0)
        return -2;
    end_later(write_later, pipes[1]);
    return read(pipes[0], bytes, BYTES);
}

static long wait_read_event(void)
{
    const int event = eventfd(0, 0);
    end_later(write_later, event);
    return read(event, bytes, BYTES);
}

/* ---- what waits for several, for time, for others ---- */

static long wait_epoll(void)
{
    struct epoll_event event;
    return epoll_wait(epoll_create1(0), &event, 1, WAIT_S * 1000);
}

static long wait_epoll_endless(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    const int poll = epoll_create1(0), ready = eventfd(0, 0);
    epoll_ctl(poll, EPOLL_CTL_ADD, ready, &event);
    end_later(write_later, ready);
    return epoll_wait(poll, &event, 1, -1);
}

static long wait_poll(void)
{
    return poll(NULL, 0, WAIT_S * 1000);
}

static long wait_ppoll(void)
{
    return ppoll(NULL, 0, &timeout, NULL);
}

/* The kernel cannot store there what is left. */
static long wait_ppoll_constant(void)
{
    static const struct timespec constant = {WAIT_S, 0};
    return syscall(SYS_ppoll, NULL, 0, &constant, NULL, 8);
}

static long wait_select(void)
{
    struct timeval limit = {WAIT_S, 0};
    return select(0, NULL, NULL, NULL, &limit);
}

static long wait_nanosleep(void)
{
    struct timespec left = {1234, 5678};
    const long result = nanosleep(&timeout, &left);
    return left.tv_sec == 1234 && left.tv_nsec == 5678 ? result : -3;
}

static long wait_until(void)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += WAIT_S;
    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
}

static long wait_futex(void)
{
    static uint32_t word;
    return syscall(SYS_futex, &word, 0 /* FUTEX_WAIT */, 0, &timeout, NULL, 0);
}

static long wait_semtimedop(void)
{
    struct sembuf take = {0, -1, 0};
    const int semaphores = semget(IPC_PRIVATE, 1, 0600);
    const long result = semtimedop(semaphores, &take, 1, &timeout);
    const int error = errno;
    semctl(semaphores, 0, IPC_RMID);
    errno = error;
    return result;
}

static long wait_sigtimedwait(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return sigtimedwait(&set, NULL, &timeout);
}

static long wait_pause(void)
{
    const struct sigaction action = {.sa_handler = ignore};
    sigaction(SIGUSR1, &action, NULL);
    end_later(signal_parent, SIGUSR1);
    return pause();
}

static long wait_child(void)
{
    end_later(ignore, 0);
    return wait(NULL) > 0;
}

struct call {
    const char *name;
    long (*wait)(void);
};

static const struct call calls[] = {{"send", wait_send},
                                    {"write", wait_write},
                                    {"writev", wait_writev},
                                    {"sendmsg", wait_sendmsg},
                                    {"sendmmsg", wait_sendmmsg},
                                    {"sendfile", wait_sendfile},
                                    {"splice", wait_splice},
                                    {"connect", wait_connect},
                                    {"recv", wait_recv},
                                    {"recv_all", wait_recv_all},
                                    {"recv_patient", wait_recv_patient},
                                    {"read_pipe", wait_read_pipe},
                                    {"read_event", wait_read_event},
                                    {"epoll", wait_epoll},
                                    {"epoll_endless", wait_epoll_endless},
                                    {"poll", wait_poll},
                                    {"ppoll", wait_ppoll},
                                    {"ppoll_constant", wait_ppoll_constant},
                                    {"select", wait_select},
                                    {"nanosleep", wait_nanosleep},
                                    {"until", wait_until},
                                    {"futex", wait_futex},
                                    {"semtimedop", wait_semtimedop},
                                    {"sigtimedwait", wait_sigtimedwait},
                                    {"pause", wait_pause},
                                    {"child", wait_child}};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof calls / sizeof *calls; i++) {
        struct timespec begin, end;
        if (strcmp(argv[1], calls[i].name) != 0)
            continue;
        fill();
        say_begun();
        clock_gettime(CLOCK_MONOTONIC, &begin);
        errno = 0;
        const long result = calls[i].wait();
        const int error = result < 0 ? errno : 0;
        clock_gettime(CLOCK_MONOTONIC, &end);
        const double seconds =
            (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
        printf("%ld, errno %d, %s\n", result, error,
               seconds < WAIT_S - 0.1      ? "too early"
               : seconds > WAIT_S + LATE_S ? "too late"
                                           : "in time");
        return 0;
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        puts(calls[i].name);
    return 2;
}
