/* attach_arch_aarch64.c - see attach_arch.h.
 *
 * Before a thread stops, the kernel has already decided how its system call goes on: the thread is
 * at the instruction that makes it again, with its first argument, or behind it with a result. So
 * the thread is sent to the code from there, and comes back by rt_sigreturn(2), which restores each
 * register. But that ends what the kernel has kept of a call with a timeout
 * (ATTACH_AGAIN_BLOCK): from such a call, the thread comes back by a jump, which needs a register
 * for the address: x17, where the code behind the call does not need it.
 *
 * Whether it is such a call, only the end of one shows: so the thread begins its call again, which
 * is stopped at once.
 */
#include "attach_needed.h"
#include "attach_process.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>

/* Sets of registers, of ptrace(2); newer ones are not in the headers of Debian 11, where wheels are
 * built. */
enum {
    SET_VECTORS = 2,      /* NT_PRFPREG */
    SET_THREAD = 0x401,   /* NT_ARM_TLS */
    SET_SCALABLE = 0x405, /* NT_ARM_SVE */
    SET_STREAMING = 0x40b,
    SET_SHADOW_STACK = 0x410,
};

enum {
    CALL = 8,               /* x8: the number of a system call */
    BEGINS_OR_ENDS = 7,     /* x7 at the beginning (0) and end (1) of one */
    LANDING_BITS = 3 << 10, /* of the state: the last jump needs a landing pad (BTYPE) */
    RECORD_VECTORS = 0x46508001,
    RECORD_SCALABLE = 0x53564501,
    SCALABLE_KIND = 1,    /* flag: not only the vectors */
    SCALABLE_HEAD = 16,   /* bytes before the registers, here and in a record */
    SCALABLE_PART = 546,  /* bytes of all registers, for each 16 bytes of a vector */
    RECORDS_BYTES = 4096, /* room of the kernel's frame for all records */
    NO_STACK_FLAGS = 4,   /* not valid: the alternate stack stays as it is */
};

_Static_assert(offsetof(struct attach_frame, mask) ==
                       sizeof(siginfo_t) + offsetof(ucontext_t, uc_sigmask) &&
                   offsetof(struct attach_frame, general) ==
                       sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext.regs) &&
                   offsetof(struct attach_frame, float_magic) ==
                       sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext.__reserved),
               "as rt_sigreturn(2) reads it");

/* Returns how many bytes of a set there are; 0: the processor, or the kernel, does not have it. */
static size_t read_set(const struct attach_tracee *tracee, long set, void *data, size_t bytes)
{
    struct iovec whole = {data, bytes};
    return ptrace(PTRACE_GETREGSET, tracee->thread, (void *)set, &whole) == 0 ? whole.iov_len : 0;
}

/* ---- instructions ---- */

static bool read_instruction(const void *process, uint64_t at, uint32_t *instruction)
{
    return attach_process_read(process, at, instruction, sizeof *instruction);
}

bool attach_arch_makes_call(const struct attach_process *process, uint64_t at)
{
    uint32_t instruction = 0;
    return read_instruction(process, at, &instruction) && (instruction & 0xffe0001f) == 0xd4000001;
}

/* ---- a stopped thread ---- */

/* The thread stands behind a call that failed with EINTR, and waited in that call before we stopped
 * it. The kernel has forgotten the first argument by now. */
static bool is_cut_short(const struct attach_tracee *tracee)
{
    const struct user_regs_struct *registers = &tracee->registers;
    const struct attach_thread *saw = &tracee->saw;
    return attach_result(registers) == -EINTR && !tracee->has_changed &&
           attach_call(registers) == saw->call && registers->sp == saw->stack_pointer &&
           memcmp(&registers->regs[1], &saw->arguments[1], 5 * sizeof *saw->arguments) == 0 &&
           attach_arch_makes_call(tracee->process, registers->pc - ATTACH_CALL_BYTES);
}

static bool make_again(struct attach_tracee *tracee)
{
    struct user_regs_struct *registers = &tracee->registers;
    registers->regs[0] = tracee->saw.arguments[0];
    registers->pc -= ATTACH_CALL_BYTES;
    tracee->is_rewound = attach_tracee_set_registers(tracee, registers);
    return tracee->is_rewound;
}

