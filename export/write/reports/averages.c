/* averages.c - see averages.h. Twelve columns' width, two spaces between, everything right-aligned, names cut at
 * 55: what people who come from torch.profiler, and the scripts they wrote for it, expect.
 */
#define _GNU_SOURCE
#include "averages.h"

#include "memory_use.h"
#include "text.h"
#include "units.h"

#include <stdlib.h>
#include <string.h>

/* ---- what rows are grouped by ---- */

#define PATH_SHOWN 64u /* ranges of a path: the innermost ones */

const struct group_part group_parts[GROUP_PARTS] = {
    {KEY_BY_PROCESS, "Process", 12, false}, {KEY_BY_RANK, "Rank", 12, false},
    {KEY_BY_THREAD, "Thread", 30, false},   {KEY_BY_DEVICE, "Device", 20, false},
    {KEY_BY_STREAM, "Stream", 20, false},   {KEY_BY_SHAPE, "Input Shapes", 80, false},
    {KEY_BY_PATH, "Path", 120, true},       {KEY_BY_STACK, "Source Location", 75, true},
};

static void write_text(struct text text, FILE *stream)
{
    fwrite(text.bytes, 1, text.size, stream);
}

/* Of several processes, whose. */
static void write_pid(const struct group_texts *texts, uint32_t process, FILE *stream)
{
    if (texts->timeline->processes.count > 1)
        fprintf(stream, "%u:", texts->timeline->processes.at[process].info.pid);
}

static void write_thread(const struct group_texts *texts, uint32_t index, FILE *stream)
{
    const struct tl_thread *thread = &texts->timeline->threads.at[index];
    write_pid(texts, thread->process, stream);
    fprintf(stream, "%u", thread->tid);
    if (thread->name < texts->timeline->names.count) {
        fputc(' ', stream);
        write_text(texts->timeline->names.at[thread->name], stream);
    }
}

