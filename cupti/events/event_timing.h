/* event_timing.h - times ranges with CUDA events, where CUPTI is unavailable.
 *
 *     push  event on the stream ---. PUSH, TIMED with a token
 *     pop   event on the stream ---| POP
 *     later, on the flusher's thread: both have happened -> RANGE_TIME with the token
 *
 * Which stream: without CUPTI, it is unknown which streams a program uses. So it is the default
 * stream of the context that is current on the thread (PROF_EVENT_STREAM=thread: the thread's own
 * default stream). The time is stream time: from when everything before the push is done to when
 * everything before the pop is. The legacy default stream waits for all blocking streams of the
 * context, and they for it: so their work is in the range's time, and an event is a barrier among
 * them. Work on non-blocking streams is not seen.
 *
 * Timed are the ranges of prof.h and NVTX that are pushed and popped, and steps: from one to the
 * thread's next. Beginning and ending ranges on several threads are not.
 *
 * Not timed, and counted (PROF_LOSS_UNTIMED): ranges that begin or end while a capture forbids the
 * event, beyond EVENT_SLOTS in flight or EVENT_TIMING_DEPTH open ones of a thread, those whose
 * context is destroyed before their events were read, and those that cross: a range that goes on
 * where one of another stack around it ends, a step in which a range was opened that the next step
 * finds open. Not timed and not counted: without a current context, or never popped; so a thread's
 * last step.
 */
#ifndef PROF_EVENT_TIMING_H
#define PROF_EVENT_TIMING_H

#include <stdbool.h>

#define EVENT_TIMING_DEPTH 64u

/* From now on ranges are timed. False: the driver lacks a function. Threads: one. */
bool event_timing_begin(void);

/* On the flusher's thread: reads what has happened, keeps the clocks. */
void event_timing_tick(void);

/* The same for the last time: waits up to `wait_ms` for what is under way, and counts what is not
 * done by then. */
void event_timing_drain(unsigned wait_ms);

/* No more. */
void event_timing_end(void);
void event_timing_fork_child(void);

#endif
