/* query_write.c - the rows of a statement as tables on a stream: query_write() of query.h. */
#include "query.h"

#include "envelope.h"
#include "grid.h"
#include "json_out.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_AT_ONCE 256u /* of formats that need not know all rows */

/* ---- cells ---- */

static void put_real(struct grid *grid, double value)
{
    char text[JSON_DOUBLE_BYTES + 1];
    char *end = json_put_double(text, value);
    if (value - value == 0)
        grid_format(grid, "%.*s", (int)(end - text), text);
    else
        grid_string(grid, value > 0 ? "Inf" : "-Inf"); /* SQLite has no NaN */
}

static void put_cell(struct grid *grid, const struct query_cell *cell, enum write_format format)
{
    switch (cell->type) {
    case QUERY_CELL_NULL:
        grid_string(grid, "");
        break;
    case QUERY_CELL_INTEGER:
        grid_format(grid, "%" PRId64, cell->integer);
        break;
    case QUERY_CELL_REAL:
        put_real(grid, cell->real);
        break;
    default:
        if (write_format_is_for_people(format))
            grid_text(grid, cell->text);
        else
            grid_whole_text(grid, cell->text);
    }
}

static void put_row(struct grid *grid, const struct query *query, enum write_format format)
{
    for (uint32_t i = 0; i < grid->columns; i++) {
        struct query_cell cell = query_cell(query, i);
        put_cell(grid, &cell, format);
    }
}

static void put_header(struct grid *grid, const struct query *query)
{
    for (uint32_t i = 0; i < grid->columns; i++)
        grid_string(grid, query_column_name(query, i));
}

/* ---- grids ---- */

static bool flush(struct grid *grid, enum write_format format, unsigned table_width, FILE *stream)
{
    uint32_t columns = grid->columns;
    grid->table_width = table_width;
    bool written = grid_write(grid, write_format_style(format), NULL, stream);
    grid_fini(grid);
    grid_init(grid, columns);
    return written;
}

static bool write_grid(struct query *query, enum write_format format, unsigned table_width,
                       FILE *stream)
{
    bool whole = write_format_is_for_people(format), written = true;
    struct grid grid;
    grid_init(&grid, query_column_count(query));
    put_header(&grid, query);
    for (uint32_t rows = 1; written && query_next(query); rows++) {
        put_row(&grid, query, format);
        if (!whole && rows % ROWS_AT_ONCE == 0)
            written = flush(&grid, format, table_width, stream);
    }
    if (written && !query_failed(query))
        written = flush(&grid, format, table_width, stream);
    grid_fini(&grid);
    return written && !query_failed(query);
}

/* ---- JSON ---- */

static void write_json_cell(struct json_out *out, const struct query_cell *cell)
{
    if (cell->type == QUERY_CELL_NULL)
        json_null(out);
    else if (cell->type == QUERY_CELL_INTEGER)
        json_int(out, cell->integer);
    else if (cell->type == QUERY_CELL_REAL)
        json_double(out, cell->real);
    else
        json_text(out, cell->text);
}

/* Members of an object have different names: the second "id" is "id_2". */
static void write_json_key(struct json_out *out, const struct query *query, uint32_t column)
{
    const char *name = query_column_name(query, column);
    unsigned same = 1;
    for (uint32_t i = 0; i < column; i++)
        same += strcmp(query_column_name(query, i), name) == 0;
    char *numbered = NULL;
    if (same > 1 && asprintf(&numbered, "%s_%u", name, same) < 0)
        numbered = NULL;
    json_string(out, numbered ? numbered : name);
    json_colon(out);
    free(numbered);
}

static void write_json_row(struct json_out *out, const struct query *query)
{
    uint32_t columns = query_column_count(query);
    json_newline(out);
    json_object_begin(out);
    for (uint32_t i = 0; i < columns; i++) {
        struct query_cell cell = query_cell(query, i);
        write_json_key(out, query, i);
        write_json_cell(out, &cell);
    }
    json_object_end(out);
}

/* "units", of columns of tables that kept their name. */
static void write_units(struct json_out *out, const struct query *query)
{
    json_key(out, "units"), json_object_begin(out);
    for (uint32_t i = 0; i < query_column_count(query); i++) {
        const char *unit = query_unit_of(query_column_name(query, i));
        if (!unit || !query_column_is_stored(query, i))
            continue;
        write_json_key(out, query, i);
        json_string(out, unit);
    }
    json_object_end(out);
}

static bool write_json(struct query *query, FILE *stream)
{
    const struct envelope envelope = {.command = "query", .timelines = {query_timeline(query)}};
    struct json_out out;
    if (!json_out_init(&out, -1, stream)) {
        errno = ENOMEM;
        return false;
    }
    json_object_begin(&out);
    envelope_begin(&out, &envelope);
    json_newline(&out), json_key(&out, "rows"), json_array_begin(&out);
    while (!out.error && query_next(query))
        write_json_row(&out, query);
    json_array_end(&out);
    json_key(&out, "error");
    if (query_failed(query))
        json_string(&out, query_error(query));
    else
        json_null(&out);
    envelope_truncated(&out);
    write_units(&out, query);
    json_object_end(&out);
    int error = json_out_fini(&out);
    errno = error;
    return fputc('\n', stream) != EOF && !error && !query_failed(query);
}

bool query_write(struct query *query, enum write_format format, unsigned table_width, FILE *stream)
{
    return format == WRITE_JSON ? write_json(query, stream)
                                : write_grid(query, format, table_width, stream);
}
