/* averages.c - see report_parts.h. */
#define _GNU_SOURCE
#include "device_api.h"
#include "report_parts.h"

#include "kernel_work.h"
#include "memory_use.h"
#include "process_name.h"
#include "text.h"
#include "units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- what rows are grouped by ---- */

#define PATH_SHOWN 64u /* ranges of a path: the innermost ones */

const struct group_part group_parts[GROUP_PARTS] = {
    {KEY_BY_PROCESS, "pid", "Process", 24, false},
    {KEY_BY_RANK, "rank", "Rank", 12, false},
    {KEY_BY_THREAD, "thread", "Thread", 30, false},
    {KEY_BY_DEVICE, "device", "Device", 20, false},
    {KEY_BY_STREAM, "stream", "Stream", 20, false},
    {KEY_BY_OVERLOAD, "overload", "Overload Name", 55, false},
    {KEY_BY_SHAPE, "shape", "Input Shapes", 80, false},
    {KEY_BY_PATH, "path", "Path", 120, true},
    {KEY_BY_STACK, "stack", "Source Location", 75, true},
};

static void write_text(struct text text, FILE *stream)
{
    fwrite(text.bytes, 1, text.size, stream);
}

/* Of several processes, whose. */
static void write_whose(const struct group_texts *texts, uint32_t process, FILE *stream)
{
    const struct timeline *timeline = texts->timeline;
    if (timeline->processes.count > 1 && texts->for_people)
        fprintf(stream, "%s: ", process_short_name(timeline, process).text);
    else if (timeline->processes.count > 1)
        fprintf(stream, "%" PRIu64 ":", timeline->processes.at[process].info.pid);
}

static void write_process(const struct group_texts *texts, uint32_t process, FILE *stream)
{
    if (texts->for_people)
        fputs(process_full_name(texts->timeline, process).text, stream);
    else
        fprintf(stream, "%" PRIu64, texts->timeline->processes.at[process].info.pid);
}

static void write_thread(const struct group_texts *texts, uint32_t index, FILE *stream)
{
    const struct tl_thread *thread = &texts->timeline->threads.at[index];
    write_whose(texts, thread->process, stream);
    fprintf(stream, "%" PRIu64, thread->tid);
    if (thread->name < texts->timeline->names.count) {
        fputc(' ', stream);
        write_text(texts->timeline->names.at[thread->name], stream);
    }
}

static void write_stream(const struct group_texts *texts, uint32_t index, FILE *stream)
{
    const struct tl_stream *of = &texts->timeline->streams.at[index];
    write_whose(texts, of->process, stream);
    if (of->device != TL_NONE)
        fprintf(stream, "%u/", of->device);
    fprintf(stream, "%u", of->stream);
}

static void write_path(const struct group_texts *texts, uint32_t path, FILE *stream)
{
    uint32_t chain[PATH_SHOWN], count = 0;
    const struct key_path *paths = texts->averages->paths;
    for (; path != TL_NONE && count < PATH_SHOWN; path = paths[path].parent)
        chain[count++] = path;
    fputs(path == TL_NONE ? "" : "... > ", stream);
    while (count--) {
        write_text(paths[chain[count]].name, stream);
        fputs(count ? " > " : "", stream);
    }
}

static void write_stack(const struct group_texts *texts, uint32_t stack, FILE *stream)
{
    if (texts->stacks->texts)
        fputs(texts->stacks->texts[stack], stream);
    else
        fprintf(stream, "stack %u", stack);
}

static void write_group(const struct group_texts *texts, const struct key_average *row,
                        uint32_t flag, FILE *stream)
{
    const struct key_group *group = &row->group;
    const struct timeline *timeline = texts->timeline;
    if (flag == KEY_BY_PROCESS && group->process != TL_NONE)
        write_process(texts, group->process, stream);
    if (flag == KEY_BY_RANK && group->rank != TL_NONE)
        fprintf(stream, "%u", group->rank);
    if (flag == KEY_BY_THREAD && group->thread != TL_NONE)
        write_thread(texts, group->thread, stream);
    if (flag == KEY_BY_DEVICE && group->device != TL_NONE) {
        write_whose(texts, timeline->devices.at[group->device].process, stream);
        fprintf(stream, "%u", timeline->devices.at[group->device].info.device);
    }
    if (flag == KEY_BY_STREAM && group->stream != TL_NONE)
        write_stream(texts, group->stream, stream);
    if (flag == KEY_BY_OVERLOAD && group->overload != TL_NONE)
        write_text(timeline->names.at[group->overload], stream);
    if (flag == KEY_BY_SHAPE && group->shape != TL_NONE)
        write_text(timeline->names.at[group->shape], stream);
    if (flag == KEY_BY_PATH && group->path != TL_NONE)
        write_path(texts, group->path, stream);
    if (flag == KEY_BY_STACK && group->stack != TL_NONE)
        write_stack(texts, group->stack, stream);
}

