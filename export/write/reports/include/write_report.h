/* write_report.h - what a person or a program reads about a timeline: the key-averaged table, and a report per
 * question.
 *
 * The functions return false with errno: no memory, or the stream failed. Threads: any number on the same
 * timeline, each with its own stream.
 */
#ifndef PROF_WRITE_REPORT_H
#define PROF_WRITE_REPORT_H

#include "key_sort.h"
#include "timeline.h"
#include "units.h"
#include "write_format.h"

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
    int64_t rows;         /* rows of the table, -1 all */
    bool memory;          /* the table has torch.profiler's columns of memory: see memory_use.h */
    bool color;           /* escape sequences for a terminal */
    bool top_level;       /* see key_options.top_level */
    bool total;           /* a last row with the sums of all */
    uint32_t group_by;    /* KEY_BY_*: see key_averages.h */
    uint32_t columns;     /* bit 1 << enum key_column: columns beside the usual ones */
    uint32_t depth;       /* of the tree, UINT32_MAX all */
    unsigned name_width;  /* columns that a name may have */
    unsigned name_least;  /* to which a name may be cut so that the table fits */
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

/* The lines under the table that concern the whole recording: time breakdown of devices, source of
 * device times, losses, failed calls, cost of recording. */
bool write_statement(const struct timeline *timeline, FILE *stream);

/* The ranges as a tree, by what is around them; then the same lines under it. */
bool write_tree(const struct timeline *timeline, const struct write_options *options, FILE *stream);

/* The same facts as one JSON object: see facts_json.c for its members. */
bool write_json(const struct timeline *timeline, const struct write_options *options, FILE *stream);

/* profdump graphs: CUDA graphs, their launches, who captured their nodes. */
bool write_graphs(const struct timeline *timeline, const struct write_options *options,
                  enum write_format format, FILE *stream);

/* Memory: heaps, peaks and their owners, what was never freed, ranges, pools, managed memory. */
bool write_memory(const struct timeline *timeline, const struct write_options *options,
                  enum write_format format, FILE *stream);

/* The ledger by stream and graph, and the CUDA calls that failed. */
bool write_ledger(const struct timeline *timeline, const struct write_options *options,
                  enum write_format format, FILE *stream);

/* The version that outputs carry: the build sets one of the macros. */

#ifndef PROF_VERSION
#ifdef PROF_VERSION_TEXT
#define PROF_VERSION PROF_VERSION_TEXT
#else
#define PROF_VERSION "0.0.0-dev"
#endif
#endif

#endif
