#include "pytorch_work.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- lists ---- */

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

static struct text trim(struct text text)
{
    while (text.size && is_space(text.bytes[0]))
        text.bytes++, text.size--;
    while (text.size && is_space(text.bytes[text.size - 1]))
        text.size--;
    return text;
}

bool pytorch_list_begin(struct pytorch_list *list, struct text text)
{
    text = trim(text);
    if (text.size < 2 || text.bytes[0] != '[' || text.bytes[text.size - 1] != ']')
        return false;
    *list = (struct pytorch_list){text.bytes + 1, text.bytes + text.size - 1};
    return true;
}

/* From after a quote to after the one that closes. */
static const char *behind_string(const char *p, const char *end)
{
    while (p < end && *p != '"')
        p += *p == '\\' ? 2 : 1;
    return p < end ? p + 1 : end;
}

bool pytorch_list_next(struct pytorch_list *list, struct text *item)
{
    const char *p = list->at;
    int depth = 0;
    while (p < list->end && (*p != ',' || depth)) {
        if (*p == '"') {
            p = behind_string(p + 1, list->end);
            continue;
        }
        depth += (*p | 0x20) == '{' ? 1 : (*p | 0x20) == '}' ? -1 : 0;
        p++;
    }
    *item = trim((struct text){list->at, (size_t)(p - list->at)});
    list->at = p < list->end ? p + 1 : p;
    return item->size > 0;
}

uint32_t pytorch_list_count(struct text text)
{
    struct pytorch_list list;
    struct text item;
    uint32_t count = 0;
    if (pytorch_list_begin(&list, text))
        while (pytorch_list_next(&list, &item))
            count++;
    return count;
}

bool pytorch_list_item(struct text text, uint32_t index, struct text *item)
{
    struct pytorch_list list;
    if (!pytorch_list_begin(&list, text))
        return false;
    for (uint32_t i = 0; pytorch_list_next(&list, item); i++)
        if (i == index)
            return true;
    return false;
}

/* All of the text is one whole number. */
static bool read_whole(struct text text, int64_t *number)
{
    bool negative = text.size && text.bytes[0] == '-';
    bool good = text.size > negative;
    *number = 0;
    for (size_t i = negative; i < text.size && good; i++) {
        int digit = text.bytes[i] - '0';
        good = digit >= 0 && digit <= 9 && !__builtin_mul_overflow(*number, 10, number) &&
               !__builtin_add_overflow(*number, digit, number);
    }
    *number = negative ? -*number : *number;
    return good;
}

bool pytorch_list_shape(struct text text, struct pytorch_shape *shape)
{
    struct pytorch_list list;
    struct text item;
    shape->count = 0;
    if (!pytorch_list_begin(&list, text))
        return false;
    while (pytorch_list_next(&list, &item)) {
        if (shape->count == PYTORCH_SHAPE_MAX || !read_whole(item, &shape->at[shape->count]))
            return false;
        shape->count++;
    }
    return true;
}

static bool is_between(char byte)
{
    return is_space(byte) || byte == ',' || byte == '[' || byte == ']';
}

bool pytorch_list_product(struct text text, int64_t *product)
{
    const char *p = text.bytes, *end = p + text.size;
    int64_t number;
    for (*product = 1; p < end;) {
        const char *begin = p;
        while (p < end && !is_between(*p))
            p++;
        if (p > begin && (!read_whole((struct text){begin, (size_t)(p - begin)}, &number) ||
                          __builtin_mul_overflow(*product, number, product)))
            return false;
        p += p < end;
    }
    return true;
}

bool pytorch_list_string(struct text item, struct text *body)
{
    bool quoted = item.size >= 2 && item.bytes[0] == '"' && item.bytes[item.size - 1] == '"';
    if (quoted)
        *body = (struct text){item.bytes + 1, item.size - 2};
    return quoted;
}

bool pytorch_list_numbers(struct text text, struct pytorch_shape *numbers)
{
    const char *p = text.bytes, *end = p + text.size;
    char plain[256];
    size_t size = 1;
    plain[0] = '[';
    for (; p < end && size < sizeof plain - 1; p++)
        if (*p != '[' && *p != ']')
            plain[size++] = *p;
    plain[size++] = ']';
    return p == end && pytorch_list_shape((struct text){plain, size}, numbers) && numbers->count;
}

