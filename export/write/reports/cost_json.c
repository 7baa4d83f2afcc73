#include "cost_json.h"

#include "run_facts.h"

static void write_part(struct json_out *out, const struct run_cost *cost, enum prof_cost_part part)
{
    static const char *const of[] = {"threads", "begin", "own", "end"};
    json_object_begin(out);
    json_key(out, "name"), json_string(out, run_cost_part_name(part));
    json_key(out, "of"), json_string(out, of[run_cost_part_whose(part)]);
    json_key(out, "count"), json_uint(out, cost->parts[part].count);
    json_key(out, "ns"), json_uint(out, cost->parts[part].ns);
    json_key(out, "what"), json_string(out, run_cost_part_sentence(part));
    json_object_end(out);
}

static void write_cost(struct json_out *out, const struct run_cost *cost)
{
    json_key(out, "cost"), json_object_begin(out);
    json_key(out, "percent"), json_double(out, run_cost_percent(cost));
    json_key(out, "base_ns"), json_uint(out, cost->base_ns);
    json_key(out, "taken_ns"), json_uint(out, cost->taken_ns);
    json_key(out, "begin_ns"), json_uint(out, cost->begin_ns);
    json_key(out, "own_threads_ns"), json_uint(out, cost->own_ns);
    json_key(out, "end_ns"), json_uint(out, cost->end_ns);
    json_key(out, "launches"), json_uint(out, cost->launches);
    json_key(out, "ns_per_launch"), json_uint(out, cost->launch_ns);
    json_key(out, "budget_percent");
    if (cost->budget_ppm)
        json_double(out, cost->budget_ppm / 1e4);
    else
        json_null(out);
    json_key(out, "parts"), json_array_begin(out);
    for (int part = 0; part < PROF_COST_COUNT; part++)
        write_part(out, cost, (enum prof_cost_part)part);
    json_array_end(out);
    json_object_end(out);
}

static void write_shed(struct json_out *out, const struct timeline *timeline,
                       const struct tl_shed *shed)
{
    json_object_begin(out);
    json_key(out, "what"), json_string(out, run_cost_shed_name(shed));
    json_key(out, "recorded"), json_bool(out, shed->on);
    json_key(out, "time_ns"), json_int(out, shed->time_ns);
    json_key(out, "pid"), json_uint(out, timeline->processes.at[shed->process].info.pid);
    json_key(out, "cost_percent"), json_double(out, shed->cost_ppm / 1e4);
    json_key(out, "budget_percent"), json_double(out, shed->budget_ppm / 1e4);
    json_object_end(out);
}

void cost_json(struct json_out *out, const struct timeline *timeline)
{
    struct run_cost cost;
    run_cost_init(&cost, timeline);
    if (cost.stated)
        write_cost(out, &cost);
    if (!cost.stated && !timeline->sheds.count)
        return;
    json_key(out, "shed"), json_array_begin(out);
    for (uint32_t i = 0; i < timeline->sheds.count; i++)
        write_shed(out, timeline, &timeline->sheds.at[i]);
    json_array_end(out);
}
