/* op_work.h - how many floating point operations an operator needs, and how many bytes it must
 * move.
 *
 * A multiplication and an addition are two operations. Bytes are each input read once and each
 * output written once: what no implementation can do without.
 */
#ifndef PROF_OP_WORK_H
#define PROF_OP_WORK_H

#include "op_inputs.h"

#ifdef __cplusplus
extern "C" {
#endif

enum op_known {
    OP_KNOWN,
    OP_NO_FORMULA, /* nothing is known of operators of that name */
    OP_NO_SHAPES,  /* the formula needs inputs that were not recorded */
    OP_NO_VALUES,  /* the same, and it is strides, padding ... that are missing */
    OP_BAD_SHAPES, /* the shapes do not fit the operator */
    OP_NO_TYPE,    /* bytes: the size of an element is not known */
};

/* What kind of work it is. */
enum op_class {
    OP_UNCLASSED,  /* no formula */
    OP_MOVE,       /* copies, fills: no arithmetic */
    OP_ARITHMETIC, /* element by element, sums */
    OP_MATRIX,     /* products of matrices, convolutions, attention */
};

struct op_work {
    double flop, bytes;
    enum op_known flop_known, bytes_known; /* what is not OP_KNOWN has no number: it is NaN */
    enum op_type type;                     /* of the biggest input: what it is computed in */
};

/* Of an operator by its name ("aten::mm", "mm", "aten::convolution_backward" ...). */
void op_work_of(struct text name, const struct op_inputs *inputs, struct op_work *work);

enum op_class op_class_of(struct text name);

/* "no formula", "no shapes", ... for people. */
const char *op_known_text(enum op_known known);

#ifdef __cplusplus
}
#endif
#endif
