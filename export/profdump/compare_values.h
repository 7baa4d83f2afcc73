/* compare_values.h - profdump blocks --compare: what two runs computed, side by side. */
#ifndef PROF_COMPARE_VALUES_H
#define PROF_COMPARE_VALUES_H

#include "profdump.h"

/* The run's values beside those of options->compare, "REF[:BUFFER]". Returns an exit status. */
int compare_values(const struct profdump_options *options, const struct timeline *timeline);

#endif
