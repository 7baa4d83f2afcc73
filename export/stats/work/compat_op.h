/* compat_op.h - what the formulas of compat_work.h have in common: an operator, its sizes, products that
 * do not overflow unseen. */
#ifndef PROF_COMPAT_OP_H
#define PROF_COMPAT_OP_H

#include "compat_list.h"
#include "compat_work.h"

struct compat_op {
    const struct compat_event *event;
    struct text name; /* without "aten::" */
    struct compat_error *error;
};

/* The operator of a name without "aten::", or of the name of a kernel; empty: none is known by it. */
struct text compat_op_named(struct text name);

/* Sets the operator's error. */
__attribute__((format(printf, 2, 3))) void compat_op_say(const struct compat_op *op,
                                                         const char *format, ...);
/* The same; false. */
#define compat_op_fail(...) (compat_op_say(__VA_ARGS__), false)

/* The sizes of an input; of one that has `wanted` dimensions. False after having failed. */
bool compat_op_shape(const struct compat_op *op, uint32_t index, struct compat_shape *shape);
bool compat_op_shape_of(const struct compat_op *op, uint32_t index, uint32_t wanted,
                        struct compat_shape *shape);

/* False after having failed: more than 63 bits. */
bool compat_op_multiply(const struct compat_op *op, int64_t *product, int64_t factor);
bool compat_op_add(const struct compat_op *op, int64_t *sum, int64_t more);

/* The sizes of what a convolution puts out, its strides being that value: as many directions as input,
 * weights and strides have; no padding, no dilation. */
bool compat_op_outputs(const struct compat_op *op, uint32_t stride_value,
                       const struct compat_shape *x, const struct compat_shape *w,
                       struct compat_shape *out);

#endif
