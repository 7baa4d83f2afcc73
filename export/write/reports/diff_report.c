/* diff_report.c - a diff for people: what was compared, the verdicts, then the tables. In Markdown what is not a table
 * stands in a block of code, where nothing is markup. And as JSON: a diff as one JSON object; what is not known is null, times are nanoseconds.
 *
 *     {"names": [2], "confidence", "resamples", "per_step", "lengths_differ", "nothing_in_common",
 *      "sides": [{"processes": [path ...], "steps", "clock_ns", "device_clock_ns"} x 2],
 *      "differs": [{"name", "values": [2]} ...],
 *      "step", "device_time": {"values_ns": [2], "samples": [2], change},
 *      "tables": [{"by", "change_ns", "verdicts": {}, "renamed", "ambiguous",
 *                  "rows": [{"names": [2], "path": [outermost ...], "match", "calls": [2], "time": {},
 *                            "device": {} or null, "delta_ns", "share", "device_delta_ns"} ...]} ...],
 *      "gate": {"of", "limit", "result", "row": names or null, change} or null}
 *
 * change: "ratio", "interval": [2] or null, "verdict". A measure ("time", "device"): "samples",
 * "totals_ns", "means_ns", "medians_ns", each of [2], and change.
 */
#include "diff_table.h"
#include "json_out.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_COLUMNS 200u

/* So many compared rows are expected to differ by chance before it is said. */
#define CHANCE_ROWS 1.0

struct report {
    const struct diff *diff;
    const struct write_diff_options *options;
    FILE *stream;
};

static void shown(const char *text, char to[SHOW_TEXT_BYTES(SHOWN_COLUMNS)])
{
    bool rest;
    if (!*text)
        text = "unknown";
    show_text((struct text){text, strlen(text)}, SHOWN_COLUMNS, to, &rest);
}

/* ---- what was compared ---- */

static void print_side(const struct report *report, unsigned side)
{
    const struct diff_side *of = report->diff->sides[side];
    const struct timeline *timeline = of->timeline;
    char path[SHOW_TEXT_BYTES(SHOWN_COLUMNS)], name[SHOW_TEXT_BYTES(SHOWN_COLUMNS)];
    char recorded[TIME_TEXT_BYTES];
    shown(timeline->processes.count ? timeline->processes.at[0].path : "", path);
    shown(report->options->names[side], name);
    fprintf(report->stream, "%s: %s", name, path);
    if (timeline->processes.count > 1)
        fprintf(report->stream, " and %u more", timeline->processes.count - 1);
    time_text_in((double)(timeline->end_ns - timeline->start_ns), report->options->unit, recorded);
    fprintf(report->stream, ", recorded %s", timeline->processes.count ? recorded : "nothing");
    if (of->steps)
        fprintf(report->stream, ", %llu steps", (unsigned long long)of->steps);
    fputc('\n', report->stream);
}

static void print_facts(const struct report *report)
{
    const struct diff_facts *facts = &report->diff->facts;
    char values[2][SHOW_TEXT_BYTES(SHOWN_COLUMNS)];
    if (facts->differing)
        fputs("What else differs:\n", report->stream);
    for (uint32_t i = 0; i < DIFF_FACTS; i++) {
        shown(facts->at[i].value[0], values[0]);
        shown(facts->at[i].value[1], values[1]);
        if (facts->at[i].differs)
            fprintf(report->stream, "  %-12s %s -> %s\n", facts->at[i].name, values[0], values[1]);
    }
}

static void print_length(const struct report *report)
{
    const struct diff *diff = report->diff;
    if (diff->per_step)
        fputs("Calls and totals are per step.\n", report->stream);
    else if (diff->lengths_differ)
        fputs("The runs differ in how often the same was done: totals tell that, too; means and "
              "medians do not.\n",
              report->stream);
}

/* ---- verdicts ---- */

