/* blocks_report.c - profiling blocks, and ranges as such. As JSON one object:
 *
 *     {"unit": "ms", "blocks": [{"name", "process", "bundled_input", "iterations", "events": [{"name",
 *      "chain", "instruction", "delegate", "backend", "debug_handles", "depth", "durations",
 *      "start_times", "timed", "p10", "p50", "p90", "avg", "min", "max"}], "memory": [{"allocator",
 *      "allocations", "first_bytes", "total_bytes", "min_bytes", "max_bytes"}], "total"}]}
 *
 * A duration that is not known is null. "delegate" is a number, a text or null; "total" is there when
 * it was asked for, and what write_blocks.h adds too.
 */
#include "write_blocks.h"

#include "blocks.h"
#include "grid.h"
#include "json_out.h"
#include "markdown_text.h"
#include "python_text.h"
#include "report_cells.h"
#include "text.h"
#include "units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what events are called ---- */

struct text block_delegate(const struct timeline *timeline, const struct block_item *item,
                           char number[BLOCK_NAME_BYTES])
{
    if (item->delegate != -1) {
        int size = snprintf(number, BLOCK_NAME_BYTES, "%d", item->delegate);
        return (struct text){number, (size_t)size};
    }
    if (item->delegate_name != TL_NONE)
        return timeline->names.at[item->delegate_name];
    return (struct text){NULL, 0};
}

struct text block_title(const struct blocks *blocks, const struct event_block *block)
{
    const char *range = blocks->options.range;
    return range ? (struct text){range, strlen(range)} : blocks->timeline->names.at[block->name];
}

struct text block_event_name(const struct blocks *blocks, const struct block_item *item,
                             char number[BLOCK_NAME_BYTES])
{
    const char *range = blocks->options.range;
    const struct timeline *timeline = blocks->timeline;
    struct text delegate = block_delegate(timeline, item, number);
    if (range && item->depth == 0)
        return (struct text){range, strlen(range)};
    if (delegate.bytes)
        return delegate;
    return item->name == TL_NONE ? (struct text){"", 0} : timeline->names.at[item->name];
}

/* What the program called the event; the identifier where it did not. */
static struct text own_name(const struct blocks *blocks, const struct block_item *item,
                            char number[BLOCK_NAME_BYTES])
{
    bool is_range = blocks->options.range && item->depth == 0;
    return item->name == TL_NONE || is_range ? block_event_name(blocks, item, number)
                                             : blocks->timeline->names.at[item->name];
}

/* What the runtime itself does is at no instruction; it says 0 all the same. */
static bool is_frameworks(const struct timeline *timeline, const struct block_item *item)
{
    static const char *const names[] = {"Method::init", "Method::execute", "Program::load_method"};
    struct text name =
        item->name == TL_NONE ? (struct text){"", 0} : timeline->names.at[item->name];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_is(name, names[i]))
            return true;
    return false;
}

const struct debug_entry *block_event_entry(const struct timeline *timeline,
                                            const struct debug_maps *maps,
                                            const struct block_item *item)
{
    char number[BLOCK_NAME_BYTES];
    if (is_frameworks(timeline, item))
        return NULL;
    return debug_maps_find(maps, item->instruction, block_delegate(timeline, item, number));
}

bool block_event_is_shown(const struct blocks *blocks, const struct write_blocks_options *options,
                          const struct block_row *row)
{
    char number[BLOCK_NAME_BYTES];
    struct text name = block_event_name(blocks, &blocks->items.at[row->item], number);
    return !options->event || name_has_prefix(name.bytes, name.size, options->event);
}

/* In the target's unit; its ticks as a double. */
static double start_of(const struct blocks *blocks, const struct block_run *run, uint32_t row)
{
    const struct block_item *item = &blocks->items.at[run->first_item + row];
    double ticks = item->is_signed ? (double)(int64_t)item->start_ticks : (double)item->start_ticks;
    return ticks / block_run_divisor(&blocks->options, run);
}

/* ---- as separated values: a row per event ---- */

/* Text that grows; NULL once memory was short. */
struct list_text {
    char *at;
    size_t size;
    FILE *stream;
};

