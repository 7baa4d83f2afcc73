/* table.c - see table.h. */
#include "table.h"

#include "array.h"
#include "fit.h"
#include "markdown_text.h"
#include "python_text.h"
#include "text.h"
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SHEET_WIDTH_MAX 4096u
#define TITLE_WIDTH_MAX 400u
#define TITLE_BYTES 512u /* of a column */

struct kept_table {
    const char *name;
    struct grid grid;
};

static bool for_people(const struct table *table)
{
    return write_format_is_for_people(table->format);
}

static bool is_json(const struct table *table)
{
    return table->format == WRITE_JSON;
}

static bool is_shown(const struct table *table, const struct table_column *column)
{
    static const uint8_t in[] = {[WRITE_TEXT] = TABLE_IN_TEXT,
                                 [WRITE_TSV] = TABLE_IN_VALUES,
                                 [WRITE_CSV] = TABLE_IN_VALUES,
                                 [WRITE_JSON] = TABLE_IN_JSON,
                                 [WRITE_MARKDOWN] = TABLE_IN_MARKDOWN};
    return !column->in || column->in & in[table->format];
}

/* As text, a ruled table writes its title itself. */
static bool is_framed(const struct table *table)
{
    return table->frame == TABLE_TITLED ||
           (table->frame == TABLE_RULED && table->format != WRITE_TEXT);
}

/* Whether the row that was counted last is one too many. */
static bool is_cut(const struct table *table)
{
    bool is_limited = for_people(table) || (is_json(table) && table->limited);
    return is_limited && table->most >= 0 && table->rows > table->most;
}

/* ---- tables ---- */

static void print_title(struct table *table, const char *title)
{
    char shown[SHOW_TEXT_BYTES(TITLE_WIDTH_MAX)];
    bool rest;
    if (table->tables)
        fputc('\n', table->stream);
    if (!title)
        return;
    show_text((struct text){title, strlen(title)}, TITLE_WIDTH_MAX, shown, &rest);
    if (table->format == WRITE_MARKDOWN) {
        fputs("### ", table->stream);
        markdown_text(shown, table->stream);
    } else {
        fputs(shown, table->stream);
    }
    fputs("\n\n", table->stream);
}

static void add_title(struct table *table, const struct table_column *column)
{
    const char *title = for_people(table) ? column->title : column->key;
    const char *word = table->words[column->word], *at = word ? strstr(title, "%s") : NULL;
    char with_word[TITLE_BYTES];
    if (at) {
        snprintf(with_word, sizeof with_word, "%.*s%s%s", (int)(at - title), title, word, at + 2);
        title = with_word;
    }
    if (column->is_named)
        grid_text(&table->grid, (struct text){title, strlen(title)});
    else
        grid_string(&table->grid, title);
    if (table->title_color && table->frame != TABLE_RULED)
        grid_color(&table->grid, table->title_color);
}

/* Titles are text of the report: they may hold what a file calls its columns. */
static void begin_grid(struct table *table, const char *title)
{
    bool people = for_people(table);
    uint32_t count = 0;
    if (people && is_framed(table) && !table->skips_empty)
        print_title(table, title);
    for (const struct table_column *column = table->columns; column->key; column++)
        if (is_shown(table, column) && count < TABLE_COLUMNS_MAX) {
            table->layout[count++] = (struct grid_column){column->rank, column->left, column->width,
                                                          column->limit, column->least};
        }
    grid_init(&table->grid, count);
    table->grid.table_width = table->table_width;
    table->grid.layout = table->layout;
    table->title = title;
    if (table->frame == TABLE_RULED)
        table->grid.title_color = table->title_color;
    for (const struct table_column *column = table->columns; column->key; column++)
        if (is_shown(table, column))
            add_title(table, column);
}

void table_begin(struct table *table, const char *name, const char *title,
                 const struct table_column *columns)
{
    table->name = name;
    table->columns = columns;
    table->rows = 0;
    table->column = 0;
    if (!is_json(table)) {
        begin_grid(table, title);
    } else {
        if (!table->unbroken)
            json_newline(table->json);
        if (name)
            json_string(table->json, name), json_colon(table->json);
        json_array_begin(table->json);
    }
    table->tables++;
}

