/* pytorch_work.h - how much work an operator was, as PyTorch's torch/_inductor/analysis/profile_analysis.py
 * reckons it: for outputs that stand in for that program's. op_work.h has what is right.
 *
 *     FLOPs   mm, addmm, bmm, baddbmm, _scaled_mm; convolutions without padding, dilation and what
 *             is transposed; scaled dot products; 0 of all else
 *     GB      mm twice what it moves; bmm its first input twice; convolutions elements in place of
 *             bytes, and no output; all else its inputs, each type that torch has no name for as
 *             one byte
 *
 * A name without "aten::" is looked through for "conv", "addmm", "bmm" and "_mm". Where that program
 * stops with an exception, so does this: false, and `error` is its sentence. Whole numbers are exact
 * up to 63 bits; there they would go on.
 */
#ifndef PROF_PYTORCH_WORK_H
#define PROF_PYTORCH_WORK_H

#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As in the args of the event: JSON. `bytes` NULL: the event does not have it. */
struct pytorch_event {
    struct text name;   /* plain */
    struct text dims;   /* "Input Dims" */
    struct text types;  /* "Input type" */
    struct text values; /* "Concrete Inputs" */
};

struct pytorch_error {
    char message[256];
};

bool pytorch_flop(const struct pytorch_event *event, int64_t *flop, struct pytorch_error *error);

/* Gigabytes; `*whole`: it is Python's 0, not 0.0. */
bool pytorch_gigabytes(const struct pytorch_event *event, double *gigabytes, bool *whole,
                       struct pytorch_error *error);

#ifdef __cplusplus
}
#endif
#endif
