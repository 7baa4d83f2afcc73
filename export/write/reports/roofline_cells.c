/* roofline_cells.c - see roofline_cells.h. */
#include "roofline_cells.h"

#include "python_text.h"

#include <math.h>
#include <string.h>

void number_cell(struct grid *grid, double value)
{
    if (isnan(value))
        grid_string(grid, UNKNOWN_CELL);
    else
        grid_format(grid, value >= 1e4 ? "%.0f" : "%.4g", value);
}

void share_cell(struct grid *grid, double share)
{
    if (isnan(share))
        grid_string(grid, UNKNOWN_CELL);
    else if (share > 0 && share < 0.0001)
        grid_string(grid, "<0.01%");
    else
        grid_format(grid, "%.2f%%", share * 100);
}

void amount_cell(struct grid *grid, double value)
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P", " E"};
    unsigned unit = 0;
    if (isnan(value)) {
        grid_string(grid, UNKNOWN_CELL);
        return;
    }
    for (; value >= 1000 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1000;
    grid_format(grid, unit ? "%.3f%s" : "%.0f%s", value, units[unit]);
}

void exact_cell(struct grid *grid, double value)
{
    char text[PYTHON_TEXT_BYTES];
    python_float(value, text);
    grid_string(grid, isnan(value) ? "" : text);
}

struct text roofline_row_name(const struct roofline *roofline, const struct roofline_row *row)
{
    static const struct text none = {"(in no range)", 13};
    return row->name == TL_NONE ? none : roofline->timeline->names.at[row->name];
}

const char *roofline_row_type_name(const struct roofline_row *row)
{
    enum op_type type = roofline_row_type(row);
    return type == OP_TYPE_UNKNOWN && row->types ? "several" : op_type_name(type);
}

struct text roofline_device_name(const struct roofline *roofline,
                                 const struct roofline_device *device)
{
    const struct timeline *timeline = roofline->timeline;
    uint32_t name = device->device == TL_NONE ? TL_NONE : timeline->devices.at[device->device].name;
    return name < timeline->names.count ? timeline->names.at[name] : (struct text){"", 0};
}
