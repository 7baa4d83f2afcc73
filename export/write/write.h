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
    bool memory;  /* the table has torch.profiler's columns of memory: see memory_ranges.h */
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

/* Memory: heaps, peaks and their owners, what was never freed, ranges, pools, managed memory. */
bool write_memory(const struct timeline *timeline, const struct write_options *options,
                  FILE *stream);
bool write_memory_json(const struct timeline *timeline, const struct write_options *options,
                       FILE *stream);

/* The timeline as a Chrome trace in Kineto's dialect. `path` as in out_file.h: replaced atomically,
 * "-" is stdout. */
bool write_chrome(const struct timeline *timeline, const char *path, struct write_error *error);

/* The same with what stands as "Call stack" at calls and ranges, by stack; NULL: nothing does. */
bool write_chrome_stacks(const struct timeline *timeline, char *const *stacks, const char *path,
                         struct write_error *error);

struct json_out;

/* What else a Chrome trace is to hold than its timeline. Members may be NULL. */
struct write_chrome_more {
    void *user;
    uint64_t base_ns; /* what its times count from, since the epoch; 0, or later than the timeline
                         begins: as without */
    void (*events)(void *user, struct json_out *out);  /* after all others */
    void (*members)(void *user, struct json_out *out); /* of the top-level object */
    /* A stream through which the file of that path is written; NULL with errno 0: none. It is closed,
     * the descriptor is not its own. */
    FILE *(*pack)(int descriptor, const char *path);
};
bool write_chrome_and(const struct timeline *timeline, char *const *stacks,
                      const struct write_chrome_more *more, const char *path,
                      struct write_error *error);

/* What a dump of profiling blocks holds, and what it does not. */
struct write_etprof_counts {
    uint64_t blocks, events, allocations;     /* written */
    uint64_t empty_blocks;                    /* left out: nothing ended or was allocated in them */
    uint64_t unfinished_events;               /* left out: they have no end */
    uint64_t reset_events, reset_allocations; /* left out: the program reset their block */
    uint64_t clamped_allocations;             /* larger than 16 TiB: written as that */
    uint64_t cut_names;                       /* names written whose 32 bytes are not all of it */
};

/* The profiling blocks as prof buffers of ExecuTorch, version 1; of several processes, one process's
 * after the other's. `path` as in write_chrome(). When no block holds anything, nothing is written
 * and the error's code is ENODATA. `counts` is filled either way. */
bool write_etprof(const struct timeline *timeline, const char *path,
                  struct write_etprof_counts *counts, struct write_error *error);

#endif
