/* itt_number.c - reads and prints numbers of ITT's types. */
#include "itt_handles.h"
#include "number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static size_t itt_number_size(int type)
{
    static const uint8_t size[] = {
        [ITT_TYPE_U64] = 8, [ITT_TYPE_S64] = 8, [ITT_TYPE_U32] = 4,   [ITT_TYPE_S32] = 4,
        [ITT_TYPE_U16] = 2, [ITT_TYPE_S16] = 2, [ITT_TYPE_FLOAT] = 4, [ITT_TYPE_DOUBLE] = 8};
    return type > 0 && (size_t)type < sizeof size ? size[type] : 0;
}

bool itt_number_read(int type, const void *data, struct attr_value *value)
{
    union {
        uint64_t u64;
        int32_t s32;
        int16_t s16;
        float real32;
    } raw = {0};
    size_t size = itt_number_size(type);
    memcpy(&raw, data, size);
    *value = (struct attr_value){.type = PROF_ATTR_UINT, .bits = raw.u64};
    switch (type) {
    case ITT_TYPE_S64:
        value->type = PROF_ATTR_INT;
        break;
    case ITT_TYPE_S32:
        *value = (struct attr_value){.type = PROF_ATTR_INT, .bits = (uint64_t)(int64_t)raw.s32};
        break;
    case ITT_TYPE_S16:
        *value = (struct attr_value){.type = PROF_ATTR_INT, .bits = (uint64_t)(int64_t)raw.s16};
        break;
    case ITT_TYPE_FLOAT:
        *value = (struct attr_value){.type = PROF_ATTR_DOUBLE,
                                     .bits = attrs_double_bits((double)raw.real32)};
        break;
    case ITT_TYPE_DOUBLE:
        value->type = PROF_ATTR_DOUBLE;
        break;
    default:
        break;
    }
    return size > 0;
}

__attribute__((noinline)) double itt_number_double(const struct attr_value *value)
{
    double number;
    memcpy(&number, &value->bits, sizeof number);
    return value->type == PROF_ATTR_DOUBLE ? number
           : value->type == PROF_ATTR_INT  ? (double)(int64_t)value->bits
                                           : (double)value->bits;
}

static int itt_number_print(const struct attr_value *value, char *text, size_t room)
{
    if (value->type == PROF_ATTR_DOUBLE)
        return snprintf(text, room, "%s", number_general(itt_number_double(value), 9).bytes);
    if (value->type == PROF_ATTR_INT)
        return snprintf(text, room, "%" PRId64, (int64_t)value->bits);
    return snprintf(text, room, "%" PRIu64, value->bits);
}

size_t itt_number_list(int type, size_t count, const void *data, char *text, size_t room)
{
    size_t size = itt_number_size(type), used = 0;
    struct attr_value value;
    for (size_t i = 0; i < count && used + 32 < room; i++) {
        itt_number_read(type, (const char *)data + i * size, &value);
        used += (size_t)snprintf(text + used, room - used, "%s", i ? ", " : "[");
        used += (size_t)itt_number_print(&value, text + used, room - used);
    }
    return used + (size_t)snprintf(text + used, room - used, "]");
}
