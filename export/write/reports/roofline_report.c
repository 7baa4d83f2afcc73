/* roofline_report.c - profdump roofline: what kernels achieved of their devices' peaks. A table per
 * device for people, rows of all of them as separated values, and as JSON
 *
 *     {"by":"kernel","devices":[{"pid":..,"process_index":..,"device":..,"name":..,"peak":{..},
 *       "kernels":..,...,"rows":[{"name":..,"count":..,...,"bound":"memory"}]}]}
 *
 * whose shares are fractions of 1, rates per second in 10^12 operations and 10^9 bytes. null is
 * unknown.
 */
#include "reports.h"

#include "envelope.h"
#include "peak_table.h"
#include "process_name.h"
#include "report_cells.h"
#include "roofline.h"
#include "text.h"
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define UNKNOWN_CELL "-" /* for people; for programs an empty cell, or null */
#define TITLE_COLUMNS 100u

struct report {
    const struct roofline *roofline;
    const struct write_roofline_options *options;
    struct table table;
};

static bool is_shown(const struct write_roofline_options *options, uint32_t row)
{
    return options->rows < 0 || row < options->rows;
}

/* What a row is called. */
static struct text row_name(const struct roofline *roofline, const struct roofline_row *row)
{
    static const struct text none = {"(outside any range)", 19};
    return row->name == TL_NONE ? none : roofline->timeline->names.at[row->name];
}

/* "unknown", "several" */
static const char *row_type_name(const struct roofline_row *row)
{
    enum op_type type = roofline_row_type(row);
    return type == OP_TYPE_UNKNOWN && row->types ? "several" : op_type_name(type);
}

/* Empty: not in the trace. */
static struct text name_of_device(const struct roofline *roofline,
                                  const struct roofline_device *device)
{
    const struct timeline *timeline = roofline->timeline;
    return device->device == TL_NONE ? (struct text){"", 0}
                                     : device_name(timeline, &timeline->devices.at[device->device]);
}

/* ---- JSON of peaks and of what is unknown ---- */

static void write_rates(struct json_out *out, const double rates[OP_TYPES])
{
    json_object_begin(out);
    for (unsigned type = OP_TYPE_UNKNOWN + 1; type < OP_TYPES; type++)
        if (rates[type] > 0) {
            json_string(out, op_type_name((enum op_type)type)), json_colon(out);
            json_double(out, rates[type]);
        }
    json_object_end(out);
}

static void write_figure(struct json_out *out, double figure)
{
    if (figure > 0)
        json_double(out, figure);
    else
        json_null(out);
}

static void write_figures(struct json_out *out, const struct peak_figures *figures)
{
    json_key(out, "vector_tops"), write_rates(out, figures->vector);
    json_key(out, "matrix_tops"), write_rates(out, figures->matrix);
    json_key(out, "bandwidth_gbs"), write_figure(out, figures->bandwidth_gbs);
    json_key(out, "memory_gb"), write_figure(out, figures->memory_gb);
}

static void write_peak(struct json_out *out, const struct peak_rates *peak)
{
    json_object_begin(out);
    json_key(out, "origin"), json_string(out, peak_origin_name(peak->origin));
    json_key(out, "entry"), json_string(out, peak->name);
    write_figures(out, &peak->figures);
    json_key(out, "source"), json_string(out, peak->source);
    json_key(out, "beside"), json_string(out, peak->beside);
    json_key(out, "note"), json_string(out, peak->caveat);
    json_object_end(out);
}

static void write_reasons(struct json_out *out, const uint64_t reasons[ROOFLINE_REASONS])
{
    json_object_begin(out);
    for (unsigned i = 0; i < ROOFLINE_REASONS; i++)
        if (reasons[i]) {
            json_string(out, roofline_reason_key(i)), json_colon(out);
            json_uint(out, reasons[i]);
        }
    json_object_end(out);
}

/* ---- cells ---- */

