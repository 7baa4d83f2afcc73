/* reports.h - what a person or a program reads about a timeline: the key-averaged table, and a
 * report per question.
 *
 * Functions that return a bool: false with errno where memory ran out or the stream failed.
 * Threads: any number on the same timeline, each with its own stream.
 */
#ifndef PROF_REPORTS_H
#define PROF_REPORTS_H

#include "blocks.h"
#include "evidence.h"
#include "grid.h"
#include "json_out.h"
#include "key_columns.h"
#include "timeline.h"
#include "units.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bench_comparison;
struct bench_stats;
struct debug_maps;
struct diff;
struct failed_call;
struct findings;
struct roofline;
struct run_facts;

/* Which rows the table has, and with which columns. */
enum write_table {
    WRITE_TABLE_ALL,
    WRITE_TABLE_KERNELS,
    WRITE_TABLE_MEMCPY,
    WRITE_TABLE_MEMSET,
    WRITE_TABLE_API,
    WRITE_TABLE_PYTHON,
    WRITE_TABLE_PROJECTED, /* ranges, from their first device operation to their last */
    WRITE_TABLE_RANGES,
    WRITE_TABLE_WITH_PYTHON, /* all, and Python functions, as torch.profiler has them */
};

static inline bool write_table_has_python(enum write_table table)
{
    return table == WRITE_TABLE_PYTHON || table == WRITE_TABLE_WITH_PYTHON;
}

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
    bool memory;         /* the table has torch.profiler's columns of memory: see memory_use.h */
    bool color;          /* escape sequences for a terminal */
    bool top_level;      /* see key_options.top_level */
    bool total;          /* a last row with the sums of all */
    bool bare;           /* nothing under the table */
    bool verbose;        /* the breakdown of device time and launches, even where nothing is lost */
    bool headed;         /* write_summary() is above the table, and has stated the GPU mode */
    uint32_t group_by;   /* KEY_BY_*: see key_averages.h */
    uint32_t columns;    /* bit 1 << enum key_column: columns beside the usual ones */
    uint32_t depth;      /* of the tree, UINT32_MAX all */
    unsigned name_width; /* columns that a name may have */
    unsigned name_least; /* to which a name may be cut so that the table fits */
    unsigned table_width; /* of the terminal that the text has to fit; 0: as wide as it is */
    enum time_unit unit;
    enum write_table table;
    const char *header; /* a line above the table; NULL none */
    const char *filter; /* only rows whose name contains this, in upper or lower case; NULL all */
    struct write_stacks stacks;
};

void write_options_default(struct write_options *options);

/* Program, pid, host, devices, who timed the device, how the recording ended. */
bool write_summary(const struct timeline *timeline, const struct write_options *options,
                   FILE *stream);

/* The lines under the table that concern the whole recording: time breakdown of devices, source of
 * device times, losses, failed calls, cost of recording. */
bool write_statement(const struct timeline *timeline, FILE *stream);

/* ---- key averages: the table, and the ranges as a tree by what is around them ---- */

/* As text with torch.profiler's columns, under it the totals and the statement. In the other
 * formats the same rows and columns, and nothing else; "kind" distinguishes the row of totals from
 * a range named "total". Not WRITE_JSON, which write_json() writes. */
bool write_table(const struct timeline *timeline, const struct write_options *options,
                 enum write_format format, FILE *stream);
bool write_tree(const struct timeline *timeline, const struct write_options *options,
                enum write_format format, FILE *stream);

/* ---- the whole recording as one JSON object: see facts_json.c for its members ---- */

bool write_json(const struct timeline *timeline, const struct write_options *options, FILE *stream);

/* What other outputs have of it, as members of an open object. */

/* "libprof", "mode", "mode_reason", "simulated". */
void facts_json_run(struct json_out *out, const struct run_facts *facts);

/* "processes" and "devices". */
void facts_json_lists(struct json_out *out, const struct timeline *timeline);

/* "loss": every cause of PROF_LOSS_CAUSES, the ledger and the troubles of run_facts.h. */
void facts_json_loss(struct json_out *out, const struct run_facts *facts);

/* "cost" and "shed", which a Chrome trace's metadata has, too.
 *
 *     "cost": {"percent", "own_threads_percent", "base_ns", "taken_ns", "own_threads_ns",
 *              "end_ns", "launches", "ns_per_launch", "budget_percent",
 *              "parts": [{"name", "of", "count", "ns", "what"}]},
 *     "shed": [{"what", "recorded", "time_ns", "pid", "cost_percent", "budget_percent"}]
 *
 * "of" is "threads" (taken from the program's), "own" (libprof's) or "end". budget_percent is null
 * without a budget. Nothing is written where no recorder stated its cost. */
void cost_json(struct json_out *out, const struct timeline *timeline);

/* "device_time": [{pid, device, operations, sum_ns, busy_ns, overlap_ns, idle_ns, window_ns}].
 * False: no memory, here and in the next two. */
bool averages_json_devices(struct json_out *out, const struct timeline *timeline);

/* "ledger" and "failed_calls", each on a line: see ledger_report.c. */
bool ledger_json(struct json_out *out, const struct timeline *timeline);

