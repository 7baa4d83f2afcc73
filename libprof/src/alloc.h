/* alloc.h - the program's own allocators: prof_alloc_track() and prof_alloc() of prof.h. */
#ifndef PROF_ALLOC_H
#define PROF_ALLOC_H

#include "recorder.h"

/* In a forked child: allocators keep their numbers and are stated anew in its file. */
extern const struct collector alloc_collector;

#endif
