/* alloc.h - the program's own allocators: their names, by number. The functions of prof.h that
 * record what they hand out are in alloc.c, too. */
#ifndef PROF_ALLOC_H
#define PROF_ALLOC_H

#include "recorder.h"

/* States the allocators known by now in a file that was just made. */
extern const struct collector alloc_collector;

/* Name of a registered allocator, "" for others. */
const char *alloc_name(uint32_t allocator);

#endif
