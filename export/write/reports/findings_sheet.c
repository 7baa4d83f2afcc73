/* findings_sheet.c - profdump explain for programs that read separated values: accounts of devices, and
 * findings; and as Markdown, for a comment on a change. */
#include "findings_report.h"

#include "finding_gaps.h"
#include "findings_verdict.h"
#include "markdown_text.h"
#include "run_facts.h"
#include "sheet.h"
#include "text.h"

#include <errno.h>

#define LINE_COLUMNS 2000u

struct findings_sheet {
    const struct findings *findings;
    const struct findings_report_options *options;
};

static void add_account(struct sheet *sheet, const struct findings *findings,
                        const struct gap_device *device, const char *what, int64_t ns)
{
    if (!sheet_row(sheet))
        return;
    sheet_string(sheet, finding_device(&findings->context, device->process, device->device).text);
    sheet_string(sheet, what);
    sheet_ns(sheet, ns);
    sheet_share(sheet, ns, device->window_ns);
}

static void add_device(struct sheet *sheet, const struct findings *findings,
                       const struct gap_device *device)
{
    add_account(sheet, findings, device, "busy", device->busy_ns);
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++) {
        char what[64];
        snprintf(what, sizeof what, "idle: %s", gap_cause_words((enum gap_cause)cause));
        if (device->idle_ns[cause])
            add_account(sheet, findings, device, what, device->idle_ns[cause]);
    }
    add_account(sheet, findings, device, "first to last event", device->window_ns);
}

static void add_accounts(struct sheet *sheet, const struct findings *findings)
{
    static const struct sheet_column columns[] = {
        {"device", "Device"}, {"what", "What"}, {"time_ns", "Time"}, {"percent", "Share"}, {0}};
    sheet_begin(sheet, "devices", "Devices", columns);
    for (uint32_t i = 0; i < findings->context.gaps->devices.count; i++)
        add_device(sheet, findings, &findings->context.gaps->devices.at[i]);
    sheet_end(sheet);
}

static void add_finding(struct sheet *sheet, const struct findings *findings, uint32_t i)
{
    const struct finding *finding = &findings->found.at[i];
    char path[RANGE_PATH_BYTES];
    if (!sheet_row(sheet))
        return;
    range_paths_text(findings->context.paths, finding->path, path);
    sheet_string(sheet, finding->rule->name);
    sheet_string(sheet, finding->rule->title);
    if (finding->saved_ns > 0)
        sheet_ns(sheet, finding->saved_ns);
    else
        sheet_unknown(sheet);
    if (finding->path == TL_NONE)
        sheet_none(sheet);
    else
        sheet_string(sheet, path);
    sheet_string(sheet, finding->sentence);
    sheet_string(sheet, finding->rule->remedy);
}

static bool add_tables(struct sheet *sheet, void *user)
{
    static const struct sheet_column columns[] = {{"rule", "Rule"},
                                                  {"title", "Finding"},
                                                  {"saved_at_most_ns", "Saves at most"},
                                                  {"path", "In"},
                                                  {"sentence", "Detail"},
                                                  {"remedy", "Remedy"},
                                                  {0}};
    const struct findings *findings = ((struct findings_sheet *)user)->findings;
    add_accounts(sheet, findings);
    sheet->most = ((struct findings_sheet *)user)->options->rows;
    sheet_begin(sheet, "findings", "Findings; several can be about the same time", columns);
    for (uint32_t i = 0; i < findings->found.count && findings->context.wall_ns > 0; i++)
        add_finding(sheet, findings, i);
    sheet_end(sheet);
    return true;
}

static void print_line(const char *start, const char *text, FILE *stream)
{
    char shown[SHOW_TEXT_BYTES(LINE_COLUMNS)];
    bool rest;
    show_text((struct text){text, strlen(text)}, LINE_COLUMNS, shown, &rest);
    fputs(start, stream);
    markdown_text(shown, stream);
    fputs(rest ? "...\n" : "\n", stream);
}

static void print_notes(const struct findings *findings, FILE *stream)
{
    struct run_facts facts;
    run_facts_init(&facts, findings->context.timeline);
    fputs(facts.simulated || facts.lost_anything || findings->notes.count ? "\n" : "", stream);
    if (facts.simulated)
        print_line("- ", "Simulated GPU: device times come from a model.", stream);
    if (facts.lost_anything)
        print_line(
            "- ",
            "Something was lost while recording, so findings may be off: see profdump ledger.",
            stream);
    for (uint32_t i = 0; i < findings->notes.count; i++)
        print_line("- ", findings->notes.at[i].sentence, stream);
}

bool findings_sheet(const struct findings *findings, const struct findings_report_options *options,
                    enum write_format format, FILE *stream)
{
    struct findings_sheet of = {findings, options};
    struct sheet sheet = {.format = format, .stream = stream, .most = -1};
    char verdict[FINDINGS_VERDICT_BYTES];
    if (format == WRITE_MARKDOWN) {
        findings_verdict(findings, verdict);
        print_line("", verdict, stream);
        fputc('\n', stream);
    }
    bool done = sheet_write(&sheet, add_tables, &of);
    if (done && format == WRITE_MARKDOWN)
        print_notes(findings, stream);
    return done && !ferror(stream);
}

static bool add_rules(struct sheet *sheet, void *user)
{
    static const struct sheet_column columns[] = {
        {"rule", "Rule"}, {"title", "Finding"}, {"remedy", "Remedy"}, {0}};
    (void)user;
    sheet_begin(sheet, "rules", "Rules", columns);
    for (uint32_t i = 0; finding_rules[i]; i++) {
        sheet_row(sheet);
        sheet_string(sheet, finding_rules[i]->name);
        sheet_string(sheet, finding_rules[i]->title);
        sheet_string(sheet, finding_rules[i]->remedy);
    }
    sheet_end(sheet);
    return true;
}

bool findings_rules_sheet(enum write_format format, FILE *stream)
{
    struct sheet sheet = {.format = format, .stream = stream, .most = -1};
    return sheet_write(&sheet, add_rules, NULL);
}
