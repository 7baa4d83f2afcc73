/* table.h - result tables that are described once and come out in any format.
 *
 *     #define DEVICE_COLUMNS(X)                           \
 *         X(table_count(table, device->pid), "pid", "Pid") \
 *         X(table_ns(table, device->busy_ns), "busy_ns", "Busy")
 *     TABLE_ROW(device, DEVICE_COLUMNS, const struct device *device)
 *
 *     table_begin(&table, "devices", "What devices did", device_columns);
 *     device_row(&table, device); // for each device
 *     table_end(&table);
 *     done = table_finish(&table);
 *
 * For people times are "1.234ms" and what is not known is "unknown"; for programs times are whole
 * nanoseconds, and what is not known is empty, or null in JSON. Text is made safe for terminals.
 *
 * TSV and CSV hold a single table, because their readers expect one. Several tables are merged: a
 * first column "table" has the table's name, and the other columns are those of all tables.
 */
#ifndef PROF_TABLE_H
#define PROF_TABLE_H

#include "grid.h"
#include "json_out.h"
#include "units.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TABLE_IN_TEXT = 1,
    TABLE_IN_MARKDOWN = 2,
    TABLE_IN_VALUES = 4, /* tsv and csv */
    TABLE_IN_JSON = 8,
    TABLE_FOR_PEOPLE = TABLE_IN_TEXT | TABLE_IN_MARKDOWN,
    TABLE_FOR_PROGRAMS = TABLE_IN_VALUES | TABLE_IN_JSON,
    TABLE_BUT_JSON = TABLE_FOR_PEOPLE | TABLE_IN_VALUES,
    TABLE_BUT_TEXT = TABLE_FOR_PROGRAMS | TABLE_IN_MARKDOWN,
    TABLE_NOWHERE = 16, /* 0 is everywhere */
};

struct table_column {
    const char *key;   /* the header of separated values, and of JSON */
    const char *title; /* for people; NULL: not for them, see `in` */
    uint8_t in;        /* TABLE_IN_*: the formats that have the column; 0: all */
    uint8_t rank;      /* of columns left out to fit a terminal, as in fit.h */
    uint16_t width;    /* TABLE_FIXED and TABLE_RULED: characters */
    const char *json;  /* the key in JSON; NULL: `key` */
    uint8_t word;      /* which of table->words is in key and title */
    bool is_named;     /* key and title are not of our own making */
    /* TABLE_RULED, as in grid.h */
    bool left;
    uint16_t limit, least;
};

#define TABLE_COLUMNS_MAX 64u /* that one format shows */

/* Of a list of X(CELL, COLUMN...), makes the array NAME_columns and the function NAME_row(table,
 * ...), which begins a row and adds its cells. CELL is a statement that adds one cell to `table`,
 * COLUMN the members of its struct table_column: a cell cannot be under another column's title. */
#define TABLE_ROW(name, LIST, ...)                                               \
    static const struct table_column name##_columns[] = {LIST(TABLE_COLUMN){0}}; \
    TABLE_ROW_CELLS(name, LIST, __VA_ARGS__)

/* Only the function, where columns depend on options: {LIST(TABLE_COLUMN) {0}} in a function is
 * their array. */
#define TABLE_ROW_CELLS(name, LIST, ...)                     \
    static void name##_row(struct table *table, __VA_ARGS__) \
    {                                                        \
        if (!table_row(table))                               \
            return;                                          \
        LIST(TABLE_CELL)                                     \
    }
#define TABLE_COLUMN(cell, ...) {__VA_ARGS__},
#define TABLE_CELL(cell, ...) cell;

/* What a table for people has around it. */
enum table_frame {
    TABLE_TITLED, /* a title, "(none)" for no rows, how many rows are not shown */
    TABLE_BARE,   /* the report writes these itself */
    TABLE_FIXED,  /* the same; as text, without a rule, columns have the widths that are given */
    TABLE_RULED,  /* titled; as text as torch.profiler's tables, without a count of rows */
};

