/* op_elements.c - operators that go through tensors element by element, and those that only move them.
 *
 * FLOPs of + - * / are one for each element of the output, as PyTorch counts aten::add and aten::mul.
 * Others (exp, tanh, comparisons ...) have no count that people agree on: their FLOPs are unknown, their
 * bytes are known. Copies and fills compute nothing, which is a known 0. Where inputs are broadcast,
 * what is read is what they have.
 *
 * arg[0] operations for each element, UNCOUNTED; arg[1] the output's type, an enum op_type, or
 * OP_TYPE_UNKNOWN: that of the inputs together; arg[2] whether whole numbers become float32.
 */
#include "op_formula.h"

#include "op_text.h"

#define UNCOUNTED (-1)

struct output {
    int64_t sizes[OP_DIMS_MAX]; /* the last first */
    int dims;
};

static bool is_read(const struct op_formula *formula, const struct op_tensor *tensor)
{
    return tensor->is_tensor && tensor->input < 64 && formula->reads >> tensor->input & 1;
}

static bool broadcast(struct output *output, const struct op_tensor *tensor)
{
    for (int i = 0; i < tensor->dims; i++) {
        int64_t size = tensor->sizes[tensor->dims - 1 - i];
        if (i >= output->dims)
            output->sizes[output->dims++] = size;
        else if (output->sizes[i] == 1)
            output->sizes[i] = size;
        else if (size != 1 && size != output->sizes[i])
            return false;
    }
    return true;
}

/* Complex over real, real over whole, then the wider; two different ones of 16 bits make 32. */
static enum op_type promote(enum op_type a, enum op_type b)
{
    if (a == b || a == OP_TYPE_UNKNOWN || b == OP_TYPE_UNKNOWN)
        return a == b ? a : OP_TYPE_UNKNOWN;
    int kind_a = op_type_is_complex(a) ? 3 : a <= OP_F4 ? 2 : a <= OP_I4 ? 1 : 0;
    int kind_b = op_type_is_complex(b) ? 3 : b <= OP_F4 ? 2 : b <= OP_I4 ? 1 : 0;
    if (kind_a != kind_b)
        return kind_a > kind_b ? a : b;
    if (op_type_bits(a) == op_type_bits(b))
        return kind_a == 2 && op_type_bits(a) == 16 ? OP_F32 : OP_TYPE_UNKNOWN;
    return op_type_bits(a) > op_type_bits(b) ? a : b;
}

/* Tensors with dimensions decide; those without, where there are no others. */
static enum op_type type_together(const struct op_formula *formula, const struct op_inputs *inputs)
{
    enum op_type with = OP_TYPES, without = OP_TYPES;
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct op_tensor *tensor = &inputs->at[i];
        enum op_type *type = tensor->dims ? &with : &without;
        if (is_read(formula, tensor))
            *type = *type == OP_TYPES ? (enum op_type)tensor->type
                                      : promote(*type, (enum op_type)tensor->type);
    }
    return with == OP_TYPES ? without : with;
}

static enum op_type output_type(const struct op_formula *formula, const struct op_inputs *inputs)
{
    if (formula->arg[1] != OP_TYPE_UNKNOWN)
        return (enum op_type)formula->arg[1];
    enum op_type type = type_together(formula, inputs);
    return formula->arg[2] && type >= OP_I64 && type <= OP_BOOL ? OP_F32 : type;
}

static double output_elements(const struct output *output)
{
    double elements = 1;
    for (int i = 0; i < output->dims; i++)
        elements *= (double)output->sizes[i];
    return elements;
}

/* Parts of complex numbers, and what a product of two of them needs, are not looked into. */
static void set_flop(const struct op_formula *formula, struct op_count *count, double elements)
{
    bool is_counted = formula->arg[0] == 0 ||
                      (formula->arg[0] > 0 && !op_type_is_complex((enum op_type)count->element));
    if (!is_counted)
        return;
    count->flop = elements * formula->arg[0];
    count->flop_known = OP_KNOWN;
}

static enum op_known count_broadcast(const struct op_formula *formula,
                                     const struct op_inputs *inputs, struct op_count *count)
{
    struct output output = {.dims = 0};
    if (!op_tensor_input(inputs, 0))
        return OP_NO_SHAPES;
    for (uint32_t i = 0; i < inputs->count; i++)
        if (is_read(formula, &inputs->at[i]) && !broadcast(&output, &inputs->at[i]))
            return OP_BAD_SHAPES;
    enum op_type type = output_type(formula, inputs);
    double elements = output_elements(&output);
    set_flop(formula, count, elements);
    op_count_moved(count, elements, type);
    return OP_KNOWN;
}

