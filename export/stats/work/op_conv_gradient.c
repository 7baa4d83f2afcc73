/* op_conv_gradient.c - gradients of convolutions, each of which needs as much as the convolution:
 * 2 * (batch) * (positions) * (elements of the weight).
 *
 * Positions are those of the output's gradient; transposed, of the input. So no strides are needed, but
 * which gradients are wanted is, which is the last argument.
 */
#include "op_formula.h"

#include "op_text.h"

struct gradient {
    const struct op_tensor *input, *weight, *output;
    bool is_transposed;
};

static double product(const int64_t *sizes, int count)
{
    double result = 1;
    for (int i = 0; i < count; i++)
        result *= (double)sizes[i];
    return result;
}

/* Elements of one channel, in all batches. */
static double positions(const struct op_tensor *tensor, int space)
{
    double batch = tensor->dims == space + 2 ? (double)tensor->sizes[0] : 1;
    return batch * product(tensor->sizes + tensor->dims - space, space);
}

static int64_t channels(const struct op_tensor *tensor, int space)
{
    return tensor->sizes[tensor->dims - space - 1];
}

/* Either may be without a batch, both must be. */
static bool fits(const struct gradient *gradient)
{
    const struct op_tensor *input = gradient->input, *output = gradient->output;
    const struct op_tensor *weight = gradient->weight;
    int space = weight->dims - 2;
    if (space < 1 || input->dims != output->dims || input->dims < space + 1 ||
        input->dims > space + 2)
        return false;
    if (input->dims == space + 2 && input->sizes[0] != output->sizes[0])
        return false;
    const struct op_tensor *first = gradient->is_transposed ? input : output;
    const struct op_tensor *second = gradient->is_transposed ? output : input;
    int64_t per_group = weight->sizes[1];
    return channels(first, space) == weight->sizes[0] && per_group > 0 &&
           channels(second, space) % per_group == 0;
}

static double flop_of_one(const struct gradient *gradient)
{
    const struct op_tensor *at = gradient->is_transposed ? gradient->input : gradient->output;
    return 2 * positions(at, gradient->weight->dims - 2) * op_elements(gradient->weight);
}

/* Of input, weight and bias. */
static enum op_known take_mask(const struct op_inputs *inputs, bool wanted[3])
{
    struct text value = inputs->at[inputs->count - 1].value;
    wanted[2] = false;
    if (value.size == 0)
        return OP_NO_VALUES;
    int count = op_text_truths(value, wanted, 3);
    return count == 2 || count == 3 ? OP_KNOWN : OP_BAD_SHAPES;
}

static void move(struct op_count *count, const struct op_tensor *tensor)
{
    op_count_moved(count, op_elements(tensor), (enum op_type)tensor->type);
}

/* The output's gradient is read once for all. */
static void count_wanted(const struct gradient *gradient, const bool wanted[3],
                         struct op_count *count)
{
    const struct op_tensor *weight = gradient->weight;
    count->flop = (wanted[0] + wanted[1]) * flop_of_one(gradient);
    count->flop_known = OP_KNOWN;
    move(count, gradient->output);
    if (wanted[0]) {
        move(count, weight);
        move(count, gradient->input);
    }
    if (wanted[1]) {
        move(count, gradient->input);
        move(count, weight);
    }
    if (wanted[2])
        op_count_moved(count, (double)channels(gradient->output, weight->dims - 2),
                       (enum op_type)weight->type);
}

static enum op_known count_gradients(const struct op_formula *formula,
                                     const struct op_inputs *inputs, struct op_count *count)
{
    const struct conv_layout *layout = formula->conv;
    bool wanted[3];
    struct gradient gradient = {
        .input = op_tensor_input(inputs, layout->input),
        .weight = op_tensor_input(inputs, layout->weight),
        .output = op_tensor_input(inputs, layout->output_gradient),
    };
    if (!gradient.input || !gradient.weight || !gradient.output)
        return OP_NO_SHAPES;
    enum op_known known = op_conv_transposed(layout, inputs, &gradient.is_transposed);
    if (known == OP_KNOWN)
        known = take_mask(inputs, wanted);
    if (known != OP_KNOWN)
        return known;
    if (!fits(&gradient))
        return OP_BAD_SHAPES;
    count_wanted(&gradient, wanted, count);
    return OP_KNOWN;
}

/* What is written is as large as a list of numbers says, the first argument. */
static void count_written(const struct op_inputs *inputs, enum op_type type, struct op_count *count)
{
    int64_t sizes[OP_DIMS_MAX];
    int dims = op_text_integers(op_value(inputs, 0), sizes, OP_DIMS_MAX);
    if (dims < 0)
        count->bytes_known = OP_NO_VALUES;
    else
        op_count_moved(count, product(sizes, dims), type);
}

