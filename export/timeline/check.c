/* check.c - collects the findings; see check.h. */
#include "check_find.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *check_rule_name(enum check_rule rule)
{
    static const char *const names[] = {
#define CHECK_NAME(symbol, name) name,
        CHECK_RULES(CHECK_NAME)
#undef CHECK_NAME
    };
    return rule < CHECK_RULE_COUNT ? names[rule] : "unknown";
}

const char *check_severity_name(enum check_severity severity)
{
    static const char *const names[] = {"note", "warning", "error"};
    return severity <= CHECK_ERROR ? names[severity] : "unknown";
}

void check_add(struct check *check, enum check_rule rule, enum check_severity severity,
               uint64_t count, const char *format, ...)
{
    struct check_finding *finding = &check->found[rule];
    bool graver = finding->count == 0 || severity > finding->severity;
    finding->count += count;
    if (count == 0 || !graver)
        return;
    finding->severity = severity;
    finding->rule = rule;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->sentence, sizeof finding->sentence, format, arguments);
    va_end(arguments);
}

struct text check_name(const struct check *check, uint32_t name)
{
    struct text unknown = {"?", 1};
    if (name >= check->timeline->names.count)
        return unknown;
    struct text text = check->timeline->names.at[name];
    text.size = text.size > 60 ? 60 : text.size;
    return text;
}

static void count_severity(struct check_report *report, enum check_severity severity)
{
    report->errors += severity == CHECK_ERROR;
    report->warnings += severity == CHECK_WARNING;
    report->notes += severity == CHECK_NOTE;
}

void timeline_check(const struct timeline *timeline, struct check_report *report)
{
    struct check check = {.timeline = timeline};
    check_files(&check);
    check_slices(&check);
    check_nvtx(&check);
    check_frames(&check);
    check_gpus(&check);
    check_timings(&check);
    check_ledger(&check);
    check_graphs(&check);
    check_memory(&check);
    check_cost(&check);
    memset(report, 0, sizeof *report);
    for (unsigned rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        if (!check.found[rule].count)
            continue;
        report->findings[report->count++] = check.found[rule];
        count_severity(report, check.found[rule].severity);
    }
}
