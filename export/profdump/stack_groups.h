/* stack_groups.h - which call stacks are the same down to their innermost functions. */
#ifndef PROF_STACK_GROUPS_H
#define PROF_STACK_GROUPS_H

#include "profdump.h"

struct stack_groups {
    uint32_t *group_of; /* by stack */
    char **texts; /* by group, some NULL at the end: "inner (file:line) < outer (file:line)" */
    uint32_t count;
};

/* By the innermost `frames` functions with their lines. False (said): no memory. */
bool stack_groups_init(struct stack_groups *groups, const struct profdump_options *options,
                       const struct timeline *timeline);
void stack_groups_fini(struct stack_groups *groups);

#endif
