/* write.h - every output of a timeline that needs nothing but libc.
 *
 * The functions neither print on their own account nor exit: they return false and say why. All may
 * be called by any number of threads on the same timeline, each with its own stream or path.
 */
#ifndef PROF_WRITE_H
#define PROF_WRITE_H

#include "key_sort.h"
#include "out_file.h"
#include "timeline.h"

#include <stdio.h>

struct write_options {
    size_t size_bytes;
    enum key_column sort;
    int64_t rows; /* rows of the table, -1 all */
    bool color;   /* escape sequences for a terminal */
};

void write_options_default(struct write_options *options);

/* Program, pid, host, devices, who timed the device, how the recording ended. */
bool write_summary(const struct timeline *timeline, const struct write_options *options,
                   FILE *stream);

/* The key-averaged table with torch.profiler's columns, the totals under it, and what was lost. */
bool write_table(const struct timeline *timeline, const struct write_options *options,
                 FILE *stream);

/* The same facts as one JSON object: see facts_json.c for its members. */
bool write_json(const struct timeline *timeline, const struct write_options *options, FILE *stream);

/* The timeline as a Chrome trace in Kineto's dialect. `path` as in out_file.h: replaced atomically,
 * "-" is stdout. */
bool write_chrome(const struct timeline *timeline, const char *path, struct write_error *error);

/* The same with what stands as "Call stack" at calls and ranges, by stack; NULL: nothing does. */
bool write_chrome_stacks(const struct timeline *timeline, char *const *stacks, const char *path,
                         struct write_error *error);

#endif
