/* signals.h - doing something slow in the host's thread: none of its signal handlers runs meanwhile, it is
 * not cancelled (open() and its like are cancellation points), and it never sees a signal that we raised. */
#ifndef PROF_SIGNALS_H
#define PROF_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct signals_saved {
    sigset_t mask;
    bool xfsz_was_pending;
    int cancel_state;
};

/* Blocks every signal and cancellation of the calling thread; may nest. `saved` is for signals_restore(). */
void signals_block(struct signals_saved *saved);

/* Takes back a SIGXFSZ that came meanwhile (a write beyond RLIMIT_FSIZE was ours), then restores
 * the mask. */
void signals_restore(const struct signals_saved *saved);

/* For threads of our own: blocks everything for good. */
void signals_block_all(void);

#endif
