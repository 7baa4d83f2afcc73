/* python_fork.h - prevents Python's warning about threads at fork from being caused by libprof's
 * own threads.
 *
 * From 3.12 on, os.fork() warns (DeprecationWarning) in a process with several threads. It counts them in the
 * parent after fork(). In a program without threads of its own the writer would cause that warning, so it ends
 * before such a fork and starts again when os.fork() is over. So
 * does the hang watch's thread (PROF_HANG).
 */
#ifndef PROF_PYTHON_FORK_H
#define PROF_PYTHON_FORK_H

/* Call once per process, when the library is loaded. Does nothing without an interpreter of 3.12 or later. */
void python_fork_init(void);

#endif
