/* roofline_report.c - profdump analyze: a table per device for people, and rows for programs. */
#include "roofline_cells.h"

#include "text.h"
#include "units.h"
#include "write_report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define TITLE_COLUMNS 100u

static bool is_shown(const struct write_roofline_options *options, uint32_t row)
{
    return options->rows < 0 || row < options->rows;
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
        fprintf(stream, "  figures that the file does not have: %s\n", peak->beside);
    if (*peak->caveat)
        fprintf(stream, "  %s\n", peak->caveat);
}

static void print_title(const struct roofline *roofline, const struct roofline_device *device,
                        FILE *stream)
{
    char name[SHOW_TEXT_BYTES(TITLE_COLUMNS)];
    bool rest;
    show_text(roofline_device_name(roofline, device), TITLE_COLUMNS, name, &rest);
    if (device->ordinal == TL_NONE)
        fprintf(stream, "Unknown device");
    else
        fprintf(stream, "Device %u", device->ordinal);
    if (roofline->timeline->processes.count > 1)
        fprintf(stream, " of pid %u", roofline->timeline->processes.at[device->process].info.pid);
    fprintf(stream, ": %s: ", *name ? name : "of unknown name");
    if (device->peak.origin == PEAK_UNKNOWN)
        fprintf(stream, "peak rates unknown: %s (--device-rates FILE gives them)\n",
                device->peak.caveat);
    else
        print_peak(device, stream);
}

/* ---- the table ---- */

static void name_cell(struct grid *grid, struct text name, unsigned width)
{
    char shown[SHOW_TEXT_BYTES(WRITE_NAME_WIDTH_MAX)];
    show_text_cut(name, width, shown);
    grid_whole_text(grid, (struct text){shown, strlen(shown)});
}

static void time_cell(struct grid *grid, double ns)
{
    char text[TIME_TEXT_BYTES];
    time_text(ns, text);
    grid_string(grid, isnan(ns) ? UNKNOWN_CELL : text);
}

static void text_cells(struct grid *grid, const struct roofline *roofline,
                       const struct roofline_device *device, const struct roofline_row *row,
                       unsigned name_width)
{
    double whole_ns = (double)device->total_ns;
    const char *type = row->types ? roofline_row_type_name(row) : UNKNOWN_CELL;
    name_cell(grid, roofline_row_name(roofline, row), name_width);
    grid_format(grid, "%" PRIu64, row->count);
    time_cell(grid, (double)row->total_ns);
    share_cell(grid, whole_ns > 0 ? (double)row->total_ns / whole_ns : (double)NAN);
    time_cell(grid, (double)row->total_ns / (double)row->count);
    time_cell(grid, row->median_ns);
    grid_string(grid, type);
    amount_cell(grid, row->flop);
    number_cell(grid, row->flop_rate / 1e12);
    number_cell(grid, row->byte_rate / 1e9);
    number_cell(grid, row->intensity);
    share_cell(grid, row->compute_share);
    share_cell(grid, row->bandwidth_share);
    share_cell(grid, row->roof_share);
    grid_string(grid, roofline_bound_name(row->bound));
}

static bool print_table(const struct roofline *roofline, const struct roofline_device *device,
                        const struct write_roofline_options *options, FILE *stream)
{
    static const char *const heads[] = {
        "Kernel", "Operator", "Range", "Count",  "Time",    "Time %",    "Mean", "Median",  "Type",
        "FLOP",   "TFLOP/s",  "GB/s",  "FLOP/B", "Compute", "Bandwidth", "Roof", "Bound by"};
    /* kernel, time and bound always stay */
    static const uint8_t ranks[15] = {0, 3, 0, 4, 6, 10, 5, 9, 2, 2, 8, 7, 7, 1, 0};
    struct grid grid;
    grid_init(&grid, 15);
    grid.ranks = ranks;
    grid.table_width = options->table_width;
    grid_string(&grid, heads[options->by]);
    for (size_t i = 3; i < sizeof heads / sizeof *heads; i++)
        grid_string(&grid, heads[i]);
    for (uint32_t i = 0; i < device->row_count && is_shown(options, i); i++)
        text_cells(&grid, roofline, device, &roofline->rows[device->first_row + i],
                   options->name_width);
    bool written = grid_write(&grid, write_format_style(options->format), NULL, stream);
    grid_fini(&grid);
    return written;
}

