/* sim_handle.h - the set of live handles, so that stale or foreign pointers are rejected without
 * being dereferenced.
 */
#ifndef SIM_HANDLE_H
#define SIM_HANDLE_H

#include <stdbool.h>

#include "sim_shared.h"

enum sim_handle_type {
    SIM_HANDLE_CONTEXT = 1,
    SIM_HANDLE_STREAM,
    SIM_HANDLE_EVENT,
    SIM_HANDLE_MODULE,
    SIM_HANDLE_FUNCTION,
    SIM_HANDLE_GRAPH,
    SIM_HANDLE_NODE,
    SIM_HANDLE_EXEC,
    SIM_HANDLE_POOL,
    SIM_HANDLE_PHYSICAL,
};

/* All threads; they lock for themselves. */
SIM_SHARED void sim_handle_add(const void *handle, enum sim_handle_type type);
SIM_SHARED void sim_handle_remove(const void *handle);
SIM_SHARED bool sim_handle_is(const void *handle, enum sim_handle_type type);

#endif
