/* sim_stream.h - streams and their simulated timelines.
 *
 * A stream's work is resolved in order: its start and end are computed, its bytes are moved and
 * tools are notified, all at the moment of the call, although the computed times lie ahead. Only
 * work behind a host function that has not run yet cannot be resolved, since nobody knows when the
 * function will end: it waits in the stream's queue.
 *
 *     submit ── queue empty, everything waited for known ──► resolved (tail_ns moves on)
 *        └───── else ──► queued ── sim_timeline_pump, after a host function ended ──► resolved
 */
#ifndef SIM_STREAM_H
#define SIM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim_facts.h"
#include "sim_shared.h"
#include "sim_work.h"

struct sim_capture;
struct sim_context;
struct sim_node;

/* A moment on some stream's timeline that others wait for. Reference counted; core lock. */
struct sim_point {
    int references;
    bool resolved;
    uint64_t time_ns; /* valid when resolved */
};

/* One segment of work given to a stream. Tools read all of it; core lock. */
struct sim_op {
    struct sim_op *next;
    struct sim_stream *stream;
    struct sim_work work;
    uint64_t enqueue_ns;
    uint64_t not_before_ns;
    uint64_t start_ns, end_ns; /* valid when resolved */
    uint32_t correlation;
    struct sim_run *run; /* the graph launch this belongs to, NULL outside */
    uint32_t run_index;
    uint32_t graph_id; /* of the executable graph; 0 outside */
    uint64_t node_id;
};

struct sim_stream {
    struct sim_stream *next; /* of its context */
    struct sim_context *context;
    uint32_t id; /* CUPTI's, unique in the context */
    unsigned flags;
    int priority;
    bool legacy;
    int owner_tid; /* > 0: that thread's per-thread default stream */
    /* core lock: */
    uint64_t tail_ns; /* end of the last resolved work */
    struct sim_op *head, *last;
    bool running; /* head is a host function being run */
    struct sim_capture *capture;
    struct sim_node **capture_nodes; /* what the next captured work depends on */
    size_t capture_count;
};

/* "locked" functions want the core lock held. */
struct sim_stream *sim_stream_create_locked(struct sim_context *context, uint32_t id,
                                            unsigned flags, int priority);
void sim_stream_free_locked(struct sim_stream *stream);

SIM_SHARED int sim_stream_create(struct sim_context *context, unsigned flags, int priority,
                                 struct sim_stream **stream);
SIM_SHARED int sim_stream_destroy(struct sim_stream *stream);

/* The stream behind a handle as a program passes it.
 *
 * handle   NULL or a fixed handle means a default stream of the current context; which one NULL
 *          means follows from the entry point called.
 * Returns  NULL if it is not a handle.
 */
SIM_SHARED struct sim_stream *sim_stream_of(void *handle);
SIM_SHARED struct sim_stream *sim_stream_in(struct sim_context *context, void *handle,
                                            bool per_thread);

/* Gives work to a stream; a capturing stream turns it into a graph node. Takes work's
 * references. */
SIM_SHARED int sim_stream_submit(struct sim_stream *stream, struct sim_work *work);

/* Waits until a stream's work is resolved (locked), or done in simulated time too.
 * A legacy stream waits for all blocking streams of its context. Returns  the time of the end. */
uint64_t sim_stream_settle_locked(struct sim_stream *stream);
uint64_t sim_stream_settle_all_locked(struct sim_context *context, bool non_blocking_too);
SIM_SHARED uint64_t sim_stream_synchronize(struct sim_stream *stream);

/* Whether everything submitted has ended by now. */
SIM_SHARED bool sim_stream_is_idle(struct sim_stream *stream);

/* Holds op back behind what the legacy stream's rules make it wait for. Core lock. */
void sim_stream_barrier_locked(struct sim_op *op);

struct sim_point *sim_point_create(void);
struct sim_point *sim_point_hold(struct sim_point *point);
void sim_point_drop(struct sim_point *point);

#endif
