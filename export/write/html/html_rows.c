/* html_rows.c - the heaviest rows of the key averages, and what keeps the heaviest of many: see
 * html_page.h. */
#include "html_page.h"
#include "key_averages.h"

#include <math.h>
#include <stdlib.h>

#define RATIO_BY_LOG 4
#define HTML_ROW_VALUES 9

struct rows {
    struct key_averages averages;
    size_t *starts; /* by row: its durations in averages.samples; one more at the end */
    struct html_top top;
    struct keymap places; /* kind and key of a row -> its place in the page */
};

/* ---- bars ---- */

static double edge(double first, double last, bool by_ratio, unsigned bar)
{
    double share = (double)bar / HTML_BARS;
    return by_ratio ? first * pow(last / first, share) : first + (last - first) * share;
}

bool html_bars(const int64_t *sorted_ns, size_t count, uint64_t bars[HTML_BARS])
{
    memset(bars, 0, HTML_BARS * sizeof *bars);
    if (!count)
        return false;
    double first = (double)sorted_ns[0], last = (double)sorted_ns[count - 1];
    bool by_ratio = first >= 1 && last >= RATIO_BY_LOG * first;
    double end = edge(first, last, by_ratio, 1);
    unsigned bar = 0;
    for (size_t i = 0; i < count; i++) {
        while (bar + 1 < HTML_BARS && last > first && (double)sorted_ns[i] >= end)
            end = edge(first, last, by_ratio, ++bar + 1);
        bars[bar]++;
    }
    return by_ratio;
}

static void write_bars(struct json_out *out, const struct rows *rows, uint32_t row)
{
    size_t start = rows->starts[row], count = rows->starts[row + 1] - start;
    uint64_t bars[HTML_BARS];
    if (count < 2) {
        json_null(out);
        return;
    }
    bool by_ratio = html_bars(rows->averages.samples.ns + start, count, bars);
    json_array_begin(out);
    json_uint(out, by_ratio);
    for (unsigned i = 0; i < HTML_BARS; i++)
        json_uint(out, bars[i]);
    json_array_end(out);
}

/* ---- rows ---- */

static const char columns[] =
    "\"columns\":[\"name\",\"kind\",\"count\",\"self_cpu\",\"cpu_total\",\"self_cuda\","
    "\"cuda_total\",\"min\",\"mean\",\"p50\",\"p99\",\"max\",\"bytes\",\"bars\"]";

static void write_row(struct json_out *out, const struct rows *rows, uint32_t index)
{
    const struct key_average *row = &rows->averages.rows[index];
    const struct key_spread *spread = &row->spread;
    json_newline(out), json_array_begin(out);
    html_name(out, row->name);
    json_string(out, key_kind_name(row->kind));
    json_uint(out, row->count);
    json_int(out, row->self_cpu_total_ns), json_int(out, row->cpu_total_ns);
    json_int(out, row->self_cuda_total_ns), json_int(out, row->cuda_total_ns);
    json_int(out, spread->min_ns), json_three_decimals(out, key_spread_mean(spread));
    json_three_decimals(out, spread->percentile_ns[1]);
    json_three_decimals(out, spread->percentile_ns[3]);
    json_int(out, spread->max_ns);
    json_uint(out, row->bytes);
    write_bars(out, rows, index);
    json_array_end(out);
}

/* ---- what each step has of them ---- */

static uint64_t place_key(const struct key_average *row)
{
    return (uint64_t)row->kind << 32 | row->key;
}

static bool find_places(struct rows *rows)
{
    bool set = true;
    for (uint32_t i = 0; i < rows->top.count && set; i++)
        set = keymap_set(&rows->places, place_key(&rows->averages.rows[rows->top.at[i].index]), i);
    return set;
}

static void fill_sum(struct html_step_sum *sum, const struct key_average *row)
{
    const struct key_spread *spread = &row->spread;
    int64_t total_ns = key_kind_is_device(row->kind) ? row->cuda_total_ns : row->cpu_total_ns;
    int64_t mean_ns = spread->count ? spread->sum_ns / (int64_t)spread->count : 0;
    const int64_t values[HTML_ROW_VALUES] = {
        (int64_t)row->count,
        row->cpu_total_ns,
        row->cpu_total_ns - row->self_cpu_total_ns,
        row->cuda_total_ns,
        row->cuda_total_ns - row->self_cuda_total_ns,
        spread->sum_ns - total_ns,
        (int64_t)spread->percentile_ns[1] - mean_ns,
        (int64_t)spread->percentile_ns[3] - mean_ns,
        spread->max_ns - mean_ns,
    };
    memcpy(sum->values, values, sizeof values);
}

/* To item 0, which is the step itself. */
static void fill_step(struct html_step_sum *sum, const struct key_average *row)
{
    sum->values[0] = 1;
    sum->values[1] = row->self_cpu_total_ns;
    sum->values[3] = key_kind_is_device(row->kind) ? row->self_cuda_total_ns : row->timed_self_ns;
}

static bool add_step_row(struct html_step_sums *sums, const struct rows *rows,
                         const struct key_average *row)
{
    uint32_t place = keymap_find(&rows->places, place_key(row));
    struct html_step_sum *sum = html_step_sums_add(sums, 0, row->group.step);
    if (!sum)
        return false;
    fill_step(sum, row);
    if (place == KEYMAP_NONE)
        return true;
    sum = html_step_sums_add(sums, 1 + place, row->group.step);
    if (sum)
        fill_sum(sum, row);
    return sum != NULL;
}

