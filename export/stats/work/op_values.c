/* op_values.c - arguments that are no tensors, as "Concrete Inputs" has them. */
#include "op_formula.h"

#include "op_text.h"

struct text op_value(const struct op_inputs *inputs, int number)
{
    const struct op_tensor *input = number < 0 ? NULL : op_input(inputs, (uint32_t)number);
    return input ? input->value : (struct text){"", 0};
}

enum op_known op_steps(const struct op_inputs *inputs, int number, int64_t least, int count,
                       const int64_t *instead, int64_t steps[OP_DIMS_MAX])
{
    struct text value = op_value(inputs, number);
    int given = op_text_integers(value, steps, OP_DIMS_MAX);
    if (value.size == 0)
        return OP_NO_VALUES;
    if (given < 0 || (given == 0 && !instead) || (given > 1 && given != count))
        return OP_BAD_SHAPES;
    for (int i = given; i < count; i++)
        steps[i] = given == 0 ? instead[i] : steps[0];
    for (int i = 0; i < count; i++)
        if (steps[i] < least || steps[i] > OP_LIMIT)
            return OP_BAD_SHAPES;
    return OP_KNOWN;
}

enum op_known op_conv_transposed(const struct conv_layout *layout, const struct op_inputs *inputs,
                                 bool *is_transposed)
{
    struct text value = op_value(inputs, layout->transposed);
    *is_transposed = layout->is_transposed;
    if (layout->transposed < 0 || op_text_truth(value, is_transposed))
        return OP_KNOWN;
    return value.size ? OP_BAD_SHAPES : OP_NO_VALUES;
}
