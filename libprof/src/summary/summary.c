#include "summary.h"

#include "atomic.h"
#include "chunks.h"
#include "clock.h"
#include "config.h"
#include "log.h"
#include "meta.h"
#include "metrics.h"
#include "process.h"
#include "summary_inside.h"

#include <errno.h>

#define SUMMARY_ATTEMPTS 5000u /* of 0.1 ms */

static struct {
    uint32_t busy; /* lock of everything else, and of the other files' data */
    bool begun;
    bool failed;
    bool finished;
    int64_t emitted_ns; /* end of the latest round */
    uint64_t due_ns;    /* CLOCK_MONOTONIC, of the next one */
    uint64_t retired;   /* chunks at the latest walk */
} summary GUEST_DATA;

bool summary_wanted(void)
{
    return config_get()->summary_s || metrics_on();
}

static uint64_t summary_period_ns(void)
{
    return config_get()->summary_s * 1000000000u;
}

/* Once for each file; false without memory. */
static bool summary_begin(void)
{
    uint64_t chunks = (config_get()->max_mib << 20) / PROF_CHUNK_BYTES + 1024;
    if (summary.begun || summary.failed || summary.finished)
        return summary.begun && !summary.finished;
    summary.begun = (!config_get()->summary_s || summary_table_begin()) &&
                    (!metrics_on() || metrics_begin()) && summary_device_begin() &&
                    summary_log_begin(chunks);
    summary.failed = !summary.begun;
    summary.emitted_ns = 0;
    store_relaxed(&summary.retired, 0u);
    summary.due_ns = clock_monotonic_ns() + summary_period_ns();
    if (summary.failed)
        log_line(LOG_ERROR, "no memory to walk the logs: there are no summaries and no metrics");
    return summary.begun;
}

/* A walk of the writer's takes milliseconds. */
static bool summary_lock(unsigned attempts)
{
    while (exchange_acquire(&summary.busy, 1u)) {
        if (attempts-- == 0)
            return false;
        clock_pause(100);
    }
    return true;
}

/* False: they are off, there is no file, or another thread is at it. */
static bool summary_enter(unsigned attempts)
{
    if (!summary_wanted() || !chunks_header() || !summary_lock(attempts))
        return false;
    if (summary_begin())
        return true;
    store_release(&summary.busy, 0u);
    return false;
}

static void summary_leave(void)
{
    store_release(&summary.busy, 0u);
}

static int64_t summary_walk(void)
{
    uint64_t limit_ticks = summary_clock_update();
    store_relaxed(&summary.retired, chunks_retired());
    if (!limit_ticks)
        return 0;
    summary_log_walk(limit_ticks);
    summary_operations_place();
    return summary_clock_ns(limit_ticks);
}

static void summary_emit(int64_t now_ns)
{
    if (!config_get()->summary_s)
        return;
    summary_table_emit(summary.emitted_ns, now_ns);
    summary.emitted_ns = now_ns;
    summary.due_ns = clock_monotonic_ns() + summary_period_ns();
}

void summary_tick(void)
{
    if (!summary_enter(0))
        return;
    int64_t now_ns = summary_walk();
    if (now_ns)
        summary_steps_emit(now_ns - SUMMARY_LAG_NS);
    if (now_ns && clock_monotonic_ns() >= summary.due_ns)
        summary_emit(now_ns);
    if (now_ns && metrics_on())
        metrics_tick(now_ns);
    summary_leave();
}

/* There is no clock sample after these events yet: their durations are as exact as the clock's
 * rate. */
bool summary_hurry(void)
{
    uint64_t share =
        (config_get()->max_mib << 20) / PROF_CHUNK_BYTES / 8; /* META may take half of a ring */
    if (!summary_wanted() || config_get()->full != CONFIG_FULL_RING ||
        chunks_retired() - load_relaxed(&summary.retired) < share || !summary_enter(0))
        return false;
    store_relaxed(&summary.retired, chunks_retired());
    if (summary_clock_update()) {
        summary_log_walk(UINT64_MAX);
        summary_operations_place();
    }
    summary_leave();
    return true;
}

/* The second walk places the operations that the first one met. */
void summary_flush(void)
{
    if (!summary_enter(SUMMARY_ATTEMPTS))
        return;
    summary_walk();
    meta_clock_sample(false);
    int64_t now_ns = summary_walk();
    if (now_ns) {
        summary_steps_emit(now_ns);
        summary_emit(now_ns);
    }
    if (metrics_on())
        metrics_write(now_ns, false);
    summary_leave();
}

int summary_write_metrics(void)
{
    if (!metrics_on())
        return ENOENT;
    meta_clock_sample(false);
    if (!summary_enter(SUMMARY_ATTEMPTS))
        return EBUSY;
    int error = metrics_write(summary_walk(), true);
    summary_leave();
    return error;
}

void summary_finish(void)
{
    if (!summary_enter(SUMMARY_ATTEMPTS))
        return;
    int64_t now_ns = summary_walk();
    if (now_ns) {
        summary_log_walk(UINT64_MAX); /* the first one may have waited for a word or a chunk */
        summary_log_end(now_ns);
        summary_operations_place();
        summary_operations_place();
        summary_steps_emit(SUMMARY_NEVER);
        summary_emit(now_ns);
    }
    if (metrics_on())
        metrics_write(now_ns, false);
    summary.finished = true;
    summary_leave();
}

GUEST_PATH void summary_fork_child(void)
{
    summary.begun = summary.failed = summary.finished = false;
    summary_clock_forget();
    store_release(&summary.busy, 0u);
}
