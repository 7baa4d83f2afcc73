#include "json_text.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* What is long or rare of json_text.h. */

/* In ASCII, the two kinds of brackets differ in one bit. */
const char *json_find_structure(const char *p)
{
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), bit = _mm_set1_epi8(0x20);
    const __m128i open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}');
    for (;; p += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        __m128i folded = _mm_or_si128(bytes, bit);
        __m128i brackets =
            _mm_or_si128(_mm_cmpeq_epi8(folded, open), _mm_cmpeq_epi8(folded, close));
        int found = _mm_movemask_epi8(_mm_or_si128(brackets, _mm_cmpeq_epi8(bytes, quote)));
        if (found)
            return p + __builtin_ctz((unsigned)found);
    }
#else
    while (*p != '"' && (*p | 0x20) != '{' && (*p | 0x20) != '}')
        p++;
    return p;
#endif
}

const char *json_skip_open(struct json_cursor *cursor, const char *p, uint64_t depth)
{
    struct json_string string;
    while (depth) {
        p = json_find_structure(p);
        if (p >= cursor->end)
            return json_fail(cursor, cursor->end);
        if (*p == '"') {
            p = json_string_body(cursor, p + 1, &string);
            if (!p)
                return NULL;
            continue;
        }
        depth += (*p | 0x20) == '{' ? 1 : UINT64_MAX;
        p++;
    }
    return p;
}

static bool ends_scalar(char byte)
{
    return byte == ',' || byte == '}' || byte == ']' || byte == ' ' || byte == '\n' ||
           byte == '\r' || byte == '\t' || byte == '"' || byte == ':' || byte == '{' || byte == '[';
}

/* Numbers and words: the letters of JSON's, Python's NaN and Infinity among them. */
static bool begins_scalar(char byte)
{
    return (byte >= '0' && byte <= '9') || byte == '-' || byte == 't' || byte == 'f' ||
           byte == 'n' || byte == 'N' || byte == 'I';
}

static const char *skip_scalar(struct json_cursor *cursor, const char *p)
{
    const char *begin = p;
    if (p >= cursor->end || !begins_scalar(*p))
        return json_fail(cursor, p);
    while (!ends_scalar(*p))
        p++;
    /* at the end it may go on: but for a file's last value, which is in brackets anyway */
    return p >= cursor->end ? json_fail(cursor, cursor->end) : p > begin ? p : json_fail(cursor, p);
}

const char *json_skip(struct json_cursor *cursor, const char *p)
{
    struct json_string string;
    if (p >= cursor->end)
        return json_fail(cursor, p);
    if (*p == '"')
        return json_string_body(cursor, p + 1, &string);
    if (*p == '{' || *p == '[')
        return json_skip_open(cursor, p + 1, 1);
    return skip_scalar(cursor, p);
}

/* A number taken apart: digits without leading zeros, the power of ten after them. */
struct decimal {
    uint64_t digits; /* as many as fit */
    int64_t exponent;
    bool negative;
};

#define DIGITS_MAX ((UINT64_MAX - 9) / 10)
#define EXPONENT_MAX 100000

static const char *read_digits(const char *p, const char *end, struct decimal *decimal,
                               int64_t step)
{
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        if (decimal->digits <= DIGITS_MAX) {
            decimal->digits = decimal->digits * 10 + (unsigned)(*p - '0');
            decimal->exponent += step;
        } else {
            decimal->exponent += step + 1;
        }
    }
    return p;
}

static const char *read_exponent(const char *p, const char *end, struct decimal *decimal)
{
    bool negative = p < end && *p == '-';
    int64_t value = 0;
    p += p < end && (*p == '-' || *p == '+');
    for (; p < end && *p >= '0' && *p <= '9'; p++)
        value = value < EXPONENT_MAX ? value * 10 + (*p - '0') : value;
    decimal->exponent += negative ? -value : value;
    return p;
}

static bool read_decimal(struct text text, struct decimal *decimal)
{
    const char *p = text.bytes, *end = p + text.size;
    *decimal = (struct decimal){.negative = p < end && *p == '-'};
    p += decimal->negative;
    if (p == end || *p < '0' || *p > '9')
        return false;
    p = read_digits(p, end, decimal, 0);
    if (p < end && *p == '.')
        p = read_digits(p + 1, end, decimal, -1);
    if (p < end && (*p == 'e' || *p == 'E'))
        p = read_exponent(p + 1, end, decimal);
    return p == end;
}

