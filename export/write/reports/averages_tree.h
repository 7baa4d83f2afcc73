/* averages_tree.h - the ranges as a tree. */
#ifndef PROF_AVERAGES_TREE_H
#define PROF_AVERAGES_TREE_H

#include "fit.h"
#include "write_report.h"

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

#endif
