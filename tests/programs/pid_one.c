/* pid_one HOW: as process 1 of its PID namespace, records 1,000 ranges "before"; makes, without libc's fork(), a child that is
 * process 1 of another one; and records 1,000 ranges "after". HOW the child goes: exit, _exit, exec (of a program that does not
 * exist, then _exit), in memory of its own; or vfork, in its parent's. Ends with 77 where there are no namespaces. */
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

static const char *how;

static void ranges(const char *name)
{
    for (int i = 0; i < 1000; i++) {
        prof_range_push(name);
        prof_range_pop();
    }
}

static void go(void)
{
    if (!strcmp(how, "exit"))
        exit(getpid() != 1);
    if (!strcmp(how, "exec"))
        execl("/nowhere", "nowhere", (char *)NULL);
    _exit(getpid() != 1);
}

static int go_in_shared_memory(void *unused)
{
    (void)unused;
    execl("/nowhere", "nowhere", (char *)NULL);
    _exit(getpid() != 1);
}

int main(int argc, char **argv)
{
    static char stack[1 << 16] __attribute__((aligned(16)));
    int status = -1;
    pid_t child;
    how = argc > 1 ? argv[1] : "exit";
    if (getpid() != 1)
        return 2;
    ranges("before");
    if (!strcmp(how, "vfork")) {
        child = clone(go_in_shared_memory, stack + sizeof stack,
                      CLONE_VM | CLONE_VFORK | CLONE_NEWPID | SIGCHLD, NULL);
    } else {
        child = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL);
        if (child == 0)
            go();
    }
    if (child < 0)
        return 77;
    waitpid(child, &status, 0);
    ranges("after");
    printf("%d\n", status);
    return 0;
}
