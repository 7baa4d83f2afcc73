/* command_run.h - what profdump and the library have done alike: options that fit their command, then the command. */
#ifndef PROF_COMMAND_RUN_H
#define PROF_COMMAND_RUN_H

#include "commands.h"

/* Options that were never told anything. */
void command_options_default(struct profdump_options *options);

/* After all options: whether they go together, and with the command. False after having complained. */
bool command_agrees(struct profdump_options *options, const struct command *command);

/* Of a command that has `run`. Returns an exit status. */
int command_run(const struct profdump_options *options, const struct command *command,
                const struct timeline *timeline);

/* --chrome: Chrome traces among the inputs are copied, not made anew. `*copied` false: there are none, and
 * nothing was written. Returns an exit status. */
int command_copy_chrome(const struct profdump_options *options, bool *copied);

#endif
