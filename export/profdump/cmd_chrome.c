/* cmd_chrome.c - profdump -o OUT.json, pytorch combine: the timeline, for Perfetto and
 * chrome://tracing; Chrome traces among the inputs as they are. */
#include "commands.h"
#include "compat.h"
#include "inputs.h"
#include "json_text.h"
#include "merge_chrome.h"
#include "options.h"
#include "packed_out.h"
#include "profdump.h"
#include "source.h"
#include "stack_text.h"
#include "window_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* With "Call stack" where stacks were recorded. */
static bool write_trace(const struct profdump_options *options, const struct timeline *timeline,
                        const char *path, const struct write_chrome_more *more,
                        struct write_error *error)
{
    char **stacks = stack_text_all_lines(options, timeline);
    bool written = write_chrome(timeline, stacks, more, path, error);
    stack_text_free(stacks, timeline->stacks.count);
    return written;
}

#define METADATA_BYTES_MAX (UINT32_C(64) << 20)

/* Reads the JSON object in a file; the caller frees it. Returns false after reporting an error. */
static bool read_metadata(const char *path, struct text *metadata)
{
    struct read_error error;
    struct source *source = source_open(path, &error);
    size_t size = 0;
    char *bytes = source ? source_read_all(source, METADATA_BYTES_MAX, &size, &error) : NULL;
    source_close(source);
    *metadata = (struct text){bytes, size};
    if (!bytes)
        complain("--metadata: %s", error.message);
    else if (!json_is_valid(*metadata) || bytes[strspn(bytes, " \t\r\n")] != '{')
        complain("--metadata: %s: not a JSON object", path);
    else
        return true;
    free(bytes);
    return false;
}

static int write_as(const struct profdump_options *options, const struct timeline *timeline,
                    const char *path, bool for_tensorboard)
{
    struct write_chrome_more more = {
        .pack = packed_out_open, .behind = true, .for_tensorboard = for_tensorboard};
    struct write_error error;
    if (options->metadata && !read_metadata(options->metadata, &more.metadata))
        return EXIT_FAILURE;
    bool written = write_trace(options, timeline, path, &more, &error);
    free((char *)more.metadata.bytes);
    return finish_export(options, timeline, written, &error);
}

int cmd_chrome(const struct profdump_options *options, const struct timeline *timeline,
               const char *path)
{
    return write_as(options, timeline, path, false);
}

int cmd_tensorboard(const struct profdump_options *options, const struct timeline *timeline,
                    const char *path)
{
    return write_as(options, timeline, path, true);
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

static int merge(const struct profdump_options *options, const struct inputs *inputs)
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

int cmd_chrome_copy(const struct profdump_options *options, bool *copied)
{
    struct inputs inputs;
    *copied = false;
    if (window_options_given(options) || options->metadata)
        return EXIT_SUCCESS; /* whole files are copied, as they are */
    if (!inputs_split(options, &inputs))
        return EXIT_FAILURE;
    *copied = inputs.chrome_count > 0;
    int status = *copied ? merge(options, &inputs) : EXIT_SUCCESS;
    inputs_fini(&inputs);
    return status;
}

/* ---- pytorch combine ---- */

static const struct option_entry pytorch_options[] = {
    {FLAG("partial", partial, "read damaged files as far as possible")},
    {0},
};

static const struct option_entry *const options_of_pytorch[] = {pytorch_options, help_options,
                                                                NULL};

const struct command command_pytorch_combine = {
    .family = "pytorch",
    .word = "combine",
    .summary = "append Chrome traces to the first, unchanged",
    .usage = "[--partial] IN1 IN2 [IN3]... OUT",
    .about = "Writes Chrome traces as one, as PyTorch's tool does: events are copied unchanged, so "
             "ids may collide. 'profdump -o OUT.json IN1 IN2' keeps ids and times apart.",
    .examples = "pytorch combine rank0.json rank1.json all.json",
    .options = options_of_pytorch,
    .run_inputs = compat_combine,
    .compat = true,
    .whole_files = true,
    .writes_last = true,
};
