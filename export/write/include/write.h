/* write.h - every output of a timeline that needs nothing but libc and libm.
 *
 * The functions neither print on their own account nor exit: they return false and say why. All may
 * be called by any number of threads on the same timeline, each with its own stream or path.
 */
#ifndef PROF_WRITE_H
#define PROF_WRITE_H

#include "out_file.h"
#include "reports.h"
#include "timeline.h"

#include <stdio.h>

/* Folded stacks: "outer;inner 1234" for each path of ranges with something of the metric, in
 * nanoseconds or calls, as flamegraph.pl reads it. CUDA calls are leaves of CPU time, kernels,
 * copies and sets of CUDA time. With `stacks` (by stack: functions, outermost first, separated by
 * semicolons; NULL: none) what is around a range, a call or an operation are the functions that
 * opened, made or launched it. Blanks, semicolons and what a terminal would obey are '_' in names;
 * lines are sorted, and those that read the same are one. */
enum write_metric { WRITE_SELF_CPU, WRITE_SELF_CUDA, WRITE_COUNT };
bool write_folded(const struct timeline *timeline, enum write_metric metric,
                  const char *const *stacks, FILE *stream);

/* "self_cpu", "self_cpu_time_total" ...; false: there is no such metric. */
bool write_metric_find(const char *name, enum write_metric *metric);

struct json_out;

/* What else a Chrome trace is to hold than its timeline. Members may be NULL. */
struct write_chrome_more {
    void *user;
    uint64_t base_ns; /* what its times count from, since the epoch; 0, or later than the timeline
                         begins: as without */
    void (*events)(void *user, struct json_out *out);  /* after all others */
    void (*members)(void *user, struct json_out *out); /* of the top-level object */
    /* A stream through which the file of that path is written; NULL with errno 0: none. It is
     * closed, the descriptor is not its own. */
    FILE *(*pack)(int descriptor, const char *path);
    bool behind;          /* write on a second thread: not in a program that is a guest's host */
    struct text metadata; /* JSON object with more members for the top-level object; or empty */
    bool for_tensorboard; /* in the words of its plugin: chrome_tensorboard.c */
};
/* The timeline as a Chrome trace in Kineto's dialect. `stacks`: what stands as "Call stack" at
 * calls and ranges, by stack; NULL: nothing does. `more` NULL: nothing else. `path` as in
 * out_file.h: replaced atomically, "-" is stdout. */
bool write_chrome(const struct timeline *timeline, char *const *stacks,
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

/* The profiling blocks as prof buffers of ExecuTorch, version 1; of several processes, one
 * process's after the other's. `path` as in write_chrome(). When no block holds anything, nothing
 * is written and the error's code is ENODATA. `counts` is filled either way. */
bool write_etprof(const struct timeline *timeline, const char *path,
                  struct write_etprof_counts *counts, struct write_error *error);

#endif
