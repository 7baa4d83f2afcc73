/* op_elements.c - element-wise operators, copies, sums, normalisations and pooling. */
#include "op_formula.h"
#include "op_inputs.h"

/* ---- element by element ----
 *
 * Operators that go through tensors element by element, and those that only move them.
 *
 * FLOPs of + - * / are one for each element of the output, as PyTorch counts aten::add and
 * aten::mul. Others (exp, tanh, comparisons ...) have no count that people agree on: their FLOPs
 * are unknown, their bytes are known. Copies and fills compute nothing, which is a known 0. Where
 * inputs are broadcast, what is read is what they have.
 *
 * arg[0] operations for each element, UNCOUNTED; arg[1] the output's type, an enum op_type, or
 * OP_TYPE_UNKNOWN: that of the inputs together; arg[2] whether whole numbers become float32.
 */

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
    op_count_tensor(count, self);
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
        op_count_tensor(count, tensor);
    }
    set_flop(formula, count, elements);
    return OP_KNOWN;
}

/* Rows of a table: only the requested ones are read, and all of them written. */
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

#define ELEMENTS(name, function, reads, flop, type, class)  \
    {                                                       \
        name, function, reads, NULL, {flop, type, 0}, class \
    }
#define SAME OP_TYPE_UNKNOWN
/* Of n tensors, `flop` for each element. */
#define COUNTED(name, reads, flop) ELEMENTS(name, count_broadcast, reads, flop, SAME, OP_ARITHMETIC)
#define OTHER(name, reads) ELEMENTS(name, count_broadcast, reads, UNCOUNTED, SAME, OP_ARITHMETIC)
/* A real number, also of whole ones. */
#define REAL(name, reads, flop)                                            \
    {                                                                      \
        name, count_broadcast, reads, NULL, {flop, SAME, 1}, OP_ARITHMETIC \
    }
#define TRUTH(name, reads) ELEMENTS(name, count_broadcast, reads, UNCOUNTED, OP_BOOL, OP_ARITHMETIC)
#define LISTS(name, reads, flop) ELEMENTS(name, count_lists, reads, flop, SAME, OP_ARITHMETIC)
#define MOVED(name, function, reads) ELEMENTS(name, function, reads, 0, SAME, OP_MOVE)

