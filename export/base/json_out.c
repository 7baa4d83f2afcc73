#include "json_out.h"

#include "out_behind.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char json_digit_pairs[200] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

static void set_buffer(struct json_out *out, char *buffer)
{
    out->buffer = buffer;
    out->at = buffer;
    out->limit = buffer + JSON_BUFFER_BYTES - JSON_SLACK_BYTES;
}

bool json_out_init(struct json_out *out, int fd, FILE *stream)
{
    *out = (struct json_out){.fd = fd, .stream = stream};
    out->buffer = malloc(JSON_BUFFER_BYTES);
    if (!out->buffer) {
        /* Nothing can be written, but the calls must stay harmless: give them a scratch area that
         * is "flushed" into nothing. */
        static char scratch[4 * JSON_SLACK_BYTES];
        out->error = ENOMEM;
        out->at = scratch;
        out->limit = scratch;
        return false;
    }
    set_buffer(out, out->buffer);
    return true;
}

void json_out_write_behind(struct json_out *out)
{
    if (!out->buffer)
        return;
    out->behind = out_behind_create(out->fd, out->stream, JSON_BUFFER_BYTES);
    if (!out->behind)
        return;
    free(out->buffer);
    set_buffer(out, out_behind_buffer(out->behind));
}

static void write_out(struct json_out *out, const char *bytes, size_t size)
{
    if (out->behind && !out->error)
        out->error = out_behind_wait(out->behind);
    if (!out->error)
        out->error = out_write(out->fd, out->stream, bytes, size);
}

void json_note_rows(struct json_out *out, const char *name, int64_t rows, int64_t total)
{
    unsigned i = 0;
    if (rows >= total)
        return;
    while (i < out->cut_count && strcmp(out->cuts[i].name, name) != 0)
        i++;
    if (i == JSON_CUTS_MAX)
        return;
    if (i == out->cut_count)
        out->cuts[out->cut_count++] = (struct json_cut){.name = name};
    out->cuts[i].rows += rows;
    out->cuts[i].total += total;
}

void json_out_flush(struct json_out *out)
{
    char *start = out->buffer ? out->buffer : out->limit;
    if (out->behind) {
        set_buffer(out, out_behind_swap(out->behind, start, (size_t)(out->at - start)));
        return;
    }
    if (out->buffer)
        write_out(out, start, (size_t)(out->at - start));
    out->at = start;
}

void json_out_bytes(struct json_out *out, const char *bytes, size_t size)
{
    if (!out->buffer)
        return;
    if (size > (size_t)(out->limit - out->buffer)) {
        json_out_flush(out);
        write_out(out, bytes, size);
        return;
    }
    if (out->at > out->limit || size > (size_t)(out->limit - out->at))
        json_out_flush(out);
    memcpy(out->at, bytes, size);
    out->at += size;
}

int json_out_fini(struct json_out *out)
{
    int error;
    json_out_flush(out);
    error = out->error;
    if (out->behind) {
        int behind = out_behind_destroy(out->behind);
        error = error ? error : behind;
    } else {
        free(out->buffer);
    }
    *out = (struct json_out){.error = error};
    return error;
}

/* Escapes segment by segment through a small buffer: text may be of any size. */
void json_text(struct json_out *out, struct text text)
{
    char segment[JSON_ESCAPE_CHUNK * JSON_ESCAPE_GROWTH];
    json_out_bytes(out, out->comma ? ",\"" : "\"", out->comma ? 2 : 1);
    for (size_t at = 0; at < text.size;) {
        size_t used;
        size_t size = json_escape(text.bytes + at, text.size - at, segment, &used);
        json_out_bytes(out, segment, size);
        at += used;
    }
    json_out_bytes(out, "\"", 1);
    out->comma = true;
}

void json_string(struct json_out *out, const char *string)
{
    json_text(out, (struct text){string, strlen(string)});
}

/* The host program may have set a locale with another decimal point, of one byte or several. */
static void force_point(char *number)
{
    char *to = number;
    for (const char *at = number; *at; at++)
        if (strchr("0123456789+-eE", *at))
            *to++ = *at;
        else if (to == number || to[-1] != '.')
            *to++ = '.';
    *to = '\0';
}

char *json_put_double(char *p, double value)
{
    char number[JSON_DOUBLE_BYTES] = "null";
    if (isfinite(value)) {
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(number, sizeof number, "%.*g", digits, value);
            if (strtod(number, NULL) == value)
                break;
        }
        force_point(number);
    }
    return stpcpy(p, number);
}

void json_double(struct json_out *out, double value)
{
    char number[JSON_DOUBLE_BYTES];
    json_out_literal(out, number, (size_t)(json_put_double(number, value) - number), true);
}

void json_three_decimals(struct json_out *out, double value)
{
    if (!(value >= 0 && value < 9e15)) {
        json_double(out, value);
        return;
    }
    char *p = json_out_value(out);
    out->at = json_put_thousandths(p, (uint64_t)(value * 1000 + 0.5));
}

/* Escaping, one character at a time past the plain ASCII run. */

static size_t put_hex(char *to, uint32_t character)
{
    static const char digits[] = "0123456789abcdef";
    const char text[6] = {'\\',
                          'u',
                          digits[character >> 12 & 15],
                          digits[character >> 8 & 15],
                          digits[character >> 4 & 15],
                          digits[character & 15]};
    memcpy(to, text, sizeof text);
    return sizeof text;
}

static size_t put_short(char *to, char letter)
{
    to[0] = '\\';
    to[1] = letter;
    return 2;
}

/* `next` is the byte after, 0 at the end. */
static size_t put_ascii(char *to, uint32_t c, char next)
{
    switch (c) {
    case '"':
        return put_short(to, '"');
    case '\\':
        return put_short(to, '\\');
    case '\n':
        return put_short(to, 'n');
    case '\r':
        return put_short(to, 'r');
    case '\t':
        return put_short(to, 't');
    case '\b':
        return put_short(to, 'b');
    case '\f':
        return put_short(to, 'f');
    case '<':
        if (next == '/' || next == '!')
            return put_hex(to, c);
        break;
    default:
        break;
    }
    if (utf8_is_unsafe(c))
        return put_hex(to, c);
    *to = (char)c;
    return 1;
}

static size_t put_character(const char *from, size_t size, char *to, size_t *used)
{
    uint32_t character;
    size_t length = utf8_decode(from, size, &character);
    *used = length ? length : 1;
    if (length == 0)
        return put_hex(to, 0xfffd);
    if (length == 1)
        return put_ascii(to, character, size > 1 ? from[1] : 0);
    if (utf8_is_unsafe(character)) /* none lies beyond U+FFFF */
        return put_hex(to, character);
    memcpy(to, from, length);
    return length;
}

size_t json_escape(const char *from, size_t size, char *to, size_t *used)
{
    size_t written = 0, at = 0;
    while (at < size && at < JSON_ESCAPE_CHUNK - 4) {
        size_t taken;
        written += put_character(from + at, size - at, to + written, &taken);
        at += taken;
    }
    *used = at;
    return written;
}
