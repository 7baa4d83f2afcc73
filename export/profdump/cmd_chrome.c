/* cmd_chrome.c - profdump --chrome OUT FILE...: the timeline, for Perfetto and chrome://tracing. */
#include "profdump.h"

#include <errno.h>
#include <stdlib.h>

int cmd_chrome(const struct profdump_options *options, const struct timeline *timeline)
{
    struct write_error error;
    cleanup_on_signals();
    if (write_chrome(timeline, options->chrome_path, &error))
        return finish(options, timeline, true);
    if (error.code != EPIPE)
        complain("%s", error.message);
    return EXIT_FAILURE;
}
