/* baseline.h - recordings that 'profdump baseline save' kept under a name. */
#ifndef PROF_BASELINE_H
#define PROF_BASELINE_H

#include "options.h"
#include "profdump.h"

#include <limits.h>

/* --baselines */
extern const struct option_entry baseline_options[];

/* Finds the path of a baseline, which diff reads. An exit status, after having complained: the name
 * is not valid, the directory of baselines is not set, or there is no such baseline. */
int baseline_find(const struct profdump_options *options, const char *name, char path[PATH_MAX]);

#endif
