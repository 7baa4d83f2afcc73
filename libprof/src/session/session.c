#include "session.h"

#include "atomic.h"
#include "chunks.h"
#include "clock.h"
#include "config.h"
#include "cost.h"
#include "environment.h"
#include "labels.h"
#include "log.h"
#include "meta.h"
#include "names.h"
#include "own_files.h"
#include "own_signal.h"
#include "own_thread.h"
#include "process.h"
#include "signals.h"
#include "summary.h"
#include "test_point.h"
#include "thread.h"
#include "throttle.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SESSION_FILE_MS 10000u        /* for a file system that does not answer */
#define SESSION_DETACH_NS 1000000000u /* beside PROF_EXIT_MS, which each of two waits may take */
#define SESSION_ADDRESS_MIN (80ull << 20) /* tables of names and threads, 32 MiB of trace */

enum session_state {
    SESSION_NO_FILE,
    SESSION_CREATING, /* by one thread; others wait */
    SESSION_FILE,
    SESSION_OVER, /* finished, or the file cannot be had */
};

enum session_detached { SESSION_ATTACHED, SESSION_DETACHING, SESSION_DETACHED };

static struct {
    const struct collector *const *collectors;
    pthread_mutex_t lock; /* of depth, paused and last_epoch; collectors' locks nest inside */
    int depth;            /* starts minus stops */
    uint32_t holds;       /* session_hold() minus session_release() */
    uint64_t stops;       /* that ended all starts and holds; from 1 on */
    bool paused;          /* by the program: off, whatever the depth */
    /* session_set_gpu_detail() stores them, recorder_gpu_detail() reads them */
    uint32_t detailed_holds, held_detail;
    uint32_t last_epoch;
    /* enum prof_control_reason of the last switch; under the lock, read by the thread that makes
     * the file */
    uint32_t reason;
    /* 1 | on << 1 | reason << 2, or 0; from threads that must not wait for the lock */
    uint32_t requested;
    uint32_t steps_wanted; /* enum session_stepper: by whom */
    uint32_t state;        /* enum session_state; creator releases -> others acquire */
    /* Of the recording in progress, 0 off: the gate while nobody suspends; under the lock */
    uint32_t epoch;
    /* The epoch that the file says is in progress, 0 off; the thread that exchanges it emits the
     * switch. */
    uint32_t stated;
    uint32_t suspensions; /* session_suspend() minus session_resume(); any thread */
    uint32_t ending;      /* the collectors finish */
    /* enum session_detached; the thread that takes it from 0 finishes the collectors. */
    uint32_t detached;
    uint32_t finished; /* and which thread finishes the session */
    uint32_t cuda;     /* session_cuda_init() was called in this process */
    uint32_t leaving;  /* recorder_leaving() */
    uint32_t sandbox;  /* session_is_in_sandbox() */
    void (*renew_exit)(void);
    int error;        /* why there is no file; written while CREATING */
    const char *path; /* of the file; "": none; written while CREATING */
} session GUEST_DATA = {.lock = PTHREAD_MUTEX_INITIALIZER, .stops = 1, .path = ""};

static char session_path_kept[SESSION_PATH_BYTES]; /* what session.path points to */

/* How often the calling thread is in session_suspend(): also in handlers that call exec. */
static __thread uint32_t session_suspended_here __attribute__((tls_model("initial-exec")));

/* ---- collectors ---- */

#define session_each_collector(member, ...)                                               \
    for (const struct collector *const *each = session.collectors; each && *each; each++) \
        if ((*each)->member)                                                              \
    (*each)->member(__VA_ARGS__)

void session_tick_collectors(void)
{
    session_each_collector(tick);
}

/* Something in this process is its own from here on. */
static void session_claim(void)
{
    process_claim();
    cost_claim();
}

void session_at_exit(void (*renew)(void))
{
    session.renew_exit = renew;
}

void recorder_renew_exit(void)
{
    if (session.renew_exit)
        session.renew_exit();
}

void session_cuda_init(void)
{
    session_claim();
    store_release(&session.cuda, 1u);
    clock_choose(); /* callbacks are timed from here on */
    uint64_t began = cost_clock();
    session_each_collector(cuda_init);
    recorder_renew_exit();
    cost_charge(PROF_COST_CUDA, began);
}

/* ---- creating the file ---- */

