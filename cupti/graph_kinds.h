/* graph_kinds.h - whether a launched graph gives a record per node or one in all: CUPTI does one or
 * the other. */
#ifndef PROF_GRAPH_KINDS_H
#define PROF_GRAPH_KINDS_H

#include "oracle.h"

#include <stdbool.h>

/* Before any kind is enabled: in the second form of CUPTI's interface it is decided there, for all of
 * its subscribers and for good. */
void graph_kinds_prepare(const struct oracle *oracle);

/* With the other activity kinds: enables what PROF_GRAPHS asks for. Where CUPTI has no records of
 * whole graphs, one line says so and nodes are recorded. */
void graph_kinds_enable(void);
void graph_kinds_disable(void);

/* Whether nodes are recorded and could be left out while the program runs. After
 * graph_kinds_prepare(). */
bool graph_kinds_can_shed(void);

/* Records single nodes again, or leaves them out: a launch gives one record then, and what CUPTI
 * instantiated before may give none at all, which is counted. Threads: any; it is so after the next
 * graph_kinds_settle(), which is for the thread that may call CUPTI. */
void graph_kinds_keep_nodes(bool on);
void graph_kinds_settle(void);

/* Whether a launch gives one record now. Threads: any. */
bool graph_kinds_whole(void);

#endif
