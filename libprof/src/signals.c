#include "signals.h"

#include <pthread.h>
#include <time.h>

static bool signals_xfsz_pending(void)
{
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    return sigismember(&pending, SIGXFSZ) == 1;
}

void signals_block(struct signals_saved *saved)
{
    sigset_t all;
    sigfillset(&all);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved->cancel_state);
    pthread_sigmask(SIG_SETMASK, &all, &saved->mask);
    saved->xfsz_was_pending = signals_xfsz_pending();
}

void signals_restore(const struct signals_saved *saved)
{
    if (!saved->xfsz_was_pending && signals_xfsz_pending()) {
        sigset_t xfsz;
        sigemptyset(&xfsz);
        sigaddset(&xfsz, SIGXFSZ);
        sigtimedwait(&xfsz, NULL, &(struct timespec){0});
    }
    pthread_sigmask(SIG_SETMASK, &saved->mask, NULL);
    pthread_setcancelstate(saved->cancel_state, NULL);
}

void signals_block_all(void)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
}
