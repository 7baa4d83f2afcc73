#include "signals.h"

#include <pthread.h>
#include <time.h>

void signals_block(struct signals_saved *saved)
{
    sigset_t all;
    sigfillset(&all);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved->cancel_state);
    pthread_sigmask(SIG_SETMASK, &all, &saved->mask);
    sigpending(&saved->pending);
}

/* Takes back `number` if it came since `saved`. */
static void signals_take_back(const struct signals_saved *saved, int number)
{
    sigset_t pending, one;
    sigpending(&pending);
    if (sigismember(&pending, number) != 1 || sigismember(&saved->pending, number) == 1)
        return;
    sigemptyset(&one);
    sigaddset(&one, number);
    sigtimedwait(&one, NULL, &(struct timespec){0});
}

void signals_restore(const struct signals_saved *saved)
{
    signals_take_back(saved, SIGXFSZ);
    signals_take_back(saved, SIGPIPE);
    pthread_sigmask(SIG_SETMASK, &saved->mask, NULL);
    pthread_setcancelstate(saved->cancel_state, NULL);
}
