/* queue_depth.h - how many operations were launched to each stream and had not started.
 *
 * The depth rises when the call that launches begins and falls when the operation starts, as in
 * HolisticTraceAnalysis' queue length. Operations of graphs, and those whose call is not in the trace,
 * are left out: nothing tells when they entered the queue.
 */
#ifndef PROF_QUEUE_DEPTH_H
#define PROF_QUEUE_DEPTH_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* So many launches fit into a queue; the next one waits. */
#define QUEUE_DEPTH_FULL 1024u

struct queue_row {
    uint32_t stream;     /* into streams[] */
    uint64_t changes;    /* two for each operation */
    int64_t most, least; /* least is below 0 where clocks disagree */
    double mean;         /* over the changes, as HolisticTraceAnalysis has it */
    double mean_in_time; /* weighted by how long it lasted; NaN: the changes are at one time */
    int64_t most_at_ns;
    int64_t span_ns; /* from the first change to the last */
    int64_t full_ns; /* of it, at `full` or more */
};

struct queue_depth {
    struct queue_row *at; /* streams with operations that are looked at */
    uint32_t count;
};

/* A sort of the calls of each stream, linear as a rule. False: no memory; fini is not needed then. */
bool queue_depth_init(struct queue_depth *depth, const struct timeline *timeline, uint32_t full);
void queue_depth_fini(struct queue_depth *depth);

#ifdef __cplusplus
}
#endif
#endif
