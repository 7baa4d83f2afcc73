/* roofline_json.c - profdump analyze --json.
 *
 *     {"by":"kernel","devices":[{"pid":..,"device":..,"name":..,"peak":{..},
 *       "kernels":..,...,"rows":[{"name":..,"count":..,...,"bound":"memory"}]}]}
 *
 * Shares are fractions of 1, rates per second in 10^12 operations and 10^9 bytes. null is unknown.
 */
#include "roofline_cells.h"

#include <errno.h>

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

void peak_figures_json(struct json_out *out, const struct peak_figures *figures)
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
    peak_figures_json(out, &peak->figures);
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

static void write_row(struct json_out *out, const struct roofline *roofline,
                      const struct roofline_row *row)
{
    json_newline(out);
    json_object_begin(out);
    json_key(out, "name");
    if (row->name == TL_NONE)
        json_null(out);
    else
        json_text(out, roofline_row_name(roofline, row));
    json_key(out, "count"), json_uint(out, row->count);
    json_key(out, "untimed"), json_uint(out, row->untimed);
    json_key(out, "total_ns"), json_int(out, row->total_ns);
    json_key(out, "mean_ns"), json_double(out, (double)row->total_ns / (double)row->count);
    json_key(out, "median_ns"), json_double(out, row->median_ns);
    json_key(out, "type"), json_string(out, roofline_row_type_name(row));
    json_key(out, "flop"), json_double(out, row->flop);
    json_key(out, "flop_count"), json_uint(out, row->flop_count);
    json_key(out, "flop_unknown"), write_reasons(out, row->flop_why);
    json_key(out, "bytes"), json_double(out, row->bytes);
    json_key(out, "bytes_count"), json_uint(out, row->bytes_count);
    json_key(out, "bytes_unknown"), write_reasons(out, row->bytes_why);
    json_key(out, "tflops"), json_double(out, row->flop_rate / 1e12);
    json_key(out, "gbs"), json_double(out, row->byte_rate / 1e9);
    json_key(out, "intensity"), json_double(out, row->intensity);
    json_key(out, "ridge"), json_double(out, row->ridge);
    json_key(out, "compute_share"), json_double(out, row->compute_share);
    json_key(out, "bandwidth_share"), json_double(out, row->bandwidth_share);
    json_key(out, "roof_share"), json_double(out, row->roof_share);
    json_key(out, "bound"), json_string(out, roofline_bound_name(row->bound));
    json_object_end(out);
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

static void write_device(struct json_out *out, const struct roofline *roofline,
                         const struct roofline_device *device, int64_t rows)
{
    json_newline(out);
    json_object_begin(out);
    json_key(out, "pid");
    json_uint(out, roofline->timeline->processes.at[device->process].info.pid);
    json_key(out, "device");
    if (device->ordinal == TL_NONE)
        json_null(out);
    else
        json_uint(out, device->ordinal);
    json_key(out, "name"), json_text(out, roofline_device_name(roofline, device));
    json_key(out, "peak"), write_peak(out, &device->peak);
    write_totals(out, device);
    json_key(out, "rows"), json_array_begin(out);
    for (uint32_t i = 0; i < device->row_count && (rows < 0 || i < rows); i++)
        write_row(out, roofline, &roofline->rows[device->first_row + i]);
    json_array_end(out);
    json_object_end(out);
}

bool roofline_json_print(const struct roofline *roofline,
                         const struct write_roofline_options *options, FILE *stream)
{
    static const char *const by[] = {"kernel", "op", "range"};
    struct json_out out;
    if (json_out_init(&out, -1, stream)) {
        json_object_begin(&out);
        json_key(&out, "by"), json_string(&out, by[options->by]);
        json_key(&out, "devices"), json_array_begin(&out);
        for (uint32_t i = 0; i < roofline->device_count; i++)
            write_device(&out, roofline, &roofline->devices[i], options->rows);
        json_array_end(&out);
        json_object_end(&out);
        out.comma = false;
        json_newline(&out);
    }
    errno = json_out_fini(&out);
    return errno == 0;
}
