/* text.c - UTF-8, and how text of any bytes is shown. */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Smallest character that needs a sequence of this many bytes: what is below is overlong. */
static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};

static size_t sequence_length(uint8_t lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef)
        return 3;
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

size_t utf8_decode(const char *from, size_t size, uint32_t *character)
{
    const uint8_t *bytes = (const uint8_t *)from;
    size_t length = size ? sequence_length(bytes[0]) : 0;
    if (length == 0 || length > size)
        return 0;
    uint32_t value = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3f);
    }
    if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *character = value;
    return length;
}

bool utf8_is_unsafe(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

bool utf8_is_valid(struct text text)
{
    uint32_t character;
    for (size_t at = 0, size; at < text.size; at += size)
        if (!(size = utf8_decode(text.bytes + at, text.size - at, &character)))
            return false;
    return true;
}

size_t utf8_prefix(const char *text, unsigned characters)
{
    size_t at = 0;
    for (; text[at] && characters; characters--) {
        at++;
        while (((unsigned char)text[at] & 0xc0) == 0x80)
            at++;
    }
    return at;
}

size_t utf8_mend(struct text text, char *to)
{
    size_t used = 0, size;
    uint32_t character;
    for (size_t at = 0; at < text.size; at += size ? size : 1) {
        size = utf8_decode(text.bytes + at, text.size - at, &character);
        memcpy(to + used, size ? text.bytes + at : "\xef\xbf\xbd", size ? size : 3);
        used += size ? size : 3;
    }
    return used;
}

/* One character at a time; the longest escape, \u202e, has six. */

struct shown {
    char bytes[8];
    unsigned size;
    unsigned columns;
    size_t used; /* of the input */
};

static struct shown shown_escape(const char *format, unsigned value, size_t used)
{
    struct shown shown = {.used = used};
    shown.size = (unsigned)snprintf(shown.bytes, sizeof shown.bytes, format, value);
    shown.columns = shown.size;
    return shown;
}

static struct shown show_character(const char *from, size_t size)
{
    struct shown shown;
    uint32_t character;
    size_t length = utf8_decode(from, size, &character);
    if (length == 0)
        return shown_escape("\\x%02x", (uint8_t)*from, 1);
    if (character == '\n' || character == '\t')
        return shown_escape("\\%c", character == '\n' ? 'n' : 't', 1);
    if (utf8_is_unsafe(character))
        return shown_escape(character < 0x80 ? "\\x%02x" : "\\u%04x", character, length);
    shown = (struct shown){.size = (unsigned)length, .columns = 1, .used = length};
    memcpy(shown.bytes, from, length);
    return shown;
}

/* Bytes from `at` on that are shown as they are, a column each, up to `limit`: nearly all of every
 * name. */
static size_t plain_bytes(struct text text, size_t at, unsigned limit)
{
    size_t count = 0, most = text.size - at < limit ? text.size - at : limit;
    while (count < most && text.bytes[at + count] >= ' ' && text.bytes[at + count] <= '~')
        count++;
    return count;
}

unsigned show_text(struct text text, unsigned columns, char *to, bool *rest)
{
    unsigned width = 0;
    size_t at = 0;
    while (at < text.size) {
        size_t plain = plain_bytes(text, at, columns - width);
        memcpy(to, text.bytes + at, plain);
        to += plain;
        width += (unsigned)plain;
        at += plain;
        if (at == text.size)
            break;
        struct shown shown = show_character(text.bytes + at, text.size - at);
        if (width + shown.columns > columns)
            break;
        memcpy(to, shown.bytes, shown.size);
        to += shown.size;
        width += shown.columns;
        at += shown.used;
    }
    *to = '\0';
    *rest = at < text.size;
    return width;
}

unsigned show_text_cut(struct text text, unsigned columns, char *to)
{
    bool rest;
    unsigned width = show_text(text, columns, to, &rest);
    if (!rest || columns <= 3)
        return width;
    width = show_text(text, columns - 3, to, &rest) + 3;
    memcpy(to + strlen(to), "...", 4);
    return width;
}

unsigned show_text_width(struct text text, unsigned limit)
{
    unsigned width = 0;
    for (size_t at = 0; at < text.size && width < limit;) {
        size_t plain = plain_bytes(text, at, limit - width);
        width += (unsigned)plain;
        at += plain;
        if (at == text.size || width == limit)
            break;
        struct shown shown = show_character(text.bytes + at, text.size - at);
        width += shown.columns;
        at += shown.used;
    }
    return width;
}

#define FIRST_BYTES 4096u

void text_out_fini(struct text_out *out)
{
    free(out->bytes);
    *out = (struct text_out){0};
}

char *text_out_grow(struct text_out *out, size_t size)
{
    size_t capacity = out->capacity ? out->capacity : FIRST_BYTES;
    while (capacity - out->size < size && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    char *bytes = out->failed || capacity - out->size < size ? NULL : realloc(out->bytes, capacity);
    if (!bytes) {
        out->failed = true;
        return NULL;
    }
    out->bytes = bytes;
    out->capacity = capacity;
    return bytes + out->size;
}

#define COLUMNS_MAX 400u

static void put(FILE *stream, char c)
{
    switch (c) {
    case '&':
        fputs("&amp;", stream);
        break;
    case '<':
        fputs("&lt;", stream);
        break;
    case '>':
        fputs("&gt;", stream);
        break;
    case '"':
        fputs("&quot;", stream);
        break;
    case '\'':
        fputs("&#39;", stream);
        break;
    default:
        putc(c, stream);
    }
}

void xml_text(FILE *stream, struct text text, unsigned columns)
{
    char shown[SHOW_TEXT_BYTES(COLUMNS_MAX)];
    bool rest;
    show_text(text, columns < COLUMNS_MAX ? columns : COLUMNS_MAX, shown, &rest);
    for (const char *p = shown; *p; p++)
        put(stream, *p);
    if (rest)
        fputs("...", stream);
}
