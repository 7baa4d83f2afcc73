/* own_thread.h - which threads of the process are libprof's own, and the end of a program that has
 * no other left.
 *
 * A program whose main thread left by pthread_exit() ends with its last thread. Ours would keep it
 * alive forever, with all signals blocked: one of them looks now and then, and ends the process in
 * the last thread's place.
 */
#ifndef PROF_OWN_THREAD_H
#define PROF_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether the program has ThreadSanitizer. */
bool own_thread_sanitized(void);

/* Begins a thread of ours, which nobody joins. Returns 0 or an errno value; ENOTSUP where a thread
 * would be the process's end. Much of what a thread inherits is what the program has made of the
 * one that makes it: this one has all signals blocked, masks floating-point exceptions, and has the
 * default scheduling class, and the processors and the niceness that the process had when libprof
 * was loaded. `main` calls own_thread_enter() first. */
int own_thread_create(size_t stack_bytes, void *(*main)(void *), void *argument);

/* The calling thread is ours, and called `name` from here on. */
void own_thread_enter(const char *name);

/* When libprof is loaded: what its threads may use. */
void own_thread_remember_process(void);

/* Whether the calling thread is one of ours that has not entered yet: the program's code may run on
 * it first, if another library interposes on pthread_create(). */
bool own_thread_is_new(void);

/* Last thing it does, if it ends. */
void own_thread_leave(void);

/* Whether the calling thread has. */
bool own_thread_has_entered(void);

/* CPU time in ns of all that have entered, also of those that have left; not of adopted ones. Takes
 * a system call for each that has not left. Threads: any. */
uint64_t own_thread_cpu_ns(void);

/* That of the program: of all threads but those. */
uint64_t own_thread_program_cpu_ns(void);

/* The calling thread is CUPTI's, there for us: counts as one of ours. Any number of times. */
void own_thread_adopt(void);

/* Whether the main thread has left by pthread_exit() and every other thread is ours. */
bool own_thread_no_other(void);

/* Does what libc does at the end of the last thread: exit(0), with no signal blocked, on the
 * calling thread. Returns where another thread of ours is at it. */
void own_thread_end_process(void);

/* Whether a thread of that number entered, and did not leave. */
bool own_thread_is(uint32_t tid);

/* Whether one of them has been made and has not entered yet, or has left and still exists. */
bool own_thread_changes(void);

/* Waits until all that have entered are gone from the process, for at most `deadline_ms`. They must
 * have been told to end. */
void own_thread_await_end(unsigned deadline_ms);

/* In a forked child: none of them exists there. */
void own_thread_fork_child(void);

/* ---- a process of ours ---- */

/* A process of ours at the program's end, to run another program. Its end raises no signal, so that
 * of the program's waits none but one with __WALL sees it, unless it executes a program, which
 * brings the signal back. Debuggers do not follow it.
 *
 * A child shares the program's memory until it ends or executes another program, with a copy of its
 * descriptors and of its signal handlers. Until then the thread that made it waits.
 */

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
