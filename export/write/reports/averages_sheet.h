/* averages_sheet.h - the key-averaged table, and the tree of ranges, in any format. */
#ifndef PROF_AVERAGES_SHEET_H
#define PROF_AVERAGES_SHEET_H

#include "write_report.h"
#include "write_format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The rows and columns of write_table(), or of write_tree(), and nothing else: no summary, no totals, no
 * ledger. "kind" tells the row of all sums, "total", from a range of that name. Not WRITE_JSON, which
 * write_json() writes. False with errno: no memory, or the stream failed. */
bool averages_sheet(const struct timeline *timeline, const struct write_options *options,
                    enum write_format format, FILE *stream);
bool averages_sheet_tree(const struct timeline *timeline, const struct write_options *options,
                         enum write_format format, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
