/* bench_report.c - profdump bench: what one call of a range costs, or every reason why that cannot
 * be judged. Tables, in every format:
 *
 *     groups      calls with one sequence of operations: one row, or with --allow-varying several
 *     times       of each group: device_time, span, gaps, host_time (bench_stats.h)
 *     operations  of one call of each group, in the order of their launches
 *     sequences   where the recording does not support numbers: what the calls launched
 */
#include "reports.h"

#include "bench_stats.h"
#include "envelope.h"
#include "fit.h"
#include "report_cells.h"
#include "table.h"
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SEQUENCES_MAX 20u        /* rows of other sequences are not written */
#define SEQUENCE_OPERATIONS 100u /* of one of these */

struct bench_report {
    const struct bench_stats *stats;
    const struct write_bench_options *options;
    struct table table;
};

/* ---- cells ---- */

static void percent_cell(struct table *table, double fraction)
{
    if (isnan(fraction))
        table_unknown(table);
    else if (write_format_is_for_people(table->format))
        table_format(table, "%.2f%%", 100 * fraction);
    else
        table_exact(table, 100 * fraction);
}

/* A rate of 10^12 or 10^9 per second from a count and nanoseconds. */
static void rate_cell(struct table *table, double count, double ns, double scale)
{
    double rate = ns > 0 ? count / ns * 1e9 / scale : (double)NAN;
    if (isnan(rate))
        table_unknown(table);
    else if (write_format_is_for_people(table->format))
        table_format(table, "%.4g", rate);
    else
        table_exact(table, rate);
}

static void whole_cell(struct table *table, double number)
{
    if (isnan(number) || number < 0)
        table_unknown(table);
    else
        table_count(table, (uint64_t)number);
}

/* 0 is unknown. */
static void known_cell(struct table *table, uint32_t number)
{
    if (number)
        table_count(table, number);
    else
        table_unknown(table);
}

static void clock_cell(struct table *table, uint32_t khz)
{
    if (khz)
        table_exact(table, (double)khz / 1000);
    else
        table_unknown(table);
}

/* "132x1x1"; nothing of what is not a kernel. */
static void shape_cell(struct table *table, const struct tl_kernel *kernel, bool is_block)
{
    if (!kernel)
        table_none(table);
    else if (is_block)
        table_format(table, "%ux%ux%u", kernel->block_x, kernel->block_y, kernel->block_z);
    else
        table_format(table, "%ux%ux%u", kernel->grid_x, kernel->grid_y, kernel->grid_z);
}

/* Of a kernel; nothing of what is none. */
static void kernel_count_cell(struct table *table, const struct tl_kernel *kernel, uint64_t count)
{
    if (kernel)
        table_count(table, count);
    else
        table_none(table);
}

static void occupancy_cell(struct table *table, const struct tl_kernel *kernel, int percent)
{
    if (!kernel)
        table_none(table);
    else if (percent < 0)
        table_unknown(table);
    else
        table_count(table, (uint64_t)percent);
}

static void copied_cell(struct table *table, const struct tl_gpu *gpu)
{
    if (gpu->kind == TL_MEMCPY || gpu->kind == TL_MEMSET)
        table_bytes(table, gpu->bytes);
    else
        table_none(table);
}

static const char *kind_name(const struct tl_gpu *gpu)
{
    static const char *const names[] = {"kernel", "copy", "set", "graph"};
    return gpu->kind <= TL_GRAPH_RUN ? names[gpu->kind] : "other";
}

/* ---- tables ---- */

#define GROUP_MEDIAN group->spread[BENCH_DEVICE].median
#define GROUP_COLUMNS(X)                                                                 \
    X(table_count(table, group->sequence + 1), "sequence", "Sequence")                   \
    X(table_count(table, group->calls), "calls", "Calls")                                \
    X(table_count(table, group->kernels), "kernels", "Kernels")                          \
    X(table_count(table, group->copies), "copies", "Copies")                             \
    X(table_bytes(table, group->copied_bytes), "copied_bytes", "Copied", .rank = 3)      \
    X(whole_cell(table, group->flop), "flop", "FLOP", .rank = 2)                         \
    X(whole_cell(table, group->bytes), "bytes", "Bytes", .rank = 2)                      \
    X(rate_cell(table, group->flop, GROUP_MEDIAN, 1e12), "tflops", "TFLOP/s", .rank = 1) \
    X(rate_cell(table, group->bytes, GROUP_MEDIAN, 1e9), "gbs", "GB/s", .rank = 1)
