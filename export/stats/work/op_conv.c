/* op_conv.c - convolutions and their gradients. */
#include "op_formula.h"
#include "op_inputs.h"

#include <string.h>

/* ---- forward ----
 *
 * A convolution needs 2 * (batch) * (positions) * (elements of the weight).
 *
 *     weight    [outputs, inputs / groups, kernel ...]; transposed [inputs, outputs / groups,
 *               kernel ...]
 *     positions of the output; transposed, of the input
 *     output    (size + 2 padding - dilation (kernel - 1) - 1) / stride + 1
 *     transposed  (size - 1) stride - 2 padding + dilation (kernel - 1) + output padding + 1
 *
 * Either gradient needs as much as the convolution itself. The bias is counted as bytes alone.
 * Strides and the like that were not recorded are not guessed.
 */

#define DEPTHWISE (-2) /* as an argument of groups: as many as the weight's shape implies */

struct conv {
    const struct op_tensor *input, *weight;
    const struct conv_layout *layout;
    int space; /* dimensions without batch and channels */
    bool is_transposed, same_padding;
    int64_t stride[OP_DIMS_MAX], padding[OP_DIMS_MAX], dilation[OP_DIMS_MAX];
    int64_t output_padding[OP_DIMS_MAX];
    int64_t groups;
    double batch;
    const int64_t *sizes; /* of the input in space */
};

static bool all_within_limit(const struct op_tensor *tensor)
{
    for (int i = 0; i < tensor->dims; i++)
        if (tensor->sizes[i] > OP_LIMIT)
            return false;
    return true;
}

/* The input may come without a batch. */
static bool read_tensors(struct conv *conv)
{
    const struct op_tensor *input = conv->input, *weight = conv->weight;
    conv->space = weight->dims - 2;
    if (conv->space < 1 || !all_within_limit(input) || !all_within_limit(weight) ||
        (input->dims != weight->dims && input->dims != weight->dims - 1))
        return false;
    bool has_batch = input->dims == weight->dims;
    conv->batch = has_batch ? (double)input->sizes[0] : 1;
    conv->sizes = input->sizes + input->dims - conv->space;
    return true;
}

static int64_t channels(const struct conv *conv)
{
    return conv->sizes[-1];
}

static enum op_known read_steps_or(const struct op_inputs *inputs, int argument, int64_t otherwise,
                                   int space, int64_t numbers[OP_DIMS_MAX])
{
    if (argument >= 0)
        return op_steps(inputs, argument, otherwise, space, NULL, numbers);
    for (int i = 0; i < space; i++)
        numbers[i] = otherwise;
    return OP_KNOWN;
}

/* Quotes of a string in a string are left over: \"same\". */
static bool has_word(struct text value, const char *word)
{
    size_t size = strlen(word);
    while (value.size && (*value.bytes == '\\' || *value.bytes == '"')) {
        value.bytes++;
        value.size--;
    }
    return value.size >= size && value.size <= size + 2 && memcmp(value.bytes, word, size) == 0;
}

static enum op_known read_padding(struct conv *conv, const struct op_inputs *inputs)
{
    struct text value = op_value(inputs, conv->layout->padding);
    conv->same_padding = has_word(value, "same");
    int argument = conv->same_padding || has_word(value, "valid") ? -1 : conv->layout->padding;
    return read_steps_or(inputs, argument, 0, conv->space, conv->padding);
}

/* How many there must be: what a weight of that shape leaves over. 0: it does not fit. */
static int64_t fitting_groups(const struct conv *conv)
{
    int64_t per_group = conv->weight->sizes[1];
    return per_group > 0 && channels(conv) % per_group == 0 ? channels(conv) / per_group : 0;
}

static bool groups_fit(const struct conv *conv)
{
    if (conv->groups < 1 || conv->groups > OP_LIMIT)
        return false;
    if (conv->is_transposed)
        return conv->weight->sizes[0] == channels(conv) && channels(conv) % conv->groups == 0;
    return fitting_groups(conv) == conv->groups && conv->weight->sizes[0] % conv->groups == 0;
}