static const struct op_formula element_rows[] = {
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

const struct op_formulas op_element_formulas = {element_rows,
                                                sizeof element_rows / sizeof *element_rows};

/* ---- layers ----
 *
 * Sums, softmax, normalisations, pooling: what is read and written of them is known, their
 * FLOPs where all that is done is adding.
 *
 *     sum       (inputs - outputs) additions
 *     mean      the same, and a division for each output
 *     avg_pool  (elements of the window) for each output, its division included
 *
 * How softmax, normalisations and maxima are computed differs, so their FLOPs are unknown.
 */

/* What sums are kept in. */
static enum op_type sum_type(const struct op_tensor *tensor)
{
    return tensor->type == OP_F64 ? OP_F64 : OP_F32;
}

/* Dimensions that are summed over, a bit for each; none given: all. */
static enum op_known find_summed(const struct op_tensor *self, struct text value, unsigned *summed)
{
    int64_t dims[OP_DIMS_MAX];
    int count = op_text_integers(value, dims, OP_DIMS_MAX);
    *summed = 0;
    if (value.size == 0)
        return OP_NO_VALUES;
    if (count < 0)
        return OP_BAD_SHAPES;
    for (int i = 0; i < count; i++) {
        int64_t dim = dims[i] + (dims[i] < 0 ? self->dims : 0);
        if (dim < 0 || dim >= self->dims)
            return OP_BAD_SHAPES;
        *summed |= 1u << dim;
    }
    if (count == 0)
        *summed = ~0u;
    return OP_KNOWN;
}

static double elements_left(const struct op_tensor *self, unsigned summed)
{
    double elements = 1;
    for (int i = 0; i < self->dims; i++)
        elements *= summed >> i & 1 ? 1 : (double)self->sizes[i];
    return elements;
}

/* (self, dtype) sums all, (self, dims, keepdim, dtype) some. arg[0]: operations for each output on
 * top of the additions. */
static enum op_known count_sum(const struct op_formula *formula, const struct op_inputs *inputs,
                               struct op_count *count)
{
    const struct op_tensor *self = op_tensor_input(inputs, 0);
    bool has_dims = op_input(inputs, 2) != NULL;
    unsigned summed = ~0u;
    if (!self)
        return OP_NO_SHAPES;
    enum op_known known = has_dims ? find_summed(self, op_value(inputs, 1), &summed) : OP_KNOWN;
    if (known != OP_KNOWN)
        return known;
    double from = op_elements(self), to = elements_left(self, summed);
    count->flop = from > to ? from - to + formula->arg[0] * to : formula->arg[0] * to;
    count->flop_known = OP_KNOWN;
    op_count_moved(count, to, (enum op_type)self->type);
    return OP_KNOWN;
}

/* (self, dim, whether a half becomes a float) */
static enum op_known count_softmax(const struct op_formula *formula, const struct op_inputs *inputs,
                                   struct op_count *count)
{
    const struct op_tensor *self = op_tensor_input(inputs, formula->arg[0]);
    bool widens = false;
    if (!self)
        return OP_NO_SHAPES;
    bool may_widen = formula->arg[1] >= 0 && op_type_bits((enum op_type)self->type) == 16;
    if (may_widen && !op_text_truth(op_value(inputs, formula->arg[1]), &widens))
        return OP_NO_VALUES;
    op_count_moved(count, op_elements(self), widens ? OP_F32 : (enum op_type)self->type);
    return OP_KNOWN;
}

/* As large as the input of number arg[0]. */
static enum op_known count_same(const struct op_formula *formula, const struct op_inputs *inputs,
                                struct op_count *count)
{
    const struct op_tensor *self = op_tensor_input(inputs, formula->arg[0]);
    if (!self)
        return OP_NO_SHAPES;
    op_count_tensor(count, self);
    return OP_KNOWN;
}

/* How many elements are normalised together: what the weight has, or the second argument. */
static enum op_known normalised(const struct op_inputs *inputs, int weight, int shape,
                                double *elements)
{
    const struct op_tensor *tensor = op_tensor_input(inputs, weight);
    int64_t sizes[OP_DIMS_MAX];
    int dims = op_text_integers(op_value(inputs, shape), sizes, OP_DIMS_MAX);
    if (!tensor && dims < 0)
        return OP_NO_VALUES;
    *elements = tensor ? op_elements(tensor) : 1;
    for (int i = 0; i < dims && !tensor; i++)
        *elements *= (double)sizes[i];
    return *elements > 0 ? OP_KNOWN : OP_BAD_SHAPES;
}

/* (input, shape, weight, bias, eps): mean and deviation of each row are outputs too. */
static enum op_known count_layer_norm(const struct op_formula *formula,
                                      const struct op_inputs *inputs, struct op_count *count)
{
    const struct op_tensor *input = op_tensor_input(inputs, 0);
    double together = 1;
    (void)formula;
    if (!input)
        return OP_NO_SHAPES;
    enum op_known known = normalised(inputs, 2, 1, &together);
    if (known != OP_KNOWN)
        return known;
    op_count_tensor(count, input);
    op_count_moved(count, 2 * op_elements(input) / together, sum_type(input));
    return OP_KNOWN;
}

/* Gradients of input, weight and bias, as the last argument wants them. arg[]: input, weight. */
static enum op_known count_norm_gradients(const struct op_formula *formula,
                                          const struct op_inputs *inputs, struct op_count *count)
{
    const struct op_tensor *input = op_tensor_input(inputs, formula->arg[0]);
    const struct op_tensor *weight = op_tensor_input(inputs, formula->arg[1]);
    bool wanted[3];
    if (!input)
        return OP_NO_SHAPES;
    if (op_text_truths(inputs->at[inputs->count - 1].value, wanted, 3) != 3)
        return OP_NO_VALUES;
    if (wanted[0])
        op_count_tensor(count, input);
    if (weight)
        op_count_moved(count, (wanted[1] + wanted[2]) * op_elements(weight),
                       (enum op_type)weight->type);
    return OP_KNOWN;
}

/* (input, weight, bias, running mean, running variance, training ...): four numbers of each channel
 * are written in training, two of them where none are kept. */
static enum op_known count_batch_norm(const struct op_formula *formula,
                                      const struct op_inputs *inputs, struct op_count *count)
{
    const struct op_tensor *input = op_tensor_input(inputs, 0);
    const struct op_tensor *running = op_tensor_input(inputs, 3);
    bool training;
    (void)formula;
    if (!input)
        return OP_NO_SHAPES;
    if (input->dims < 2)
        return OP_BAD_SHAPES;
    op_count_tensor(count, input);
    if (!op_text_truth(op_value(inputs, 5), &training))
        count->bytes_known = OP_NO_VALUES;
    else if (training)
        op_count_moved(count, (running ? 4 : 2) * (double)input->sizes[1], sum_type(input));
    return OP_KNOWN;
}

/* (input, the output's gradient, weight ...): all three gradients are written. */
static enum op_known count_cudnn_norm_gradients(const struct op_formula *formula,
                                                const struct op_inputs *inputs,
                                                struct op_count *count)
{
    const struct op_tensor *input = op_tensor_input(inputs, 0);
    const struct op_tensor *weight = op_tensor_input(inputs, 2);
    (void)formula;
    if (!input || !weight)
        return OP_NO_SHAPES;
    op_count_tensor(count, input);
    op_count_tensor(count, weight);
    op_count_tensor(count, weight);
    return OP_KNOWN;
}

struct pool {
    int8_t space;
    int64_t kernel[OP_DIMS_MAX], stride[OP_DIMS_MAX], padding[OP_DIMS_MAX], dilation[OP_DIMS_MAX];
    bool rounds_up;
};

/* (self, kernel, stride, padding, [dilation,] ceil). arg[0] dimensions, arg[1] where dilation is,
 * or
 * -1; ceil is behind it. */
static enum op_known read_pool(const struct op_formula *formula, const struct op_inputs *inputs,
                               struct pool *pool)
{
    const int8_t dilation = formula->arg[1], space = formula->arg[0];
    pool->space = space;
    for (int i = 0; i < space; i++)
        pool->dilation[i] = 1;
    enum op_known known = op_steps(inputs, 1, 1, space, NULL, pool->kernel);
    if (known == OP_KNOWN)
        known = op_steps(inputs, 2, 1, space, pool->kernel, pool->stride);
    if (known == OP_KNOWN)
        known = op_steps(inputs, 3, 0, space, NULL, pool->padding);
    if (known == OP_KNOWN && dilation >= 0)
        known = op_steps(inputs, dilation, 1, space, NULL, pool->dilation);
    if (known == OP_KNOWN &&
        !op_text_truth(op_value(inputs, dilation < 0 ? 4 : dilation + 1), &pool->rounds_up))
        return OP_NO_VALUES;
    return known;
}

/* A window that would begin in the padding after the input does not exist. Below 0: none fits. */
static int64_t pooled_size(const struct pool *pool, int i, int64_t size)
{
    int64_t stride = pool->stride[i], padding = pool->padding[i];
    int64_t room = size + 2 * padding - pool->dilation[i] * (pool->kernel[i] - 1) - 1;
    if (size > OP_LIMIT || room < 0)
        return -1;
    int64_t windows = (room + (pool->rounds_up ? stride - 1 : 0)) / stride + 1;
    return pool->rounds_up && (windows - 1) * stride >= size + padding ? windows - 1 : windows;
}

static double pooled_elements(const struct pool *pool, const struct op_tensor *self)
{
    int outer = self->dims - pool->space;
    double elements = outer < 1 ? -1 : 1;
    for (int i = 0; i < self->dims && elements >= 0; i++) {
        int64_t size = i < outer ? self->sizes[i] : pooled_size(pool, i - outer, self->sizes[i]);
        elements = size < 0 ? -1 : elements * (double)size;
    }
    return elements;
}

/* arg[2]: whether it adds, as for means; else places of maxima are an output, as int64. */
static enum op_known count_pool(const struct op_formula *formula, const struct op_inputs *inputs,
                                struct op_count *count)
{
    const struct op_tensor *self = op_tensor_input(inputs, 0);
    struct pool pool = {.rounds_up = false};
    if (!self)
        return OP_NO_SHAPES;
    enum op_known known = read_pool(formula, inputs, &pool);
    double elements = known == OP_KNOWN ? pooled_elements(&pool, self) : 0;
    if (known != OP_KNOWN || elements < 0)
        return known == OP_KNOWN ? OP_BAD_SHAPES : known;
    op_count_moved(count, elements, (enum op_type)self->type);
    if (!formula->arg[2]) {
        op_count_moved(count, elements, OP_I64);
        return OP_KNOWN;
    }
    count->flop = elements;
    for (int i = 0; i < pool.space; i++)
        count->flop *= (double)pool.kernel[i];
    count->flop_known = OP_KNOWN;
    return OP_KNOWN;
}

/* name, function, what is read, the function's arguments */
#define LAYER(name, function, reads, a, b, c)                 \
    {                                                         \
        name, function, reads, NULL, {a, b, c}, OP_ARITHMETIC \
    }

static const struct op_formula layer_rows[] = {
    LAYER("_log_softmax", count_softmax, 1, 0, 2, 0),
    LAYER("_log_softmax_backward_data", count_same, 3, 0, 0, 0),
    LAYER("_softmax", count_softmax, 1, 0, 2, 0),
    LAYER("_softmax_backward_data", count_same, 3, 0, 0, 0),
    LAYER("avg_pool2d", count_pool, 1, 2, -1, 1),
    LAYER("avg_pool2d_backward", count_same, 1, 1, 0, 0),
    LAYER("avg_pool3d", count_pool, 1, 3, -1, 1),
    LAYER("avg_pool3d_backward", count_same, 1, 1, 0, 0),
    LAYER("cudnn_batch_norm", count_batch_norm, 31, 0, 0, 0),
    LAYER("cudnn_batch_norm_backward", count_cudnn_norm_gradients, 0x67, 0, 0, 0),
    LAYER("cumsum", count_same, 1, 0, 0, 0),
    LAYER("max_pool2d_with_indices", count_pool, 1, 2, 4, 0),
    LAYER("max_pool2d_with_indices_backward", count_same, 0x81, 1, 0, 0),
    LAYER("max_pool3d_with_indices", count_pool, 1, 3, 4, 0),
    LAYER("max_pool3d_with_indices_backward", count_same, 0x81, 1, 0, 0),
    LAYER("mean", count_sum, 1, 1, 0, 0),
    LAYER("miopen_batch_norm", count_batch_norm, 31, 0, 0, 0),
    LAYER("miopen_batch_norm_backward", count_cudnn_norm_gradients, 0x67, 0, 0, 0),
    LAYER("native_batch_norm", count_batch_norm, 31, 0, 0, 0),
    LAYER("native_batch_norm_backward", count_norm_gradients, 0x67, 1, 2, 0),
    LAYER("native_layer_norm", count_layer_norm, 13, 0, 0, 0),
    LAYER("native_layer_norm_backward", count_norm_gradients, 0x3b, 1, 5, 0),
    LAYER("sum", count_sum, 1, 0, 0, 0),
};

const struct op_formulas op_layer_formulas = {layer_rows, sizeof layer_rows / sizeof *layer_rows};
