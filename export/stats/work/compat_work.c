/* compat_work.c - FLOPs; see compat_work.h. */
#include "compat_op.h"

#include <inttypes.h>

static bool multiply_rest(const struct compat_op *op, int64_t *product,
                          const struct compat_shape *shape)
{
    bool good = true;
    for (uint32_t i = 2; i < shape->count && good; i++)
        good = compat_op_multiply(op, product, shape->at[i]);
    return good;
}

/* ---- FLOPs of products of matrices ---- */

/* 2 b m k n */
static bool flop_product(const struct compat_op *op, int64_t b, int64_t m, int64_t k, int64_t n,
                         int64_t *flop)
{
    *flop = 2;
    return compat_op_multiply(op, flop, b) && compat_op_multiply(op, flop, m) &&
           compat_op_multiply(op, flop, k) && compat_op_multiply(op, flop, n);
}

static bool flop_mm(const struct compat_op *op, uint32_t first, int64_t *flop)
{
    struct compat_shape a, b;
    if (!compat_op_shape_of(op, first, 2, &a) || !compat_op_shape_of(op, first + 1, 2, &b))
        return false;
    if (a.at[1] != b.at[0])
        return compat_op_fail(
            op,
            "AssertionError: matmul: inner dimensions must match (k == k2), got %" PRId64
            " and %" PRId64,
            a.at[1], b.at[0]);
    return flop_product(op, 1, a.at[0], a.at[1], b.at[1], flop);
}

static bool flop_bmm(const struct compat_op *op, uint32_t first, int64_t *flop)
{
    struct compat_shape a, b;
    if (!compat_op_shape_of(op, first, 3, &a) || !compat_op_shape_of(op, first + 1, 3, &b))
        return false;
    if (a.at[0] != b.at[0])
        return compat_op_fail(
            op,
            "AssertionError: bmm: batch dimensions must match (b == b2), got %" PRId64
            " and %" PRId64,
            a.at[0], b.at[0]);
    if (a.at[2] != b.at[1])
        return compat_op_fail(
            op,
            "AssertionError: bmm: inner dimensions must match (k == k2), got %" PRId64
            " and %" PRId64,
            a.at[2], b.at[1]);
    return flop_product(op, a.at[0], a.at[1], a.at[2], b.at[2], flop);
}

static bool flop_mm_first(const struct compat_op *op, int64_t *flop)
{
    return flop_mm(op, 0, flop);
}

static bool flop_mm_second(const struct compat_op *op, int64_t *flop)
{
    return flop_mm(op, 1, flop);
}

static bool flop_bmm_first(const struct compat_op *op, int64_t *flop)
{
    return flop_bmm(op, 0, flop);
}

static bool flop_bmm_second(const struct compat_op *op, int64_t *flop)
{
    return flop_bmm(op, 1, flop);
}

/* ---- FLOPs of scaled dot products ---- */

struct attention {
    int64_t heads; /* of all batches */
    int64_t queries, keys, size, value_size;
};

static bool read_attention(const struct compat_op *op, uint32_t first, struct attention *attention)
{
    struct compat_shape q, k, v;
    if (!compat_op_shape_of(op, first, 4, &q) || !compat_op_shape_of(op, first + 1, 4, &k) ||
        !compat_op_shape_of(op, first + 2, 4, &v))
        return false;
    bool fits = q.at[0] == k.at[0] && k.at[0] == v.at[0] && k.at[1] == v.at[1] &&
                k.at[2] == v.at[2] && q.at[3] == k.at[3];
    if (!fits || q.at[1] < k.at[1] || k.at[1] == 0 || q.at[1] % k.at[1])
        return compat_op_fail(op, "AssertionError: query, key and value shapes are incompatible");
    *attention = (struct attention){q.at[0], q.at[2], k.at[2], q.at[3], v.at[3]};
    return compat_op_multiply(op, &attention->heads, q.at[1]);
}

static bool flop_attention_parts(const struct compat_op *op, const struct attention *at,
                                 int64_t products, int64_t value_products, int64_t *flop)
{
    int64_t more;
    if (!flop_product(op, at->heads, at->queries, at->size, at->keys, flop) ||
        !flop_product(op, at->heads, at->queries, at->keys, at->value_size, &more))
        return false;
    return compat_op_multiply(op, flop, products) &&
           compat_op_multiply(op, &more, value_products) && compat_op_add(op, flop, more);
}

