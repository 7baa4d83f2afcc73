/* cmd_explain.c - profdump explain FILE...: where the time went, and what to do about it. */
#include "commands.h"
#include "findings.h"
#include "inputs.h"
#include "options.h"
#include "reports.h"
#include "stack_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool complain_of_rule(const char *name)
{
    complain("--rule: there is no rule '%s'; known are", name);
    for (uint32_t i = 0; finding_rules[i]; i++)
        complain_more("%s", finding_rules[i]->name);
    return false;
}

static bool set_rule(struct profdump_options *options, const char *list)
{
    char name[OPTIONS_WORD_BYTES];
    while (options_next_word(&list, name)) {
        uint32_t rule = finding_rule_find(name);
        if (rule >= FINDING_RULES_MAX)
            return complain_of_rule(name);
        options->explain_rules |= UINT64_C(1) << rule;
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

/* Applies --rule and --limits; --rule enables a rule that the limits disable. False after having
 * complained. */
static bool read_settings(const struct profdump_options *options, struct finding_settings *settings)
{
    _Static_assert(FINDING_RULES_MAX <= 64, "explain_rules has a bit for each");
    finding_settings_default(settings);
    if (options->explain_limits && !read_limits(options->explain_limits, settings))
        return false;
    for (uint32_t i = 0; i < FINDING_RULES_MAX && options->explain_rules; i++)
        settings->enabled[i] = options->explain_rules >> i & 1;
    return true;
}

static const struct option_entry explain_options[] = {
    {CALL("rule", "NAME", set_rule, "run only this rule, or those of a list: a,b")},
    {FLAG("rules", explain_list, "list the rules")},
    {TEXT("limits", "FILE", explain_limits, "read reporting thresholds from FILE")},
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

static int explain(const struct profdump_options *options, const struct timeline *timeline,
                   const struct finding_settings *settings)
{
    struct findings findings;
    struct symbols *symbols = NULL;
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
    findings_fini(&findings);
    return finish(options, timeline, written);
}

static int run_timeline(const struct profdump_options *options, const struct timeline *timeline)
{
    struct finding_settings settings;
    if (!read_settings(options, &settings))
        return EXIT_FAILURE;
    return options->explain_list
               ? finish_answer(options, findings_rules(options->format, options->write.table_width,
                                                       options->out))
               : explain(options, timeline, &settings);
}

/* Checks the settings first, so that an error in them is reported before anything is loaded. */
static int run(const struct profdump_options *options)
{
    struct finding_settings settings;
    if (!read_settings(options, &settings))
        return EXIT_FAILURE;
    if (options->explain_list)
        return finish_answer(
            options, findings_rules(options->format, options->write.table_width, options->out));
    struct timeline *timeline = inputs_load(options);
    int status = timeline ? explain(options, timeline, &settings) : EXIT_FAILURE;
    timeline_destroy(timeline);
    return status;
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
    .tables = true,
};
