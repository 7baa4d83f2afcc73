#include "cupti.h"

#include "activity.h"
#include "atomic.h"
#include "callbacks.h"
#include "config.h"
#include "cost.h"
#include "event_timing.h"
#include "facts.h"
#include "graphs.h"
#include "loader.h"
#include "log.h"
#include "other_tool.h"
#include "subscription.h"
#include "worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SENTENCE_BYTES 320u

/* Ticks for which the kinds stay on after a stop: what was launched before has two seconds (at the
 * default period) to end. Not at once: records of kernels that still run would be lost. */
#define TICKS_BEFORE_DISABLE 20

/* How often CUDA is looked for that did not call: looking takes the loader's lock. */
#define TICKS_BETWEEN_LOOKS 5u

enum state { COLD, LIVE, PASSIVE, CLOSED, INERT };

/* Try-lock for changing what CUPTI records and calls back for. No thread waits for it: one that
 * finds it BUSY sets AGAIN, and the holder checks once more.
 *
 *     FREE -> BUSY -> FREE
 *             BUSY -> AGAIN -> BUSY */
enum switching { FREE, BUSY, AGAIN };

static uint32_t state GUEST_DATA;      /* enum state; cuda_init releases -> all hooks acquire */
static uint32_t init_begun GUEST_DATA; /* exchange: cuda_init runs once */
static bool kinds_were_on;             /* ever: there may be records; cupti_enable_kinds() stores */
static bool kinds_are_on
    GUEST_DATA; /* stored by the thread that made switching BUSY; cuda_init before LIVE */
static uint32_t switching;           /* enum switching, moved by compare-and-swap */
static int ticks_to_stay GUEST_DATA; /* of the kinds, once recording is off: tick's job counts */
static uint32_t ticks;               /* writer thread only */
static bool has_file GUEST_DATA;     /* cupti_file_created stores -> cupti_flush loads */
static bool is_thrown_out;           /* by another tool; the flusher's thread, once LIVE */
static bool is_stale GUEST_DATA;     /* recording begins again; warm stores -> cupti_apply_kinds */
static bool warm_wanted GUEST_DATA;  /* recording begins soon; warm, start and stop store */

static bool cupti_is_live(void)
{
    return load_acquire(&state) == LIVE;
}

static bool cupti_is_attached(void)
{
    return cupti_is_live() && !load_acquire(&is_thrown_out);
}

/* ---- the flusher ----
 *
 * The worker for calls into CUPTI that may never come back: cuptiActivityFlushAll has been seen to
 * hang (HPCToolkit works around it with a signal and longjmp). Here a hang costs the records that
 * CUPTI still holds.
 */

/* The time of decoding is counted apart: PROF_COST_DECODE. */
static void cupti_run_measured(worker_job job)
{
    uint64_t began_ns = cost_thread_ns(), decoded_ns = activity_decoded_ns();
    job();
    cost_add_ns(PROF_COST_FLUSH, 1,
                cost_thread_ns() - began_ns - (activity_decoded_ns() - decoded_ns));
}

static struct worker flusher =
    WORKER_INIT(.name = "prof-flush",
                .stack_bytes =
                    256u << 10, /* CUPTI walks its own data on it, and the decoder runs there */
                .run = cupti_run_measured);

/* Returns whether the job was done within the time. */
static bool cupti_run(worker_job job, unsigned deadline_ms)
{
    return worker_begin(&flusher) == 0 && worker_run(&flusher, job, deadline_ms) == WORKER_FINISHED;
}

/* Returns at once. A flusher that is busy does not do the job. */
static void cupti_post(worker_job job)
{
    if (worker_begin(&flusher) == 0)
        worker_post(&flusher, job);
}

/* ---- beginning ---- */

/* What is said when there are two libcupti in the process, and about it. */
static void cupti_add_duplicates(char *sentence, size_t bytes)
{
    static char paths[LOADER_CUPTI_MAX][LOADER_PATH_BYTES];
    size_t used = strlen(sentence);
    if (loader_mapped_cupti(paths) >= 2)
        snprintf(sentence + used, bytes - used,
                 "; the process has loaded two libcupti, %.100s and %.100s", paths[0], paths[1]);
}

