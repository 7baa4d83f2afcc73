/* flat_table.h - tables of a FlatBuffer, read without its schema's code; every reference is
 * checked.
 *
 *     table    i32 distance back to its vtable, then fields
 *     vtable   u16 its size, u16 the table's size, u16 per field: where it is in the table, 0
 *              absent
 *     string, vector   u32 count, then the elements; a reference to one is a u32 distance forward
 *
 * All little-endian. A field that is absent has its default. The first damage is remembered, with
 * its offset; from there on everything is absent. Hostile files refer to the same bytes again and
 * again: so what can be read in all is limited by the size of the file.
 */
#ifndef PROF_FLAT_TABLE_H
#define PROF_FLAT_TABLE_H

#include "read.h"

struct flat {
    const uint8_t *bytes;
    size_t size;
    uint64_t elements_left; /* of vectors of references and numbers */
    uint64_t text_left;     /* bytes of strings */
    const char *damage;     /* NULL: none so far */
    size_t damage_at;
};

/* The bytes are borrowed. */
void flat_init(struct flat *flat, const void *bytes, size_t size);

struct flat_table {
    size_t at; /* 0: absent */
    size_t vtable;
    uint32_t fields, bytes;
};

struct flat_vector {
    size_t at;
    uint32_t count;
};

/* The table that the reference at `at` points to. */
struct flat_table flat_root(struct flat *flat, size_t at);

int64_t flat_i32(struct flat *flat, struct flat_table table, unsigned field, int32_t absent);
uint64_t flat_u64(struct flat *flat, struct flat_table table, unsigned field);
uint32_t flat_u32(struct flat *flat, struct flat_table table, unsigned field);
uint8_t flat_u8(struct flat *flat, struct flat_table table, unsigned field);
struct flat_table flat_table(struct flat *flat, struct flat_table table, unsigned field);
/* `bytes` is NULL when absent. A vector of bytes is read so, too. */
struct text flat_text(struct flat *flat, struct flat_table table, unsigned field);
/* Elements of `width` bytes, all within the file. */
struct flat_vector flat_vector(struct flat *flat, struct flat_table table, unsigned field,
                               unsigned width);
struct flat_table flat_vector_table(struct flat *flat, struct flat_vector vector, uint32_t index);
int64_t flat_vector_i64(const struct flat *flat, struct flat_vector vector, uint32_t index);

#endif
