/* sample_signal.c - a CPU-time timer for each thread of the program, and the handler that copies what it was doing.
 *
 * The handler takes no lock, allocates nothing, and reads memory through the kernel. It leaves alone a signal that no timer of
 * ours sent. Where the program waits in a system call that no SA_RESTART restarts (signal(7): poll, select, sleeps), the call
 * may fail with EINTR: only if the timer fires on the call's own way to its wait, since a thread that waits uses no CPU time.
 */
#include "sample_inside.h"

#include "atomic.h"
#include "clock.h"
#include "cost.h"
#include "hang_threads.h"
#include "process.h"
#include "recorder.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define SAMPLE_PAGE_BYTES 4096u

struct sample_memory {
    struct sample_thread threads[SAMPLE_THREADS_MAX];
    struct sample_shot shots[SAMPLE_THREADS_MAX][SAMPLE_SHOTS];
};

static struct sample_memory *sample_memory; /* touched only as far as there are threads */
static int sample_signal;                   /* 0: none chosen yet, -1: none to be had */

struct sample_thread *sample_thread_at(unsigned place)
{
    return &sample_memory->threads[place];
}

struct sample_shot *sample_shot_at(const struct sample_thread *thread, uint32_t number)
{
    return &sample_memory->shots[thread - sample_memory->threads][number % SAMPLE_SHOTS];
}

/* ---- the handler ---- */

/* Page by page: what lies above the stack's end cannot be read, which is no error. */
static uint64_t sample_copy_stack(uint8_t *to, uint64_t from)
{
    struct iovec remote[SAMPLE_STACK_BYTES / SAMPLE_PAGE_BYTES + 1];
    struct iovec local = {to, SAMPLE_STACK_BYTES};
    uint64_t at = from, end = from + SAMPLE_STACK_BYTES;
    unsigned count = 0;
    while (at < end) {
        uint64_t next = (at | (SAMPLE_PAGE_BYTES - 1)) + 1;
        remote[count++] = (struct iovec){(void *)(uintptr_t)at, (next < end ? next : end) - at};
        at = next;
    }
    long got = syscall(SYS_process_vm_readv, getpid(), &local, 1, remote, count, 0);
    return got > 0 ? (uint64_t)got : 0;
}

static void sample_take(struct sample_thread *thread, const void *context)
{
    struct sample_shot *shot = sample_shot_at(thread, thread->next);
    if (load_acquire(&shot->full))
        return; /* the next one has this one's CPU time */
    shot->ticks = clock_now();
    shot->cpu_ns = cost_thread_ns();
    hang_copy_registers(context, &shot->registers);
    shot->stack_bytes = sample_copy_stack(shot->stack, shot->registers.value[UNWIND_RSP]);
    uint64_t python = sample_python_state();
    store_relaxed(&thread->python, python);
    shot->call_count = python ? sample_python_calls(python, shot->calls, SAMPLE_CALLS_MAX) : 0;
    thread->next++;
    store_release(&shot->full, 1u);
}

static bool sample_is_thread(const struct sample_thread *thread)
{
    uintptr_t offset = (uintptr_t)thread - (uintptr_t)sample_memory->threads;
    return offset < sizeof sample_memory->threads && offset % sizeof *thread == 0 &&
           load_relaxed(&thread->tid) == (uint32_t)syscall(SYS_gettid);
}

static void sample_handle(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    (void)number;
    if (info->si_code == SI_TIMER && recorder_on() && sample_is_thread(info->si_value.sival_ptr)) {
        uint64_t began = cost_clock();
        sample_take(info->si_value.sival_ptr, context);
        cost_charge(PROF_COST_SAMPLES, began);
    }
    errno = saved_errno;
}

int sample_signal_prepare(void)
{
    void *memory = NULL;
    if (!sample_memory && !process_memory(&memory, sizeof *sample_memory))
        return ENOMEM;
    sample_memory = sample_memory ? sample_memory : memory;
    if (!sample_signal)
        sample_signal = hang_choose_signal(sample_handle);
    return sample_signal > 0 ? 0 : EBUSY;
}

bool sample_signal_is_ours(void)
{
    struct sigaction now;
    return sigaction(sample_signal, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
           now.sa_sigaction == sample_handle;
}

/* ---- timers ---- */

/* The kernel's number of a thread's CPU clock; pthread_getcpuclockid() has it from the thread's number as well. */
static clockid_t sample_clock_of(uint32_t tid)
{
    return (clockid_t)(~tid << 3 | 6u);
}

uint64_t sample_cpu_ns(uint32_t tid)
{
    struct timespec now;
    if (clock_gettime(sample_clock_of(tid), &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool sample_signal_is_blocked(uint32_t tid)
{
    char status[4096];
    return !hang_read_task(tid, "status", status, sizeof status) ||
           hang_mask_has(status, "SigBlk:", sample_signal);
}

bool sample_signal_arm(struct sample_thread *thread, uint64_t period_ns)
{
    struct sigevent event;
    struct timespec period = {.tv_sec = (time_t)(period_ns / 1000000000u),
                              .tv_nsec = (long)(period_ns % 1000000000u)};
    struct itimerspec times = {period, period};
    if (sample_signal_is_blocked(thread->tid))
        return false;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = sample_signal;
    event.sigev_value.sival_ptr = thread;
    event.sigev_notify_thread_id = (pid_t)thread->tid;
    /* libc's function would allocate, and count the timer as one of the program's */
    if (syscall(SYS_timer_create, sample_clock_of(thread->tid), &event, &thread->timer) != 0)
        return false;
    thread->armed = syscall(SYS_timer_settime, thread->timer, 0, &times, NULL) == 0;
    if (!thread->armed)
        syscall(SYS_timer_delete, thread->timer);
    return thread->armed;
}

void sample_signal_disarm(struct sample_thread *thread)
{
    if (thread->armed)
        syscall(SYS_timer_delete, thread->timer);
    thread->armed = false;
}

/* Timers are not inherited. */
void sample_signal_fork_child(unsigned places)
{
    for (unsigned i = 0; i < places; i++)
        sample_memory->threads[i] = (struct sample_thread){0};
}
