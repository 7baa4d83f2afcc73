/* diff_table.c - see report_parts.h. What rows have is described once, in add_columns(). JSON is
 * one object; what is not known is null, times are nanoseconds.
 *
 *     {"names": [2], "confidence", "matters", "resamples", "per_step", "per_run",
 *      "lengths_differ", "nothing_in_common",
 *      "sides": [{"input", "processes": [path ...], "runs", "steps", "clock_ns", "device_clock_ns"}
 *      x 2], "differs": [{"name", "values": [2]} ...], "step", "wall_time", "device_time",
 *      "host_time": {"values_ns": [2], "samples": [2], change}, "tables": [{"by", "change_ns",
 *      "moved_ns", "verdicts": {}, "renamed", "ambiguous",
 *                  "rows": [{"names": [2], "path": [outermost ...], "match", "calls": [2], "time":
 *                  {},
 *                            "device": {} or null, "delta_ns", "share", "device_delta_ns"} ...]}
 *                            ...],
 *      "gate": {"of", "limit", "result", "lines": [2], "row": names or null, change} or null}
 *
 * change: "ratio", "interval": [2] or null, "verdict". A measure ("time", "device"): "samples",
 * "totals_ns", "means_ns", "medians_ns", each of [2], and change.
 */
#include "report_parts.h"

#include "table.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX TABLE_COLUMNS_MAX
#define TITLE_BYTES 512u
#define BOLD "\033[1m"
#define RED "\033[31m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"

struct report {
    const struct diff *diff;
    const struct write_diff_options *options;
    const struct diff_table *of; /* the table whose rows are added */
    bool device;                 /* people see the columns of what ranges launched */
    struct table table;
    struct table_column columns[COLUMNS_MAX + 1];
    char titles[COLUMNS_MAX][TITLE_BYTES]; /* those with a name of a side */
    unsigned column_count;
};

static bool for_people(const struct report *report)
{
    return write_format_is_for_people(report->options->format);
}

static bool is_json(const struct report *report)
{
    return report->options->format == WRITE_JSON;
}

/* ---- columns; `rank` as in fit.h ---- */

static void add_column(struct report *report, const char *key, const char *title, uint8_t in,
                       uint8_t rank)
{
    report->columns[report->column_count++] =
        (struct table_column){.key = key, .title = title, .in = in, .rank = rank};
}

/* A column for each side, with its name. */
static void add_pair(struct report *report, const char *key, const char *title, uint8_t in,
                     uint8_t rank)
{
    for (unsigned side = 0; side < 2; side++) {
        char *to = report->titles[report->column_count];
        if (for_people(report))
            snprintf(to, TITLE_BYTES, "%.400s %s", report->options->names[side], title);
        else
            snprintf(to, 256, "%.200s_%s", report->options->names[side], key);
        add_column(report, to, to, in, rank);
        report->columns[report->column_count - 1].is_named = true;
    }
}

/* What separated values have of the ratio of a measure. */
static void add_ratio(struct report *report, const char *const keys[4])
{
    for (unsigned i = 0; i < 4; i++)
        add_column(report, keys[i], NULL, TABLE_IN_VALUES, 0);
}

static void add_time_columns(struct report *report)
{
    static const char *const ratio[] = {"ratio", "ratio_low", "ratio_high", "verdict"};
    const uint8_t both = TABLE_FOR_PEOPLE | TABLE_IN_VALUES, people = TABLE_FOR_PEOPLE;
    const struct diff *diff = report->diff;
    bool divided = diff->per_step || diff->per_run;
    add_column(report, "verdict", "Verdict", people, 0);
    add_column(report, "ratio", "Ratio", people, 1);
    add_column(report, "interval", "Interval", people, 4);
    add_column(report, "delta", "Delta", people, 0);
    add_column(report, "share", "Share", people, 5);
    add_pair(report, "calls",
             diff->per_step  ? "calls/step"
             : diff->per_run ? "calls/run"
                             : "calls",
             both, 8);
    add_pair(report, "n", "calls", divided ? both : TABLE_IN_VALUES, 11);
    add_pair(report, "total_ns",
             diff->per_step  ? "total/step"
             : diff->per_run ? "total/run"
                             : "total",
             both, 9);
    add_pair(report, "mean_ns", "mean", both, 3);
    add_pair(report, "median_ns", "median", both, 12);
    add_ratio(report, ratio);
}

