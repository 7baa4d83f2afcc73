/* findings_verdict.c - what profdump explain found, in one to three sentences. */
#include "device_api.h"
#include "evidence.h"
#include "reports.h"

#include "finding_gaps.h"
#include "findings.h"
#include "overruns.h"
#include "rules.h"
#include "run_facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define OWNER_BYTES 300

static void append(char to[FINDINGS_VERDICT_BYTES], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append(char to[FINDINGS_VERDICT_BYTES], const char *format, ...)
{
    size_t used = strlen(to);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to + used, FINDINGS_VERDICT_BYTES - used, format, arguments);
    va_end(arguments);
}

static void say_nothing_ran(const struct findings *findings, char to[FINDINGS_VERDICT_BYTES])
{
    const struct finding_context *context = &findings->context;
    struct run_facts facts;
    struct evidence evidence;
    char lacking[EVIDENCE_BYTES];
    run_facts_init(&facts, context->timeline);
    if (context->wall_ns <= 0) {
        append(to, "There is nothing to explain: the recording is empty.");
        return;
    }
    if (evidence_init(&evidence, context->timeline) &&
        evidence_judge(&evidence, EVIDENCE_DEVICE, lacking) == EVIDENCE_MISSING)
        append(to, "In the %s of this recording, %s (GPU mode: %s",
               sentence_time(context->wall_ns).text, lacking, facts.mode);
    else
        append(to, "Nothing ran on a GPU in the %s of this recording (GPU mode: %s",
               sentence_time(context->wall_ns).text, facts.mode);
    if (facts.mode_reason.size)
        append(to, ", %.*s", (int)facts.mode_reason.size, facts.mode_reason.bytes);
    append(to, ").");
}

static void say_busy(const struct findings *findings, char to[FINDINGS_VERDICT_BYTES])
{
    const struct finding_context *context = &findings->context;
    const struct finding_gaps *gaps = context->gaps;
    const struct gap_device *least = &gaps->devices.at[0];
    int64_t busy_ns = 0, window_ns = 0;
    for (uint32_t i = 0; i < gaps->devices.count; i++) {
        const struct gap_device *device = &gaps->devices.at[i];
        busy_ns += device->busy_ns;
        window_ns += device->window_ns;
        if ((double)device->busy_ns * (double)least->window_ns <
            (double)least->busy_ns * (double)device->window_ns)
            least = device;
    }
    struct sentence_text name = finding_device(context, least->process, least->device);
    if (gaps->devices.count == 1)
        append(to, "%s was busy %s of %s.", name.text, sentence_share(busy_ns, window_ns).text,
               sentence_time(window_ns).text);
    else
        append(to, "%u GPUs were busy %s of their time; %s least, %s of %s.", gaps->devices.count,
               sentence_share(busy_ns, window_ns).text, name.text,
               sentence_share(least->busy_ns, least->window_ns).text,
               sentence_time(least->window_ns).text);
}

static void say_idle(const struct findings *findings, char to[FINDINGS_VERDICT_BYTES])
{
    const struct finding_gaps *gaps = findings->context.gaps;
    int64_t sums_ns[GAP_CAUSES] = {0}, idle_ns = 0;
    unsigned main = 0;
    for (uint32_t i = 0; i < gaps->devices.count; i++)
        for (unsigned cause = 0; cause < GAP_CAUSES; cause++) {
            sums_ns[cause] += gaps->devices.at[i].idle_ns[cause];
            idle_ns += gaps->devices.at[i].idle_ns[cause];
        }
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++)
        main = sums_ns[cause] > sums_ns[main] ? cause : main;
    if (idle_ns <= 0)
        return;
    append(to, " %s of the idle time: %s.", sentence_share(sums_ns[main], idle_ns).text,
           gap_cause_words((enum gap_cause)main, device_api_of(findings->context.timeline)));
}

/* Findings with an owner come first. */
static void say_first(const struct findings *findings, char to[FINDINGS_VERDICT_BYTES])
{
    const struct finding *first = findings->found.count ? &findings->found.at[0] : NULL;
    char words[OWNER_BYTES], path[RANGE_PATH_BYTES];
    if (!first) {
        append(to, " No cost exceeds the limit of its rule (--limits).");
        return;
    }
    append(to, " First finding: %s",
           device_api_words(device_api_of(findings->context.timeline), first->rule->title, words,
                            sizeof words));
    range_paths_text(findings->context.paths, first->path, path);
    if (first->path != TL_NONE)
        append(to, ", in '%.*s'", OWNER_BYTES, path);
    if (first->saved_ns > 0)
        append(to, "; fixing it saves at most %s (%s)", sentence_time(first->saved_ns).text,
               sentence_share(first->saved_ns, findings->context.wall_ns).text);
    append(to, ".");
}

static void say_wrong(const struct findings *findings, char to[FINDINGS_VERDICT_BYTES])
{
    struct overruns overruns;
    char text[OVERRUNS_TEXT_BYTES];
    overruns_find(findings->context.timeline, &overruns);
    if (!overruns.count)
        return;
    overruns_text(findings->context.timeline, &overruns, text);
    append(to, " What is said of devices depends on wrong durations: %s.", text);
}

bool findings_abstain(const struct findings *findings, char to[EVIDENCE_BYTES])
{
    const struct timeline *timeline = findings->context.timeline;
    if (findings->context.gaps->devices.count)
        return evidence_missing(timeline, EVIDENCE_CALLS, to);
    if (!evidence_missing(timeline, EVIDENCE_DEVICE, to))
        snprintf(to, EVIDENCE_BYTES, "there is no device time to judge");
    return true;
}

void findings_verdict(const struct findings *findings, char to[FINDINGS_VERDICT_BYTES])
{
    *to = '\0';
    if (findings->context.gaps->devices.count == 0) {
        say_nothing_ran(findings, to);
        return;
    }
    say_busy(findings, to);
    say_idle(findings, to);
    say_first(findings, to);
    say_wrong(findings, to);
}
