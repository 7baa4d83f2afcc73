#include "cupti.h"

#include "activity.h"
#include "atomic.h"
#include "attach.h"
#include "callbacks.h"
#include "config.h"
#include "devices.h"
#include "event_timing.h"
#include "facts.h"
#include "flusher.h"
#include "graph_kinds.h"
#include "graphs.h"
#include "kernel_times.h"
#include "loader.h"
#include "log.h"
#include "other_tool.h"
#include "refusal.h"
#include "subscription.h"
#include "windows.h"

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

static uint32_t state;      /* enum state; cuda_init releases -> all hooks acquire */
static uint32_t init_begun; /* exchange: cuda_init runs once */
static bool kinds_were_on;  /* ever: there may be records; enable_kinds() stores */
static bool kinds_are_on;   /* by whoever has made switching BUSY; cuda_init before LIVE */
static uint32_t switching;  /* enum switching, moved by compare-and-swap */
static int ticks_to_stay;   /* of the kinds, once recording is off: tick's job counts */
static uint32_t ticks;      /* writer thread only */
static bool has_file;       /* cupti_file_begun stores -> cupti_flush loads */
static bool is_thrown_out;  /* by another tool; the flusher's thread, once LIVE */
static bool is_stale;       /* recording begins again; warm stores -> settle_kinds */
static bool warm_wanted;    /* recording begins soon; warm, start and stop store */

static bool is_live(void)
{
    return load_acquire(&state) == LIVE;
}

static bool is_attached(void)
{
    return is_live() && !load_acquire(&is_thrown_out);
}

/* ---- beginning ---- */

/* What is said when there are two libcupti in the process, and about it. */
static void add_duplicates(char *sentence, size_t bytes)
{
    static char paths[LOADER_CUPTI_MAX][LOADER_PATH_BYTES];
    size_t used = strlen(sentence);
    if (loader_mapped_cupti(paths) >= 2)
        snprintf(sentence + used, bytes - used,
                 "; there are two libcupti in the process, %.100s and %.100s", paths[0], paths[1]);
}

static void note_blind_start(void)
{
    if (CONFIG_MOMENT(config_get()->start) == CONFIG_START_CUDA)
        log_line(LOG_ERROR, "PROF_START=cuda: without CUPTI nobody sees cudaProfilerStart(), so "
                            "nothing will be recorded");
}

/* Timing by CUDA events is never begun unasked: they are barriers in the program's own streams. */
static void give_up(const char *why)
{
    char sentence[SENTENCE_BYTES];
    snprintf(sentence, sizeof sentence, "%s", why);
    add_duplicates(sentence, sizeof sentence);
    bool asked = config_get()->gpu != CONFIG_GPU_AUTO;
    log_line(LOG_ERROR, "no GPU times: %s%s", sentence,
             asked ? "" : "; PROF_GPU=events times ranges by CUDA events");
    recorder_set_gpu_mode(PROF_GPU_UNAVAILABLE, sentence);
    note_blind_start();
    store_release(&state, (uint32_t)PASSIVE);
}

/* What the user asked for is no trouble: nothing is printed. */
static void begin_events(void)
{
    if (event_timing_begin())
        recorder_set_gpu_mode(PROF_GPU_EVENTS, "CUDA events around ranges, no kernels");
    else
        give_up("this libcuda lacks functions that timing by CUDA events needs");
    store_release(&state, (uint32_t)PASSIVE);
}

static void begin_nothing(void)
{
    recorder_set_gpu_mode(PROF_GPU_UNAVAILABLE, "not wanted: PROF_GPU=none");
    note_blind_start();
    store_release(&state, (uint32_t)PASSIVE);
}

static void give_up_on(int result, const char *step, const char *holder)
{
    char sentence[SENTENCE_BYTES];
    refusal_sentence(result, step, holder, sentence, sizeof sentence);
    give_up(sentence);
}

static void state_driver_version(const struct driver_library *driver)
{
    char text[32];
    if (!driver || driver->version <= 0)
        return;
    snprintf(text, sizeof text, "%d.%d", driver->version / 1000, driver->version % 1000 / 10);
    facts_info(PROF_INFO_DRIVER, text);
}

static void state_cupti_version(const struct cupti_library *cupti)
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
    facts_info(PROF_INFO_CUPTI, text);
    log_line(LOG_PROCESS, "using %s", cupti->path);
}

/* Calls are followed before there can be records of what they launch. */
static int enable_kinds(void)
{
    callbacks_blind(true);
    callbacks_follow(true);
    store_relaxed(&ticks_to_stay, TICKS_BEFORE_DISABLE);
    store_relaxed(&kinds_were_on, true);
    int result = activity_enable();
    store_release(&kinds_are_on, true);
    callbacks_blind(false);
    return result;
}

