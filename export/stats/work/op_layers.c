/* op_layers.c - sums, softmax, normalisations, pooling: what is read and written of them is known, their
 * FLOPs where all that is done is adding.
 *
 *     sum       (inputs - outputs) additions
 *     mean      the same, and a division for each output
 *     avg_pool  (elements of the window) for each output, its division included
 *
 * How softmax, normalisations and maxima are computed differs, so their FLOPs are unknown.
 */
#include "op_formula.h"

#include "op_text.h"

static void move(struct op_count *count, const struct op_tensor *tensor)
{
    op_count_moved(count, op_elements(tensor), (enum op_type)tensor->type);
}

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
    move(count, self);
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
    move(count, input);
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
        move(count, input);
    if (weight)
        op_count_moved(count, (wanted[1] + wanted[2]) * op_elements(weight),
                       (enum op_type)weight->type);
    return OP_KNOWN;
}

/* (input, weight, bias, running mean, running variance, training ...): four numbers of each channel are
 * written in training, two of them where none are kept. */
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
    move(count, input);
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
    move(count, input);
    move(count, weight);
    move(count, weight);
    return OP_KNOWN;
}

struct pool {
    int8_t space;
    int64_t kernel[OP_DIMS_MAX], stride[OP_DIMS_MAX], padding[OP_DIMS_MAX], dilation[OP_DIMS_MAX];
    bool rounds_up;
};

/* (self, kernel, stride, padding, [dilation,] ceil). arg[0] dimensions, arg[1] where dilation is, or
 * -1; ceil is behind it. */
static enum op_known take_pool(const struct op_formula *formula, const struct op_inputs *inputs,
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

/* A window that would begin in the padding behind the input is none. Below 0: none fits. */
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
    enum op_known known = take_pool(formula, inputs, &pool);
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
#define ROW(name, function, reads, a, b, c)                   \
    {                                                         \
        name, function, reads, NULL, {a, b, c}, OP_ARITHMETIC \
    }

static const struct op_formula formulas[] = {
    ROW("_log_softmax", count_softmax, 1, 0, 2, 0),
    ROW("_log_softmax_backward_data", count_same, 3, 0, 0, 0),
    ROW("_softmax", count_softmax, 1, 0, 2, 0),
    ROW("_softmax_backward_data", count_same, 3, 0, 0, 0),
    ROW("avg_pool2d", count_pool, 1, 2, -1, 1),
    ROW("avg_pool2d_backward", count_same, 1, 1, 0, 0),
    ROW("avg_pool3d", count_pool, 1, 3, -1, 1),
    ROW("avg_pool3d_backward", count_same, 1, 1, 0, 0),
    ROW("cudnn_batch_norm", count_batch_norm, 31, 0, 0, 0),
    ROW("cudnn_batch_norm_backward", count_cudnn_norm_gradients, 0x67, 0, 0, 0),
    ROW("cumsum", count_same, 1, 0, 0, 0),
    ROW("max_pool2d_with_indices", count_pool, 1, 2, 4, 0),
    ROW("max_pool2d_with_indices_backward", count_same, 0x81, 1, 0, 0),
    ROW("max_pool3d_with_indices", count_pool, 1, 3, 4, 0),
    ROW("max_pool3d_with_indices_backward", count_same, 0x81, 1, 0, 0),
    ROW("mean", count_sum, 1, 1, 0, 0),
    ROW("miopen_batch_norm", count_batch_norm, 31, 0, 0, 0),
    ROW("miopen_batch_norm_backward", count_cudnn_norm_gradients, 0x67, 0, 0, 0),
    ROW("native_batch_norm", count_batch_norm, 31, 0, 0, 0),
    ROW("native_batch_norm_backward", count_norm_gradients, 0x67, 1, 2, 0),
    ROW("native_layer_norm", count_layer_norm, 13, 0, 0, 0),
    ROW("native_layer_norm_backward", count_norm_gradients, 0x3b, 1, 5, 0),
    ROW("sum", count_sum, 1, 0, 0, 0),
};

const struct op_formulas op_layer_formulas = {formulas, sizeof formulas / sizeof *formulas};
