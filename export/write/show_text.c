/* show_text.c - one character at a time; the longest escape, \u202e, has six. */
#include "show_text.h"

#include "json_escape.h"

#include <stdio.h>
#include <string.h>

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

/* Bytes from `at` on that are shown as they are, a column each, up to `limit`: nearly all of every name. */
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
