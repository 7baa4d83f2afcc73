/* breakdown_operations.c - kernels, copies and launches. */
#include "breakdown_tables.h"

#include "operation_totals.h"

/* ---- operations by name ---- */

static const struct sheet_column kernel_columns[] = {
    DEVICE_COLUMNS,
    {"kind", "Kind"},
    {"name", "Name"},
    {"count", "Count"},
    {"sum_ns", "Sum"},
    {"mean_ns", "Mean"},
    {"min_ns", "Min"},
    {"max_ns", "Max"},
    {"stddev_ns", "Std dev"},
    {"launched", "Launched"},
    {"mean_call_ns", "Call (mean)"},
    {"mean_delay_ns", "Call to start (mean)"},
    {0},
};

static void kernel_row(struct breakdown_report *report, const struct operation_total *total)
{
    struct sheet *sheet = &report->sheet;
    breakdown_device_cells(report, total->process, total->device);
    sheet_string(sheet, work_class_name(total->class_of));
    breakdown_name_cell(report, total->name);
    sheet_count(sheet, total->count), sheet_ns(sheet, total->sum_ns);
    sheet_duration(sheet, breakdown_mean(total->sum_ns, total->count));
    sheet_ns(sheet, total->min_ns), sheet_ns(sheet, total->max_ns);
    sheet_duration(sheet, total->stddev_ns);
    sheet_count(sheet, total->launched);
    sheet_duration(sheet, breakdown_mean(total->call_ns, total->launched));
    sheet_duration(sheet, breakdown_mean(total->delay_ns, total->launched));
}

static const struct sheet_column copy_columns[] = {
    DEVICE_COLUMNS,
    {"name", "Name"},
    {"count", "Count"},
    {"bytes", "Bytes"},
    {"time_ns", "Time"},
    {"gb_per_s", "GB/s"},
    {"min_gb_per_s", "Min GB/s"},
    {"max_gb_per_s", "Max GB/s"},
    {0},
};

static void copy_row(struct breakdown_report *report, const struct operation_total *total)
{
    struct sheet *sheet = &report->sheet;
    breakdown_device_cells(report, total->process, total->device);
    breakdown_name_cell(report, total->name);
    sheet_count(sheet, total->count), sheet_bytes(sheet, total->bytes);
    sheet_ns(sheet, total->sum_ns);
    sheet_number(sheet, operation_total_rate(total));
    sheet_number(sheet, total->least_rate), sheet_number(sheet, total->most_rate);
}

static const uint8_t kernel_ranks[] = {0, 5, 0, 2, 0, 1, 0, 1, 6, 6, 7, 7, 4, 3};
static const uint8_t copy_ranks[] = {0, 4, 0, 0, 1, 2, 0, 0, 3, 3};

static bool write_operations(struct breakdown_report *report, bool copies)
{
    struct operation_totals totals;
    if (!operation_totals_init(&totals, report->timeline, &report->classes))
        return false;
    if (copies)
        sheet_begin(&report->sheet, "copies", "Copies and sets", copy_columns);
    else
        sheet_begin(&report->sheet, "kernels", "What ran, by name; longest first", kernel_columns);
    sheet_ranks(&report->sheet, copies ? copy_ranks : kernel_ranks);
    for (uint32_t i = 0; i < totals.count; i++) {
        if ((copies && totals.at[i].class_of != WORK_MEMORY) || !sheet_row(&report->sheet))
            continue;
        if (copies)
            copy_row(report, &totals.at[i]);
        else
            kernel_row(report, &totals.at[i]);
    }
    sheet_end(&report->sheet);
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

static const struct sheet_column launch_columns[] = {
    DEVICE_COLUMNS,
    {"launched", "Launched"},
    {"others", "Others"},
    {"mean_call_ns", "Call (mean)"},
    {"mean_delay_ns", "Call to start (mean)"},
    {"mean_duration_ns", "Operation (mean)"},
    {"slow", "Slow calls"},
    {"slow_excess_ns", "Slow by"},
    {"late", "Late starts"},
    {"late_excess_ns", "Late by"},
    {"starved", "Late, stream free"},
    {"shorter", "Shorter than call"},
    {"shorter_excess_ns", "Shorter by"},
    {0},
};

static const uint8_t launch_ranks[] = {0, 8, 0, 0, 7, 1, 1, 2, 3, 4, 3, 4, 5, 5, 6};

static void some_cells(struct breakdown_report *report, const struct launch_some *some)
{
    sheet_count(&report->sheet, some->count);
    sheet_ns(&report->sheet, some->excess_ns);
}

static void launch_row(struct breakdown_report *report, const struct launch_row *row)
{
    struct sheet *sheet = &report->sheet;
    breakdown_device_cells(report, row->process, row->device);
    sheet_count(sheet, row->launched), sheet_count(sheet, row->others);
    sheet_duration(sheet, breakdown_mean(row->call_ns, row->launched));
    sheet_duration(sheet, breakdown_mean(row->delay_ns, row->launched));
    sheet_duration(sheet, breakdown_mean(row->duration_ns, row->launched));
    some_cells(report, &row->slow);
    some_cells(report, &row->late);
    sheet_count(sheet, row->starved.count);
    some_cells(report, &row->shorter);
}

bool breakdown_launches(struct breakdown_report *report)
{
    struct launch_stats stats;
    if (!launch_stats_init(&stats, report->timeline, LAUNCH_SLOW_CALL_NS, LAUNCH_LATE_START_NS))
        return false;
    sheet_begin(&report->sheet, "launches",
                "Launches; a slow call takes more than 50 us, a late start comes more than 100 us "
                "after the call",
                launch_columns);
    sheet_ranks(&report->sheet, launch_ranks);
    for (uint32_t i = 0; i < stats.count; i++)
        if (sheet_row(&report->sheet))
            launch_row(report, &stats.at[i]);
    sheet_end(&report->sheet);
    launch_stats_fini(&stats);
    return true;
}