static void print_total(const struct report *report, const char *title, const char *of,
                        const struct diff_total *total)
{
    char change[DIFF_TEXT_BYTES], values[2][TIME_TEXT_BYTES],
        names[2][SHOW_TEXT_BYTES(SHOWN_COLUMNS)];
    for (unsigned side = 0; side < 2; side++) {
        time_text_in(total->value_ns[side], report->options->unit, values[side]);
        shown(report->options->names[side], names[side]);
    }
    diff_text_change(&total->ratio, report->diff->options.confidence, change);
    fprintf(report->stream, "%s: %s %s, %s %s (%s of %llu and %llu): %s\n", title, names[0],
            values[0], names[1], values[1], of, (unsigned long long)total->samples[0],
            (unsigned long long)total->samples[1], change);
}

static void print_totals(const struct report *report)
{
    const struct diff *diff = report->diff;
    char name[SHOW_TEXT_BYTES(SHOWN_COLUMNS)];
    shown(report->options->names[diff->device.samples[0] == 0], name);
    if (diff->step.known)
        print_total(report, "Step", "median", &diff->step);
    if (diff->device.known)
        print_total(report, "Device time", diff->per_step ? "per step, sum" : "sum", &diff->device);
    else if (diff->device.samples[0] || diff->device.samples[1])
        fprintf(report->stream, "Device time: only %s has work on devices\n", name);
    else
        fputs("Device time: neither run has work on devices\n", report->stream);
    if (diff->nothing_in_common)
        fputs("Nothing in common: no row of the one run is in the other.\n", report->stream);
}

/* "2 slower", "1 with more calls" */
static void print_count(const struct report *report, enum diff_verdict verdict, uint32_t count)
{
    bool with = verdict == DIFF_MORE_CALLS || verdict == DIFF_FEWER_CALLS;
    if (verdict == DIFF_UNKNOWN)
        fprintf(report->stream, ", %u with too few calls to tell", count);
    else
        fprintf(report->stream, ", %u %s%s", count, with ? "with " : "",
                diff_verdict_name(verdict));
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

/* "By kernel: 12 rows, 2 slower, 10 same" */
static void print_verdicts(const struct report *report, const struct diff_table *table)
{
    static const enum diff_verdict order[] = {DIFF_SLOWER,     DIFF_FASTER,      DIFF_SAME,
                                              DIFF_MORE_CALLS, DIFF_FEWER_CALLS, DIFF_NEW,
                                              DIFF_GONE,       DIFF_UNKNOWN};
    fprintf(report->stream, "By %s: %u row%s", diff_by_name(table->by), table->rows.count,
            plural(table->rows.count));
    for (unsigned i = 0; i < DIFF_VERDICTS; i++)
        if (table->verdicts[order[i]])
            print_count(report, order[i], table->verdicts[order[i]]);
    if (table->renamed)
        fprintf(report->stream, "; %u under another name", table->renamed);
    if (table->ambiguous)
        fprintf(report->stream, ", %u of these could be others as well (?)", table->ambiguous);
    fputc('\n', report->stream);
}

static bool is_shown(const struct diff *diff, unsigned by)
{
    return diff->options.tables & 1u << by;
}

/* Where no correction is made for the number of rows, the reader must know it. */
static void print_chance(const struct report *report)
{
    char sure[DIFF_TEXT_BYTES];
    uint32_t compared = 0;
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++)
        for (uint32_t i = 0; i < report->diff->tables[by].rows.count && is_shown(report->diff, by);
             i++)
            compared += report->diff->tables[by].rows.at[i].time.ratio.known;
    double chance = compared * (1 - report->diff->options.confidence);
    if (chance < CHANCE_ROWS)
        return;
    diff_text_number(report->diff->options.confidence * 100, sure);
    fprintf(report->stream,
            "Of %u compared rows about %.0f would be called different at %s %% if nothing had "
            "changed.\n",
            compared, chance, sure);
}

