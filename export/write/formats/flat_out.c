/* flat_out.c - see flat_out.h. */
#include "flat_out.h"

/* Appends zeros; returns their place. */
static size_t add_zeros(struct flat_out *out, size_t size)
{
    size_t at = out->bytes.size;
    char *to = text_out_room(&out->bytes, size);
    if (!to)
        return 0;
    memset(to, 0, size);
    out->bytes.size += size;
    return at;
}

/* Until what comes `ahead` bytes behind the end is aligned. */
static void align_end(struct flat_out *out, size_t ahead, size_t align)
{
    size_t over = (out->bytes.size + ahead) % align;
    if (over)
        add_zeros(out, align - over);
}

size_t flat_out_begin(struct flat_out *out)
{
    out->bytes.size = 0;
    return add_zeros(out, 4);
}

void flat_out_put(struct flat_out *out, size_t at, uint64_t value, unsigned width)
{
    if (out->bytes.failed || at + width > out->bytes.size)
        return;
    for (unsigned i = 0; i < width; i++)
        out->bytes.bytes[at + i] = (char)(value >> 8 * i & 0xff);
}

static uint64_t get_16(const struct flat_out *out, size_t at)
{
    const unsigned char *bytes = (const unsigned char *)out->bytes.bytes + at;
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8;
}

/* The vtable (its size, the table's, where each field is) stands right before its table, which begins with the
 * distance back to it. */
size_t flat_out_table(struct flat_out *out, const uint8_t *widths, unsigned count)
{
    size_t vtable_bytes = 4 + 2 * (size_t)count, used = 4;
    align_end(out, vtable_bytes, 8);
    size_t vtable = add_zeros(out, vtable_bytes), table = add_zeros(out, 4);
    for (unsigned i = 0; i < count; i++) {
        if (!widths[i])
            continue;
        align_end(out, 0, widths[i]);
        used = add_zeros(out, widths[i]) - table;
        flat_out_put(out, vtable + 4 + 2 * (size_t)i, used, 2);
        used += widths[i];
    }
    flat_out_put(out, vtable, vtable_bytes, 2);
    flat_out_put(out, vtable + 2, used, 2);
    flat_out_put(out, table, table - vtable, 4);
    return table;
}

size_t flat_out_field(const struct flat_out *out, size_t table, unsigned field)
{
    if (out->bytes.failed)
        return 0;
    size_t vtable = table - (size_t)get_16(out, table);
    return table + (size_t)get_16(out, vtable + 4 + 2 * (size_t)field);
}

void flat_out_point(struct flat_out *out, size_t at, size_t target)
{
    flat_out_put(out, at, target - at, 4);
}

size_t flat_out_string(struct flat_out *out, const char *string)
{
    size_t size = strlen(string);
    align_end(out, 0, 4);
    size_t at = add_zeros(out, 4);
    flat_out_put(out, at, size, 4);
    text_out_bytes(&out->bytes, string, size + 1);
    return at;
}

size_t flat_out_vector(struct flat_out *out, uint32_t count, size_t item_bytes, unsigned align)
{
    align_end(out, 4, align < 4 ? 4 : align);
    size_t at = add_zeros(out, 4);
    add_zeros(out, count * item_bytes);
    flat_out_put(out, at, count, 4);
    return at;
}
