/* lost.h - counts device records that cannot be stored, per stream.
 *
 * All are counted in the file's header by cause; here it is said whose they were, so that the
 * ledger of each stream adds up.
 */
#ifndef PROF_LOST_H
#define PROF_LOST_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
