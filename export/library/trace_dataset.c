/* trace_dataset.c - traces as rows of a dataset: export/fleet, with what the traces hold. */
#include "cmd_arrow.h"
#include "fleet_rows.h"
#include "trace_open.h"

#include <stdlib.h>

struct prof_trace_dataset {
    struct fleet *fleet;
};

/* What a recording needs until its rows are done. */
struct recording_owner {
    struct held_timeline *held;
    struct arrow_facts facts;
};

static void owner_done(void *user)
{
    struct recording_owner *owner = user;
    arrow_facts_fini(&owner->facts);
    held_timeline_release(owner->held);
    free(owner);
}

prof_status prof_trace_dataset_create(struct prof_trace_dataset **dataset)
{
    if (!dataset)
        return PROF_INVALID;
    *dataset = calloc(1, sizeof **dataset);
    if (*dataset && ((*dataset)->fleet = fleet_create()))
        return PROF_OK;
    free(*dataset);
    *dataset = NULL;
    return PROF_FAILED;
}

static bool has_summaries(const struct timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->summaries.count; i++)
        if (timeline->summaries.at[i].kind < PROF_SUMMARY_ROUND)
            return true;
    return false;
}

static prof_status add(struct prof_trace_dataset *dataset, const struct prof_trace *trace,
                       const char *file, const char *identity, bool summaries)
{
    const struct timeline *timeline = trace->held->timeline;
    struct recording_owner *owner = calloc(1, sizeof *owner);
    if (!owner)
        return PROF_FAILED;
    owner->held = trace->held;
    arrow_facts_init_stacks(&owner->facts, &trace->options, timeline);
    atomic_fetch_add_explicit(&trace->held->holders, 1, memory_order_relaxed);
    struct fleet_source source = {.timeline = timeline,
                                  .file = file,
                                  .identity = identity,
                                  .stacks = owner->facts.stacks,
                                  .summaries = summaries,
                                  .done = owner_done,
                                  .owner = owner};
    if (fleet_add(dataset->fleet, &source))
        return PROF_OK;
    owner_done(owner);
    return PROF_FAILED;
}

prof_status prof_trace_dataset_add(struct prof_trace_dataset *dataset, struct prof_trace *trace,
                                   const char *file, const char *identity, int summaries)
{
    struct call call;
    prof_status status = PROF_INVALID;
    if (!dataset || !trace)
        return PROF_INVALID;
    call_begin(&call, &trace->given, trace->sentence);
    if (!file || !identity)
        complain("prof_trace_dataset_add: no name, or no identity");
    else if (summaries && !has_summaries(trace->held->timeline))
        complain("%s: it has no summaries: record with profrun --summary, or pack it without "
                 "--summaries",
                 trace->paths[0]);
    else
        status = add(dataset, trace, file, identity, summaries != 0);
    return call_end(&call, status, "prof_trace_dataset_add: out of memory");
}

prof_status prof_trace_dataset_arrow(struct prof_trace_dataset *dataset, const char *table,
                                     struct ArrowArrayStream *stream)
{
    if (!dataset || !table || !stream)
        return PROF_INVALID;
    unsigned number = fleet_table_find(table);
    if (number == FLEET_TABLES)
        return PROF_INVALID;
    return fleet_stream_init(stream, dataset->fleet, number) ? PROF_OK : PROF_FAILED;
}

void prof_trace_dataset_destroy(struct prof_trace_dataset *dataset)
{
    if (dataset)
        fleet_release(dataset->fleet);
    free(dataset);
}