static void session_emit_control(bool on, uint32_t epoch)
{
    struct prof_rec_control control = {
        .ticks = clock_read(), .epoch = epoch, .on = on, .reason = load_relaxed(&session.reason)};
    meta_append(PROF_REC_CONTROL, &control, sizeof control, NULL, 0);
    if (!on)
        summary_stopped(epoch, control.ticks);
}

static void session_emit_switch(uint32_t before, uint32_t epoch)
{
    if (epoch != before)
        session_emit_control(epoch != 0, epoch ? epoch : before);
}

/* Call after storing the epoch: the file may have been created since the last check. */
GUEST_PATH static void session_emit_epoch(uint32_t epoch)
{
    if (session_has_file())
        session_emit_switch(exchange_seq_cst(&session.stated, epoch), epoch);
}

GUEST_PATH bool session_is_idle(void)
{
    uint32_t state = load_acquire(&session.state);
    return state != SESSION_FILE && state != SESSION_CREATING && !load_acquire(&session.cuda);
}

static int session_announce_job(void *line)
{
    int fd = own_files_open(config_get()->session_file, O_WRONLY | O_APPEND);
    if (fd < 0)
        return 0;
    char text[sizeof session_path_kept + 1];
    int size = snprintf(text, sizeof text, "%s\n", (const char *)line);
    int error = size > 0 && write(fd, text, (size_t)size) != size ? EIO : 0;
    close(fd);
    return error;
}

void session_announce(const char *line)
{
    const char *list = config_get()->session_file;
    if (!list || !*list)
        return;
    struct signals_saved saved;
    signals_block(&saved);
    int error = own_files_run(session_announce_job, (void *)(uintptr_t)line);
    signals_restore(&saved);
    if (error)
        log_line(LOG_PROCESS, "cannot announce %s in %s", line, list);
}

/* What a thread that makes the file for another one is to know of it. */
struct session_making {
    struct rank rank;
    bool by_program;       /* it is one of the program's */
    bool kept_environment; /* environment_uses_kept() */
};

/* A job: whatever looks at files, at once. */
static int session_make_job(void *argument)
{
    const struct session_making *making = argument;
    environment_use_kept(making->kept_environment);
    int error = session_file_create(&making->rank, session_path_kept);
    if (error)
        return error;
    session_file_fill_header(chunks_first(), &making->rank, making->by_program);
    session_file_look_at_system_clock();
    return 0;
}

static int session_make_file(const struct rank *rank)
{
    struct session_making making = {.rank = *rank,
                                    .by_program = !thread_self.internal,
                                    .kept_environment = environment_uses_kept()};
    struct signals_saved saved;
    _Static_assert(sizeof making <= OWN_FILES_ARGUMENT_BYTES, "is copied");
    signals_block(&saved);
    int error = own_files_run_within(SESSION_FILE_MS, session_make_job, &making, sizeof making);
    signals_restore(&saved);
    return error;
}

static void session_begin_file(const struct rank *rank)
{
    struct prof_file_header *header = chunks_first();
    loss_move_to_file(header);
    meta_begin_file();
    TEST_POINT("session_begin_file: unpublished");
    chunks_publish();
    session_file_emit_facts(rank);
    store_seq_cst(&session.stated,
                  load_relaxed(&session.last_epoch)); /* which the first event saw */
    session_emit_control(true, session.stated);
    session_each_collector(file_created);
    if (thread_fork_interrupted()) {
        names_state_all();
        labels_state_all();
    }
    header->ticks_per_second = clock_ticks_per_second();
    meta_clock_sample(false);
}

static bool session_create(void)
{
    struct rank rank;
    session_claim();
    *session_path_kept = '\0'; /* a forked child has its parent's there */
    thread_guard_page();
    config_warn();
    clock_choose();
    clock_ticks_per_second(); /* remembers the first of the two samples that give the rate */
    rank_read(&rank);
    uint64_t budget = process_address_budget();
    bool tables = budget >= SESSION_ADDRESS_MIN && thread_init(budget / 4);
    int error = tables ? session_make_file(&rank) : ENOMEM;
    if (error) {
        log_line(LOG_ERROR, "cannot record to %s: %s; the program runs without recording",
                 *session_path_kept ? session_path_kept : config_get()->output, strerror(error));
        session.error = error;
        return false;
    }
    session.path = session_path_kept;
    session_begin_file(&rank);
    session_announce(session.path);
    writer_start();
    return true;
}

