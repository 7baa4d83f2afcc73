/* children.h - records the child processes of this process. */
#ifndef PROF_CHILDREN_H
#define PROF_CHILDREN_H

#include "recorder.h"

extern const struct collector children_collector;

/* Finds libc's functions. Called first of all, again by whoever comes before that. */
void children_resolve(void);

/* The calling process shares this one's memory (vfork) and is about to become another program.
 * Takes no lock, allocates nothing, keeps errno. */
void children_note_exec(void);

#endif