static void add_device_columns(struct report *report)
{
    static const char *const ratio[] = {"device_ratio", "device_ratio_low", "device_ratio_high",
                                        "device_verdict"};
    const uint8_t people = report->device ? TABLE_FOR_PEOPLE : 0, values = TABLE_IN_VALUES;
    if (people) {
        add_column(report, "on_device", "On device", people, 2);
        add_column(report, "device_ratio", "Device ratio", people, 6);
        add_column(report, "device_interval", "Device interval", people, 10);
        add_column(report, "device_delta", "Device delta", people, 6);
    }
    add_pair(report, "device_n", "n", values, 0);
    add_pair(report, "device_total_ns", "device", people | values, 7);
    add_pair(report, "device_mean_ns", "mean", values, 0);
    add_pair(report, "device_median_ns", "median", values, 0);
    add_ratio(report, ratio);
}

static void add_columns(struct report *report)
{
    const uint8_t values = TABLE_IN_VALUES, json = TABLE_IN_JSON, programs = TABLE_FOR_PROGRAMS;
    report->column_count = 0;
    add_column(report, "name", "Name", TABLE_FOR_PEOPLE, 0);
    add_column(report, "by", NULL, values, 0);
    add_pair(report, "name", NULL, values, 0);
    add_column(report, "names", NULL, json, 0);
    if (is_json(report) && report->of->by == DIFF_BY_PATH)
        add_column(report, "path", NULL, json, 0);
    add_column(report, "match", NULL, programs, 0);
    add_column(report, "calls", NULL, json, 0);
    add_time_columns(report);
    add_column(report, "time", NULL, json, 0), add_column(report, "device", NULL, json, 0);
    add_column(report, "delta_ns", NULL, programs, 0);
    add_column(report, "share", NULL, programs, 0);
    add_device_columns(report);
    add_column(report, "device_delta_ns", NULL, programs, 0);
    report->columns[report->column_count] = (struct table_column){0};
}

/* ---- members of JSON ---- */

static void names_json(const struct report *report, const struct diff_row *row,
                       struct json_out *out)
{
    json_array_begin(out);
    for (unsigned of = 0; of < 2; of++)
        if (row->entry[of] == TL_NONE)
            json_null(out);
        else
            json_text(out, report->diff->sides[of]->entries.at[row->entry[of]].name);
    json_array_end(out);
}

static void path_json(const struct report *report, const struct diff_row *row, struct json_out *out)
{
    uint32_t at[KEY_PATH_DEPTH_MAX], depth = 0;
    unsigned of = row->entry[0] == TL_NONE;
    const struct diff_side *from = report->diff->sides[of];
    const struct key_path *paths = from->averages.paths;
    uint32_t index = from->entries.at[row->entry[of]].path;
    for (; index != TL_NONE && depth < KEY_PATH_DEPTH_MAX; index = paths[index].parent)
        at[depth++] = index;
    json_array_begin(out);
    while (depth-- > 0)
        json_text(out, paths[at[depth]].name);
    json_array_end(out);
}

static void doubles(struct json_out *out, const double values[2])
{
    json_array_begin(out);
    json_double(out, values[0]), json_double(out, values[1]);
    json_array_end(out);
}

static void counts(struct json_out *out, const uint64_t values[2])
{
    json_array_begin(out);
    json_uint(out, values[0]), json_uint(out, values[1]);
    json_array_end(out);
}

static void change_json(struct json_out *out, const struct bootstrap_interval *ratio,
                        enum diff_verdict verdict)
{
    json_key(out, "ratio"), json_double(out, ratio->ratio);
    json_key(out, "interval");
    if (ratio->known)
        doubles(out, (double[]){ratio->low, ratio->high});
    else
        json_null(out);
    json_key(out, "verdict"), json_string(out, diff_verdict_name(verdict));
}

static void measure_json(struct json_out *out, const struct diff_measure *of)
{
    json_object_begin(out);
    json_key(out, "samples"), counts(out, of->samples);
    json_key(out, "totals_ns"), doubles(out, of->total_ns);
    json_key(out, "means_ns"), doubles(out, of->mean_ns);
    json_key(out, "medians_ns"), doubles(out, of->median_ns);
    change_json(out, &of->ratio, of->verdict);
    json_object_end(out);
}

/* ---- rows ---- */

static bool is_here(const struct diff_row *row, unsigned side)
{
    return row->entry[side] != TL_NONE;
}

static bool has_samples(const struct diff_measure *measure)
{
    return measure->samples[0] || measure->samples[1];
}

/* Of separated values. */
static void add_value(struct report *report, double value)
{
    if (isfinite(value))
        table_format(&report->table, "%.15g", value);
    else
        table_none(&report->table);
}

