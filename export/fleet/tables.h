/* tables.h - the tables of a dataset: their columns, and rows of one recording after the other. */
#ifndef PROF_FLEET_TABLES_H
#define PROF_FLEET_TABLES_H

#include "fleet_rows.h"
#include "recording.h"
#include "rows.h"

/* A batch ends with the row that makes it this large, tables that are swept with the recording. */
#define FLEET_BATCH_ROWS 8192u

/* A recording on the way. */
struct walk {
    struct recording *recording;
    uint32_t item;           /* that comes next */
    struct slice_sums *sums; /* once they are needed */
};

struct fleet_table {
    const char *name;
    struct rows_table rows;
    /* Adds rows from walk->item on. True: the recording has no more, or rows->failed. */
    bool (*add)(struct walk *walk, struct rows *rows);
};

extern const struct fleet_table fleet_tables[FLEET_TABLES];

/* ---- what fills them ---- */

bool add_kernels(struct walk *walk, struct rows *rows);
bool add_copies(struct walk *walk, struct rows *rows);
bool add_ranges(struct walk *walk, struct rows *rows);
bool add_calls(struct walk *walk, struct rows *rows);
bool add_ranks(struct walk *walk, struct rows *rows);
bool add_steps(struct walk *walk, struct rows *rows);
bool add_idle(struct walk *walk, struct rows *rows);
bool add_collectives(struct walk *walk, struct rows *rows);
bool add_memory(struct walk *walk, struct rows *rows);
bool add_ledger(struct walk *walk, struct rows *rows);
bool add_names(struct walk *walk, struct rows *rows);
bool add_stacks(struct walk *walk, struct rows *rows);
bool add_summary(struct walk *walk, struct rows *rows);

static inline void cell_step(struct row *row, const struct step *step)
{
    cell_32_if(row, step != NULL, step ? step->number : 0);
}

#endif
