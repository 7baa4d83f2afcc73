/* cmd_chrome.c - profdump --chrome OUT FILE...: the timeline, for Perfetto and chrome://tracing; Chrome
 * traces among the inputs as they are. */
#include "profdump.h"

#include "merge_chrome.h"
#include "packed_out.h"
#include "stack_text.h"

#include <errno.h>
#include <stdlib.h>

/* With "Call stack" where stacks were recorded. */
static bool write_trace(const struct profdump_options *options, const struct timeline *timeline,
                        const char *path, const struct write_chrome_more *more,
                        struct write_error *error)
{
    if (timeline->stacks.count == 0)
        return write_chrome_and(timeline, NULL, more, path, error);
    struct symbols *symbols = stack_text_symbols(options, timeline);
    char **stacks = symbols ? stack_text_lines(symbols, timeline) : NULL;
    bool written = write_chrome_and(timeline, stacks, more, path, error);
    if (symbols)
        stack_text_complain(symbols);
    stack_text_free(stacks, timeline->stacks.count);
    symbols_destroy(symbols);
    return written;
}

int cmd_chrome(const struct profdump_options *options, const struct timeline *timeline,
               const char *path)
{
    static const struct write_chrome_more packed = {.pack = packed_out_open, .behind = true};
    struct write_error error;
    bool written = write_trace(options, timeline, path, &packed, &error);
    return finish_export(options, timeline, written, &error);
}

static void say(const char *path, uint64_t count, const char *what)
{
    if (count)
        complain("%s: %llu %s", path, (unsigned long long)count, what);
}

static bool write_merged(const struct profdump_options *options, const struct inputs *inputs,
                         struct merge_chrome *merge, struct write_error *error)
{
    const char *path = options->export_paths[EXPORT_CHROME];
    if (!inputs->timeline)
        return merge_chrome_write(merge, path, error);
    struct write_chrome_more more = merge_chrome_more(merge);
    bool written = write_trace(options, inputs->timeline, path, &more, error);
    return !merge_chrome_failed(merge, error) && written;
}

int cmd_chrome_merge(const struct profdump_options *options, const struct inputs *inputs)
{
    struct write_error error;
    struct merge_chrome *merge =
        merge_chrome_create((const char *const *)inputs->chrome_paths, inputs->chrome_count,
                            options->partial, inputs->timeline, &error);
    bool written = merge && write_merged(options, inputs, merge, &error);
    if (written)
        merge_chrome_each_warning(merge, say);
    else if (error.code != EPIPE)
        complain("%s", error.message);
    merge_chrome_destroy(merge);
    if (!written)
        return EXIT_FAILURE;
    return inputs->timeline ? finish(options, inputs->timeline, true) : EXIT_SUCCESS;
}
