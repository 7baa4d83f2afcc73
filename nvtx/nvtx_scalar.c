/* nvtx_scalar.c - single values of binary payloads, by NVTX's predefined types. */
#include "number.h"
#include "nvtx_payload.h"
#include "nvtx_record.h"

#include "arch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum nvtx_scalar_kind {
    NVTX_SCALAR_NONE,
    NVTX_SCALAR_SIGNED,
    NVTX_SCALAR_UNSIGNED,
    NVTX_SCALAR_HEX,
    NVTX_SCALAR_FLOAT,
    NVTX_SCALAR_FLOAT16,
    NVTX_SCALAR_BF16,
    NVTX_SCALAR_CHARACTER,
};

struct nvtx_scalar_type {
    uint8_t kind; /* enum nvtx_scalar_kind */
    uint8_t size;
};

#define SIGNED(type)                     \
    {                                    \
        NVTX_SCALAR_SIGNED, sizeof(type) \
    }
#define UNSIGNED(type)                     \
    {                                      \
        NVTX_SCALAR_UNSIGNED, sizeof(type) \
    }
#define FLOAT(type)                     \
    {                                   \
        NVTX_SCALAR_FLOAT, sizeof(type) \
    }
#define CHARACTER(type)                     \
    {                                       \
        NVTX_SCALAR_CHARACTER, sizeof(type) \
    }

/* Sizes are this platform's: the program is in the same process. */
static const struct nvtx_scalar_type nvtx_scalar_types[] = {
    [NVTX_TYPE_CHAR] = CHARACTER(char),
    [NVTX_TYPE_UCHAR] = UNSIGNED(unsigned char),
    [NVTX_TYPE_SHORT] = SIGNED(short),
    [NVTX_TYPE_USHORT] = UNSIGNED(unsigned short),
    [NVTX_TYPE_INT] = SIGNED(int),
    [NVTX_TYPE_UINT] = UNSIGNED(unsigned),
    [NVTX_TYPE_LONG] = SIGNED(long),
    [NVTX_TYPE_ULONG] = UNSIGNED(unsigned long),
    [NVTX_TYPE_LONGLONG] = SIGNED(long long),
    [NVTX_TYPE_ULONGLONG] = UNSIGNED(unsigned long long),
    [NVTX_TYPE_INT8] = SIGNED(int8_t),
    [NVTX_TYPE_UINT8] = UNSIGNED(uint8_t),
    [NVTX_TYPE_INT16] = SIGNED(int16_t),
    [NVTX_TYPE_UINT16] = UNSIGNED(uint16_t),
    [NVTX_TYPE_INT32] = SIGNED(int32_t),
    [NVTX_TYPE_UINT32] = UNSIGNED(uint32_t),
    [NVTX_TYPE_INT64] = SIGNED(int64_t),
    [NVTX_TYPE_UINT64] = UNSIGNED(uint64_t),
    [NVTX_TYPE_FLOAT] = FLOAT(float),
    [NVTX_TYPE_DOUBLE] = FLOAT(double),
    [NVTX_TYPE_LONGDOUBLE] = FLOAT(long double),
    [NVTX_TYPE_SIZE] = UNSIGNED(size_t),
    [NVTX_TYPE_ADDRESS] = {NVTX_SCALAR_HEX, sizeof(void *)},
    [NVTX_TYPE_WCHAR] = CHARACTER(wchar_t),
    [NVTX_TYPE_CHAR8] = CHARACTER(uint8_t),
    [NVTX_TYPE_CHAR16] = CHARACTER(uint16_t),
    [NVTX_TYPE_CHAR32] = CHARACTER(uint32_t),
    [NVTX_TYPE_BYTE] = UNSIGNED(uint8_t),
    [NVTX_TYPE_FLOAT16] = {NVTX_SCALAR_FLOAT16, 2},
    [NVTX_TYPE_FLOAT32] = FLOAT(float),
    [NVTX_TYPE_FLOAT64] = FLOAT(double),
    [NVTX_TYPE_BF16] = {NVTX_SCALAR_BF16, 2},
    [NVTX_TYPE_TF32] = FLOAT(float),
    [NVTX_TYPE_CATEGORY] = UNSIGNED(uint32_t),
    [NVTX_TYPE_COLOR] = {NVTX_SCALAR_HEX, 4},
    [NVTX_TYPE_SCOPE] = UNSIGNED(uint64_t),
    [NVTX_TYPE_PID32] = UNSIGNED(uint32_t),
    [NVTX_TYPE_PID64] = UNSIGNED(uint64_t),
    [NVTX_TYPE_TID32] = UNSIGNED(uint32_t),
    [NVTX_TYPE_TID64] = UNSIGNED(uint64_t),
};

