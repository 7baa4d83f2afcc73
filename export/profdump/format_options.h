/* format_options.h - --format: one option for all tables. */
#ifndef PROF_FORMAT_OPTIONS_H
#define PROF_FORMAT_OPTIONS_H

#include "commands.h"

/* What --format is told. False after having complained. */
bool format_options_set(struct profdump_options *options, const char *name);

/* After all options: --json is one way to say --format json, and not every command has tables. False after
 * having complained. */
bool format_options_agree(struct profdump_options *options, const struct command *command);

#endif
