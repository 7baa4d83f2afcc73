/* cmd_reports.c - profdump check, graphs, memory: reports with few options of their own. */
#include "check.h"
#include "commands.h"
#include "compat.h"
#include "envelope.h"
#include "evidence.h"
#include "failed_calls.h"
#include "options.h"
#include "profdump.h"
#include "reports.h"
#include "stack_text.h"
#include "table.h"
#include "text.h"
#include "timeline.h"
#include "units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- check: every invariant of file and timeline ---- */

/* For --fail-on: "any" is what is wrong or odd; notes are neither. */
enum { FOUND_ANY, FOUND_ERROR, FOUND_WARNING, FOUND_RULES };

static const char *finding_at(unsigned number)
{
    static const char *const words[] = {"any", "error", "warning"};
    return number < FOUND_RULES                      ? words[number]
           : number < FOUND_RULES + CHECK_RULE_COUNT ? check_rule_name(number - FOUND_RULES)
                                                     : NULL;
}

static uint64_t found_bits(const struct check_report *report)
{
    _Static_assert(FOUND_RULES + CHECK_RULE_COUNT <= 64, "fail_on has a bit for each");
    uint64_t bits = 0;
    if (report->errors)
        bits |= 1u << FOUND_ANY | 1u << FOUND_ERROR;
    if (report->warnings)
        bits |= 1u << FOUND_ANY | 1u << FOUND_WARNING;
    for (unsigned i = 0; i < report->count; i++)
        bits |= UINT64_C(1) << (FOUND_RULES + report->findings[i].rule);
    return bits;
}

static void print_finding(FILE *out, const struct check_finding *finding)
{
    char shown[SHOW_TEXT_BYTES(400)];
    bool rest;
    show_text((struct text){finding->sentence, strlen(finding->sentence)}, 400, shown, &rest);
    fprintf(out, "%-7s  %-19s  %8llu  %s\n", check_severity_name(finding->severity),
            check_rule_name(finding->rule), (unsigned long long)finding->count, shown);
}

#define CHECK_COLUMNS(X)                                                                   \
    X(table_string(table, check_severity_name(finding->severity)), "severity", "Severity") \
    X(table_string(table, check_rule_name(finding->rule)), "finding", "Finding")           \
    X(table_count(table, finding->count), "count", "Count")                                \
    X(table_string(table, finding->sentence), "sentence", "Sentence")
TABLE_ROW(check, CHECK_COLUMNS, const struct check_finding *finding)

struct check_sheet {
    const struct timeline *timeline;
    const struct check_report *report;
};

static bool add_findings(struct table *table, void *user)
{
    const struct check_sheet *of = user;
    if (table->json) {
        if (!envelope_begin_report(table->json, "check", of->timeline, EVIDENCE_CHECK))
            return false;
        json_key(table->json, "errors"), json_uint(table->json, of->report->errors);
        json_key(table->json, "warnings"), json_uint(table->json, of->report->warnings);
    }
    table_begin(table, "findings", "Findings", check_columns);
    for (unsigned i = 0; i < of->report->count; i++)
        check_row(table, &of->report->findings[i]);
    table_end(table);
    if (table->json)
        envelope_end(table->json, "check");
    return !table->failed;
}

static uint32_t count_operations(const struct timeline *timeline)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        count += tl_is_work(&timeline->gpus.at[i]);
    return count;
}

static void print_verdict(FILE *out, const struct timeline *timeline,
                          const struct check_report *report)
{
    uint32_t files = timeline->file_count;
    char lacking[EVIDENCE_BYTES];
    if (!report->errors && !report->warnings &&
        evidence_missing(timeline, EVIDENCE_CHECK, lacking)) {
        fprintf(out, "%s in %u file%s\n", lacking, files, plural(files));
        return;
    }
    fprintf(out, "%s: %u file%s, %u slices, %u device operations: %u error%s, %u warning%s\n",
            report->errors ? "FAILED" : "ok", files, plural(files), timeline->slices.count,
            count_operations(timeline), report->errors, plural(report->errors), report->warnings,
            plural(report->warnings));
}

static bool write_findings(const struct profdump_options *options, const struct timeline *timeline,
                           const struct check_report *report)
{
    struct check_sheet sheet = {timeline, report};
    struct table table = {.format = options->format,
                          .stream = options->out,
                          .most = -1,
                          .table_width = options->write.table_width};
    if (options->format != WRITE_TEXT)
        return table_write(&table, add_findings, &sheet);
    for (unsigned i = 0; i < report->count; i++)
        print_finding(options->out, &report->findings[i]);
    print_verdict(options->out, timeline, report);
    return true;
}

static int run_check(const struct profdump_options *options, const struct timeline *timeline)
{
    struct check_report report;
    char lacking[EVIDENCE_BYTES];
    timeline_check(timeline, &report);
    errno = 0;
    bool written = write_findings(options, timeline, &report);
    int status = finish(options, timeline, written);
    if (!options->fail_on)
        return report.errors && status != EXIT_FAILURE ? EXIT_FOUND : status;
    bool is_empty = evidence_missing(timeline, EVIDENCE_CHECK, lacking);
    return finish_judged(options, status, finding_at, found_bits(&report),
                         is_empty ? lacking : NULL);
}

/* ---- graphs: CUDA graphs, who captured them and who replays them ---- */

