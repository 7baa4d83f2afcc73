/* writer.h - the writer thread: extends the file ahead of need, samples the clocks, flushes
 * collectors.
 *
 * It blocks all signals, so the host's handlers never run on it. While there is none, or it is
 * parked, threads that record extend the file themselves.
 */
#ifndef PROF_WRITER_H
#define PROF_WRITER_H

#include <stdbool.h>

/* Starts the thread, once per process. If that fails, recording continues. */
void writer_start(void);

bool writer_runs(void);

/* Has the thread flush everything (session_flush) and waits for at most `deadline_ms`: for callers
 * in a restricted context. Without a writer thread, also while it is parked (workers_park), the
 * caller flushes. */
void writer_flush(unsigned deadline_ms);

/* Ends the thread's periodic work, and waits for that for at most `deadline_ms`. */
void writer_stop(unsigned deadline_ms);

/* In a forked child, which has no writer thread. */
void writer_fork_child(void);

#endif
