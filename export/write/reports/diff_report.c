/* diff_report.c - a diff for people: what was compared, the verdicts, then the tables. In Markdown
 * what is not a table stands in a block of code, where nothing is markup.
 */
#include "evidence.h"
#include "report_parts.h"

#include "fit.h"
#include "report_cells.h"
#include "text.h"
#include "units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_COLUMNS 200u
#define NAME_COLUMNS 30u /* of a side's name in a sentence */
#define WIDTH_MAX 65536u /* columns of a name that are looked at when it is cut */

/* So many compared rows are expected to differ by chance before it is said. */
#define CHANCE_ROWS 1.0

/* ---- names ---- */

static char *copy_text(struct text text)
{
    char *copy = malloc(text.size + 1);
    if (!copy)
        return NULL;
    if (text.size)
        memcpy(copy, text.bytes, text.size);
    copy[text.size] = 0;
    return copy;
}

/* Written from the back, as paths know their parents. */
static char *path_text(const struct key_averages *averages, uint32_t path)
{
    size_t size = 0;
    for (uint32_t at = path; at != TL_NONE; at = averages->paths[at].parent)
        size += averages->paths[at].name.size + 3;
    char *text = malloc(size + 1), *to = text + size;
    if (!text)
        return NULL;
    for (uint32_t at = path; at != TL_NONE; at = averages->paths[at].parent) {
        struct text name = averages->paths[at].name;
        to -= name.size;
        if (name.size)
            memcpy(to, name.bytes, name.size);
        to -= 3;
        memcpy(to, " > ", 3);
    }
    if (size) {
        memmove(text, text + 3, size - 3);
        size -= 3;
    }
    text[size] = 0;
    return text;
}

char *diff_text_name(const struct diff *diff, const struct diff_row *row, unsigned side,
                     enum diff_by by)
{
    const struct diff_side *of = diff->sides[side];
    const struct diff_entry *entry = &of->entries.at[row->entry[side]];
    return by == DIFF_BY_PATH ? path_text(&of->averages, entry->path) : copy_text(entry->name);
}

static char *safe_text(const char *text)
{
    struct text all = {text, strlen(text)};
    unsigned columns = show_text_width(all, WIDTH_MAX);
    char *to = malloc(SHOW_TEXT_BYTES(columns));
    bool rest;
    if (to)
        show_text(all, columns, to, &rest);
    return to;
}

/* Takes from `text`, `columns` wide, what is too much: `front` characters stay in front of
 * "...". */
static void cut(char *text, unsigned columns, unsigned width, unsigned front)
{
    if (columns <= width || width < front + 3)
        return;
    size_t from = utf8_prefix(text, front), rest = utf8_prefix(text, columns - (width - 3 - front));
    memmove(text + from + 3, text + rest, strlen(text + rest) + 1);
    memcpy(text + from, "...", 3);
}

/* To free(). */
static char *one_name(const struct diff *diff, const struct diff_row *row, unsigned side,
                      enum diff_by by, unsigned width)
{
    char *full = diff_text_name(diff, row, side, by), *text = full ? safe_text(full) : NULL;
    free(full);
    if (text) {
        unsigned columns = show_text_width((struct text){text, strlen(text)}, UINT32_MAX);
        cut(text, columns, width, by == DIFF_BY_PATH ? 0 : (width - 3) / 2);
    }
    return text;
}

char *diff_text_short_name(const struct diff *diff, const struct diff_row *row, enum diff_by by,
                           unsigned width)
{
    if (row->match != DIFF_RENAMED)
        return one_name(diff, row, row->entry[1] == TL_NONE ? 0 : 1, by, width);
    char *before = one_name(diff, row, 0, by, width), *after = one_name(diff, row, 1, by, width);
    size_t size = before && after ? strlen(before) + strlen(after) + 16 : 0;
    char *both = size ? malloc(size) : NULL;
    if (both)
        snprintf(both, size, "%s -> %s%s", before, after, row->ambiguous ? " (?)" : "");
    free(before);
    free(after);
    return both;
}

