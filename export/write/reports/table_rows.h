/* table_rows.h - the body of the table: columns, rules, rows. */
#ifndef PROF_TABLE_ROWS_H
#define PROF_TABLE_ROWS_H

#include "fit.h"
#include "group_text.h"

/* How a number is written. */
enum table_form {
    TABLE_TIME,
    TABLE_CPU_SHARE, /* of the sum of self CPU */
    TABLE_CUDA_SHARE,
    TABLE_COUNT,
    TABLE_MEMORY,
    TABLE_RATE,
};

struct table_cell {
    enum key_column column;
    enum table_form form;
    const char *title;
};

#define TABLE_CELLS_MAX 48u
#define TABLE_FIT_MAX (1 + TABLE_CELLS_MAX + GROUP_PARTS)

struct table_rows {
    struct group_texts texts;
    const struct write_options *options;
    FILE *stream;
    struct table_cell cells[TABLE_CELLS_MAX];
    unsigned cell_count;
    unsigned cell_width[TABLE_CELLS_MAX];
    unsigned name_width, longest_name;
    unsigned group_width[GROUP_PARTS];    /* 0: no such column */
    struct fit_column fit[TABLE_FIT_MAX]; /* name, cells and groups, where they had to be fitted */
    unsigned fit_count;                   /* 0: they fit as they are */
    int64_t cpu_ns, cuda_ns;              /* what shares are of */
    char *scratch;                        /* a name or a text of a group, as shown */
};

/* False: no memory; fini is not needed then. */
bool table_rows_init(struct table_rows *rows, const struct timeline *timeline,
                     const struct key_averages *averages, const struct write_options *options,
                     FILE *stream);
void table_rows_fini(struct table_rows *rows);

/* Header line, titles, rows, rule. */
void table_rows_print(struct table_rows *rows);

#endif
