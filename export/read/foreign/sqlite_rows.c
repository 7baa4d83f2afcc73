/* sqlite_rows.c - see sqlite_rows.h. */
#include "sqlite_rows.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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
        sqlite_file_fail(rows->file, rows->table);
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
        sqlite_file_fail(file, table);
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
        sqlite_file_fail(file, rows->table);
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
        sqlite_file_fail(file, rows->table);
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
