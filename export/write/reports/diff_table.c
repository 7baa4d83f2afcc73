/* diff_table.c - see diff_table.h. */
#include "diff_table.h"

#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 21u
#define BOLD "\033[1m"
#define RED "\033[31m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"

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

/* What the row is called on a side where it is: a name, or ranges from the outermost in as "outer > inner".
 * To free(); NULL: no memory. */
static char *name_on(const struct diff *diff, const struct diff_row *row, unsigned side,
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
    char *full = name_on(diff, row, side, by), *text = full ? shown(full) : NULL;
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

/* "+1.200ms", "-3.000us"; "0.000us" of no difference. */
static void delta_text(double ns, enum time_unit unit, char to[DIFF_TEXT_BYTES])
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

/* ---- rows ---- */

struct writer {
    const struct diff *diff;
    const struct diff_table *table;
    const struct write_diff_options *options;
    struct grid *grid;
    uint8_t *ranks; /* by column; written with its title */
    bool device;    /* the columns of what ranges launched */
};

/* ---- cells for people ---- */

static bool is_here(const struct diff_row *row, unsigned side)
{
    return row->entry[side] != TL_NONE;
}

static void number_cell(struct grid *grid, double value)
{
    char text[DIFF_TEXT_BYTES];
    diff_text_number(value, text);
    grid_string(grid, text);
}

static void time_cell(const struct writer *writer, double ns)
{
    char text[TIME_TEXT_BYTES];
    if (isnan(ns)) {
        grid_string(writer->grid, "-");
        return;
    }
    time_text_in(ns, writer->options->unit, text);
    grid_string(writer->grid, text);
}

static void calls_cells(const struct writer *writer, const struct diff_row *row)
{
    for (unsigned side = 0; side < 2; side++)
        if (is_here(row, side))
            number_cell(writer->grid, row->count[side]);
        else
            grid_string(writer->grid, "-");
}

static void samples_cells(const struct writer *writer, const struct diff_measure *measure)
{
    for (unsigned side = 0; side < 2; side++)
        grid_format(writer->grid, "%llu", (unsigned long long)measure->samples[side]);
}

static void times_cells(const struct writer *writer, const double ns[2])
{
    time_cell(writer, ns[0]);
    time_cell(writer, ns[1]);
}

/* No sign of what is rounded to nothing. */
static void percent_cell(struct grid *grid, double percent)
{
    if (fabs(percent) < 0.05)
        grid_string(grid, "0.0%");
    else
        grid_format(grid, "%+.1f%%", percent);
}

static void delta_cells(const struct writer *writer, const struct diff_row *row)
{
    char text[DIFF_TEXT_BYTES];
    delta_text(row->delta_ns, writer->options->unit, text);
    grid_string(writer->grid, text);
    if (isnan(row->share))
        grid_string(writer->grid, "unknown");
    else
        percent_cell(writer->grid, row->share * 100);
}

static void ratio_cells(const struct writer *writer, const struct diff_row *row,
                        const struct diff_measure *measure)
{
    const struct bootstrap_interval *ratio = &measure->ratio;
    bool both = is_here(row, 0) && is_here(row, 1) && measure->samples[0] && measure->samples[1];
    if (isfinite(ratio->ratio))
        grid_format(writer->grid, "%.3f", ratio->ratio);
    else
        grid_string(writer->grid, both ? "unknown" : "-");
    if (!ratio->known)
        grid_string(writer->grid, both ? "unknown" : "-");
    else if (isinf(ratio->high))
        grid_format(writer->grid, "%.3f or more", ratio->low);
    else
        grid_format(writer->grid, "%.3f to %.3f", ratio->low, ratio->high);
}

static const char *color_of(enum diff_verdict verdict)
{
    switch (verdict) {
    case DIFF_SLOWER:
    case DIFF_MORE_CALLS:
        return RED;
    case DIFF_FASTER:
    case DIFF_FEWER_CALLS:
        return GREEN;
    case DIFF_NEW:
    case DIFF_GONE:
        return YELLOW;
    default:
        return NULL;
    }
}

static void verdict_cell(const struct writer *writer, enum diff_verdict verdict)
{
    grid_string(writer->grid, verdict == DIFF_UNKNOWN ? "too few" : diff_verdict_name(verdict));
    if (writer->options->color)
        grid_color(writer->grid, color_of(verdict));
}

static void device_cells(const struct writer *writer, const struct diff_row *row)
{
    if (row->device.samples[0] || row->device.samples[1])
        verdict_cell(writer, row->device.verdict);
    else
        grid_string(writer->grid, "-");
    ratio_cells(writer, row, &row->device);
    times_cells(writer, row->device.total_ns);
}

static void row_cells(const struct writer *writer, const struct diff_row *row)
{
    char *name =
        diff_text_short_name(writer->diff, row, writer->table->by, writer->options->name_width);
    if (name)
        grid_whole_text(writer->grid, (struct text){name, strlen(name)});
    else
        writer->grid->failed = true;
    free(name);
    verdict_cell(writer, row->time.verdict);
    ratio_cells(writer, row, &row->time);
    delta_cells(writer, row);
    calls_cells(writer, row);
    if (writer->diff->per_step)
        samples_cells(writer, &row->time);
    times_cells(writer, row->time.total_ns);
    times_cells(writer, row->time.mean_ns);
    times_cells(writer, row->time.median_ns);
    if (writer->device)
        device_cells(writer, row);
}

/* ---- titles for people; `rank` as in fit.h ---- */

static void title(const struct writer *writer, const char *text, uint8_t rank)
{
    writer->ranks[writer->grid->count] = rank;
    grid_string(writer->grid, text);
    if (writer->options->color)
        grid_color(writer->grid, BOLD);
}

static void titles_of(const struct writer *writer, const char *what, uint8_t rank)
{
    for (unsigned side = 0; side < 2; side++) {
        char text[512];
        snprintf(text, sizeof text, "%.400s %s", writer->options->names[side], what);
        title(writer, text, rank);
    }
}

static void titles(const struct writer *writer)
{
    bool per_step = writer->diff->per_step;
    title(writer, "Name", 0);
    title(writer, "Verdict", 0), title(writer, "Ratio", 1), title(writer, "Interval", 4);
    title(writer, "Delta", 0), title(writer, "Share", 5);
    titles_of(writer, per_step ? "calls/step" : "calls", 8);
    if (per_step)
        titles_of(writer, "n", 11);
    titles_of(writer, per_step ? "total/step" : "total", 9);
    titles_of(writer, "mean", 3);
    titles_of(writer, "median", 12);
    if (!writer->device)
        return;
    title(writer, "On device", 2), title(writer, "Ratio", 6), title(writer, "Interval", 10);
    titles_of(writer, "device", 7);
}

static bool has_device(const struct diff_table *table)
{
    for (uint32_t i = 0; i < table->rows.count; i++)
        if (table->rows.at[i].device.samples[0] || table->rows.at[i].device.samples[1])
            return true;
    return false;
}

bool diff_table_write(const struct diff *diff, const struct diff_table *table,
                      const struct write_diff_options *options, FILE *stream)
{
    struct grid grid;
    uint8_t ranks[COLUMNS_MAX] = {0};
    struct writer writer = {diff, table, options, &grid, ranks, has_device(table)};
    enum grid_style style = write_format_style(options->format);
    uint32_t rows = table->rows.count;
    if (options->rows >= 0 && options->rows < rows)
        rows = (uint32_t)options->rows;
    grid_init(&grid, 14u + (diff->per_step ? 2 : 0) + (writer.device ? 5 : 0));
    titles(&writer);
    grid.ranks = ranks;
    grid.table_width = options->table_width;
    for (uint32_t i = 0; i < rows && !grid.failed; i++)
        row_cells(&writer, &table->rows.at[i]);
    bool written = grid_write(&grid, style, NULL, stream);
    grid_fini(&grid);
    return written;
}

/* ---- cells for programs ---- */

static void plain_cell(struct grid *grid, double value)
{
    if (isfinite(value))
        grid_format(grid, "%.15g", value);
    else
        grid_string(grid, "");
}

static void plain_cells(struct grid *grid, const double values[2])
{
    plain_cell(grid, values[0]);
    plain_cell(grid, values[1]);
}

static void plain_measure(struct grid *grid, const struct diff_measure *measure)
{
    grid_format(grid, "%llu", (unsigned long long)measure->samples[0]);
    grid_format(grid, "%llu", (unsigned long long)measure->samples[1]);
    plain_cells(grid, measure->total_ns);
    plain_cells(grid, measure->mean_ns);
    plain_cells(grid, measure->median_ns);
    plain_cell(grid, measure->ratio.ratio);
    plain_cell(grid, measure->ratio.low);
    plain_cell(grid, measure->ratio.high);
    bool none = !measure->samples[0] && !measure->samples[1];
    grid_string(grid, none ? "" : diff_verdict_name(measure->verdict));
}

static void plain_name(const struct writer *writer, const struct diff_row *row, unsigned side)
{
    char *name =
        is_here(row, side) ? name_on(writer->diff, row, side, writer->table->by) : strdup("");
    if (name)
        grid_whole_text(writer->grid, (struct text){name, strlen(name)});
    else
        writer->grid->failed = true;
    free(name);
}

static void plain_row(const struct writer *writer, const struct diff_row *row)
{
    struct grid *grid = writer->grid;
    grid_string(grid, diff_by_name(writer->table->by));
    plain_name(writer, row, 0), plain_name(writer, row, 1);
    grid_string(grid, row->match == DIFF_SAME_NAME ? "name"
                      : row->ambiguous             ? "ambiguous"
                                                   : "renamed");
    plain_cells(grid, row->count);
    plain_measure(grid, &row->time);
    plain_cell(grid, row->delta_ns);
    plain_cell(grid, row->share);
    plain_measure(grid, &row->device);
    plain_cell(grid, row->device_delta_ns);
}

static void plain_titles_of(const struct writer *writer, const char *prefix, const char *what)
{
    char title[256];
    for (unsigned side = 0; side < 2; side++) {
        int size = snprintf(title, sizeof title, "%.200s_%s%s", writer->options->names[side],
                            prefix, what);
        grid_text(writer->grid, (struct text){title, (size_t)size});
    }
}

static void plain_measure_titles(const struct writer *writer, const char *prefix)
{
    static const char *const pairs[] = {"n", "total_ns", "mean_ns", "median_ns"};
    static const char *const singles[] = {"ratio", "ratio_low", "ratio_high", "verdict"};
    for (unsigned i = 0; i < 4; i++)
        plain_titles_of(writer, prefix, pairs[i]);
    for (unsigned i = 0; i < 4; i++)
        grid_format(writer->grid, "%s%s", prefix, singles[i]);
}

static void plain_titles(const struct writer *writer)
{
    grid_string(writer->grid, "by");
    plain_titles_of(writer, "", "name");
    grid_string(writer->grid, "match");
    plain_titles_of(writer, "", "calls");
    plain_measure_titles(writer, "");
    grid_string(writer->grid, "delta_ns"), grid_string(writer->grid, "share");
    plain_measure_titles(writer, "device_");
    grid_string(writer->grid, "device_delta_ns");
}

bool diff_table_write_rows(const struct diff *diff, const struct write_diff_options *options,
                           FILE *stream)
{
    struct grid grid;
    struct writer writer = {diff, NULL, options, &grid, NULL, true};
    grid_init(&grid, 33);
    plain_titles(&writer);
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++) {
        writer.table = &diff->tables[by];
        if (!(diff->options.tables & 1u << by))
            continue;
        for (uint32_t i = 0; i < writer.table->rows.count && !grid.failed; i++)
            if (options->rows < 0 || i < options->rows)
                plain_row(&writer, &writer.table->rows.at[i]);
    }
    bool written = grid_write(&grid, write_format_style(options->format), NULL, stream);
    grid_fini(&grid);
    return written;
}
