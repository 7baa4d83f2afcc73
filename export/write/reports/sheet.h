/* sheet.h - tables that are said once and come out in any format.
 *
 *     static const struct sheet_column columns[] = {{"pid", "Pid"}, {"busy_ns", "Busy"}, {0}};
 *     sheet_begin(&sheet, "devices", "What devices did", columns);
 *     sheet_row(&sheet), sheet_count(&sheet, pid), sheet_ns(&sheet, busy_ns);
 *     sheet_end(&sheet);
 *     done = sheet_finish(&sheet);
 *
 * For people times are "1.234ms" and what is not known is "unknown"; for programs times are whole
 * nanoseconds, and what is not known is empty, or null in JSON. Text is made safe for terminals.
 *
 * Separated values are one table, since that is what their readers take: of several, rows have the name of
 * theirs in a first column "table", and the columns are those of all.
 */
#ifndef PROF_SHEET_H
#define PROF_SHEET_H

#include "json_out.h"
#include "units.h"
#include "write_format.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sheet_column {
    const char *key;    /* in JSON, and the header of separated values */
    const char *header; /* for people */
};

struct sheet_table;

struct sheet {
    enum write_format format;
    FILE *stream;
    struct json_out *json; /* WRITE_JSON: an object is open, each table is a member of it */
    int64_t most;          /* rows of each table, -1 all; separated values and JSON have all */
    unsigned width;        /* characters of a text that people see; 0: 4096 */
    unsigned table_width;  /* of the terminal that aligned tables have to fit; 0 any */
    enum time_unit unit;   /* of times that people see */
    const char *name;
    const struct sheet_column *columns;
    struct grid grid;
    struct sheet_table *done; /* for separated values: tables that ended */
    uint32_t done_count, done_capacity;
    uint32_t column, tables;
    int64_t rows;
    bool failed; /* no memory, or the stream failed */
};

/* `title` NULL: it needs none. The columns must last until sheet_finish(). */
void sheet_begin(struct sheet *sheet, const char *name, const char *title,
                 const struct sheet_column *columns);
void sheet_end(struct sheet *sheet);

/* After sheet_begin(): which columns may be left out on a terminal, by column as in fit.h. They must last
 * until sheet_end(). */
void sheet_ranks(struct sheet *sheet, const uint8_t *ranks);

/* After the last table, also after failures: writes what is not written yet, and frees. False with errno:
 * no memory, or the stream failed. */
bool sheet_finish(struct sheet *sheet);

/* Writes tables, which are the members of an object in JSON. False with errno: no memory, or the stream
 * failed. */
bool sheet_write(struct sheet *sheet, bool (*tables)(struct sheet *sheet, void *user), void *user);

/* Begins a row; false: it is one too many, and is only counted. */
bool sheet_row(struct sheet *sheet);

/* The row's cells, in the order of the columns. */
void sheet_text(struct sheet *sheet, struct text text);
void sheet_string(struct sheet *sheet, const char *string);
void sheet_count(struct sheet *sheet, uint64_t count);
void sheet_int(struct sheet *sheet, int64_t number);
void sheet_ns(struct sheet *sheet, int64_t ns);
void sheet_bytes(struct sheet *sheet, uint64_t bytes);
void sheet_signed_bytes(struct sheet *sheet, int64_t bytes);
void sheet_number(struct sheet *sheet, double number); /* NaN: not known */
void sheet_duration(struct sheet *sheet, double ns);   /* NaN: not known */
void sheet_share(struct sheet *sheet, int64_t part, int64_t whole);
void sheet_unknown(struct sheet *sheet);
void sheet_none(struct sheet *sheet); /* there is no such thing: empty for people, too */

#ifdef __cplusplus
}
#endif
#endif
