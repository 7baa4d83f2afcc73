/* graphs_report.h - CUDA graphs as a JSON value. */
#ifndef PROF_GRAPHS_REPORT_H
#define PROF_GRAPHS_REPORT_H

#include "json_out.h"
#include "timeline.h"

/* `rows` graphs at most, -1 all. False: no memory. */
bool graphs_json(struct json_out *out, const struct timeline *timeline, int64_t rows);

#endif
