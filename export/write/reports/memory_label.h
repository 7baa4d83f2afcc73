/* memory_label.h - what outputs call a heap and a path of ranges. */
#ifndef PROF_MEMORY_LABEL_H
#define PROF_MEMORY_LABEL_H

#include "memory_use.h"

#define MEMORY_LABEL_BYTES 200
#define MEMORY_PATH_BYTES 600

/* "Device 0 device", "Host pinned", "Allocator arena"; with ", pid 12" where the timeline holds
 * several processes. The name in it may hold any bytes. */
void memory_label(const struct timeline *timeline, uint32_t heap, char to[MEMORY_LABEL_BYTES]);

/* "train > forward > cudaMalloc"; the outermost names are left out ("... > ") where there is no
 * room. "(outside of any range)" for TL_NONE. */
void memory_path_text(const struct timeline *timeline, const struct memory_sites *sites,
                      uint32_t path, char to[MEMORY_PATH_BYTES]);

#endif
