/* event_clock.h - converts the time of a CUDA event to the CPU's clock.
 *
 * Events know only how far they are apart. So one event of each context, the anchor, is bracketed
 * between two readings of CLOCK_REALTIME, and all others are counted from it. The first is set when
 * the context is first used, after rounds that pay for its lazy set-up; later ones once a second
 * while ranges are timed: the two clocks drift apart, and CUDA tells distances as floats, which
 * hold half a microsecond up to 8 s only.
 *
 * Anchors are on a stream of their own, so they wait for nothing of the program's.
 */
#ifndef PROF_EVENT_CLOCK_H
#define PROF_EVENT_CLOCK_H

#include "loader.h"

#include <stdbool.h>
#include <stdint.h>

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

#endif