/* An operator whose work is computed. */
struct op {
    const struct pytorch_event *event;
    struct text name; /* without "aten::" */
    struct pytorch_error *error;
};

/* Sets the operator's error. */
__attribute__((format(printf, 2, 3))) static void op_say(const struct op *op, const char *format,
                                                         ...)
{
    struct pytorch_error *error = op->error;
    int shown = op->event->name.size > 100 ? 100 : (int)op->event->name.size;
    int size =
        snprintf(error->message, sizeof error->message, "%.*s: ", shown, op->event->name.bytes);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message + size, sizeof error->message - (size_t)size, format, arguments);
    va_end(arguments);
}

/* The same; false. */
#define op_fail(...) (op_say(__VA_ARGS__), false)

static bool too_large(const struct op *op)
{
    return op_fail(op, "more than 63 bits");
}

static bool has(struct text text, const char *literal)
{
    return memmem(text.bytes, text.size, literal, strlen(literal)) != NULL;
}

static struct text literal(const char *text)
{
    return (struct text){text, strlen(text)};
}

/* The operator of a name without "aten::", or of the name of a kernel; empty: none is known by it.
 * "baddbmm" has "bmm" in it, so it is never found. */
static struct text op_named(struct text name)
{
    static const char prefix[] = "aten::";
    size_t size = sizeof prefix - 1;
    if (name.size >= size && memcmp(name.bytes, prefix, size) == 0)
        return (struct text){name.bytes + size, name.size - size};
    if (has(name, "conv"))
        return literal("convolution");
    if (has(name, "addmm"))
        return literal("addmm");
    if (has(name, "bmm"))
        return literal("bmm");
    return literal(has(name, "_mm") ? "mm" : "");
}

/* ---- shapes ---- */

/* The sizes of an input. */
static bool op_shape(const struct op *op, uint32_t index, struct pytorch_shape *shape)
{
    struct text item;
    if (!pytorch_list_item(op->event->dims, index, &item))
        return op_fail(op, "IndexError: list index out of range");
    return pytorch_list_shape(item, shape) ||
           op_fail(op, "TypeError: input %u has no sizes", index);
}

/* The same of one that has `wanted` dimensions. */
static bool op_shape_of(const struct op *op, uint32_t index, uint32_t wanted,
                        struct pytorch_shape *shape)
{
    if (!op_shape(op, index, shape))
        return false;
    if (shape->count < wanted)
        return op_fail(op, "ValueError: not enough values to unpack (expected %u, got %u)", wanted,
                       shape->count);
    return shape->count == wanted ||
           op_fail(op, "ValueError: too many values to unpack (expected %u)", wanted);
}

static bool op_multiply(const struct op *op, int64_t *product, int64_t factor)
{
    return !__builtin_mul_overflow(*product, factor, product) || too_large(op);
}

static bool op_add(const struct op *op, int64_t *sum, int64_t more)
{
    return !__builtin_add_overflow(*sum, more, sum) || too_large(op);
}

/* Rounds down, as Python does. */
static int64_t divide_down(int64_t number, int64_t by)
{
    return number / by - (number % by != 0 && (number % by < 0) != (by < 0));
}

static bool read_strides(const struct op *op, uint32_t value, struct pytorch_shape *strides)
{
    struct text item, body;
    if (!pytorch_list_item(op->event->values, value, &item))
        return op_fail(op, "IndexError: list index out of range");
    if (!pytorch_list_string(item, &body))
        return op_fail(op, "AttributeError: 'list' object has no attribute 'replace'");
    return pytorch_list_numbers(body, strides) ||
           op_fail(op, "ValueError: invalid literal for int() with base 10: %.*s", (int)item.size,
                   item.bytes);
}

/* The sizes of a convolution's output, its strides being that value: as many directions as input,
 * weights and strides have; no padding, no dilation. */
