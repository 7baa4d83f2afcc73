/* graphs.h - CUDA graphs: where each node was created, and how many operations a launch should
 * give.
 *
 * While recording, a node becomes a GRAPH_NODE in the log of the thread that makes it, between the
 * pushes and pops around: so the range that captured it is known by order. While recording is off,
 * nodes are remembered (graph_tables.c) and stated when it begins. Instantiating clones a graph:
 * its clones' ids are those of device records, and a record ties each to what it was cloned from.
 *
 * Costs nothing at a launch but a look into a table, and nothing where no graphs are made.
 */
#ifndef PROF_GRAPHS_H
#define PROF_GRAPHS_H

#include "abi.h"
#include "api_calls.h"
#include "oracle.h"
#include "recorder.h"

#include <stdbool.h>
#include <stdint.h>

/* Enables the callbacks about graphs, for as long as the subscriber lives. A CUPTI that refuses
 * some tells less. Without `nodes`, only operations are counted: where nodes come from is not
 * recorded. */
void graphs_enable(void *subscriber, bool nodes);

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
void graphs_emit(bool again);

/* ---- a record per node, or one per launched graph: CUPTI does one or the other ---- */

/* Before any kind is enabled: in the v2 API it is decided there, for all of
 * its subscribers and for good. */
void graphs_prepare_kind(const struct oracle *oracle);

/* With the other activity kinds: enables what PROF_GRAPHS selects. If CUPTI has no records of whole
 * graphs, libprof prints one line and records nodes. */
void graphs_enable_kind(void);
void graphs_disable_kind(void);

/* Whether nodes are recorded and could be left out while the program runs. After
 * graphs_prepare_kind(). */
bool graphs_can_throttle(void);

/* Switches between a record per node and one record per launch. In the latter case, graphs that
 * CUPTI instantiated earlier may have no record at all, which is counted. Threads: any. Takes
 * effect at the next graphs_apply(), on the thread that may call CUPTI. */
void graphs_set_nodes(bool on);
void graphs_apply(void);

/* Whether a launch gives one record now. Threads: any. */
bool graphs_are_single_records(void);

/* ---- capturing: launches go into a graph rather than to a device ---- */

/* A capture began / ended on some stream. Threads: any. */
void graphs_capture_began(void);
void graphs_capture_ended(void);

/* Whether any capture may be in progress: cheap enough for every launch. */
bool graphs_capture_may_be_active(void);

/* Whether the stream takes part in one; asks the driver. `per_thread`: stream 0 is the thread's
 * own. */
bool graphs_capture_is_active(uint64_t stream, bool per_thread);

/* ---- graph_tables.c: what is known of CUDA graphs ---- */

/* Nodes that were made while recording was off, to be stated when
 * there is a recording that they can appear in; and the graphs that can be launched, with the id
 * that device records will carry and the least number of operations that a launch should give.
 *
 * Two tables of fixed size without locks, by node and by handle: a lookup tries a few places.
 * Destroyed entries leave their table. Threads: any; a handle is made, changed and destroyed by one
 * thread at a time, as CUDA demands.
 */

/* Places. 32 bytes each, touched where a node is. */
#define GRAPH_TABLES_NODES_MAX 65536u
#define GRAPH_TABLES_EXECS_MAX 4096u

/* `node` is as it will be in the file; its header is not used. A later one of the same node
 * replaces. */
void graph_tables_add_node(const struct prof_rec_earlier_node *node);
void graph_tables_remove_node(uint64_t node);

/* Nodes that found no place. */
uint64_t graph_tables_unplaced_nodes(void);

/* `facts` is as it will be in the file; its header is not used. */
void graph_tables_add_exec(const void *exec, const struct prof_rec_graph *facts);
void graph_tables_remove_exec(const void *exec);

/* Adds PROF_GRAPH_* to what is known of it. */
void graph_tables_flag_exec(const void *exec, uint32_t flags);

/* False: it is not known. */
bool graph_tables_find_exec(const void *exec, struct prof_rec_graph *facts);

/* Appends to META those that are not in the file yet; `again`: all, since the file is new. */
void graph_tables_emit_nodes(bool again);
void graph_tables_emit_execs(bool again);

#endif
