/* sheet.c - see sheet.h. */
#include "sheet.h"

#include "array.h"
#include "markdown_text.h"
#include "text.h"
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHEET_WIDTH_MAX 4096u
#define TITLE_WIDTH_MAX 400u

struct sheet_table {
    const char *name;
    const struct sheet_column *columns;
    struct grid grid;
};

static bool for_people(const struct sheet *sheet)
{
    return write_format_is_for_people(sheet->format);
}

static bool is_json(const struct sheet *sheet)
{
    return sheet->format == WRITE_JSON;
}

static uint32_t count_columns(const struct sheet_column *columns)
{
    uint32_t count = 0;
    while (columns[count].key)
        count++;
    return count;
}

/* ---- tables ---- */

static void print_title(struct sheet *sheet, const char *title)
{
    char shown[SHOW_TEXT_BYTES(TITLE_WIDTH_MAX)];
    bool rest;
    if (sheet->tables)
        fputc('\n', sheet->stream);
    if (!title)
        return;
    show_text((struct text){title, strlen(title)}, TITLE_WIDTH_MAX, shown, &rest);
    if (sheet->format == WRITE_MARKDOWN) {
        fputs("### ", sheet->stream);
        markdown_text(shown, sheet->stream);
    } else {
        fputs(shown, sheet->stream);
    }
    fputs("\n\n", sheet->stream);
}

static void begin_grid(struct sheet *sheet, const char *title)
{
    bool people = for_people(sheet);
    if (people)
        print_title(sheet, title);
    grid_init(&sheet->grid, count_columns(sheet->columns));
    sheet->grid.table_width = sheet->table_width;
    for (const struct sheet_column *column = sheet->columns; column->key; column++)
        grid_string(&sheet->grid, people ? column->header : column->key);
}

void sheet_begin(struct sheet *sheet, const char *name, const char *title,
                 const struct sheet_column *columns)
{
    sheet->name = name;
    sheet->columns = columns;
    sheet->rows = 0;
    sheet->column = 0;
    if (!is_json(sheet)) {
        begin_grid(sheet, title);
    } else {
        json_newline(sheet->json);
        json_string(sheet->json, name), json_colon(sheet->json);
        json_array_begin(sheet->json);
    }
    sheet->tables++;
}

void sheet_ranks(struct sheet *sheet, const uint8_t *ranks)
{
    sheet->grid.ranks = ranks;
}

static void end_for_people(struct sheet *sheet)
{
    bool marked = sheet->format == WRITE_MARKDOWN;
    if (sheet->rows == 0)
        fputs("(none)\n", sheet->stream);
    else if (!grid_write(&sheet->grid, write_format_style(sheet->format), NULL, sheet->stream))
        sheet->failed = true;
    grid_fini(&sheet->grid);
    if (sheet->most >= 0 && sheet->rows > sheet->most)
        fprintf(sheet->stream, "%s%" PRId64 " of %" PRId64 " rows\n", marked ? "\n" : "",
                sheet->most, sheet->rows);
}

/* Separated values wait for the others. */
static void keep(struct sheet *sheet)
{
    if (sheet->done_count < sheet->done_capacity ||
        array_grow(&sheet->done, &sheet->done_capacity, sizeof *sheet->done)) {
        sheet->done[sheet->done_count++] =
            (struct sheet_table){sheet->name, sheet->columns, sheet->grid};
    } else {
        sheet->failed = true;
        grid_fini(&sheet->grid);
    }
    sheet->grid = (struct grid){0};
}

void sheet_end(struct sheet *sheet)
{
    if (for_people(sheet)) {
        end_for_people(sheet);
    } else if (!is_json(sheet)) {
        keep(sheet);
    } else {
        if (sheet->rows)
            json_object_end(sheet->json);
        json_array_end(sheet->json);
    }
}

/* ---- several tables as one ---- */

struct merged {
    const char **keys; /* of the columns behind "table" */
    uint32_t count;
    struct grid grid;
};

static uint32_t find_key(const struct merged *merged, const char *key)
{
    uint32_t i = 0;
    while (i < merged->count && strcmp(merged->keys[i], key) != 0)
        i++;
    return i;
}

