/* summary.h - summaries of what is recorded, written to the file every PROF_SUMMARY seconds, and
 * metrics (metrics.h).
 *
 * Nothing here is on the path of an event. Once per second, after the writer thread has sampled the
 * clocks, it walks what the threads' logs have gained since and adds it to a table of fixed size:
 * durations by step, kind and name. SUMMARY and SUMMARY_STEP records (format_meta.h) state the
 * table; they are META, which a ring does not recycle.
 *
 *     summary.c         when; writes the records
 *     summary_log.c     walks the logs: ranges, steps and CUDA calls of threads
 *     summary_device.c  operations: their step, and what the device did in each step
 *     summary_table.c   the table
 *     summary_clock.c   ticks and device times to nanoseconds, as the reader converts them
 */
#ifndef PROF_SUMMARY_H
#define PROF_SUMMARY_H

#include "prof/format.h"

#include <stdbool.h>

/* Writer thread, after each of its clock samples. */
void summary_tick(void);

/* Writer thread, often: walks at once where a ring would soon recycle what was not walked yet.
 * Returns whether it did. */
bool summary_hurry(void);

/* States what was recorded so far: recording may go on after it. Any thread, signals blocked,
 * nobody records. Waits at most 0.5 s for another thread that is at it. */
void summary_flush(void);

/* The same for good, after the last clock sample: what is open ends. */
void summary_finish(void);

/* The file has one more clock sample / an event name of this domain / a switch to off. Any thread;
 * lock-free. */
void summary_sample(const struct prof_rec_clock *sample);
void summary_label(uint32_t id, uint32_t domain, uint32_t name);
void summary_stopped(uint32_t epoch, uint64_t ticks);

/* Writes the metrics now. Returns 0 or an errno value; EBUSY: another thread is at it. Any thread,
 * signals blocked. */
int summary_write_metrics(void);

/* In a forked child: nothing was seen yet. */
void summary_fork_child(void);

#endif
