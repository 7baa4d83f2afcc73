/* waits_in.c - waits for WAIT_S seconds in the system call that its argument names, within a range, and prints what that returned;
 * on stderr, whether it did not wait after all.
 * Built without optimization, so that its stack cannot be read from outside without all registers.
 */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

#define WAIT_S 15 /* a hang of 300 ms is seen meanwhile, on a slow machine too */

static char bytes[4096];
static int ends[2];

static void fill(void)
{
    while (send(ends[0], bytes, sizeof bytes, MSG_DONTWAIT) > 0)
        ;
    while (send(ends[0], bytes, 1, MSG_DONTWAIT) > 0)
        ;
}

static void open_ends(void)
{
    struct timeval limit = {WAIT_S, 0};
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

static long call_io_uring(void)
{
    struct io_uring_params parameters = {0};
    struct __kernel_timespec limit = {WAIT_S, 0};
    struct io_uring_getevents_arg argument = {.ts = (unsigned long)&limit};
    long ring = syscall(SYS_io_uring_setup, 4, &parameters);
    if (ring < 0)
        return ring;
    return syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG,
                   &argument, sizeof argument);
}

static long call_splice(void)
{
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0 || write(pipe_ends[1], bytes, sizeof bytes) < 0)
        return -1;
    return splice(pipe_ends[0], NULL, ends[0], NULL, sizeof bytes, 0);
}

static long call_futex_waitv(void)
{
    unsigned word = 0;
    struct {
        unsigned long value, address;
        unsigned flags, reserved;
    } wait = {0, (unsigned long)&word, 2, 0};
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += WAIT_S;
    return syscall(SYS_futex_waitv, &wait, 1, 0, &end, CLOCK_MONOTONIC);
}

static long call_waitid(void)
{
    siginfo_t info;
    pid_t child = fork();
    if (child == 0) {
        sleep(WAIT_S);
        _exit(0);
    }
    return waitid(P_PID, (id_t)child, &info, WEXITED);
}

static long call_semtimedop(const struct timespec *limit)
{
    struct sembuf down = {0, -1, 0};
    int id = semget(IPC_PRIVATE, 1, 0600);
    long result = semtimedop(id, &down, 1, limit);
    int error = errno;
    semctl(id, 0, IPC_RMID);
    errno = error;
    return result;
}

static long call(const char *name)
{
    struct iovec part = {bytes, sizeof bytes};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    struct mmsghdr messages = {.msg_hdr = message};
    struct epoll_event event;
    struct timespec limit = {WAIT_S, 0};
    unsigned word = 0;
    sigset_t one;
#define IS(text) (strcmp(name, text) == 0)
    if (IS("read"))
        return read(ends[0], bytes, 1);
    if (IS("readv"))
        return readv(ends[0], &part, 1);
    if (IS("recv"))
        return recv(ends[0], bytes, 1, 0);
    if (IS("recvmsg"))
        return recvmsg(ends[0], &message, 0);
    if (IS("recvmmsg"))
        return recvmmsg(ends[0], &messages, 1, 0, NULL);
    if (IS("write"))
        return write(ends[0], bytes, sizeof bytes);
    if (IS("writev"))
        return writev(ends[0], &part, 1);
    if (IS("send"))
        return send(ends[0], bytes, sizeof bytes, 0);
    if (IS("sendmmsg"))
        return sendmmsg(ends[0], &messages, 1, 0);
    if (IS("sendfile"))
        return sendfile(ends[0], open("/proc/self/exe", O_RDONLY), NULL, sizeof bytes);
    if (IS("splice"))
        return call_splice();
    if (IS("poll"))
        return poll(NULL, 0, WAIT_S * 1000);
    if (IS("select"))
        return select(0, NULL, NULL, NULL, &(struct timeval){WAIT_S, 0});
    if (IS("epoll_wait"))
        return epoll_wait(epoll_create1(0), &event, 1, WAIT_S * 1000);
    if (IS("epoll_pwait2"))
        return syscall(SYS_epoll_pwait2, epoll_create1(0), &event, 1, &limit, NULL, 8);
    if (IS("io_uring_enter"))
        return call_io_uring();
    if (IS("nanosleep"))
        return nanosleep(&limit, NULL);
    if (IS("futex"))
        return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &limit, NULL, 0);
    if (IS("futex_waitv"))
        return call_futex_waitv();
    if (IS("semtimedop"))
        return call_semtimedop(&limit);
    if (IS("sigtimedwait")) {
        sigemptyset(&one);
        sigaddset(&one, SIGUSR1);
        return sigtimedwait(&one, NULL, &limit);
    }
    if (IS("waitid"))
        return call_waitid();
    return -2;
}

static long call_deeply(const char *name, int depth)
{
    volatile char room[100];
    room[0] = (char)depth;
    return depth ? call_deeply(name, depth - 1) + (room[0] != depth) : call(name);
}

int main(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "";
    open_ends();
    if (*name == 's' || *name == 'w')
        fill();
    prof_range_push("waiting");
    time_t begin = time(NULL);
    errno = 0;
    long result = call_deeply(name, 5);
    int error = errno;
    prof_range_pop();
    if (time(NULL) - begin < WAIT_S - 1)
        fputs("it did not wait\n", stderr);
    printf("%s: %ld, %s\n", name, result, error ? strerror(error) : "no error");
    return 0;
}