#define NVTX_SCALAR_COUNT (sizeof nvtx_scalar_types / sizeof *nvtx_scalar_types)

size_t nvtx_scalar_size(uint64_t type)
{
    return type < NVTX_SCALAR_COUNT ? nvtx_scalar_types[type].size : 0;
}

static uint64_t nvtx_scalar_unsigned(const uint8_t *data, size_t size)
{
    uint8_t byte;
    uint16_t half;
    uint32_t word;
    uint64_t whole;
    switch (size) {
    case 1:
        memcpy(&byte, data, 1);
        return byte;
    case 2:
        memcpy(&half, data, 2);
        return half;
    case 4:
        memcpy(&word, data, 4);
        return word;
    default:
        memcpy(&whole, data, 8);
        return whole;
    }
}

static uint64_t nvtx_scalar_signed(const uint8_t *data, size_t size)
{
    unsigned unused_bits = 64 - 8 * (unsigned)size;
    return (uint64_t)((int64_t)(nvtx_scalar_unsigned(data, size) << unused_bits) >> unused_bits);
}

/* Not inlined, so that it stays between the calls around it. */
__attribute__((noinline)) static double nvtx_scalar_round(long double extended)
{
    return (double)extended;
}

static double nvtx_scalar_float(const uint8_t *data, size_t size)
{
    float single;
    double real;
    long double extended;
    struct arch_float saved;
    switch (size) {
    case sizeof single:
        memcpy(&single, data, sizeof single);
        return (double)single;
    case sizeof real:
        memcpy(&real, data, sizeof real);
        return real;
    default:
        memcpy(&extended, data, sizeof extended);
        arch_float_hold(&saved);
        real = nvtx_scalar_round(extended);
        arch_float_restore(&saved);
        return real;
    }
}

static double nvtx_scalar_of_bits(uint32_t bits)
{
    return nvtx_scalar_float((const uint8_t *)&bits, sizeof bits);
}

