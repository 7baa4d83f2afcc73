/* outputs.h - an output is neither an input nor a recording. */
#ifndef PROF_OUTPUTS_H
#define PROF_OUTPUTS_H

#include "commands.h"

/* Whether a file may be written there; `what` is asked for, as messages call it. "-" is standard output, and what is
 * no regular file may always be written to. False after having complained. */
bool output_agrees(const struct profdump_options *options, const char *what, const char *path);

/* The same of all that the command line has written. */
bool outputs_agree(const struct profdump_options *options, const struct command *command);

#endif
