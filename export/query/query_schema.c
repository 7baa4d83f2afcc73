/* query_schema.c - what tables, columns and functions there are: query_table.h's descriptions as a
 * table. */
#include "envelope.h"
#include "query.h"
#include "query_table.h"

#include "grid.h"
#include "json_out.h"

#include <errno.h>
#include <string.h>

static const char *type_name(const struct query_column *column)
{
    return column->type == QUERY_INTEGER ? "integer"
           : column->type == QUERY_REAL  ? "real"
           : column->type == QUERY_VALUE ? "any"
                                         : "text";
}

const char *query_unit_of(const char *column)
{
    const char *unit = NULL;
    for (const struct query_table *const *table = query_tables; *table; table++)
        for (uint32_t i = 0; i < (*table)->column_count && !(*table)->of_nsys; i++) {
            const struct query_column *of = &(*table)->columns[i];
            if (strcmp(of->name, column) != 0 || of->unit == unit)
                continue;
            if (unit && strcmp(of->unit, unit) != 0)
                return NULL;
            unit = of->unit;
        }
    return unit && *unit ? unit : NULL;
}

/* ---- JSON ---- */

static void json_column(struct json_out *out, const struct query_column *column)
{
    json_newline(out);
    json_object_begin(out);
    json_key(out, "name"), json_string(out, column->name);
    json_key(out, "type"), json_string(out, type_name(column));
    json_key(out, "unit"), json_string(out, column->unit);
    json_key(out, "description"), json_string(out, column->meaning);
    json_object_end(out);
}

static void json_table(struct json_out *out, const struct query_table *table)
{
    json_newline(out);
    json_object_begin(out);
    json_key(out, "name"), json_string(out, table->name);
    json_key(out, "description"), json_string(out, table->meaning);
    json_key(out, "columns"), json_array_begin(out);
    for (uint32_t i = 0; i < table->column_count; i++)
        json_column(out, &table->columns[i]);
    json_array_end(out);
    json_object_end(out);
}

static bool write_json(FILE *stream)
{
    struct json_out out;
    errno = ENOMEM;
    if (!json_out_init(&out, -1, stream))
        return false;
    const struct envelope envelope = {.command = "query_schema"};
    json_object_begin(&out);
    envelope_begin(&out, &envelope);
    json_key(&out, "tables"), json_array_begin(&out);
    for (const struct query_table *const *at = query_tables; *at; at++)
        json_table(&out, *at);
    json_array_end(&out);
    json_key(&out, "functions"), json_array_begin(&out);
    for (const struct query_function *function = query_functions; function->usage; function++) {
        json_newline(&out);
        json_object_begin(&out);
        json_key(&out, "usage"), json_string(&out, function->usage);
        json_key(&out, "description"), json_string(&out, function->meaning);
        json_object_end(&out);
    }
    json_array_end(&out);
    envelope_end(&out, envelope.command);
    json_object_end(&out);
    errno = json_out_fini(&out);
    return !errno && fputc('\n', stream) != EOF;
}

/* ---- Markdown ---- */

static void markdown_table(const struct query_table *table, FILE *stream)
{
    fprintf(stream, "\n### %s\n\n", table->name);
    fprintf(stream, "%s.\n\n", table->meaning);
    if (table->of_nsys) {
        for (uint32_t i = 0; i < table->column_count; i++)
            fprintf(stream, "%s`%s`", i ? ", " : "", table->columns[i].name);
        fputc('\n', stream);
        return;
    }
    fputs("| column | type | unit | meaning |\n|:--|:--|:--|:--|\n", stream);
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct query_column *column = &table->columns[i];
        fprintf(stream, "| `%s` | %s | %s | %s |\n", column->name, type_name(column), column->unit,
                column->meaning);
    }
}

static bool write_markdown(FILE *stream)
{
    fputs("## Functions\n\n| function | meaning |\n|:--|:--|\n", stream);
    for (const struct query_function *function = query_functions; function->usage; function++)
        fprintf(stream, "| `%s` | %s |\n", function->usage, function->meaning);
    fputs("\n## Tables\n", stream);
    for (const struct query_table *const *at = query_tables; *at; at++)
        if (!(*at)->of_nsys)
            markdown_table(*at, stream);
    fputs("\n## Tables of nsys\n", stream);
    for (const struct query_table *const *at = query_tables; *at; at++)
        if ((*at)->of_nsys)
            markdown_table(*at, stream);
    return !ferror(stream);
}

/* ---- for terminals and spreadsheets ---- */

static void put_column(struct grid *grid, const struct query_table *table,
                       const struct query_column *column)
{
    grid_string(grid, table->name);
    grid_string(grid, column->name);
    grid_string(grid, type_name(column));
    grid_string(grid, column->unit);
    grid_string(grid, column->meaning);
}

static bool write_grid(enum write_format format, unsigned table_width, FILE *stream)
{
    struct grid grid;
    grid_init(&grid, 5);
    grid.table_width = table_width;
    grid_string(&grid, "table"), grid_string(&grid, "column"), grid_string(&grid, "type");
    grid_string(&grid, "unit"), grid_string(&grid, "meaning");
    for (const struct query_table *const *at = query_tables; *at; at++)
        for (uint32_t i = 0; i < (*at)->column_count; i++)
            put_column(&grid, *at, &(*at)->columns[i]);
    bool written = grid_write(&grid, write_format_style(format), NULL, stream);
    grid_fini(&grid);
    return written;
}

/* A table at a time, as people read it. */
static void text_table(const struct query_table *table, FILE *stream)
{
    fprintf(stream, "\n%s: %s\n", table->name, table->meaning);
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct query_column *column = &table->columns[i];
        fprintf(stream, "    %-20s %-8s%s%s%s%s\n", column->name, type_name(column),
                *column->unit ? " " : "", column->unit, *column->meaning ? "  " : "",
                column->meaning);
    }
}

static bool write_text(FILE *stream)
{
    for (const struct query_function *function = query_functions; function->usage; function++)
        fprintf(stream, "%-20s %s\n", function->usage, function->meaning);
    for (const struct query_table *const *at = query_tables; *at; at++)
        text_table(*at, stream);
    return !ferror(stream);
}

bool query_write_schema(enum write_format format, unsigned table_width, FILE *stream)
{
    return format == WRITE_JSON       ? write_json(stream)
           : format == WRITE_MARKDOWN ? write_markdown(stream)
           : format == WRITE_TEXT     ? write_text(stream)
                                      : write_grid(format, table_width, stream);
}