struct kept_table;

struct table {
    enum write_format format;
    enum table_frame frame;
    FILE *stream;
    struct json_out *json;   /* WRITE_JSON: an object is open, each table is a member of it */
    int64_t most;            /* rows of each table, -1 all; TSV, CSV and JSON have all... */
    bool limited;            /* ...but with this set, JSON has `most`, too */
    unsigned width;          /* characters of a text that people see; 0: 4096 */
    unsigned table_width;    /* of the terminal that aligned tables have to fit; 0 any */
    enum time_unit unit;     /* of times that people see */
    const char *words[2];    /* stand for "%s" in titles and keys, by column->word; NULL none */
    const char *title_color; /* escape sequence for titles, as of grid_color(); NULL none */
    const char *foot;  /* lines under a table for people, above what was left out; NULL none */
    bool skips_empty;  /* for people: tables without rows are left out, and named in `skipped` */
    bool unbroken;     /* JSON: tables begin on the line of what is before them */
    bool rows_in_line; /* JSON: rows follow each other on it, too */
    char skipped[256];
    /* the rest is private */
    const char *name;
    const struct table_column *columns;
    struct grid_column layout[TABLE_COLUMNS_MAX];
    const char *title;
    struct grid grid;
    struct kept_table *done; /* for separated values: tables that ended */
    uint32_t done_count, done_capacity;
    uint32_t column, tables;
    int64_t rows;
    bool in_row; /* JSON: an object of the table is open */
    bool failed; /* no memory, or the stream failed */
};

/* `title` NULL: it needs none. `name` NULL: an array in JSON, whose key is there already. The
 * columns must last until table_end(). */
void table_begin(struct table *table, const char *name, const char *title,
                 const struct table_column *columns);
void table_end(struct table *table);

/* After the last table, also after failures: writes what is not written yet, and frees. False with
 * errno: no memory, or the stream failed. */
bool table_finish(struct table *table);

/* Writes tables, which are the members of an object in JSON, and folds text for a terminal. False
 * with errno: no memory, or the stream failed. */
bool table_write(struct table *table, bool (*tables)(struct table *table, void *user), void *user);

/* Begins a row; false: it is one too many, and is only counted. */
bool table_row(struct table *table);

/* The row's cells, in the order of the columns. Those that the format does not have are passed
 * over. */
void table_text(struct table *table, struct text text);
void table_string(struct table *table, const char *string);
/* Words and numbers of ours, which are not cut to fit a terminal. */
void table_format(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The cell that was just added is shown in this colour: see grid_color(). Only for people. */
void table_color(struct table *table, const char *escape);
void table_count(struct table *table, uint64_t count);
void table_int(struct table *table, int64_t number);
void table_bool(struct table *table, bool value);
void table_ns(struct table *table, int64_t ns);
void table_bytes(struct table *table, uint64_t bytes);
void table_signed_bytes(struct table *table, int64_t bytes);
void table_number(struct table *table, double number); /* NaN: not known */
void table_exact(struct table *table,
                 double number); /* the shortest digits that read back as the same */
void table_duration(struct table *table, double ns); /* NaN: not known */
void table_share(struct table *table, int64_t part, int64_t whole);
void table_unknown(struct table *table);
void table_none(struct table *table);   /* there is no such thing: empty for people, too */
void table_absent(struct table *table); /* as not known, but in JSON there is no such member */

/* Whether the next cell is in this format; if not, it is passed over. For what is costly to
 * make. */
bool table_shows(struct table *table);

/* For a cell that is an array or an object in JSON: writes its key. NULL: this is not JSON, and the
 * cell is empty or passed over. */
struct json_out *table_json(struct table *table);

/* Tables within a row of JSON: `columns` NULL, and table_begin() makes it an array of objects; else
 * its only row is an object, which the caller ends. Needs no table_finish(). */
struct table table_in_json(struct json_out *out, const struct table_column *columns);

#ifdef __cplusplus
}
#endif
#endif
