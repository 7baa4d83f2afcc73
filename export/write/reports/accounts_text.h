/* accounts_text.h - the accounts of each device under a table: see device_time.h. */
#ifndef PROF_ACCOUNTS_TEXT_H
#define PROF_ACCOUNTS_TEXT_H

#include "timeline.h"

#include <stdio.h>

/* Nothing where no device operation was recorded. All numbers of a line are exact and in one unit, so
 * that it adds up by eye. False: no memory. */
bool accounts_text_print(const struct timeline *timeline, FILE *stream);

#endif
