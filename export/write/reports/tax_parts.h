/* tax_parts.h - what the outputs of framework tax share: its numbers. */
#ifndef PROF_TAX_PARTS_H
#define PROF_TAX_PARTS_H

#include "key_averages.h"
#include "tax.h"
#include "write_blocks.h"

struct tax_report {
    const struct timeline *timeline;
    const struct write_blocks_options *options;
    struct blocks blocks;
    struct block_taxes executions; /* none where a range is asked for */
    struct key_names keys;
    struct range_taxes ranges; /* none where a block is asked for */
};

/* False with errno: no memory. tax_report_fini() in any case. */
bool tax_report_init(struct tax_report *report, const struct timeline *timeline,
                     const struct write_blocks_options *options);
void tax_report_fini(struct tax_report *report);

#endif
