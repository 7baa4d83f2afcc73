#include "attach.h"

#include "attach_process.h"
#include "clock.h"
#include "runopts.h"

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
#include <sys/wait.h>
#include <unistd.h>

/* For tests: kills or stops profrun at the stage that PROFRUN_TEST_KILL or PROFRUN_TEST_STOP
 * names. */
static void attach_test_point(const char *stage)
{
    const char *killed = getenv("PROFRUN_TEST_KILL"), *stopped = getenv("PROFRUN_TEST_STOP");
    if (killed && strcmp(killed, stage) == 0)
        kill(getpid(), SIGKILL);
    if (stopped && strcmp(stopped, stage) == 0)
        kill(getpid(), SIGSTOP);
}

enum {
    STACK_BYTES = 1 << 18,      /* of the first thread, beside what is thread-local */
    BARE_STACK_BYTES = 1 << 16, /* of the bare thread */
    HEAP_BYTES = 1 << 20, /* for the first thread's dtv: 65,000 modules with thread-local storage */
    RUN_MS = 5000,        /* for our code to run, on a machine that is busy */
    AREA_ALIGN = 4096,
    REFUSALS = 3, /* after so many, no other profrun that just detached is the reason */
};

struct injection {
    struct attach_process *process;
    struct attach_functions functions;
    struct attach_code code;
    struct attach_area *area;
    uint64_t area_bytes;
    struct attach_tracee tracee; /* the thread that is borrowed */
    uint64_t address;            /* of the area in the process */
    unsigned refused;            /* how often ptrace(2) returned EPERM */
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

/* ---- the area ---- */

static uint64_t align_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) & ~(to - 1);
}

struct layout {
    uint64_t first_stack, first_stack_bytes; /* from below: after the struct */
    uint64_t bare_stack_end;
    uint64_t block; /* beside thread-local storage, of which the bare thread uses what libc has */
    uint64_t heap;  /* after the block and struct attach_heap */
    uint64_t end;
};

static struct layout lay_out(const struct injection *injection, uint64_t address)
{
    const uint64_t tls_bytes = align_up(injection->functions.tls_bytes, AREA_ALIGN);
    struct layout layout;
    layout.first_stack = address + align_up(sizeof *injection->area, AREA_ALIGN);
    layout.first_stack_bytes = STACK_BYTES + tls_bytes;
    layout.bare_stack_end = layout.first_stack + layout.first_stack_bytes + BARE_STACK_BYTES;
    layout.block =
        layout.bare_stack_end + ATTACH_BELOW_BLOCK + (ATTACH_TLS_IS_BELOW ? tls_bytes : 0);
    layout.heap = layout.block + ATTACH_ABOVE_BLOCK + (ATTACH_TLS_IS_BELOW ? 0 : tls_bytes);
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
    area->thread_id = attach_arch_number_at(functions, layout->block);
    area->stack = layout->bare_stack_end;
    area->heap = layout->heap;
    area->thread_gone =
        address + offsetof(struct attach_area, request) + offsetof(struct attach_request, thread);
    area->bytes = area->request.memory_bytes = injection->area_bytes;
    area->request.memory = address;
    area->request.thread = 1;
    area->holds = attach_arch_is_alone(&injection->tracee);
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
    area->float_state = 0x1f80;
    strcpy(area->entry_name, "libprof_attach");
}

static bool write_heap(const struct injection *injection, const struct layout *layout)
{
    const struct attach_heap heap = {.next = layout->heap};
    return attach_process_write(injection->process, layout->block + (uint64_t)ATTACH_HEAP_AT, &heap,
                                sizeof heap);
}

static bool write_area(struct injection *injection)
{
    const struct layout layout = lay_out(injection, injection->address);
    fill_area(injection, &layout);
    return fill_attributes(injection->area, &layout) && write_heap(injection, &layout) &&
           attach_arch_write_block(&injection->tracee, layout.block) &&
           attach_process_write(injection->process, injection->address, injection->area,
                                sizeof *injection->area);
}

/* ---- the borrowed thread ---- */

enum outcome {
    DONE,
    AGAIN, /* with another thread, or later */
    NEVER, /* the reason says why */
};

static enum outcome outcome_of(const struct injection *injection)
{
    return *injection->process->reason ? NEVER : AGAIN;
}

/* From here on, the thread restores itself, whatever becomes of us. */
static bool divert(struct injection *injection)
{
    struct user_regs_struct registers;
    if (!attach_arch_write_frame(&injection->tracee, injection->area_bytes, &registers))
        return failed(injection, "cannot write to its stack");
    attach_test_point("stopped");
    if (!attach_tracee_set_registers(&injection->tracee, &registers))
        return failed(injection, "cannot set its registers");
    attach_test_point("diverted");
    return true;
}

/* Whether the thread stands at the end of the code's mmap(): handlers of signals make system calls,
 * too. */