static enum grid_style style_of(const struct table *table)
{
    if (table->format != WRITE_TEXT)
        return write_format_style(table->format);
    return table->frame == TABLE_FIXED   ? GRID_FIXED
           : table->frame == TABLE_RULED ? GRID_RULED
                                         : GRID_ALIGNED;
}

static void skip_table(struct table *table)
{
    size_t used = strlen(table->skipped);
    snprintf(table->skipped + used, sizeof table->skipped - used, "%s%s", used ? ", " : "",
             table->name);
    table->tables--;
    grid_fini(&table->grid);
}

static void end_for_people(struct table *table)
{
    bool marked = table->format == WRITE_MARKDOWN;
    if (table->rows == 0 && table->skips_empty) {
        skip_table(table);
        return;
    }
    table->grid.foot = table->foot;
    if (table->skips_empty && is_framed(table)) {
        table->tables--; /* it has been counted */
        print_title(table, table->title);
        table->tables++;
    }
    if (table->rows == 0 && is_framed(table))
        fputs("(none)\n", table->stream);
    else if (!grid_write(&table->grid, style_of(table), table->title, table->stream))
        table->failed = true;
    grid_fini(&table->grid);
    if (table->most >= 0 && table->rows > table->most && is_framed(table))
        fprintf(table->stream, "%s%" PRId64 " of %" PRId64 " rows\n", marked ? "\n" : "",
                table->most, table->rows);
}

/* Separated values wait for the others. */
static void keep(struct table *table)
{
    if (table->done_count < table->done_capacity ||
        array_grow(&table->done, &table->done_capacity, sizeof *table->done)) {
        table->done[table->done_count++] = (struct kept_table){table->name, table->grid};
    } else {
        table->failed = true;
        grid_fini(&table->grid);
    }
    table->grid = (struct grid){0};
}

static void end_object(struct table *table)
{
    if (table->in_row)
        json_object_end(table->json);
    table->in_row = false;
}

void table_end(struct table *table)
{
    if (for_people(table)) {
        end_for_people(table);
    } else if (!is_json(table)) {
        keep(table);
    } else {
        end_object(table);
        json_array_end(table->json);
        if (is_cut(table))
            json_note_rows(table->json, table->name ? table->name : "rows", table->most,
                           table->rows);
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

/* A table's keys are the first row of its grid. */
static bool merge_keys(struct merged *merged, const struct table *table)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < table->done_count; i++)
        most += table->done[i].grid.columns;
    merged->keys = malloc((most + 1) * sizeof *merged->keys);
    for (uint32_t i = 0; i < table->done_count && merged->keys; i++)
        for (uint32_t j = 0; j < table->done[i].grid.columns && !table->done[i].grid.failed; j++) {
            const char *key = table->done[i].grid.cells[j].text;
            uint32_t at = find_key(merged, key);
            merged->keys[at] = key;
            merged->count += at == merged->count;
        }
    return merged->keys;
}

