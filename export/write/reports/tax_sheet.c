/* tax_sheet.c - profdump tax as tables: executions in blocks, and ranges. */
#include "sheet.h"
#include "table_sheets.h"
#include "tax_parts.h"

#include <math.h>

/* Whole numbers as such; they are exact up to 2^53. */
static void add_number(struct sheet *sheet, double value)
{
    if (isnan(value))
        sheet_unknown(sheet);
    else if (fabs(value) < 9e15 && value == floor(value))
        sheet_int(sheet, (int64_t)value);
    else
        sheet_number(sheet, value);
}

/* Shares of times that are no whole numbers, with the digits that all shares have. */
static void add_share(struct sheet *sheet, double share)
{
    const int64_t whole = 1000000000000;
    if (isnan(share))
        sheet_unknown(sheet);
    else
        sheet_share(sheet, (int64_t)round(share * (double)whole), whole);
}

static void add_execution(struct sheet *sheet, const struct tax_report *report,
                          const struct block_tax *row)
{
    sheet_text(sheet, report->timeline->names.at[report->blocks.blocks.at[row->block].name]);
    sheet_count(sheet, row->number + 1u);
    add_number(sheet, row->execution), add_number(sheet, row->kernels);
    add_number(sheet, row->framework);
    add_share(sheet, row->share);
}

/* Times are in the unit that was asked for, and columns say which. */
static void add_executions(struct sheet *sheet, const struct tax_report *report)
{
    static const struct sheet_column columns[][7] = {
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
    sheet_begin(sheet, "executions", "Executions in blocks",
                columns[report->options->blocks.target]);
    for (uint32_t i = 0; i < report->executions.rows.count; i++)
        if (sheet_row(sheet))
            add_execution(sheet, report, &report->executions.rows.at[i]);
    sheet_end(sheet);
}

static void add_range(struct sheet *sheet, const struct tax_report *report,
                      const struct range_tax *row)
{
    int64_t framework_ns = row->total_ns - row->kernel_ns;
    sheet_text(sheet, key_names_text(&report->keys, row->key));
    sheet_count(sheet, row->calls), sheet_count(sheet, row->kernels);
    sheet_ns(sheet, row->total_ns), sheet_ns(sheet, row->kernel_ns);
    sheet_ns(sheet, framework_ns);
    sheet_ns(sheet, row->after_ns);
    sheet_share(sheet, framework_ns, range_tax_whole_ns(row));
}

static void add_ranges(struct sheet *sheet, const struct tax_report *report)
{
    static const struct sheet_column columns[] = {{"range", "Range"},
                                                  {"calls", "Calls"},
                                                  {"kernels", "Kernels"},
                                                  {"total_ns", "Total"},
                                                  {"kernel_ran_ns", "A kernel ran"},
                                                  {"framework_ns", "None ran"},
                                                  {"kernel_after_ns", "After it"},
                                                  {"framework_percent", "Framework tax (%)"},
                                                  {0}};
    sheet_begin(sheet, "ranges", "Ranges", columns);
    for (uint32_t i = 0; i < report->ranges.rows.count; i++)
        if (sheet_row(sheet))
            add_range(sheet, report, &report->ranges.rows.at[i]);
    sheet_end(sheet);
}

static bool add_tables(struct sheet *sheet, void *user)
{
    const struct tax_report *report = user;
    add_executions(sheet, report);
    add_ranges(sheet, report);
    return !sheet->failed;
}

bool tax_sheet(const struct timeline *timeline, const struct write_blocks_options *options,
               FILE *stream)
{
    struct tax_report report;
    struct sheet sheet = {.format = options->format, .stream = stream, .most = -1};
    bool done =
        tax_report_init(&report, timeline, options) && sheet_write(&sheet, add_tables, &report);
    tax_report_fini(&report);
    return done;
}
