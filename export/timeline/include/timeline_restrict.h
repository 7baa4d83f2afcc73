/* timeline_restrict.h - the part of a timeline that began in a window of time. */
#ifndef PROF_TIMELINE_RESTRICT_H
#define PROF_TIMELINE_RESTRICT_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Keeps only what began in the window [from_ns, to_ns), in place and in linear time. The bounds are
 * times of the timeline. The invariants of timeline_check() still hold afterwards. What is kept:
 *
 * Ranges, steps, calls  whose first segment began in the window. Children of a removed one move to
 *                       the innermost parent that is kept, or to the top level. What is open at
 *                       `to_ns` ends there.
 * Device operations     whose call or range is kept, with their whole duration. Without a call: by
 *                       their own start.
 * Marks, counters, begin/end ranges, child processes, migrations, graph launches: by their own
 * time.
 * Allocations           that began in the window. A release after the window is dropped: the memory
 *                       counts as never freed. A release of an earlier allocation counts as
 *                       unknown.
 * Graphs                that were created or launched in the window.
 * Blocks                that began in the window, or that have an event or allocation that is kept.
 * Times of recording    cut to the window.
 * The ledger            of the launches that are kept.
 *
 * Data without a time stays that of the whole recording: losses, anomalies, processes, devices,
 * streams, pools, modules, and the cost of recording.
 *
 * start_ns and end_ns of the timeline and of each process become those of what is kept. They exceed
 * the window where a device operation or a migration does.
 *
 * Returns  false: no memory, nothing was changed.
 * Threads  any, while no other uses the timeline. */
bool timeline_restrict(struct timeline *timeline, int64_t from_ns, int64_t to_ns);

#ifdef __cplusplus
}
#endif
#endif
