/* tax_sheet.c - profdump tax as tables: executions in blocks, and ranges. */
#include "table.h"
#include "table_sheets.h"
#include "tax_parts.h"

#include <math.h>

/* Whole numbers as such; they are exact up to 2^53. */
static void add_number(struct table *table, double value)
{
    if (isnan(value))
        table_unknown(table);
    else if (fabs(value) < 9e15 && value == floor(value))
        table_int(table, (int64_t)value);
    else
        table_number(table, value);
}

/* Shares of times that are no whole numbers, with the digits that all shares have. */
static void add_share(struct table *table, double share)
{
    const int64_t whole = 1000000000000;
    if (isnan(share))
        table_unknown(table);
    else
        table_share(table, (int64_t)round(share * (double)whole), whole);
}

static void add_execution(struct table *table, const struct tax_report *report,
                          const struct block_tax *row)
{
    table_text(table, report->timeline->names.at[report->blocks.blocks.at[row->block].name]);
    table_count(table, row->number + 1u);
    add_number(table, row->execution), add_number(table, row->kernels);
    add_number(table, row->framework);
    add_share(table, row->share);
}

/* Times are in the unit that was asked for, and columns say which. */
static void add_executions(struct table *table, const struct tax_report *report)
{
    static const struct table_column columns[][7] = {
#define COLUMNS(unit)                                                     \
    {{"block", "Block"},                                                  \
     {"iteration", "Iteration"},                                          \
     {"execution_" unit, "Execution (" unit ")"},                         \
     {"kernels_and_delegates_" unit, "Kernels and delegates (" unit ")"}, \
     {"framework_" unit, "Framework (" unit ")"},                         \
     {"framework_percent", "Framework tax (%)"},                          \
     {0}}
        [TIME_SCALE_NS] = COLUMNS("ns"),         [TIME_SCALE_US] = COLUMNS("us"),
        [TIME_SCALE_MS] = COLUMNS("ms"),         [TIME_SCALE_S] = COLUMNS("s"),
        [TIME_SCALE_CYCLES] = COLUMNS("cycles"),
    };
    table_begin(table, "executions", "Executions in blocks",
                columns[report->options->blocks.target]);
    for (uint32_t i = 0; i < report->executions.rows.count; i++)
        if (table_row(table))
            add_execution(table, report, &report->executions.rows.at[i]);
    table_end(table);
}

static void add_range(struct table *table, const struct tax_report *report,
                      const struct range_tax *row)
{
    int64_t framework_ns = row->total_ns - row->kernel_ns;
    table_text(table, key_names_text(&report->keys, row->key));
    table_count(table, row->calls), table_count(table, row->kernels);
    table_ns(table, row->total_ns), table_ns(table, row->kernel_ns);
    table_ns(table, framework_ns);
    table_ns(table, row->after_ns);
    table_share(table, framework_ns, range_tax_whole_ns(row));
}

static void add_ranges(struct table *table, const struct tax_report *report)
{
    static const struct table_column columns[] = {{"range", "Range"},
                                                  {"calls", "Calls"},
                                                  {"kernels", "Kernels"},
                                                  {"total_ns", "Total"},
                                                  {"kernel_ran_ns", "A kernel ran"},
                                                  {"framework_ns", "None ran"},
                                                  {"kernel_after_ns", "After it"},
                                                  {"framework_percent", "Framework tax (%)"},
                                                  {0}};
    table_begin(table, "ranges", "Ranges", columns);
    for (uint32_t i = 0; i < report->ranges.rows.count; i++)
        if (table_row(table))
            add_range(table, report, &report->ranges.rows.at[i]);
    table_end(table);
}

static bool add_tables(struct table *table, void *user)
{
    const struct tax_report *report = user;
    add_executions(table, report);
    add_ranges(table, report);
    return !table->failed;
}

bool tax_sheet(const struct timeline *timeline, const struct write_blocks_options *options,
               FILE *stream)
{
    struct tax_report report;
    struct table table = {.format = options->format, .stream = stream, .most = -1};
    bool done =
        tax_report_init(&report, timeline, options) && table_write(&table, add_tables, &report);
    tax_report_fini(&report);
    return done;
}
