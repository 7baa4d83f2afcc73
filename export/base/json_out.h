/* json_out.h - the one place that writes JSON.
 *
 * A struct json_out owns commas, escaping and buffering, so that its callers only say what they
 * mean:
 *
 *     json_object_begin(&out);
 *     json_key(&out, "name"), json_text(&out, name);
 *     json_key(&out, "ts"), json_microseconds(&out, start_ns);
 *     json_object_end(&out);
 *
 * What comes out is strict JSON whatever the text holds. Numbers are formatted by hand: no locale
 * of the host program can put a comma into them, and it is an order of magnitude faster than
 * printf.
 *
 * Errors: the first one is latched, everything after it is dropped, and json_out_fini() returns it.
 * Threads: one at a time.
 */
#ifndef PROF_JSON_OUT_H
#define PROF_JSON_OUT_H

#include "out_behind.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

/* 1 MiB: large enough that the kernel's cost per write(2) vanishes. */
#define JSON_BUFFER_BYTES (1u << 20)

/* Room that is always left behind `limit`, so that small segments need one comparison each. */
#define JSON_SLACK_BYTES 256u

/* A list of which not all was written, or several of one name added up. */
struct json_cut {
    const char *name;
    int64_t rows, total; /* rows that were written, of so many */
};
#define JSON_CUTS_MAX 16u

struct json_out {
    char *at;    /* next byte */
    char *limit; /* at <= limit: JSON_SLACK_BYTES can be written */
    char *buffer;
    bool comma; /* the next key or value is not the first of its object or array */
    int fd;     /* where to, when stream is NULL */
    FILE *stream;
    struct out_behind *behind; /* writes on a thread of its own; NULL: the caller's writes */
    int error;                 /* errno of the first failure, 0 none */
    struct json_cut cuts[JSON_CUTS_MAX];
    unsigned cut_count;
};

/* Writes to a descriptor or, when `stream` is given, to the stream. Neither is closed.
 * Returns false when memory is short (error is set, and all calls are then harmless). */
bool json_out_init(struct json_out *out, int fd, FILE *stream);

/* Writes full buffers on a second thread from now on, if one can be created. Call it before the
 * first write. */
void json_out_write_behind(struct json_out *out);

/* Writes what is buffered and frees. Returns 0 or the errno of the first failure. */
int json_out_fini(struct json_out *out);

/* Notes a list in `cuts` if it is shorter than it could be. `name` outlives the output. */
void json_note_rows(struct json_out *out, const char *name, int64_t rows, int64_t total);

/* Slow paths; use the functions below. */
void json_out_flush(struct json_out *out);
void json_out_bytes(struct json_out *out, const char *bytes, size_t size);

/* A string in quotes, escaped as by json_escape(). */
void json_text(struct json_out *out, struct text text);
void json_string(struct json_out *out, const char *string);

/* A double that reads back as the same double. JSON has no NaN or infinity: those become null. */
void json_double(struct json_out *out, double value);

/* The same as bytes, at most JSON_DOUBLE_BYTES of them. Returns what follows. */
#define JSON_DOUBLE_BYTES 32u
char *json_put_double(char *p, double value);

/* The writers below this line write at most JSON_SLACK_BYTES: one comparison, then straight stores.
 * */

static inline char *json_out_room(struct json_out *out)
{
    if (__builtin_expect(out->at > out->limit, 0))
        json_out_flush(out);
    return out->at;
}

/* Opens a value: the comma before it, if it is not the first. */
static inline char *json_out_value(struct json_out *out)
{
    char *p = json_out_room(out);
    *p = ',';
    p += out->comma;
    out->comma = true;
    return p;
}

static inline void json_out_open(struct json_out *out, char bracket)
{
    char *p = json_out_value(out);
    *p++ = bracket;
    out->at = p;
    out->comma = false;
}

static inline void json_out_close(struct json_out *out, char bracket)
{
    char *p = json_out_room(out);
    *p++ = bracket;
    out->at = p;
    out->comma = true;
}

static inline void json_object_begin(struct json_out *out)
{
    json_out_open(out, '{');
}

static inline void json_object_end(struct json_out *out)
{
    json_out_close(out, '}');
}

static inline void json_array_begin(struct json_out *out)
{
    json_out_open(out, '[');
}

static inline void json_array_end(struct json_out *out)
{
    json_out_close(out, ']');
}

/* White space between two values: one event per line keeps a trace readable with line tools. */
static inline void json_newline(struct json_out *out)
{
    char *p = json_out_room(out);
    *p = ',';
    p += out->comma;
    *p++ = '\n';
    out->at = p;
    out->comma = false;
}

/* Copies text that is JSON already: keys and constant parts of hot events. At most JSON_SLACK_BYTES
 * - 1. */
static inline void json_out_literal(struct json_out *out, const char *json, size_t size,
                                    bool comma_after)
{
    char *p = json_out_room(out);
    *p = ',';
    p += out->comma;
    memcpy(p, json, size);
    out->at = p + size;
    out->comma = comma_after;
}

