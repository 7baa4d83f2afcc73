#include "signals.h"

#include "atomic.h"

#include <pthread.h>
#include <time.h>

static uint32_t signals_left_alone;

void signals_leave_alone(void)
{
    store_relaxed(&signals_left_alone, 1u);
}

/* SIGSYS stays: a sandbox may have the program's handler answer a system call of ours, and ends a process
 * in which it is blocked. */
void signals_block(struct signals_saved *saved)
{
    sigset_t all;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved->cancel_state);
    saved->blocked = !load_relaxed(&signals_left_alone);
    if (!saved->blocked)
        return;
    sigfillset(&all);
    sigdelset(&all, SIGSYS);
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
    if (saved->blocked) {
        signals_take_back(saved, SIGXFSZ);
        signals_take_back(saved, SIGPIPE);
        pthread_sigmask(SIG_SETMASK, &saved->mask, NULL);
    }
    pthread_setcancelstate(saved->cancel_state, NULL);
}
