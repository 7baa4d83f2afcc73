/* callbacks.h - CUPTI callbacks at the begin and end of CUDA calls, and when contexts are created
 * and destroyed.
 *
 * A followed call becomes API_ENTER and API_EXIT in the log of the thread that makes it, between
 * the pushes and pops around it: so the range that launched a kernel is known by order, not by
 * comparing clocks.
 *
 * A call of the driver within a recorded call of the runtime is the same call seen twice and is
 * skipped; one that the program makes itself is recorded.
 */
#ifndef PROF_CALLBACKS_H
#define PROF_CALLBACKS_H

#include "abi.h"

#include <stdbool.h>

/* The subscriber's callback. Keeps errno; takes no lock, allocates nothing. */
void callbacks_receive(void *user, uint32_t domain, uint32_t cbid, const void *data);

/* Enables the callbacks that are wanted also while recording is off. False when CUPTI refused
 * those of both the runtime and the driver. */
bool callbacks_enable(void *subscriber);

/* Begins to follow calls, or stops: then a launch costs what it costs without libprof. One thread
 * at a time. */
void callbacks_follow(bool on);

/* While calls are followed: more of them from now on, or less, as the level of detail says. The
 * same. */
void callbacks_set_detail(uint32_t detail);

/* Devices are not recorded, or not all of what they do: what is launched meanwhile counts as
 * launched while recording is off. One thread at a time. */
void callbacks_ignore_launches(bool on);

/* Whether calls that launch nothing are recorded, from now on. Any thread. */
void callbacks_set_calls(bool on);

/* Tells CUPTI what callbacks_set_calls() said, so that what is left out is not even called back
 * for. From the thread that calls callbacks_follow(). */
void callbacks_apply(void);

/* Makes callbacks return at once while a thread waits for calls into CUPTI to end. CUPTI may run a
 * callback under a lock: if the callback then waited for that thread, both would deadlock. */
void callbacks_hold(bool on);

/* Whether the calling thread is in a callback. CUPTI may hold a lock then: waiting for another
 * thread's call into CUPTI would deadlock. */
bool callbacks_are_on_stack(void);

/* Makes all callbacks return immediately from now on. */
void callbacks_close(void);

/* Whether the calling thread was seen making CUDA calls: it is the program's, not CUPTI's. */
bool callbacks_is_program_thread(void);

/* Whether any call was to be recorded so far: the file exists, or a thread is creating it. */
bool callbacks_saw_call(void);

/* How many threads have made CUDA calls so far. */
uint32_t callbacks_count_threads(void);

/* Brackets libprof's own CUDA calls on the calling thread: they are recorded as
 * PROF_API_INTERNAL. callbacks_own_end() returns the correlation id of the last call in between
 * that put an operation on a device, 0 when CUPTI reported none. */
void callbacks_own_begin(void);
uint32_t callbacks_own_end(void);

#endif
