/* op_formula.h - the tables behind op_work.h: a row for each operator, with the function that
 * counts.
 *
 * Each table is sorted by name, without "aten::". An operator in place (relu_) is looked for as it
 * is, then without its underscore.
 */
#ifndef PROF_OP_FORMULA_H
#define PROF_OP_FORMULA_H

#include "op_work.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a function that counts finds. It adds to what is there. */
struct op_count {
    double flop;     /* set when flop_known says so */
    double bits;     /* read or written beside the inputs of `reads` */
    uint64_t reads;  /* inputs that are read once as a whole, a bit for each: the row's at first */
    uint8_t element; /* enum op_type: of the biggest input */
    enum op_known flop_known, bytes_known;
};

/* Of a convolution: which argument is what; -1 there is none. */
struct conv_layout {
    int8_t input, weight, output_gradient;
    int8_t stride, padding, dilation, groups;
    int8_t transposed; /* the argument that decides it */
    int8_t output_padding;
    bool is_transposed;
};

struct op_formula {
    const char *name;
    /* Returns OP_KNOWN, or why neither FLOPs nor bytes are known. */
    enum op_known (*count)(const struct op_formula *formula, const struct op_inputs *inputs,
                           struct op_count *count);
    uint64_t reads;
    const struct conv_layout *conv;
    int8_t arg[4]; /* as the function has it */
    uint8_t kind;  /* enum op_class */
};

struct op_formulas {
    const struct op_formula *at;
    size_t count;
};

extern const struct op_formulas op_gemm_formulas, op_conv_formulas, op_conv_gradient_formulas,
    op_attention_formulas, op_element_formulas, op_layer_formulas;
/* Ends with NULL. */
extern const struct op_formulas *const op_formula_tables[];

/* The input of that number, when it is a tensor. */
const struct op_tensor *op_tensor_input(const struct op_inputs *inputs, int number);

/* The concrete value of an input; empty: none was recorded. */
struct text op_value(const struct op_inputs *inputs, int number);

/* Larger sizes and numbers are refused, so that products and sums of them fit into 64 bits. */
#define OP_LIMIT (INT64_C(1) << 30)

/* A value that is a number for each of `count` dimensions, as strides are; one is for all. An empty
 * list is what `instead` has, unless that is NULL. BAD_SHAPES: below `least`, or not as many. */
enum op_known op_steps(const struct op_inputs *inputs, int number, int64_t least, int count,
                       const int64_t *instead, int64_t steps[OP_DIMS_MAX]);

/* Whether a convolution is transposed. */
enum op_known op_conv_transposed(const struct conv_layout *layout, const struct op_inputs *inputs,
                                 bool *is_transposed);

/* How many elements a tensor has. */
double op_elements(const struct op_tensor *tensor);

/* Counts elements that are read or written. Elements of an unknown type: the bytes are unknown. */
void op_count_moved(struct op_count *count, double elements, enum op_type type);
void op_count_tensor(struct op_count *count, const struct op_tensor *tensor); /* all of them */

/* Whether the elements are complex numbers. */
bool op_type_is_complex(enum op_type type);

#ifdef __cplusplus
}
#endif
#endif
