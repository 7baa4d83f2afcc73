/* peaks_report.c - profdump analyze --devices: the table of devices, with the source of each entry. */
#include "roofline_cells.h"

#include "peak_table.h"

#include <errno.h>
#include <math.h>

static const enum op_type types[] = {OP_F64, OP_F32, OP_TF32, OP_BF16, OP_F16,
                                     OP_F8,  OP_F6,  OP_F4,   OP_I8,   OP_I4};
#define TYPES (sizeof types / sizeof *types)
#define COLUMNS (TYPES + 4)

static double known(double figure)
{
    return figure > 0 ? figure : (double)NAN;
}

static void head_cells(struct grid *grid)
{
    grid_string(grid, "Device");
    for (size_t i = 0; i < TYPES; i++)
        grid_string(grid, op_type_name(types[i]));
    grid_string(grid, "GB/s"), grid_string(grid, "GB"), grid_string(grid, "Source");
}

static void entry_cells(struct grid *grid, uint32_t number, bool exact)
{
    const struct peak_entry *entry = &peak_table[number];
    void (*cell)(struct grid *, double) = exact ? exact_cell : number_cell;
    struct peak_rates rates;
    peak_entry_figures(entry, &rates.figures);
    grid_string(grid, entry->name);
    for (size_t i = 0; i < TYPES; i++)
        cell(grid, peak_rates_of(&rates, types[i]));
    cell(grid, known(entry->bandwidth_gbs));
    cell(grid, known(entry->memory_gb));
    if (exact)
        grid_format(grid, "%s%s%s", entry->source, entry->caveat ? "; " : "",
                    entry->caveat ? entry->caveat : "");
    else
        grid_format(grid, "[%u]", number + 1);
}

static bool print_grid(enum write_format format, FILE *stream)
{
    struct grid grid;
    grid_init(&grid, COLUMNS);
    head_cells(&grid);
    for (uint32_t i = 0; i < peak_table_count; i++)
        entry_cells(&grid, i, !write_format_is_for_people(format));
    bool written = grid_write(&grid, write_format_style(format), NULL, stream);
    grid_fini(&grid);
    return written;
}

static bool print_text(enum write_format format, FILE *stream)
{
    fputs("Dense TFLOP/s, of integers TOP/s: the higher of vector and matrix rate, products added "
          "up in "
          "float32; " UNKNOWN_CELL ": none, or unknown\n\n",
          stream);
    if (!print_grid(format, stream))
        return false;
    fputc('\n', stream);
    for (uint32_t i = 0; i < peak_table_count; i++)
        fprintf(stream, "%s[%u] %s: %s%s%s\n", format == WRITE_MARKDOWN ? "- " : "", i + 1,
                peak_table[i].name, peak_table[i].source, peak_table[i].caveat ? "; " : "",
                peak_table[i].caveat ? peak_table[i].caveat : "");
    return !ferror(stream);
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
    peak_figures_json(out, &figures);
    json_key(out, "source"), json_string(out, entry->source);
    json_key(out, "note"), json_string(out, entry->caveat ? entry->caveat : "");
    json_object_end(out);
}

static bool print_json(FILE *stream)
{
    struct json_out out;
    if (json_out_init(&out, -1, stream)) {
        json_object_begin(&out);
        json_key(&out, "devices"), json_array_begin(&out);
        for (uint32_t i = 0; i < peak_table_count; i++)
            write_entry(&out, &peak_table[i]);
        json_array_end(&out);
        json_object_end(&out);
        out.comma = false;
        json_newline(&out);
    }
    errno = json_out_fini(&out);
    return errno == 0;
}

bool write_peaks(enum write_format format, FILE *stream)
{
    if (write_format_is_for_people(format))
        return print_text(format, stream);
    return format == WRITE_JSON ? print_json(stream) : print_grid(format, stream);
}
