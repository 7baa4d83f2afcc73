/* graph_execs.h - the graphs that can be launched, by handle: which id device records will carry, and how
 * many operations a launch is to give at least.
 *
 * A table of fixed size, without locks: a launch looks at one or two places. Threads: any; a handle
 * is made, changed and destroyed by one thread at a time, as CUDA demands.
 */
#ifndef PROF_GRAPH_EXECS_H
#define PROF_GRAPH_EXECS_H

#include "recorder.h"

#define GRAPH_EXECS_MAX 4096u

/* `facts` is as it will be in the file; its header is not used. */
void graph_execs_add(const void *exec, const struct prof_rec_graph *facts);
void graph_execs_remove(const void *exec);

/* Adds PROF_GRAPH_* to what is known of it. */
void graph_execs_flag(const void *exec, uint32_t flags);

/* False: it is not known. */
bool graph_execs_find(const void *exec, struct prof_rec_graph *facts);

/* Appends to META those that are not in the file yet; `again`: all, since the file is new. */
void graph_execs_state(bool again);

#endif
