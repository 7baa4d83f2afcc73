/* database.c - see database.h.
 *
 * SQLite writes the temporary file without a journal and without waiting for the disk, since the
 * file is not opened before it is complete. A journal beside the target belongs to the old file.
 */
#include "database.h"

#include "nsys_export.h"
#include "query.h"
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void keep_error(struct database *database, int code)
{
    const char *message = database->sqlite ? sqlite3_errmsg(database->sqlite) : strerror(code);
    if (database->failed)
        return;
    database->failed = true;
    database->error.code = code;
    snprintf(database->error.message, sizeof database->error.message, "%s: cannot write: %s",
             database->file.path, message);
}

/* Uses the system's errno if there is one, so that all outputs print the same message. */
static int errno_of(struct database *database, int result)
{
    int code = 0;
    if (result == SQLITE_NOMEM)
        return ENOMEM;
    if (result == SQLITE_FULL)
        return ENOSPC;
    sqlite3_file_control(database->sqlite, NULL, SQLITE_FCNTL_LAST_ERRNO, &code);
    return code ? code : EIO;
}

static void check(struct database *database, int result)
{
    if (result != SQLITE_OK && result != SQLITE_DONE)
        keep_error(database, errno_of(database, result));
}

struct database_row *database_prepare(struct database *database, const char *sql)
{
    if (database->row_count == DATABASE_ROWS_MAX || !sql)
        keep_error(database, ENOMEM);
    struct database_row *row =
        &database->rows[database->failed ? DATABASE_ROWS_MAX - 1 : database->row_count++];
    *row = (struct database_row){.database = database, .next = 1};
    if (!database->failed)
        check(database, sqlite3_prepare_v3(database->sqlite, sql, -1, SQLITE_PREPARE_PERSISTENT,
                                           &row->statement, NULL));
    return row;
}

/* Readers trust that text is UTF-8. */
static void row_mended(struct database_row *row, struct text text)
{
    char *mended = sqlite3_malloc64(UTF8_MENDED_BYTES(text.size));
    if (!mended)
        keep_error(row->database, ENOMEM);
    sqlite3_bind_text64(row->statement, row->next++, mended, mended ? utf8_mend(text, mended) : 0,
                        sqlite3_free, SQLITE_UTF8);
}

void row_text(struct database_row *row, struct text text)
{
    if (!utf8_is_valid(text)) {
        row_mended(row, text);
        return;
    }
    sqlite3_bind_text64(row->statement, row->next++, text.bytes, text.size, SQLITE_STATIC,
                        SQLITE_UTF8);
}

void row_string(struct database_row *row, const char *string)
{
    row_text(row, (struct text){string, strlen(string)});
}

void row_write_slow(struct database_row *row, int result)
{
    check(row->database, result);
}

void database_run(struct database *database, const char *sql)
{
    if (!sql)
        keep_error(database, ENOMEM);
    if (!database->failed)
        check(database, sqlite3_exec(database->sqlite, sql, NULL, NULL, NULL));
}

static void finish(struct database *database)
{
    for (uint32_t i = 0; i < database->row_count; i++)
        sqlite3_finalize(database->rows[i].statement);
    int result = sqlite3_close(database->sqlite);
    database->sqlite = NULL;
    if (result != SQLITE_OK)
        keep_error(database, EIO);
}

/* SQLite would apply the old file's journals to the new one. */
static void remove_old_journals(const char *target)
{
    static const char *const endings[] = {"-journal", "-wal", "-shm"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (snprintf(path, sizeof path, "%s%s", target, endings[i]) < (int)sizeof path)
            unlink(path);
}

/* Puts it in place; `complete` false: nothing is left of it. A system error has the message of all
 * outputs, any other error SQLite's own. */
static bool database_close(struct database *database, bool complete, struct write_error *error)
{
    if (complete)
        database_run(database, "COMMIT");
    finish(database);
    if (!complete && !database->failed)
        keep_error(database, ECANCELED);
    int failure = database->failed ? database->error.code : 0;
    char *target = strdup(database->file.target);
    bool in_place = out_file_commit(&database->file, failure, error);
    if (in_place && target)
        remove_old_journals(target);
    free(target);
    if (failure == EIO || failure == ECANCELED)
        *error = database->error;
    return in_place;
}

static bool refuse(struct database *database, const char *path, struct write_error *error)
{
    struct write_error ignored;
    out_file_commit(&database->file, ECANCELED, &ignored);
    error->code = ESPIPE;
    snprintf(error->message, sizeof error->message,
             "%s: cannot write: a database must be a file, it is not written in one go", path);
    return false;
}

/* `path` as in out_file.h, but it must be a file: a database is not written from beginning to
 * end. */
static bool database_open(struct database *database, const char *path, struct write_error *error)
{
    *database = (struct database){0};
    if (!out_file_open(&database->file, path, error))
        return false;
    if (database->file.is_stream)
        return refuse(database, path, error);
    const char *name = database->file.temporary ? database->file.temporary : database->file.target;
    int result =
        sqlite3_open_v2(name, &database->sqlite, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    check(database, result);
    database_run(database, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; "
                           "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY; "
                           "PRAGMA cache_size=-65536; BEGIN");
    if (!database->failed)
        return true;
    database_close(database, false, error);
    return false;
}

/* ---- the timeline as a database in nsys's form: see nsys_export.h ---- */

static bool write_all(struct nsys_export *nsys)
{
    bool written = query_data_init(&nsys->data, nsys->timeline);
    nsys_create_tables(nsys->database);
    written = written && nsys_events_init(nsys) && nsys_events_walk(nsys);
    if (written)
        nsys_facts_write(nsys);
    nsys_events_fini(nsys);
    query_data_fini(&nsys->data);
    database_run(nsys->database, nsys_views);
    return written;
}

bool write_sqlite(const struct timeline *timeline, const char *path, struct write_error *error)
{
    struct database database;
    struct nsys_export nsys = {.timeline = timeline, .database = &database};
    if (!database_open(&database, path, error))
        return false;
    bool written = write_all(&nsys);
    bool in_place = database_close(&database, written, error);
    if (!written) {
        error->code = ENOMEM;
        snprintf(error->message, sizeof error->message, "%s: cannot write: %s", path,
                 strerror(ENOMEM));
    }
    return in_place;
}