/* (size of the input, the output's gradient, weight ...), as PyTorch had it up to 1.10. */
static enum op_known count_of_input(const struct op_formula *formula,
                                    const struct op_inputs *inputs, struct op_count *count)
{
    struct gradient gradient = {.weight = op_tensor_input(inputs, formula->conv->weight),
                                .output = op_tensor_input(inputs, formula->conv->output_gradient)};
    if (!gradient.weight || !gradient.output)
        return OP_NO_SHAPES;
    int space = gradient.weight->dims - 2;
    if (space < 1 || gradient.output->dims != space + 2 ||
        channels(gradient.output, space) != gradient.weight->sizes[0])
        return OP_BAD_SHAPES;
    count->flop = flop_of_one(&gradient);
    count->flop_known = OP_KNOWN;
    count_written(inputs, (enum op_type)gradient.output->type, count);
    return OP_KNOWN;
}

/* (size of the weight, the output's gradient, input ...): the size is a value, and all depends on it. */
static enum op_known count_of_weight(const struct op_formula *formula,
                                     const struct op_inputs *inputs, struct op_count *count)
{
    struct op_tensor weight = {0};
    struct gradient gradient = {.input = op_tensor_input(inputs, formula->conv->input),
                                .weight = &weight,
                                .output = op_tensor_input(inputs, formula->conv->output_gradient)};
    if (!gradient.input || !gradient.output)
        return OP_NO_SHAPES;
    int dims = op_text_integers(op_value(inputs, 0), weight.sizes, OP_DIMS_MAX);
    weight.dims = (uint8_t)(dims < 0 ? 0 : dims);
    weight.type = gradient.input->type;
    if (dims < 0)
        return OP_NO_VALUES;
    if (!fits(&gradient))
        return OP_BAD_SHAPES;
    count->flop = flop_of_one(&gradient);
    count->flop_known = OP_KNOWN;
    move(count, &weight);
    return OP_KNOWN;
}

/* input, weight, output's gradient; which argument says that it is transposed */
#define LAYOUT(input, weight, output, transposed, is)             \
    {                                                             \
        input, weight, output, -1, -1, -1, -1, transposed, -1, is \
    }

static const struct conv_layout general = LAYOUT(1, 2, 0, 7, false);
static const struct conv_layout overrideable = LAYOUT(1, 2, 0, 6, false);
static const struct conv_layout plain = LAYOUT(0, 2, 1, -1, false);
static const struct conv_layout plain_transpose = LAYOUT(0, 2, 1, -1, true);
static const struct conv_layout slow = LAYOUT(1, 2, 0, -1, false);
static const struct conv_layout slow_transpose = LAYOUT(1, 2, 0, -1, true);
static const struct conv_layout of_input = LAYOUT(-1, 2, 1, -1, false);
static const struct conv_layout of_weight = LAYOUT(2, -1, 1, -1, false);

#define ROW(name, function, reads, layout)               \
    {                                                    \
        name, function, reads, &(layout), {0}, OP_MATRIX \
    }
#define ALL(name, layout) ROW(name, count_gradients, 0, layout)

static const struct op_formula formulas[] = {
    ALL("_conv_depthwise2d_backward", slow),
    ALL("_slow_conv2d_backward", slow),
    ALL("conv_depthwise3d_backward", slow),
    ALL("convolution_backward", general),
    ALL("convolution_backward_overrideable", overrideable),
    ALL("cudnn_convolution_backward", plain),
    ROW("cudnn_convolution_backward_input", count_of_input, 6, of_input),
    ROW("cudnn_convolution_backward_weight", count_of_weight, 6, of_weight),
    ALL("cudnn_convolution_transpose_backward", plain_transpose),
    ALL("miopen_convolution_backward", plain),
    ROW("miopen_convolution_backward_input", count_of_input, 6, of_input),
    ROW("miopen_convolution_backward_weight", count_of_weight, 6, of_weight),
    ALL("miopen_convolution_transpose_backward", plain_transpose),
    ALL("miopen_depthwise_convolution_backward", plain),
    ALL("mkldnn_convolution_backward", plain),
    ALL("slow_conv3d_backward", slow),
    ALL("slow_conv_dilated2d_backward", slow),
    ALL("slow_conv_dilated3d_backward", slow),
    ALL("slow_conv_transpose2d_backward", slow_transpose),
    ALL("slow_conv_transpose3d_backward", slow_transpose),
    ALL("thnn_conv2d_backward", slow),
    ALL("thnn_conv_depthwise2d_backward", slow),
};

const struct op_formulas op_conv_gradient_formulas = {formulas, sizeof formulas / sizeof *formulas};