struct text group_text(const struct group_texts *texts, const struct key_average *row,
                       uint32_t flag)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    if (stream)
        write_group(texts, row, flag, stream);
    if (stream && fclose(stream) == 0)
        return (struct text){bytes, size};
    free(bytes);
    return (struct text){NULL, 0};
}

/* ---- columns ---- */

static void add_column(struct averages_rows *rows, enum key_column column)
{
    for (unsigned i = 0; i < rows->column_count; i++)
        if (rows->columns[i] == column)
            return;
    rows->columns[rows->column_count++] = column;
}

#define COLUMNS(...)                                                                          \
    do {                                                                                      \
        for (const uint8_t *column = (const uint8_t[]){__VA_ARGS__, KEY_BY_DEFAULT}; *column; \
             column++)                                                                        \
            add_column(rows, *column);                                                        \
    } while (0)

static void add_usual(struct averages_rows *rows)
{
    COLUMNS(KEY_BY_SELF_CPU_SHARE, KEY_BY_SELF_CPU, KEY_BY_CPU_TOTAL_SHARE, KEY_BY_CPU_TOTAL,
            KEY_BY_CPU_AVG);
    if (rows->texts.averages->has_device)
        COLUMNS(KEY_BY_SELF_CUDA, KEY_BY_SELF_CUDA_SHARE, KEY_BY_CUDA_TOTAL, KEY_BY_CUDA_AVG);
    if (rows->options->memory)
        COLUMNS(KEY_BY_CPU_MEMORY, KEY_BY_SELF_CPU_MEMORY, KEY_BY_CUDA_MEMORY,
                KEY_BY_SELF_CUDA_MEMORY);
}

static void add_spread(struct averages_rows *rows)
{
    COLUMNS(KEY_BY_MIN, KEY_BY_P50, KEY_BY_MAX, KEY_BY_STDDEV);
}

static void add_device_work(struct averages_rows *rows)
{
    COLUMNS(KEY_BY_CUDA_TOTAL_SHARE, KEY_BY_CUDA_TOTAL, KEY_BY_CUDA_AVG);
    add_spread(rows);
    if (rows->options->table != WRITE_TABLE_KERNELS)
        COLUMNS(KEY_BY_BYTES, KEY_BY_RATE);
}

static void add_api(struct averages_rows *rows)
{
    COLUMNS(KEY_BY_SELF_CPU_SHARE, KEY_BY_SELF_CPU, KEY_BY_CPU_TOTAL, KEY_BY_CPU_AVG);
    add_spread(rows);
}

static void add_all_columns(struct averages_rows *rows)
{
    switch (rows->options->table) {
    case WRITE_TABLE_ALL:
    case WRITE_TABLE_WITH_PYTHON:
    case WRITE_TABLE_RANGES:
        add_usual(rows);
        break;
    case WRITE_TABLE_KERNELS:
    case WRITE_TABLE_MEMCPY:
    case WRITE_TABLE_MEMSET:
        add_device_work(rows);
        break;
    case WRITE_TABLE_API:
        add_api(rows);
        break;
    case WRITE_TABLE_PYTHON:
        add_api(rows);
        if (rows->texts.averages->has_device)
            COLUMNS(KEY_BY_SELF_CUDA, KEY_BY_CUDA_TOTAL);
        break;
    case WRITE_TABLE_PROJECTED:
        COLUMNS(KEY_BY_PROJECTED, KEY_BY_PROJECTED_AVG, KEY_BY_CUDA_TOTAL, KEY_BY_CPU_TOTAL);
        break;
    }
    for (enum key_column column = 0; column < KEY_COLUMNS; column++)
        if (rows->options->columns >> column & 1 && key_column_is_extra(column))
            add_column(rows, column);
    add_column(rows, KEY_BY_COUNT);
}

static bool has_all(enum write_table table)
{
    return table == WRITE_TABLE_ALL || table == WRITE_TABLE_WITH_PYTHON;
}

