/* html_report.c - the reports that are pages. About a recording, a page with
 *
 *     #verdict, #statement    as text: read without a script, too, as is what explain says
 *     block "run-data"         the facts, "usage", "rows", "idle", "flames"
 *     block "findings-data"     as profdump explain --json
 *     block "roofline-data"     as profdump roofline --json
 *     block "timeline-data"     threads and streams, see html_page.h
 *
 * Times are nanoseconds from the trace's time 0, as in every JSON. About two recordings, a page
 * with what diff says as text, and the block "diff-data", as profdump diff --json.
 */
#include "device_api.h"
#include "html_page.h"
#include "process_name.h"
#include "reports.h"
#include "roofline.h"
#include "run_facts.h"
#include "write.h"

#include <errno.h>
#include <stdlib.h>

#define LIST_ROWS 100
#define DIFF_TEXT_ROWS 20
#define DIFF_DATA_ROWS 500

struct report {
    const struct timeline *timeline;
    const struct write_html_options *options;
    const struct findings *findings;
    const struct html_step_list *steps;
};

/* ---- text ---- */

/* What `print` prints, between the tags. False: no memory. */
static bool write_printed(FILE *stream, const void *report,
                          bool (*print)(const void *report, FILE *stream))
{
    char *bytes = NULL;
    size_t size;
    FILE *text = open_memstream(&bytes, &size);
    bool printed = text && print(report, text);
    printed = text && fclose(text) == 0 && printed;
    if (printed)
        html_text(stream, bytes);
    free(bytes);
    return printed;
}

static bool print_findings(const void *user, FILE *stream)
{
    const struct report *report = user;
    struct findings_report_options options = {-1, report->options->frames, report->options->user};
    return findings_report(report->findings, &options, WRITE_TEXT, stream);
}

static bool print_statement(const void *user, FILE *stream)
{
    const struct report *report = user;
    return write_statement(report->timeline, stream);
}

static bool write_text(FILE *stream, const struct report *report)
{
    char verdict[FINDINGS_VERDICT_BYTES];
    struct run_facts facts;
    run_facts_init(&facts, report->timeline);
    findings_verdict(report->findings, verdict);
    fputs("<header id=\"top\"></header>\n<main>\n<section id=\"verdict\"><h2>Verdict</h2>\n<p>",
          stream);
    html_text(stream, verdict);
    fputs("</p>\n", stream);
    if (facts.simulated)
        fputs("<p class=\"note\">Simulated GPU: device times come from a model.</p>\n", stream);
    if (facts.lost_anything)
        fputs("<p class=\"note warn\">Not everything was recorded: see the statement below.</p>\n",
              stream);
    fputs("</section>\n<noscript><pre>", stream);
    bool written = write_printed(stream, report, print_findings);
    fputs("</pre></noscript>\n<div id=\"sections\"></div>\n"
          "<section id=\"statement\"><h2>Losses and overhead</h2>\n<pre>",
          stream);
    written = written && write_printed(stream, report, print_statement);
    fputs("</pre></section>\n</main>\n", stream);
    return written;
}

/* ---- data ---- */

static void write_counts(struct json_out *out, const struct timeline *timeline)
{
    uint64_t operations = 0, calls = 0, ranges = timeline->asyncs.count;
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        operations += tl_is_work(&timeline->gpus.at[i]);
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (slice->flags & (TL_INTERNAL | TL_CONTINUED))
            continue;
        calls += slice->kind == TL_API;
        ranges += slice->kind != TL_API;
    }
    json_key(out, "counts"), json_object_begin(out);
    json_key(out, "ranges"), json_uint(out, ranges);
    json_key(out, "calls"), json_uint(out, calls);
    json_key(out, "operations"), json_uint(out, operations);
    json_key(out, "threads"), json_uint(out, timeline->threads.count);
    json_object_end(out);
}

/* What the page calls each process, where there is little room and where there is more. */
static void write_names(struct json_out *out, const struct timeline *timeline)
{
    json_key(out, "process_names"), json_array_begin(out);
    for (uint32_t i = 0; i < timeline->processes.count; i++) {
        json_newline(out), json_array_begin(out);
        json_string(out, process_short_name(timeline, i).text);
        json_string(out, process_full_name(timeline, i).text);
        json_array_end(out);
    }
    json_array_end(out);
}

