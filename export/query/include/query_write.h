/* query_write.h - the rows of a statement, and the description of all tables, in any format. */
#ifndef PROF_QUERY_WRITE_H
#define PROF_QUERY_WRITE_H

#include "query.h"
#include "write_format.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes all rows of a query that has begun; TSV, CSV and JSON row by row. JSON is an array of
 * objects; if two columns have the same name, the second is name_2.
 * Unknown values are empty, null in JSON. table_width: as in grid.h. False: query_failed(), else errno:
 * no memory, or the stream failed. */
bool query_write(struct query *query, enum write_format format, unsigned table_width, FILE *stream);

/* Every table with its columns, types, units and meanings, and the functions; Markdown is docs/query.md's part of it,
 * other formats are one table. False with errno. */
bool query_write_schema(enum write_format format, unsigned table_width, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