/* Values. `rows` limits each list but the heaps, or the graphs; -1 all. */
bool memory_json(struct json_out *out, const struct timeline *timeline, int64_t rows);
bool graphs_json(struct json_out *out, const struct timeline *timeline, int64_t rows);

/* ---- a report per question ---- */

/* profdump graphs: CUDA graphs, their launches, who captured their nodes. */
bool write_graphs(const struct timeline *timeline, const struct write_options *options,
                  enum write_format format, FILE *stream);

/* Memory: heaps, peaks and their owners, what was never freed, ranges, pools, managed memory. */
bool write_memory(const struct timeline *timeline, const struct write_options *options,
                  enum write_format format, FILE *stream);

/* profdump check --ledger: launched = recorded + each cause by which an operation was not, by
 * stream and graph; and the CUDA calls that failed. */
bool write_ledger(const struct timeline *timeline, const struct write_options *options,
                  enum write_format format, FILE *stream);

/* A line: "  cudaMalloc: cudaErrorMemoryAllocation (2) x 3, first at 1.2ms in train/step". */
void failed_call_text(FILE *stream, const struct timeline *timeline,
                      const struct failed_call *call);

/* A title and a line for each, `most` at most; nothing where nothing failed. False: no memory. */
bool failed_calls_text(FILE *stream, const struct timeline *timeline, uint32_t most);

/* ---- profdump explain ----
 *
 * A verdict, the accounts of each device, the findings, what could not be examined. */

#define FINDINGS_FRAME_BYTES 400u

struct findings_report_options {
    int64_t rows; /* findings shown, -1 all */
    /* Names the innermost functions of a call stack, a line each, at most `most`; returns how many.
     * NULL: stacks are not shown. */
    uint32_t (*frames)(void *user, uint32_t stack, char (*to)[FINDINGS_FRAME_BYTES], uint32_t most);
    void *user;
    unsigned table_width; /* of the terminal that the text has to fit; 0 any, here and below */
    /* The same without source lines, by which samples are put together. NULL: they are not
     * shown. */
    uint32_t (*functions)(void *user, uint32_t stack, char (*to)[FINDINGS_FRAME_BYTES],
                          uint32_t most);
};

/* In Markdown, the verdict stands above the tables and notes below. */
bool findings_report(const struct findings *findings, const struct findings_report_options *options,
                     enum write_format format, FILE *stream);

/* The rules with their titles and remedies. */
bool findings_rules(enum write_format format, unsigned table_width, FILE *stream);

#define FINDINGS_VERDICT_BYTES 1200u

/* At most three sentences about the whole of a recording: how busy devices were; the main cause of
 * idle time; the first finding with its range and the upper bound on its savings. Names in it come
 * from the file. */
void findings_verdict(const struct findings *findings, char to[FINDINGS_VERDICT_BYTES]);

/* Whether evidence is missing, so that finding nothing is no all-clear, and the sentence that says
 * which, without a full stop. */
bool findings_abstain(const struct findings *findings, char to[EVIDENCE_BYTES]);

/* ---- profdump breakdown ----
 *
 * What devices, streams, launches, copies and collectives did, as HolisticTraceAnalysis breaks a
 * trace down. */

struct breakdown_options {
    enum write_format format;
    int64_t rows;           /* of each table for people, -1 all */
    unsigned width;         /* of names, for people; 0 no limit but 4096 */
    unsigned table_width;   /* of the terminal that the text has to fit; 0 any */
    const char *table;      /* only this one; NULL all */
    const char *sequences;  /* kernel sequences of ranges whose name holds this; NULL: of steps */
    int64_t kernel_wait_ns; /* see struct idle_breakdown */
    uint32_t queue_full;    /* see struct queue_depth */
};

void breakdown_options_default(struct breakdown_options *options);

/* Whether there is a table of this name. */
bool breakdown_table_find(const char *name);

bool write_breakdown(const struct timeline *timeline, const struct breakdown_options *options,
                     FILE *stream);

/* ---- profdump bench ---- */

struct write_bench_options {
    const struct bench_comparison *comparison; /* NULL: none */
    const char *with;                          /* what it is a comparison with */
    enum write_format format;
    int64_t rows;         /* of each table for people, -1 all */
    unsigned name_width;  /* columns that a name may have */
    unsigned table_width; /* of the terminal that the text has to fit; 0 any */
    enum time_unit unit;
};

/* What one call of the range costs, or why there are no numbers. */
bool write_bench(const struct bench_stats *stats, const struct write_bench_options *options,
                 FILE *stream);

/* ---- profdump roofline: roofline, achieved against peak, and the peaks of devices ---- */

struct write_roofline_options {
    enum write_format format;
    unsigned by;          /* enum roofline_by */
    int64_t rows;         /* of each device, -1 all */
    unsigned name_width;  /* columns that a name may have, in text */
    unsigned table_width; /* of the terminal that the text has to fit; 0 any */
};

/* A table per device, with what is unknown and why; TSV and CSV have the rows of all devices, JSON
 * has everything. */
