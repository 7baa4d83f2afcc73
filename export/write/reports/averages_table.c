/* averages_table.c - the key-averaged table and the tree of ranges, in every format. As text:
 * twelve columns' width, two spaces between, everything right-aligned, names cut at 55: what people
 * who come from torch.profiler, and the scripts they wrote for it, expect.
 */
#define _GNU_SOURCE
#include "device_api.h"
#include "device_time.h"
#include "fit.h"
#include "report_cells.h"
#include "report_parts.h"
#include "table.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMN_WIDTH 12
#define COLUMNS_MAX (2u + KEY_COLUMNS_AND_SHARES + GROUP_PARTS)
#define TITLE_BYTES 24u
#define BOLD "\033[1m"

struct report {
    const struct write_options *options;
    struct averages_rows rows;
    struct averages_tree tree;
    struct table table;
    struct table_column columns[COLUMNS_MAX + 1];
    char titles[COLUMNS_MAX][TITLE_BYTES]; /* where they are not CUDA's */
};

static bool is_text(const struct report *report)
{
    return report->table.format == WRITE_TEXT;
}

/* ---- columns ---- */

static uint32_t shown_count(const struct report *report)
{
    uint32_t count = report->rows.texts.averages->count;
    int64_t most = report->options->rows;
    return most < 0 || most > count ? count : (uint32_t)most;
}

/* As text, of a Python function whose name is too long the last parts of its file's path. */
static struct text shown_name(const struct report *report, const struct key_average *row)
{
    struct text name = row->name;
    unsigned limit = report->options->name_width;
    while (row->kind == KEY_PYTHON && is_text(report) && show_text_width(name, limit + 1) > limit) {
        const char *slash = memchr(name.bytes + 1, '/', name.size - 1);
        if (!slash)
            return name;
        name = (struct text){slash + 1, name.size - (size_t)(slash + 1 - name.bytes)};
    }
    return name;
}

/* As text, four characters more than the longest name. */
static struct table_column name_column(const struct report *report)
{
    const struct key_averages *averages = report->rows.texts.averages;
    unsigned longest = 4, limit = report->options->name_width; /* "Name" */
    for (uint32_t i = 0; i < shown_count(report); i++) {
        unsigned width = show_text_width(shown_name(report, &averages->rows[i]), limit);
        longest = width > longest ? width : longest;
    }
    unsigned width = longest + 4 < limit ? longest + 4 : limit;
    return (struct table_column){.key = "name",
                                 .title = "Name",
                                 .width = (uint16_t)width,
                                 .limit = (uint16_t)limit,
                                 .least = (uint16_t)report->options->name_least};
}

static void find_columns(struct report *report)
{
    const struct averages_rows *rows = &report->rows;
    struct table_column *column = report->columns;
    enum tl_device_api api = device_api_of(rows->texts.timeline);
    *column++ = name_column(report);
    *column++ = (struct table_column){"kind", "Kind", TABLE_BUT_TEXT};
    for (unsigned i = 0; i < rows->column_count; i++) {
        const struct key_column_info *info = &key_columns[rows->columns[i]];
        *column++ = (struct table_column){
            .key = info->key,
            .title = device_api_words(api, info->title, report->titles[i], TITLE_BYTES),
            .rank = (uint8_t)averages_column_rank(rows, i),
            .width = COLUMN_WIDTH};
    }
    for (unsigned part = 0; part < GROUP_PARTS; part++)
        if (report->options->group_by & group_parts[part].flag)
            *column++ = (struct table_column){.key = group_parts[part].key,
                                              .title = group_parts[part].title,
                                              .width = COLUMN_WIDTH,
                                              .limit = (uint16_t)group_parts[part].width_max,
                                              .least = FIT_TEXT_LEAST,
                                              .left = group_parts[part].left};
    *column = (struct table_column){0};
}

/* ---- cells ---- */