/* For people four digits, or all before the point. */
static void rate_cell(struct table *table, double value)
{
    if (!write_format_is_for_people(table->format))
        table_exact(table, value);
    else if (isnan(value))
        table_format(table, UNKNOWN_CELL);
    else
        table_format(table, value >= 1e4 ? "%.0f" : "%.4g", value);
}

/* "12.34%"; what is more than nothing is not shown as 0. Separated values have percent, JSON a
 * fraction. */
static void share_cell(struct table *table, double share)
{
    if (!write_format_is_for_people(table->format))
        table_exact(table, table->format == WRITE_JSON ? share : share * 100);
    else if (isnan(share))
        table_format(table, UNKNOWN_CELL);
    else if (share > 0 && share < 0.0001)
        table_format(table, "<0.01%%");
    else
        table_format(table, "%.2f%%", share * 100);
}

/* For people with its thousands: "236.028 M". */
static void amount_cell(struct table *table, double value)
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P", " E"};
    unsigned unit = 0;
    if (!write_format_is_for_people(table->format)) {
        table_exact(table, value);
    } else if (isnan(value)) {
        table_format(table, UNKNOWN_CELL);
    } else {
        for (; value >= 1000 && unit + 1 < sizeof units / sizeof *units; unit++)
            value /= 1000;
        table_format(table, unit ? "%.3f%s" : "%.0f%s", value, units[unit]);
    }
}

static void time_cell(struct table *table, double ns)
{
    if (!write_format_is_for_people(table->format))
        table_exact(table, ns);
    else if (isnan(ns))
        table_format(table, UNKNOWN_CELL);
    else
        table_duration(table, ns);
}

static void reasons_cell(struct table *table, const uint64_t reasons[ROOFLINE_REASONS])
{
    struct json_out *out = table_json(table);
    if (out)
        write_reasons(out, reasons);
}

static void row_name_cell(struct table *table, const struct report *report,
                          const struct roofline_row *row)
{
    char shown[SHOW_TEXT_BYTES(WRITE_NAME_WIDTH_MAX)];
    struct text name = row_name(report->roofline, row);
    if (write_format_is_for_people(table->format)) {
        show_text_cut(name, report->options->name_width, shown);
        table_string(table, shown);
    } else if (row->name == TL_NONE && table->format == WRITE_JSON) {
        table_none(table);
    } else {
        table_text(table, name);
    }
}

/* ---- rows ---- */

#define BEFORE_NAME 3u

static double share_of_device(const struct roofline_device *device, const struct roofline_row *row)
{
    return device->total_ns > 0 ? (double)row->total_ns / (double)device->total_ns : (double)NAN;
}

static const char *row_type(const struct table *table, const struct roofline_row *row)
{
    return row->types || !write_format_is_for_people(table->format) ? row_type_name(row)
                                                                    : UNKNOWN_CELL;
}