static bool op_outputs(const struct op *op, uint32_t stride_value, const struct pytorch_shape *x,
                       const struct pytorch_shape *w, struct pytorch_shape *out)
{
    struct pytorch_shape strides;
    if (!read_strides(op, stride_value, &strides))
        return false;
    if (x->count == 0 || w->count == 0)
        return op_fail(op, "IndexError: list index out of range");
    out->at[0] = x->at[0];
    out->at[1] = w->at[0];
    out->count = 2;
    for (uint32_t i = 0; i < strides.count && i + 2 < x->count && i + 2 < w->count; i++) {
        if (strides.at[i] == 0)
            return op_fail(op, "ZeroDivisionError: integer division or modulo by zero");
        out->at[out->count++] = divide_down(x->at[i + 2] - w->at[i + 2], strides.at[i]) + 1;
    }
    return true;
}

/* ---- FLOPs ---- */

static bool multiply_rest(const struct op *op, int64_t *product, const struct pytorch_shape *shape)
{
    bool good = true;
    for (uint32_t i = 2; i < shape->count && good; i++)
        good = op_multiply(op, product, shape->at[i]);
    return good;
}

/* ---- FLOPs of products of matrices ---- */

/* 2 b m k n */
static bool flop_product(const struct op *op, int64_t b, int64_t m, int64_t k, int64_t n,
                         int64_t *flop)
{
    *flop = 2;
    return op_multiply(op, flop, b) && op_multiply(op, flop, m) && op_multiply(op, flop, k) &&
           op_multiply(op, flop, n);
}

static bool flop_mm(const struct op *op, uint32_t first, int64_t *flop)
{
    struct pytorch_shape a, b;
    if (!op_shape_of(op, first, 2, &a) || !op_shape_of(op, first + 1, 2, &b))
        return false;
    if (a.at[1] != b.at[0])
        return op_fail(op,
                       "AssertionError: matmul: inner dimensions must match (k == k2), got %" PRId64
                       " and %" PRId64,
                       a.at[1], b.at[0]);
    return flop_product(op, 1, a.at[0], a.at[1], b.at[1], flop);
}

static bool flop_bmm(const struct op *op, uint32_t first, int64_t *flop)
{
    struct pytorch_shape a, b;
    if (!op_shape_of(op, first, 3, &a) || !op_shape_of(op, first + 1, 3, &b))
        return false;
    if (a.at[0] != b.at[0])
        return op_fail(op,
                       "AssertionError: bmm: batch dimensions must match (b == b2), got %" PRId64
                       " and %" PRId64,
                       a.at[0], b.at[0]);
    if (a.at[2] != b.at[1])
        return op_fail(op,
                       "AssertionError: bmm: inner dimensions must match (k == k2), got %" PRId64
                       " and %" PRId64,
                       a.at[2], b.at[1]);
    return flop_product(op, a.at[0], a.at[1], a.at[2], b.at[2], flop);
}

static bool flop_mm_first(const struct op *op, int64_t *flop)
{
    return flop_mm(op, 0, flop);
}

static bool flop_mm_second(const struct op *op, int64_t *flop)
{
    return flop_mm(op, 1, flop);
}

static bool flop_bmm_first(const struct op *op, int64_t *flop)
{
    return flop_bmm(op, 0, flop);
}

static bool flop_bmm_second(const struct op *op, int64_t *flop)
{
    return flop_bmm(op, 1, flop);
}

/* ---- FLOPs of scaled dot products ---- */

struct attention {
    int64_t heads; /* of all batches */
    int64_t queries, keys, size, value_size;
};

static bool read_attention(const struct op *op, uint32_t first, struct attention *attention)
{
    struct pytorch_shape q, k, v;
    if (!op_shape_of(op, first, 4, &q) || !op_shape_of(op, first + 1, 4, &k) ||
        !op_shape_of(op, first + 2, 4, &v))
        return false;
    bool fits = q.at[0] == k.at[0] && k.at[0] == v.at[0] && k.at[1] == v.at[1] &&
                k.at[2] == v.at[2] && q.at[3] == k.at[3];
    if (!fits || q.at[1] < k.at[1] || k.at[1] == 0 || q.at[1] % k.at[1])
        return op_fail(op, "AssertionError: query, key and value shapes are incompatible");
    *attention = (struct attention){q.at[0], q.at[2], k.at[2], q.at[3], v.at[3]};
    return op_multiply(op, &attention->heads, q.at[1]);
}