static enum op_known read_groups(struct conv *conv, const struct op_inputs *inputs)
{
    int8_t argument = conv->layout->groups;
    struct text value = op_value(inputs, argument);
    conv->groups = argument == DEPTHWISE ? fitting_groups(conv) : 1;
    if (argument >= 0 && value.size == 0)
        return OP_NO_VALUES;
    if (argument >= 0 && !op_text_integer(value, &conv->groups))
        return OP_BAD_SHAPES;
    return groups_fit(conv) ? OP_KNOWN : OP_BAD_SHAPES;
}

static enum op_known read_conv(struct conv *conv, const struct op_inputs *inputs)
{
    const struct conv_layout *layout = conv->layout;
    conv->input = op_tensor_input(inputs, layout->input);
    conv->weight = op_tensor_input(inputs, layout->weight);
    if (!conv->input || !conv->weight)
        return OP_NO_SHAPES;
    return read_tensors(conv) ? op_conv_transposed(layout, inputs, &conv->is_transposed)
                              : OP_BAD_SHAPES;
}

/* Everything that the size of an output depends on. */
static enum op_known read_all_steps(struct conv *conv, const struct op_inputs *inputs)
{
    const struct conv_layout *layout = conv->layout;
    int output_padding = conv->is_transposed ? layout->output_padding : -1;
    enum op_known known = read_steps_or(inputs, layout->stride, 1, conv->space, conv->stride);
    if (known == OP_KNOWN)
        known = read_padding(conv, inputs);
    if (known == OP_KNOWN)
        known = read_steps_or(inputs, layout->dilation, 1, conv->space, conv->dilation);
    if (known == OP_KNOWN)
        known = read_steps_or(inputs, output_padding, 0, conv->space, conv->output_padding);
    return known == OP_KNOWN ? read_groups(conv, inputs) : known;
}

/* Below 0: the kernel does not fit. */
static int64_t output_size(const struct conv *conv, int i)
{
    int64_t kernel = conv->weight->sizes[i + 2];
    int64_t reach = conv->dilation[i] * (kernel - 1);
    if (kernel < 1)
        return -1;
    if (conv->is_transposed)
        return (conv->sizes[i] - 1) * conv->stride[i] - 2 * conv->padding[i] + reach +
               conv->output_padding[i] + 1;
    if (conv->same_padding)
        return conv->stride[i] == 1 ? conv->sizes[i] : -1;
    int64_t room = conv->sizes[i] + 2 * conv->padding[i] - reach - 1;
    return room < 0 ? -1 : room / conv->stride[i] + 1;
}

static bool positions(const struct conv *conv, double *of_input, double *of_output)
{
    *of_input = *of_output = 1;
    for (int i = 0; i < conv->space; i++) {
        int64_t size = output_size(conv, i);
        if (size < 0)
            return false;
        *of_input *= (double)conv->sizes[i];
        *of_output *= (double)size;
    }
    return true;
}

static double output_channels(const struct conv *conv)
{
    const int64_t *weight = conv->weight->sizes;
    return conv->is_transposed ? (double)weight[1] * (double)conv->groups : (double)weight[0];
}

static enum op_known count_conv(const struct op_formula *formula, const struct op_inputs *inputs,
                                struct op_count *count)
{
    struct conv conv = {.layout = formula->conv};
    double of_input, of_output;
    enum op_known known = read_conv(&conv, inputs);
    if (known == OP_KNOWN)
        known = read_all_steps(&conv, inputs);
    if (known != OP_KNOWN)
        return known;
    if (!positions(&conv, &of_input, &of_output))
        return OP_BAD_SHAPES;
    count->flop =
        2 * conv.batch * (conv.is_transposed ? of_input : of_output) * op_elements(conv.weight);
    count->flop_known = OP_KNOWN;
    op_count_moved(count, conv.batch * output_channels(&conv) * of_output,
                   (enum op_type)conv.input->type);
    return OP_KNOWN;
}

