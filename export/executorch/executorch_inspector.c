/* executorch_inspector.c - the data frame of ExecuTorch's Inspector, see executorch.h. */
#include "executorch.h"

#include "grid.h"
#include "python_text.h"
#include "reports.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A cell "[1, 2, 3]" of numbers that `print` writes one after the other. */
struct list_cell {
    const struct blocks *blocks;
    const struct event_block *block;
    void (*print)(FILE *to, const struct list_cell *list, uint32_t run);
    uint32_t number; /* of the event: a row or an item of each run */
    double factor;
};

static void put_list(struct grid *grid, const struct list_cell *list)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (to)
        fputc('[', to);
    for (uint32_t i = 0; i < list->block->run_count && to; i++) {
        fputs(i ? ", " : "", to);
        list->print(to, list, i);
    }
    if (to)
        fputc(']', to);
    if (to && fclose(to) == 0)
        grid_whole_text(grid, (struct text){text, size});
    else
        grid->failed = true;
    free(text);
}

static void print_sample(FILE *to, const struct list_cell *list, uint32_t run)
{
    char text[PYTHON_TEXT_BYTES];
    python_float(list->blocks->durations[list->number + run] * list->factor, text);
    fputs(text, to);
}

static void print_ticks(FILE *to, const struct list_cell *list, uint32_t run)
{
    const struct blocks *blocks = list->blocks;
    const struct block_run *of = &blocks->runs.at[blocks->iterations[list->block->first_run + run]];
    fprintf(to, "%llu",
            (unsigned long long)blocks->items.at[of->first_item + list->number].start_ticks);
}

static void number_cell(struct grid *grid, double value)
{
    char text[PYTHON_TEXT_BYTES];
    python_float(value, text);
    grid_string(grid, isnan(value) ? "" : text);
}

static void summary_cells(struct grid *grid, const struct percentile_summary *summary,
                          double factor)
{
    const double numbers[] = {summary->p10,  summary->p50, summary->p90,
                              summary->mean, summary->min, summary->max};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        number_cell(grid, numbers[i] * factor);
}

/* The Inspector leaves durations of delegates in ticks. */
static double factor_of(const struct blocks *blocks, const struct event_block *block,
                        bool delegated)
{
    return delegated ? block_run_divisor(&blocks->options,
                                         &blocks->runs.at[blocks->iterations[block->first_run]])
                     : 1;
}

static void event_cells(const struct blocks *blocks, const struct write_blocks_options *options,
                        const struct event_block *block, uint32_t number, uint32_t index,
                        struct grid *grid)
{
    const struct block_row *row = &blocks->rows.at[block->first_row + number];
    const struct block_item *item = &blocks->items.at[row->item];
    const struct debug_entry *entry = block_event_entry(blocks->timeline, options->maps, item);
    char text[BLOCK_NAME_BYTES];
    struct text delegate = block_delegate(blocks->timeline, item, text);
    double factor = factor_of(blocks, block, delegate.bytes != NULL);
    grid_format(grid, "%u", index);
    grid_text(grid, block_title(blocks, block));
    grid_text(grid, block_event_name(blocks, item, text));
    if (item->debug == TL_NONE)
        put_list(grid, &(struct list_cell){blocks, block, print_sample, row->first_sample, factor});
    else
        grid_string(grid, "");
    summary_cells(grid, &row->summary, factor);
    grid_string(grid, "[]");
    grid_text(grid, delegate.bytes ? delegate : (struct text){"", 0});
    grid_string(grid, "{}"), grid_string(grid, "{}");
    grid_string(grid, delegate.bytes ? "True" : "False");
    grid_text(grid, entry && entry->backend.bytes ? entry->backend : (struct text){"", 0});
    grid_string(grid, "[]");
    put_list(grid, &(struct list_cell){blocks, block, print_ticks, number, 1});
}

static void heading_cells(struct grid *grid, enum time_scale unit, bool units)
{
    static const char *const before[] = {"", "event_block_name", "event_name"};
    static const char *const times[] = {"raw", "p10", "p50", "p90", "avg", "min", "max"};
    static const char *const after[] = {
        "op_types",        "delegate_debug_identifier", "stack_traces", "module_hierarchy",
        "is_delegated_op", "delegate_backend_name",     "debug_data",   "start_time"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        grid_string(grid, before[i]);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (units)
            grid_format(grid, "%s (%s)", times[i], time_scale_name(unit));
        else
            grid_string(grid, times[i]);
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        grid_string(grid, after[i]);
}

bool executorch_inspector(const struct timeline *timeline,
                          const struct write_blocks_options *options, bool units, FILE *stream)
{
    struct blocks blocks;
    struct grid grid;
    uint32_t index = 0;
    if (!blocks_init(&blocks, timeline, &options->blocks)) {
        errno = ENOMEM;
        return false;
    }
    grid_init(&grid, 18);
    heading_cells(&grid, options->blocks.target, units);
    for (uint32_t i = 0; i < blocks.blocks.count; i++)
        for (uint32_t j = 0; j < blocks.blocks.at[i].row_count; j++)
            if (block_event_is_shown(&blocks, options,
                                     &blocks.rows.at[blocks.blocks.at[i].first_row + j]))
                event_cells(&blocks, options, &blocks.blocks.at[i], j, index++, &grid);
    bool written = grid_write(&grid, options->format == WRITE_CSV ? GRID_EXACT_CSV : GRID_EXACT_TSV,
                              NULL, stream);
    grid_fini(&grid);
    blocks_fini(&blocks);
    return written;
}
