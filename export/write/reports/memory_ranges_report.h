/* memory_ranges_report.h - the part of profdump memory that is about ranges. */
#ifndef PROF_MEMORY_RANGES_REPORT_H
#define PROF_MEMORY_RANGES_REPORT_H

#include "table.h"
#include "timeline.h"

/* Adds the table "ranges"; as text, one for each side that ranges used. False: no memory. */
bool memory_ranges_report(struct table *table, const struct timeline *timeline);

#endif
