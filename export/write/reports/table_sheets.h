/* table_sheets.h - what profdump's commands print, as tables and nothing else: the same numbers as their
 * reports for people, in the formats of write_format.h but WRITE_JSON, for which they have writers of their
 * own.
 *
 * options->rows limits each table of Markdown; separated values have all. False with errno: no memory, or
 * the stream failed.
 */
#ifndef PROF_TABLE_SHEETS_H
#define PROF_TABLE_SHEETS_H

#include "write_report.h"
#include "write_blocks.h"
#include "write_format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Framework tax of executions in blocks, in the unit asked for, and of ranges, in nanoseconds. Separated values. */
bool tax_sheet(const struct timeline *timeline, const struct write_blocks_options *options,
               FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
