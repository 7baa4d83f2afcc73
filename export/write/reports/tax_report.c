/* tax_report.c - framework tax, and memory of blocks: as tables and JSON. */
#include "grid.h"
#include "json_out.h"
#include "python_text.h"
#include "tax_parts.h"

#include <errno.h>
#include <math.h>

static void header(struct grid *grid, const char *name, const char *unit)
{
    grid_format(grid, "%s (%s)", name, unit);
}

static void number(struct grid *grid, double value)
{
    char text[PYTHON_TEXT_BYTES];
    if (isnan(value)) {
        grid_string(grid, "?");
        return;
    }
    python_float(value, text);
    grid_string(grid, text);
}

static void share(struct grid *grid, double value)
{
    if (isnan(value))
        grid_string(grid, "?");
    else
        grid_format(grid, "%.2f", value * 100);
}

static bool write_executions(const struct tax_report *report, FILE *stream)
{
    const char *unit = time_scale_name(report->options->blocks.target);
    struct grid grid;
    grid_init(&grid, 6);
    grid_string(&grid, "Block"), grid_string(&grid, "Iteration");
    header(&grid, "Execution", unit), header(&grid, "Kernels and delegates", unit);
    header(&grid, "Framework", unit), grid_string(&grid, "Framework tax (%)");
    for (uint32_t i = 0; i < report->executions.rows.count; i++) {
        const struct block_tax *row = &report->executions.rows.at[i];
        grid_text(&grid, report->timeline->names.at[report->blocks.blocks.at[row->block].name]);
        grid_format(&grid, "%u", row->number + 1);
        number(&grid, row->execution), number(&grid, row->kernels);
        number(&grid, row->framework);
        share(&grid, row->share);
    }
    bool written = grid_write(&grid, write_format_style(report->options->format), NULL, stream);
    grid_fini(&grid);
    return written;
}

static double in_target(const struct tax_report *report, int64_t ns)
{
    enum time_scale target = report->options->blocks.target;
    return (double)ns / time_scale_divisor(TIME_SCALE_NS, target);
}

static double range_share(const struct range_tax *row)
{
    int64_t whole_ns = range_tax_whole_ns(row);
    return whole_ns > 0 ? (double)(row->total_ns - row->kernel_ns) / (double)whole_ns : (double)NAN;
}

static bool write_ranges(const struct tax_report *report, FILE *stream)
{
    const char *unit = time_scale_name(report->options->blocks.target);
    struct grid grid;
    grid_init(&grid, 8);
    grid_string(&grid, "Range"), grid_string(&grid, "Calls"), grid_string(&grid, "Kernels");
    header(&grid, "Total", unit), header(&grid, "A kernel ran", unit);
    header(&grid, "None ran", unit), header(&grid, "After it", unit);
    grid_string(&grid, "Framework tax (%)");
    for (uint32_t i = 0; i < report->ranges.rows.count; i++) {
        const struct range_tax *row = &report->ranges.rows.at[i];
        grid_text(&grid, key_names_text(&report->keys, row->key));
        grid_format(&grid, "%llu", (unsigned long long)row->calls);
        grid_format(&grid, "%llu", (unsigned long long)row->kernels);
        number(&grid, in_target(report, row->total_ns));
        number(&grid, in_target(report, row->kernel_ns));
        number(&grid, in_target(report, row->total_ns - row->kernel_ns));
        number(&grid, in_target(report, row->after_ns));
        share(&grid, range_share(row));
    }
    bool written = grid_write(&grid, write_format_style(report->options->format), NULL, stream);
    grid_fini(&grid);
    return written;
}

static void executions_json(const struct tax_report *report, struct json_out *out)
{
    json_key(out, "executions"), json_array_begin(out);
    for (uint32_t i = 0; i < report->executions.rows.count; i++) {
        const struct block_tax *row = &report->executions.rows.at[i];
        json_newline(out), json_object_begin(out);
        json_key(out, "block");
        json_text(out, report->timeline->names.at[report->blocks.blocks.at[row->block].name]);
        json_key(out, "iteration"), json_uint(out, row->number + 1);
        json_key(out, "execution"), json_double(out, row->execution);
        json_key(out, "kernels"), json_double(out, row->kernels);
        json_key(out, "framework_tax"), json_double(out, row->share);
        json_object_end(out);
    }
    json_array_end(out);
    json_key(out, "unknown_executions"), json_uint(out, report->executions.unknown);
}

