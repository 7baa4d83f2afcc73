/* run_cost.h - what recording cost, of a run as a whole: the processes added up.
 *
 * The share is time taken from the program's threads, all added up, of the wall time during which
 * recording was on, or of the CPU time of the program where that is more, since several threads ran
 * at once. So it is of one thread at work, and never flattered by threads that only wait. CPU time
 * of libprof's own threads, on whatever core, is beside it.
 */
#ifndef PROF_RUN_COST_H
#define PROF_RUN_COST_H

#include "timeline.h"

struct run_cost {
    bool stated;
    uint64_t base_ns;  /* of what the share is one */
    uint64_t taken_ns; /* from the program's threads while they ran */
    uint64_t
        begin_ns; /* from them before that: no part of the share, which short runs would drown in */
    uint64_t own_ns;    /* CPU time of libprof's threads */
    uint64_t end_ns;    /* the program waited for at its end */
    uint64_t launches;  /* measured: about those of the trace */
    uint64_t launch_ns; /* per launch, without its call stack; 0 nothing was launched */
    uint32_t budget_ppm;
    struct read_cost_part parts[PROF_COST_COUNT];
};

enum run_cost_whose { RUN_COST_THREADS, RUN_COST_BEGIN, RUN_COST_OWN, RUN_COST_END };

void run_cost_init(struct run_cost *cost, const struct timeline *timeline);
double run_cost_percent(const struct run_cost *cost);

/* Texts of PROF_COST_PARTS and PROF_SHED_THINGS. */
const char *run_cost_part_name(enum prof_cost_part part);
const char *run_cost_part_sentence(enum prof_cost_part part);
enum run_cost_whose run_cost_part_whose(enum prof_cost_part part);
const char *run_cost_shed_name(const struct tl_shed *shed);
const char *run_cost_shed_sentence(const struct tl_shed *shed);

#endif