/* ---- under it ---- */

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_reasons(const char *what, const uint64_t reasons[ROOFLINE_REASONS], FILE *stream)
{
    const char *before = "";
    uint64_t sum = 0;
    for (unsigned i = 0; i < ROOFLINE_REASONS; i++)
        sum += reasons[i];
    if (sum == 0)
        return;
    fprintf(stream, "%s unknown of %" PRIu64 " kernel%s: ", what, sum, plural(sum));
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

static void print_untyped(const struct roofline_device *device, FILE *stream)
{
    if (device->untyped)
        fprintf(stream,
                "Type unknown of %" PRIu64
                " kernel%s with FLOP: nothing recorded and no name tells "
                "(--type TYPE says it)\n",
                device->untyped, plural(device->untyped));
    if (device->unrated && device->peak.origin != PEAK_UNKNOWN)
        fprintf(stream, "Compute unknown of %" PRIu64 " kernel%s: no rate of their type is known\n",
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

static bool print_text(const struct roofline *roofline,
                       const struct write_roofline_options *options, FILE *stream)
{
    const char *fence = options->format == WRITE_MARKDOWN ? "\n```text\n" : "";
    bool written = true;
    for (uint32_t i = 0; i < roofline->device_count && written; i++) {
        const struct roofline_device *device = &roofline->devices[i];
        fputs(i ? "\n" : "", stream);
        fputs(fence, stream);
        print_title(roofline, device, stream);
        fputs(*fence ? "```\n\n" : "\n", stream);
        written = print_table(roofline, device, options, stream);
        fputs(fence, stream);
        print_notes(device, options, stream);
        fputs(*fence ? "```\n" : "", stream);
    }
    if (written && roofline->device_count)
        fputs("\nCompute, Bandwidth: of the device's peak; Roof: of what it can reach at this "
              "FLOP/B; " UNKNOWN_CELL ": unknown\n",
              stream);
    return written && !ferror(stream);
}

/* ---- for programs ---- */

static void row_cells(struct grid *grid, const struct roofline *roofline,
                      const struct roofline_device *device, const struct roofline_row *row)
{
    grid_format(grid, "%u", roofline->timeline->processes.at[device->process].info.pid);
    if (device->ordinal == TL_NONE)
        grid_string(grid, "");
    else
        grid_format(grid, "%u", device->ordinal);
    grid_text(grid, roofline_device_name(roofline, device));
    grid_whole_text(grid, roofline_row_name(roofline, row));
    grid_format(grid, "%" PRIu64, row->count);
    grid_format(grid, "%" PRIu64, row->untimed);
    grid_format(grid, "%" PRId64, row->total_ns);
    exact_cell(grid, (double)row->total_ns / (double)row->count);
    exact_cell(grid, row->median_ns);
    grid_string(grid, roofline_row_type_name(row));
    grid_format(grid, "%" PRIu64, row->flop_count);
    exact_cell(grid, row->flop);
    grid_format(grid, "%" PRIu64, row->bytes_count);
    exact_cell(grid, row->bytes);
    exact_cell(grid, row->flop_rate / 1e12);
    exact_cell(grid, row->byte_rate / 1e9);
    exact_cell(grid, row->intensity);
    exact_cell(grid, row->ridge);
    exact_cell(grid, row->compute_share * 100);
    exact_cell(grid, row->bandwidth_share * 100);
    exact_cell(grid, row->roof_share * 100);
    grid_string(grid, roofline_bound_name(row->bound));
}

bool roofline_rows_print(const struct roofline *roofline,
                         const struct write_roofline_options *options, FILE *stream)
{
    static const char *const heads[] = {
        "pid",           "device",  "device_name",     "name",
        "count",         "untimed", "total_ns",        "mean_ns",
        "median_ns",     "type",    "flop_count",      "flop",
        "bytes_count",   "bytes",   "tflops",          "gbs",
        "flop_per_byte", "ridge",   "compute_percent", "bandwidth_percent",
        "roof_percent",  "bound"};
    struct grid grid;
    grid_init(&grid, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        grid_string(&grid, heads[i]);
    for (uint32_t i = 0; i < roofline->device_count; i++)
        for (uint32_t j = 0; j < roofline->devices[i].row_count && is_shown(options, j); j++)
            row_cells(&grid, roofline, &roofline->devices[i],
                      &roofline->rows[roofline->devices[i].first_row + j]);
    bool written = grid_write(&grid, write_format_style(options->format), NULL, stream);
    grid_fini(&grid);
    return written;
}

bool write_roofline(const struct roofline *roofline, const struct write_roofline_options *options,
                    FILE *stream)
{
    if (write_format_is_for_people(options->format))
        return print_text(roofline, options, stream);
    return options->format == WRITE_JSON ? roofline_json_print(roofline, options, stream)
                                         : roofline_rows_print(roofline, options, stream);
}
