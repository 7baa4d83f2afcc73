#include "signals.h"

#include "atomic.h"
#include "clock.h"

#include <pthread.h>
#include <time.h>

static uint32_t signals_disabled;

void signals_disable(void)
{
    store_relaxed(&signals_disabled, 1u);
}

/* SIGSYS stays: a sandbox may have the program's handler answer a system call of ours, and ends a
 * process in which it is blocked. */
void signals_block(struct signals_saved *saved)
{
    sigset_t all;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved->cancel_state);
    saved->blocked = !load_relaxed(&signals_disabled);
    if (!saved->blocked)
        return;
    sigfillset(&all);
    sigdelset(&all, SIGSYS);
    pthread_sigmask(SIG_SETMASK, &all, &saved->mask);
    sigpending(&saved->pending);
}

/* Discards `number` if it arrived since `saved`. */
static void signals_discard(const struct signals_saved *saved, int number)
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
        signals_discard(saved, SIGXFSZ);
        signals_discard(saved, SIGPIPE);
        pthread_sigmask(SIG_SETMASK, &saved->mask, NULL);
    }
    pthread_setcancelstate(saved->cancel_state, NULL);
}

bool signals_lock_within(struct signals_saved *saved, uint32_t *lock, int attempts)
{
    signals_block(saved);
    for (int attempt = 0; exchange_acquire(lock, 1u); attempt++) {
        if (attempt == attempts) {
            signals_restore(saved);
            return false;
        }
        clock_wait(attempt);
    }
    return true;
}

void signals_lock(struct signals_saved *saved, uint32_t *lock)
{
    (void)signals_lock_within(saved, lock, -1);
}

void signals_unlock(const struct signals_saved *saved, uint32_t *lock)
{
    store_release(lock, 0u);
    signals_restore(saved);
}