/* A thread that switches looks for a file after storing the epoch; the thread that makes the file
 * looks at the epoch after storing the state. So the second one emits what the file lacks. */
static void session_emit_missed_switch(void)
{
    uint32_t stated = load_seq_cst(&session.stated), epoch = load_seq_cst(&session.epoch);
    uint32_t before = stated;
    if (cas_seq_cst(&session.stated, &stated, epoch))
        session_emit_switch(before, epoch);
}

/* By whoever has turned NO_FILE into CREATING. */
static void session_try(void *unused)
{
    (void)unused;
    bool created = session_create();
    TEST_POINT("session_try: made");
    store_seq_cst(&session.state, (uint32_t)(created ? SESSION_FILE : SESSION_OVER));
    if (created) {
        session_emit_missed_switch();
        return;
    }
    thread_shut_gate();
    session_each_collector(stop);
}

bool session_ready(void)
{
    uint32_t state = load_acquire(&session.state);
    if (state == SESSION_NO_FILE && cas_acq_rel(&session.state, &state, (uint32_t)SESSION_CREATING))
        big_stack_run(session_try, NULL);
    for (int attempt = 0; (state = load_acquire(&session.state)) == SESSION_CREATING; attempt++)
        clock_wait(attempt);
    if (state != SESSION_FILE)
        loss_add(PROF_LOSS_IO, 1);
    return state == SESSION_FILE;
}

GUEST_PATH bool session_may_begin(void)
{
    return load_acquire(&session.state) == SESSION_NO_FILE && !load_relaxed(&session.finished);
}

GUEST_PATH bool session_has_file(void)
{
    return load_seq_cst(&session.state) == SESSION_FILE && thread_process_is_ours();
}

int session_error(void)
{
    return load_acquire(&session.state) == SESSION_OVER ? session.error : 0;
}

const char *session_path(void)
{
    uint32_t state = load_acquire(&session.state);
    return state == SESSION_FILE || state == SESSION_OVER ? session.path : "";
}

/* ---- on and off ---- */

/* prof.h looks at the second word before it calls prof_step(). */
GUEST_PATH static void session_store_gate(uint32_t epoch)
{
    store_seq_cst(&thread_gate, epoch);
    timing_mark_gate();
    thread_mark_gate();
    store_release(&thread_page.step_gate, epoch | load_relaxed(&session.steps_wanted));
}

GUEST_PATH static uint32_t session_gate(void)
{
    bool closed = load_seq_cst(&session.suspensions) || load_seq_cst(&session.finished);
    return closed ? 0 : load_seq_cst(&session.epoch);
}

/* One thread may switch while another one suspends or ends the session: the last one applies
 * both. */
GUEST_PATH static void session_apply_gate(void)
{
    uint32_t epoch;
    do {
        epoch = session_gate();
        TEST_POINT("session_apply_gate: chosen");
        session_store_gate(epoch);
    } while (epoch != session_gate());
}

GUEST_PATH static void session_set_gate(uint32_t epoch)
{
    store_seq_cst(&session.epoch, epoch);
    session_apply_gate();
}

GUEST_PATH static void session_open_gate(enum prof_control_reason reason)
{
    uint32_t epoch = ++session.last_epoch;
    store_relaxed(&session.reason, (uint32_t)reason);
    session_emit_epoch(epoch); /* before the first event */
    /* devices must be recorded before the gate opens and other threads launch */
    session_each_collector(warm, true);
    TEST_POINT("session_open_gate: warm");
    session_set_gate(epoch);
    session_emit_epoch(epoch);
    if (load_seq_cst(&session.finished))
        return; /* meanwhile: the collectors have detached */
    session_each_collector(start);
}

static void session_switch_on(enum prof_control_reason reason)
{
    process_count_fork();
    cost_claim();
    cost_recording(true);
    session_open_gate(reason);
    starter_begin();
}

static void session_switch_off(enum prof_control_reason reason)
{
    store_relaxed(&session.reason, (uint32_t)reason);
    session_set_gate(0);
    cost_recording(false);
    session_emit_epoch(0);
    session_each_collector(stop);
}

