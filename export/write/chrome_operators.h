/* chrome_operators.h - which ranges are operators of PyTorch, and what is of which.
 *
 * Kineto draws operators apart from what programs annotate (cpu_op, user_annotation), gives each an
 * "External id", and gives that of the innermost one to calls within it and to what they launched.
 * Its readers join by that. Here an operator is a range whose name is one's ("aten::mm",
 * "MmBackward0", "autograd::engine::evaluate_function: MmBackward0") and that has what PyTorch says
 * of its operators: a sequence number, an operator's id, or sizes; or that is in the domain in which
 * PyTorch tells ITT of them.
 */
#ifndef PROF_CHROME_OPERATORS_H
#define PROF_CHROME_OPERATORS_H

#include "timeline.h"

struct chrome_operators {
    const struct timeline *timeline;
    uint64_t *bits; /* by slice; NULL: there are none */
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
    if (!operators->bits)
        return TL_NONE;
    while (slice != TL_NONE && !chrome_operators_has(operators, slice))
        slice = operators->timeline->slices.at[slice].parent;
    return slice;
}

/* The thread of the forward range that an operator computes gradients of; TL_NONE none. */
uint32_t chrome_operators_forward(const struct chrome_operators *operators, uint32_t slice);

#endif
