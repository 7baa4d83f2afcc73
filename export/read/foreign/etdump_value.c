/* etdump_value.c - a logged value: a number, a tensor or a list of tensors. */
#include "etdump.h"

#include <stdlib.h>
#include <string.h>

enum { TENSOR_TYPE, TENSOR_SIZES, TENSOR_STRIDES, TENSOR_OFFSET };

struct tensors {
    struct read_tensor *at;
    uint32_t count;
};

/* Of one tensor in one piece: sizes, then strides. */
static int64_t *read_sizes(struct flat *flat, struct flat_vector sizes, struct flat_vector strides)
{
    int64_t *read = malloc(((size_t)sizes.count + strides.count + 1) * sizeof *read);
    for (uint32_t i = 0; i < sizes.count && read; i++)
        read[i] = flat_vector_i64(flat, sizes, i);
    for (uint32_t i = 0; i < strides.count && read; i++)
        read[sizes.count + i] = flat_vector_i64(flat, strides, i);
    return read;
}

static bool read_tensor(struct flat *flat, struct flat_table from, struct read_tensor *tensor)
{
    struct flat_vector sizes = flat_vector(flat, from, TENSOR_SIZES, 8);
    struct flat_vector strides = flat_vector(flat, from, TENSOR_STRIDES, 8);
    int64_t *kept = read_sizes(flat, sizes, strides);
    if (!kept)
        return false;
    *tensor = (struct read_tensor){.offset = (int64_t)flat_u64(flat, from, TENSOR_OFFSET),
                                   .type = flat_u8(flat, from, TENSOR_TYPE),
                                   .sizes = kept,
                                   .strides = kept + sizes.count,
                                   .size_count = sizes.count,
                                   .stride_count = strides.count};
    return true;
}

static bool read_list(struct flat *flat, struct flat_table list, struct tensors *tensors)
{
    struct flat_vector vector = flat_vector(flat, list, 0, 4);
    tensors->at = calloc((size_t)vector.count + 1, sizeof *tensors->at);
    bool kept = tensors->at != NULL;
    for (uint32_t i = 0; i < vector.count && kept && !flat->damage; i++) {
        kept = read_tensor(flat, flat_vector_table(flat, vector, i), &tensors->at[i]);
        tensors->count += kept;
    }
    return kept;
}

static bool read_one(struct flat *flat, struct flat_table from, struct tensors *tensors)
{
    tensors->at = calloc(1, sizeof *tensors->at);
    bool kept = tensors->at && read_tensor(flat, from, tensors->at);
    tensors->count = kept;
    return kept;
}

static bool read_tensors(struct flat *flat, struct flat_table value, enum read_value_kind kind,
                         struct tensors *tensors)
{
    if (kind == READ_VALUE_TENSOR)
        return read_one(flat, flat_table(flat, value, VALUE_TENSOR), tensors);
    if (kind == READ_VALUE_TENSORS)
        return read_list(flat, flat_table(flat, value, VALUE_TENSORS), tensors);
    return true;
}

static double float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static enum read_value_kind kind_of(uint8_t number)
{
    static const enum read_value_kind kinds[] = {
        READ_VALUE_NONE,   READ_VALUE_INT,    READ_VALUE_BOOL,    READ_VALUE_FLOAT,
        READ_VALUE_DOUBLE, READ_VALUE_TENSOR, READ_VALUE_TENSORS, READ_VALUE_NONE};
    return number < sizeof kinds / sizeof *kinds ? kinds[number] : READ_VALUE_NONE;
}

static void read_number(struct flat *flat, struct flat_table value, struct read_debug *debug)
{
    if (debug->kind == READ_VALUE_INT)
        debug->integer = (int64_t)flat_u64(flat, flat_table(flat, value, VALUE_INT), 0);
    if (debug->kind == READ_VALUE_BOOL)
        debug->integer = flat_u8(flat, flat_table(flat, value, VALUE_BOOL), 0) != 0;
    if (debug->kind == READ_VALUE_FLOAT)
        debug->real = float_of(flat_u32(flat, flat_table(flat, value, VALUE_FLOAT), 0));
    if (debug->kind == READ_VALUE_DOUBLE)
        debug->real = double_of(flat_u64(flat, flat_table(flat, value, VALUE_DOUBLE), 0));
}

bool etdump_value(struct flat *flat, struct flat_table value, struct read_debug *debug,
                  struct block_store *store)
{
    struct tensors tensors = {0};
    debug->kind = kind_of(flat_u8(flat, value, VALUE_KIND));
    debug->is_output = flat_u8(flat, flat_table(flat, value, VALUE_OUTPUT), 0) != 0;
    read_number(flat, value, debug);
    bool kept = read_tensors(flat, value, debug->kind, &tensors);
    debug->tensors = tensors.at;
    debug->tensor_count = tensors.count;
    if (kept && !flat->damage)
        block_store_debug(store, debug);
    for (uint32_t i = 0; i < tensors.count; i++)
        free((void *)tensors.at[i].sizes);
    free(tensors.at);
    return kept;
}