static void cupti_warn_blind_start(void)
{
    if (CONFIG_MOMENT(config_get()->start) == CONFIG_START_CUDA)
        log_line(LOG_ERROR, "PROF_START=cuda records nothing: without CUPTI, libprof cannot see "
                            "cudaProfilerStart()");
}

/* Timing by CUDA events is never begun unasked: they are barriers in the program's own streams. */
static void cupti_disable(const char *why)
{
    char sentence[SENTENCE_BYTES];
    snprintf(sentence, sizeof sentence, "%s", why);
    cupti_add_duplicates(sentence, sizeof sentence);
    bool asked = config_get()->gpu != CONFIG_GPU_AUTO;
    log_line(LOG_ERROR, "no GPU times: %s%s", sentence,
             asked ? "" : "; PROF_GPU=events times ranges with CUDA events");
    recorder_set_gpu_mode(PROF_GPU_UNAVAILABLE, sentence);
    cupti_warn_blind_start();
    store_release(&state, (uint32_t)PASSIVE);
}

/* This is what the user requested, so nothing is printed. */
static void cupti_begin_events(void)
{
    if (event_timing_begin())
        recorder_set_gpu_mode(PROF_GPU_EVENTS, "CUDA events around ranges, no kernels");
    else
        cupti_disable("this libcuda lacks functions that timing by CUDA events needs");
    store_release(&state, (uint32_t)PASSIVE);
}

static void cupti_begin_nothing(void)
{
    recorder_set_gpu_mode(PROF_GPU_UNAVAILABLE, "not wanted: PROF_GPU=none");
    cupti_warn_blind_start();
    store_release(&state, (uint32_t)PASSIVE);
}

static void cupti_disable_after(int result, const char *step, const char *holder)
{
    char sentence[SENTENCE_BYTES];
    cupti_attach_explain(result, step, holder, sentence, sizeof sentence);
    cupti_disable(sentence);
}

static void cupti_emit_driver_version(const struct driver_library *driver)
{
    char text[32];
    if (!driver || driver->version <= 0)
        return;
    snprintf(text, sizeof text, "%d.%d", driver->version / 1000, driver->version % 1000 / 10);
    facts_set_info(PROF_INFO_DRIVER, text);
}

static void cupti_emit_cupti_version(const struct cupti_library *cupti)
{
    char text[SENTENCE_BYTES];
    const char *slash = strrchr(cupti->path, '/');
    unsigned version = cupti->version;
    const char *name = slash ? slash + 1 : cupti->path;
    if (version == 0)
        snprintf(text, sizeof text, "%.200s", name);
    else if (version >= ABI_VERSION_13_0)
        snprintf(text, sizeof text, "%.200s, CUPTI %u.%u.%u", name, version / 10000,
                 version / 100 % 100, version % 100);
    else
        snprintf(text, sizeof text, "%.200s, CUPTI API %u", name, version);
    facts_set_info(PROF_INFO_CUPTI, text);
    log_line(LOG_PROCESS, "using %s", cupti->path);
}

/* Calls are followed before there can be records of what they launch. */
static int cupti_enable_kinds(void)
{
    callbacks_ignore_launches(true);
    activity_set_detail(recorder_gpu_detail(), false);
    callbacks_follow(true);
    store_relaxed(&ticks_to_stay, TICKS_BEFORE_DISABLE);
    store_relaxed(&kinds_were_on, true);
    int result = activity_enable();
    store_release(&kinds_are_on, true);
    callbacks_ignore_launches(false);
    return result;
}

static void cupti_disable_kinds(void)
{
    callbacks_ignore_launches(true);
    if (!activity_disable()) {
        callbacks_ignore_launches(false); /* at the next tick */
        return;
    }
    callbacks_follow(false);
    store_release(&kinds_are_on, false);
}

