/* tensor_compare.c - see tensor_compare.h. */
#include "tensor_compare.h"

#include "array.h"
#include "maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_SHARE 64u /* how often each byte of the buffers may be read, on average */
#define DIMENSIONS_MAX 64u

/* ---- elements ---- */

enum {
    TYPE_BYTE = 0,
    TYPE_CHAR = 1,
    TYPE_SHORT = 2,
    TYPE_INT = 3,
    TYPE_LONG = 4,
    TYPE_HALF = 5,
    TYPE_FLOAT = 6,
    TYPE_DOUBLE = 7,
    TYPE_BOOL = 11,
    TYPE_BFLOAT16 = 15,
    TYPE_BITS16 = 22,
    TYPE_UINT16 = 27,
    TYPE_UINT32 = 28,
    TYPE_UINT64 = 29
};

unsigned scalar_type_bytes(uint32_t type)
{
    switch (type) {
    case TYPE_BYTE:
    case TYPE_CHAR:
    case TYPE_BOOL:
        return 1;
    case TYPE_SHORT:
    case TYPE_HALF:
    case TYPE_BFLOAT16:
    case TYPE_BITS16:
    case TYPE_UINT16:
        return 2;
    case TYPE_INT:
    case TYPE_FLOAT:
    case TYPE_UINT32:
        return 4;
    case TYPE_LONG:
    case TYPE_DOUBLE:
    case TYPE_UINT64:
        return 8;
    default:
        return 0;
    }
}

static double float_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double double_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Sign, 5 bits of exponent, 10 of fraction. */
static double half_bits(uint32_t bits)
{
    uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023, sign = bits >> 15 << 31;
    if (exponent == 31)
        return float_bits(sign | 0x7f800000u | fraction << 13);
    if (exponent)
        return float_bits(sign | (exponent + 112) << 23 | fraction << 13);
    double value = (double)fraction / (1 << 24);
    return sign ? -value : value;
}

double scalar_value(uint32_t type, const uint8_t *at)
{
    uint64_t bits = 0;
    for (unsigned i = scalar_type_bytes(type); i > 0; i--)
        bits = bits << 8 | at[i - 1];
    switch (type) {
    case TYPE_CHAR:
        return (int8_t)bits;
    case TYPE_SHORT:
        return (int16_t)bits;
    case TYPE_INT:
        return (int32_t)bits;
    case TYPE_LONG:
        return (double)(int64_t)bits;
    case TYPE_HALF:
        return half_bits((uint32_t)bits);
    case TYPE_BFLOAT16:
        return float_bits((uint32_t)bits << 16);
    case TYPE_FLOAT:
        return float_bits((uint32_t)bits);
    case TYPE_DOUBLE:
        return double_bits(bits);
    case TYPE_BOOL:
        return bits != 0;
    default:
        return (double)bits;
    }
}

/* ---- tensors ---- */

/* A tensor's elements in the order of its sizes, whatever their order in memory. */
struct elements {
    const uint8_t *base;
    const int64_t *sizes, *strides; /* strides NULL: one after the other */
    uint64_t count;
    uint32_t dimensions, type;
    unsigned width;
};

static bool count_elements(const int64_t *sizes, uint32_t dimensions, uint64_t *count)
{
    *count = 1;
    for (uint32_t i = 0; i < dimensions; i++)
        if (sizes[i] < 0 || __builtin_mul_overflow(*count, (uint64_t)sizes[i], count))
            return false;
    return true;
}

/* Strides count when every element that they lead to is within the tensor. */
static bool strides_hold(const struct elements *elements, const int64_t *strides)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < elements->dimensions; i++) {
        uint64_t reach;
        if (strides[i] < 0 ||
            __builtin_mul_overflow((uint64_t)strides[i], (uint64_t)elements->sizes[i] - 1,
                                   &reach) ||
            __builtin_add_overflow(last, reach, &last))
            return false;
    }
    return last < elements->count;
}

