/* sqlite_file.c - see sqlite_file.h.
 *
 * What SQLite's own page on hostile database files advises is done here, and an authorizer refuses
 * everything but reading columns.
 */
#include "sqlite_file.h"

#include "trace_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* A file that is unpacked into memory, at most. */
#define MEMORY_BYTES_MAX ((size_t)16 << 30)

/* The longest row: a quarter of the file, within these. nsys keeps whole JSON payloads in rows; a
 * damaged file can chain one page behind each of its rows again and again. */
#define ROW_BYTES_LEAST (256 << 10)
#define ROW_BYTES_MOST (64 << 20)
#define SCHEMA_SQL_BYTES_MAX (1 << 20)
#define COLUMNS_MAX 512

/* The progress handler is called after so many steps. A row takes a step per column, and some. */
#define PROGRESS_STEPS 10000
#define STEPS_PER_ROW 64
#define ROWS_FREE 10000 /* of schema and facts, in a small file */

/* Bytes 18 and 19 of a database say that it is kept with a write-ahead log (2), which one in memory
 * cannot have; 1 is the other kind. */
#define WAL_BYTE 18
#define HEADER_BYTES 100

static int may_only_read(void *user, int action, const char *first, const char *second,
                         const char *database, const char *trigger)
{
    (void)user, (void)second, (void)database;
    if (trigger) /* or a view */
        return SQLITE_DENY;
    if (action == SQLITE_PRAGMA)
        return strcmp(first, "table_info") == 0 ? SQLITE_OK : SQLITE_DENY;
    return action == SQLITE_SELECT || action == SQLITE_READ ? SQLITE_OK : SQLITE_DENY;
}

static int count_steps(void *user)
{
    struct sqlite_file *file = user;
    if (file->steps_left == 0)
        return 1; /* interrupts */
    file->steps_left--;
    return 0;
}

static void limit(struct sqlite_file *file, uint64_t file_bytes)
{
    static const struct {
        int id, value;
    } limits[] = {
        {SQLITE_LIMIT_SQL_LENGTH, SCHEMA_SQL_BYTES_MAX},
        {SQLITE_LIMIT_COLUMN, COLUMNS_MAX},
        {SQLITE_LIMIT_EXPR_DEPTH, 32},
        {SQLITE_LIMIT_COMPOUND_SELECT, 2},
        {SQLITE_LIMIT_VDBE_OP, 25000},
        {SQLITE_LIMIT_FUNCTION_ARG, 8},
        {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
        {SQLITE_LIMIT_VARIABLE_NUMBER, 8},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(file->database, limits[i].id, limits[i].value);
    uint64_t longest = file_bytes / 4 < ROW_BYTES_LEAST ? ROW_BYTES_LEAST : file_bytes / 4;
    longest = longest > ROW_BYTES_MOST ? ROW_BYTES_MOST : longest;
    sqlite3_limit(file->database, SQLITE_LIMIT_LENGTH, (int)longest);
    file->rows_left = file_bytes / SQLITE_ROW_BYTES_LEAST + ROWS_FREE;
    file->text_left = file_bytes * 2 + ROW_BYTES_LEAST; /* UTF-16 becomes longer as UTF-8 */
    file->steps_left = file->rows_left * STEPS_PER_ROW / PROGRESS_STEPS + 1;
    sqlite3_progress_handler(file->database, PROGRESS_STEPS, count_steps, file);
}

/* A writable schema makes SQLite read on in a file that is cut off. Nothing is written: the authorizer
 * refuses it, and the file is open for reading. */
static bool harden(struct sqlite_file *file, uint64_t file_bytes)
{
    const struct {
        int id, value;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, !file->partial},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_WRITABLE_SCHEMA, file->partial},
        {SQLITE_DBCONFIG_DQS_DML, 0},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        sqlite3_db_config(file->database, settings[i].id, settings[i].value, NULL);
    limit(file, file_bytes);
    if (sqlite3_exec(file->database, "PRAGMA cell_size_check=1", NULL, NULL, NULL) != SQLITE_OK)
        return false;
    return sqlite3_set_authorizer(file->database, may_only_read, NULL) == SQLITE_OK;
}

/* The path as a URI that nothing in it can add a parameter to. */
static char *uri_of(const char *path)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-";
    static const char digits[] = "0123456789abcdef", options[] = "?mode=ro&immutable=1";
    char *uri = malloc(7 + strlen(path) * 3 + sizeof options), *to = uri;
    if (!uri)
        return NULL;
    memcpy(to, "file://", 7);
    to += path[0] == '/' ? 7 : 5; /* "//" would be a host's */
    for (; *path; path++) {
        unsigned byte = (unsigned char)*path;
        if (strchr(plain, *path)) {
            *to++ = *path;
            continue;
        }
        *to++ = '%';
        *to++ = digits[byte >> 4];
        *to++ = digits[byte & 15];
    }
    memcpy(to, options, sizeof options);
    return uri;
}

