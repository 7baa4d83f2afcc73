/* trace_request.c - a trace on demand: recording is on from a moment or step to another, then
 * copied.
 *
 *     NONE --accept--> WAITING --begin--> RECORDING --end--> ENDED --copy--> NONE
 *
 * The control thread accepts and copies. It also begins and ends by time; the thread that steps
 * does so by steps. One request at a time: another one is refused.
 *
 * Where recording is off, the request is a window of the file. Where it is on, it stays on. In both
 * cases a copy of what was recorded since the beginning is written into the directory of the trace
 * file, under the name of kineto_config_file_name(). The requester cannot choose another directory,
 * and nothing is replaced.
 */
#include "atomic.h"
#include "clock.h"
#include "control_thread.h"
#include "log.h"
#include "meta.h"
#include "output.h"
#include "process.h"
#include "requests.h"
#include "session.h"
#include "signals.h"
#include "test_point.h"
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TRACE_REQUEST_NEVER UINT64_MAX
#define TRACE_REQUEST_LATE_NS 10000000000ull           /* Kineto's limit, too */
#define TRACE_REQUEST_AHEAD_NS (24 * 3600000000000ull) /* a pending request refuses all others */
#define TRACE_REQUEST_NAMES_TRIED 100u
#define TRACE_REQUEST_MS 1000000ull /* ns */

enum trace_request_state {
    TRACE_REQUEST_NONE,
    TRACE_REQUEST_WAITING,
    TRACE_REQUEST_RECORDING,
    TRACE_REQUEST_ENDED,
};

static struct {
    pthread_mutex_t lock; /* of everything but next_step and listens; the session's nests inside */
    enum trace_request_state state;
    struct kineto_config config;
    char source[256];
    bool by_steps;
    bool warm;            /* collectors were told that recording begins soon */
    uint64_t hold;        /* session_hold() while RECORDING */
    uint64_t start_ns;    /* CLOCK_REALTIME; 0 at once. By time only */
    uint64_t stop_ns;     /* CLOCK_MONOTONIC. While RECORDING by time */
    uint64_t start_step;  /* by steps only */
    uint64_t began_ticks; /* while RECORDING and ENDED */
    uint64_t
        next_step;    /* at which something is due; under the lock, read by the thread that steps */
    uint32_t listens; /* read by the thread that polls */
} request = {.lock = PTHREAD_MUTEX_INITIALIZER, .next_step = TRACE_REQUEST_NEVER};

/* ---- what is said about it ---- */

/* A sentence for the file that is not there yet; a later one replaces it. */
enum trace_request_kept { TRACE_REQUEST_EMPTY, TRACE_REQUEST_BUSY, TRACE_REQUEST_FULL };
static struct {
    uint32_t state; /* enum trace_request_kept; the thread that makes it BUSY owns the text */
    char text[1024];
} request_kept;

static void trace_request_emit_kept(void)
{
    uint32_t full = TRACE_REQUEST_FULL;
    if (!cas_acq_rel(&request_kept.state, &full, (uint32_t)TRACE_REQUEST_BUSY))
        return;
    meta_info(PROF_INFO_REQUEST, request_kept.text);
    store_release(&request_kept.state, (uint32_t)TRACE_REQUEST_EMPTY);
}

const struct collector trace_request_collector = {
    .name = "request",
    .file_created = trace_request_emit_kept,
};

static void trace_request_keep(const char *text)
{
    uint32_t empty = TRACE_REQUEST_EMPTY, full = TRACE_REQUEST_FULL;
    if (!cas_acq_rel(&request_kept.state, &empty, (uint32_t)TRACE_REQUEST_BUSY) &&
        !cas_acq_rel(&request_kept.state, &full, (uint32_t)TRACE_REQUEST_BUSY))
        return;
    snprintf(request_kept.text, sizeof request_kept.text, "%s", text);
    store_release(&request_kept.state, (uint32_t)TRACE_REQUEST_FULL);
    if (meta_has_file())
        trace_request_emit_kept();
}

__attribute__((format(printf, 2, 3))) static void trace_request_say(enum log_level level,
                                                                    const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log_line(level, "%s", text);
    if (meta_has_file())
        meta_info(PROF_INFO_REQUEST, text);
    else
        trace_request_keep(text);
}

void trace_request_refuse(const char *source, const char *reason)
{
    trace_request_say(LOG_ERROR, "trace request of %s refused: %s", source, reason);
}

/* ---- beginning and ending ---- */

/* A handler may step: it would wait for what it interrupted. */
static void trace_request_lock(struct signals_saved *saved)
{
    signals_block(saved);
    pthread_mutex_lock(&request.lock);
}

static void trace_request_unlock(const struct signals_saved *saved)
{
    pthread_mutex_unlock(&request.lock);
    signals_restore(saved);
}

static void trace_request_forget(void)
{
    store_release(&request.next_step, TRACE_REQUEST_NEVER);
    request.state = TRACE_REQUEST_NONE;
}

static void trace_request_warm(void)
{
    if (!request.warm)
        session_warm(true);
    request.warm = true;
}