/* ---- tables ---- */

static void print_heading(const struct report *report, const struct diff_table *table)
{
    int64_t rows = report->options->rows;
    bool all = rows < 0 || rows >= table->rows.count;
    fprintf(report->stream, "\n%sBy %s", report->options->format == WRITE_MARKDOWN ? "### " : "",
            diff_by_name(table->by));
    if (all)
        fprintf(report->stream, ", largest change first\n");
    else
        fprintf(report->stream, ", the %lld largest changes of %u rows\n", (long long)rows,
                table->rows.count);
    if (report->options->format == WRITE_MARKDOWN)
        fputc('\n', report->stream);
}

static bool print_table(const struct report *report, unsigned by)
{
    const struct diff_table *table = &report->diff->tables[by];
    if (table->rows.count == 0 || report->options->rows == 0)
        return true;
    print_heading(report, table);
    return diff_table_write(report->diff, table, report->options, report->stream);
}

static void print_head(const struct report *report)
{
    const struct diff *diff = report->diff;
    print_side(report, 0);
    print_side(report, 1);
    print_facts(report);
    print_length(report);
    fputc('\n', report->stream);
    print_totals(report);
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++) {
        if (!is_shown(diff, by))
            continue;
        if (diff->tables[by].rows.count)
            print_verdicts(report, &diff->tables[by]);
        else
            fprintf(report->stream, "By %s: neither run has any\n", diff_by_name((enum diff_by)by));
    }
    print_chance(report);
}

static bool print_report(const struct report *report)
{
    const char *fence = report->options->format == WRITE_MARKDOWN ? "```\n" : "";
    char gate[DIFF_GATE_BYTES];
    fputs(fence, report->stream);
    print_head(report);
    fputs(fence, report->stream);
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++)
        if (is_shown(report->diff, by) && !print_table(report, by))
            return false;
    if (report->diff->gate.result != DIFF_GATE_NONE) {
        write_diff_gate(report->diff, gate);
        fprintf(report->stream, "\n%s%s\n%s", fence, gate, fence);
    }
    return !ferror(report->stream);
}

/* ---- the gate ---- */

static void gate_subject(const struct diff *diff, char to[DIFF_GATE_BYTES])
{
    static const char *const subjects[] = {"", "step", "device time", "kernels"};
    const struct diff_gate *gate = &diff->gate;
    snprintf(to, DIFF_GATE_BYTES, "%s", subjects[gate->of]);
    if (!gate->table)
        return;
    char *name = diff_text_short_name(diff, &gate->table->rows.at[gate->row], gate->table->by, 80);
    snprintf(to, DIFF_GATE_BYTES, "kernel %.340s", name ? name : "");
    free(name);
}

void write_diff_gate(const struct diff *diff, char to[DIFF_GATE_BYTES])
{
    static const char *const results[] = {"", "passed", "FAILED",
                                          "not failed, for the noise cannot be told"};
    const struct diff_gate *gate = &diff->gate;
    char subject[DIFF_GATE_BYTES], change[DIFF_TEXT_BYTES], limit[DIFF_TEXT_BYTES];
    gate_subject(diff, subject);
    diff_text_change(&gate->ratio, diff->options.confidence, change);
    diff_text_number(gate->limit * 100, limit);
    snprintf(to, DIFF_GATE_BYTES, "%.340s: %s, limit %.20s %%: %s", subject, change, limit,
             results[gate->result]);
}

struct json_writer {
    const struct diff *diff;
    const struct write_diff_options *options;
    struct json_out out;
};

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

