#include "hang.h"

#include "atomic.h"
#include "clock.h"
#include "config.h"
#include "hang_inside.h"
#include "log.h"
#include "meta.h"
#include "number.h"
#include "own_files.h"
#include "own_thread.h"
#include "process.h"
#include "session.h"
#include "worker.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HANG_LOOK_MIN_NS 20000000u
#define HANG_LOOK_MAX_NS 1000000000u
#define HANG_END_MS 500u /* a dump in progress is waited for */

/* The watching thread's own. */
static struct {
    uint64_t looked_ns;
    uint64_t silent_ns;
    uint64_t hung_ns; /* since the dump */
    uint64_t cpu_ns;  /* of the program's threads, at the latest look */
    uint32_t number;  /* of the latest hang */
    bool hung;
    bool wrote_start; /* a hang before that was written */
} hang;

static uint64_t hang_limit_ns(void)
{
    return config_get()->hang_ms * 1000000u;
}

/* A tenth of the limit: time that passed unwatched, because the process was stopped, counts as one
 * look at most. */
static uint64_t hang_look_ns(void)
{
    uint64_t look_ns = hang_limit_ns() / 10;
    return look_ns < HANG_LOOK_MIN_NS   ? HANG_LOOK_MIN_NS
           : look_ns > HANG_LOOK_MAX_NS ? HANG_LOOK_MAX_NS
                                        : look_ns;
}

static struct number_text hang_seconds(uint64_t ns)
{
    return number_fixed((double)ns / 1e9, 1);
}

static bool hang_is_traced(void)
{
    char status[2048];
    if (!own_files_look_into("/proc/self/status", status, sizeof status))
        return false;
    return number_of_field(status, "TracerPid:", 10) != 0;
}

static const char *hang_path(void)
{
    static char path[4200];
    snprintf(path, sizeof path, "%s.hang.txt", session_path());
    return *session_path() ? path : "";
}

static void hang_state(enum prof_hang_event event, uint64_t silent_ns)
{
    struct prof_rec_hang head = {.ticks = clock_read(),
                                 .number = hang.number,
                                 .event = event,
                                 .silent_ns = silent_ns,
                                 .limit_ns = hang_limit_ns()};
    meta_append(PROF_REC_HANG, &head, sizeof head, NULL, 0);
}

static void hang_add_memory(void)
{
    static const char *const fields[] = {"VmSize:", "VmRSS:", "VmSwap:", "Threads:"};
    char status[2048];
    own_files_look_into("/proc/self/status", status, sizeof status);
    hang_text_add("memory");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strstr(status, fields[i]))
            hang_text_add(" %s%" PRIu64, fields[i], number_of_field(status, fields[i], 10));
    }
    hang_text_add("\n");
}

static void hang_write(void)
{
    int error = hang_text_write(hang.number, hang_path());
    if (error)
        log_line(LOG_ERROR, "cannot write %s: %s", hang_path(), strerror(error));
}

static void hang_act(void)
{
    uint64_t action = config_get()->hang_action;
    if (action == CONFIG_HANG_ABORT)
        syscall(SYS_kill, getpid(), SIGABRT);
    else if (action >= CONFIG_HANG_SIGNAL)
        syscall(SYS_kill, getpid(), (int)(action - CONFIG_HANG_SIGNAL));
}

/* ---- before the first event ---- */

/* Whether the program has used a tenth of a processor since the last look. */
static bool hang_computes(uint64_t passed_ns)
{
    uint64_t before_ns = hang.cpu_ns;
    hang.cpu_ns = own_thread_program_cpu_ns();
    return hang.cpu_ns > before_ns && (hang.cpu_ns - before_ns) * 10 > passed_ns;
}

/* A program that has recorded nothing may hang in an import, or where processes meet. Or it records
 * nothing at all and waits for something to do, so this is written once. A forked child is a
 * worker, whose parent is watched. On a busy machine, a program that computes may get hardly any
 * CPU time. */
