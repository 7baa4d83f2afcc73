/* compat_op.c - see compat_op.h. */
#include "compat_op.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void compat_op_say(const struct compat_op *op, const char *format, ...)
{
    struct compat_error *error = op->error;
    int shown = op->event->name.size > 100 ? 100 : (int)op->event->name.size;
    int size =
        snprintf(error->message, sizeof error->message, "%.*s: ", shown, op->event->name.bytes);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message + size, sizeof error->message - (size_t)size, format, arguments);
    va_end(arguments);
}

static bool too_large(const struct compat_op *op)
{
    return compat_op_fail(op, "more than 63 bits");
}

static bool has(struct text text, const char *literal)
{
    return memmem(text.bytes, text.size, literal, strlen(literal)) != NULL;
}

static struct text literal(const char *text)
{
    return (struct text){text, strlen(text)};
}

/* Empty: no operator is known by the name. "baddbmm" has "bmm" in it, so it is never found. */
struct text compat_op_named(struct text name)
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

bool compat_op_shape(const struct compat_op *op, uint32_t index, struct compat_shape *shape)
{
    struct text item;
    if (!compat_list_item(op->event->dims, index, &item))
        return compat_op_fail(op, "IndexError: list index out of range");
    return compat_shape_read(item, shape) ||
           compat_op_fail(op, "TypeError: input %u has no sizes", index);
}

bool compat_op_shape_of(const struct compat_op *op, uint32_t index, uint32_t wanted,
                        struct compat_shape *shape)
{
    if (!compat_op_shape(op, index, shape))
        return false;
    if (shape->count < wanted)
        return compat_op_fail(op, "ValueError: not enough values to unpack (expected %u, got %u)",
                              wanted, shape->count);
    return shape->count == wanted ||
           compat_op_fail(op, "ValueError: too many values to unpack (expected %u)", wanted);
}

bool compat_op_multiply(const struct compat_op *op, int64_t *product, int64_t factor)
{
    return !__builtin_mul_overflow(*product, factor, product) || too_large(op);
}

bool compat_op_add(const struct compat_op *op, int64_t *sum, int64_t more)
{
    return !__builtin_add_overflow(*sum, more, sum) || too_large(op);
}

/* Python's: towards the smaller number. */
static int64_t divide_down(int64_t number, int64_t by)
{
    return number / by - (number % by != 0 && (number % by < 0) != (by < 0));
}

static bool read_strides(const struct compat_op *op, uint32_t value, struct compat_shape *strides)
{
    struct text item, body;
    if (!compat_list_item(op->event->values, value, &item))
        return compat_op_fail(op, "IndexError: list index out of range");
    if (!compat_string(item, &body))
        return compat_op_fail(op, "AttributeError: 'list' object has no attribute 'replace'");
    return compat_numbers(body, strides) ||
           compat_op_fail(op, "ValueError: invalid literal for int() with base 10: %.*s",
                          (int)item.size, item.bytes);
}

/* What goes along which directions: input, weights and strides, up to the shortest. */
bool compat_op_outputs(const struct compat_op *op, uint32_t stride_value,
                       const struct compat_shape *x, const struct compat_shape *w,
                       struct compat_shape *out)
{
    struct compat_shape strides;
    if (!read_strides(op, stride_value, &strides))
        return false;
    if (x->count == 0 || w->count == 0)
        return compat_op_fail(op, "IndexError: list index out of range");
    out->at[0] = x->at[0];
    out->at[1] = w->at[0];
    out->count = 2;
    for (uint32_t i = 0; i < strides.count && i + 2 < x->count && i + 2 < w->count; i++) {
        if (strides.at[i] == 0)
            return compat_op_fail(op, "ZeroDivisionError: integer division or modulo by zero");
        out->at[out->count++] = divide_down(x->at[i + 2] - w->at[i + 2], strides.at[i]) + 1;
    }
    return true;
}