static enum compare_problem find_elements(const struct compare_side *side,
                                          const struct tl_tensor *tensor, struct elements *elements)
{
    const int64_t *sizes = side->timeline->tensor_sizes.at;
    *elements = (struct elements){.sizes = sizes ? sizes + tensor->first_size : NULL,
                                  .dimensions = tensor->size_count,
                                  .type = tensor->type,
                                  .width = scalar_type_bytes(tensor->type)};
    if (elements->width == 0)
        return COMPARE_TYPE;
    if (tensor->size_count > DIMENSIONS_MAX ||
        !count_elements(elements->sizes, tensor->size_count, &elements->count))
        return COMPARE_SHAPE;
    if (elements->count == 0)
        return COMPARE_OK;
    if (!side->buffer)
        return COMPARE_NO_BUFFER;
    if (tensor->offset < 0 || (uint64_t)tensor->offset > side->size ||
        elements->count > (side->size - (uint64_t)tensor->offset) / elements->width)
        return COMPARE_OUTSIDE;
    elements->base = side->buffer + tensor->offset;
    if (tensor->stride_count == tensor->size_count &&
        strides_hold(elements, sizes + tensor->first_stride))
        elements->strides = sizes + tensor->first_stride;
    return COMPARE_OK;
}

static bool same_shape(const struct elements *a, const struct elements *b)
{
    if (a->dimensions != b->dimensions)
        return false;
    for (uint32_t i = 0; i < a->dimensions; i++)
        if (a->sizes[i] != b->sizes[i])
            return false;
    return true;
}

/* Walks over a tensor: at[] is the index of the next element. */
struct cursor {
    const struct elements *elements;
    int64_t at[DIMENSIONS_MAX];
    uint64_t place;
};

static double next_value(struct cursor *cursor)
{
    const struct elements *elements = cursor->elements;
    double value = scalar_value(elements->type, elements->base + cursor->place * elements->width);
    if (!elements->strides) {
        cursor->place++;
        return isnan(value) ? 0 : value;
    }
    for (uint32_t i = elements->dimensions; i > 0; i--) {
        cursor->place += (uint64_t)elements->strides[i - 1];
        if (++cursor->at[i - 1] < elements->sizes[i - 1])
            break;
        cursor->place -= (uint64_t)elements->strides[i - 1] * (uint64_t)elements->sizes[i - 1];
        cursor->at[i - 1] = 0;
    }
    return isnan(value) ? 0 : value;
}

/* ---- metrics ---- */

struct sums {
    uint64_t count;
    double squares_a, squares_b, product, error_squares, error_sum;
};

static void add_pair(struct sums *sums, double a, double b)
{
    sums->count++;
    sums->squares_a += a * a;
    sums->squares_b += b * b;
    sums->product += a * b;
    sums->error_squares += (a - b) * (a - b);
    sums->error_sum += fabs(a - b);
}

static struct compare_metrics metrics_of(const struct sums *sums)
{
    double norms = sqrt(sums->squares_a) * sqrt(sums->squares_b);
    double count = (double)sums->count;
    return (struct compare_metrics){
        .elements = sums->count,
        .mse = sums->count ? sums->error_squares / count : (double)NAN,
        .l1 = sums->error_sum,
        .snr = sums->count == 0           ? (double)NAN
               : sums->error_squares == 0 ? (double)INFINITY
                                          : 10 * log10(sums->squares_a / sums->error_squares),
        .cosine = norms > 0 ? sums->product / norms : (double)NAN,
    };
}

struct comparison {
    const struct compare_side *reference, *run;
    struct compare_rows *rows;
    uint64_t bytes_left;
};