/* ---- numbers ---- */

void diff_text_number(double value, char to[DIFF_TEXT_BYTES])
{
    snprintf(to, DIFF_TEXT_BYTES, "%.3f", value);
    size_t size = strlen(to);
    while (size && to[size - 1] == '0')
        to[--size] = 0;
    if (size && to[size - 1] == '.')
        to[size - 1] = 0;
}

/* Per cent that a ratio is above 1. */
static double excess(double ratio)
{
    return (ratio - 1) * 100;
}

static void percent_text(double percent, bool sign, char to[48])
{
    if (!isfinite(percent))
        snprintf(to, 48, "any");
    else if (sign)
        snprintf(to, 48, "%+.1f", percent);
    else
        snprintf(to, 48, "%.1f", percent);
}

static void change_within(const char *words, const double percents[3], bool sign, double confidence,
                          char *to)
{
    char texts[3][48], sure[DIFF_TEXT_BYTES];
    for (unsigned i = 0; i < 3; i++)
        percent_text(percents[i], sign, texts[i]);
    diff_text_number(confidence * 100, sure);
    snprintf(to, DIFF_TEXT_BYTES, "%s %.20s %% (%.10s %%: %.20s to %.20s)", words, texts[0], sure,
             texts[1], texts[2]);
}

/* "slower by 7.3 % (95 %: 6.8 to 7.9)", "no difference beyond noise: +0.4 % (95 %: -0.1 to +0.9)",
 * "unclear: +25.0 % (95 %: -3.0 to +61.2)", "+7.3 %, too few values to tell from noise",
 * "unknown". */
static void change_text(const struct bootstrap_interval *ratio, double confidence,
                        char to[DIFF_TEXT_BYTES])
{
    double low = excess(ratio->low), high = excess(ratio->high), percent = excess(ratio->ratio);
    switch (diff_verdict_of(ratio)) {
    case DIFF_SLOWER:
        change_within("slower by", (double[]){percent, low, high}, false, confidence, to);
        break;
    case DIFF_FASTER:
        change_within("faster by", (double[]){-percent, -high, -low}, false, confidence, to);
        break;
    case DIFF_SAME:
        change_within("no difference beyond noise:", (double[]){percent, low, high}, true,
                      confidence, to);
        break;
    case DIFF_UNCLEAR:
        change_within("unclear:", (double[]){percent, low, high}, true, confidence, to);
        break;
    default:
        if (isfinite(ratio->ratio))
            snprintf(to, DIFF_TEXT_BYTES, "%+.1f %%, too few values to tell from noise", percent);
        else
            snprintf(to, DIFF_TEXT_BYTES, "unknown");
    }
}

struct report {
    const struct diff *diff;
    const struct write_diff_options *options;
    FILE *stream;
};

static void shown_in(const char *text, unsigned columns, char *to)
{
    bool rest;
    if (!*text)
        text = "unknown";
    show_text((struct text){text, strlen(text)}, columns, to, &rest);
}

static void shown(const char *text, char to[SHOW_TEXT_BYTES(SHOWN_COLUMNS)])
{
    shown_in(text, SHOWN_COLUMNS, to);
}

/* ---- what was compared ---- */

static void print_side(const struct report *report, unsigned side)
{
    const struct diff_side *of = report->diff->sides[side];
    const struct timeline *timeline = of->timeline;
    char path[SHOW_TEXT_BYTES(SHOWN_COLUMNS)], name[SHOW_TEXT_BYTES(SHOWN_COLUMNS)];
    char recorded[TIME_TEXT_BYTES];
    int64_t recorded_ns = 0;
    shown(timeline->processes.count ? timeline->processes.at[0].path : "", path);
    shown(report->options->names[side], name);
    fprintf(report->stream, "%s: %s", name, path);
    if (timeline->processes.count > 1)
        fprintf(report->stream, " and %u more", timeline->processes.count - 1);
    for (size_t i = 0; i < of->runs; i++)
        recorded_ns += of->wall_ns[i];
    time_text_in((double)recorded_ns, report->options->unit, recorded);
    if (of->runs > 1)
        fprintf(report->stream, ", %zu runs", of->runs);
    fprintf(report->stream, ", recorded %s", of->runs ? recorded : "nothing");
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
    else if (diff->per_run)
        fputs("Calls and totals are per run.\n", report->stream);
    if (diff->lengths_differ)
        fputs(
            "The runs differ in numbers of calls: this affects totals, but not means or medians.\n",
            report->stream);
}

