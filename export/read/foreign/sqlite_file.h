/* sqlite_file.h - a database of others, opened so that reading it is all that can happen.
 *
 * The schema is a stranger's: no trigger, view, function or extension of it runs, only plain tables
 * are read, the file is never written to and what lies beside it (a journal) is left alone.
 *
 * A damaged file can claim any number of rows, of which pages are shared; so what is read of it is
 * limited by its size (SQLITE_ROW_BYTES_LEAST).
 */
#ifndef PROF_SQLITE_FILE_H
#define PROF_SQLITE_FILE_H

#include "source.h"

#include <sqlite3.h>

/* No row that a trace has is stored in less: two times alone take 8 bytes, rowid and header 4. */
#define SQLITE_ROW_BYTES_LEAST 6u

/* Of the names that longer ones are not the tables of either tool. */
#define SQLITE_TABLE_NAME_MAX 96u

struct sqlite_table {
    char name[SQLITE_TABLE_NAME_MAX];
    bool read; /* rows of it were asked for */
};

struct sqlite_file {
    sqlite3 *database;
    struct sqlite_table *tables; /* plain ones, without what SQLite keeps itself */
    uint32_t table_count;
    void *bytes; /* of one that lies in memory */
    const char *path;
    struct read_error *error;
    uint64_t rows_left;  /* that the file has room for */
    uint64_t text_left;  /* bytes of texts that it has room for */
    uint64_t steps_left; /* of SQLite's machine, in units of its progress handler */
    bool partial;        /* a damaged table is read up to its damage */
    uint32_t damaged;    /* such tables */
    bool logged;         /* a write-ahead log lies beside it, which is not read */
    bool failed;         /* `error` says why */
};

/* False: no database that can be read; `error` says why. Close it in either case. `path` and
 * `error` must outlive the file. */
bool sqlite_file_open(struct sqlite_file *file, struct source *source, bool partial,
                      struct read_error *error);
void sqlite_file_close(struct sqlite_file *file);

void sqlite_file_fail_memory(struct sqlite_file *file);

/* Whether there is a table, not a view and not a virtual one, of this name (a literal), or of this
 * name and "_V" and a number: a later version of it. */
bool sqlite_file_has_table(struct sqlite_file *file, const char *table);

/* ---- the rows of one table, by column names ----
 *
 *     static const char *const columns[] = {"start", "end"};
 *     struct sqlite_rows rows;
 *     sqlite_rows_begin(&rows, file, "EVENTS", columns, 2);
 *     while (sqlite_rows_next(&rows))
 *         ... sqlite_rows_int(&rows, 0, 0) ...
 *     sqlite_rows_end(&rows);
 *
 * Rows come in the order of the table, which says nothing: exports have any. Tables whose name goes
 * on with _V2, _V3 ... are parts of it. A table that is not there has none; a column that is not
 * there, or NULL, is what the caller says. What goes wrong is remembered by the file, and ends the
 * rows.
 */

#define SQLITE_COLUMNS_MAX 32

struct sqlite_rows {
    struct sqlite_file *file;
    sqlite3_stmt *statement; /* NULL: no rows */
    const char *table;       /* as it is called in the file */
    const char *base;        /* as the caller calls it */
    const char *const *columns;
    int column_count;
    uint32_t next_table;                /* where to look for the next part */
    uint64_t strange;                   /* values of a type that their column does not have */
    int16_t places[SQLITE_COLUMNS_MAX]; /* by column: in the statement, -1 not there */
};

/* The names are literals of plain letters; SQLITE_COUNT counts a table of them. */
#define SQLITE_COUNT(array) (int)(sizeof(array) / sizeof *(array))
void sqlite_rows_begin(struct sqlite_rows *rows, struct sqlite_file *file, const char *table,
                       const char *const *columns, int count);
bool sqlite_rows_next(struct sqlite_rows *rows);
void sqlite_rows_end(struct sqlite_rows *rows);

/* Tables that hold rows with a time and were not read: how many, their rows, and their names, the
 * larger ones first. */
struct sqlite_unread {
    uint32_t tables;
    uint64_t rows;
    char names[320];
};
void sqlite_file_unread(struct sqlite_file *file, struct sqlite_unread *unread);

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
