/* kernel_work.h - the work of ranges, given to the kernels that did it: each range's once.
 *
 * A range's work is what the program said (attributes "flops" and "bytes"), else what its operator's
 * formula says. Where an operator is inside of another one that has work (aten::linear > aten::addmm),
 * the innermost counts; the outer one would count it again.
 */
#ifndef PROF_KERNEL_WORK_H
#define PROF_KERNEL_WORK_H

#include "op_work.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

enum kernel_work_source { WORK_NONE, WORK_USER, WORK_GEMM_CALL, WORK_FORMULA };

struct kernel_work {
    double flop, bytes;              /* NaN: unknown */
    uint32_t slice;                  /* the range whose work it is, TL_NONE */
    uint8_t source;                  /* enum kernel_work_source */
    uint8_t flop_known, bytes_known; /* enum op_known: why not */
    uint8_t type;                    /* enum op_type */
};

struct kernel_works {
    struct kernel_work *at; /* by gpu: kernels and whole graphs; others have WORK_NONE */
    uint32_t count;
};

/* One pass over slices, attributes and operations. False: no memory; fini is not needed then. */
bool kernel_works_init(struct kernel_works *works, const struct timeline *timeline);
void kernel_works_fini(struct kernel_works *works);

#ifdef __cplusplus
}
#endif
#endif
