/* starter.h - begins the recording of a process that has not recorded anything, for PROF_SAMPLE and
 * PROF_HANG: they show what a program does before its first range, and programs without ranges.
 *
 * A thread of libprof waits until the process has used 10 ms of CPU time, or has lived for 100 ms
 * and waits for something. (PROF_HANG alone wants 100 ms in any case.) Then it makes the file, as
 * the first event would, and ends. A program that a recorded program executes must live ten times
 * as long: most commands of a shell script end sooner, leave no file, and use up no name. A process
 * that only waits for its children leaves no file either.
 */
#ifndef PROF_STARTER_H
#define PROF_STARTER_H

#include <stdbool.h>

/* Recording is on. Starts the thread if it is wanted, and there is no file. */
void starter_begin(void);

/* In a forked child. First in a fork handler: there is no thread. Then, when fork() returns, since
 * a thread's start allocates memory, and an allocator may become usable only after the handlers:
 * starts one for PROF_SAMPLE. PROF_HANG does not watch a child that records nothing, such as one
 * that waits for work. */
void starter_fork_child(void);
void starter_forked(void);

/* The process is about to end or to call exec: from here on, the thread makes no file, and none is
 * half made. Until the call has failed. Any number of times; also in signal handlers, and in a
 * child that shares the process's memory. */
void starter_hold(void);
void starter_release(void);

/* Ends the thread for good; from here on, the others make no system call. */
void starter_end(unsigned deadline_ms);

#endif
