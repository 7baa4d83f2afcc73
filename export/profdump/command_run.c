/* command_run.c - see command_run.h. */
#include "command_run.h"

#include "blocks_options.h"
#include "format_options.h"
#include "outputs.h"
#include "table_options.h"
#include "window_options.h"

#include <stdlib.h>

void command_options_default(struct profdump_options *options)
{
    *options = (struct profdump_options){.out = stdout, .out_name = "standard output"};
    write_options_default(&options->write);
    diff_options_default(&options->diff);
    breakdown_options_default(&options->breakdown);
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

bool command_agrees(struct profdump_options *options, const struct command *command)
{
    return agree(options, command) && blocks_options_agree(options) &&
           outputs_agree(options, command);
}

int command_run(const struct profdump_options *options, const struct command *command,
                const struct timeline *timeline)
{
    bool is_json = options->json && command == commands;
    return is_json ? cmd_json(options, timeline) : command->run(options, timeline);
}

int command_copy_chrome(const struct profdump_options *options, bool *copied)
{
    struct inputs inputs;
    *copied = false;
    if (window_options_given(options))
        return EXIT_SUCCESS; /* what is copied is copied whole */
    if (!inputs_split(options, &inputs))
        return EXIT_FAILURE;
    *copied = inputs.chrome_count > 0;
    int status = *copied ? cmd_chrome_merge(options, &inputs) : EXIT_SUCCESS;
    inputs_fini(&inputs);
    return status;
}
