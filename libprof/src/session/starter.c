/* starter.c - begins the recording of a process that has not recorded anything, for PROF_SAMPLE and
 * PROF_HANG: they show what a program does before its first range, and programs without ranges.
 *
 * A thread of libprof waits until the program has used 10 ms of CPU time, or has lived for 100 ms
 * and waits for something. (PROF_HANG alone wants 100 ms in any case.) Then it makes the file, as
 * the first event would, and ends. A program that a recorded program executes must live ten times
 * as long: most commands of a shell script end sooner, leave no file, and use up no name. A process
 * that only waits for its children leaves no file either.
 */
#include "atomic.h"
#include "clock.h"
#include "config.h"
#include "environment.h"
#include "hang.h"
#include "log.h"
#include "own_files.h"
#include "own_thread.h"
#include "process.h"
#include "recorder.h"
#include "session.h"
#include "worker.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STARTER_CPU_NS 10000000u
#define STARTER_LIFE_NS 100000000u
#define STARTER_CHILD_FACTOR 10u
#define STARTER_POLL_NS 10000000u   /* until it has lived that long */
#define STARTER_LATER_NS 100000000u /* while it waits for children, or recording is off */

static struct {
    struct process_owner
        process;        /* whose thread it is or was; none: no system call is made for it */
    uint32_t holds;     /* starter_hold() minus starter_release() */
    uint32_t beginning; /* the thread makes the file */
    uint64_t since_ns;  /* the thread's, like what follows */
    bool is_child;      /* it was executed by a program that has libprof, too */
    bool is_alone;      /* the program's threads have all ended */
} starter GUEST_DATA;

GUEST_PATH static bool starter_is_own(void)
{
    return load_relaxed(&starter.process.pid) && process_owner_is_us(&starter.process);
}

/* ---- the thread ---- */

/* As its environment says, which is that with which it began. Programs close all descriptors that
 * they do not know when they begin, so that theirs would take the place of one of ours. */
static bool starter_parent_is_preloaded(void)
{
    char path[64], variables[256u << 10];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)getppid());
    size_t size = own_files_read(path, variables, sizeof variables);
    for (size_t at = 0; at < size; at += strlen(variables + at) + 1)
        if (strncmp(variables + at, "LD_PRELOAD=", strlen("LD_PRELOAD=")) == 0)
            return strstr(variables + at, "libprof.so") != NULL;
    return false;
}

static bool starter_is_due(uint64_t now_ns)
{
    unsigned factor = starter.is_child ? STARTER_CHILD_FACTOR : 1;
    uint64_t cpu_ns = own_thread_program_cpu_ns();
    bool has_computed = cpu_ns >= factor * STARTER_CPU_NS;
    bool is_old = now_ns - starter.since_ns >= factor * STARTER_LIFE_NS;
    if (has_computed && (is_old || config_get()->sample_hz))
        return true;
    return is_old && hang_count_threads().wait;
}

/* A caller of starter_hold() then checks whether a file is being made; the thread checks for holds
 * after announcing that. So the second one waits, or makes no file. */
static void starter_make_file(void)
{
    store_seq_cst(&starter.beginning, 1u);
    if (!load_seq_cst(&starter.holds)) {
        environment_use_kept(true);
        clock_choose();
        session_ready();
    }
    store_seq_cst(&starter.beginning, 0u);
}

static uint64_t starter_duties(void)
{
    uint64_t now_ns = clock_monotonic_ns();
    if (!starter.since_ns) {
        starter.since_ns = now_ns;
        starter.is_child = !recorder_is_forked() && starter_parent_is_preloaded();
    }
    bool is_young = now_ns - starter.since_ns < STARTER_LIFE_NS;
    if (recorder_on() && starter_is_due(now_ns))
        starter_make_file();
    starter.is_alone = !is_young && own_thread_no_other();
    if (starter.is_alone || !session_may_begin())
        return WORKER_DONE;
    return is_young ? STARTER_POLL_NS : STARTER_LATER_NS;
}

static void starter_leave(void)
{
    if (starter.is_alone)
        own_thread_end_process();
    else
        own_thread_leave();
}

static struct worker starter_worker =
    WORKER_INIT(.name = "prof-start", .stack_bytes = 1u << 20, /* exit handlers: starter_leave() */
                .duties = starter_duties, .leave = starter_leave, .parks = true);

static void starter_start_thread(void)
{
    process_owner_set(&starter.process);
    process_claim();
    int error = worker_begin(&starter_worker);
    if (error)
        log_line(LOG_PROCESS, "no thread (%s): recording begins with the first event",
                 strerror(error));
}

void starter_begin(void)
{
    bool is_wanted = config_get()->sample_hz || config_get()->hang_ms;
    if (!is_wanted || !recorder_on() || !session_may_begin())
        return;
    environment_keep();
    starter_start_thread();
}

void starter_end(unsigned deadline_ms)
{
    if (!starter_is_own())
        return;
    worker_end(&starter_worker, deadline_ms, true);
    store_release(&starter.process.pid, 0u);
}

/* ---- fork ---- */

GUEST_PATH void starter_fork_child(void)
{
    if (!load_relaxed(&starter.process.pid))
        return; /* what is not written costs the child no page */
    starter.process.pid = starter.holds = starter.beginning = 0;
    starter.since_ns = 0;
    own_thread_fork_child();
    worker_fork_child(&starter_worker);
}

GUEST_PATH void starter_forked(void)
{
    if (config_get()->sample_hz && recorder_on() && session_may_begin())
        starter_start_thread();
}

/* ---- the end ---- */

GUEST_PATH void starter_hold(void)
{
    if (!starter_is_own())
        return;
    uint64_t end_ns = clock_monotonic_ns() + config_get()->exit_ms * 1000000u;
    fetch_add_seq_cst(&starter.holds, 1u);
    while (load_seq_cst(&starter.beginning) && clock_monotonic_ns() < end_ns)
        clock_pause(100);
}

void starter_release(void)
{
    if (starter_is_own())
        fetch_add_seq_cst(&starter.holds, (uint32_t)-1);
}
