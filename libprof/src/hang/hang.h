/* hang.h - PROF_HANG: a thread that detects when the program hangs, and writes where.
 *
 * It checks periodically whether a step, a range, a CUDA call or a device operation has ended. If none has for the time
 * that PROF_HANG sets, while something is open, it writes the stacks of all threads and what is open into the trace and into
 * <trace>.hang.txt. Without PROF_HANG there is no such thread.
 *
 * Time during which the process was stopped, traced or not recording does not count. Progress ends a hang; the next one
 * is written, too.
 */
#ifndef PROF_HANG_H
#define PROF_HANG_H

#include "recorder.h"

bool hang_runs(void);

/* Ends the thread, and waits for that for at most `deadline_ms`. False: it keeps running,
 * or there was none. */
bool hang_park(unsigned deadline_ms);

/* Starts the parked thread again. Does nothing if none is parked, at the end and in a forked child. */
void hang_resume(void);

extern const struct collector hang_collector;

#endif
