/* start_events.h - runs one operation per device between two CPU clock readings, soon after the
 * program begins to use it.
 *
 *     warm-up rounds      the first event of a context pays for lazy set-up
 *     start event         the event that times on this device will be counted from
 *     before_ticks        CPU
 *     4-byte memset       device: its activity record says when it ran
 *     after_ticks         CPU, once the event behind the memset has happened
 *
 * So the device's clock, as CUPTI converts it, is proven to lie between two CPU readings, or by
 * how much it does not. Done once per device, on a stream of its own, at the end of a CUDA call
 * that launches nothing. Never waits longer than START_EVENTS_WAIT_MS and never synchronises the
 * program's streams.
 */
#ifndef PROF_START_EVENTS_H
#define PROF_START_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#define START_EVENTS_WAIT_MS 20u

/* What the memset writes and how much: distinguishes its record from the program's. */
#define START_EVENTS_VALUE 0x666f7270u /* "prof" */
#define START_EVENTS_BYTES 4u

/* A call on this context, current on the calling thread, just ended. Returns true when nothing
 * is left to be done for the context. */
bool start_events_check(void *context);

/* The context was created / is about to be destroyed. */
void start_events_context(void *context, bool alive);

/* The memset's device record arrived. CUPTI may keep quiet about calls made inside a callback:
 * then this is how its correlation id becomes known, and the START_EVENT record is written now. */
void start_events_record(uint32_t device, uint32_t correlation);

#endif
