/* tax_report.c - framework tax of executions in blocks, and of ranges.
 *
 * Times of executions are in the unit that was requested, and columns say which; those of ranges
 * are for people, and nanoseconds for programs.
 */
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
static void add_number(struct table *table, double value)
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
static void add_share(struct table *table, double share)
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

static void add_ns(struct tax_report *report, int64_t ns)
{
    enum time_scale target = report->options->blocks.target;
    if (for_people(report))
        add_number(&report->table, (double)ns / time_scale_divisor(TIME_SCALE_NS, target));
    else
        table_ns(&report->table, ns);
}

/* ---- executions ---- */

static void add_executions(struct tax_report *report)
{
    static const struct table_column columns[][7] = {
#define COLUMNS(unit)                                                               \
    {{"block", "Block"},                                                            \
     {"iteration", "Iteration"},                                                    \
     {"execution_" unit, "Execution (" unit ")", .json = "execution"},              \
     {"kernels_and_delegates_" unit, "Kernels and delegates (" unit ")", .rank = 2, \
      .json = "kernels"},                                                           \
     {"framework_" unit, "Framework (" unit ")", TABLE_BUT_JSON, .rank = 1},        \
     {"framework_percent", "Framework tax (%)", .json = "framework_tax"},           \
     {0}}
        [TIME_SCALE_NS] = COLUMNS("ns"),         [TIME_SCALE_US] = COLUMNS("us"),
        [TIME_SCALE_MS] = COLUMNS("ms"),         [TIME_SCALE_S] = COLUMNS("s"),
        [TIME_SCALE_CYCLES] = COLUMNS("cycles"),
    };
    struct table *table = &report->table;
    table_begin(table, "executions", NULL, columns[report->options->blocks.target]);
    for (uint32_t i = 0; i < report->executions.rows.count; i++) {
        const struct block_tax *row = &report->executions.rows.at[i];
        table_row(table);
        table_text(table, report->timeline->names.at[report->blocks.blocks.at[row->block].name]);
        table_count(table, row->number + 1u);
        add_number(table, row->execution), add_number(table, row->kernels);
        add_number(table, row->framework);
        add_share(table, row->share);
    }
    table_end(table);
}

/* ---- ranges ---- */

static double range_share(const struct range_tax *row)
{
    int64_t whole_ns = range_tax_whole_ns(row);
    return whole_ns > 0 ? (double)(row->total_ns - row->kernel_ns) / (double)whole_ns : (double)NAN;
}

static void add_range(struct tax_report *report, const struct range_tax *row)
{
    struct table *table = &report->table;
    table_row(table);
    table_text(table, key_names_text(&report->keys, row->key));
    table_count(table, row->calls), table_count(table, row->kernels);
    add_ns(report, row->total_ns), add_ns(report, row->kernel_ns);
    add_ns(report, row->total_ns - row->kernel_ns), add_ns(report, row->after_ns);
    if (table->format == WRITE_TSV || table->format == WRITE_CSV)
        table_share(table, row->total_ns - row->kernel_ns, range_tax_whole_ns(row));
    else
        add_share(table, range_share(row));
}

static void add_ranges(struct tax_report *report)
{
    static const struct table_column columns[][9] = {
#define RANGE_COLUMNS(unit)                                                        \
    {{"range", "Range", .json = "name"},                                           \
     {"calls", "Calls", .rank = 2},                                                \
     {"kernels", "Kernels", .rank = 4},                                            \
     {"total_ns", "Total (" unit ")"},                                             \
     {"kernel_ran_ns", "A kernel ran (" unit ")", .rank = 3, .json = "kernel_ns"}, \
     {"framework_ns", "None ran (" unit ")", TABLE_BUT_JSON, .rank = 1},           \
     {"kernel_after_ns", "After it (" unit ")", .rank = 5},                        \
     {"framework_percent", "Framework tax (%)", .json = "framework_tax"},          \
     {0}}
        [TIME_SCALE_NS] = RANGE_COLUMNS("ns"),         [TIME_SCALE_US] = RANGE_COLUMNS("us"),
        [TIME_SCALE_MS] = RANGE_COLUMNS("ms"),         [TIME_SCALE_S] = RANGE_COLUMNS("s"),
        [TIME_SCALE_CYCLES] = RANGE_COLUMNS("cycles"),
    };
    table_begin(&report->table, "ranges", NULL, columns[report->options->blocks.target]);
    for (uint32_t i = 0; i < report->ranges.rows.count; i++)
        add_range(report, &report->ranges.rows.at[i]);
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
    if (out) {
        json_key(out, "unit");
        json_string(out, time_scale_name(report->options->blocks.target));
    }
    add_executions(report);
    if (out)
        json_key(out, "unknown_executions"), json_uint(out, report->executions.unknown);
    add_ranges(report);
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
                                  .unbroken = true};
    written = written &&
              table_write(&report.table, for_people(&report) ? print_tables : add_tables, &report);
    scatter(&report);
    return written;
}
