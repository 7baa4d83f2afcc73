/* report_cells.h - cells that the tables of several reports have. */
#ifndef PROF_REPORT_CELLS_H
#define PROF_REPORT_CELLS_H

#include "range_paths.h"
#include "table.h"

/* A count, or nothing for TL_NONE. */
void cell_index(struct table *table, uint32_t index);

/* A path of ranges, from the outermost in: in JSON an array of names, which is empty for TL_NONE and of which very
 * deep paths lack the outermost, else a text. */
void cell_path(struct table *table, const struct range_paths *paths, uint32_t path);

#endif
