/* cmd_svg.c - profdump --svg OUT FILE...: the timeline, or some time of it, as a picture. */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "1.5ms", "200us", "3s"; "1500" is nanoseconds. */
static bool parse_time(const char *text, int64_t *ns)
{
    enum time_unit unit = TIME_NS;
    char *end;
    errno = 0;
    double number = strtod(text, &end);
    bool named = !*end || time_text_find_unit(end, &unit);
    double scale = unit == TIME_S ? 1e9 : unit == TIME_MS ? 1e6 : unit == TIME_US ? 1e3 : 1;
    if (end == text || !named || errno || !(number >= 0) || number * scale > 9e18)
        return false;
    *ns = (int64_t)(number * scale);
    return true;
}

static bool set_time(const char *option, const char *text, int64_t *ns)
{
    if (parse_time(text, ns))
        return true;
    complain("%s: '%s' is no time, as 1.5ms or 20us are", option, text);
    return false;
}

static bool set_from(struct profdump_options *options, const char *text)
{
    return set_time("--from", text, &options->svg.from_ns);
}

static bool set_to(struct profdump_options *options, const char *text)
{
    return set_time("--to", text, &options->svg.to_ns);
}

static bool set_width(struct profdump_options *options, const char *text)
{
    char *end;
    unsigned long width = strtoul(text, &end, 10);
    options->svg.width_px = (unsigned)width;
    if (*text >= '0' && *text <= '9' && !*end && width >= WRITE_SVG_WIDTH_MIN &&
        width <= WRITE_SVG_WIDTH_MAX)
        return true;
    complain("--width: '%s' is not a number of pixels from %u to %u", text, WRITE_SVG_WIDTH_MIN,
             WRITE_SVG_WIDTH_MAX);
    return false;
}

const struct option_entry svg_options[] = {
    CALL("from", "TIME", set_from, NULL),
    CALL("to", "TIME", set_to, "with --svg: only what happens between, as 1.5ms, 20us or 3s"),
    CALL("width", "N", set_width, "with --svg: pixels (default 1200)"),
    {0},
};

/* Times are given from the beginning of the recording. */
static bool window_of(const struct profdump_options *options, const struct timeline *timeline,
                      struct write_svg_options *svg)
{
    *svg = options->svg;
    svg->width_px = svg->width_px ? svg->width_px : WRITE_SVG_WIDTH;
    int64_t span_ns = timeline->end_ns - timeline->start_ns;
    bool ends = svg->to_ns != 0;
    if ((ends && svg->to_ns <= svg->from_ns) || svg->from_ns > span_ns) {
        complain("--svg: there is no time between --from and --to in this recording");
        return false;
    }
    svg->from_ns += timeline->start_ns;
    svg->to_ns = ends && svg->to_ns < span_ns ? timeline->start_ns + svg->to_ns : timeline->end_ns;
    return true;
}

int cmd_svg(const struct profdump_options *options, const struct timeline *timeline,
            const char *path)
{
    struct write_svg_options svg;
    struct write_error error;
    if (!window_of(options, timeline, &svg))
        return EXIT_FAILURE;
    bool written = write_svg(timeline, &svg, path, &error);
    return finish_export(options, timeline, written, &error);
}
