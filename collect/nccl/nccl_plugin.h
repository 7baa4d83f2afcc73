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

#include <stdbool.h>
#include <stdint.h>

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

/* ---- nccl_record.c: what NCCL does, as ranges ---- */

/* What NCCL does, as ranges in the NVTX domain "NCCL" with the attributes that NCCL's own NVTX
 * ranges have, and more.
 *
 * A call (ncclAllReduce ...) is a range of that name. Where NCCL's NVTX range is open already, it
 * gets the attributes and there is no second one. A call outside of a group lasts until its kernel
 * was launched. In a group, each call is a range, and each launch another ("NCCL launch"): a kernel
 * may serve several calls. A task is a range of no length.
 *
 * All functions may be called from any thread and keep errno. Texts may be NULL.
 */

#define NCCL_UNKNOWN UINT64_MAX

/* A communicator, as NCCL describes it. Fields that are 0 or NULL are unknown. */
struct nccl_comm {
    uint64_t id;
    const char *name; /* lives as long as the process */
    int32_t nodes, ranks, rank;
};

/* What NCCL's calls and tasks say of themselves, whatever the interface. */
struct nccl_work {
    const char *function; /* "AllReduce", without a prefix */
    const char *type;     /* "ncclFloat32" */
    const char *algorithm, *protocol;
    uint64_t count;              /* elements */
    uint64_t sequence, channels; /* NCCL_UNKNOWN */
    uint64_t peer;               /* of a send or receive: rank in the communicator, NCCL_UNKNOWN */
    uint64_t call;               /* number of the call it belongs to, 0 unknown */
    uint64_t group;              /* number of the group of calls, 0 none */
    bool captured;               /* into a CUDA graph */
};

/* What a proxy sends or receives for a call through one channel. */
struct nccl_transfer {
    bool sends;
    int32_t peer, channel, steps, chunk_bytes;
    uint64_t call; /* 0 unknown */
};

/* States a communicator, as a range of no length. */
void nccl_record_comm(const struct nccl_comm *comm);

/* A call begins. True: a range of ours was opened, and nccl_record_pop() must follow on this
 * thread. */
bool nccl_record_call(const struct nccl_comm *comm, const struct nccl_work *work);

/* What a task did, as attributes of the thread's innermost range, which is the task's call. */
void nccl_record_task_attributes(const struct nccl_work *work);

/* A task whose call's range is over: a range of no length. */
void nccl_record_task(const struct nccl_comm *comm, const struct nccl_work *work);

/* A launch of a group begins. As for a call. */
bool nccl_record_launch(uint64_t group);

void nccl_record_pop(void);

/* A proxy's operation or a step of it begins: a range that any thread may end, by its id. 0:
 * none. */
uint64_t nccl_record_proxy_op(const struct nccl_transfer *transfer);
uint64_t nccl_record_proxy_step(uint64_t operation, int32_t step);
void nccl_record_proxy_bytes(uint64_t range, uint64_t bytes);
void nccl_record_proxy_end(uint64_t range);

/* Number of the recording; 0 off. Ranges of an earlier one have ended. */
uint32_t nccl_record_epoch(void);

#endif
