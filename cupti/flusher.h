/* flusher.h - a thread for calls into CUPTI that may never come back.
 *
 * cuptiActivityFlushAll has been seen to hang (HPCToolkit works around it with a signal and
 * longjmp). So libprof makes such calls on a thread of its own and waits for a limited time: a
 * hang costs the records that CUPTI still holds, never the program's exit. The thread has all
 * signals blocked, and is left alone once it hangs.
 */
#ifndef PROF_FLUSHER_H
#define PROF_FLUSHER_H

#include <stdbool.h>

typedef void (*flusher_job)(void);

/* Runs the job on the thread. Returns whether it ended within `deadline_ms`; false also when the
 * thread is still busy with an earlier job by then, or cannot be had; at once when it is busy
 * with a job that was waited for in vain before. Threads: any but the flusher itself. */
bool flusher_run(flusher_job job, unsigned deadline_ms);

/* The same without waiting: begun if the thread is idle, else not at all. */
bool flusher_post(flusher_job job);

/* The thread ends when its job is done; none begins any more. */
void flusher_leave(void);

#endif
