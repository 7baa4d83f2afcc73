#include "number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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

static unsigned number_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return (unsigned)(byte - '0');
    if (byte >= 'a' && byte <= 'f')
        return (unsigned)(byte - 'a') + 10;
    return byte >= 'A' && byte <= 'F' ? (unsigned)(byte - 'A') + 10 : UINT32_MAX;
}

uint64_t number_next(const char **text, unsigned base)
{
    const char *at = *text + strspn(*text, " \t");
    uint64_t number = 0;
    if (base == 16 && at[0] == '0' && at[1] == 'x')
        at += 2;
    for (; number_digit(*at) < base; at++)
        number = number * base + number_digit(*at);
    *text = at;
    return number;
}

uint64_t number_of_field(const char *text, const char *field, unsigned base)
{
    const char *at = strstr(text, field);
    if (!at)
        return 0;
    at += strlen(field);
    return number_next(&at, base);
}

/* Whatever bytes a locale puts there, they are neither letters, digits nor signs in ASCII. */
static bool number_is_point(char byte)
{
    return !(byte >= '0' && byte <= '9') && !(byte >= 'a' && byte <= 'z') && byte != '+' &&
           byte != '-';
}

static void number_force_point(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++)
        if (!number_is_point(*at))
            *to++ = *at;
        else if (to == text || to[-1] != '.')
            *to++ = '.';
    *to = '\0';
}

struct number_text number_fixed(double number, int decimals)
{
    struct number_text text;
    snprintf(text.bytes, sizeof text.bytes, "%.*f", decimals, number);
    number_force_point(text.bytes);
    return text;
}

struct number_text number_general(double number, int digits)
{
    struct number_text text;
    snprintf(text.bytes, sizeof text.bytes, "%.*g", digits, number);
    number_force_point(text.bytes);
    return text;
}
