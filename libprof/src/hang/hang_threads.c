/* hang_threads.c - a thread that waits in the kernel is unwound from where /proc says it is, without disturbing it. Where
 * that is not enough, a signal has the thread publish its registers and wait until it is unwound:
 *
 *     NONE --watcher asks--> ASKED --handler--> ANSWERED --watcher, after unwinding--> NONE
 *                              '--watcher, after HANG_ANSWER_MS--> NONE: a late handler finds nothing to do
 *
 * The signal is a real-time signal that the program leaves alone. Its handler stays: a thread that is late must find it.
 * System calls that a handler ends with EINTR, whatever SA_RESTART says, are never interrupted, nor calls that /proc does not
 * name. A thread that was computing may begin one just then.
 */
#include "hang_threads.h"
#include "atomic.h"
#include "clock.h"
#include "hang_inside.h"
#include "process.h"
#include "unwind.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define HANG_FRAMES 64u
#define HANG_ANSWER_MS 200u
#define HANG_HOLD_MS 1000u
#define HANG_THREADS_MAX 4096u
#define HANG_FUTEX_LOCK_PI2 13u /* Linux 5.14 */

enum hang_answer { HANG_NONE, HANG_ASKED, HANG_ANSWERED };

static struct {
    uint32_t state;                    /* enum hang_answer */
    uint32_t tid;                      /* watcher writes before ASKED */
    struct unwind_registers registers; /* handler writes before ANSWERED */
    int signal;                        /* 0: none chosen, -1: none to be had */
} hang_ask;

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
    registers->known = (1u << UNWIND_REGISTERS) - 1;
}
#else
void hang_copy_registers(const void *handler_context, struct unwind_registers *registers)
{
    const ucontext_t *context = handler_context;
    registers->value[UNWIND_RSP] = (uint64_t)context->uc_mcontext.sp;
    registers->value[UNWIND_PC] = (uint64_t)context->uc_mcontext.pc;
    registers->known = 1u << UNWIND_RSP | 1u << UNWIND_PC;
}
#endif

static void hang_handle(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    int saved_errno = errno;
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    if (load_acquire(&hang_ask.state) == HANG_ASKED && load_relaxed(&hang_ask.tid) == tid) {
        hang_copy_registers(context, &hang_ask.registers);
        uint32_t asked = HANG_ASKED;
        if (cas_acq_rel(&hang_ask.state, &asked, (uint32_t)HANG_ANSWERED))
            for (unsigned i = 0;
                 i < HANG_HOLD_MS && load_acquire(&hang_ask.state) == HANG_ANSWERED &&
                 load_relaxed(&hang_ask.tid) == tid;
                 i++)
                clock_pause(1000);
    }
    errno = saved_errno;
}

int hang_choose_signal(void (*handler)(int, siginfo_t *, void *))
{
    for (int number = SIGRTMAX - 1; number > SIGRTMIN; number--) {
        struct sigaction now,
            ours = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
        if (sigaction(number, NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO) ||
            now.sa_handler != SIG_DFL)
            continue;
        sigfillset(&ours.sa_mask);
        return sigaction(number, &ours, NULL) == 0 ? number : -1;
    }
    return -1;
}

/* ---- what /proc says of a thread ---- */

struct hang_thread {
    uint32_t tid;
    char name[32];
    char state;        /* R, S, D, T, ... */
    char waits_in[64]; /* the kernel's function; "" unknown */
    long call;         /* number of the system call, -1 none, -2 unknown or running */
    uint64_t arguments[HANG_ARGUMENTS]; /* of the call, the first ones */
    bool blocks;                        /* our signal */
    struct unwind_registers registers;
};

size_t hang_read_task(uint32_t tid, const char *name, char *to, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%u/%s", tid, name);
    return process_read_file(path, to, size);
}

bool hang_mask_has(const char *status, const char *field, int number)
{
    const char *at = strstr(status, field);
    return at && (strtoull(at + strlen(field), NULL, 16) >> (number - 1) & 1);
}

