/* averages_table.c - see reports.h. Columns are those that averages_rows.c chooses. */
#define _GNU_SOURCE
#include "reports.h"

#include "averages.h"
#include "device_time.h"
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define COLUMNS_MAX (2u + AVERAGES_CELLS_MAX + GROUP_PARTS)

struct averages_table {
    struct table table;
    const struct write_options *options;
    struct averages_rows rows;
    struct table_column columns[COLUMNS_MAX + 1];
};

/* ---- columns ---- */

static const char *key_of(const struct averages_cell *cell)
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
    bool is_share = cell->form == AVERAGES_CPU_SHARE || cell->form == AVERAGES_CUDA_SHARE;
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

static void find_columns(struct averages_table *of)
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

static void add_cell(struct averages_table *of, const struct averages_cell *cell,
                     const struct key_average *row, bool is_total)
{
    double value = key_column_value(row, cell->column);
    struct table *table = &of->table;
    if (!is_known(row, cell->column, is_total))
        table_unknown(table);
    else if (cell->form == AVERAGES_CPU_SHARE)
        table_share(table, (int64_t)value, of->rows.cpu_ns);
    else if (cell->form == AVERAGES_CUDA_SHARE)
        table_share(table, (int64_t)value, of->rows.cuda_ns);
    else if (cell->form == AVERAGES_COUNT)
        table_count(table, row->count);
    else if (cell->form == AVERAGES_RATE)
        table_number(table, value);
    else if (cell->form == AVERAGES_MEMORY)
        table_signed_bytes(table, (int64_t)value);
    else if (value == floor(value) && fabs(value) < 9e18)
        table_ns(table, (int64_t)value);
    else
        table_duration(table, value);
}

static void add_group(struct averages_table *of, const struct key_average *row, uint32_t flag)
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

static void add_row(struct averages_table *of, const struct key_average *row, bool is_total)
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
    struct averages_table *of = user;
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

bool averages_table(const struct timeline *timeline, const struct write_options *options,
                    enum write_format format, FILE *stream)
{
    struct averages_table of = {.table = table_of(options, format, stream), .options = options};
    struct key_averages averages;
    bool done = false;
    errno = ENOMEM;
    if (!averages_rows_select(&averages, timeline, options, false))
        return false;
    if (averages_rows_init(&of.rows, timeline, &averages, options, stream)) {
        find_columns(&of);
        done = table_write(&of.table, add_table, &of);
        averages_rows_fini(&of.rows);
    }
    key_averages_fini(&averages);
    return done;
}

/* ---- the tree ---- */

struct tree_table {
    struct table table;
    struct averages_tree tree;
};

static void add_path(struct tree_table *of, uint32_t path)
{
    const struct key_average *row = averages_tree_row(&of->tree, path);
    struct table *table = &of->table;
    table_row(table);
    table_text(table, row->name);
    table_count(table, of->tree.averages->paths[path].depth);
    table_share(table, averages_tree_weight(&of->tree, path), averages_tree_whole(&of->tree, path));
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
    struct tree_table *of = user;
    struct averages_tree *tree = &of->tree;
    table_begin(table, "tree", tree->options->header, tree_columns);
    for (uint32_t path = tree->root; path != TL_NONE && !averages_tree_is_full(tree);
         path = averages_tree_next(tree, path), tree->printed++)
        add_path(of, path);
    table_end(table);
    return !table->failed;
}

bool averages_table_tree(const struct timeline *timeline, const struct write_options *options,
                         enum write_format format, FILE *stream)
{
    struct write_options by_path = write_options_of_tree(options);
    struct tree_table of = {.table = table_of(options, format, stream)};
    struct key_averages averages;
    bool done = false;
    errno = ENOMEM;
    if (!averages_rows_select(&averages, timeline, &by_path, false))
        return false;
    if (averages_tree_init(&of.tree, &averages, &by_path, stream))
        done = table_write(&of.table, add_tree, &of);
    averages_tree_fini(&of.tree);
    key_averages_fini(&averages);
    return done;
}

/* ---- JSON: integers of nanoseconds, as everywhere in it ---- */

static int64_t rounded(double ns)
{
    return (int64_t)(ns + 0.5);
}

static void write_spread(struct json_out *out, const struct key_average *row)
{
    json_key(out, "min_ns"), json_int(out, row->spread.min_ns);
    json_key(out, "max_ns"), json_int(out, row->spread.max_ns);
    json_key(out, "mean_ns"), json_int(out, rounded(key_spread_mean(&row->spread)));
    json_key(out, "stddev_ns"), json_int(out, rounded(row->spread.stddev_ns));
    json_key(out, "p10_ns"), json_int(out, rounded(row->spread.percentile_ns[0]));
    json_key(out, "p50_ns"), json_int(out, rounded(row->spread.percentile_ns[1]));
    json_key(out, "p90_ns"), json_int(out, rounded(row->spread.percentile_ns[2]));
    json_key(out, "p99_ns"), json_int(out, rounded(row->spread.percentile_ns[3]));
    json_key(out, "cold_calls"), json_uint(out, row->spread.cold_count);
    json_key(out, "cold_avg_ns"), json_int(out, rounded(key_spread_cold(&row->spread)));
    json_key(out, "warm_avg_ns"), json_int(out, rounded(key_spread_warm(&row->spread)));
}

