/* arrow_facts.c - see arrow_facts.h. */
#include "arrow_facts.h"

#include "kernel_work.h"
#include "stack_text.h"

#include <math.h>
#include <stdlib.h>

/* What the program said of each range, else what its operator's formula says. NULL: no memory. */
static double *find_flops(const struct timeline *timeline)
{
    struct range_works works;
    double *flops = malloc((timeline->slices.count + (size_t)1) * sizeof *flops);
    if (!flops || !range_works_init(&works, timeline)) {
        free(flops);
        return NULL;
    }
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        uint32_t at = works.of_slice[i];
        bool known = at != TL_NONE && works.all.at[at].work.flop_known == OP_KNOWN;
        flops[i] = known ? works.all.at[at].work.flop : NAN;
    }
    range_works_fini(&works);
    return flops;
}

bool arrow_facts_init(struct arrow_facts *facts, const struct profdump_options *options,
                      const struct timeline *timeline)
{
    *facts = (struct arrow_facts){.stack_count = timeline->stacks.count};
    facts->flops = find_flops(timeline);
    if (timeline->stacks.count)
        facts->symbols = stack_text_symbols(options, timeline);
    if (facts->symbols) {
        facts->stacks = stack_text_lines(facts->symbols, timeline);
        stack_text_complain(facts->symbols);
    }
    facts->more = (struct arrow_more){facts->stacks, facts->flops};
    return facts->flops != NULL;
}

void arrow_facts_fini(struct arrow_facts *facts)
{
    stack_text_free(facts->stacks, facts->stack_count);
    symbols_destroy(facts->symbols);
    free(facts->flops);
    *facts = (struct arrow_facts){0};
}
