/* findings_report.c - profdump explain: what findings.h found. members/explain.txt has its JSON. */
#include "reports.h"

#include "device_api.h"
#include "envelope.h"
#include "evidence.h"
#include "finding_gaps.h"
#include "findings.h"
#include "fit.h"
#include "markdown_text.h"
#include "remedies.h"
#include "report_cells.h"
#include "rules.h"
#include "run_facts.h"
#include "text.h"
#include "units.h"
#include "waited_for.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BAR_COLUMNS 25
#define NAME_COLUMNS 60u
#define FRAMES_SHOWN 5u
#define FRAMES_MOST 64u
#define LINE_COLUMNS 2000u
#define EXAMPLE_BYTES 100u
#define REMEDY_BYTES 1024u

/* ---- as text ---- */

struct text_report {
    const struct findings *findings;
    const struct waited_list *waited;
    const struct findings_report_options *options;
    FILE *stream;
};

/* ---- the accounts of devices ---- */

#define BEFORE_BAR 71u /* in front of the bar */

static int bar_columns(const struct text_report *report)
{
    unsigned width = report->options->table_width;
    if (!width || width >= BEFORE_BAR + BAR_COLUMNS)
        return BAR_COLUMNS;
    return width > BEFORE_BAR ? (int)(width - BEFORE_BAR) : 0;
}

static void print_account(const struct text_report *report, const struct gap_device *device,
                          const char *what, int64_t ns)
{
    char time[TIME_TEXT_BYTES], bar[BAR_COLUMNS + 1];
    double share = device->window_ns > 0 ? (double)ns / (double)device->window_ns : 0;
    int columns = bar_columns(report), filled = (int)(share * columns + 0.5);
    time_text_exact(ns, time_text_unit((double)device->window_ns), time);
    memset(bar, '#', sizeof bar);
    bar[filled < 0 ? 0 : filled > columns ? columns : filled] = '\0';
    fprintf(report->stream, "  %-44s %14s  %6s%s%s\n", what, time,
            sentence_share(ns, device->window_ns).text, *bar ? "  " : "", bar);
}

static void print_device(const struct text_report *report, const struct gap_device *device)
{
    const struct finding_context *context = &report->findings->context;
    const struct timeline *timeline = context->timeline;
    const struct tl_device *facts = timeline_device_of(timeline, device->process, device->device);
    char name[SHOW_TEXT_BYTES(NAME_COLUMNS)];
    bool rest;
    fprintf(report->stream, "\n%s", finding_device(context, device->process, device->device).text);
    if (facts && facts->name < timeline->names.count && timeline->names.at[facts->name].size) {
        show_text(timeline->names.at[facts->name], NAME_COLUMNS, name, &rest);
        fprintf(report->stream, ", %s", name);
    }
    fprintf(report->stream, ": %s\n", sentence_count(device->operations, "operation").text);
    print_account(report, device, "busy", device->busy_ns);
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++) {
        char what[64];
        snprintf(what, sizeof what, "idle: %s",
                 gap_cause_words((enum gap_cause)cause, device_api_of(timeline)));
        if (device->idle_ns[cause])
            print_account(report, device, what, device->idle_ns[cause]);
    }
    print_account(report, device, "= first to last event", device->window_ns);
}

/* ---- what devices waited for ---- */

static void print_stack(const struct text_report *report, uint32_t stack, enum finding_stack_of of)
{
    char frames[FRAMES_SHOWN][FINDINGS_FRAME_BYTES];
    uint32_t count = 0;
    if (stack != TL_NONE && report->options->frames)
        count = report->options->frames(report->options->user, stack, frames, FRAMES_SHOWN);
    if (count && of != FINDING_STACK_CALL)
        fputs(of == FINDING_STACK_NEXT ? "    until  the next GPU call, which ended the gap:\n"
                                       : "    after  the last GPU call:\n",
              report->stream);
    for (uint32_t i = 0; i < count; i++)
        wrapped_text(report->stream, report->options->table_width,
                     i || of != FINDING_STACK_CALL ? "           " : "    from   ", frames[i]);
}

