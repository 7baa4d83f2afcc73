/* diff_text.c - see diff_text.h. */
#include "diff_text.h"

#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a name that are looked at when it is cut. */
#define WIDTH_MAX 65536u

/* ---- names ---- */

static char *copy_text(struct text text)
{
    char *copy = malloc(text.size + 1);
    if (!copy)
        return NULL;
    if (text.size)
        memcpy(copy, text.bytes, text.size);
    copy[text.size] = 0;
    return copy;
}

/* Written from the back, as paths know their parents. */
static char *path_text(const struct key_averages *averages, uint32_t path)
{
    size_t size = 0;
    for (uint32_t at = path; at != TL_NONE; at = averages->paths[at].parent)
        size += averages->paths[at].name.size + 3;
    char *text = malloc(size + 1), *to = text + size;
    if (!text)
        return NULL;
    for (uint32_t at = path; at != TL_NONE; at = averages->paths[at].parent) {
        struct text name = averages->paths[at].name;
        to -= name.size;
        if (name.size)
            memcpy(to, name.bytes, name.size);
        to -= 3;
        memcpy(to, " > ", 3);
    }
    if (size) {
        memmove(text, text + 3, size - 3);
        size -= 3;
    }
    text[size] = 0;
    return text;
}

char *diff_text_name(const struct diff *diff, const struct diff_row *row, unsigned side,
                     enum diff_by by)
{
    const struct diff_side *of = diff->sides[side];
    const struct diff_entry *entry = &of->entries.at[row->entry[side]];
    return by == DIFF_BY_PATH ? path_text(&of->averages, entry->path) : copy_text(entry->name);
}

static char *shown(const char *text)
{
    struct text all = {text, strlen(text)};
    unsigned columns = show_text_width(all, WIDTH_MAX);
    char *to = malloc(SHOW_TEXT_BYTES(columns));
    bool rest;
    if (to)
        show_text(all, columns, to, &rest);
    return to;
}

/* Where so many characters of UTF-8 end. */
static size_t bytes_of(const char *text, unsigned columns)
{
    size_t at = 0;
    for (; text[at] && columns; columns--) {
        at++;
        while (((unsigned char)text[at] & 0xc0) == 0x80)
            at++;
    }
    return at;
}

/* Takes from `text`, `columns` wide, what is too much: `front` characters stay in front of "...". */
static void cut(char *text, unsigned columns, unsigned width, unsigned front)
{
    if (columns <= width || width < front + 3)
        return;
    size_t from = bytes_of(text, front), rest = bytes_of(text, columns - (width - 3 - front));
    memmove(text + from + 3, text + rest, strlen(text + rest) + 1);
    memcpy(text + from, "...", 3);
}

/* To free(). */
static char *one_name(const struct diff *diff, const struct diff_row *row, unsigned side,
                      enum diff_by by, unsigned width)
{
    char *full = diff_text_name(diff, row, side, by), *text = full ? shown(full) : NULL;
    free(full);
    if (text) {
        unsigned columns = show_text_width((struct text){text, strlen(text)}, UINT32_MAX);
        cut(text, columns, width, by == DIFF_BY_PATH ? 0 : (width - 3) / 2);
    }
    return text;
}

char *diff_text_short_name(const struct diff *diff, const struct diff_row *row, enum diff_by by,
                           unsigned width)
{
    if (row->match != DIFF_RENAMED)
        return one_name(diff, row, row->entry[1] == TL_NONE ? 0 : 1, by, width);
    char *before = one_name(diff, row, 0, by, width), *after = one_name(diff, row, 1, by, width);
    size_t size = before && after ? strlen(before) + strlen(after) + 16 : 0;
    char *both = size ? malloc(size) : NULL;
    if (both)
        snprintf(both, size, "%s -> %s%s", before, after, row->ambiguous ? " (?)" : "");
    free(before);
    free(after);
    return both;
}

/* ---- numbers ---- */

void diff_text_delta(double ns, enum time_unit unit, char to[DIFF_TEXT_BYTES])
{
    char text[TIME_TEXT_BYTES];
    time_text_in(fabs(ns), unit, text);
    bool is_nothing = strspn(text, "0.") == strcspn(text, "nums");
    snprintf(to, DIFF_TEXT_BYTES, "%s%s", is_nothing ? "" : ns > 0 ? "+" : "-", text);
}

void diff_text_number(double value, char to[DIFF_TEXT_BYTES])
{
    snprintf(to, DIFF_TEXT_BYTES, "%.3f", value);
    size_t size = strlen(to);
    while (size && to[size - 1] == '0')
        to[--size] = 0;
    if (size && to[size - 1] == '.')
        to[size - 1] = 0;
}

/* Per cent that a ratio is above 1. */
static double excess(double ratio)
{
    return (ratio - 1) * 100;
}

static void percent_text(double percent, bool sign, char to[48])
{
    if (!isfinite(percent))
        snprintf(to, 48, "any");
    else if (sign)
        snprintf(to, 48, "%+.1f", percent);
    else
        snprintf(to, 48, "%.1f", percent);
}

static void change_within(const char *words, const double percents[3], bool sign, double confidence,
                          char *to)
{
    char texts[3][48], sure[DIFF_TEXT_BYTES];
    for (unsigned i = 0; i < 3; i++)
        percent_text(percents[i], sign, texts[i]);
    diff_text_number(confidence * 100, sure);
    snprintf(to, DIFF_TEXT_BYTES, "%s %.20s %% (%.10s %%: %.20s to %.20s)", words, texts[0], sure,
             texts[1], texts[2]);
}

void diff_text_change(const struct bootstrap_interval *ratio, double confidence,
                      char to[DIFF_TEXT_BYTES])
{
    double low = excess(ratio->low), high = excess(ratio->high), percent = excess(ratio->ratio);
    switch (diff_verdict_of(ratio)) {
    case DIFF_SLOWER:
        change_within("slower by", (double[]){percent, low, high}, false, confidence, to);
        break;
    case DIFF_FASTER:
        change_within("faster by", (double[]){-percent, -high, -low}, false, confidence, to);
        break;
    case DIFF_SAME:
        change_within("no difference beyond noise:", (double[]){percent, low, high}, true,
                      confidence, to);
        break;
    default:
        if (isfinite(ratio->ratio))
            snprintf(to, DIFF_TEXT_BYTES, "%+.1f %%, too few values to tell from noise", percent);
        else
            snprintf(to, DIFF_TEXT_BYTES, "unknown");
    }
}
