/* diff_table.h - rows of a diff as cells. */
#ifndef PROF_DIFF_TABLE_H
#define PROF_DIFF_TABLE_H

#include "diff.h"
#include "grid.h"
#include "reports.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For people: the first `rows` rows of the table, in units. */
bool diff_table_write(const struct diff *diff, const struct diff_table *table,
                      const struct write_diff_options *options, FILE *stream);

/* For programs: every table that was asked for in one, numbers in nanoseconds, empty where there is
 * none. */
bool diff_table_write_rows(const struct diff *diff, const struct write_diff_options *options,
                           FILE *stream);

/* Names, times and differences of a diff in words. */

#define DIFF_TEXT_BYTES 128u

/* What the row is called in a table of limited width, safe to show: a name, or ranges from the outermost in
 * as "outer > inner". What is too long gives way in the middle, of ranges the outer ones do; a kernel that was
 * renamed is "old -> new". To free(); NULL: no memory. */
char *diff_text_short_name(const struct diff *diff, const struct diff_row *row, enum diff_by by,
                           unsigned width);

/* "5", "7.25": as many decimals as it takes, at most three. */
void diff_text_number(double value, char to[DIFF_TEXT_BYTES]);

/* "slower by 7.3 % (95 %: 6.8 to 7.9)", "no difference beyond noise: +0.4 % (95 %: -0.1 to +0.9)",
 * "+7.3 %, too few values to tell from noise", "unknown". */
void diff_text_change(const struct bootstrap_interval *ratio, double confidence,
                      char to[DIFF_TEXT_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
