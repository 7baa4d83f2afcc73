/* exits.h - ways in which a process ends, or is replaced, without running exit handlers. */
#ifndef PROF_EXITS_H
#define PROF_EXITS_H

/* Finds the functions that ours stand before. In the constructor: later, in a forked child, is too
 * late. */
void exits_resolve(void);

/* In the constructor: takes note of quick_exit(). */
void exits_init(void);

#endif