static bool cupti_kinds_are_wanted(void)
{
    return recorder_on() || load_relaxed(&warm_wanted);
}

static const struct other_tool_hooks cupti_hooks;

static void cupti_begin_cupti(void)
{
    char text[SENTENCE_BYTES] = "";
    if (!loader_open_cupti(config_get()->cupti_path, text, sizeof text)) {
        cupti_disable(text);
        return;
    }
    const struct cupti_library *cupti = loader_cupti();
    cupti_emit_cupti_version(cupti);
    if (cupti->version_result != ABI_OK) {
        cupti_disable_after(cupti->version_result, "tell its version", NULL);
        return;
    }
    if (cupti->version < ABI_VERSION_11_0) {
        cupti_disable("this libcupti is older than CUDA 11.0");
        return;
    }
    if (!cupti_attach_begin(cupti_kinds_are_wanted() ? cupti_enable_kinds : NULL, text,
                            sizeof text)) {
        cupti_disable(text);
        return;
    }
    other_tool_begin(&cupti_hooks);
    if (config_get()->gpu_detail >= CONFIG_DETAIL_STANDARD)
        recorder_throttleable(PROF_THROTTLE_CALLS, callbacks_set_calls);
    if (graphs_can_throttle())
        recorder_throttleable(PROF_THROTTLE_NODES, graphs_set_nodes);
    store_release(&state, (uint32_t)LIVE);
}

static void cupti_begin(void)
{
    loader_open_driver();
    cupti_emit_driver_version(loader_driver());
    if (config_get()->gpu == CONFIG_GPU_NONE)
        cupti_begin_nothing();
    else if (config_get()->gpu == CONFIG_GPU_EVENTS)
        cupti_begin_events();
    else
        cupti_begin_cupti();
}

/* ---- what is recorded follows what is wanted ---- */

/* False: another thread is at work, and will look once more. */
static bool cupti_switching_begin(void)
{
    uint32_t seen = FREE;
    while (!cas_seq_cst(&switching, &seen, (uint32_t)BUSY)) {
        if (seen == AGAIN || (seen == BUSY && cas_seq_cst(&switching, &seen, (uint32_t)AGAIN)))
            return false;
        seen = FREE;
    }
    return true;
}

/* False: another thread came meanwhile, and the calling thread looks once more. */
static bool cupti_switching_end(void)
{
    uint32_t seen = BUSY;
    if (cas_seq_cst(&switching, &seen, (uint32_t)FREE))
        return true;
    store_seq_cst(&switching, (uint32_t)BUSY);
    return false;
}

static void cupti_enable_or_disable(void)
{
    char sentence[SENTENCE_BYTES];
    int result = cupti_enable_kinds();
    if (result != ABI_OK &&
        !cupti_attach_again(result, cupti_enable_kinds, sentence, sizeof sentence))
        cupti_disable(sentence);
}

/* Reclaims CUPTI after another tool, which may hold it for a while after it has replaced us. */
static void cupti_reclaim(void)
{
    char sentence[SENTENCE_BYTES];
    enum other_tool_loss loss = other_tool_reclaim();
    if (loss != OTHER_TOOL_TOOK_NOTHING)
        store_release(&kinds_are_on, false);
    if (loss == OTHER_TOOL_TOOK_ALL) {
        subscription_forget();
        store_release(&is_thrown_out, true);
    }
    if (!load_relaxed(&is_thrown_out))
        return;
    bool begun = other_tool_turn_begin();
    if (begun && !other_tool_has_records() && cupti_attach_begin(NULL, sentence, sizeof sentence)) {
        other_tool_emit_mode();
        store_release(&is_thrown_out, false);
    }
    other_tool_turn_end(begun);
}

/* A tool that libprof does not see, as it was loaded later, may have taken the callbacks and
 * disabled kinds: a new start of recording is the moment to have them again. */
static void cupti_refresh_kinds(void)
{
    if (other_tool_has_records())
        return;
    activity_register_again();
    activity_enable();
}

