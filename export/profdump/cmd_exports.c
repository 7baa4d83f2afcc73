/* cmd_exports.c - profdump -o OUT, export: the table of export formats, and those without a file of
 * their own. */
#include "commands.h"
#include "export_endings.h"
#include "formats.h"
#include "options.h"
#include "packed_out.h"
#include "profdump.h"
#ifdef PROF_HAVE_SQLITE
#include "query.h"
#endif
#include "stack_text.h"
#include "window_options.h"
#include "write_html.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The size of `path` without `ending`; 0: it has another one, or nothing else. */
static size_t size_before(const char *path, size_t size, const char *ending, size_t ending_size)
{
    bool ends = size > ending_size && strncmp(path + size - ending_size, ending, ending_size) == 0;
    return ends ? size - ending_size : 0;
}

/* The size of the one of the endings that `path` has; 0: none. `packed`: .gz or .zst may follow. */
static size_t ending_size(const char *endings, bool packed, const char *path)
{
    static const char *const packings[] = {"", EXPORT_PACKINGS};
    for (size_t i = 0; i < (packed ? sizeof packings / sizeof *packings : 1); i++) {
        size_t rest = size_before(path, strlen(path), packings[i], strlen(packings[i]));
        for (const char *ending = endings; rest && *ending;) {
            size_t size = strcspn(ending, " ");
            if (size_before(path, rest, ending, size))
                return size;
            ending += size + strspn(ending + size, " ");
        }
    }
    return 0;
}

static int export_perfetto(const struct profdump_options *options, const struct timeline *timeline,
                           const char *path)
{
    struct write_error error;
    struct symbols *symbols = timeline->stacks.count ? stack_text_symbols(options, timeline) : NULL;
    char **stacks = symbols ? stack_text_lines(symbols, timeline) : NULL;
    bool written = write_perfetto(timeline, stacks, symbols, path, &error);
    stack_text_free(stacks, timeline->stacks.count);
    if (symbols)
        stack_text_complain(symbols);
    symbols_destroy(symbols);
    return finish_export(options, timeline, written, &error);
}

static int write_with_symbols(const struct profdump_options *options,
                              const struct timeline *timeline, const char *path,
                              bool (*write)(const struct timeline *, struct symbols *, const char *,
                                            struct write_error *))
{
    struct write_error error;
    struct symbols *symbols = timeline->stacks.count ? stack_text_symbols(options, timeline) : NULL;
    bool written = write(timeline, symbols, path, &error);
    if (symbols)
        stack_text_complain(symbols);
    symbols_destroy(symbols);
    return finish_export(options, timeline, written, &error);
}

static int export_pprof(const struct profdump_options *options, const struct timeline *timeline,
                        const char *path)
{
    return write_with_symbols(options, timeline, path, write_pprof);
}

static int export_speedscope(const struct profdump_options *options,
                             const struct timeline *timeline, const char *path)
{
    return write_with_symbols(options, timeline, path, write_speedscope);
}

static int export_prometheus(const struct profdump_options *options,
                             const struct timeline *timeline, const char *path)
{
    const struct write_prometheus_options metrics = {options->labels, options->label_count};
    struct write_error error;
    bool written = write_prometheus(timeline, &metrics, path, &error);
    return finish_export(options, timeline, written, &error);
}

static int export_sqlite(const struct profdump_options *options, const struct timeline *timeline,
                         const char *path)
{
#ifdef PROF_HAVE_SQLITE
    struct write_error error;
    bool written = write_sqlite(timeline, path, &error);
    return finish_export(options, timeline, written, &error);
#else
    (void)options, (void)timeline;
    complain("%s: cannot write: this profdump was built without SQLite", path);
    return EXIT_FAILURE;
#endif
}

/* ---- a page ---- */

