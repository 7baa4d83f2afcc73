/* attach_tracee.c - a thread of the process that is stopped by ptrace(2), and whether it may be
 * borrowed where it is. */
#include "attach_process.h"
#include "clock.h"

#if defined(__x86_64__)

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <sys/uio.h>
#include <sys/wait.h>

enum {
    STOP_MS = 5000,      /* for a thread to stop; longer is one that waits for a disk */
    LEAVE_MS = 20,       /* to leave libc */
    CODE_SEGMENT = 0x33, /* of 64-bit code */
    SIGNAL_SEARCH_BYTES = 1 << 18,
};

/* The kernel's internal results for a system call that it will restart. */
enum {
    AGAIN_SYS = -512,
    AGAIN_NOHAND = -514,
    AGAIN_BLOCK = -516,
};

/* ---- stopping a thread ---- */

bool attach_tracee_send(const struct attach_tracee *tracee, enum __ptrace_request request,
                        long data)
{
    return ptrace(request, tracee->thread, NULL, (void *)data) == 0;
}

/* Waits for a stop of the thread. False: it does not stop, or has ended; errno says which. */
static bool await_stop_for(const struct attach_tracee *tracee, int *status, unsigned limit_ms)
{
    const uint64_t end_ns = clock_monotonic_ns() + limit_ms * 1000000ull;
    do {
        const pid_t got = waitpid(tracee->thread, status, __WALL | WNOHANG);
        if (got == tracee->thread) {
            errno = ESRCH; /* unless it stands */
            return WIFSTOPPED(*status);
        }
        if (got < 0 && errno != EINTR)
            return false;
        clock_pause(20);
    } while (clock_monotonic_ns() < end_ns);
    errno = ETIMEDOUT;
    return false;
}

bool attach_tracee_await(const struct attach_tracee *tracee, int *status)
{
    return await_stop_for(tracee, status, STOP_MS);
}

static bool is_job_stop(int status)
{
    const int number = WSTOPSIG(status);
    return status >> 16 == PTRACE_EVENT_STOP && number != SIGTRAP;
}

/* Stops the thread by PTRACE_INTERRUPT. Signals that come first are delivered. */
bool attach_tracee_stop(struct attach_tracee *tracee)
{
    int status;
    if (!attach_tracee_send(tracee, PTRACE_INTERRUPT, 0))
        return false;
    while (attach_tracee_await(tracee, &status)) {
        if (is_job_stop(status)) {
            snprintf(tracee->process->reason, sizeof tracee->process->reason,
                     "it is stopped: continue it first (kill -CONT %d)", (int)tracee->process->pid);
            return false;
        }
        if (status >> 16 == PTRACE_EVENT_STOP)
            return true;
        attach_tracee_send(tracee, PTRACE_CONT, WSTOPSIG(status));
    }
    return false;
}

/* The signal that a stopped thread is about to get; 0: none. */
static int signal_of(int status)
{
    const int number = WSTOPSIG(status);
    return status >> 16 || number == SIGTRAP || number == (SIGTRAP | 0x80) ? 0 : number;
}

/* A thread that does not stand still can only be let go once it does. It must not be left behind:
 * it would stand still later, for as long as we run. */
void attach_tracee_let_go(struct attach_tracee *tracee)
{
    int status;
    while (!attach_tracee_send(tracee, PTRACE_DETACH, tracee->signal)) {
        tracee->signal = 0;
        attach_tracee_send(tracee, PTRACE_INTERRUPT, 0);
        if (attach_tracee_await(tracee, &status))
            tracee->signal = signal_of(status);
        else if (errno != ETIMEDOUT)
            return;
    }
}

bool attach_tracee_get_registers(const struct attach_tracee *tracee,
                                 struct user_regs_struct *registers)
{
    struct iovec whole = {registers, sizeof *registers};
    return ptrace(PTRACE_GETREGSET, tracee->thread, (void *)NT_PRSTATUS, &whole) == 0 &&
           whole.iov_len == sizeof *registers;
}

bool attach_tracee_set_registers(const struct attach_tracee *tracee,
                                 const struct user_regs_struct *registers)
{
    struct iovec whole = {(void *)(uintptr_t)registers, sizeof *registers};
    return ptrace(PTRACE_SETREGSET, tracee->thread, (void *)NT_PRSTATUS, &whole) == 0;
}

/* ---- is this a good place? ---- */

bool attach_tracee_is_within(uint64_t address, uint64_t begin, uint64_t bytes)
{
    return address >= begin && address - begin < bytes;
}

static bool is_interrupted_call(const struct user_regs_struct *registers)
{
    const long result = (long)registers->rax;
    return (long)registers->orig_rax >= 0 && result <= AGAIN_SYS && result >= AGAIN_BLOCK;
}