/* While recording is on: what was recorded before it went off is still to come. */
static void cupti_apply_detail(void)
{
    uint32_t before = activity_detail(), detail = recorder_gpu_detail();
    if (detail > before)
        callbacks_set_detail(detail); /* before there can be records of what they do */
    if (detail != before && activity_set_detail(detail, true) && detail < before)
        callbacks_set_detail(detail);
}

static void cupti_apply_kinds(void)
{
    cupti_reclaim();
    if (!cupti_is_attached())
        return;
    bool wanted = cupti_kinds_are_wanted(), on = load_acquire(&kinds_are_on);
    if (wanted && !on)
        cupti_enable_or_disable();
    else if (wanted && exchange_acquire(&is_stale, false))
        cupti_refresh_kinds();
    else if (!wanted && on && load_relaxed(&ticks_to_stay) == 0)
        cupti_disable_kinds();
    if (!cupti_is_live())
        return;
    if (cupti_kinds_are_wanted() && load_acquire(&kinds_are_on))
        cupti_apply_detail();
    callbacks_apply();
    graphs_apply();
}

static void cupti_apply_job(void)
{
    if (!cupti_is_live() || !cupti_switching_begin())
        return;
    do
        cupti_apply_kinds();
    while (!cupti_switching_end());
}

static bool cupti_enable_if_wanted(void)
{
    if (!cupti_is_attached() || !cupti_kinds_are_wanted() || load_acquire(&kinds_are_on) ||
        cupti_enable_kinds() == ABI_OK)
        return true;
    store_release(&kinds_are_on, false);
    return false;
}

/* Within a callback: only what CUPTI allows there. The rest is left to the flusher's thread. */
static void cupti_enable_inline(void)
{
    bool done = true;
    if (!cupti_is_live() || !cupti_switching_begin())
        return;
    do
        done = cupti_enable_if_wanted();
    while (!cupti_switching_end());
    if (!done)
        cupti_post(cupti_apply_job);
}

/* The other tool's thread, which has just flushed: what it launches next is to be recorded. */
static void cupti_reclaim_inline(void)
{
    if (!cupti_is_live() || !cupti_switching_begin())
        return;
    do {
        cupti_reclaim();
        cupti_enable_if_wanted();
    } while (!cupti_switching_end());
}

/* Another tool's thread, which takes the callbacks next. Our kinds still count as enabled: they
 * must not be enabled before they are disabled. */
static void cupti_yield_to_tool(void)
{
    bool again = false;
    if (!cupti_is_live() || !cupti_switching_begin())
        return;
    if (load_acquire(&kinds_are_on))
        activity_disable_inline();
    while (!cupti_switching_end())
        again = true;
    if (again)
        cupti_post(cupti_apply_job);
}

static void cupti_apply_soon(void)
{
    cupti_post(cupti_apply_job);
}

static const struct other_tool_hooks cupti_hooks = {
    .give_way = cupti_yield_to_tool,
    .take_back = cupti_reclaim_inline,
    .take_back_soon = cupti_apply_soon,
};

/* ---- jobs of the flusher's thread ---- */

static void cupti_count_ticks_off(void)
{
    int left = load_relaxed(&ticks_to_stay);
    if (!cupti_kinds_are_wanted() && left > 0)
        cas_acq_rel(&ticks_to_stay, &left, left - 1);
}

static void cupti_tick_job(void)
{
    facts_emit_devices(loader_driver());
    event_timing_tick();
    if (!cupti_is_live())
        return;
    if (activity_may_flush())
        activity_flush(ABI_FLUSH_COMPLETED);
    activity_prepare();
    if (recorder_on())
        graphs_emit(false); /* what was made just before recording began */
    cupti_count_ticks_off();
    cupti_apply_job();
}

/* Nothing comes after this: what is not there by now is not going to be. */
static void cupti_warn_undelivered(void)
{
    recorder_set_gpu_mode(PROF_GPU_PARTIAL, "CUPTI did not deliver its last records");
}

/* FORCED also takes what has not ended yet, and its times are lost: right at the end, and only
 * then. */