static bool write_page(const struct timeline *timeline, struct symbols *symbols, bool full,
                       const char *path)
{
    struct write_html_options options = {.user = symbols, .full = full};
    struct write_error error;
    if (symbols) {
        options.frames = stack_text_frames;
        options.functions = stack_text_functions;
    }
    bool written = write_html(timeline, &options, path, &error);
    if (!written && error.code != EPIPE)
        complain("%s", error.message);
    return written;
}

static int export_html(const struct profdump_options *options, const struct timeline *timeline,
                       const char *path)
{
    struct symbols *symbols = NULL;
    if (timeline->stacks.count && !(symbols = stack_text_symbols(options, timeline)))
        return EXIT_FAILURE;
    bool written = write_page(timeline, symbols, options->html_full, path);
    if (symbols)
        stack_text_complain(symbols);
    symbols_destroy(symbols);
    return written ? finish(options, timeline, true) : EXIT_FAILURE;
}

/* ---- profiling blocks ---- */

static void say_left_out(const char *path, const char *what, uint64_t count)
{
    if (count)
        complain("%s: %s: %" PRIu64, path, what, count);
}

/* Reports losses that the program did not ask for. */
static void say_what_is_missing(const char *path, const struct write_etprof_counts *counts)
{
    say_left_out(path, "unfinished events left out", counts->unfinished_events);
    say_left_out(path, "allocations written as 16 TiB", counts->clamped_allocations);
}

static int export_etprof(const struct profdump_options *options, const struct timeline *timeline,
                         const char *path)
{
    struct write_etprof_counts counts;
    struct write_error error;
    bool written = write_etprof(timeline, path, &counts, &error);
    if (written)
        say_what_is_missing(path, &counts);
    return finish_export(options, timeline, written, &error);
}

/* ---- a picture ----
 *
 * Of a window, it shows what was open in it, too, so it needs the whole timeline. */

static bool set_width(struct profdump_options *options, const char *text)
{
    unsigned long width;
    bool good = options_number(text, WRITE_SVG_WIDTH_MIN, WRITE_SVG_WIDTH_MAX, &width);
    if (good)
        options->svg.width_px = (unsigned)width;
    else
        complain("--width: '%s' is not a number of pixels from %u to %u", text, WRITE_SVG_WIDTH_MIN,
                 WRITE_SVG_WIDTH_MAX);
    return good;
}

/* All of it where no window was requested. */
static bool window_of(const struct profdump_options *options, const struct timeline *timeline,
                      struct write_svg_options *svg)
{
    struct read_error error;
    *svg = options->svg;
    svg->width_px = svg->width_px ? svg->width_px : WRITE_SVG_WIDTH;
    svg->from_ns = timeline->start_ns;
    svg->to_ns = timeline->end_ns;
    if (!window_options_given(options))
        return true;
    if (!window_options_find(options, timeline, &svg->from_ns, &svg->to_ns, &error)) {
        complain("%s", error.message);
        return false;
    }
    svg->from_ns = svg->from_ns > timeline->start_ns ? svg->from_ns : timeline->start_ns;
    svg->to_ns = svg->to_ns < timeline->end_ns ? svg->to_ns : timeline->end_ns;
    return true;
}

static int export_svg(const struct profdump_options *options, const struct timeline *timeline,
                      const char *path)
{
    struct write_svg_options svg;
    struct write_error error;
    if (!window_of(options, timeline, &svg))
        return EXIT_FAILURE;
    bool written = write_svg(timeline, &svg, path, &error);
    return finish_export(options, timeline, written, &error);
}

/* ---- the table of stats ---- */

