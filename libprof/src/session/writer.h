/* writer.h - the one thread of libprof: extends the file ahead of need, samples the clocks, lets
 * collectors flush.
 *
 * It has all signals blocked, so the host's handlers never run on it.
 */
#ifndef PROF_WRITER_H
#define PROF_WRITER_H

#include <stdbool.h>

/* Starts it, once in a process. Where the system refuses a thread, recording goes on, and threads extend the file
 * themselves. */
void writer_start(void);

bool writer_runs(void);

/* Has it flush everything (session_flush), and waits for at most `deadline_ms`: for callers that
 * may do little themselves. Without a writer the caller flushes. */
void writer_flush(unsigned deadline_ms);

/* Asks it to end its duties and waits for at most `deadline_ms`. */
void writer_stop(unsigned deadline_ms);

/* Ends the writer's thread after pending flushes, and waits for that for at most `deadline_ms`. True: the
 * thread is ending; until writer_resume(), writer_flush() flushes on the calling thread, and threads that
 * record extend the file themselves. False: the writer keeps running. Any thread, but not in a signal
 * handler. */
bool writer_park(unsigned deadline_ms);

/* Starts a thread that continues the parked writer's work. Does nothing if no writer is parked, after
 * writer_stop() and in a forked child. Any thread, but not in a signal handler. */
void writer_resume(void);

/* In a forked child: it does not exist there. */
void writer_fork_child(void);

#endif
