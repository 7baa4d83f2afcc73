#include "op_work.h"

#include "op_formula.h"
#include "op_inputs.h"

#include <math.h>
#include <string.h>

/* ---- arguments that are not tensors, as "Concrete Inputs" has them ---- */

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

/* ---- finding an operator's row, calling its function, adding the bytes it reads ---- */

/* Every table is sorted by name. */
static int compare_name(struct text name, const char *with)
{
    int order = strncmp(name.bytes, with, name.size);
    return order ? order : -(with[name.size] != '\0');
}

static const struct op_formula *find_in(const struct op_formulas *formulas, struct text name)
{
    size_t first = 0, behind = formulas->count;
    while (first < behind) {
        size_t middle = (first + behind) / 2;
        int order = compare_name(name, formulas->at[middle].name);
        if (order == 0)
            return &formulas->at[middle];
        if (order < 0)
            behind = middle;
        else
            first = middle + 1;
    }
    return NULL;
}

const struct op_formulas *const op_formula_tables[] = {
    &op_gemm_formulas,
    &op_conv_formulas,
    &op_conv_gradient_formulas,
    &op_attention_formulas,
    &op_element_formulas,
    &op_layer_formulas,
    NULL,
};

static const struct op_formula *find_anywhere(struct text name)
{
    const struct op_formula *found = NULL;
    for (size_t i = 0; op_formula_tables[i] && !found; i++)
        found = find_in(op_formula_tables[i], name);
    return found;
}

/* "aten::mm" and "mm.out" are "mm". */
static struct text bare_name(struct text name)
{
    static const char space[] = "aten::";
    size_t prefix = sizeof space - 1;
    if (name.size > prefix && text_begins(name, space))
        name = (struct text){name.bytes + prefix, name.size - prefix};
    const char *overload = name.size ? memchr(name.bytes, '.', name.size) : NULL;
    if (overload)
        name.size = (size_t)(overload - name.bytes);
    return name;
}

/* NULL: none. */
static const struct op_formula *find_formula(struct text name)
{
    struct text bare = bare_name(name);
    if (bare.size == 0 || memchr(bare.bytes, '\0', bare.size))
        return NULL;
    const struct op_formula *found = find_anywhere(bare);
    if (found || bare.size < 2 || bare.bytes[bare.size - 1] != '_')
        return found;
    return find_anywhere((struct text){bare.bytes, bare.size - 1});
}

const struct op_tensor *op_tensor_input(const struct op_inputs *inputs, int number)
{
    const struct op_tensor *input = number < 0 ? NULL : op_input(inputs, (uint32_t)number);
    return input && input->is_tensor ? input : NULL;
}

double op_elements(const struct op_tensor *tensor)
{
    double elements = 1;
    for (int i = 0; i < tensor->dims; i++)
        elements *= (double)tensor->sizes[i];
    return elements;
}

bool op_type_is_complex(enum op_type type)
{
    return type == OP_C64 || type == OP_C32 || type == OP_C16;
}

void op_count_moved(struct op_count *count, double elements, enum op_type type)
{
    if (type == OP_TYPE_UNKNOWN)
        count->bytes_known = OP_NO_TYPE;
    count->bits += elements * op_type_bits(type);
}

void op_count_tensor(struct op_count *count, const struct op_tensor *tensor)
{
    op_count_moved(count, op_elements(tensor), (enum op_type)tensor->type);
}

static void count_reads(const struct op_inputs *inputs, struct op_count *count)
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct op_tensor *tensor = &inputs->at[i];
        if (tensor->is_tensor && tensor->input < 64 && count->reads >> tensor->input & 1)
            op_count_moved(count, op_elements(tensor) * (tensor->pairs ? 2 : 1),
                           (enum op_type)tensor->type);
    }
}

static bool has_negative_size(const struct op_inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->count; i++)
        for (int dim = 0; dim < inputs->at[i].dims; dim++)
            if (inputs->at[i].sizes[dim] < 0)
                return true;
    return false;
}

static enum op_type biggest_type(const struct op_inputs *inputs)
{
    double most = -1;
    enum op_type type = OP_TYPE_UNKNOWN;
    for (uint32_t i = 0; i < inputs->count; i++) {
        double elements = inputs->at[i].is_tensor ? op_elements(&inputs->at[i]) : -1;
        if (elements > most) {
            most = elements;
            type = (enum op_type)inputs->at[i].type;
        }
    }
    return type;
}

static enum op_known count_all(const struct op_formula *formula, const struct op_inputs *inputs,
                               struct op_count *count)
{
    if (inputs->count == 0 || inputs->cut)
        return OP_NO_SHAPES;
    if (has_negative_size(inputs))
        return OP_BAD_SHAPES;
    enum op_known known = formula->count(formula, inputs, count);
    if (known == OP_KNOWN)
        count_reads(inputs, count);
    return known;
}

/* A multiplication of complex numbers with an addition is four of each. */
static double flop_of(const struct op_formula *formula, const struct op_count *count)
{
    bool is_complex = op_type_is_complex((enum op_type)count->element);
    return count->flop * (is_complex && formula->kind == OP_MATRIX ? 4 : 1);
}

/* Sizes near the limits of their type multiply to no number. */
static void set_number(double *number, enum op_known *known, double value, enum op_known why)
{
    *known = why == OP_KNOWN && !isfinite(value) ? OP_BAD_SHAPES : why;
    *number = *known == OP_KNOWN ? value : NAN;
}

void op_work_of(struct text name, const struct op_inputs *inputs, struct op_work *work)
{
    const struct op_formula *formula = find_formula(name);
    enum op_known known = OP_NO_FORMULA;
    struct op_count count = {.flop_known = OP_NO_FORMULA, .bytes_known = OP_KNOWN};
    work->type = biggest_type(inputs);
    count.element = (uint8_t)work->type;
    if (formula) {
        count.reads = formula->reads;
        known = count_all(formula, inputs, &count);
    }
    if (known != OP_KNOWN)
        count.flop_known = count.bytes_known = known;
    set_number(&work->flop, &work->flop_known, formula ? flop_of(formula, &count) : 0,
               count.flop_known);
    set_number(&work->bytes, &work->bytes_known, count.bits / 8, count.bytes_known);
}

enum op_class op_class_of(struct text name)
{
    const struct op_formula *formula = find_formula(name);
    return formula ? (enum op_class)formula->kind : OP_UNCLASSED;
}

const char *op_known_text(enum op_known known)
{
    static const char *const texts[] = {
        [OP_KNOWN] = "known",         [OP_NO_FORMULA] = "no formula", [OP_NO_SHAPES] = "no shapes",
        [OP_NO_VALUES] = "no values", [OP_BAD_SHAPES] = "bad shapes", [OP_NO_TYPE] = "no type",
    };
    return texts[known <= OP_NO_TYPE ? known : OP_NO_FORMULA];
}
