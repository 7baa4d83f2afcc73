/* all_signals.c - does to all signals what programs do to them, while it computes and waits, and counts what reaches it that no
 * one sent. Its argument says what:
 *
 *     reset    sets each to its default, as daemons do
 *     handle   handles each
 *     ignore   ignores each
 *     direct   sets each to its default by the system call itself; then, samples of threads that run end
 *     await    blocks all and fetches what is pending: with sigtimedwait(), with signalfd(), with sigpending()
 *     unblock  blocks all, but for the time of ppoll() and pselect()
 *     calls    makes system calls that any signal would end or cut short
 *     user     has glibc change the group of all threads, again and again, which uses a signal of its own
 *     cancel   cancels threads, which does so, too
 *
 * Prints the count. Before: compute_before(); after: compute_after().
 */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;
static volatile int arrived;

static double now_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The code must differ, or compilers make one function of all. */
#define COMPUTES(function, key)                                    \
    static void __attribute__((noinline)) function(double s)       \
    {                                                              \
        double end = now_s(CLOCK_THREAD_CPUTIME_ID) + s;           \
        for (sink += (key); now_s(CLOCK_THREAD_CPUTIME_ID) < end;) \
            for (int i = 0; i < 10000; i++)                        \
                sink += (unsigned long)i ^ (sink >> 3);            \
    }
COMPUTES(compute_before, 1)
COMPUTES(compute_after, 2)
COMPUTES(compute, 3)

static void on_any(int number)
{
    (void)number;
    arrived++;
}

static int is_usable(int number)
{
    return number != SIGKILL && number != SIGSTOP;
}

static void set_all(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    for (int number = 1; number <= SIGRTMAX; number++)
        if (is_usable(number))
            sigaction(number, &action, NULL); /* fails for glibc's own */
}

static void set_all_directly(void)
{
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        unsigned long mask;
    } action = {0};
    for (int number = 1; number <= SIGRTMAX; number++)
        if (is_usable(number))
            syscall(SYS_rt_sigaction, number, &action, NULL, sizeof action.mask);
}

/* ---- fetching ---- */

static sigset_t block_all(void)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    return all;
}

static void await_all(void)
{
    sigset_t all = block_all(), pending;
    int descriptor = signalfd(-1, &all, SFD_NONBLOCK);
    struct signalfd_siginfo info;
    for (int i = 0; i < 40; i++) {
        compute(0.02);
        sigpending(&pending);
        for (int number = 1; number <= SIGRTMAX; number++)
            arrived += sigismember(&pending, number) == 1;
        arrived += sigtimedwait(&all, NULL, &(struct timespec){0}) > 0;
        arrived += read(descriptor, &info, sizeof info) > 0;
    }
}

static void unblock_for_a_moment(void)
{
    sigset_t none;
    struct timespec moment = {0, 100000};
    block_all();
    sigemptyset(&none);
    for (int i = 0; i < 40; i++) {
        compute(0.02);
        arrived += ppoll(NULL, 0, &moment, &none) != 0;
        arrived += pselect(0, NULL, NULL, NULL, &moment, &none) != 0;
    }
}

/* ---- system calls ---- */

static void *drain(void *pipe_end)
{
    static char bytes[65536];
    while (read(*(int *)pipe_end, bytes, sizeof bytes) > 0)
        ;
    return NULL;
}