static void add_times(struct report *report, const double ns[2])
{
    for (unsigned side = 0; side < 2; side++) {
        char text[TIME_TEXT_BYTES] = "-";
        if (!isnan(ns[side]))
            time_text_in(ns[side], report->options->unit, text);
        if (for_people(report))
            table_format(&report->table, "%s", text);
        else
            add_value(report, ns[side]);
    }
}

static void add_calls(struct report *report, const struct diff_row *row)
{
    for (unsigned side = 0; side < 2; side++) {
        char text[DIFF_TEXT_BYTES] = "-";
        if (is_here(row, side))
            diff_text_number(row->count[side], text);
        if (for_people(report))
            table_format(&report->table, "%s", text);
        else
            add_value(report, row->count[side]);
    }
}

static void add_samples(struct report *report, const struct diff_measure *measure)
{
    for (unsigned side = 0; side < 2; side++)
        table_count(&report->table, measure->samples[side]);
}

static void add_ratio_values(struct report *report, const struct diff_measure *measure)
{
    add_value(report, measure->ratio.ratio);
    add_value(report, measure->ratio.low), add_value(report, measure->ratio.high);
    table_format(&report->table, "%s",
                 has_samples(measure) ? diff_verdict_name(measure->verdict) : "");
}

static const char *color_of(enum diff_verdict verdict)
{
    switch (verdict) {
    case DIFF_SLOWER:
    case DIFF_MORE_CALLS:
        return RED;
    case DIFF_FASTER:
    case DIFF_FEWER_CALLS:
        return GREEN;
    case DIFF_UNCLEAR:
    case DIFF_NEW:
    case DIFF_GONE:
        return YELLOW;
    default:
        return NULL;
    }
}

/* Verdict, ratio and interval for people. */
static void add_verdict(struct report *report, const struct diff_row *row,
                        const struct diff_measure *measure, bool is_known)
{
    const struct bootstrap_interval *ratio = &measure->ratio;
    bool both = is_here(row, 0) && is_here(row, 1) && measure->samples[0] && measure->samples[1];
    const char *none = both ? "unknown" : "-";
    struct table *table = &report->table;
    table_format(table, "%s", is_known ? diff_verdict_name(measure->verdict) : "-");
    if (is_known && report->options->color && for_people(report))
        table_color(table, color_of(measure->verdict));
    if (isfinite(ratio->ratio))
        table_format(table, "%.3f", ratio->ratio);
    else
        table_format(table, "%s", none);
    if (!ratio->known)
        table_format(table, "%s", none);
    else if (isinf(ratio->high))
        table_format(table, "%.3f or more", ratio->low);
    else
        table_format(table, "%.3f to %.3f", ratio->low, ratio->high);
}

/* "+1.200ms", "-3.000us"; "0.000us" of no difference. */
static void delta_text(double ns, enum time_unit unit, char to[DIFF_TEXT_BYTES])
{
    char text[TIME_TEXT_BYTES];
    time_text_in(fabs(ns), unit, text);
    bool is_nothing = strspn(text, "0.") == strcspn(text, "nums");
    snprintf(to, DIFF_TEXT_BYTES, "%s%s", is_nothing ? "" : ns > 0 ? "+" : "-", text);
}

static void add_delta(struct report *report, double ns)
{
    char text[DIFF_TEXT_BYTES];
    delta_text(ns, report->options->unit, text);
    table_format(&report->table, "%s", text);
}

static void add_share(struct report *report, double share)
{
    if (isnan(share))
        table_format(&report->table, "-");
    else
        table_format(&report->table, "%.1f%%", share * 100);
}

/* To free(). */
static void add_name(struct report *report, char *name)
{
    if (name)
        table_string(&report->table, name);
    else
        report->table.failed = true;
    free(name);
}

static void add_names(struct report *report, const struct diff_row *row)
{
    struct table *table = &report->table;
    enum diff_by by = report->of->by;
    struct json_out *out;
    if (table_shows(table))
        add_name(report, diff_text_short_name(report->diff, row, by, report->options->name_width));
    table_format(table, "%s", diff_by_name(by));
    for (unsigned side = 0; side < 2; side++)
        if (table_shows(table))
            add_name(report,
                     is_here(row, side) ? diff_text_name(report->diff, row, side, by) : strdup(""));
    if ((out = table_json(table)))
        names_json(report, row, out);
    if (is_json(report) && by == DIFF_BY_PATH)
        path_json(report, row, table_json(table));
    table_format(table, "%s",
                 row->match == DIFF_SAME_NAME ? "name"
                 : row->ambiguous             ? "ambiguous"
                                              : "renamed");
}

