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

struct sqlite_file {
    sqlite3 *database;
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

/* False: no database that can be read; `error` says why. Close it in either case. `path` and `error`
 * must outlive the file. */
bool sqlite_file_open(struct sqlite_file *file, struct source *source, bool partial,
                      struct read_error *error);
void sqlite_file_close(struct sqlite_file *file);

/* Remembers what SQLite says, once; `table` may be NULL, which damages more than a table. */
void sqlite_file_fail(struct sqlite_file *file, const char *table);

void sqlite_file_fail_memory(struct sqlite_file *file);

/* Whether there is a table, not a view and not a virtual one, of this name (a literal). */
bool sqlite_file_has_table(struct sqlite_file *file, const char *table);

#endif