/* Of Linux 5.13; the headers of Debian 11, where wheels are built, are older. */
enum { GET_RSEQ_CONFIGURATION = 0x420f };

struct rseq_configuration {
    uint64_t rseq_abi_pointer;
    uint32_t rseq_abi_size, signature, flags, pad;
};

/* A restartable sequence (rseq(2)) cannot be left and entered again. */
static bool is_in_sequence(struct attach_tracee *tracee)
{
    struct rseq_configuration where = {0};
    uint64_t sequence = 0, bounds[4] = {0};
    if (ptrace((enum __ptrace_request)GET_RSEQ_CONFIGURATION, tracee->thread, (void *)sizeof where,
               &where) < 0 ||
        !where.rseq_abi_pointer ||
        !attach_process_read(tracee->process, where.rseq_abi_pointer + 8, &sequence,
                             sizeof sequence) ||
        !sequence)
        return false;
    if (!attach_process_read(tracee->process, sequence, bounds, sizeof bounds))
        return true;
    return attach_tracee_is_within(tracee->registers.rip, bounds[1], bounds[2]);
}

/* Whether libc believes that the process has one thread. It leaves out locks then, in code that the
 * thread may be in the middle of; the loader does, too. */
bool attach_tracee_is_alone(const struct attach_tracee *tracee)
{
    const uint64_t flag = tracee->functions->single_threaded;
    uint32_t multiple = 0;
    unsigned char single = 0;
    attach_process_read(tracee->process, tracee->registers.fs_base + ATTACH_BLOCK_MULTIPLE_THREADS,
                        &multiple, sizeof multiple);
    if (flag)
        attach_process_read(tracee->process, flag, &single, sizeof single);
    return !multiple || single;
}

static bool is_within_libc(const struct attach_tracee *tracee, uint64_t address)
{
    for (unsigned i = 0; i < tracee->functions->libc_parts; i++)
        if (attach_tracee_is_within(address, tracee->functions->libc[i].begin,
                                    tracee->functions->libc[i].end -
                                        tracee->functions->libc[i].begin))
            return true;
    return false;
}

/* What the kernel puts on the stack before it runs a handler: a return address in libc, and the
 * registers. */
struct signal_frame {
    uint64_t back, flags[5];
    uint64_t registers[23];
};

