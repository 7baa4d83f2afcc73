/* sim_timeline.h - resolving work: when it starts and ends, and the effects of that. Needs the
 * core lock.
 */
#ifndef SIM_TIMELINE_H
#define SIM_TIMELINE_H

#include "sim_stream.h"

/* Queues or resolves op; owns it from here on. not_before_ns holds what the caller knows
 * already. */
void sim_timeline_add(struct sim_op *op);

/* Resolves whatever became resolvable, on all streams; wakes waiters. */
void sim_timeline_pump(void);

/* When the stream's head could start at the earliest. */
uint64_t sim_timeline_start(const struct sim_op *op);

/* The head, a host function, has run until end_ns: resolve it and go on. */
void sim_timeline_finish_host(struct sim_stream *stream, uint64_t end_ns);

/* A fresh op of that work, correlated with the current call. Returns  NULL without memory. */
struct sim_op *sim_timeline_op(struct sim_stream *stream, const struct sim_work *work);

/* sim_host.c, the driver's own thread, which runs host functions in stream order: some stream's head
 * may be one. Starts the thread at the first need. */
void sim_host_wake_locked(void);

#endif
