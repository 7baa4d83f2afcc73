/* chrome_operators.h - which ranges are operators of PyTorch, and what is of which.
 *
 * Kineto draws operators apart from what programs annotate (cpu_op, user_annotation), gives each an
 * "External id", and gives that of the innermost one to calls within it and to what they launched.
 * Its readers join by that. Here an operator is a range whose name is one's ("aten::mm",
 * "MmBackward0", "autograd::engine::evaluate_function: MmBackward0") and that has what PyTorch says
 * of its operators: a sequence number, an operator's id, or sizes; or that is in the domain of
 * PyTorch's ITT annotations.
 */
#ifndef PROF_CHROME_OPERATORS_H
#define PROF_CHROME_OPERATORS_H

#include "json_out.h"
#include "timeline.h"

struct chrome_operators {
    const struct timeline *timeline;
    uint64_t *bits; /* by slice; NULL: there are none */
    uint32_t *
        around; /* by slice: the innermost operator at or around it, TL_NONE; where there are any */
};

/* Linear in names and attributes. Returns false when memory is short; fini is harmless then. */
bool chrome_operators_init(struct chrome_operators *operators, const struct timeline *timeline);
void chrome_operators_fini(struct chrome_operators *operators);

static inline bool chrome_operators_has(const struct chrome_operators *operators, uint32_t slice)
{
    return operators->bits && (operators->bits[slice / 64] >> slice % 64 & 1);
}

/* The innermost operator at or around a slice (TL_NONE: of nothing); TL_NONE none. */
static inline uint32_t chrome_operators_of(const struct chrome_operators *operators, uint32_t slice)
{
    return operators->bits && slice != TL_NONE ? operators->around[slice] : TL_NONE;
}

/* Attributes of NCCL's collectives, named as in Kineto.
 *
 * NCCL (2.18 and later) annotates its calls in the NVTX domain "NCCL": a range "ncclAllReduce" has
 * the size of the message in bytes, since 2.24 the communicator too, of which "ncclCommInitRank"
 * and its like tell the size and the rank. A kernel of NCCL that was launched, or captured into a
 * graph, within such a range is of that collective. Those of ncclGroupEnd() are left out: the
 * group's calls have returned by then, and one kernel may do several.
 *
 *     Collective name      "allreduce", as torch.distributed calls it
 *     In msg bytes, Out msg bytes   of this rank; where they depend on the group's size, only if
 *                                   that is known
 *     In msg nelems, Out msg nelems, dtype   if the kernel's name tells the type, which NCCL does
 *                                            not
 *     Group size, Rank     of the communicator
 *     Process Group Name   the communicator's id, "0x1f0c..."
 *     Src Rank, Dst Rank   of ncclRecv, ncclSend
 *     Root                 of ncclBroadcast, ncclReduce ...
 */

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
    uint32_t
        *around; /* by slice: the innermost call at or around it, TL_NONE; where there are any */
};

/* Linear in names, and in attributes where there is NCCL. Returns false when memory is short; fini
 * is harmless then. */
bool chrome_collectives_init(struct chrome_collectives *collectives,
                             const struct timeline *timeline);
void chrome_collectives_fini(struct chrome_collectives *collectives);

/* What TensorBoard's plugin calls a call of NCCL's; NULL: it is not one, or the plugin has no name
 * for it. */
const char *chrome_collectives_plugin_name(const struct chrome_collectives *collectives,
                                           uint32_t slice);
/* What goes into such a call. False: not stated. */
bool chrome_collectives_bytes(const struct chrome_collectives *collectives, uint32_t slice,
                              uint64_t *bytes);

/* The call that launched an operation. For a replayed kernel, that is the captured call, not the
 * graph launch. TL_NONE: unknown. */
uint32_t chrome_collectives_launch(const struct timeline *timeline, const struct tl_gpu *op);

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
