/* refusals.h - calls that the kernel refuses to a process with several threads. */
#ifndef PROF_REFUSALS_H
#define PROF_REFUSALS_H

/* Finds the functions that ours stand before. In the constructor. */
void refusals_resolve(void);

#endif
