/* blocks_rows.c - event blocks for programs: a row per event, separated by tabs or commas. */
#include "block_names.h"
#include "blocks_parts.h"
#include "python_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Text that grows; NULL once memory was short. */
struct list_text {
    char *at;
    size_t size;
    FILE *stream;
};

/* Whole numbers as such in our tables, as every table has them; as Python writes floats in the Inspector's. */
static void number_text(double value, bool is_python, char to[PYTHON_TEXT_BYTES])
{
    if (!is_python && fabs(value) < 9e15 && value == floor(value))
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

static void list_number(struct list_text *list, bool first, double value, bool is_python)
{
    char text[PYTHON_TEXT_BYTES];
    number_text(value, is_python, text);
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

void blocks_handles(struct grid *grid, const struct debug_maps *maps,
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

static void number_cell(struct grid *grid, double value, bool is_python)
{
    char text[PYTHON_TEXT_BYTES];
    number_text(value, is_python, text);
    grid_string(grid, isnan(value) ? "" : text);
}

static void summary_cells(struct grid *grid, const struct percentile_summary *summary,
                          bool is_python)
{
    const double numbers[] = {summary->p10,  summary->p50, summary->p90,
                              summary->mean, summary->min, summary->max};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        number_cell(grid, numbers[i], is_python);
}

static void header_cells(struct grid *grid, const struct write_blocks_options *options,
                         const char *const *names)
{
    const char *unit = time_scale_name(options->blocks.target);
    for (; *names; names++)
        if (options->units)
            grid_format(grid, "%s (%s)", *names, unit);
        else
            grid_string(grid, *names);
}

static const char *const statistics[] = {"raw", "p10", "p50", "p90", "avg", "min", "max", NULL};

static void samples_cell(const struct blocks *blocks, const struct event_block *block,
                         const struct block_row *row, double factor, bool is_python,
                         struct grid *grid)
{
    struct list_text list;
    list_begin(&list);
    for (uint32_t i = 0; i < block->run_count; i++)
        list_number(&list, i == 0, blocks->durations[row->first_sample + i] * factor, is_python);
    list_end(&list, grid);
}

/* ---- ours ---- */

static void starts_cell(const struct blocks *blocks, const struct event_block *block,
                        uint32_t number, struct grid *grid)
{
    struct list_text list;
    list_begin(&list);
    for (uint32_t i = 0; i < block->run_count; i++) {
        const struct block_run *run = &blocks->runs.at[blocks->iterations[block->first_run + i]];
        list_number(&list, i == 0, block_start(blocks, run, number), false);
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
    grid_text(grid, block_own_name(blocks, item, text));
    grid_format(grid, "%u", item->depth);
    grid_format(grid, "%lld", (long long)item->chain);
    grid_format(grid, "%d", (int32_t)item->instruction);
    grid_text(grid, delegate.bytes ? delegate : (struct text){"", 0});
    grid_text(grid, entry && entry->backend.bytes ? entry->backend : (struct text){"", 0});
    blocks_handles(grid, options->maps, entry);
    grid_format(grid, "%u", block->run_count);
    samples_cell(blocks, block, row, 1, false, grid);
    summary_cells(grid, &row->summary, false);
    starts_cell(blocks, block, number, grid);
}

/* Cells of several numbers, where readers take a column that ends with its unit for one of numbers. */
static bool is_list(const char *name)
{
    return strcmp(name, "samples") == 0 || strcmp(name, "starts") == 0;
}

bool blocks_print_rows(const struct blocks *blocks, const struct write_blocks_options *options,
                       FILE *stream)
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

/* ---- the Inspector's ---- */

/* It leaves durations of delegates in ticks. */
static double inspector_factor(const struct blocks *blocks, const struct event_block *block,
                               bool delegated)
{
    return delegated ? block_run_divisor(&blocks->options,
                                         &blocks->runs.at[blocks->iterations[block->first_run]])
                     : 1;
}

static void ticks_cell(const struct blocks *blocks, const struct event_block *block,
                       uint32_t number, struct grid *grid)
{
    struct list_text list;
    list_begin(&list);
    for (uint32_t i = 0; i < block->run_count && list.stream; i++) {
        const struct block_run *run = &blocks->runs.at[blocks->iterations[block->first_run + i]];
        fprintf(list.stream, "%s%llu", i ? ", " : "",
                (unsigned long long)blocks->items.at[run->first_item + number].start_ticks);
    }
    list_end(&list, grid);
}

static void inspector_cells(const struct blocks *blocks, const struct write_blocks_options *options,
                            const struct event_block *block, uint32_t number, uint32_t index,
                            struct grid *grid)
{
    const struct block_row *row = &blocks->rows.at[block->first_row + number];
    const struct block_item *item = &blocks->items.at[row->item];
    const struct debug_entry *entry = block_event_entry(blocks->timeline, options->maps, item);
    char text[BLOCK_NAME_BYTES];
    struct text delegate = block_delegate(blocks->timeline, item, text);
    struct percentile_summary summary = row->summary;
    double factor = inspector_factor(blocks, block, delegate.bytes != NULL);
    summary.p10 *= factor, summary.p50 *= factor, summary.p90 *= factor;
    summary.mean *= factor, summary.min *= factor, summary.max *= factor;
    grid_format(grid, "%u", index);
    grid_text(grid, block_title(blocks, block));
    grid_text(grid, block_event_name(blocks, item, text));
    if (item->debug == TL_NONE)
        samples_cell(blocks, block, row, factor, true, grid);
    else
        grid_string(grid, "");
    summary_cells(grid, &summary, true);
    grid_string(grid, "[]");
    grid_text(grid, delegate.bytes ? delegate : (struct text){"", 0});
    grid_string(grid, "{}"), grid_string(grid, "{}");
    grid_string(grid, delegate.bytes ? "True" : "False");
    grid_text(grid, entry && entry->backend.bytes ? entry->backend : (struct text){"", 0});
    grid_string(grid, "[]");
    ticks_cell(blocks, block, number, grid);
}

bool write_inspector(const struct timeline *timeline, const struct write_blocks_options *options,
                     FILE *stream)
{
    static const char *const before[] = {"", "event_block_name", "event_name", NULL};
    static const char *const after[] = {
        "op_types",        "delegate_debug_identifier", "stack_traces", "module_hierarchy",
        "is_delegated_op", "delegate_backend_name",     "debug_data",   NULL};
    static const char *const last[] = {"start_time", NULL};
    struct write_blocks_options plain = *options;
    struct blocks blocks;
    struct grid grid;
    uint32_t index = 0;
    if (!blocks_init(&blocks, timeline, &options->blocks)) {
        errno = ENOMEM;
        return false;
    }
    plain.units = false;
    grid_init(&grid, 18);
    header_cells(&grid, &plain, before), header_cells(&grid, options, statistics);
    header_cells(&grid, &plain, after), header_cells(&grid, &plain, last);
    for (uint32_t i = 0; i < blocks.blocks.count; i++)
        for (uint32_t j = 0; j < blocks.blocks.at[i].row_count; j++)
            if (block_event_is_shown(&blocks, options,
                                     &blocks.rows.at[blocks.blocks.at[i].first_row + j]))
                inspector_cells(&blocks, options, &blocks.blocks.at[i], j, index++, &grid);
    bool written = grid_write(&grid, options->format == WRITE_CSV ? GRID_EXACT_CSV : GRID_EXACT_TSV,
                              NULL, stream);
    grid_fini(&grid);
    blocks_fini(&blocks);
    return written;
}