/* As torch.profiler has it: what is not known is 0. */
static void add_text_cell(struct report *report, enum key_form form, double value)
{
    char text[TIME_TEXT_BYTES];
    uint64_t hundredths = (uint64_t)(value * 100 + 0.5);
    switch (form) {
    case KEY_FORM_TIME:
        time_text_in(value, report->options->unit, text);
        break;
    case KEY_FORM_CPU_SHARE:
        time_text_share((int64_t)value, report->rows.cpu_ns, text);
        break;
    case KEY_FORM_CUDA_SHARE:
        time_text_share((int64_t)value, report->rows.cuda_ns, text);
        break;
    case KEY_FORM_BYTES:
        bytes_text((int64_t)value, text);
        break;
    case KEY_FORM_RATE:
        snprintf(text, sizeof text, "%llu.%02llu", (unsigned long long)hundredths / 100,
                 (unsigned long long)hundredths % 100);
        break;
    case KEY_FORM_COUNT:
        snprintf(text, sizeof text, "%.0f", value);
    }
    table_format(&report->table, "%s", text);
}

static void add_cell(struct report *report, enum key_column column, const struct key_average *row,
                     bool is_total)
{
    double value = key_column_value(row, column);
    enum key_form form = key_columns[column].form;
    struct table *table = &report->table;
    if (form == KEY_FORM_COUNT && column != KEY_BY_FLOPS)
        table_count(table, row->count);
    else if (is_text(report))
        add_text_cell(report, form, value);
    else if (!key_column_known(row, column, is_total))
        table_unknown(table);
    else if (form == KEY_FORM_CPU_SHARE)
        table_share(table, (int64_t)value, report->rows.cpu_ns);
    else if (form == KEY_FORM_CUDA_SHARE)
        table_share(table, (int64_t)value, report->rows.cuda_ns);
    else if (form == KEY_FORM_RATE || form == KEY_FORM_COUNT)
        table_number(table, value);
    else if (form == KEY_FORM_BYTES)
        table_signed_bytes(table, (int64_t)value);
    else if (value == floor(value) && fabs(value) < 9e18)
        table_ns(table, (int64_t)value);
    else
        table_duration(table, value);
}

static void add_group(struct report *report, const struct key_average *row, uint32_t flag)
{
    struct text text = group_text(&report->rows.texts, row, flag);
    if (text.size)
        table_text(&report->table, text);
    else
        table_none(&report->table);
    free((char *)text.bytes);
}

static void add_row(struct report *report, const struct key_average *row, bool is_total)
{
    table_row(&report->table);
    table_text(&report->table, shown_name(report, row));
    table_string(&report->table, is_total ? "total" : key_kind_name(row->kind));
    for (unsigned i = 0; i < report->rows.column_count; i++)
        add_cell(report, report->rows.columns[i], row, is_total);
    for (unsigned part = 0; part < GROUP_PARTS; part++)
        if (report->options->group_by & group_parts[part].flag)
            add_group(report, row, group_parts[part].flag);
}

/* ---- lines under the table ---- */

#define NESTED_SHOWN 4u
#define NESTED_NAME 40u

/* Calls that are in calls of the same name: their time is in those', and averages are of those. */
static void note_nested(const struct report *report, FILE *stream)
{
    const struct key_average *row = report->rows.texts.averages->rows;
    char name[SHOW_TEXT_BYTES(NESTED_NAME)];
    unsigned nested = 0;
    for (uint32_t i = 0; i < shown_count(report); i++, row++) {
        if (row->outer_count == row->count || nested++ >= NESTED_SHOWN)
            continue;
        show_text_cut(shown_name(report, row), NESTED_NAME, name);
        fprintf(stream, "%s%s %llu of %llu",
                nested > 1 ? ", " : "Totals and averages of outermost calls only: ", name,
                (unsigned long long)row->outer_count, (unsigned long long)row->count);
    }
    if (nested > NESTED_SHOWN)
        fprintf(stream, " and %u more", nested - NESTED_SHOWN);
    if (nested)
        fputc('\n', stream);
}

