/* sim_run.h - one launch of an executable graph, shared by the operations of its nodes. */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include <stdint.h>

#include "sim_work.h"

struct sim_plan_node {
    struct sim_work work;
    uint64_t node_id;
    const struct sim_node *source; /* the node of the exec's own graph */
    uint32_t first_dependency, dependencies;
};

/* What an executable graph does, in an order that respects its edges. Immutable once made. */
struct sim_plan {
    int references; /* core lock */
    uint32_t count;
    struct sim_plan_node *nodes;
    uint32_t *dependencies; /* indices into nodes */
};

/* Core lock. */
struct sim_run {
    uint32_t open; /* ops not resolved yet; the run goes with the last */
    struct sim_plan *plan;
    uint64_t base_ns;  /* set by GRAPH_BEGIN */
    uint64_t end_ns[]; /* per node, valid when resolved */
};

void sim_plan_drop(struct sim_plan *plan);

#endif
