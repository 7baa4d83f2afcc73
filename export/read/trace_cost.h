/* trace_cost.h - what recording cost. The recorder states what it measured; pushes, pops and the
 * like it only says the price of, and they are counted here, as far as its statement goes. */
#ifndef PROF_TRACE_COST_H
#define PROF_TRACE_COST_H

#include "read.h"
#include "record.h"

struct walk;

struct walk_cost {
    struct prof_rec_cost head; /* the latest statement; ticks 0: there is none */
    struct prof_cost_item items[PROF_COST_COUNT];
    uint64_t events, records; /* in the logs, until then */
};

/* A COST record. */
void walk_cost_collect(struct walk_cost *cost, const struct record *record);

/* A record of a log, stamped `ticks`. */
void walk_cost_count(struct walk_cost *cost, uint64_t header, uint64_t ticks);

/* After the logs. */
void walk_cost_tell(struct walk *walk);

/* A SHED record; with the names. */
void walk_shed_tell(struct walk *walk, const struct record *record);

#endif
