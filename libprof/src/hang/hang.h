/* hang.h - PROF_HANG: a thread that detects when the program hangs, and writes where.
 *
 * It checks periodically whether a step, a range, a CUDA call or a device operation has ended. If
 * none has for the time that PROF_HANG sets, while something is open, it writes the stacks of all
 * threads and what is open into the trace and into <trace>.hang.txt. So it does, once, if the
 * program has recorded nothing at all and uses no CPU time: it may hang before its first range.
 * Without PROF_HANG there is no such thread.
 *
 * Time during which the process was stopped, traced or not recording does not count. Progress ends
 * a hang; the next one is written, too.
 */
#ifndef PROF_HANG_H
#define PROF_HANG_H

#include "recorder.h"

extern const struct collector hang_collector;

#endif