TABLE_ROW(group, GROUP_COLUMNS, const struct bench_group *group)

#define TIME_COLUMNS(X)                                                           \
    X(table_string(table, bench_measure_name(measure)), "measure", "Time")        \
    X(table_count(table, group->sequence + 1), "sequence", "Sequence", .rank = 6) \
    X(table_duration(table, spread->median), "median_ns", "Median")               \
    X(table_duration(table, spread->mean), "mean_ns", "Mean")                     \
    X(table_duration(table, spread->p10), "p10_ns", "p10", .rank = 2)             \
    X(table_duration(table, spread->p90), "p90_ns", "p90", .rank = 2)             \
    X(table_duration(table, spread->min), "min_ns", "Min", .rank = 1)             \
    X(table_duration(table, spread->max), "max_ns", "Max", .rank = 5)             \
    X(table_duration(table, spread->low), "low_ns", "95% from", .rank = 3)        \
    X(table_duration(table, spread->high), "high_ns", "to", .rank = 3)            \
    X(percent_cell(table, spread->relative_error), "relative_error_percent", "Error", .rank = 4)
TABLE_ROW(time, TIME_COLUMNS, const struct bench_group *group, enum bench_measure measure,
          const struct bench_spread *spread)

#define OPERATION_COLUMNS(X)                                                                      \
    X(table_count(table, place + 1), "number", "No.")                                             \
    X(table_count(table, group->sequence + 1), "sequence", "Sequence", .rank = 6)                 \
    X(table_string(table, kind_name(gpu)), "kind", "Kind", .rank = 5)                             \
    X(table_text(table, name_or_unnamed(timeline, gpu->name)), "name", "Name")                    \
    X(table_duration(table, of->time_ns), "time_ns", "Time")                                      \
    X(percent_cell(table, of->share), "share_percent", "Share")                                   \
    X(isnan(of->gap_ns) ? table_none(table) : table_duration(table, of->gap_ns), "gap_ns", "Gap") \
    X(shape_cell(table, kernel, false), "grid", "Grid", .rank = 1)                                \
    X(shape_cell(table, kernel, true), "block", "Block", .rank = 1)                               \
    X(kernel_count_cell(table, kernel, kernel ? kernel->registers : 0), "registers", "Registers", \
      .rank = 3)                                                                                  \
    X(kernel_count_cell(                                                                          \
          table, kernel,                                                                          \
          kernel ? (uint64_t)kernel->static_shared_memory + kernel->dynamic_shared_memory : 0),   \
      "shared_bytes", "Shared", .rank = 3)                                                        \
    X(occupancy_cell(table, kernel, of->occupancy_percent), "occupancy_percent", "Occ %",         \
      .rank = 2)                                                                                  \
    X(copied_cell(table, gpu), "copied_bytes", "Copied", .rank = 4)                               \
    X(whole_cell(table, of->flop), "flop", "FLOP", .rank = 7)                                     \
    X(whole_cell(table, of->bytes), "bytes", "Bytes", .rank = 7)
TABLE_ROW(operation, OPERATION_COLUMNS, const struct timeline *timeline,
          const struct bench_group *group, uint32_t place, const struct bench_operation *of,
          const struct tl_gpu *gpu, const struct tl_kernel *kernel)

