/* facts.h - process-wide facts: devices, contexts, streams, names of CUDA calls.
 *
 * Stated into META at once, and remembered, since the trace file may not exist yet:
 * facts_emit_all() states everything again when it is made. A fact that was stated before is not
 * stated twice.
 */
#ifndef PROF_FACTS_H
#define PROF_FACTS_H

#include "loader.h"
#include "recorder.h"

#include <stdbool.h>
#include <stdint.h>

/* `head` is the whole META record, its first word left zero; at most FACTS_BYTES_MAX. Threads:
 * any. */
#define FACTS_BYTES_MAX 104u
void facts_emit(enum prof_record_type type, const void *head, size_t bytes);

/* A sentence about the run. The last one of a key counts. Threads: any one at a time. */
void facts_set_info(enum prof_info_key key, const char *text);

/* Trouble: the sentence is logged, and goes into the file as a note. */
void facts_emit_note(const char *sentence);

/* The trace file was just made. */
void facts_emit_all(void);

/* ---- devices ----
 *
 * Read from the driver, not from CUPTI, whose device records reach only a tool that was there when
 * CUDA was initialised.
 */

/* States every device as a fact, the first time that the driver answers: it does not before cuInit
 * has finished. Says whether the devices are simulated. Threads: one at a time. */
void facts_emit_devices(const struct driver_library *driver);

/* ---- lost.c: device records that cannot be stored, per stream ---- */

/* All are counted in the file's header by cause; here it is said whose they were, so that the
 * ledger of each stream adds up.
 */

/* Whose record it was. */
struct lost_operation {
    uint32_t correlation;
    uint32_t context;
    uint32_t stream;
    uint32_t graph; /* 0 none */
    uint32_t device;
};

/* Its launch is in the file: a record of its own, smaller than the one it would have been. */
void lost_zero_time(const struct lost_operation *operation);

/* Its launch is in no log, as a rule. There can be many, and the user did not want them: they are
 * summed by stream until lost_flush(). */
void lost_out_of_window(const struct lost_operation *operation);

/* Writes what the calling thread has added up. At the end of every buffer. */
void lost_flush(void);

/* ---- which launches were made while recording was off ----
 *
 * Their device records still arrive for a while after a stop (the activity kinds stay enabled
 * until what was launched before is in), but their launches are in no log. A device record does
 * not say when its operation was launched, so launches are distinguished by correlation id: CUPTI
 * counts them up, and the callbacks, which run all the time, note the ids they see while
 * recording is off. Ids of one window form an interval but for the threads that were inside a
 * call just when recording was switched: such a record counts as out of window, too, and its
 * launch as launched, so that the ledger still adds up.
 */

/* An operation was launched while recording is off. Threads: any. */
void lost_window_note(uint32_t correlation);

/* Whether launches were noted since recording was last seen on: lost_window_end() is due when it is
 * on. */
bool lost_window_is_open(void);

/* Recording is on again. Threads: any; harmless when repeated. */
void lost_window_end(void);

/* Whether the operation was launched while recording was off. Threads: any. */
bool lost_was_off(uint32_t correlation);

/* ---- start_events.c: an operation per device between two clock readings ---- */

/* Runs one operation per device, soon after the program begins to use it.
 *
 *     warm-up rounds      the first event of a context pays for lazy set-up
 *     start event         the event that times on this device will be counted from
 *     before_ticks        CPU
 *     4-byte memset       device: its activity record says when it ran
 *     after_ticks         CPU, once the event after the memset has happened
 *
 * So the device's clock, as CUPTI converts it, is proven to lie between two CPU readings, or by how
 * much it does not. Done once per device, on a stream of its own, at the end of a CUDA call that
 * launches nothing. Never waits longer than START_EVENTS_WAIT_MS and never synchronises the
 * program's streams.
 */

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
