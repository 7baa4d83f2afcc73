/* breakdown_operations.c - kernels, copies and launches. */
#include "breakdown_tables.h"

#include "operation_totals.h"

/* ---- operations by name ---- */

static const struct table_column kernel_columns[] = {
    DEVICE_COLUMNS(5),
    {"kind", "Kind", .rank = 2},
    {"name", "Name"},
    {"count", "Count", .rank = 1},
    {"sum_ns", "Sum"},
    {"mean_ns", "Mean", .rank = 1},
    {"min_ns", "Min", .rank = 6},
    {"max_ns", "Max", .rank = 6},
    {"stddev_ns", "Std dev", .rank = 7},
    {"launched", "Launched", .rank = 7},
    {"mean_call_ns", "Call (mean)", .rank = 4},
    {"mean_delay_ns", "Call to start (mean)", .rank = 3},
    {0},
};

static void kernel_row(struct breakdown_report *report, const struct operation_total *total)
{
    struct table *table = &report->table;
    breakdown_device_cells(report, total->process, total->device);
    table_string(table, work_class_name(total->class_of));
    breakdown_name_cell(report, total->name);
    table_count(table, total->count), table_ns(table, total->sum_ns);
    table_duration(table, breakdown_mean(total->sum_ns, total->count));
    table_ns(table, total->min_ns), table_ns(table, total->max_ns);
    table_duration(table, total->stddev_ns);
    table_count(table, total->launched);
    table_duration(table, breakdown_mean(total->call_ns, total->launched));
    table_duration(table, breakdown_mean(total->delay_ns, total->launched));
}

static const struct table_column copy_columns[] = {
    DEVICE_COLUMNS(4),
    {"name", "Name"},
    {"count", "Count", .rank = 1},
    {"bytes", "Bytes", .rank = 2},
    {"time_ns", "Time"},
    {"gb_per_s", "GB/s"},
    {"min_gb_per_s", "Min GB/s", .rank = 3},
    {"max_gb_per_s", "Max GB/s", .rank = 3},
    {0},
};

static void copy_row(struct breakdown_report *report, const struct operation_total *total)
{
    struct table *table = &report->table;
    breakdown_device_cells(report, total->process, total->device);
    breakdown_name_cell(report, total->name);
    table_count(table, total->count), table_bytes(table, total->bytes);
    table_ns(table, total->sum_ns);
    table_number(table, operation_total_rate(total));
    table_number(table, total->least_rate), table_number(table, total->most_rate);
}

static bool write_operations(struct breakdown_report *report, bool copies)
{
    struct operation_totals totals;
    if (!operation_totals_init(&totals, report->timeline, &report->classes))
        return false;
    if (copies)
        table_begin(&report->table, "copies", "Copies and sets", copy_columns);
    else
        table_begin(&report->table, "kernels", "What ran, by name; longest first", kernel_columns);
    for (uint32_t i = 0; i < totals.count; i++) {
        if ((copies && totals.at[i].class_of != WORK_MEMORY) || !table_row(&report->table))
            continue;
        if (copies)
            copy_row(report, &totals.at[i]);
        else
            kernel_row(report, &totals.at[i]);
    }
    table_end(&report->table);
    operation_totals_fini(&totals);
    return true;
}

bool breakdown_kernels(struct breakdown_report *report)
{
    return write_operations(report, false);
}

bool breakdown_copies(struct breakdown_report *report)
{
    return write_operations(report, true);
}

/* ---- launches ---- */

static const struct table_column launch_columns[] = {
    DEVICE_COLUMNS(8),
    {"launched", "Launched"},
    {"others", "Others", .rank = 7},
    {"mean_call_ns", "Call (mean)", .rank = 1},
    {"mean_delay_ns", "Call to start (mean)", .rank = 1},
    {"mean_duration_ns", "Operation (mean)", .rank = 2},
    {"slow", "Slow calls", .rank = 3},
    {"slow_excess_ns", "Slow by", .rank = 4},
    {"late", "Late starts", .rank = 3},
    {"late_excess_ns", "Late by", .rank = 4},
    {"starved", "Late, stream free", .rank = 5},
    {"shorter", "Shorter than call", .rank = 5},
    {"shorter_excess_ns", "Shorter by", .rank = 6},
    {0},
};

static void some_cells(struct breakdown_report *report, const struct launch_some *some)
{
    table_count(&report->table, some->count);
    table_ns(&report->table, some->excess_ns);
}

static void launch_row(struct breakdown_report *report, const struct launch_row *row)
{
    struct table *table = &report->table;
    breakdown_device_cells(report, row->process, row->device);
    table_count(table, row->launched), table_count(table, row->others);
    table_duration(table, breakdown_mean(row->call_ns, row->launched));
    table_duration(table, breakdown_mean(row->delay_ns, row->launched));
    table_duration(table, breakdown_mean(row->duration_ns, row->launched));
    some_cells(report, &row->slow);
    some_cells(report, &row->late);
    table_count(table, row->starved.count);
    some_cells(report, &row->shorter);
}

bool breakdown_launches(struct breakdown_report *report)
{
    struct launch_stats stats;
    if (!launch_stats_init(&stats, report->timeline, LAUNCH_SLOW_CALL_NS, LAUNCH_LATE_START_NS))
        return false;
    table_begin(&report->table, "launches",
                "Launches; a slow call takes more than 50 us, a late start comes more than 100 us "
                "after the call",
                launch_columns);
    for (uint32_t i = 0; i < stats.count; i++)
        if (table_row(&report->table))
            launch_row(report, &stats.at[i]);
    table_end(&report->table);
    launch_stats_fini(&stats);
    return true;
}