/* "gemm(float*) 264x1x1 256x1x1", "Memset (Device) 1024": what distinguishes it from others. */
#define OPERATION_BYTES 300u
static struct text operation_text(const struct timeline *timeline, const struct tl_gpu *gpu,
                                  char to[OPERATION_BYTES])
{
    struct text name = name_or_unnamed(timeline, gpu->name);
    int size = (int)(name.size < 200 ? name.size : 200);
    if (gpu->kind == TL_KERNEL) {
        const struct tl_kernel *kernel = &timeline->kernels.at[gpu->detail];
        snprintf(to, OPERATION_BYTES, "%.*s %ux%ux%u %ux%ux%u", size, name.bytes, kernel->grid_x,
                 kernel->grid_y, kernel->grid_z, kernel->block_x, kernel->block_y, kernel->block_z);
    } else if (gpu->bytes) {
        snprintf(to, OPERATION_BYTES, "%.*s %" PRIu64, size, name.bytes, gpu->bytes);
    } else {
        snprintf(to, OPERATION_BYTES, "%.*s", size, name.bytes);
    }
    return (struct text){to, strlen(to)};
}

/* What the calls of a sequence launched: in JSON an array. */
static void names_cell(struct table *table, const struct bench_stats *stats,
                       const struct bench_call *call)
{
    char text[400] = "";
    uint32_t most = call->count < SEQUENCE_OPERATIONS ? call->count : SEQUENCE_OPERATIONS;
    struct json_out *out = table->format == WRITE_JSON ? table_json(table) : NULL;
    if (out)
        json_array_begin(out);
    for (uint32_t i = 0; i < most; i++) {
        const struct tl_gpu *gpu =
            &stats->timeline->gpus.at[stats->calls.operations.at[call->first + i]];
        char of[OPERATION_BYTES];
        struct text name = operation_text(stats->timeline, gpu, of);
        size_t used = strlen(text);
        if (out)
            json_text(out, name);
        else
            snprintf(text + used, sizeof text - used, "%s%.*s", i ? ", " : "",
                     (int)(name.size < 80 ? name.size : 80), name.bytes);
    }
    if (out)
        json_array_end(out);
    else
        table_string(table, *text ? text : "(nothing)");
}

#define SEQUENCE_CALL &stats->calls.calls.at[sequence->example]
#define SEQUENCE_COLUMNS(X)                                                     \
    X(table_count(table, index + 1), "sequence", "Sequence")                    \
    X(table_count(table, sequence->calls), "calls", "Calls")                    \
    X(table_count(table, sequence->example + 1), "first_call", "First in call") \
    X(names_cell(table, stats, SEQUENCE_CALL), "operations", "Operations")
TABLE_ROW(sequence, SEQUENCE_COLUMNS, const struct bench_stats *stats, uint32_t index,
          const struct bench_sequence *sequence)

#define BENCH_DEVICE_COLUMNS(X)                                                              \
    PROCESS_COLUMNS(X, timeline, device->process)                                            \
    X(table_count(table, device->info.device), "device", "Device")                           \
    X(table_text(table, device_name(timeline, device)), "name", "Name")                      \
    X(known_cell(table, device->info.multiprocessors), "multiprocessors", "Multiprocessors", \
      .rank = 2)                                                                             \
    X(clock_cell(table, device->info.core_clock_khz), "max_clock_mhz", "Max MHz", .rank = 1) \
    X(known_cell(table, device->info.l2_bytes), "l2_bytes", "L2 bytes", .rank = 3)
TABLE_ROW(device, BENCH_DEVICE_COLUMNS, const struct timeline *timeline,
          const struct tl_device *device)

static void add_groups(struct bench_report *report)
{
    const struct bench_stats *stats = report->stats;
    struct table *table = &report->table;
    table_begin(table, "groups", stats->groups.count > 1 ? "Calls by sequence" : "Calls",
                group_columns);
    for (uint32_t i = 0; i < stats->groups.count; i++)
        group_row(table, &stats->groups.at[i]);
    table_end(table);
    table_begin(table, "times", "Time per call", time_columns);
    for (uint32_t i = 0; i < stats->groups.count; i++)
        for (unsigned k = 0; k < BENCH_MEASURES; k++)
            time_row(table, &stats->groups.at[i], (enum bench_measure)k,
                     &stats->groups.at[i].spread[k]);
    table_end(table);
}

