/* flat_out.h - FlatBuffers, written from the front to the back: what refers to something stands before it.
 *
 *     size_t table = flat_out_table(&out, (const uint8_t[]){4, 2}, 2);   // a reference and 16 bits
 *     flat_out_put(&out, flat_out_field(&out, table, 1), 7, 2);
 *     flat_out_point(&out, flat_out_field(&out, table, 0), flat_out_string(&out, text));
 *
 * Everything is aligned as its width wants it, counted from the buffer's first byte; the buffer begins with a
 * reference to its root table (flatbuffers.dev, "FlatBuffers internals"). After a failure all calls are harmless
 * and `out.bytes.failed` tells.
 */
#ifndef PROF_FLAT_OUT_H
#define PROF_FLAT_OUT_H

#include "text_out.h"

#ifdef __cplusplus
extern "C" {
#endif

struct flat_out {
    struct text_out bytes;
};

/* Begins a buffer: the place of its reference to the root. What was there before is forgotten. */
size_t flat_out_begin(struct flat_out *out);

/* A table whose fields have these widths, 0: is not there. All are 0. Returns its place. */
size_t flat_out_table(struct flat_out *out, const uint8_t *widths, unsigned count);

/* The place of a field that is there. */
size_t flat_out_field(const struct flat_out *out, size_t table, unsigned field);

/* Little endian. */
void flat_out_put(struct flat_out *out, size_t at, uint64_t value, unsigned width);

/* A reference to what stands further back. */
void flat_out_point(struct flat_out *out, size_t at, size_t target);

/* NUL-terminated beside its size. */
size_t flat_out_string(struct flat_out *out, const char *string);

/* Items of that size, all 0, aligned by 4 or 8. Returns the vector's place; an item's follows from it. */
size_t flat_out_vector(struct flat_out *out, uint32_t count, size_t item_bytes, unsigned align);
static inline size_t flat_out_item(size_t vector, uint32_t index, size_t item_bytes)
{
    return vector + 4 + index * item_bytes;
}

#ifdef __cplusplus
}
#endif
#endif