static bool scale_text(struct text text, unsigned scale, bool nearest, int64_t *number)
{
    struct decimal decimal;
    unsigned dropped = 0; /* the digit after those that are kept */
    if (!read_decimal(text, &decimal))
        return false;
    uint64_t value = decimal.digits;
    for (decimal.exponent += scale; decimal.exponent < 0 && value; decimal.exponent++) {
        dropped = (unsigned)(value % 10);
        value /= 10;
    }
    if (nearest && decimal.exponent == 0)
        value += dropped >= 5;
    for (; decimal.exponent > 0 && value && value <= (uint64_t)JSON_NUMBER_MAX; decimal.exponent--)
        value *= 10;
    int64_t whole = value > (uint64_t)JSON_NUMBER_MAX ? JSON_NUMBER_MAX : (int64_t)value;
    *number = decimal.negative ? -whole : whole;
    return true;
}

bool json_text_scaled(struct text text, unsigned scale, int64_t *number)
{
    return scale_text(text, scale, false, number);
}

bool json_text_nearest(struct text text, unsigned scale, int64_t *number)
{
    return scale_text(text, scale, true, number);
}

/* Rounded once, whatever locale the host has. */
static double long_double_text(struct text text)
{
    char few[64], *copy = text.size < sizeof few ? few : malloc(text.size + 1);
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = 0;
    if (copy && c) {
        memcpy(copy, text.bytes, text.size);
        copy[text.size] = '\0';
        value = strtod_l(copy, NULL, c);
    }
    if (c)
        freelocale(c);
    if (copy != few)
        free(copy);
    return value;
}

/* Digits and powers of ten that are doubles themselves make one rounding; the rest is strtod's. */
double json_text_double(struct text text)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    struct decimal decimal;
    if (!read_decimal(text, &decimal))
        return 0;
    if (decimal.digits > UINT64_C(1) << 53 || decimal.exponent < -22 || decimal.exponent > 22)
        return long_double_text(text);
    double value = (double)decimal.digits;
    value = decimal.exponent < 0 ? value / tens[-decimal.exponent] : value * tens[decimal.exponent];
    return decimal.negative ? -value : value;
}

static const char *scale_value(struct json_cursor *cursor, const char *p, unsigned scale,
                               bool nearest, int64_t *number, bool *known)
{
    const char *after = json_skip(cursor, p);
    if (!after)
        return NULL;
    bool quoted = *p == '"';
    struct text text = {p + quoted, (size_t)(after - p) - 2 * quoted};
    *known = scale_text(text, scale, nearest, number);
    return after;
}

const char *json_scaled(struct json_cursor *cursor, const char *p, unsigned scale, int64_t *number,
                        bool *known)
{
    return scale_value(cursor, p, scale, false, number, known);
}

const char *json_nearest(struct json_cursor *cursor, const char *p, unsigned scale, int64_t *number,
                         bool *known)
{
    return scale_value(cursor, p, scale, true, number, known);
}

int json_hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* The four digits after "\u", or -1. */
static int32_t read_hex(const char *p, const char *end)
{
    int32_t value = 0;
    if (end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = json_hex_digit(p[i]);
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static char *put_utf8(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
    } else {
        if (code < 0x10000) {
            *to++ = (char)(0xe0 | code >> 12);
        } else {
            *to++ = (char)(0xf0 | code >> 18);
            *to++ = (char)(0x80 | (code >> 12 & 63));
        }
        *to++ = (char)(0x80 | (code >> 6 & 63));
    }
    *to++ = (char)(0x80 | (code & 63));
    return to;
}

/* `p` is behind "\u" and its digits have the value `code`; returns the place after the
 * character. */
static const char *read_unicode(const char *p, const char *end, int32_t code, uint32_t *character)
{
    p += 4;
    *character = (uint32_t)code;
    if (code < 0xd800 || code > 0xdfff)
        return p;
    int32_t low = end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? read_hex(p + 2, end) : -1;
    *character = 0xfffd;
    if (code > 0xdbff || low < 0xdc00 || low > 0xdfff)
        return p;
    *character = 0x10000 + (((uint32_t)code & 0x3ff) << 10) + ((uint32_t)low & 0x3ff);
    return p + 6;
}

static char simple_escape(char byte)
{
    switch (byte) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'r':
        return '\r';
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case '"':
    case '\\':
    case '/':
        return byte;
    default:
        return 0;
    }
}

