/* signals.h - doing something that may raise a signal without the host ever seeing one. */
#ifndef PROF_SIGNALS_H
#define PROF_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct signals_saved {
    sigset_t mask;
    bool xfsz_was_pending;
};

/* Blocks every signal of the calling thread; `saved` is for signals_restore(). */
void signals_block(struct signals_saved *saved);

/* Takes back a SIGXFSZ that came meanwhile (a write beyond RLIMIT_FSIZE was ours), then restores
 * the mask. */
void signals_restore(const struct signals_saved *saved);

/* For threads of our own: blocks everything for good. */
void signals_block_all(void);

#endif
