/* sim_nodes.h - graph nodes from a call's arguments: checks shared by the driver's and the
 * runtime's functions.
 */
#ifndef SIM_NODES_H
#define SIM_NODES_H

#include <stdbool.h>
#include <stddef.h>

#include "sim_facts.h"
#include "sim_graph.h"
#include "sim_shared.h"

/* Adds a node after checking all handles. Returns  SIM_OK, SIM_INVALID_VALUE, SIM_OUT_OF_MEMORY. */
SIM_SHARED int sim_nodes_add(struct sim_node **node, struct sim_graph *graph,
                             struct sim_node *const *dependencies, size_t count,
                             enum sim_node_type type, const struct sim_work *work);

SIM_SHARED int sim_nodes_set_work(struct sim_work *work, const struct sim_set_params *params);
SIM_SHARED int sim_nodes_host_work(struct sim_work *work, const struct sim_host_params *params);

/* Lists a graph's nodes, or only its roots, the way CUDA's list functions do: out NULL asks for
 * the count; else at most *count are written, the rest of out set to NULL, and *count becomes
 * the number written. */
SIM_SHARED int sim_nodes_list(const struct sim_graph *graph, struct sim_node **out, size_t *count,
                              bool roots_only);

#endif
