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

/* check_slices.c */
void check_slices(struct check *check);
void check_nvtx(struct check *check);
void check_frames(struct check *check);
void check_timings(struct check *check);

/* The text of a name for a sentence: at most 60 bytes, "?" out of range. For "%.*s". */
struct text check_name(const struct check *check, uint32_t name);
#define CHECK_TEXT(text) (int)(text).size, (text).bytes

#endif
