/* cmd_check.c - profdump check FILE...: every invariant of file and timeline. Exit status 1 when
 * one does not hold. */
#include "profdump.h"

#include "check.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void print_finding(FILE *out, const struct check_finding *finding)
{
    char shown[SHOW_TEXT_BYTES(400)];
    bool rest;
    show_text((struct text){finding->sentence, strlen(finding->sentence)}, 400, shown, &rest);
    fprintf(out, "%-7s  %-19s  %8llu  %s\n", check_severity_name(finding->severity),
            check_rule_name(finding->rule), (unsigned long long)finding->count, shown);
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
    fprintf(out, "%s: %u file%s, %u slices, %u device operations: %u error%s, %u warning%s\n",
            report->errors ? "FAILED" : "ok", files, files == 1 ? "" : "s", timeline->slices.count,
            count_operations(timeline), report->errors, report->errors == 1 ? "" : "s",
            report->warnings, report->warnings == 1 ? "" : "s");
}

int cmd_check(const struct profdump_options *options, const struct timeline *timeline)
{
    struct check_report report;
    timeline_check(timeline, &report);
    errno = 0;
    for (unsigned i = 0; i < report.count; i++)
        print_finding(options->out, &report.findings[i]);
    print_verdict(options->out, timeline, &report);
    int status = finish(options, timeline, true);
    return report.errors ? EXIT_FAILURE : status;
}