static void cupti_flush_job(void)
{
    bool ending = recorder_ending();
    facts_emit_devices(loader_driver());
    if (ending)
        event_timing_drain((unsigned)config_get()->exit_ms / 4);
    else
        event_timing_tick();
    if (cupti_is_live() && !activity_flush(ending ? ABI_FLUSH_FORCED : ABI_FLUSH_COMPLETED) &&
        ending)
        cupti_warn_undelivered();
}

/* Nothing of what was launched is wanted. */
static void cupti_cool_job(void)
{
    if (!cupti_kinds_are_wanted())
        store_relaxed(&ticks_to_stay, 0);
    cupti_apply_job();
}

/* No cuptiFinalize: it synchronises every context, and its races with callbacks crash (kineto PR
 * 686). */
static void cupti_finish_job(void)
{
    activity_flush(ABI_FLUSH_FORCED);
    if (load_acquire(&kinds_are_on))
        activity_disable();
}

/* ---- CUDA that does not call InitializeInjection() ---- */

/* A stub answers every call with an error. */
static void cupti_check_for_stub(void)
{
    static char path[LOADER_PATH_BYTES];
    char sentence[SENTENCE_BYTES];
    if (!loader_finds_stub(path))
        return;
    snprintf(sentence, sizeof sentence,
             "%.160s is the toolkit's stub, for linking only: take its directory out of "
             "LD_LIBRARY_PATH",
             path);
    cupti_disable(sentence);
}

/* It is, or it was: this may be the end of the process. */
static bool cupti_is_initialised(const struct driver_library *driver)
{
    void *context = NULL;
    int result = driver && driver->cuCtxGetCurrent ? driver->cuCtxGetCurrent(&context) : -1;
    return result == ABI_OK || result == ABI_CUDA_DEINITIALIZED;
}

/* CUDA calls only one tool, within cuInit. A tool that finds CUDA initialised was not called. */
static void cupti_begin_late_job(void)
{
    facts_set_info(PROF_INFO_NOTE,
                   "CUDA was in use before libprof noticed: what was launched until "
                   "then was not recorded");
    callbacks_hold(true);
    cupti_begin();
    recorder_renew_exit();
    cupti_apply_job();
    callbacks_hold(false);
}

/* The end of the process is too late. */
static void cupti_disable_at_end(void)
{
    char sentence[SENTENCE_BYTES] = "CUDA did not call libprof when it was initialised";
    const char *called = getenv("CUDA_INJECTION64_PATH");
    if (called && *called)
        snprintf(sentence, sizeof sentence,
                 "CUDA called another tool instead of libprof, CUDA_INJECTION64_PATH=%.160s: run "
                 "without it",
                 called);
    cupti_emit_driver_version(loader_driver());
    if (config_get()->gpu == CONFIG_GPU_NONE)
        cupti_begin_nothing();
    else
        cupti_disable(sentence);
}

/* Not in a forked child, whose parent may have used CUDA unnoticed. */
static bool cupti_may_begin(void)
{
    return load_acquire(&state) == COLD && config_get()->cuda && !recorder_is_forked();
}

/* Waits for it up to wait_ms; 0: not at all. */
static void cupti_check_for_cuda(unsigned wait_ms)
{
    if (!cupti_may_begin() || !load_acquire(&has_file) || !loader_open_driver() ||
        !cupti_is_initialised(loader_driver()) || exchange_acquire(&init_begun, 1u))
        return;
    if (recorder_ending())
        cupti_disable_at_end();
    else if (wait_ms)
        cupti_run(cupti_begin_late_job, wait_ms);
    else
        cupti_post(cupti_begin_late_job);
}

/* ---- hooks ---- */

GUEST_PATH static void cupti_get_ready(void)
{
    if (cupti_is_live() && callbacks_are_on_stack())
        cupti_enable_inline();
    else if (cupti_is_live())
        cupti_run(cupti_apply_job, (unsigned)config_get()->exit_ms);
}

