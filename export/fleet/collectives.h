/* collectives.h - the collectives of a rank: NCCL's own ranges with the kernel that each launched;
 * without these, PyTorch's record_param_comms ranges; without either, communication kernels.
 *
 * Calls of a group share a kernel. A call that a CUDA graph captured runs whenever the graph is
 * launched: each of these replays is a collective of its own; the capture is not a collective.
 *
 * Sends and receives concern two ranks, and ranks call different numbers of them: they have no
 * place among the collectives.
 */
#ifndef PROF_COLLECTIVES_H
#define PROF_COLLECTIVES_H

#include "recording.h"

struct collective {
    int64_t called_ns;        /* unknown of a kernel without a launch */
    int64_t start_ns, end_ns; /* of its kernels; end before start: there are none */
    uint64_t communicator, bytes;
    const struct step *step; /* NULL: outside of all */
    uint32_t name;           /* place in recording.names */
    uint32_t slice;          /* its range; TL_NONE: of another kind */
    int32_t stream;          /* CUDA's number, the lowest of its kernels */
    int32_t sequence;        /* -1: a send or receive */
    uint64_t call;           /* NCCL's profiler: number of the call, 0 unknown */
    int64_t counted;         /* NCCL's own count of the function, -1 unknown */
    int32_t stated;          /* PyTorch's sequence number in its process group, -1 unknown */
    uint64_t group;          /* NCCL's profiler: number of its group, 0 none */
    uint64_t group_bytes;    /* of its communicator's calls in the group; over INT64_MAX: unknown */
    int32_t group_place;     /* among these, collectives apart; -1: in no group */
    int32_t peer, own_rank;  /* numbers in the communicator, -1 unknown */
    int32_t channels;        /* -1 unknown */
    uint32_t process;        /* into the timeline's, of a range */
    uint32_t algorithm, protocol, type;                   /* names; TL_NONE unknown */
    bool is_kernel;                                       /* it is known from its kernel alone */
    bool is_pytorchs;                                     /* its range is a record_param_comms */
    bool captured, replayed;                              /* into a CUDA graph; by one */
    bool called, has_communicator, has_bytes, has_stream; /* whether that is known */
};

struct collectives {
    TL_ARRAY(struct collective) all;
};

/* False: no memory; fini is needed all the same. */
bool collectives_init(struct collectives *collectives, const struct recording *recording,
                      uint32_t unit);
void collectives_fini(struct collectives *collectives);

#endif
