/* timing.h - ranges that a collector times on the device, at their two ends.
 *
 * Off, it costs nothing: the gate has no slow bit, and the hot path of range.c never comes here.
 * The cost of timing a range falls on the enclosing range: the timer is called before the push is
 * recorded, and after the pop is.
 */
#ifndef PROF_TIMING_H
#define PROF_TIMING_H

#include "thread.h"

/* Sets the gate's slow bit if recording is on and ranges are timed. After every store of a new
 * epoch into the gate. */
void timing_mark_gate(void);

/* A ready thread (thread_ready) is about to push, and has pushed. 0: the range is not timed.
 * `stack`: recorder.h's RANGE_STACK. */
uint64_t timing_push_slow(uint32_t epoch, uint32_t stack);
void timing_pushed_slow(uint64_t token);
void timing_pop_slow(uint32_t epoch, uint32_t stack);

/* The calling thread's log ends. */
void timing_thread_end(void);

/* In a forked child: nobody times there. */
void timing_fork_child(void);

static inline uint64_t timing_push(const struct thread_log *self, uint32_t stack)
{
    return self->epoch & THREAD_GATE_SLOW ? timing_push_slow(thread_gate_epoch(self->epoch), stack)
                                          : 0;
}

static inline void timing_pushed(uint64_t token)
{
    if (token)
        timing_pushed_slow(token);
}

static inline void timing_pop(const struct thread_log *self, uint32_t stack)
{
    if (self->epoch & THREAD_GATE_SLOW)
        timing_pop_slow(thread_gate_epoch(self->epoch), stack);
}

#endif
