#include "worker.h"

#include "atomic.h"
#include "clock.h"
#include "own_thread.h"
#include "recorder.h"
#include "signals.h"

#include <errno.h>
#include <time.h>

/* ---- time ---- */

static struct timespec worker_deadline(uint64_t delay_ns)
{
    uint64_t when = clock_monotonic_ns() + delay_ns;
    return (struct timespec){.tv_sec = (time_t)(when / 1000000000u),
                             .tv_nsec = (long)(when % 1000000000u)};
}

/* With the lock held. False: the deadline is over. */
static bool worker_wait(struct worker *worker, const struct timespec *deadline)
{
    return pthread_cond_timedwait(&worker->changed, &worker->lock, deadline) != ETIMEDOUT;
}

/* ---- the thread ---- */

/* All of these with the lock held, which they give up meanwhile. */

static void worker_do_job(struct worker *worker)
{
    worker->current = worker->next;
    worker->next = NULL;
    worker->next_waiters = 0;
    if (worker->queued) /* whose job this is need not wake before it is done */
        pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    if (worker->run)
        worker->run(worker->current);
    else
        worker->current();
    pthread_mutex_lock(&worker->lock);
    worker->current = NULL;
    worker->finished++;
    pthread_cond_broadcast(&worker->changed);
}

static void worker_sleep(struct worker *worker, uint64_t delay_ns)
{
    struct timespec deadline = worker_deadline(delay_ns);
    if (worker->next || worker->is_ending)
        return;
    if (worker->duties)
        worker_wait(worker, &deadline);
    else
        pthread_cond_wait(&worker->changed, &worker->lock);
}

static uint64_t worker_do_duties(struct worker *worker)
{
    if (!worker->duties)
        return 0;
    pthread_mutex_unlock(&worker->lock);
    uint64_t delay_ns = worker->duties();
    pthread_mutex_lock(&worker->lock);
    return delay_ns;
}

static void worker_work(struct worker *worker)
{
    uint64_t delay_ns = 0;
    while (worker->next || (delay_ns != WORKER_DONE && !worker->is_ending)) {
        if (worker->next)
            worker_do_job(worker);
        delay_ns = worker_do_duties(worker);
        if (delay_ns != WORKER_DONE)
            worker_sleep(worker, delay_ns);
    }
}

/* How many workers have a thread, but their `runs` is not set yet, or not any more. */
static uint32_t worker_changes GUEST_DATA;

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    own_thread_enter(worker->name);
    if (worker->begins)
        worker->begins();
    pthread_mutex_lock(&worker->lock);
    worker_work(worker);
    if (worker->ends)
        worker->ends();
    fetch_add_seq_cst(&worker_changes, 1u);
    store_relaxed(&worker->runs, false);
    worker->is_ending = false;
    pthread_cond_broadcast(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    if (worker->leave)
        worker->leave();
    else
        own_thread_leave();
    fetch_add_seq_cst(&worker_changes, (uint32_t)-1);
    return NULL;
}

