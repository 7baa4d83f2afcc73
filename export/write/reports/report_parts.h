/* report_parts.h - what the files of one report have of each other. */
#ifndef PROF_REPORT_PARTS_H
#define PROF_REPORT_PARTS_H

#include "diff.h"
#include "json_out.h"
#include "key_columns.h"
#include "reports.h"
#include "table.h"

/* ---- the key-averaged table and the tree of ranges ----
 *
 * Which rows and columns the options select. */

#define GROUP_PARTS 9u

struct group_part {
    uint32_t flag;      /* KEY_BY_* */
    const char *key;    /* in separated values and JSON */
    const char *title;  /* in the table */
    unsigned width_max; /* columns */
    bool left;          /* aligned */
};

/* In the order of their columns. */
extern const struct group_part group_parts[GROUP_PARTS];

struct group_texts {
    const struct timeline *timeline;
    const struct key_averages *averages;
    const struct write_stacks *stacks;
    bool for_people; /* processes by name, else by pid */
};

/* The text of a row's part, as it is recorded; empty where there is none, or no memory. To
 * free(). */
struct text group_text(const struct group_texts *texts, const struct key_average *row,
                       uint32_t flag);

struct averages_rows {
    struct group_texts texts;
    const struct write_options *options;
    enum key_column columns[KEY_COLUMNS_AND_SHARES]; /* each once */
    unsigned column_count;
    int64_t cpu_ns, cuda_ns; /* what shares are of */
};

void averages_rows_init(struct averages_rows *rows, const struct timeline *timeline,
                        const struct key_averages *averages, const struct write_options *options);

/* As in fit.h. */
unsigned averages_column_rank(const struct averages_rows *rows, unsigned index);

/* The averages that an output shows: as the options select, with memory if requested, only the rows
 * of this table, sorted. */

/* `spread`: even if no column needs it. False: no memory; key_averages_fini() frees. */
bool averages_rows_select(struct key_averages *averages, const struct timeline *timeline,
                          const struct write_options *options, bool spread);

/* The walk over the ranges as a tree: a path of ranges has its calls, CPU and CUDA time, and its
 * share of the range around it (of an outermost one: of all outermost ranges) in CUDA total where
 * there is device data, else in CPU total. Children are in the order of the rows, options->depth
 * limits how deep it goes. Members are for reading alone, but for `printed`. */
struct averages_tree {
    const struct key_averages *averages;
    const struct write_options *options;
    uint32_t *row_of;          /* by path; TL_NONE: not a range */
    uint32_t *outer;           /* by path: the next range around it; TL_NONE */
    uint32_t *child, *sibling; /* by path: first child, next sibling; TL_NONE */
    uint32_t root;             /* first of the outermost */
    int64_t root_ns;           /* what shares of the outermost are of */
    uint32_t printed;          /* lines, counted by the walk */
};

/* Of averages by name and path. False: no memory; fini is needed either way. */
bool averages_tree_init(struct averages_tree *tree, const struct key_averages *averages,
                        const struct write_options *options);
void averages_tree_fini(struct averages_tree *tree);

/* What comes after this path, the first being tree.root; TL_NONE: nothing. */
uint32_t averages_tree_next(const struct averages_tree *tree, uint32_t path);

/* Whether options->rows lines were printed. */
bool averages_tree_is_full(const struct averages_tree *tree);

const struct key_average *averages_tree_row(const struct averages_tree *tree, uint32_t path);

/* What its share is counted in, and what it is a share of. */
int64_t averages_tree_weight(const struct averages_tree *tree, uint32_t path);
int64_t averages_tree_whole(const struct averages_tree *tree, uint32_t path);

/* What stands under a table as text: totals, and write_statement(), folded to
 * options->table_width. */
bool averages_foot(const struct timeline *timeline, const struct key_averages *averages,
                   const struct write_options *options, FILE *stream);

/* ---- rows as JSON ----
 *
 *     name, kind, count, cpu_total_ns, self_cpu_total_ns, cuda_total_ns, self_cuda_total_ns
 *     min_ns, max_ns, mean_ns, stddev_ns, p10_ns, p50_ns, p90_ns, p99_ns    of its calls, rounded;
 *                                                stddev_ns is of a sample: null of one call
 *     cold_calls, cold_avg_ns, warm_avg_ns       see key_spread.h
 *     projected_calls, projected_ns              ranges only: see key_averages.h
 *     bytes                                      copies and sets only
 *     cpu_memory_bytes, self_cpu_memory_bytes, cuda_memory_bytes, self_cuda_memory_bytes, flops
 *                                                if requested; flops where they are known
 *     pid, rank, thread, device, stream, overload, shape, stack, path   group keys, as text;
 *                                                path as a list from the outside in
 */

/* The sums of all rows: times, counts, bytes, without percentiles. */
void averages_json_total(struct json_out *out, const struct key_average *total);

/* At most `rows` rows (-1 all), all or the kernels among them. */
void averages_json_rows(struct json_out *out, const struct group_texts *texts, bool only_kernels,
                        int64_t rows);

/* ---- the tables of a diff ---- */

/* For people: the first `rows` rows of the table, in units. */
bool diff_table_write(const struct diff *diff, const struct diff_table *table,
                      const struct write_diff_options *options, FILE *stream);

/* For programs: as separated values every table that was requested in one, numbers in nanoseconds,
 * empty where there is none; as JSON everything. */
bool diff_table_write_all(const struct diff *diff, const struct write_diff_options *options,
                          FILE *stream);

/* Names, times and differences of a diff in words. */

#define DIFF_TEXT_BYTES 256u

/* What the row is called on a side where it is: a name, or ranges from the outermost in as "outer >
 * inner". To free(); NULL: no memory. */
char *diff_text_name(const struct diff *diff, const struct diff_row *row, unsigned side,
                     enum diff_by by);

/* What the row is called in a table of limited width, safe to show: a name, or ranges from the
 * outermost in as "outer > inner". What is too long gives way in the middle, of ranges the outer
 * ones do; a kernel that was renamed is "old -> new". To free(); NULL: no memory. */
char *diff_text_short_name(const struct diff *diff, const struct diff_row *row, enum diff_by by,
                           unsigned width);

/* "5", "7.25": as many decimals as it takes, at most three. */
void diff_text_number(double value, char to[DIFF_TEXT_BYTES]);

/* ---- the part of profdump memory that is about ranges ---- */

/* Adds the table "ranges"; as text, one for each side that ranges used. False: no memory. */
bool memory_ranges_report(struct table *table, const struct timeline *timeline);

#endif
