#include "attach.h"

#include "attach_threads.h"
#include "clock.h"
#include "message.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)

/* For tests: kills profrun at the stage that PROFRUN_TEST_KILL names. */
static void attach_test_point(const char *stage)
{
    const char *wanted = getenv("PROFRUN_TEST_KILL");
    if (wanted && strcmp(wanted, stage) == 0)
        kill(getpid(), SIGKILL);
}

enum {
    STOP_MS = 5000,             /* for a thread to stop; longer is one that waits for a disk */
    LEAVE_MS = 20,              /* to leave libc */
    CODE_SEGMENT = 0x33,        /* of 64-bit code */
    STACK_BYTES = 1 << 18,      /* of the first thread, beside what is thread-local */
    BARE_STACK_BYTES = 1 << 16, /* of the bare thread */
    HEAP_BYTES = 1 << 20, /* for the first thread's dtv: 65,000 modules with thread-local storage */
    SIGNAL_SEARCH_BYTES = 1 << 18,
    AREA_ALIGN = 4096,
};

/* Of a thread's block (tcbhead_t, struct pthread), the same in glibc 2.4 to 2.42. */
enum {
    BLOCK_SELF = 0x10,
    BLOCK_MULTIPLE_THREADS = 0x18,
    BLOCK_GUARDS = 0x28, /* stack_guard, pointer_guard */
    BLOCK_FEATURES = 0x48,
    BLOCK_THREAD = 0x2d0,
    FEATURE_SHADOW_STACK = 2, /* GNU_PROPERTY_X86_FEATURE_1_SHSTK */
};

/* What the kernel returns to itself for a system call that it will make again. */
enum {
    AGAIN_SYS = -512,
    AGAIN_NOHAND = -514,
    AGAIN_BLOCK = -516,
};

struct injection {
    struct attach_process *process;
    struct attach_functions functions;
    struct attach_code code;
    struct attach_area *area;
    uint64_t area_bytes;
    pid_t thread;   /* the one that is borrowed */
    int stopped_by; /* a signal that it is to get; 0: none */
    struct user_regs_struct registers;
    uint64_t address; /* of the area in the process */
};

static bool failed(struct injection *injection, const char *what)
{
    if (!*injection->process->reason)
        snprintf(injection->process->reason, sizeof injection->process->reason, "%s: %s", what,
                 strerror(errno));
    return false;
}

/* ---- memory ---- */

static bool poke(pid_t thread, uint64_t address, const void *data, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += sizeof(long)) {
        long word;
        memcpy(&word, (const char *)data + at, sizeof word);
        if (ptrace(PTRACE_POKEDATA, thread, (void *)(uintptr_t)(address + at), (void *)word) != 0)
            return false;
    }
    return true;
}

/* Also where the process itself cannot write. */
static bool write_code(const struct injection *injection, uint64_t address, const void *data,
                       size_t bytes)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)injection->process->pid);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    const bool written = fd >= 0 && pwrite(fd, data, bytes, (off_t)address) == (ssize_t)bytes;
    if (fd >= 0)
        close(fd);
    return written;
}

/* ---- stopping a thread ---- */

static bool send(struct injection *injection, enum __ptrace_request request, long data)
{
    return ptrace(request, injection->thread, NULL, (void *)data) == 0;
}