/* The first input is written, whatever it was. */
static enum op_known count_overwritten(const struct op_formula *formula,
                                       const struct op_inputs *inputs, struct op_count *count)
{
    const struct op_tensor *self = op_tensor_input(inputs, 0);
    if (!self)
        return OP_NO_SHAPES;
    set_flop(formula, count, op_elements(self));
    op_count_moved(count, op_elements(self), (enum op_type)self->type);
    return OP_KNOWN;
}

/* Lists of tensors, one beside the other; what their elements are is not recorded as a rule. */
static enum op_known count_lists(const struct op_formula *formula, const struct op_inputs *inputs,
                                 struct op_count *count)
{
    double elements = 0;
    for (uint32_t i = 0; i < inputs->count && inputs->at[i].input == 0; i++) {
        const struct op_tensor *tensor = &inputs->at[i];
        if (!tensor->is_tensor)
            return OP_NO_SHAPES;
        elements += op_elements(tensor);
        op_count_moved(count, op_elements(tensor), (enum op_type)tensor->type);
    }
    set_flop(formula, count, elements);
    return OP_KNOWN;
}

/* Rows of a table: only those that are asked for are read, and all of them written. */
static enum op_known count_rows(const struct op_formula *formula, const struct op_inputs *inputs,
                                struct op_count *count)
{
    const struct op_tensor *table = op_tensor_input(inputs, 0);
    const struct op_tensor *rows = op_tensor_input(inputs, 1);
    if (!table || !rows)
        return OP_NO_SHAPES;
    if (table->dims != 2)
        return OP_BAD_SHAPES;
    double elements = op_elements(rows) * (double)table->sizes[1];
    set_flop(formula, count, elements);
    op_count_moved(count, 2 * elements, (enum op_type)table->type);
    return OP_KNOWN;
}

/* gather: as many elements of the first input as the third, the indices, has. */
static enum op_known count_gathered(const struct op_formula *formula,
                                    const struct op_inputs *inputs, struct op_count *count)
{
    const struct op_tensor *self = op_tensor_input(inputs, 0);
    const struct op_tensor *index = op_tensor_input(inputs, 2);
    if (!self || !index)
        return OP_NO_SHAPES;
    set_flop(formula, count, op_elements(index));
    op_count_moved(count, 2 * op_elements(index), (enum op_type)self->type);
    return OP_KNOWN;
}

/* index_select: in place of one dimension, which is a value, as many as there are indices. */
static enum op_known count_selected(const struct op_formula *formula,
                                    const struct op_inputs *inputs, struct op_count *count)
{
    const struct op_tensor *self = op_tensor_input(inputs, 0);
    const struct op_tensor *index = op_tensor_input(inputs, 2);
    int64_t dim;
    if (!self || !index)
        return OP_NO_SHAPES;
    if (!op_text_integer(op_value(inputs, 1), &dim))
        return OP_NO_VALUES;
    dim += dim < 0 ? self->dims : 0;
    if (dim < 0 || dim >= self->dims)
        return OP_BAD_SHAPES;
    double elements = op_elements(index);
    for (int i = 0; i < self->dims; i++)
        elements *= i == dim ? 1 : (double)self->sizes[i];
    set_flop(formula, count, elements);
    op_count_moved(count, 2 * elements, (enum op_type)self->type);
    return OP_KNOWN;
}

#define ROW(name, function, reads, flop, type, class)       \
    {                                                       \
        name, function, reads, NULL, {flop, type, 0}, class \
    }
#define SAME OP_TYPE_UNKNOWN
/* Of n tensors, `flop` for each element. */
#define COUNTED(name, reads, flop) ROW(name, count_broadcast, reads, flop, SAME, OP_ARITHMETIC)
#define OTHER(name, reads) ROW(name, count_broadcast, reads, UNCOUNTED, SAME, OP_ARITHMETIC)
/* A real number, also of whole ones. */
#define REAL(name, reads, flop)                                            \
    {                                                                      \
        name, count_broadcast, reads, NULL, {flop, SAME, 1}, OP_ARITHMETIC \
    }
