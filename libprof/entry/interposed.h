/* interposed.h - the functions of libc that libprof.so interposes, a source file for each reason.
 *
 *     exits.c          ways in which a process ends, or is replaced, without running exit handlers
 *     children.c       records the child processes of this process
 *     sandbox.c        a program gives up system calls (seccomp) or the processor's counter
 *                      (PR_SET_TSC)
 *     single_thread.c  calls that mean something else in a process with several threads
 *     locked_memory.c  mlockall() for a user whose limit is below the size of the address space
 */
#ifndef PROF_INTERPOSED_H
#define PROF_INTERPOSED_H

#include "recorder.h"

#include <stdbool.h>

/* The dynamic linker binds the program's calls to these. */
#define INTERPOSED __attribute__((visibility("default")))

/* Find libc's own functions. In the constructor: later, in a forked child, is too late. A
 * constructor that runs before ours may call one of ours first, which then finds them itself. */
void exits_resolve(void);
void children_resolve(void);
void sandbox_resolve(void);
void single_thread_resolve(void);
void locked_memory_resolve(void);

/* In the constructor: takes note of quick_exit(). */
void exits_init(void);

/* In the parent, when it has forked. */
void exits_fork_parent(void);

extern const struct collector children_collector;

/* The calling process shares this one's memory (vfork) and is about to become another program.
 * Takes no lock, allocates nothing, keeps errno. */
void children_note_exec(void);

/* Whether prctl() with this option changes the credentials of the calling thread alone. */
bool single_thread_is_affected_by(int option);

/* Ends the threads of ours if the process has no others but the calling one. Returns whether
 * single_thread_end() must be called, from the same thread: it starts them again. Keeps errno. */
struct single_thread {
    bool parked, controlled;
};
struct single_thread single_thread_begin(void);
void single_thread_end(struct single_thread ended);

#endif