static bool add_step_rows(struct html_step_sums *sums, const struct rows *rows,
                          const struct timeline *timeline, const struct html_step_list *steps)
{
    struct key_options options;
    struct key_averages averages;
    key_options_default(&options);
    options.group_by = KEY_BY_KEY | KEY_BY_STEP;
    options.steps_apart = steps->is_shown;
    options.spread = true;
    if (!key_averages_init_by(&averages, timeline, &options))
        return false;
    bool added = true;
    for (uint32_t i = 0; i < averages.count && added; i++) {
        if (averages.rows[i].group.step != TL_NONE)
            added = add_step_row(sums, rows, &averages.rows[i]);
    }
    key_averages_fini(&averages);
    return added;
}

static bool write_step_rows(struct json_out *out, struct rows *rows,
                            const struct timeline *timeline, const struct html_step_list *steps)
{
    struct html_step_sums sums = {.values = HTML_ROW_VALUES};
    json_newline(out), json_key(out, "row_steps");
    bool written =
        find_places(rows) && (!steps->all.at.count || add_step_rows(&sums, rows, timeline, steps));
    uint32_t items = 1 + rows->top.count;
    written = written && html_step_sums_write(out, &sums, html_step_sums_fit(&sums, items));
    html_step_sums_fini(&sums);
    keymap_fini(&rows->places);
    return written;
}

/* ---- the page ---- */

static void write_rows(struct json_out *out, const struct rows *rows)
{
    const struct key_averages *averages = &rows->averages;
    json_key(out, "self_cpu_total_ns"), json_int(out, averages->self_cpu_total_ns);
    json_key(out, "self_cuda_total_ns"), json_int(out, averages->self_cuda_total_ns);
    json_key(out, "cuda_outside_ns"), json_int(out, averages->cuda_outside_ns);
    json_key(out, "row_count"), json_uint(out, averages->count);
    json_out_literal(out, columns, sizeof columns - 1, true);
    json_key(out, "rows"), json_array_begin(out);
    for (uint32_t i = 0; i < rows->top.count; i++)
        write_row(out, rows, rows->top.at[i].index);
    json_array_end(out);
}

static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

/* What took most of either kind of time; of marks, which take none, those that came first. */
static void choose(struct rows *rows)
{
    const struct key_averages *averages = &rows->averages;
    for (uint32_t i = 0; i < averages->count; i++) {
        const struct key_average *row = &averages->rows[i];
        double cpu = share(row->cpu_total_ns, averages->self_cpu_total_ns);
        double cuda = share(row->cuda_total_ns, averages->self_cuda_total_ns);
        html_top_add(&rows->top, i, cpu > cuda ? cpu : cuda);
    }
    html_top_sort(&rows->top);
}

static size_t *find_starts(const struct key_averages *averages)
{
    size_t *starts = calloc((size_t)averages->count + 1, sizeof *starts);
    for (size_t i = 0; starts && i < averages->samples.count; i++)
        starts[averages->samples.row[i] + 1]++;
    for (uint32_t row = 0; starts && row < averages->count; row++)
        starts[row + 1] += starts[row];
    return starts;
}

static bool rows_init(struct rows *rows, const struct timeline *timeline)
{
    struct key_options options;
    key_options_default(&options);
    options.spread = options.samples = true;
    if (!key_averages_init_by(&rows->averages, timeline, &options))
        return false;
    rows->starts = find_starts(&rows->averages);
    if (rows->starts && html_top_init(&rows->top, HTML_ROWS)) {
        choose(rows);
        return true;
    }
    free(rows->starts);
    key_averages_fini(&rows->averages);
    return false;
}

bool html_rows(struct json_out *out, const struct timeline *timeline,
               const struct html_step_list *steps)
{
    struct rows rows = {0};
    if (!rows_init(&rows, timeline))
        return false;
    write_rows(out, &rows);
    bool written = write_step_rows(out, &rows, timeline, steps);
    html_top_fini(&rows.top);
    free(rows.starts);
    key_averages_fini(&rows.averages);
    return written;
}

/* ---- the largest rows ---- */

bool html_top_init(struct html_top *top, uint32_t capacity)
{
    *top = (struct html_top){.at = calloc(capacity ? capacity : 1, sizeof *top->at),
                             .capacity = capacity};
    return top->at != NULL;
}

void html_top_fini(struct html_top *top)
{
    free(top->at);
    *top = (struct html_top){0};
}

static bool is_heavier(const struct html_top_item *left, const struct html_top_item *right)
{
    return left->weight > right->weight ||
           (left->weight == right->weight && left->index < right->index);
}

static void swap(struct html_top_item *left, struct html_top_item *right)
{
    struct html_top_item item = *left;
    *left = *right;
    *right = item;
}

static void sink(struct html_top *top, uint32_t at)
{
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= top->count)
            return;
        if (child + 1 < top->count && is_heavier(&top->at[child], &top->at[child + 1]))
            child++;
        if (!is_heavier(&top->at[at], &top->at[child]))
            return;
        swap(&top->at[at], &top->at[child]);
        at = child;
    }
}

static void rise(struct html_top *top, uint32_t at)
{
    while (at && is_heavier(&top->at[(at - 1) / 2], &top->at[at])) {
        swap(&top->at[(at - 1) / 2], &top->at[at]);
        at = (at - 1) / 2;
    }
}

void html_top_add(struct html_top *top, uint32_t index, double weight)
{
    struct html_top_item item = {weight, index};
    if (top->count < top->capacity) {
        top->at[top->count] = item;
        rise(top, top->count++);
    } else if (top->count && is_heavier(&item, &top->at[0])) {
        top->at[0] = item;
        sink(top, 0);
    }
}

static int by_weight(const void *left, const void *right)
{
    return is_heavier(left, right) ? -1 : 1;
}

void html_top_sort(struct html_top *top)
{
    if (top->count > 1)
        qsort(top->at, top->count, sizeof *top->at, by_weight);
}
