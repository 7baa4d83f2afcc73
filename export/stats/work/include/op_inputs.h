/* op_inputs.h - the inputs of an operator, as PyTorch writes them beside its range.
 *
 *     Input Dims        [[128, 64], [64, 32], []]           a list of sizes for each input
 *     Input type        ["float", "c10::Half", "Scalar"]
 *     Concrete Inputs   ["", "", "1"]                       values of those that are not tensors
 *
 * As a range of PyTorch's emit_nvtx has them, there are sizes alone. A list of tensors as one input
 * is a list of lists of sizes: its tensors stand one after the other, with the same number of
 * input.
 */
#ifndef PROF_OP_INPUTS_H
#define PROF_OP_INPUTS_H

#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Element types as analysis knows them. Complex numbers count as two of their parts. */
enum op_type {
    OP_TYPE_UNKNOWN,
    OP_F64,
    OP_F32,
    OP_TF32,
    OP_BF16,
    OP_F16,
    OP_F8,
    OP_F6,
    OP_F4,
    OP_I64,
    OP_I32,
    OP_I16,
    OP_I8,
    OP_I4,
    OP_BOOL,
    OP_C64,
    OP_C32,
    OP_C16, /* complex: of two f64, f32, f16 */
    OP_TYPES
};

#define OP_DIMS_MAX 8u
#define OP_TENSORS_MAX 64u

struct op_tensor {
    int64_t sizes[OP_DIMS_MAX];
    uint8_t dims;
    uint8_t input;     /* which argument it is, or is part of */
    uint8_t type;      /* enum op_type */
    bool is_tensor;    /* false: a scalar, a list of numbers, or nothing */
    bool pairs;        /* its elements are two numbers each, as of float4_e2m1fn_x2 */
    struct text value; /* its concrete value; empty: none was recorded */
};

struct op_inputs {
    struct op_tensor at[OP_TENSORS_MAX];
    uint32_t count;
    bool has_types, has_values;
    bool cut; /* there were more, or of more dimensions */
};

/* Texts as above; `types` and `values` may be empty. The inputs refer to the texts, which must
 * stay. False: `dims` is no such list. Allocates nothing. */
bool op_inputs_parse(struct op_inputs *inputs, struct text dims, struct text types,
                     struct text values);

/* The input of that number; of a list of tensors the first, which its others follow. NULL: none. */
const struct op_tensor *op_input(const struct op_inputs *inputs, uint32_t number);

/* "float", "c10::Half", "BFloat16", "long int", "double", "torch.float16" ...: every spelling that
 * PyTorch, its traces or C++ have for a type. OP_TYPE_UNKNOWN: none. */
enum op_type op_type_find(struct text name);
const char *op_type_name(enum op_type type); /* "float32"; "unknown" */
/* Of PyTorch's ScalarType as a number, as "Concrete Inputs" has types: 6 is float32. */
enum op_type op_type_of_scalar_type(int64_t number);
/* In bits, as there are types of 4; 0 unknown. */
unsigned op_type_bits(enum op_type type);

/* Lists in the texts that PyTorch writes beside a range: "[[1, 2], []]", "[2, 2]", "True".
 *
 * Texts come from files: any bytes are met. Nothing is read after a text's end. Threads: any.
 */

/* A whole number, which may be written "1e3" or "128.0". False: it is not one, or beyond 2^53. */
bool op_text_integer(struct text text, int64_t *number);

/* "True", "false", "1" ... False: it is none of them. */
bool op_text_truth(struct text text, bool *truth);

/* "[2, 2]", "(2, 2)" or one number. Returns how many; -1: no such thing, or more than `most`. */
int op_text_integers(struct text text, int64_t *numbers, int most);

/* The same of "[True, False]". */
int op_text_truths(struct text text, bool *truths, int most);

#ifdef __cplusplus
}
#endif
#endif
