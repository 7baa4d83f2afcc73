/* sim_event.h - CUDA events. */
#ifndef SIM_EVENT_H
#define SIM_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim_shared.h"

struct sim_context;
struct sim_node;
struct sim_point;
struct sim_stream;

struct sim_event {
    struct sim_context *context;
    uint32_t id; /* CUPTI's, from 1 */
    unsigned flags;
    /* core lock: */
    struct sim_point *point; /* of the latest record; NULL: never recorded */
    uint64_t capture_id;     /* recorded in that capture: the nodes then; 0: in none */
    struct sim_node **nodes;
    size_t node_count;
};

SIM_SHARED int sim_event_create(struct sim_context *context, unsigned flags,
                                struct sim_event **event);
SIM_SHARED int sim_event_destroy(struct sim_event *event);

/* Marks where stream stands now; in a capture, which nodes. */
SIM_SHARED int sim_event_record(struct sim_event *event, struct sim_stream *stream);

/* Lets stream go on only after event; an event of a capture draws stream into the capture. */
SIM_SHARED int sim_event_wait(struct sim_event *event, struct sim_stream *stream);

/* SIM_OK when reached, SIM_NOT_READY, or SIM_CAPTURED_EVENT. */
SIM_SHARED int sim_event_query(struct sim_event *event);
SIM_SHARED int sim_event_synchronize(struct sim_event *event);

/* Milliseconds between two events by the device's clock. */
SIM_SHARED int sim_event_elapsed(struct sim_event *start, struct sim_event *end, float *ms);

/* A fresh point for event, replacing the one before; the caller holds one reference. Core lock. */
struct sim_point *sim_event_renew_locked(struct sim_event *event);

/* What waiting for event means now; a point that is resolved if it was never recorded. Core
 * lock. */
struct sim_point *sim_event_point_locked(struct sim_event *event);

#endif
