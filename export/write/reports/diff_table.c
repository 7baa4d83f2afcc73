/* diff_table.c - see report_parts.h. What rows have is described once, in add_columns(). JSON is
 * one object; what is not known is null, times are nanoseconds.
 *
 *     {"names": [2], "confidence", "matters", "resamples", "per_step", "per_run",
 *      "lengths_differ", "nothing_in_common", "verdict" (of the runs), "judged" (by what),
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

#include "envelope.h"
#include "table.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    char names[2][401]; /* of the sides, in titles */
};

static bool for_people(const struct report *report)
{
    return write_format_is_for_people(report->options->format);
}

static bool is_json(const struct report *report)
{
    return report->options->format == WRITE_JSON;
}

/* ---- members of JSON; `out` NULL: this is not JSON ---- */

static void names_json(const struct report *report, const struct diff_row *row,
                       struct json_out *out)
{
    if (!out)
        return;
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
    if (!out)
        return;
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
    if (!out)
        return;
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
    if (!out)
        return;
    json_object_begin(out);
    json_key(out, "samples"), counts(out, of->samples);
    json_key(out, "totals_ns"), doubles(out, of->total_ns);
    json_key(out, "means_ns"), doubles(out, of->mean_ns);
    json_key(out, "medians_ns"), doubles(out, of->median_ns);
    change_json(out, &of->ratio, of->verdict);
    json_object_end(out);
}

/* ---- cells ---- */

static bool is_here(const struct diff_row *row, unsigned side)
{
    return row->entry[side] != TL_NONE;
}

static bool has_samples(const struct diff_measure *measure)
{
    return measure->samples[0] || measure->samples[1];
}

/* Of separated values. */
static void value_cell(struct table *table, double value)
{
    if (isfinite(value))
        table_format(table, "%.15g", value);
    else
        table_none(table);
}

static void number_cell(struct table *table, double value)
{
    if (table->format == WRITE_JSON)
        table_number(table, value);
    else
        value_cell(table, value);
}

/* Of a side; NaN: it has none. */
static void time_cell(struct table *table, const struct report *report, const double ns[2],
                      unsigned side)
{
    char text[TIME_TEXT_BYTES] = "-";
    if (!isnan(ns[side]))
        time_text_in(ns[side], report->options->unit, text);
    if (for_people(report))
        table_format(table, "%s", text);
    else
        value_cell(table, ns[side]);
}

