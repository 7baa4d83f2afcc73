/* timeline_restrict.h - the part of a timeline that began in a window of time. */
#ifndef PROF_TIMELINE_RESTRICT_H
#define PROF_TIMELINE_RESTRICT_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Removes everything that did not begin in [from_ns, to_ns), in place and in linear time. The
 * bounds are times of the timeline. The invariants of timeline_check() still hold afterwards.
 *
 * Ranges, steps, calls  by the begin of their first segment. The children of a removed one move up to
 *                       the innermost remaining parent, or to the top level of their thread. Those
 *                       open at `to_ns` end there, as when recording is switched off.
 * Device operations     with the call or range that launched them, with their whole duration even
 *                       if they end after the window; without one, by their own start.
 * Marks, counters, begin/end ranges, children, migrations, launches of graphs: by their own time.
 * Allocations           by their begin; releases of those that began before are counted as unknown, and what is
 *                       released after the window counts as never freed in it.
 * Graphs                that were made or launched in the window.
 * Blocks                that began in the window, or in which an event or allocation did that is left.
 * Windows               in which recording was on: cut to this one.
 * The ledger            counts the launches that are left, and why operations of theirs are in no record.
 *
 * Data without a time stays as it is, for the whole recording: counts of losses and anomalies,
 * facts about the process, its devices, streams, pools and modules, and the cost of recording.
 *
 * start_ns and end_ns of the timeline and of each process become those of the window, as far as something was recorded;
 * they go beyond it where a device operation or a migration does.
 *
 * Returns  false when there is no memory; then nothing was changed.
 * Threads  any, while no other uses the timeline. */
bool timeline_restrict(struct timeline *timeline, int64_t from_ns, int64_t to_ns);

#ifdef __cplusplus
}
#endif
#endif