static void print_waited(const struct text_report *report, const struct waited_for *function)
{
    int64_t ns = function->run_ns + function->wait_ns;
    char line[FINDINGS_FRAME_BYTES + 200];
    snprintf(line, sizeof line, "%s  %s: %s on the CPU, %s waiting, %s without a CPU, thread %u",
             sentence_share(ns, function->sampled_ns).text, function->function,
             sentence_time(function->run_ns).text, sentence_time(function->wait_ns).text,
             sentence_time(function->queued_ns).text, function->tid);
    wrapped_text(report->stream, report->options->table_width, "    ", line);
    print_stack(report, function->stack, FINDING_STACK_CALL);
}

static void print_waited_for(const struct text_report *report, uint32_t device)
{
    bool begun = false;
    for (uint32_t i = 0; i < report->waited->functions.count; i++) {
        const struct waited_for *function = &report->waited->functions.at[i];
        if (function->gap_device != device)
            continue;
        if (!begun)
            fputs("  while it idled, the thread that launched its next operation was in\n",
                  report->stream);
        begun = true;
        print_waited(report, function);
    }
}

/* ---- findings ---- */

static void print_place(const struct text_report *report, const struct finding *finding)
{
    const struct range_paths *paths = report->findings->context.paths;
    struct text example = range_paths_example(paths, finding->path, finding->slice);
    char path[RANGE_PATH_BYTES], where[RANGE_PATH_BYTES + EXAMPLE_BYTES + 32];
    range_paths_text(paths, finding->path, path);
    snprintf(where, sizeof where, "%s%s%.*s%s",
             finding->path == TL_NONE ? "outside any range, or in several" : path,
             example.size ? " (the longest in '" : "",
             (int)(example.size < EXAMPLE_BYTES ? example.size : EXAMPLE_BYTES), example.bytes,
             example.size ? "')" : "");
    wrapped_text(report->stream, report->options->table_width, "    where  ", where);
    print_stack(report, finding->stack, finding->stack_of);
}

static void print_finding(const struct text_report *report, uint32_t number)
{
    const struct findings *findings = report->findings;
    const struct finding *finding = &findings->found.at[number];
    const struct finding_context *context = &findings->context;
    char title[256], number_text[16];
    char words[REMEDY_BYTES];
    const enum tl_device_api api = device_api_of(context->timeline);
    int used = snprintf(title, sizeof title, "%s: costs %s (%s), ",
                        device_api_words(api, finding->rule->title, words, sizeof words),
                        sentence_time(finding->cost_ns).text,
                        sentence_share(finding->cost_ns, context->wall_ns).text);
    if (finding->saved_ns > 0)
        snprintf(title + used, sizeof title - (size_t)used, "saves at most %s (%s)",
                 sentence_time(finding->saved_ns).text,
                 sentence_share(finding->saved_ns, context->wall_ns).text);
    else
        snprintf(title + used, sizeof title - (size_t)used, "savings unknown");
    snprintf(number_text, sizeof number_text, "%2u. ", number + 1);
    fputc('\n', report->stream);
    wrapped_text(report->stream, report->options->table_width, number_text, title);
    for (const struct finding *one = finding; one; one = findings_next(findings, one))
        wrapped_text(report->stream, report->options->table_width, "    ", one->sentence);
    print_place(report, finding);
    for (const struct finding *one = finding; one; one = findings_next(findings, one))
        wrapped_text(report->stream, report->options->table_width, "    remedy ",
                     device_api_words(api, finding_remedy(context, one), words, sizeof words));
    fputs("    rule   ", report->stream);
    for (const struct finding *one = finding; one; one = findings_next(findings, one))
        fprintf(report->stream, "%s%s", one == finding ? "" : ", ", one->rule->name);
    fputc('\n', report->stream);
}

#define BELOW_BYTES (FINDING_SENTENCE_BYTES + 64)

/* "small-copies: 13 copies ...", for people: idle time by cause is in the accounts of devices
 * already. */
static bool below_line(const struct findings *findings, uint32_t rule, char line[BELOW_BYTES])
{
    char sentence[FINDING_SENTENCE_BYTES];
    if (rule_is_about_idle(finding_rules[rule]) || !findings_below_text(findings, rule, sentence))
        return false;
    snprintf(line, BELOW_BYTES, "%s: %s", finding_rules[rule]->name, sentence);
    return true;
}

