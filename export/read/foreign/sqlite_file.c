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

/* The longest row: no text can be longer than the file. A damaged file can chain one page after
 * each of its rows again and again: what is read of texts is counted, so at most twice the file
 * is. */
#define ROW_BYTES_LEAST (256 << 10)
#define ROW_BYTES_MOST 1000000000
#define TABLES_MAX 4096u

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
    /* The file's views may be as long as SQLite allows: they are parsed with the schema, and never
     * run. */
    static const struct {
        int id, value;
    } limits[] = {
        {SQLITE_LIMIT_VDBE_OP, 25000},          {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50}, {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(file->database, limits[i].id, limits[i].value);
    uint64_t longest = file_bytes < ROW_BYTES_LEAST ? ROW_BYTES_LEAST : file_bytes;
    longest = longest > ROW_BYTES_MOST ? ROW_BYTES_MOST : longest;
    sqlite3_limit(file->database, SQLITE_LIMIT_LENGTH, (int)longest);
    file->rows_left = file_bytes / SQLITE_ROW_BYTES_LEAST + ROWS_FREE;
    file->text_left = file_bytes * 2 + ROW_BYTES_LEAST; /* UTF-16 becomes longer as UTF-8 */
    file->steps_left = file->rows_left * STEPS_PER_ROW / PROGRESS_STEPS + 1;
    sqlite3_progress_handler(file->database, PROGRESS_STEPS, count_steps, file);
}

/* A writable schema makes SQLite read on in a file that is cut off. Nothing is written: the
 * authorizer refuses it, and the file is open for reading. */
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

/* A program that was killed leaves what it wrote last beside the file, and reading that would
 * write. */
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

void sqlite_file_fail_memory(struct sqlite_file *file)
{
    if (!file->failed)
        trace_error(file->error, file->path, "out of memory");
    file->failed = true;
}

/* A name is written into statements: of plain letters. */
static bool is_plain(const char *name)
{
    size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return size && !name[size] && size < SQLITE_TABLE_NAME_MAX &&
           strncasecmp(name, "sqlite_", 7) != 0;
}

/* A virtual table has no page. */
static bool list_tables(struct sqlite_file *file)
{
    static const char query[] = "SELECT name FROM main.sqlite_master "
                                "WHERE type = 'table' AND rootpage > 0";
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(file->database, query, -1, &statement, NULL);
    file->tables = calloc(TABLES_MAX, sizeof *file->tables);
    if (result == SQLITE_OK && !file->tables)
        sqlite_file_fail_memory(file);
    while (result == SQLITE_OK && file->tables && file->table_count < TABLES_MAX &&
           (result = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        if (name && is_plain(name))
            strcpy(file->tables[file->table_count++].name, name);
        result = SQLITE_OK;
    }
    /* What SQLite cannot parse, neither tool wrote; damage is told as such. */
    if (result == SQLITE_ERROR && !file->failed && file->steps_left) {
        char words[160];
        write_clean(words, sizeof words, sqlite3_errmsg(file->database));
        file->failed = true;
        trace_error(file->error, file->path,
                    "an SQLite database, but neither from nsys nor nvprof: its schema cannot be "
                    "read (%s)",
                    words);
    } else if (result != SQLITE_DONE && result != SQLITE_OK) {
        fail(file, NULL);
    }
    sqlite3_finalize(statement);
    return !file->failed;
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
    return !file->failed && list_tables(file);
}

void sqlite_file_close(struct sqlite_file *file)
{
    sqlite3_close(file->database);
    free(file->bytes);
    free(file->tables);
    file->tables = NULL;
    file->database = NULL;
    file->bytes = NULL;
}

/* Whether the table is `base`, or a version of it. */
static bool is_version_of(const char *table, const char *base)
{
    size_t size = strlen(base);
    if (strncasecmp(table, base, size) != 0)
        return false;
    if (!table[size])
        return true;
    size_t digits = strspn(table + size + 1 + (table[size + 1] != 0), "0123456789");
    return table[size] == '_' && (table[size + 1] | 0x20) == 'v' && digits &&
           !table[size + 2 + digits];
}

/* The first of these from `first` on; table_count: none. */
static uint32_t find_table(const struct sqlite_file *file, const char *base, uint32_t first)
{
    while (first < file->table_count && !is_version_of(file->tables[first].name, base))
        first++;
    return first;
}

bool sqlite_file_has_table(struct sqlite_file *file, const char *table)
{
    return !file->failed && find_table(file, table, 0) < file->table_count;
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

/* Begins the next part of the table that has one of the columns. */
static void begin_part(struct sqlite_rows *rows)
{
    struct sqlite_file *file = rows->file;
    char query[QUERY_BYTES];
    while (!rows->statement && !file->failed) {
        uint32_t table = find_table(file, rows->base, rows->next_table);
        if (table == file->table_count)
            return;
        rows->next_table = table + 1;
        rows->table = file->tables[table].name;
        memset(rows->places, -1, sizeof rows->places);
        if (!find_columns(rows, rows->columns, rows->column_count) ||
            !write_query(rows, rows->columns, rows->column_count, query))
            continue;
        file->tables[table].read = true;
        if (sqlite3_prepare_v2(file->database, query, -1, &rows->statement, NULL) != SQLITE_OK)
            fail(file, rows->table);
    }
}

void sqlite_rows_begin(struct sqlite_rows *rows, struct sqlite_file *file, const char *table,
                       const char *const *columns, int count)
{
    *rows = (struct sqlite_rows){
        .file = file, .table = table, .base = table, .columns = columns, .column_count = count};
    memset(rows->places, -1, sizeof rows->places);
    begin_part(rows);
}

bool sqlite_rows_next(struct sqlite_rows *rows)
{
    struct sqlite_file *file = rows->file;
    while (rows->statement && !file->failed) {
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
        begin_part(rows);
    }
    sqlite_rows_end(rows);
    return false;
}

/* ---- what was not read ---- */

/* What the tools note of themselves is no event of the program. */
static bool is_of_tool(const char *table)
{
    static const char *const tables[] = {
        "DIAGNOSTIC_EVENT", "ANALYSIS_", "META_DATA", "EXPORT_", "ENUM_", "TARGET_INFO", "PROF_"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strncasecmp(table, tables[i], strlen(tables[i])) == 0)
            return true;
    return false;
}

/* Its rows, if they have a time. Damage ends the count: nothing of it is used. */
static uint64_t count_timed(struct sqlite_file *file, const char *table)
{
    static const char *const times[] = {"start", "timestamp", "rawTimestamp"};
    struct sqlite_rows rows = {.file = file, .table = table};
    char query[QUERY_BYTES];
    uint64_t count = 0;
    memset(rows.places, -1, sizeof rows.places);
    bool partial = file->partial;
    file->partial = true; /* damage of what is not needed is no failure */
    uint32_t damaged = file->damaged;
    if (find_columns(&rows, times, SQLITE_COUNT(times)) &&
        write_query(&rows, times, SQLITE_COUNT(times), query) &&
        sqlite3_prepare_v2(file->database, query, -1, &rows.statement, NULL) == SQLITE_OK)
        for (; file->rows_left && sqlite3_step(rows.statement) == SQLITE_ROW; count++)
            file->rows_left--;
    sqlite3_finalize(rows.statement);
    file->damaged = damaged;
    file->partial = partial;
    return count;
}

struct unread_table {
    const char *name;
    uint64_t rows;
};

static int more_rows_first(const void *left, const void *right)
{
    const struct unread_table *a = left, *b = right;
    return a->rows != b->rows ? (a->rows < b->rows ? 1 : -1) : strcmp(a->name, b->name);
}

void sqlite_file_unread(struct sqlite_file *file, struct sqlite_unread *unread)
{
    *unread = (struct sqlite_unread){0};
    struct unread_table *found = calloc(file->table_count + (size_t)1, sizeof *found);
    if (!found) {
        sqlite_file_fail_memory(file);
        return;
    }
    for (uint32_t i = 0; i < file->table_count && !file->failed; i++) {
        const struct sqlite_table *table = &file->tables[i];
        uint64_t rows = table->read || is_of_tool(table->name) ? 0 : count_timed(file, table->name);
        unread->rows += rows;
        if (rows)
            found[unread->tables++] = (struct unread_table){table->name, rows};
    }
    if (unread->tables)
        qsort(found, unread->tables, sizeof *found, more_rows_first);
    size_t used = 0;
    for (uint32_t i = 0; i < unread->tables; i++) {
        bool last = i + 1 == unread->tables;
        if (used + strlen(found[i].name) + 8 > sizeof unread->names || (i == 8 && !last)) {
            snprintf(unread->names + used, sizeof unread->names - used, ", ...");
            break;
        }
        used += (size_t)snprintf(unread->names + used, sizeof unread->names - used, "%s%s",
                                 i ? ", " : "", found[i].name);
    }
    free(found);
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