/* Cells stay where they are: the grid's are empty then. */
static void merge_row(struct merged *merged, const struct kept_table *table, const uint32_t *from,
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
static bool merge_table(struct merged *merged, struct kept_table *table)
{
    uint32_t *from = calloc(merged->count + 1, sizeof *from), width = table->grid.columns;
    if (!from || table->grid.failed) {
        free(from);
        return false;
    }
    for (uint32_t i = 0; i < merged->count; i++) {
        while (from[i] < width && strcmp(table->grid.cells[from[i]].text, merged->keys[i]) != 0)
            from[i]++;
    }
    for (uint32_t row = width; row + width <= table->grid.count; row += width)
        merge_row(merged, table, from, &table->grid.cells[row]);
    free(from);
    return true;
}

static bool write_merged(struct table *table)
{
    struct merged merged = {0};
    bool merging = merge_keys(&merged, table);
    grid_init(&merged.grid, merged.count + 1);
    grid_string(&merged.grid, "table");
    for (uint32_t i = 0; i < merged.count; i++)
        grid_string(&merged.grid, merged.keys[i]);
    for (uint32_t i = 0; i < table->done_count && merging; i++)
        merging = merge_table(&merged, &table->done[i]);
    if (!merging)
        merged.grid.failed = true;
    bool written = grid_write(&merged.grid, write_format_style(table->format), NULL, table->stream);
    grid_fini(&merged.grid);
    free(merged.keys);
    return written;
}

bool table_finish(struct table *table)
{
    if (table->failed)
        errno = ENOMEM;
    else if (table->done_count == 1)
        table->failed =
            !grid_write(&table->done->grid, write_format_style(table->format), NULL, table->stream);
    else if (table->done_count)
        table->failed = !write_merged(table);
    for (uint32_t i = 0; i < table->done_count; i++)
        grid_fini(&table->done[i].grid);
    grid_fini(&table->grid); /* of a table that was not ended */
    free(table->done);
    table->done = NULL;
    table->done_count = table->done_capacity = 0;
    return !table->failed && !ferror(table->stream);
}

struct table table_in_json(struct json_out *out, const struct table_column *columns)
{
    return (struct table){.format = WRITE_JSON,
                          .json = out,
                          .most = -1,
                          .unbroken = true,
                          .rows_in_line = columns != NULL,
                          .columns = columns};
}

static bool write_object(struct table *table, bool (*tables)(struct table *table, void *user),
                         void *user)
{
    struct json_out out;
    bool done = json_out_init(&out, -1, table->stream);
    table->json = &out;
    json_object_begin(&out);
    done = done && tables(table, user);
    json_object_end(&out);
    out.comma = false, json_newline(&out);
    table->json = NULL;
    int error = json_out_fini(&out);
    errno = error ? error : ENOMEM;
    return done && error == 0;
}

/* Tables fit the terminal; the lines around them, and numbers that cannot be cut, are folded. */
static bool write_folded(struct table *table, bool (*tables)(struct table *table, void *user),
                         void *user)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = table->stream;
    table->stream = open_memstream(&text, &size);
    bool done = table->stream && tables(table, user);
    if (table->stream) {
        done = table_finish(table) && done;
        done = fclose(table->stream) == 0 && done;
    }
    table->stream = stream;
    if (done)
        fit_lines(text, table->table_width, stream);
    free(text);
    return done && !ferror(stream);
}

bool table_write(struct table *table, bool (*tables)(struct table *table, void *user), void *user)
{
    if (is_json(table))
        return write_object(table, tables, user);
    if (table->format == WRITE_TEXT && table->table_width)
        return write_folded(table, tables, user);
    if (!tables(table, user))
        table->failed = true;
    return table_finish(table);
}

/* ---- rows and cells ---- */

bool table_row(struct table *table)
{
    table->column = 0;
    table->rows++;
    if (is_cut(table))
        return false;
    if (is_json(table)) {
        end_object(table);
        if (!table->rows_in_line)
            json_newline(table->json);
        json_object_begin(table->json);
        table->in_row = true;
    }
    return true;
}

bool table_shows(struct table *table)
{
    if (is_shown(table, &table->columns[table->column]))
        return true;
    table->column++;
    return false;
}

void table_absent(struct table *table)
{
    if (is_json(table))
        table->column++;
    else
        table_unknown(table);
}

struct json_out *table_json(struct table *table)
{
    if (!table_shows(table))
        return NULL;
    const struct table_column *column = &table->columns[table->column++];
    if (!is_json(table)) {
        grid_string(&table->grid, "");
        return NULL;
    }
    json_string(table->json, column->json ? column->json : column->key), json_colon(table->json);
    return table->json;
}

/* How the next cell is written. */
enum cell { CELL_NONE, CELL_JSON, CELL_PEOPLE, CELL_VALUES };

static enum cell next_cell(struct table *table)
{
    if (!table_shows(table))
        return CELL_NONE;
    if (is_json(table)) {
        table_json(table);
        return CELL_JSON;
    }
    table->column++;
    return for_people(table) ? CELL_PEOPLE : CELL_VALUES;
}

/* Cut to the requested width. */
static void add_short(struct table *table, struct text text)
{
    char shown[SHOW_TEXT_BYTES(SHEET_WIDTH_MAX)];
    unsigned width =
        table->width && table->width < SHEET_WIDTH_MAX ? table->width : SHEET_WIDTH_MAX;
    bool rest;
    show_text(text, width, shown, &rest);
    if (rest)
        strcat(shown, "..."); /* there is room for a character more */
    grid_whole_text(&table->grid, (struct text){shown, strlen(shown)});
}

