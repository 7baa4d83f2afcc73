/* averages_sheet.c - columns are those that table_rows.c chooses. */
#define _GNU_SOURCE
#include "averages_sheet.h"

#include "table.h"
#include "table_data.h"
#include "table_rows.h"
#include "table_tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define COLUMNS_MAX (2u + TABLE_CELLS_MAX + GROUP_PARTS)

struct averages_sheet {
    struct table table;
    const struct write_options *options;
    struct table_rows rows;
    struct table_column columns[COLUMNS_MAX + 1];
};

/* ---- columns ---- */

static const char *key_of(const struct table_cell *cell)
{
    static const char *const keys[] = {
        [KEY_BY_SELF_CPU] = "self_cpu_total_ns",
        [KEY_BY_CPU_TOTAL] = "cpu_total_ns",
        [KEY_BY_CPU_AVG] = "cpu_avg_ns",
        [KEY_BY_SELF_CUDA] = "self_cuda_total_ns",
        [KEY_BY_CUDA_TOTAL] = "cuda_total_ns",
        [KEY_BY_CUDA_AVG] = "cuda_avg_ns",
        [KEY_BY_COUNT] = "count",
        [KEY_BY_MIN] = "min_ns",
        [KEY_BY_MAX] = "max_ns",
        [KEY_BY_MEAN] = "mean_ns",
        [KEY_BY_STDDEV] = "stddev_ns",
        [KEY_BY_P10] = "p10_ns",
        [KEY_BY_P50] = "p50_ns",
        [KEY_BY_P90] = "p90_ns",
        [KEY_BY_P99] = "p99_ns",
        [KEY_BY_COLD] = "cold_avg_ns",
        [KEY_BY_WARM] = "warm_avg_ns",
        [KEY_BY_PROJECTED] = "projected_ns",
        [KEY_BY_PROJECTED_AVG] = "projected_avg_ns",
        [KEY_BY_BYTES] = "bytes",
        [KEY_BY_RATE] = "gb_per_s",
        [KEY_BY_CPU_MEMORY] = "cpu_memory_bytes",
        [KEY_BY_SELF_CPU_MEMORY] = "self_cpu_memory_bytes",
        [KEY_BY_CUDA_MEMORY] = "cuda_memory_bytes",
        [KEY_BY_SELF_CUDA_MEMORY] = "self_cuda_memory_bytes",
    };
    bool is_share = cell->form == TABLE_CPU_SHARE || cell->form == TABLE_CUDA_SHARE;
    if (!is_share)
        return keys[cell->column];
    return cell->column == KEY_BY_SELF_CPU    ? "self_cpu_percent"
           : cell->column == KEY_BY_CPU_TOTAL ? "cpu_total_percent"
           : cell->column == KEY_BY_SELF_CUDA ? "self_cuda_percent"
                                              : "cuda_total_percent";
}

static const char *group_key(uint32_t flag)
{
    static const struct {
        uint32_t flag;
        const char *key;
    } keys[] = {{KEY_BY_PROCESS, "pid"},   {KEY_BY_RANK, "rank"},     {KEY_BY_THREAD, "thread"},
                {KEY_BY_DEVICE, "device"}, {KEY_BY_STREAM, "stream"}, {KEY_BY_SHAPE, "shape"},
                {KEY_BY_PATH, "path"},     {KEY_BY_STACK, "stack"}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].flag == flag)
            return keys[i].key;
    return "group";
}

static void find_columns(struct averages_sheet *of)
{
    struct table_column *column = of->columns;
    *column++ = (struct table_column){"name", "Name"};
    *column++ = (struct table_column){"kind", "Kind"};
    for (unsigned i = 0; i < of->rows.cell_count; i++)
        *column++ = (struct table_column){key_of(&of->rows.cells[i]), of->rows.cells[i].title};
    for (unsigned part = 0; part < GROUP_PARTS; part++)
        if (of->rows.group_width[part])
            *column++ =
                (struct table_column){group_key(group_parts[part].flag), group_parts[part].title};
    *column = (struct table_column){0};
}

/* ---- cells ---- */

/* What a row does not have is not zero. */
static bool is_known(const struct key_average *row, enum key_column column, bool is_total)
{
    uint64_t cold = row->spread.cold_count;
    if (column == KEY_BY_CPU_AVG || column == KEY_BY_CUDA_AVG)
        return row->count > 0;
    if (column == KEY_BY_COLD || column == KEY_BY_WARM)
        return column == KEY_BY_COLD ? cold > 0 : row->spread.count > cold;
    if (column >= KEY_BY_MIN && column <= KEY_BY_P99)
        return row->spread.count > 0;
    if (column == KEY_BY_PROJECTED || column == KEY_BY_PROJECTED_AVG)
        return row->projected_count > 0;
    if (column == KEY_BY_RATE && row->cuda_total_ns <= 0)
        return false;
    if (column == KEY_BY_BYTES || column == KEY_BY_RATE)
        return is_total || row->kind == KEY_MEMCPY || row->kind == KEY_MEMSET;
    return true;
}

