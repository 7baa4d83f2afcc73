/* op_inputs.c - three lists beside each other: sizes, types, values. */
#include "op_inputs.h"

#include "op_text.h"

#include <string.h>

#define INPUTS_MAX 256u

/* The three lists, and the element of each that is looked at. */
struct reading {
    struct op_inputs *inputs;
    struct op_list types, values;
    struct text type, value;
    uint32_t input;
};

/* A type of C++ begins with a small letter. "Int", "Bool" and "Double", which traces of 2021 have,
 * are numbers that are no tensors; so are "Scalar", "ScalarList" and "GenericList". */
static bool is_element_type(struct text name)
{
    return name.size && name.bytes[0] >= 'a' && name.bytes[0] <= 'z' &&
           op_type_find(name) != OP_TYPE_UNKNOWN;
}

static bool ends_in_pairs(struct text name)
{
    return name.size > 3 && memcmp(name.bytes + name.size - 3, "_x2", 3) == 0;
}

static bool is_scalar_kind(struct text name)
{
    return name.size >= 6 && memcmp(name.bytes, "Scalar", 6) == 0;
}

/* NULL: there is no room. */
static struct op_tensor *add_tensor(struct reading *reading)
{
    struct op_inputs *inputs = reading->inputs;
    if (inputs->count == OP_TENSORS_MAX || reading->input >= INPUTS_MAX) {
        inputs->cut = true;
        return NULL;
    }
    struct op_tensor *tensor = &inputs->at[inputs->count++];
    tensor->dims = 0;
    tensor->input = (uint8_t)reading->input;
    tensor->type = OP_TYPE_UNKNOWN;
    tensor->pairs = false;
    tensor->is_tensor = false;
    tensor->value = reading->value;
    return tensor;
}

static void set_type(struct op_tensor *tensor, struct text type)
{
    tensor->is_tensor = is_element_type(type) || (tensor->dims > 0 && !is_scalar_kind(type));
    tensor->type = tensor->is_tensor ? (uint8_t)op_type_find(type) : OP_TYPE_UNKNOWN;
    tensor->pairs = ends_in_pairs(type);
}

/* One tensor's sizes. */
static bool take_sizes(struct reading *reading, struct text sizes)
{
    struct op_list list = op_list_open(sizes);
    struct op_tensor *tensor = add_tensor(reading);
    struct text element;
    int64_t size;
    while (op_list_next(&list, &element)) {
        if (op_text_is_list(element) || !op_text_integer(element, &size))
            return false;
        if (tensor && tensor->dims < OP_DIMS_MAX)
            tensor->sizes[tensor->dims++] = size;
        else
            reading->inputs->cut = true;
    }
    if (tensor)
        set_type(tensor, reading->type);
    return op_list_is_whole(&list);
}

static bool holds_lists(struct text input)
{
    struct op_list list = op_list_open(input);
    struct text element;
    return op_list_next(&list, &element) && op_text_is_list(element);
}

static bool take_input(struct reading *reading, struct text input)
{
    struct text sizes;
    if (!op_text_is_list(input))
        return false;
    if (!holds_lists(input))
        return take_sizes(reading, input);
    struct op_list list = op_list_open(input);
    while (op_list_next(&list, &sizes))
        if (!op_text_is_list(sizes) || !take_sizes(reading, sizes))
            return false;
    return op_list_is_whole(&list);
}

/* The next of a list that may have ended. */
static struct text next_of(struct op_list *list)
{
    struct text element;
    return op_list_next(list, &element) ? element : (struct text){"", 0};
}

/* A list of tensors may have a list of types: they are alike, the first will do. */
static struct text next_type(struct op_list *types)
{
    struct text type = next_of(types);
    struct op_list inside = op_list_open(type);
    return inside.failed ? type : next_of(&inside);
}

bool op_inputs_parse(struct op_inputs *inputs, struct text dims, struct text types,
                     struct text values)
{
    struct reading reading = {
        .inputs = inputs, .types = op_list_open(types), .values = op_list_open(values)};
    struct op_list list = op_list_open(dims);
    struct text input;
    inputs->count = 0;
    inputs->cut = false;
    inputs->has_types = !reading.types.failed;
    inputs->has_values = !reading.values.failed;
    for (; op_list_next(&list, &input); reading.input++) {
        reading.type = next_type(&reading.types);
        reading.value = next_of(&reading.values);
        list.failed |= !take_input(&reading, input);
    }
    if (!op_list_is_whole(&list))
        inputs->count = 0;
    return op_list_is_whole(&list);
}

const struct op_tensor *op_input(const struct op_inputs *inputs, uint32_t number)
{
    for (uint32_t i = number; i < inputs->count; i++) /* each input is one item at least */
        if (inputs->at[i].input >= number)
            return inputs->at[i].input == number ? &inputs->at[i] : NULL;
    return NULL;
}
