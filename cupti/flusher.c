#define _GNU_SOURCE
#include "flusher.h"

#include "activity.h"
#include "cost.h"
#include "own_thread.h"
#include "recorder.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

#define STACK_BYTES (256u << 10) /* CUPTI walks its own data on it, and the decoder runs there */

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* protects what follows; nothing nests inside */
static pthread_cond_t changed; /* CLOCK_MONOTONIC; initialised with the thread */
static bool begun;             /* the thread exists */
static bool leaving;           /* it ends when it is idle */
static flusher_job wanted;     /* NULL = idle */
static uint64_t finished;      /* jobs done so far */
static uint64_t given_up;      /* number of the job that somebody has waited for in vain */

/* Decoding has a part of its own. */
static void run_measured(flusher_job job)
{
    uint64_t began_ns = cost_thread_ns(), decoded_ns = activity_decoded_ns();
    job();
    cost_add_ns(PROF_COST_FLUSH, 1,
                cost_thread_ns() - began_ns - (activity_decoded_ns() - decoded_ns));
}

static void *serve(void *unused)
{
    (void)unused;
    own_thread_enter("prof-flush");
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!wanted && !leaving)
            pthread_cond_wait(&changed, &lock);
        if (!wanted)
            break;
        flusher_job job = wanted;
        pthread_mutex_unlock(&lock);
        run_measured(job);
        pthread_mutex_lock(&lock);
        wanted = NULL;
        finished++;
        pthread_cond_broadcast(&changed);
    }
    begun = false;
    pthread_mutex_unlock(&lock);
    own_thread_leave();
    return NULL;
}

static void init_condition(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

static bool create_thread(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int error = own_thread_create(&thread, &attributes, serve, NULL);
    pthread_attr_destroy(&attributes);
    return error == 0;
}

/* With the lock held. All signals are blocked in the new thread: the program's handlers are not for
 * it. */
static bool begin_thread(void)
{
    sigset_t all, kept;
    if (begun || leaving)
        return begun;
    init_condition();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &kept);
    begun = create_thread();
    pthread_sigmask(SIG_SETMASK, &kept, NULL);
    return begun;
}

static struct timespec deadline_in(unsigned milliseconds)
{
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += milliseconds / 1000;
    deadline.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_sec++;
        deadline.tv_nsec -= 1000000000;
    }
    return deadline;
}

static bool wait_idle(const struct timespec *deadline)
{
    while (wanted)
        if (pthread_cond_timedwait(&changed, &lock, deadline) == ETIMEDOUT)
            return !wanted;
    return true;
}

static bool wait_done(uint64_t ticket, const struct timespec *deadline)
{
    while (finished < ticket)
        if (pthread_cond_timedwait(&changed, &lock, deadline) == ETIMEDOUT)
            return finished >= ticket;
    return true;
}

static void hand_over(flusher_job job)
{
    wanted = job;
    pthread_cond_broadcast(&changed);
}

/* Nobody waits for the same job twice. */
static bool is_stuck(void)
{
    return wanted && given_up == finished + 1;
}

bool flusher_run(flusher_job job, unsigned deadline_ms)
{
    struct timespec deadline = deadline_in(deadline_ms);
    bool done = false;
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE,
                           &cancel_state); /* a cancelled waiter keeps the lock */
    pthread_mutex_lock(&lock);
    if (begin_thread() && !is_stuck() && wait_idle(&deadline)) {
        hand_over(job);
        done = wait_done(finished + 1, &deadline);
    }
    if (!done && wanted)
        given_up = finished + 1;
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(cancel_state, NULL);
    return done;
}

bool flusher_post(flusher_job job)
{
    pthread_mutex_lock(&lock);
    bool idle = begin_thread() && !wanted;
    if (idle)
        hand_over(job);
    pthread_mutex_unlock(&lock);
    return idle;
}

void flusher_leave(void)
{
    pthread_mutex_lock(&lock);
    leaving = true;
    if (begun)
        pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}
