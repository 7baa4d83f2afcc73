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
#include "units.h"

#include <stdio.h>

/* Which rows the table has, and with which columns. */
enum write_table {
    WRITE_TABLE_ALL,
    WRITE_TABLE_KERNELS,
    WRITE_TABLE_MEMCPY,
    WRITE_TABLE_MEMSET,
    WRITE_TABLE_API,
    WRITE_TABLE_PROJECTED, /* ranges, from their first device operation to their last */
};

/* Stacks that count as one in a table by stack; the caller's. */
struct write_stacks {
    const uint32_t *groups; /* by stack: as key_options.stack_groups */
    char *const *texts;     /* by group */
};

#define WRITE_NAME_WIDTH 55u
#define WRITE_NAME_WIDTH_MAX 4096u

struct write_options {
    size_t size_bytes;
    enum key_column sort;
    int64_t rows;        /* rows of the table, -1 all */
    bool memory;         /* the table has torch.profiler's columns of memory: see memory_ranges.h */
    bool color;          /* escape sequences for a terminal */
    bool top_level;      /* see key_options.top_level */
    bool total;          /* a last row with the sums of all */
    uint32_t group_by;   /* KEY_BY_*: see key_averages.h */
    uint32_t columns;    /* bit 1 << enum key_column: columns beside the usual ones */
    uint32_t depth;      /* of the tree, UINT32_MAX all */
    unsigned name_width; /* columns that a name may have */
    unsigned name_least; /* to which a name may be cut so that the table fits */
    unsigned table_width; /* of the terminal that the text has to fit; 0: as wide as it is */
    enum time_unit unit;
    enum write_table table;
    const char *header; /* a line above the table; NULL none */
    struct write_stacks stacks;
};

void write_options_default(struct write_options *options);

/* Program, pid, host, devices, who timed the device, how the recording ended. */
bool write_summary(const struct timeline *timeline, const struct write_options *options,
                   FILE *stream);

/* The key-averaged table with torch.profiler's columns, the totals under it, and what was lost. */
bool write_table(const struct timeline *timeline, const struct write_options *options,
                 FILE *stream);

/* Of what stands under the table what is about the recording as a whole: the accounts of devices, who
 * timed them, what was lost, the calls that failed, what recording cost. */
bool write_statement(const struct timeline *timeline, FILE *stream);

/* The ranges as a tree, by what is around them; then the same lines under it. */
bool write_tree(const struct timeline *timeline, const struct write_options *options, FILE *stream);

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

/* The same facts as one JSON object: see facts_json.c for its members. */
bool write_json(const struct timeline *timeline, const struct write_options *options, FILE *stream);

/* profdump graphs: CUDA graphs, their launches, who captured their nodes; and as JSON. */
bool write_graphs(const struct timeline *timeline, const struct write_options *options,
                  FILE *stream);
bool write_graphs_json(const struct timeline *timeline, const struct write_options *options,
                       FILE *stream);

/* Memory: heaps, peaks and their owners, what was never freed, ranges, pools, managed memory. */
bool write_memory(const struct timeline *timeline, const struct write_options *options,
                  FILE *stream);
bool write_memory_json(const struct timeline *timeline, const struct write_options *options,
                       FILE *stream);

/* The ledger by stream and graph, and the CUDA calls that failed. */
bool write_ledger(const struct timeline *timeline, const struct write_options *options,
                  FILE *stream);
bool write_ledger_json(const struct timeline *timeline, const struct write_options *options,
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
    bool behind; /* write on a second thread: not in a program that is a guest's host */
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
