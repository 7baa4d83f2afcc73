/* analyze_options.h - options of analyze that must agree. */
#ifndef PROF_ANALYZE_OPTIONS_H
#define PROF_ANALYZE_OPTIONS_H

#include "profdump.h"

/* After all options: --by and --sort must name what analyze knows. False after having complained. */
bool analyze_options_agree(struct profdump_options *options);

#endif
