/* pytorch_work.h - how much work an operator was, as PyTorch's
 * torch/_inductor/analysis/profile_analysis.py reckons it: for outputs that stand in for that
 * program's. op_work.h has what is right.
 *
 *     FLOPs   mm, addmm, bmm, baddbmm, _scaled_mm; convolutions without padding, dilation and what
 *             is transposed; scaled dot products; 0 of all else
 *     GB      mm twice what it moves; bmm its first input twice; convolutions elements in place of
 *             bytes, and no output; all else its inputs, each type that torch has no name for as
 *             one byte
 *
 * A name without "aten::" is looked through for "conv", "addmm", "bmm" and "_mm". Where that
 * program stops with an exception, so does this: false, and `error` is its sentence. Whole numbers
 * are exact up to 63 bits; there they would go on.
 */
#ifndef PROF_PYTORCH_WORK_H
#define PROF_PYTORCH_WORK_H

#include "read.h"
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

/* Lists of JSON in the args of an event: items one after the other, whole numbers. */

#define PYTORCH_SHAPE_MAX 16u

struct pytorch_shape {
    int64_t at[PYTORCH_SHAPE_MAX];
    uint32_t count;
};

struct pytorch_list {
    const char *at, *end;
};

/* False: the text is not a list. */
bool pytorch_list_begin(struct pytorch_list *list, struct text text);
/* The next item as it is written, without space around it. False: there is none. */
bool pytorch_list_next(struct pytorch_list *list, struct text *item);

uint32_t pytorch_list_count(struct text text);
/* False: the list has no such item. */
bool pytorch_list_item(struct text text, uint32_t index, struct text *item);

/* Whole numbers alone, at most PYTORCH_SHAPE_MAX. */
bool pytorch_list_shape(struct text text, struct pytorch_shape *shape);

/* The product of all numbers in a list, however deep; 1 without any. False: something in it is not
 * a whole number, or the product has more than 63 bits. */
bool pytorch_list_product(struct text text, int64_t *product);

/* Strips the quotes of a string. False: it is not one. */
bool pytorch_list_string(struct text item, struct text *body);

/* Parses "[2, 2]" or "2", the value of an argument. False: not whole numbers. */
bool pytorch_list_numbers(struct text text, struct pytorch_shape *numbers);

#ifdef __cplusplus
}
#endif
#endif