/* The exponent's bias is 15 instead of 127; a value without exponent counts 2^-24ths. */
static double nvtx_scalar_float16(uint32_t half)
{
    uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31u, fraction = half & 0x3ffu;
    if (exponent == 31)
        return nvtx_scalar_of_bits(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0)
        return (sign ? -1.0 : 1.0) * (double)fraction / 16777216.0;
    return nvtx_scalar_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

static void nvtx_scalar_real(struct attr_value *value, double real)
{
    *value = (struct attr_value){.type = PROF_ATTR_DOUBLE, .bits = attrs_double_bits(real)};
}

static void nvtx_scalar_character(struct attr_value *value, uint64_t character, size_t size,
                                  char room[8])
{
    *value = (struct attr_value){.type = PROF_ATTR_STRING, .text = room};
    room[0] = (char)character;
    value->bytes = size == 1 ? 1 : nvtx_wide_put((uint32_t)character, room);
    if (character == 0)
        value->bytes = 0;
}

void nvtx_scalar_read(uint64_t type, const uint8_t *data, struct attr_value *value, char room[8])
{
    const struct nvtx_scalar_type *rule = &nvtx_scalar_types[type];
    switch ((enum nvtx_scalar_kind)rule->kind) {
    case NVTX_SCALAR_SIGNED:
        *value = (struct attr_value){.type = PROF_ATTR_INT,
                                     .bits = nvtx_scalar_signed(data, rule->size)};
        break;
    case NVTX_SCALAR_UNSIGNED:
    case NVTX_SCALAR_HEX:
    case NVTX_SCALAR_NONE:
        *value = (struct attr_value){.type = rule->kind == NVTX_SCALAR_HEX ? PROF_ATTR_HEX
                                                                           : PROF_ATTR_UINT,
                                     .bits = nvtx_scalar_unsigned(data, rule->size)};
        break;
    case NVTX_SCALAR_FLOAT:
        nvtx_scalar_real(value, nvtx_scalar_float(data, rule->size));
        break;
    case NVTX_SCALAR_FLOAT16:
        nvtx_scalar_real(value, nvtx_scalar_float16((uint32_t)nvtx_scalar_unsigned(data, 2)));
        break;
    case NVTX_SCALAR_BF16:
        nvtx_scalar_real(value, nvtx_scalar_of_bits((uint32_t)nvtx_scalar_unsigned(data, 2) << 16));
        break;
    case NVTX_SCALAR_CHARACTER:
        nvtx_scalar_character(value, nvtx_scalar_unsigned(data, rule->size), rule->size, room);
        break;
    }
}

/* ---- enumerations ---- */

static void nvtx_scalar_append(struct attr_value *value, char *room, size_t room_bytes,
                               const char *name)
{
    size_t left = room_bytes - value->bytes;
    int size = snprintf(room + value->bytes, left, "%s%s", value->bytes ? "|" : "", name);
    value->bytes += (size_t)size < left ? (size_t)size : left - 1;
}

static uint64_t nvtx_scalar_flags(const struct nvtx_schema *enumeration, uint64_t number,
                                  struct attr_value *value, char *room, size_t room_bytes)
{
    for (size_t i = 0; i < enumeration->count; i++) {
        const struct nvtx_enum_value *each = &enumeration->values[i];
        if (!each->is_flag || !each->value || (number & each->value) != each->value)
            continue;
        nvtx_scalar_append(value, room, room_bytes, each->name);
        number &= ~each->value;
    }
    return number;
}

static const char *nvtx_scalar_enum_name(const struct nvtx_schema *enumeration, uint64_t number)
{
    uint64_t mask =
        enumeration->size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * enumeration->size) - 1;
    for (size_t i = 0; i < enumeration->count; i++)
        if ((enumeration->values[i].value & mask) == number)
            return enumeration->values[i].name;
    return NULL;
}

void nvtx_scalar_enum(const struct nvtx_schema *enumeration, const uint8_t *data,
                      struct attr_value *value, char *room, size_t room_bytes)
{
    uint64_t number = nvtx_scalar_unsigned(data, enumeration->size);
    const char *name = nvtx_scalar_enum_name(enumeration, number);
    *value = (struct attr_value){.type = PROF_ATTR_STRING, .text = room};
    if (name)
        nvtx_scalar_append(value, room, room_bytes, name);
    else if (nvtx_scalar_flags(enumeration, number, value, room, room_bytes) || !value->bytes)
        *value = (struct attr_value){.type = PROF_ATTR_UINT, .bits = number};
}

size_t nvtx_scalar_print(const struct attr_value *value, char *text, size_t bytes)
{
    double real;
    int size = 0;
    switch (value->type) {
    case PROF_ATTR_INT:
        size = snprintf(text, bytes, "%" PRId64, (int64_t)value->bits);
        break;
    case PROF_ATTR_UINT:
        size = snprintf(text, bytes, "%" PRIu64, value->bits);
        break;
    case PROF_ATTR_HEX:
        size = snprintf(text, bytes, "0x%" PRIx64, value->bits);
        break;
    case PROF_ATTR_DOUBLE:
        memcpy(&real, &value->bits, sizeof real);
        size = snprintf(text, bytes, "%s", number_general(real, 9).bytes);
        break;
    case PROF_ATTR_STRING:
        size = snprintf(text, bytes, "%.*s", (int)value->bytes, value->text);
        break;
    }
    return size < 0 ? 0 : (size_t)size < bytes ? (size_t)size : bytes - 1;
}
