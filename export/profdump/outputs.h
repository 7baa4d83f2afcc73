/* outputs.h - refuses outputs that are an input or a recording. */
#ifndef PROF_OUTPUTS_H
#define PROF_OUTPUTS_H

#include "commands.h"

/* Whether `path` may be written; the message calls the output `what`. "-" is standard output. Devices and pipes may
 * always be written. False after having complained. */
bool output_agrees(const struct profdump_options *options, const char *what, const char *path);

/* The same for all outputs of the command line. */
bool outputs_agree(const struct profdump_options *options, const struct command *command);

#endif