static void print_below(const struct text_report *report)
{
    char line[BELOW_BYTES];
    bool begun = false;
    for (uint32_t rule = 0; finding_rules[rule]; rule++) {
        if (!below_line(report->findings, rule, line))
            continue;
        if (!begun)
            fputs("\nFound, but below the limits (--limits FILE changes them)\n", report->stream);
        begun = true;
        wrapped_text(report->stream, report->options->table_width, "  - ", line);
    }
}

static void print_findings(const struct text_report *report)
{
    uint32_t count = report->findings->found.count;
    int64_t rows = report->options->rows;
    uint32_t shown = rows >= 0 && rows < count ? (uint32_t)rows : count;
    for (uint32_t i = 0; i < shown; i++)
        print_finding(report, i);
    if (count == 0)
        fputs("\nNo finding exceeds the limits.\n", report->stream);
    if (shown < count)
        fprintf(report->stream, "\n%s more: --rows -1 shows all.\n",
                sentence_count(count - shown, "finding").text);
    if (shown > 1)
        fputs("\nFindings overlap; do not add their savings.\n", report->stream);
    print_below(report);
}

/* ---- what was not examined ---- */

static void note(const struct text_report *report, bool *begun, const char *text)
{
    if (!*begun)
        fputs("\nNotes\n", report->stream);
    *begun = true;
    wrapped_text(report->stream, report->options->table_width, "  - ", text);
}

static void print_notes(const struct text_report *report)
{
    const struct timeline *timeline = report->findings->context.timeline;
    struct run_facts facts;
    bool begun = false;
    run_facts_init(&facts, timeline);
    if (facts.simulated)
        note(report, &begun, "Simulated GPU: device times come from a model.");
    if (timeline->slice_stacks.count == 0 && timeline->slices.count && timeline_is_native(timeline))
        note(report, &begun,
             "No call stacks were recorded: profrun --stacks names the code of calls.");
    for (uint32_t i = 0; i < report->findings->notes.count; i++)
        note(report, &begun, report->findings->notes.at[i].sentence);
}

static bool write_text(const void *user, FILE *stream)
{
    struct text_report report = *(const struct text_report *)user;
    const struct findings *findings = report.findings;
    report.stream = stream;
    char verdict[FINDINGS_VERDICT_BYTES];
    findings_verdict(findings, verdict);
    wrapped_text(stream, report.options->table_width, "", verdict);
    for (uint32_t i = 0; i < findings->context.gaps->devices.count; i++) {
        print_device(&report, &findings->context.gaps->devices.at[i]);
        print_waited_for(&report, i);
    }
    if (findings->context.wall_ns > 0)
        print_findings(&report);
    print_notes(&report);
    return !ferror(stream);
}

/* ---- tables ---- */

struct report {
    const struct findings *findings;
    const struct waited_list *waited;
    const struct findings_report_options *options;
    struct table table;
};

#define ACCOUNT_COLUMNS(X)                                                                \
    X(table_string(table, finding_device(context, device->process, device->device).text), \
      "device", "Device")                                                                 \
    X(table_string(table, what), "what", "What")                                          \
    X(table_ns(table, ns), "time_ns", "Time")                                             \
    X(table_share(table, ns, device->window_ns), "percent", "Share")
TABLE_ROW(account, ACCOUNT_COLUMNS, const struct finding_context *context,
          const struct gap_device *device, const char *what, int64_t ns)

static void add_device(struct report *report, const struct gap_device *device)
{
    const struct finding_context *context = &report->findings->context;
    struct table *table = &report->table;
    account_row(table, context, device, "busy", device->busy_ns);
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++) {
        char what[64];
        snprintf(what, sizeof what, "idle: %s",
                 gap_cause_words((enum gap_cause)cause, device_api_of(context->timeline)));
        if (device->idle_ns[cause])
            account_row(table, context, device, what, device->idle_ns[cause]);
    }
    account_row(table, context, device, "first to last event", device->window_ns);
}

