/* kineto_flows.h - arrows from launches to operations (ph s, t, f; cat ac2g), which tell processes apart
 * whose correlation ids are the same.
 *
 * The ends of an arrow have one id, and each is at a time on a row. An arrow tells where an operation comes
 * from when all of its ends on rows of threads are of one process. Kineto's arrows have the correlation id
 * for an id, so in merged traces they can be just as ambiguous; such arrows are ignored.
 */
#ifndef PROF_KINETO_FLOWS_H
#define PROF_KINETO_FLOWS_H

#include "kineto_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A time on a row. */
struct kineto_place {
    int64_t time_ns;
    uint32_t pid; /* see kineto_rows_pid() */
    uint32_t tid; /* any number that is the same for the same row */
};

struct kineto_flow_end {
    uint64_t id;
    struct kineto_place place;
};

struct kineto_flows {
    KINETO_ARRAY(struct kineto_flow_end) ends;
    KINETO_ARRAY(struct kineto_place) operations; /* in the order of the store */
};

/* Zeroed is empty. */
void kineto_flows_fini(struct kineto_flows *flows);

/* Whether the event is an end of an arrow from a launch to an operation. */
bool kineto_flows_is(const struct kineto_event *event);
/* Adds such an end; the caller supplies its place. False: no memory. */
bool kineto_flows_add(struct kineto_flows *flows, const struct kineto_event *event,
                      struct kineto_place place);
/* Notes where the next operation of the store is. False: no memory. */
bool kineto_flows_operation(struct kineto_flows *flows, struct kineto_place place);

/* After kineto_rows_finish(): by operation the process from which an arrow leads to it, or
 * EVENT_NO_PROCESS. NULL: no memory. The caller frees it. */
uint32_t *kineto_flows_processes(struct kineto_flows *flows, const struct kineto_rows *rows);

#ifdef __cplusplus
}
#endif
#endif