size_t json_unescape(const struct json_string *string, char *to)
{
    const char *p = string->bytes, *end = p + string->size;
    char *begin = to;
    while (p < end) {
        const char *next = memchr(p, '\\', (size_t)(end - p));
        size_t plain = (size_t)((next ? next : end) - p);
        memcpy(to, p, plain);
        to += plain;
        p += plain;
        if (!next)
            break;
        char simple = end - p >= 2 ? simple_escape(p[1]) : 0;
        int32_t code = end - p >= 2 && p[1] == 'u' ? read_hex(p + 2, end) : -1;
        uint32_t character;
        if (simple) {
            *to++ = simple;
            p += 2;
        } else if (code >= 0) {
            p = read_unicode(p + 2, end, code, &character);
            to = put_utf8(to, character);
        } else {
            *to++ = *p++;
        }
    }
    return (size_t)(to - begin);
}

const char *json_each_member(struct json_cursor *cursor, const char *p, json_take_member *take,
                             void *user)
{
    struct json_string key;
    bool more = true;
    if (p >= cursor->end || *p != '{')
        return json_skip(cursor, p);
    p = json_space(p + 1);
    if (*p == '}' && p < cursor->end)
        return p + 1;
    while (p && more) {
        p = json_key_at(cursor, p, &key);
        const char *after = p ? json_skip(cursor, p) : NULL;
        if (after)
            take(user, &key, (struct text){p, (size_t)(after - p)});
        p = after ? json_next(cursor, after, '}', &more) : NULL;
    }
    return p;
}

/* ---- validating a value that is copied unchanged ---- */

static const char *check_digits(const char *p, const char *end)
{
    const char *first = p;
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p > first ? p : NULL;
}

static const char *check_number(const char *p, const char *end)
{
    p += *p == '-';
    const char *first = p;
    p = check_digits(p, end);
    if (p && *first == '0' && p - first > 1)
        return NULL;
    if (p && p < end && *p == '.')
        p = check_digits(p + 1, end);
    if (p && p < end && (*p == 'e' || *p == 'E')) {
        p++;
        p = check_digits(p + (p < end && (*p == '-' || *p == '+')), end);
    }
    return p;
}

/* `p` is after the backslash. */
static const char *check_escape(const char *p, const char *end)
{
    if (p == end || *p != 'u')
        return p < end && memchr("\"\\/bfnrt", *p, 8) ? p + 1 : NULL;
    for (unsigned digits = 4; digits; digits--)
        if (++p == end || json_hex_digit(*p) < 0)
            return NULL;
    return p + 1;
}

/* `p` is after the opening quote. */
static const char *check_string(const char *p, const char *end)
{
    while (p && p < end && *p != '"')
        p = (unsigned char)*p < ' ' ? NULL : *p == '\\' ? check_escape(p + 1, end) : p + 1;
    return p && p < end ? p + 1 : NULL;
}

static const char *check_space(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

static const char *check_word(const char *p, const char *end)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t size = strlen(words[i]);
        if ((size_t)(end - p) >= size && memcmp(p, words[i], size) == 0)
            return p + size;
    }
    return NULL;
}

static const char *check_value(const char *p, const char *end, unsigned depth);

/* The key of a member, and its colon. */
static const char *check_key(const char *p, const char *end)
{
    p = p < end && *p == '"' ? check_string(p + 1, end) : NULL;
    p = p ? check_space(p, end) : NULL;
    return p && p < end && *p == ':' ? p + 1 : NULL;
}

/* `p` is after the opening bracket. */
static const char *check_items(const char *p, const char *end, char close, unsigned depth)
{
    p = check_space(p, end);
    if (p < end && *p == close)
        return p + 1;
    while (p) {
        p = close == '}' ? check_key(check_space(p, end), end) : p;
        p = p ? check_value(p, end, depth) : NULL;
        if (!p || p == end || (*p != ',' && *p != close))
            return NULL;
        if (*p++ == close)
            return p;
    }
    return NULL;
}

/* Skips the space around the value. */
static const char *check_value(const char *p, const char *end, unsigned depth)
{
    p = check_space(p, end);
    if (p == end || !depth)
        return NULL;
    if (*p == '"')
        p = check_string(p + 1, end);
    else if (*p == '{' || *p == '[')
        p = check_items(p + 1, end, *p == '{' ? '}' : ']', depth - 1);
    else
        p = *p == '-' || (*p >= '0' && *p <= '9') ? check_number(p, end) : check_word(p, end);
    return p ? check_space(p, end) : NULL;
}

bool json_is_valid(struct text text)
{
    const char *end = text.bytes + text.size;
    return utf8_is_valid(text) && check_value(text.bytes, end, JSON_DEPTH_MAX) == end;
}
