/* findings_report.c - profdump explain. In JSON one object with (docs/scripts.md describes it, too)
 *
 *     schema_version 1
 *     mode, mode_reason, simulated, lost_anything, wall_ns
 *     verdict    as people read it
 *     abstain    why there is no finding, null: there is one
 *     devices[]  pid, rank (null: none), device (null unknown), process_index (into the processes
 *                of --json), name, operations, window_ns, busy_ns, idle_ns, idle{cause: ns}:
 *                busy_ns + the sum of idle = window_ns
 *     findings[] those with a path or a stack first, then most saved first: rule, title, sentence,
 *     remedy, pid, rank,
 *                device (null: of all), path[], stack[], stack_of ("call"; "next call": the one
 *                that ended the gap; "last call": before the gap at the end), count, cost_ns,
 *                saved_ns (null: cannot be told), process_index (null: of all), idle{cause: ns},
 *                the idle time of devices that it is about: findings share it, also[] what other
 *                rules found of the same cause: rule, title, sentence, remedy, count, cost_ns,
 *                saved_ns
 *     below[]    what rules without findings found, and their limits left out: rule, count,
 *                cost_ns, sentence
 *     waited_for[]  what threads did while devices idled, from samples (PROF_SAMPLE): pid, rank,
 *                   device, function,
 *                tid, run_ns, wait_ns, queued_ns, sampled_ns (of all samples in the device's idle
 *                time), stack[]
 *     notes[]    rule, sentence: what could not be examined
 */
#include "reports.h"

#include "device_api.h"
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
#include "wrapped_text.h"

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

#define ACCOUNT_COLUMNS 71u /* in front of the bar */

static int bar_columns(const struct text_report *report)
{
    unsigned width = report->options->table_width;
    if (!width || width >= ACCOUNT_COLUMNS + BAR_COLUMNS)
        return BAR_COLUMNS;
    return width > ACCOUNT_COLUMNS ? (int)(width - ACCOUNT_COLUMNS) : 0;
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

static void add_account(struct report *report, const struct gap_device *device, const char *what,
                        int64_t ns)
{
    struct table *table = &report->table;
    if (!table_row(table))
        return;
    table_string(table,
                 finding_device(&report->findings->context, device->process, device->device).text);
    table_string(table, what);
    table_ns(table, ns), table_share(table, ns, device->window_ns);
}

static void add_device(struct report *report, const struct gap_device *device)
{
    add_account(report, device, "busy", device->busy_ns);
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++) {
        char what[64];
        snprintf(what, sizeof what, "idle: %s",
                 gap_cause_words((enum gap_cause)cause,
                                 device_api_of(report->findings->context.timeline)));
        if (device->idle_ns[cause])
            add_account(report, device, what, device->idle_ns[cause]);
    }
    add_account(report, device, "first to last event", device->window_ns);
}

static void add_place(struct report *report, uint32_t process, uint32_t device)
{
    const struct tl_process_info *info =
        process == TL_NONE ? NULL : &report->findings->context.timeline->processes.at[process].info;
    if (info)
        table_count(&report->table, info->pid);
    else
        table_none(&report->table);
    cell_index(&report->table, info && info->rank >= 0 ? (uint32_t)info->rank : TL_NONE);
    cell_index(&report->table, device);
    cell_index(&report->table, process);
}

