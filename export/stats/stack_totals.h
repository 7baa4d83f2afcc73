/* stack_totals.h - what was launched from where: calls and times by call stack. */
#ifndef PROF_STACK_TOTALS_H
#define PROF_STACK_TOTALS_H

#include "timeline.h"

struct stack_total {
    uint64_t calls;    /* CUDA calls made there */
    uint64_t ranges;   /* opened there */
    int64_t device_ns; /* of the device operations that the calls launched */
    int64_t cpu_ns;    /* of the calls */
};

struct stack_totals {
    struct stack_total *at; /* by stack */
    uint32_t *order;        /* stacks by device time, CPU time, calls, ranges; largest first */
    uint32_t count;
    int64_t device_ns; /* of all */
};

/* One pass over what has a stack. What libprof did itself is left out. False: no memory; fini is
 * not needed then. */
bool stack_totals_init(struct stack_totals *totals, const struct timeline *timeline);
void stack_totals_fini(struct stack_totals *totals);

/* Of the run as a whole. */
struct stack_facts {
    uint64_t stacks, modules;
    uint64_t cut;       /* stacks that were deeper than the limit */
    uint64_t untaken;   /* stacks that were wanted and could not be taken */
    uint64_t missing;   /* references to stacks that are not in the file */
    const char *method; /* "tables", "frames", "mixed", "none" */
};

void stack_facts_init(struct stack_facts *facts, const struct timeline *timeline);

#endif
