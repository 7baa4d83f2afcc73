/* cmd_svg.c - profdump --svg OUT FILE...: the timeline, or some time of it, as a picture.
 *
 * Of a window, it shows what was open in it, too, so it needs the whole timeline. */
#include "options.h"
#include "window_options.h"

#include <stdlib.h>
#include <string.h>

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