/* A table of one kind has shares of what it shows. */
static void find_wholes(struct averages_rows *rows)
{
    const struct key_averages *averages = rows->texts.averages;
    rows->cpu_ns = averages->self_cpu_total_ns;
    rows->cuda_ns = averages->self_cuda_total_ns;
    if (has_all(rows->options->table) || rows->options->table == WRITE_TABLE_RANGES)
        return;
    rows->cpu_ns = rows->cuda_ns = 0;
    for (uint32_t i = 0; i < averages->count; i++) {
        rows->cpu_ns += averages->rows[i].self_cpu_total_ns;
        rows->cuda_ns += averages->rows[i].self_cuda_total_ns;
    }
}

void averages_rows_init(struct averages_rows *rows, const struct timeline *timeline,
                        const struct key_averages *averages, const struct write_options *options)
{
    *rows = (struct averages_rows){.texts = {timeline, averages, &options->stacks, false},
                                   .options = options};
    add_all_columns(rows);
    find_wholes(rows);
}

/* ---- for a terminal ---- */

/* What rows are sorted by; never KEY_BY_DEFAULT. */
static enum key_column sort_column(const struct write_options *options, bool has_device)
{
    if (options->sort != KEY_BY_DEFAULT)
        return options->sort;
    if (has_all(options->table) || options->table == WRITE_TABLE_RANGES)
        return has_device ? KEY_BY_CUDA_TOTAL : KEY_BY_CPU_TOTAL;
    if (options->table == WRITE_TABLE_API || options->table == WRITE_TABLE_PYTHON)
        return KEY_BY_SELF_CPU;
    return options->table == WRITE_TABLE_PROJECTED ? KEY_BY_PROJECTED : KEY_BY_CUDA_TOTAL;
}

/* Columns that the user added are left out last, the sort column never. */
unsigned averages_column_rank(const struct averages_rows *rows, unsigned index)
{
    enum key_column column = rows->columns[index];
    unsigned rank = key_columns[column].rank;
    if (column == sort_column(rows->options, rows->texts.averages->has_device))
        return 0;
    bool added = column < KEY_COLUMNS && rows->options->columns >> column & 1;
    return rank && !added ? 2 * KEY_COLUMNS_AND_SHARES - rank : 1 + index;
}

/* ---- from options to rows ---- */

/* Whether the current table has rows of this kind. */
static bool has_kind(enum write_table table, enum key_kind kind)
{
    switch (table) {
    case WRITE_TABLE_KERNELS:
        return kind == KEY_KERNEL;
    case WRITE_TABLE_MEMCPY:
        return kind == KEY_MEMCPY;
    case WRITE_TABLE_MEMSET:
        return kind == KEY_MEMSET;
    case WRITE_TABLE_API:
        return kind == KEY_API;
    case WRITE_TABLE_PYTHON:
        return kind == KEY_PYTHON;
    case WRITE_TABLE_PROJECTED:
    case WRITE_TABLE_RANGES:
        return kind == KEY_RANGE;
    case WRITE_TABLE_ALL:
    case WRITE_TABLE_WITH_PYTHON:
        break;
    }
    return true;
}

static bool contains(struct text text, const char *part)
{
    const size_t size = strlen(part);
    for (size_t at = 0; at + size <= text.size; at++)
        if (strncasecmp(text.bytes + at, part, size) == 0)
            return true;
    return false;
}

static bool is_shown(const struct write_options *options, const struct key_average *row)
{
    if (options->table == WRITE_TABLE_PROJECTED && row->projected_count == 0)
        return false;
    if (options->filter && !contains(row->name, options->filter))
        return false;
    return has_kind(options->table, row->kind);
}

static void keep_shown(struct key_averages *averages, const struct write_options *options)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < averages->count; i++)
        if (is_shown(options, &averages->rows[i]))
            averages->rows[kept++] = averages->rows[i];
    averages->count = kept;
}

/* Tables of one kind show how durations are spread. */
static bool wants_spread(const struct write_options *options)
{
    bool wanted = !has_all(options->table) && options->table != WRITE_TABLE_PROJECTED;
    for (unsigned column = 0; column < KEY_COLUMNS; column++)
        if (options->columns >> column & 1 || column == options->sort)
            wanted |= key_columns[column].group == KEY_GROUP_SPREAD;
    return wanted;
}

static bool wants_memory(const struct write_options *options)
{
    return options->memory || key_columns[options->sort].group == KEY_GROUP_MEMORY;
}

static bool wants_flops(const struct write_options *options)
{
    return options->sort == KEY_BY_FLOPS || options->columns >> KEY_BY_FLOPS & 1;
}

