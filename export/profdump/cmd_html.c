/* cmd_html.c - profdump --html OUT FILE...: a report as one file for a browser. */
#include "profdump.h"

#include "stack_text.h"
#include "write_html.h"

#include <errno.h>
#include <stdlib.h>

static bool write(const struct timeline *timeline, struct symbols *symbols, const char *path)
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

int cmd_html(const struct profdump_options *options, const struct timeline *timeline,
             const char *path)
{
    struct symbols *symbols = NULL;
    if (timeline->stacks.count && !(symbols = stack_text_symbols(options, timeline)))
        return EXIT_FAILURE;
    bool written = write(timeline, symbols, path);
    if (symbols)
        stack_text_complain(symbols);
    symbols_destroy(symbols);
    return written ? finish(options, timeline, true) : EXIT_FAILURE;
}
