/* analyze_options.h - options of analyze that must agree. */
#ifndef PROF_ANALYZE_OPTIONS_H
#define PROF_ANALYZE_OPTIONS_H

#include "profdump.h"

/* After all options: --sort must name a column of what the command prints. False after having complained. */
bool analyze_options_agree(const struct profdump_options *options, bool is_analyze);

#endif