/* With the lock held, like all that follows. */
static void trace_request_begin(void)
{
    struct session_status status;
    request.began_ticks = clock_read();
    request.hold = session_hold(PROF_CONTROL_REQUEST);
    session_describe(&status);
    if (!status.on) {
        session_release(request.hold, PROF_CONTROL_REQUEST);
        trace_request_refuse(request.source,
                             "the program has paused its recording, or it has ended for good");
        trace_request_forget();
        return;
    }
    request.state = TRACE_REQUEST_RECORDING;
    request.stop_ns = clock_monotonic_ns() + request.config.duration_ms * TRACE_REQUEST_MS;
    TEST_POINT("trace_request_begin: recording");
}

static void trace_request_end(void)
{
    session_release(request.hold, PROF_CONTROL_REQUEST);
    request.state = TRACE_REQUEST_ENDED;
    store_release(&request.next_step, TRACE_REQUEST_NEVER);
    control_thread_wake();
}

/* ---- by steps ---- */

/* The first step from `step` on at which recording may begin. */
static uint64_t trace_request_round(uint64_t step)
{
    uint64_t unit = request.config.round_step;
    return unit ? (step + unit - 1) / unit * unit : step;
}

static uint64_t trace_request_warm_step(void)
{
    uint64_t warm = request.config.warmup_steps;
    return request.start_step > warm ? request.start_step - warm : 0;
}

/* Steps that several threads count may pass the one that was chosen. */
static void trace_request_wait_for_step(uint64_t number)
{
    if (number > request.start_step)
        request.start_step = trace_request_round(number);
    if (number >= trace_request_warm_step() && number < request.start_step)
        trace_request_warm();
    uint64_t next =
        number < trace_request_warm_step() ? trace_request_warm_step() : request.start_step;
    if (number == request.start_step) {
        trace_request_begin();
        next = request.start_step + request.config.steps;
    }
    if (request.state != TRACE_REQUEST_NONE)
        store_release(&request.next_step, next);
}

static void trace_request_step_slow(uint64_t number)
{
    struct signals_saved saved;
    trace_request_lock(&saved);
    if (number >= load_relaxed(&request.next_step)) {
        if (request.state == TRACE_REQUEST_WAITING)
            trace_request_wait_for_step(number);
        else if (request.state == TRACE_REQUEST_RECORDING)
            trace_request_end();
    }
    trace_request_unlock(&saved);
}

void trace_request_step(uint64_t number)
{
    if (number >= load_acquire(&request.next_step))
        trace_request_step_slow(number);
}

/* ---- by time ---- */

static uint64_t trace_request_warm_ns(void)
{
    uint64_t warm_ns = request.config.warmup_ms * TRACE_REQUEST_MS;
    return request.start_ns > warm_ns ? request.start_ns - warm_ns : 0;
}

/* Compared again each time: the system's clock may be set while we wait. */
static void trace_request_wait_for_time(void)
{
    uint64_t now_ns = clock_gettime_ns(CLOCK_REALTIME);
    if (request.start_ns && now_ns >= trace_request_warm_ns())
        trace_request_warm();
    if (now_ns >= request.start_ns)
        trace_request_begin();
}

static uint64_t trace_request_monotonic_of(uint64_t realtime_ns)
{
    uint64_t now_ns = clock_gettime_ns(CLOCK_REALTIME);
    return clock_monotonic_ns() + (realtime_ns > now_ns ? realtime_ns - now_ns : 0);
}

static uint64_t trace_request_due_locked(void)
{
    if (request.state == TRACE_REQUEST_ENDED)
        return 0;
    if (request.by_steps || request.state == TRACE_REQUEST_NONE)
        return TRACE_REQUEST_NEVER;
    if (request.state == TRACE_REQUEST_RECORDING)
        return request.stop_ns;
    return trace_request_monotonic_of(request.warm ? request.start_ns : trace_request_warm_ns());
}

uint64_t trace_request_due_ns(void)
{
    struct signals_saved saved;
    if (!trace_request_listens())
        return TRACE_REQUEST_NEVER;
    trace_request_lock(&saved);
    uint64_t due_ns = trace_request_due_locked();
    trace_request_unlock(&saved);
    return due_ns;
}

/* ---- accepting ---- */

/* NULL: it can be met. */
static const char *trace_request_obstacle(const struct kineto_config *config)
{
    uint64_t now_ns = clock_gettime_ns(CLOCK_REALTIME);
    if (request.state != TRACE_REQUEST_NONE)
        return "another request is in progress";
    if (config->start_step != KINETO_CONFIG_NO_STEP || config->start_ms == 0)
        return NULL;
    if (config->start_ms > (now_ns + TRACE_REQUEST_AHEAD_NS) / TRACE_REQUEST_MS)
        return "PROFILE_START_TIME is more than a day ahead";
    if (config->start_ms * TRACE_REQUEST_MS + TRACE_REQUEST_LATE_NS < now_ns)
        return "PROFILE_START_TIME is more than 10 s in the past";
    return NULL;
}