static bool flop_attention(const struct compat_op *op, int64_t *flop)
{
    struct attention attention;
    return read_attention(op, 0, &attention) && flop_attention_parts(op, &attention, 1, 1, flop);
}

static bool flop_attention_backward(const struct compat_op *op, int64_t *flop)
{
    struct attention attention;
    struct compat_shape out, query;
    if (!compat_op_shape_of(op, 0, 4, &out) || !read_attention(op, 1, &attention) ||
        !compat_op_shape_of(op, 1, 4, &query))
        return false;
    if (out.at[0] != query.at[0] || out.at[1] != query.at[1] || out.at[2] != query.at[2] ||
        out.at[3] != attention.value_size)
        return compat_op_fail(op,
                              "AssertionError: grad_out/value/key/query shapes are incompatible");
    return flop_attention_parts(op, &attention, 3, 2, flop);
}

/* ---- convolutions ---- */

static bool flop_of_shapes(const struct compat_op *op, const struct compat_shape *x,
                           const struct compat_shape *w, const struct compat_shape *along,
                           int64_t *flop)
{
    *flop = 2;
    if (x->count == 0)
        return compat_op_fail(op, "IndexError: list index out of range");
    if (w->count < 2)
        return compat_op_fail(
            op, "ValueError: not enough values to unpack (expected at least 2, got %u)", w->count);
    return multiply_rest(op, flop, along) && multiply_rest(op, flop, w) &&
           compat_op_multiply(op, flop, x->at[0]) && compat_op_multiply(op, flop, w->at[0]) &&
           compat_op_multiply(op, flop, w->at[1]);
}

/* It takes the sizes of the argument "transposed" for its value: a Scalar has none, so it is false. */
static bool is_transposed(const struct compat_op *op)
{
    struct text item;
    return compat_list_item(op->event->dims, 6, &item) && compat_list_count(item) > 0;
}

static bool flop_of_inputs(const struct compat_op *op, uint32_t inputs, uint32_t stride_value,
                           bool transposed, int64_t *flop)
{
    struct compat_shape x, w, out;
    *flop = 0;
    if (inputs == 5 || inputs == 6)
        return true; /* "wrong number of inputs": a warning there */
    if (!compat_op_shape(op, 0, &x) || !compat_op_shape(op, 1, &w))
        return false;
    if (!transposed && !compat_op_outputs(op, stride_value, &x, &w, &out))
        return false;
    if (inputs < 7)
        return compat_op_fail(op, "TypeError: conv_flop() is missing arguments");
    return flop_of_shapes(op, &x, &w, transposed ? &x : &out, flop);
}

static bool flop_convolution(const struct compat_op *op, int64_t *flop)
{
    uint32_t inputs = compat_list_count(op->event->dims);
    return flop_of_inputs(op, inputs, 3, inputs > 6 && is_transposed(op), flop);
}

/* It lacks the argument "transposed": one is put behind its inputs. */
static bool flop_slow_convolution(const struct compat_op *op, int64_t *flop)
{
    *flop = 0;
    if (compat_list_count(op->event->values) < 5)
        return true;
    uint32_t inputs = compat_list_count(op->event->dims);
    return flop_of_inputs(op, inputs + 1, 4, inputs > 6 && is_transposed(op), flop);
}

/* It looks up in the sizes of an argument of three truths which gradients were wanted. */
static bool flop_convolution_backward(const struct compat_op *op, int64_t *flop)
{
    (void)flop;
    return compat_op_fail(op, "IndexError: list index out of range");
}

/* These formulas want tensors, and a trace has lists. */
static bool flop_of_tensors(const struct compat_op *op, int64_t *flop)
{
    (void)flop;
    return compat_op_fail(op, "AttributeError: 'list' object has no attribute 'shape'");
}

static const struct {
    const char *name;
    bool (*flop)(const struct compat_op *op, int64_t *flop);
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

bool compat_flop(const struct compat_event *event, int64_t *flop, struct compat_error *error)
{
    struct compat_op op = {event, compat_op_named(event->name), error};
    *flop = 0;
    if (!op.name.size || !event->dims.bytes || !event->values.bytes)
        return true;
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
        if (text_is(op.name, formulas[i].name))
            return formulas[i].flop(&op, flop);
    return true;
}