static enum compare_problem compare_tensors(struct comparison *comparison,
                                            const struct tl_tensor *a, const struct tl_tensor *b,
                                            struct compare_metrics *metrics)
{
    struct elements left, right;
    struct sums sums = {0};
    enum compare_problem problem = find_elements(comparison->reference, a, &left);
    if (problem == COMPARE_OK)
        problem = find_elements(comparison->run, b, &right);
    if (problem != COMPARE_OK)
        return problem;
    if (!same_shape(&left, &right))
        return COMPARE_SHAPE;
    uint64_t bytes = left.count * (left.width + right.width);
    if (bytes > comparison->bytes_left)
        return COMPARE_TOO_MUCH;
    comparison->bytes_left -= bytes;
    struct cursor from = {.elements = &left}, to = {.elements = &right};
    for (uint64_t i = 0; i < left.count; i++)
        add_pair(&sums, next_value(&from), next_value(&to));
    *metrics = metrics_of(&sums);
    return COMPARE_OK;
}

static bool is_number(const struct tl_debug *debug)
{
    return debug->kind == TL_VALUE_INT || debug->kind == TL_VALUE_BOOL ||
           debug->kind == TL_VALUE_FLOAT || debug->kind == TL_VALUE_DOUBLE;
}

static double number_of(const struct tl_debug *debug)
{
    double value = debug->kind == TL_VALUE_INT || debug->kind == TL_VALUE_BOOL
                       ? (double)debug->integer
                       : debug->real;
    return isnan(value) ? 0 : value;
}

static bool add_row(struct comparison *comparison, struct compare_row row)
{
    struct compare_row *added = ARRAY_ADD(&comparison->rows->rows);
    if (added)
        *added = row;
    return added != NULL;
}

static bool add_numbers(struct comparison *comparison, struct compare_row row,
                        const struct tl_debug *a, const struct tl_debug *b)
{
    struct sums sums = {0};
    add_pair(&sums, number_of(a), number_of(b));
    row.metrics = metrics_of(&sums);
    return add_row(comparison, row);
}

/* `a` NULL: there is none. */
static bool add_value(struct comparison *comparison, struct compare_row row,
                      const struct tl_debug *a, const struct tl_debug *b)
{
    bool numbers = a && is_number(a) && is_number(b), done = true;
    if (numbers)
        return add_numbers(comparison, row, a, b);
    if (!a || a->tensor_count != b->tensor_count || b->tensor_count == 0) {
        row.problem = a ? COMPARE_KIND : COMPARE_MISSING;
        return add_row(comparison, row);
    }
    for (uint32_t i = 0; i < b->tensor_count && done; i++) {
        row.part = i;
        row.problem = compare_tensors(
            comparison, &comparison->reference->timeline->tensors.at[a->first_tensor + i],
            &comparison->run->timeline->tensors.at[b->first_tensor + i], &row.metrics);
        done = add_row(comparison, row);
    }
    return done;
}

/* ---- pairs ---- */

static uint64_t mix_name(uint64_t hash, const struct timeline *timeline, uint32_t name)
{
    if (name == TL_NONE)
        return keymap_mix(hash, 1);
    struct text text = timeline->names.at[name];
    for (size_t i = 0; i < text.size; i++)
        hash = keymap_mix(hash, (uint8_t)text.bytes[i]);
    return keymap_mix(hash, text.size + 2);
}

static uint64_t hash_block(const struct timeline *timeline, const struct tl_block *block)
{
    return mix_name(keymap_mix(1, (uint32_t)block->input), timeline, block->name);
}

static uint64_t hash_debug(const struct timeline *timeline, const struct tl_debug *debug)
{
    uint64_t hash =
        keymap_mix(keymap_mix(keymap_mix(2, (uint64_t)debug->chain), (uint32_t)debug->instruction),
                   (uint32_t)debug->delegate | (uint64_t)debug->is_output << 32);
    return mix_name(mix_name(hash, timeline, debug->name), timeline, debug->delegate_name);
}

/* How often the key came so far; TL_NONE: no memory. */
static uint32_t occurrence(struct keymap *counts, uint64_t key)
{
    uint32_t count = keymap_find(counts, key);
    count = count == KEYMAP_NONE ? 0 : count;
    return keymap_set(counts, key, count + 1) ? count : TL_NONE;
}

