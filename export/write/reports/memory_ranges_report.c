/* memory_ranges_report.c - what ranges allocated and freed. */
#include "report_parts.h"

#include "device_api.h"
#include "memory_use.h"
#include "report_cells.h"
#include "text.h"

#include <string.h>

#define NAME_COLUMNS 40u

#define AMOUNT_COLUMNS(X)                                                                        \
    X(table_count(table, row->total[side].allocations), "allocations", "Allocations", .rank = 2, \
      .width = 12)                                                                               \
    X(table_count(table, row->total[side].frees), "frees", .in = TABLE_IN_JSON)                  \
    X(table_bytes(table, row->total[side].allocated_bytes), "allocated_bytes", "Allocated",      \
      .rank = 1, .width = 12)                                                                    \
    X(table_bytes(table, row->total[side].freed_bytes), "freed_bytes", "Freed", .rank = 3,       \
      .width = 12)                                                                               \
    X(table_signed_bytes(table, memory_net(&row->total[side])), "net_bytes", "Net", .width = 12) \
    X(table_signed_bytes(table, memory_net(&row->self[side])), "self_net_bytes", "Self net",     \
      .width = 12)                                                                               \
    X(table_bytes(table, row->peak_bytes[side]), "peak_bytes", "Peak in use", .width = 12)
TABLE_ROW(amounts, AMOUNT_COLUMNS, const struct memory_range *row, enum memory_side side)

static void nest_amounts(struct table *table, const struct memory_range *row, enum memory_side side)
{
    struct json_out *out = table_json(table);
    struct table amounts = table_in_json(out, amounts_columns);
    amounts_row(&amounts, row, side);
    json_object_end(out);
}

#define SIDES_COLUMNS(X)                                         \
    X(table_text(table, key_names_text(keys, row->key)), "name") \
    X(table_count(table, row->count), "count")                   \
    X(nest_amounts(table, row, MEMORY_CPU), "cpu")               \
    X(nest_amounts(table, row, MEMORY_CUDA), "cuda")
TABLE_ROW(sides, SIDES_COLUMNS, const struct key_names *keys, const struct memory_range *row)

static bool has_side(const struct memory_range *row, enum memory_side side)
{
    return row->total[side].allocations || row->total[side].frees || row->self[side].allocations ||
           row->self[side].frees;
}

/* As text, cut to its column. */
static void range_name_cell(struct table *table, struct text name)
{
    char shown[SHOW_TEXT_BYTES(NAME_COLUMNS)];
    bool rest;
    if (table->format == WRITE_TEXT) {
        show_text(name, NAME_COLUMNS, shown, &rest);
        name = (struct text){shown, strlen(shown)};
    }
    table_text(table, name);
}

#define RANGE_COLUMNS(X)                                                            \
    X(range_name_cell(table, key_names_text(keys, row->key)), "name", "Range",      \
      .width = NAME_COLUMNS)                                                        \
    X(table_string(table, side == MEMORY_CUDA ? "cuda" : "host"), "side", "Memory", \
      TABLE_BUT_TEXT)                                                               \
    X(table_count(table, row->count), "count", "Calls", .rank = 1, .width = 8)      \
    AMOUNT_COLUMNS(X)
TABLE_ROW(range, RANGE_COLUMNS, const struct key_names *keys, const struct memory_range *row,
          enum memory_side side)

static void add_side(struct table *table, const struct memory_ranges *ranges, enum memory_side side)
{
    for (uint32_t i = 0; i < ranges->count; i++)
        if (has_side(&ranges->rows[i], side))
            range_row(table, &ranges->keys, &ranges->rows[i], side);
}

static bool any_side(const struct memory_ranges *ranges, enum memory_side side)
{
    for (uint32_t i = 0; i < ranges->count; i++)
        if (has_side(&ranges->rows[i], side))
            return true;
    return false;
}

/* A table per side. */
static void print_ranges(struct table *table, const struct memory_ranges *ranges,
                         enum tl_device_api api)
{
    struct table_column columns[sizeof range_columns / sizeof *range_columns];
    memcpy(columns, range_columns, sizeof columns);
    for (unsigned side = MEMORY_SIDES; side-- > 0;) {
        if (!any_side(ranges, (enum memory_side)side))
            continue;
        fputc('\n', table->stream);
        columns->title = side != MEMORY_CUDA  ? "Range, host memory and allocators"
                         : api == TL_API_CUDA ? "Range, CUDA memory"
                                              : "Range, device memory";
        table_begin(table, "ranges", NULL, columns);
        add_side(table, ranges, (enum memory_side)side);
        table_end(table);
        cell_rest(table->stream, (uint32_t)table->rows, table->most);
    }
}

bool memory_ranges_report(struct table *table, const struct timeline *timeline)
{
    struct memory_ranges ranges;
    if (!memory_ranges_init(&ranges, timeline))
        return false;
    if (table->format == WRITE_TEXT) {
        print_ranges(table, &ranges, device_api_of(timeline));
    } else if (table->format == WRITE_JSON) {
        table_begin(table, "ranges", NULL, sides_columns);
        for (uint32_t i = 0; i < ranges.count; i++)
            sides_row(table, &ranges.keys, &ranges.rows[i]);
        table_end(table);
    } else {
        table_begin(table, "ranges", "Ranges", range_columns);
        add_side(table, &ranges, MEMORY_CUDA), add_side(table, &ranges, MEMORY_CPU);
        table_end(table);
    }
    memory_ranges_fini(&ranges);
    return true;
}