/* On a terminal kernel, time and bound always stay. */
#define ROW_COLUMNS(X)                                                                             \
    X(cell_pid(table, report->roofline->timeline, device->process), "pid", .in = TABLE_IN_VALUES)  \
    X(cell_index(table, device->ordinal), "device", .in = TABLE_IN_VALUES)                         \
    X(table_text(table, name_of_device(report->roofline, device)), "device_name",                  \
      .in = TABLE_IN_VALUES)                                                                       \
    X(row_name_cell(table, report, row), "name", "Kernel")                                         \
    X(table_count(table, row->count), "count", "Count", .rank = 3)                                 \
    X(table_count(table, row->untimed), "untimed", .in = TABLE_FOR_PROGRAMS)                       \
    X(table_ns(table, row->total_ns), "total_ns", "Time")                                          \
    X(share_cell(table, share_of_device(device, row)), "time_percent", "Time %", TABLE_FOR_PEOPLE, \
      .rank = 4)                                                                                   \
    X(time_cell(table, (double)row->total_ns / (double)row->count), "mean_ns", "Mean", .rank = 6)  \
    X(time_cell(table, row->median_ns), "median_ns", "Median", .rank = 10)                         \
    X(table_format(table, "%s", row_type(table, row)), "type", "Type", .rank = 5)                  \
    X(table_count(table, row->flop_count), "flop_count", .in = TABLE_IN_VALUES)                    \
    X(amount_cell(table, row->flop), "flop", "FLOP", .rank = 9)                                    \
    X(table_count(table, row->flop_count), "flop_count", .in = TABLE_IN_JSON)                      \
    X(reasons_cell(table, row->flop_why), "flop_unknown", .in = TABLE_IN_JSON)                     \
    X(table_count(table, row->bytes_count), "bytes_count", .in = TABLE_IN_VALUES)                  \
    X(table_exact(table, row->bytes), "bytes", .in = TABLE_FOR_PROGRAMS)                           \
    X(table_count(table, row->bytes_count), "bytes_count", .in = TABLE_IN_JSON)                    \
    X(reasons_cell(table, row->bytes_why), "bytes_unknown", .in = TABLE_IN_JSON)                   \
    X(rate_cell(table, row->flop_rate / 1e12), "tflops", "TFLOP/s", .rank = 2)                     \
    X(rate_cell(table, row->byte_rate / 1e9), "gbs", "GB/s", .rank = 2)                            \
    X(rate_cell(table, row->intensity), "flop_per_byte", "FLOP/B", .rank = 8, .json = "intensity") \
    X(rate_cell(table, row->ridge), "ridge", .in = TABLE_FOR_PROGRAMS)                             \
    X(share_cell(table, row->compute_share), "compute_percent", "Compute", .rank = 7,              \
      .json = "compute_share")                                                                     \
    X(share_cell(table, row->bandwidth_share), "bandwidth_percent", "Bandwidth", .rank = 7,        \
      .json = "bandwidth_share")                                                                   \
    X(share_cell(table, row->roof_share), "roof_percent", "Roof", .rank = 1, .json = "roof_share") \
    X(table_format(table, "%s", roofline_bound_name(row->bound)), "bound", "Bound by")
TABLE_ROW(roofline, ROW_COLUMNS, const struct report *report, const struct roofline_device *device,
          const struct roofline_row *row)

static void add_rows(struct report *report, const struct roofline_device *device)
{
    for (uint32_t i = 0; i < device->row_count && is_shown(report->options, i); i++)
        roofline_row(&report->table, report, device,
                     &report->roofline->rows[device->first_row + i]);
}

static void add_table(struct report *report, const struct roofline_device *device)
{
    static const char *const names[] = {"Kernel", "Operator", "Range"};
    struct table_column columns[sizeof roofline_columns / sizeof *roofline_columns];
    memcpy(columns, roofline_columns, sizeof columns);
    columns[BEFORE_NAME].title = names[report->options->by];
    table_begin(&report->table, NULL, NULL, columns);
    add_rows(report, device);
    table_end(&report->table);
}

/* ---- above a table ---- */

static void print_rate(const struct roofline_device *device, enum op_type type, FILE *stream)
{
    double rate = peak_rates_of(&device->peak, type);
    bool is_integer = type >= OP_I64 && type <= OP_BOOL;
    if (isnan(rate))
        fprintf(stream, "%s: unknown", op_type_name(type));
    else
        fprintf(stream, "%.4g %s %s", rate, is_integer ? "TOP/s" : "TFLOP/s", op_type_name(type));
}