/* Whole numbers as such, as every table has them. */
static void number_text(double value, char to[PYTHON_TEXT_BYTES])
{
    if (fabs(value) < 9e15 && value == floor(value))
        snprintf(to, PYTHON_TEXT_BYTES, "%.0f", value);
    else
        python_float(value, to);
}

static void list_begin(struct list_text *list)
{
    *list = (struct list_text){0};
    list->stream = open_memstream(&list->at, &list->size);
    if (list->stream)
        fputc('[', list->stream);
}

static void list_number(struct list_text *list, bool first, double value)
{
    char text[PYTHON_TEXT_BYTES];
    number_text(value, text);
    if (list->stream)
        fprintf(list->stream, "%s%s", first ? "" : ", ", text);
}

/* As a cell. */
static void list_end(struct list_text *list, struct grid *grid)
{
    if (list->stream) {
        fputc(']', list->stream);
        if (fclose(list->stream) == 0)
            grid_whole_text(grid, (struct text){list->at, list->size});
        else
            grid->failed = true;
    } else {
        grid->failed = true;
    }
    free(list->at);
}

/* A cell "[1, 2, 3]"; empty where the entry is NULL. */
static void blocks_handles(struct grid *grid, const struct debug_maps *maps,
                           const struct debug_entry *entry)
{
    struct list_text list;
    if (!entry) {
        grid_string(grid, "");
        return;
    }
    list_begin(&list);
    for (uint32_t i = 0; i < entry->count && list.stream; i++)
        fprintf(list.stream, "%s%lld", i ? ", " : "",
                (long long)maps->handles.at[entry->first + i]);
    list_end(&list, grid);
}

static void number_cell(struct grid *grid, double value)
{
    char text[PYTHON_TEXT_BYTES];
    number_text(value, text);
    grid_string(grid, isnan(value) ? "" : text);
}

static void summary_cells(struct grid *grid, const struct percentile_summary *summary)
{
    const double numbers[] = {summary->p10,  summary->p50, summary->p90,
                              summary->mean, summary->min, summary->max};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        number_cell(grid, numbers[i]);
}

static void samples_cell(const struct blocks *blocks, const struct event_block *block,
                         const struct block_row *row, struct grid *grid)
{
    struct list_text list;
    list_begin(&list);
    for (uint32_t i = 0; i < block->run_count; i++)
        list_number(&list, i == 0, blocks->durations[row->first_sample + i]);
    list_end(&list, grid);
}

static void starts_cell(const struct blocks *blocks, const struct event_block *block,
                        uint32_t number, struct grid *grid)
{
    struct list_text list;
    list_begin(&list);
    for (uint32_t i = 0; i < block->run_count; i++) {
        const struct block_run *run = &blocks->runs.at[blocks->iterations[block->first_run + i]];
        list_number(&list, i == 0, start_of(blocks, run, number));
    }
    list_end(&list, grid);
}

static void row_cells(const struct blocks *blocks, const struct write_blocks_options *options,
                      const struct event_block *block, uint32_t number, struct grid *grid)
{
    const struct block_row *row = &blocks->rows.at[block->first_row + number];
    const struct block_item *item = &blocks->items.at[row->item];
    char text[BLOCK_NAME_BYTES];
    struct text delegate = block_delegate(blocks->timeline, item, text);
    const struct debug_entry *entry = block_event_entry(blocks->timeline, options->maps, item);
    grid_text(grid, block_title(blocks, block));
    grid_format(grid, "%d", block->input);
    grid_text(grid, own_name(blocks, item, text));
    grid_format(grid, "%u", item->depth);
    grid_format(grid, "%lld", (long long)item->chain);
    grid_format(grid, "%d", (int32_t)item->instruction);
    grid_text(grid, delegate.bytes ? delegate : (struct text){"", 0});
    grid_text(grid, entry && entry->backend.bytes ? entry->backend : (struct text){"", 0});
    blocks_handles(grid, options->maps, entry);
    grid_format(grid, "%u", block->run_count);
    samples_cell(blocks, block, row, grid);
    summary_cells(grid, &row->summary);
    starts_cell(blocks, block, number, grid);
}

