#include "sim_timeline.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "sim_clock.h"
#include "sim_context.h"
#include "sim_core.h"

static bool started; /* core lock */

static struct sim_stream *earlier(struct sim_stream *best, struct sim_stream *stream)
{
    if (!stream->head || stream->head->work.kind != SIM_WORK_HOST || stream->running)
        return best;
    if (best && sim_timeline_start(best->head) <= sim_timeline_start(stream->head))
        return best;
    return stream;
}

/* The stream whose head is the host function due first. */
static struct sim_stream *next_due(void)
{
    struct sim_stream *best = NULL;
    for (struct sim_context *context = sim_context_first_locked(); context; context = context->next)
        for (struct sim_stream *stream = context->streams; stream; stream = stream->next)
            best = earlier(best, stream);
    return best;
}

static void call(const struct sim_host_work *host)
{
    if (host->callback)
        host->callback(host->stream_handle, SIM_OK, host->user);
    else if (host->function)
        host->function(host->user);
}

/* The head cannot leave while running is set, so its work may be read without the lock. */
static void run_head(struct sim_stream *stream)
{
    struct sim_op *op = stream->head;
    stream->running = true;
    op->start_ns = sim_timeline_start(op);
    sim_core_unlock();
    sim_clock_wait(op->start_ns);
    call(&op->work.host);
    const uint64_t end_ns = sim_clock_now();
    sim_core_lock();
    sim_timeline_finish_host(stream, end_ns);
}

static void *work(void *unused)
{
    (void)unused;
    sim_core_lock();
    for (;;) {
        struct sim_stream *stream = next_due();
        if (stream)
            run_head(stream);
        else
            sim_core_wait();
    }
    return NULL;
}

static void start(void)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    if (pthread_create(&thread, NULL, work, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void sim_host_wake_locked(void)
{
    if (!started) {
        if (!next_due())
            return;
        started = true;
        start();
    }
    sim_core_signal();
}
