/* single_thread.h - calls that mean something else in a process with several threads. */
#ifndef PROF_SINGLE_THREAD_H
#define PROF_SINGLE_THREAD_H

#include <stdbool.h>

/* Finds the functions that ours stand before. In the constructor. */
void single_thread_resolve(void);

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
