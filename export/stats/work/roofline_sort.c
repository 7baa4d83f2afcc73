/* roofline_sort.c - rows of a roofline in the order of a column. */
#include "roofline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const column_names[] = {
    [ROOFLINE_TIME] = "time",
    [ROOFLINE_COUNT] = "count",
    [ROOFLINE_MEAN] = "mean",
    [ROOFLINE_MEDIAN] = "median",
    [ROOFLINE_FLOP] = "flop",
    [ROOFLINE_FLOP_RATE] = "tflops",
    [ROOFLINE_BYTE_RATE] = "gbs",
    [ROOFLINE_INTENSITY] = "intensity",
    [ROOFLINE_COMPUTE_SHARE] = "compute",
    [ROOFLINE_BANDWIDTH_SHARE] = "bandwidth",
    [ROOFLINE_ROOF_SHARE] = "roof",
    [ROOFLINE_NAME] = "name",
};

bool roofline_column_find(const char *name, enum roofline_column *column)
{
    for (size_t i = 0; i < sizeof column_names / sizeof *column_names; i++)
        if (strcmp(column_names[i], name) == 0) {
            *column = (enum roofline_column)i;
            return true;
        }
    return false;
}

const char *roofline_column_names(void)
{
    return "time, count, mean, median, flop, tflops, gbs, intensity, compute, bandwidth, roof, "
           "name";
}

static double value_of(const struct roofline_row *row, enum roofline_column column)
{
    switch (column) {
    case ROOFLINE_COUNT:
        return (double)row->count;
    case ROOFLINE_MEAN:
        return (double)row->total_ns / (double)row->count;
    case ROOFLINE_MEDIAN:
        return row->median_ns;
    case ROOFLINE_FLOP:
        return row->flop;
    case ROOFLINE_FLOP_RATE:
        return row->flop_rate;
    case ROOFLINE_BYTE_RATE:
        return row->byte_rate;
    case ROOFLINE_INTENSITY:
        return row->intensity;
    case ROOFLINE_COMPUTE_SHARE:
        return row->compute_share;
    case ROOFLINE_BANDWIDTH_SHARE:
        return row->bandwidth_share;
    case ROOFLINE_ROOF_SHARE:
        return row->roof_share;
    default:
        return (double)row->total_ns;
    }
}

struct order {
    const struct timeline *timeline;
    enum roofline_column column;
};

static int compare_names(const struct timeline *timeline, uint32_t a, uint32_t b)
{
    if (a == b || a == TL_NONE || b == TL_NONE)
        return a == b ? 0 : a == TL_NONE ? 1 : -1;
    struct text left = timeline->names.at[a], right = timeline->names.at[b];
    size_t size = left.size < right.size ? left.size : right.size;
    int order = memcmp(left.bytes, right.bytes, size);
    return order ? order : (left.size > right.size) - (left.size < right.size);
}

/* Equal ones by name, so that the order does not depend on that of the file. */
static int compare_rows(const void *a, const void *b, void *user)
{
    const struct order *order = user;
    const struct roofline_row *left = a, *right = b;
    double x = value_of(left, order->column), y = value_of(right, order->column);
    if (order->column != ROOFLINE_NAME) {
        if (isnan(x) || isnan(y))
            x = isnan(x) ? -1 : 0, y = isnan(y) ? -1 : 0;
        if (x > y || x < y)
            return x > y ? -1 : 1;
    }
    return compare_names(order->timeline, left->name, right->name);
}

void roofline_sort(struct roofline *roofline, enum roofline_column column)
{
    struct order order = {roofline->timeline, column};
    for (uint32_t i = 0; i < roofline->device_count; i++) {
        const struct roofline_device *device = &roofline->devices[i];
        qsort_r(roofline->rows + device->first_row, device->row_count, sizeof *roofline->rows,
                compare_rows, &order);
    }
}