/* Where a signal has come: it is what the call fails for. */
static void undo_again(struct attach_tracee *tracee)
{
    struct user_regs_struct registers = tracee->registers;
    if (!tracee->is_rewound)
        return;
    registers.regs[0] = (uint64_t)-EINTR;
    registers.pc += ATTACH_CALL_BYTES;
    attach_tracee_set_registers(tracee, &registers);
}

bool attach_arch_look(struct attach_tracee *tracee)
{
    struct user_regs_struct *registers = &tracee->registers;
    tracee->is_rewound = tracee->keeps_time = false;
    if (!attach_tracee_get_registers(tracee, registers) ||
        !read_set(tracee, SET_THREAD, &tracee->block, sizeof tracee->block) ||
        (is_cut_short(tracee) && !make_again(tracee)))
        return false;
    tracee->in_call = attach_arch_makes_call(tracee->process, registers->pc);
    return true;
}

bool attach_arch_is_beginning(const struct user_regs_struct *registers)
{
    return registers->regs[BEGINS_OR_ENDS] == 0;
}

void attach_arch_arguments(const struct user_regs_struct *registers, uint64_t arguments[6])
{
    memcpy(arguments, registers->regs, 6 * sizeof *arguments);
}

bool attach_arch_is_at_map(const struct attach_tracee *tracee,
                           const struct user_regs_struct *registers)
{
    (void)tracee;
    return attach_call(registers) == SYS_mmap && !attach_arch_is_beginning(registers);
}

/* ---- the end of a call ---- */

static bool is_call_stop(int status)
{
    return status >> 16 == 0 && WSTOPSIG(status) == (SIGTRAP | 0x80);
}

/* The next stop, if that is at the beginning or end of a call. A signal that comes first is for the
 * thread to take when it is let go. */
static bool run_to_call_stop(struct attach_tracee *tracee, struct user_regs_struct *registers)
{
    int status;
    if (!attach_tracee_send(tracee, PTRACE_SYSCALL, 0) || !attach_tracee_await(tracee, &status))
        return false;
    if (is_call_stop(status))
        return attach_tracee_get_registers(tracee, registers);
    if (status >> 16 == 0) {
        tracee->signal = WSTOPSIG(status);
        undo_again(tracee);
    }
    return false;
}

/* From the end of a call, where x7 is not the thread's own, to a stop before the thread goes on.
 * What was cut short is made again. False: a signal has come first. */
static bool leave_call(struct attach_tracee *tracee, long *result)
{
    struct user_regs_struct registers;
    int status;
    if (!attach_tracee_get_registers(tracee, &registers))
        return false;
    *result = attach_result(&registers);
    if (*result == -EINTR && attach_call(&registers) != SYS_close) {
        *result = ATTACH_AGAIN_NOHAND;
        registers.regs[0] = (uint64_t)*result;
        if (!attach_tracee_set_registers(tracee, &registers))
            return false;
    }
    attach_tracee_restore_remainder(tracee);
    if (!attach_tracee_send(tracee, PTRACE_INTERRUPT, 0) ||
        !attach_tracee_send(tracee, PTRACE_SYSCALL, 0) || !attach_tracee_await(tracee, &status))
        return false;
    if (status >> 16 == 0)
        tracee->signal = is_call_stop(status) ? 0 : WSTOPSIG(status);
    return status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) == SIGTRAP;
}

bool attach_arch_end_call(struct attach_tracee *tracee)
{
    long result;
    return leave_call(tracee, &result) && !attach_is_again(result) && attach_arch_look(tracee) &&
           !tracee->in_call;
}

/* Has the thread begin the call that it is to make, and end it at once: then it is known how the
 * kernel goes on with it. */
