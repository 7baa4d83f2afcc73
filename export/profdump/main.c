/* main.c - profdump: reads the command line, and has it done.
 *
 * Exit status: 0 done, 1 failed, 2 wrong usage, 3 something was lost while recording
 * (--fail-on-loss), 4 slower (diff --fail-if-slower).
 */
#include "blocks_options.h"
#include "commands.h"
#include "common_options.h"
#include "format_options.h"
#include "options.h"
#include "table_options.h"
#include "window_options.h"
#include "write_version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int wrong_usage(void)
{
    fputs("Try 'profdump --help'.\n", stderr);
    return EXIT_USAGE;
}

/* Help and version are answers: on stdout, and a failure to print them is one. */
static int answer(const struct profdump_options *options)
{
    if (options->help)
        options_help();
    else
        puts("profdump " PROF_VERSION);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_SUCCESS;
    complain("standard output: %s", strerror(errno));
    return EXIT_FAILURE;
}

static bool has_exports(const struct profdump_options *options)
{
    for (size_t i = 0; i < EXPORT_COUNT; i++)
        if (options->export_paths[i])
            return true;
    return false;
}

/* Options that say opposite things. */
static bool agree(struct profdump_options *options, const struct command *command)
{
    for (size_t i = 0; i < EXPORT_COUNT; i++)
        if (options->export_paths[i] && !command->exports && !(i == EXPORT_HTML && command->html)) {
            complain("--%s: not together with '%s'", export_formats[i].option, command->word);
            return false;
        }
    if (!format_options_agree(options, command) || !window_options_agree(options, command))
        return false;
    if (command->agree)
        return command->agree(options);
    if (!table_options_agree(options))
        return false;
    if (!options->write.memory || (options->write.group_by == KEY_BY_KEY && !options->tree))
        return true;
    complain("--memory: memory is known by name only, not with --group-by or --tree");
    return false;
}

/* Whether the table was asked for beside the files that exports write. */
static bool wants_table(const struct profdump_options *options)
{
    return options->json || options->format_given;
}

/* A picture shows more than what began in a window: it comes first, from the whole timeline. */
static int run_picture(const struct profdump_options *options, struct timeline *timeline)
{
    struct read_error error;
    int status = cmd_svg(options, timeline, options->export_paths[EXPORT_SVG]);
    if (status == EXIT_FAILURE || window_options_apply(options, timeline, &error))
        return status;
    complain("%s", error.message);
    return EXIT_FAILURE;
}

/* These write files, so they may come together and with a format; alone they leave stdout to others. */
static int run_exports(const struct profdump_options *options, struct timeline *timeline)
{
    int status = EXIT_SUCCESS;
    if (options->export_paths[EXPORT_SVG])
        status = run_picture(options, timeline);
    for (size_t i = 0; i < EXPORT_COUNT && status != EXIT_FAILURE; i++)
        if (options->export_paths[i] && i != EXPORT_SVG)
            status = export_formats[i].run(options, timeline, options->export_paths[i]);
    return status;
}

static int run(const struct profdump_options *options, const struct command *command,
               struct timeline *timeline)
{
    if (has_exports(options)) {
        int status = run_exports(options, timeline);
        if (status == EXIT_FAILURE || !wants_table(options))
            return status;
    }
    bool is_json = options->json && command == commands;
    return is_json ? cmd_json(options, timeline) : command->run(options, timeline);
}

static int load_and_run(const struct profdump_options *options, const struct command *command)
{
    struct timeline *timeline = inputs_load(options);
    int status = timeline ? run(options, command, timeline) : EXIT_FAILURE;
    timeline_destroy(timeline);
    return status;
}

/* Chrome traces among the inputs of --chrome are copied, unless only a window of them is wanted; then that option is dealt with. `*done`: and
 * nothing is left to do. */
static int merge_chrome(struct profdump_options *options, bool *done)
{
    struct inputs inputs;
    int status = EXIT_SUCCESS;
    if (!options->export_paths[EXPORT_CHROME] || options->input_count == 0 ||
        window_options_given(options))
        return status;
    *done = !inputs_split(options, &inputs);
    if (*done)
        return EXIT_FAILURE;
    if (inputs.chrome_count) {
        status = cmd_chrome_merge(options, &inputs);
        options->export_paths[EXPORT_CHROME] = NULL;
        *done = status == EXIT_FAILURE || (!has_exports(options) && !wants_table(options));
    }
    inputs_fini(&inputs);
    return status;
}

static int run_command(struct profdump_options *options)
{
    const struct command *command = commands_take(options);
    bool done = false;
    options->partial |= command->partial;
    if (command == commands && commands_missed(options))
        return wrong_usage();
    if (!agree(options, command) || !blocks_options_agree(options))
        return wrong_usage();
    if (options->help || options->version)
        return answer(options);
    int merged = merge_chrome(options, &done);
    if (done)
        return merged;
    return command->run_inputs ? command->run_inputs(options) : load_and_run(options, command);
}

int main(int argc, char **argv)
{
    static char program[] = "profdump";
    struct profdump_options options = {0};
    const struct command *own = argc > 1 ? commands_with_words(argv[1]) : NULL;
    if (argc > 0)
        argv[0] = program; /* getopt's messages begin with it */
    if (own)
        return own->run_words(argc - 2, argv + 2);
    write_options_default(&options.write);
    diff_options_default(&options.diff);
    breakdown_options_default(&options.breakdown);
    options.write.color = terminal_wants_color();
    if (!options_read(&options, argc, argv))
        return wrong_usage();
    return run_command(&options);
}
