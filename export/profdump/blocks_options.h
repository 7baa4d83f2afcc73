/* blocks_options.h - options of blocks and tax that are more than a word. */
#ifndef PROF_BLOCKS_OPTIONS_H
#define PROF_BLOCKS_OPTIONS_H

#include "profdump.h"

/* Each takes the text of its option; false after having complained. */
bool blocks_options_source(struct profdump_options *options, const char *scale);
bool blocks_options_target(struct profdump_options *options, const char *scale);
bool blocks_options_format(struct profdump_options *options, const char *format);

/* After all options: what was not given is chosen. Cycles are shown as cycles; asked for as time they
 * are a mistake, complained of in ExecuTorch's words with --compat. */
bool blocks_options_agree(struct profdump_options *options);

#endif
