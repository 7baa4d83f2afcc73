/* sim_graph.h - graphs of work, and executable ones.
 *
 * A graph may be changed by one thread at a time, as in CUDA. Instantiating clones the graph (nodes
 * get new ids, tools are notified node by node) and flattens the clone, child graphs included, into
 * a plan in an order that respects the edges.
 */
#ifndef SIM_GRAPH_H
#define SIM_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim_facts.h"
#include "sim_shared.h"
#include "sim_work.h"

struct sim_plan;
struct sim_stream;

struct sim_node {
    struct sim_graph *graph;
    uint64_t id;
    enum sim_node_type type;
    struct sim_work work; /* CHILD: an own clone of the child graph */
    struct sim_node **dependencies;
    size_t dependency_count;
    struct sim_node *original; /* what it was cloned from; NULL: made by the program */
    size_t index;              /* scratch: its place in the order being built */
    bool disabled;
};

struct sim_graph {
    uint32_t id;
    struct sim_node **nodes; /* in the order they were added */
    size_t count, capacity;
    uint32_t nodes_made;
    struct sim_graph *original;
    bool owned; /* inside a node or an exec: not the program's to destroy */
};

struct sim_exec {
    struct sim_graph *graph; /* the clone */
    struct sim_plan *plan;
    unsigned long long flags;
};

SIM_SHARED struct sim_graph *sim_graph_create(void);
SIM_SHARED void sim_graph_destroy(struct sim_graph *graph);
SIM_SHARED struct sim_graph *sim_graph_clone(struct sim_graph *graph);

/* Adds a node. work is copied; a child graph is cloned into the node.
 *
 * Returns  NULL when out of memory.
 */
SIM_SHARED struct sim_node *sim_graph_add(struct sim_graph *graph, enum sim_node_type type,
                                          const struct sim_work *work,
                                          struct sim_node *const *dependencies, size_t count);
SIM_SHARED int sim_graph_connect(struct sim_node *from, struct sim_node *to);
SIM_SHARED int sim_graph_disconnect(struct sim_node *from, struct sim_node *to);
SIM_SHARED void sim_graph_remove(struct sim_node *node);

/* Replaces what a node does, its type staying. */
SIM_SHARED int sim_graph_set(struct sim_node *node, const struct sim_work *work);

/* The node of clone made from node, NULL if none. */
SIM_SHARED struct sim_node *sim_graph_find(const struct sim_graph *clone,
                                           const struct sim_node *node);

SIM_SHARED int sim_exec_create(struct sim_graph *graph, unsigned long long flags,
                               struct sim_exec **exec);
SIM_SHARED void sim_exec_destroy(struct sim_exec *exec);
SIM_SHARED int sim_exec_launch(struct sim_exec *exec, struct sim_stream *stream);

/* Takes over the parameters of graph's nodes. Returns  SIM_EXEC_UPDATE_FAILURE when it differs in
 * its nodes or edges. */
SIM_SHARED int sim_exec_update(struct sim_exec *exec, const struct sim_graph *graph);

/* Changes one node, named by the node of the graph it was instantiated from. */
SIM_SHARED int sim_exec_set(struct sim_exec *exec, const struct sim_node *node,
                            const struct sim_work *work);
SIM_SHARED int sim_exec_enable(struct sim_exec *exec, const struct sim_node *node, bool enabled);

#endif