static bool is_at_map(struct injection *injection, struct user_regs_struct *registers)
{
    return attach_tracee_get_registers(&injection->tracee, registers) &&
           attach_tracee_is_within(attach_pc(registers), injection->functions.gap,
                                   injection->code.size) &&
           attach_arch_is_at_map(&injection->tracee, registers);
}

/* Signals that come before they are blocked are delivered. */
static enum outcome run_to_map(struct injection *injection, struct user_regs_struct *registers)
{
    const uint64_t end_ns = clock_monotonic_ns() + RUN_MS * 1000000ull;
    struct attach_tracee *tracee = &injection->tracee;
    int status;
    do {
        const bool sent = attach_tracee_send(tracee, PTRACE_SYSCALL, tracee->signal);
        tracee->signal = 0;
        if (!sent || !attach_tracee_await(tracee, &status))
            return NEVER;
        errno = EINTR; /* another process stops it */
        if (status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP)
            return NEVER;
        if (status >> 16) /* by us, before it began to run */
            continue;
        if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
            tracee->signal = WSTOPSIG(status);
            if (attach_arch_take_back(tracee))
                return AGAIN;
        } else if (is_at_map(injection, registers)) {
            return DONE;
        } else {
            attach_test_point("running");
        }
    } while (clock_monotonic_ns() < end_ns);
    errno = ETIMEDOUT;
    return NEVER;
}

/* Up to the end of mmap(): what comes then, the thread does alone. */
static enum outcome run_stub(struct injection *injection)
{
    struct user_regs_struct registers;
    const enum outcome outcome = run_to_map(injection, &registers);
    if (outcome == NEVER)
        failed(injection, "it does not run");
    if (outcome != DONE)
        return outcome;
    const long address = attach_result(&registers);
    attach_test_point("mapped");
    injection->address = (uint64_t)address;
    if (address < 0 && address >= -4095) {
        errno = -(int)address;
        failed(injection, "cannot map memory in it");
    } else if (!write_area(injection)) {
        failed(injection, "cannot write to it");
    } else {
        attach_test_point("filled");
        return DONE;
    }
    return NEVER;
}

/* Some kernels let only ptrace(2) write, which wants the thread to stand still. Code that is there
 * is not written again: another thread may be in it. */
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
    functions->has_code =
        write_code(injection, functions->gap, code, injection->code.size) ||
        poke(injection->tracee.thread, functions->gap, code, injection->code.size);
    return functions->has_code || failed(injection, "cannot write to it");
}

/* From here on, the thread is ours to let go. */
static enum outcome borrow(struct injection *injection, const struct attach_thread *thread,
                           uint64_t *stopped_ns)
{
    const uint64_t begin_ns = clock_monotonic_ns();
    attach_tracee_begin(&injection->tracee, thread);
    attach_test_point("seized");
    if (!attach_tracee_stop(&injection->tracee))
        return outcome_of(injection);
    attach_tracee_restore_remainder(&injection->tracee);
    if (!attach_tracee_is_good_place(&injection->tracee))
        return AGAIN;
    if (!attach_process_has_program(injection->process)) {
        snprintf(injection->process->reason, sizeof injection->process->reason,
                 "it has executed another program in the meantime");
        return NEVER;
    }
    if (attach_arch_has_shadow_stack(&injection->tracee) || !place_code(injection))
        return NEVER;
    attach_test_point("written");
    const enum outcome outcome = divert(injection) ? run_stub(injection) : NEVER;
    attach_tracee_send(&injection->tracee, PTRACE_DETACH, injection->tracee.signal);
    *stopped_ns = clock_monotonic_ns() - begin_ns;
    attach_test_point("detached");
    return outcome;
}

/* Another profrun may be attached to the thread, or have just detached: try again. */
static enum outcome try_thread(struct injection *injection, const struct attach_thread *thread,
                               uint64_t *stopped_ns)
{
    injection->tracee.thread = thread->number;
    if (!attach_thread_is_same(injection->process, thread))
        return AGAIN;
    if (ptrace(PTRACE_SEIZE, thread->number, NULL, (void *)PTRACE_O_TRACESYSGOOD) != 0) {
        const int error = errno;
        if (error == ESRCH || attach_process_is_attached_to(injection->process, thread->number) ||
            (error == EPERM && injection->refused++ < REFUSALS))
            return AGAIN;
        attach_process_explain(injection->process, error);
        return NEVER;
    }
    const enum outcome outcome = borrow(injection, thread, stopped_ns);
    if (outcome != DONE)
        attach_tracee_let_go(&injection->tracee);
    injection->tracee.signal = 0;
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
    attach_test_point("found");
    injection.tracee = (struct attach_tracee){
        .process = process, .functions = &injection.functions, .code_bytes = injection.code.size};
    injection.area_bytes = lay_out(&injection, 0).end;
    attach_watch_begin(&watch, process);
    while (outcome == AGAIN && (thread = attach_watch_next(&watch)))
        outcome = try_thread(&injection, thread, stopped_ns);
    attach_watch_end(&watch);
    *address = injection.address;
    return outcome == DONE ? 0 : STATUS_NOT_EXECUTABLE;
}
