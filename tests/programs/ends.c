/* ends HOW: records 1,000 ranges "before" on two threads each, then ends in that way. Where it goes
 * on (an exec that fails), 1,000 ranges "after" follow. What is executed is /bin/sh -c 'exit 9'. */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

extern char **environ;

static char *const command[] = {"sh", "-c", "exit 9", NULL};
static pthread_barrier_t recorded, never;

static void ranges(const char *name)
{
    for (int i = 0; i < 1000; i++) {
        prof_range_push(name);
        prof_range_pop();
    }
}

static void *other_thread(void *unused)
{
    ranges("before");
    pthread_barrier_wait(&recorded);
    pthread_barrier_wait(&never);
    return unused;
}

static void *exiting_thread(void *unused)
{
    (void)unused;
    exit(7);
}

static void *last_thread(void *unused)
{
    usleep(20000);
    ranges("after");
    return unused;
}

static void record_after(void)
{
    ranges("after");
}

static void exit_in_handler(int signal_number)
{
    exit(signal_number == SIGALRM ? 7 : 8);
}

static void _exit_in_handler(int signal_number)
{
    _exit(signal_number == SIGALRM ? 7 : 8);
}

/* The handler interrupts a thread that does nothing but record. */
static void record_until_signal(void (*handler)(int))
{
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = 2000}, NULL);
    for (;;) {
        prof_range_push("busy");
        prof_range_pop();
    }
}

static void fails_to_exec(void)
{
    prof_range_push("around");
    execve("/nowhere/program", command, environ);
    execvp("no-such-program-anywhere", command);
    execl("/nowhere/program", "sh", (char *)NULL);
    execv("/", command);
    perror("exec");
    prof_range_pop();
    ranges("after");
    exit(3);
}

static void end(const char *how)
{
    int sh = open("/bin/sh", O_RDONLY | O_CLOEXEC);
    if (!strcmp(how, "exit"))
        exit(7);
    if (!strcmp(how, "_exit"))
        _exit(7);
    if (!strcmp(how, "_Exit"))
        _Exit(7);
    if (!strcmp(how, "quick_exit"))
        quick_exit(7);
    if (!strcmp(how, "quick_exit_handler")) {
        at_quick_exit(record_after);
        quick_exit(7);
    }
    if (!strcmp(how, "exit_group"))
        syscall(SYS_exit_group, 7);
    if (!strcmp(how, "segv"))
        *(volatile int *)0 = 1;
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "term"))
        raise(SIGTERM);
    if (!strcmp(how, "execve"))
        execve("/bin/sh", command, environ);
    if (!strcmp(how, "execv"))
        execv("/bin/sh", command);
    if (!strcmp(how, "execvp"))
        execvp("sh", command);
    if (!strcmp(how, "execvpe"))
        execvpe("sh", command, environ);
    if (!strcmp(how, "execl"))
        execl("/bin/sh", "sh", "-c", "exit 9", (char *)NULL);
    if (!strcmp(how, "execlp"))
        execlp("sh", "sh", "-c", "exit 9", (char *)NULL);
    if (!strcmp(how, "execle"))
        execle("/bin/sh", "sh", "-c", "exit $STATUS", (char *)NULL, (char *[]){"STATUS=9", NULL});
    if (!strcmp(how, "fexecve"))
        fexecve(sh, command, environ);
    if (!strcmp(how, "execveat"))
        execveat(sh, "", command, environ, AT_EMPTY_PATH);
    if (!strcmp(how, "daemon"))
        _exit(daemon(1, 1)); /* the child; the parent has ended in there */
    if (!strcmp(how, "exec_fails"))
        fails_to_exec();
    if (!strcmp(how, "exit_in_handler"))
        record_until_signal(exit_in_handler);
    if (!strcmp(how, "_exit_in_handler"))
        record_until_signal(_exit_in_handler);
}

static void start(void *(*run)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_detach(thread);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "exit";
    bool alone = !strcmp(how, "main_leaves");
    pthread_barrier_init(&recorded, NULL, 2);
    pthread_barrier_init(&never, NULL, 2);
    if (!alone) {
        start(other_thread);
        pthread_barrier_wait(&recorded);
    }
    ranges("before");
    if (alone || !strcmp(how, "exit_in_thread")) {
        start(alone ? last_thread : exiting_thread);
        pthread_exit(NULL);
    }
    end(how);
    return 99;
}
