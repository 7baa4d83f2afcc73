/* cmd_chrome.c - profdump --chrome OUT FILE...: the timeline, for Perfetto and chrome://tracing. */
#include "profdump.h"

#include "stack_text.h"

#include <errno.h>
#include <stdlib.h>

/* With "Call stack" where stacks were recorded. */
static bool write_trace(const struct profdump_options *options, const struct timeline *timeline,
                        struct write_error *error)
{
    if (timeline->stacks.count == 0)
        return write_chrome(timeline, options->chrome_path, error);
    struct symbols *symbols = stack_text_symbols(options, timeline);
    char **stacks = symbols ? stack_text_lines(symbols, timeline) : NULL;
    bool written = write_chrome_stacks(timeline, stacks, options->chrome_path, error);
    if (symbols)
        stack_text_complain(symbols);
    stack_text_free(stacks, timeline->stacks.count);
    symbols_destroy(symbols);
    return written;
}

int cmd_chrome(const struct profdump_options *options, const struct timeline *timeline)
{
    struct write_error error;
    cleanup_on_signals();
    if (write_trace(options, timeline, &error))
        return finish(options, timeline, true);
    if (error.code != EPIPE)
        complain("%s", error.message);
    return EXIT_FAILURE;
}
