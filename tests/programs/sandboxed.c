/* sandboxed [records] HOW END...: goes into a sandbox and does what is allowed there; exits with 5.
 *
 * HOW  strict    seccomp's strict mode: read, write, exit and rt_sigreturn; no counter of the processor's
 *      prctl     a filter by prctl(), that kills the process for all but what ENDs below need
 *      syscall   the same by libc's syscall()
 *      raw       the same without libc: nobody can stand before it
 *      errno     the same by prctl(), but what is not allowed fails with EPERM
 *      thread    the same by prctl(), but what is not allowed ends the calling thread alone
 *      trap      the same by prctl(), but what is not allowed raises SIGSYS, whose handler says so
 *      raw_errno raw_thread raw_trap
 *      tsc       no sandbox: reading the processor's counter raises SIGSEGV
 *      probe     asks whether there are filters at all
 * END  push step forbidden fork forkpush vfork exec noexec, in any order; last return, _exit, quick_exit or SYS_exit
 */
#define _GNU_SOURCE
#include "raw_seccomp.h"

#include <prof/prof.h>

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS 5

/* ---- the filter ---- */

/* What the program itself does below, by itself and within libc. */
static const int allowed[] = {
    SYS_read,           SYS_write,  SYS_exit,  SYS_exit_group,      SYS_rt_sigreturn,
    SYS_clone,          SYS_clone3, SYS_wait4, SYS_set_robust_list, SYS_execve,
#ifdef SYS_vfork
    SYS_fork,           SYS_vfork,
#endif
#if __GLIBC_PREREQ(2, 41) /* its fork() blocks signals */
    SYS_rt_sigprocmask,
#endif
};
#define ALLOWED (sizeof allowed / sizeof *allowed)

static struct sock_filter instructions[2 * ALLOWED + 2];

static struct sock_fprog filter(uint32_t otherwise)
{
    struct sock_filter *next = instructions;
    *next++ =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < ALLOWED; i++) {
        *next++ =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[i], 0, 1);
        *next++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    *next++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, otherwise);
    return (struct sock_fprog){.len = (unsigned short)(next - instructions),
                               .filter = instructions};
}

/* ---- into it ---- */

static void say(const char *text)
{
    ssize_t ignored = write(1, text, strlen(text));
    (void)ignored;
}

static void trapped(int number)
{
    (void)number;
    say("SIGSYS\n");
}

static uint32_t otherwise(const char *how)
{
    if (strstr(how, "errno"))
        return SECCOMP_RET_ERRNO | EPERM;
    if (!strstr(how, "trap"))
        return SECCOMP_RET_KILL_PROCESS;
    signal(SIGSYS, trapped);
    return SECCOMP_RET_TRAP;
}

static int enter(const char *how)
{
    struct sock_fprog program = filter(otherwise(how));
    if (!strcmp(how, "strict"))
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
#ifdef __x86_64__
    if (!strcmp(how, "tsc"))
        return prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
#endif
    if (!strcmp(how, "probe"))
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == -1 && errno == EFAULT ? 0 : -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    if (!strncmp(how, "raw", 3))
        return (int)raw_seccomp(SECCOMP_SET_MODE_FILTER, 0, &program);
    if (!strcmp(how, "syscall"))
        return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* ---- within ---- */

static void ranges(const char *name, int count)
{
    for (int i = 0; i < count; i++) {
        prof_range_push(name);
        prof_range_pop();
    }
}

static void await(pid_t child, int wanted)
{
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != wanted)
        say("the child did not end well\n");
}

static char *const no_environment[] = {NULL};

static void execute(void)
{
    char *const argv[] = {(char *)(uintptr_t) "./nothing", NULL};
    execve("./nothing", argv, no_environment);
    _exit(99);
}

static void act(const char *what)
{
    say(what);
    say("\n");
    if (!strcmp(what, "push")) {
        ranges("within", 1000);
    } else if (!strcmp(what, "step")) {
        prof_step();
        prof_mark("within");
    } else if (!strcmp(what, "fork") || !strcmp(what, "forkpush")) {
        pid_t child = fork();
        if (child == 0) {
            ranges("child", !strcmp(what, "forkpush") ? 10 : 0);
            _exit(7);
        }
        await(child, 7);
    } else if (!strcmp(what, "forbidden")) {
        syscall(SYS_getppid);
    } else if (!strcmp(what, "vfork")) {
        pid_t child = vfork();
        if (child == 0)
            execute();
        await(child, 3);
    } else if (!strcmp(what, "exec")) {
        pid_t child = fork();
        if (child == 0)
            execute();
        await(child, 3);
    } else if (!strcmp(what, "noexec")) {
        char *const argv[] = {(char *)(uintptr_t) "/nonexistent/program", NULL};
        execve(argv[0], argv, no_environment);
    } else if (!strcmp(what, "_exit")) {
        _exit(STATUS);
    } else if (!strcmp(what, "quick_exit")) {
        quick_exit(STATUS);
    } else if (!strcmp(what, "SYS_exit")) {
        syscall(SYS_exit, STATUS);
    }
}

int main(int argc, char **argv)
{
    int at = 1;
    if (argc > 1 && !strcmp(argv[1], "records")) {
        ranges("before", 1000);
        at++;
    }
    if (at >= argc)
        return 2;
    if (enter(argv[at]) != 0) {
        perror("seccomp");
        return 77;
    }
    while (++at < argc)
        act(argv[at]);
    return STATUS;
}
