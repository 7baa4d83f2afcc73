/* blocks_text.c - event blocks for people: a table per block. */
#include "block_names.h"
#include "grid.h"
#include "markdown_text.h"
#include "memory_label.h"
#include "text.h"
#include "units.h"
#include "write_blocks.h"

#include "blocks_parts.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Nanoseconds are told apart in all units but cycles. */
static int decimals_of(enum time_scale target)
{
    static const int decimals[] = {
        [TIME_SCALE_NS] = 1, [TIME_SCALE_US] = 3, [TIME_SCALE_MS] = 6, [TIME_SCALE_S] = 9};
    return target == TIME_SCALE_CYCLES ? 1 : decimals[target];
}

static void time_cell(const struct blocks *blocks, struct grid *grid, double value)
{
    if (isnan(value))
        grid_string(grid, "?");
    else
        grid_format(grid, "%.*f", decimals_of(blocks->options.target), value);
}

static void print_name(const struct write_blocks_options *options, struct text name, FILE *stream)
{
    char shown[SHOW_TEXT_BYTES(120)];
    bool rest;
    show_text(name, 120, shown, &rest);
    if (options->format == WRITE_MARKDOWN)
        markdown_text(shown, stream);
    else
        fputs(shown, stream);
    fputs(rest ? "..." : "", stream);
}

static void print_title(const struct blocks *blocks, const struct write_blocks_options *options,
                        const struct event_block *block, FILE *stream)
{
    bool marked = options->format == WRITE_MARKDOWN;
    fprintf(stream, "%s%s \"", marked ? "### " : "", blocks->options.range ? "Range" : "Block");
    print_name(options, block_title(blocks, block), stream);
    fprintf(stream, "\": %u iteration%s", block->run_count, block->run_count == 1 ? "" : "s");
    if (block->input != -1)
        fprintf(stream, " on bundled input %d", block->input);
    fprintf(stream, ", times in %s\n%s", time_scale_name(blocks->options.target),
            marked ? "\n" : "");
}

static void event_cells(const struct blocks *blocks, const struct write_blocks_options *options,
                        const struct block_row *row, struct grid *grid)
{
    const struct block_item *item = &blocks->items.at[row->item];
    const struct percentile_summary *summary = &row->summary;
    char number[BLOCK_NAME_BYTES], named[256];
    struct text name = block_event_name(blocks, item, number);
    const struct debug_entry *entry = block_event_entry(blocks->timeline, options->maps, item);
    int indent = (int)(item->depth < 40 ? item->depth : 40) * 2;
    snprintf(named, sizeof named, "%*s%.*s", indent, "", (int)(name.size < 200 ? name.size : 200),
             name.bytes);
    grid_string(grid, named);
    if (!blocks->options.range) {
        grid_format(grid, "%lld", (long long)item->chain);
        grid_format(grid, "%d", (int32_t)item->instruction);
    }
    if (options->maps) {
        grid_text(grid, entry && entry->backend.bytes ? entry->backend : (struct text){"", 0});
        blocks_handles(grid, options->maps, entry);
    }
    grid_format(grid, "%u", summary->count);
    time_cell(blocks, grid, summary->p10), time_cell(blocks, grid, summary->p50);
    time_cell(blocks, grid, summary->p90), time_cell(blocks, grid, summary->mean);
    time_cell(blocks, grid, summary->min), time_cell(blocks, grid, summary->max);
}

static bool print_events(const struct blocks *blocks, const struct write_blocks_options *options,
                         const struct event_block *block, FILE *stream)
{
    struct grid grid;
    uint32_t ids = blocks->options.range ? 0 : 2, maps = options->maps ? 2 : 0;
    grid_init(&grid, 8 + ids + maps);
    grid_string(&grid, "Event");
    if (ids)
        grid_string(&grid, "Chain"), grid_string(&grid, "Instr");
    if (maps)
        grid_string(&grid, "Backend"), grid_string(&grid, "Handles");
    grid_string(&grid, "Timed"), grid_string(&grid, "p10"), grid_string(&grid, "p50");
    grid_string(&grid, "p90"), grid_string(&grid, "avg"), grid_string(&grid, "min");
    grid_string(&grid, "max");
    for (uint32_t i = 0; i < block->row_count; i++) {
        const struct block_row *row = &blocks->rows.at[block->first_row + i];
        if (block_event_is_shown(blocks, options, row))
            event_cells(blocks, options, row, &grid);
    }
    bool written = grid_write(&grid, write_format_style(options->format), NULL, stream);
    grid_fini(&grid);
    return written;
}

/* What stands in front of a line below a table. */
static const char *line_start(const struct write_blocks_options *options, bool first)
{
    return options->format != WRITE_MARKDOWN ? "" : first ? "\n- " : "- ";
}

static void print_memory(const struct blocks *blocks, const struct write_blocks_options *options,
                         const struct event_block *block, FILE *stream)
{
    for (uint32_t i = 0; i < block->memory_count; i++) {
        const struct block_memory *memory = &blocks->memories.at[block->first_memory + i];
        uint64_t mean = memory->total_bytes / block->run_count;
        char label[MEMORY_LABEL_BYTES], each[BYTES_TEXT_BYTES];
        memory_label(blocks->timeline, memory->heap, label);
        bytes_text((int64_t)(mean > INT64_MAX ? INT64_MAX : mean), each);
        fputs(line_start(options, i == 0), stream);
        print_name(options, (struct text){label, strlen(label)}, stream);
        fprintf(stream, ": %s%s in %llu allocation%s\n", each,
                memory->min_bytes == memory->max_bytes ? " each iteration" : " on average",
                (unsigned long long)memory->allocations, memory->allocations == 1 ? "" : "s");
    }
}

static bool print_total(struct blocks *blocks, const struct write_blocks_options *options,
                        uint32_t index, FILE *stream)
{
    bool enough_memory = true;
    if (!options->total)
        return true;
    double total = blocks_total(blocks, index, options->total, &enough_memory);
    fprintf(stream, "%sTotal of ", line_start(options, true));
    print_name(options, (struct text){options->total, strlen(options->total)}, stream);
    if (isnan(total))
        fputs(": no such event\n", stream);
    else
        fprintf(stream, ": %.*f %s per iteration\n", decimals_of(blocks->options.target), total,
                time_scale_name(blocks->options.target));
    return enough_memory;
}

bool blocks_print(struct blocks *blocks, const struct write_blocks_options *options, FILE *stream)
{
    bool written = true;
    if (blocks->blocks.count == 0)
        fprintf(stream, "%s\n",
                options->blocks.range ? "No range of this name was recorded."
                : options->blocks.block
                    ? "No block of this name was recorded."
                    : "No blocks were recorded; --range NAME takes a range as one.");
    for (uint32_t i = 0; i < blocks->blocks.count && written; i++) {
        const struct event_block *block = &blocks->blocks.at[i];
        fputs(i ? "\n" : "", stream);
        print_title(blocks, options, block, stream);
        written = print_events(blocks, options, block, stream);
        print_memory(blocks, options, block, stream);
        written = written && print_total(blocks, options, i, stream);
    }
    return written && !ferror(stream);
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