static void disable_kinds(void)
{
    callbacks_blind(true);
    if (!activity_disable()) {
        callbacks_blind(false); /* at the next tick */
        return;
    }
    callbacks_follow(false);
    store_release(&kinds_are_on, false);
}

static bool kinds_are_wanted(void)
{
    return recorder_on() || load_relaxed(&warm_wanted);
}

static attach_enable enable_when_wanted(void)
{
    return kinds_are_wanted() ? enable_kinds : NULL;
}

static void settle_job(void);
static void take_back_inline(void);

static void settle_soon(void)
{
    flusher_post(settle_job);
}

static void begin_cupti(void)
{
    char text[SENTENCE_BYTES] = "";
    if (!loader_open_cupti(config_get()->cupti_path, text, sizeof text)) {
        give_up(text);
        return;
    }
    const struct cupti_library *cupti = loader_cupti();
    state_cupti_version(cupti);
    if (cupti->version_result != ABI_OK) {
        give_up_on(cupti->version_result, "tell its version", NULL);
        return;
    }
    if (cupti->version < ABI_VERSION_11_0) {
        give_up("this libcupti is older than CUDA 11.0");
        return;
    }
    if (!attach_begin(enable_when_wanted(), text, sizeof text)) {
        give_up(text);
        return;
    }
    other_tool_begin(settle_soon, take_back_inline);
    if (config_get()->gpu_detail >= CONFIG_DETAIL_STANDARD)
        recorder_sheddable(PROF_SHED_CALLS, callbacks_keep_calls);
    if (graph_kinds_can_shed())
        recorder_sheddable(PROF_SHED_NODES, graph_kinds_keep_nodes);
    store_release(&state, (uint32_t)LIVE);
}

static void begin(void)
{
    loader_open_driver();
    state_driver_version(loader_driver());
    if (config_get()->gpu == CONFIG_GPU_NONE)
        begin_nothing();
    else if (config_get()->gpu == CONFIG_GPU_EVENTS)
        begin_events();
    else
        begin_cupti();
}

/* ---- what is recorded follows what is wanted ---- */

/* False: another thread is at work, and will look once more. */
static bool switching_begin(void)
{
    uint32_t seen = FREE;
    while (!cas_seq_cst(&switching, &seen, (uint32_t)BUSY)) {
        if (seen == AGAIN || (seen == BUSY && cas_seq_cst(&switching, &seen, (uint32_t)AGAIN)))
            return false;
        seen = FREE;
    }
    return true;
}

/* False: somebody came meanwhile, and the calling thread looks once more. */
static bool switching_end(void)
{
    uint32_t seen = BUSY;
    if (cas_seq_cst(&switching, &seen, (uint32_t)FREE))
        return true;
    store_seq_cst(&switching, (uint32_t)BUSY);
    return false;
}

static void enable_or_give_up(void)
{
    char sentence[SENTENCE_BYTES];
    int result = enable_kinds();
    if (result != ABI_OK && !attach_again(result, enable_kinds, sentence, sizeof sentence))
        give_up(sentence);
}

/* What another tool has left behind. It may hold CUPTI for a while once it has thrown us out. */
static void take_back(void)
{
    char sentence[SENTENCE_BYTES];
    enum other_tool_loss loss = other_tool_take_back();
    if (loss != OTHER_TOOL_TOOK_NOTHING)
        store_release(&kinds_are_on, false);
    if (loss == OTHER_TOOL_TOOK_ALL) {
        subscription_forget();
        store_release(&is_thrown_out, true);
    }
    if (!load_relaxed(&is_thrown_out))
        return;
    bool begun = other_tool_turn_begin();
    if (begun && !other_tool_has_records() && attach_begin(NULL, sentence, sizeof sentence)) {
        other_tool_state_mode();
        store_release(&is_thrown_out, false);
    }
    other_tool_turn_end(begun);
}

/* A tool that libprof does not see, as it was loaded later, may have taken the callbacks and disabled kinds: a new
 * start of recording is the moment to have them again. */
static void refresh_kinds(void)
{
    if (other_tool_has_records())
        return;
    activity_register_again();
    activity_enable();
}

static void settle_kinds(void)
{
    take_back();
    if (!is_attached())
        return;
    bool wanted = kinds_are_wanted(), on = load_acquire(&kinds_are_on);
    if (wanted && !on)
        enable_or_give_up();
    else if (wanted && exchange_acquire(&is_stale, false))
        refresh_kinds();
    else if (!wanted && on && load_relaxed(&ticks_to_stay) == 0)
        disable_kinds();
    if (!is_live())
        return;
    callbacks_settle();
    graph_kinds_settle();
}

