/* compat_bytes.c - gigabytes; see compat_work.h. */
#include "compat_op.h"

#include <inttypes.h>

/* One size of an input. */
static bool size_at(const struct compat_op *op, uint32_t input, uint32_t index, int64_t *size)
{
    struct compat_shape shape;
    *size = 0;
    if (!compat_op_shape(op, input, &shape))
        return false;
    if (index >= shape.count)
        return compat_op_fail(op, "IndexError: list index out of range");
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
    if (compat_string(type, &name))
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
            if (text_is(name, types[i].name))
                return types[i].bytes;
    return 1;
}

static bool type_bytes_at(const struct compat_op *op, uint32_t input, int64_t *bytes)
{
    struct text type;
    *bytes = 0;
    if (!compat_list_item(op->event->types, input, &type))
        return compat_op_fail(op, "IndexError: list index out of range");
    *bytes = bytes_of_type(type);
    return true;
}

static bool bytes_of_input(const struct compat_op *op, struct text dims, struct text type,
                           int64_t *bytes)
{
    if (!compat_list_product(dims, bytes))
        return compat_op_fail(op, "TypeError: sizes that are no whole numbers, or too large");
    return compat_op_multiply(op, bytes, bytes_of_type(type));
}

/* The inputs, as far as there are both sizes and types. */
static bool bytes_of_all(const struct compat_op *op, int64_t *bytes)
{
    struct compat_list dims, types;
    struct text size, type;
    *bytes = 0;
    if (!compat_list_begin(&dims, op->event->dims) || !compat_list_begin(&types, op->event->types))
        return compat_op_fail(op, "TypeError: inputs that are no list");
    while (compat_list_next(&dims, &size) && compat_list_next(&types, &type)) {
        int64_t more;
        if (!bytes_of_input(op, size, type, &more) || !compat_op_add(op, bytes, more))
            return false;
    }
    return true;
}

/* 2 (MK + NK + MN) of elements. */
static bool bytes_mm(const struct compat_op *op, int64_t m, int64_t n, int64_t k, int64_t element,
                     int64_t *bytes)
{
    int64_t nk = n, mn = m;
    *bytes = m;
    return compat_op_multiply(op, bytes, k) && compat_op_multiply(op, &nk, k) &&
           compat_op_multiply(op, &mn, n) && compat_op_add(op, bytes, nk) &&
           compat_op_add(op, bytes, mn) && compat_op_multiply(op, bytes, 2) &&
           compat_op_multiply(op, bytes, element);
}

/* What is added, or taken for that. */
static bool add_first_input(const struct compat_op *op, int64_t *bytes)
{
    int64_t more, element = 0;
    struct text dims;
    if (!compat_list_item(op->event->dims, 0, &dims))
        return compat_op_fail(op, "IndexError: list index out of range");
    if (!compat_list_product(dims, &more))
        return compat_op_fail(op, "TypeError: sizes that are no whole numbers, or too large");
    return type_bytes_at(op, 0, &element) && compat_op_multiply(op, &more, element) &&
           compat_op_add(op, bytes, more);
}

/* Inputs `a` and `a` + 1 are the matrices. */
static bool bytes_of_mm(const struct compat_op *op, uint32_t a, int64_t *bytes)
{
    int64_t m, n = 0, k = 0, element = 0, inner = 0;
    if (!size_at(op, a, 0, &m) || !size_at(op, a, 1, &n) || !size_at(op, a + 1, 0, &inner))
        return false;
    if (n != inner)
        return compat_op_fail(op,
                              "AssertionError: Shape mismatch for %.*s: %" PRId64 " != %" PRId64,
                              (int)op->name.size, op->name.bytes, n, inner);
    return size_at(op, a + 1, 1, &k) && type_bytes_at(op, a, &element) &&
           bytes_mm(op, m, n, k, element, bytes);
}

static bool bytes_of_bmm(const struct compat_op *op, uint32_t a, int64_t *bytes)
{
    int64_t batches, m = 0, n = 0, k = 0, element = 0;
    return size_at(op, 0, 0, &batches) && size_at(op, a, 1, &m) && size_at(op, a, 2, &n) &&
           size_at(op, a + 1, 2, &k) && type_bytes_at(op, a, &element) &&
           bytes_mm(op, m, n, k, element, bytes) && compat_op_multiply(op, bytes, batches) &&
           add_first_input(op, bytes);
}

/* Elements, in truth. */
static bool bytes_of_convolution(const struct compat_op *op, uint32_t stride_value, int64_t *bytes)
{
    struct compat_shape x, w, out;
    if (!compat_op_shape(op, 0, &x) || !compat_op_shape(op, 1, &w) ||
        !compat_op_outputs(op, stride_value, &x, &w, &out))
        return false;
    if (out.count < 4 || w.count < 4 || x.count < 2)
        return compat_op_fail(op, "IndexError: list index out of range");
    int64_t weights = w.at[0];
    *bytes = x.at[1];
    for (uint32_t i = 0; i < 4; i++)
        if (!compat_op_multiply(op, bytes, out.at[i]) ||
            (i && !compat_op_multiply(op, &weights, w.at[i])))
            return false;
    return compat_op_multiply(op, bytes, w.at[2]) && compat_op_multiply(op, bytes, w.at[3]) &&
           compat_op_add(op, bytes, weights);
}

static bool bytes_of_op(const struct compat_op *op, int64_t *bytes)
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

bool compat_gigabytes(const struct compat_event *event, double *gigabytes, bool *whole,
                      struct compat_error *error)
{
    struct compat_op op = {event, compat_op_named(event->name), error};
    int64_t bytes = 0;
    *whole = !event->dims.bytes || !event->types.bytes;
    bool good = *whole || bytes_of_op(&op, &bytes);
    *gigabytes = (double)bytes / 1e9;
    return good;
}
