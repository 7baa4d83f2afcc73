#include "attach.h"

#include "clock.h"
#include "config.h"
#include "runopts.h"
#include "runreport.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANSWER_MS = 20000, LOOK_US = 2000, WAIT_US = 50000, RELEASE_MS = 200 };

struct attaching {
    const struct runopts *options;
    struct attach_process process;
    struct attach_area area; /* and in it the request */
    uint64_t address;        /* of the area in the process; 0: Python did it */
    uint64_t stopped_ns;
    bool copied; /* libprof.so, to where the process sees it */
};

static int refused(const struct attaching *attaching, int status)
{
    if (attaching->copied)
        attach_process_remove_copy(&attaching->process);
    message("cannot attach to process %d%s%s%s: %s", (int)attaching->process.pid,
            *attaching->process.program ? " (" : "", attaching->process.program,
            *attaching->process.program ? ")" : "", attaching->process.reason);
    return status;
}

/* ---- the request ---- */

static bool add_option(struct attach_request *request, const char *name, const char *value)
{
    char *at = request->options + request->options_bytes;
    const size_t room = sizeof request->options - request->options_bytes;
    const int size = snprintf(at, room, "%s=%s", name, value);
    if (size < 0 || (size_t)size >= room) {
        message("the PROF_ variables are too long for --attach");
        return false;
    }
    request->options_bytes += (uint32_t)size + 1;
    return true;
}

/* These are decided here, or have no meaning in a running program. */
static bool is_ours(const char *name)
{
    static const char *const ours[] = {"PROF_OUTPUT",       "PROF_START", "PROF_SCHEDULE",
                                       "PROF_SESSION_FILE", "PROF_TABLE", "PROF_LOG",
                                       "PROF_CONTROL"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(name, ours[i]) == 0)
            return true;
    return false;
}

static bool add_variables(struct attach_request *request)
{
    size_t count;
    const struct config_option *options = config_options(&count);
    bool added = true;
    for (size_t i = 0; i < count && added; i++) {
        const char *value = getenv(options[i].name);
        if (value && *value && !is_ours(options[i].name))
            added = add_option(request, options[i].name, value);
    }
    return added;
}

/* The program's output is its own: libprof prints nothing there. */
static bool add_defaults(struct attach_request *request)
{
    const char *log = getenv("PROF_LOG"), *control = getenv("PROF_CONTROL");
    return add_option(request, "PROF_LOG", log ? log : "0") &&
           add_option(request, "PROF_CONTROL", control ? control : "1") &&
           add_option(request, "PROF_TABLE", "0") && add_option(request, "PROF_START", "api");
}

/* The file is made by the process. Where that has other directories than we, the pattern counts
 * there. */
static int add_output(struct attaching *attaching)
{
    const char *pattern = attaching->options->output;
    const char *wanted = getenv("PROF_OUTPUT");
    char *absolute = NULL;
    if (!pattern)
        pattern = wanted && *wanted ? wanted : "%e%R-%p.prof";
    char *here = get_current_dir_name();
    const bool shared =
        attach_process_sees(&attaching->process, *pattern == '/' || !here ? "/" : here);
    free(here);
    if (shared) {
        const int status = outpath_prepare(pattern, attaching->options->force, &absolute);
        if (status)
            return status;
    }
    const bool added =
        add_option(&attaching->area.request, "PROF_OUTPUT", absolute ? absolute : pattern);
    free(absolute);
    return added ? 0 : STATUS_USAGE;
}

/* With the mark of attach_request.h before the file's name. */
static int choose_library(struct attaching *attaching, const struct preload *preload)
{
    char path[PATH_MAX] = "";
    attaching->copied = false;
    /* one that is in the process already is not loaded again */
    const bool has = attach_process_has_library(&attaching->process, path, sizeof path);
    if (!has && attach_process_sees(&attaching->process, preload->library))
        snprintf(path, sizeof path, "%s", preload->library);
    else if (!has) {
        if (!attach_process_copy(&attaching->process, preload->library, path, sizeof path))
            return STATUS_NOT_EXECUTABLE;
        attaching->copied = true;
    }
    const char *slash = strrchr(path, '/');
    if (strstr(path, ATTACH_MARK)) {
        snprintf(attaching->area.path, sizeof attaching->area.path, "%s", path);
        return 0;
    }
    const int size = snprintf(attaching->area.path, sizeof attaching->area.path,
                              "%.*s" ATTACH_MARK "%s", (int)(slash - path), path, slash + 1);
    if (size < 0 || (size_t)size >= sizeof attaching->area.path) {
        snprintf(attaching->process.reason, sizeof attaching->process.reason,
                 "the path of libprof.so is too long");
        return STATUS_NOT_EXECUTABLE;
    }
    return 0;
}

