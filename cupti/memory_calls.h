/* memory_calls.h - allocations read from the arguments of the calls that make them, for a CUPTI
 * that gives no record of them. */
#ifndef PROF_MEMORY_CALLS_H
#define PROF_MEMORY_CALLS_H

#include "abi.h"

#include <stdbool.h>

/* A call of the program's own that is in its log has ended. Writes a MEMORY record where the call
 * succeeded and allocated or released. Not for calls captured into a graph: those allocate when the
 * graph runs. */
void memory_calls_note(uint32_t domain, uint32_t cbid, const struct abi_call_data *data);

/* Whether a followed call allocates or releases memory that is recorded. */
bool memory_calls_follows(uint32_t domain, uint32_t cbid);

#endif