/* Cells of several numbers, where readers take a column that ends with its unit for one of numbers. */
static bool is_list(const char *name)
{
    return strcmp(name, "samples") == 0 || strcmp(name, "starts") == 0;
}

static bool blocks_print_rows(const struct blocks *blocks,
                              const struct write_blocks_options *options, FILE *stream)
{
    static const char *const names[] = {"block",         "input",       "name",     "depth",
                                        "chain",         "instruction", "delegate", "backend",
                                        "debug_handles", "iterations",  NULL};
    static const char *const times[] = {"samples", "p10", "p50",    "p90", "mean",
                                        "min",     "max", "starts", NULL};
    const char *unit = time_scale_name(options->blocks.target);
    struct grid grid;
    grid_init(&grid, 18);
    for (const char *const *name = names; *name; name++)
        grid_string(&grid, *name);
    for (const char *const *name = times; *name; name++)
        grid_format(&grid, "%s_%s%s", *name, unit, is_list(*name) ? "_list" : "");
    for (uint32_t i = 0; i < blocks->blocks.count; i++)
        for (uint32_t j = 0; j < blocks->blocks.at[i].row_count; j++)
            if (block_event_is_shown(blocks, options,
                                     &blocks->rows.at[blocks->blocks.at[i].first_row + j]))
                row_cells(blocks, options, &blocks->blocks.at[i], j, &grid);
    bool written = grid_write(&grid, write_format_style(options->format), NULL, stream);
    grid_fini(&grid);
    return written;
}

/* ---- for people: a table per block ---- */

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

static bool blocks_print(struct blocks *blocks, const struct write_blocks_options *options,
                         FILE *stream)
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

/* ---- as JSON ---- */

static void text_or_null(struct json_out *out, struct text text)
{
    if (text.bytes)
        json_text(out, text);
    else
        json_null(out);
}

static void delegate_json(const struct blocks *blocks, const struct block_item *item,
                          struct json_out *out)
{
    json_key(out, "delegate");
    if (item->delegate != -1)
        json_int(out, item->delegate);
    else if (item->delegate_name != TL_NONE)
        json_text(out, blocks->timeline->names.at[item->delegate_name]);
    else
        json_null(out);
    if (item->metadata != TL_NONE)
        json_key(out, "delegate_metadata"),
            json_text(out, blocks->timeline->names.at[item->metadata]);
}

static void maps_json(const struct debug_maps *maps, const struct debug_entry *entry,
                      struct json_out *out)
{
    json_key(out, "backend"), text_or_null(out, entry->backend);
    json_key(out, "debug_handles"), json_array_begin(out);
    for (uint32_t i = 0; i < entry->count; i++)
        json_int(out, maps->handles.at[entry->first + i]);
    json_array_end(out);
}

static void samples_json(const struct blocks *blocks, const struct event_block *block,
                         uint32_t number, struct json_out *out)
{
    const struct block_row *row = &blocks->rows.at[block->first_row + number];
    json_key(out, "durations"), json_array_begin(out);
    for (uint32_t i = 0; i < block->run_count; i++)
        json_double(out, blocks->durations[row->first_sample + i]);
    json_array_end(out);
    json_key(out, "start_times"), json_array_begin(out);
    for (uint32_t i = 0; i < block->run_count; i++)
        json_double(
            out,
            start_of(blocks, &blocks->runs.at[blocks->iterations[block->first_run + i]], number));
    json_array_end(out);
}

static void event_json(const struct blocks *blocks, const struct write_blocks_options *options,
                       const struct event_block *block, uint32_t number, struct json_out *out)
{
    const struct block_row *row = &blocks->rows.at[block->first_row + number];
    const struct block_item *item = &blocks->items.at[row->item];
    const struct percentile_summary *summary = &row->summary;
    const struct debug_entry *entry = block_event_entry(blocks->timeline, options->maps, item);
    char text[BLOCK_NAME_BYTES];
    json_newline(out), json_object_begin(out);
    json_key(out, "name");
    json_text(out, own_name(blocks, item, text));
    json_key(out, "depth"), json_uint(out, item->depth);
    json_key(out, "chain"), json_int(out, item->chain);
    json_key(out, "instruction"), json_int(out, (int32_t)item->instruction);
    delegate_json(blocks, item, out);
    if (entry)
        maps_json(options->maps, entry, out);
    samples_json(blocks, block, number, out);
    if (options->raw)
        blocks_raw_event(blocks, block, number, out);
    json_key(out, "timed"), json_uint(out, summary->count);
    json_key(out, "p10"), json_double(out, summary->p10);
    json_key(out, "p50"), json_double(out, summary->p50);
    json_key(out, "p90"), json_double(out, summary->p90);
    json_key(out, "avg"), json_double(out, summary->mean);
    json_key(out, "min"), json_double(out, summary->min);
    json_key(out, "max"), json_double(out, summary->max);
    json_object_end(out);
}