/* What each would be without a signal is 0. */
static void call_all(void)
{
    static char bytes[1 << 20];
    int ends[2], epoll = epoll_create1(0);
    struct epoll_event event;
    struct timespec moment = {0, 1000}, until;
    sem_t semaphore;
    pthread_t reader;
    double end = now_s(CLOCK_MONOTONIC) + 4;
    sem_init(&semaphore, 0, 0);
    if (pipe(ends) != 0 || pthread_create(&reader, NULL, drain, &ends[0]) != 0)
        exit(77);
    while (now_s(CLOCK_MONOTONIC) < end) {
        for (int i = 0; i < 3000; i++)
            sink += (unsigned long)i;
        arrived += nanosleep(&moment, NULL) != 0;
        arrived += poll(NULL, 0, 0) != 0;
        arrived += ppoll(NULL, 0, &moment, NULL) != 0;
        arrived += select(0, NULL, NULL, NULL, &(struct timeval){0, 1}) != 0;
        arrived += epoll_wait(epoll, &event, 1, 0) != 0;
        clock_gettime(CLOCK_REALTIME, &until);
        arrived += sem_timedwait(&semaphore, &until) != -1 || errno != ETIMEDOUT;
        arrived += write(ends[1], bytes, sizeof bytes) != sizeof bytes;
    }
}

/* ---- what glibc uses its signals for ---- */

static volatile int must_end;

static void *compute_until_end(void *unused)
{
    while (!must_end)
        compute(0.001);
    return unused;
}

static void *sleep_until_end(void *unused)
{
    while (!must_end)
        usleep(100);
    return unused;
}

/* The saved group: "Gid: real effective saved file". */
static int saved_group(const char *tid)
{
    char path[512], line[256];
    int group = -1;
    snprintf(path, sizeof path, "/proc/self/task/%s/status", tid);
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "Gid: %*d %*d %d", &group);
    if (status)
        fclose(status);
    return group;
}

static int all_have_group(int wanted)
{
    int differing = 0;
    struct dirent *entry;
    DIR *tasks = opendir("/proc/self/task");
    while (tasks && (entry = readdir(tasks)))
        differing += *entry->d_name != '.' && saved_group(entry->d_name) != wanted;
    if (tasks)
        closedir(tasks);
    return !differing;
}

/* Root alone may change the group; anybody may set what it is already, which goes the same way. */
static void change_user(void)
{
    pthread_t threads[4];
    gid_t own = getgid();
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i % 2 ? compute_until_end : sleep_until_end, NULL);
    for (int i = 0; i < 300; i++) {
        gid_t wanted = geteuid() == 0 ? (gid_t)(1000 + i % 7) : own;
        arrived += setresgid((gid_t)-1, (gid_t)-1, wanted) != 0;
        arrived += !all_have_group((int)wanted);
    }
    must_end = 1;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void *be_cancelled(void *kind)
{
    pthread_setcanceltype(kind ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, NULL);
    for (;;)
        if (kind)
            sink++;
        else
            usleep(100);
    return NULL;
}

static void cancel_threads(void)
{
    for (int i = 0; i < 200; i++) {
        pthread_t thread;
        void *result = NULL;
        pthread_create(&thread, NULL, be_cancelled, (void *)(long)(i % 2));
        compute(0.002);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        arrived += result != PTHREAD_CANCELED;
    }
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_lock(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(int count, char **arguments)
{
    const char *mode = count > 1 ? arguments[1] : "";
    pthread_t waiter;
    prof_range_push("main");
    pthread_mutex_lock(&lock);
    pthread_create(&waiter, NULL, wait_for_lock, NULL);
    compute_before(0.6);
    prof_mark("changes");
    if (strcmp(mode, "reset") == 0)
        set_all(SIG_DFL);
    else if (strcmp(mode, "handle") == 0)
        set_all(on_any);
    else if (strcmp(mode, "ignore") == 0)
        set_all(SIG_IGN);
    else if (strcmp(mode, "direct") == 0)
        set_all_directly();
    else if (strcmp(mode, "await") == 0)
        await_all();
    else if (strcmp(mode, "unblock") == 0)
        unblock_for_a_moment();
    else if (strcmp(mode, "calls") == 0)
        call_all();
    else if (strcmp(mode, "user") == 0)
        change_user();
    else if (strcmp(mode, "cancel") == 0)
        cancel_threads();
    compute_after(0.6);
    pthread_mutex_unlock(&lock);
    pthread_join(waiter, NULL);
    prof_range_pop();
    printf("%d\n", arrived);
    return 0;
}
