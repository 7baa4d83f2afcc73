/* tax_report.c - framework tax of executions in blocks, and of ranges.
 *
 * Times of executions are in the unit that was requested, and columns say which; those of ranges
 * are for people, and nanoseconds for programs.
 */
#include "envelope.h"
#include "key_averages.h"
#include "python_text.h"
#include "reports.h"
#include "table.h"
#include "tax.h"

#include <errno.h>
#include <math.h>

struct tax_report {
    const struct timeline *timeline;
    const struct write_blocks_options *options;
    struct blocks blocks;
    struct block_taxes executions; /* none where a range is requested */
    struct key_names keys;
    struct range_taxes ranges; /* none where a block is requested */
    struct table table;
};

static bool for_people(const struct tax_report *report)
{
    return write_format_is_for_people(report->options->format);
}

/* ---- cells ---- */

/* Separated values have whole numbers as such; they are exact up to 2^53. */
static void number_cell(struct table *table, double value)
{
    char text[PYTHON_TEXT_BYTES];
    bool is_whole = fabs(value) < 9e15 && value == floor(value);
    if (write_format_is_for_people(table->format)) {
        python_float(value, text);
        table_format(table, "%s", isnan(value) ? "?" : text);
    } else if (is_whole && table->format != WRITE_JSON) {
        table_int(table, (int64_t)value);
    } else {
        table_number(table, value);
    }
}

/* In per cent, and in JSON a fraction. Separated values have the digits that all shares have. */
static void share_cell(struct table *table, double share)
{
    const int64_t whole = 1000000000000;
    if (table->format == WRITE_JSON)
        table_number(table, share);
    else if (!write_format_is_for_people(table->format))
        table_share(table, (int64_t)round(isnan(share) ? 0 : share * (double)whole),
                    isnan(share) ? 0 : whole);
    else if (isnan(share))
        table_format(table, "?");
    else
        table_format(table, "%.2f", share * 100);
}

static void ns_cell(struct table *table, const struct tax_report *report, int64_t ns)
{
    enum time_scale target = report->options->blocks.target;
    if (for_people(report))
        number_cell(table, (double)ns / time_scale_divisor(TIME_SCALE_NS, target));
    else
        table_ns(table, ns);
}

/* ---- executions ---- */

#define EXECUTION_COLUMNS(X)                                                                      \
    X(table_text(table, report->timeline->names.at[block->name]), "block", "Block")               \
    X(table_count(table, row->number + 1u), "iteration", "Iteration")                             \
    X(number_cell(table, row->execution), "execution_%s", "Execution (%s)", .json = "execution")  \
    X(number_cell(table, row->kernels), "kernels_and_delegates_%s", "Kernels and delegates (%s)", \
      .rank = 2, .json = "kernels")                                                               \
    X(number_cell(table, row->framework), "framework_%s", "Framework (%s)", TABLE_BUT_JSON,       \
      .rank = 1)                                                                                  \
    X(share_cell(table, row->share), "framework_percent", "Framework tax (%)",                    \
      .json = "framework_tax")
TABLE_ROW(execution, EXECUTION_COLUMNS, const struct tax_report *report,
          const struct event_block *block, const struct block_tax *row)

static void add_executions(struct tax_report *report)
{
    struct table *table = &report->table;
    table_begin(table, "executions", NULL, execution_columns);
    for (uint32_t i = 0; i < report->executions.rows.count; i++) {
        const struct block_tax *row = &report->executions.rows.at[i];
        execution_row(table, report, &report->blocks.blocks.at[row->block], row);
    }
    table_end(table);
}

/* ---- ranges ---- */

static void range_share_cell(struct table *table, const struct range_tax *row)
{
    int64_t part_ns = row->total_ns - row->kernel_ns, whole_ns = range_tax_whole_ns(row);
    if (table->format == WRITE_TSV || table->format == WRITE_CSV)
        table_share(table, part_ns, whole_ns);
    else
        share_cell(table, whole_ns > 0 ? (double)part_ns / (double)whole_ns : (double)NAN);
}