/* input, weight, output gradient, stride, padding, dilation, groups, transposed, output padding */
static const struct conv_layout plain = {0, 1, -1, 3, 4, 5, 6, -1, -1, false};
static const struct conv_layout transpose = {0, 1, -1, 3, 4, 7, 6, -1, 5, true};
static const struct conv_layout general = {0, 1, -1, 3, 4, 5, 8, 6, 7, false};
static const struct conv_layout cudnn = {0, 1, -1, 3, 2, 4, 5, -1, -1, false};
static const struct conv_layout cudnn_transpose = {0, 1, -1, 4, 2, 5, 6, -1, 3, true};
static const struct conv_layout add_relu = {0, 1, -1, 5, 6, 7, 8, -1, -1, false};
static const struct conv_layout miopen = {0, 1, -1, 4, 3, 5, 6, -1, -1, false};
static const struct conv_layout miopen_transpose = {0, 1, -1, 5, 3, 6, 7, -1, 4, true};
static const struct conv_layout slow = {0, 1, -1, 4, 5, -1, -1, -1, -1, false};
static const struct conv_layout slow_dilated = {0, 1, -1, 4, 5, 6, -1, -1, -1, false};
static const struct conv_layout depthwise = {0, 1, -1, 4, 5, 6, DEPTHWISE, -1, -1, false};
static const struct conv_layout slow_transpose = {0, 1, -1, 4, 5, 7, -1, -1, 6, true};

#define READS_BIAS_2 UINT64_C(7)
#define READS_BIAS_3 UINT64_C(11)
#define READS_ADDED UINT64_C(23)

#define CONV(name, function, reads, layout)              \
    {                                                    \
        name, function, reads, &(layout), {0}, OP_MATRIX \
    }

static const struct op_formula conv_rows[] = {
    CONV("_conv_depthwise2d", count_conv, READS_BIAS_3, depthwise),
    CONV("_convolution", count_conv, READS_BIAS_2, general),
    CONV("_slow_conv2d_forward", count_conv, READS_BIAS_3, slow),
    CONV("conv1d", count_conv, READS_BIAS_2, plain),
    CONV("conv2d", count_conv, READS_BIAS_2, plain),
    CONV("conv3d", count_conv, READS_BIAS_2, plain),
    CONV("conv_depthwise3d", count_conv, READS_BIAS_3, depthwise),
    CONV("conv_transpose1d", count_conv, READS_BIAS_2, transpose),
    CONV("conv_transpose2d", count_conv, READS_BIAS_2, transpose),
    CONV("conv_transpose3d", count_conv, READS_BIAS_2, transpose),
    CONV("convolution", count_conv, READS_BIAS_2, general),
    CONV("convolution_overrideable", count_conv, READS_BIAS_2, general),
    CONV("cudnn_convolution", count_conv, UINT64_C(3), cudnn),
    CONV("cudnn_convolution_add_relu", count_conv, READS_ADDED, add_relu),
    CONV("cudnn_convolution_relu", count_conv, READS_BIAS_2, plain),
    CONV("cudnn_convolution_transpose", count_conv, UINT64_C(3), cudnn_transpose),
    CONV("miopen_convolution", count_conv, READS_BIAS_2, miopen),
    CONV("miopen_convolution_add_relu", count_conv, READS_ADDED, add_relu),
    CONV("miopen_convolution_relu", count_conv, READS_BIAS_2, plain),
    CONV("miopen_convolution_transpose", count_conv, READS_BIAS_2, miopen_transpose),
    CONV("miopen_depthwise_convolution", count_conv, READS_BIAS_2, miopen),
    CONV("mkldnn_convolution", count_conv, READS_BIAS_2, miopen),
    CONV("slow_conv3d", count_conv, READS_BIAS_3, slow),
    CONV("slow_conv3d_forward", count_conv, READS_BIAS_3, slow),
    CONV("slow_conv_dilated2d", count_conv, READS_BIAS_3, slow_dilated),
    CONV("slow_conv_dilated3d", count_conv, READS_BIAS_3, slow_dilated),
    CONV("slow_conv_transpose2d", count_conv, READS_BIAS_3, slow_transpose),
    CONV("slow_conv_transpose3d", count_conv, READS_BIAS_3, slow_transpose),
    CONV("thnn_conv2d", count_conv, READS_BIAS_3, slow),
    CONV("thnn_conv2d_forward", count_conv, READS_BIAS_3, slow),
    CONV("thnn_conv_depthwise2d", count_conv, READS_BIAS_3, depthwise),
    CONV("thnn_conv_depthwise2d_forward", count_conv, READS_BIAS_3, depthwise),
};

