/* averages_rows.h - the body of the table: columns, rules, rows. */
#ifndef PROF_AVERAGES_ROWS_H
#define PROF_AVERAGES_ROWS_H

#include "averages_groups.h"
#include "fit.h"
#include "write_report.h"

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

#endif
