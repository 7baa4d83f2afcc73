/* graphs.h - CUDA graphs: who made each node, and what a launch is to put on a device.
 *
 * While recording, a node becomes a GRAPH_NODE in the log of the thread that makes it, between the
 * pushes and pops around: so the range that captured it is known by order. While recording is off,
 * nodes are remembered (graph_nodes.h) and stated when it begins. Instantiating clones a graph: its
 * clones' ids are those of device records, and a record ties each to what it was cloned from.
 *
 * Costs nothing at a launch but a look into a table, and nothing where no graphs are made.
 */
#ifndef PROF_GRAPHS_H
#define PROF_GRAPHS_H

#include "abi.h"
#include "api_calls.h"
#include "recorder.h"

/* Enables the callbacks about graphs, for as long as the subscriber lives. A CUPTI that refuses some
 * tells less. */
void graphs_enable(void *subscriber);

/* A callback of the RESOURCE domain. `origin`: where a call stack is to begin; `in_call`: within a
 * recorded call, which has its own stack. Keeps errno. */
void graphs_receive(uint32_t cbid, const struct abi_graph_data *data, struct stacks_origin origin,
                    bool in_call);

/* A call of API_INSTANTIATE, API_UPDATE or API_SWITCH_NODE has ended. */
void graphs_called(const struct api_call *call, const struct abi_call_data *data);

/* What a launch is known to give. */
struct graphs_launch {
    uint32_t graph;      /* id; 0 unknown */
    uint32_t operations; /* at least; 0 unknown */
    bool whole;          /* one record for all of it */
};
struct graphs_launch graphs_of_launch(const struct abi_call_data *data);

/* States what was remembered and is not in the file; `again`: all, since the file is new. */
void graphs_state(bool again);

#endif
