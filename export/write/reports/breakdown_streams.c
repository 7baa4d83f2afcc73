/* breakdown_streams.c - why streams were idle, and what waited in them. */
#include "breakdown_tables.h"

#include "temporal_breakdown.h"

static const struct table_column idle_columns[] = {
    STREAM_COLUMNS(0),
    {"cause", "Cause"},
    {"gaps", "Gaps"},
    {"idle_ns", "Idle"},
    {"idle_percent", "Idle %"},
    {"longest_ns", "Longest"},
    {0},
};

static void idle_rows(struct breakdown_report *report, const struct idle_row *row)
{
    for (unsigned cause = 0; cause < IDLE_CAUSES; cause++) {
        if (row->count[cause] == 0 || !table_row(&report->table))
            continue;
        breakdown_stream_cells(report, row->stream);
        table_string(&report->table, idle_cause_name((enum idle_cause)cause));
        table_count(&report->table, row->count[cause]);
        table_ns(&report->table, row->cause_ns[cause]);
        table_share(&report->table, row->cause_ns[cause], row->total_ns);
        table_ns(&report->table, row->longest_ns[cause]);
    }
}

bool breakdown_idle(struct breakdown_report *report)
{
    struct idle_breakdown breakdown;
    if (!idle_breakdown_init(&breakdown, report->timeline, report->options->kernel_wait_ns))
        return false;
    table_begin(&report->table, "idle", "Why streams were idle between two of their operations",
                idle_columns);
    for (uint32_t i = 0; i < breakdown.count; i++)
        idle_rows(report, &breakdown.at[i]);
    table_end(&report->table);
    idle_breakdown_fini(&breakdown);
    return true;
}

static const struct table_column queue_columns[] = {
    STREAM_COLUMNS(0),
    {"changes", "Changes"},
    {"mean", "Mean"},
    {"mean_in_time", "Mean in time"},
    {"least", "Least"},
    {"most", "Most"},
    {"full_ns", "Full"},
    {"full_percent", "Full %"},
    {0},
};

static void queue_row(struct breakdown_report *report, const struct queue_row *row)
{
    breakdown_stream_cells(report, row->stream);
    table_count(&report->table, row->changes);
    table_number(&report->table, row->mean), table_number(&report->table, row->mean_in_time);
    table_int(&report->table, row->least), table_int(&report->table, row->most);
    table_ns(&report->table, row->full_ns);
    table_share(&report->table, row->full_ns, row->span_ns);
}

bool breakdown_queues(struct breakdown_report *report)
{
    struct queue_depth depth;
    char title[128];
    if (!queue_depth_init(&depth, report->timeline, report->options->queue_full))
        return false;
    snprintf(title, sizeof title, "Operations that were launched and had not started; full: %u",
             report->options->queue_full);
    table_begin(&report->table, "queue", title, queue_columns);
    for (uint32_t i = 0; i < depth.count; i++)
        if (table_row(&report->table))
            queue_row(report, &depth.at[i]);
    table_end(&report->table);
    queue_depth_fini(&depth);
    return true;
}
