/* sample_signal.c - a CPU-time timer for each thread of the program, and the handler that copies
 * what it was doing.
 *
 * The handler takes no lock, allocates nothing, and reads memory through the kernel.
 */
#include "sample_inside.h"

#include "atomic.h"
#include "clock.h"
#include "cost.h"
#include "hang.h"
#include "own_signal.h"
#include "process.h"
#include "recorder.h"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define SAMPLE_PAGE_BYTES 4096u

struct sample_memory {
    struct sample_thread threads[SAMPLE_THREADS_MAX];
    struct sample_shot shots[SAMPLE_THREADS_MAX][SAMPLE_SHOTS];
};

static struct sample_memory *sample_memory; /* touched only as far as there are threads */

struct sample_thread *sample_thread_at(unsigned place)
{
    return &sample_memory->threads[place];
}

struct sample_shot *sample_shot_at(const struct sample_thread *thread, uint32_t number)
{
    return &sample_memory->shots[thread - sample_memory->threads][number % SAMPLE_SHOTS];
}

/* ---- the handler ---- */

/* Page by page: what lies above the stack's end cannot be read, which is not an error. */
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
    shot->stack_bytes = sample_copy_stack(shot->stack, shot->registers.value[UNWIND_SP]);
    uint64_t python = sample_python_state();
    store_relaxed(&thread->python, python);
    shot->call_count = python ? sample_python_calls(python, shot->calls, SAMPLE_CALLS_MAX) : 0;
    thread->next++;
    store_release(&shot->full, 1u);
}

static bool sample_is_thread(const struct sample_thread *thread)
{
    uintptr_t offset = (uintptr_t)thread - (uintptr_t)sample_memory->threads;
    return offset % sizeof *thread == 0 &&
           load_relaxed(&thread->tid) == (uint32_t)syscall(SYS_gettid);
}

static void sample_handle(void *thread, const void *context)
{
    if (recorder_on() && sample_is_thread(thread)) {
        uint64_t began = cost_clock();
        sample_take(thread, context);
        cost_charge(PROF_COST_SAMPLES, began);
    }
}

bool sample_signal_reserve(void)
{
    void *memory = NULL;
    if (!sample_memory && !process_memory(&memory, sizeof *sample_memory))
        return false;
    sample_memory = sample_memory ? sample_memory : memory;
    own_signal_use(OWN_SIGNAL_SAMPLES, sample_memory->threads, sizeof sample_memory->threads,
                   sample_handle);
    return true;
}

/* ---- timers ---- */

int sample_signal_arm(struct sample_thread *thread, uint64_t period_ns)
{
    int error = own_signal_timer_begin(thread->tid, thread, period_ns, &thread->timer);
    thread->armed = error == 0;
    return error;
}

void sample_signal_disarm(struct sample_thread *thread)
{
    if (thread->armed)
        own_signal_timer_end(thread->timer);
    thread->armed = false;
}

/* Timers are not inherited. */
void sample_signal_fork_child(unsigned places)
{
    for (unsigned i = 0; i < places; i++)
        sample_memory->threads[i] = (struct sample_thread){0};
}
