/* sim_capture.h - stream capture: work submitted to a stream becomes nodes of a graph. */
#ifndef SIM_CAPTURE_H
#define SIM_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim_shared.h"
#include "sim_work.h"

struct sim_context;
struct sim_graph;
struct sim_node;
struct sim_stream;

enum sim_capture_mode { SIM_CAPTURE_GLOBAL, SIM_CAPTURE_THREAD_LOCAL, SIM_CAPTURE_RELAXED };

struct sim_capture_info {
    int status; /* enum sim_capture_status */
    uint64_t id;
    struct sim_graph *graph;
    struct sim_node **nodes; /* borrowed: what the next work depends on */
    size_t count;
};

/* graph NULL: a new one. */
SIM_SHARED int sim_capture_begin(struct sim_stream *stream, enum sim_capture_mode mode,
                                 struct sim_graph *graph);
SIM_SHARED int sim_capture_end(struct sim_stream *stream, struct sim_graph **graph);
SIM_SHARED void sim_capture_query(const struct sim_stream *stream, struct sim_capture_info *info);

/* Exchanges the calling thread's mode. */
SIM_SHARED int sim_capture_exchange_mode(int *mode);

/* Whether a call that could disturb a capture is forbidden to this thread now; such a call
 * returns the result and the capture is spoiled, as on the real thing. Returns  SIM_OK or
 * SIM_CAPTURE_UNSUPPORTED. */
SIM_SHARED int sim_capture_guard(void);

/* Spoils the stream's capture. Returns  SIM_OK when it is in none, SIM_CAPTURE_UNSUPPORTED else. */
SIM_SHARED int sim_capture_forbid(struct sim_stream *stream);

/* The legacy stream must not be used while a blocking stream of its context captures. */
int sim_capture_check_legacy(struct sim_stream *stream);

/* Whether it must not: asking spoils nothing. */
SIM_SHARED bool sim_capture_blocks_legacy(const struct sim_stream *stream);

/* Adds work as a node after the stream's nodes. */
int sim_capture_add(struct sim_stream *stream, const struct sim_work *work);

/* Draws stream into the capture of that id, its next work depending on nodes too. */
int sim_capture_join(struct sim_stream *stream, uint64_t id, struct sim_node *const *nodes,
                     size_t count);

/* The stream goes away. Core lock. */
void sim_capture_leave_locked(struct sim_stream *stream);

/* Makes stream's next captured work depend on these nodes (add: on those before too). */
SIM_SHARED int sim_capture_set_nodes(struct sim_stream *stream, struct sim_node *const *nodes,
                                     size_t count, bool add);

#endif