#define RANGE_COLUMNS(X)                                                                       \
    X(table_text(table, key_names_text(&report->keys, row->key)), "range", "Range",            \
      .json = "name")                                                                          \
    X(table_count(table, row->calls), "calls", "Calls", .rank = 2)                             \
    X(table_count(table, row->kernels), "kernels", "Kernels", .rank = 4)                       \
    X(ns_cell(table, report, row->total_ns), "total_ns", "Total (%s)")                         \
    X(ns_cell(table, report, row->kernel_ns), "kernel_ran_ns", "A kernel ran (%s)", .rank = 3, \
      .json = "kernel_ns")                                                                     \
    X(ns_cell(table, report, row->total_ns - row->kernel_ns), "framework_ns", "None ran (%s)", \
      TABLE_BUT_JSON, .rank = 1)                                                               \
    X(ns_cell(table, report, row->after_ns), "kernel_after_ns", "After it (%s)", .rank = 5)    \
    X(range_share_cell(table, row), "framework_percent", "Framework tax (%)",                  \
      .json = "framework_tax")
TABLE_ROW(range, RANGE_COLUMNS, const struct tax_report *report, const struct range_tax *row)

static void add_ranges(struct tax_report *report)
{
    table_begin(&report->table, "ranges", NULL, range_columns);
    for (uint32_t i = 0; i < report->ranges.rows.count; i++)
        range_row(&report->table, report, &report->ranges.rows.at[i]);
    table_end(&report->table);
}

/* ---- the whole ---- */

/* Blocks are those of blocks even where a range is requested. */
static bool gather(struct tax_report *report, const struct timeline *timeline,
                   const struct write_blocks_options *options)
{
    struct blocks_options of_blocks = options->blocks;
    of_blocks.range = NULL;
    *report = (struct tax_report){.timeline = timeline, .options = options};
    bool gathered =
        key_names_init(&report->keys, timeline) &&
        blocks_init(&report->blocks, timeline, &of_blocks) &&
        block_taxes_init(&report->executions, &report->blocks) &&
        range_taxes_init(&report->ranges, timeline, &report->keys, options->blocks.range);
    if (gathered && options->blocks.range)
        report->executions.rows.count = 0;
    if (gathered && options->blocks.block)
        report->ranges.rows.count = 0;
    if (!gathered)
        errno = ENOMEM;
    return gathered;
}

static void scatter(struct tax_report *report)
{
    range_taxes_fini(&report->ranges);
    block_taxes_fini(&report->executions);
    if (report->blocks.timeline)
        blocks_fini(&report->blocks);
    key_names_fini(&report->keys);
}

static bool add_tables(struct table *table, void *user)
{
    struct tax_report *report = user;
    struct json_out *out = table->json;
    const struct envelope envelope = {.command = "executorch_tax",
                                      .timelines = {report->blocks.timeline}};
    if (out && !envelope_begin(out, &envelope))
        return false;
    if (out) {
        json_key(out, "unit");
        json_string(out, table->words[0]);
    }
    add_executions(report);
    if (out)
        json_key(out, "unknown_executions"), json_uint(out, report->executions.unknown);
    add_ranges(report);
    if (out)
        envelope_end(out, envelope.command);
    return !table->failed;
}

/* Only tables that have rows. */
static bool print_tables(struct table *table, void *user)
{
    struct tax_report *report = user;
    bool executions = report->executions.rows.count > 0, ranges = report->ranges.rows.count > 0;
    if (!executions && !ranges)
        fputs("No block has an event Method::execute, and no range launched a kernel.\n",
              table->stream);
    if (executions)
        add_executions(report);
    if (executions && ranges)
        fputc('\n', table->stream);
    if (ranges)
        add_ranges(report);
    return !table->failed;
}

bool write_tax(const struct timeline *timeline, const struct write_blocks_options *options,
               FILE *stream)
{
    struct tax_report report;
    bool written = gather(&report, timeline, options);
    report.table = (struct table){.format = options->format,
                                  .frame = TABLE_BARE,
                                  .stream = stream,
                                  .most = -1,
                                  .table_width = options->table_width,
                                  .words = {time_scale_name(options->blocks.target)},
                                  .unbroken = true};
    written = written &&
              table_write(&report.table, for_people(&report) ? print_tables : add_tables, &report);
    scatter(&report);
    return written;
}
