/* check_find.h - how the checks report; private to check*.c. */
#ifndef PROF_CHECK_FIND_H
#define PROF_CHECK_FIND_H

#include "check.h"

/* Findings by rule while checking; `count` 0: none. */
struct check {
    const struct timeline *timeline;
    struct check_finding found[CHECK_RULE_COUNT];
};

/* Adds `count` cases (0: nothing happens). The sentence of the gravest first case is kept. */
void check_add(struct check *check, enum check_rule rule, enum check_severity severity,
               uint64_t count, const char *format, ...) __attribute__((format(printf, 5, 6)));

void check_slices(struct check *check);  /* check_slices.c */
void check_nvtx(struct check *check);    /* check_nvtx.c */
void check_frames(struct check *check);  /* check_frames.c */
void check_gpus(struct check *check);    /* check_gpus.c */
void check_timings(struct check *check); /* check_timings.c */
void check_ledger(struct check *check);  /* check_ledger.c */
void check_graphs(struct check *check);  /* check_graphs.c */
void check_memory(struct check *check);  /* check_memory.c */

/* The text of a name for a sentence: at most 60 bytes, "?" out of range. For "%.*s". */
struct text check_name(const struct check *check, uint32_t name);
#define CHECK_TEXT(text) (int)(text).size, (text).bytes

#endif
