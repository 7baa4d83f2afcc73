/* flat_table.c - see flat_table.h. */
#include "flat_table.h"

#define VTABLE_HEADER_BYTES 4u
#define TEXT_SHARE 64u /* how often each byte may be read as text, on average */

void flat_init(struct flat *flat, const void *bytes, size_t size)
{
    *flat = (struct flat){
        .bytes = bytes, .size = size, .elements_left = size / 4, .text_left = size * TEXT_SHARE};
}

static uint64_t number(const struct flat *flat, size_t at, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = width; i > 0; i--)
        value = value << 8 | flat->bytes[at + i - 1];
    return value;
}

static bool damaged(struct flat *flat, size_t at, const char *what)
{
    if (!flat->damage) {
        flat->damage = what;
        flat->damage_at = at;
    }
    return false;
}

static bool is_within(struct flat *flat, size_t at, uint64_t bytes, const char *what)
{
    if (flat->damage)
        return false;
    return (at <= flat->size && bytes <= flat->size - at) || damaged(flat, at, what);
}

/* Follows the reference at `at`; 0: damaged. */
static size_t follow(struct flat *flat, size_t at)
{
    if (!is_within(flat, at, 4, "a reference lies outside of the file"))
        return 0;
    uint64_t distance = number(flat, at, 4);
    if (distance == 0 || distance >= flat->size - at) {
        damaged(flat, at, "a reference points outside of the file");
        return 0;
    }
    return at + (size_t)distance;
}

static bool find_vtable(struct flat *flat, struct flat_table *table)
{
    if (!is_within(flat, table->at, 4, "a table is cut"))
        return false;
    int64_t vtable = (int64_t)table->at - (int32_t)number(flat, table->at, 4);
    if (vtable < 0 || (uint64_t)vtable >= flat->size)
        return damaged(flat, table->at, "a table's layout lies outside of the file");
    table->vtable = (size_t)vtable;
    if (!is_within(flat, table->vtable, VTABLE_HEADER_BYTES, "a table's layout is cut"))
        return false;
    uint32_t bytes = (uint32_t)number(flat, table->vtable, 2);
    table->bytes = (uint32_t)number(flat, table->vtable + 2, 2);
    if (bytes < VTABLE_HEADER_BYTES)
        return damaged(flat, table->vtable, "a table's layout is too short");
    table->fields = (bytes - VTABLE_HEADER_BYTES) / 2;
    return is_within(flat, table->vtable, bytes, "a table's layout is cut") &&
           is_within(flat, table->at, table->bytes, "a table is cut");
}

static struct flat_table table_at(struct flat *flat, size_t at)
{
    struct flat_table table = {.at = at};
    return at && find_vtable(flat, &table) ? table : (struct flat_table){0};
}

struct flat_table flat_root(struct flat *flat, size_t at)
{
    return table_at(flat, follow(flat, at));
}

/* Where the field is; 0: absent. */
static size_t field_at(struct flat *flat, struct flat_table table, unsigned field, unsigned width)
{
    if (flat->damage || table.at == 0 || field >= table.fields)
        return 0;
    uint32_t within = (uint32_t)number(flat, table.vtable + VTABLE_HEADER_BYTES + 2 * field, 2);
    if (within == 0)
        return 0;
    if (within + width > table.bytes) {
        damaged(flat, table.at, "a field lies outside of its table");
        return 0;
    }
    return table.at + within;
}

static uint64_t field_number(struct flat *flat, struct flat_table table, unsigned field,
                             unsigned width, uint64_t absent)
{
    size_t at = field_at(flat, table, field, width);
    return at ? number(flat, at, width) : absent;
}

int64_t flat_i32(struct flat *flat, struct flat_table table, unsigned field, int32_t absent)
{
    return (int32_t)(uint32_t)field_number(flat, table, field, 4, (uint32_t)absent);
}

uint32_t flat_u32(struct flat *flat, struct flat_table table, unsigned field)
{
    return (uint32_t)field_number(flat, table, field, 4, 0);
}

uint64_t flat_u64(struct flat *flat, struct flat_table table, unsigned field)
{
    return field_number(flat, table, field, 8, 0);
}

uint8_t flat_u8(struct flat *flat, struct flat_table table, unsigned field)
{
    return (uint8_t)field_number(flat, table, field, 1, 0);
}

struct flat_table flat_table(struct flat *flat, struct flat_table table, unsigned field)
{
    size_t at = field_at(flat, table, field, 4);
    return at ? flat_root(flat, at) : (struct flat_table){0};
}

static struct flat_vector counted(struct flat *flat, struct flat_table table, unsigned field,
                                  unsigned width)
{
    size_t field_place = field_at(flat, table, field, 4);
    size_t at = field_place ? follow(flat, field_place) : 0;
    if (!at || !is_within(flat, at, 4, "a vector is cut"))
        return (struct flat_vector){0};
    uint32_t count = (uint32_t)number(flat, at, 4);
    if (!is_within(flat, at + 4, (uint64_t)count * width, "a vector is cut"))
        return (struct flat_vector){0};
    return (struct flat_vector){at + 4, count};
}

struct text flat_text(struct flat *flat, struct flat_table table, unsigned field)
{
    struct flat_vector vector = counted(flat, table, field, 1);
    if (vector.count > flat->text_left) {
        damaged(flat, vector.at, "the same text is referred to too often");
        return (struct text){NULL, 0};
    }
    flat->text_left -= vector.count;
    return (struct text){vector.at ? (const char *)flat->bytes + vector.at : NULL, vector.count};
}

struct flat_vector flat_vector(struct flat *flat, struct flat_table table, unsigned field,
                               unsigned width)
{
    struct flat_vector vector = counted(flat, table, field, width);
    if (vector.count <= flat->elements_left) {
        flat->elements_left -= vector.count;
        return vector;
    }
    damaged(flat, vector.at, "the same elements are referred to too often");
    return (struct flat_vector){0};
}

struct flat_table flat_vector_table(struct flat *flat, struct flat_vector vector, uint32_t index)
{
    return flat->damage ? (struct flat_table){0} : flat_root(flat, vector.at + (size_t)index * 4);
}

int64_t flat_vector_i64(const struct flat *flat, struct flat_vector vector, uint32_t index)
{
    return (int64_t)number(flat, vector.at + (size_t)index * 8, 8);
}