static int prepare(struct attaching *attaching)
{
    struct attach_request *request = &attaching->area.request;
    *request =
        (struct attach_request){.version = ATTACH_VERSION, .for_ms = attaching->options->for_ms};
    const int status = add_output(attaching);
    if (status)
        return status;
    if (!add_variables(request) || !add_defaults(request))
        return STATUS_USAGE;
    return 0;
}

/* ---- the answer ---- */

/* What the process has written so far. False: it has released the area, or has ended. */
static bool read_answer(struct attaching *attaching)
{
    struct attach_area *area = &attaching->area;
    const uint64_t at = attaching->address;
    return attach_process_read(&attaching->process, at + offsetof(struct attach_area, request),
                               &area->request, sizeof area->request) &&
           attach_process_read(&attaching->process, at + offsetof(struct attach_area, created),
                               &area->created, sizeof area->created);
}

/* Without an answer: why there is none. */
static int explain_end(struct attaching *attaching)
{
    char *reason = attaching->process.reason;
    const enum attach_end end =
        attach_process_end(&attaching->process, reason, ATTACH_REASON_BYTES);
    if (end == ATTACH_END_NONE)
        snprintf(reason, ATTACH_REASON_BYTES, "the kernel refused to create a thread");
    return end == ATTACH_END_SIGNAL || end == ATTACH_END_UNKNOWN ? STATUS_ENDED
                                                                 : STATUS_NOT_EXECUTABLE;
}

/* What the process would load later is not loaded. */
static void withdraw(const struct attaching *attaching)
{
    const uint64_t nothing = 0;
    attach_process_write(&attaching->process,
                         attaching->address + offsetof(struct attach_area, magic), &nothing,
                         sizeof nothing);
}

static int await_answer(struct attaching *attaching)
{
    const struct attach_area *area = &attaching->area;
    const uint64_t end_ns = clock_monotonic_ns() + ANSWER_MS * 1000000ull;
    char *reason = attaching->process.reason;
    while (clock_monotonic_ns() < end_ns) {
        if (!read_answer(attaching))
            return explain_end(attaching);
        if (area->request.state != ATTACH_WAITING)
            return 0;
        if (area->created) {
            snprintf(reason, ATTACH_REASON_BYTES, "it cannot start a thread: %s",
                     strerror((int)area->created - 1));
            return STATUS_NOT_EXECUTABLE;
        }
        clock_pause(LOOK_US);
    }
    withdraw(attaching);
    snprintf(reason, ATTACH_REASON_BYTES,
             "it has not loaded libprof within 20 s: another thread may hold the loader's lock");
    return STATUS_NOT_EXECUTABLE;
}

static void acknowledge(const struct attaching *attaching)
{
    const uint32_t yes = 1;
    attach_process_write(&attaching->process,
                         attaching->address + offsetof(struct attach_area, request) +
                             offsetof(struct attach_request, acknowledged),
                         &yes, sizeof yes);
}

static int load(struct attaching *attaching)
{
    const enum attach_python_result asked =
        attach_python(&attaching->process, attaching->area.path, &attaching->area.request);
    if (asked == ATTACH_PYTHON_ANSWERED)
        return 0;
    if (asked == ATTACH_PYTHON_SILENT)
        message("Python did not respond; using ptrace instead");
    int status = attach_ptrace_start(&attaching->process, &attaching->area, &attaching->address,
                                     &attaching->stopped_ns);
    if (status && !attach_process_exists(&attaching->process))
        return explain_end(attaching);
    if (status == 0)
        status = await_answer(attaching);
    if (status == 0)
        acknowledge(attaching);
    return status;
}

