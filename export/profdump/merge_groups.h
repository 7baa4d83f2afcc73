/* merge_groups.h - the member "mergedProcesses" of a merged Chrome trace: which pids were of one file. */
#ifndef PROF_MERGE_GROUPS_H
#define PROF_MERGE_GROUPS_H

#include "json_out.h"
#include "merge_plan.h"

/* Whether the file's lists are too large to be rewritten: they are copied as they are. */
bool merge_groups_are_large(const struct merge_file *file);

/* A group for each file, or each group that the file has. */
void merge_groups_write(const struct merge_plan *plan, struct json_out *out);

#endif