static bool hang_is_start(void)
{
    if (hang.wrote_start || session_file_has_events() || recorder_is_forked())
        return false;
    struct hang_crowd crowd = hang_count_threads();
    return !crowd.run && crowd.wait;
}

/* ---- the text ---- */

/* Nothing open and nothing outstanding means that the program has nothing to do: no hang. */
static void hang_dump(void)
{
    hang_text_clear();
    hang_text_add(
        "hang number=%u silent=%s limit=%s pid=%d realtime_ns=%llu program=", hang.number + 1,
        hang_seconds(hang.silent_ns).bytes, hang_seconds(hang_limit_ns()).bytes, (int)getpid(),
        (unsigned long long)clock_gettime_ns(CLOCK_REALTIME));
    hang_text_add_quoted(process_program());
    hang_text_add("\n");
    unsigned found = hang_log_add_open();
    found += hang_work_add();
    if (!found && !hang_is_start()) {
        hang.silent_ns = 0;
        return;
    }
    if (!found)
        hang_text_add("nothing-recorded\n");
    hang.wrote_start |= !found;
    hang.number++;
    hang.hung = true;
    hang.hung_ns = clock_monotonic_ns() - hang.silent_ns;
    hang_state(PROF_HANG_STOPPED, hang.silent_ns);
    hang_threads_add();
    hang_python_add();
    hang_add_memory();
    hang_text_add("end\n");
    hang_write();
    log_line(LOG_ERROR, "%s for %s s: stacks of all threads are in %s",
             found ? "no progress" : "nothing was recorded, and hardly any CPU time used,",
             hang_seconds(hang.silent_ns).bytes, hang_path());
    if (found)
        hang_act();
}

static void hang_progressed(void)
{
    if (hang.hung) {
        uint64_t lasted_ns = clock_monotonic_ns() - hang.hung_ns;
        hang_state(PROF_HANG_RESUMED, lasted_ns);
        hang_text_clear();
        hang_text_add("resumed number=%u after=%s\n", hang.number, hang_seconds(lasted_ns).bytes);
        hang_write();
        log_line(LOG_ERROR, "the program made progress again after %s s; still watching for hangs",
                 hang_seconds(lasted_ns).bytes);
    }
    hang.hung = false;
    hang.silent_ns = 0;
}

static uint64_t hang_duties(void)
{
    uint64_t now = clock_monotonic_ns(), passed = now - hang.looked_ns, look_ns = hang_look_ns();
    if (!hang.looked_ns)
        passed = 0;
    hang.looked_ns = now;
    bool computes = hang_computes(passed);
    if (hang_log_has_progress() || (computes && !session_file_has_events()))
        hang_progressed();
    else if (!recorder_on() || recorder_ending())
        hang.silent_ns = 0;
    else
        hang.silent_ns += passed < 2 * look_ns ? passed : look_ns;
    if (!hang.hung && hang.silent_ns >= hang_limit_ns()) {
        if (hang_is_traced())
            hang.silent_ns = 0;
        else
            hang_dump();
    }
    return look_ns;
}

static struct worker hang_worker = WORKER_INIT(.name = "prof-hang", .stack_bytes = 256u << 10,
                                               .duties = hang_duties, .parks = true);

static void hang_begin(void)
{
    if (!config_get()->hang_ms)
        return;
    memset(&hang, 0, sizeof hang);
    int error = hang_text_reserve() && hang_log_reserve() && hang_work_reserve()
                    ? worker_begin(&hang_worker)
                    : ENOMEM;
    if (error)
        log_line(LOG_ERROR, "cannot start the hang watch (%s)", strerror(error));
}

static void hang_finish(void)
{
    worker_end(&hang_worker, HANG_END_MS, true);
}

GUEST_PATH static void hang_fork_child(void)
{
    worker_fork_child(&hang_worker);
}

const struct collector hang_collector = {
    .name = "hang",
    .file_created = hang_begin,
    .finish = hang_finish,
    .fork_child = hang_fork_child,
};
