/* nccl_plugin.h - libprof as an NCCL profiler plugin: the tables that NCCL looks up by name.
 *
 * The functions take any argument except a pointer that cannot be read: handles are numbers, not
 * addresses. One that libprof never gave out is ignored if its bits are not those of a handle; one
 * that was stopped may still be a parent.
 */
#ifndef PROF_NCCL_PLUGIN_H
#define PROF_NCCL_PLUGIN_H

#include "nccl_abi.h"
#include "recorder.h"

#define NCCL_COMMS 1024u /* that are known at a time */

#define NCCL_EXPORT extern __attribute__((visibility("default"))) const struct nccl_plugin
NCCL_EXPORT ncclProfiler_v1, ncclProfiler_v2, ncclProfiler_v3, ncclProfiler_v4, ncclProfiler_v5,
    ncclProfiler_v6;

/* Whether NCCL's events are to be recorded. Set at load; NULL: no. */
extern bool (*nccl_plugin_takes)(void);

extern const struct collector nccl_collector;

/* Whether NCCL's configuration files name a plugin, or LD_LIBRARY_PATH has the one that NCCL looks
 * for. */
bool nccl_other_plugin(void);

/* ---- inside collect/nccl/ ---- */

struct nccl_comm;
struct nccl_work;

enum nccl_kind { NCCL_KIND_OTHER, NCCL_KIND_CALL, NCCL_KIND_TASK };

/* The descriptor of a call or a task, whatever the interface. The communicator's id where the
 * descriptor has it. */
enum nccl_kind nccl_read(int version, const struct nccl_descriptor *from, struct nccl_work *work,
                         struct nccl_comm *comm);

/* The type of the event. */
static inline uint64_t nccl_type(int version, const struct nccl_descriptor *from)
{
    return version < 5 ? from->head.type & 0xff : from->head.type;
}

#endif
