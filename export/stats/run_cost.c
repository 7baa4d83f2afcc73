#include "run_cost.h"

#define TEXTS(table) static const char *const texts[] = {table}

const char *run_cost_part_name(enum prof_cost_part part)
{
#define PART_NAME(symbol, name, whose, sentence) name,
    TEXTS(PROF_COST_PARTS(PART_NAME));
#undef PART_NAME
    return texts[part];
}

const char *run_cost_part_sentence(enum prof_cost_part part)
{
#define PART_SENTENCE(symbol, name, whose, sentence) sentence,
    TEXTS(PROF_COST_PARTS(PART_SENTENCE));
#undef PART_SENTENCE
    return texts[part];
}

enum run_cost_whose run_cost_part_whose(enum prof_cost_part part)
{
#define PART_WHOSE(symbol, name, whose, sentence) RUN_COST_##whose,
    static const enum run_cost_whose whose[] = {PROF_COST_PARTS(PART_WHOSE)};
#undef PART_WHOSE
    return whose[part];
}

const char *run_cost_shed_name(const struct tl_shed *shed)
{
#define THING_NAME(symbol, name, sentence) name,
    TEXTS(PROF_SHED_THINGS(THING_NAME));
#undef THING_NAME
    return shed->what < PROF_SHED_COUNT ? texts[shed->what] : "unknown";
}

const char *run_cost_shed_sentence(const struct tl_shed *shed)
{
#define THING_SENTENCE(symbol, name, sentence) sentence,
    TEXTS(PROF_SHED_THINGS(THING_SENTENCE));
#undef THING_SENTENCE
    return shed->what < PROF_SHED_COUNT ? texts[shed->what] : "unknown";
}

static void add_part(struct run_cost *cost, enum prof_cost_part part,
                     const struct read_cost_part *from)
{
    cost->parts[part].count += from->count;
    cost->parts[part].ns += from->ns;
    switch (run_cost_part_whose(part)) {
    case RUN_COST_THREADS:
        cost->taken_ns += from->ns;
        break;
    case RUN_COST_BEGIN:
        cost->begin_ns += from->ns;
        break;
    case RUN_COST_OWN:
        cost->own_ns += from->ns;
        break;
    case RUN_COST_END:
        cost->end_ns += from->ns;
        break;
    }
}

static void add_process(struct run_cost *cost, const struct read_cost *from)
{
    cost->stated = true;
    cost->base_ns += from->cpu_ns > from->recorded_ns ? from->cpu_ns : from->recorded_ns;
    cost->launches += from->launches;
    cost->budget_ppm = from->budget_ppm ? from->budget_ppm : cost->budget_ppm;
    for (int part = 0; part < PROF_COST_COUNT; part++)
        add_part(cost, (enum prof_cost_part)part, &from->parts[part]);
}

void run_cost_init(struct run_cost *cost, const struct timeline *timeline)
{
    *cost = (struct run_cost){0};
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        if (timeline->processes.at[i].has_cost)
            add_process(cost, &timeline->processes.at[i].cost);
    if (cost->launches)
        cost->launch_ns = cost->parts[PROF_COST_LAUNCHES].ns / cost->launches;
}

double run_cost_percent(const struct run_cost *cost)
{
    return cost->base_ns ? (double)cost->taken_ns * 100 / (double)cost->base_ns : 0;
}
