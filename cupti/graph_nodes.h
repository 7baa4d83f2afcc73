/* graph_nodes.h - nodes of CUDA graphs that were made while recording was off: remembered, and stated
 * when there is a recording that they can appear in.
 *
 * A table of fixed size by node, without locks. A node that is destroyed leaves it; one for which
 * there is no place is counted. Threads: any.
 */
#ifndef PROF_GRAPH_NODES_H
#define PROF_GRAPH_NODES_H

#include "recorder.h"

/* Places; a node looks at a few of them only. 40 bytes each, touched where a node is. */
#define GRAPH_NODES_MAX 65536u

/* `node` is as it will be in the file; its header is not used. A later one of the same node
 * replaces. */
void graph_nodes_remember(const struct prof_rec_earlier_node *node);
void graph_nodes_forget(uint64_t node);

/* Appends to META those that are not in the file yet; `again`: all, since the file is new. */
void graph_nodes_state(bool again);

/* Nodes that found no place. */
uint64_t graph_nodes_unplaced(void);

#endif
