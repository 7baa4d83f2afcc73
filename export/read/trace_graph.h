/* trace_graph.h - records of CUDA graphs, as the walk meets them; private to this folder. */
#ifndef PROF_TRACE_GRAPH_H
#define PROF_TRACE_GRAPH_H

#include "trace_walk.h"

/* In a LOG: PROF_REC_GRAPH_NODE. */
void walk_graph_node(struct walk *walk, uint32_t thread, int64_t time_ns,
                     const struct record *record);

/* In META: PROF_REC_EARLIER_NODE, PROF_REC_GRAPH. */
void walk_earlier_node(struct walk *walk, const struct record *record);
void walk_graph(struct walk *walk, const struct record *record);

#endif