static void note_rows(const struct report *report, FILE *stream)
{
    uint32_t shown = shown_count(report), count = report->rows.texts.averages->count;
    if (shown < count)
        fprintf(stream, "%u of %u rows\n", shown, count);
    note_nested(report, stream);
    if (report->options->top_level)
        fputs("Top-level events only; the totals include all events\n", stream);
}

/* To free(); NULL: no memory. */
static char *foot_of(const struct report *report)
{
    char *foot = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&foot, &size);
    if (!stream)
        return NULL;
    note_rows(report, stream);
    if (fclose(stream) == 0)
        return foot;
    free(foot);
    return NULL;
}

/* ---- the table ---- */

static bool add_table(struct table *table, void *user)
{
    struct report *report = user;
    const struct key_averages *averages = report->rows.texts.averages;
    struct key_average total = key_averages_total(averages);
    char *foot = is_text(report) ? foot_of(report) : NULL;
    find_columns(report);
    table_begin(table, "averages", report->options->header, report->columns);
    for (uint32_t i = 0; i < shown_count(report); i++)
        add_row(report, &averages->rows[i], false);
    if (report->options->total)
        add_row(report, &total, true);
    table->foot = foot;
    table_end(table);
    table->foot = NULL;
    free(foot);
    return !table->failed && (foot || !is_text(report));
}

/* ---- the tree ---- */

#define INDENT 2u
#define INDENT_MAX 20u /* levels; deeper ones are not indented further */

/* As text, indented. */
static void path_name_cell(struct table *table, const struct report *report, uint32_t path)
{
    struct text name = averages_tree_row(&report->tree, path)->name;
    uint32_t depth = report->tree.averages->paths[path].depth;
    size_t indent = (size_t)INDENT * (depth < INDENT_MAX ? depth : INDENT_MAX);
    unsigned limit = report->options->name_width;
    char *shown = malloc(indent + SHOW_TEXT_BYTES((size_t)limit));
    if (!shown) {
        table->failed = true;
        return;
    }
    memset(shown, ' ', indent);
    show_text_cut(name, limit, shown + indent);
    if (is_text(report))
        table_string(table, shown);
    else
        table_text(table, name);
    free(shown);
}

static void share_cell(struct table *table, const struct averages_tree *tree, uint32_t path)
{
    int64_t whole_ns = averages_tree_whole(tree, path);
    if (table->format == WRITE_TEXT && whole_ns <= 0)
        table_format(table, "-");
    else
        table_share(table, averages_tree_weight(tree, path), whole_ns);
}

#define IF_DEVICE(ns) report->tree.averages->has_device ? table_ns(table, ns) : table_unknown(table)
#define DEVICE_IN (report->tree.averages->has_device ? 0 : TABLE_BUT_TEXT)
#define TREE_COLUMNS(X)                                                                            \
    X(path_name_cell(table, report, path), "name", "Name", .left = true, .limit = UINT16_MAX,      \
      .least = (uint16_t)report->options->name_least)                                              \
    X(table_count(table, report->tree.averages->paths[path].depth), "depth", "Depth",              \
      TABLE_BUT_TEXT)                                                                              \
    X(share_cell(table, &report->tree, path), "parent_percent", "% of parent", .rank = 3,          \
      .width = COLUMN_WIDTH)                                                                       \
    X(table_ns(table, row->cpu_total_ns), "cpu_total_ns", "CPU total", .rank = 1,                  \
      .width = COLUMN_WIDTH)                                                                       \
    X(table_ns(table, row->self_cpu_total_ns), "self_cpu_total_ns", "Self CPU", .rank = 5,         \
      .width = COLUMN_WIDTH)                                                                       \
    X(IF_DEVICE(row->cuda_total_ns), "cuda_total_ns", "CUDA total", DEVICE_IN,                     \
      .width = COLUMN_WIDTH)                                                                       \
    X(IF_DEVICE(row->self_cuda_total_ns), "self_cuda_total_ns", "Self CUDA", DEVICE_IN, .rank = 4, \
      .width = COLUMN_WIDTH)                                                                       \
    X(table_count(table, row->count), "count", "# of Calls", .rank = 2, .width = COLUMN_WIDTH)
