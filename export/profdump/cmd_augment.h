/* cmd_augment.h - augment and combine. */
#ifndef PROF_CMD_AUGMENT_H
#define PROF_CMD_AUGMENT_H

#include "profdump.h"

int cmd_augment(const struct profdump_options *options); /* augment IN OUT */
int cmd_combine(const struct profdump_options *options); /* combine IN1 IN2 [...] OUT */

#endif
