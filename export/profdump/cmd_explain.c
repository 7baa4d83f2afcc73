/* cmd_explain.c - profdump explain FILE...: where the time went, and what to do about it. */
#include "commands.h"
#include "evidence.h"
#include "finding_gaps.h"
#include "findings.h"
#include "inputs.h"
#include "options.h"
#include "reports.h"
#include "stack_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *rule_at(unsigned number)
{
    return finding_rules[number] ? finding_rules[number]->name : NULL;
}

static const char *finding_at(unsigned number)
{
    return number ? rule_at(number - 1) : "any";
}

/* A rule that does not run finds nothing: a gate on it would never fail. False after having
 * complained. */
static bool fail_on_agrees(const struct profdump_options *options,
                           const struct finding_settings *settings)
{
    for (uint32_t i = 0; finding_rules[i]; i++)
        if (options->fail_on >> (i + 1) & 1 && !settings->enabled[i]) {
            complain("--fail-on: rule '%s' does not run, because of %s", finding_rules[i]->name,
                     options->explain_rules ? "--rule" : "--limits");
            return false;
        }
    return true;
}

static bool read_limits(const char *path, struct finding_settings *settings)
{
    char message[FINDING_SETTINGS_MESSAGE];
    uint32_t line;
    FILE *file = fopen(path, "re");
    if (!file)
        return complain("%s: %s", path, strerror(errno)), false;
    bool read = finding_settings_read(settings, file, &line, message);
    fclose(file);
    if (!read && line)
        complain("%s:%u: %s", path, line, message);
    else if (!read)
        complain("%s: %s", path, message);
    return read;
}

/* Applies --rule and --limits; --rule enables a rule that the limits disable. An exit status, after
 * having complained. */
static int read_settings(const struct profdump_options *options, struct finding_settings *settings)
{
    _Static_assert(FINDING_RULES_MAX <= 64, "explain_rules has a bit for each");
    finding_settings_default(settings);
    if (options->explain_limits && !read_limits(options->explain_limits, settings))
        return EXIT_FAILURE;
    for (uint32_t i = 0; i < FINDING_RULES_MAX && options->explain_rules; i++)
        settings->enabled[i] = options->explain_rules >> i & 1;
    return fail_on_agrees(options, settings) ? EXIT_SUCCESS : EXIT_USAGE;
}

static const struct option_entry explain_options[] = {
    {BITS("rule", "NAME", explain_rules, "run only this rule, or those of a list: a,b"),
     .value_at = rule_at},
    {FLAG("rules", explain_list, "list the rules")},
    {TEXT("limits", "FILE", explain_limits, "read reporting thresholds from FILE")},
    {BITS("fail-on", "RULE", fail_on,
          "exit with status 4 if the rule has a finding, 5 if that cannot be judged; takes a rule, "
          "a list (a,b) or any"),
     .value_at = finding_at},
    {0},
};

static const struct option_entry *const options_of_explain[] = {
    explain_options, rows_options, fit_options, symbol_options, window_options, input_options,
    format_options,  help_options, NULL};

#define ROWS_DEFAULT 10

static bool show(const struct profdump_options *options, const struct findings *findings,
                 struct symbols *symbols)
{
    struct findings_report_options report = {
        .rows = options->rows_given ? options->write.rows : ROWS_DEFAULT,
        .frames = symbols ? stack_text_frames : NULL,
        .user = symbols,
        .table_width = options->write.table_width,
        .functions = symbols ? stack_text_blamed : NULL,
    };
    return findings_report(findings, &report, options->format, options->out);
}

static uint64_t bit_of(const struct finding_rule *rule)
{
    return UINT64_C(2) << finding_rule_find(rule->name);
}

/* By rule, for --fail-on. Notes are not findings, but some rules have nothing else. Without device
 * operations, what is found is where the CPU was: "any" is about what nobody can judge then. */