static void memory_json_of(const struct blocks *blocks, const struct event_block *block,
                           struct json_out *out)
{
    const struct timeline *timeline = blocks->timeline;
    json_key(out, "memory"), json_array_begin(out);
    for (uint32_t i = 0; i < block->memory_count; i++) {
        const struct block_memory *memory = &blocks->memories.at[block->first_memory + i];
        json_object_begin(out);
        json_key(out, "allocator");
        json_text(out, timeline->names.at[timeline->heaps.at[memory->heap].name]);
        json_key(out, "allocations"), json_uint(out, memory->allocations);
        json_key(out, "first_bytes"), json_uint(out, memory->first_bytes);
        json_key(out, "total_bytes"), json_uint(out, memory->total_bytes);
        json_key(out, "min_bytes"), json_uint(out, memory->min_bytes);
        json_key(out, "max_bytes"), json_uint(out, memory->max_bytes);
        json_object_end(out);
    }
    json_array_end(out);
}

static bool block_json(struct blocks *blocks, const struct write_blocks_options *options,
                       uint32_t index, struct json_out *out)
{
    const struct event_block *block = &blocks->blocks.at[index];
    bool enough_memory = true;
    json_newline(out), json_object_begin(out);
    json_key(out, "name"), json_text(out, block_title(blocks, block));
    json_key(out, "process"),
        json_uint(out, blocks->timeline->processes.at[block->process].info.pid);
    json_key(out, "bundled_input"), json_int(out, block->input);
    json_key(out, "iterations"), json_uint(out, block->run_count);
    json_key(out, "events"), json_array_begin(out);
    for (uint32_t i = 0; i < block->row_count; i++)
        if (block_event_is_shown(blocks, options, &blocks->rows.at[block->first_row + i]))
            event_json(blocks, options, block, i, out);
    json_array_end(out);
    memory_json_of(blocks, block, out);
    if (options->raw)
        blocks_raw_runs(blocks, block, out);
    if (options->total) {
        json_key(out, "total");
        json_double(out, blocks_total(blocks, index, options->total, &enough_memory));
    }
    json_object_end(out);
    return enough_memory;
}

static bool blocks_print_json(struct blocks *blocks, const struct write_blocks_options *options,
                              FILE *stream)
{
    struct json_out out;
    bool done = json_out_init(&out, -1, stream);
    json_object_begin(&out);
    json_key(&out, "unit"), json_string(&out, time_scale_name(blocks->options.target));
    json_key(&out, "blocks"), json_array_begin(&out);
    for (uint32_t i = 0; i < blocks->blocks.count && done; i++)
        done = block_json(blocks, options, i, &out);
    json_array_end(&out), json_object_end(&out);
    out.comma = false, json_newline(&out);
    int error = json_out_fini(&out);
    if (error || !done)
        errno = error ? error : ENOMEM;
    return done && error == 0;
}

bool write_blocks(const struct timeline *timeline, const struct write_blocks_options *options,
                  FILE *stream)
{
    struct blocks blocks;
    if (!blocks_init(&blocks, timeline, &options->blocks)) {
        errno = ENOMEM;
        return false;
    }
    bool written = write_format_is_for_people(options->format)
                       ? blocks_print(&blocks, options, stream)
                   : options->format == WRITE_JSON ? blocks_print_json(&blocks, options, stream)
                                                   : blocks_print_rows(&blocks, options, stream);
    blocks_fini(&blocks);
    return written;
}
