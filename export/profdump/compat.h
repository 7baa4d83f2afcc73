/* compat.h - commands with --compat: what PyTorch's and ExecuTorch's own programs write and print.
 * Each returns an exit status. */
#ifndef PROF_COMPAT_H
#define PROF_COMPAT_H

#include "commands.h"
#include "executorch.h"

/* Checks the options against --compat, and shows times as those programs do. False after having
 * complained. */
bool compat_agrees(struct profdump_options *options, const struct command *command);

/* Of one Chrome trace, and of two. `names` of the two; NULL: as that program calls them. */
int compat_analyze(const struct profdump_options *options);
int compat_diff(const struct profdump_options *options, const char *const names[2]);

/* The last input is the output. */
int compat_augment(const struct profdump_options *options);
int compat_combine(const struct profdump_options *options);

int compat_blocks(const struct profdump_options *options, const struct timeline *timeline,
                  enum executorch_part part);

#endif