static void add_device(struct report *report, const struct diff_row *row)
{
    const struct diff_measure *device = &row->device;
    if (for_people(report) && report->device) {
        add_verdict(report, row, device, has_samples(device));
        if (has_samples(device))
            add_delta(report, row->device_delta_ns);
        else
            table_format(&report->table, "-");
    }
    add_samples(report, device);
    add_times(report, device->total_ns), add_times(report, device->mean_ns);
    add_times(report, device->median_ns);
    add_ratio_values(report, device);
}

static void device_json(struct json_out *out, const struct diff_measure *of)
{
    if (has_samples(of))
        measure_json(out, of);
    else
        json_null(out);
}

static void add_number(struct report *report, double value)
{
    if (is_json(report))
        table_number(&report->table, value);
    else
        add_value(report, value);
}

static void add_row(struct report *report, const struct diff_row *row)
{
    const struct diff_measure *time = &row->time;
    struct table *table = &report->table;
    struct json_out *out;
    table_row(table);
    add_names(report, row);
    if ((out = table_json(table)))
        doubles(out, row->count);
    add_verdict(report, row, time, true);
    add_delta(report, row->delta_ns), add_share(report, row->share);
    add_calls(report, row), add_samples(report, time);
    add_times(report, time->total_ns), add_times(report, time->mean_ns);
    add_times(report, time->median_ns);
    add_ratio_values(report, time);
    if ((out = table_json(table)))
        measure_json(out, time);
    if ((out = table_json(table)))
        device_json(out, &row->device);
    add_number(report, row->delta_ns), add_number(report, row->share);
    add_device(report, row);
    add_number(report, row->device_delta_ns);
}

static void add_rows(struct report *report, const struct diff_table *of)
{
    int64_t most = report->options->rows;
    report->of = of;
    for (uint32_t i = 0; i < of->rows.count && (most < 0 || i < most); i++)
        add_row(report, &of->rows.at[i]);
}

static void add_table(struct report *report, const struct diff_table *of)
{
    report->of = of;
    add_columns(report);
    table_begin(&report->table, NULL, NULL, report->columns);
    add_rows(report, of);
    table_end(&report->table);
}

static struct report report_of(const struct diff *diff, const struct write_diff_options *options,
                               FILE *stream)
{
    return (struct report){.diff = diff,
                           .options = options,
                           .table = {.format = options->format,
                                     .frame = TABLE_BARE,
                                     .stream = stream,
                                     .most = -1,
                                     .table_width = options->table_width,
                                     .title_color = options->color ? BOLD : NULL,
                                     .unbroken = true}};
}

static bool has_device(const struct diff_table *table)
{
    for (uint32_t i = 0; i < table->rows.count; i++)
        if (has_samples(&table->rows.at[i].device))
            return true;
    return false;
}

bool diff_table_write(const struct diff *diff, const struct diff_table *table,
                      const struct write_diff_options *options, FILE *stream)
{
    struct report report = report_of(diff, options, stream);
    report.device = has_device(table);
    add_table(&report, table);
    return table_finish(&report.table);
}

/* ---- the whole, for programs ---- */

static bool is_shown(const struct report *report, unsigned by)
{
    return report->diff->options.tables & 1u << by;
}

static bool add_values(struct table *table, void *user)
{
    struct report *report = user;
    add_columns(report);
    table_begin(table, "diff", NULL, report->columns);
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++)
        if (is_shown(report, by))
            add_rows(report, &report->diff->tables[by]);
    table_end(table);
    return !table->failed;
}

static void verdicts_json(struct json_out *out, const struct diff_table *table)
{
    json_key(out, "verdicts"), json_object_begin(out);
    for (unsigned i = 0; i < DIFF_VERDICTS; i++) {
        json_string(out, diff_verdict_name((enum diff_verdict)i)), json_colon(out);
        json_uint(out, table->verdicts[i]);
    }
    json_object_end(out);
}

static void side_json(const struct report *report, unsigned side)
{
    struct json_out *out = report->table.json;
    const struct diff_side *of = report->diff->sides[side];
    json_object_begin(out);
    json_key(out, "input"), json_string(out, report->options->inputs[side]);
    json_key(out, "processes"), json_array_begin(out);
    for (uint32_t i = 0; i < of->timeline->processes.count; i++)
        json_string(out, of->timeline->processes.at[i].path);
    json_array_end(out);
    json_key(out, "runs"), json_uint(out, of->runs);
    json_key(out, "steps"), json_uint(out, of->steps);
    json_key(out, "clock_ns"), json_double(out, of->tick_ns);
    json_key(out, "device_clock_ns"), json_double(out, of->device_tick_ns);
    json_object_end(out);
}