static bool flop_attention_parts(const struct op *op, const struct attention *at, int64_t products,
                                 int64_t value_products, int64_t *flop)
{
    int64_t more;
    if (!flop_product(op, at->heads, at->queries, at->size, at->keys, flop) ||
        !flop_product(op, at->heads, at->queries, at->keys, at->value_size, &more))
        return false;
    return op_multiply(op, flop, products) && op_multiply(op, &more, value_products) &&
           op_add(op, flop, more);
}

static bool flop_attention(const struct op *op, int64_t *flop)
{
    struct attention attention;
    return read_attention(op, 0, &attention) && flop_attention_parts(op, &attention, 1, 1, flop);
}

static bool flop_attention_backward(const struct op *op, int64_t *flop)
{
    struct attention attention;
    struct pytorch_shape out, query;
    if (!op_shape_of(op, 0, 4, &out) || !read_attention(op, 1, &attention) ||
        !op_shape_of(op, 1, 4, &query))
        return false;
    if (out.at[0] != query.at[0] || out.at[1] != query.at[1] || out.at[2] != query.at[2] ||
        out.at[3] != attention.value_size)
        return op_fail(op, "AssertionError: grad_out/value/key/query shapes are incompatible");
    return flop_attention_parts(op, &attention, 3, 2, flop);
}

/* ---- convolutions ---- */

static bool flop_of_shapes(const struct op *op, const struct pytorch_shape *x,
                           const struct pytorch_shape *w, const struct pytorch_shape *along,
                           int64_t *flop)
{
    *flop = 2;
    if (x->count == 0)
        return op_fail(op, "IndexError: list index out of range");
    if (w->count < 2)
        return op_fail(op, "ValueError: not enough values to unpack (expected at least 2, got %u)",
                       w->count);
    return multiply_rest(op, flop, along) && multiply_rest(op, flop, w) &&
           op_multiply(op, flop, x->at[0]) && op_multiply(op, flop, w->at[0]) &&
           op_multiply(op, flop, w->at[1]);
}

/* That program uses the sizes of the argument "transposed" as its value: a Scalar has none, so it
 * is false. */
static bool is_transposed(const struct op *op)
{
    struct text item;
    return pytorch_list_item(op->event->dims, 6, &item) && pytorch_list_count(item) > 0;
}

static bool flop_of_inputs(const struct op *op, uint32_t inputs, uint32_t stride_value,
                           bool transposed, int64_t *flop)
{
    struct pytorch_shape x, w, out;
    *flop = 0;
    if (inputs == 5 || inputs == 6)
        return true; /* "wrong number of inputs": a warning there */
    if (!op_shape(op, 0, &x) || !op_shape(op, 1, &w))
        return false;
    if (!transposed && !op_outputs(op, stride_value, &x, &w, &out))
        return false;
    if (inputs < 7)
        return op_fail(op, "TypeError: conv_flop() is missing arguments");
    return flop_of_shapes(op, &x, &w, transposed ? &x : &out, flop);
}

static bool flop_convolution(const struct op *op, int64_t *flop)
{
    uint32_t inputs = pytorch_list_count(op->event->dims);
    return flop_of_inputs(op, inputs, 3, inputs > 6 && is_transposed(op), flop);
}

/* That operator has no argument "transposed": one is appended to its inputs. */
static bool flop_slow_convolution(const struct op *op, int64_t *flop)
{
    *flop = 0;
    if (pytorch_list_count(op->event->values) < 5)
        return true;
    uint32_t inputs = pytorch_list_count(op->event->dims);
    return flop_of_inputs(op, inputs + 1, 4, inputs > 6 && is_transposed(op), flop);
}

/* That program looks up the wanted gradients in the sizes of an argument of three booleans. */
static bool flop_convolution_backward(const struct op *op, int64_t *flop)
{
    (void)flop;
    return op_fail(op, "IndexError: list index out of range");
}

/* These formulas expect tensors, and a trace has lists. */
static bool flop_of_tensors(const struct op *op, int64_t *flop)
{
    (void)flop;
    return op_fail(op, "AttributeError: 'list' object has no attribute 'shape'");
}