static void write_stream(const struct group_texts *texts, uint32_t index, FILE *stream)
{
    const struct tl_stream *of = &texts->timeline->streams.at[index];
    write_pid(texts, of->process, stream);
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

void group_text_write(const struct group_texts *texts, const struct key_average *row, uint32_t flag,
                      FILE *stream)
{
    const struct key_group *group = &row->group;
    const struct timeline *timeline = texts->timeline;
    if (flag == KEY_BY_PROCESS && group->process != TL_NONE)
        fprintf(stream, "%u", timeline->processes.at[group->process].info.pid);
    if (flag == KEY_BY_RANK && group->rank != TL_NONE)
        fprintf(stream, "%u", group->rank);
    if (flag == KEY_BY_THREAD && group->thread != TL_NONE)
        write_thread(texts, group->thread, stream);
    if (flag == KEY_BY_DEVICE && group->device != TL_NONE) {
        write_pid(texts, timeline->devices.at[group->device].process, stream);
        fprintf(stream, "%u", timeline->devices.at[group->device].info.device);
    }
    if (flag == KEY_BY_STREAM && group->stream != TL_NONE)
        write_stream(texts, group->stream, stream);
    if (flag == KEY_BY_SHAPE && group->shape != TL_NONE)
        write_text(timeline->names.at[group->shape], stream);
    if (flag == KEY_BY_PATH && group->path != TL_NONE)
        write_path(texts, group->path, stream);
    if (flag == KEY_BY_STACK && group->stack != TL_NONE)
        write_stack(texts, group->stack, stream);
}

unsigned group_text_show(const struct group_texts *texts, const struct key_average *row,
                         uint32_t flag, unsigned columns, char *to)
{
    char *bytes = NULL;
    size_t size = 0;
    unsigned width = 0;
    *to = 0;
    FILE *stream = open_memstream(&bytes, &size);
    if (!stream)
        return 0;
    group_text_write(texts, row, flag, stream);
    if (fclose(stream) == 0) {
        width = show_text_cut((struct text){bytes, size}, columns, to);
    }
    free(bytes);
    return width;
}

/* ---- columns ---- */

#define COLUMN_WIDTH 12
#define BOLD "\033[1m"
#define PLAIN "\033[0m"

#define CELLS(...)                                               \
    add_cells(rows, (const struct averages_cell[]){__VA_ARGS__}, \
              sizeof((const struct averages_cell[]){__VA_ARGS__}) / sizeof(struct averages_cell))

/* Columns that are asked for by name. */
static const struct averages_cell extra_cells[] = {
    {KEY_BY_MIN, AVERAGES_TIME, "Min"},
    {KEY_BY_MAX, AVERAGES_TIME, "Max"},
    {KEY_BY_MEAN, AVERAGES_TIME, "Mean"},
    {KEY_BY_STDDEV, AVERAGES_TIME, "StdDev"},
    {KEY_BY_P10, AVERAGES_TIME, "P10"},
    {KEY_BY_P50, AVERAGES_TIME, "P50"},
    {KEY_BY_P90, AVERAGES_TIME, "P90"},
    {KEY_BY_P99, AVERAGES_TIME, "P99"},
    {KEY_BY_COLD, AVERAGES_TIME, "Cold avg"},
    {KEY_BY_WARM, AVERAGES_TIME, "Warm avg"},
    {KEY_BY_PROJECTED, AVERAGES_TIME, "GPU proj"},
    {KEY_BY_PROJECTED_AVG, AVERAGES_TIME, "GPU proj avg"},
    {KEY_BY_BYTES, AVERAGES_MEMORY, "Bytes"},
    {KEY_BY_RATE, AVERAGES_RATE, "GB/s"},
};

static void add_cells(struct averages_rows *rows, const struct averages_cell *cells, size_t count)
{
    for (size_t i = 0; i < count && rows->cell_count < AVERAGES_CELLS_MAX; i++)
        rows->cells[rows->cell_count++] = cells[i];
}

static void add_usual(struct averages_rows *rows)
{
    CELLS({KEY_BY_SELF_CPU, AVERAGES_CPU_SHARE, "Self CPU %"},
          {KEY_BY_SELF_CPU, AVERAGES_TIME, "Self CPU"},
          {KEY_BY_CPU_TOTAL, AVERAGES_CPU_SHARE, "CPU total %"},
          {KEY_BY_CPU_TOTAL, AVERAGES_TIME, "CPU total"},
          {KEY_BY_CPU_AVG, AVERAGES_TIME, "CPU time avg"});
    if (rows->texts.averages->has_device)
        CELLS({KEY_BY_SELF_CUDA, AVERAGES_TIME, "Self CUDA"},
              {KEY_BY_SELF_CUDA, AVERAGES_CUDA_SHARE, "Self CUDA %"},
              {KEY_BY_CUDA_TOTAL, AVERAGES_TIME, "CUDA total"},
              {KEY_BY_CUDA_AVG, AVERAGES_TIME, "CUDA time avg"});
    if (rows->options->memory)
        CELLS({KEY_BY_CPU_MEMORY, AVERAGES_MEMORY, "CPU Mem"},
              {KEY_BY_SELF_CPU_MEMORY, AVERAGES_MEMORY, "Self CPU Mem"},
              {KEY_BY_CUDA_MEMORY, AVERAGES_MEMORY, "CUDA Mem"},
              {KEY_BY_SELF_CUDA_MEMORY, AVERAGES_MEMORY, "Self CUDA Mem"});
}

static void add_spread(struct averages_rows *rows)
{
    CELLS({KEY_BY_MIN, AVERAGES_TIME, "Min"}, {KEY_BY_P50, AVERAGES_TIME, "P50"},
          {KEY_BY_MAX, AVERAGES_TIME, "Max"}, {KEY_BY_STDDEV, AVERAGES_TIME, "StdDev"});
}

static void add_device_work(struct averages_rows *rows)
{
    CELLS({KEY_BY_CUDA_TOTAL, AVERAGES_CUDA_SHARE, "CUDA %"},
          {KEY_BY_CUDA_TOTAL, AVERAGES_TIME, "CUDA total"},
          {KEY_BY_CUDA_AVG, AVERAGES_TIME, "CUDA time avg"});
    add_spread(rows);
    if (rows->options->table != WRITE_TABLE_KERNELS)
        CELLS({KEY_BY_BYTES, AVERAGES_MEMORY, "Bytes"}, {KEY_BY_RATE, AVERAGES_RATE, "GB/s"});
}

static void add_api(struct averages_rows *rows)
{
    CELLS({KEY_BY_SELF_CPU, AVERAGES_CPU_SHARE, "Self CPU %"},
          {KEY_BY_SELF_CPU, AVERAGES_TIME, "Self CPU"},
          {KEY_BY_CPU_TOTAL, AVERAGES_TIME, "CPU total"},
          {KEY_BY_CPU_AVG, AVERAGES_TIME, "CPU time avg"});
    add_spread(rows);
}

static void add_projected(struct averages_rows *rows)
{
    CELLS({KEY_BY_PROJECTED, AVERAGES_TIME, "GPU proj"},
          {KEY_BY_PROJECTED_AVG, AVERAGES_TIME, "GPU proj avg"},
          {KEY_BY_CUDA_TOTAL, AVERAGES_TIME, "CUDA total"},
          {KEY_BY_CPU_TOTAL, AVERAGES_TIME, "CPU total"});
}

static bool has_cell(const struct averages_rows *rows, const struct averages_cell *cell)
{
    for (unsigned i = 0; i < rows->cell_count; i++)
        if (rows->cells[i].column == cell->column && rows->cells[i].form == cell->form)
            return true;
    return false;
}

static void add_all_cells(struct averages_rows *rows)
{
    switch (rows->options->table) {
    case WRITE_TABLE_ALL:
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
    case WRITE_TABLE_PROJECTED:
        add_projected(rows);
        break;
    }
    for (size_t i = 0; i < sizeof extra_cells / sizeof extra_cells[0]; i++)
        if (rows->options->columns >> extra_cells[i].column & 1 && !has_cell(rows, &extra_cells[i]))
            add_cells(rows, &extra_cells[i], 1);
    CELLS({KEY_BY_COUNT, AVERAGES_COUNT, "# of Calls"});
}

static uint32_t shown_count(const struct averages_rows *rows)
{
    uint32_t count = rows->texts.averages->count;
    int64_t most = rows->options->rows;
    return most < 0 || most > count ? count : (uint32_t)most;
}

static unsigned name_limit(const struct averages_rows *rows)
{
    return rows->options->name_width;
}

static void find_name_width(struct averages_rows *rows)
{
    unsigned longest = 4, limit = name_limit(rows); /* "Name" */
    for (uint32_t i = 0; i < shown_count(rows); i++) {
        unsigned width = show_text_width(rows->texts.averages->rows[i].name, limit);
        longest = width > longest ? width : longest;
    }
    rows->name_width = longest + 4 < limit ? longest + 4 : limit;
    rows->longest_name = longest < limit ? longest : limit;
}

static void find_group_widths(struct averages_rows *rows)
{
    for (unsigned part = 0; part < GROUP_PARTS; part++) {
        const struct group_part *kind = &group_parts[part];
        if (!(rows->options->group_by & kind->flag))
            continue;
        unsigned widest = (unsigned)strlen(kind->title);
        for (uint32_t i = 0; i < shown_count(rows); i++) {
            unsigned width = group_text_show(&rows->texts, &rows->texts.averages->rows[i],
                                             kind->flag, kind->width_max, rows->scratch);
            widest = width > widest ? width : widest;
        }
        rows->group_width[part] = widest > COLUMN_WIDTH ? widest : COLUMN_WIDTH;
    }
}

/* A table of one kind has shares of what it shows. */
static void find_wholes(struct averages_rows *rows)
{
    const struct key_averages *averages = rows->texts.averages;
    rows->cpu_ns = averages->self_cpu_total_ns;
    rows->cuda_ns = averages->self_cuda_total_ns;
    if (rows->options->table == WRITE_TABLE_ALL)
        return;
    rows->cpu_ns = rows->cuda_ns = 0;
    for (uint32_t i = 0; i < averages->count; i++) {
        rows->cpu_ns += averages->rows[i].self_cpu_total_ns;
        rows->cuda_ns += averages->rows[i].self_cuda_total_ns;
    }
}

bool averages_rows_init(struct averages_rows *rows, const struct timeline *timeline,
                        const struct key_averages *averages, const struct write_options *options,
                        FILE *stream)
{
    unsigned columns = options->name_width > 200 ? options->name_width : 200;
    *rows = (struct averages_rows){.texts = {timeline, averages, &options->stacks},
                                   .options = options,
                                   .stream = stream,
                                   .scratch = malloc(SHOW_TEXT_BYTES((size_t)columns))};
    if (!rows->scratch)
        return false;
    add_all_cells(rows);
    for (unsigned i = 0; i < rows->cell_count; i++)
        rows->cell_width[i] = COLUMN_WIDTH;
    find_wholes(rows);
    find_name_width(rows);
    find_group_widths(rows);
    return true;
}

void averages_rows_fini(struct averages_rows *rows)
{
    free(rows->scratch);
}

static void print_dashes(const struct averages_rows *rows, unsigned count, char dash)
{
    while (count--)
        fputc(dash, rows->stream);
}

static void print_rule(const struct averages_rows *rows)
{
    print_dashes(rows, rows->name_width, '-');
    for (unsigned i = 0; i < rows->cell_count; i++) {
        fputs("  ", rows->stream);
        print_dashes(rows, rows->cell_width[i], '-');
    }
    for (unsigned part = 0; part < GROUP_PARTS; part++)
        if (rows->group_width[part]) {
            fputs("  ", rows->stream);
            print_dashes(rows, rows->group_width[part], '-');
        }
    fputc('\n', rows->stream);
}

static bool is_last(const struct averages_rows *rows, unsigned part)
{
    for (unsigned later = part + 1; later < GROUP_PARTS; later++)
        if (rows->group_width[later])
            return false;
    return true;
}

static void print_titles(const struct averages_rows *rows)
{
    fprintf(rows->stream, "%s%*s", rows->options->color ? BOLD : "", (int)rows->name_width, "Name");
    for (unsigned i = 0; i < rows->cell_count; i++)
        fprintf(rows->stream, "  %*s", (int)rows->cell_width[i], rows->cells[i].title);
    for (unsigned part = 0; part < GROUP_PARTS; part++) {
        int width = (int)rows->group_width[part];
        if (width && group_parts[part].left && is_last(rows, part))
            width = 0;
        if (rows->group_width[part])
            fprintf(rows->stream, "  %*s", group_parts[part].left ? -width : width,
                    group_parts[part].title);
    }
    fprintf(rows->stream, "%s\n", rows->options->color ? PLAIN : "");
}

static unsigned line_width(const struct averages_rows *rows)
{
    unsigned width = rows->name_width;
    for (unsigned i = 0; i < rows->cell_count; i++)
        width += rows->cell_width[i] + 2;
    for (unsigned part = 0; part < GROUP_PARTS; part++)
        width += rows->group_width[part] ? rows->group_width[part] + 2 : 0;
    return width;
}

static void print_heading(const struct averages_rows *rows)
{
    char shown[SHOW_TEXT_BYTES(400)];
    bool rest;
    const char *header = rows->options->header;
    if (!header)
        return;
    show_text((struct text){header, strlen(header)}, 400, shown, &rest);
    print_dashes(rows, line_width(rows), '=');
    fprintf(rows->stream, "\n%s\n", shown);
}

/* Cuts as torch.profiler does: names that come within three characters of the limit. */
static unsigned cut_name(const struct averages_rows *rows, struct text name)
{
    bool rest;
    unsigned limit = name_limit(rows) - 3;
    unsigned width = show_text(name, limit, rows->scratch, &rest);
    if (!rest && width < limit)
        return width;
    memcpy(rows->scratch + strlen(rows->scratch), "...", 4);
    return width + 3;
}

static void print_name(const struct averages_rows *rows, struct text name)
{
    unsigned width = rows->fit_count ? show_text_cut(name, rows->name_width, rows->scratch)
                                     : cut_name(rows, name);
    fprintf(rows->stream, "%*s%s", (int)(rows->name_width > width ? rows->name_width - width : 0),
            "", rows->scratch);
}

static void cell_text(const struct averages_rows *rows, const struct key_average *row,
                      const struct averages_cell *cell, char to[TIME_TEXT_BYTES])
{
    double value = key_column_value(row, cell->column);
    switch (cell->form) {
    case AVERAGES_TIME:
        time_text_in(value, rows->options->unit, to);
        break;
    case AVERAGES_CPU_SHARE:
        time_text_share((int64_t)value, rows->cpu_ns, to);
        break;
    case AVERAGES_CUDA_SHARE:
        time_text_share((int64_t)value, rows->cuda_ns, to);
        break;
    case AVERAGES_MEMORY:
        bytes_text((int64_t)value, to);
        break;
    case AVERAGES_COUNT:
        snprintf(to, TIME_TEXT_BYTES, "%llu", (unsigned long long)row->count);
        break;
    case AVERAGES_RATE: {
        uint64_t hundredths = (uint64_t)(value * 100 + 0.5);
        snprintf(to, TIME_TEXT_BYTES, "%llu.%02llu", (unsigned long long)hundredths / 100,
                 (unsigned long long)hundredths % 100);
    }
    }
}

static void print_group(struct averages_rows *rows, const struct key_average *row, unsigned part)
{
    const struct group_part *kind = &group_parts[part];
    unsigned limit = rows->fit_count ? rows->group_width[part] : kind->width_max;
    unsigned width = group_text_show(&rows->texts, row, kind->flag, limit, rows->scratch);
    int pad = (int)(rows->group_width[part] > width ? rows->group_width[part] - width : 0);
    if (kind->left)
        fprintf(rows->stream, "  %s", rows->scratch);
    else
        fprintf(rows->stream, "  %*s%s", pad, "", rows->scratch);
    if (kind->left && !is_last(rows, part))
        fprintf(rows->stream, "%*s", pad, "");
}

static void print_row(struct averages_rows *rows, const struct key_average *row)
{
    char text[TIME_TEXT_BYTES];
    print_name(rows, row->name);
    for (unsigned i = 0; i < rows->cell_count; i++) {
        cell_text(rows, row, &rows->cells[i], text);
        fprintf(rows->stream, "  %*s", (int)rows->cell_width[i], text);
    }
    for (unsigned part = 0; part < GROUP_PARTS; part++)
        if (rows->group_width[part])
            print_group(rows, row, part);
    fputc('\n', rows->stream);
}

/* ---- for a terminal ---- */

/* In the order in which they are left out. */
static const struct {
    enum key_column column;
    enum averages_form form;
} least_important[] = {
    {KEY_BY_STDDEV, AVERAGES_TIME},
    {KEY_BY_MIN, AVERAGES_TIME},
    {KEY_BY_MAX, AVERAGES_TIME},
    {KEY_BY_P50, AVERAGES_TIME},
    {KEY_BY_CPU_AVG, AVERAGES_TIME},
    {KEY_BY_CUDA_AVG, AVERAGES_TIME},
    {KEY_BY_PROJECTED_AVG, AVERAGES_TIME},
    {KEY_BY_CPU_TOTAL, AVERAGES_CPU_SHARE},
    {KEY_BY_SELF_CPU, AVERAGES_CPU_SHARE},
    {KEY_BY_CUDA_TOTAL, AVERAGES_CUDA_SHARE},
    {KEY_BY_SELF_CUDA, AVERAGES_CUDA_SHARE},
    {KEY_BY_BYTES, AVERAGES_MEMORY},
    {KEY_BY_RATE, AVERAGES_RATE},
    {KEY_BY_CPU_TOTAL, AVERAGES_TIME},
    {KEY_BY_COUNT, AVERAGES_COUNT},
    {KEY_BY_CUDA_TOTAL, AVERAGES_TIME},
    {KEY_BY_SELF_CPU, AVERAGES_TIME},
    {KEY_BY_SELF_CUDA, AVERAGES_TIME},
};
#define LEAST_IMPORTANT (sizeof least_important / sizeof *least_important)

/* What rows are sorted by; never KEY_BY_DEFAULT. */
static enum key_column sort_column(const struct write_options *options, bool has_device)
{
    if (options->sort != KEY_BY_DEFAULT)
        return options->sort;
    if (options->table == WRITE_TABLE_ALL)
        return has_device ? KEY_BY_CUDA_TOTAL : KEY_BY_CPU_TOTAL;
    if (options->table == WRITE_TABLE_API)
        return KEY_BY_SELF_CPU;
    return options->table == WRITE_TABLE_PROJECTED ? KEY_BY_PROJECTED : KEY_BY_CUDA_TOTAL;
}

/* Columns that the user added are left out last, the sort column never. */
static unsigned rank_of(const struct averages_rows *rows, unsigned index)
{
    const struct averages_cell *cell = &rows->cells[index];
    bool is_share = cell->form == AVERAGES_CPU_SHARE || cell->form == AVERAGES_CUDA_SHARE;
    if (cell->column == sort_column(rows->options, rows->texts.averages->has_device) && !is_share)
        return 0;
    if (rows->options->columns >> cell->column & 1)
        return 1 + index;
    for (unsigned i = 0; i < LEAST_IMPORTANT; i++)
        if (least_important[i].column == cell->column && least_important[i].form == cell->form)
            return AVERAGES_CELLS_MAX + (unsigned)LEAST_IMPORTANT - i;
    return 1 + index;
}

static void widen(const struct averages_rows *rows, const struct key_average *row,
                  const struct averages_cell *cell, unsigned *width)
{
    char text[TIME_TEXT_BYTES];
    cell_text(rows, row, cell, text);
    unsigned needed = (unsigned)strlen(text);
    *width = needed > *width ? needed : *width;
}

static unsigned needed_width(const struct averages_rows *rows, const struct averages_cell *cell)
{
    unsigned width = (unsigned)strlen(cell->title);
    for (uint32_t i = 0; i < shown_count(rows); i++)
        widen(rows, &rows->texts.averages->rows[i], cell, &width);
    if (rows->options->total) {
        struct key_average total = key_averages_total(rows->texts.averages);
        widen(rows, &total, cell, &width);
    }
    return width;
}

static void add_fit(struct averages_rows *rows, const char *title, unsigned width, unsigned least,
                    unsigned rank)
{
    rows->fit[rows->fit_count++] =
        (struct fit_column){title, width, least < width ? least : width, rank, false};
}

static void take_fit(struct averages_rows *rows)
{
    const struct fit_column *next = rows->fit;
    unsigned kept = 0;
    rows->name_width = next++->width;
    for (unsigned i = 0; i < rows->cell_count; i++, next++) {
        if (next->left_out)
            continue;
        rows->cells[kept] = rows->cells[i];
        rows->cell_width[kept++] = next->width;
    }
    rows->cell_count = kept;
    for (unsigned part = 0; part < GROUP_PARTS; part++)
        if (rows->group_width[part])
            rows->group_width[part] = next++->width;
}

/* Narrows columns to their numbers, then cuts names, then leaves out columns, until the table fits. */
static void fit_table(struct averages_rows *rows)
{
    unsigned width = rows->options->table_width;
    if (!width || line_width(rows) <= width)
        return;
    add_fit(rows, "Name", rows->longest_name, rows->options->name_least, 0);
    for (unsigned i = 0; i < rows->cell_count; i++) {
        unsigned needed = needed_width(rows, &rows->cells[i]);
        add_fit(rows, rows->cells[i].title, needed, needed, rank_of(rows, i));
    }
    for (unsigned part = 0; part < GROUP_PARTS; part++)
        if (rows->group_width[part])
            add_fit(rows, group_parts[part].title, rows->group_width[part], FIT_TEXT_LEAST, 0);
    fit_columns(rows->fit, rows->fit_count, width);
    take_fit(rows);
}

#define NESTED_SHOWN 4u

/* Calls that are in calls of the same name: their time is in those', and averages are of those. */
static void note_nested(const struct averages_rows *rows, uint32_t shown)
{
    const struct key_average *row = rows->texts.averages->rows;
    unsigned nested = 0;
    for (uint32_t i = 0; i < shown; i++, row++) {
        if (row->outer_count == row->count || nested++ >= NESTED_SHOWN)
            continue;
        show_text_cut(row->name, 40, rows->scratch);
        fprintf(rows->stream, "%s%s %llu of %llu",
                nested > 1 ? ", " : "Totals and averages of outermost calls only: ", rows->scratch,
                (unsigned long long)row->outer_count, (unsigned long long)row->count);
    }
    if (nested > NESTED_SHOWN)
        fprintf(rows->stream, " and %u more", nested - NESTED_SHOWN);
    if (nested)
        fputc('\n', rows->stream);
}

void averages_rows_print(struct averages_rows *rows)
{
    const struct key_averages *averages = rows->texts.averages;
    uint32_t shown = shown_count(rows);
    fit_table(rows);
    print_heading(rows);
    print_rule(rows);
    print_titles(rows);
    print_rule(rows);
    for (uint32_t i = 0; i < shown; i++)
        print_row(rows, &averages->rows[i]);
    if (rows->options->total) {
        struct key_average total = key_averages_total(averages);
        print_row(rows, &total);
    }
    print_rule(rows);
    if (shown < averages->count)
        fprintf(rows->stream, "%u of %u rows\n", shown, averages->count);
    note_nested(rows, shown);
    if (rows->options->top_level)
        fputs("Only calls that nothing on their thread is around; the totals are of all\n",
              rows->stream);
    fit_note(rows->fit, rows->fit_count, rows->options->table_width, rows->stream);
}

/* ---- from options to rows ---- */

/* Whether the table at hand has rows of this kind. */
static bool table_shows(enum write_table table, enum key_kind kind)
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
    case WRITE_TABLE_PROJECTED:
        return kind == KEY_RANGE;
    case WRITE_TABLE_ALL:
        break;
    }
    return true;
}

