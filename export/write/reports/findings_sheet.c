/* findings_sheet.c - profdump explain for programs that read separated values: accounts of devices, and
 * findings; and as Markdown, for a comment on a change. */
#include "findings_report.h"

#include "finding_gaps.h"
#include "findings_verdict.h"
#include "markdown_text.h"
#include "run_facts.h"
#include "table.h"
#include "text.h"

#include <errno.h>

#define LINE_COLUMNS 2000u

struct findings_sheet {
    const struct findings *findings;
    const struct findings_report_options *options;
};

static void add_account(struct table *table, const struct findings *findings,
                        const struct gap_device *device, const char *what, int64_t ns)
{
    if (!table_row(table))
        return;
    table_string(table, finding_device(&findings->context, device->process, device->device).text);
    table_string(table, what);
    table_ns(table, ns);
    table_share(table, ns, device->window_ns);
}

static void add_device(struct table *table, const struct findings *findings,
                       const struct gap_device *device)
{
    add_account(table, findings, device, "busy", device->busy_ns);
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++) {
        char what[64];
        snprintf(what, sizeof what, "idle: %s", gap_cause_words((enum gap_cause)cause));
        if (device->idle_ns[cause])
            add_account(table, findings, device, what, device->idle_ns[cause]);
    }
    add_account(table, findings, device, "first to last event", device->window_ns);
}

static void add_accounts(struct table *table, const struct findings *findings)
{
    static const struct table_column columns[] = {
        {"device", "Device"}, {"what", "What"}, {"time_ns", "Time"}, {"percent", "Share"}, {0}};
    table_begin(table, "devices", "Devices", columns);
    for (uint32_t i = 0; i < findings->context.gaps->devices.count; i++)
        add_device(table, findings, &findings->context.gaps->devices.at[i]);
    table_end(table);
}

static void add_finding(struct table *table, const struct findings *findings, uint32_t i)
{
    const struct finding *finding = &findings->found.at[i];
    char path[RANGE_PATH_BYTES];
    if (!table_row(table))
        return;
    range_paths_text(findings->context.paths, finding->path, path);
    table_string(table, finding->rule->name);
    table_string(table, finding->rule->title);
    if (finding->saved_ns > 0)
        table_ns(table, finding->saved_ns);
    else
        table_unknown(table);
    if (finding->path == TL_NONE)
        table_none(table);
    else
        table_string(table, path);
    table_string(table, finding->sentence);
    table_string(table, finding->rule->remedy);
}

static bool add_tables(struct table *table, void *user)
{
    static const struct table_column columns[] = {{"rule", "Rule"},
                                                  {"title", "Finding"},
                                                  {"saved_at_most_ns", "Saves at most"},
                                                  {"path", "In"},
                                                  {"sentence", "Detail"},
                                                  {"remedy", "Remedy"},
                                                  {0}};
    const struct findings *findings = ((struct findings_sheet *)user)->findings;
    add_accounts(table, findings);
    table->most = ((struct findings_sheet *)user)->options->rows;
    table_begin(table, "findings", "Findings; several can be about the same time", columns);
    for (uint32_t i = 0; i < findings->found.count && findings->context.wall_ns > 0; i++)
        add_finding(table, findings, i);
    table_end(table);
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
    struct table table = {.format = format, .stream = stream, .most = -1};
    char verdict[FINDINGS_VERDICT_BYTES];
    if (format == WRITE_MARKDOWN) {
        findings_verdict(findings, verdict);
        print_line("", verdict, stream);
        fputc('\n', stream);
    }
    bool done = table_write(&table, add_tables, &of);
    if (done && format == WRITE_MARKDOWN)
        print_notes(findings, stream);
    return done && !ferror(stream);
}

static bool add_rules(struct table *table, void *user)
{
    static const struct table_column columns[] = {
        {"rule", "Rule"}, {"title", "Finding"}, {"remedy", "Remedy"}, {0}};
    (void)user;
    table_begin(table, "rules", "Rules", columns);
    for (uint32_t i = 0; finding_rules[i]; i++) {
        table_row(table);
        table_string(table, finding_rules[i]->name);
        table_string(table, finding_rules[i]->title);
        table_string(table, finding_rules[i]->remedy);
    }
    table_end(table);
    return true;
}

bool findings_rules_sheet(enum write_format format, FILE *stream)
{
    struct table table = {.format = format, .stream = stream, .most = -1};
    return table_write(&table, add_rules, NULL);
}
