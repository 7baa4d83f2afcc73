/* faults PATH list, faults PATH SYSCALL ERROR FIRST TIMES: records a known number of events, while the system calls of
 * one kind fail from the FIRST on, so many TIMES; ERROR 0 makes writes short instead. `list` lets all pass. PATH gets a
 * line "number count" for each kind of call that was seen. x86-64 only: the tracer changes registers. */
#define _GNU_SOURCE
#include "raw_seccomp.h"

#include <prof/prof.h>

#include <errno.h>
#include <linux/filter.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 2
#define PAIRS 30000 /* of each thread: several chunks, so that the file grows */
#define CALLS 1024

static int begun, ended; /* by all threads; they wait without a system call */

static void wait_for(int *count, int wanted)
{
    while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < wanted)
        ;
}

static void record_pairs(void)
{
    char name[32];
    for (int i = 0; i < PAIRS; i++) {
        snprintf(name, sizeof name, "pair %d", i % 50);
        prof_range_push(name);
        prof_range_pop();
    }
}

static void *record(void *unused)
{
    wait_for(&begun, 1);
    record_pairs();
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELEASE);
    for (;;)
        ;
    return unused;
}

/* Everything that the program itself must be able to do passes untraced. */
static void trace_calls(int traced)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)traced, 0, traced < 0 ? 0 : 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        raw_seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
        _exit(77);
}

static void run_traced(int traced)
{
    pthread_t thread;
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(77);
    raise(SIGSTOP); /* the tracer sets its options */
    for (int i = 1; i < THREADS; i++)
        if (pthread_create(&thread, NULL, record, NULL) != 0)
            _exit(76);
    trace_calls(traced);
    __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
    record_pairs();
    wait_for(&ended, THREADS - 1);
    if (write(STDOUT_FILENO, "output\n", 7) != 7)
        _exit(75);
    exit(5);
}

/* ---- the tracer ---- */

static struct {
    int error;
    unsigned first, times;
    unsigned seen[CALLS];
} faults;

static void make_fail(pid_t thread)
{
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, thread, NULL, &registers) != 0 || registers.orig_rax >= CALLS)
        return;
    if (registers.orig_rax == SYS_write && registers.rdi <= STDERR_FILENO)
        return; /* the program's own output, and messages */
    unsigned number = ++faults.seen[registers.orig_rax];
    if (number < faults.first || number - faults.first >= faults.times)
        return;
    if (faults.error == 0) {
        registers.rdx -= registers.rdx / 2;
    } else {
        registers.orig_rax = (unsigned long long)-1;
        registers.rax = (unsigned long long)-faults.error;
    }
    ptrace(PTRACE_SETREGS, thread, NULL, &registers);
}

static void resume(pid_t thread, int status)
{
    int signal = WSTOPSIG(status), event = status >> 16;
    if (event == PTRACE_EVENT_SECCOMP)
        make_fail(thread);
    /* new threads, and processes that share memory, begin with a SIGSTOP that is the tracer's business */
    ptrace(PTRACE_CONT, thread, NULL, (void *)(intptr_t)(event || signal == SIGSTOP ? 0 : signal));
}

static int trace(pid_t child)
{
    int status;
    waitpid(child, &status, 0);
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    ptrace(PTRACE_SETOPTIONS, child, NULL,
           (void *)(intptr_t)(PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEVFORK |
                              PTRACE_O_EXITKILL));
    ptrace(PTRACE_CONT, child, NULL, NULL);
    for (pid_t thread; (thread = waitpid(-1, &status, __WALL)) > 0;) {
        if (WIFSTOPPED(status))
            resume(thread, status);
        else if (thread == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return 74;
}

static void write_seen(const char *path)
{
    FILE *file = fopen(path, "w");
    for (unsigned call = 0; file && call < CALLS; call++)
        if (faults.seen[call])
            fprintf(file, "%u %u\n", call, faults.seen[call]);
    if (file)
        fclose(file);
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 6)
        return 2;
    if (argc == 6) {
        faults.error = atoi(argv[3]);
        faults.first = (unsigned)atoi(argv[4]);
        faults.times = (unsigned)atoi(argv[5]);
    }
    pid_t child = fork();
    if (child == 0)
        run_traced(argc == 6 ? atoi(argv[2]) : -1);
    int status = trace(child);
    write_seen(argv[1]);
    return status;
}
