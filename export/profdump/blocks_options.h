/* blocks_options.h - options of blocks and tax that must agree. */
#ifndef PROF_BLOCKS_OPTIONS_H
#define PROF_BLOCKS_OPTIONS_H

#include "profdump.h"

/* After all options: what was not given is chosen. Cycles are shown as cycles; asked for as time they
 * are a mistake, complained of in ExecuTorch's words with --compat. */
bool blocks_options_agree(struct profdump_options *options);

#endif