static bool merge_keys(struct merged *merged, const struct sheet *sheet)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < sheet->done_count; i++)
        most += count_columns(sheet->done[i].columns);
    merged->keys = malloc((most + 1) * sizeof *merged->keys);
    for (uint32_t i = 0; i < sheet->done_count && merged->keys; i++)
        for (const struct sheet_column *column = sheet->done[i].columns; column->key; column++) {
            uint32_t at = find_key(merged, column->key);
            merged->keys[at] = column->key;
            merged->count += at == merged->count;
        }
    return merged->keys;
}

/* Cells stay where they are: the grid's are empty then. */
static void merge_row(struct merged *merged, const struct sheet_table *table, const uint32_t *from,
                      struct grid_cell *cells)
{
    grid_string(&merged->grid, table->name);
    for (uint32_t i = 0; i < merged->count; i++)
        if (from[i] < table->grid.columns)
            grid_take(&merged->grid, &cells[from[i]]);
        else
            grid_string(&merged->grid, "");
}

/* False: no memory. */
static bool merge_table(struct merged *merged, struct sheet_table *table)
{
    uint32_t *from = calloc(merged->count + 1, sizeof *from), width = table->grid.columns;
    if (!from)
        return false;
    for (uint32_t i = 0; i < merged->count; i++) {
        while (from[i] < width && strcmp(table->columns[from[i]].key, merged->keys[i]) != 0)
            from[i]++;
    }
    for (uint32_t row = width; row + width <= table->grid.count; row += width)
        merge_row(merged, table, from, &table->grid.cells[row]);
    free(from);
    return !table->grid.failed;
}

static bool write_merged(struct sheet *sheet)
{
    struct merged merged = {0};
    bool merging = merge_keys(&merged, sheet);
    grid_init(&merged.grid, merged.count + 1);
    grid_string(&merged.grid, "table");
    for (uint32_t i = 0; i < merged.count; i++)
        grid_string(&merged.grid, merged.keys[i]);
    for (uint32_t i = 0; i < sheet->done_count && merging; i++)
        merging = merge_table(&merged, &sheet->done[i]);
    if (!merging)
        merged.grid.failed = true;
    bool written = grid_write(&merged.grid, write_format_style(sheet->format), NULL, sheet->stream);
    grid_fini(&merged.grid);
    free(merged.keys);
    return written;
}

bool sheet_finish(struct sheet *sheet)
{
    if (sheet->failed)
        errno = ENOMEM;
    else if (sheet->done_count == 1)
        sheet->failed =
            !grid_write(&sheet->done->grid, write_format_style(sheet->format), NULL, sheet->stream);
    else if (sheet->done_count)
        sheet->failed = !write_merged(sheet);
    for (uint32_t i = 0; i < sheet->done_count; i++)
        grid_fini(&sheet->done[i].grid);
    grid_fini(&sheet->grid); /* of a table that was not ended */
    free(sheet->done);
    sheet->done = NULL;
    sheet->done_count = sheet->done_capacity = 0;
    return !sheet->failed && !ferror(sheet->stream);
}

static bool write_object(struct sheet *sheet, bool (*tables)(struct sheet *sheet, void *user),
                         void *user)
{
    struct json_out out;
    bool done = json_out_init(&out, -1, sheet->stream);
    sheet->json = &out;
    json_object_begin(&out);
    done = done && tables(sheet, user);
    json_object_end(&out);
    out.comma = false, json_newline(&out);
    sheet->json = NULL;
    int error = json_out_fini(&out);
    errno = error ? error : ENOMEM;
    return done && error == 0;
}

bool sheet_write(struct sheet *sheet, bool (*tables)(struct sheet *sheet, void *user), void *user)
{
    if (is_json(sheet))
        return write_object(sheet, tables, user);
    if (!tables(sheet, user))
        sheet->failed = true;
    return sheet_finish(sheet);
}

/* ---- rows and cells ---- */

bool sheet_row(struct sheet *sheet)
{
    sheet->column = 0;
    sheet->rows++;
    if (is_json(sheet)) {
        if (sheet->rows > 1)
            json_object_end(sheet->json);
        json_newline(sheet->json);
        json_object_begin(sheet->json);
        return true;
    }
    return !for_people(sheet) || sheet->most < 0 || sheet->rows <= sheet->most;
}

