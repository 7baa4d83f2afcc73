/* json_escape.c - UTF-8 validation and escaping, one character at a time past the plain ASCII run.
 * */
#include "json_escape.h"

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

/* `next` is the byte behind, 0 at the end. */
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
    while (at < size && at < JSON_ESCAPE_PIECE - 4) {
        size_t taken;
        written += put_character(from + at, size - at, to + written, &taken);
        at += taken;
    }
    *used = at;
    return written;
}