/* "NR ARG0 ... ARG5 SP PC", or "-1 SP PC", or "running". */
long hang_read_call(uint32_t tid, struct unwind_registers *registers, uint64_t *arguments)
{
    char text[256], *at;
    registers->known = 0;
    hang_read_task(tid, "syscall", text, sizeof text);
    if ((*text < '0' || *text > '9') && *text != '-')
        return -2;
    long number = strtol(text, &at, 10);
    for (int i = 0; number >= 0 && i < 6; i++) {
        uint64_t argument = strtoull(at, &at, 16);
        if (i < HANG_ARGUMENTS && arguments)
            arguments[i] = argument;
    }
    uint64_t stack = strtoull(at, &at, 16), pc = strtoull(at, &at, 16);
    if (!pc)
        return -2;
    registers->value[UNWIND_RSP] = stack;
    registers->value[UNWIND_PC] = pc;
    registers->known = 1u << UNWIND_RSP | 1u << UNWIND_PC;
    return number;
}

static bool hang_read_thread(uint32_t tid, struct hang_thread *thread)
{
    char text[4096];
    *thread = (struct hang_thread){.tid = tid, .state = '?'};
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
    if (hang_read_task(tid, "status", text, sizeof text) && hang_ask.signal > 0)
        thread->blocks = hang_mask_has(text, "SigBlk:", hang_ask.signal);
    thread->call = hang_read_call(tid, &thread->registers, thread->arguments);
    return true;
}

static bool hang_is_thread(uint32_t tid)
{
    return tid && syscall(SYS_tgkill, getpid(), tid, 0) == 0;
}

/* Who has the mutex that the thread waits for, as glibc lays mutexes out: a word that is 2 while one waits, or has the owner and
 * a flag, then a count, then the owner. 0: it waits for something else. */
static uint32_t hang_lock_owner(const struct hang_thread *thread)
{
    uint32_t words[3], owner = 0;
    unsigned operation = (unsigned)thread->arguments[1] & (unsigned)FUTEX_CMD_MASK;
    if (thread->call != SYS_futex || !unwind_copy(words, thread->arguments[0], sizeof words))
        return 0;
    bool waits = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
    if (operation == FUTEX_LOCK_PI || operation == HANG_FUTEX_LOCK_PI2 ||
        (waits && (words[0] & FUTEX_WAITERS) && (words[0] & FUTEX_TID_MASK) == words[2]))
        owner = words[0] & FUTEX_TID_MASK;
    else if (waits && words[0] == 2)
        owner = words[2];
    return hang_is_thread(owner) ? owner : 0;
}

