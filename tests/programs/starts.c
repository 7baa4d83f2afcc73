/* starts.c - does something before its first range, or without any. Its argument says what:
 *
 *     compute CPU_MS      uses CPU time in loading()
 *     meet MS             waits in meeting(), uses hardly any
 *     late CPU_MS         loading(), then a range
 *     child CPU_MS        a forked child computes in in_child() and records nothing; prints its number
 *     daemon CPU_MS       loading() after daemon(); the file "done" has its number at the end
 *     stuck [THREADS]     waits for a mutex that it holds, beside so many threads that wait, too
 *     fork_stuck          so does a forked child, while its parent waits for it, for two seconds
 *     ends_at US [HOW]    after so long a time; HOW: _exit, exec (of "true"), quick_exit
 *     fails_at US         calls exec so late, which fails, and goes on for 300 ms
 *     environment CPU_MS  changes its environment all the time
 *     leave               the main thread leaves by pthread_exit(), another one ends later
 *     strict              allows itself four system calls, and ends with status 5
 *     unshare             asks for what the kernel refuses to a process of several threads; prints whether that worked
 */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static double now_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The code must differ, or compilers make one function of all. */
#define COMPUTES(function, key)                                         \
    static void __attribute__((noinline)) function(long ms)             \
    {                                                                   \
        double end = now_s(CLOCK_THREAD_CPUTIME_ID) + (double)ms / 1e3; \
        for (sink += (key); now_s(CLOCK_THREAD_CPUTIME_ID) < end;)      \
            for (int i = 0; i < 10000; i++)                             \
                sink += (unsigned long)i ^ (sink >> 3);                 \
    }
COMPUTES(loading, 1)
COMPUTES(serving, 2)
COMPUTES(in_child, 3)

static void __attribute__((noinline)) meeting(long ms)
{
    usleep((unsigned)ms * 1000);
    __asm__ volatile("" ::: "memory");
}

static int fork_and_compute(long ms)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        in_child(ms);
        _exit(0);
    }
    printf("%d\n", (int)child);
    return waitpid(child, &status, 0) == child ? status : 1;
}

static void become_daemon(long ms)
{
    if (daemon(1, 1) != 0)
        return;
    loading(ms);
    FILE *done = fopen("done.new", "w");
    fprintf(done, "%d\n", (int)getpid());
    fclose(done);
    rename("done.new", "done");
}

static void __attribute__((noinline)) stuck(void)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    __asm__ volatile("" ::: "memory");
}

static void *wait_on(void *unused)
{
    pause();
    return unused;
}

static void stuck_beside(long threads)
{
    pthread_t thread;
    while (threads-- > 0)
        pthread_create(&thread, NULL, wait_on, NULL);
    stuck();
}

static void fork_stuck(void)
{
    pid_t child = fork();
    if (child == 0)
        stuck();
    sleep(2);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void end_at(long us, const char *how)
{
    usleep((unsigned)us);
    if (strcmp(how, "exec") == 0)
        execlp("true", "true", NULL);
    else if (strcmp(how, "quick_exit") == 0)
        quick_exit(0);
    else if (strcmp(how, "_exit") == 0)
        _exit(0);
}

static void fail_at(long us)
{
    usleep((unsigned)us);
    execl("/nowhere", "nowhere", NULL);
    loading(300);
}

static void change_environment(long ms)
{
    double end = now_s(CLOCK_THREAD_CPUTIME_ID) + (double)ms / 1e3;
    for (unsigned i = 0; now_s(CLOCK_THREAD_CPUTIME_ID) < end; i++) {
        char name[32], *value = malloc(4096);
        snprintf(name, sizeof name, "V%u", i % 3000);
        memset(value, 'x', 4095);
        value[4095] = '\0';
        setenv(name, value, 1);
        free(value);
        if (i % 2000 == 1999)
            clearenv();
    }
}

static void *end_later(void *unused)
{
    usleep(400000);
    return unused;
}

static void leave(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, end_later, NULL);
    pthread_exit(NULL);
}

static void enter_sandbox(void)
{
    meeting(300);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    for (int i = 0; i < 100000; i++)
        sink += (unsigned long)i;
    syscall(SYS_exit, 5);
}

static void ask_for_user_space(void)
{
    meeting(50);
    puts(unshare(CLONE_NEWUSER) == 0 ? "worked" : strerror(errno));
}

int main(int count, char **arguments)
{
    const char *mode = count > 1 ? arguments[1] : "";
    long number = count > 2 ? atol(arguments[2]) : 0;
    if (strcmp(mode, "compute") == 0)
        loading(number);
    else if (strcmp(mode, "meet") == 0)
        meeting(number);
    else if (strcmp(mode, "child") == 0)
        return fork_and_compute(number);
    else if (strcmp(mode, "daemon") == 0)
        become_daemon(number);
    else if (strcmp(mode, "stuck") == 0)
        stuck_beside(number);
    else if (strcmp(mode, "fork_stuck") == 0)
        fork_stuck();
    else if (strcmp(mode, "ends_at") == 0)
        end_at(number, count > 3 ? arguments[3] : "");
    else if (strcmp(mode, "fails_at") == 0)
        fail_at(number);
    else if (strcmp(mode, "environment") == 0)
        change_environment(number);
    else if (strcmp(mode, "leave") == 0)
        leave();
    else if (strcmp(mode, "strict") == 0)
        enter_sandbox();
    else if (strcmp(mode, "unshare") == 0)
        ask_for_user_space();
    if (strcmp(mode, "late") == 0) {
        loading(number);
        prof_range_push("serve");
        serving(number);
        prof_range_pop();
    }
    return 0;
}