static void write_facts(struct json_out *out, const struct timeline *timeline)
{
    struct run_facts facts;
    run_facts_init(&facts, timeline);
    facts_json_run(out, &facts);
    json_key(out, "lost_anything"), json_bool(out, facts.lost_anything);
    json_key(out, "verdict"), json_string(out, facts.verdict);
    json_key(out, "start_ns"), json_int(out, timeline->origin_ns);
    json_key(out, "restricted"), json_bool(out, timeline->restricted);
    json_key(out, "duration_ns"), json_int(out, timeline->end_ns - timeline->start_ns);
    json_key(out, "api"), json_string(out, device_api_name(device_api_of(timeline)));
    write_counts(out, timeline);
    facts_json_lists(out, timeline);
    json_newline(out), write_names(out, timeline);
    json_newline(out), facts_json_loss(out, &facts);
}

static bool write_members(struct json_out *out, const struct report *report)
{
    const struct timeline *timeline = report->timeline;
    write_facts(out, timeline);
    bool written = averages_json_devices(out, timeline) && ledger_json(out, timeline);
    cost_json(out, timeline);
    json_newline(out), json_key(out, "memory");
    written = written && memory_json(out, timeline, LIST_ROWS);
    json_newline(out);
    return written && html_rows(out, timeline, report->steps) && html_usage(out, timeline) &&
           html_gaps(out, report->findings) && html_steps(out, report->findings, report->steps) &&
           html_finding_steps(out, report->findings) &&
           html_roofline_steps(out, timeline, report->steps) &&
           html_flames(out, timeline, report->steps, report->options);
}

static bool write_run(FILE *stream, const struct report *report)
{
    struct json_out out;
    bool written = json_out_init(&out, -1, stream);
    json_object_begin(&out);
    written = written && write_members(&out, report);
    json_object_end(&out);
    int error = json_out_fini(&out);
    errno = error ? error : ENOMEM;
    return written && !error;
}

static bool write_findings(FILE *stream, const struct report *report)
{
    struct findings_report_options options = {HTML_FINDINGS, report->options->frames,
                                              report->options->user};
    return findings_report(report->findings, &options, WRITE_JSON, stream);
}

static bool write_roofs(FILE *stream, const struct report *report)
{
    const struct write_roofline_options options = {.format = WRITE_JSON,
                                                   .rows = HTML_ROOFLINE_ROWS};
    const struct roofline_options how = {.by = ROOFLINE_BY_KERNEL};
    struct kernel_works works;
    struct roofline roofline;
    errno = ENOMEM;
    if (!kernel_works_init(&works, report->timeline))
        return false;
    bool written = roofline_init(&roofline, report->timeline, &works, &how);
    kernel_works_fini(&works);
    if (written) {
        written = write_roofline(&roofline, &options, stream);
        roofline_fini(&roofline);
    }
    return written;
}

static bool write_boxes(FILE *stream, const struct report *report)
{
    struct json_out out;
    bool written = json_out_init(&out, -1, stream) &&
                   html_timeline(&out, report->timeline, report->options->full);
    int error = json_out_fini(&out);
    errno = error ? error : ENOMEM;
    return written && !error;
}

static bool write_block(FILE *stream, const struct report *report, const char *id,
                        bool (*write)(FILE *stream, const struct report *report))
{
    html_block_begin(stream, id);
    bool written = write(stream, report);
    html_block_end(stream);
    return written;
}

/* ---- the page ---- */

static void write_title(FILE *stream, const struct timeline *timeline)
{
    char title[300] = "libprof report";
    if (timeline->processes.count) {
        struct text program = timeline->processes.at[0].info.program;
        int size = program.size < 200 ? (int)program.size : 200;
        snprintf(title, sizeof title, "%.*s%s%s - libprof report", size, size ? program.bytes : "",
                 size ? ", " : "", process_full_name(timeline, 0).text);
    }
    html_page_begin(stream, title);
}

