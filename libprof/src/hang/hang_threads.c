/* hang_threads.c - a thread that waits in the kernel is unwound from where /proc says it is,
 * without disturbing it. If it did anything meanwhile, which its CPU time shows, that is done
 * again. Where this does not work, a signal has the thread publish its registers and wait until it
 * is unwound:
 *
 *     NONE --watcher asks--> ASKED --handler--> ANSWERED --watcher, after unwinding--> NONE
 *                              '--watcher, after HANG_ANSWER_MS--> NONE: a late handler finds
 *                                                                  nothing to do
 *
 * Only two kinds of threads are sent a signal, as it would end other system calls: a thread that
 * runs, which a timer interrupts (own_signal.h), and one that waits in a futex without a timeout.
 */
#include "hang.h"

#include "atomic.h"
#include "clock.h"
#include "futex_wait.h"
#include "hang_inside.h"
#include "number.h"
#include "own_files.h"
#include "own_signal.h"
#include "own_thread.h"
#include "process.h"
#include "unwind.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define HANG_FRAMES 64u
#define HANG_ANSWER_MS 2000u     /* on a busy machine, a thread that runs waits for a processor */
#define HANG_NEXT_ANSWER_MS 200u /* once one has not answered */
#define HANG_HOLD_MS 1000u
#define HANG_TICK_NS 1000000u /* CPU time until a thread that runs is interrupted */
#define HANG_THREADS_MAX 4096u
#define HANG_COUNTED_MAX 256u
#define HANG_CALL_CLONE3 435 /* Linux 5.3; the same number on each processor */

enum hang_answer { HANG_NONE, HANG_ASKED, HANG_ANSWERED };

static struct {
    uint32_t state;                    /* enum hang_answer */
    uint32_t tid;                      /* watcher writes before ASKED */
    struct unwind_registers registers; /* handler writes before ANSWERED */
} hang_ask;

static bool hang_missed_answer; /* of this dump; the watcher's */
static bool hang_has_python;    /* the same */

/* ---- registers ---- */