static int run_graphs(const struct profdump_options *options, const struct timeline *timeline)
{
    bool written = write_graphs(timeline, &options->write, options->format, options->out);
    char lacking[EVIDENCE_BYTES];
    if (evidence_missing(timeline, EVIDENCE_GRAPHS, lacking))
        complain("%s", lacking);
    return finish(options, timeline, written);
}

static const struct option_entry *const options_of_graphs[] = {
    rows_options,  unit_options,   width_options, window_options,
    input_options, format_options, help_options,  NULL};

const struct command command_graphs = {
    .word = "graphs",
    .summary = "show CUDA graphs: launches, captures, operations",
    .usage = "[OPTION]... [FILE|DIRECTORY]...",
    .about = "Shows CUDA graphs: launches, operations of each, where they were captured and where "
             "they are replayed.",
    .examples = "graphs run.prof",
    .question = QUESTION_TIME,
    .options = options_of_graphs,
    .run = run_graphs,
    .tables = true,
};

/* ---- ledger: what was launched, on which stream, and where it is ---- */

static void print_stacks(FILE *out, const struct timeline *timeline, struct symbols *symbols,
                         const struct failed_calls *calls)
{
    for (uint32_t i = 0; i < calls->count; i++) {
        uint32_t stack = stack_of_slice(timeline, calls->at[i].first);
        if (stack == TL_NONE)
            continue;
        fputc('\n', out);
        failed_call_text(out, timeline, &calls->at[i]);
        stack_text_print(out, symbols_stack(symbols, stack));
    }
}

/* Prints the call stack of the first failed call of each kind. */
static bool show_stacks(const struct profdump_options *options, const struct timeline *timeline)
{
    struct failed_calls calls;
    if (timeline->stacks.count == 0)
        return true;
    if (!failed_calls_init(&calls, timeline))
        return false;
    struct symbols *symbols = calls.count ? stack_text_symbols(options, timeline) : NULL;
    bool known = symbols || calls.count == 0;
    if (symbols) {
        print_stacks(options->out, timeline, symbols, &calls);
        stack_text_complain(symbols);
        symbols_destroy(symbols);
    }
    failed_calls_fini(&calls);
    return known;
}

/* ---- check, which also prints the ledger ---- */

static int run_check_or_ledger(const struct profdump_options *options,
                               const struct timeline *timeline)
{
    if (!options->ledger)
        return run_check(options, timeline);
    bool written = write_ledger(timeline, &options->write, options->format, options->out);
    if (written && options->format == WRITE_TEXT)
        written = show_stacks(options, timeline);
    return finish(options, timeline, written);
}

static bool agree_check(struct profdump_options *options)
{
    if (!options->ledger || !options->fail_on)
        return true;
    complain("--fail-on: not with --ledger, which judges nothing; --fail-on-loss is about losses");
    return false;
}

static const struct option_entry check_options[] = {
    {FLAG("ledger", ledger, "count launched, recorded and lost; list failed calls")},
    {BITS("fail-on", "FINDING", fail_on,
          "exit with status 4 if this was found: error (default), warning, the name of a finding, "
          "a list of them, or any error or warning; 5 if there is nothing to check"),
     .value_at = finding_at},
    {0},
};

static const struct option_entry *const options_of_check[] = {
    check_options,  rows_options,  unit_options,   width_options, symbol_options,
    window_options, input_options, format_options, help_options,  NULL};

const struct command command_check = {
    .word = "check",
    .summary = "verify the recording; --ledger: launched, recorded, lost",
    .usage = "[FILE|DIRECTORY]...\n--ledger [OPTION]... [FILE|DIRECTORY]...",
    .about = "Verifies every invariant of file and timeline, and exits with status 4 if one does "
             "not hold. With --ledger: prints what was launched, recorded and lost, by stream and "
             "graph, and the CUDA calls that failed.",
    .examples = "check run.prof\n"
                "check --ledger --fail-on-loss run.prof",
    .question = QUESTION_COMPLETE,
    .options = options_of_check,
    .agree = agree_check,
    .tables = true,
    .run = run_check_or_ledger,
    .partial = true, /* it is there for damaged files */
};

/* ---- memory: what was allocated, by whom, and what never came back ---- */

/* The default block of a libprof recording adds nothing to the heaps. */
static bool has_blocks(const struct timeline *timeline)
{
    bool foreign = timeline->processes.count && timeline->processes.at[0].info.format.size;
    return timeline->block_allocs.count && (foreign || timeline->blocks.count > 1);
}

static int run_memory(const struct profdump_options *options, const struct timeline *timeline)
{
    bool written = write_memory(timeline, &options->write, options->format, options->out);
    if (written && options->format == WRITE_TEXT && has_blocks(timeline)) {
        fputc('\n', options->out);
        written = write_blocks_memory(timeline, &options->blocks, options->out);
    }
    return finish(options, timeline, written);
}

static const struct option_entry *const options_of_memory[] = {
    rows_options,  unit_options,   width_options, window_options,
    input_options, format_options, help_options,  NULL};

const struct command command_memory = {
    .word = "memory",
    .summary = "show allocations, their peaks and leaks",
    .usage = "[OPTION]... [FILE|DIRECTORY]...",
    .about = "Shows allocations: peaks and their owners, what was never freed, ranges, memory "
             "pools, managed memory.",
    .examples = "memory --rows 10 run.prof",
    .question = QUESTION_TIME,
    .options = options_of_memory,
    .run = run_memory,
    .tables = true,
};
