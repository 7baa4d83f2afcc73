/* python_fork.h - os.fork() of a program without threads of its own is a fork without threads.
 *
 * From 3.12 on it warns (DeprecationWarning) of each fork in a process with several threads, which the
 * interpreter has the system count, in the parent, when fork() has returned. The writer would be counted
 * as one, and the warning be none of the program's business. So it leaves before such a fork, and comes
 * back when os.fork() is over.
 */
#ifndef PROF_PYTHON_FORK_H
#define PROF_PYTHON_FORK_H

/* Once per process, when the library is loaded. Without an interpreter of 3.12 or later in the process it
 * does nothing. */
void python_fork_init(void);

#endif
