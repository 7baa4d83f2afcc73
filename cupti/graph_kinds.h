/* graph_kinds.h - whether a launched graph gives a record per node or one in all: CUPTI does one or
 * the other. */
#ifndef PROF_GRAPH_KINDS_H
#define PROF_GRAPH_KINDS_H

#include "oracle.h"

#include <stdbool.h>

/* Before any kind is enabled: in the second form of CUPTI's interface it is decided there, for all of
 * its subscribers and for good, so graph_kinds_nodes() cannot change it later. */
void graph_kinds_prepare(void);

/* With the other activity kinds: enables what PROF_GRAPHS or the last graph_kinds_nodes() asks for.
 * Where CUPTI has no records of whole graphs, one line says so and nodes are recorded. */
void graph_kinds_enable(const struct oracle *oracle);
void graph_kinds_disable(void);

/* Stops or starts the recording of single nodes, while the program runs: without, a launch gives one
 * record. What CUPTI instantiated before whole graphs were asked for the first time may give none at
 * all then; it is counted. Returns whether it is so now. From one thread at a time that may call
 * CUPTI, or before the first kind is enabled. */
bool graph_kinds_nodes(bool on);

/* Whether a launch gives one record now. Threads: any. */
bool graph_kinds_whole(void);

#endif