static void calls_cell(struct table *table, const struct report *report, const struct diff_row *row,
                       unsigned side)
{
    char text[DIFF_TEXT_BYTES] = "-";
    if (is_here(row, side))
        diff_text_number(row->count[side], text);
    if (for_people(report))
        table_format(table, "%s", text);
    else
        value_cell(table, row->count[side]);
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
static void verdict_cell(struct table *table, const struct report *report,
                         const struct diff_measure *measure, bool is_known)
{
    if (!table_shows(table))
        return;
    table_format(table, "%s", is_known ? diff_verdict_name(measure->verdict) : "-");
    if (is_known && report->options->color)
        table_color(table, color_of(measure->verdict));
}

static const char *no_ratio(const struct diff_row *row, const struct diff_measure *measure)
{
    bool both = is_here(row, 0) && is_here(row, 1) && measure->samples[0] && measure->samples[1];
    return both ? "unknown" : "-";
}

static void ratio_cell(struct table *table, const struct diff_row *row,
                       const struct diff_measure *measure)
{
    if (isfinite(measure->ratio.ratio))
        table_format(table, "%.3f", measure->ratio.ratio);
    else
        table_format(table, "%s", no_ratio(row, measure));
}

static void interval_cell(struct table *table, const struct diff_row *row,
                          const struct diff_measure *measure)
{
    const struct bootstrap_interval *ratio = &measure->ratio;
    if (!ratio->known)
        table_format(table, "%s", no_ratio(row, measure));
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

static void delta_cell(struct table *table, const struct report *report, double ns, bool is_known)
{
    char text[DIFF_TEXT_BYTES] = "-";
    if (is_known)
        delta_text(ns, report->options->unit, text);
    table_format(table, "%s", text);
}

static void share_cell(struct table *table, double share)
{
    if (isnan(share))
        table_format(table, "-");
    else
        table_format(table, "%.1f%%", share * 100);
}

/* To free(). */
static void add_name(struct table *table, char *name)
{
    if (name)
        table_string(table, name);
    else
        table->failed = true;
    free(name);
}

static void short_name_cell(struct table *table, const struct report *report,
                            const struct diff_row *row)
{
    if (table_shows(table))
        add_name(table, diff_text_short_name(report->diff, row, report->of->by,
                                             report->options->name_width));
}

static void name_cell(struct table *table, const struct report *report, const struct diff_row *row,
                      unsigned side)
{
    if (table_shows(table))
        add_name(table, is_here(row, side) ? diff_text_name(report->diff, row, side, report->of->by)
                                           : strdup(""));
}

static void device_json(struct json_out *out, const struct diff_measure *of)
{
    if (out && !has_samples(of))
        json_null(out);
    else
        measure_json(out, of);
}

static const char *match_name(const struct diff_row *row)
{
    return row->match == DIFF_SAME_NAME ? "name" : row->ambiguous ? "ambiguous" : "renamed";
}

/* ---- columns; `rank` as in fit.h ---- */

#define TEXT_AND_VALUES (TABLE_FOR_PEOPLE | TABLE_IN_VALUES)
#define DEVICE_IN (report->device ? TABLE_FOR_PEOPLE : TABLE_NOWHERE)
#define BY_PATH (is_json(report) && report->of->by == DIFF_BY_PATH)
#define PER(what)                                 \
    (report->diff->per_step  ? "%s " what "/step" \
     : report->diff->per_run ? "%s " what "/run"  \
                             : "%s " what)
#define DIVIDED (report->diff->per_step || report->diff->per_run)

/* A column for each side, with its name. */
#define PAIR(X, CELL, of, key, title, in_, ...)                                         \
    X(CELL(table, report, of, 0), "%s_" key, title, in_, __VA_ARGS__, .is_named = true) \
    X(CELL(table, report, of, 1), "%s_" key, title, in_, __VA_ARGS__, .is_named = true, .word = 1)

static void samples_cell(struct table *table, const struct report *report,
                         const uint64_t samples[2], unsigned side)
{
    (void)report;
    table_count(table, samples[side]);
}

/* What separated values have of the ratio of a measure. */
#define RATIO_COLUMNS(X, of, prefix)                                                        \
    X(value_cell(table, row->of.ratio.ratio), prefix "ratio", .in = TABLE_IN_VALUES)        \
    X(value_cell(table, row->of.ratio.low), prefix "ratio_low", .in = TABLE_IN_VALUES)      \
    X(value_cell(table, row->of.ratio.high), prefix "ratio_high", .in = TABLE_IN_VALUES)    \
    X(table_string(table, has_samples(&row->of) ? diff_verdict_name(row->of.verdict) : ""), \
      prefix "verdict", .in = TABLE_IN_VALUES)

#define DIFF_COLUMNS(X)                                                                            \
    X(short_name_cell(table, report, row), "name", "Name", TABLE_FOR_PEOPLE)                       \
    X(table_format(table, "%s", diff_by_name(report->of->by)), "by", .in = TABLE_IN_VALUES)        \
    PAIR(X, name_cell, row, "name", NULL, TABLE_IN_VALUES, 0)                                      \
    X(names_json(report, row, table_json(table)), "names", .in = TABLE_IN_JSON)                    \
    X(path_json(report, row, table_json(table)), "path",                                           \
      .in = BY_PATH ? TABLE_IN_JSON : TABLE_NOWHERE)                                               \
    X(table_format(table, "%s", match_name(row)), "match", .in = TABLE_FOR_PROGRAMS)               \
    X(doubles(table_json(table), row->count), "calls", .in = TABLE_IN_JSON)                        \
    X(verdict_cell(table, report, &row->time, true), "verdict", "Verdict", TABLE_FOR_PEOPLE)       \
    X(ratio_cell(table, row, &row->time), "ratio", "Ratio", TABLE_FOR_PEOPLE, .rank = 1)           \
    X(interval_cell(table, row, &row->time), "interval", "Interval", TABLE_FOR_PEOPLE, .rank = 4)  \
    X(delta_cell(table, report, row->delta_ns, true), "delta", "Delta", TABLE_FOR_PEOPLE)          \
    X(share_cell(table, row->share), "share", "Share", TABLE_FOR_PEOPLE, .rank = 5)                \
    PAIR(X, calls_cell, row, "calls", PER("calls"), TEXT_AND_VALUES, 8)                            \
    PAIR(X, samples_cell, row->time.samples, "n", "%s calls",                                      \
         DIVIDED ? TEXT_AND_VALUES : TABLE_IN_VALUES, 11)                                          \
    PAIR(X, time_cell, row->time.total_ns, "total_ns", PER("total"), TEXT_AND_VALUES, 9)           \
    PAIR(X, time_cell, row->time.mean_ns, "mean_ns", "%s mean", TEXT_AND_VALUES, 3)                \
    PAIR(X, time_cell, row->time.median_ns, "median_ns", "%s median", TEXT_AND_VALUES, 12)         \
    RATIO_COLUMNS(X, time, "")                                                                     \
    X(measure_json(table_json(table), &row->time), "time", .in = TABLE_IN_JSON)                    \
    X(device_json(table_json(table), &row->device), "device", .in = TABLE_IN_JSON)                 \
    X(number_cell(table, row->delta_ns), "delta_ns", .in = TABLE_FOR_PROGRAMS)                     \
    X(number_cell(table, row->share), "share", .in = TABLE_FOR_PROGRAMS)                           \
    X(verdict_cell(table, report, &row->device, has_samples(&row->device)), "on_device",           \
      "On device", DEVICE_IN, .rank = 2)                                                           \
    X(ratio_cell(table, row, &row->device), "device_ratio", "Device ratio", DEVICE_IN, .rank = 6)  \
    X(interval_cell(table, row, &row->device), "device_interval", "Device interval", DEVICE_IN,    \
      .rank = 10)                                                                                  \
    X(delta_cell(table, report, row->device_delta_ns, has_samples(&row->device)), "device_delta",  \
      "Device delta", DEVICE_IN, .rank = 6)                                                        \
    PAIR(X, samples_cell, row->device.samples, "device_n", "%s n", TABLE_IN_VALUES, 0)             \
    PAIR(X, time_cell, row->device.total_ns, "device_total_ns", "%s device",                       \
         report->device ? TEXT_AND_VALUES : TABLE_IN_VALUES, 7)                                    \
    PAIR(X, time_cell, row->device.mean_ns, "device_mean_ns", "%s mean", TABLE_IN_VALUES, 0)       \
    PAIR(X, time_cell, row->device.median_ns, "device_median_ns", "%s median", TABLE_IN_VALUES, 0) \
    RATIO_COLUMNS(X, device, "device_")                                                            \
    X(number_cell(table, row->device_delta_ns), "device_delta_ns", .in = TABLE_FOR_PROGRAMS)
TABLE_ROW_CELLS(diff, DIFF_COLUMNS, const struct report *report, const struct diff_row *row)

static void add_rows(struct report *report, const struct diff_table *of)
{
    int64_t most = report->options->rows;
    report->of = of;
    for (uint32_t i = 0; i < of->rows.count && (most < 0 || i < most); i++)
        diff_row(&report->table, report, &of->rows.at[i]);
}

/* `of` NULL: of all tables as one. */
static void add_table(struct report *report, const struct diff_table *of)
{
    report->of = of;
    for (unsigned side = 0; side < 2; side++) {
        snprintf(report->names[side], sizeof report->names[side],
                 for_people(report) ? "%.400s" : "%.200s", report->options->names[side]);
        report->table.words[side] = report->names[side];
    }
    const struct table_column columns[] = {DIFF_COLUMNS(TABLE_COLUMN){0}};
    table_begin(&report->table, of ? NULL : "diff", NULL, columns);
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++)
        if (of ? of == &report->diff->tables[by] : report->diff->options.tables & 1u << by)
            add_rows(report, &report->diff->tables[by]);
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
    add_table(user, NULL);
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

static bool head_json(struct report *report)
{
    static const char *const reasons[DIFF_OUTCOMES] = {
        [DIFF_RUN_INCONCLUSIVE] = "noise may explain a difference or hide one, or is unknown",
        [DIFF_RUN_NOT_COMPARABLE] = "a run lacks what is judged, or they have nothing in common",
    };
    const struct diff *diff = report->diff;
    struct json_out *out = report->table.json;
    const struct envelope envelope = {
        .command = "diff",
        .timelines = {diff->sides[0]->timeline, diff->sides[1]->timeline},
        .abstained = reasons[diff->outcome]};
    bool begun = envelope_begin(out, &envelope);
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
    json_key(out, "verdict"), json_string(out, diff_outcome_name(diff->outcome));
    json_key(out, "judged"), json_string(out, diff_gate_name(diff->gate.of));
    json_key(out, "sides"), json_array_begin(out);
    side_json(report, 0), side_json(report, 1);
    json_array_end(out);
    facts_json(report);
    json_key(out, "step"), total_json(out, &diff->step);
    json_key(out, "wall_time"), total_json(out, &diff->wall);
    json_key(out, "device_time"), total_json(out, &diff->device);
    json_key(out, "host_time"), total_json(out, &diff->host);
    return begun;
}

static bool add_json(struct table *table, void *user)
{
    struct report *report = user;
    if (!head_json(report))
        return false;
    json_key(table->json, "tables"), json_array_begin(table->json);
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++)
        if (is_shown(report, by))
            table_json_members(report, &report->diff->tables[by]);
    json_array_end(table->json);
    gate_json(report);
    envelope_end(table->json, "diff");
    return !table->failed;
}

bool diff_table_write_all(const struct diff *diff, const struct write_diff_options *options,
                          FILE *stream)
{
    struct report report = report_of(diff, options, stream);
    return table_write(&report.table, is_json(&report) ? add_json : add_values, &report);
}
