/* memory_ranges_report.c - what ranges allocated and freed. */
#include "report_parts.h"

#include "device_api.h"
#include "memory_use.h"
#include "report_cells.h"
#include "text.h"

#include <string.h>

#define NAME_COLUMNS 40u

#define AMOUNT_COLUMNS                                                                           \
    {"allocations", "Allocations", .rank = 2, .width = 12}, {"frees", .in = TABLE_IN_JSON},      \
        {"allocated_bytes", "Allocated", .rank = 1, .width = 12},                                \
        {"freed_bytes", "Freed", .rank = 3, .width = 12}, {"net_bytes", "Net", .width = 12},     \
        {"self_net_bytes", "Self net", .width = 12}, {"peak_bytes", "Peak in use", .width = 12}, \
    {                                                                                            \
        0                                                                                        \
    }

static void add_amounts(struct table *table, const struct memory_range *row, enum memory_side side)
{
    const struct memory_amounts *total = &row->total[side];
    table_count(table, total->allocations), table_count(table, total->frees);
    table_bytes(table, total->allocated_bytes), table_bytes(table, total->freed_bytes);
    table_signed_bytes(table, memory_net(total));
    table_signed_bytes(table, memory_net(&row->self[side]));
    table_bytes(table, row->peak_bytes[side]);
}

static void nest_amounts(struct table *table, const struct memory_range *row, enum memory_side side)
{
    static const struct table_column columns[] = {AMOUNT_COLUMNS};
    struct json_out *out = table_json(table);
    struct table amounts = table_in_json(out, columns);
    json_object_begin(out);
    add_amounts(&amounts, row, side);
    json_object_end(out);
}

static void add_ranges_with_sides(struct table *table, const struct memory_ranges *ranges)
{
    static const struct table_column columns[] = {{"name"}, {"count"}, {"cpu"}, {"cuda"}, {0}};
    table_begin(table, "ranges", NULL, columns);
    for (uint32_t i = 0; i < ranges->count; i++) {
        if (!table_row(table))
            continue;
        table_text(table, key_names_text(&ranges->keys, ranges->rows[i].key));
        table_count(table, ranges->rows[i].count);
        nest_amounts(table, &ranges->rows[i], MEMORY_CPU);
        nest_amounts(table, &ranges->rows[i], MEMORY_CUDA);
    }
    table_end(table);
}

static bool has_side(const struct memory_range *row, enum memory_side side)
{
    return row->total[side].allocations || row->total[side].frees || row->self[side].allocations ||
           row->self[side].frees;
}

/* As text, cut to its column. */
static void add_name(struct table *table, struct text name)
{
    char shown[SHOW_TEXT_BYTES(NAME_COLUMNS)];
    bool rest;
    if (table->format == WRITE_TEXT) {
        show_text(name, NAME_COLUMNS, shown, &rest);
        name = (struct text){shown, strlen(shown)};
    }
    table_text(table, name);
}

static void add_side(struct table *table, const struct memory_ranges *ranges, enum memory_side side)
{
    for (uint32_t i = 0; i < ranges->count; i++) {
        const struct memory_range *row = &ranges->rows[i];
        if (!has_side(row, side) || !table_row(table))
            continue;
        add_name(table, key_names_text(&ranges->keys, row->key));
        table_string(table, side == MEMORY_CUDA ? "cuda" : "host");
        table_count(table, row->count);
        add_amounts(table, row, side);
    }
}

static bool any_side(const struct memory_ranges *ranges, enum memory_side side)
{
    for (uint32_t i = 0; i < ranges->count; i++)
        if (has_side(&ranges->rows[i], side))
            return true;
    return false;
}

#define RANGE_COLUMNS(title)                                                    \
    {"name", title, .width = NAME_COLUMNS}, {"side", "Memory", TABLE_BUT_TEXT}, \
        {"count", "Calls", .rank = 1, .width = 8}, AMOUNT_COLUMNS

/* A table per side. */
static void print_ranges(struct table *table, const struct memory_ranges *ranges,
                         enum tl_device_api api)
{
    static const struct table_column cuda[] = {RANGE_COLUMNS("Range, CUDA memory")};
    static const struct table_column device[] = {RANGE_COLUMNS("Range, device memory")};
    static const struct table_column cpu[] = {RANGE_COLUMNS("Range, host memory and allocators")};
    for (unsigned side = MEMORY_SIDES; side-- > 0;) {
        if (!any_side(ranges, (enum memory_side)side))
            continue;
        fputc('\n', table->stream);
        table_begin(table, "ranges", NULL,
                    side != MEMORY_CUDA  ? cpu
                    : api == TL_API_CUDA ? cuda
                                         : device);
        add_side(table, ranges, (enum memory_side)side);
        table_end(table);
        cell_rest(table->stream, (uint32_t)table->rows, table->most);
    }
}

bool memory_ranges_report(struct table *table, const struct timeline *timeline)
{
    static const struct table_column columns[] = {RANGE_COLUMNS("Range")};
    struct memory_ranges ranges;
    if (!memory_ranges_init(&ranges, timeline))
        return false;
    if (table->format == WRITE_TEXT) {
        print_ranges(table, &ranges, device_api_of(timeline));
    } else if (table->format == WRITE_JSON) {
        add_ranges_with_sides(table, &ranges);
    } else {
        table_begin(table, "ranges", "Ranges", columns);
        add_side(table, &ranges, MEMORY_CUDA), add_side(table, &ranges, MEMORY_CPU);
        table_end(table);
    }
    memory_ranges_fini(&ranges);
    return true;
}
