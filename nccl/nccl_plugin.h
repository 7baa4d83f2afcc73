/* nccl_plugin.h - libprof as an NCCL profiler plugin: the tables that NCCL looks up by name.
 *
 * The functions take any argument except a pointer that cannot be read: handles are numbers, not addresses. A handle
 * that was stopped, whose event is older than the NCCL_EVENTS latest, or that libprof never gave out is ignored.
 */
#ifndef PROF_NCCL_PLUGIN_H
#define PROF_NCCL_PLUGIN_H

#include "nccl_abi.h"
#include "recorder.h"

#define NCCL_EVENTS 4096u /* that are known at a time */
#define NCCL_COMMS 1024u

#define NCCL_EXPORT extern __attribute__((visibility("default"))) const struct nccl_plugin
NCCL_EXPORT ncclProfiler_v1, ncclProfiler_v2, ncclProfiler_v3, ncclProfiler_v4, ncclProfiler_v5,
    ncclProfiler_v6;

/* Whether NCCL's events are to be recorded. Set at load; NULL: no. */
extern bool (*nccl_plugin_takes)(void);

extern const struct collector nccl_collector;

#endif
