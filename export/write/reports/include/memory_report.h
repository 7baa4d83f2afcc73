/* memory_report.h - the facts about memory as one JSON object. */
#ifndef PROF_MEMORY_REPORT_H
#define PROF_MEMORY_REPORT_H

#include "json_out.h"
#include "timeline.h"

/* Value of a member, or the whole output. `rows` limits each list but the heaps; -1 all. False: no
 * memory, the object is incomplete. */
bool memory_json(struct json_out *out, const struct timeline *timeline, int64_t rows);

#endif
