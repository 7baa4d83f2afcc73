/* python_fork.h - prevents Python's warning about threads at fork from being caused by libprof's
 * own threads.
 *
 * From 3.12 on, os.fork() warns (DeprecationWarning) in a process with several threads. It counts
 * them in the parent after fork(). In a program without threads of its own the writer would cause
 * that warning, so it ends before such a fork and starts again when os.fork() is over. So do the
 * threads of the hang watch (PROF_HANG) and the sampler (PROF_SAMPLE).
 */
#ifndef PROF_PYTHON_FORK_H
#define PROF_PYTHON_FORK_H

/* Call once per process, when the library is loaded. Does nothing without an interpreter of 3.12 or
 * later. */
void python_fork_init(void);

#endif
