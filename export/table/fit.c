/* fit.c - see fit.h. */
#define _GNU_SOURCE
#include "fit.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define GAP 2u
#define WIDTH_MAX 4096ul
#define INDENT 4u   /* of what was folded */
#define KEY_MAX 12u /* "GPU mode:" */

/* ---- the terminal ---- */

unsigned fit_terminal_width(int descriptor)
{
    struct winsize size = {0};
    if (descriptor < 0 || !isatty(descriptor))
        return 0;
    const char *columns = getenv("COLUMNS");
    char *end = NULL;
    unsigned long wanted = columns ? strtoul(columns, &end, 10) : 0;
    if (wanted > 0 && wanted <= WIDTH_MAX && !*end)
        return (unsigned)wanted;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* ---- columns ---- */

/* Of the columns that are not left out, as they are, or each of its least width. */
static unsigned table_width(const struct fit_column *columns, unsigned count, bool least)
{
    unsigned width = 0;
    for (unsigned i = 0; i < count; i++)
        if (!columns[i].left_out)
            width += (least ? columns[i].least : columns[i].width) + GAP;
    return width ? width - GAP : 0;
}

/* False: nothing more may be left out. */
static bool leave_out(struct fit_column *columns, unsigned count)
{
    unsigned rank = 0;
    for (unsigned i = 0; i < count; i++)
        if (!columns[i].left_out && columns[i].rank > rank)
            rank = columns[i].rank;
    for (unsigned i = 0; i < count && rank; i++)
        columns[i].left_out |= columns[i].rank == rank;
    return rank != 0;
}

/* False: no text is wider than the least. */
static bool cut_widest(struct fit_column *columns, unsigned count)
{
    struct fit_column *widest = NULL;
    for (unsigned i = 0; i < count; i++)
        if (!columns[i].left_out && columns[i].width > columns[i].least &&
            (!widest || columns[i].width > widest->width))
            widest = &columns[i];
    if (widest)
        widest->width--;
    return widest != NULL;
}

unsigned fit_width(const struct fit_column *columns, unsigned count)
{
    return table_width(columns, count, false);
}

void fit_columns(struct fit_column *columns, unsigned count, unsigned width)
{
    while (table_width(columns, count, true) > width && leave_out(columns, count))
        ;
    while (table_width(columns, count, false) > width && cut_widest(columns, count))
        ;
}

void fit_text(const char *text, unsigned columns, unsigned width, char *to)
{
    unsigned kept = width > 3 ? width - 3 : 0, front = kept - kept / 3;
    size_t from = utf8_prefix(text, front), rest = utf8_prefix(text, columns - (kept - front));
    memcpy(to, text, from);
    memcpy(to + from, "...", 3);
    strcpy(to + from + 3, text + rest);
}

/* ---- lines ---- */

/* Bytes of a terminal's escape sequence, which takes no column; 0: there is none. */
static size_t escape_bytes(const char *at, size_t size)
{
    const char *end = size > 2 && at[0] == 033 && at[1] == '[' ? memchr(at, 'm', size) : NULL;
    return end ? (size_t)(end - at) + 1 : 0;
}

/* Bytes of the line that fit: up to the last blank between words, or all of the first word. */
static size_t folded_bytes(const char *line, size_t size, unsigned width)
{
    size_t blank = 0, begin = strspn(line, " ");
    unsigned used = (unsigned)begin;
    for (size_t at = begin; at < size; at++) {
        at += escape_bytes(line + at, size - at);
        if (at >= size)
            break;
        used += ((unsigned char)line[at] & 0xc0) != 0x80;
        if (line[at] == ' ' && (used <= width + 1 || !blank))
            blank = at;
        if (used > width && blank)
            return blank;
    }
    return size;
}

/* Where the value after "Key:   " begins, else INDENT. */
static unsigned indent_of(const char *line, size_t size)
{
    const char *colon = memchr(line, ':', size < KEY_MAX ? size : KEY_MAX);
    size_t blanks = colon ? strspn(colon + 1, " ") : 0;
    return blanks >= 2 ? (unsigned)(colon + 1 - line) + (unsigned)blanks : INDENT;
}

static void fold(const char *line, size_t size, unsigned width, FILE *stream)
{
    unsigned room = width, indent = indent_of(line, size);
    for (;;) {
        size_t bytes = folded_bytes(line, size, room);
        fwrite(line, 1, bytes, stream);
        line += bytes, size -= bytes;
        size_t blanks = strspn(line, " ");
        if (blanks >= size)
            break;
        line += blanks, size -= blanks;
        fprintf(stream, "\n%*s", (int)indent, "");
        room = width > 2 * indent ? width - indent : indent;
    }
    fputc('\n', stream);
}

void fit_lines(const char *text, unsigned width, FILE *stream)
{
    while (*text) {
        size_t size = strcspn(text, "\n");
        fold(text, size, width, stream);
        text += size;
        text += *text == '\n';
    }
}

bool fit_written(bool (*write)(const void *user, FILE *stream), const void *user, unsigned width,
                 FILE *stream)
{
    char *text = NULL;
    size_t size = 0;
    if (!width)
        return write(user, stream);
    FILE *lines = open_memstream(&text, &size);
    bool written = lines && write(user, lines);
    if (lines)
        written = fclose(lines) == 0 && written;
    if (written)
        fit_lines(text, width, stream);
    free(text);
    return written;
}

/* ---- what was left out ---- */

struct note {
    const struct fit_column *columns;
    unsigned count, width;
};

static bool write_note(const void *user, FILE *stream)
{
    const struct note *note = user;
    const char *between = "Left out: ";
    for (unsigned i = 0; i < note->count; i++) {
        if (!note->columns[i].left_out)
            continue;
        fprintf(stream, "%s%s", between, note->columns[i].title);
        between = ", ";
    }
    fprintf(stream, " (to fit %u characters; --wide shows all)\n", note->width);
    return true;
}

void fit_note(const struct fit_column *columns, unsigned count, unsigned width, FILE *stream)
{
    const struct note note = {columns, count, width};
    bool any = false;
    for (unsigned i = 0; i < count; i++)
        any |= columns[i].left_out;
    if (any)
        fit_written(write_note, &note, width, stream);
}

/* ---- paragraphs; every character that is shown is taken for one column ---- */

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
