/* build_cost.c - what recording cost, and what was left out to keep it within a budget. */
#include "build.h"

void timeline_set_cost(struct builder *builder, const struct tl_cost *cost)
{
    if (builder->failed)
        return;
    struct tl_process *process = build_process(builder);
    process->has_cost = true;
    process->cost = *cost;
    process->cost.time_ns = build_time(builder, cost->time_ns);
}

void timeline_append_shed(struct builder *builder, const struct read_shed *from)
{
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
