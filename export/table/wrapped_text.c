/* wrapped_text.c - see wrapped_text.h. Every character that is shown is taken for one column. */
#include "wrapped_text.h"

#include "text.h"

#include <stdbool.h>
#include <string.h>

#define TEXT_COLUMNS 1200u

static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

/* How many bytes the next line takes: up to the last blank that fits, else as much as fits. */
static size_t line_bytes(const char *text, unsigned columns)
{
    size_t size = 0, blank = 0;
    for (unsigned used = 0; text[size]; size++) {
        if (text[size] == ' ')
            blank = size;
        if (begins_character(text[size]) && used++ == columns)
            return blank ? blank : size;
    }
    return size;
}

void wrapped_text(FILE *stream, unsigned width, const char *first, const char *text)
{
    char shown[SHOW_TEXT_BYTES(TEXT_COLUMNS)];
    int indent = (int)strlen(first);
    unsigned all = width && width < WRAPPED_COLUMNS ? width : WRAPPED_COLUMNS;
    unsigned columns = (unsigned)indent < all / 2 ? all - (unsigned)indent : all / 2;
    bool rest;
    show_text((struct text){text, strlen(text)}, TEXT_COLUMNS, shown, &rest);
    fputs(first, stream);
    for (const char *at = shown;;) {
        size_t size = line_bytes(at, columns);
        fprintf(stream, "%.*s", (int)size, at);
        at += size;
        at += strspn(at, " ");
        if (!*at)
            break;
        fprintf(stream, "\n%*s", indent, "");
    }
    fputs(rest ? "...\n" : "\n", stream);
}
