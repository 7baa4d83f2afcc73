/* own_child.h - a process of ours at the program's end, to run another program. Its end raises no
 * signal, so that of the program's waits none but one with __WALL sees it, unless it executes a
 * program, which brings the signal back. Debuggers do not follow it.
 *
 * A child shares the program's memory until it ends or executes another program, with a copy of its
 * descriptors and of its signal handlers. Until then the thread that made it waits.
 */
#ifndef PROF_OWN_CHILD_H
#define PROF_OWN_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/* Runs `main` in a child. Returns the child once it has ended, with what `main` returned as its
 * status, or has executed a program; -1: it could not be made. Before: signals are blocked
 * (signals_block). Threads: any; not where own_thread_sanitized(), nor where closing a copy of the
 * program's descriptors does anything to their files. */
pid_t own_child_run(int (*main)(void *argument), void *argument);

/* Whether it has ended within `deadline_ms`, and is gone then. `status`: as waitpid() has it; may
 * be NULL. */
bool own_child_await(pid_t child, unsigned deadline_ms, int *status);

/* Whether the next child would be PID 1 of its namespace, which dies with PID 1: that must be the
 * program's own. True after unshare(CLONE_NEWPID) and setns(). */
bool own_child_would_be_first(void);

#endif