/* signal(7): these fail with EINTR after any handler. */
static bool hang_is_always_interrupted(long call)
{
    static const short calls[] = {
        SYS_ppoll,
        SYS_epoll_pwait,
        SYS_pselect6,
        SYS_nanosleep,
        SYS_clock_nanosleep,
        SYS_rt_sigsuspend,
        SYS_rt_sigtimedwait,
        SYS_semop,
        SYS_semtimedop,
        SYS_msgrcv,
        SYS_msgsnd,
        SYS_io_getevents,
        SYS_recvmmsg,
        SYS_recvfrom,
        SYS_recvmsg,
        SYS_accept,
        SYS_accept4,
        SYS_connect,
        SYS_sendto,
        SYS_sendmsg,
#if defined(__x86_64__)
        SYS_poll,
        SYS_epoll_wait,
        SYS_select,
        SYS_pause,
#endif
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (call == calls[i])
            return true;
    return false;
}

/* ---- native stacks ---- */

/* A futex wait is restarted unless it has a timeout; then sem_timedwait(3), for one, fails with EINTR. */
static bool hang_is_restarted(const struct hang_thread *thread)
{
    return thread->call >= 0 && thread->call != SYS_restart_syscall &&
           !hang_is_always_interrupted(thread->call) &&
           !(thread->call == SYS_futex && thread->arguments[3]);
}

static bool hang_may_interrupt(const struct hang_thread *thread)
{
    bool outside = thread->state == 'R' || thread->call == -1;
    return hang_ask.signal > 0 && !thread->blocks && strchr("RS", thread->state) &&
           (outside || hang_is_restarted(thread));
}

/* The thread waits in the handler until hang_release(). */
static bool hang_ask_registers(uint32_t tid, struct unwind_registers *registers)
{
    store_relaxed(&hang_ask.tid, tid);
    store_release(&hang_ask.state, (uint32_t)HANG_ASKED);
    if (syscall(SYS_tgkill, getpid(), tid, hang_ask.signal) == 0)
        for (unsigned i = 0; i < HANG_ANSWER_MS; i++) {
            if (load_acquire(&hang_ask.state) == HANG_ANSWERED) {
                *registers = hang_ask.registers;
                return true;
            }
            clock_pause(1000);
        }
    uint32_t asked = HANG_ASKED;
    if (cas_acq_rel(&hang_ask.state, &asked, (uint32_t)HANG_NONE))
        return false;
    *registers = hang_ask.registers;
    return true;
}

static void hang_release(void)
{
    store_release(&hang_ask.state, (uint32_t)HANG_NONE);
}

static void hang_add_frames(const uint64_t *addresses, unsigned count, bool complete)
{
    for (unsigned i = 0; i < count; i++) {
        const char *path;
        uint64_t offset;
        if (unwind_locate(addresses[i], &path, &offset))
            hang_text_add("  %s+0x%llx\n", path, (unsigned long long)offset);
        else
            hang_text_add("  0x%llx\n", (unsigned long long)addresses[i]);
    }
    if (!complete)
        hang_text_add("  ...\n");
}

static void hang_add_thread(uint32_t tid)
{
    struct hang_thread thread;
    uint64_t addresses[HANG_FRAMES];
    bool complete = false, asked = false, answered = false;
    unsigned count = 0;
    if (!hang_read_thread(tid, &thread))
        return;
    if (thread.registers.known)
        count = unwind_stack(&thread.registers, addresses, HANG_FRAMES, &complete);
    if (!complete && count < HANG_FRAMES && (asked = hang_may_interrupt(&thread))) {
        struct unwind_registers registers;
        answered = hang_ask_registers(tid, &registers);
        if (answered) {
            count = unwind_stack(&registers, addresses, HANG_FRAMES, &complete);
            hang_release();
        }
    }
    hang_text_add("thread tid=%u state=%c call=%ld wchan=%s%s name=", tid, thread.state,
                  thread.call, *thread.waits_in ? thread.waits_in : "-",
                  asked && !answered ? " no-answer"
                  : thread.blocks    ? " blocks-signal"
                                     : "");
    hang_text_add_quoted(thread.name);
    uint32_t owner = hang_lock_owner(&thread);
    if (owner)
        hang_text_add(" mutex=0x%llx owner=%u", (unsigned long long)thread.arguments[0], owner);
    hang_text_add("\n");
    hang_add_frames(addresses, count, complete);
}

/* ---- all threads ---- */

struct hang_tids {
    uint32_t *at;
    unsigned count, limit;
};

static void hang_list_thread(void *list, const char *name)
{
    struct hang_tids *tids = list;
    uint32_t tid = (uint32_t)strtoul(name, NULL, 10);
    if (tid && tids->count < tids->limit)
        tids->at[tids->count++] = tid;
}

unsigned hang_list_threads(uint32_t *tids, unsigned limit)
{
    struct hang_tids list = {tids, 0, limit};
    int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    process_each_entry(fd, hang_list_thread, &list);
    close(fd);
    return list.count;
}

void hang_threads_add(void)
{
    static uint32_t tids[HANG_THREADS_MAX];
    if (!hang_ask.signal)
        hang_ask.signal = hang_choose_signal(hang_handle);
    unwind_lock();
    if (!unwind_prepare())
        hang_text_add("no-maps\n");
    unsigned count = hang_list_threads(tids, HANG_THREADS_MAX);
    uint32_t self = (uint32_t)syscall(SYS_gettid);
    for (unsigned i = 0; i < count; i++)
        if (tids[i] != self)
            hang_add_thread(tids[i]);
    unwind_unlock();
}