static void add_operations(struct bench_report *report)
{
    const struct bench_stats *stats = report->stats;
    const struct timeline *timeline = stats->timeline;
    table_begin(&report->table, "operations", "Operations of one call, medians", operation_columns);
    for (uint32_t i = 0; i < stats->groups.count; i++)
        for (uint32_t k = 0; k < stats->groups.at[i].operations.count; k++) {
            const struct bench_operation *of = &stats->groups.at[i].operations.at[k];
            const struct tl_gpu *gpu = &timeline->gpus.at[of->gpu];
            operation_row(&report->table, timeline, &stats->groups.at[i], k, of, gpu,
                          gpu->kind == TL_KERNEL ? &timeline->kernels.at[gpu->detail] : NULL);
        }
    table_end(&report->table);
}

static void add_sequences(struct bench_report *report)
{
    const struct bench_stats *stats = report->stats;
    uint32_t count = stats->calls.sequences.count;
    table_begin(&report->table, "sequences", "What the calls launched", sequence_columns);
    for (uint32_t i = 0; i < count && i < SEQUENCES_MAX; i++)
        sequence_row(&report->table, stats, i, &stats->calls.sequences.at[i]);
    table_end(&report->table);
    if (report->table.json && count > SEQUENCES_MAX)
        json_note_rows(report->table.json, "sequences", SEQUENCES_MAX, count);
}

static void add_devices(struct bench_report *report)
{
    const struct bench_stats *stats = report->stats;
    table_begin(&report->table, "devices", "Devices", device_columns);
    for (uint32_t i = 0; i < stats->devices.count; i++)
        device_row(&report->table, stats->timeline,
                   &stats->timeline->devices.at[stats->devices.at[i]]);
    table_end(&report->table);
}

/* ---- JSON ---- */

static void add_comparison(struct json_out *out, const struct write_bench_options *options)
{
    const struct bench_comparison *of = options->comparison;
    json_key(out, "comparison");
    if (!of) {
        json_null(out);
        return;
    }
    json_object_begin(out);
    json_key(out, "with"), json_string(out, options->with);
    json_key(out, "ratio"), json_double(out, of->ratio.ratio);
    json_key(out, "low"), json_double(out, of->ratio.known ? of->ratio.low : NAN);
    json_key(out, "high"), json_double(out, of->ratio.known ? of->ratio.high : NAN);
    json_key(out, "verdict"), json_string(out, bench_verdict_name(of->verdict));
    json_object_end(out);
}

static void add_head(struct bench_report *report, struct json_out *out)
{
    const struct bench_stats *stats = report->stats;
    const struct bench_clock *clock = &stats->clock;
    json_key(out, "range"), json_string(out, stats->options.range);
    json_key(out, "calls"), json_uint(out, stats->calls.calls.count);
    json_key(out, "unfinished"), json_uint(out, stats->calls.unfinished);
    json_key(out, "processes"), json_uint(out, stats->calls.processes);
    json_key(out, "other_threads"), json_uint(out, stats->calls.other_threads);
    json_key(out, "cache"), json_string(out, bench_cache_name(stats->cache));
    json_key(out, "launch"), json_string(out, bench_launch_name(stats->launch));
    json_key(out, "clock_mhz");
    json_object_begin(out);
    json_key(out, "min"), json_double(out, clock->samples ? clock->min : NAN);
    json_key(out, "max"), json_double(out, clock->samples ? clock->max : NAN);
    json_key(out, "samples"), json_uint(out, clock->samples);
    json_object_end(out);
    json_key(out, "max_relative_error_percent");
    json_double(out, 100 * stats->options.max_relative_error);
    json_key(out, "allow_varying"), json_bool(out, stats->options.allow_varying);
    json_key(out, "reasons"), json_array_begin(out);
    for (unsigned i = 0; i < stats->reason_count; i++)
        json_string(out, stats->reasons[i]);
    json_array_end(out);
    add_comparison(out, report->options);
}

/* ---- text ---- */

