/* cmd_explain.c - profdump explain FILE...: where the time went, and what to do about it. */
#include "explain_options.h"
#include "findings_report.h"
#include "stack_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_DEFAULT 10

static bool show(const struct profdump_options *options, const struct findings *findings,
                 struct symbols *symbols)
{
    struct findings_report_options report = {
        .rows = options->rows_given ? options->write.rows : ROWS_DEFAULT,
        .frames = symbols ? stack_text_frames : NULL,
        .user = symbols,
    };
    if (options->format == WRITE_JSON)
        return findings_json(findings, &report, options->out);
    return options->format == WRITE_TEXT
               ? findings_report(findings, &report, options->out)
               : findings_sheet(findings, &report, options->format, options->out);
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

static bool list_rules(const struct profdump_options *options)
{
    if (options->json)
        return findings_rules_json(options->out);
    if (options->format != WRITE_TEXT)
        return findings_rules_sheet(options->format, options->out);
    findings_rules(options->out);
    return true;
}

int cmd_explain_timeline(const struct profdump_options *options, const struct timeline *timeline)
{
    struct finding_settings settings;
    if (!explain_settings(options, &settings))
        return EXIT_FAILURE;
    return options->explain_list ? finish_answer(options, list_rules(options))
                                 : explain(options, timeline, &settings);
}

/* The settings come first: what is wrong in them is said before anything is read. */
int cmd_explain(const struct profdump_options *options)
{
    struct finding_settings settings;
    if (!explain_settings(options, &settings))
        return EXIT_FAILURE;
    if (options->explain_list)
        return finish_answer(options, list_rules(options));
    struct timeline *timeline = inputs_load(options);
    int status = timeline ? explain(options, timeline, &settings) : EXIT_FAILURE;
    timeline_destroy(timeline);
    return status;
}
