/* timing.c - ranges that a collector times on the device, at their two ends: see thread.h. */
#include "cost.h"
#include "thread.h"

/* Exchanged by recorder_time_ranges() -> loaded by every timed push and pop. */
static const struct range_timer *timing_timer GUEST_DATA;

/* A thread that stores an epoch then looks for a timer; a thread that stores a timer then looks for
 * an epoch. So the second one sets the bit. */
GUEST_PATH void timing_mark_gate(void)
{
    uint32_t gate = load_seq_cst(&thread_gate);
    while (gate && load_seq_cst(&timing_timer) && !(gate & THREAD_GATE_SLOW))
        if (cas_acq_rel(&thread_gate, &gate, gate | THREAD_GATE_SLOW))
            return;
}

/* The bit stays when the timer goes: that happens at the end only, and slow is not wrong. */
void recorder_time_ranges(const struct range_timer *timer)
{
    store_seq_cst(&timing_timer, timer);
    timing_mark_gate();
}

GUEST_PATH void timing_fork_child(void)
{
    store_seq_cst(&timing_timer, (const struct range_timer *)NULL);
}

static __thread struct cost_sampler timing_cost __attribute__((tls_model("initial-exec")));

static void timing_measured(uint64_t began)
{
    if (began)
        cost_end(&timing_cost, PROF_COST_TIMING, began);
}

uint64_t timing_push_slow(uint32_t epoch, uint32_t stack)
{
    const struct range_timer *timer = load_acquire(&timing_timer);
    uint64_t began = cost_begin(&timing_cost);
    uint64_t token = timer ? timer->push(epoch, stack) : 0;
    timing_measured(began);
    return token;
}

void timing_pushed_slow(uint64_t token)
{
    uint64_t *record = thread_reserve(PROF_REC_TIMED, 2);
    if (!record)
        return;
    record[1] = token;
    thread_commit(record, PROF_REC_TIMED, 2, thread_ticks(record));
}

void timing_pop_slow(uint32_t epoch, uint32_t stack)
{
    const struct range_timer *timer = load_acquire(&timing_timer);
    uint64_t began = cost_begin(&timing_cost);
    if (timer)
        timer->pop(epoch, stack);
    timing_measured(began);
}

void timing_thread_end(void)
{
    const struct range_timer *timer = load_acquire(&timing_timer);
    if (timer)
        timer->thread_end();
}
