/* attach_tracee.c - a thread of the process that is stopped by ptrace(2), and whether it may be
 * borrowed where it is. */
#include "attach_process.h"
#include "clock.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

enum {
    STOP_MS = 5000, /* for a thread to stop; longer is one that waits for a disk */
    LEAVE_MS = 20,  /* to leave libc */
    SIGNAL_SEARCH_BYTES = 1 << 18,
};

/* ---- before it is stopped ---- */

void attach_tracee_begin(struct attach_tracee *tracee, const struct attach_thread *thread)
{
    const uint64_t *arguments = thread->arguments;
    tracee->saw = *thread;
    tracee->has_changed = !attach_thread_is_same(tracee->process, thread);
    tracee->remainder_at = 0;
    if (thread->call == SYS_nanosleep && arguments[1] != arguments[0])
        tracee->remainder_at = arguments[1];
    else if (thread->call == SYS_clock_nanosleep && arguments[3] != arguments[2])
        tracee->remainder_at = arguments[3];
    if (tracee->remainder_at && !attach_process_read(tracee->process, tracee->remainder_at,
                                                     tracee->remainder, sizeof tracee->remainder))
        tracee->remainder_at = 0;
}

void attach_tracee_restore_remainder(const struct attach_tracee *tracee)
{
    if (tracee->remainder_at)
        attach_process_write(tracee->process, tracee->remainder_at, tracee->remainder,
                             sizeof tracee->remainder);
}

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
        tracee->has_changed = true;
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
    return attach_tracee_is_within(attach_pc(&tracee->registers), bounds[1], bounds[2]);
}

bool attach_tracee_is_within_libc(const struct attach_tracee *tracee, uint64_t address)
{
    for (unsigned i = 0; i < tracee->functions->libc_parts; i++)
        if (attach_tracee_is_within(address, tracee->functions->libc[i].begin,
                                    tracee->functions->libc[i].end -
                                        tracee->functions->libc[i].begin))
            return true;
    return false;
}

/* Whether a handler has interrupted libc other than in a system call that waits. */
static bool is_bad_frame(const struct attach_tracee *tracee, uint64_t at, uint64_t word)
{
    uint64_t pc;
    long result;
    if (!attach_arch_frame(tracee, at, word, &pc, &result) ||
        !attach_tracee_is_within_libc(tracee, pc))
        return false;
    const bool again = attach_arch_makes_call(tracee->process, pc);
    const bool failed =
        result == -EINTR && attach_arch_makes_call(tracee->process, pc - ATTACH_CALL_BYTES);
    return !again && !failed;
}

static bool is_in_handler(const struct attach_tracee *tracee)
{
    uint64_t words[512];
    const uint64_t begin = attach_stack_pointer(&tracee->registers) & ~(uint64_t)7;
    for (uint64_t at = begin; at < begin + SIGNAL_SEARCH_BYTES; at += sizeof words) {
        size_t count = sizeof words / sizeof *words;
        while (count && !attach_process_read(tracee->process, at, words, count * sizeof *words))
            count /= 2; /* the end of the stack */
        for (size_t i = 0; i < count; i++)
            if (is_bad_frame(tracee, at + i * sizeof *words, words[i]))
                return true;
        if (count < sizeof words / sizeof *words)
            return false;
    }
    return false;
}

/* What a stop does to the system call that the thread is in, or begins. */
static enum attach_wait wait_of(const struct attach_tracee *tracee)
{
    uint64_t arguments[6];
    attach_arch_arguments(&tracee->registers, arguments);
    return attach_thread_wait(tracee->process, tracee->thread, attach_call(&tracee->registers),
                              arguments, attach_stack_pointer(&tracee->registers));
}

static bool may_be_stopped(const struct attach_tracee *tracee)
{
    return !tracee->in_call || wait_of(tracee) != ATTACH_WAIT_NO;
}

static bool is_memory_call(long call)
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
    tracee->has_changed = true;
    tracee->remainder_at = 0;
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
            return !is_job_stop(status) && attach_arch_look(tracee) && may_be_stopped(tracee) &&
                   (tracee->in_call || !attach_tracee_is_within_libc(tracee, attach_pc(registers)));
        if (WSTOPSIG(status) == (SIGTRAP | 0x80) && attach_arch_is_beginning(registers)) {
            waits = wait_of(tracee) != ATTACH_WAIT_NO;
            if (!waits && !is_memory_call(attach_call(registers)))
                return false;
        } else if (WSTOPSIG(status) == (SIGTRAP | 0x80) && waits) {
            return attach_arch_end_call(tracee);
        }
        if (clock_monotonic_ns() > end_ns)
            return false;
    }
}

/* A thread that libc believes to be the only one leaves out locks, in code that it may be in the
 * middle of; the loader does, too. */
static bool is_between_locks(struct attach_tracee *tracee)
{
    const uint64_t gap = tracee->functions->gap;
    const uint64_t pc = attach_pc(&tracee->registers);
    if (attach_tracee_is_within(pc, gap, tracee->code_bytes))
        return false;
    if (!attach_arch_is_alone(tracee))
        return true;
    return (tracee->in_call || !attach_tracee_is_within_libc(tracee, pc) || run_to_wait(tracee)) &&
           !is_in_handler(tracee);
}

/* Whether the thread is one that the C library made, and knows by the number that the kernel
 * does. */
static bool is_known_thread(const struct attach_tracee *tracee)
{
    const pid_t number = attach_arch_number(tracee);
    return number && number == attach_process_inner_number(tracee->process, tracee->thread);
}

bool attach_tracee_is_good_place(struct attach_tracee *tracee)
{
    return attach_arch_look(tracee) && may_be_stopped(tracee) && is_known_thread(tracee) &&
           is_between_locks(tracee) && !is_in_sequence(tracee) && attach_arch_can_borrow(tracee);
}
