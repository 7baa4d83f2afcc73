/* html_bytes.c - see html_bytes.h. */
#include "html_bytes.h"

#include <stdlib.h>
#include <string.h>

#ifdef PROF_HAVE_ZLIB
#include <zlib.h>
#endif

#define UINT_BYTES 10u /* of the longest number */

static bool reserve(struct html_bytes *bytes, size_t more)
{
    if (bytes->failed)
        return false;
    if (bytes->capacity - bytes->count >= more)
        return true;
    size_t capacity = bytes->capacity * 2 + more + 64;
    uint8_t *at = realloc(bytes->at, capacity);
    bytes->failed = !at;
    if (!at)
        return false;
    bytes->at = at;
    bytes->capacity = capacity;
    return true;
}

void html_bytes_fini(struct html_bytes *bytes)
{
    free(bytes->at);
    *bytes = (struct html_bytes){0};
}

void html_bytes_uint(struct html_bytes *bytes, uint64_t value)
{
    if (!reserve(bytes, UINT_BYTES))
        return;
    for (; value >= 0x80; value >>= 7)
        bytes->at[bytes->count++] = (uint8_t)(value | 0x80);
    bytes->at[bytes->count++] = (uint8_t)value;
}

void html_bytes_int(struct html_bytes *bytes, int64_t value)
{
    uint64_t twice = (uint64_t)value << 1;
    html_bytes_uint(bytes, value < 0 ? ~twice : twice);
}

void html_bytes_append(struct html_bytes *bytes, const struct html_bytes *more)
{
    bytes->failed |= more->failed;
    if (!more->count || !reserve(bytes, more->count))
        return;
    memcpy(bytes->at + bytes->count, more->at, more->count);
    bytes->count += more->count;
}

void html_bytes_text(struct html_bytes *bytes, struct text text, size_t most)
{
    size_t size = text.size < most ? text.size : most;
    /* the bytes that go on with a character begin with the bits 10 */
    while (size < text.size && size > 0 && most - size < 3 &&
           ((unsigned char)text.bytes[size] & 0xc0) == 0x80)
        size--;
    html_bytes_uint(bytes, size);
    if (!size || !reserve(bytes, size))
        return;
    memcpy(bytes->at + bytes->count, text.bytes, size);
    bytes->count += size;
}

/* ---- into the page ---- */

static char *put_group(char *to, const uint8_t *from, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t group = (uint32_t)from[0] << 16;
    group |= size > 1 ? (uint32_t)from[1] << 8 : 0;
    group |= size > 2 ? from[2] : 0;
    *to++ = digits[group >> 18];
    *to++ = digits[group >> 12 & 63];
    *to++ = size > 1 ? digits[group >> 6 & 63] : '=';
    *to++ = size > 2 ? digits[group & 63] : '=';
    return to;
}

/* A string that JSON need not escape. */
static bool write_base64(struct json_out *out, const uint8_t *bytes, size_t count)
{
    char *text = malloc(count / 3 * 4 + 4 + 2), *to = text;
    if (!text)
        return false;
    *to++ = '"';
    for (size_t i = 0; i < count; i += 3)
        to = put_group(to, bytes + i, count - i);
    *to++ = '"';
    json_quoted(out, text, (size_t)(to - text));
    free(text);
    return true;
}

#ifdef PROF_HAVE_ZLIB
static bool write_deflated(struct json_out *out, const struct html_bytes *bytes)
{
    uLongf size = compressBound(bytes->count);
    uint8_t *packed = malloc(size);
    if (!packed)
        return false;
    bool written = compress2(packed, &size, bytes->at, bytes->count, 6) == Z_OK;
    json_members(out, "\"packing\":\"deflate\""), json_key(out, "data");
    written = written && write_base64(out, packed, size);
    free(packed);
    return written;
}
#endif

bool html_bytes_write(struct json_out *out, const struct html_bytes *bytes)
{
    if (bytes->failed)
        return false;
#ifdef PROF_HAVE_ZLIB
    if (bytes->count)
        return write_deflated(out, bytes);
#endif
    json_members(out, "\"packing\":\"none\""), json_key(out, "data");
    return write_base64(out, bytes->at, bytes->count);
}
