/* signals.h - doing something slow in the host's thread: none of its signal handlers runs
 * meanwhile, it is not cancelled (open() and its like are cancellation points), and it never sees a
 * signal that we raised. */
#ifndef PROF_SIGNALS_H
#define PROF_SIGNALS_H

#include <signal.h>

struct signals_saved {
    sigset_t mask;
    sigset_t pending; /* before */
    int cancel_state;
};

/* Blocks every signal and cancellation of the calling thread; may nest. `saved` is for
 * signals_restore(). */
void signals_block(struct signals_saved *saved);

/* Takes back what a write of ours raised meanwhile, SIGXFSZ (beyond RLIMIT_FSIZE) and SIGPIPE (into
 * a pipe that nobody reads), then restores the mask. */
void signals_restore(const struct signals_saved *saved);

#endif