/* ---- what comes after ---- */

/* The path as we can open it: the process may have another root. */
static void shown_path(const struct attaching *attaching, char path[ATTACH_TEXT_BYTES + 64])
{
    const char *inside = attaching->area.request.text;
    if (attach_process_sees(&attaching->process, inside))
        strcpy(path, inside);
    else
        snprintf(path, ATTACH_TEXT_BYTES + 64, "/proc/%d/root%s", (int)attaching->process.pid,
                 inside);
}

static void print_begin(const struct attaching *attaching, const char *path)
{
    static const char *const how[] = {[ATTACH_RECORDING] = "recording to",
                                      [ATTACH_RESUMED] = "recording again to",
                                      [ATTACH_ON_ALREADY] = "it was recording already, to"};
    char stood[64] = "";
    if (attaching->address)
        snprintf(stood, sizeof stood, "; one thread was stopped for %.3f ms",
                 (double)attaching->stopped_ns / 1e6);
    if (attaching->copied)
        message("copied libprof.so to the process's /tmp, because its file system lacks it");
    message("attached to process %d (%s): %s %s%s", (int)attaching->process.pid,
            attaching->process.program, how[attaching->area.request.state], path, stood);
}

/* Until libprof has stopped, or the process has ended. */
static void wait_for_stop(const struct attaching *attaching)
{
    const struct attach_request *request = &attaching->area.request;
    uint32_t stops = request->stops;
    while (stops == request->stops && attach_process_exists(&attaching->process) &&
           attach_process_read(&attaching->process, request->stops_at, &stops, sizeof stops))
        clock_pause(WAIT_US);
}

/* Until the process has released what it no longer needs of us. */
static void wait_for_release(struct attaching *attaching)
{
    const uint64_t end_ns = clock_monotonic_ns() + RELEASE_MS * 1000000ull;
    while (attaching->address && clock_monotonic_ns() < end_ns && read_answer(attaching))
        clock_pause(LOOK_US);
}

/* The status to exit with: a process that ends by itself meanwhile does not concern us. */
static int judge_end(const struct attaching *attaching)
{
    char how[ATTACH_REASON_BYTES];
    const enum attach_end end = attach_process_end(&attaching->process, how, sizeof how);
    if (end != ATTACH_END_SIGNAL && end != ATTACH_END_UNKNOWN)
        return 0;
    message("process %d (%s) ended while profrun was attached: %s", (int)attaching->process.pid,
            attaching->process.program, how);
    return end == ATTACH_END_SIGNAL ? STATUS_ENDED : 0;
}

static void print_end(const struct attaching *attaching, char *path)
{
    if (attaching->options->table)
        runtable_print(&path, 1, attaching->options);
    message("wrote %s", path);
}

static int report(struct attaching *attaching)
{
    const struct attach_request *request = &attaching->area.request;
    char path[ATTACH_TEXT_BYTES + 64];
    if (request->state < ATTACH_RECORDING || request->state > ATTACH_ON_ALREADY) {
        snprintf(attaching->process.reason, sizeof attaching->process.reason, "%.500s",
                 *request->text ? request->text : "its C library cannot load libprof");
        return refused(attaching, STATUS_INTERNAL);
    }
    shown_path(attaching, path);
    if (!attaching->options->quiet)
        print_begin(attaching, path);
    wait_for_release(attaching);
    if (attaching->options->quiet)
        return judge_end(attaching);
    if (!request->for_ms) {
        message("'profdump top %d' shows it, 'profdump ctl %d stop' stops it",
                (int)attaching->process.pid, (int)attaching->process.pid);
        return judge_end(attaching);
    }
    wait_for_stop(attaching);
    print_end(attaching, path);
    return judge_end(attaching);
}

int attach_run(const struct preload *preload, const struct runopts *options)
{
    static struct attaching attaching; /* 25 KB */
    attaching.options = options;
    int status = attach_process_init(&attaching.process, options->attach);
    if (status)
        return refused(&attaching, status);
    status = prepare(&attaching);
    if (status)
        return status;
    status = choose_library(&attaching, preload);
    if (status == 0)
        status = load(&attaching);
    return status ? refused(&attaching, status) : report(&attaching);
}