static void facts_json(struct report *report)
{
    struct json_out *out = report->table.json;
    json_key(out, "differs"), json_array_begin(out);
    for (uint32_t i = 0; i < DIFF_FACTS; i++) {
        const struct diff_fact *fact = &report->diff->facts.at[i];
        if (!fact->differs)
            continue;
        json_object_begin(out);
        json_key(out, "name"), json_string(out, fact->name);
        json_key(out, "values"), json_array_begin(out);
        for (unsigned of = 0; of < 2; of++)
            if (fact->value[of][0])
                json_string(out, fact->value[of]);
            else
                json_null(out);
        json_array_end(out);
        json_object_end(out);
    }
    json_array_end(out);
}

static void total_json(struct json_out *out, const struct diff_total *of)
{
    if (!of->known) {
        json_null(out);
        return;
    }
    json_object_begin(out);
    json_key(out, "values_ns"), doubles(out, of->value_ns);
    json_key(out, "samples"), counts(out, of->samples);
    change_json(out, &of->ratio, of->verdict);
    json_object_end(out);
}

static void gate_json(struct report *report)
{
    static const char *const results[] = {"", "passed", "inconclusive", "failed"};
    const struct diff_gate *of = &report->diff->gate;
    struct diff_gate_lines lines;
    struct json_out *out = report->table.json;
    json_key(out, "gate");
    if (of->result == DIFF_GATE_NONE) {
        json_null(out);
        return;
    }
    json_object_begin(out);
    write_diff_gate(report->diff, report->options, &lines);
    json_key(out, "of"), json_string(out, diff_gate_name(of->of));
    json_key(out, "limit"), json_double(out, of->limit);
    json_key(out, "result"), json_string(out, results[of->result]);
    json_key(out, "lines"), json_array_begin(out);
    json_string(out, lines.judged), json_string(out, lines.result);
    json_array_end(out);
    json_key(out, "row");
    if (of->table)
        names_json(report, &of->table->rows.at[of->row], out);
    else
        json_null(out);
    change_json(out, &of->ratio, diff_verdict_of(&of->ratio));
    json_object_end(out);
}

static void table_json_members(struct report *report, const struct diff_table *table)
{
    struct json_out *out = report->table.json;
    json_object_begin(out);
    json_key(out, "by"), json_string(out, diff_by_name(table->by));
    json_key(out, "change_ns"), json_double(out, table->change_ns);
    json_key(out, "moved_ns"), json_double(out, table->moved_ns);
    verdicts_json(out, table);
    json_key(out, "renamed"), json_uint(out, table->renamed);
    json_key(out, "ambiguous"), json_uint(out, table->ambiguous);
    json_key(out, "rows"), add_table(report, table);
    json_object_end(out);
}

static void head_json(struct report *report)
{
    const struct diff *diff = report->diff;
    struct json_out *out = report->table.json;
    json_key(out, "names"), json_array_begin(out);
    json_string(out, report->options->names[0]), json_string(out, report->options->names[1]);
    json_array_end(out);
    json_key(out, "confidence"), json_double(out, diff->options.confidence);
    json_key(out, "matters"), json_double(out, DIFF_MATTERS);
    json_key(out, "resamples"), json_uint(out, diff->options.resamples);
    json_key(out, "per_step"), json_bool(out, diff->per_step);
    json_key(out, "per_run"), json_bool(out, diff->per_run);
    json_key(out, "lengths_differ"), json_bool(out, diff->lengths_differ);
    json_key(out, "nothing_in_common"), json_bool(out, diff->nothing_in_common);
    json_key(out, "sides"), json_array_begin(out);
    side_json(report, 0), side_json(report, 1);
    json_array_end(out);
    facts_json(report);
    json_key(out, "step"), total_json(out, &diff->step);
    json_key(out, "wall_time"), total_json(out, &diff->wall);
    json_key(out, "device_time"), total_json(out, &diff->device);
    json_key(out, "host_time"), total_json(out, &diff->host);
}

static bool add_json(struct table *table, void *user)
{
    struct report *report = user;
    head_json(report);
    json_key(table->json, "tables"), json_array_begin(table->json);
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++)
        if (is_shown(report, by))
            table_json_members(report, &report->diff->tables[by]);
    json_array_end(table->json);
    gate_json(report);
    return !table->failed;
}

bool diff_table_write_all(const struct diff *diff, const struct write_diff_options *options,
                          FILE *stream)
{
    struct report report = report_of(diff, options, stream);
    return table_write(&report.table, is_json(&report) ? add_json : add_values, &report);
}
