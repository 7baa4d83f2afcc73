/* writer.h - the writer thread: extends the file ahead of need, samples the clocks, flushes collectors.
 *
 * It blocks all signals, so the host's handlers never run on it.
 */
#ifndef PROF_WRITER_H
#define PROF_WRITER_H

#include <stdbool.h>

/* Starts the thread, once per process. If that fails, recording continues, and recording threads extend the file
 * themselves. */
void writer_start(void);

bool writer_runs(void);

/* Has the thread flush everything (session_flush) and waits for at most `deadline_ms`: for callers in a
 * restricted context. Without a writer thread, the caller flushes. */
void writer_flush(unsigned deadline_ms);

/* Ends the thread's periodic work, and waits for that for at most `deadline_ms`. */
void writer_stop(unsigned deadline_ms);

/* Ends the writer's thread after pending flushes, and waits for that for at most `deadline_ms`. True: the
 * thread is ending; until writer_resume(), writer_flush() flushes on the calling thread, and threads that
 * record extend the file themselves. False: the writer keeps running. Any thread, but not in a signal
 * handler. */
bool writer_park(unsigned deadline_ms);

/* Starts a thread that continues the parked writer's work. Does nothing if no writer is parked, after
 * writer_stop() and in a forked child. Any thread, but not in a signal handler. */
void writer_resume(void);

/* In a forked child, which has no writer thread. */
void writer_fork_child(void);

#endif
