/* signals.h - doing something slow in the host's thread: none of its signal handlers runs
 * meanwhile, it is not cancelled (open() and its like are cancellation points), and it never sees a
 * signal that we raised. */
#ifndef PROF_SIGNALS_H
#define PROF_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct signals_saved {
    sigset_t mask;
    sigset_t pending; /* before */
    int cancel_state;
    bool blocked;
};

/* From here on no system call is made for signals, as a sandbox may end the process for one:
 * handlers run meanwhile. In a process that records nothing any more. */
void signals_disable(void);

/* Blocks every signal and cancellation of the calling thread; may nest. `saved` is for
 * signals_restore(). */
void signals_block(struct signals_saved *saved);

/* Discards signals that a write of ours raised meanwhile, SIGXFSZ (beyond RLIMIT_FSIZE) and SIGPIPE
 * (into a pipe that nobody reads), then restores the mask. */
void signals_restore(const struct signals_saved *saved);

/* Takes a lock (1: taken) that a handler may need, too: it would wait for the thread it
 * interrupted, so signals are blocked first. signals_unlock() gives it back. */
void signals_lock(struct signals_saved *saved, uint32_t *lock);
void signals_unlock(const struct signals_saved *saved, uint32_t *lock);

/* The same, but gives up (false) after so many calls of clock_wait(). */
bool signals_lock_within(struct signals_saved *saved, uint32_t *lock, int attempts);

/* ---- a stack for work on the program's threads ---- */

/* Calls work(argument) on the calling thread, on memory of 1 MiB that is given back at its end: the
 * thread's own stack may be a coroutine's, of a few KiB. Where there is none, or the processor is
 * not known here, on the stack that the thread has. Signals are blocked meanwhile: a handler may
 * have to know the stack that it is on. */
void big_stack_run(void (*work)(void *argument), void *argument);

#endif