#define TIMELINE report->findings->context.timeline
#define PLACE_COLUMNS(X, process, device)                               \
    X(cell_pid(table, TIMELINE, process), "pid", .in = TABLE_IN_JSON)   \
    X(cell_rank(table, TIMELINE, process), "rank", .in = TABLE_IN_JSON) \
    X(cell_index(table, device), "device", .in = TABLE_IN_JSON)         \
    X(cell_index(table, process), "process_index", .in = TABLE_IN_JSON)

static void idle_cell(struct table *table, const int64_t idle_ns[GAP_CAUSES], bool all)
{
    struct json_out *out = table_json(table);
    if (!out)
        return;
    json_object_begin(out);
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++)
        if (all || idle_ns[cause]) {
            json_string(out, gap_cause_name((enum gap_cause)cause)), json_colon(out);
            json_int(out, idle_ns[cause]);
        }
    json_object_end(out);
}

/* A row of JSON, where a device is one. */
#define DEVICE_COLUMNS(X)                                                \
    PLACE_COLUMNS(X, device->process, device->device)                    \
    X(cell_name(table, TIMELINE, facts ? facts->name : TL_NONE), "name") \
    X(table_count(table, device->operations), "operations")              \
    X(table_ns(table, device->window_ns), "window_ns")                   \
    X(table_ns(table, device->busy_ns), "busy_ns")                       \
    X(table_ns(table, gap_device_idle(device)), "idle_ns")               \
    X(idle_cell(table, device->idle_ns, true), "idle")
TABLE_ROW(device, DEVICE_COLUMNS, const struct report *report, const struct gap_device *device,
          const struct tl_device *facts)

static void add_devices(struct report *report)
{
    bool is_json = report->table.format == WRITE_JSON;
    report->table.unbroken = true;
    table_begin(&report->table, "devices", "Devices", is_json ? device_columns : account_columns);
    for (uint32_t i = 0; i < report->findings->context.gaps->devices.count; i++) {
        const struct gap_device *device = &report->findings->context.gaps->devices.at[i];
        if (is_json)
            device_row(&report->table, report, device,
                       timeline_device_of(TIMELINE, device->process, device->device));
        else
            add_device(report, device);
    }
    table_end(&report->table);
    report->table.unbroken = false;
}

static void stack_cell(struct table *table, const struct report *report, uint32_t stack)
{
    char frames[FRAMES_MOST][FINDINGS_FRAME_BYTES];
    uint32_t count = 0;
    struct json_out *out = table_json(table);
    if (!out)
        return;
    if (stack != TL_NONE && report->options->frames)
        count = report->options->frames(report->options->user, stack, frames, FRAMES_MOST);
    json_array_begin(out);
    for (uint32_t i = 0; i < count; i++)
        json_string(out, frames[i]);
    json_array_end(out);
}

static const char *remedy_words(const struct report *report, const struct finding *finding,
                                char words[REMEDY_BYTES])
{
    const struct finding_context *context = &report->findings->context;
    return device_api_words(device_api_of(context->timeline), finding_remedy(context, finding),
                            words, REMEDY_BYTES);
}

static const char *title_words(const struct report *report, const struct finding *finding,
                               char words[REMEDY_BYTES])
{
    return device_api_words(device_api_of(report->findings->context.timeline), finding->rule->title,
                            words, REMEDY_BYTES);
}

/* A cell of JSON: what other rules found of the same cause. */
static void also_cell(struct table *table, const struct report *report,
                      const struct finding *finding)
{
    struct json_out *out = table_json(table);
    char words[REMEDY_BYTES];
    if (!out)
        return;
    json_array_begin(out);
    while ((finding = findings_next(report->findings, finding))) {
        json_object_begin(out);
        json_key(out, "rule"), json_string(out, finding->rule->name);
        json_key(out, "title"), json_string(out, title_words(report, finding, words));
        json_key(out, "sentence"), json_string(out, finding->sentence);
        json_key(out, "remedy"), json_string(out, remedy_words(report, finding, words));
        json_key(out, "count"), json_uint(out, finding->count);
        json_key(out, "cost_ns"), json_int(out, finding->cost_ns);
        json_key(out, "saved_ns");
        if (finding->saved_ns > 0)
            json_int(out, finding->saved_ns);
        else
            json_null(out);
        json_object_end(out);
    }
    json_array_end(out);
}

