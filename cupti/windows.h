/* windows.h - which launches were made while recording was off.
 *
 * Their device records still arrive for a while after a stop (the activity kinds stay enabled
 * until what was launched before is in), but their launches are in no log. A device record does
 * not say when its operation was launched, so launches are told apart by correlation id: CUPTI
 * counts them up, and the callbacks, which run all the time, note the ids they see while
 * recording is off. Ids of one window form an interval but for the threads that were inside a
 * call just when recording was switched: such a record counts as out of window, too, and its
 * launch as launched, so that the ledger still adds up.
 */
#ifndef PROF_WINDOWS_H
#define PROF_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

/* An operation was launched while recording is off. Threads: any. */
void windows_note_off(uint32_t correlation);

/* Whether launches were noted since recording was last seen on: windows_end() is due when it is
 * on. */
bool windows_is_open(void);

/* Recording is on again. Threads: any; harmless when repeated. */
void windows_end(void);

/* Whether the operation was launched while recording was off. Threads: any. */
bool windows_was_off(uint32_t correlation);

#endif
