/* json_text.h - parses JSON in place: no tree, no copies.
 *
 * JSON_PAD_BYTES quotes follow the input, so a loop that searches for the end of a string, a
 * number or space needs no bounds check per byte. A position at or past `end` means that the value
 * continues in bytes that are not in memory yet.
 *
 * Functions parse at a position and return the position after what they parsed. NULL: it is not
 * JSON, or cut off at `end`; cursor.bad is where, and json_is_cut() distinguishes the two.
 * Control characters within strings are accepted, because Kineto has written them. Threads: any.
 */
#ifndef PROF_JSON_TEXT_H
#define PROF_JSON_TEXT_H

#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define JSON_PAD_BYTES 64u

struct json_cursor {
    const char *end;
    const char *bad;
};

/* The body of a string, without its quotes. */
struct json_string {
    const char *bytes;
    uint32_t size;
    bool escaped; /* has a backslash */
};

/* Compares the raw string, before escapes are resolved. */
static inline bool json_string_is(const struct json_string *string, const char *word)
{
    return text_is((struct text){string->bytes, string->size}, word);
}

static inline bool json_is_cut(const struct json_cursor *cursor)
{
    return cursor->bad >= cursor->end;
}

static inline const char *json_fail(struct json_cursor *cursor, const char *at)
{
    cursor->bad = at;
    return NULL;
}

/* Past space of any length: lines of a trace are often indented. */
static inline const char *json_space_long(const char *p)
{
#if defined(__SSE2__)
    const __m128i blank = _mm_set1_epi8(' '), line = _mm_set1_epi8('\n');
    for (int other;; p += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        other = _mm_movemask_epi8(
                    _mm_or_si128(_mm_cmpeq_epi8(bytes, blank), _mm_cmpeq_epi8(bytes, line))) ^
                0xffff;
        if (other) {
            p += __builtin_ctz((unsigned)other);
            break;
        }
    }
#endif
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

static inline const char *json_space(const char *p)
{
    if ((unsigned char)*p > ' ')
        return p;
    return *p == ' ' && (unsigned char)p[1] > ' ' ? p + 1 : json_space_long(p);
}

/* The first quote or backslash. */
static inline const char *json_find_quote(const char *p)
{
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
    for (;; p += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        int found = _mm_movemask_epi8(
            _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)));
        if (found)
            return p + __builtin_ctz((unsigned)found);
    }
#elif defined(__aarch64__)
    for (;; p += 16) {
        uint8x16_t bytes = vld1q_u8((const uint8_t *)p);
        uint8x16_t found =
            vorrq_u8(vceqq_u8(bytes, vdupq_n_u8('"')), vceqq_u8(bytes, vdupq_n_u8('\\')));
        /* four bits of the number for each byte */
        uint64_t mask =
            vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(found), 4)), 0);
        if (mask)
            return p + (__builtin_ctzll(mask) >> 2);
    }
#else
    while (*p != '"' && *p != '\\')
        p++;
    return p;
#endif
}

/* From after the opening quote to the closing one. */
static inline const char *json_string_body(struct json_cursor *cursor, const char *p,
                                           struct json_string *string)
{
    const char *close = json_find_quote(p);
    string->bytes = p;
    string->escaped = false;
    if (__builtin_expect(*close == '"' && close < cursor->end && close - p <= INT32_MAX, 1)) {
        string->size = (uint32_t)(close - p);
        return close + 1;
    }
    while (__builtin_expect(*close == '\\' && close < cursor->end, 0)) {
        string->escaped = true;
        close = json_find_quote(close + 2);
    }
    if (__builtin_expect(close >= cursor->end, 0))
        return json_fail(cursor, cursor->end);
    if (__builtin_expect(close - p > INT32_MAX, 0))
        return json_fail(cursor, p);
    string->size = (uint32_t)(close - p);
    return close + 1;
}

/* Eight digits at once, if that many begin at `p`: first pairs, then fours are put together. */
static inline bool json_eight_digits(const char *p, uint64_t *value)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t eight = text_eight_at(p);
    uint64_t above = eight + UINT64_C(0x4646464646464646); /* '9' + 0x46 is the last below 0x80 */
    uint64_t digits = eight - UINT64_C(0x3030303030303030);
    if ((above | digits) & UINT64_C(0x8080808080808080))
        return false;
    digits = digits * 10 + (digits >> 8);
    *value = ((digits & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
              (digits >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
             32;
    return true;
#else
    (void)p, (void)value;
    return false;
#endif
}

/* A key, its colon, and the space up to its value. */
static inline const char *json_key_at(struct json_cursor *cursor, const char *p,
                                      struct json_string *key)
{
    if (p >= cursor->end || *p != '"')
        return json_fail(cursor, p);
    p = json_string_body(cursor, p + 1, key);
    if (!p)
        return NULL;
    if (*p != ':') {
        p = json_space(p);
        if (p >= cursor->end || *p != ':')
            return json_fail(cursor, p);
    }
    return json_space(p + 1);
}

/* After a member or an item. `*more` true: another follows at the returned position; false:
 * `close` followed, and the returned position is past it. */
static inline const char *json_next(struct json_cursor *cursor, const char *p, char close,
                                    bool *more)
{
    p = json_space(p);
    if (p >= cursor->end || (*p != ',' && *p != close))
        return json_fail(cursor, p);
    *more = *p == ',';
    return *more ? json_space(p + 1) : p + 1;
}

/* The first quote or bracket, which may be one of the quotes after `end`. */
const char *json_find_structure(const char *p);

/* Any value. Brackets within it are counted, not compared. */
const char *json_skip(struct json_cursor *cursor, const char *p);
/* The rest of an object or array of which `depth` brackets are open. */
const char *json_skip_open(struct json_cursor *cursor, const char *p, uint64_t depth);

/* Calls `take` for each member of the object at `p`, with its value as it lies; another value is
 * skipped. Returns as json_skip(). */
typedef void json_take_member(void *user, const struct json_string *key, struct text value);
const char *json_each_member(struct json_cursor *cursor, const char *p, json_take_member *take,
                             void *user);

/* A number, or a string that holds one, times 10 to the `scale`, without what is left behind the
 * point; saturated at +-JSON_NUMBER_MAX. `*known` false: it is another value, which was skipped. */
#define JSON_NUMBER_MAX (INT64_C(1) << 61)
const char *json_scaled(struct json_cursor *cursor, const char *p, unsigned scale, int64_t *number,
                        bool *known);
/* The same, but what is behind is rounded, not cut off. */
const char *json_nearest(struct json_cursor *cursor, const char *p, unsigned scale, int64_t *number,
                         bool *known);
/* As json_scaled() of a whole text; false: it is not a number. */
bool json_text_scaled(struct text text, unsigned scale, int64_t *number);
bool json_text_nearest(struct text text, unsigned scale, int64_t *number);
double json_text_double(struct text text);

/* True if the text is exactly one JSON value, so that it can be copied unchanged. Checks every
 * byte. Values may nest JSON_DEPTH_MAX deep at most. */
#define JSON_DEPTH_MAX 64u
bool json_is_valid(struct text text);

/* The value of a hexadecimal digit; -1: it is not one. */
int json_hex_digit(char byte);

/* Resolves escapes: `to` has room for string.size bytes. Returns the size. What is wrongly escaped
 * stays as it is; halves of surrogate pairs become U+FFFD. */
size_t json_unescape(const struct json_string *string, char *to);

#ifdef __cplusplus
}
#endif
#endif