static void add_cell(struct averages_sheet *of, const struct table_cell *cell,
                     const struct key_average *row, bool is_total)
{
    double value = key_column_value(row, cell->column);
    struct table *table = &of->table;
    if (!is_known(row, cell->column, is_total))
        table_unknown(table);
    else if (cell->form == TABLE_CPU_SHARE)
        table_share(table, (int64_t)value, of->rows.cpu_ns);
    else if (cell->form == TABLE_CUDA_SHARE)
        table_share(table, (int64_t)value, of->rows.cuda_ns);
    else if (cell->form == TABLE_COUNT)
        table_count(table, row->count);
    else if (cell->form == TABLE_RATE)
        table_number(table, value);
    else if (cell->form == TABLE_MEMORY)
        table_signed_bytes(table, (int64_t)value);
    else if (value == floor(value) && fabs(value) < 9e18)
        table_ns(table, (int64_t)value);
    else
        table_duration(table, value);
}

static void add_group(struct averages_sheet *of, const struct key_average *row, uint32_t flag)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    if (stream)
        group_text_write(&of->rows.texts, row, flag, stream);
    if (!stream || fclose(stream) != 0)
        of->table.failed = true;
    else if (size)
        table_text(&of->table, (struct text){bytes, size});
    else
        table_none(&of->table);
    free(bytes);
}

static void add_row(struct averages_sheet *of, const struct key_average *row, bool is_total)
{
    table_row(&of->table);
    table_text(&of->table, row->name);
    table_string(&of->table, is_total ? "total" : key_kind_name(row->kind));
    for (unsigned i = 0; i < of->rows.cell_count; i++)
        add_cell(of, &of->rows.cells[i], row, is_total);
    for (unsigned part = 0; part < GROUP_PARTS; part++)
        if (of->rows.group_width[part])
            add_group(of, row, group_parts[part].flag);
}

static bool add_table(struct table *table, void *user)
{
    struct averages_sheet *of = user;
    const struct key_averages *averages = of->rows.texts.averages;
    int64_t most = of->options->rows;
    table_begin(table, "averages", of->options->header, of->columns);
    for (uint32_t i = 0; i < averages->count && (most < 0 || i < most); i++)
        add_row(of, &averages->rows[i], false);
    struct key_average total = key_averages_total(averages);
    if (of->options->total)
        add_row(of, &total, true);
    table_end(table);
    return !table->failed;
}

static struct table table_of(const struct write_options *options, enum write_format format,
                             FILE *stream)
{
    return (struct table){.format = format,
                          .stream = stream,
                          .most = -1,
                          .width = options->name_width,
                          .unit = options->unit};
}

bool averages_sheet(const struct timeline *timeline, const struct write_options *options,
                    enum write_format format, FILE *stream)
{
    struct averages_sheet of = {.table = table_of(options, format, stream), .options = options};
    struct key_averages averages;
    bool done = false;
    errno = ENOMEM;
    if (!table_data_init(&averages, timeline, options, false))
        return false;
    if (table_rows_init(&of.rows, timeline, &averages, options, stream)) {
        find_columns(&of);
        done = table_write(&of.table, add_table, &of);
        table_rows_fini(&of.rows);
    }
    key_averages_fini(&averages);
    return done;
}

/* ---- the tree ---- */

struct tree_sheet {
    struct table table;
    struct table_tree tree;
};

static void add_path(struct tree_sheet *of, uint32_t path)
{
    const struct key_average *row = table_tree_row(&of->tree, path);
    struct table *table = &of->table;
    table_row(table);
    table_text(table, row->name);
    table_count(table, of->tree.averages->paths[path].depth);
    table_share(table, table_tree_weight(&of->tree, path), table_tree_whole(&of->tree, path));
    table_ns(table, row->cpu_total_ns), table_ns(table, row->self_cpu_total_ns);
    if (of->tree.averages->has_device) {
        table_ns(table, row->cuda_total_ns);
        table_ns(table, row->self_cuda_total_ns);
    } else {
        table_unknown(table), table_unknown(table);
    }
    table_count(table, row->count);
}

static const struct table_column tree_columns[] = {{"name", "Name"},
                                                   {"depth", "Depth"},
                                                   {"parent_percent", "% of parent"},
                                                   {"cpu_total_ns", "CPU total"},
                                                   {"self_cpu_total_ns", "Self CPU"},
                                                   {"cuda_total_ns", "CUDA total"},
                                                   {"self_cuda_total_ns", "Self CUDA"},
                                                   {"count", "# of Calls"},
                                                   {0}};

static bool add_tree(struct table *table, void *user)
{
    struct tree_sheet *of = user;
    struct table_tree *tree = &of->tree;
    table_begin(table, "tree", tree->options->header, tree_columns);
    for (uint32_t path = tree->root; path != TL_NONE && !table_tree_is_full(tree);
         path = table_tree_next(tree, path), tree->printed++)
        add_path(of, path);
    table_end(table);
    return !table->failed;
}

bool averages_sheet_tree(const struct timeline *timeline, const struct write_options *options,
                         enum write_format format, FILE *stream)
{
    struct write_options by_path = write_options_of_tree(options);
    struct tree_sheet of = {.table = table_of(options, format, stream)};
    struct key_averages averages;
    bool done = false;
    errno = ENOMEM;
    if (!table_data_init(&averages, timeline, &by_path, false))
        return false;
    if (table_tree_init(&of.tree, &averages, &by_path, stream))
        done = table_write(&of.table, add_tree, &of);
    table_tree_fini(&of.tree);
    key_averages_fini(&averages);
    return done;
}
