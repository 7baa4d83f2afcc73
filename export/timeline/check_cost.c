/* check_cost.c - what was left out to keep the budget: in the order of enum prof_shed_thing, the
 * latest back first, and only where there is a budget that was exceeded. */
#include "check_find.h"

#include <inttypes.h>

struct sheds {
    uint32_t process;
    unsigned out; /* things left out, a bit each */
};

/* Things that cannot be left out in this run are passed over, so only the order is certain. */
static bool is_in_order(struct sheds *sheds, const struct tl_shed *shed)
{
    unsigned bit = 1u << shed->what, above = ~0u << shed->what << 1;
    if (shed->process != sheds->process)
        *sheds = (struct sheds){.process = shed->process};
    bool was_out = sheds->out & bit;
    bool in_order = was_out == shed->on && !(sheds->out & above);
    sheds->out = shed->on ? sheds->out & ~bit : sheds->out | bit;
    return in_order;
}

static bool is_explained(const struct tl_shed *shed)
{
    return shed->budget_ppm && (shed->on || shed->cost_ppm > shed->budget_ppm);
}

static const char *name_of(const struct tl_shed *shed)
{
#define SHED_SENTENCE(symbol, name, sentence) sentence,
    static const char *const sentences[] = {PROF_SHED_THINGS(SHED_SENTENCE)};
#undef SHED_SENTENCE
    return sentences[shed->what];
}

void check_cost(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    struct sheds sheds = {.process = TL_NONE};
    for (uint32_t i = 0; i < timeline->sheds.count; i++) {
        const struct tl_shed *shed = &timeline->sheds.at[i];
        if (shed->what >= PROF_SHED_COUNT)
            continue;
        check_add(check, CHECK_RULE_SHED_ORDER, CHECK_ERROR,
                  !is_in_order(&sheds, shed) || !is_explained(shed),
                  "%s were left out or recorded again out of turn", name_of(shed));
        check_add(check, CHECK_RULE_SHED, CHECK_NOTE, !shed->on,
                  "%s were not recorded from %.3f s on: recording cost %.2f %% of wall, the "
                  "budget is %.2f %%",
                  name_of(shed), (double)shed->time_ns / 1e9, shed->cost_ppm / 1e4,
                  shed->budget_ppm / 1e4);
    }
}
