/* What PROF_SAMPLE is tried on: each mode prints what it knows of itself. */
#include "prof/prof.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* 0.1 ms or so. */
static void __attribute__((noinline)) work(void)
{
    for (unsigned long i = 0; i < 100000; i++)
        sink += i ^ (sink >> 3);
}

/* The code must differ, or compilers make one function of all. */
#define USES_CPU(function, key)                                \
    static double __attribute__((noinline)) function(double s) \
    {                                                          \
        double began = cpu_s();                                \
        for (sink += (key); cpu_s() < began + s;)              \
            work();                                            \
        return cpu_s() - began;                                \
    }
USES_CPU(slow_decode, 1)
USES_CPU(fast_part, 2)
USES_CPU(in_child, 3)

static void __attribute__((noinline)) wait_for_data(unsigned ms)
{
    usleep(ms * 1000);
    __asm__ volatile("" ::: "memory");
}

/* What each function used, in us. */
static void ratio(unsigned rounds)
{
    double slow = 0, fast = 0;
    for (unsigned i = 0; i < rounds; i++) {
        slow += slow_decode(0.15);
        fast += fast_part(0.05);
    }
    printf("%.0f %.0f\n", slow * 1e6, fast * 1e6);
}

static void *short_thread(void *argument)
{
    (void)argument;
    slow_decode(0.06);
    return NULL;
}

static void threads(unsigned waves)
{
    pthread_t each[4];
    for (unsigned wave = 0; wave < waves; wave++) {
        for (int i = 0; i < 4; i++)
            pthread_create(&each[i], NULL, short_thread, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(each[i], NULL);
    }
}

static void *no_work(void *argument)
{
    return argument;
}

/* Most threads have ended before the sampler has looked at them. */
static void storm(unsigned waves)
{
    pthread_t each[16];
    for (unsigned wave = 0; wave < waves; wave++) {
        for (int i = 0; i < 16; i++)
            if (pthread_create(&each[i], NULL, no_work, NULL) != 0)
                exit(1);
        for (int i = 0; i < 16; i++)
            pthread_join(each[i], NULL);
    }
}

static int forks(void)
{
    int status;
    slow_decode(0.2);
    pid_t child = fork();
    if (child == 0) {
        prof_range_push("child");
        in_child(0.3);
        prof_range_pop();
        exit(0);
    }
    slow_decode(0.2);
    waitpid(child, &status, 0);
    printf("%d\n", (int)child);
    return status;
}

static volatile int profiled;

static void on_prof(int number)
{
    (void)number;
    profiled++;
}

/* The program's own profiler goes on. */
static int sigprof(void)
{
    struct itimerval period = {{0, 5000}, {0, 5000}}, none = {0};
    struct sigaction own = {.sa_handler = on_prof, .sa_flags = SA_RESTART}, now;
    sigaction(SIGPROF, &own, NULL);
    setitimer(ITIMER_PROF, &period, NULL);
    slow_decode(0.5);
    setitimer(ITIMER_PROF, &none, NULL);
    sigaction(SIGPROF, NULL, &now);
    return profiled > 10 && now.sa_handler == on_prof ? 0 : 1;
}

static volatile int strange;

static void on_any(int number)
{
    (void)number;
    strange++;
}

/* All real-time signals have handlers of the program's. */
static int taken(void)
{
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        signal(number, on_any);
    prof_mark("begins");
    slow_decode(0.4);
    return strange;
}

/* The same later. */
static int taken_later(void)
{
    slow_decode(0.3);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        signal(number, on_any);
    slow_decode(1.0);
    return strange;
}

/* Fetches any signal that is pending. */
static int waiter(void)
{
    sigset_t all;
    int fetched = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    prof_mark("begins");
    for (int i = 0; i < 20; i++) {
        slow_decode(0.03);
        fetched += sigtimedwait(&all, NULL, &(struct timespec){0}) > 0;
    }
    return fetched;
}

static int no_timers(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_SIGPENDING, &none);
    prof_mark("begins");
    slow_decode(0.3);
    wait_for_data(300);
    return 0;
}

/* Any system call but four ends the process. */
static void strict(void)
{
    slow_decode(0.2);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    for (int i = 0; i < 3000; i++)
        work();
    syscall(SYS_exit, 5);
}

static void ring(void)
{
    double end = cpu_s() + 1;
    while (cpu_s() < end)
        for (int i = 0; i < 1000; i++) {
            prof_range_push("filler");
            prof_range_pop();
        }
    slow_decode(0.3);
}

/* Until it is killed; not beyond the test, if that ends before. */
static void forever(void)
{
    alarm(120);
    for (;;)
        slow_decode(1);
}

/* In turn, steps that use 150 ms of CPU time and steps that wait. Prints the CPU time of each in us. */
static void steps(unsigned number, unsigned wait_ms)
{
    for (unsigned i = 0; i < number; i++) {
        double used = 0;
        prof_step_at(i);
        if (i % 2 == 0)
            used = slow_decode(0.15);
        else
            wait_for_data(wait_ms);
        printf("%.0f\n", used * 1e6);
    }
}

int main(int count, char **arguments)
{
    const char *mode = count > 1 ? arguments[1] : "";
    unsigned number = count > 2 ? (unsigned)atoi(arguments[2]) : 10;
    int status = 0;
    if (strcmp(mode, "taken") != 0 && strcmp(mode, "waiter") != 0 && strcmp(mode, "no_timers") != 0)
        prof_range_push("main");
    if (strcmp(mode, "ratio") == 0)
        ratio(number);
    else if (strcmp(mode, "steps") == 0)
        steps(number, count > 3 ? (unsigned)atoi(arguments[3]) : 150);
    else if (strcmp(mode, "threads") == 0)
        threads(number);
    else if (strcmp(mode, "storm") == 0)
        storm(number);
    else if (strcmp(mode, "forks") == 0)
        status = forks();
    else if (strcmp(mode, "exec") == 0 && slow_decode(0.2) > 0)
        execl(arguments[0], arguments[0], "ratio", "2", NULL);
    else if (strcmp(mode, "sigprof") == 0)
        status = sigprof();
    else if (strcmp(mode, "taken") == 0)
        status = taken();
    else if (strcmp(mode, "taken_later") == 0)
        status = taken_later();
    else if (strcmp(mode, "waiter") == 0)
        status = waiter();
    else if (strcmp(mode, "no_timers") == 0)
        status = no_timers();
    else if (strcmp(mode, "strict") == 0)
        strict();
    else if (strcmp(mode, "ring") == 0)
        ring();
    else if (strcmp(mode, "waits") == 0)
        wait_for_data(number);
    else if (strcmp(mode, "forever") == 0)
        forever();
    prof_range_pop();
    return status;
}