static void settle_job(void)
{
    if (!is_live() || !switching_begin())
        return;
    do
        settle_kinds();
    while (!switching_end());
}

static bool enable_if_wanted(void)
{
    if (!is_attached() || !kinds_are_wanted() || load_acquire(&kinds_are_on) ||
        enable_kinds() == ABI_OK)
        return true;
    store_release(&kinds_are_on, false);
    return false;
}

/* Within a callback: only what CUPTI allows there. The rest is left to the flusher's thread. */
static void enable_inline(void)
{
    bool done = true;
    if (!is_live() || !switching_begin())
        return;
    do
        done = enable_if_wanted();
    while (!switching_end());
    if (!done)
        flusher_post(settle_job);
}

/* The other tool's thread, which has just flushed: what it launches next is to be recorded. */
static void take_back_inline(void)
{
    if (!is_live() || !switching_begin())
        return;
    do {
        take_back();
        enable_if_wanted();
    } while (!switching_end());
}

/* ---- jobs of the flusher's thread ---- */

static void count_ticks_off(void)
{
    int left = load_relaxed(&ticks_to_stay);
    if (!kinds_are_wanted() && left > 0)
        cas_acq_rel(&ticks_to_stay, &left, left - 1);
}

static void tick_job(void)
{
    devices_state(loader_driver());
    event_timing_tick();
    if (!is_live())
        return;
    if (kernel_times_let_flush())
        activity_flush(ABI_FLUSH_COMPLETED);
    activity_prepare();
    if (recorder_on())
        graphs_state(false); /* what was made just before recording began */
    count_ticks_off();
    settle_job();
}

/* Nothing comes after this: what is not there by now is not going to be. */
static void note_undelivered(void)
{
    recorder_set_gpu_mode(PROF_GPU_PARTIAL, "CUPTI did not hand over its last records");
}

/* FORCED also takes what has not ended yet, and its times are lost: right at the end, and only
 * then. */
static void flush_job(void)
{
    bool ending = recorder_ending();
    devices_state(loader_driver());
    if (ending)
        event_timing_drain((unsigned)config_get()->exit_ms / 4);
    else
        event_timing_tick();
    if (is_live() && !activity_flush(ending ? ABI_FLUSH_FORCED : ABI_FLUSH_COMPLETED) && ending)
        note_undelivered();
}

/* Nothing of what was launched is wanted. */
static void cool_job(void)
{
    if (!kinds_are_wanted())
        store_relaxed(&ticks_to_stay, 0);
    settle_job();
}

/* No cuptiFinalize: it synchronises every context, and its races with callbacks crash (kineto PR
 * 686). */
static void finish_job(void)
{
    activity_flush(ABI_FLUSH_FORCED);
    if (load_acquire(&kinds_are_on))
        activity_disable();
}

/* ---- CUDA that does not call InitializeInjection() ---- */

/* A stub answers every call with an error. */
static void look_for_stub(void)
{
    static char path[LOADER_PATH_BYTES];
    char sentence[SENTENCE_BYTES];
    if (!loader_finds_stub(path))
        return;
    snprintf(sentence, sizeof sentence,
             "%.160s is the toolkit's stub, for linking only: take its directory out of "
             "LD_LIBRARY_PATH",
             path);
    give_up(sentence);
}

/* It is, or it was: this may be the end of the process. */
static bool is_initialised(const struct driver_library *driver)
{
    void *context = NULL;
    int result = driver && driver->cuCtxGetCurrent ? driver->cuCtxGetCurrent(&context) : -1;
    return result == ABI_OK || result == ABI_CUDA_DEINITIALIZED;
}

/* CUDA calls one tool only, and that within cuInit: whoever finds it initialised was not called. */
static void begin_late_job(void)
{
    facts_info(PROF_INFO_NOTE, "CUDA was in use before libprof noticed: what was launched until "
                               "then was not recorded");
    callbacks_hold(true);
    begin();
    recorder_renew_exit();
    settle_job();
    callbacks_hold(false);
}

/* The end of the process is too late. */
static void give_up_at_end(void)
{
    char sentence[SENTENCE_BYTES] = "CUDA did not call libprof when it was initialised";
    const char *called = getenv("CUDA_INJECTION64_PATH");
    if (called && *called)
        snprintf(sentence, sizeof sentence,
                 "CUDA called another tool instead of libprof, CUDA_INJECTION64_PATH=%.160s: run "
                 "without it",
                 called);
    state_driver_version(loader_driver());
    if (config_get()->gpu == CONFIG_GPU_NONE)
        begin_nothing();
    else
        give_up(sentence);
}