const struct op_formulas op_conv_formulas = {conv_rows, sizeof conv_rows / sizeof *conv_rows};

/* ---- gradients ----
 *
 * Gradients of convolutions, each of which needs as much as the convolution:
 * 2 * (batch) * (positions) * (elements of the weight).
 *
 * Positions are those of the output's gradient; transposed, of the input. So no strides are needed,
 * but which gradients are wanted is, which is the last argument.
 */

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
static double positions_of(const struct op_tensor *tensor, int space)
{
    double batch = tensor->dims == space + 2 ? (double)tensor->sizes[0] : 1;
    return batch * product(tensor->sizes + tensor->dims - space, space);
}

static int64_t channels_of(const struct op_tensor *tensor, int space)
{
    return tensor->sizes[tensor->dims - space - 1];
}

/* Either may be without a batch, both must be. */
static bool gradient_fits(const struct gradient *gradient)
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
    return channels_of(first, space) == weight->sizes[0] && per_group > 0 &&
           channels_of(second, space) % per_group == 0;
}

static double flop_of_one(const struct gradient *gradient)
{
    const struct op_tensor *at = gradient->is_transposed ? gradient->input : gradient->output;
    return 2 * positions_of(at, gradient->weight->dims - 2) * op_elements(gradient->weight);
}

/* Of input, weight and bias. */
static enum op_known read_mask(const struct op_inputs *inputs, bool wanted[3])
{
    struct text value = inputs->at[inputs->count - 1].value;
    wanted[2] = false;
    if (value.size == 0)
        return OP_NO_VALUES;
    int count = op_text_truths(value, wanted, 3);
    return count == 2 || count == 3 ? OP_KNOWN : OP_BAD_SHAPES;
}

/* The output's gradient is read once for all. */
static void count_wanted(const struct gradient *gradient, const bool wanted[3],
                         struct op_count *count)
{
    const struct op_tensor *weight = gradient->weight;
    count->flop = (wanted[0] + wanted[1]) * flop_of_one(gradient);
    count->flop_known = OP_KNOWN;
    op_count_tensor(count, gradient->output);
    if (wanted[0]) {
        op_count_tensor(count, weight);
        op_count_tensor(count, gradient->input);
    }
    if (wanted[1]) {
        op_count_tensor(count, gradient->input);
        op_count_tensor(count, weight);
    }
    if (wanted[2])
        op_count_moved(count, (double)channels_of(gradient->output, weight->dims - 2),
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
        known = read_mask(inputs, wanted);
    if (known != OP_KNOWN)
        return known;
    if (!gradient_fits(&gradient))
        return OP_BAD_SHAPES;
    count_wanted(&gradient, wanted, count);
    return OP_KNOWN;
}

/* The first argument is a list of numbers: the size of the output. */
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
        channels_of(gradient.output, space) != gradient.weight->sizes[0])
        return OP_BAD_SHAPES;
    count->flop = flop_of_one(&gradient);
    count->flop_known = OP_KNOWN;
    count_written(inputs, (enum op_type)gradient.output->type, count);
    return OP_KNOWN;
}

