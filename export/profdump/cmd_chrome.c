/* cmd_chrome.c - profdump --chrome OUT FILE...: the timeline, for Perfetto and chrome://tracing. */
#include "profdump.h"

#include "stack_text.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

/* A temporary file must not outlive an export that the user ends. */
static void on_end(int signal_number)
{
    out_file_remove_temporary();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void clean_up_on_signals(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    struct sigaction action = {.sa_handler = on_end};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
    }
}

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
    clean_up_on_signals();
    if (write_trace(options, timeline, &error))
        return finish(options, timeline, true);
    if (error.code != EPIPE)
        complain("%s", error.message);
    return EXIT_FAILURE;
}