static void print_peak(const struct roofline_device *device, FILE *stream)
{
    const struct peak_rates *peak = &device->peak;
    double bandwidth = peak_rates_bandwidth(peak);
    enum op_type type = device->type != OP_TYPE_UNKNOWN ? device->type : OP_F32;
    print_rate(device, type, stream);
    if (isnan(bandwidth))
        fprintf(stream, ", bandwidth: unknown");
    else
        fprintf(stream, ", %.4g GB/s", bandwidth);
    fprintf(stream, " (%s%s%s)\n", peak->origin == PEAK_FILE ? "" : peak->name,
            peak->origin == PEAK_FILE ? "" : "; ", peak->source);
    if (peak->origin == PEAK_FILE && *peak->beside)
        fprintf(stream, "  figures not taken from the file: %s\n", peak->beside);
    if (*peak->caveat)
        fprintf(stream, "  %s\n", peak->caveat);
}

static void print_title(const struct roofline *roofline, const struct roofline_device *device,
                        FILE *stream)
{
    char name[SHOW_TEXT_BYTES(TITLE_COLUMNS)];
    bool rest;
    show_text(name_of_device(roofline, device), TITLE_COLUMNS, name, &rest);
    if (device->ordinal == TL_NONE)
        fprintf(stream, "Unknown device");
    else
        fprintf(stream, "Device %u", device->ordinal);
    if (roofline->timeline->processes.count > 1)
        fprintf(stream, " of %s", process_full_name(roofline->timeline, device->process).text);
    fprintf(stream, ": %s: ", *name ? name : "of unknown name");
    if (device->peak.origin == PEAK_UNKNOWN)
        fprintf(stream, "peak rates unknown: %s (--device-rates FILE gives them)\n",
                device->peak.caveat);
    else
        print_peak(device, stream);
}

/* ---- under it ---- */

static void print_reasons(const char *what, const uint64_t reasons[ROOFLINE_REASONS], FILE *stream)
{
    const char *before = "";
    uint64_t sum = 0;
    for (unsigned i = 0; i < ROOFLINE_REASONS; i++)
        sum += reasons[i];
    if (sum == 0)
        return;
    fprintf(stream, "%s unknown for %" PRIu64 " kernel%s: ", what, sum, plural(sum));
    for (unsigned i = 0; i < ROOFLINE_REASONS; i++)
        if (reasons[i]) {
            fprintf(stream, "%s%" PRIu64 " %s", before, reasons[i], roofline_reason(i));
            before = "; ";
        }
    fputc('\n', stream);
}

static void print_count(const struct roofline_device *device, FILE *stream)
{
    char time[TIME_TEXT_BYTES], busy[TIME_TEXT_BYTES], window[TIME_TEXT_BYTES];
    time_text((double)device->total_ns, time);
    time_text((double)device->busy_ns, busy);
    time_text((double)device->window_ns, window);
    fprintf(stream, "%" PRIu64 " kernel%s", device->kernels, plural(device->kernels));
    if (device->graphs)
        fprintf(stream, " and %" PRIu64 " launch%s of graphs that were recorded as a whole",
                device->graphs, device->graphs == 1 ? "" : "es");
    fprintf(stream, ", %s; the device was busy %s of %s\n", time, busy, window);
    if (device->untimed)
        fprintf(stream, "%" PRIu64 " without a duration: counted, not rated\n", device->untimed);
}

static void print_share(double share, FILE *stream)
{
    if (share > 0 && share < 0.0001)
        fprintf(stream, "<0.01 %%");
    else
        fprintf(stream, "%.2f %%", share * 100);
}

/* What is not known of some kernels makes this a lower bound. */
static void print_utilization(const struct roofline_device *device, FILE *stream)
{
    if (isnan(device->utilization) || isnan(device->busy_share))
        return;
    const char *least = device->flop_ns < device->total_ns ? "at least " : "";
    fprintf(stream, "Utilisation of the %s peak: %s", op_type_name(device->type), least);
    print_share(device->utilization, stream);
    fprintf(stream, " of the recording, %s", least);
    print_share(device->busy_share, stream);
    fprintf(stream, " of the busy time");
    if (*least && device->total_ns > 0) {
        fprintf(stream, "; kernels with known FLOP took ");
        print_share((double)device->flop_ns / (double)device->total_ns, stream);
        fprintf(stream, " of the kernels' time");
    }
    fputc('\n', stream);
}