static enum write_format table_format_of(const char *path)
{
    static const struct {
        const char *ending;
        enum write_format format;
    } formats[] = {{".tsv", WRITE_TSV}, {".txt", WRITE_TEXT}, {".md", WRITE_MARKDOWN}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (ending_size(formats[i].ending, true, path))
            return formats[i].format;
    return WRITE_CSV;
}

static int export_csv(const struct profdump_options *options, const struct timeline *timeline,
                      const char *path)
{
    struct profdump_options table = *options;
    struct export_file file;
    struct write_error error;
    if (!export_file_open(&file, path, packed_out_open, &error))
        return finish_export(options, timeline, false, &error);
    table.format = table_format_of(path);
    table.json = false;
    table.write.color = false;
    table.write.table_width = options->table_width_given ? options->write.table_width : 0;
    errno = 0;
    table.out = export_file_stream(&file);
    bool printed = false;
    int status = table.out ? cmd_show_print(&table, timeline, &printed) : EXIT_SUCCESS;
    printed = printed && fflush(table.out) == 0;
    int code = printed ? 0 : errno ? errno : EIO;
    bool written = export_file_close(&file, code, &error);
    return status == EXIT_SUCCESS ? finish_export(options, timeline, written, &error) : status;
}

/* ---- --label ---- */

static bool is_label_name(const char *text, size_t size)
{
    size_t letters =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return size > 0 && size < 64 && letters == size && (*text < '0' || *text > '9') &&
           strncmp(text, "__", 2) != 0;
}

static bool is_taken(const struct profdump_options *options, const char *text, size_t size)
{
    if (write_prometheus_has_label((struct text){text, size}))
        return true;
    for (size_t i = 0; i < options->label_count; i++)
        if (strncmp(options->labels[i], text, size + 1) == 0)
            return true;
    return false;
}

static bool add_label(struct profdump_options *options, const char *text)
{
    size_t size = strcspn(text, "=");
    if (text[size] != '=' || !is_label_name(text, size))
        complain("--label: '%s' is not NAME=VALUE with a NAME of letters, digits and _", text);
    else if (is_taken(options, text, size))
        complain("--label: '%.*s' is taken", (int)size, text);
    else if (options->label_count == LABELS_MAX)
        complain("--label: more than %u labels", LABELS_MAX);
    else
        return options->labels[options->label_count++] = text, true;
    return false;
}

/* ---- all of them ---- */

const struct export_format export_formats[EXPORT_COUNT] = {
    [EXPORT_CHROME] = {"chrome", "out.json", EXPORT_ENDINGS_CHROME, true,
                       "write a Chrome trace, for ui.perfetto.dev", cmd_chrome, UINT64_C(1) << 53,
                       "row names show the original ids"},
    [EXPORT_HTML] = {"html", "out.html", EXPORT_ENDINGS_HTML, false,
                     "write a report for a browser ('diff -o' does so too)", export_html},
    [EXPORT_PERFETTO] = {"perfetto", "out.pftrace", EXPORT_ENDINGS_PERFETTO, true,
                         "write a Perfetto trace, a third of the Chrome trace's size",
                         export_perfetto, INT32_MAX, "row names show the original ids"},
    [EXPORT_PPROF] = {"pprof", "out.pb.gz", EXPORT_ENDINGS_PPROF, false,
                      "write a profile for pprof", export_pprof},
    [EXPORT_PROMETHEUS] = {"prometheus", "out.prom", EXPORT_ENDINGS_PROMETHEUS, true,
                           "write summary metrics for Prometheus", export_prometheus},
    [EXPORT_SPEEDSCOPE] = {"speedscope", "out.speedscope.json", EXPORT_ENDINGS_SPEEDSCOPE, true,
                           "write threads and streams for speedscope.app", export_speedscope},
    [EXPORT_ETPROF] = {"etprof", "out.etprof", EXPORT_ENDINGS_ETPROF, false,
                       "write profiling blocks as ExecuTorch's prof buffers", export_etprof},
    [EXPORT_SVG] = {"svg", "out.svg", EXPORT_ENDINGS_SVG, true, "draw the timeline", export_svg},
    [EXPORT_SQLITE] = {"sqlite", "out.sqlite", EXPORT_ENDINGS_SQLITE, false,
                       "write a database with the tables of nsys", export_sqlite, 0xffffff,
                       "the table PROF_IDS has the original ids"},
    [EXPORT_ARROW] = {"arrow", "out.arrow", EXPORT_ENDINGS_ARROW, true,
                      "write a table for polars, pandas, DuckDB ...", cmd_arrow},
    [EXPORT_FOLDED] = {"folded", "out.folded", EXPORT_ENDINGS_FOLDED, true,
                       "write ranges as flamegraph.pl reads them", cmd_folded},
    [EXPORT_TENSORBOARD] = {"tensorboard", "worker.pt.trace.json", "", true,
                            "write a Chrome trace for TensorBoard's PyTorch plugin",
                            cmd_tensorboard},
    [EXPORT_CSV] = {"csv", "out.csv", EXPORT_ENDINGS_CSV, true,
                    "write the table of stats as CSV, TSV, text or Markdown", export_csv},
};

/* ---- -o and --to ---- */

/* The format with the longest ending that fits: ".speedscope.json" is not a ".json". */
static enum export_kind kind_of_path(const char *path)
{
    enum export_kind best = EXPORT_COUNT;
    size_t longest = 0;
    for (int kind = 0; kind < EXPORT_COUNT; kind++) {
        size_t size = ending_size(export_formats[kind].endings, export_formats[kind].packed, path);
        if (size > longest) {
            longest = size;
            best = (enum export_kind)kind;
        }
    }
    return best;
}

static void complain_of_ending(const char *path)
{
    char endings[256] = "";
    for (size_t i = 0; i < EXPORT_COUNT; i++) {
        size_t used = strlen(endings);
        const char *known = export_formats[i].endings;
        snprintf(endings + used, sizeof endings - used, "%s%.*s", i && *known ? " " : "",
                 (int)strcspn(known, " "), known);
    }
    if (strcmp(path, "-") == 0)
        complain("-o -: which format? --to chrome, html, perfetto ... selects it");
    else
        complain("-o %s: unknown ending; known are %s, and --to FORMAT selects one", path, endings);
}

static enum export_kind kind_named(const char *name)
{
    enum export_kind kind = 0;
    while (kind < EXPORT_COUNT && strcmp(export_formats[kind].option, name) != 0)
        kind++;
    return kind;
}

static bool set_to(struct profdump_options *options, const char *name)
{
    options->to = name;
    return kind_named(name) < EXPORT_COUNT;
}

static const char *format_at(unsigned number)
{
    return number < EXPORT_COUNT ? export_formats[number].option : NULL;
}

static bool set_output(struct profdump_options *options, const char *path)
{
    if (!*path)
        complain("-o: the name of the output is empty");
    else if (options->output_count == EXPORT_COUNT)
        complain("-o: at most %d outputs", EXPORT_COUNT);
    else {
        options->outputs[options->output_count++] = path;
        return true;
    }
    return false;
}

static bool resolve(struct profdump_options *options, const char *path)
{
    enum export_kind kind = options->to ? kind_named(options->to) : kind_of_path(path);
    if (kind == EXPORT_COUNT)
        complain_of_ending(path);
    else if (options->export_paths[kind])
        complain("-o %s: a second output in the format of %s", path, options->export_paths[kind]);
    else {
        options->export_paths[kind] = path;
        return true;
    }
    return false;
}

bool outputs_resolve(struct profdump_options *options)
{
    bool good = true;
    if (options->to && options->output_count != 1) {
        complain("--to: sets the format of one -o OUT; %u given", options->output_count);
        return false;
    }
    for (unsigned i = 0; i < options->output_count && good; i++)
        good = resolve(options, options->outputs[i]);
    options->output_count = 0;
    return good;
}

static bool set_metric(struct profdump_options *options, const char *metric)
{
    options->metric_given = true;
    return write_metric_find(metric, &options->metric);
}

/* An option of one format needs an output of that format. */
static bool is_for(const struct profdump_options *options, bool given, const char *option,
                   enum export_kind kind)
{
    bool good = !given || options->export_paths[kind];
    if (!good)
        complain("--%s: needs a matching output: -o %s", option, export_formats[kind].example);
    return good;
}

static bool has_output(const struct profdump_options *options)
{
    bool has = false;
    for (size_t i = 0; i < EXPORT_COUNT; i++)
        has |= options->export_paths[i] != NULL;
    return has;
}

bool export_options_agree(const struct profdump_options *options)
{
    bool prints = options->json || options->format_given || options->export_paths[EXPORT_CSV] ||
                  !has_output(options);
    if (!options->command_line)
        return true; /* options hold for whatever the library is asked */
    if (options->table_option && !prints) {
        complain("--%s: changes the table, which -o does not print; --format text prints "
                 "both",
                 options->table_option);
        return false;
    }
    return is_for(options, options->svg.width_px, "width", EXPORT_SVG) &&
           is_for(options, options->arrow_table, "arrow-table", EXPORT_ARROW) &&
           is_for(options, options->label_count, "label", EXPORT_PROMETHEUS) &&
           (options->export_paths[EXPORT_TENSORBOARD] ||
            is_for(options, options->metadata, "metadata", EXPORT_CHROME)) &&
           is_for(options, options->html_full, "html-full", EXPORT_HTML) &&
           is_for(options, options->metric_given, "metric", EXPORT_FOLDED) &&
           is_for(options, options->by_function, "stacks", EXPORT_FOLDED);
}

const struct option_entry output_options[] = {
    {CALL("o", "OUT", set_output, NULL)},
    {CALL("output", "OUT", set_output, "write OUT; its extension selects the format")},
    {CALL("to", "FORMAT", set_to, "name the format of OUT, for -o - and other endings"),
     .value_at = format_at},
    {TEXT("chrome", "OUT", export_paths[EXPORT_CHROME], "write OUT as a Chrome trace")},
    {0},
};

const struct option_entry report_options[] = {
    {CALL("o", "OUT", set_output, NULL)},
    {CALL("output", "OUT", set_output, "write an HTML report; end OUT in .html or .htm")},
    {CALL("to", "FORMAT", set_to, NULL), .value_at = format_at},
    {0},
};

const struct option_entry folded_options[] = {
    {CALL("metric", "METRIC", set_metric, "weigh folded stacks by METRIC"),
     .values = "self_cpu self_cuda count"},
    {FLAG("stacks", by_function, "fold call stacks instead of ranges")},
    {0},
};

const struct option_entry export_options[] = {
    {CALL("arrow-table", "TABLE", arrow_table_set, "choose the table for Arrow"),
     .values = "events launches kernels counters functions"},
    {FLAG("html-full", html_full, "keep every event in the timeline of the HTML report")},
    {CALL("label", "NAME=VALUE", add_label, "label each metric for Prometheus; may be repeated")},
    {TEXT("metadata", "FILE", metadata, "add the members of a JSON object to the Chrome trace")},
    {CALL("width", "N", set_width, "draw the SVG N pixels wide (1200)")},
    {0},
};

/* ---- export ---- */

static bool agree(struct profdump_options *options)
{
    if (has_output(options))
        return export_options_agree(options);
    complain("export: needs an output, as in profdump export -o out.json run.prof");
    return false;
}

/* main.c has written the outputs. */
static int run(const struct profdump_options *options, const struct timeline *timeline)
{
    return finish(options, timeline, true);
}

static const struct option_entry *const options_of_export[] = {
    output_options, folded_options, export_options, symbol_options,
    window_options, input_options,  help_options,   NULL};

const struct command command_export = {
    .word = "export",
    .summary = "convert for other programs: the same as -o OUT",
    .usage = "-o OUT [-o OUT]... [OPTION]... [FILE|DIRECTORY]...",
    .about = "Writes the recording for other programs, in one or several formats. OUT is replaced "
             "when it is complete; - is standard output.",
    .examples = "-o run.json run.prof\n"
                "-o run.html -o run.pftrace --window step:3-5 run.prof\n"
                "-o - --to folded --metric self_cuda run.prof | flamegraph.pl >run.svg",
    .question = QUESTION_OTHER,
    .options = options_of_export,
    .run = run,
    .agree = agree,
    .exports = true,
};
