/* merge_plan.h - how Chrome traces are kept apart in one: new pids, how far ids and times move. */
#ifndef PROF_MERGE_PLAN_H
#define PROF_MERGE_PLAN_H

#include "merge_survey.h"
#include "timeline.h"

struct merge_plan {
    struct merge_file *files;
    size_t count;
    bool partial;
    uint64_t base_ns; /* of the merged trace, since the epoch; 0 none */
    uint64_t next_pid;
    struct text_pool used_pids; /* without quotes */
    bool failed;
    struct read_error error;
};

/* Looks at all files, and sets what is new of their pids, ids and times. `timeline` is what else the
 * trace will hold, or NULL. False: `error` says why. */
bool merge_plan_make(struct merge_plan *plan, const struct timeline *timeline);

/* Number of the file's pid that is written so, with or without quotes; 0: there is none. */
uint32_t merge_file_pid(const struct merge_file *file, struct text bare, bool quoted);

static inline struct text merge_without_quotes(struct text text)
{
    bool quoted = text.size >= 2 && text.bytes[0] == '"';
    return quoted ? (struct text){text.bytes + 1, text.size - 2} : text;
}

#endif