static void add_idle(struct report *report, const int64_t idle_ns[GAP_CAUSES], bool all)
{
    struct json_out *out = table_json(&report->table);
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
static void add_whole_device(struct report *report, const struct gap_device *device)
{
    const struct timeline *timeline = report->findings->context.timeline;
    const struct tl_device *facts = timeline_device_of(timeline, device->process, device->device);
    struct table *table = &report->table;
    table_row(table);
    add_place(report, device->process, device->device);
    if (facts && facts->name < timeline->names.count)
        table_text(table, timeline->names.at[facts->name]);
    else
        table_none(table);
    table_count(table, device->operations);
    table_ns(table, device->window_ns), table_ns(table, device->busy_ns);
    table_ns(table, gap_device_idle(device));
    add_idle(report, device->idle_ns, true);
}

static void add_devices(struct report *report)
{
    static const struct table_column accounts[] = {
        {"device", "Device"}, {"what", "What"}, {"time_ns", "Time"}, {"percent", "Share"}, {0}};
    static const struct table_column whole[] = {
        {"pid"},       {"rank"},    {"device"},  {"process_index"}, {"name"}, {"operations"},
        {"window_ns"}, {"busy_ns"}, {"idle_ns"}, {"idle"},          {0}};
    bool is_json = report->table.format == WRITE_JSON;
    report->table.unbroken = true;
    table_begin(&report->table, "devices", "Devices", is_json ? whole : accounts);
    for (uint32_t i = 0; i < report->findings->context.gaps->devices.count; i++)
        (is_json ? add_whole_device : add_device)(report,
                                                  &report->findings->context.gaps->devices.at[i]);
    table_end(&report->table);
    report->table.unbroken = false;
}

static void add_stack(struct report *report, uint32_t stack)
{
    char frames[FRAMES_MOST][FINDINGS_FRAME_BYTES];
    uint32_t count = 0;
    struct json_out *out = table_json(&report->table);
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
static void add_also(struct report *report, const struct finding *finding)
{
    struct json_out *out = table_json(&report->table);
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
static void add_joined(struct report *report, const struct finding *finding, enum joined what)
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
    table_string(&report->table, text);
}

static void add_finding(struct report *report, const struct finding *finding,
                        const int64_t idle_ns[GAP_CAUSES])
{
    static const char *const stack_of[] = {"call", "next call", "last call"};
    struct table *table = &report->table;
    char words[REMEDY_BYTES];
    table_string(table, finding->rule->name);
    add_joined(report, finding, JOINED_RULES);
    table_string(table, title_words(report, finding, words));
    table_string(table, finding->sentence);
    table_string(table, remedy_words(report, finding, words));
    add_place(report, finding->process, finding->device);
    add_idle(report, idle_ns, false);
    if (table_shows(table))
        cell_path(table, report->findings->context.paths, finding->path);
    add_stack(report, finding->stack);
    if (finding->stack == TL_NONE)
        table_none(table);
    else
        table_string(table, stack_of[finding->stack_of]);
    add_also(report, finding);
    table_count(table, finding->count), table_ns(table, finding->cost_ns);
    if (finding->saved_ns > 0)
        table_ns(table, finding->saved_ns);
    else
        table_unknown(table);
    if (finding->path == TL_NONE)
        table_none(table);
    else if (table_shows(table))
        cell_path(table, report->findings->context.paths, finding->path);
    add_joined(report, finding, JOINED_SENTENCES);
    add_joined(report, finding, JOINED_REMEDIES);
}

/* False: no memory. */
static bool add_findings(struct report *report)
{
    static const struct table_column columns[] = {
        {"rule", .in = TABLE_IN_JSON},
        {"rule", "Rule", TABLE_BUT_JSON},
        {"title", "Finding"},
        {"sentence", .in = TABLE_IN_JSON},
        {"remedy", .in = TABLE_IN_JSON},
        {"pid", .in = TABLE_IN_JSON},
        {"rank", .in = TABLE_IN_JSON},
        {"device", .in = TABLE_IN_JSON},
        {"process_index", .in = TABLE_IN_JSON},
        {"idle", .in = TABLE_IN_JSON},
        {"path", .in = TABLE_IN_JSON},
        {"stack", .in = TABLE_IN_JSON},
        {"stack_of", .in = TABLE_IN_JSON},
        {"also", .in = TABLE_IN_JSON},
        {"count", .in = TABLE_IN_JSON},
        {"cost_ns", .in = TABLE_IN_JSON},
        {"saved_at_most_ns", "Saves at most", .json = "saved_ns"},
        {"path", "In", TABLE_BUT_JSON},
        {"sentence", "Detail", TABLE_BUT_JSON},
        {"remedy", "Remedy", TABLE_BUT_JSON},
        {0}};
    const struct findings *findings = report->findings;
    bool is_empty = findings->context.wall_ns <= 0 && report->table.format != WRITE_JSON;
    struct finding_idle *idle = calloc((size_t)findings->found.count + 1, sizeof *idle);
    bool known = idle && findings_idle(findings, idle);
    report->table.most = report->options->rows;
    table_begin(&report->table, "findings", "Findings; several can be about the same time",
                columns);
    for (uint32_t i = 0; i < findings->found.count && !is_empty && known; i++)
        if (table_row(&report->table))
            add_finding(report, &findings->found.at[i], idle[i].ns);
    table_end(&report->table);
    free(idle);
    return known;
}

/* ---- the rest of JSON ---- */

#define SCHEMA_VERSION 1

/* A program must not take silence for good news. */
static void add_abstain(const struct findings *findings, const char *verdict, struct json_out *out)
{
    json_key(out, "abstain");
    if (findings->found.count)
        json_null(out);
    else if (findings->context.gaps->devices.count == 0)
        json_string(out, verdict);
    else
        json_string(out, "No cost exceeds the limit of its rule (--limits).");
}

static void add_head(const struct findings *findings, struct json_out *out)
{
    struct run_facts facts;
    char verdict[FINDINGS_VERDICT_BYTES];
    run_facts_init(&facts, findings->context.timeline);
    findings_verdict(findings, verdict);
    json_key(out, "schema_version"), json_int(out, SCHEMA_VERSION);
    json_key(out, "mode"), json_string(out, facts.mode);
    json_key(out, "mode_reason"), json_text(out, facts.mode_reason);
    json_key(out, "simulated"), json_bool(out, facts.simulated);
    json_key(out, "lost_anything"), json_bool(out, facts.lost_anything);
    json_key(out, "wall_ns"), json_int(out, findings->context.wall_ns);
    json_key(out, "verdict"), json_string(out, verdict);
    add_abstain(findings, verdict, out);
}

static void add_waited(struct report *report)
{
    static const struct table_column columns[] = {
        {"pid"},    {"rank"},    {"device"},    {"process_index"}, {"function"}, {"tid"},
        {"run_ns"}, {"wait_ns"}, {"queued_ns"}, {"sampled_ns"},    {"stack"},    {0}};
    struct table *table = &report->table;
    table->most = -1;
    table_begin(table, "waited_for", NULL, columns);
    for (uint32_t i = 0; i < report->waited->functions.count; i++) {
        const struct waited_for *function = &report->waited->functions.at[i];
        const struct gap_device *device =
            &report->findings->context.gaps->devices.at[function->gap_device];
        table_row(table);
        add_place(report, device->process, device->device);
        table_string(table, function->function);
        table_count(table, function->tid);
        table_ns(table, function->run_ns), table_ns(table, function->wait_ns);
        table_ns(table, function->queued_ns), table_ns(table, function->sampled_ns);
        add_stack(report, function->stack);
    }
    table_end(table);
}

static void add_below(struct report *report)
{
    static const struct table_column columns[] = {
        {"rule"}, {"count"}, {"cost_ns"}, {"sentence"}, {0}};
    const struct findings *findings = report->findings;
    struct table *table = &report->table;
    char sentence[FINDING_SENTENCE_BYTES];
    table->most = -1;
    table_begin(table, "below", NULL, columns);
    for (uint32_t rule = 0; finding_rules[rule]; rule++) {
        if (!findings_below_text(findings, rule, sentence))
            continue;
        table_row(table);
        table_string(table, finding_rules[rule]->name);
        table_count(table, findings->below[rule].count);
        table_ns(table, findings->below[rule].cost_ns);
        table_string(table, sentence);
    }
    table_end(table);
}

static void add_notes(struct report *report)
{
    static const struct table_column columns[] = {{"rule"}, {"sentence"}, {0}};
    struct table *table = &report->table;
    table->most = -1;
    table_begin(table, "notes", NULL, columns);
    for (uint32_t i = 0; i < report->findings->notes.count; i++) {
        table_row(table);
        table_string(table, report->findings->notes.at[i].rule->name);
        table_string(table, report->findings->notes.at[i].sentence);
    }
    table_end(table);
}

static bool add_tables(struct table *table, void *user)
{
    struct report *report = user;
    bool is_json = table->format == WRITE_JSON;
    if (is_json)
        add_head(report->findings, table->json);
    add_devices(report);
    bool added = add_findings(report);
    if (is_json) {
        add_waited(report);
        add_below(report);
        add_notes(report);
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

static bool add_rules(struct table *table, void *user)
{
    static const struct table_column columns[] = {
        {"rule", "Rule"}, {"title", "Finding"}, {"remedy", "Remedy"}, {0}};
    (void)user;
    table_begin(table, table->format == WRITE_JSON ? NULL : "rules", "Rules", columns);
    for (uint32_t i = 0; finding_rules[i]; i++) {
        table_row(table);
        table_string(table, finding_rules[i]->name);
        table_string(table, finding_rules[i]->title);
        table_string(table, finding_rules[i]->remedy);
    }
    table_end(table);
    return true;
}

/* In JSON the rules are all there is: an array. */
static bool write_rules_json(FILE *stream)
{
    struct json_out out;
    if (json_out_init(&out, -1, stream)) {
        struct table table = table_in_json(&out, NULL);
        add_rules(&table, NULL);
        out.comma = false;
        json_newline(&out);
    }
    errno = json_out_fini(&out);
    return errno == 0;
}

bool findings_rules(enum write_format format, unsigned table_width, FILE *stream)
{
    struct table table = {.format = format, .stream = stream, .most = -1};
    if (format == WRITE_JSON)
        return write_rules_json(stream);
    if (format != WRITE_TEXT)
        return table_write(&table, add_rules, NULL);
    print_rules(table_width, stream);
    return !ferror(stream);
}
