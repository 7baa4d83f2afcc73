/* sheet.h - a table that is said once and comes out aligned, separated by tabs or commas, or as JSON.
 *
 *     static const struct sheet_column columns[] = {{"pid", "Pid"}, {"busy_ns", "Busy"}, {0}};
 *     sheet_begin(&sheet, "devices", "What devices did", columns);
 *     sheet_row(&sheet), sheet_count(&sheet, pid), sheet_ns(&sheet, busy_ns);
 *     sheet_end(&sheet);
 *
 * For people times are "1.234ms" and what is not known is "unknown"; for programs times are whole
 * nanoseconds, and what is not known is empty, or null in JSON. Text is made safe for terminals.
 */
#ifndef PROF_SHEET_H
#define PROF_SHEET_H

#include "grid.h"
#include "json_out.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sheet_format { SHEET_TEXT, SHEET_TSV, SHEET_CSV, SHEET_JSON };

struct sheet_column {
    const char *key;    /* in JSON, and the header of separated values */
    const char *header; /* for people */
};

struct sheet {
    enum sheet_format format;
    FILE *stream;
    struct json_out *json; /* SHEET_JSON: an object is open, each table is a member of it */
    int64_t most;          /* rows of each table, -1 all; separated values and JSON have all */
    unsigned width;        /* characters of a text that people see; 0: 4096 */
    const struct sheet_column *columns;
    struct grid grid;
    uint32_t column, tables;
    int64_t rows;
    bool failed; /* no memory, or the stream failed */
};

void sheet_begin(struct sheet *sheet, const char *name, const char *title,
                 const struct sheet_column *columns);
void sheet_end(struct sheet *sheet);

/* Begins a row; false: it is one too many, and is only counted. */
bool sheet_row(struct sheet *sheet);

/* The row's cells, in the order of the columns. */
void sheet_text(struct sheet *sheet, struct text text);
void sheet_string(struct sheet *sheet, const char *string);
void sheet_count(struct sheet *sheet, uint64_t count);
void sheet_int(struct sheet *sheet, int64_t number);
void sheet_ns(struct sheet *sheet, int64_t ns);
void sheet_bytes(struct sheet *sheet, uint64_t bytes);
void sheet_number(struct sheet *sheet, double number); /* NaN: not known */
void sheet_duration(struct sheet *sheet, double ns);   /* NaN: not known */
void sheet_share(struct sheet *sheet, int64_t part, int64_t whole);
void sheet_unknown(struct sheet *sheet);

#ifdef __cplusplus
}
#endif
#endif
