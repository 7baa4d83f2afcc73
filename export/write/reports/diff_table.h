/* diff_table.h - rows of a diff as cells. */
#ifndef PROF_DIFF_TABLE_H
#define PROF_DIFF_TABLE_H

#include "diff.h"
#include "reports.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For people: the first `rows` rows of the table, in units. */
bool diff_table_write(const struct diff *diff, const struct diff_table *table,
                      const struct write_diff_options *options, FILE *stream);

/* For programs: as separated values every table that was asked for in one, numbers in nanoseconds, empty where there
 * is none; as JSON everything. */
bool diff_table_write_all(const struct diff *diff, const struct write_diff_options *options,
                          FILE *stream);

/* Names, times and differences of a diff in words. */

#define DIFF_TEXT_BYTES 128u

/* What the row is called on a side where it is: a name, or ranges from the outermost in as "outer > inner".
 * To free(); NULL: no memory. */
char *diff_text_name(const struct diff *diff, const struct diff_row *row, unsigned side,
                     enum diff_by by);

/* What the row is called in a table of limited width, safe to show: a name, or ranges from the outermost in
 * as "outer > inner". What is too long gives way in the middle, of ranges the outer ones do; a kernel that was
 * renamed is "old -> new". To free(); NULL: no memory. */
char *diff_text_short_name(const struct diff *diff, const struct diff_row *row, enum diff_by by,
                           unsigned width);

/* "5", "7.25": as many decimals as it takes, at most three. */
void diff_text_number(double value, char to[DIFF_TEXT_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