GUEST_PATH static void cupti_start(void)
{
    store_relaxed(&ticks_to_stay, TICKS_BEFORE_DISABLE);
    store_relaxed(&warm_wanted, false);
    lost_window_end();
    if (load_relaxed(&init_begun)) /* else there is none, and this would cost each program a page */
        graphs_emit(false);
    if (!load_acquire(&kinds_are_on)) /* CUDA came up since the warm-up */
        cupti_get_ready();
}

GUEST_PATH static void cupti_warm(bool soon)
{
    store_relaxed(&ticks_to_stay, TICKS_BEFORE_DISABLE);
    store_relaxed(&warm_wanted, soon);
    store_release(&is_stale, soon && load_acquire(&kinds_are_on));
    if (soon)
        cupti_get_ready();
    else if (cupti_is_live())
        cupti_post(cupti_cool_job);
}

static void cupti_cuda_init(void)
{
    if (!cupti_may_begin() || exchange_acquire(&init_begun, 1u))
        return;
    int kept_errno = errno;
    cupti_begin();
    cupti_enable_inline(); /* for a start that came while cupti_begin() was at work */
    errno = kept_errno;
}

static void cupti_file_created(void)
{
    store_release(&has_file, true);
    facts_emit_all();
    cupti_check_for_cuda((unsigned)config_get()->exit_ms);
    graphs_emit(true);
}

static void cupti_stop(void)
{
    if (!load_acquire(&has_file) && !callbacks_saw_call() && cupti_is_live())
        cupti_post(cupti_cool_job); /* nothing was recorded, and no tick comes */
}

static bool cupti_may_use_driver(void)
{
    uint32_t now = load_acquire(&state);
    return now == LIVE || now == PASSIVE;
}

static void cupti_tick(void)
{
    if (ticks++ % TICKS_BETWEEN_LOOKS == 0)
        cupti_check_for_cuda(0);
    if (cupti_may_use_driver())
        cupti_post(cupti_tick_job);
}

/* Where nothing was recorded, no thread is made to flush it. */
static bool cupti_may_have_records(void)
{
    return load_relaxed(&kinds_were_on) || load_acquire(&has_file);
}

static void cupti_flush(unsigned deadline_ms)
{
    cupti_check_for_cuda(deadline_ms);
    if (cupti_may_begin() && load_acquire(&has_file) && recorder_ending())
        cupti_check_for_stub();
    if (!cupti_may_use_driver() || !cupti_may_have_records() ||
        cupti_run(cupti_flush_job, deadline_ms))
        return;
    log_line(LOG_ERROR, "CUPTI did not deliver its records within %u ms", deadline_ms);
    if (cupti_is_live() && recorder_ending())
        cupti_warn_undelivered();
}

/* The flush before this one has taken what there was, or has hung: a short time is enough. */
static void cupti_finish(void)
{
    bool was_live = cupti_is_live();
    callbacks_close();
    event_timing_end();
    if (was_live && cupti_may_have_records())
        cupti_run(cupti_finish_job, (unsigned)config_get()->exit_ms / 4);
    activity_close();
    store_release(&state, (uint32_t)CLOSED);
    if (recorder_leaving())
        worker_end(&flusher, 0, true);
}

/* CUPTI's worker does not exist in the child: whatever waits for it waits forever (HPCToolkit
 * issue 195). */
GUEST_PATH static void cupti_fork_child(void)
{
    if (!load_relaxed(&init_begun) && !load_relaxed(&has_file))
        return;
    if (load_relaxed(&init_begun)) {
        callbacks_close();
        activity_close();
        event_timing_fork_child();
    }
    store_release(&has_file, false);
    store_release(&state, (uint32_t)INERT);
}

const struct collector cupti_collector = {
    .name = "cupti",
    .cuda_init = cupti_cuda_init,
    .file_created = cupti_file_created,
    .start = cupti_start,
    .stop = cupti_stop,
    .tick = cupti_tick,
    .flush = cupti_flush,
    .fork_child = cupti_fork_child,
    .finish = cupti_finish,
    .warm = cupti_warm,
};