/* Not in a forked child, whose parent may have used CUDA unnoticed. */
static bool may_begin(void)
{
    return load_acquire(&state) == COLD && config_get()->cuda && !recorder_is_forked();
}

/* Waits for it up to wait_ms; 0: not at all. */
static void look_for_cuda(unsigned wait_ms)
{
    if (!may_begin() || !load_acquire(&has_file) || !loader_open_driver() ||
        !is_initialised(loader_driver()) || exchange_acquire(&init_begun, 1u))
        return;
    if (recorder_ending())
        give_up_at_end();
    else if (wait_ms)
        flusher_run(begin_late_job, wait_ms);
    else
        flusher_post(begin_late_job);
}

/* ---- hooks ---- */

static void get_ready(void)
{
    if (is_live() && callbacks_are_on_stack())
        enable_inline();
    else if (is_live())
        flusher_run(settle_job, (unsigned)config_get()->exit_ms);
}

static void cupti_start(void)
{
    store_relaxed(&ticks_to_stay, TICKS_BEFORE_DISABLE);
    store_relaxed(&warm_wanted, false);
    windows_end();
    graphs_state(false);
    if (!load_acquire(&kinds_are_on)) /* CUDA came up since the warm-up */
        get_ready();
}

static void cupti_warm(bool soon)
{
    store_relaxed(&ticks_to_stay, TICKS_BEFORE_DISABLE);
    store_relaxed(&warm_wanted, soon);
    store_release(&is_stale, soon && load_acquire(&kinds_are_on));
    if (soon)
        get_ready();
    else if (is_live())
        flusher_post(cool_job);
}

static void cupti_cuda_init(void)
{
    if (!may_begin() || exchange_acquire(&init_begun, 1u))
        return;
    int kept_errno = errno;
    begin();
    enable_inline(); /* for a start that came while begin() was at work */
    errno = kept_errno;
}

static void cupti_file_begun(void)
{
    store_release(&has_file, true);
    facts_restate();
    look_for_cuda((unsigned)config_get()->exit_ms);
    graphs_state(true);
}

static void cupti_stop(void)
{
    if (!load_acquire(&has_file) && !callbacks_saw_call() && is_live())
        flusher_post(cool_job); /* nothing was recorded, and no tick comes */
}

static bool may_use_driver(void)
{
    uint32_t now = load_acquire(&state);
    return now == LIVE || now == PASSIVE;
}

static void cupti_tick(void)
{
    if (ticks++ % TICKS_BETWEEN_LOOKS == 0)
        look_for_cuda(0);
    if (may_use_driver())
        flusher_post(tick_job);
}

/* Where nothing was recorded, no thread is made to flush it. */
static bool may_have_records(void)
{
    return load_relaxed(&kinds_were_on) || load_acquire(&has_file);
}

static void cupti_flush(unsigned deadline_ms)
{
    look_for_cuda(deadline_ms);
    if (may_begin() && load_acquire(&has_file) && recorder_ending())
        look_for_stub();
    if (!may_use_driver() || !may_have_records() || flusher_run(flush_job, deadline_ms))
        return;
    log_line(LOG_ERROR, "CUPTI did not hand over its records within %u ms", deadline_ms);
    if (is_live() && recorder_ending())
        note_undelivered();
}

/* The flush before this one has taken what there was, or has hung: a short time is enough. */
static void cupti_finish(void)
{
    bool was_live = is_live();
    callbacks_close();
    event_timing_end();
    if (was_live && may_have_records())
        flusher_run(finish_job, (unsigned)config_get()->exit_ms / 4);
    activity_close();
    store_release(&state, (uint32_t)CLOSED);
    if (recorder_leaving())
        flusher_leave();
}

/* CUPTI's worker does not exist in the child: whatever waits for it waits for ever (HPCToolkit
 * issue 195). */
GUEST_PATH static void cupti_fork_child(void)
{
    if (!load_relaxed(&init_begun) && !load_relaxed(&has_file))
        return;
    callbacks_close();
    activity_close();
    event_timing_fork_child();
    store_release(&has_file, false);
    store_release(&state, (uint32_t)INERT);
}

const struct collector cupti_collector = {
    .name = "cupti",
    .cuda_init = cupti_cuda_init,
    .file_begun = cupti_file_begun,
    .start = cupti_start,
    .stop = cupti_stop,
    .tick = cupti_tick,
    .flush = cupti_flush,
    .fork_child = cupti_fork_child,
    .finish = cupti_finish,
    .warm = cupti_warm,
};