static uint64_t found_bits(const struct findings *findings)
{
    uint64_t bits = findings->found.count && findings->context.gaps->devices.count ? 1 : 0;
    for (uint32_t i = 0; i < findings->found.count; i++)
        bits |= bit_of(findings->found.at[i].rule);
    for (uint32_t i = 0; i < findings->also.count; i++)
        bits |= bit_of(findings->also.at[i].rule);
    for (uint32_t i = 0; i < findings->notes.count; i++)
        if (!findings->notes.at[i].rule->noun)
            bits |= bit_of(findings->notes.at[i].rule);
    return bits;
}

/* Why the rules that --fail-on names cannot judge; NULL: they can. A rule of notes alone can. */
static const char *find_unknown(const struct profdump_options *options,
                                const struct findings *findings, char to[EVIDENCE_BYTES])
{
    uint64_t judging = options->fail_on & 1;
    for (uint32_t i = 0; finding_rules[i]; i++)
        if (options->fail_on >> (i + 1) & 1 && finding_rules[i]->noun)
            judging = 1;
    if (!judging)
        return NULL;
    if (findings_abstain(findings, to))
        return to;
    for (uint32_t i = 0; i < findings->notes.count; i++) {
        const struct finding_note *note = &findings->notes.at[i];
        if (note->rule->noun && bit_of(note->rule) & options->fail_on)
            return note->sentence;
    }
    return NULL;
}

static int explain(const struct profdump_options *options, const struct timeline *timeline,
                   const struct finding_settings *settings)
{
    struct findings findings;
    struct symbols *symbols = NULL;
    char unknown[EVIDENCE_BYTES];
    if (!findings_init(&findings, timeline, settings)) {
        complain("explain: %s", strerror(ENOMEM));
        return EXIT_FAILURE;
    }
    if (timeline->stacks.count)
        symbols = stack_text_symbols(options, timeline);
    bool written = show(options, &findings, symbols);
    if (symbols)
        stack_text_complain(symbols);
    symbols_destroy(symbols);
    int status = finish_judged(options, finish(options, timeline, written), finding_at,
                               found_bits(&findings), find_unknown(options, &findings, unknown));
    findings_fini(&findings);
    return status;
}

static int run_timeline(const struct profdump_options *options, const struct timeline *timeline)
{
    struct finding_settings settings;
    int status = read_settings(options, &settings);
    if (status != EXIT_SUCCESS)
        return status;
    return options->explain_list
               ? finish_answer(options, findings_rules(options->format, options->write.table_width,
                                                       options->out))
               : explain(options, timeline, &settings);
}

/* Checks the settings first, so that an error in them is reported before anything is loaded. */
static int run(const struct profdump_options *options)
{
    struct finding_settings settings;
    int status = read_settings(options, &settings);
    if (status != EXIT_SUCCESS)
        return status;
    if (options->explain_list)
        return finish_answer(
            options, findings_rules(options->format, options->write.table_width, options->out));
    struct timeline *timeline = inputs_load(options);
    status = timeline ? explain(options, timeline, &settings) : EXIT_FAILURE;
    timeline_destroy(timeline);
    return status;
}

static bool agree(struct profdump_options *options)
{
    if (!options->explain_list || !options->fail_on)
        return true;
    complain("--fail-on: not with --rules, which judges nothing");
    return false;
}

const struct command command_explain = {
    .word = "explain",
    .summary = "find the causes of lost time, with remedies",
    .usage = "[OPTION]... [FILE|DIRECTORY]...\n--rules",
    .about = "Prints where the time went: idle time of devices by cause, and other lost time, "
             "with the responsible range, a fix, and an upper bound on its savings.",
    .examples = "explain run.prof\n"
                "explain --rule gpu-idle-cpu-bound --rows -1 run.prof",
    .question = QUESTION_TIME,
    .options = options_of_explain,
    .run = run_timeline,
    .run_inputs = run,
    .agree = agree,
    .tables = true,
};
