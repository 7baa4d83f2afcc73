/* breakdown_streams.c - why streams were idle, and what waited in them. */
#include "breakdown_tables.h"

#include "temporal_breakdown.h"

static const struct sheet_column idle_columns[] = {
    STREAM_COLUMNS,
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
        if (row->count[cause] == 0 || !sheet_row(&report->sheet))
            continue;
        breakdown_stream_cells(report, row->stream);
        sheet_string(&report->sheet, idle_cause_name((enum idle_cause)cause));
        sheet_count(&report->sheet, row->count[cause]);
        sheet_ns(&report->sheet, row->cause_ns[cause]);
        sheet_share(&report->sheet, row->cause_ns[cause], row->total_ns);
        sheet_ns(&report->sheet, row->longest_ns[cause]);
    }
}

bool breakdown_idle(struct breakdown_report *report)
{
    struct idle_breakdown breakdown;
    if (!idle_breakdown_init(&breakdown, report->timeline, report->options->kernel_wait_ns))
        return false;
    sheet_begin(&report->sheet, "idle", "Why streams were idle between two of their operations",
                idle_columns);
    for (uint32_t i = 0; i < breakdown.count; i++)
        idle_rows(report, &breakdown.at[i]);
    sheet_end(&report->sheet);
    idle_breakdown_fini(&breakdown);
    return true;
}

static const struct sheet_column queue_columns[] = {
    STREAM_COLUMNS,
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
    sheet_count(&report->sheet, row->changes);
    sheet_number(&report->sheet, row->mean), sheet_number(&report->sheet, row->mean_in_time);
    sheet_int(&report->sheet, row->least), sheet_int(&report->sheet, row->most);
    sheet_ns(&report->sheet, row->full_ns);
    sheet_share(&report->sheet, row->full_ns, row->span_ns);
}

bool breakdown_queues(struct breakdown_report *report)
{
    struct queue_depth depth;
    char title[128];
    if (!queue_depth_init(&depth, report->timeline, report->options->queue_full))
        return false;
    snprintf(title, sizeof title, "Operations that were launched and had not started; full: %u",
             report->options->queue_full);
    sheet_begin(&report->sheet, "queue", title, queue_columns);
    for (uint32_t i = 0; i < depth.count; i++)
        if (sheet_row(&report->sheet))
            queue_row(report, &depth.at[i]);
    sheet_end(&report->sheet);
    queue_depth_fini(&depth);
    return true;
}