static void ranges_json(const struct tax_report *report, struct json_out *out)
{
    json_key(out, "ranges"), json_array_begin(out);
    for (uint32_t i = 0; i < report->ranges.rows.count; i++) {
        const struct range_tax *row = &report->ranges.rows.at[i];
        json_newline(out), json_object_begin(out);
        json_key(out, "name"), json_text(out, key_names_text(&report->keys, row->key));
        json_key(out, "calls"), json_uint(out, row->calls);
        json_key(out, "kernels"), json_uint(out, row->kernels);
        json_key(out, "total_ns"), json_int(out, row->total_ns);
        json_key(out, "kernel_ns"), json_int(out, row->kernel_ns);
        json_key(out, "kernel_after_ns"), json_int(out, row->after_ns);
        json_key(out, "framework_tax"), json_double(out, range_share(row));
        json_object_end(out);
    }
    json_array_end(out);
}

static bool write_tax_json(const struct tax_report *report, FILE *stream)
{
    struct json_out out;
    bool done = json_out_init(&out, -1, stream);
    json_object_begin(&out);
    json_key(&out, "unit");
    json_string(&out, time_scale_name(report->options->blocks.target));
    executions_json(report, &out);
    ranges_json(report, &out);
    json_object_end(&out);
    out.comma = false, json_newline(&out);
    int error = json_out_fini(&out);
    if (error)
        errno = error;
    return done && error == 0;
}

static bool write_report(const struct tax_report *report, FILE *stream)
{
    bool executions = report->executions.rows.count > 0, ranges = report->ranges.rows.count > 0;
    if (report->options->format == WRITE_JSON)
        return write_tax_json(report, stream);
    if (!executions && !ranges)
        fputs("No block has an event Method::execute, and no range launched a kernel.\n", stream);
    if (executions && !write_executions(report, stream))
        return false;
    if (executions && ranges)
        fputc('\n', stream);
    return (!ranges || write_ranges(report, stream)) && !ferror(stream);
}

/* Blocks are those of blocks even where a range is asked for. */
bool tax_report_init(struct tax_report *report, const struct timeline *timeline,
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

void tax_report_fini(struct tax_report *report)
{
    range_taxes_fini(&report->ranges);
    block_taxes_fini(&report->executions);
    if (report->blocks.timeline)
        blocks_fini(&report->blocks);
    key_names_fini(&report->keys);
}

bool write_tax(const struct timeline *timeline, const struct write_blocks_options *options,
               FILE *stream)
{
    struct tax_report report;
    bool written = tax_report_init(&report, timeline, options) && write_report(&report, stream);
    tax_report_fini(&report);
    return written;
}

bool write_blocks_memory(const struct timeline *timeline,
                         const struct write_blocks_options *options, FILE *stream)
{
    struct blocks blocks;
    struct grid grid;
    if (!blocks_init(&blocks, timeline, &options->blocks)) {
        errno = ENOMEM;
        return false;
    }
    grid_init(&grid, 7);
    grid_string(&grid, "Block"), grid_string(&grid, "Allocator");
    grid_string(&grid, "Iterations"), grid_string(&grid, "Allocations");
    grid_string(&grid, "Bytes"), grid_string(&grid, "Least"), grid_string(&grid, "Most");
    for (uint32_t i = 0; i < blocks.blocks.count; i++) {
        const struct event_block *block = &blocks.blocks.at[i];
        for (uint32_t j = 0; j < block->memory_count; j++) {
            const struct block_memory *memory = &blocks.memories.at[block->first_memory + j];
            grid_text(&grid, timeline->names.at[block->name]);
            grid_text(&grid, timeline->names.at[timeline->heaps.at[memory->heap].name]);
            grid_format(&grid, "%u", block->run_count);
            grid_format(&grid, "%llu", (unsigned long long)memory->allocations);
            grid_format(&grid, "%llu", (unsigned long long)memory->total_bytes);
            grid_format(&grid, "%llu", (unsigned long long)memory->min_bytes);
            grid_format(&grid, "%llu", (unsigned long long)memory->max_bytes);
        }
    }
    bool written = blocks.memories.count == 0 ||
                   grid_write(&grid, write_format_style(options->format), NULL, stream);
    grid_fini(&grid);
    blocks_fini(&blocks);
    return written;
}