bool write_roofline(const struct roofline *roofline, const struct write_roofline_options *options,
                    FILE *stream);

/* The table of devices with the source of each entry. */
bool write_peaks(enum write_format format, unsigned table_width, FILE *stream);

/* ---- profdump diff ---- */

struct write_diff_options {
    const char *names[2];  /* what the sides are called */
    const char *inputs[2]; /* the files or directories, as given */
    enum write_format format;
    int64_t rows; /* of each table, -1 all */
    unsigned name_width;
    unsigned table_width; /* of the terminal that the text has to fit; 0 any */
    enum time_unit unit;
    bool color;
};

/* The requested tables of the diff. In text and Markdown, the last lines are the gate's, if there
 * is one. */
bool write_diff(const struct diff *diff, const struct write_diff_options *options, FILE *stream);

#define DIFF_GATE_BYTES 1024u
struct diff_gate_lines {
    char judged[DIFF_GATE_BYTES]; /* "Judged: wall time, because neither run has steps" */
    char result
        [DIFF_GATE_BYTES]; /* "wall time: slower by 7.3 % (95 %: 6.8 to 7.9), limit 5 %: FAILED" */
};
void write_diff_gate(const struct diff *diff, const struct write_diff_options *options,
                     struct diff_gate_lines *lines);

/* ---- profiling blocks, and ranges as such ---- */

struct write_blocks_options {
    struct blocks_options blocks;
    enum write_format format;
    bool raw;                      /* JSON: also what was recorded, see below */
    const char *event;             /* only events with this prefix; NULL all */
    const char *total;             /* the time of events with this prefix; NULL none */
    const struct debug_maps *maps; /* what an ETRecord says of instructions; NULL nothing */
    unsigned table_width;          /* of the terminal that the text has to fit; 0 any */
};

/* Event blocks with the statistics of their events, and memory by allocator. */
bool write_blocks(const struct timeline *timeline, const struct write_blocks_options *options,
                  FILE *stream);

/* What each allocator handed out in blocks. */
bool write_blocks_memory(const struct timeline *timeline,
                         const struct write_blocks_options *options, FILE *stream);

/* Framework tax: of executions in blocks, and of ranges. */
bool write_tax(const struct timeline *timeline, const struct write_blocks_options *options,
               FILE *stream);

/* ---- what the events of blocks are called ---- */

#define BLOCK_NAME_BYTES 24

/* The identifier that a delegate gave, `bytes` NULL: none. A number is written into `number`. */
struct text block_delegate(const struct timeline *timeline, const struct block_item *item,
                           char number[BLOCK_NAME_BYTES]);

/* The name of the event block; for a range, as it was requested. */
struct text block_title(const struct blocks *blocks, const struct event_block *block);

/* Events of delegates are called by the identifier. */
struct text block_event_name(const struct blocks *blocks, const struct block_item *item,
                             char number[BLOCK_NAME_BYTES]);

/* What the maps say of it; NULL nothing. */
const struct debug_entry *block_event_entry(const struct timeline *timeline,
                                            const struct debug_maps *maps,
                                            const struct block_item *item);

/* False if an option of the user leaves it out. */
bool block_event_is_shown(const struct blocks *blocks, const struct write_blocks_options *options,
                          const struct block_row *row);

/* ---- what was recorded of event blocks, for programs that reckon with it themselves ----
 *
 * With --raw, JSON has more members:
 *
 *     event  "start_ticks", "end_ticks"  the file's own numbers, by iteration; an end that was not
 *                                        recorded is null
 *            "delegate_metadatas"        by iteration, base64 or null; only where there is one
 *            "is_value"                  true: nothing was timed, a value was logged
 *     block  "runs"                      by iteration: {"offset", "allocations": [{"allocator",
 *                                        "bytes"}], "values": [{"name", "chain", "instruction",
 *                                        "delegate", "output", "kind", ...}]}
 *
 * What follows "kind" (none, int, bool, float, double, tensor, tensor_list, string) is "value", or
 * "tensors": [{"type", "sizes", "strides", "offset"}], the type a number of PyTorch's ScalarType
 * and the offset one into the debug buffer. A number that JSON lacks is "nan", "inf" or "-inf".
 */

/* Of the n-th row of the block. */
void blocks_raw_event(const struct blocks *blocks, const struct event_block *block, uint32_t number,
                      struct json_out *out);
void blocks_raw_runs(const struct blocks *blocks, const struct event_block *block,
                     struct json_out *out);

/* `is_signed`: they are nanoseconds of libprof's own, which may be below 0. */
static inline void blocks_raw_ticks(struct json_out *out, uint64_t ticks, bool is_signed)
{
    if (is_signed)
        json_int(out, (int64_t)ticks);
    else
        json_uint(out, ticks);
}

/* The version that outputs carry: the build sets one of the macros. */

#ifndef PROF_VERSION
#ifdef PROF_VERSION_TEXT
#define PROF_VERSION PROF_VERSION_TEXT
#else
#define PROF_VERSION "0.0.0-dev"
#endif
#endif

#ifdef __cplusplus
}
#endif
#endif