static bool begin_call(struct attach_tracee *tracee)
{
    const struct user_regs_struct before = tracee->registers;
    struct user_regs_struct now;
    long result;
    if (!run_to_call_stop(tracee, &now))
        return false;
    tracee->is_rewound = false;
    if (before.sp != tracee->saw.stack_pointer)
        tracee->remainder_at = 0; /* that was another call */
    tracee->has_changed = true;
    if (!attach_arch_is_beginning(&now) || now.pc != before.pc + ATTACH_CALL_BYTES ||
        now.sp != before.sp || !attach_tracee_send(tracee, PTRACE_INTERRUPT, 0) ||
        !run_to_call_stop(tracee, &now) || !leave_call(tracee, &result) ||
        !attach_arch_look(tracee))
        return false;
    tracee->keeps_time = result == ATTACH_AGAIN_BLOCK;
    return tracee->in_call == attach_is_again(result);
}

/* ---- there and back ---- */

/* What follows the vectors in a frame. */
struct records {
    uint32_t magic, bytes;
    uint16_t vector_bytes, flags, unused[2];
    unsigned char registers[RECORDS_BYTES];
};

struct scalable_set {
    uint32_t bytes, bytes_max;
    uint16_t vector_bytes, vector_bytes_max, flags, unused;
    unsigned char registers[16 * SCALABLE_PART];
};

/* Stores the record of the scalable registers (SVE), where the thread uses these, and the last one.
 * Returns their size; 0: they do not fit. */
static size_t fill_records(const struct attach_tracee *tracee, struct records *records)
{
    struct scalable_set set = {0};
    const size_t bytes = read_set(tracee, SET_SCALABLE, &set, sizeof set);
    const size_t whole = (size_t)set.vector_bytes / 16 * SCALABLE_PART;
    const size_t record = (SCALABLE_HEAD + whole + 15) & ~(size_t)15;
    *records = (struct records){0};
    if (tracee->keeps_time || bytes < SCALABLE_HEAD || !(set.flags & SCALABLE_KIND))
        return SCALABLE_HEAD;
    if (bytes < SCALABLE_HEAD + whole || record + SCALABLE_HEAD > RECORDS_BYTES - 528)
        return 0;
    records->magic = RECORD_SCALABLE;
    records->bytes = (uint32_t)record;
    records->vector_bytes = set.vector_bytes;
    memcpy(records->registers, set.registers, whole);
    return record + SCALABLE_HEAD;
}

static bool fill_frame(const struct attach_tracee *tracee, struct attach_frame *frame)
{
    const struct user_regs_struct *registers = &tracee->registers;
    struct {
        uint64_t vectors[64];
        uint32_t status, control, unused[2];
    } set;
    if (read_set(tracee, SET_VECTORS, &set, sizeof set) < sizeof set - sizeof set.unused)
        return false;
    *frame = (struct attach_frame){.alternate_stack[1] = NO_STACK_FLAGS,
                                   .stack_pointer = registers->sp,
                                   .pc = registers->pc,
                                   .state = registers->pstate,
                                   .float_magic = RECORD_VECTORS,
                                   .float_bytes = 528,
                                   .float_status = set.status,
                                   .float_control = set.control};
    memcpy(frame->general, registers->regs, sizeof frame->general);
    memcpy(frame->vectors, set.vectors, sizeof frame->vectors);
    if (tracee->keeps_time)
        frame->general[CALL] = SYS_restart_syscall;
    return true;
}

/* A frame, with the records in the place of its end. */
enum { FRAME_BYTES = sizeof(struct attach_frame) - SCALABLE_HEAD };

/* The streaming mode of the processor (SME) ends with each system call. */
static bool is_streaming(const struct attach_tracee *tracee)
{
    struct scalable_set set = {0};
    return read_set(tracee, SET_STREAMING, &set, sizeof set) >= SCALABLE_HEAD &&
           set.flags & SCALABLE_KIND;
}

static bool has_stack(const struct attach_tracee *tracee)
{
    unsigned char below[FRAME_BYTES + RECORDS_BYTES];
    struct records records;
    const size_t bytes = fill_records(tracee, &records);
    return bytes && tracee->registers.sp % 16 == 0 &&
           attach_process_read(tracee->process, tracee->registers.sp - FRAME_BYTES - bytes, below,
                               FRAME_BYTES + bytes);
}

bool attach_arch_can_borrow(struct attach_tracee *tracee)
{
    if (tracee->in_call && !begin_call(tracee))
        return false;
    if (tracee->keeps_time && attach_needs_scratch(read_instruction, tracee->process,
                                                   tracee->registers.pc + ATTACH_CALL_BYTES))
        return false;
    return !is_streaming(tracee) && has_stack(tracee);
}