/* (size of the weight, the output's gradient, input ...): the size is a value, and all depends on
 * it. */
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
    if (!gradient_fits(&gradient))
        return OP_BAD_SHAPES;
    count->flop = flop_of_one(&gradient);
    count->flop_known = OP_KNOWN;
    op_count_tensor(count, &weight);
    return OP_KNOWN;
}

/* input, weight, output's gradient; the argument that is true if it is transposed */
#define GRADIENT_LAYOUT(input, weight, output, transposed, is)    \
    {                                                             \
        input, weight, output, -1, -1, -1, -1, transposed, -1, is \
    }

static const struct conv_layout gradient_general = GRADIENT_LAYOUT(1, 2, 0, 7, false);
static const struct conv_layout gradient_overrideable = GRADIENT_LAYOUT(1, 2, 0, 6, false);
static const struct conv_layout gradient_plain = GRADIENT_LAYOUT(0, 2, 1, -1, false);
static const struct conv_layout gradient_plain_transpose = GRADIENT_LAYOUT(0, 2, 1, -1, true);
static const struct conv_layout gradient_slow = GRADIENT_LAYOUT(1, 2, 0, -1, false);
static const struct conv_layout gradient_slow_transpose = GRADIENT_LAYOUT(1, 2, 0, -1, true);
static const struct conv_layout gradient_of_input = GRADIENT_LAYOUT(-1, 2, 1, -1, false);
static const struct conv_layout gradient_of_weight = GRADIENT_LAYOUT(2, -1, 1, -1, false);

#define GRADIENT(name, function, reads, layout)          \
    {                                                    \
        name, function, reads, &(layout), {0}, OP_MATRIX \
    }
#define GRADIENTS(name, layout) GRADIENT(name, count_gradients, 0, layout)

static const struct op_formula gradient_rows[] = {
    GRADIENTS("_conv_depthwise2d_backward", gradient_slow),
    GRADIENTS("_slow_conv2d_backward", gradient_slow),
    GRADIENTS("conv_depthwise3d_backward", gradient_slow),
    GRADIENTS("convolution_backward", gradient_general),
    GRADIENTS("convolution_backward_overrideable", gradient_overrideable),
    GRADIENTS("cudnn_convolution_backward", gradient_plain),
    GRADIENT("cudnn_convolution_backward_input", count_of_input, 6, gradient_of_input),
    GRADIENT("cudnn_convolution_backward_weight", count_of_weight, 6, gradient_of_weight),
    GRADIENTS("cudnn_convolution_transpose_backward", gradient_plain_transpose),
    GRADIENTS("miopen_convolution_backward", gradient_plain),
    GRADIENT("miopen_convolution_backward_input", count_of_input, 6, gradient_of_input),
    GRADIENT("miopen_convolution_backward_weight", count_of_weight, 6, gradient_of_weight),
    GRADIENTS("miopen_convolution_transpose_backward", gradient_plain_transpose),
    GRADIENTS("miopen_depthwise_convolution_backward", gradient_plain),
    GRADIENTS("mkldnn_convolution_backward", gradient_plain),
    GRADIENTS("slow_conv3d_backward", gradient_slow),
    GRADIENTS("slow_conv_dilated2d_backward", gradient_slow),
    GRADIENTS("slow_conv_dilated3d_backward", gradient_slow),
    GRADIENTS("slow_conv_transpose2d_backward", gradient_slow_transpose),
    GRADIENTS("slow_conv_transpose3d_backward", gradient_slow_transpose),
    GRADIENTS("thnn_conv2d_backward", gradient_slow),
    GRADIENTS("thnn_conv_depthwise2d_backward", gradient_slow),
};

const struct op_formulas op_conv_gradient_formulas = {gradient_rows,
                                                      sizeof gradient_rows / sizeof *gradient_rows};