/* As Kineto, where the program counts no steps. */
static bool trace_request_fall_back(void)
{
    if (load_relaxed(&thread_page.steps) > 0)
        return false;
    trace_request_say(
        LOG_PROCESS,
        "trace request of %s: the program has counted no steps, so it is recorded for "
        "%llu ms instead",
        request.source, (unsigned long long)request.config.duration_ms);
    return true;
}

static void trace_request_take(const struct kineto_config *config, const char *source)
{
    request.config = *config;
    snprintf(request.source, sizeof request.source, "%s", source);
    request.warm = false;
    request.by_steps = config->start_step != KINETO_CONFIG_NO_STEP && !trace_request_fall_back();
    request.start_ns =
        config->start_step == KINETO_CONFIG_NO_STEP ? config->start_ms * TRACE_REQUEST_MS : 0;
    request.state = TRACE_REQUEST_WAITING;
    if (!request.by_steps)
        return;
    uint64_t first = load_relaxed(&thread_page.steps) + config->warmup_steps;
    request.start_step =
        trace_request_round(config->start_step > first ? config->start_step : first);
    store_release(&request.next_step, trace_request_warm_step());
}

void trace_request_accept(const struct kineto_config *config, const char *source)
{
    struct signals_saved saved;
    if (*config->unused)
        trace_request_say(LOG_ERROR, "trace request of %s: keys with no effect in libprof: %s",
                          source, config->unused);
    trace_request_lock(&saved);
    const char *obstacle = trace_request_obstacle(config);
    if (!obstacle)
        trace_request_take(config, source);
    trace_request_unlock(&saved);
    if (obstacle)
        trace_request_refuse(source, obstacle);
    else
        log_line(LOG_PROCESS, "trace request of %s accepted", source);
}

bool trace_request_is_busy(void)
{
    struct signals_saved saved;
    trace_request_lock(&saved);
    bool busy = request.state != TRACE_REQUEST_NONE;
    trace_request_unlock(&saved);
    return busy;
}

void trace_request_listen(bool listens)
{
    store_release(&request.listens, (uint32_t)listens);
    session_enable_steps(SESSION_STEPS_REQUESTS, listens);
}

GUEST_PATH bool trace_request_listens(void)
{
    return load_acquire(&request.listens) != 0;
}

/* ---- the copy ---- */

/* In the directory of the trace file. Returns 0 or an errno value. */
static int trace_request_write(char *path, size_t path_bytes)
{
    const char *trace = session_path(), *slash = strrchr(trace, '/');
    int error = slash ? EEXIST : ENOENT;
    for (unsigned attempt = 1; error == EEXIST && attempt <= TRACE_REQUEST_NAMES_TRIED; attempt++) {
        char name[192];
        kineto_config_file_name(&request.config, (uint32_t)getpid(), attempt, name, sizeof name);
        int size = snprintf(path, path_bytes, "%.*s/%s", (int)(slash - trace), trace, name);
        if (size < 0 || (size_t)size >= path_bytes)
            return ENAMETOOLONG;
        error = dump_write_since(path, request.began_ticks);
    }
    return error;
}

/* While ENDED, only the control thread uses the request. */
static void trace_request_copy(void)
{
    static char path[4096 + 192];
    const char *id = request.config.id;
    if (!session_has_file()) {
        log_line(LOG_PROCESS, "trace request of %s: nothing was recorded", request.source);
        return;
    }
    int error = trace_request_write(path, sizeof path);
    if (error)
        trace_request_say(LOG_ERROR, "trace request of %s: cannot write %s: %s", request.source,
                          *path ? path : "a copy", dump_reason(error));
    else
        trace_request_say(LOG_PROCESS, "trace request%s%.40s of %s: copied to %s", *id ? " " : "",
                          id, request.source, path);
}

void trace_request_tick(void)
{
    struct signals_saved saved;
    trace_request_lock(&saved);
    if (request.state == TRACE_REQUEST_WAITING && !request.by_steps)
        trace_request_wait_for_time();
    else if (request.state == TRACE_REQUEST_RECORDING && !request.by_steps &&
             clock_monotonic_ns() >= request.stop_ns)
        trace_request_end();
    bool ended = request.state == TRACE_REQUEST_ENDED;
    trace_request_unlock(&saved);
    if (!ended)
        return;
    trace_request_copy();
    trace_request_lock(&saved);
    trace_request_forget();
    trace_request_unlock(&saved);
}

/* A window that the request opened is the parent's as well. */
GUEST_PATH void trace_request_fork_child(void)
{
    if (!trace_request_listens())
        return;
    process_free_lock(&request.lock);
    request_kept.state = TRACE_REQUEST_EMPTY;
    if (request.state == TRACE_REQUEST_NONE)
        return;
    int saved_errno = errno;
    bool recording = request.state == TRACE_REQUEST_RECORDING;
    trace_request_forget();
    if (recording)
        session_release(request.hold, PROF_CONTROL_REQUEST);
    errno = saved_errno;
}