/* Only the program knows what its own kernels do. */
static void print_how_to_state(const struct roofline *roofline,
                               const struct roofline_device *device, FILE *stream)
{
    uint64_t unstated = device->flop_why[OP_NO_FORMULA] + device->flop_why[ROOFLINE_NO_OP];
    if (timeline_is_native(roofline->timeline) && unstated && !device->flop_count &&
        !device->bytes_count)
        fputs("To see rates, open a range around the launches and state its work: "
              "prof_attr_int(\"flops\", N), prof_attr_int(\"bytes\", N) (prof/prof.h)\n",
              stream);
}

static void print_untyped(const struct roofline_device *device, FILE *stream)
{
    if (device->untyped)
        fprintf(
            stream,
            "Type unknown for %" PRIu64
            " kernel%s with FLOP: neither recorded nor part of the name (--type TYPE sets it)\n",
            device->untyped, plural(device->untyped));
    if (device->unrated && device->peak.origin != PEAK_UNKNOWN)
        fprintf(stream,
                "Compute unknown for %" PRIu64 " kernel%s: no peak rate is known for their type\n",
                device->unrated, plural(device->unrated));
}

static void print_notes(const struct roofline_device *device,
                        const struct write_roofline_options *options, FILE *stream)
{
    uint32_t shown = device->row_count;
    if (options->rows >= 0 && options->rows < device->row_count)
        shown = (uint32_t)options->rows;
    if (shown < device->row_count)
        fprintf(stream, "%u of %u rows\n", shown, device->row_count);
    print_count(device, stream);
    print_utilization(device, stream);
    print_reasons("FLOP", device->flop_why, stream);
    print_reasons("Bytes", device->bytes_why, stream);
    print_untyped(device, stream);
    if (device->above_peak)
        fprintf(stream,
                "%u row%s above 100 %%: data from a cache, a higher clock than the table's, or "
                "less work "
                "than the operator's formula says\n",
                device->above_peak, plural(device->above_peak));
}

static bool print_device(struct report *report, const struct roofline_device *device)
{
    FILE *stream = report->table.stream;
    const char *fence = report->options->format == WRITE_MARKDOWN ? "\n```text\n" : "";
    fputs(fence, stream);
    print_title(report->roofline, device, stream);
    fputs(*fence ? "```\n\n" : "\n", stream);
    add_table(report, device);
    fputs(fence, stream);
    print_notes(device, report->options, stream);
    print_how_to_state(report->roofline, device, stream);
    fputs(*fence ? "```\n" : "", stream);
    return !report->table.failed;
}

static bool print_text(struct table *table, void *user)
{
    struct report *report = user;
    bool written = true;
    for (uint32_t i = 0; i < report->roofline->device_count && written; i++) {
        fputs(i ? "\n" : "", table->stream);
        written = print_device(report, &report->roofline->devices[i]);
    }
    if (written && report->roofline->device_count)
        fputs("\nCompute, Bandwidth: % of peak; Roof: % of the rate attainable at this "
              "FLOP/B; " UNKNOWN_CELL ": unknown\n",
              table->stream);
    return written;
}

/* ---- for programs ---- */

static bool add_values(struct table *table, void *user)
{
    struct report *report = user;
    table_begin(table, "rows", NULL, roofline_columns);
    for (uint32_t i = 0; i < report->roofline->device_count; i++)
        add_rows(report, &report->roofline->devices[i]);
    table_end(table);
    return true;
}

