/* build_cost.c - what recording cost, and what was left out to keep it within a budget. */
#include "builder.h"

static void take_cost(void *user, const struct read_cost *cost)
{
    struct builder *builder = user;
    if (builder->failed)
        return;
    struct tl_process *process = build_process(builder);
    process->has_cost = true;
    process->cost = *cost;
    process->cost.time_ns = build_time(builder, cost->time_ns);
}

static void take_shed(void *user, const struct read_shed *from)
{
    struct builder *builder = user;
    if (builder->failed)
        return;
    struct tl_shed *shed = ARRAY_ADD(&builder->timeline->sheds);
    if (!shed) {
        builder->failed = true;
        return;
    }
    *shed = (struct tl_shed){.time_ns = build_time(builder, from->time_ns),
                             .process = builder->process,
                             .cost_ppm = from->cost_ppm,
                             .budget_ppm = from->budget_ppm,
                             .what = (uint8_t)from->what,
                             .on = from->on};
}

void build_cost_connect(struct read_sink *sink)
{
    sink->cost = take_cost;
    sink->shed = take_shed;
}