static bool is_shown(const struct write_options *options, const struct key_average *row)
{
    if (options->table == WRITE_TABLE_PROJECTED && row->projected_count == 0)
        return false;
    return table_shows(options->table, row->kind);
}

static void keep_shown(struct key_averages *averages, const struct write_options *options)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < averages->count; i++)
        if (is_shown(options, &averages->rows[i]))
            averages->rows[kept++] = averages->rows[i];
    averages->count = kept;
}

/* Only ranges have memory: a call's is its range's. */
static void take_memory(struct key_averages *averages, const struct memory_ranges *memory)
{
    for (uint32_t i = 0; i < averages->count; i++) {
        struct key_average *row = &averages->rows[i];
        const struct memory_range *range =
            row->kind == KEY_RANGE ? memory_ranges_find(memory, row->key) : NULL;
        for (int side = 0; range && side < MEMORY_SIDES; side++) {
            row->memory_bytes[2 * side] = memory_net(&range->total[side]);
            row->memory_bytes[2 * side + 1] = memory_net(&range->self[side]);
        }
    }
}

/* Memory is known by name only. */
static bool add_memory(struct key_averages *averages, const struct timeline *timeline,
                       const struct write_options *options)
{
    struct memory_ranges memory;
    bool wanted = options->memory ||
                  (options->sort >= KEY_BY_CPU_MEMORY && options->sort <= KEY_BY_SELF_CUDA_MEMORY);
    if (!wanted || options->group_by != KEY_BY_KEY)
        return true;
    if (!memory_ranges_init(&memory, timeline))
        return false;
    take_memory(averages, &memory);
    memory_ranges_fini(&memory);
    return true;
}

/* Tables of one kind show how durations are spread. */
static bool wants_spread(const struct write_options *options)
{
    bool wanted = key_column_needs_spread(options->sort) ||
                  (options->table != WRITE_TABLE_ALL && options->table != WRITE_TABLE_PROJECTED);
    for (unsigned column = 0; column < KEY_COLUMNS; column++)
        if (options->columns >> column & 1)
            wanted |= key_column_needs_spread((enum key_column)column);
    return wanted;
}

bool averages_rows_select(struct key_averages *averages, const struct timeline *timeline,
                          const struct write_options *options, bool spread)
{
    struct key_options wanted;
    key_options_default(&wanted);
    wanted.group_by = options->group_by;
    wanted.stack_groups = options->stacks.groups;
    wanted.top_level = options->top_level;
    wanted.spread = spread || wants_spread(options);
    if (!key_averages_init_by(averages, timeline, &wanted))
        return false;
    keep_shown(averages, options);
    if (!add_memory(averages, timeline, options)) {
        key_averages_fini(averages);
        return false;
    }
    key_sort(averages, sort_column(options, averages->has_device));
    return true;
}
