/* kernel_work.h - the work of ranges, given to the kernels that did it: each range's once.
 *
 * A range's work is what the program said (attributes "flops" and "bytes"; of a range called "cublas..."
 * also "m", "n", "k", "batch" and "type"), else what its operator's formula says. What is said as 0 of
 * an operator with a formula was not known to who said it: the formula counts.
 *
 * Of ranges inside of each other that have work of one class (enum op_class), the innermost counts: the
 * outer ones would count it again (aten::linear > aten::addmm > cublasGemmEx). Around work of a lower
 * class a range keeps its own, for the kernels that are left: aten::convolution with an aten::add_ of
 * its bias inside. What the program said of a range that is no operator is the total of all in it, so
 * work of a lower class within does not count beside it.
 *
 * All kernels launched within a range, but not within another that counts, share its work by their
 * durations; where all are 0, in equal parts. Of a product, convolution or attention only those kernels
 * do whose names say that they compute it, if there are such: its transposing and summing kernels are
 * then unknown, with OP_NO_FORMULA. So the sum over the kernels is the work, where any was recorded.
 *
 * Kernels of a graph work for the range that captured them, in every launch anew; where that has no
 * known work, for the range of the launch.
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
