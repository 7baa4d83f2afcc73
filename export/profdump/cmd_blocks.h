/* cmd_blocks.h - what options of profdump executorch blocks need beside the table. */
#ifndef PROFDUMP_CMD_BLOCKS_H
#define PROFDUMP_CMD_BLOCKS_H

#include "blocks.h"
#include "profdump.h"

/* --compare "REF[:BUFFER]": the values that two runs computed, side by side. Returns an exit
 * status. */
int compare_values(const struct profdump_options *options, const struct timeline *timeline);

/* --etrecord FILE: the maps of an ETRecord, for reports.h. NULL after having complained. */
struct debug_maps *etrecord_maps_load(const char *path);
void etrecord_maps_free(struct debug_maps *maps); /* accepts NULL */

#endif
