#include "number.h"

#include <stddef.h>

const char *number_parse(const char *text, uint64_t *number)
{
    const char *at = text;
    uint64_t value = 0;
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
            return NULL;
    if (at == text)
        return NULL;
    *number = value;
    return at;
}