/* Signals wait: a handler may start and stop too, and would wait for the thread it interrupted. */
static void session_lock(struct signals_saved *saved)
{
    signals_block(saved);
    pthread_mutex_lock(&session.lock);
}

static void session_apply_request(void);

/* A thread that may not wait for the lock leaves its request to the holder, which checks after
 * unlocking. */
static void session_apply_requests(void)
{
    while (load_seq_cst(&session.requested) && pthread_mutex_trylock(&session.lock) == 0) {
        session_apply_request();
        pthread_mutex_unlock(&session.lock);
    }
}

static void session_unlock(const struct signals_saved *saved)
{
    pthread_mutex_unlock(&session.lock);
    session_apply_requests();
    signals_restore(saved);
}

/* The null device as output means no recording, and no file beside it. */
GUEST_PATH static bool session_is_discarded(void)
{
    static char null_device[] GUEST_DATA = "/dev/null"; /* constants are on one more page */
    const char *output = config_get()->output, *null = null_device;
    while (*null && *output == *null) /* as is strcmp() */
        output++, null++;
    return *output == *null;
}

GUEST_PATH static bool session_should_record(void)
{
    return (session.depth > 0 || session.holds > 0) && !session.paused && !session_is_discarded();
}

/* With the lock held. */
static void session_set(int depth, uint32_t holds, bool paused, enum prof_control_reason reason)
{
    bool was_on = session_should_record();
    store_relaxed(&session.depth, depth);
    store_relaxed(&session.holds, holds);
    session.paused = paused;
    if (load_acquire(&session.finished) || was_on == session_should_record())
        return;
    if (!was_on)
        session_switch_on(reason);
    else
        session_switch_off(reason);
}

static void session_set_depth(int depth, enum prof_control_reason reason)
{
    session_set(depth, session.holds, session.paused, reason);
}

void recorder_pause(bool on, enum prof_control_reason reason)
{
    struct signals_saved saved;
    session_lock(&saved);
    if (thread_process_is_ours())
        session_set(session.depth, session.holds, on, reason);
    session_unlock(&saved);
}

void session_start(void)
{
    struct signals_saved saved;
    session_lock(&saved);
    if (thread_process_is_ours())
        session_set_depth(session.depth + 1, PROF_CONTROL_API);
    session_unlock(&saved);
}

void session_stop(void)
{
    struct signals_saved saved;
    session_lock(&saved);
    if (thread_process_is_ours() && session.depth > 0)
        session_set_depth(session.depth - 1, PROF_CONTROL_API);
    session_unlock(&saved);
}

/* A switch that is on already does not add up with other starts; off takes all of them back, and
 * all holds. With the lock held. */
static bool session_switch_locked(bool on, enum prof_control_reason reason)
{
    bool is_on = session.depth > 0 || session.holds > 0;
    if (!thread_process_is_ours() || load_acquire(&session.finished))
        return false;
    session.stops += !on;
    session_set(on ? session.depth + (session.depth == 0) : 0, on ? session.holds : 0,
                session.paused, reason);
    return on != is_on;
}

static void session_apply_request(void)
{
    uint32_t request = exchange_seq_cst(&session.requested, 0u);
    if (request)
        session_switch_locked(request >> 1 & 1, (enum prof_control_reason)(request >> 2));
}

bool session_switch(bool on, enum prof_control_reason reason)
{
    struct signals_saved saved;
    session_lock(&saved);
    bool differs = session_switch_locked(on, reason);
    session_unlock(&saved);
    return differs;
}

/* ---- holds ---- */

uint64_t session_hold(enum prof_control_reason reason)
{
    struct signals_saved saved;
    uint64_t token = 0;
    session_lock(&saved);
    if (thread_process_is_ours() && !load_acquire(&session.finished)) {
        session_set(session.depth, session.holds + 1, session.paused, reason);
        token = session.stops;
    }
    session_unlock(&saved);
    return token;
}

void session_release(uint64_t token, enum prof_control_reason reason)
{
    struct signals_saved saved;
    session_lock(&saved);
    if (thread_process_is_ours() && token == session.stops)
        session_set(session.depth, session.holds - 1, session.paused, reason);
    session_unlock(&saved);
}

bool session_holds(uint64_t token)
{
    struct signals_saved saved;
    session_lock(&saved);
    bool holds = token == session.stops;
    session_unlock(&saved);
    return holds;
}