enum joined { JOINED_RULES, JOINED_SENTENCES, JOINED_REMEDIES };

/* A cell of other tables: of the finding and of those of the same cause. */
static void joined_cell(struct table *table, const struct report *report,
                        const struct finding *finding, enum joined what)
{
    char text[4 * REMEDY_BYTES] = "", words[REMEDY_BYTES];
    for (const struct finding *one = finding; one; one = findings_next(report->findings, one)) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s",
                 one == finding         ? ""
                 : what == JOINED_RULES ? ", "
                                        : " ",
                 what == JOINED_RULES       ? one->rule->name
                 : what == JOINED_SENTENCES ? one->sentence
                                            : remedy_words(report, one, words));
    }
    table_string(table, text);
}

static const char *const stack_names[] = {"call", "next call", "last call"};

#define FINDING_COLUMNS(X)                                                                         \
    X(table_string(table, finding->rule->name), "rule", .in = TABLE_IN_JSON)                       \
    X(joined_cell(table, report, finding, JOINED_RULES), "rule", "Rule", TABLE_BUT_JSON)           \
    X(table_string(table, title_words(report, finding, words)), "title", "Finding")                \
    X(table_string(table, finding->sentence), "sentence", .in = TABLE_IN_JSON)                     \
    X(table_string(table, remedy_words(report, finding, words)), "remedy", .in = TABLE_IN_JSON)    \
    PLACE_COLUMNS(X, finding->process, finding->device)                                            \
    X(idle_cell(table, idle_ns, false), "idle", .in = TABLE_IN_JSON)                               \
    X(cell_path(table, report->findings->context.paths, finding->path), "path",                    \
      .in = TABLE_IN_JSON)                                                                         \
    X(stack_cell(table, report, finding->stack), "stack", .in = TABLE_IN_JSON)                     \
    X(finding->stack == TL_NONE ? table_none(table)                                                \
                                : table_string(table, stack_names[finding->stack_of]),             \
      "stack_of", .in = TABLE_IN_JSON)                                                             \
    X(also_cell(table, report, finding), "also", .in = TABLE_IN_JSON)                              \
    X(table_count(table, finding->count), "count", .in = TABLE_IN_JSON)                            \
    X(table_ns(table, finding->cost_ns), "cost_ns", .in = TABLE_IN_JSON)                           \
    X(finding->saved_ns > 0 ? table_ns(table, finding->saved_ns) : table_unknown(table),           \
      "saved_at_most_ns", "Saves at most", .json = "saved_ns")                                     \
    X(finding->path == TL_NONE ? table_none(table)                                                 \
                               : cell_path(table, report->findings->context.paths, finding->path), \
      "path", "In", TABLE_BUT_JSON)                                                                \
    X(joined_cell(table, report, finding, JOINED_SENTENCES), "sentence", "Detail", TABLE_BUT_JSON) \
    X(joined_cell(table, report, finding, JOINED_REMEDIES), "remedy", "Remedy", TABLE_BUT_JSON)
TABLE_ROW(finding, FINDING_COLUMNS, const struct report *report, const struct finding *finding,
          const int64_t idle_ns[GAP_CAUSES], char words[REMEDY_BYTES])

/* False: no memory. */
static bool add_findings(struct report *report)
{
    char words[REMEDY_BYTES];
    const struct findings *findings = report->findings;
    bool is_empty = findings->context.wall_ns <= 0 && report->table.format != WRITE_JSON;
    struct finding_idle *idle = calloc((size_t)findings->found.count + 1, sizeof *idle);
    bool known = idle && findings_idle(findings, idle);
    report->table.most = report->options->rows;
    table_begin(&report->table, "findings", "Findings; several can be about the same time",
                finding_columns);
    for (uint32_t i = 0; i < findings->found.count && !is_empty && known; i++)
        finding_row(&report->table, report, &findings->found.at[i], idle[i].ns, words);
    table_end(&report->table);
    free(idle);
    return known;
}

