/* sheet.c - see sheet.h. */
#include "sheet.h"

#include "bytes_text.h"
#include "show_text.h"
#include "time_text.h"

#include <inttypes.h>
#include <math.h>

#define SHEET_WIDTH_MAX 4096u

static bool is_text(const struct sheet *sheet)
{
    return sheet->format == SHEET_TEXT;
}

static bool is_json(const struct sheet *sheet)
{
    return sheet->format == SHEET_JSON;
}

static uint32_t count_columns(const struct sheet_column *columns)
{
    uint32_t count = 0;
    while (columns[count].key)
        count++;
    return count;
}

static void begin_grid(struct sheet *sheet, const char *name, const char *title)
{
    if (sheet->tables++)
        fputc('\n', sheet->stream);
    if (is_text(sheet))
        fprintf(sheet->stream, "%s\n\n", title);
    else
        fprintf(sheet->stream, "# %s\n", name);
    grid_init(&sheet->grid, count_columns(sheet->columns));
    for (const struct sheet_column *column = sheet->columns; column->key; column++)
        grid_string(&sheet->grid, is_text(sheet) ? column->header : column->key);
}

void sheet_begin(struct sheet *sheet, const char *name, const char *title,
                 const struct sheet_column *columns)
{
    sheet->columns = columns;
    sheet->rows = 0;
    sheet->column = 0;
    if (!is_json(sheet)) {
        begin_grid(sheet, name, title);
        return;
    }
    json_newline(sheet->json);
    json_string(sheet->json, name), json_colon(sheet->json);
    json_array_begin(sheet->json);
}

static void end_grid(struct sheet *sheet)
{
    enum grid_style style = sheet->format == SHEET_TSV   ? GRID_TSV
                            : sheet->format == SHEET_CSV ? GRID_CSV
                                                         : GRID_ALIGNED;
    if (is_text(sheet) && sheet->rows == 0)
        fputs("(none)\n", sheet->stream);
    else if (!grid_write(&sheet->grid, style, NULL, sheet->stream))
        sheet->failed = true;
    grid_fini(&sheet->grid);
    if (is_text(sheet) && sheet->most >= 0 && sheet->rows > sheet->most)
        fprintf(sheet->stream, "%" PRId64 " of %" PRId64 " rows\n", sheet->most, sheet->rows);
}

void sheet_end(struct sheet *sheet)
{
    if (!is_json(sheet)) {
        end_grid(sheet);
        return;
    }
    if (sheet->rows)
        json_object_end(sheet->json);
    json_array_end(sheet->json);
}

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
    return !is_text(sheet) || sheet->most < 0 || sheet->rows <= sheet->most;
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
    grid_format(&sheet->grid, "%s%s", shown, rest ? "..." : "");
}

void sheet_text(struct sheet *sheet, struct text text)
{
    if (next_cell(sheet))
        json_text(sheet->json, text);
    else if (is_text(sheet))
        add_short(sheet, text);
    else
        grid_text(&sheet->grid, text);
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
    if (!is_text(sheet)) {
        sheet_int(sheet, ns);
        return;
    }
    next_cell(sheet);
    time_text((double)ns, text);
    grid_string(&sheet->grid, text);
}

void sheet_bytes(struct sheet *sheet, uint64_t bytes)
{
    char text[BYTES_TEXT_BYTES];
    if (!is_text(sheet)) {
        sheet_count(sheet, bytes);
        return;
    }
    next_cell(sheet);
    bytes_text(bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX, text);
    grid_string(&sheet->grid, text);
}

void sheet_unknown(struct sheet *sheet)
{
    if (next_cell(sheet))
        json_null(sheet->json);
    else
        grid_string(&sheet->grid, is_text(sheet) ? "unknown" : "");
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
        grid_format(&sheet->grid, is_text(sheet) ? "%.3f" : "%.6f", number);
}

void sheet_duration(struct sheet *sheet, double ns)
{
    char text[TIME_TEXT_BYTES];
    if (!is_text(sheet) || isnan(ns)) {
        sheet_number(sheet, ns);
        return;
    }
    next_cell(sheet);
    time_text(ns, text);
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
        grid_format(&sheet->grid, is_text(sheet) ? "%.2f%%" : "%.4f", percent);
}
