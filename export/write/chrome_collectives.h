/* chrome_collectives.h - what NCCL says of its collectives, in Kineto's words.
 *
 * NCCL (2.18 and later) annotates its calls in the NVTX domain "NCCL": a range "ncclAllReduce" has the size of
 * the message in bytes, since 2.24 the communicator too, of which "ncclCommInitRank" and its like tell the size
 * and the rank. A kernel of NCCL that was launched within such a range is of that collective. Those of
 * ncclGroupEnd() are not told of: the group's calls have returned by then, and one kernel may do several.
 *
 *     Collective name      "allreduce", as torch.distributed calls it
 *     In msg bytes, Out msg bytes   of this rank; where they depend on the group's size, only if that is known
 *     In msg nelems, Out msg nelems, dtype   if the kernel's name tells the type, which NCCL does not
 *     Group size, Rank     of the communicator
 *     Process Group Name   the communicator's id, "0x1f0c..."
 *     Src Rank, Dst Rank   of ncclRecv, ncclSend
 *     Root                 of ncclBroadcast, ncclReduce ...
 */
#ifndef PROF_CHROME_COLLECTIVES_H
#define PROF_CHROME_COLLECTIVES_H

#include "json_out.h"
#include "timeline.h"

struct chrome_communicator {
    uint64_t id;
    uint32_t process;
    int64_t ranks, rank; /* -1 unknown */
};

#define CHROME_NCCL_KEYS 6u

struct chrome_collectives {
    const struct timeline *timeline;
    bool any;                        /* there is a domain of NCCL's */
    uint32_t keys[CHROME_NCCL_KEYS]; /* names of attributes, TL_NONE: not in the timeline */
    TL_ARRAY(struct chrome_communicator) communicators;
};

/* Linear in names, and in attributes where there is NCCL. Returns false when memory is short; fini is harmless
 * then. */
bool chrome_collectives_init(struct chrome_collectives *collectives,
                             const struct timeline *timeline);
void chrome_collectives_fini(struct chrome_collectives *collectives);

/* The members of args of a kernel of NCCL. */
void chrome_collectives_write_slow(const struct chrome_collectives *collectives,
                                   const struct tl_gpu *op, struct json_out *out);

static inline void chrome_collectives_write(const struct chrome_collectives *collectives,
                                            const struct tl_gpu *op, struct json_out *out)
{
    if (collectives->any)
        chrome_collectives_write_slow(collectives, op, out);
}

#endif
