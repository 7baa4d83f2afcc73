/* averages.h - the key-averaged table and the tree of ranges: which rows and columns the options ask for. */
#ifndef PROF_AVERAGES_H
#define PROF_AVERAGES_H

#include "fit.h"
#include "json_out.h"
#include "reports.h"

#define GROUP_PARTS 8u

struct group_part {
    uint32_t flag;      /* KEY_BY_* */
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
};

/* Writes the text of a row's part to the stream, as it is recorded; nothing where there is none. */
void group_text_write(const struct group_texts *texts, const struct key_average *row, uint32_t flag,
                      FILE *stream);

/* The same for a terminal, at most `columns` characters into `to` of SHOW_TEXT_BYTES(columns).
 * Returns how many characters that is. */
unsigned group_text_show(const struct group_texts *texts, const struct key_average *row,
                         uint32_t flag, unsigned columns, char *to);

/* How a number is written. */
enum averages_form {
    AVERAGES_TIME,
    AVERAGES_CPU_SHARE, /* of the sum of self CPU */
    AVERAGES_CUDA_SHARE,
    AVERAGES_COUNT,
    AVERAGES_MEMORY,
    AVERAGES_RATE,
};

struct averages_cell {
    enum key_column column;
    enum averages_form form;
    const char *title;
};

#define AVERAGES_CELLS_MAX 48u
#define AVERAGES_FIT_MAX (1 + AVERAGES_CELLS_MAX + GROUP_PARTS)

struct averages_rows {
    struct group_texts texts;
    const struct write_options *options;
    FILE *stream;
    struct averages_cell cells[AVERAGES_CELLS_MAX];
    unsigned cell_count;
    unsigned cell_width[AVERAGES_CELLS_MAX];
    unsigned name_width, longest_name;
    unsigned group_width[GROUP_PARTS]; /* 0: no such column */
    struct fit_column
        fit[AVERAGES_FIT_MAX]; /* name, cells and groups, where they had to be fitted */
    unsigned fit_count;        /* 0: they fit as they are */
    int64_t cpu_ns, cuda_ns;   /* what shares are of */
    char *scratch;             /* a name or a text of a group, as shown */
};

/* False: no memory; fini is not needed then. */
bool averages_rows_init(struct averages_rows *rows, const struct timeline *timeline,
                        const struct key_averages *averages, const struct write_options *options,
                        FILE *stream);
void averages_rows_fini(struct averages_rows *rows);

/* Header line, titles, rows, rule. */
void averages_rows_print(struct averages_rows *rows);

/* The averages that an output shows: as the options ask for, with memory where it is
 * wanted, only the rows of the table at hand, sorted. */

/* `spread`: also where no column asks for it. False: no memory; key_averages_fini() frees. */
bool averages_rows_select(struct key_averages *averages, const struct timeline *timeline,
                          const struct write_options *options, bool spread);

#define AVERAGES_TREE_CELLS 6u

/* The walk over it. Members are for reading alone, but for `printed`. */
struct averages_tree {
    const struct key_averages *averages;
    const struct write_options *options;
    FILE *stream;
    uint32_t *row_of;          /* by path; TL_NONE: not a range */
    uint32_t *outer;           /* by path: the next range around it; TL_NONE */
    uint32_t *child, *sibling; /* by path: first child, next sibling; TL_NONE */
    uint32_t root;             /* first of the outermost */
    int64_t root_ns;           /* what shares of the outermost are of */
    char *scratch;
    unsigned name_width;
    unsigned cell_width[AVERAGES_TREE_CELLS]; /* 0: no such column */
    struct fit_column
        fit[AVERAGES_TREE_CELLS + 1]; /* the name and the cells, where they had to be fitted */
    unsigned fit_count;               /* 0: they fit as they are */
    uint32_t printed;                 /* lines, counted by whoever walks */
};

/* Of averages by name and path. False: no memory; fini is needed either way. */
bool averages_tree_init(struct averages_tree *tree, const struct key_averages *averages,
                        const struct write_options *options, FILE *stream);
void averages_tree_fini(struct averages_tree *tree);

/* What comes after this path, the first being tree.root; TL_NONE: nothing. */
uint32_t averages_tree_next(const struct averages_tree *tree, uint32_t path);

/* Whether as many lines were printed as options->rows asks for. */
bool averages_tree_is_full(const struct averages_tree *tree);

const struct key_average *averages_tree_row(const struct averages_tree *tree, uint32_t path);

/* What its share is counted in, and what it is a share of. */
int64_t averages_tree_weight(const struct averages_tree *tree, uint32_t path);
int64_t averages_tree_whole(const struct averages_tree *tree, uint32_t path);

/* The options with which a tree is made from its averages. */
struct write_options write_options_of_tree(const struct write_options *options);

/* Of averages by name and path: a line per path of ranges, indented, with its calls, CPU and CUDA
 * time, and its share of the range around it (of an outermost one: of all outermost ranges) in
 * CUDA total where there is device data, else in CPU total. Children are in the order of the rows,
 * options->rows limits the lines, options->depth how deep they go. False: no memory. */
bool averages_tree_print(const struct key_averages *averages, const struct write_options *options,
                         FILE *stream);

/* ---- rows as JSON ----
 *
 *     name, kind, count, cpu_total_ns, self_cpu_total_ns, cuda_total_ns, self_cuda_total_ns
 *     min_ns, max_ns, mean_ns, stddev_ns, p10_ns, p50_ns, p90_ns, p99_ns    of its calls, rounded
 *     cold_calls, cold_avg_ns, warm_avg_ns       see key_spread.h
 *     projected_calls, projected_ns              ranges only: see key_averages.h
 *     bytes                                      copies and sets only
 *     pid, rank, thread, device, stream, shape, stack, path   group keys, as text;
 *                                                path as a list from the outside in
 */

/* The sums of all rows: times, counts, bytes, without percentiles. */
void averages_json_total(struct json_out *out, const struct key_average *total);

/* At most `rows` rows (-1 all), all or the kernels among them. */
void averages_json_rows(struct json_out *out, const struct group_texts *texts, bool only_kernels,
                        int64_t rows);

#endif
