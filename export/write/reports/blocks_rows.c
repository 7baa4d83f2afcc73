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
        list_number(&list, i == 0, block_start(blocks, run, number));
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
    samples_cell(blocks, block, row, grid);
    summary_cells(grid, &row->summary);
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
