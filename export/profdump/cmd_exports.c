/* cmd_exports.c - profdump --html OUT, --perfetto OUT ...: the table of export formats, and those without a file of
 * their own. */
#include "commands.h"
#include "formats.h"
#include "options.h"
#include "profdump.h"
#include "stack_text.h"
#include "window_options.h"
#include "write_html.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static int export_perfetto(const struct profdump_options *options, const struct timeline *timeline,
                           const char *path)
{
    struct write_error error;
    char **stacks = stack_text_all_lines(options, timeline);
    bool written = write_perfetto(timeline, stacks, path, &error);
    stack_text_free(stacks, timeline->stacks.count);
    return finish_export(options, timeline, written, &error);
}

static int export_pprof(const struct profdump_options *options, const struct timeline *timeline,
                        const char *path)
{
    struct write_error error;
    struct symbols *symbols = timeline->stacks.count ? stack_text_symbols(options, timeline) : NULL;
    bool written = write_pprof(timeline, symbols, path, &error);
    if (symbols)
        stack_text_complain(symbols);
    symbols_destroy(symbols);
    return finish_export(options, timeline, written, &error);
}

/* Outputs that need nothing but the timeline. */
static int write_simple(const struct profdump_options *options, const struct timeline *timeline,
                        const char *path,
                        bool (*write)(const struct timeline *, const char *, struct write_error *))
{
    struct write_error error;
    bool written = write(timeline, path, &error);
    return finish_export(options, timeline, written, &error);
}

static int export_speedscope(const struct profdump_options *options,
                             const struct timeline *timeline, const char *path)
{
    return write_simple(options, timeline, path, write_speedscope);
}

static int export_prometheus(const struct profdump_options *options,
                             const struct timeline *timeline, const char *path)
{
    return write_simple(options, timeline, path, write_prometheus);
}

static int export_sqlite(const struct profdump_options *options, const struct timeline *timeline,
                         const char *path)
{
#ifdef PROF_HAVE_SQLITE
    return write_simple(options, timeline, path, write_sqlite);
#else
    (void)options, (void)timeline;
    complain("%s: cannot write: this profdump was built without SQLite", path);
    return EXIT_FAILURE;
#endif
}

/* ---- --html ---- */

static bool write_page(const struct timeline *timeline, struct symbols *symbols, const char *path)
{
    struct write_html_options options = {.user = symbols};
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
    bool written = write_page(timeline, symbols, path);
    if (symbols)
        stack_text_complain(symbols);
    symbols_destroy(symbols);
    return written ? finish(options, timeline, true) : EXIT_FAILURE;
}

/* ---- --etprof ---- */

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

/* ---- --svg: of a window, it shows what was open in it, too, so it needs the whole timeline ---- */

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

const struct option_entry svg_options[] = {
    CALL("width", "N", set_width, "with --svg: pixels (default 1200)"),
    {0},
};

/* All of it where no window was asked for. */
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

/* ---- all of them ---- */

const struct export_format export_formats[EXPORT_COUNT] = {
    [EXPORT_CHROME] = {"chrome", "out.json",
                       "write the timeline as a Chrome trace; open it in ui.perfetto.dev\n"
                       "or chrome://tracing (- is standard output)",
                       cmd_chrome},
    [EXPORT_HTML] = {"html", "out.html",
                     "write a report as one file for a browser: verdict, tables, plots, idle\n"
                     "gaps, flame graphs; with diff: of what differs",
                     export_html},
    [EXPORT_PERFETTO] = {"perfetto", "out.pftrace",
                         "write the timeline as a Perfetto protobuf trace, a third of the Chrome\n"
                         "trace's size; open it in ui.perfetto.dev",
                         export_perfetto},
    [EXPORT_PPROF] = {"pprof", "out.pb.gz",
                      "write where ranges, calls and the device spent their time as a profile\n"
                      "for pprof (gzip)",
                      export_pprof},
    [EXPORT_PROMETHEUS] = {"prometheus", "out.prom",
                           "write summary metrics in Prometheus' text format", export_prometheus},
    [EXPORT_SPEEDSCOPE] = {"speedscope", "out.speedscope.json",
                           "write threads and streams as profiles for speedscope.app",
                           export_speedscope},
    [EXPORT_ETPROF] = {"etprof", "out.etprof",
                       "write the profiling blocks as prof buffers of ExecuTorch", export_etprof},
    [EXPORT_SVG] = {"svg", "out.svg", "write the timeline as a picture (SVG)", export_svg},
    [EXPORT_SQLITE] = {"sqlite", "out.sqlite",
                       "write the timeline as a database with the tables of nsys, for SQL",
                       export_sqlite},
    [EXPORT_ARROW] = {"arrow", "out.arrow",
                      "write a table in Arrow's file format (Feather), for polars, pandas,\n"
                      "DuckDB ...; OUT a directory: all of them, as events.arrow ...",
                      cmd_arrow},
};