bool attach_arch_write_frame(struct attach_tracee *tracee, uint64_t area_bytes,
                             struct user_regs_struct *registers)
{
    struct {
        struct attach_frame frame;
        unsigned char more[RECORDS_BYTES];
    } image = {0};
    struct records records;
    const size_t bytes = fill_records(tracee, &records);
    if (!bytes || !fill_frame(tracee, &image.frame))
        return false;
    memcpy((unsigned char *)&image + FRAME_BYTES, &records, bytes);
    *registers = tracee->registers;
    registers->sp -= FRAME_BYTES + bytes;
    registers->pc = tracee->functions->gap;
    registers->pstate &= ~(unsigned long long)LANDING_BITS;
    registers->regs[11] = area_bytes; /* see attach_stub_aarch64.c */
    registers->regs[12] = registers->sp + offsetof(struct attach_frame, mask);
    registers->regs[13] = tracee->keeps_time;
    return attach_process_write(tracee->process, registers->sp, &image, FRAME_BYTES + bytes);
}

/* The kernel lets the call fail, or not, only where the thread was. */
bool attach_arch_take_back(const struct attach_tracee *tracee)
{
    struct user_regs_struct now;
    return tracee->in_call && attach_tracee_get_registers(tracee, &now) &&
           now.pc == tracee->functions->gap &&
           attach_tracee_set_registers(tracee, &tracee->registers);
}

/* Guarded control stacks (GCS) of Arm. */
bool attach_arch_has_shadow_stack(const struct attach_tracee *tracee)
{
    uint64_t set[3] = {0};
    if (read_set(tracee, SET_SHADOW_STACK, set, sizeof set) < sizeof *set || !(set[0] & 1))
        return false;
    snprintf(tracee->process->reason, sizeof tracee->process->reason,
             "its threads have guarded control stacks (glibc.cpu.aarch64_gcs)");
    return true;
}

/* ---- what libc has ---- */

/* Before glibc 2.32, it does not say. */
bool attach_arch_is_alone(const struct attach_tracee *tracee)
{
    const uint64_t flag = tracee->functions->single_threaded;
    unsigned char single = 1;
    return !flag || !attach_process_read(tracee->process, flag, &single, sizeof single) || single;
}

uint64_t attach_arch_number_at(const struct attach_functions *functions, uint64_t block)
{
    return block - functions->thread_bytes + functions->thread_number;
}

pid_t attach_arch_number(const struct attach_tracee *tracee)
{
    int32_t number = 0;
    return attach_process_read(tracee->process,
                               attach_arch_number_at(tracee->functions, tracee->block), &number,
                               sizeof number)
               ? number
               : 0;
}

bool attach_arch_write_block(const struct attach_tracee *borrowed, uint64_t block)
{
    (void)borrowed;
    (void)block; /* zero; the kernel stores the number */
    return true;
}

bool attach_arch_find_threads(const struct attach_process *process,
                              struct attach_functions *functions)
{
    uint32_t field[3]; /* bits, how many, where */
    if (!functions->thread_bytes_at || !functions->thread_number_at ||
        !attach_process_read(process, functions->thread_bytes_at, &functions->thread_bytes,
                             sizeof functions->thread_bytes) ||
        !attach_process_read(process, functions->thread_number_at, field, sizeof field))
        return false;
    functions->thread_number = field[2];
    return functions->thread_number < functions->thread_bytes &&
           functions->thread_bytes < ATTACH_BELOW_BLOCK / 2;
}

/* The kernel's frame has the record of the vectors first. */
bool attach_arch_frame(const struct attach_tracee *tracee, uint64_t at, uint64_t word,
                       uint64_t *interrupted, long *result)
{
    struct attach_frame frame;
    const size_t before = offsetof(struct attach_frame, float_magic);
    if (word != ((uint64_t)528 << 32 | RECORD_VECTORS) || at % 16 ||
        !attach_process_read(tracee->process, at - before, &frame, before) || frame.flags ||
        frame.link)
        return false;
    *interrupted = frame.pc;
    *result = (long)frame.general[0];
    return true;
}
