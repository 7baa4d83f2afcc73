/* stack_functions.h - the functions on call stacks, each with its own time and that of what it
 * calls. */
#ifndef PROF_STACK_FUNCTIONS_H
#define PROF_STACK_FUNCTIONS_H

#include "profdump.h"
#include "slice_sums.h"
#include "stack_text.h"

/* The stacks of a group have the same functions. */
struct stack_functions_of {
    const struct profdump_options *options; /* cpu_samples: of samples, else of launches */
    const struct timeline *timeline;
    struct symbols *symbols;
    const struct stack_totals *totals; /* by group */
    const struct stack_groups *groups; /* the first stack of each stands for all */
    const char *lacking;               /* why there are none; NULL */
};

/* Writes a row for each function, the one with the most time of its own first, or with `sort` as
 * "total" that with the most in all. False with errno: no memory, or the output failed. */
bool stack_functions_write(const struct stack_functions_of *of);

#endif
