/* database.h - the rows of an SQLite file that is made anew and put in place when all of it is
 * written.
 *
 *     struct database_row *row = database_prepare(&database, "INSERT INTO t VALUES(?,?)");
 *     row_int(row, 7), row_text(row, name), row_write(row);
 *
 * The first error is kept, and everything after it does nothing. Threads: one at a time.
 */
#ifndef PROF_DATABASE_H
#define PROF_DATABASE_H

#include "out_file.h"
#include "text.h"

#include <sqlite3.h>

struct database;

/* A prepared INSERT. All of its values are given, from the left. */
struct database_row {
    struct database *database;
    sqlite3_stmt *statement;
    int next; /* column that comes next, from 1 on */
};

#define DATABASE_ROWS_MAX 32u

struct database {
    struct out_file file;
    sqlite3 *sqlite;
    struct database_row rows[DATABASE_ROWS_MAX];
    uint32_t row_count;
    struct write_error error; /* code 0: none */
    bool failed;
};

/* Executes statements. `sql` NULL: there was no memory for it, which fails the database. */
void database_run(struct database *database, const char *sql);

/* Ends with the database. Never NULL: after an error, one that does nothing. `sql` as above. */
struct database_row *database_prepare(struct database *database, const char *sql);

void row_write_slow(struct database_row *row, int result);

static inline void row_int(struct database_row *row, int64_t value)
{
    sqlite3_bind_int64(row->statement, row->next++, value);
}

static inline void row_null(struct database_row *row)
{
    sqlite3_bind_null(row->statement, row->next++);
}

static inline void row_real(struct database_row *row, double value)
{
    sqlite3_bind_double(row->statement, row->next++, value);
}

/* The text must stay until the row is written. */
void row_text(struct database_row *row, struct text text);
void row_string(struct database_row *row, const char *string);

static inline void row_write(struct database_row *row)
{
    int result = row->statement ? sqlite3_step(row->statement) : SQLITE_DONE;
    sqlite3_reset(row->statement);
    row->next = 1;
    if (result != SQLITE_DONE)
        row_write_slow(row, result);
}

#endif
