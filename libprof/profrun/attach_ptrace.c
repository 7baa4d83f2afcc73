#include "attach.h"

#include "clock.h"
#include "message.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
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
    STOP_MS = 300,            /* for a thread to stop; longer is one that waits for a disk */
    PAUSE_US = 1000,          /* between two attempts */
    ATTEMPTS = 2000,          /* until a thread is at a good place */
    ATTEMPTS_BEST = 200,      /* until one that is good enough will do */
    CODE_SEGMENT = 0x33,      /* of 64-bit code */
    BLOCK_BYTES = 1 << 16,    /* struct pthread, behind the thread's block */
    STACK_BYTES = 1 << 18,    /* of the bare thread */
    VECTOR_ENTRIES = 1 << 16, /* of its dtv: as many modules with thread-local storage */
    VECTOR_BYTES = VECTOR_ENTRIES * 16,
    AREA_ALIGN = 4096,
};

/* Of a thread's block (tcbhead_t, struct pthread), the same in glibc 2.4 to 2.42. */
enum {
    BLOCK_SELF = 0x10,
    BLOCK_VECTOR = 0x08,
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
    struct attach_area *area;
    uint64_t area_bytes;
    size_t code_bytes;
    pid_t thread; /* the one that is borrowed */
    struct user_regs_struct registers;
    uint64_t address;   /* of the area in the process */
    bool threads_alone; /* the process has one thread */
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
static bool await_stop(struct injection *injection, int *status)
{
    const uint64_t end_ns = clock_monotonic_ns() + STOP_MS * 1000000ull;
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
        return failed(injection, "cannot stop it");
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

/* Of Linux 5.13 and 5.11; the headers of Debian 11, where wheels are built, are older. */
enum { GET_RSEQ_CONFIGURATION = 0x420f, NUMBER_EPOLL_PWAIT2 = 441 };

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

/* With a single thread, libc leaves out locks in code that is entered now and left later, and the loader does, too. */
static bool is_between_locks(const struct injection *injection, int attempt)
{
    const struct attach_functions *functions = &injection->functions;
    const uint64_t at = injection->registers.rip;
    if (is_within(at, functions->loader_begin, functions->loader_end) ||
        is_within(at, functions->gap, functions->gap + injection->code_bytes))
        return false;
    return !injection->threads_alone || is_interrupted_call(&injection->registers) ||
           attempt > ATTEMPTS_BEST || !is_within(at, functions->libc_begin, functions->libc_end);
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

/* Some calls fail with EINTR when the thread is stopped, though no signal has come. Nothing has happened in them: the
 * kernel is told to make them again unless there is a signal. Their timeout begins anew. */
static bool is_cut_short(const struct user_regs_struct *registers)
{
    static const unsigned short calls[] = {
        SYS_read,         SYS_readv,         SYS_accept,     SYS_accept4,     SYS_recvfrom,
        SYS_recvmsg,      SYS_semop,         SYS_semtimedop, SYS_msgrcv,      SYS_rt_sigtimedwait,
        SYS_io_getevents, SYS_io_pgetevents, SYS_epoll_wait, SYS_epoll_pwait, NUMBER_EPOLL_PWAIT2,
        SYS_recvmmsg,     SYS_io_uring_enter};
    if ((long)registers->rax != -EINTR)
        return false;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (registers->orig_rax == calls[i])
            return true;
    return false;
}

/* A system call is made again by its instruction. */
static bool can_resume(struct injection *injection)
{
    unsigned char instruction[2] = {0};
    return !is_interrupted_call(&injection->registers) ||
           (attach_process_read(injection->process, injection->registers.rip - 2, instruction, 2) &&
            instruction[0] == 0x0f && instruction[1] == 0x05);
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

static bool is_good_place(struct injection *injection, int attempt)
{
    return look(injection) && injection->registers.cs == CODE_SEGMENT &&
           is_between_locks(injection, attempt) && is_known_thread(injection) &&
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

/* Stops the thread at a good place. */
static bool stop_at_good_place(struct injection *injection, uint64_t *stopped_at_ns)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        *stopped_at_ns = clock_monotonic_ns();
        if (!stop(injection))
            return false;
        if (is_good_place(injection, attempt))
            return true;
        if (!send(injection, PTRACE_CONT, 0))
            return failed(injection, "cannot continue it");
        clock_pause(PAUSE_US);
    }
    return false;
}

/* ---- the area ---- */

static uint64_t align_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) & ~(to - 1);
}

/* From below: the struct, the dtv, the bare thread's stack, its thread-local storage, its block. */
static uint64_t area_block(const struct injection *injection, uint64_t address)
{
    return address + align_up(sizeof *injection->area, AREA_ALIGN) + VECTOR_BYTES + STACK_BYTES +
           align_up(injection->functions.tls_bytes, AREA_ALIGN);
}

static void fill_area(struct injection *injection)
{
    const struct attach_functions *functions = &injection->functions;
    struct attach_area *area = injection->area;
    const uint64_t address = injection->address, block = area_block(injection, address);
    area->magic = ATTACH_MAGIC;
    area->thread_block = block;
    area->thread_id = block + BLOCK_THREAD;
    area->stack = block - align_up(functions->tls_bytes, AREA_ALIGN);
    area->thread_gone =
        address + offsetof(struct attach_area, request) + offsetof(struct attach_request, thread);
    area->bytes = area->request.memory_bytes = injection->area_bytes;
    area->request.memory = address;
    area->request.thread = 1;
    area->tls_init = functions->tls_init;
    area->create = functions->create;
    area->detach = functions->detach;
    area->dlopen = functions->dlopen;
    area->dlsym = functions->dlsym;
    area->dlerror = functions->dlerror;
    area->dlopen_flags = functions->dlopen_flags;
    area->pause[0] = 2;
    area->float_state = 0x1f80;
    strcpy(area->entry_name, "libprof_attach");
}

/* The bare thread's block, of which the loader needs the dtv, and libc the rest. */
static bool write_block(struct injection *injection)
{
    const uint64_t block = injection->area->thread_block;
    const uint64_t vector = injection->address + align_up(sizeof *injection->area, AREA_ALIGN);
    const uint64_t entries = VECTOR_ENTRIES - 2, other = injection->registers.fs_base;
    uint64_t guards[2], head[3] = {block, vector + 16, block};
    uint32_t features;
    return attach_process_read(injection->process, other + BLOCK_GUARDS, guards, sizeof guards) &&
           attach_process_read(injection->process, other + BLOCK_FEATURES, &features,
                               sizeof features) &&
           attach_process_write(injection->process, vector, &entries, sizeof entries) &&
           attach_process_write(injection->process, block, head, sizeof head) &&
           attach_process_write(injection->process, block + BLOCK_GUARDS, guards, sizeof guards) &&
           attach_process_write(injection->process, block + BLOCK_FEATURES, &features,
                                sizeof features);
}

static bool write_area(struct injection *injection)
{
    fill_area(injection);
    return write_block(injection) && attach_process_write(injection->process, injection->address,
                                                          injection->area, sizeof *injection->area);
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
           is_within(registers->rip, gap, gap + injection->code_bytes) &&
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

/* Some kernels let only ptrace(2) write, which wants the thread to stand still. */
static bool place_code(struct injection *injection)
{
    size_t bytes;
    const void *code = attach_stub_code(&bytes);
    if (write_code(injection, injection->functions.gap, code, bytes))
        return true;
    if (!stop(injection) || !poke(injection->thread, injection->functions.gap, code, bytes))
        return failed(injection, "cannot write to it");
    return send(injection, PTRACE_CONT, 0);
}

static bool borrow(struct injection *injection, uint64_t *stopped_ns)
{
    uint64_t begin_ns;
    attach_test_point("seized");
    if (!place_code(injection))
        return false;
    attach_test_point("written");
    if (!stop_at_good_place(injection, &begin_ns) || has_shadow_stack(injection))
        return false;
    const bool done = divert(injection) && run_stub(injection);
    send(injection, PTRACE_DETACH, 0);
    *stopped_ns = clock_monotonic_ns() - begin_ns;
    attach_test_point("detached");
    return done;
}

/* ---- which thread ---- */

/* Whoever is traced and not stopped is let go when we end; others at once. */
static void let_go(struct injection *injection)
{
    int status;
    if (send(injection, PTRACE_DETACH, 0))
        return;
    if (send(injection, PTRACE_INTERRUPT, 0) && await_stop(injection, &status))
        send(injection, PTRACE_DETACH, 0);
}

static bool try_thread(struct injection *injection, pid_t thread, uint64_t *stopped_ns)
{
    injection->thread = thread;
    if (ptrace(PTRACE_SEIZE, thread, NULL, (void *)PTRACE_O_TRACESYSGOOD) != 0) {
        if (errno != ESRCH ||
            !attach_process_exists(injection->process)) /* else the thread has ended */
            attach_process_explain(injection->process, errno);
        return false;
    }
    if (borrow(injection, stopped_ns))
        return true;
    let_go(injection);
    return false;
}

/* The main thread is tried first: /proc lists it first. Another one is if that waits where it cannot be stopped. */
static bool try_threads(struct injection *injection, uint64_t *stopped_ns)
{
    char path[64];
    bool done = false;
    snprintf(path, sizeof path, "/proc/%d/task", (int)injection->process->pid);
    DIR *threads = opendir(path);
    for (struct dirent *entry = threads ? readdir(threads) : NULL;
         entry && !done && !*injection->process->reason; entry = readdir(threads))
        if (*entry->d_name != '.')
            done = try_thread(injection, (pid_t)strtol(entry->d_name, NULL, 10), stopped_ns);
    if (threads)
        closedir(threads);
    return done;
}

static unsigned count_threads(pid_t pid)
{
    char path[64];
    unsigned count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    while (threads && readdir(threads))
        count++;
    if (threads)
        closedir(threads);
    return count > 2 ? count - 2 : 0;
}

int attach_ptrace_start(struct attach_process *process, struct attach_area *area, uint64_t *address,
                        uint64_t *stopped_ns)
{
    struct injection injection = {.process = process, .area = area};
    const void *code = attach_stub_code(&injection.code_bytes);
    if (!attach_process_find(process, code, injection.code_bytes, &injection.functions))
        return STATUS_NOT_EXECUTABLE;
    injection.area_bytes = area_block(&injection, 0) + BLOCK_BYTES;
    injection.threads_alone = count_threads(process->pid) == 1;
    const bool started = try_threads(&injection, stopped_ns);
    *address = injection.address;
    if (!started && !*process->reason)
        snprintf(process->reason, sizeof process->reason,
                 "none of its threads reached a point where it can be interrupted");
    return started ? 0 : STATUS_NOT_EXECUTABLE;
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