void session_set_gpu_detail(uint32_t holds, uint32_t level)
{
    store_relaxed(&session.held_detail, level);
    store_release(&session.detailed_holds, holds);
}

uint32_t recorder_gpu_detail(void)
{
    uint32_t usual = (uint32_t)config_get()->gpu_detail,
             holds = load_acquire(&session.detailed_holds);
    uint32_t held = load_relaxed(&session.held_detail);
    bool others = load_relaxed(&session.depth) > 0 || load_relaxed(&session.holds) > holds;
    return holds == 0 || (others && usual > held) ? usual : held;
}

void recorder_switch(bool on, enum prof_control_reason reason)
{
    struct signals_saved saved;
    signals_block(&saved);
    store_seq_cst(&session.requested, 1u | (uint32_t)on << 1 | (uint32_t)reason << 2);
    session_apply_requests();
    signals_restore(&saved);
}

void session_warm(bool soon)
{
    struct signals_saved saved;
    session_lock(&saved);
    if (thread_process_is_ours() && session.depth == 0 && session.holds == 0 &&
        !load_acquire(&session.finished))
        session_each_collector(warm, soon);
    session_unlock(&saved);
}

void session_enable_steps(enum session_stepper who, bool wanted)
{
    struct signals_saved saved;
    session_lock(&saved);
    uint32_t others = session.steps_wanted & ~(uint32_t)who;
    store_relaxed(&session.steps_wanted, wanted ? others | (uint32_t)who : others);
    session_apply_gate();
    session_unlock(&saved);
}

void session_describe(struct session_status *status)
{
    status->on = load_relaxed(&session.epoch) != 0;
    status->windows = load_relaxed(&session.last_epoch);
    status->reason = (enum prof_control_reason)load_relaxed(&session.reason);
    status->gpu_mode = session_file_gpu_mode();
    status->gpu_reason = session_file_gpu_reason();
}

GUEST_PATH void session_init(const struct collector *const *collectors, bool start_now)
{
    session.collectors = collectors;
    thread_own_process();
    process_remember();
    if (!start_now || session_is_discarded())
        return;
    session.depth = 1; /* nobody else is here yet: no lock */
    cost_recording_from_start();
    session_open_gate(PROF_CONTROL_STARTUP);
}

/* ---- the end ---- */

void session_flush(unsigned deadline_ms)
{
    session_each_collector(flush, deadline_ms);
    if (!session_has_file())
        return;
    loss_flush();
    meta_clock_sample(false);
    chunks_copy_out();
}

static int session_look_last(void *unused)
{
    (void)unused;
    thread_emit_names();
    session_file_look_at_system_clock();
    return 0;
}

/* Signals are blocked. */
static void session_close_file(void)
{
    writer_stop((unsigned)config_get()->exit_ms);
    loss_flush();
    cost_emit(true);
    own_files_run(session_look_last, NULL);
    session_file_emit_system_clock();
    meta_clock_sample(true);
    summary_finish();
    chunks_close();
    store_release(&session.state, (uint32_t)SESSION_OVER);
}

bool recorder_ending(void)
{
    return load_relaxed(&session.ending) || load_relaxed(&session.suspensions);
}

bool recorder_leaving(void)
{
    return load_relaxed(&session.leaving) != 0;
}

bool recorder_is_forked(void)
{
    return process_generation() != 0;
}

/* Threads that end the process at once: the second one waits for the first one, as the process
 * would otherwise end under it. */
static void session_await_collectors(void)
{
    uint64_t limit_ns = 2000000ull * (unsigned)config_get()->exit_ms + SESSION_DETACH_NS;
    uint64_t end_ns = clock_monotonic_ns() + limit_ns;
    while (load_acquire(&session.detached) == SESSION_DETACHING && clock_monotonic_ns() < end_ns)
        clock_pause(100);
}

void session_finish_collectors(void)
{
    uint32_t attached = SESSION_ATTACHED;
    if (!cas_acq_rel(&session.detached, &attached, (uint32_t)SESSION_DETACHING)) {
        session_await_collectors();
        return;
    }
    struct signals_saved saved;
    signals_block(&saved); /* a handler that calls _exit() now would wait for what it interrupted */
    store_relaxed(&session.ending, 1u);
    uint64_t began_ns = clock_monotonic_ns();
    session_each_collector(flush, (unsigned)config_get()->exit_ms);
    session_each_collector(finish);
    cost_add_ns(PROF_COST_END, 1, clock_monotonic_ns() - began_ns);
    store_release(&session.detached, (uint32_t)SESSION_DETACHED);
    signals_restore(&saved);
}

