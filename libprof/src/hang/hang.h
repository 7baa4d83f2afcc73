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
#include "unwind.h"

extern const struct collector hang_collector;

/* ---- hang_threads.c: what threads do, as /proc and signal handlers tell ---- */

/* Numbers of the process's threads, at most `limit`. Returns how many. */
unsigned hang_list_threads(uint32_t *tids, unsigned limit);

/* Reads a file of /proc/self/task/TID, as own_files_look_into(). */
size_t hang_read_task(uint32_t tid, const char *name, char *to, size_t size);

/* Whether there is such a thread in this process. */
bool hang_is_thread(uint32_t tid);

#define HANG_ARGUMENTS 6
#define HANG_CALL_NONE (-1)    /* it waits, but in no system call */
#define HANG_CALL_UNKNOWN (-2) /* it runs, or that is unknown: no register is known */

/* Where a thread waits, and the arguments of its system call (NULL: not wanted). Returns the number
 * of the call, or one of the above. */
long hang_read_call(uint32_t tid, struct unwind_registers *registers, uint64_t *arguments);

/* What the program's threads do, without those that wait for a child process or a signal, as
 * launchers do. */
struct hang_crowd {
    unsigned run; /* or would, if they had a processor */
    unsigned wait;
};
struct hang_crowd hang_count_threads(void);

/* The registers of what a signal handler interrupted; `context` is its third argument. */
void hang_copy_registers(const void *context, struct unwind_registers *registers);

#endif