static void write_totals(struct json_out *out, const struct roofline_device *device)
{
    json_key(out, "kernels"), json_uint(out, device->kernels);
    json_key(out, "whole_graphs"), json_uint(out, device->graphs);
    json_key(out, "untimed"), json_uint(out, device->untimed);
    json_key(out, "kernel_ns"), json_int(out, device->total_ns);
    json_key(out, "busy_ns"), json_int(out, device->busy_ns);
    json_key(out, "window_ns"), json_int(out, device->window_ns);
    json_key(out, "type"), json_string(out, op_type_name(device->type));
    json_key(out, "flop"), json_double(out, device->flop);
    json_key(out, "flop_count"), json_uint(out, device->flop_count);
    json_key(out, "flop_ns"), json_int(out, device->flop_ns);
    json_key(out, "flop_unknown"), write_reasons(out, device->flop_why);
    json_key(out, "bytes"), json_double(out, device->bytes);
    json_key(out, "bytes_count"), json_uint(out, device->bytes_count);
    json_key(out, "bytes_unknown"), write_reasons(out, device->bytes_why);
    json_key(out, "type_unknown"), json_uint(out, device->untyped);
    json_key(out, "rate_unknown"), json_uint(out, device->unrated);
    json_key(out, "utilization"), json_double(out, device->utilization);
    json_key(out, "busy_utilization"), json_double(out, device->busy_share);
    json_key(out, "row_count"), json_uint(out, device->row_count);
}

static void write_device(struct report *report, const struct roofline_device *device)
{
    struct json_out *out = report->table.json;
    json_newline(out);
    json_object_begin(out);
    json_key(out, "pid");
    json_uint(out, report->roofline->timeline->processes.at[device->process].info.pid);
    json_key(out, "process_index"), json_uint(out, device->process);
    json_key(out, "device");
    if (device->ordinal == TL_NONE)
        json_null(out);
    else
        json_uint(out, device->ordinal);
    json_key(out, "name"), json_text(out, name_of_device(report->roofline, device));
    json_key(out, "peak"), write_peak(out, &device->peak);
    write_totals(out, device);
    json_key(out, "rows");
    add_table(report, device);
    json_object_end(out);
}

static bool add_json(struct table *table, void *user)
{
    static const char *const by[] = {"kernel", "op", "range"};
    struct report *report = user;
    struct json_out *out = table->json;
    table->unbroken = true;
    if (!envelope_begin_report(out, "roofline", report->roofline->timeline, EVIDENCE_DEVICE))
        return false;
    json_key(out, "by"), json_string(out, by[report->options->by]);
    json_key(out, "devices"), json_array_begin(out);
    for (uint32_t i = 0; i < report->roofline->device_count; i++)
        write_device(report, &report->roofline->devices[i]);
    json_array_end(out);
    envelope_end(out, "roofline");
    return true;
}

bool write_roofline(const struct roofline *roofline, const struct write_roofline_options *options,
                    FILE *stream)
{
    struct report report = {roofline, options,
                            .table = {.format = options->format,
                                      .frame = TABLE_BARE,
                                      .stream = stream,
                                      .most = -1,
                                      .table_width = options->table_width}};
    return table_write(&report.table,
                       write_format_is_for_people(options->format) ? print_text
                       : options->format == WRITE_JSON             ? add_json
                                                                   : add_values,
                       &report);
}

/* ---- the table of devices ---- */

static const enum op_type peak_types[] = {OP_F64, OP_F32, OP_TF32, OP_BF16, OP_F16,
                                          OP_F8,  OP_F6,  OP_F4,   OP_I8,   OP_I4};
/* On a terminal float32, bfloat16 and float16 always stay. */
static const uint8_t peak_ranks[] = {4, 0, 3, 0, 0, 2, 5, 6, 5, 6};
#define PEAK_TYPES (sizeof peak_types / sizeof *peak_types)

static void find_peak_columns(struct table_column columns[PEAK_TYPES + 6])
{
    static const struct table_column rest[] = {
        {"GB/s", "GB/s"}, {"GB", "GB", .rank = 1}, {"Source", "Source"}, {0}};
    columns[0] = (struct table_column){"Device", "Device"};
    for (size_t i = 0; i < PEAK_TYPES; i++)
        columns[i + 1] = (struct table_column){op_type_name(peak_types[i]),
                                               op_type_name(peak_types[i]), .rank = peak_ranks[i]};
    memcpy(columns + PEAK_TYPES + 1, rest, sizeof rest);
}

