/* diff_options.h - what a diff is asked for on the command line. */
#ifndef PROF_DIFF_OPTIONS_H
#define PROF_DIFF_OPTIONS_H

#include "profdump.h"

/* The two names in `names`, "base" and "new" where none were given; `storage` holds what they point into,
 * to free(). False after having complained. */
bool diff_options_names(const struct profdump_options *options, const char *names[2],
                        char **storage);

/* After all options: --by must name what diff knows. False after having complained. */
bool diff_options_agree(struct profdump_options *options);

#endif