static const struct {
    const char *name;
    bool (*flop)(const struct op *op, int64_t *flop);
} formulas[] = {
    {"mm", flop_mm_first},
    {"addmm", flop_mm_second},
    {"bmm", flop_bmm_first},
    {"baddbmm", flop_bmm_second},
    {"_scaled_mm", flop_mm_first},
    {"convolution", flop_convolution},
    {"_convolution", flop_convolution},
    {"cudnn_convolution", flop_convolution},
    {"convolution_overrideable", flop_convolution},
    {"_slow_conv2d_forward", flop_slow_convolution},
    {"convolution_backward", flop_convolution_backward},
    {"_scaled_dot_product_efficient_attention", flop_attention},
    {"_scaled_dot_product_flash_attention", flop_attention},
    {"_scaled_dot_product_cudnn_attention", flop_attention},
    {"_scaled_dot_product_efficient_attention_backward", flop_attention_backward},
    {"_scaled_dot_product_flash_attention_backward", flop_attention_backward},
    {"_scaled_dot_product_cudnn_attention_backward", flop_attention_backward},
    {"_flash_attention_forward", flop_of_tensors},
    {"_flash_attention_backward", flop_of_tensors},
    {"_efficient_attention_forward", flop_of_tensors},
    {"_efficient_attention_backward", flop_of_tensors},
};

bool pytorch_flop(const struct pytorch_event *event, int64_t *flop, struct pytorch_error *error)
{
    struct op op = {event, op_named(event->name), error};
    *flop = 0;
    if (!op.name.size || !event->dims.bytes || !event->values.bytes)
        return true;
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
        if (text_is(op.name, formulas[i].name))
            return formulas[i].flop(&op, flop);
    return true;
}

/* ---- gigabytes ---- */

/* One size of an input. */
static bool size_at(const struct op *op, uint32_t input, uint32_t index, int64_t *size)
{
    struct pytorch_shape shape;
    *size = 0;
    if (!op_shape(op, input, &shape))
        return false;
    if (index >= shape.count)
        return op_fail(op, "IndexError: list index out of range");
    *size = shape.at[index];
    return true;
}

/* By the names that types have in torch; all others count as one byte. */
static int64_t bytes_of_type(struct text type)
{
    static const struct {
        const char *name;
        int64_t bytes;
    } types[] = {{"float", 4},     {"double", 8},  {"int", 4},       {"long", 8},
                 {"short", 2},     {"half", 2},    {"float16", 2},   {"bfloat16", 2},
                 {"float32", 4},   {"float64", 8}, {"int16", 2},     {"int32", 4},
                 {"int64", 8},     {"uint16", 2},  {"uint32", 4},    {"uint64", 8},
                 {"qint32", 4},    {"bits16", 2},  {"complex32", 4}, {"chalf", 4},
                 {"complex64", 8}, {"cfloat", 8},  {"cdouble", 16},  {"complex128", 16}};
    struct text name;
    if (pytorch_list_string(type, &name))
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
            if (text_is(name, types[i].name))
                return types[i].bytes;
    return 1;
}

static bool type_bytes_at(const struct op *op, uint32_t input, int64_t *bytes)
{
    struct text type;
    *bytes = 0;
    if (!pytorch_list_item(op->event->types, input, &type))
        return op_fail(op, "IndexError: list index out of range");
    *bytes = bytes_of_type(type);
    return true;
}

static bool bytes_of_input(const struct op *op, struct text dims, struct text type, int64_t *bytes)
{
    if (!pytorch_list_product(dims, bytes))
        return op_fail(op, "TypeError: sizes that are not whole numbers, or too large");
    return op_multiply(op, bytes, bytes_of_type(type));
}

/* Inputs that have both sizes and a type. */
static bool bytes_of_all(const struct op *op, int64_t *bytes)
{
    struct pytorch_list dims, types;
    struct text size, type;
    *bytes = 0;
    if (!pytorch_list_begin(&dims, op->event->dims) ||
        !pytorch_list_begin(&types, op->event->types))
        return op_fail(op, "TypeError: inputs that are not a list");
    while (pytorch_list_next(&dims, &size) && pytorch_list_next(&types, &type)) {
        int64_t more;
        if (!bytes_of_input(op, size, type, &more) || !op_add(op, bytes, more))
            return false;
    }
    return true;
}

/* 2 (MK + NK + MN) of elements. */
static bool bytes_mm(const struct op *op, int64_t m, int64_t n, int64_t k, int64_t element,
                     int64_t *bytes)
{
    int64_t nk = n, mn = m;
    *bytes = m;
    return op_multiply(op, bytes, k) && op_multiply(op, &nk, k) && op_multiply(op, &mn, n) &&
           op_add(op, bytes, nk) && op_add(op, bytes, mn) && op_multiply(op, bytes, 2) &&
           op_multiply(op, bytes, element);
}