static void write_path(struct json_out *out, const struct key_averages *averages, uint32_t path)
{
    uint32_t depth = averages->paths[path].depth, *chain = malloc((depth + 1u) * sizeof *chain);
    if (!chain) {
        json_null(out);
        return;
    }
    for (uint32_t i = depth + 1; i-- > 0; path = averages->paths[path].parent)
        chain[i] = path;
    json_array_begin(out);
    for (uint32_t i = 0; i <= depth; i++)
        json_text(out, averages->paths[chain[i]].name);
    json_array_end(out);
    free(chain);
}

static void write_part(struct json_out *out, const struct group_texts *texts,
                       const struct key_average *row, uint32_t flag)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    if (stream)
        group_text_write(texts, row, flag, stream);
    if (stream && fclose(stream) == 0 && size)
        json_text(out, (struct text){bytes, size});
    else
        json_null(out);
    free(bytes);
}

static void write_group(struct json_out *out, const struct group_texts *texts,
                        const struct key_average *row)
{
    uint32_t by = texts->averages->group_by;
    if (by & KEY_BY_PROCESS)
        json_key(out, "pid"), write_part(out, texts, row, KEY_BY_PROCESS);
    if (by & KEY_BY_RANK)
        json_key(out, "rank"), write_part(out, texts, row, KEY_BY_RANK);
    if (by & KEY_BY_THREAD)
        json_key(out, "thread"), write_part(out, texts, row, KEY_BY_THREAD);
    if (by & KEY_BY_DEVICE)
        json_key(out, "device"), write_part(out, texts, row, KEY_BY_DEVICE);
    if (by & KEY_BY_STREAM)
        json_key(out, "stream"), write_part(out, texts, row, KEY_BY_STREAM);
    if (by & KEY_BY_SHAPE)
        json_key(out, "shape"), write_part(out, texts, row, KEY_BY_SHAPE);
    if (by & KEY_BY_STACK)
        json_key(out, "stack"), write_part(out, texts, row, KEY_BY_STACK);
    if (by & KEY_BY_PATH && row->group.path != TL_NONE)
        json_key(out, "path"), write_path(out, texts->averages, row->group.path);
}

static void write_times(struct json_out *out, const struct key_average *row)
{
    json_key(out, "count"), json_uint(out, row->count);
    if (row->outer_count != row->count)
        json_key(out, "outer_count"), json_uint(out, row->outer_count);
    json_key(out, "cpu_total_ns"), json_int(out, row->cpu_total_ns);
    json_key(out, "self_cpu_total_ns"), json_int(out, row->self_cpu_total_ns);
    json_key(out, "cuda_total_ns"), json_int(out, row->cuda_total_ns);
    json_key(out, "self_cuda_total_ns"), json_int(out, row->self_cuda_total_ns);
}

static void write_row(struct json_out *out, const struct group_texts *texts,
                      const struct key_average *row)
{
    json_newline(out);
    json_object_begin(out);
    json_key(out, "name"), json_text(out, row->name);
    json_key(out, "kind"), json_string(out, key_kind_name(row->kind));
    write_times(out, row);
    if (row->spread.count)
        write_spread(out, row);
    if (row->kind == KEY_RANGE && row->projected_count) {
        json_key(out, "projected_calls"), json_uint(out, row->projected_count);
        json_key(out, "projected_ns"), json_int(out, row->projected_ns);
    }
    if (row->kind == KEY_MEMCPY || row->kind == KEY_MEMSET)
        json_key(out, "bytes"), json_uint(out, row->bytes);
    write_group(out, texts, row);
    json_object_end(out);
}

void averages_json_total(struct json_out *out, const struct key_average *total)
{
    json_object_begin(out);
    json_key(out, "name"), json_text(out, total->name);
    write_times(out, total);
    json_key(out, "projected_calls"), json_uint(out, total->projected_count);
    json_key(out, "projected_ns"), json_int(out, total->projected_ns);
    json_key(out, "bytes"), json_uint(out, total->bytes);
    json_object_end(out);
}

void averages_json_rows(struct json_out *out, const struct group_texts *texts, bool only_kernels,
                        int64_t rows)
{
    const struct key_averages *averages = texts->averages;
    json_array_begin(out);
    for (uint32_t i = 0; i < averages->count && rows != 0; i++)
        if (!only_kernels || averages->rows[i].kind == KEY_KERNEL) {
            write_row(out, texts, &averages->rows[i]);
            rows--;
        }
    json_array_end(out);
}

static void write_device(struct json_out *out, const struct timeline *timeline,
                         const struct device_time *time)
{
    json_newline(out);
    json_object_begin(out);
    json_key(out, "pid"), json_uint(out, timeline->processes.at[time->process].info.pid);
    json_key(out, "device"), json_uint(out, time->device);
    json_key(out, "operations"), json_uint(out, time->operations);
    json_key(out, "sum_ns"), json_int(out, time->sum_ns);
    json_key(out, "busy_ns"), json_int(out, time->busy_ns);
    json_key(out, "overlap_ns"), json_int(out, time->overlap_ns);
    json_key(out, "idle_ns"), json_int(out, time->idle_ns);
    json_key(out, "window_ns"), json_int(out, time->window_ns);
    json_object_end(out);
}

bool averages_json_devices(struct json_out *out, const struct timeline *timeline)
{
    struct device_times times;
    if (!device_times_init(&times, timeline))
        return false;
    json_newline(out), json_key(out, "device_time"), json_array_begin(out);
    for (uint32_t i = 0; i < times.count; i++)
        write_device(out, timeline, &times.at[i]);
    json_array_end(out);
    device_times_fini(&times);
    return true;
}
