/* attach_arch.h - the processor-specific part of attaching by ptrace(2): a section per processor
 * here, functions in attach_arch_x86_64.c and attach_arch_aarch64.c, the code that runs in the
 * process in attach_stub_x86_64.c and attach_stub_aarch64.c.
 *
 *     ATTACH_CALL_BYTES            of the instruction that makes a system call
 *     ATTACH_HEAP_AT               struct attach_heap, from the bare thread's block
 *     ATTACH_BELOW_BLOCK, ATTACH_ABOVE_BLOCK
 *                                  bytes of that block beside its thread-local storage
 *     ATTACH_TLS_IS_BELOW          whether that is below the block
 *     struct attach_frame          on the borrowed thread's stack when it enters the code
 *     attach_pc() ...              registers of a stopped thread
 */
#ifndef PROFRUN_ATTACH_ARCH_H
#define PROFRUN_ATTACH_ARCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct attach_functions;
struct attach_process;
struct attach_tracee;

#if defined(__x86_64__)

/* ---- x86-64 ---- */

enum {
    ATTACH_CALL_BYTES = 2,
    ATTACH_HEAP_AT = 1 << 16,
    ATTACH_BELOW_BLOCK = 0,
    ATTACH_ABOVE_BLOCK = (1 << 16) + 4096,
    ATTACH_TLS_IS_BELOW = 1,
    ATTACH_RED_ZONE_BYTES = 128,
    ATTACH_STACK_BYTES = 320, /* that, the frame and what the code pushes */
};

/* What the borrowed thread's stack pointer points to when it enters, below the red zone. The code
 * removes both. */
struct attach_frame {
    uint64_t resume; /* where the thread goes on; makes its system call again two bytes before */
    uint64_t area_bytes;
};

static inline uint64_t attach_pc(const struct user_regs_struct *registers)
{
    return registers->rip;
}

static inline uint64_t attach_stack_pointer(const struct user_regs_struct *registers)
{
    return registers->rsp;
}

/* The number of a system call, where it is in one, and its result. */
static inline long attach_call(const struct user_regs_struct *registers)
{
    return (long)registers->orig_rax;
}

static inline long attach_result(const struct user_regs_struct *registers)
{
    return (long)registers->rax;
}

#elif defined(__aarch64__)

/* ---- 64-bit Arm ---- */

enum {
    ATTACH_CALL_BYTES = 4,
    ATTACH_HEAP_AT = -(1 << 16),
    ATTACH_BELOW_BLOCK = 1 << 16,
    ATTACH_ABOVE_BLOCK = 4096,
    ATTACH_TLS_IS_BELOW = 0,
};

/* The beginning of what rt_sigreturn(2) takes from the stack: the kernel's struct rt_sigframe. More
 * records may follow; one with magic number 0 is the last. */
struct attach_frame {
    uint64_t info[16], flags, link, alternate_stack[3];
    uint64_t mask[17];
    uint64_t fault_address, general[31], stack_pointer, pc, state, unused;
    uint32_t float_magic, float_bytes;
    uint32_t float_status, float_control;
    uint64_t vectors[64];
    uint32_t next_magic, next_bytes;
    uint64_t next[1];
};

static inline uint64_t attach_pc(const struct user_regs_struct *registers)
{
    return registers->pc;
}

static inline uint64_t attach_stack_pointer(const struct user_regs_struct *registers)
{
    return registers->sp;
}

static inline long attach_call(const struct user_regs_struct *registers)
{
    return (long)registers->regs[8];
}

static inline long attach_result(const struct user_regs_struct *registers)
{
    return (long)registers->regs[0];
}

#endif

/* The kernel's internal results for a system call that it will make again. */
enum {
    ATTACH_AGAIN_SYS = -512,
    ATTACH_AGAIN_NOHAND = -514,
    ATTACH_AGAIN_BLOCK = -516, /* as restart_syscall(2), with what it has kept of the arguments */
};

static inline bool attach_is_again(long result)
{
    return result <= ATTACH_AGAIN_SYS && result >= ATTACH_AGAIN_BLOCK;
}

/* ---- a thread that ptrace(2) has stopped, but not within a system call's beginning or end ---- */

/* Stores registers, the address of the thread's block, and whether it is to make a system call
 * again, or for the first time.
 *
 * Some calls fail with EINTR when the thread is stopped, though no signal has come. Nothing has
 * happened in them: the thread is told to make them again. */
bool attach_arch_look(struct attach_tracee *tracee);

/* Whether the thread can be sent elsewhere and come back, and has room on its stack for that. May
 * have it begin its system call again. */
bool attach_arch_can_borrow(struct attach_tracee *tracee);

/* Writes the frame, and stores the registers with which the thread goes to the code and comes back
 * with what it has now. */
bool attach_arch_write_frame(struct attach_tracee *tracee, uint64_t area_bytes,
                             struct user_regs_struct *registers);

/* When a signal comes after that, before the first instruction: whether the thread must take it
 * where it was. If so, it is there again. */
bool attach_arch_take_back(const struct attach_tracee *tracee);

/* Whether its code may only return where it was called: the reason says so. */
bool attach_arch_has_shadow_stack(const struct attach_tracee *tracee);

/* Whether libc believes that the process has one thread. */
bool attach_arch_is_alone(const struct attach_tracee *tracee);

/* The number by which libc knows the thread; 0: it does not. */
pid_t attach_arch_number(const struct attach_tracee *tracee);

/* Whether what the kernel puts on the stack before it runs a handler is at an address, where
 * `word` is: where the handler has interrupted the thread, and the result register there. */
bool attach_arch_frame(const struct attach_tracee *tracee, uint64_t at, uint64_t word,
                       uint64_t *interrupted, long *result);

/* Whether the instruction at an address makes a system call. */
bool attach_arch_makes_call(const struct attach_process *process, uint64_t at);

/* ---- at the beginning or end of a system call ---- */

bool attach_arch_is_beginning(const struct user_regs_struct *registers);
void attach_arch_arguments(const struct user_regs_struct *registers, uint64_t arguments[6]);

/* Whether a call has ended for good, and the thread stands behind it then. */
bool attach_arch_end_call(struct attach_tracee *tracee);

/* Whether the thread is at the end of the code's mmap(2). */
bool attach_arch_is_at_map(const struct attach_tracee *tracee,
                           const struct user_regs_struct *registers);

/* ---- the bare thread's block ---- */

/* Where the kernel is to store the bare thread's number. */
uint64_t attach_arch_number_at(const struct attach_functions *functions, uint64_t block);

/* Fills it with what libc looks at. `borrowed`: the borrowed thread. */
bool attach_arch_write_block(const struct attach_tracee *borrowed, uint64_t block);

/* Reads what is to be known of libc's threads. False: it cannot be known. */
bool attach_arch_find_threads(const struct attach_process *process,
                              struct attach_functions *functions);

#endif