#if defined(__x86_64__)
void hang_copy_registers(const void *handler_context, struct unwind_registers *registers)
{
    const ucontext_t *context = handler_context;
    static const uint8_t order[UNWIND_REGISTERS] = {
        REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
        REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
        registers->value[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
    registers->known = UNWIND_BIT(UNWIND_REGISTERS) - 1;
}
#else
void hang_copy_registers(const void *handler_context, struct unwind_registers *registers)
{
    const ucontext_t *context = handler_context;
    for (unsigned i = 0; i < UNWIND_SP; i++)
        registers->value[i] = context->uc_mcontext.regs[i];
    registers->value[UNWIND_SP] = context->uc_mcontext.sp;
    registers->value[UNWIND_PC] = context->uc_mcontext.pc;
    registers->known = UNWIND_BIT(UNWIND_REGISTERS) - 1;
}
#endif

static void hang_handle(void *ask, const void *context)
{
    uint32_t tid = (uint32_t)syscall(SYS_gettid), asked = HANG_ASKED;
    (void)ask;
    if (load_acquire(&hang_ask.state) != HANG_ASKED || load_relaxed(&hang_ask.tid) != tid)
        return;
    hang_copy_registers(context, &hang_ask.registers);
    if (!cas_acq_rel(&hang_ask.state, &asked, (uint32_t)HANG_ANSWERED))
        return;
    for (unsigned i = 0; i < HANG_HOLD_MS && load_acquire(&hang_ask.state) == HANG_ANSWERED &&
                         load_relaxed(&hang_ask.tid) == tid;
         i++)
        clock_pause(1000);
}

/* ---- what /proc says of a thread ---- */

struct hang_thread {
    uint32_t tid;
    char name[32];
    char state;        /* R, S, D, T, ... */
    char waits_in[64]; /* the kernel's function; "" unknown */
    long call;         /* hang_read_call() */
    uint64_t arguments[HANG_ARGUMENTS];
    struct unwind_registers registers;
};

size_t hang_read_task(uint32_t tid, const char *name, char *to, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%u/%s", tid, name);
    return own_files_look_into(path, to, size);
}

bool hang_is_thread(uint32_t tid)
{
    return tid && syscall(SYS_tgkill, getpid(), tid, 0) == 0;
}

/* "NR ARG0 ... ARG5 SP PC", or "-1 SP PC", or "running". */
long hang_read_call(uint32_t tid, struct unwind_registers *registers, uint64_t *arguments)
{
    char text[256];
    const char *at = text;
    registers->known = 0;
    hang_read_task(tid, "syscall", text, sizeof text);
    if ((*text < '0' || *text > '9') && *text != '-')
        return HANG_CALL_UNKNOWN;
    long number = -1;
    if (*at == '-')
        at += strlen("-1");
    else
        number = (long)number_next(&at, 10);
    for (int i = 0; number >= 0 && i < HANG_ARGUMENTS; i++) {
        uint64_t argument = number_next(&at, 16);
        if (arguments)
            arguments[i] = argument;
    }
    uint64_t stack = number_next(&at, 16), pc = number_next(&at, 16);
    if (!pc)
        return HANG_CALL_UNKNOWN;
    registers->value[UNWIND_SP] = stack;
    registers->value[UNWIND_PC] = pc;
    registers->known = UNWIND_BIT(UNWIND_SP) | UNWIND_BIT(UNWIND_PC);
    return number;
}

/* False: it has ended. */
static bool hang_read_thread(uint32_t tid, struct hang_thread *thread)
{
    char text[1024];
    *thread = (struct hang_thread){.tid = tid, .state = '?', .call = HANG_CALL_UNKNOWN};
    if (!hang_read_task(tid, "stat", text, sizeof text))
        return false;
    char *name = strchr(text, '('), *end = strrchr(text, ')');
    if (!name || !end || end < name)
        return false;
    snprintf(thread->name, sizeof thread->name, "%.*s", (int)(end - name - 1), name + 1);
    thread->state = end[1] ? end[2] : '?';
    hang_read_task(tid, "wchan", thread->waits_in, sizeof thread->waits_in);
    if (strcmp(thread->waits_in, "0") == 0)
        thread->waits_in[0] = '\0';
    thread->call = hang_read_call(tid, &thread->registers, thread->arguments);
    return true;
}

/* The owner of the mutex that the thread waits for, by glibc's layout of mutexes: a word that is 2
 * while one waits, or has the owner and a flag, then a count, then the owner. 0: it waits for
 * something else. */
static uint32_t hang_lock_owner(const struct hang_thread *thread)
{
    uint32_t words[3], owner = 0;
    unsigned operation = (unsigned)thread->arguments[1] & (unsigned)FUTEX_CMD_MASK;
    if (thread->call != SYS_futex || !unwind_copy(words, thread->arguments[0], sizeof words))
        return 0;
    bool waits = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
    if (operation == FUTEX_LOCK_PI || operation == FUTEX_WAIT_OPERATION_PI2 ||
        (waits && (words[0] & FUTEX_WAITERS) && (words[0] & FUTEX_TID_MASK) == words[2]))
        owner = words[0] & FUTEX_TID_MASK;
    else if (waits && words[0] == 2)
        owner = words[2];
    return hang_is_thread(owner) ? owner : 0;
}

/* The lock that the thread waits for, if its owner is known. */
static void hang_add_lock(const struct hang_thread *thread)
{
    struct hang_python_lock lock;
    uint32_t owner = hang_lock_owner(thread);
    if (owner)
        hang_text_add(" mutex=0x%llx owner=%u", (unsigned long long)thread->arguments[0], owner);
    else if (hang_has_python && thread->call == SYS_futex &&
             hang_python_find_lock(thread->arguments[0], thread->registers.value[UNWIND_SP], &lock))
        hang_text_add(" mutex=0x%llx owner=%u rlock=0x%llx", (unsigned long long)lock.address,
                      lock.owner, (unsigned long long)lock.owner_thread);
}

/* ---- native stacks ---- */

struct hang_stack {
    uint64_t addresses[HANG_FRAMES];
    unsigned count;
    bool complete;
};

static void hang_unwind(const struct unwind_registers *registers, struct hang_stack *stack)
{
    stack->count = unwind_stack(registers, stack->addresses, HANG_FRAMES, &stack->complete);
}

/* What /proc says, and the stack as far as that leads. False: the thread ran before both were
 * read. */
static bool hang_take_wait(uint32_t tid, struct hang_thread *thread, struct hang_stack *stack)
{
    uint64_t cpu_ns = thread_clock_ns(tid);
    stack->count = 0;
    if (!hang_read_thread(tid, thread) || thread->call == HANG_CALL_UNKNOWN)
        return false;
    hang_unwind(&thread->registers, stack);
    return thread_clock_ns(tid) == cpu_ns;
}

static void hang_begin_ask(uint32_t tid)
{
    store_relaxed(&hang_ask.tid, tid);
    store_release(&hang_ask.state, (uint32_t)HANG_ASKED);
}

/* Takes the question back. Whether it was answered before: then the thread waits in the handler
 * until it is unwound. */
static bool hang_end_ask(struct hang_stack *stack)
{
    uint32_t asked = HANG_ASKED;
    if (cas_acq_rel(&hang_ask.state, &asked, (uint32_t)HANG_NONE))
        return false;
    hang_unwind(&hang_ask.registers, stack);
    store_release(&hang_ask.state, (uint32_t)HANG_NONE);
    return true;
}

static uint64_t hang_answer_end_ns(void)
{
    return clock_monotonic_ns() +
           (hang_missed_answer ? HANG_NEXT_ANSWER_MS : HANG_ANSWER_MS) * 1000000ull;
}

static bool hang_has_answer(uint64_t end_ns)
{
    while (load_acquire(&hang_ask.state) != HANG_ANSWERED) {
        if (clock_monotonic_ns() >= end_ns)
            return false;
        clock_pause(1000);
    }
    return true;
}

static bool hang_may_send(uint32_t tid)
{
    char status[4096];
    return !own_thread_is(tid) && own_signal_prepare() &&
           hang_read_task(tid, "status", status, sizeof status) && !own_signal_is_blocked(status);
}

/* A thread that runs is interrupted, unless it is found waiting before. False: neither in time. */
static bool hang_take_running(uint32_t tid, struct hang_thread *thread, struct hang_stack *stack)
{
    uint64_t end_ns = hang_answer_end_ns();
    bool waits = false, answered;
    int timer = -1;
    hang_begin_ask(tid);
    if (hang_may_send(tid) && own_signal_timer_begin(tid, &hang_ask, HANG_TICK_NS, &timer) != 0)
        timer = -1;
    while (!waits && !hang_has_answer(clock_monotonic_ns() + HANG_TICK_NS) &&
           clock_monotonic_ns() < end_ns && hang_is_thread(tid) && !strchr("ZX", thread->state))
        waits = hang_take_wait(tid, thread, stack);
    if (timer >= 0)
        own_signal_timer_end(timer);
    answered = hang_end_ask(stack);
    return answered || waits;
}

/* Registers that /proc does not show, of a thread that waits. False: it did not answer. */
static bool hang_take_waiting(uint32_t tid, struct hang_stack *stack)
{
    hang_begin_ask(tid);
    if (own_signal_send(tid, &hang_ask))
        hang_has_answer(hang_answer_end_ns());
    return hang_end_ask(stack);
}

static void hang_add_frames(const struct hang_stack *stack)
{
    for (unsigned i = 0; i < stack->count; i++) {
        const char *path;
        uint64_t offset;
        if (unwind_locate(stack->addresses[i], &path, &offset))
            hang_text_add("  %s+0x%llx\n", path, (unsigned long long)offset);
        else
            hang_text_add("  0x%llx\n", (unsigned long long)stack->addresses[i]);
    }
    if (!stack->complete)
        hang_text_add("  ...\n");
}

static void hang_add_thread(uint32_t tid)
{
    struct hang_thread thread;
    struct hang_stack stack = {.count = 0};
    bool answered = true;
    if (!hang_take_wait(tid, &thread, &stack))
        answered = own_files_are_read_by(tid) || hang_take_running(tid, &thread, &stack);
    else if (!stack.complete && stack.count < HANG_FRAMES && hang_may_send(tid) &&
             futex_wait_is_endless(thread.call, thread.arguments))
        answered = hang_take_waiting(tid, &stack);
    if (!hang_is_thread(tid))
        return;
    hang_missed_answer |= !answered;
    hang_text_add("thread tid=%u state=%c call=%ld wchan=%s%s name=", tid, thread.state,
                  thread.call, *thread.waits_in ? thread.waits_in : "-",
                  answered ? "" : " no-answer");
    hang_text_add_quoted(thread.name);
    hang_add_lock(&thread);
    hang_text_add("\n");
    hang_add_frames(&stack);
}

/* ---- all threads ---- */

struct hang_tids {
    uint32_t *at;
    unsigned count, limit;
};

static void hang_list_thread(void *list, const char *name)
{
    struct hang_tids *tids = list;
    uint32_t tid = (uint32_t)number_next(&name, 10);
    if (tid && tids->count < tids->limit)
        tids->at[tids->count++] = tid;
}

static void hang_list_now(void *list)
{
    int fd = own_files_open("/proc/self/task", O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return;
    process_each_entry(fd, hang_list_thread, list);
    syscall(SYS_close, fd);
}

unsigned hang_list_threads(uint32_t *tids, unsigned limit)
{
    struct hang_tids list = {tids, 0, limit};
    own_files_look(hang_list_now, &list);
    return list.count;
}

/* For its end, for a signal of that, for it to execute a program, or for what it writes. */
static bool hang_awaits_child(uint32_t tid, long call)
{
    static const long calls[] = {
        SYS_wait4,
        SYS_waitid,
        SYS_rt_sigsuspend,
        SYS_clone,
        HANG_CALL_CLONE3,
#if defined(__x86_64__)
        SYS_pause,
        SYS_vfork,
#endif
    };
    char children[64];
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (call == calls[i])
            return true;
    return call == SYS_read && hang_read_task(tid, "children", children, sizeof children);
}

/* A main thread that has left is neither. */
static void hang_count_thread(uint32_t tid, struct hang_crowd *crowd)
{
    struct hang_thread thread;
    if (own_thread_is(tid) || !hang_read_thread(tid, &thread) || strchr("ZX", thread.state))
        return;
    if (thread.call == HANG_CALL_UNKNOWN)
        crowd->run++;
    else if (!hang_awaits_child(tid, thread.call))
        crowd->wait++;
}

struct hang_crowd hang_count_threads(void)
{
    uint32_t tids[HANG_COUNTED_MAX];
    struct hang_crowd crowd = {0, 0};
    unsigned count = hang_list_threads(tids, HANG_COUNTED_MAX);
    for (unsigned i = 0; i < count; i++)
        hang_count_thread(tids[i], &crowd);
    return crowd;
}

void hang_threads_add(void)
{
    static uint32_t tids[HANG_THREADS_MAX];
    hang_missed_answer = false;
    own_signal_use(OWN_SIGNAL_HANG, &hang_ask, sizeof hang_ask, hang_handle);
    unwind_lock();
    if (!unwind_prepare())
        hang_text_add("no-maps\n");
    hang_has_python = unwind_find_python("PyInterpreterState_Main") != NULL;
    unsigned count = hang_list_threads(tids, HANG_THREADS_MAX);
    uint32_t self = (uint32_t)syscall(SYS_gettid);
    for (unsigned i = 0; i < count; i++)
        if (tids[i] != self)
            hang_add_thread(tids[i]);
    unwind_unlock();
}
