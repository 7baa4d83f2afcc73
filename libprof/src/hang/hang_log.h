/* hang_log.h - reads the process's own trace: whether anything ended, and what is open. The watching thread only. */
#ifndef PROF_HANG_LOG_H
#define PROF_HANG_LOG_H

#include <stdbool.h>

/* A new file: reserves the memory if that was not done. False: the system refuses. */
bool hang_log_reserve(void);

/* Whether a step, a range, a CUDA call or an operation of a device ended since the last call. */
bool hang_log_has_progress(void);

/* Appends an "open" line for each range, step and CUDA call that has not ended, as far as the last chunks of the trace tell.
 * Returns how many. */
unsigned hang_log_add_open(void);

#endif
