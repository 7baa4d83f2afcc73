/* tax.h - framework tax: time of a model's execution, or of a range, in which no kernel of it
 * ran. */
#ifndef PROF_TAX_H
#define PROF_TAX_H

#include "blocks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One execution in a block: an event "Method::execute". Kernels are events whose names begin with
 * "native_call" or "delegate_execute" within it; what lies in another of them counts once, and two
 * that overlap count as the time that they cover together. */
struct block_tax {
    uint32_t block;                       /* into blocks.blocks */
    uint32_t number;                      /* of the iteration, from 0 */
    double execution, kernels, framework; /* in the target's unit; the third is the rest */
    double share; /* of the execution's time outside of kernels, 0 to 1; NaN: it took no time */
};

struct block_taxes {
    TL_ARRAY(struct block_tax) rows; /* by event block, then iteration, then start */
    uint64_t unknown;                /* executions whose duration is not known */
};

/* False: no memory. */
bool block_taxes_init(struct block_taxes *taxes, const struct blocks *blocks);
void block_taxes_fini(struct block_taxes *taxes);

/* All calls of the ranges of one name that launched a kernel, those inside of one of the same name
 * aside. Kernels are those that were launched in a call, on whatever device; copies and sets are
 * not kernels. A range that does not wait for its kernels is followed by them: its tax is the share
 * of its own time and theirs together. */
struct range_tax {
    uint32_t key; /* see struct key_names */
    uint64_t calls, kernels;
    int64_t total_ns;
    int64_t kernel_ns; /* at least one kernel of the call ran */
    int64_t after_ns;  /* the same after the call had ended */
};

/* While a call or, after it, at least one kernel of it ran. */
static inline int64_t range_tax_whole_ns(const struct range_tax *row)
{
    return row->total_ns + row->after_ns;
}

struct range_taxes {
    TL_ARRAY(struct range_tax) rows; /* most time without a kernel first */
};

struct key_names;

/* `range`: of this name only; NULL all. False: no memory. */
bool range_taxes_init(struct range_taxes *taxes, const struct timeline *timeline,
                      const struct key_names *keys, const char *range);
void range_taxes_fini(struct range_taxes *taxes);

#ifdef __cplusplus
}
#endif
#endif