/* Waits for a stop of the thread. False: it does not stop, or has ended; errno says which. */
static bool await_stop_for(struct injection *injection, int *status, unsigned limit_ms)
{
    const uint64_t end_ns = clock_monotonic_ns() + limit_ms * 1000000ull;
    do {
        const pid_t got = waitpid(injection->thread, status, __WALL | WNOHANG);
        if (got == injection->thread) {
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

static bool await_stop(struct injection *injection, int *status)
{
    return await_stop_for(injection, status, STOP_MS);
}

static bool is_job_stop(int status)
{
    const int number = WSTOPSIG(status);
    return status >> 16 == PTRACE_EVENT_STOP && number != SIGTRAP;
}

/* Stops the thread by PTRACE_INTERRUPT. Signals that come first are delivered. */
static bool stop(struct injection *injection)
{
    int status;
    if (!send(injection, PTRACE_INTERRUPT, 0))
        return false;
    while (await_stop(injection, &status)) {
        if (is_job_stop(status)) {
            snprintf(injection->process->reason, sizeof injection->process->reason,
                     "it is stopped: continue it first (kill -CONT %d)",
                     (int)injection->process->pid);
            return false;
        }
        if (status >> 16 == PTRACE_EVENT_STOP)
            return true;
        send(injection, PTRACE_CONT, WSTOPSIG(status));
    }
    return false;
}

/* The signal that a stopped thread is about to get; 0: none. */
static int signal_of(int status)
{
    const int number = WSTOPSIG(status);
    return status >> 16 || number == SIGTRAP || number == (SIGTRAP | 0x80) ? 0 : number;
}

/* A thread that does not stand still can only be let go once it does. It must not be left behind: it would stand still
 * later, for as long as we run. */
static void let_go(struct injection *injection)
{
    int status;
    while (!send(injection, PTRACE_DETACH, injection->stopped_by)) {
        injection->stopped_by = 0;
        send(injection, PTRACE_INTERRUPT, 0);
        if (await_stop(injection, &status))
            injection->stopped_by = signal_of(status);
        else if (errno != ETIMEDOUT)
            return;
    }
}

static bool get_registers(struct injection *injection, struct user_regs_struct *registers)
{
    struct iovec whole = {registers, sizeof *registers};
    return ptrace(PTRACE_GETREGSET, injection->thread, (void *)NT_PRSTATUS, &whole) == 0 &&
           whole.iov_len == sizeof *registers;
}

static bool set_registers(struct injection *injection, struct user_regs_struct *registers)
{
    struct iovec whole = {registers, sizeof *registers};
    return ptrace(PTRACE_SETREGSET, injection->thread, (void *)NT_PRSTATUS, &whole) == 0;
}

/* ---- is this a good place? ---- */

static bool is_within(uint64_t address, uint64_t begin, uint64_t end)
{
    return address >= begin && address < end;
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
static bool is_in_sequence(struct injection *injection)
{
    struct rseq_configuration where = {0};
    uint64_t sequence = 0, bounds[4] = {0};
    if (ptrace((enum __ptrace_request)GET_RSEQ_CONFIGURATION, injection->thread,
               (void *)sizeof where, &where) < 0 ||
        !where.rseq_abi_pointer ||
        !attach_process_read(injection->process, where.rseq_abi_pointer + 8, &sequence,
                             sizeof sequence) ||
        !sequence)
        return false;
    if (!attach_process_read(injection->process, sequence, bounds, sizeof bounds))
        return true;
    return is_within(injection->registers.rip, bounds[1], bounds[1] + bounds[2]);
}

/* Whether libc believes that the process has one thread. It leaves out locks then, in code that the thread may be in the
 * middle of; the loader does, too. */
static bool is_alone(struct injection *injection)
{
    const uint64_t flag = injection->functions.single_threaded;
    uint32_t multiple = 0;
    unsigned char single = 0;
    attach_process_read(injection->process, injection->registers.fs_base + BLOCK_MULTIPLE_THREADS,
                        &multiple, sizeof multiple);
    if (flag)
        attach_process_read(injection->process, flag, &single, sizeof single);
    return !multiple || single;
}

static bool is_within_libc(const struct injection *injection, uint64_t address)
{
    for (unsigned i = 0; i < injection->functions.libc_parts; i++)
        if (is_within(address, injection->functions.libc[i].begin,
                      injection->functions.libc[i].end))
            return true;
    return false;
}

/* What the kernel puts on the stack before it runs a handler: a return address in libc, and the registers. */
struct signal_frame {
    uint64_t back, flags[5];
    uint64_t registers[23];
};

/* Whether a handler has interrupted libc other than in a system call that waits. */
static bool is_bad_frame(const struct injection *injection, uint64_t at)
{
    static const unsigned char back[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    struct signal_frame frame;
    unsigned char there[sizeof back], around[4] = {0};
    if (!attach_process_read(injection->process, at, &frame, sizeof frame) ||
        !attach_process_read(injection->process, frame.back, there, sizeof there) ||
        memcmp(there, back, sizeof back) != 0)
        return false;
    const uint64_t rip = frame.registers[REG_RIP];
    attach_process_read(injection->process, rip - 2, around, sizeof around);
    const bool again = around[2] == 0x0f && around[3] == 0x05;
    const bool failed =
        around[0] == 0x0f && around[1] == 0x05 && (long)frame.registers[REG_RAX] == -EINTR;
    return is_within_libc(injection, rip) && !again && !failed;
}

/* Handlers return to libc's call of rt_sigreturn(2), whose address is on the stack. */
static bool is_in_handler(const struct injection *injection)
{
    uint64_t words[512];
    const uint64_t begin = injection->registers.rsp & ~(uint64_t)7;
    for (uint64_t at = begin; at < begin + SIGNAL_SEARCH_BYTES; at += sizeof words) {
        size_t count = sizeof words / sizeof *words;
        while (count && !attach_process_read(injection->process, at, words, count * sizeof *words))
            count /= 2; /* the end of the stack */
        for (size_t i = 0; i < count; i++)
            if (is_within_libc(injection, words[i]) &&
                is_bad_frame(injection, at + i * sizeof *words))
                return true;
        if (count < sizeof words / sizeof *words)
            return false;
    }
    return false;
}

/* Some calls fail with EINTR when the thread is stopped, though no signal has come. Nothing has happened in them: the
 * kernel is told to make them again unless there is a signal. That is how it goes on with those that may be stopped, and
 * what is left to do for another that the thread began between our last look and the stop. */
static bool is_cut_short(const struct user_regs_struct *registers)
{
    return (long)registers->rax == -EINTR && (long)registers->orig_rax >= 0 &&
           registers->orig_rax != SYS_close;
}

static bool look(struct injection *injection)
{
    struct user_regs_struct *registers = &injection->registers;
    if (!get_registers(injection, registers))
        return false;
    if (!is_cut_short(registers))
        return true;
    registers->rax = (unsigned long long)AGAIN_NOHAND;
    return set_registers(injection, registers);
}

/* What a stop does to the system call that the thread is in. */
static enum attach_wait wait_of(const struct injection *injection)
{
    const struct user_regs_struct *registers = &injection->registers;
    const uint64_t arguments[] = {registers->rdi, registers->rsi, registers->rdx,
                                  registers->r10, registers->r8,  registers->r9};
    return attach_thread_wait(injection->process, injection->thread, (long)registers->orig_rax,
                              arguments, registers->rsp);
}

static bool may_be_stopped(const struct injection *injection)
{
    return !is_interrupted_call(&injection->registers) || wait_of(injection) != ATTACH_WAIT_NO;
}

static bool is_memory_call(uint64_t call)
{
    return call == SYS_brk || call == SYS_mmap || call == SYS_munmap || call == SYS_mremap ||
           call == SYS_madvise || call == SYS_mprotect;
}

/* Lets the thread run until the end of a system call that may wait, or to where it is after a while: a program that
 * allocates all the time is hardly ever seen outside of libc. It cannot begin a call unnoticed, and is let go before one that
 * must not be stopped. */
static bool run_to_wait(struct injection *injection)
{
    const uint64_t end_ns = clock_monotonic_ns() + LEAVE_MS * 1000000ull;
    struct user_regs_struct *registers = &injection->registers;
    bool waits = false;
    for (;;) {
        int status;
        if (!send(injection, PTRACE_SYSCALL, injection->stopped_by))
            return false;
        injection->stopped_by = 0;
        if (!await_stop_for(injection, &status, LEAVE_MS) &&
            (errno != ETIMEDOUT || !send(injection, PTRACE_INTERRUPT, 0) ||
             !await_stop(injection, &status)))
            return false;
        injection->stopped_by = signal_of(status);
        if (!get_registers(injection, registers))
            return false;
        if (status >> 16)
            return !is_job_stop(status) && look(injection) && may_be_stopped(injection) &&
                   (is_interrupted_call(registers) || !is_within_libc(injection, registers->rip));
        if (WSTOPSIG(status) == (SIGTRAP | 0x80) && (long)registers->rax == -ENOSYS) {
            waits = wait_of(injection) != ATTACH_WAIT_NO;
            if (!waits && !is_memory_call(registers->orig_rax))
                return false;
        } else if (WSTOPSIG(status) == (SIGTRAP | 0x80) && waits) {
            return !is_interrupted_call(registers);
        }
        if (clock_monotonic_ns() > end_ns)
            return false;
    }
}

static bool is_between_locks(struct injection *injection)
{
    const uint64_t gap = injection->functions.gap;
    if (is_within(injection->registers.rip, gap, gap + injection->code.size))
        return false;
    if (!is_alone(injection))
        return true;
    return (is_interrupted_call(&injection->registers) ||
            !is_within_libc(injection, injection->registers.rip) || run_to_wait(injection)) &&
           !is_in_handler(injection);
}

/* Whether the thread is one that the C library made, and knows by the number that the kernel does. */
static bool is_known_thread(struct injection *injection)
{
    const uint64_t block = injection->registers.fs_base;
    uint64_t self = 0;
    int32_t number = 0;
    return attach_process_read(injection->process, block + BLOCK_SELF, &self, sizeof self) &&
           attach_process_read(injection->process, block + BLOCK_THREAD, &number, sizeof number) &&
           self == block &&
           number == attach_process_inner_number(injection->process, injection->thread);
}

/* A system call is made again by its instruction. */
static bool can_resume(struct injection *injection)
{
    unsigned char instruction[2] = {0};
    return !is_interrupted_call(&injection->registers) ||
           (attach_process_read(injection->process, injection->registers.rip - 2, instruction, 2) &&
            instruction[0] == 0x0f && instruction[1] == 0x05);
}

static bool is_good_place(struct injection *injection)
{
    return look(injection) && injection->registers.cs == CODE_SEGMENT &&
           may_be_stopped(injection) && is_known_thread(injection) && is_between_locks(injection) &&
           can_resume(injection) && !is_in_sequence(injection);
}

/* The code leaves by a return without a call, which a shadow stack (Intel CET) forbids. */
static bool has_shadow_stack(struct injection *injection)
{
    uint32_t features = 0;
    if (!attach_process_read(injection->process, injection->registers.fs_base + BLOCK_FEATURES,
                             &features, sizeof features) ||
        !(features & FEATURE_SHADOW_STACK))
        return false;
    snprintf(injection->process->reason, sizeof injection->process->reason,
             "its threads have shadow stacks (glibc.cpu.x86_shstk)");
    return true;
}

/* ---- the area ---- */

static uint64_t align_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) & ~(to - 1);
}

struct layout {
    uint64_t first_stack, first_stack_bytes; /* from below: behind the struct */
    uint64_t bare_stack_end;
    uint64_t
        block; /* behind thread-local storage, of which the bare thread uses what libc has in it */
    uint64_t heap; /* behind the block and struct attach_heap */
    uint64_t end;
};

static struct layout lay_out(const struct injection *injection, uint64_t address)
{
    const uint64_t tls_bytes = align_up(injection->functions.tls_bytes, AREA_ALIGN);
    struct layout layout;
    layout.first_stack = address + align_up(sizeof *injection->area, AREA_ALIGN);
    layout.first_stack_bytes = STACK_BYTES + tls_bytes;
    layout.bare_stack_end = layout.first_stack + layout.first_stack_bytes + BARE_STACK_BYTES;
    layout.block = layout.bare_stack_end + tls_bytes;
    layout.heap = layout.block + ATTACH_BLOCK_BYTES + AREA_ALIGN;
    layout.end = layout.heap + HEAP_BYTES;
    return layout;
}

/* glibc has had one layout of this since 2.3. */
static bool fill_attributes(struct attach_area *area, const struct layout *layout)
{
    pthread_attr_t attributes;
    _Static_assert(sizeof attributes <= sizeof area->attributes, "it fits");
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstack(&attributes, (void *)(uintptr_t)layout->first_stack,
                              layout->first_stack_bytes) != 0)
        return false;
    memcpy(area->attributes, &attributes, sizeof attributes);
    return true;
}

static void fill_area(struct injection *injection, const struct layout *layout)
{
    const struct attach_functions *functions = &injection->functions;
    struct attach_area *area = injection->area;
    const uint64_t address = injection->address;
    area->magic = ATTACH_MAGIC;
    area->thread_block = layout->block;
    area->thread_id = layout->block + BLOCK_THREAD;
    area->stack = layout->bare_stack_end;
    area->heap = layout->heap;
    area->thread_gone =
        address + offsetof(struct attach_area, request) + offsetof(struct attach_request, thread);
    area->bytes = area->request.memory_bytes = injection->area_bytes;
    area->request.memory = address;
    area->request.thread = 1;
    area->holds = is_alone(injection);
    area->create = functions->create;
    area->join = functions->join;
    area->detach = functions->detach;
    area->dlopen = functions->dlopen;
    area->dlsym = functions->dlsym;
    area->dlerror = functions->dlerror;
    area->dlopen_flags = functions->dlopen_flags;
    area->pause[0] = 2;
    area->blink[1] = 1000000;
    area->turn = functions->turn;
    for (unsigned i = 0; i < ATTACH_ALLOCATIONS; i++) {
        area->pointers[i] = functions->pointers[i];
        area->ours[i] = functions->gap + injection->code.ours[i];
        area->theirs[i] = functions->theirs[i];
    }
    area->page = functions->page;
    area->page_bytes = functions->page_bytes;
    area->page_protection = PROT_READ;
    area->float_state = 0x1f80;
    strcpy(area->entry_name, "libprof_attach");
}

/* The bare thread's block, which libc looks at, and its heap. */
static bool write_block(struct injection *injection, const struct layout *layout)
{
    const uint64_t block = layout->block, other = injection->registers.fs_base;
    const struct attach_heap heap = {.next = layout->heap};
    uint64_t guards[2], head[3] = {block, 0, block};
    const uint32_t multiple = 1;
    uint32_t features;
    return attach_process_read(injection->process, other + BLOCK_GUARDS, guards, sizeof guards) &&
           attach_process_read(injection->process, other + BLOCK_FEATURES, &features,
                               sizeof features) &&
           attach_process_write(injection->process, block + ATTACH_BLOCK_BYTES, &heap,
                                sizeof heap) &&
           attach_process_write(injection->process, block, head, sizeof head) &&
           attach_process_write(injection->process, block + BLOCK_MULTIPLE_THREADS, &multiple,
                                sizeof multiple) &&
           attach_process_write(injection->process, block + BLOCK_GUARDS, guards, sizeof guards) &&
           attach_process_write(injection->process, block + BLOCK_FEATURES, &features,
                                sizeof features);
}

static bool write_area(struct injection *injection)
{
    const struct layout layout = lay_out(injection, injection->address);
    fill_area(injection, &layout);
    return fill_attributes(injection->area, &layout) && write_block(injection, &layout) &&
           attach_process_write(injection->process, injection->address, injection->area,
                                sizeof *injection->area);
}

/* ---- the borrowed thread ---- */

/* From here on, the thread restores itself, whatever becomes of us. Nothing but its program counter and its stack pointer
 * changes: so the kernel ends its system call as it would have done, and the program cannot tell. */
static bool divert(struct injection *injection)
{
    struct user_regs_struct registers = injection->registers;
    const struct attach_frame frame = {registers.rip, injection->area_bytes};
    registers.rsp -= ATTACH_RED_ZONE_BYTES + sizeof frame;
    registers.rip = injection->functions.gap + ATTACH_ENTRY;
    if (!poke(injection->thread, registers.rsp, &frame, sizeof frame))
        return failed(injection, "cannot write to its stack");
    attach_test_point("stopped");
    if (!set_registers(injection, &registers))
        return failed(injection, "cannot set its registers");
    attach_test_point("diverted");
    return true;
}

/* Whether the thread stands at the end of the code's mmap(): handlers of signals make system calls, too. */
static bool is_at_map(struct injection *injection, struct user_regs_struct *registers)
{
    const uint64_t gap = injection->functions.gap;
    return get_registers(injection, registers) &&
           is_within(registers->rip, gap, gap + injection->code.size) &&
           registers->orig_rax == SYS_mmap && (long)registers->rax != -ENOSYS;
}

/* Signals that come before they are blocked are delivered. */
static bool run_to_map(struct injection *injection, struct user_regs_struct *registers)
{
    const uint64_t end_ns = clock_monotonic_ns() + STOP_MS * 1000000ull;
    long number = 0;
    int status;
    do {
        if (!send(injection, PTRACE_SYSCALL, number) || !await_stop(injection, &status))
            return false;
        errno = EINTR; /* somebody stops the process, or it must do something else first */
        if (status >> 16 == PTRACE_EVENT_STOP)
            return false;
        number = WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
        if (number == 0 && is_at_map(injection, registers))
            return true;
        if (number == 0)
            attach_test_point("running");
    } while (clock_monotonic_ns() < end_ns);
    errno = ETIMEDOUT;
    return false;
}

/* Up to the end of mmap(): what comes then, the thread does alone. */
static bool run_stub(struct injection *injection)
{
    struct user_regs_struct registers;
    if (!run_to_map(injection, &registers))
        return failed(injection, "it does not run");
    attach_test_point("mapped");
    injection->address = registers.rax;
    if ((long)registers.rax < 0 && (long)registers.rax >= -4095) {
        errno = -(int)registers.rax;
        return failed(injection, "cannot map memory in it");
    }
    if (!write_area(injection))
        return failed(injection, "cannot write to it");
    attach_test_point("filled");
    return true;
}

/* Some kernels let only ptrace(2) write, which wants the thread to stand still. Code that is there is not written again:
 * another thread may be in it. */
static bool place_code(struct injection *injection)
{
    struct attach_functions *functions = &injection->functions;
    unsigned char code[4096];
    if (functions->has_code)
        return true;
    if (injection->code.size > sizeof code)
        return false;
    memcpy(code, injection->code.bytes, injection->code.size);
    memcpy(code + injection->code.theirs, functions->theirs, sizeof functions->theirs);
    functions->has_code = write_code(injection, functions->gap, code, injection->code.size) ||
                          poke(injection->thread, functions->gap, code, injection->code.size);
    return functions->has_code || failed(injection, "cannot write to it");
}

/* nanosleep(2) stores what is left when it is stopped, and the program may look at that though the call goes on. */
struct remainder {
    uint64_t address; /* 0: none */
    uint64_t before[2];
};

static struct remainder read_remainder(const struct injection *injection,
                                       const struct attach_thread *thread)
{
    struct remainder remainder = {0};
    if (thread->call == SYS_nanosleep && thread->arguments[1] != thread->arguments[0])
        remainder.address = thread->arguments[1];
    else if (thread->call == SYS_clock_nanosleep && thread->arguments[3] != thread->arguments[2])
        remainder.address = thread->arguments[3];
    if (remainder.address && !attach_process_read(injection->process, remainder.address,
                                                  remainder.before, sizeof remainder.before))
        remainder.address = 0;
    return remainder;
}

enum outcome {
    DONE,
    AGAIN, /* with another thread, or later */
    NEVER, /* the reason says why */
};

static enum outcome outcome_of(const struct injection *injection)
{
    return *injection->process->reason ? NEVER : AGAIN;
}

/* From here on, the thread is ours to let go. */
static enum outcome borrow(struct injection *injection, const struct attach_thread *thread,
                           uint64_t *stopped_ns)
{
    const struct remainder remainder = read_remainder(injection, thread);
    const uint64_t begin_ns = clock_monotonic_ns();
    attach_test_point("seized");
    if (!stop(injection))
        return outcome_of(injection);
    if (remainder.address)
        attach_process_write(injection->process, remainder.address, remainder.before,
                             sizeof remainder.before);
    if (!is_good_place(injection))
        return AGAIN;
    if (has_shadow_stack(injection) || !place_code(injection))
        return NEVER;
    attach_test_point("written");
    const bool done = divert(injection) && run_stub(injection);
    send(injection, PTRACE_DETACH, 0);
    *stopped_ns = clock_monotonic_ns() - begin_ns;
    attach_test_point("detached");
    return done ? DONE : NEVER;
}

/* Another profrun may have the thread: it will not have it for long. */
static enum outcome try_thread(struct injection *injection, const struct attach_thread *thread,
                               uint64_t *stopped_ns)
{
    injection->thread = thread->number;
    if (!attach_thread_is_same(injection->process, thread))
        return AGAIN;
    if (ptrace(PTRACE_SEIZE, thread->number, NULL, (void *)PTRACE_O_TRACESYSGOOD) != 0) {
        const int error = errno;
        if (error == ESRCH || attach_process_is_attached_to(injection->process, thread->number))
            return AGAIN;
        attach_process_explain(injection->process, error);
        return NEVER;
    }
    const enum outcome outcome = borrow(injection, thread, stopped_ns);
    if (outcome != DONE)
        let_go(injection);
    injection->stopped_by = 0;
    return outcome;
}

int attach_ptrace_start(struct attach_process *process, struct attach_area *area, uint64_t *address,
                        uint64_t *stopped_ns)
{
    struct injection injection = {.process = process, .area = area, .code = attach_stub_code()};
    struct attach_watch watch;
    const struct attach_thread *thread;
    enum outcome outcome = AGAIN;
    if (!attach_process_find(process, &injection.code, &injection.functions))
        return STATUS_NOT_EXECUTABLE;
    injection.area_bytes = lay_out(&injection, 0).end;
    attach_watch_begin(&watch, process);
    while (outcome == AGAIN && (thread = attach_watch_next(&watch)))
        outcome = try_thread(&injection, thread, stopped_ns);
    attach_watch_end(&watch);
    *address = injection.address;
    return outcome == DONE ? 0 : STATUS_NOT_EXECUTABLE;
}

#else

int attach_ptrace_start(struct attach_process *process, struct attach_area *area, uint64_t *address,
                        uint64_t *stopped_ns)
{
    (void)area;
    *address = *stopped_ns = 0;
    snprintf(process->reason, sizeof process->reason,
             "on this processor, profrun can attach to Python 3.14 and later only");
    return STATUS_NOT_EXECUTABLE;
}

#endif