/* A program that was killed leaves what it wrote last beside the file, and reading that would write. */
static bool has_log(const char *path)
{
    char log[4096];
    struct stat status;
    int size = snprintf(log, sizeof log, "%s-wal", path);
    return size > 0 && (size_t)size < sizeof log && stat(log, &status) == 0 && status.st_size > 0;
}

static int open_path(struct sqlite_file *file, const char *path, uint64_t *file_bytes)
{
    struct stat status;
    char *uri = uri_of(path);
    if (!uri)
        return SQLITE_NOMEM;
    int result = sqlite3_open_v2(
        uri, &file->database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    free(uri);
    file->logged = has_log(path);
    *file_bytes = stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
    return result;
}

static int open_memory(struct sqlite_file *file, size_t size)
{
    if (size > HEADER_BYTES)
        memset((uint8_t *)file->bytes + WAL_BYTE, 1, 2);
    int result = sqlite3_open_v2(":memory:", &file->database,
                                 SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (result != SQLITE_OK)
        return result;
    return sqlite3_deserialize(file->database, "main", file->bytes, (sqlite3_int64)size,
                               (sqlite3_int64)size, SQLITE_DESERIALIZE_READONLY);
}

/* Bytes that the header says the file has; 0 when it does not say. It does when the count of pages
 * (28) is as old as the last change (24, 92). */
static uint64_t bytes_said(struct text head)
{
    const uint8_t *bytes = (const uint8_t *)head.bytes;
    if (head.size < HEADER_BYTES || memcmp(bytes + 24, bytes + 92, 4) != 0)
        return 0;
    uint64_t page = (uint64_t)bytes[16] << 8 | bytes[17], pages = 0;
    for (int i = 28; i < 32; i++)
        pages = pages << 8 | bytes[i];
    return pages * (page == 1 ? 65536 : page);
}

static bool is_whole(struct sqlite_file *file, struct text head, uint64_t file_bytes)
{
    uint64_t said = bytes_said(head);
    if (said <= file_bytes || file->partial)
        return true;
    file->failed = true;
    trace_error(file->error, file->path, "the file is truncated: %llu of %llu bytes are there",
                (unsigned long long)file_bytes, (unsigned long long)said);
    return false;
}

/* SQLite's words can hold names of the file's. */
static void write_clean(char *to, size_t room, const char *from)
{
    size_t at = 0;
    for (; from[at] && at + 1 < room; at++)
        to[at] = (char)(from[at] >= ' ' && from[at] <= '~' ? from[at] : '?');
    to[at] = 0;
}

/* Remembers what SQLite says, once; `table` may be NULL, which damages more than a table. */
static void fail(struct sqlite_file *file, const char *table)
{
    char words[160];
    if (file->failed)
        return;
    if (file->partial && table) {
        file->damaged++;
        return;
    }
    file->failed = true;
    bool endless = file->steps_left == 0 && file->database;
    write_clean(words, sizeof words,
                endless          ? "it claims more rows than it has room for: damaged"
                : file->database ? sqlite3_errmsg(file->database)
                                 : "out of memory");
    trace_error(file->error, file->path, "%s%s%sSQLite: %s", table ? "table " : "",
                table ? table : "", table ? ": " : "", words);
}

bool sqlite_file_open(struct sqlite_file *file, struct source *source, bool partial,
                      struct read_error *error)
{
    uint64_t file_bytes = 0;
    const char *path = source_plain_path(source);
    int result;
    struct text head;
    *file = (struct sqlite_file){.path = source_path(source), .error = error, .partial = partial};
    if (!source_peek(source, &head, error))
        return false;
    if (path) {
        result = open_path(file, path, &file_bytes);
    } else {
        size_t size = 0;
        file->bytes = source_read_all(source, MEMORY_BYTES_MAX, &size, error);
        if (!file->bytes)
            return false;
        result = open_memory(file, size);
        file_bytes = size;
    }
    if (result != SQLITE_OK || (is_whole(file, head, file_bytes) && !harden(file, file_bytes)))
        fail(file, NULL);
    return !file->failed;
}

void sqlite_file_close(struct sqlite_file *file)
{
    sqlite3_close(file->database);
    free(file->bytes);
    file->database = NULL;
    file->bytes = NULL;
}

void sqlite_file_fail_memory(struct sqlite_file *file)
{
    if (!file->failed)
        trace_error(file->error, file->path, "out of memory");
    file->failed = true;
}

bool sqlite_file_has_table(struct sqlite_file *file, const char *table)
{
    static const char query[] = "SELECT rootpage FROM main.sqlite_master "
                                "WHERE type = 'table' AND name = ?1 COLLATE NOCASE";
    sqlite3_stmt *statement = NULL;
    if (file->failed)
        return false;
    bool prepared = sqlite3_prepare_v2(file->database, query, -1, &statement, NULL) == SQLITE_OK &&
                    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC) == SQLITE_OK;
    int result = prepared ? sqlite3_step(statement) : SQLITE_ERROR;
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        fail(file, NULL);
    /* a virtual table has no page */
    bool plain = result == SQLITE_ROW && sqlite3_column_int64(statement, 0) > 0;
    sqlite3_finalize(statement);
    return plain;
}

/* ---- rows ---- */

/* Every column of ours by its name, quoted: "end" is a word of SQL. */
#define QUERY_BYTES 1024

/* Which of the columns the table has. Those that are computed are not listed, and so not read. */
static bool find_columns(struct sqlite_rows *rows, const char *const *columns, int count)
{
    char query[QUERY_BYTES];
    sqlite3_stmt *statement = NULL;
    sqlite3 *database = rows->file->database;
    snprintf(query, sizeof query, "PRAGMA main.table_info(\"%s\")", rows->table);
    int result = sqlite3_prepare_v2(database, query, -1, &statement, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 1);
        for (int i = 0; i < count && name; i++)
            if (strcasecmp(name, columns[i]) == 0)
                rows->places[i] = 0;
        result = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    if (result != SQLITE_DONE)
        fail(rows->file, rows->table);
    return result == SQLITE_DONE;
}

/* Numbers the columns that are there. False: none is. */
static bool write_query(struct sqlite_rows *rows, const char *const *columns, int count,
                        char query[QUERY_BYTES])
{
    int place = 0, size = snprintf(query, QUERY_BYTES, "SELECT ");
    for (int i = 0; i < count; i++) {
        if (rows->places[i] < 0)
            continue;
        size += snprintf(query + size, QUERY_BYTES - (size_t)size, "%s\"%s\"", place ? ", " : "",
                         columns[i]);
        rows->places[i] = (int16_t)place++;
    }
    snprintf(query + size, QUERY_BYTES - (size_t)size, " FROM main.\"%s\" NOT INDEXED",
             rows->table);
    return place > 0;
}

void sqlite_rows_begin(struct sqlite_rows *rows, struct sqlite_file *file, const char *table,
                       const char *const *columns, int count)
{
    char query[QUERY_BYTES];
    *rows = (struct sqlite_rows){.file = file, .table = table};
    memset(rows->places, -1, sizeof rows->places);
    if (!sqlite_file_has_table(file, table) || !find_columns(rows, columns, count) ||
        !write_query(rows, columns, count, query))
        return;
    if (sqlite3_prepare_v2(file->database, query, -1, &rows->statement, NULL) != SQLITE_OK)
        fail(file, table);
}

bool sqlite_rows_next(struct sqlite_rows *rows)
{
    struct sqlite_file *file = rows->file;
    if (!rows->statement || file->failed)
        return false;
    int result = sqlite3_step(rows->statement);
    if (result == SQLITE_ROW && file->rows_left) {
        file->rows_left--;
        return true;
    }
    if (result == SQLITE_ROW)
        file->steps_left = 0;
    if (result != SQLITE_DONE)
        fail(file, rows->table);
    sqlite_rows_end(rows);
    return false;
}

void sqlite_rows_end(struct sqlite_rows *rows)
{
    sqlite3_finalize(rows->statement);
    rows->statement = NULL;
}

bool sqlite_rows_take(struct sqlite_rows *rows, int column, int64_t *value)
{
    int place = rows->places[column];
    if (place < 0)
        return false;
    int type = sqlite3_column_type(rows->statement, place);
    if (type == SQLITE_INTEGER) {
        *value = sqlite3_column_int64(rows->statement, place);
        return true;
    }
    rows->strange += type != SQLITE_NULL;
    return false;
}

int64_t sqlite_rows_int(struct sqlite_rows *rows, int column, int64_t otherwise)
{
    int64_t value;
    return sqlite_rows_take(rows, column, &value) ? value : otherwise;
}

/* Texts of many rows can be one and the same place in a damaged file. */
static struct text accounted(struct sqlite_rows *rows, const void *bytes, int size)
{
    struct sqlite_file *file = rows->file;
    if (!bytes || size <= 0)
        return (struct text){"", 0};
    if ((uint64_t)size > file->text_left) {
        file->steps_left = 0;
        fail(file, rows->table);
        return (struct text){"", 0};
    }
    file->text_left -= (uint64_t)size;
    return (struct text){bytes, (size_t)size};
}

struct text sqlite_rows_text(struct sqlite_rows *rows, int column)
{
    int place = rows->places[column];
    if (place < 0)
        return (struct text){"", 0};
    if (sqlite3_column_type(rows->statement, place) != SQLITE_TEXT) {
        rows->strange += sqlite3_column_type(rows->statement, place) != SQLITE_NULL;
        return (struct text){"", 0};
    }
    const unsigned char *bytes = sqlite3_column_text(rows->statement, place);
    return accounted(rows, bytes, sqlite3_column_bytes(rows->statement, place));
}

struct text sqlite_rows_blob(struct sqlite_rows *rows, int column)
{
    int place = rows->places[column];
    if (place < 0 || sqlite3_column_type(rows->statement, place) != SQLITE_BLOB)
        return (struct text){"", 0};
    const void *bytes = sqlite3_column_blob(rows->statement, place);
    return accounted(rows, bytes, sqlite3_column_bytes(rows->statement, place));
}