static double known(double figure)
{
    return figure > 0 ? figure : (double)NAN;
}

static void add_peak(struct table *table, uint32_t number)
{
    const struct peak_entry *entry = &peak_table[number];
    struct peak_rates rates;
    peak_entry_figures(entry, &rates.figures);
    table_row(table);
    table_format(table, "%s", entry->name);
    for (size_t i = 0; i < PEAK_TYPES; i++)
        rate_cell(table, peak_rates_of(&rates, peak_types[i]));
    rate_cell(table, known(entry->bandwidth_gbs)), rate_cell(table, known(entry->memory_gb));
    if (write_format_is_for_people(table->format))
        table_format(table, "[%u]", number + 1);
    else
        table_format(table, "%s%s%s", entry->source, entry->caveat ? "; " : "",
                     entry->caveat ? entry->caveat : "");
}

static bool add_peaks(struct table *table, void *user)
{
    struct table_column columns[PEAK_TYPES + 6];
    (void)user;
    find_peak_columns(columns);
    table_begin(table, "devices", NULL, columns);
    for (uint32_t i = 0; i < peak_table_count; i++)
        add_peak(table, i);
    table_end(table);
    return true;
}

static void print_sources(enum write_format format, FILE *stream)
{
    fputc('\n', stream);
    for (uint32_t i = 0; i < peak_table_count; i++)
        fprintf(stream, "%s[%u] %s: %s%s%s\n", format == WRITE_MARKDOWN ? "- " : "", i + 1,
                peak_table[i].name, peak_table[i].source, peak_table[i].caveat ? "; " : "",
                peak_table[i].caveat ? peak_table[i].caveat : "");
}

static void write_entry(struct json_out *out, const struct peak_entry *entry)
{
    struct peak_figures figures;
    peak_entry_figures(entry, &figures);
    json_newline(out);
    json_object_begin(out);
    json_key(out, "name"), json_string(out, entry->name);
    json_key(out, "patterns"), json_string(out, entry->patterns);
    if (entry->multiprocessors)
        json_key(out, "multiprocessors"), json_uint(out, entry->multiprocessors);
    write_figures(out, &figures);
    json_key(out, "source"), json_string(out, entry->source);
    json_key(out, "note"), json_string(out, entry->caveat ? entry->caveat : "");
    json_object_end(out);
}

static bool add_peaks_json(struct table *table, void *user)
{
    const struct envelope envelope = {.command = "roofline_devices"};
    (void)user;
    if (!envelope_begin(table->json, &envelope))
        return false;
    json_key(table->json, "devices"), json_array_begin(table->json);
    for (uint32_t i = 0; i < peak_table_count; i++)
        write_entry(table->json, &peak_table[i]);
    json_array_end(table->json);
    envelope_end(table->json, envelope.command);
    return true;
}

static bool print_peaks(struct table *table, void *user)
{
    fputs("Dense TFLOP/s, for integers TOP/s: the higher of vector and matrix rate, with float32 "
          "accumulation; " UNKNOWN_CELL ": none, or unknown\n\n",
          table->stream);
    bool done = add_peaks(table, user);
    print_sources(table->format, table->stream);
    return done;
}

bool write_peaks(enum write_format format, unsigned table_width, FILE *stream)
{
    struct table table = {.format = format,
                          .frame = TABLE_BARE,
                          .stream = stream,
                          .most = -1,
                          .table_width = table_width};
    return table_write(&table,
                       write_format_is_for_people(format) ? print_peaks
                       : format == WRITE_JSON             ? add_peaks_json
                                                          : add_peaks,
                       NULL);
}
