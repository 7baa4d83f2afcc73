/* attach_arch_x86_64.c - see attach_arch.h. */
#include "attach_process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>

enum {
    ENTRY = 2,                /* see attach_stub_x86_64.c */
    CODE_SEGMENT = 0x33,      /* of 64-bit code */
    FEATURE_SHADOW_STACK = 2, /* GNU_PROPERTY_X86_FEATURE_1_SHSTK */
};

/* Of a thread's block (tcbhead_t, struct pthread), the same in glibc 2.4 to 2.43. */
enum {
    BLOCK_SELF = 0x10,
    BLOCK_MULTIPLE_THREADS = 0x18,
    BLOCK_GUARDS = 0x28, /* stack_guard, pointer_guard */
    BLOCK_FEATURES = 0x48,
    BLOCK_NUMBER = 0x2d0,
};

/* ---- registers ---- */

static bool is_cut_short(const struct user_regs_struct *registers)
{
    return attach_result(registers) == -EINTR && attach_call(registers) >= 0 &&
           attach_call(registers) != SYS_close;
}

/* The kernel makes the call again unless there is a signal. That is how it goes on with those that
 * may be stopped, and what is left to do for another that the thread began between our last look
 * and the stop. */
bool attach_arch_look(struct attach_tracee *tracee)
{
    struct user_regs_struct *registers = &tracee->registers;
    if (!attach_tracee_get_registers(tracee, registers))
        return false;
    tracee->block = registers->fs_base;
    if (is_cut_short(registers)) {
        registers->rax = (unsigned long long)ATTACH_AGAIN_NOHAND;
        if (!attach_tracee_set_registers(tracee, registers))
            return false;
    }
    tracee->in_call = attach_call(registers) >= 0 && attach_is_again(attach_result(registers));
    return registers->cs == CODE_SEGMENT;
}

bool attach_arch_is_beginning(const struct user_regs_struct *registers)
{
    return attach_result(registers) == -ENOSYS;
}

void attach_arch_arguments(const struct user_regs_struct *registers, uint64_t arguments[6])
{
    const uint64_t values[] = {registers->rdi, registers->rsi, registers->rdx,
                               registers->r10, registers->r8,  registers->r9};
    memcpy(arguments, values, sizeof values);
}

bool attach_arch_end_call(struct attach_tracee *tracee)
{
    return attach_arch_look(tracee) && !tracee->in_call;
}

bool attach_arch_is_at_map(const struct attach_tracee *tracee,
                           const struct user_regs_struct *registers)
{
    (void)tracee;
    return attach_call(registers) == SYS_mmap && !attach_arch_is_beginning(registers);
}

/* ---- there and back ---- */

/* A system call is made again by its instruction. For what is pushed on the stack: a coroutine may
 * be at the end of its own, and ptrace(2) would write to the guard, too. */
bool attach_arch_can_borrow(struct attach_tracee *tracee)
{
    unsigned char below[ATTACH_STACK_BYTES];
    return (!tracee->in_call ||
            attach_arch_makes_call(tracee->process, tracee->registers.rip - ATTACH_CALL_BYTES)) &&
           attach_process_read(tracee->process, tracee->registers.rsp - sizeof below, below,
                               sizeof below);
}

/* Nothing but its program counter and its stack pointer changes: so the kernel ends its system call
 * as it would have done, and the program cannot tell. */
bool attach_arch_write_frame(struct attach_tracee *tracee, uint64_t area_bytes,
                             struct user_regs_struct *registers)
{
    const struct attach_frame frame = {tracee->registers.rip, area_bytes};
    *registers = tracee->registers;
    registers->rsp -= ATTACH_RED_ZONE_BYTES + sizeof frame;
    registers->rip = tracee->functions->gap + ENTRY;
    return attach_process_write(tracee->process, registers->rsp, &frame, sizeof frame);
}

bool attach_arch_take_back(const struct attach_tracee *tracee)
{
    (void)tracee;
    return false;
}

/* The code leaves by a return without a call, which a shadow stack (Intel CET) forbids. */
bool attach_arch_has_shadow_stack(const struct attach_tracee *tracee)
{
    uint32_t features = 0;
    if (!attach_process_read(tracee->process, tracee->block + BLOCK_FEATURES, &features,
                             sizeof features) ||
        !(features & FEATURE_SHADOW_STACK))
        return false;
    snprintf(tracee->process->reason, sizeof tracee->process->reason,
             "its threads have shadow stacks (glibc.cpu.x86_shstk)");
    return true;
}

bool attach_arch_makes_call(const struct attach_process *process, uint64_t at)
{
    unsigned char instruction[ATTACH_CALL_BYTES] = {0};
    return attach_process_read(process, at, instruction, sizeof instruction) &&
           instruction[0] == 0x0f && instruction[1] == 0x05;
}

/* ---- what libc has ---- */

bool attach_arch_is_alone(const struct attach_tracee *tracee)
{
    const uint64_t flag = tracee->functions->single_threaded;
    uint32_t multiple = 0;
    unsigned char single = 0;
    attach_process_read(tracee->process, tracee->block + BLOCK_MULTIPLE_THREADS, &multiple,
                        sizeof multiple);
    if (flag)
        attach_process_read(tracee->process, flag, &single, sizeof single);
    return !multiple || single;
}

pid_t attach_arch_number(const struct attach_tracee *tracee)
{
    uint64_t self = 0;
    int32_t number = 0;
    return attach_process_read(tracee->process, tracee->block + BLOCK_SELF, &self, sizeof self) &&
                   attach_process_read(tracee->process, tracee->block + BLOCK_NUMBER, &number,
                                       sizeof number) &&
                   self == tracee->block
               ? number
               : 0;
}

/* A return address in libc, of its call of rt_sigreturn(2), and the registers. */
struct signal_frame {
    uint64_t back, flags[5];
    uint64_t registers[23];
};

bool attach_arch_frame(const struct attach_tracee *tracee, uint64_t at, uint64_t word,
                       uint64_t *interrupted, long *result)
{
    static const unsigned char back[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    struct signal_frame frame;
    unsigned char there[sizeof back];
    if (!attach_tracee_is_within_libc(tracee, word) ||
        !attach_process_read(tracee->process, at, &frame, sizeof frame) ||
        !attach_process_read(tracee->process, frame.back, there, sizeof there) ||
        memcmp(there, back, sizeof back) != 0)
        return false;
    *interrupted = frame.registers[REG_RIP];
    *result = (long)frame.registers[REG_RAX];
    return true;
}

uint64_t attach_arch_number_at(const struct attach_functions *functions, uint64_t block)
{
    (void)functions;
    return block + BLOCK_NUMBER;
}

bool attach_arch_write_block(const struct attach_tracee *borrowed, uint64_t block)
{
    const struct attach_process *process = borrowed->process;
    uint64_t guards[2], head[3] = {block, 0, block};
    const uint32_t multiple = 1;
    uint32_t features;
    return attach_process_read(process, borrowed->block + BLOCK_GUARDS, guards, sizeof guards) &&
           attach_process_read(process, borrowed->block + BLOCK_FEATURES, &features,
                               sizeof features) &&
           attach_process_write(process, block, head, sizeof head) &&
           attach_process_write(process, block + BLOCK_MULTIPLE_THREADS, &multiple,
                                sizeof multiple) &&
           attach_process_write(process, block + BLOCK_GUARDS, guards, sizeof guards) &&
           attach_process_write(process, block + BLOCK_FEATURES, &features, sizeof features);
}

bool attach_arch_find_threads(const struct attach_process *process,
                              struct attach_functions *functions)
{
    (void)process;
    (void)functions;
    return true;
}
