/* write_format.h - the formats that every table can be had in.
 *
 * Text and Markdown are for people: times as "1.234ms", unknown values as such. The others are for
 * programs: whole nanoseconds, bytes and counts, headers that name the unit, nothing in a cell
 * whose value is not known, and no line that is not a row.
 */
#ifndef PROF_WRITE_FORMAT_H
#define PROF_WRITE_FORMAT_H

#include "grid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of write_format_find()'s names. */
enum write_format { WRITE_TEXT, WRITE_TSV, WRITE_CSV, WRITE_JSON, WRITE_MARKDOWN };

#define WRITE_FORMAT_NAMES "text, tsv, csv, json, markdown"

/* False: no format has this name. */
bool write_format_find(const char *name, enum write_format *format);

const char *write_format_name(enum write_format format);

static inline bool write_format_is_for_people(enum write_format format)
{
    return format == WRITE_TEXT || format == WRITE_MARKDOWN;
}

/* How a grid is written in it. JSON has none. */
enum grid_style write_format_style(enum write_format format);

#ifdef __cplusplus
}
#endif
#endif
