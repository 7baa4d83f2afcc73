/* ledger_rows.h - the ledger's rows of one process, while they are made. */
#ifndef PROF_LEDGER_ROWS_H
#define PROF_LEDGER_ROWS_H

#include "build.h"

/* A row per stream of the process, the unknown one, then those of graphs as they are met. Rows are
 * named by index into timeline->ledger_rows: they move when one is added. */
struct ledger_rows {
    struct timeline *timeline;
    uint32_t process;
    uint32_t first, streams, first_stream;
    struct keymap graphs;  /* id -> row */
    struct keymap handles; /* thread and handle -> streams[], or LEDGER_SEVERAL */
};

bool ledger_rows_begin(struct ledger_rows *rows, const struct builder *builder);

/* Leaves out the rows without numbers. Also after ledger_rows_begin() failed. */
void ledger_rows_end(struct ledger_rows *rows);

/* TL_NONE: no memory, for graphs only. `stream` TL_NONE: the unknown row. */
uint32_t ledger_rows_stream(const struct ledger_rows *rows, uint32_t stream);
uint32_t ledger_rows_graph(struct ledger_rows *rows, uint32_t graph);

/* Notes that the thread's handle stands for this stream; asks which one a handle stands for.
 *
 * Handles are addresses and mean the same on all threads, but for 0 to 2: the default streams of a
 * context or thread, which a thread may have several of. One that stood for several streams stands
 * for none. */
bool ledger_rows_learn(struct ledger_rows *rows, uint32_t thread, uint64_t handle, uint32_t stream);
uint32_t ledger_rows_find(const struct ledger_rows *rows, uint32_t thread, uint64_t handle);

/* Adds the row to the sums of the timeline, and to the losses of its process what is counted nowhere else. */
void ledger_rows_sum(struct timeline *timeline, const struct tl_ledger_row *row);

/* Takes out the rows from `first` on that are without numbers; returns how many rows there are then. */
uint32_t ledger_rows_drop_empty(struct timeline *timeline, uint32_t first);

/* Where the row counts this enum tl_unrecorded_cause. */
static inline uint64_t *ledger_row_count(struct tl_ledger_row *row, uint32_t cause)
{
    uint64_t *const rest[] = {&row->recycled, &row->unobserved, &row->missing, &row->undelivered};
    return cause < PROF_LOSS_COUNT ? &row->lost[cause] : rest[cause - PROF_LOSS_COUNT];
}

static inline struct tl_ledger_row *ledger_row(const struct ledger_rows *rows, uint32_t row)
{
    return &rows->timeline->ledger_rows.at[row];
}

#endif
