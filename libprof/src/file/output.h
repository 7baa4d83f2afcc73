/* output.h - what the trace file is called. */
#ifndef PROF_OUTPUT_H
#define PROF_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the pattern's escapes stand for. */
struct output_facts {
    const char *program; /* %e */
    const char *host;    /* %h */
    uint32_t pid;        /* %p */
    int32_t rank;        /* %r; negative: 0. %R: "-rank" and the number; negative: nothing */
    uint32_t number;     /* %n: the caller counts up from 1 until the name is free */
};

/* Expands %p %h %r %R %e %n %q{VARIABLE} %% in `pattern` into `path` (NUL-terminated). Slashes in
 * what an escape stands for become '_', so that it cannot leave the directory. An unknown escape is
 * kept as it stands. Returns false when the result does not fit `path_bytes`. */
bool output_expand(const char *pattern, const struct output_facts *facts, char *path,
                   size_t path_bytes);

/* Whether the pattern's result changes with the number. */
bool output_has_number(const char *pattern);

/* For a name that exists already: the `attempt`-th other name of process `pid` beside it, from 1
 * on: run.prof -> run-4711.prof, run-4711-2.prof ... Returns false when it does not fit. */
bool output_beside(const char *path, uint32_t pid, unsigned attempt, char *other,
                   size_t other_bytes);

/* Whether a recording may replace the file at `path`: true for another recording and for an empty
 * file. */
bool output_may_replace(const char *path);

#endif