void table_text(struct table *table, struct text text)
{
    enum cell cell = next_cell(table);
    if (cell == CELL_JSON)
        json_text(table->json, text);
    else if (cell == CELL_PEOPLE)
        add_short(table, text);
    else if (cell == CELL_VALUES)
        grid_whole_text(&table->grid, text);
}

void table_string(struct table *table, const char *string)
{
    table_text(table, (struct text){string, strlen(string)});
}

void table_format(struct table *table, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    enum cell cell = next_cell(table);
    if (cell == CELL_JSON)
        json_string(table->json, text);
    else if (cell)
        grid_string(&table->grid, text);
}

void table_color(struct table *table, const char *escape)
{
    grid_color(&table->grid, escape);
}

void table_count(struct table *table, uint64_t count)
{
    enum cell cell = next_cell(table);
    if (cell == CELL_JSON)
        json_uint(table->json, count);
    else if (cell)
        grid_format(&table->grid, "%" PRIu64, count);
}

void table_int(struct table *table, int64_t number)
{
    enum cell cell = next_cell(table);
    if (cell == CELL_JSON)
        json_int(table->json, number);
    else if (cell)
        grid_format(&table->grid, "%" PRId64, number);
}

void table_bool(struct table *table, bool value)
{
    enum cell cell = next_cell(table);
    if (cell == CELL_JSON)
        json_bool(table->json, value);
    else if (cell)
        grid_string(&table->grid, value ? "yes" : "no");
}

void table_ns(struct table *table, int64_t ns)
{
    char text[TIME_TEXT_BYTES];
    if (!for_people(table)) {
        table_int(table, ns);
    } else if (next_cell(table)) {
        time_text_in((double)ns, table->unit, text);
        grid_string(&table->grid, text);
    }
}

void table_signed_bytes(struct table *table, int64_t bytes)
{
    char text[BYTES_TEXT_BYTES];
    if (!for_people(table)) {
        table_int(table, bytes);
    } else if (next_cell(table)) {
        bytes_text(bytes, text);
        grid_string(&table->grid, text);
    }
}

void table_bytes(struct table *table, uint64_t bytes)
{
    if (for_people(table))
        table_signed_bytes(table, bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX);
    else
        table_count(table, bytes);
}

void table_none(struct table *table)
{
    enum cell cell = next_cell(table);
    if (cell == CELL_JSON)
        json_null(table->json);
    else if (cell)
        grid_string(&table->grid, "");
}

void table_unknown(struct table *table)
{
    enum cell cell = next_cell(table);
    if (cell == CELL_JSON)
        json_null(table->json);
    else if (cell)
        grid_string(&table->grid, cell == CELL_PEOPLE ? "unknown" : "");
}

void table_number(struct table *table, double number)
{
    if (isnan(number)) {
        table_unknown(table);
        return;
    }
    enum cell cell = next_cell(table);
    if (cell == CELL_JSON)
        json_double(table->json, number);
    else if (cell)
        grid_format(&table->grid, cell == CELL_PEOPLE ? "%.3f" : "%.6f", number);
}

void table_exact(struct table *table, double number)
{
    char text[PYTHON_TEXT_BYTES];
    enum cell cell = next_cell(table);
    if (cell == CELL_JSON) {
        json_double(table->json, number);
    } else if (cell) {
        python_float(number, text);
        grid_string(&table->grid, isnan(number) ? "" : text);
    }
}

void table_duration(struct table *table, double ns)
{
    char text[TIME_TEXT_BYTES];
    if (!for_people(table) || isnan(ns)) {
        table_number(table, ns);
    } else if (next_cell(table)) {
        time_text_in(ns, table->unit, text);
        grid_string(&table->grid, text);
    }
}

void table_share(struct table *table, int64_t part, int64_t whole)
{
    if (whole <= 0) {
        table_unknown(table);
        return;
    }
    double percent = 100.0 * (double)part / (double)whole;
    enum cell cell = next_cell(table);
    if (cell == CELL_JSON)
        json_double(table->json, percent);
    else if (cell)
        grid_format(&table->grid, cell == CELL_PEOPLE ? "%.2f%%" : "%.4f", percent);
}
