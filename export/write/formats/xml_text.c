/* xml_text.c - see xml_text.h. */
#include "xml_text.h"

#include "text.h"

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
