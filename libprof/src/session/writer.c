#include "writer.h"

#include "atomic.h"
#include "chunks.h"
#include "clock.h"
#include "config.h"
#include "cost.h"
#include "counter.h"
#include "log.h"
#include "loss.h"
#include "meta.h"
#include "own_thread.h"
#include "session.h"
#include "shed.h"
#include "signals.h"
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#define WRITER_STACK_BYTES \
    (1u << 20) /* collectors call CUPTI on it; exit handlers: writer_is_last() */
#define WRITER_POLL_MIN_NS 1000000u  /* 1 ms: a thread that only records fills 0.8 MB meanwhile */
#define WRITER_POLL_MAX_NS 20000000u /* 20 ms: 50 wake-ups a second in an idle program */
#define WRITER_CLOCK_NS 1000000000u
#define WRITER_COPY_NS 100000000u
#define WRITER_LAST_NS 100000000u /* looking costs 15 us */

static struct {
    pthread_mutex_t lock; /* protects the flags below; nothing nests inside */
    pthread_cond_t wake;  /* CLOCK_MONOTONIC; any of the flags changed */
    bool running, stop, done;
    bool parking, parked;       /* asked to end its thread for a while; the thread has ended */
    uint32_t flushes_wanted;    /* counts who asked */
    uint32_t flushing, flushed; /* so many of them the flush at hand, and those before it, serve */
    pthread_t thread;
} writer = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* When the periodic duties are due next, CLOCK_MONOTONIC nanoseconds. */
struct writer_due {
    uint64_t clock, tick, copy, last, cost;
};

static struct counter_watch writer_watch; /* the running writer's */
static struct writer_due writer_due_next; /* only the running writer uses it; parking keeps it */

static bool writer_due(uint64_t *due, uint64_t now, uint64_t period_ns)
{
    if (now < *due)
        return false;
    *due = now + period_ns;
    return true;
}

/* The samples before and after say how wrong the times between them can be. */
static void writer_sample_clock(void)
{
    struct prof_rec_clock sample = meta_clock_sample();
    if (clock_kind == PROF_CLOCK_MONOTONIC || counter_goes_on(&writer_watch, &sample))
        return;
    meta_info(PROF_INFO_NOTE,
              "the processor's counter jumped: times around that moment are inexact");
    log_line(LOG_PROCESS, "the processor's counter jumped: times around now are inexact");
}

static void writer_duties(struct writer_due *due)
{
    uint64_t now = clock_monotonic_ns();
    if (writer_due(&due->clock, now, WRITER_CLOCK_NS))
        writer_sample_clock();
    if (writer_due(&due->tick, now, config_get()->flush_ms * 1000000u))
        session_tick_collectors();
    if (writer_due(&due->cost, now, SHED_PERIOD_NS)) {
        cost_writer();
        shed_tick();
        cost_state(false);
    }
    if (writer_due(&due->copy, now, WRITER_COPY_NS))
        chunks_copy_out();
}

static struct timespec writer_deadline(uint64_t delay_ns)
{
    uint64_t when = clock_monotonic_ns() + delay_ns;
    return (struct timespec){.tv_sec = (time_t)(when / 1000000000u),
                             .tv_nsec = (long)(when % 1000000000u)};
}

enum writer_next { WRITER_GOES_ON, WRITER_STOPS, WRITER_LEAVES };

/* Called with the lock held. A pending flush comes before parking. */
static enum writer_next writer_decide(void)
{
    writer.flushing = writer.flushes_wanted;
    if (writer.stop)
        return WRITER_STOPS;
    if (!writer.parking || writer.flushing != writer.flushed)
        return WRITER_GOES_ON;
    cost_writer();
    writer.parked = true;
    writer.running = writer.parking = false;
    pthread_cond_broadcast(&writer.wake);
    return WRITER_LEAVES;
}

/* Sleeps for `delay_ns` or until a request. When it returns WRITER_LEAVES, another thread may already be
 * the writer. */
static enum writer_next writer_sleep(uint64_t delay_ns)
{
    struct timespec deadline = writer_deadline(delay_ns);
    pthread_mutex_lock(&writer.lock);
    if (!writer.stop && !writer.parking && writer.flushes_wanted == writer.flushed)
        pthread_cond_timedwait(&writer.wake, &writer.lock, &deadline);
    enum writer_next next = writer_decide();
    pthread_mutex_unlock(&writer.lock);
    return next;
}

static void writer_flush_if_asked(void)
{
    if (writer.flushing == writer.flushed)
        return;
    session_flush((unsigned)config_get()->exit_ms);
    pthread_mutex_lock(&writer.lock);
    writer.flushed = writer.flushing; /* who asked meanwhile may have buffered something since */
    pthread_cond_broadcast(&writer.wake);
    pthread_mutex_unlock(&writer.lock);
}

static uint64_t writer_next_delay(uint64_t delay_ns, bool busy)
{
    if (busy)
        return WRITER_POLL_MIN_NS;
    return delay_ns * 2 < WRITER_POLL_MAX_NS ? delay_ns * 2 : WRITER_POLL_MAX_NS;
}

