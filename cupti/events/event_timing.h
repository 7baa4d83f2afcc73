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

#include "loader.h"
#include "memory.h"

#include <stdbool.h>
#include <stdint.h>

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

/* ---- event_clock.c: the time of a CUDA event on the CPU's clock ---- */

/* Events know only how far they are apart. So one event of each context, the anchor, is bracketed
 * between two readings of CLOCK_REALTIME, and all others are counted from it. The first is set when
 * the context is first used, after rounds that pay for its lazy set-up; later ones once a second
 * while ranges are timed: the two clocks drift apart, and CUDA tells distances as floats, which
 * hold half a microsecond up to 8 s only.
 *
 * Anchors are on a stream of their own, so they wait for nothing of the program's.
 */

#define EVENT_CLOCK_WAIT_MS 20u
#define EVENT_CLOCK_ANCHORS 4u

struct event_anchor {
    void *event;
    uint64_t realtime_ns; /* middle of the bracket */
    uint32_t error_ns;    /* half of its width */
};

struct event_clock {
    void *stream;
    /* Used in turns, so that the next three do not disturb a reader of one. */
    struct event_anchor anchors[EVENT_CLOCK_ANCHORS];
    uint64_t
        count; /* anchors set so far; event_clock_set() releases -> event_clock_read() acquires */
    uint64_t set_ns; /* CLOCK_MONOTONIC when the last one was wanted; one setter at a time */
};

struct event_interval {
    uint64_t start_ns, end_ns; /* CLOCK_REALTIME */
    uint32_t error_ns;         /* of both */
};

/* The context must be current on the calling thread. Never waits longer than EVENT_CLOCK_WAIT_MS
 * and never for the program's work. False: CUDA refused; then the clock is of no use. That the
 * first anchor could not be set is not a failure: event_clock_set() may be tried again. */
bool event_clock_init(struct event_clock *clock, const struct driver_library *driver);
bool event_clock_set(struct event_clock *clock, const struct driver_library *driver);

/* Whether the last anchor is a second old. */
bool event_clock_is_due(const struct event_clock *clock);

/* Two events that have happened, both on one stream of the context. Threads: any. Returns 0,
 * ABI_CUDA_NOT_READY while there is no anchor, or what CUDA answered. */
int event_clock_read(const struct event_clock *clock, const struct driver_library *driver,
                     void *start, void *end, struct event_interval *interval);

/* ---- event_slots.c: pairs of CUDA events for ranges in flight, per context ---- */

/*     FREE --event_slot_acquire--> OPEN --event_slot_end--> ENDED --event_slot_claim--> READING
 *       ^                        |                         ^                            |
 *       '----event_slot_release-----'                         '---event_slot_put_back------'
 *       '-------------------------event_slot_release---------------------------------------'
 *
 * A slot's two events are made once and reused for as long as their context lives. Nothing waits
 * and nothing is allocated; there are EVENT_SLOTS ranges in flight at most.
 */

#define EVENT_SLOTS 8192u
#define EVENT_CONTEXTS 64u

/* Which life of which context: a handle comes again, an id does not (where the driver has ids). */
struct event_place {
    void *handle;
    unsigned long long id;
};

struct event_context {
    uint32_t state;      /* enum in event_slots.c, moved by compare-and-swap */
    uint32_t generation; /* goes up when the entry is freed; its slots of before are void */
    struct event_place place;
    int device;
    uint32_t used;         /* a range was timed since the last look; any thread stores 1 */
    struct free_list free; /* slots whose events are of this life of the context */
    struct event_clock clock;
};

struct event_slot {
    uint32_t state;      /* see above; moved by release and compare-and-swap */
    uint32_t next_free;  /* memory.h */
    uint32_t context;    /* index */
    uint32_t generation; /* of the context when the events were made */
    uint64_t token;
    void *start, *end; /* NULL: none were made in this context yet */
};

/* The context that is current on the calling thread. False: there is none. */
bool event_place_current(const struct driver_library *driver, struct event_place *place);

/* Whether the context still exists. True also where the driver is too old to tell. */
bool event_place_is_alive(const struct driver_library *driver, const struct event_place *place);

/* The entry of the context that is current on the calling thread; made if need be, with its clock,
 * which can take EVENT_CLOCK_WAIT_MS. NULL: no room, or CUDA refused. */
struct event_context *event_context_of(const struct driver_library *driver,
                                       const struct event_place *place);

/* Entry `index` if it is in use, else NULL. */
struct event_context *event_context_at(uint32_t index);

/* The context was destroyed: its events with it. */
void event_context_forget(struct event_context *context);

/* An OPEN slot of the context, which is current; NULL: none is left, or CUDA refused. */
struct event_slot *event_slot_acquire(const struct driver_library *driver,
                                      struct event_context *context);
void event_slot_end(struct event_slot *slot);
struct event_slot *event_slot_claim(uint32_t index);
void event_slot_put_back(struct event_slot *slot);
void event_slot_release(struct event_slot *slot);

/* The context of the slot's events; NULL when it was destroyed. */
struct event_context *event_slot_context(const struct event_slot *slot);

/* Slots ever used: valid arguments of event_slot_claim(). */
uint32_t event_slots_used(void);

/* In a forked child: nothing was ever there. */
void event_slots_reset(void);

#endif
