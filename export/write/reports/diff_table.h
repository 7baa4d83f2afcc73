/* diff_table.h - rows of a diff as cells. */
#ifndef PROF_DIFF_TABLE_H
#define PROF_DIFF_TABLE_H

#include "grid.h"
#include "write_diff.h"

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

#ifdef __cplusplus
}
#endif
#endif
