/* main.c - profdump: parses the command line and runs the command. Exit status: 0 done, 1 failed, 2
 * wrong usage, 3 something was or may have been lost while recording (--fail-on-loss), 4 found what
 * --fail-on or --fail-if-slower names, 5 inconclusive: that cannot be judged. */
#include "built_without.h"
#include "commands.h"
#include "dataset.h"
#include "fit.h"
#include "help.h"
#include "inputs.h"
#include "options.h"
#include "progress.h"
#include "reports.h"
#include "units.h"
#include "window_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Viewers take long for a larger Chrome trace. */
#define LARGE_BYTES 500000000

static int wrong_usage(const struct command *command)
{
    char name[COMMAND_NAME_BYTES] = "";
    const char *shown = *command->word ? command_name(command, name) : name;
    fprintf(stderr, "Try 'profdump %s%s--help'.\n", shown, *shown ? " " : "");
    return EXIT_USAGE;
}

/* Prints to stdout, so failing to print is an error. */
static int answer(const struct profdump_options *options, const struct command *command)
{
    if (options->help)
        help_print(command);
    else
        fputs("profdump " PROF_VERSION "\n" PROF_BUILT_WITHOUT, stdout);
    return finish_answer(options, true);
}

static bool has_exports(const struct profdump_options *options)
{
    for (size_t i = 0; i < EXPORT_COUNT; i++)
        if (options->export_paths[i])
            return true;
    return false;
}

/* True if the table is printed beside exports. */
static bool wants_table(const struct profdump_options *options)
{
    return options->json || options->format_given;
}

/* Writes the picture first: it shows the whole timeline, before a window cuts it down. */
static int run_picture(const struct profdump_options *options, struct timeline *timeline)
{
    struct read_error error;
    int status =
        export_formats[EXPORT_SVG].run(options, timeline, options->export_paths[EXPORT_SVG]);
    if (status == EXIT_FAILURE || window_options_apply(options, timeline, &error))
        return status;
    complain("%s", error.message);
    return EXIT_FAILURE;
}

/* On a terminal: what was written, how large it is, and what would be smaller. */
static void report_output(enum export_kind kind, const char *path)
{
    struct stat status;
    char size[BYTES_TEXT_BYTES];
    if (!isatty(STDERR_FILENO) || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    bytes_text(status.st_size, size);
    fprintf(stderr, "profdump: wrote %s (%s)\n", path, size);
    if (kind == EXPORT_CHROME && status.st_size > LARGE_BYTES)
        fprintf(stderr, "profdump: -o OUT.pftrace is about a third of that, -o OUT.json.gz less; "
                        "--window writes a part\n");
}

/* Says which pids and tids the format could not hold. */
static void report_moved_ids(const struct export_format *format, const char *path,
                             const struct timeline *timeline)
{
    uint64_t processes = 0, threads = 0;
    for (uint32_t i = 0; i < timeline->processes.count && format->most_id; i++)
        processes += timeline->processes.at[i].info.pid > format->most_id;
    for (uint32_t i = 0; i < timeline->threads.count && format->most_id; i++)
        threads += timeline->threads.at[i].tid > format->most_id;
    if (processes + threads)
        complain("note: %s: ids of %" PRIu64 " process%s and %" PRIu64
                 " thread%s are too large for the format and were renumbered; %s",
                 path, processes, processes == 1 ? "" : "es", threads, plural(threads),
                 format->moved);
}

/* Several exports may run at once; unless a format was given, nothing else is printed. */
static int run_exports(const struct profdump_options *options, struct timeline *timeline)
{
    int status = EXIT_SUCCESS;
    if (options->export_paths[EXPORT_SVG])
        status = run_picture(options, timeline);
    for (size_t i = 0; i < EXPORT_COUNT && status != EXIT_FAILURE; i++)
        if (options->export_paths[i] && i != EXPORT_SVG)
            status = export_formats[i].run(options, timeline, options->export_paths[i]);
    for (size_t i = 0; i < EXPORT_COUNT && status != EXIT_FAILURE; i++)
        if (options->export_paths[i]) {
            report_moved_ids(&export_formats[i], options->export_paths[i], timeline);
            report_output((enum export_kind)i, options->export_paths[i]);
        }
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
    return command->run(options, timeline);
}

static int load_and_run(const struct profdump_options *options, const struct command *command)
{
    struct timeline *timeline = inputs_load(options);
    int status = timeline ? run(options, command, timeline) : EXIT_FAILURE;
    timeline_destroy(timeline);
    return status;
}

/* Copies Chrome traces among the inputs of --chrome and clears that option. `*done`: nothing is
 * left to do. */
static int copy_chrome(struct profdump_options *options, bool *done)
{
    bool copied;
    if (!options->export_paths[EXPORT_CHROME] || options->input_count == 0)
        return EXIT_SUCCESS;
    int status = cmd_chrome_copy(options, &copied);
    if (copied && status == EXIT_SUCCESS)
        report_output(EXPORT_CHROME, options->export_paths[EXPORT_CHROME]);
    if (copied)
        options->export_paths[EXPORT_CHROME] = NULL;
    *done = status == EXIT_FAILURE || (copied && !has_exports(options) && !wants_table(options));
    return status;
}

static int run_command(struct profdump_options *options, const struct command *command)
{
    bool done = false;
    options->partial |= command->partial && !options->ledger;
    if (!command_agrees(options, command))
        return wrong_usage(command);
    if (!command->run_words && !inputs_spool(options, command))
        return EXIT_FAILURE;
    int copied = copy_chrome(options, &done);
    if (done)
        return copied;
    if (options->follow)
        return cmd_follow(options, command);
    if (command->run_words)
        return command->run_words(options);
    return command->run_inputs ? command->run_inputs(options) : load_and_run(options, command);
}

static bool is_for_python(int argc, char **argv)
{
    const struct command *command = commands_find(NULL, argv[1]);
    bool help = argc == 3 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0);
    return command && !help &&
           (command->run_python ||
            (command->python_reads && command->python_reads(argv + 2, argc - 2)));
}

int main(int argc, char **argv)
{
    struct profdump_options options;
    const struct command *command;
    command_options_default(&options);
    if (argc == 2 && strcmp(argv[1], "--list-options") == 0) {
        help_list();
        return finish_answer(&options, true);
    }
    if (argc > 1 && is_for_python(argc, argv))
        return dataset_become_python(argc - 1, argv + 1);
    if (argc == 3 && strcmp(argv[1], "--write-manual") == 0)
        return manual_write(argv[2]) ? EXIT_SUCCESS : EXIT_FAILURE;
    if (argc == 3 && strcmp(argv[1], "--write-schemas") == 0)
        return cmd_schema_write(argv[2]) ? EXIT_SUCCESS : EXIT_FAILURE;
    options.command_line = true;
    options.write.color = terminal_wants_color();
    options.write.table_width = fit_terminal_width(STDOUT_FILENO);
    if (!options_parse(&options, argc, argv, &command))
        return wrong_usage(command);
    /* profrun lets --version check its options for the table before it runs a program */
    if (options.version && command == commands[0] && !command_agrees(&options, command))
        return wrong_usage(command);
    if (options.help || options.version)
        return answer(&options, command);
    out_file_remove_on_signals();
    progress_enable(fit_terminal_width);
    return run_command(&options, command);
}