/* Adds the bytes of the first input. */
static bool add_first_input(const struct op *op, int64_t *bytes)
{
    int64_t more, element = 0;
    struct text dims;
    if (!pytorch_list_item(op->event->dims, 0, &dims))
        return op_fail(op, "IndexError: list index out of range");
    if (!pytorch_list_product(dims, &more))
        return op_fail(op, "TypeError: sizes that are not whole numbers, or too large");
    return type_bytes_at(op, 0, &element) && op_multiply(op, &more, element) &&
           op_add(op, bytes, more);
}

/* Inputs `a` and `a` + 1 are the matrices. */
static bool bytes_of_mm(const struct op *op, uint32_t a, int64_t *bytes)
{
    int64_t m, n = 0, k = 0, element = 0, inner = 0;
    if (!size_at(op, a, 0, &m) || !size_at(op, a, 1, &n) || !size_at(op, a + 1, 0, &inner))
        return false;
    if (n != inner)
        return op_fail(op, "AssertionError: Shape mismatch for %.*s: %" PRId64 " != %" PRId64,
                       (int)op->name.size, op->name.bytes, n, inner);
    return size_at(op, a + 1, 1, &k) && type_bytes_at(op, a, &element) &&
           bytes_mm(op, m, n, k, element, bytes);
}

static bool bytes_of_bmm(const struct op *op, uint32_t a, int64_t *bytes)
{
    int64_t batches, m = 0, n = 0, k = 0, element = 0;
    return size_at(op, 0, 0, &batches) && size_at(op, a, 1, &m) && size_at(op, a, 2, &n) &&
           size_at(op, a + 1, 2, &k) && type_bytes_at(op, a, &element) &&
           bytes_mm(op, m, n, k, element, bytes) && op_multiply(op, bytes, batches) &&
           add_first_input(op, bytes);
}

/* Elements, although it calls them bytes. */
static bool bytes_of_convolution(const struct op *op, uint32_t stride_value, int64_t *bytes)
{
    struct pytorch_shape x, w, out;
    if (!op_shape(op, 0, &x) || !op_shape(op, 1, &w) || !op_outputs(op, stride_value, &x, &w, &out))
        return false;
    if (out.count < 4 || w.count < 4 || x.count < 2)
        return op_fail(op, "IndexError: list index out of range");
    int64_t weights = w.at[0];
    *bytes = x.at[1];
    for (uint32_t i = 0; i < 4; i++)
        if (!op_multiply(op, bytes, out.at[i]) || (i && !op_multiply(op, &weights, w.at[i])))
            return false;
    return op_multiply(op, bytes, w.at[2]) && op_multiply(op, bytes, w.at[3]) &&
           op_add(op, bytes, weights);
}

static bool bytes_of_op(const struct op *op, int64_t *bytes)
{
    bool slow = text_is(op->name, "_slow_conv2d_forward");
    if (!op->event->values.bytes)
        return bytes_of_all(op, bytes);
    if (text_is(op->name, "addmm"))
        return bytes_of_mm(op, 1, bytes) && add_first_input(op, bytes);
    if (text_is(op->name, "mm"))
        return bytes_of_mm(op, 0, bytes);
    if (text_is(op->name, "baddbmm"))
        return bytes_of_bmm(op, 1, bytes);
    if (text_is(op->name, "bmm"))
        return bytes_of_bmm(op, 0, bytes);
    if (slow || text_is(op->name, "convolution") || text_is(op->name, "_convolution") ||
        text_is(op->name, "cudnn_convolution"))
        return bytes_of_convolution(op, slow ? 4 : 3, bytes);
    return bytes_of_all(op, bytes);
}

bool pytorch_gigabytes(const struct pytorch_event *event, double *gigabytes, bool *whole,
                       struct pytorch_error *error)
{
    struct op op = {event, op_named(event->name), error};
    int64_t bytes = 0;
    *whole = !event->dims.bytes || !event->types.bytes;
    bool good = *whole || bytes_of_op(&op, &bytes);
    *gigabytes = (double)bytes / 1e9;
    return good;
}