/* ---- verdicts ---- */

/* What one total is called, what it is made of, and what it takes that a side has it. */
struct total_words {
    const char *title, *of, *unit, *has;
};

static const struct total_words total_words[DIFF_GATES] = {
    [DIFF_GATE_STEPS] = {"Step", "median", "", "steps"},
    [DIFF_GATE_WALL] = {"Wall time", "median", " runs", "events"},
    [DIFF_GATE_DEVICE] = {"Device time", "sum", "", "work on devices"},
    [DIFF_GATE_HOST] = {"Host time", "median", " runs", "device records of what it launched"},
};

static const char *const gate_subjects[DIFF_GATES] = {[DIFF_GATE_STEPS] = "step time",
                                                      [DIFF_GATE_WALL] = "wall time",
                                                      [DIFF_GATE_DEVICE] = "device time",
                                                      [DIFF_GATE_HOST] = "host time",
                                                      [DIFF_GATE_KERNEL] = "kernels"};

#define NO_KERNEL "the runs share no kernel of 1 %% of the device time or more"

/* "neither run has steps", "only base has steps" */
static void lacking_text(const struct diff *diff, const struct write_diff_options *options,
                         enum diff_gate_of of, char to[DIFF_TEXT_BYTES])
{
    const struct diff_total *total = diff_total_of(diff, of);
    char name[SHOW_TEXT_BYTES(NAME_COLUMNS)];
    shown_in(options->names[total->samples[0] == 0], NAME_COLUMNS, name);
    bool any = total->samples[0] || total->samples[1];
    snprintf(to, DIFF_TEXT_BYTES, "%s%s has %s", any ? "only " : "", any ? name : "neither run",
             total_words[of].has);
}

static void print_total(const struct report *report, enum diff_gate_of of)
{
    const struct diff *diff = report->diff;
    const struct diff_total *total = diff_total_of(diff, of);
    const struct total_words *words = &total_words[of];
    FILE *stream = report->stream;
    char text[DIFF_TEXT_BYTES], value[TIME_TEXT_BYTES], name[SHOW_TEXT_BYTES(SHOWN_COLUMNS)];
    fprintf(stream, "%s: ", words->title);
    if (!total->known) {
        lacking_text(diff, report->options, of, text);
        fprintf(stream, "%s\n", text);
        return;
    }
    for (unsigned side = 0; side < 2; side++) {
        time_text_in(total->value_ns[side], report->options->unit, value);
        shown(report->options->names[side], name);
        fprintf(stream, "%s%s %s", side ? ", " : "", name, value);
    }
    fputs(of != DIFF_GATE_DEVICE ? " ("
          : diff->per_step       ? " (per step, "
          : diff->per_run        ? " (per run, "
                                 : " (",
          stream);
    if (*words->unit && total->samples[0] == 1 && total->samples[1] == 1)
        fputs("one run each", stream);
    else
        fprintf(stream, "%s of %llu and %llu%s", words->of, (unsigned long long)total->samples[0],
                (unsigned long long)total->samples[1], words->unit);
    change_text(&total->ratio, diff->options.confidence, text);
    fprintf(stream, "): %s\n", text);
}

/* A run without work on devices may lack the records of it. */
static void print_unseen(const struct report *report, unsigned side)
{
    struct evidence evidence;
    char lacking[EVIDENCE_BYTES], name[SHOW_TEXT_BYTES(SHOWN_COLUMNS)];
    shown(report->options->names[side], name);
    if (evidence_init(&evidence, report->diff->sides[side]->timeline) &&
        evidence.launches + evidence.copies + evidence.captured &&
        evidence_lacks(&evidence, EVIDENCE_DEVICE, lacking))
        fprintf(report->stream, "  %s: %s\n", name, lacking);
}