/* ---- the rest of JSON ---- */

/* What the report cannot judge, and why; NULL: nothing is missing. */
static const char *abstained_of(const struct findings *findings, const char *verdict,
                                char lacking[EVIDENCE_BYTES])
{
    if (!findings_abstain(findings, lacking))
        return NULL;
    return findings->found.count || findings->context.gaps->devices.count ? lacking : verdict;
}

static bool add_head(const struct findings *findings, struct json_out *out)
{
    char verdict[FINDINGS_VERDICT_BYTES], why[EVIDENCE_BYTES];
    findings_verdict(findings, verdict);
    const struct envelope envelope = {.command = "explain",
                                      .timelines = {findings->context.timeline},
                                      .abstained = abstained_of(findings, verdict, why)};
    bool begun = envelope_begin(out, &envelope);
    json_key(out, "wall_ns"), json_int(out, findings->context.wall_ns);
    json_key(out, "verdict"), json_string(out, verdict);
    return begun;
}

#define WAITED_COLUMNS(X)                                  \
    PLACE_COLUMNS(X, device->process, device->device)      \
    X(table_string(table, function->function), "function") \
    X(table_count(table, function->tid), "tid")            \
    X(table_ns(table, function->run_ns), "run_ns")         \
    X(table_ns(table, function->wait_ns), "wait_ns")       \
    X(table_ns(table, function->queued_ns), "queued_ns")   \
    X(table_ns(table, function->sampled_ns), "sampled_ns") \
    X(stack_cell(table, report, function->stack), "stack")
TABLE_ROW(waited, WAITED_COLUMNS, const struct report *report, const struct waited_for *function,
          const struct gap_device *device)

#define BELOW_COLUMNS(X)                                         \
    X(table_string(table, finding_rules[rule]->name), "rule")    \
    X(table_count(table, findings->below[rule].count), "count")  \
    X(table_ns(table, findings->below[rule].cost_ns), "cost_ns") \
    X(table_string(table, sentence), "sentence")
TABLE_ROW(below, BELOW_COLUMNS, const struct findings *findings, uint32_t rule,
          const char *sentence)

#define NOTE_COLUMNS(X)                            \
    X(table_string(table, of->rule->name), "rule") \
    X(table_string(table, of->sentence), "sentence")
TABLE_ROW(note, NOTE_COLUMNS, const struct finding_note *of)

static void add_rest(struct report *report)
{
    const struct findings *findings = report->findings;
    const struct gap_device *devices = findings->context.gaps->devices.at;
    struct table *table = &report->table;
    char sentence[FINDING_SENTENCE_BYTES];
    table->most = -1;
    table_begin(table, "waited_for", NULL, waited_columns);
    for (uint32_t i = 0; i < report->waited->functions.count; i++)
        waited_row(table, report, &report->waited->functions.at[i],
                   &devices[report->waited->functions.at[i].gap_device]);
    table_end(table);
    table_begin(table, "below", NULL, below_columns);
    for (uint32_t rule = 0; finding_rules[rule]; rule++)
        if (findings_below_text(findings, rule, sentence))
            below_row(table, findings, rule, sentence);
    table_end(table);
    table_begin(table, "notes", NULL, note_columns);
    for (uint32_t i = 0; i < findings->notes.count; i++)
        note_row(table, &findings->notes.at[i]);
    table_end(table);
}

static bool add_tables(struct table *table, void *user)
{
    struct report *report = user;
    bool is_json = table->format == WRITE_JSON;
    if (is_json && !add_head(report->findings, table->json))
        return false;
    add_devices(report);
    bool added = add_findings(report);
    if (is_json) {
        add_rest(report);
        envelope_end(table->json, "explain");
    }
    return added;
}

/* ---- the rest of Markdown ---- */

static void print_line(const char *start, const char *text, FILE *stream)
{
    char shown[SHOW_TEXT_BYTES(LINE_COLUMNS)];
    bool rest;
    show_text((struct text){text, strlen(text)}, LINE_COLUMNS, shown, &rest);
    fputs(start, stream);
    markdown_text(shown, stream);
    fputs(rest ? "...\n" : "\n", stream);
}