void session_finish(void)
{
    if (exchange_seq_cst(&session.finished, 1u))
        return;
    struct signals_saved saved;
    signals_block(&saved);
    store_relaxed(&session.steps_wanted, 0u);
    session_set_gate(0);
    cost_recording(false);
    session_finish_collectors();
    if (session_has_file())
        session_close_file();
    signals_restore(&saved);
}

void session_suspend(void)
{
    if (!session_has_file())
        return;
    session_await_collectors();
    struct signals_saved saved;
    signals_block(&saved);
    session_suspended_here++;
    fetch_add_seq_cst(&session.suspensions, 1u);
    session_apply_gate();
    writer_flush((unsigned)config_get()->exit_ms);
    loss_flush();
    cost_emit(true);
    summary_flush();
    chunks_suspend();
    signals_restore(&saved);
}

/* There may have been no file to suspend when the calling thread tried. */
void session_resume(void)
{
    if (!session_suspended_here)
        return;
    session_suspended_here--;
    if (session_has_file())
        chunks_resume();
    fetch_add_seq_cst(&session.suspensions, (uint32_t)-1);
    session_apply_gate();
}

bool session_is_in_sandbox(void)
{
    return load_relaxed(&session.sandbox) != 0;
}

/* Where a file or CUDA is, to which system calls lead. */
static void session_end_in_sandbox(void)
{
    store_relaxed(&session.leaving, 1u);
    if (session_has_file() && load_relaxed(&session.epoch)) {
        loss_add(PROF_LOSS_SANDBOX, 1);
        log_line(LOG_ERROR, "the program enters a sandbox, which ends the recording in %s",
                 session.path);
    }
    session_switch(false, PROF_CONTROL_SANDBOX);
    session_finish();
    process_disclaim();
    store_release(&session.cuda, 0u);
}

bool session_enter_sandbox(void)
{
    starter_end((unsigned)config_get()->exit_ms);
    for (int attempt = 0; load_acquire(&session.state) == SESSION_CREATING; attempt++)
        clock_wait(attempt);
    bool idle = session_is_idle();
    if (session_is_in_sandbox() || (!idle && !process_is_own()))
        return false;
    if (!idle)
        session_end_in_sandbox();
    store_relaxed(&session.steps_wanted, 0u);
    session_set_gate(0);
    store_release(&session.finished, 1u);
    store_release(&session.state, (uint32_t)SESSION_OVER);
    store_release(&session.sandbox, 1u);
    return true;
}

/* Only the forking thread lives on here. Its parent's file and threads are not its own. */
GUEST_PATH static void session_forget(void)
{
    bool was_over = load_relaxed(&session.finished) != 0;
    chunks_fork_child();
    parts_fork_child();
    meta_forget();
    loss_fork_child();
    thread_fork_child();
    timing_fork_child();
    throttle_fork_child();
    process_disclaim();
    own_thread_fork_child();
    own_signal_fork_child();
    writer_fork_child();
    summary_fork_child();
    session_each_collector(fork_child);
    session.ending = session.detached = session.cuda = 0;
    session.suspensions = session_suspended_here = 0;
    session_file_fork_child();
    session.path = "";
    store_release(&session.state, (uint32_t)(was_over ? SESSION_OVER : SESSION_NO_FILE));
    thread_own_process();
    cost_claim();
    if (!was_over)
        session_set_gate(session_should_record() ? ++session.last_epoch : 0);
}

/* Each page that is written or executed here is a page fault of every child, also where nothing is
 * recorded. So what an idle parent left as it was is left alone, errno included: its child goes on
 * with the same gate. */
GUEST_PATH void session_fork_child(void)
{
    process_free_lock(&session.lock);
    if (session_is_in_sandbox())
        return;
    starter_fork_child();
    own_files_fork_child();
    if (session_is_idle() && load_relaxed(&session.state) != SESSION_OVER)
        return;
    int saved_errno = errno;
    process_next_generation();
    session_forget();
    errno = saved_errno;
}