/* The n-th of equal keys, for each n, to its index. */
static bool index_blocks(const struct timeline *timeline, struct keymap *index)
{
    struct keymap counts = {0};
    bool done = true;
    for (uint32_t i = 0; i < timeline->blocks.count && done; i++) {
        uint64_t key = hash_block(timeline, &timeline->blocks.at[i]);
        uint32_t number = occurrence(&counts, key);
        done = number != TL_NONE && keymap_set(index, keymap_mix(key, number), i);
    }
    keymap_fini(&counts);
    return done;
}

static bool index_debugs(const struct timeline *timeline, const struct tl_block *block,
                         struct keymap *index)
{
    struct keymap counts = {0};
    bool done = true;
    for (uint32_t i = 0; block && i < block->debug_count && done; i++) {
        uint64_t key = hash_debug(timeline, &timeline->debugs.at[block->first_debug + i]);
        uint32_t number = occurrence(&counts, key);
        done =
            number != TL_NONE && keymap_set(index, keymap_mix(key, number), block->first_debug + i);
    }
    keymap_fini(&counts);
    return done;
}

static bool compare_block(struct comparison *comparison, const struct tl_block *reference,
                          struct compare_row row)
{
    const struct timeline *left = comparison->reference->timeline,
                          *right = comparison->run->timeline;
    const struct tl_block *block = &right->blocks.at[row.block];
    struct keymap index = {0}, counts = {0};
    bool done = index_debugs(left, reference, &index);
    for (uint32_t i = 0; i < block->debug_count && done; i++) {
        row.debug = block->first_debug + i;
        const struct tl_debug *debug = &right->debugs.at[row.debug];
        uint64_t key = hash_debug(right, debug);
        uint32_t number = occurrence(&counts, key);
        uint32_t other =
            number == TL_NONE ? KEYMAP_NONE : keymap_find(&index, keymap_mix(key, number));
        done = number != TL_NONE &&
               add_value(comparison, row, other == KEYMAP_NONE ? NULL : &left->debugs.at[other],
                         debug);
    }
    keymap_fini(&index);
    keymap_fini(&counts);
    return done;
}

bool compare_rows_init(struct compare_rows *rows, const struct compare_side *reference,
                       const struct compare_side *run)
{
    struct comparison comparison = {.reference = reference, .run = run, .rows = rows};
    struct keymap index = {0}, counts = {0};
    comparison.bytes_left = ((uint64_t)reference->size + run->size) * BUFFER_SHARE;
    *rows = (struct compare_rows){0};
    bool done = index_blocks(reference->timeline, &index);
    for (uint32_t i = 0; i < run->timeline->blocks.count && done; i++) {
        uint64_t key = hash_block(run->timeline, &run->timeline->blocks.at[i]);
        uint32_t number = occurrence(&counts, key);
        uint32_t other =
            number == TL_NONE ? KEYMAP_NONE : keymap_find(&index, keymap_mix(key, number));
        struct compare_row row = {.block = i, .iteration = number};
        done = number != TL_NONE &&
               compare_block(&comparison,
                             other == KEYMAP_NONE ? NULL : &reference->timeline->blocks.at[other],
                             row);
    }
    keymap_fini(&index);
    keymap_fini(&counts);
    if (!done)
        compare_rows_fini(rows);
    return done;
}

void compare_rows_fini(struct compare_rows *rows)
{
    free(rows->rows.at);
    *rows = (struct compare_rows){0};
}

const char *compare_problem_text(enum compare_problem problem)
{
    static const char *const texts[] = {
        [COMPARE_OK] = "",
        [COMPARE_MISSING] = "not in the reference",
        [COMPARE_KIND] = "not a value of the same kind",
        [COMPARE_SHAPE] = "not of the same shape",
        [COMPARE_TYPE] = "elements of a type without numbers",
        [COMPARE_NO_BUFFER] = "its debug buffer was not given",
        [COMPARE_OUTSIDE] = "outside of the debug buffer",
        [COMPARE_TOO_MUCH] = "left out: tensors share too many bytes",
    };
    return texts[problem];
}