bool averages_rows_select(struct key_averages *averages, const struct timeline *timeline,
                          const struct write_options *options, bool spread)
{
    struct key_options wanted;
    struct memory_slices memory = {0};
    double *flops = wants_flops(options) ? range_flops_create_counted(timeline) : NULL;
    key_options_default(&wanted);
    wanted.group_by = options->group_by;
    wanted.stack_groups = options->stacks.groups;
    wanted.top_level = options->top_level;
    wanted.python = write_table_has_python(options->table);
    wanted.spread = spread || wants_spread(options);
    wanted.memory = wants_memory(options) ? &memory : NULL;
    wanted.flops = flops;
    bool added = (flops || !wants_flops(options)) &&
                 (!wanted.memory || memory_slices_init(&memory, timeline)) &&
                 key_averages_init_by(averages, timeline, &wanted);
    memory_slices_fini(&memory);
    free(flops);
    if (!added)
        return false;
    keep_shown(averages, options);
    key_sort(averages, sort_column(options, averages->has_device));
    return true;
}

/* ---- the ranges as a tree ----
 *
 * Children of a path are a list. The walk is a loop with the list as its stack, so that depth costs
 * no stack of the machine's. */

const struct key_average *averages_tree_row(const struct averages_tree *tree, uint32_t path)
{
    return &tree->averages->rows[tree->row_of[path]];
}

int64_t averages_tree_weight(const struct averages_tree *tree, uint32_t path)
{
    const struct key_average *row = averages_tree_row(tree, path);
    return tree->averages->has_device ? row->cuda_total_ns : row->cpu_total_ns;
}

/* Rows are sorted; put in front from the last to the first, children are, too. */
static void link_rows(struct averages_tree *tree)
{
    const struct key_averages *averages = tree->averages;
    for (uint32_t i = averages->count; i-- > 0;) {
        uint32_t path = averages->rows[i].group.path;
        if (path == TL_NONE || averages->rows[i].kind != KEY_RANGE)
            continue;
        uint32_t *list =
            tree->outer[path] == TL_NONE ? &tree->root : &tree->child[tree->outer[path]];
        tree->row_of[path] = i;
        tree->sibling[path] = *list;
        *list = path;
    }
    for (uint32_t path = tree->root; path != TL_NONE; path = tree->sibling[path])
        tree->root_ns += averages_tree_weight(tree, path);
}

/* A range inside of a CUDA call hangs below that call's path, which has no line: it goes up to the
 * next range. Parents have lower numbers. */
static void find_outer(struct averages_tree *tree)
{
    const struct key_path *paths = tree->averages->paths;
    for (uint32_t i = 0; i < tree->averages->path_count; i++) {
        uint32_t parent = paths[i].parent;
        bool skipped = parent != TL_NONE && paths[parent].kind != KEY_RANGE;
        tree->outer[i] = skipped ? tree->outer[parent] : parent;
    }
}

bool averages_tree_init(struct averages_tree *tree, const struct key_averages *averages,
                        const struct write_options *options)
{
    *tree = (struct averages_tree){.averages = averages, .options = options};
    size_t bytes = ((size_t)tree->averages->path_count + 1) * sizeof *tree->row_of;
    tree->row_of = malloc(bytes);
    tree->outer = malloc(bytes);
    tree->child = malloc(bytes);
    tree->sibling = malloc(bytes);
    if (!tree->row_of || !tree->outer || !tree->child || !tree->sibling)
        return false;
    memset(tree->row_of, 0xff, bytes);
    memset(tree->child, 0xff, bytes);
    memset(tree->sibling, 0xff, bytes);
    tree->root = TL_NONE;
    find_outer(tree);
    link_rows(tree);
    return true;
}

void averages_tree_fini(struct averages_tree *tree)
{
    free(tree->row_of);
    free(tree->outer);
    free(tree->child);
    free(tree->sibling);
}

uint32_t averages_tree_next(const struct averages_tree *tree, uint32_t path)
{
    bool deeper = tree->averages->paths[path].depth + UINT64_C(1) < tree->options->depth;
    if (deeper && tree->child[path] != TL_NONE)
        return tree->child[path];
    while (path != TL_NONE && tree->sibling[path] == TL_NONE)
        path = tree->outer[path];
    return path == TL_NONE ? TL_NONE : tree->sibling[path];
}

bool averages_tree_is_full(const struct averages_tree *tree)
{
    return tree->options->rows >= 0 && tree->printed >= tree->options->rows;
}

int64_t averages_tree_whole(const struct averages_tree *tree, uint32_t path)
{
    uint32_t outer = tree->outer[path];
    return outer != TL_NONE ? averages_tree_weight(tree, outer) : tree->root_ns;
}
