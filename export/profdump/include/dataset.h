/* dataset.h - inputs that are datasets, see docs/ranks.md: the Python package reads them, as it has
 * DuckDB. */
#ifndef PROF_DATASET_H
#define PROF_DATASET_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>

struct read_error;

/* More --rank cannot be given; a list of ranks counts once. */
#define DATASET_LISTS_MAX 64u

/* What to read of datasets. */
struct dataset_choice {
    const char *ranks[DATASET_LISTS_MAX]; /* as given: "17", "3,5-8" */
    unsigned count;                       /* 0: all ranks */
    bool one_clock;                       /* shift the ranks of all hosts to one clock */
};

/* Ranks of a dataset as traces in memory. Owned by the caller. */
struct dataset_text {
    char *bytes; /* mapped, private */
    size_t size;
    char *said; /* what Python said beside that, a sentence per line; NULL: nothing */
};

/* True for a directory that 'profdump pack' wrote. */
bool dataset_is(const char *path);

/* Runs Python and waits for it. False: `error` says why, and `text` holds nothing. Threads: any. */
bool dataset_read(const char *path, const struct dataset_choice *choice, struct dataset_text *text,
                  struct read_error *error);
void dataset_text_fini(struct dataset_text *text);

/* The next trace and its name, which end where the next one begins; both are borrowed and constant.
 * `*at` is 0 at first. False: that was the last one. */
bool dataset_next(const struct dataset_text *text, size_t *at, const char **name,
                  struct text *trace);

/* Runs a command of the Python package in place of this program: `words` begin with its name.
 * Returns only after having complained. */
int dataset_become_python(int count, char **words);

#endif
