/* roofline_cells.h - numbers of a roofline as text, and as JSON. */
#ifndef PROF_ROOFLINE_CELLS_H
#define PROF_ROOFLINE_CELLS_H

#include "grid.h"
#include "json_out.h"
#include "write_roofline.h"

#define UNKNOWN_CELL "-" /* in text; for programs an empty cell, or null */

/* For people: four digits, or all before the point. */
void number_cell(struct grid *grid, double value);
/* "12.34%"; what is more than nothing is not shown as 0. */
void share_cell(struct grid *grid, double share);
/* With its thousands: "236.028 M". */
void amount_cell(struct grid *grid, double value);
/* For programs: the shortest digits that read back as the same number. */
void exact_cell(struct grid *grid, double value);

/* What a row is called. */
struct text roofline_row_name(const struct roofline *roofline, const struct roofline_row *row);

/* What a row's type is called: "unknown", "several". */
const char *roofline_row_type_name(const struct roofline_row *row);

/* What the trace calls a device; empty: it does not tell. */
struct text roofline_device_name(const struct roofline *roofline,
                                 const struct roofline_device *device);

bool roofline_rows_print(const struct roofline *roofline,
                         const struct write_roofline_options *options, FILE *stream);
bool roofline_json_print(const struct roofline *roofline,
                         const struct write_roofline_options *options, FILE *stream);

/* The figures as members of an object: vector, matrix, bandwidth_gbs, memory_gb. */
void peak_figures_json(struct json_out *out, const struct peak_figures *figures);

#endif