TABLE_ROW_CELLS(tree, TREE_COLUMNS, const struct report *report, uint32_t path,
                const struct key_average *row)

static void find_tree_columns(struct report *report)
{
    const struct table_column columns[] = {TREE_COLUMNS(TABLE_COLUMN){0}};
    enum tl_device_api api = device_api_of(report->rows.texts.timeline);
    memcpy(report->columns, columns, sizeof columns);
    for (unsigned i = 0; columns[i].key; i++)
        report->columns[i].title =
            device_api_words(api, columns[i].title, report->titles[i], TITLE_BYTES);
}

static bool add_tree(struct table *table, void *user)
{
    struct report *report = user;
    struct averages_tree *tree = &report->tree;
    uint32_t path = tree->root;
    char foot[64] = "";
    find_tree_columns(report);
    table_begin(table, "tree", report->options->header, report->columns);
    for (; path != TL_NONE && !averages_tree_is_full(tree);
         path = averages_tree_next(tree, path), tree->printed++)
        tree_row(table, report, path, averages_tree_row(tree, path));
    if (path != TL_NONE)
        snprintf(foot, sizeof foot, "the first %u lines\n", tree->printed);
    table->foot = is_text(report) ? foot : NULL;
    table_end(table);
    table->foot = NULL;
    return !table->failed;
}

/* ---- the whole ---- */

static struct table table_of(const struct write_options *options, enum write_format format,
                             FILE *stream)
{
    bool is_text = format == WRITE_TEXT;
    return (struct table){.format = format,
                          .frame = TABLE_RULED,
                          .stream = stream,
                          .most = -1,
                          .width = is_text ? 0 : options->name_width,
                          .table_width = options->table_width,
                          .title_color = options->color ? BOLD : NULL,
                          .unit = options->unit};
}

static bool write_selected(const struct timeline *timeline, const struct write_options *options,
                           bool is_tree, enum write_format format, FILE *stream)
{
    struct report report = {.options = options, .table = table_of(options, format, stream)};
    struct key_averages averages;
    errno = ENOMEM;
    if (!averages_rows_select(&averages, timeline, options, false))
        return false;
    averages_rows_init(&report.rows, timeline, &averages, options);
    report.rows.texts.for_people = write_format_is_for_people(format);
    bool done = !is_tree || averages_tree_init(&report.tree, &averages, options);
    done = done && table_write(&report.table, is_tree ? add_tree : add_table, &report);
    if (done && format == WRITE_TEXT && !options->bare)
        done = averages_foot(timeline, &averages, options, stream);
    averages_tree_fini(&report.tree);
    key_averages_fini(&averages);
    return done;
}

bool write_table(const struct timeline *timeline, const struct write_options *options,
                 enum write_format format, FILE *stream)
{
    return write_selected(timeline, options, false, format, stream);
}

bool write_tree(const struct timeline *timeline, const struct write_options *options,
                enum write_format format, FILE *stream)
{
    struct write_options by_path = *options;
    by_path.group_by = KEY_BY_KEY | KEY_BY_PATH;
    by_path.table = WRITE_TABLE_ALL;
    by_path.top_level = by_path.memory = by_path.color = false;
    return write_selected(timeline, &by_path, true, format, stream);
}

/* ---- JSON: integers of nanoseconds, as everywhere in it ---- */

static int64_t rounded(double ns)
{
    return (int64_t)(ns + 0.5);
}

