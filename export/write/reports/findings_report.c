/* findings_report.c - see findings_report.h: what a person reads on a terminal. */
#include "findings_report.h"

#include "finding_gaps.h"
#include "findings_verdict.h"
#include "run_facts.h"
#include "text.h"
#include "units.h"
#include "wrapped_text.h"

#include <string.h>

#define BAR_COLUMNS 25
#define NAME_COLUMNS 60u
#define FRAMES_SHOWN 5u

struct report {
    const struct findings *findings;
    const struct findings_report_options *options;
    FILE *stream;
};

/* ---- the accounts of devices ---- */

static void print_account(const struct report *report, const struct gap_device *device,
                          const char *what, int64_t ns)
{
    char time[TIME_TEXT_BYTES], bar[BAR_COLUMNS + 1];
    double share = device->window_ns > 0 ? (double)ns / (double)device->window_ns : 0;
    int filled = (int)(share * BAR_COLUMNS + 0.5);
    time_text_exact(ns, time_text_unit((double)device->window_ns), time);
    memset(bar, '#', sizeof bar);
    bar[filled < 0 ? 0 : filled > BAR_COLUMNS ? BAR_COLUMNS : filled] = '\0';
    fprintf(report->stream, "  %-44s %14s  %6s%s%s\n", what, time,
            finding_share(ns, device->window_ns).text, *bar ? "  " : "", bar);
}

static void print_device(const struct report *report, const struct gap_device *device)
{
    const struct finding_context *context = &report->findings->context;
    const struct timeline *timeline = context->timeline;
    const struct tl_device *facts = timeline_device_of(timeline, device->process, device->device);
    char name[SHOW_TEXT_BYTES(NAME_COLUMNS)];
    bool rest;
    fprintf(report->stream, "\n%s", finding_device(context, device->process, device->device).text);
    if (facts && facts->name < timeline->names.count) {
        show_text(timeline->names.at[facts->name], NAME_COLUMNS, name, &rest);
        fprintf(report->stream, ", %s", name);
    }
    fprintf(report->stream, ": %s\n", finding_count(device->operations, "operation").text);
    print_account(report, device, "busy", device->busy_ns);
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++) {
        char what[64];
        snprintf(what, sizeof what, "idle: %s", gap_cause_words((enum gap_cause)cause));
        if (device->idle_ns[cause])
            print_account(report, device, what, device->idle_ns[cause]);
    }
    print_account(report, device, "= first to last event", device->window_ns);
}

/* ---- findings ---- */

static void print_stack(const struct report *report, uint32_t stack)
{
    char frames[FRAMES_SHOWN][FINDINGS_FRAME_BYTES];
    uint32_t count = 0;
    if (stack != TL_NONE && report->options->frames)
        count = report->options->frames(report->options->user, stack, frames, FRAMES_SHOWN);
    for (uint32_t i = 0; i < count; i++)
        wrapped_text(report->stream, i ? "           " : "    from   ", frames[i]);
}

static void print_finding(const struct report *report, uint32_t number)
{
    const struct finding *finding = &report->findings->found.at[number];
    const struct finding_context *context = &report->findings->context;
    char path[RANGE_PATH_BYTES];
    fprintf(report->stream, "\n%2u. %s", number + 1, finding->rule->title);
    if (finding->saved_ns > 0)
        fprintf(report->stream, ": saves at most %s (%s)\n", finding_time(finding->saved_ns).text,
                finding_share(finding->saved_ns, context->wall_ns).text);
    else
        fprintf(report->stream, ": what it would save is unknown\n");
    wrapped_text(report->stream, "    ", finding->sentence);
    range_paths_text(context->paths, finding->path, path);
    wrapped_text(report->stream, "    in     ",
                 finding->path == TL_NONE ? "no range, or many places" : path);
    print_stack(report, finding->stack);
    wrapped_text(report->stream, "    remedy ", finding->rule->remedy);
    fprintf(report->stream, "    rule   %s\n", finding->rule->name);
}

static void print_findings(const struct report *report)
{
    uint32_t count = report->findings->found.count;
    int64_t rows = report->options->rows;
    uint32_t shown = rows >= 0 && rows < count ? (uint32_t)rows : count;
    for (uint32_t i = 0; i < shown; i++)
        print_finding(report, i);
    if (count == 0)
        fputs("\nNothing was found that costs as much as the limits ask for.\n", report->stream);
    if (shown < count)
        fprintf(report->stream, "\n%s more: --rows -1 shows all.\n",
                finding_count(count - shown, "finding").text);
    if (shown > 1)
        fputs("\nSeveral findings can be about the same time: what they save does not add up.\n",
              report->stream);
}

/* ---- what was not examined ---- */

static void note(const struct report *report, bool *begun, const char *text)
{
    if (!*begun)
        fputs("\nTo be kept in mind\n", report->stream);
    *begun = true;
    wrapped_text(report->stream, "  - ", text);
}

static void print_notes(const struct report *report)
{
    const struct timeline *timeline = report->findings->context.timeline;
    struct run_facts facts;
    bool begun = false;
    run_facts_init(&facts, timeline);
    if (facts.simulated)
        note(report, &begun, "Simulated GPU: device times come from a model.");
    if (timeline->slice_stacks.count == 0 && timeline->slices.count)
        note(report, &begun,
             "No call stacks were recorded: profrun --stacks names the code of calls.");
    for (uint32_t i = 0; i < report->findings->notes.count; i++)
        note(report, &begun, report->findings->notes.at[i].sentence);
}

bool findings_report(const struct findings *findings, const struct findings_report_options *options,
                     FILE *stream)
{
    struct report report = {findings, options, stream};
    char verdict[FINDINGS_VERDICT_BYTES];
    findings_verdict(findings, verdict);
    wrapped_text(stream, "", verdict);
    for (uint32_t i = 0; i < findings->context.gaps->devices.count; i++)
        print_device(&report, &findings->context.gaps->devices.at[i]);
    if (findings->context.wall_ns > 0)
        print_findings(&report);
    print_notes(&report);
    return !ferror(stream);
}

void findings_rules(FILE *stream)
{
    for (uint32_t i = 0; finding_rules[i]; i++) {
        fprintf(stream, "%s\n", finding_rules[i]->name);
        wrapped_text(stream, "    ", finding_rules[i]->title);
        wrapped_text(stream, "    ", finding_rules[i]->remedy);
    }
}
