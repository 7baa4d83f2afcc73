/* exits.h - the ways in which a process ends or changes without running exit handlers. */
#ifndef PROF_EXITS_H
#define PROF_EXITS_H

#include <stdbool.h>

/* Finds the functions that ours stand before. In the constructor: later, in a forked child, is too
 * late. */
void exits_resolve(void);

/* In the constructor: takes note of the process, and of quick_exit(). */
void exits_init(void);

/* Which process the recording belongs to; a vfork child shares our memory and must not end it. */
void exits_remember_process(void);
bool exits_is_own_process(void);

#endif