/* "Verdict: slower, by step time" */
static void print_outcome(const struct report *report)
{
    const struct diff *diff = report->diff;
    const struct diff_total *total = diff_total_of(diff, diff->gate.of);
    char text[DIFF_TEXT_BYTES] = "";
    if (total && !total->known)
        lacking_text(diff, report->options, diff->gate.of, text);
    else if (diff->nothing_in_common)
        snprintf(text, sizeof text, "the runs share no row");
    else if (diff->outcome == DIFF_RUN_NOT_COMPARABLE)
        snprintf(text, sizeof text, NO_KERNEL);
    fprintf(report->stream, "Verdict: %s, by %s%s%s\n", diff_outcome_name(diff->outcome),
            gate_subjects[diff->gate.of], *text ? ": " : "", text);
}

static void print_totals(const struct report *report)
{
    const struct diff *diff = report->diff;
    print_outcome(report);
    if (diff->step.samples[0] || diff->step.samples[1])
        print_total(report, DIFF_GATE_STEPS);
    print_total(report, DIFF_GATE_WALL);
    print_total(report, DIFF_GATE_DEVICE);
    for (unsigned side = 0; side < 2 && !diff->device.known; side++)
        print_unseen(report, side);
    print_total(report, DIFF_GATE_HOST);
    if (diff->nothing_in_common)
        fputs("Nothing in common: the runs share no row.\n", report->stream);
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

/* "By kernel: 12 rows, 2 slower, 10 same" */
static void print_verdicts(const struct report *report, const struct diff_table *table)
{
    static const enum diff_verdict order[] = {DIFF_SLOWER,  DIFF_FASTER,     DIFF_SAME,
                                              DIFF_UNCLEAR, DIFF_MORE_CALLS, DIFF_FEWER_CALLS,
                                              DIFF_NEW,     DIFF_GONE,       DIFF_UNKNOWN};
    fprintf(report->stream, "By %s: %u row%s", diff_by_name(table->by), table->rows.count,
            plural(table->rows.count));
    for (unsigned i = 0; i < DIFF_VERDICTS; i++)
        if (table->verdicts[order[i]])
            print_count(report, order[i], table->verdicts[order[i]]);
    if (table->renamed)
        fprintf(report->stream, "; %u under another name", table->renamed);
    if (table->ambiguous)
        fprintf(report->stream, ", %u of these matches are ambiguous (?)", table->ambiguous);
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
    char moved[TIME_TEXT_BYTES];
    time_text_in(table->moved_ns, report->options->unit, moved);
    fprintf(report->stream, "\n%sBy %s", report->options->format == WRITE_MARKDOWN ? "### " : "",
            diff_by_name(table->by));
    if (all)
        fprintf(report->stream, ", largest change first");
    else
        fprintf(report->stream, ", the %lld largest changes of %u rows", (long long)rows,
                table->rows.count);
    if (table->moved_ns > 0)
        fprintf(report->stream, "; shares of %s gained and lost in total", moved);
    fputc('\n', report->stream);
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

static bool print_report(const void *user, FILE *stream)
{
    const struct report with_stream = {((const struct report *)user)->diff,
                                       ((const struct report *)user)->options, stream};
    const struct report *report = &with_stream;
    const char *fence = report->options->format == WRITE_MARKDOWN ? "```\n" : "";
    struct diff_gate_lines gate;
    fputs(fence, report->stream);
    print_head(report);
    fputs(fence, report->stream);
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++)
        if (is_shown(report->diff, by) && !print_table(report, by))
            return false;
    if (report->diff->gate.result != DIFF_GATE_NONE) {
        write_diff_gate(report->diff, report->options, &gate);
        fprintf(report->stream, "\n%s%s\n%s\n%s", fence, gate.judged, gate.result, fence);
    }
    return !ferror(report->stream);
}

/* ---- the gate ---- */

/* Why this is judged. */
static void because_text(const struct diff *diff, const struct write_diff_options *options,
                         char to[DIFF_TEXT_BYTES])
{
    if (diff->options.gate_of != DIFF_GATE_AUTO)
        snprintf(to, DIFF_TEXT_BYTES, "of --judge %s", diff_gate_name(diff->gate.of));
    else if (diff->step.known)
        snprintf(to, DIFF_TEXT_BYTES, "both runs have steps");
    else
        lacking_text(diff, options, DIFF_GATE_STEPS, to);
}

static void subject_text(const struct diff *diff, char to[DIFF_GATE_BYTES])
{
    const struct diff_gate *gate = &diff->gate;
    char *name = gate->table ? diff_text_short_name(diff, &gate->table->rows.at[gate->row],
                                                    gate->table->by, 80)
                             : NULL;
    if (name)
        snprintf(to, DIFF_GATE_BYTES, "kernel %.340s", name);
    else
        snprintf(to, DIFF_GATE_BYTES, "%s", gate_subjects[gate->of]);
    free(name);
}

/* How the gate's subject changed, or what it lacks. */
static void gate_change(const struct diff *diff, const struct write_diff_options *options,
                        char to[DIFF_TEXT_BYTES])
{
    const struct diff_gate *gate = &diff->gate;
    const struct diff_total *total = diff_total_of(diff, gate->of);
    if (total && !total->known)
        lacking_text(diff, options, gate->of, to);
    else if (!total && !gate->table)
        snprintf(to, DIFF_TEXT_BYTES, NO_KERNEL);
    else
        change_text(&gate->ratio, diff->options.confidence, to);
}

/* What would let the gate decide. */
static void remedy_text(const struct diff *diff, char to[DIFF_TEXT_BYTES])
{
    const struct diff_gate *gate = &diff->gate;
    const struct diff_total *total = diff_total_of(diff, gate->of);
    bool of_runs = gate->of == DIFF_GATE_WALL || gate->of == DIFF_GATE_HOST;
    bool is_open = gate->result == DIFF_GATE_INCONCLUSIVE;
    if (is_open && of_runs && total->known && !gate->ratio.known)
        snprintf(to, DIFF_TEXT_BYTES,
                 " (to measure the noise, compare directories of %zu runs each)",
                 bootstrap_least(diff->options.confidence));
    else if (diff->nothing_in_common && total && total->known)
        snprintf(to, DIFF_TEXT_BYTES, " (the runs share no row)");
    else
        *to = 0;
}

void write_diff_gate(const struct diff *diff, const struct write_diff_options *options,
                     struct diff_gate_lines *lines)
{
    const struct diff_gate *gate = &diff->gate;
    char subject[DIFF_GATE_BYTES], text[DIFF_TEXT_BYTES], limit[DIFF_TEXT_BYTES],
        remedy[DIFF_TEXT_BYTES];
    const char *result = gate->result == DIFF_GATE_FAILED         ? "FAILED"
                         : gate->result == DIFF_GATE_INCONCLUSIVE ? "INCONCLUSIVE"
                         : gate->ratio.known                      ? "passed"
                                                                  : "passed, noise unknown";
    because_text(diff, options, text);
    snprintf(lines->judged, DIFF_GATE_BYTES, "Judged: %s, because %s", gate_subjects[gate->of],
             text);
    subject_text(diff, subject);
    gate_change(diff, options, text);
    diff_text_number(gate->limit * 100, limit);
    remedy_text(diff, remedy);
    snprintf(lines->result, DIFF_GATE_BYTES, "%.340s: %s, limit %.20s %%: %s%s", subject, text,
             limit, result, remedy);
}

/* ---- the whole ---- */

bool write_diff(const struct diff *diff, const struct write_diff_options *options, FILE *stream)
{
    const struct report report = {diff, options, stream};
    unsigned width = options->format == WRITE_TEXT ? options->table_width : 0;
    return write_format_is_for_people(options->format)
               ? fit_written(print_report, &report, width, stream)
               : diff_table_write_all(diff, options, stream);
}