/* Whether a handler has interrupted libc other than in a system call that waits. */
static bool is_bad_frame(const struct attach_tracee *tracee, uint64_t at)
{
    static const unsigned char back[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    struct signal_frame frame;
    unsigned char there[sizeof back], around[4] = {0};
    if (!attach_process_read(tracee->process, at, &frame, sizeof frame) ||
        !attach_process_read(tracee->process, frame.back, there, sizeof there) ||
        memcmp(there, back, sizeof back) != 0)
        return false;
    const uint64_t rip = frame.registers[REG_RIP];
    attach_process_read(tracee->process, rip - 2, around, sizeof around);
    const bool again = around[2] == 0x0f && around[3] == 0x05;
    const bool failed =
        around[0] == 0x0f && around[1] == 0x05 && (long)frame.registers[REG_RAX] == -EINTR;
    return is_within_libc(tracee, rip) && !again && !failed;
}

/* Handlers return to libc's call of rt_sigreturn(2), whose address is on the stack. */
static bool is_in_handler(const struct attach_tracee *tracee)
{
    uint64_t words[512];
    const uint64_t begin = tracee->registers.rsp & ~(uint64_t)7;
    for (uint64_t at = begin; at < begin + SIGNAL_SEARCH_BYTES; at += sizeof words) {
        size_t count = sizeof words / sizeof *words;
        while (count && !attach_process_read(tracee->process, at, words, count * sizeof *words))
            count /= 2; /* the end of the stack */
        for (size_t i = 0; i < count; i++)
            if (is_within_libc(tracee, words[i]) && is_bad_frame(tracee, at + i * sizeof *words))
                return true;
        if (count < sizeof words / sizeof *words)
            return false;
    }
    return false;
}

/* Some calls fail with EINTR when the thread is stopped, though no signal has come. Nothing has
 * happened in them: the kernel is told to make them again unless there is a signal. That is how it
 * goes on with those that may be stopped, and what is left to do for another that the thread began
 * between our last look and the stop. */
static bool is_cut_short(const struct user_regs_struct *registers)
{
    return (long)registers->rax == -EINTR && (long)registers->orig_rax >= 0 &&
           registers->orig_rax != SYS_close;
}

static bool look(struct attach_tracee *tracee)
{
    struct user_regs_struct *registers = &tracee->registers;
    if (!attach_tracee_get_registers(tracee, registers))
        return false;
    if (!is_cut_short(registers))
        return true;
    registers->rax = (unsigned long long)AGAIN_NOHAND;
    return attach_tracee_set_registers(tracee, registers);
}

/* What a stop does to the system call that the thread is in. */
static enum attach_wait wait_of(const struct attach_tracee *tracee)
{
    const struct user_regs_struct *registers = &tracee->registers;
    const uint64_t arguments[] = {registers->rdi, registers->rsi, registers->rdx,
                                  registers->r10, registers->r8,  registers->r9};
    return attach_thread_wait(tracee->process, tracee->thread, (long)registers->orig_rax, arguments,
                              registers->rsp);
}

static bool may_be_stopped(const struct attach_tracee *tracee)
{
    return !is_interrupted_call(&tracee->registers) || wait_of(tracee) != ATTACH_WAIT_NO;
}

static bool is_memory_call(uint64_t call)
{
    return call == SYS_brk || call == SYS_mmap || call == SYS_munmap || call == SYS_mremap ||
           call == SYS_madvise || call == SYS_mprotect;
}

/* Lets the thread run until the end of a system call that may wait, or to where it is after a
 * while: a program that allocates all the time is hardly ever seen outside of libc. It cannot begin
 * a call unnoticed, and is let go before one that must not be stopped. */
static bool run_to_wait(struct attach_tracee *tracee)
{
    const uint64_t end_ns = clock_monotonic_ns() + LEAVE_MS * 1000000ull;
    struct user_regs_struct *registers = &tracee->registers;
    bool waits = false;
    for (;;) {
        int status;
        if (!attach_tracee_send(tracee, PTRACE_SYSCALL, tracee->signal))
            return false;
        tracee->signal = 0;
        if (!await_stop_for(tracee, &status, LEAVE_MS) &&
            (errno != ETIMEDOUT || !attach_tracee_send(tracee, PTRACE_INTERRUPT, 0) ||
             !attach_tracee_await(tracee, &status)))
            return false;
        tracee->signal = signal_of(status);
        if (!attach_tracee_get_registers(tracee, registers))
            return false;
        if (status >> 16)
            return !is_job_stop(status) && look(tracee) && may_be_stopped(tracee) &&
                   (is_interrupted_call(registers) || !is_within_libc(tracee, registers->rip));
        if (WSTOPSIG(status) == (SIGTRAP | 0x80) && (long)registers->rax == -ENOSYS) {
            waits = wait_of(tracee) != ATTACH_WAIT_NO;
            if (!waits && !is_memory_call(registers->orig_rax))
                return false;
        } else if (WSTOPSIG(status) == (SIGTRAP | 0x80) && waits) {
            return !is_interrupted_call(registers);
        }
        if (clock_monotonic_ns() > end_ns)
            return false;
    }
}

static bool is_between_locks(struct attach_tracee *tracee)
{
    const uint64_t gap = tracee->functions->gap;
    if (attach_tracee_is_within(tracee->registers.rip, gap, tracee->code_bytes))
        return false;
    if (!attach_tracee_is_alone(tracee))
        return true;
    return (is_interrupted_call(&tracee->registers) ||
            !is_within_libc(tracee, tracee->registers.rip) || run_to_wait(tracee)) &&
           !is_in_handler(tracee);
}

/* Whether the thread is one that the C library made, and knows by the number that the kernel
 * does. */
static bool is_known_thread(struct attach_tracee *tracee)
{
    const uint64_t block = tracee->registers.fs_base;
    uint64_t self = 0;
    int32_t number = 0;
    return attach_process_read(tracee->process, block + ATTACH_BLOCK_SELF, &self, sizeof self) &&
           attach_process_read(tracee->process, block + ATTACH_BLOCK_THREAD, &number,
                               sizeof number) &&
           self == block && number == attach_process_inner_number(tracee->process, tracee->thread);
}

/* A system call is made again by its instruction. */
static bool can_resume(struct attach_tracee *tracee)
{
    unsigned char instruction[2] = {0};
    return !is_interrupted_call(&tracee->registers) ||
           (attach_process_read(tracee->process, tracee->registers.rip - 2, instruction, 2) &&
            instruction[0] == 0x0f && instruction[1] == 0x05);
}

/* For what is pushed there. A coroutine may be at the end of its stack, and ptrace(2) would write
 * to the guard, too. */
static bool has_stack(const struct attach_tracee *tracee)
{
    unsigned char below[ATTACH_STACK_BYTES];
    return attach_process_read(tracee->process, tracee->registers.rsp - sizeof below, below,
                               sizeof below);
}

bool attach_tracee_is_good_place(struct attach_tracee *tracee)
{
    return look(tracee) && tracee->registers.cs == CODE_SEGMENT && may_be_stopped(tracee) &&
           is_known_thread(tracee) && is_between_locks(tracee) && can_resume(tracee) &&
           !is_in_sequence(tracee) && has_stack(tracee);
}

#endif
