/* writer.c - the writer thread: see session.h. */
#include "atomic.h"
#include "chunks.h"
#include "clock.h"
#include "config.h"
#include "cost.h"
#include "log.h"
#include "meta.h"
#include "own_thread.h"
#include "session.h"
#include "summary.h"
#include "thread.h"
#include "throttle.h"
#include "worker.h"

#include <string.h>

#define WRITER_POLL_MIN_NS 1000000u  /* 1 ms: a thread that only records fills 0.8 MB meanwhile */
#define WRITER_POLL_MAX_NS 20000000u /* 20 ms: 50 wake-ups a second in an idle program */
#define WRITER_CLOCK_NS 1000000000u
#define WRITER_COPY_NS 100000000u
#define WRITER_LAST_NS 100000000u /* looking costs 15 us */

/* When the periodic duties are due next, CLOCK_MONOTONIC nanoseconds. */
struct writer_due {
    uint64_t clock, tick, copy, last, cost;
};

/* Only the running writer uses these; parking keeps them. */
static struct counter_watch writer_watch;
static struct writer_due writer_due_next;
static uint64_t writer_delay_ns; /* since nothing was to be done */
static bool writer_has_begun;
static bool writer_is_alone; /* the program's threads have all ended */

static bool writer_due(uint64_t *due, uint64_t now, uint64_t period_ns)
{
    if (now < *due)
        return false;
    *due = now + period_ns;
    return true;
}

/* The samples before and after bound the error of the times between them. */
static void writer_sample_clock(void)
{
    struct prof_rec_clock sample = meta_clock_sample(false);
    if (clock_kind == PROF_CLOCK_MONOTONIC || counter_goes_on(&writer_watch, &sample))
        return;
    meta_info(PROF_INFO_NOTE,
              "the processor's counter jumped: times around that moment are inexact");
    log_line(LOG_PROCESS, "the time-stamp counter jumped: times around now are inexact");
}

static void writer_do_periodic(struct writer_due *due)
{
    uint64_t now = clock_monotonic_ns();
    if (writer_due(&due->clock, now, WRITER_CLOCK_NS)) {
        writer_sample_clock();
        summary_tick();
    }
    if (writer_due(&due->tick, now, config_get()->flush_ms * 1000000u))
        session_tick_collectors();
    if (writer_due(&due->cost, now, THROTTLE_PERIOD_NS)) {
        cost_writer();
        throttle_tick();
        cost_emit(false);
    }
    if (writer_due(&due->copy, now, WRITER_COPY_NS))
        chunks_copy_out();
}

static bool writer_is_last(struct writer_due *due)
{
    return writer_due(&due->last, clock_monotonic_ns(), WRITER_LAST_NS) && own_thread_no_other();
}

static void writer_begin(void)
{
    throttle_begin();
    writer_watch = (struct counter_watch){0};
    /* The rate of the counter is only roughly known so far: an early second sample corrects it. */
    uint64_t now = clock_monotonic_ns();
    writer_due_next = (struct writer_due){.clock = now + 10000000u,
                                          .tick = now + config_get()->flush_ms * 1000000u,
                                          .cost = now + THROTTLE_PERIOD_NS};
    writer_delay_ns = WRITER_POLL_MIN_NS;
    writer_has_begun = true;
}

static uint64_t writer_next_delay(uint64_t delay_ns, bool busy)
{
    if (busy)
        return WRITER_POLL_MIN_NS;
    return delay_ns * 2 < WRITER_POLL_MAX_NS ? delay_ns * 2 : WRITER_POLL_MAX_NS;
}

static uint64_t writer_duties(void)
{
    if (!writer_has_begun)
        writer_begin();
    bool hurried = summary_hurry(), busy = chunks_advance();
    writer_delay_ns = writer_next_delay(writer_delay_ns, busy || hurried);
    loss_flush();
    if (chunks_grow_again())
        thread_retry_growth();
    writer_do_periodic(&writer_due_next);
    writer_is_alone = writer_is_last(&writer_due_next);
    return writer_is_alone ? WORKER_DONE : writer_delay_ns;
}

static void writer_end(void)
{
    if (writer_is_alone)
        own_thread_end_process();
    else
        own_thread_leave();
}

static struct worker writer =
    WORKER_INIT(.name = "prof-writer",
                .stack_bytes =
                    1u << 20, /* collectors call CUPTI on it; exit handlers: writer_end() */
                .duties = writer_duties, .ends = cost_writer, .leave = writer_end, .parks = true);

static void writer_flush_job(void)
{
    session_flush((unsigned)config_get()->exit_ms);
}

void writer_start(void)
{
    writer_has_begun = false;
    int error = worker_begin(&writer);
    if (error)
        log_line(LOG_ERROR, "cannot start the writer thread (%s): recording continues, but slower",
                 strerror(error));
}

bool writer_runs(void)
{
    return worker_runs(&writer);
}

void writer_flush(unsigned deadline_ms)
{
    if (worker_run(&writer, writer_flush_job, deadline_ms) == WORKER_NONE)
        session_flush(deadline_ms);
}

void writer_stop(unsigned deadline_ms)
{
    worker_end(&writer, deadline_ms, true);
}

GUEST_PATH void writer_fork_child(void)
{
    worker_fork_child(&writer);
}
