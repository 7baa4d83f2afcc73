/* sqlite_rows.h - the rows of one table, by column names.
 *
 *     static const char *const columns[] = {"start", "end"};
 *     struct sqlite_rows rows;
 *     sqlite_rows_begin(&rows, file, "EVENTS", columns, 2);
 *     while (sqlite_rows_next(&rows))
 *         ... sqlite_rows_int(&rows, 0, 0) ...
 *     sqlite_rows_end(&rows);
 *
 * Rows come in the order of the table. A table that is not there has none; a column that is not
 * there, or NULL, is what the caller says. What goes wrong is remembered by the file, and ends the
 * rows.
 */
#ifndef PROF_SQLITE_ROWS_H
#define PROF_SQLITE_ROWS_H

#include "sqlite_file.h"

#define SQLITE_COLUMNS_MAX 32

struct sqlite_rows {
    struct sqlite_file *file;
    sqlite3_stmt *statement; /* NULL: no rows */
    const char *table;
    uint64_t strange;                   /* values of a type that their column does not have */
    int16_t places[SQLITE_COLUMNS_MAX]; /* by column: in the statement, -1 not there */
};

/* The names are literals of plain letters; SQLITE_COUNT counts a table of them. */
#define SQLITE_COUNT(array) (int)(sizeof(array) / sizeof *(array))
void sqlite_rows_begin(struct sqlite_rows *rows, struct sqlite_file *file, const char *table,
                       const char *const *columns, int count);
bool sqlite_rows_next(struct sqlite_rows *rows);
void sqlite_rows_end(struct sqlite_rows *rows);

/* Whether the table has the column. */
static inline bool sqlite_rows_has(const struct sqlite_rows *rows, int column)
{
    return rows->places[column] >= 0;
}

/* A number; `otherwise` when there is none. */
int64_t sqlite_rows_int(struct sqlite_rows *rows, int column, int64_t otherwise);

/* The same as 32 bits without a sign: what lies outside is brought to the nearest. 0: none. */
static inline uint32_t sqlite_rows_uint32(struct sqlite_rows *rows, int column)
{
    int64_t value = sqlite_rows_int(rows, column, 0);
    return (uint32_t)(value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : value);
}

/* Whether there is a number, which is written to `value`. */
bool sqlite_rows_take(struct sqlite_rows *rows, int column, int64_t *value);

/* A text or a blob, valid until the next row; empty when there is none. */
struct text sqlite_rows_text(struct sqlite_rows *rows, int column);
struct text sqlite_rows_blob(struct sqlite_rows *rows, int column);

#endif