static void change(struct json_out *out, const struct bootstrap_interval *ratio,
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

/* ---- JSON: the whole ---- */

static void side(struct json_writer *writer, const struct diff_side *of)
{
    struct json_out *out = &writer->out;
    json_object_begin(out);
    json_key(out, "processes"), json_array_begin(out);
    for (uint32_t i = 0; i < of->timeline->processes.count; i++)
        json_string(out, of->timeline->processes.at[i].path);
    json_array_end(out);
    json_key(out, "steps"), json_uint(out, of->steps);
    json_key(out, "clock_ns"), json_double(out, of->tick_ns);
    json_key(out, "device_clock_ns"), json_double(out, of->device_tick_ns);
    json_object_end(out);
}

static void facts(struct json_writer *writer)
{
    struct json_out *out = &writer->out;
    json_key(out, "differs"), json_array_begin(out);
    for (uint32_t i = 0; i < DIFF_FACTS; i++) {
        const struct diff_fact *fact = &writer->diff->facts.at[i];
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

static void total(struct json_out *out, const struct diff_total *of)
{
    if (!of->known) {
        json_null(out);
        return;
    }
    json_object_begin(out);
    json_key(out, "values_ns"), doubles(out, of->value_ns);
    json_key(out, "samples"), counts(out, of->samples);
    change(out, &of->ratio, of->verdict);
    json_object_end(out);
}

/* ---- JSON: rows ---- */

static void names(struct json_writer *writer, const struct diff_row *row)
{
    json_array_begin(&writer->out);
    for (unsigned of = 0; of < 2; of++)
        if (row->entry[of] == TL_NONE)
            json_null(&writer->out);
        else
            json_text(&writer->out, writer->diff->sides[of]->entries.at[row->entry[of]].name);
    json_array_end(&writer->out);
}

static void path(struct json_writer *writer, const struct diff_row *row)
{
    uint32_t at[KEY_PATH_DEPTH_MAX], depth = 0;
    unsigned of = row->entry[0] == TL_NONE;
    const struct diff_side *from = writer->diff->sides[of];
    const struct key_path *paths = from->averages.paths;
    uint32_t index = from->entries.at[row->entry[of]].path;
    for (; index != TL_NONE && depth < KEY_PATH_DEPTH_MAX; index = paths[index].parent)
        at[depth++] = index;
    json_key(&writer->out, "path"), json_array_begin(&writer->out);
    while (depth-- > 0)
        json_text(&writer->out, paths[at[depth]].name);
    json_array_end(&writer->out);
}

static void measure(struct json_out *out, const struct diff_measure *of)
{
    json_object_begin(out);
    json_key(out, "samples"), counts(out, of->samples);
    json_key(out, "totals_ns"), doubles(out, of->total_ns);
    json_key(out, "means_ns"), doubles(out, of->mean_ns);
    json_key(out, "medians_ns"), doubles(out, of->median_ns);
    change(out, &of->ratio, of->verdict);
    json_object_end(out);
}

static void row_members(struct json_writer *writer, const struct diff_table *table,
                        const struct diff_row *row)
{
    struct json_out *out = &writer->out;
    json_object_begin(out);
    json_key(out, "names"), names(writer, row);
    if (table->by == DIFF_BY_PATH)
        path(writer, row);
    json_key(out, "match");
    json_string(out, row->match == DIFF_SAME_NAME ? "name"
                     : row->ambiguous             ? "ambiguous"
                                                  : "renamed");
    json_key(out, "calls"), doubles(out, row->count);
    json_key(out, "time"), measure(out, &row->time);
    json_key(out, "device");
    if (row->device.samples[0] || row->device.samples[1])
        measure(out, &row->device);
    else
        json_null(out);
    json_key(out, "delta_ns"), json_double(out, row->delta_ns);
    json_key(out, "share"), json_double(out, row->share);
    json_key(out, "device_delta_ns"), json_double(out, row->device_delta_ns);
    json_object_end(out);
}

static void verdicts(struct json_out *out, const struct diff_table *table)
{
    json_key(out, "verdicts"), json_object_begin(out);
    for (unsigned i = 0; i < DIFF_VERDICTS; i++) {
        json_string(out, diff_verdict_name((enum diff_verdict)i)), json_colon(out);
        json_uint(out, table->verdicts[i]);
    }
    json_object_end(out);
}

static void table_members(struct json_writer *writer, const struct diff_table *table)
{
    struct json_out *out = &writer->out;
    json_object_begin(out);
    json_key(out, "by"), json_string(out, diff_by_name(table->by));
    json_key(out, "change_ns"), json_double(out, table->change_ns);
    verdicts(out, table);
    json_key(out, "renamed"), json_uint(out, table->renamed);
    json_key(out, "ambiguous"), json_uint(out, table->ambiguous);
    json_key(out, "rows"), json_array_begin(out);
    for (uint32_t i = 0; i < table->rows.count; i++)
        if (writer->options->rows < 0 || i < writer->options->rows) {
            json_newline(out);
            row_members(writer, table, &table->rows.at[i]);
        }
    json_array_end(out);
    json_object_end(out);
}

static void gate(struct json_writer *writer)
{
    static const char *const subjects[] = {"", "step", "device", "kernel"};
    static const char *const results[] = {"", "passed", "failed", "unknown"};
    const struct diff_gate *of = &writer->diff->gate;
    struct json_out *out = &writer->out;
    json_key(out, "gate");
    if (of->result == DIFF_GATE_NONE) {
        json_null(out);
        return;
    }
    json_object_begin(out);
    json_key(out, "of"), json_string(out, subjects[of->of]);
    json_key(out, "limit"), json_double(out, of->limit);
    json_key(out, "result"), json_string(out, results[of->result]);
    json_key(out, "row");
    if (of->table)
        names(writer, &of->table->rows.at[of->row]);
    else
        json_null(out);
    change(out, &of->ratio, diff_verdict_of(&of->ratio));
    json_object_end(out);
}

static void head(struct json_writer *writer)
{
    const struct diff *diff = writer->diff;
    struct json_out *out = &writer->out;
    json_key(out, "names"), json_array_begin(out);
    json_string(out, writer->options->names[0]), json_string(out, writer->options->names[1]);
    json_array_end(out);
    json_key(out, "confidence"), json_double(out, diff->options.confidence);
    json_key(out, "resamples"), json_uint(out, diff->options.resamples);
    json_key(out, "per_step"), json_bool(out, diff->per_step);
    json_key(out, "lengths_differ"), json_bool(out, diff->lengths_differ);
    json_key(out, "nothing_in_common"), json_bool(out, diff->nothing_in_common);
    json_key(out, "sides"), json_array_begin(out);
    side(writer, diff->sides[0]), side(writer, diff->sides[1]);
    json_array_end(out);
    facts(writer);
    json_key(out, "step"), total(out, &diff->step);
    json_key(out, "device_time"), total(out, &diff->device);
}

static bool write_diff_json(const struct diff *diff, const struct write_diff_options *options,
                            FILE *stream)
{
    struct json_writer writer = {.diff = diff, .options = options};
    struct json_out *out = &writer.out;
    bool ready = json_out_init(out, -1, stream);
    json_object_begin(out);
    head(&writer);
    json_key(out, "tables"), json_array_begin(out);
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++)
        if (diff->options.tables & 1u << by)
            table_members(&writer, &diff->tables[by]);
    json_array_end(out);
    gate(&writer);
    json_object_end(out);
    out->comma = false, json_newline(out);
    int error = json_out_fini(out);
    if (error)
        errno = error;
    return ready && error == 0;
}

/* ---- the whole ---- */

bool write_diff(const struct diff *diff, const struct write_diff_options *options, FILE *stream)
{
    struct report report = {diff, options, stream};
    switch (options->format) {
    case WRITE_JSON:
        return write_diff_json(diff, options, stream);
    case WRITE_TSV:
    case WRITE_CSV:
        return diff_table_write_rows(diff, options, stream);
    default:
        return print_report(&report);
    }
}