/* Of one call, there is no deviation. */
static void write_column(struct json_out *out, const struct key_average *row,
                         enum key_column column)
{
    json_string(out, key_columns[column].key), json_colon(out);
    if (column == KEY_BY_STDDEV && !key_column_known(row, column, false))
        json_null(out);
    else
        json_int(out, rounded(key_column_value(row, column)));
}

static void write_spread(struct json_out *out, const struct key_average *row)
{
    for (enum key_column column = KEY_BY_MIN; column <= KEY_BY_P99; column++)
        write_column(out, row, column);
    json_key(out, "cold_calls"), json_uint(out, row->spread.cold_count);
    write_column(out, row, KEY_BY_COLD);
    write_column(out, row, KEY_BY_WARM);
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

/* As text; nothing is null. */
static void write_part(struct json_out *out, const struct group_texts *texts,
                       const struct key_average *row, const struct group_part *part)
{
    struct text text = group_text(texts, row, part->flag);
    json_string(out, part->key), json_colon(out);
    if (text.size)
        json_text(out, text);
    else
        json_null(out);
    free((char *)text.bytes);
}

static void write_group(struct json_out *out, const struct group_texts *texts,
                        const struct key_average *row)
{
    uint32_t by = texts->averages->group_by;
    for (unsigned part = 0; part < GROUP_PARTS; part++)
        if (by & group_parts[part].flag & ~(uint32_t)KEY_BY_PATH)
            write_part(out, texts, row, &group_parts[part]);
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
    json_key(out, "first_ns"), json_int(out, row->first_ns);
    if (row->spread.count)
        write_spread(out, row);
    if (row->kind == KEY_RANGE && row->projected_count) {
        json_key(out, "projected_calls"), json_uint(out, row->projected_count);
        json_key(out, "projected_ns"), json_int(out, row->projected_ns);
    }
    if (row->kind == KEY_MEMCPY || row->kind == KEY_MEMSET)
        json_key(out, "bytes"), json_uint(out, row->bytes);
    for (unsigned i = 0; i < 4 && texts->averages->has_memory; i++) {
        json_string(out, key_columns[KEY_BY_CPU_MEMORY + i].key), json_colon(out);
        json_int(out, row->memory_bytes[i]);
    }
    if (row->has_flops)
        json_key(out, "flops"), json_double(out, row->flops);
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
    int64_t written = 0, total = 0;
    json_array_begin(out);
    for (uint32_t i = 0; i < averages->count; i++)
        if (!only_kernels || averages->rows[i].kind == KEY_KERNEL) {
            bool is_written = rows < 0 || total < rows;
            if (is_written)
                write_row(out, texts, &averages->rows[i]);
            written += is_written;
            total++;
        }
    json_array_end(out);
    json_note_rows(out, only_kernels ? "kernels" : "key_averages", written, total);
}

#define DEVICE_COLUMNS(X)                                 \
    X(cell_pid(table, timeline, time->process), "pid")    \
    X(table_count(table, time->device), "device")         \
    X(table_count(table, time->operations), "operations") \
    X(table_ns(table, time->sum_ns), "sum_ns")            \
    X(table_ns(table, time->busy_ns), "busy_ns")          \
    X(table_ns(table, time->overlap_ns), "overlap_ns")    \
    X(table_ns(table, time->idle_ns), "idle_ns")          \
    X(table_ns(table, time->window_ns), "window_ns")
TABLE_ROW(device, DEVICE_COLUMNS, const struct timeline *timeline, const struct device_time *time)

bool averages_json_devices(struct json_out *out, const struct timeline *timeline)
{
    struct table table = table_in_json(out, NULL);
    struct device_times times;
    if (!device_times_init(&times, timeline))
        return false;
    json_newline(out), table_begin(&table, "device_time", NULL, device_columns);
    for (uint32_t i = 0; i < times.count; i++)
        device_row(&table, timeline, &times.at[i]);
    table_end(&table);
    device_times_fini(&times);
    return true;
}