/* `name` is a string literal that needs no escaping. */
#define json_key(out, name) \
    json_out_literal((out), "\"" name "\":", sizeof("\"" name "\":") - 1, false)

/* With a space after the colon: some readers search for `"rank": 0` with a pattern that wants one.
 * */
#define json_key_spaced(out, name) \
    json_out_literal((out), "\"" name "\": ", sizeof("\"" name "\": ") - 1, false)

/* Makes a key of the string that was just written. */
static inline void json_colon(struct json_out *out)
{
    char *p = json_out_room(out);
    *p++ = ':';
    out->at = p;
    out->comma = false;
}

/* A constant string value. */
#define json_constant(out, name) \
    json_out_literal((out), "\"" name "\"", sizeof("\"" name "\"") - 1, true)

/* Several constant members of an object at once, in JSON: json_members(out,
 * "\"ph\":\"X\",\"cat\":\"kernel\""). */
#define json_members(out, json) json_out_literal((out), json, sizeof(json) - 1, true)

static inline void json_bool(struct json_out *out, bool value)
{
    json_out_literal(out, value ? "true" : "false", value ? 4 : 5, true);
}

static inline void json_null(struct json_out *out)
{
    json_out_literal(out, "null", 4, true);
}

extern const char json_digit_pairs[200];

static inline unsigned json_decimal_digits(uint64_t value)
{
    unsigned digits = 1;
    for (;;) {
        if (value < 10)
            return digits;
        if (value < 100)
            return digits + 1;
        if (value < 1000)
            return digits + 2;
        if (value < 10000)
            return digits + 3;
        value /= 10000;
        digits += 4;
    }
}

static inline char *json_put_uint(char *p, uint64_t value)
{
    char *end = p + json_decimal_digits(value);
    char *at = end;
    while (value >= 100) {
        at -= 2;
        memcpy(at, json_digit_pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10)
        memcpy(at - 2, json_digit_pairs + value * 2, 2);
    else
        at[-1] = (char)('0' + value);
    return end;
}

static inline char *json_put_int(char *p, int64_t value)
{
    *p = '-';
    return json_put_uint(p + (value < 0), value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* thousandths -> "<units>.<3 digits>" */
static inline char *json_put_thousandths(char *p, uint64_t thousandths)
{
    unsigned fraction = (unsigned)(thousandths % 1000);
    p = json_put_uint(p, thousandths / 1000);
    p[0] = '.';
    p[1] = (char)('0' + fraction / 100);
    memcpy(p + 2, json_digit_pairs + fraction % 100 * 2, 2);
    return p + 4;
}

static inline void json_uint(struct json_out *out, uint64_t value)
{
    out->at = json_put_uint(json_out_value(out), value);
}

static inline void json_int(struct json_out *out, int64_t value)
{
    out->at = json_put_int(json_out_value(out), value);
}

/* Nanoseconds as microseconds with three decimals: exact. */
static inline void json_microseconds(struct json_out *out, int64_t ns)
{
    char *p = json_out_value(out);
    *p = '-';
    p += ns < 0;
    out->at = json_put_thousandths(p, ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns);
}

/* The same minus a tenth of a nanosecond, which still rounds to `ns`. `ns` > 0. */
static inline void json_microseconds_below(struct json_out *out, int64_t ns)
{
    json_microseconds(out, ns - 1);
    *out->at++ = '9';
}

/* A quantity that needs no more than three decimals. */
void json_three_decimals(struct json_out *out, double value);

/* A string that json_quote() made: quotes and all. */
static inline void json_quoted(struct json_out *out, const char *quoted, size_t size)
{
    char *p = json_out_value(out);
    out->at = p;
    if (__builtin_expect(size <= JSON_SLACK_BYTES - 1, 1)) {
        memcpy(p, quoted, size);
        out->at = p + size;
    } else {
        json_out_bytes(out, quoted, size);
    }
}

/* Any bytes as the inside of a JSON string.
 *
 * Valid UTF-8 comes back from a JSON parser exactly as it went in. Bytes that are not UTF-8 (also
 * surrogates and overlong forms) cannot be said in JSON: each becomes U+FFFD.
 *
 * More is escaped than JSON demands, losing nothing: control characters of both sets (a trace shown
 * in a terminal must not drive it), U+2028/2029 (line ends to JavaScript), characters that reverse
 * the reading direction, and the slash of "</" and the "<" of "<!" (a trace pasted into a web page
 * must not end its script).
 */

#define JSON_ESCAPE_CHUNK 512u /* input bytes taken per call, at most */
#define JSON_ESCAPE_GROWTH 6u  /* output bytes per input byte, at most */

/* Escapes a segment of at most JSON_ESCAPE_CHUNK bytes (never ending inside a character, unless the
 * text does). Returns the bytes written to `to`, which holds JSON_ESCAPE_CHUNK *
 * JSON_ESCAPE_GROWTH; `used` gets the bytes taken, at least 1. */
size_t json_escape(const char *from, size_t size, char *to, size_t *used);

#endif