#define TRUTH(name, reads) ROW(name, count_broadcast, reads, UNCOUNTED, OP_BOOL, OP_ARITHMETIC)
#define LISTS(name, reads, flop) ROW(name, count_lists, reads, flop, SAME, OP_ARITHMETIC)
#define MOVED(name, function, reads) ROW(name, function, reads, 0, SAME, OP_MOVE)

static const struct op_formula formulas[] = {
    LISTS("_foreach_add", 3, 1),
    LISTS("_foreach_addcdiv", 7, 3),
    LISTS("_foreach_addcmul", 7, 3),
    LISTS("_foreach_div", 3, 1),
    LISTS("_foreach_lerp", 7, 3),
    LISTS("_foreach_mul", 3, 1),
    LISTS("_foreach_neg", 1, 1),
    LISTS("_foreach_sqrt", 1, UNCOUNTED),
    LISTS("_foreach_sub", 3, 1),
    OTHER("abs", 1),
    COUNTED("add", 3, 1),
    COUNTED("addcdiv", 7, 3),
    COUNTED("addcmul", 7, 3),
    OTHER("bitwise_and", 3),
    OTHER("bitwise_not", 1),
    OTHER("bitwise_or", 3),
    OTHER("ceil", 1),
    OTHER("clamp", 7),
    OTHER("clamp_max", 1),
    OTHER("clamp_min", 1),
    MOVED("clone", count_broadcast, 1),
    MOVED("copy_", count_overwritten, 2),
    REAL("cos", 1, UNCOUNTED),
    REAL("div", 3, 1),
    OTHER("elu", 1),
    MOVED("embedding", count_rows, 2),
    TRUTH("eq", 3),
    REAL("erf", 1, UNCOUNTED),
    REAL("exp", 1, UNCOUNTED),
    REAL("exp2", 1, UNCOUNTED),
    MOVED("fill_", count_overwritten, 0),
    MOVED("flip", count_broadcast, 1),
    OTHER("floor", 1),
    OTHER("fmod", 3),
    MOVED("gather", count_gathered, 4),
    TRUTH("ge", 3),
    OTHER("gelu", 1),
    OTHER("gelu_backward", 3),
    TRUTH("gt", 3),
    OTHER("hardsigmoid", 1),
    OTHER("hardswish", 1),
    OTHER("hardtanh", 1),
    OTHER("hardtanh_backward", 3),
    MOVED("index_select", count_selected, 4),
    TRUTH("isinf", 1),
    TRUTH("isnan", 1),
    TRUTH("le", 3),
    OTHER("leaky_relu", 1),
    OTHER("leaky_relu_backward", 3),
    COUNTED("lerp", 7, 3),
    REAL("log", 1, UNCOUNTED),
    REAL("log10", 1, UNCOUNTED),
    REAL("log1p", 1, UNCOUNTED),
    REAL("log2", 1, UNCOUNTED),
    TRUTH("logical_and", 3),
    TRUTH("logical_not", 1),
    TRUTH("logical_or", 3),
    TRUTH("lt", 3),
    OTHER("masked_fill_", 3),
    OTHER("maximum", 3),
    OTHER("minimum", 3),
    OTHER("mish", 1),
    COUNTED("mul", 3, 1),
    OTHER("nan_to_num", 1),
    TRUTH("ne", 3),
    COUNTED("neg", 1, 1),
    OTHER("pow", 3),
    REAL("reciprocal", 1, 1),
    OTHER("relu", 1),
    OTHER("remainder", 3),
    MOVED("roll", count_broadcast, 1),
    OTHER("round", 1),
    REAL("rsqrt", 1, UNCOUNTED),
    COUNTED("rsub", 3, 1),
    REAL("sigmoid", 1, UNCOUNTED),
    OTHER("sigmoid_backward", 3),
    OTHER("sign", 1),
    OTHER("silu", 1),
    OTHER("silu_backward", 3),
    REAL("sin", 1, UNCOUNTED),
    OTHER("softplus", 1),
    REAL("sqrt", 1, UNCOUNTED),
    COUNTED("sub", 3, 1),
    REAL("tan", 1, UNCOUNTED),
    REAL("tanh", 1, UNCOUNTED),
    OTHER("tanh_backward", 3),
    OTHER("threshold", 1),
    OTHER("threshold_backward", 3),
    OTHER("tril", 1),
    OTHER("triu", 1),
    OTHER("trunc", 1),
    OTHER("where", 7),
    MOVED("zero_", count_overwritten, 0),
};

const struct op_formulas op_element_formulas = {formulas, sizeof formulas / sizeof *formulas};