static bool writer_is_last(struct writer_due *due)
{
    return writer_due(&due->last, clock_monotonic_ns(), WRITER_LAST_NS) && own_thread_no_other();
}

static void writer_begin(struct writer_due *due)
{
    shed_begin();
    writer_watch = (struct counter_watch){0};
    /* The rate of the counter is only roughly known so far: an early second sample corrects it. */
    uint64_t now = clock_monotonic_ns();
    *due = (struct writer_due){.clock = now + 10000000u,
                               .tick = now + config_get()->flush_ms * 1000000u,
                               .cost = now + SHED_PERIOD_NS};
}

/* `began` is NULL for the first writer of a recording, and not for one that replaces a parked writer. */
static void *writer_main(void *began)
{
    own_thread_enter("prof-writer");
    if (!began)
        writer_begin(&writer_due_next);
    uint64_t delay_ns = WRITER_POLL_MIN_NS;
    enum writer_next next = WRITER_GOES_ON;
    bool last;
    do {
        writer_flush_if_asked();
        delay_ns = writer_next_delay(delay_ns, chunks_advance());
        loss_settle();
        if (chunks_grow_again())
            thread_room_again();
        writer_duties(&writer_due_next);
        last = writer_is_last(&writer_due_next);
    } while (!last && (next = writer_sleep(delay_ns)) == WRITER_GOES_ON);
    if (next == WRITER_LEAVES) {
        own_thread_leave();
        return NULL;
    }
    cost_writer();
    pthread_mutex_lock(&writer.lock);
    writer.done = true;
    pthread_cond_broadcast(&writer.wake);
    pthread_mutex_unlock(&writer.lock);
    if (last)
        own_thread_end_process();
    else
        own_thread_leave();
    return NULL;
}

static void writer_init_cond(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&writer.wake, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* The thread inherits the caller's signal mask. */
static void writer_create(void *began)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, WRITER_STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = own_thread_create(&writer.thread, &attributes, writer_main, began);
    pthread_attr_destroy(&attributes);
    writer.running = error == 0;
    if (error)
        log_line(LOG_ERROR, "no writer thread (%s): recording goes on, more slowly",
                 strerror(error));
}

bool writer_start(void)
{
    writer_init_cond();
    writer.stop = writer.done = false;
    writer.flushes_wanted = writer.flushing = writer.flushed = 0;
    writer.parking = writer.parked = false;
    struct signals_saved saved;
    signals_block(&saved);
    writer_create(NULL);
    signals_restore(&saved);
    return writer.running;
}

bool writer_park(unsigned deadline_ms)
{
    struct timespec deadline = writer_deadline(deadline_ms * 1000000ull);
    struct signals_saved saved;
    signals_block(&saved); /* a handler that ends the process waits for the lock */
    pthread_mutex_lock(&writer.lock);
    writer.parking = writer.running && !writer.stop;
    pthread_cond_broadcast(&writer.wake);
    while (writer.parking &&
           pthread_cond_timedwait(&writer.wake, &writer.lock, &deadline) != ETIMEDOUT)
        ;
    writer.parking = false; /* if it has not ended by now, it keeps running */
    bool parked = writer.parked;
    pthread_mutex_unlock(&writer.lock);
    signals_restore(&saved);
    return parked;
}

void writer_resume(void)
{
    struct signals_saved saved;
    signals_block(&saved);
    pthread_mutex_lock(&writer.lock);
    if (writer.parked)
        writer_create(&writer_due_next);
    writer.parked = false;
    pthread_mutex_unlock(&writer.lock);
    signals_restore(&saved);
}

bool writer_runs(void)
{
    return writer.running;
}

void writer_flush(unsigned deadline_ms)
{
    struct timespec deadline = writer_deadline(deadline_ms * 1000000ull);
    pthread_mutex_lock(&writer.lock);
    bool running = writer.running;
    uint32_t ticket = running ? ++writer.flushes_wanted : writer.flushed;
    pthread_cond_broadcast(&writer.wake);
    while ((int32_t)(writer.flushed - ticket) < 0 && !writer.done &&
           pthread_cond_timedwait(&writer.wake, &writer.lock, &deadline) != ETIMEDOUT)
        ;
    pthread_mutex_unlock(&writer.lock);
    if (!running)
        session_flush(deadline_ms);
}

void writer_stop(unsigned deadline_ms)
{
    struct timespec deadline = writer_deadline(deadline_ms * 1000000ull);
    pthread_mutex_lock(&writer.lock);
    writer.parked = false; /* disables writer_resume() */
    writer.stop = writer.running;
    pthread_cond_broadcast(&writer.wake);
    while (writer.stop && !writer.done &&
           pthread_cond_timedwait(&writer.wake, &writer.lock, &deadline) != ETIMEDOUT)
        ;
    pthread_mutex_unlock(&writer.lock);
    writer.running = false;
}

void writer_fork_child(void)
{
    writer.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    writer.running = writer.parking = writer.parked = false;
}
