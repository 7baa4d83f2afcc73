/* ledger_rows.h - the ledger's rows of one process, while they are made. */
#ifndef PROF_LEDGER_ROWS_H
#define PROF_LEDGER_ROWS_H

#include "build.h"

/* A row for each stream of the process, one for the unknown stream, then one for each graph. Rows
 * are named by their index into timeline->ledger_rows, because adding one moves them. */
struct ledger_rows {
    struct timeline *timeline;
    uint32_t process;
    uint32_t first, streams, first_stream;
    struct keymap graphs;  /* id -> row */
    struct keymap handles; /* thread and handle -> streams[], or LEDGER_SEVERAL */
};

bool ledger_rows_begin(struct ledger_rows *rows, const struct builder *builder);

/* Removes the rows whose numbers are all 0. Also after ledger_rows_begin() failed. */
void ledger_rows_end(struct ledger_rows *rows);

/* TL_NONE: no memory, for graphs only. `stream` TL_NONE: the unknown row. */
uint32_t ledger_rows_stream(const struct ledger_rows *rows, uint32_t stream);
uint32_t ledger_rows_graph(struct ledger_rows *rows, uint32_t graph);

/* Learns that a handle on this thread stands for a stream; finds the stream of a handle.
 *
 * A handle is an address, and means the same on all threads. Only 0 to 2 are default streams of a
 * context or thread, of which a thread can have several. A handle that stood for several streams
 * stands for none. */
bool ledger_rows_learn(struct ledger_rows *rows, uint32_t thread, uint64_t handle, uint32_t stream);
uint32_t ledger_rows_find(const struct ledger_rows *rows, uint32_t thread, uint64_t handle);

/* In ledger_foreign.c: counts the launch calls of the builder's process, if its file is of others,
 * that have no record of an operation: as unobserved, or as captured where a stream was. False: no
 * memory. */
bool ledger_foreign_count(struct builder *builder, struct ledger_rows *rows);

/* Adds the row to timeline->ledger, and what is counted nowhere else to the losses of its
 * process. */
void ledger_rows_sum(struct timeline *timeline, const struct tl_ledger_row *row);

/* Removes the rows from `first` on whose numbers are all 0; returns how many rows remain. */
uint32_t ledger_rows_drop_empty(struct timeline *timeline, uint32_t first);

/* The row's count of this enum tl_unrecorded_cause. */
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