static void print_marked_below(const struct findings *findings, FILE *stream)
{
    char line[BELOW_BYTES];
    bool begun = false;
    for (uint32_t rule = 0; finding_rules[rule]; rule++) {
        if (!below_line(findings, rule, line))
            continue;
        if (!begun)
            fputs("\nFound, but below the limits:\n\n", stream);
        begun = true;
        print_line("- ", line, stream);
    }
}

static void print_marked_notes(const struct findings *findings, FILE *stream)
{
    struct run_facts facts;
    run_facts_init(&facts, findings->context.timeline);
    fputs(facts.simulated || facts.lost_anything || findings->notes.count ? "\n" : "", stream);
    if (facts.simulated)
        print_line("- ", "Simulated GPU: device times come from a model.", stream);
    if (facts.lost_anything)
        print_line("- ",
                   "Something was lost while recording, so findings may be off: see profdump check "
                   "--ledger.",
                   stream);
    for (uint32_t i = 0; i < findings->notes.count; i++)
        print_line("- ", findings->notes.at[i].sentence, stream);
}

static bool write_report(const struct findings *findings, const struct waited_list *waited,
                         const struct findings_report_options *options, enum write_format format,
                         FILE *stream)
{
    struct report report = {
        .findings = findings,
        .waited = waited,
        .options = options,
        .table = {.format = format, .stream = stream, .most = -1, .limited = true}};
    char verdict[FINDINGS_VERDICT_BYTES];
    const struct text_report text = {findings, waited, options, stream};
    if (format == WRITE_TEXT)
        return fit_written(write_text, &text, options->table_width, stream);
    if (format == WRITE_MARKDOWN) {
        findings_verdict(findings, verdict);
        print_line("", verdict, stream);
        fputc('\n', stream);
    }
    bool done = table_write(&report.table, add_tables, &report);
    if (done && format == WRITE_MARKDOWN) {
        print_marked_below(findings, stream);
        print_marked_notes(findings, stream);
    }
    return done && !ferror(stream);
}

bool findings_report(const struct findings *findings, const struct findings_report_options *options,
                     enum write_format format, FILE *stream)
{
    struct waited_list waited = {.functions = {0}};
    bool is_shown = format == WRITE_TEXT || format == WRITE_JSON;
    bool done = !is_shown || waited_for_init(&waited, findings, options);
    if (done)
        done = write_report(findings, &waited, options, format, stream);
    else
        errno = ENOMEM;
    waited_for_fini(&waited);
    return done;
}

/* ---- rules ---- */

static void print_rules(unsigned table_width, FILE *stream)
{
    for (uint32_t i = 0; finding_rules[i]; i++) {
        fprintf(stream, "%s\n", finding_rules[i]->name);
        wrapped_text(stream, table_width, "    ", finding_rules[i]->title);
        wrapped_text(stream, table_width, "    ", finding_rules[i]->remedy);
    }
}

#define RULE_COLUMNS(X)                                     \
    X(table_string(table, rule->name), "rule", "Rule")      \
    X(table_string(table, rule->title), "title", "Finding") \
    X(table_string(table, rule->remedy), "remedy", "Remedy")
TABLE_ROW(rule, RULE_COLUMNS, const struct finding_rule *rule)

static bool add_rules(struct table *table, void *user)
{
    const struct envelope envelope = {.command = "explain_rules"};
    (void)user;
    if (table->json && !envelope_begin(table->json, &envelope))
        return false;
    table_begin(table, "rules", "Rules", rule_columns);
    for (uint32_t i = 0; finding_rules[i]; i++)
        rule_row(table, finding_rules[i]);
    table_end(table);
    if (table->json)
        envelope_end(table->json, envelope.command);
    return true;
}

bool findings_rules(enum write_format format, unsigned table_width, FILE *stream)
{
    struct table table = {.format = format, .stream = stream, .most = -1};
    if (format != WRITE_TEXT)
        return table_write(&table, add_rules, NULL);
    print_rules(table_width, stream);
    return !ferror(stream);
}
