/* spaces clone: a child made by clone() alone, without libc's fork(), asks for what is refused, and its only thread ends
 * without the process's end being asked for. Its parent has asked before.
 *
 * spaces user|pid N: records N ranges "range", enters a user or a PID namespace, and records as many again. Then, of a
 * PID namespace, its child must be the first process. Ends with 77 where the namespace cannot be had without the
 * library either. */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void ranges(long count)
{
    for (long i = 0; i < count; i++) {
        prof_range_push("range");
        prof_range_pop();
    }
}

static int cloned(void)
{
    int status = -1;
    unshare(1);
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        unshare(1);
        syscall(SYS_exit, 0);
    }
    alarm(60);
    waitpid(child, &status, 0);
    puts("done");
    return status;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "clone"))
        return cloned();
    int status = 0;
    int flag = argc > 1 && !strcmp(argv[1], "user") ? CLONE_NEWUSER : CLONE_NEWPID;
    long count = argc > 2 ? atol(argv[2]) : 1000;
    ranges(count);
    if (unshare(flag) != 0) {
        perror("unshare");
        return 77;
    }
    ranges(count);
    pid_t child = flag == CLONE_NEWPID ? fork() : 0;
    if (child < 0) {
        perror("fork");
        return 1;
    }
    if (child == 0 && flag == CLONE_NEWPID)
        _exit(getpid() == 1 ? 0 : 2);
    if (child > 0)
        waitpid(child, &status, 0);
    puts("done");
    return WEXITSTATUS(status);
}
