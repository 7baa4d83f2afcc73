/* combine_compat.h - combine --compat: traces one behind the other, as PyTorch's
 * torch/_inductor/analysis/profile_analysis.py has them. Ids and times stay as they are, so those of
 * different traces collide; devices are those of the first trace, and of the others those of an id that
 * is new; other members are the first trace's. */
#ifndef PROF_COMBINE_COMPAT_H
#define PROF_COMBINE_COMPAT_H

#include "profdump.h"

/* The inputs into options->export_paths[EXPORT_CHROME]. An exit status, after having complained. */
int combine_compat(const struct profdump_options *options);

#endif
