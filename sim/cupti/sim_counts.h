/* sim_counts.h - counts of what the simulation launched, dropped and zeroed, per stream
 * (SIM_COUNTS), to compare with a tool's own counts.
 */
#ifndef SIM_COUNTS_H
#define SIM_COUNTS_H

#include <stdint.h>

struct sim_op;

enum sim_count {
    SIM_COUNT_LAUNCHED, /* kernels, copies and sets that began, whether anybody wants records or not */
    SIM_COUNT_ADDED,    /* records made of them */
    SIM_COUNT_DROPPED, /* of those: never delivered */
    SIM_COUNT_ZEROED,  /* of those: delivered without times */
    SIM_COUNT_KINDS
};

/* One line of the file, which is an array of SIM_COUNT_ROWS of them. It is shared memory, so it
 * survives whatever happens to the process. An unused line is all zeroes. */
struct sim_counts_row {
    uint32_t context, stream;            /* the stream's context begins at 1 */
    uint64_t direct[SIM_COUNT_KINDS];    /* by enum sim_count */
    uint64_t of_graphs[SIM_COUNT_KINDS]; /* the same of nodes of graphs */
};

enum { SIM_COUNT_ROWS = 1024 };

void sim_counts_op(const struct sim_op *op);

/* A record of a kernel, copy or set. */
void sim_counts_record(const void *record, enum sim_count what);

#endif
