/* sandbox.h - a program that gives up system calls (seccomp) or the processor's counter (PR_SET_TSC). */
#ifndef PROF_SANDBOX_H
#define PROF_SANDBOX_H

/* Finds the functions that ours stand before. In the constructor: later, in a forked child, is too
 * late. */
void sandbox_resolve(void);

#endif
