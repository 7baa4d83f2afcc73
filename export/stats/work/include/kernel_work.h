/* kernel_work.h - how much work ranges and kernels had to do.
 *
 * A range's work is what the program stated (attributes "flops" and "bytes"; of a range called
 * "cublas..." also "m", "n", "k", "batch" and "type"), else the result of its operator's formula. A
 * stated 0 of an operator with a formula means that its source did not know: the formula counts.
 *
 * Kernels receive the work of ranges, each range's once.
 *
 * Where nested ranges have work of one class (enum op_class), the innermost counts: the outer ones
 * would count it again (aten::linear > aten::addmm > cublasGemmEx). Around work of a lower class a
 * range keeps its own, for the remaining kernels: aten::convolution with an aten::add_ of its bias
 * inside. What the program stated of a range that is not an operator is the total of everything in
 * it, so work of a lower class inside does not count beside it.
 *
 * All kernels launched within a range, but not within another that counts, share its work in
 * proportion to their durations; in equal parts if all are 0. Of a product, convolution or
 * attention, only kernels share whose names say that they compute it, if there are any: its
 * transposing and summing kernels are then unknown, with OP_NO_FORMULA. So the sum over the kernels
 * is the work, where any was recorded.
 *
 * Kernels of a graph work for the range that captured them, in every launch anew; where that has no
 * known work, for the range of the launch.
 */
#ifndef PROF_KERNEL_WORK_H
#define PROF_KERNEL_WORK_H

#include "array.h"
#include "maps.h"
#include "op_work.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

enum kernel_work_source { WORK_NONE, WORK_USER, WORK_GEMM_CALL, WORK_FORMULA };

/* ---- ranges, each by itself ---- */

struct range_work {
    struct op_work work;
    uint8_t source;   /* enum kernel_work_source */
    uint8_t rank;     /* enum op_class; OP_UNCLASSED: only why it is unknown */
    bool is_total;    /* the program's number for everything in the range */
    bool is_computed; /* some kernels of such a range only help, as with a layout */
};

struct range_works {
    uint32_t *of_slice; /* into all[], TL_NONE: nothing is known of the range */
    TL_ARRAY(struct range_work) all;
    /* Below: while it is computed. Equal names, sizes, types and values mean equal work, and they
     * are indexes into timeline.names, so what many calls have in common is computed once. */
    const struct timeline *timeline;
    uint8_t *roles;      /* by name: what an attribute of that name means */
    uint8_t *classes;    /* by name: enum op_class, or CLASS_UNSEEN */
    struct keymap ops;   /* (name, sizes) -> number of the pair */
    struct keymap texts; /* (types, values) -> number of the pair */
    struct keymap known; /* (number, number) -> into all[] */
    struct op_inputs inputs;
};

/* One pass over the attributes. False: no memory; fini is not needed then. */
bool range_works_init(struct range_works *works, const struct timeline *timeline);
void range_works_fini(struct range_works *works);

/* FLOPs by slice: those that the program set on a range, else those of its operator's formula; NaN
 * if unknown. The caller frees it. NULL: no memory. */
double *range_flops_create(const struct timeline *timeline);

/* The same, but each operator's FLOPs count once, where torch.profiler counts them: not on
 * enclosing operators or on cuBLAS calls inside. */
double *range_flops_create_counted(const struct timeline *timeline);

/* ---- kernels ---- */

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