static void worker_init_condition(struct worker *worker)
{
    pthread_condattr_t attributes;
    if (worker->can_wait)
        return;
    worker->can_wait = true;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&worker->changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* Those that park. */
static struct worker *worker_parkable[WORKERS_PARKABLE]; /* released -> acquired */

static void worker_list(struct worker *worker)
{
    struct worker *none = NULL;
    for (unsigned place = 0; place < WORKERS_PARKABLE && worker->parks && !worker->is_listed;
         place++, none = NULL)
        worker->is_listed = cas_acq_rel(&worker_parkable[place], &none, worker);
}

/* With the lock held. */
static int worker_begin_locked(struct worker *worker)
{
    if (worker->runs)
        return 0;
    if (worker->is_closed)
        return ECANCELED;
    worker_list(worker);
    worker_init_condition(worker);
    fetch_add_seq_cst(&worker_changes, 1u);
    int error = own_thread_create(worker->stack_bytes, worker_main, worker);
    store_relaxed(&worker->runs, error == 0);
    fetch_add_seq_cst(&worker_changes, (uint32_t)-1);
    return error;
}

int worker_begin(struct worker *worker)
{
    struct signals_saved saved;
    if (worker_runs(worker))
        return 0;
    signals_block(&saved);
    pthread_mutex_lock(&worker->lock);
    int error = worker_begin_locked(worker);
    pthread_mutex_unlock(&worker->lock);
    signals_restore(&saved);
    return error;
}

bool worker_runs(const struct worker *worker)
{
    return load_relaxed(&worker->runs);
}

/* ---- callers ---- */

/* All of these with the lock held. */

/* Nobody waits for the same job twice. */
static bool worker_is_stuck(const struct worker *worker)
{
    return worker->current && worker->given_up == worker->finished + 1;
}

/* Jobs that have begun, or are done. */
static uint64_t worker_started_jobs(const struct worker *worker)
{
    return worker->finished + (worker->current ? 1 : 0);
}

static enum worker_result worker_abandon(struct worker *worker, uint64_t number)
{
    if (worker->current)
        worker->given_up = worker->finished + 1;
    if (number <= worker_started_jobs(worker))
        return WORKER_TIMED_OUT;
    if (--worker->next_waiters == 0)
        worker->next = NULL;
    return WORKER_NOT_BEGUN;
}

/* False: the deadline is over before the job could be the next one. */
static bool worker_hand_over(struct worker *worker, worker_job job, const struct timespec *deadline)
{
    while (worker->next && worker->next != job) {
        worker->queued++;
        bool in_time = worker->runs && worker_wait(worker, deadline);
        worker->queued--;
        if (!in_time)
            return false;
    }
    worker->next = job;
    worker->next_waiters++;
    pthread_cond_broadcast(&worker->changed);
    return true;
}

static enum worker_result worker_request(struct worker *worker, worker_job job,
                                         const struct timespec *begin,
                                         const struct timespec *deadline)
{
    if (!worker->runs)
        return WORKER_NONE;
    if (worker_is_stuck(worker) || !worker_hand_over(worker, job, begin))
        return WORKER_NOT_BEGUN;
    uint64_t number = worker_started_jobs(worker) + 1;
    while (worker->finished < number && worker->runs) {
        bool begun = worker_started_jobs(worker) >= number;
        if (!worker_wait(worker, begun ? deadline : begin) &&
            begun == (worker_started_jobs(worker) >= number))
            break;
    }
    return worker->finished >= number ? WORKER_FINISHED : worker_abandon(worker, number);
}

/* A waiter that is cancelled would keep the lock. */
enum worker_result worker_run_soon(struct worker *worker, worker_job job, unsigned begin_ms,
                                   unsigned deadline_ms)
{
    struct timespec begin = worker_deadline(begin_ms * 1000000ull);
    struct timespec deadline = worker_deadline(deadline_ms * 1000000ull);
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pthread_mutex_lock(&worker->lock);
    enum worker_result answer = worker_request(worker, job, &begin, &deadline);
    pthread_mutex_unlock(&worker->lock);
    pthread_setcancelstate(cancel_state, NULL);
    return answer;
}

enum worker_result worker_run(struct worker *worker, worker_job job, unsigned deadline_ms)
{
    enum worker_result answer = worker_run_soon(worker, job, deadline_ms, deadline_ms);
    return answer == WORKER_NOT_BEGUN ? WORKER_TIMED_OUT : answer;
}

bool worker_post(struct worker *worker, worker_job job)
{
    pthread_mutex_lock(&worker->lock);
    bool idle = worker->runs && !worker->is_ending && !worker->current && !worker->next;
    if (idle) {
        worker->next = job;
        worker->next_waiters = 1; /* it is never taken back */
        pthread_cond_broadcast(&worker->changed);
    }
    pthread_mutex_unlock(&worker->lock);
    return idle;
}

/* A handler that ends the process would wait for the lock. */
bool worker_end(struct worker *worker, unsigned deadline_ms, bool close)
{
    struct timespec deadline = worker_deadline(deadline_ms * 1000000ull);
    struct signals_saved saved;
    signals_block(&saved);
    pthread_mutex_lock(&worker->lock);
    worker->is_closed |= close;
    worker->is_ending = worker->runs;
    if (worker->runs)
        pthread_cond_broadcast(&worker->changed);
    while (worker->runs && worker_wait(worker, &deadline))
        ;
    bool ended = !worker->runs;
    worker->is_ending &= worker->is_closed;
    pthread_mutex_unlock(&worker->lock);
    signals_restore(&saved);
    return ended;
}

/* ---- parking ---- */

bool worker_park(struct worker *worker, unsigned deadline_ms)
{
    if (!worker_runs(worker))
        return false;
    if (worker->moves)
        worker->moves(true);
    bool ended = worker_end(worker, deadline_ms, false);
    if (ended)
        store_release(&worker->parked, 1u);
    else if (worker->moves)
        worker->moves(false);
    return ended;
}

void worker_resume(struct worker *worker)
{
    if (exchange_acquire(&worker->parked, 0u) && worker_begin(worker) == 0 && worker->moves)
        worker->moves(false);
}

static struct worker *worker_parkable_at(unsigned place)
{
    return place < WORKERS_PARKABLE ? load_acquire(&worker_parkable[place]) : NULL;
}

unsigned workers_running(void)
{
    struct worker *worker;
    unsigned running = 0;
    for (unsigned i = 0; (worker = worker_parkable_at(i)); i++)
        running += worker_runs(worker);
    return running;
}

void workers_settle(unsigned deadline_ms)
{
    uint64_t end_ns = clock_monotonic_ns() + deadline_ms * 1000000ull;
    for (int attempt = 0; load_seq_cst(&worker_changes) || own_thread_changes(); attempt++) {
        if (clock_monotonic_ns() >= end_ns)
            break;
        clock_wait(attempt);
    }
}

bool workers_park(unsigned deadline_ms)
{
    bool any = false, all = true;
    for (int serves = 0; serves <= 1 && all; serves++) {
        struct worker *worker;
        for (unsigned i = 0; (worker = worker_parkable_at(i)); i++) {
            if (worker->serves != (serves == 1) || !worker_runs(worker))
                continue;
            bool ended = worker_park(worker, deadline_ms);
            any |= ended;
            all &= ended;
        }
    }
    return any;
}

void workers_resume(void)
{
    struct worker *worker;
    for (int serves = 1; serves >= 0; serves--)
        for (unsigned i = 0; (worker = worker_parkable_at(i)); i++)
            if (worker->serves == (serves == 1))
                worker_resume(worker);
}

/* ---- a forked child ---- */

GUEST_PATH void worker_fork_child(struct worker *worker)
{
    worker->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    worker->runs = worker->is_ending = worker->is_closed = worker->can_wait = false;
    worker->current = worker->next = NULL;
    worker->next_waiters = worker->queued = 0;
    worker->finished = worker->given_up = 0;
    worker->parked = 0;
    store_relaxed(&worker_changes, 0u);
}