static void print_head(struct bench_report *report)
{
    const struct bench_stats *stats = report->stats;
    FILE *out = report->table.stream;
    char name[SHOW_TEXT_BYTES(60)];
    show_text_cut((struct text){stats->options.range, strlen(stats->options.range)}, 60, name);
    fprintf(out, "%s: %u call%s", name, stats->calls.calls.count, plural(stats->calls.calls.count));
    if (stats->calls.operations.count)
        fprintf(out, ", %s launches, L2 %s", bench_launch_name(stats->launch),
                bench_cache_name(stats->cache));
    if (stats->calls.unfinished)
        fprintf(out, ", %u unfinished", stats->calls.unfinished);
    if (stats->clock.samples)
        fprintf(out, ", %.0f to %.0f MHz", stats->clock.min, stats->clock.max);
    fputc('\n', out);
    for (uint32_t i = 0; i < stats->devices.count; i++) {
        const struct tl_device *device = &stats->timeline->devices.at[stats->devices.at[i]];
        show_text_cut(device_name(stats->timeline, device), 60, name);
        fprintf(out, "Device %u: %s\n", device->info.device, name);
    }
}

/* The one number that most want, of one sequence. */
static void print_median(struct bench_report *report)
{
    char median[TIME_TEXT_BYTES], low[TIME_TEXT_BYTES], high[TIME_TEXT_BYTES];
    if (report->stats->groups.count != 1)
        return;
    const struct bench_spread *spread = &report->stats->groups.at[0].spread[BENCH_DEVICE];
    time_text_in(spread->median, report->table.unit, median);
    time_text_in(spread->low, report->table.unit, low);
    time_text_in(spread->high, report->table.unit, high);
    fprintf(report->table.stream, "Device time per call: %s (95 %%: %s to %s)\n", median, low,
            high);
}

static void print_reasons(struct bench_report *report)
{
    const struct bench_stats *stats = report->stats;
    if (stats->reason_count)
        fputs("No numbers:\n", report->table.stream);
    for (unsigned i = 0; i < stats->reason_count; i++)
        wrapped_text(report->table.stream, report->table.table_width, "  ", stats->reasons[i]);
}

static void print_comparison(struct bench_report *report)
{
    const struct bench_comparison *of = report->options->comparison;
    FILE *out = report->table.stream;
    char with[SHOW_TEXT_BYTES(60)];
    if (!of)
        return;
    show_text_cut((struct text){report->options->with, strlen(report->options->with)}, 60, with);
    fprintf(out, "\nAgainst %s: %s", with, bench_verdict_name(of->verdict));
    if (of->ratio.known)
        fprintf(out, ", %.3fx the device time (95 %%: %.3f to %.3f)", of->ratio.ratio,
                of->ratio.low, of->ratio.high);
    fputc('\n', out);
}

/* ---- the whole ---- */

static bool add_tables(struct table *table, void *user)
{
    struct bench_report *report = user;
    const struct bench_stats *stats = report->stats;
    struct envelope envelope = {.command = "bench", .timelines = {stats->timeline}};
    if (stats->reason_count)
        envelope.abstained = stats->reasons[0];
    if (table->json) {
        if (!envelope_begin(table->json, &envelope))
            return false;
        add_head(report, table->json);
        add_devices(report);
    } else if (write_format_is_for_people(table->format)) {
        print_head(report);
        print_median(report);
        print_reasons(report);
        fputc('\n', table->stream);
    }
    if (stats->groups.count || !write_format_is_for_people(table->format)) {
        add_groups(report);
        add_operations(report);
    }
    if (!write_format_is_for_people(table->format) || stats->calls.sequences.count > 1)
        add_sequences(report);
    if (table->json)
        envelope_end(table->json, "bench");
    else if (write_format_is_for_people(table->format))
        print_comparison(report);
    return !table->failed;
}

bool write_bench(const struct bench_stats *stats, const struct write_bench_options *options,
                 FILE *stream)
{
    struct bench_report report = {.stats = stats,
                                  .options = options,
                                  .table = {.format = options->format,
                                            .stream = stream,
                                            .most = options->rows,
                                            .unit = options->unit,
                                            .width = options->name_width,
                                            .table_width = options->table_width}};
    return table_write(&report.table, add_tables, &report);
}
