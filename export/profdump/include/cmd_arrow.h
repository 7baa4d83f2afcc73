/* cmd_arrow.h - what tables for Arrow have beyond the timeline: call stacks with the names of
 * functions, and the FLOPs that formulas give. */
#ifndef PROF_CMD_ARROW_H
#define PROF_CMD_ARROW_H

#include "arrow_stream.h"
#include "profdump.h"

struct arrow_facts {
    struct arrow_more more;
    char **stacks;
    double *flops;
    uint32_t stack_count;
};

/* Reports files that could not be used for call stacks. False: no memory. */
bool arrow_facts_init(struct arrow_facts *facts, const struct profdump_options *options,
                      const struct timeline *timeline);

/* Call stacks alone. */
void arrow_facts_init_stacks(struct arrow_facts *facts, const struct profdump_options *options,
                             const struct timeline *timeline);
void arrow_facts_fini(struct arrow_facts *facts);

#endif