static bool write_all(FILE *stream, const struct report *report)
{
    write_title(stream, report->timeline);
    errno = ENOMEM;
    bool written = write_text(stream, report) &&
                   write_block(stream, report, "run-data", write_run) &&
                   write_block(stream, report, "findings-data", write_findings) &&
                   write_block(stream, report, "roofline-data", write_roofs) &&
                   write_block(stream, report, "timeline-data", write_boxes);
    html_page_end(stream);
    return written;
}

static int write_report(FILE *stream, const void *user)
{
    struct report report = *(const struct report *)user;
    struct findings findings;
    struct html_step_list steps;
    if (!html_step_list_init(&steps, report.timeline))
        return ENOMEM;
    report.steps = &steps;
    if (!findings_init_by_step(&findings, report.timeline, NULL, &steps.all, steps.is_shown)) {
        html_step_list_fini(&steps);
        return ENOMEM;
    }
    report.findings = &findings;
    bool written = write_all(stream, &report);
    int code = errno ? errno : EIO;
    html_step_list_fini(&steps);
    findings_fini(&findings);
    return written ? 0 : code;
}

bool write_html(const struct timeline *timeline, const struct write_html_options *options,
                const char *path, struct write_error *error)
{
    const struct report report = {timeline, options, NULL, NULL};
    return html_page_write(write_report, &report, path, error);
}

/* ---- the report about two runs ---- */

struct diff_report {
    const struct diff *diff;
    const struct write_diff_options *options;
};

static bool print_diff(const void *user, FILE *stream)
{
    const struct diff_report *report = user;
    struct write_diff_options options = *report->options;
    options.format = WRITE_TEXT;
    options.rows = DIFF_TEXT_ROWS;
    options.color = false;
    return write_diff(report->diff, &options, stream);
}

static bool write_diff_text(FILE *stream, const struct diff_report *report)
{
    fputs("<header id=\"top\"></header>\n<main>\n<div id=\"sections\"></div>\n"
          "<section id=\"text\"><h2>As text</h2>\n<details><summary>what profdump diff "
          "prints</summary><pre class=\"lines\">",
          stream);
    bool written = write_printed(stream, report, print_diff);
    fputs("</pre></details></section>\n</main>\n", stream);
    return written;
}

static bool write_diff_data(FILE *stream, const struct diff_report *report)
{
    struct write_diff_options options = *report->options;
    options.format = WRITE_JSON;
    options.rows = DIFF_DATA_ROWS;
    html_block_begin(stream, "diff-data");
    bool written = write_diff(report->diff, &options, stream);
    html_block_end(stream);
    return written;
}

/* Both paths without the directories that they share. */
static void shorten_inputs(const struct write_diff_options *options, const char *inputs[2])
{
    inputs[0] = options->inputs[0], inputs[1] = options->inputs[1];
    for (size_t i = 0; inputs[0][i] && inputs[0][i] == inputs[1][i]; i++)
        if (inputs[0][i] == '/' && inputs[0][i + 1] && inputs[1][i + 1]) {
            inputs[0] += i + 1, inputs[1] += i + 1;
            i = (size_t)-1;
        }
}

/* main.js shows it as the heading, too. */
static void write_diff_title(FILE *stream, const struct write_diff_options *options)
{
    char title[1000];
    const char *inputs[2];
    shorten_inputs(options, inputs);
    snprintf(title, sizeof title, "%.300s (%.150s) against %.300s (%.150s) - libprof report",
             inputs[1], options->names[1], inputs[0], options->names[0]);
    html_page_begin(stream, title);
}

static int write_diff_report(FILE *stream, const void *user)
{
    const struct diff_report *report = user;
    write_diff_title(stream, report->options);
    errno = ENOMEM;
    bool written = write_diff_text(stream, report) && write_diff_data(stream, report);
    int code = errno ? errno : EIO;
    html_page_end(stream);
    return written ? 0 : code;
}

bool write_html_diff(const struct diff *diff, const struct write_diff_options *options,
                     const char *path, struct write_error *error)
{
    const struct diff_report report = {diff, options};
    return html_page_write(write_diff_report, &report, path, error);
}
