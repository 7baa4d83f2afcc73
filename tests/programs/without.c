/* without CALL[,CALL] COMMAND...: runs it below a filter of system calls that lacks some: close_range, unshare, or processes
 * (those that make one; threads can be made). */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static struct sock_filter code[32];
static unsigned short size;

static void add(struct sock_filter instruction)
{
    code[size++] = instruction;
}

static void refuse(long call, int error)
{
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1));
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error));
}

static void refuse_processes(void)
{
    refuse(SYS_clone3, ENOSYS);
#ifdef SYS_fork
    refuse(SYS_fork, EPERM);
    refuse(SYS_vfork, EPERM);
#endif
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3));
    add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                     offsetof(struct seccomp_data, args[0])));
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0));
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
}

int main(int count, char **arguments)
{
    if (count < 3)
        return 1;
    add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    if (strstr(arguments[1], "close_range"))
        refuse(SYS_close_range, ENOSYS);
    if (strstr(arguments[1], "unshare"))
        refuse(SYS_unshare, EPERM);
    if (strstr(arguments[1], "processes"))
        refuse_processes(); /* last: it loads another word */
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    struct sock_fprog program = {size, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("no filter");
        return 77;
    }
    execvp(arguments[2], arguments + 2);
    perror(arguments[2]);
    return 127;
}
