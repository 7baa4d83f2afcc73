/* query.h - SQL over a timeline, without writing a database first.
 *
 *     struct query *query = query_create(timeline);
 *     if (!query || !query_begin(query, "SELECT name, count(*) FROM kernels GROUP BY name"))
 *         complain("%s", query_error(query));
 *     while (query_next(query))
 *         print(query_cell(query, 0));
 *     query_destroy(query);
 *
 * SQLite reads the timeline's arrays through virtual tables (query_table.h): nothing is copied but
 * what a statement asks for. Statements can only read: nothing outside of the timeline can be
 * reached or changed. Threads: one at a time; any number of queries may read one timeline.
 */
#ifndef PROF_QUERY_H
#define PROF_QUERY_H

#include "grid.h"
#include "out_file.h"
#include "timeline.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct query;

enum query_cell_type {
    QUERY_CELL_NULL,
    QUERY_CELL_INTEGER,
    QUERY_CELL_REAL,
    QUERY_CELL_TEXT,
    QUERY_CELL_BYTES
};

struct query_cell {
    enum query_cell_type type;
    int64_t integer;
    double real;
    struct text text; /* TEXT is UTF-8; valid until the next row */
};

/* The timeline must live as long as the query. NULL: no memory. */
struct query *query_create(const struct timeline *timeline);
void query_destroy(struct query *query);

/* Prepares one statement, after the one before has ended. False: query_error() says why. */
bool query_begin(struct query *query, const char *sql);

/* Names of tables and views, and of the columns of one; NULL after the last. */
const char *query_table_name(size_t table);
const char *query_column_of(size_t table, size_t column);

/* The unit that columns of this name have, such as "ns"; NULL: none, or not all the same. */
const char *query_unit_of(const char *column);

/* Whether the statement's column is one of a table, under whatever name, and not computed. */
bool query_column_is_stored(const struct query *query, uint32_t column);

const struct timeline *query_timeline(const struct query *query);

/* The next row; false at the end, and when the statement failed: then query_failed(). */
bool query_next(struct query *query);
bool query_failed(const struct query *query);

/* One sentence: SQLite's message where it has one. NULL is a query that could not be created. */
const char *query_error(const struct query *query);

/* The byte of the statement that the error of query_begin() is about; -1: SQLite does not say. */
int query_error_offset(const struct query *query);

uint32_t query_column_count(const struct query *query);
const char *query_column_name(const struct query *query, uint32_t column);
struct query_cell query_cell(const struct query *query, uint32_t column);

/* The rows of a statement, and the description of all tables, in any format. */

/* Writes all rows of a query that has begun; TSV, CSV and JSON row by row. JSON has the
 * envelope of envelope.h around "rows"; if two columns have the same name, the second is name_2.
 * Unknown values are empty, null in JSON. table_width: as in grid.h. False: query_failed(), else
 * errno: no memory, or the stream failed. */
bool query_write(struct query *query, enum write_format format, unsigned table_width, FILE *stream);

/* Every table with its columns, types, units and meanings, and the functions; Markdown is
 * docs/query.md's part of it, other formats are one table. False with errno. */
bool query_write_schema(enum write_format format, unsigned table_width, FILE *stream);

/* Writes the timeline as an SQLite database with the tables and columns of `nsys export --type
 * sqlite`, and libprof's own beside them: see nsys_export.h. `path` must be a file. False: `error`
 * says why, and what was there before is untouched. */
bool write_sqlite(const struct timeline *timeline, const char *path, struct write_error *error);

#ifdef __cplusplus
}
#endif
#endif
