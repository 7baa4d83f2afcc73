/* graph_tables.h - what is known of CUDA graphs: nodes that were made while recording was off, to
 * be stated when there is a recording that they can appear in; and the graphs that can be launched,
 * with the id that device records will carry and the least number of operations that a launch
 * should give.
 *
 * Two tables of fixed size without locks, by node and by handle: a lookup tries a few places.
 * Destroyed entries leave their table. Threads: any; a handle is made, changed and destroyed by one
 * thread at a time, as CUDA demands.
 */
#ifndef PROF_GRAPH_TABLES_H
#define PROF_GRAPH_TABLES_H

#include "recorder.h"

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