/* Names the cell in JSON; whether it is JSON. */
static bool next_cell(struct sheet *sheet)
{
    const char *key = sheet->columns[sheet->column++].key;
    if (is_json(sheet))
        json_string(sheet->json, key), json_colon(sheet->json);
    return is_json(sheet);
}

/* Cut to the width that people asked for. */
static void add_short(struct sheet *sheet, struct text text)
{
    char shown[SHOW_TEXT_BYTES(SHEET_WIDTH_MAX)];
    unsigned width =
        sheet->width && sheet->width < SHEET_WIDTH_MAX ? sheet->width : SHEET_WIDTH_MAX;
    bool rest;
    show_text(text, width, shown, &rest);
    if (rest)
        strcat(shown, "..."); /* there is room for a character more */
    grid_whole_text(&sheet->grid, (struct text){shown, strlen(shown)});
}

void sheet_text(struct sheet *sheet, struct text text)
{
    if (next_cell(sheet))
        json_text(sheet->json, text);
    else if (for_people(sheet))
        add_short(sheet, text);
    else
        grid_whole_text(&sheet->grid, text);
}

void sheet_string(struct sheet *sheet, const char *string)
{
    sheet_text(sheet, (struct text){string, strlen(string)});
}

void sheet_count(struct sheet *sheet, uint64_t count)
{
    if (next_cell(sheet))
        json_uint(sheet->json, count);
    else
        grid_format(&sheet->grid, "%" PRIu64, count);
}

void sheet_int(struct sheet *sheet, int64_t number)
{
    if (next_cell(sheet))
        json_int(sheet->json, number);
    else
        grid_format(&sheet->grid, "%" PRId64, number);
}

void sheet_ns(struct sheet *sheet, int64_t ns)
{
    char text[TIME_TEXT_BYTES];
    if (!for_people(sheet)) {
        sheet_int(sheet, ns);
        return;
    }
    next_cell(sheet);
    time_text_in((double)ns, sheet->unit, text);
    grid_string(&sheet->grid, text);
}

void sheet_bytes(struct sheet *sheet, uint64_t bytes)
{
    char text[BYTES_TEXT_BYTES];
    if (!for_people(sheet)) {
        sheet_count(sheet, bytes);
        return;
    }
    next_cell(sheet);
    bytes_text(bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX, text);
    grid_string(&sheet->grid, text);
}

void sheet_signed_bytes(struct sheet *sheet, int64_t bytes)
{
    char text[BYTES_TEXT_BYTES];
    if (!for_people(sheet)) {
        sheet_int(sheet, bytes);
        return;
    }
    next_cell(sheet);
    bytes_text(bytes, text);
    grid_string(&sheet->grid, text);
}

void sheet_none(struct sheet *sheet)
{
    if (next_cell(sheet))
        json_null(sheet->json);
    else
        grid_string(&sheet->grid, "");
}

void sheet_unknown(struct sheet *sheet)
{
    if (next_cell(sheet))
        json_null(sheet->json);
    else
        grid_string(&sheet->grid, for_people(sheet) ? "unknown" : "");
}

void sheet_number(struct sheet *sheet, double number)
{
    if (isnan(number)) {
        sheet_unknown(sheet);
        return;
    }
    if (next_cell(sheet))
        json_double(sheet->json, number);
    else
        grid_format(&sheet->grid, for_people(sheet) ? "%.3f" : "%.6f", number);
}

void sheet_duration(struct sheet *sheet, double ns)
{
    char text[TIME_TEXT_BYTES];
    if (!for_people(sheet) || isnan(ns)) {
        sheet_number(sheet, ns);
        return;
    }
    next_cell(sheet);
    time_text_in(ns, sheet->unit, text);
    grid_string(&sheet->grid, text);
}

void sheet_share(struct sheet *sheet, int64_t part, int64_t whole)
{
    if (whole <= 0) {
        sheet_unknown(sheet);
        return;
    }
    double percent = 100.0 * (double)part / (double)whole;
    if (next_cell(sheet))
        json_double(sheet->json, percent);
    else
        grid_format(&sheet->grid, for_people(sheet) ? "%.2f%%" : "%.4f", percent);
}
