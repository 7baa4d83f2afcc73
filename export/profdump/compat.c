/* compat.c - see compat.h. */
#include "compat.h"

#include "pytorch.h"
#include "window_options.h"

#include <stdlib.h>

/* Milliseconds in every format, where profdump has nanoseconds for programs. */
static bool choose_times(struct profdump_options *options)
{
    struct blocks_options *blocks = &options->blocks.blocks;
    if (!options->target_given)
        blocks->target = blocks->source == TIME_SCALE_CYCLES ? TIME_SCALE_CYCLES : TIME_SCALE_MS;
    options->target_given = true;
    return time_scale_fits(blocks->source, blocks->target);
}

bool compat_agrees(struct profdump_options *options, const struct command *command)
{
    if (options->format_given && options->format == WRITE_MARKDOWN && !options->folded)
        complain("--format markdown: not together with --compat");
    else if (window_options_given(options) && command->run_inputs && !command->whole_files)
        complain("--window: not with '%s --compat', which reads whole traces", command->word);
    else if (!choose_times(options))
        complain("RuntimeError: For TimeScale in cycles both the source and target time scale have "
                 "to be in cycles.");
    else
        return true;
    return false;
}

/* What failed without a message is printing, or a closed pipe. */
static int finish_pytorch(const struct profdump_options *options, bool done,
                          const struct pytorch_message *message)
{
    if (done || !*message->text)
        return finish_answer(options, done);
    complain("%s", message->text);
    return EXIT_FAILURE;
}

static struct pytorch_analysis analysis_of(const struct profdump_options *options)
{
    return (struct pytorch_analysis){.type = options->analyze.type,
                                     .name_limit = options->name_limit,
                                     .partial = options->partial};
}

int compat_analyze(const struct profdump_options *options)
{
    const struct pytorch_analysis how = analysis_of(options);
    struct pytorch_message message = {""};
    if (options->input_count != 1) {
        complain("pytorch roofline: needs one Chrome trace, not %d", options->input_count);
        return EXIT_USAGE;
    }
    bool done = pytorch_analyze(options->inputs[0], &how, options->out, &message);
    return finish_pytorch(options, done, &message);
}

int compat_diff(const struct profdump_options *options, const char *const names[2])
{
    struct pytorch_analysis how = analysis_of(options);
    struct pytorch_message message = {""};
    for (int i = 0; i < 2 && names; i++)
        how.names[i] = names[i];
    bool done = pytorch_diff((const char *const *)options->inputs, &how, options->out, &message);
    return finish_pytorch(options, done, &message);
}

int compat_augment(const struct profdump_options *options)
{
    struct pytorch_message message = {""};
    bool done = pytorch_augment(options->inputs[0], options->inputs[1], options->partial, &message);
    if (!done && *message.text)
        complain("%s", message.text);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}

int compat_combine(const struct profdump_options *options)
{
    struct pytorch_message message = {""};
    bool done = pytorch_combine((const char *const *)options->inputs, options->input_count,
                                options->partial, options->out, &message);
    if (done)
        return finish_answer(options, true);
    if (*message.text)
        complain("%s", message.text);
    return EXIT_FAILURE;
}

static bool is_etdump(const struct timeline *timeline)
{
    struct text format =
        timeline->processes.count ? timeline->processes.at[0].info.format : (struct text){"", 0};
    return text_is(format, "ETDump");
}

int compat_blocks(const struct profdump_options *options, const struct timeline *timeline,
                  enum executorch_part part)
{
    const char *refusal = NULL;
    bool written;
    if (is_etdump(timeline) && part == EXECUTORCH_ALL)
        written = executorch_inspector(timeline, &options->blocks, options->units, options->out);
    else
        written = executorch_tables(timeline, &options->blocks, part, &refusal, options->out);
    if (!refusal)
        return finish(options, timeline, written);
    complain("ValueError: %s", refusal);
    return EXIT_FAILURE;
}
