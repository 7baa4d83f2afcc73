/* etrecord_maps.h - --etrecord FILE: the maps of an ETRecord, for reports.h. */
#ifndef PROF_ETRECORD_MAPS_H
#define PROF_ETRECORD_MAPS_H

#include "blocks.h"

/* NULL after having complained. */
struct debug_maps *etrecord_maps_load(const char *path);
void etrecord_maps_free(struct debug_maps *maps); /* accepts NULL */

#endif
